"""Groups of the commands in `--help`, and the example that each of them shows."""

import sys
from typing import Any

from ..core.plugins import collect, help_of
from .app import app

START, TUNE, SOLVE, OWN, RUNS = "Start here", "Tune and compare", "Solve and prove", "Your own games", "Runs"

EXAMPLES: dict[str, tuple[str, str]] = {
    "tour": (START, "tour"),
    "games": (START, "games"),
    "show": (START, "show leduc"),
    "play": (START, "play kuhn --against solved --coach each"),
    "kriegspiel": (START, "kriegspiel play --against fog"),
    "web": (START, "web"),
    "explain": (START, "explain resistance5"),
    "match": (TUNE, "match batawaf descending random"),
    "tune": (TUNE, "tune batawaf --minutes 1"),
    "tournament": (TUNE, "tournament batawaf descending ascending random"),
    "diagnose": (TUNE, "diagnose batawaf-1"),
    "solve": (SOLVE, "solve leduc --exact"),
    "verify": (SOLVE, "verify kuhn-1"),
    "bounds": (SOLVE, "bounds phantom-ponnuki-4x4 --time 60"),
    "values": (SOLVE, "values phantom-ttt --verify"),
    "exploit": (SOLVE, "exploit kuhn uniform --worst 3"),
    "questions": (SOLVE, "questions kuhn --output questions.jsonl"),
    "balance": (SOLVE, "balance resistance --players 7"),
    "paper": (SOLVE, "paper phantom"),
    "new": (OWN, "new mine.py"),
    "check": (OWN, "check mine.py"),
    "export-game": (OWN, "export-game kuhn --output kuhn.efg"),
    "runs": (RUNS, "runs --state interrupted"),
    "resume": (RUNS, "resume batawaf-1"),
    "export": (RUNS, "export batawaf-1 --format csv"),
    "doctor": (RUNS, "doctor"),
    "warm": (RUNS, "warm fog kriegspiel solvers"),
    "runs backup": (RUNS, "runs backup runs-backup.db"),
    "runs delete": (RUNS, "runs delete kuhn-1"),
    "runs prune": (RUNS, "runs prune --days 90"),
    "kriegspiel match": (START, "kriegspiel match fog C --games 40 --time 0.1"),
    "kriegspiel round-robin": (START, "kriegspiel round-robin fog hs C --games 20"),
    "kriegspiel play": (START, "kriegspiel play --against fog --rules berkeley"),
    "kriegspiel engine": (START, "kriegspiel engine fog"),
    "kriegspiel engines": (START, "kriegspiel engines"),
    "kriegspiel export": (START, "kriegspiel export kriegspiel-1 --output games.pgn"),
    "kriegspiel analyse": (START, "kriegspiel analyse games.pgn --game 2 --side black"),
    "kriegspiel check-pgn": (START, "kriegspiel check-pgn games.pgn"),
    "kriegspiel problems": (START, "kriegspiel problems 1 --play"),
    "kriegspiel problem": (START, "kriegspiel problem problem.json"),
    "kriegspiel make-problems": (START, "kriegspiel make-problems --candidates 2000"),
    "kriegspiel learn": (START, "kriegspiel learn --engines minimax@200n,C@200n --games 40"),
}  # by the words of a command: the panel of the help that lists it, and words to try


def name_of(command: Any) -> str:
    """The word that stands for a command."""
    return str(command.name or command.callback.__name__.replace("_", "-"))


def arrange_help() -> None:
    """Give every command its panel and its example, in the order of the table; those of plug-ins come last."""
    _arrange(app, "")


def _arrange(group: Any, before: str) -> None:
    order = list(EXAMPLES)
    for command in group.registered_commands:
        panel, example = EXAMPLES.get(before + name_of(command), (None, None))
        if example is not None:
            command.rich_help_panel = None if before else panel
            command.epilog = "\n\n".join(filter(None, (f"Example: fogspiel {example}", command.epilog)))
    group.registered_commands.sort(
        key=lambda command: order.index(word) if (word := before + name_of(command)) in EXAMPLES else len(order)
    )
    for inner in group.registered_groups:
        name = inner.typer_instance.info.name
        inner.rich_help_panel = EXAMPLES.get(before + name, (None, None))[0]
        _arrange(inner.typer_instance, f"{before}{name} ")


# Things found by discovery, for the help of commands.


def listing(title: str, room: str, attribute: str) -> str | None:
    """List the names in a room with a line of help each; None unless help is asked for, since all are imported."""
    if "--help" not in sys.argv[1:]:
        return None
    lines = (
        f"{name}: {getattr(thing, 'help', '') or help_of(thing)}" for name, thing in collect(room, attribute).items()
    )
    return "\n\n".join([title, *lines])
