"""Shell completion of games, their players, engines, methods, parts of papers, and the runs of the store.

Completion offers names or nothing: errors are never printed.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from .. import __version__
from ..core.find import check_game_spec
from ..core.plugins import PACKAGE, collect, folders
from ..runs import request
from ..runs.store import Store

if TYPE_CHECKING:
    from ..runs.store import Store

SOLVE = "solve"  # the method of runs that have solved a game


def _of_store(ctx: typer.Context, incomplete: str, ask: "Callable[[Store], list[str]]") -> list[str]:
    found: list[str] = []
    with suppress(Exception):
        from .app import store_path

        chosen = ctx.params.get("store")
        path = store_path(Path(chosen) if chosen else None)
        if path.exists():
            with Store.open(path, write=False) as runs:
                found = ask(runs)
    return [name for name in reversed(found) if name.startswith(incomplete)]


def complete_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    return _of_store(ctx, incomplete, lambda runs: runs.names())


def _remembered(what: str, find: Callable[[], list[str]]) -> list[str]:
    """Return names from a file in the cache folder, which is rewritten where it is missing or of other code.

    A shell waits for the result, and importing the catalogue takes half a second.
    """
    from ..core.compile import cache_root

    files = (file for folder in (PACKAGE, *folders()) for file in folder.rglob("*.py"))
    stamp = [__version__, *map(str, folders()), max(file.stat().st_mtime_ns for file in files)]
    path = cache_root() / "names.json"
    kept: dict[str, Any] = {}
    with suppress(OSError, ValueError):
        kept = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(kept, dict) or kept.get("stamp") != stamp:
        kept = {"stamp": stamp}
    if what not in kept:
        kept[what] = find()
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(kept), encoding="utf-8")
    return [str(name) for name in kept[what]]


def complete_from(room: str, attribute: str) -> Callable[[str], list[str]]:
    """Return the function that completes the names in a package."""

    def complete(incomplete: str) -> list[str]:
        found: list[str] = []
        with suppress(Exception):
            found = _remembered(f"{room} {attribute}", lambda: list(collect(room, attribute)))
        return [name for name in found if name.startswith(incomplete)]

    return complete


complete_games = complete_from("games", "GAMES")
complete_methods = complete_from("tuning.methods", "METHODS")
complete_routes = complete_from("solving.methods", "METHODS")


def complete_games_and_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    return [*complete_runs(ctx, incomplete), *complete_games(incomplete)]


def complete_players(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete players of the named game: strategies, engines, and runs that were tuned or solved."""

    def find() -> list[str]:
        from ..core.game import known_game
        from ..runs.agent_parser import SOLVED, agent_names
        from ..solving.known_values import shipped_solution

        return [*agent_names(known_game(game)), *([SOLVED] if shipped_solution(game) else [])]

    found: list[str] = []
    game = str(ctx.params.get("game") or next(iter(ctx.args), ""))  # an option without its value leaves it in `args`
    with suppress(Exception):
        found = _remembered(f"players {game}", find) if game in complete_games("") else []
    playable = {SOLVE, *complete_methods("")}

    def ask(runs: "Store") -> list[str]:
        return [run.name for run in runs.summaries() if run.game == game and run.method in playable]

    return [*(name for name in found if name.startswith(incomplete)), *_of_store(ctx, incomplete, ask)]


# Early validation of arguments, before a command imports what takes longer than an error message.
#
# The rules are those of the packages that apply them later; these functions only check sooner.


def check_game(words: str | None) -> str | None:
    if words is not None:
        check_game_spec(words)
    return words


def check_seed(seed: int | None) -> int | None:
    if seed is not None:
        request.check_seed(seed)
    return seed
