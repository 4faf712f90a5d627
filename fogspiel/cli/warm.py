"""Everything compiled beforehand, one part after the other: the rules of every game, the solvers, the engines."""

from collections.abc import Callable, Iterator
from functools import partial

from ..core.agents import find_policy, policy_names
from ..core.game import UNIFORM, Game, known_game, list_games
from ..core.simulate import PolicyMatch
from ..kriegspiel.engine import engines, find_engine
from ..kriegspiel.warm_up import play_trial

SOLVERS = "solvers"

Part = tuple[str, Callable[[], None]]


def parts(names: list[str]) -> Iterator[Part]:
    """What there is to compile: all of it, or the games and engines of these names."""
    known = [*list_games(), SOLVERS, *engines()]
    for name in names:
        if name not in known:
            raise ValueError(f"there is nothing called {name!r} to compile: name games, engines or {SOLVERS}")
    for name in names or known:
        if name == SOLVERS:
            yield name, warm_solvers
        elif name in engines():
            yield name, partial(warm_engine, name)
        else:
            yield name, partial(warm_game, known_game(name))


def warm_game(game: Game) -> None:
    """Compile the rules of a game, its strategy, and the loop that plays it."""
    players = [UNIFORM.name, *(["fixed"] if "fixed" in policy_names(game) else [])]
    for name in players:
        player = find_policy(game, name)
        PolicyMatch(game, player, player).scores(1, 0, 1)


def warm_solvers() -> None:
    """Compile what solves trees, on the smallest of them."""
    from ..runs.kinds.solve import SolveTask
    from ..runs.requests import SolveRequest
    from ..solving.methods import find_solve_method
    from ..solving.sources import find_source

    problem = find_source("kuhn")
    for method in ("lp", "pcfr+"):
        SolveTask(SolveRequest(game="kuhn", solver=method), problem, find_solve_method(method)).solve(
            lambda progress: None
        )


def warm_engine(name: str) -> None:
    """Compile an engine, by a few plies of a game."""
    play_trial(find_engine(name))
