"""fogspiel runs: the list of runs, and its upkeep."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...runs.request import ago, with_interval
from ...runs.store import STATES, Store
from .. import console
from ..app import AsJson, StorePath, app, complete_games, complete_runs, store_path
from ..console import print_json

if TYPE_CHECKING:
    from ...runs.store import Summary

group = typer.Typer(name="runs", invoke_without_command=True)
app.add_typer(group)

DAY = 86_400.0
DEFAULT_DAYS = 30.0
GameName = Annotated[str | None, typer.Option("--game", autocompletion=complete_games, help="Only runs of this game.")]
State = Annotated[str | None, typer.Option(help="Only runs in this state: finished, running, interrupted or damaged.")]


@group.callback()
def list_runs(
    context: typer.Context,
    game: GameName = None,
    state: State = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """List the runs of the store: state, games, score with interval, age."""
    if context.invoked_subcommand is not None:
        if game or state or store or as_json:
            raise ValueError(f"options of `runs {context.invoked_subcommand}` stand behind that word")
        return None
    path = store_path(store)
    found = _find(path, game, state)
    if as_json:
        from ...runs.kind import kind_of_method
        from ..execute import with_kind

        listed = [with_kind(summary.to_json(), kind_of_method(summary.method)) for summary in found]
        return print_json({"store": str(path), "runs": listed})
    if not found:
        none = "no runs yet" if game is None and state is None else "no such runs"
        return console.out.print(f"{none} in {path}; begin with: fogspiel tune batawaf")
    return _print_runs(f"Runs in {path}", found)


@group.command("backup")
def backup(
    copy: Annotated[Path, typer.Argument(metavar="FILE")], store: StorePath = None, as_json: AsJson = False
) -> None:
    """Copy the store to a new FILE, also while runs are at work; the copy is verified before it gets its name."""
    path = _existing(store_path(store))
    with Store.open(path, write=False) as runs:
        many = runs.backup(copy)
    if as_json:
        return print_json({"store": str(path), "backup": str(copy), "runs": many, "bytes": copy.stat().st_size})
    return console.out.print(f"{many} runs are in {copy}, every row verified")


@group.command("delete")
def delete(
    names: Annotated[list[str], typer.Argument(metavar="RUN..", autocompletion=complete_runs)],
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Delete runs for good, all of those that are named or none; a run that is worked on is refused."""
    _delete(store_path(store), names, as_json)


@group.command("prune")
def prune(
    days: Annotated[
        float, typer.Option(min=0, help="Only runs that nobody has worked on for so many days.")
    ] = DEFAULT_DAYS,
    game: GameName = None,
    state: Annotated[str, typer.Option(help="Runs in this state: interrupted or finished.")] = "interrupted",
    yes: Annotated[bool, typer.Option("--yes", help="Delete them; without it they are only listed.")] = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """List the interrupted runs that nobody has worked on for 30 days, and with --yes delete them for good."""
    if state not in ("interrupted", "finished"):
        raise ValueError(f"--state is {state!r}: only interrupted or finished runs can be pruned")
    path, latest = store_path(store), time.time() - days * DAY
    found = [summary for summary in _find(path, game, state) if (summary.seen or summary.created) <= latest]
    names = [summary.name for summary in found]
    if yes and names:
        return _delete(path, names, as_json)
    if as_json:
        return print_json({"store": str(path), "deleted": [], "would_delete": names})
    if not names:
        return console.out.print(f"no {state} run of {path} is {days:g} days old: there is nothing to delete")
    _print_runs("Would be deleted", found)
    return console.out.print("nothing is deleted yet: add --yes to delete these runs for good")


def _find(path: Path, game: str | None, state: str | None) -> "list[Summary]":
    """Return the runs of a game in a state, where given; runs that are set aside are named on stderr."""
    if state is not None and state not in STATES:
        raise ValueError(f"--state is {state!r}: it must be {', '.join(STATES[:-1])} or {STATES[-1]}")
    with Store.open(path, write=False) as runs:
        for sentence in runs.set_aside():
            console.err.print(sentence)
        return [s for s in runs.summaries() if game in (None, s.game) and state in (None, s.state)]


def _existing(path: Path) -> Path:
    if not path.exists():
        raise ValueError(f"there is no store {path}: name one with --store")
    return path


def _delete(path: Path, names: list[str], as_json: bool) -> None:
    with Store.open(_existing(path), write=True) as runs:
        runs.delete(names)
    if as_json:
        return print_json({"store": str(path), "deleted": names})
    return console.out.print(f"deleted: {', '.join(names)}")


def _print_runs(title: str, found: "list[Summary]") -> None:
    rows = [
        (
            s.name, s.search or s.method or "", s.state, s.steps, s.games if s.games is not None else "",
            with_interval(s.score, s.interval) if s.score is not None and s.interval else "",
            ago(s.seen),
        )
        for s in found
    ]  # fmt: skip
    console.table(title, ("run", "method", "state", "steps", "games", "score [interval]", "last seen"), rows)
