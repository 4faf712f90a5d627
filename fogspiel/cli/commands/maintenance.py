"""fogspiel tour, warm and doctor."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from ..app import AsJson, Seed, StorePath, Threads, announce_compilation, app, cores, print_json, store_path

if TYPE_CHECKING:
    from ...core.game import Game


@app.command("tour")
def tour(
    seed: Seed = 1,
    threads: Threads = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """See in two minutes what fogspiel does: a rule, a proof, a policy measured, a strategy found, a game played."""
    from .. import tour

    announce_compilation()
    body = tour.walk(store_path(store), seed, cores(threads), quiet=as_json)
    if as_json:
        print_json(body)


@app.command("warm")
def warm(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]..", help="Games, engines, solvers (all).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compile everything beforehand, so that nothing has to be waited for later; it can be interrupted at any time."""
    import time

    from .. import console

    announce_compilation()
    spent: dict[str, float] = {}
    for name, compile_part in parts(names or []):
        began = time.process_time()
        with console.status(name):
            compile_part()
        spent[name] = round(time.process_time() - began, 2)
    if as_json:
        return print_json({"compiled": [{"name": name, "cpu_seconds": seconds} for name, seconds in spent.items()]})
    return console.out.print(f"{len(spent)} parts are ready, after {sum(spent.values()):.0f} CPU s")


@app.command("doctor")
def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Cut damaged runs back to their last good row.")] = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Check the installation, the kernel cache and the store; every problem comes with a hint."""
    from ...runs.store import Store
    from ..doctor import checks

    announce_compilation()
    path, repaired = store_path(store), []
    if repair:
        with Store.open(path, write=True) as runs:
            repaired = runs.repair()
    found = checks(path)
    healthy = all(check.ok for check in found)
    if as_json:
        print_json({"ok": healthy, "repaired": repaired, "checks": [check.to_json() for check in found]})
    else:
        from .. import console

        for line in repaired:
            console.out.print(line)
        rows = [(("note" if c.hint else "ok") if c.ok else "PROBLEM", c.what, c.detail, c.hint) for c in found]
        console.table("fogspiel doctor", ("", "what", "found", "what to do"), rows)
    if not healthy:
        raise typer.Exit(2)


# Everything compiled beforehand, one part after the other: the rules of every game, the solvers, the engines.

SOLVERS = "solvers"

Part = tuple[str, Callable[[], None]]


def parts(names: list[str]) -> Iterator[Part]:
    """List the parts to compile: all, or the games and engines of these names."""
    from ...core.game import known_game, list_games
    from ...core.plugins import collect

    engines = collect("kriegspiel.engines", "ENGINES")
    known = [*list_games(), SOLVERS, *engines]
    for name in names:
        if name not in known:
            raise ValueError(f"there is nothing called {name!r} to compile: name games, engines or {SOLVERS}")
    for name in names or known:
        if name == SOLVERS:
            yield name, warm_solvers
        elif name in engines:
            yield name, partial(warm_engine, name)
        else:
            yield name, partial(warm_game, known_game(name))


def warm_game(game: "Game") -> None:
    """Compile the rules of a game, its strategy, and the loop that plays it."""
    from ...core.agents import find_policy, policy_names
    from ...core.game import UNIFORM
    from ...core.simulate import PolicyMatch

    players = [UNIFORM.name, *(["fixed"] if "fixed" in policy_names(game) else [])]
    for name in players:
        player = find_policy(game, name)
        PolicyMatch(game, player, player).scores(1, 0, 1)


def warm_solvers() -> None:
    """Compile what solves trees, on the smallest of them."""
    from ...runs.kinds.solve import SolveTask
    from ...runs.requests import SolveRequest
    from ...solving.methods import find_solve_method
    from ...solving.sources import find_source

    problem = find_source("kuhn")
    for method in ("lp", "pcfr+"):
        SolveTask(SolveRequest(game="kuhn", solver=method), problem, find_solve_method(method)).solve(
            lambda progress: None
        )


def warm_engine(name: str) -> None:
    """Compile an engine, by a few plies of a game."""
    from ...kriegspiel.engine import find_engine
    from ...kriegspiel.warm_up import play_trial

    play_trial(find_engine(name))
