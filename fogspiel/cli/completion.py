"""The names that a shell completes: games, their players, engines, methods, parts of papers, the runs of the store.

Whoever presses the key wants names or nothing: nothing is ever said on an error, and the lists are those that are known
without importing what they name.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ..runs.store import Store

KRIEGSPIEL, SOLVE = "kriegspiel", "solve"
"""The game that has engines, and the method of runs that have solved a game."""


def _of_store(ctx: typer.Context, incomplete: str, ask: "Callable[[Store], list[str]]") -> list[str]:
    """The runs that are asked of the store, the latest first."""
    found: list[str] = []
    with suppress(Exception):
        from ..runs.store import Store
        from .app import store_path

        chosen = ctx.params.get("store")
        path = store_path(Path(chosen) if chosen else None)
        if path.exists():
            with Store.open(path, write=False) as runs:
                found = ask(runs)
    return [name for name in reversed(found) if name.startswith(incomplete)]


def complete_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """The runs of the store, the latest first."""
    return _of_store(ctx, incomplete, lambda runs: runs.names())


def _listed(room: str, attribute: str) -> Callable[[str], list[str]]:
    """Completes the names in a room."""

    def complete(incomplete: str) -> list[str]:
        found: list[str] = []
        with suppress(Exception):
            from ..core.game_names import listed
            from ..core.plugins import collect

            found = listed(room) or list(collect(room, attribute))  # plug-ins have to be asked
        return [name for name in found if name.startswith(incomplete)]

    return complete


complete_games = _listed("games", "GAMES")
complete_engines = _listed("kriegspiel.engines", "ENGINES")
complete_methods = _listed("tune.methods", "METHODS")
complete_papers = _listed("papers", "EXPERIMENTS")


def complete_routes(incomplete: str) -> list[str]:
    """The ways to solve a game."""
    found: list[str] = []
    with suppress(Exception):
        from ..solving.methods import solve_methods

        found = [route.name for route in solve_methods()]
    return [name for name in found if name.startswith(incomplete)]


def complete_games_and_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """What can be explained or verified by its name."""
    return [*complete_runs(ctx, incomplete), *complete_games(incomplete)]


def complete_players(ctx: typer.Context, incomplete: str) -> list[str]:
    """Who can play the game that was named: strategies, engines, and runs that were tuned or solved."""
    found: list[str] = []
    game = str(ctx.params.get("game") or next(iter(ctx.args), ""))  # an option without its value leaves it in `args`
    with suppress(Exception):
        found = [*_strategies(game), *(complete_engines("") if game == KRIEGSPIEL else [])]
    playable = {SOLVE, *complete_methods("")}

    def ask(runs: "Store") -> list[str]:
        return [run.name for run in runs.summaries() if run.game == game and run.method in playable]

    return [*(name for name in found if name.startswith(incomplete)), *_of_store(ctx, incomplete, ask)]


def _strategies(game: str) -> list[str]:
    """The named strategies of a game."""
    from ..core.game_names import listed_players

    found = listed_players(game)
    if found is not None:
        return found
    from ..core.agents import policy_names
    from ..core.game import list_games

    return policy_names(list_games()[game]) if game in list_games() else []
