"""Shared parts of all commands: the application, common options with their completion and checks, and the help."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from .. import __version__
from ..core.find import OPENSPIEL, REMEMBER, check_game_spec, load_game
from ..core.plugins import PACKAGE, collect, extras, folders, help_of
from ..runs import request
from ..runs.request import check_field, plain_type
from ..runs.store import Store, default_path
from . import INTERRUPTED as INTERRUPTED
from . import console, warn

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from ..core.game import Game
    from ..runs.request import Asked, Request

# Options and commands from before 1.0, for one release: they work, and a warning on stderr names the new ones.
FORMER_COMMANDS = {"questions": "states", "tournament": "round-robin", "warm": "compile"}
FORMER_OPTIONS = {
    "--alone": "--single",
    "--as": "--seat",
    "--game": "--source --number",
    "--longest": "--max-plies",
    "--range": "--score-range",
    "--remember": "--perfect-recall",
    "--save": "--save-response",
    "--size": "--max-mib",
    "--stop": "--stop-early",
    "--time": "--move-seconds --seconds",
    "--time-2": "--move-seconds-2",
    "--all": "--decisions",
}  # each means the first of these that the command has
NEVER_FORMER = {"tune": ("--time",)}  # options that a command did not have before 1.0


class Command(TyperCommand):
    """Command that also accepts the options from before 1.0."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = {option for parameter in self.params for option in parameter.opts}
        former = {
            old: next(new for new in news.split() if new in known)
            for old, news in FORMER_OPTIONS.items()
            if known & set(news.split()) and old not in {*known, *NEVER_FORMER.get(str(self.name), ())}
        }
        words = list(_renamed(args, former, ctx.resilient_parsing))
        known |= {"--help", *(option for parameter in self.params for option in parameter.secondary_opts)}
        if any(word.startswith("--") and word.partition("=")[0] not in known for word in words):
            # options that a slice takes for this command
            rewrite = extras("cli.commands", "REWRITE").get(str(self.name))
            words = rewrite(words) if rewrite and not ctx.resilient_parsing else words
        return super().parse_args(ctx, words)


def _renamed(words: list[str], former: Mapping[str, str], silent: bool) -> Iterator[str]:
    """Yield the arguments of a command with the present names of its options."""
    left = iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        if name in former and not silent:
            warn_of_former(name, former[name])
        yield former.get(name, name) + equals + value
        if word == "--":  # no options follow
            yield from left


def warn_of_former(old: str, new: str) -> None:
    warn(f"fogspiel: {old} is deprecated: use {new}")


class Group(TyperGroup):
    """Command group that also accepts the commands from before 1.0."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        new = FORMER_COMMANDS.get(cmd_name, "")
        if cmd_name in self.commands or new not in self.commands:
            return super().get_command(ctx, cmd_name)
        if not ctx.resilient_parsing:
            warn_of_former(cmd_name, new)
        return super().get_command(ctx, new)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Prefer the command that a slice has for one game, named "COMMAND GAME"."""
        own = next((f"{args[0]} {word}" for word in args[1:] if f"{args[0]} {word}" in self.commands), None)
        return super().resolve_command(ctx, args if own is None else [own, *args[1:]])


app = typer.Typer(
    name="fogspiel",
    cls=Group,
    help="Games in which players cannot see everything: tune strategies, solve exactly, prove it, and play.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

# Shell completion of games, players, engines, methods, parts of papers and runs: it offers names or nothing, and prints
# no error.

SOLVED_BY = "solve"  # the method of runs that have solved a game


def _of_store(ctx: typer.Context, incomplete: str, ask: Callable[[Store], list[str]]) -> list[str]:
    found: list[str] = []
    with suppress(Exception):
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
    playable = {SOLVED_BY, *complete_methods("")}

    def ask(runs: Store) -> list[str]:
        return [run.name for run in runs.summaries() if run.game == game and run.method in playable]

    return [*(name for name in found if name.startswith(incomplete)), *_of_store(ctx, incomplete, ask)]


# Early validation: it applies the rules of the packages before a command imports what takes longer than a message.


def check_game(words: str | None) -> str | None:
    if words is not None:
        check_game_spec(words)
    return words


def check_seed(seed: int | None) -> int | None:
    if seed is not None:
        request.check_seed(seed)
    return seed


Record = TypeVar("Record")

AsJson = Annotated[bool, typer.Option("--json", help="Exactly one JSON object on stdout, everything else on stderr.")]
StorePath = Annotated[Path | None, typer.Option("--store", help="The file that holds the runs (your data folder).")]
Processes = Annotated[int | None, typer.Option(min=1, help="Processes; results do not depend on it (all cores).")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads; results do not depend on it (all cores).")]
Cluster = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Work on the Dask cluster of this scheduler.")]
Seed = Annotated[int, typer.Option(callback=check_seed, help="Same seed, same games.")]
GAMES = (
    "A game's name, a Python file with the six rules (FILE.py, FILE.py:NAME), FILE.efg/.nfg/.game/.txt, openspiel:NAME."
)
GameWords = Annotated[
    str, typer.Argument(metavar="GAME", callback=check_game, autocompletion=complete_games, help=GAMES)
]
RunName = Annotated[str, typer.Argument(metavar="RUN", autocompletion=complete_runs)]
Remember = Annotated[bool, typer.Option("--perfect-recall", help="Give players of an OpenSpiel game perfect recall.")]
RulesFile = Annotated[str | None, typer.Option("--source", help="Where the rules are, if not in the package.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fogspiel {__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")]


Plugins = Annotated[
    list[Path] | None,
    typer.Option(metavar="FOLDER", help="Find games, methods, engines, commands and more in this folder too."),
]


@app.callback()
def options(version: Version = False, plugins: Plugins = None) -> None:
    """Options that stand before the command; plug-in folders are used before commands are known."""


def taking(options: type[Record]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of a dataclass as options; it receives them as one record, its last argument."""
    shared = signature(options).parameters
    return _adding(list(shared.values()), lambda given: options(**given), last=True)


def asking(
    model: "type[Request]", optional: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of a request as arguments and options; it receives them by name, its first argument."""
    fields = [_parameter(model, name, info, more, name in optional) for name, info, more in model.asked_fields()]
    return _adding(fields, dict, last=False)


def _adding(
    added: list[Parameter], record: Callable[[dict[str, Any]], Any], last: bool
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Collect parameters into one argument of a command, its last or its first."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(signature(command).parameters.values())
        whole = own.pop(-1 if last else 0)

        @wraps(command)
        def run(**given: Any) -> None:
            command(**{whole.name: record({one.name: given.pop(one.name) for one in added})}, **given)

        alone = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in ((*own, *added) if last else (*added, *own))]
        run.__signature__ = Signature(alone)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in alone}
        return run

    return decorate


COMPLETIONS: dict[str, Callable[..., list[str]]] = {
    "game": complete_games,
    "agent": complete_players,
    "method": complete_methods,
    "route": complete_routes,
    "tuned runs": complete_runs,
    "certificate": complete_games_and_runs,
}
METAVARS = {"game": "GAME", "certificate": "FILE|RUN|GAME"}
# By the kind of thing that a field names: shell completion and early validation; slices add theirs.
CHECKS: dict[str, Callable[[Any], Any]] = {"game": check_game}


def _parameter(model: "type[Request]", name: str, info: "FieldInfo", more: "Asked", optional: bool) -> Parameter:
    names = "game" if more.names.endswith(" game") else more.names  # "tunable game" and the like

    def check(ctx: typer.Context, value: Any) -> Any:
        from ..runs.requests import NAMED

        if value not in (None, ()) and not ctx.resilient_parsing:  # completion in a shell must not fail
            check_field(model, name, value)
            if demand := (NAMED | CHECKS).get(names):
                for one in value if isinstance(value, list | tuple) else (value,):
                    demand(one)
        return value

    kind = plain_type(info.annotation)
    if optional:
        kind |= None
    shared: dict[str, Any] = {"help": info.description, "callback": check}
    shared["autocompletion"] = COMPLETIONS.get(names)
    option = f"--{more.option or name.replace('_', '-')}"
    flag = f"{option}/--no-{option[2:]}" if kind == bool | None or info.default is True else option
    metavar = METAVARS.get(names)
    typed = typer.Argument(metavar=metavar, **shared) if more.argument else typer.Option(flag, **shared)
    default = None if optional else Parameter.empty if info.is_required() else info.default
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, typed])


def store_path(chosen: Path | None) -> Path:
    return chosen if chosen is not None else default_path()


def remembering(words: str, remember: bool) -> str:
    """Return a game's name, with the suffix that --perfect-recall adds to a game of OpenSpiel."""
    if remember and not words.startswith(OPENSPIEL):
        raise ValueError(f"--perfect-recall is for games of OpenSpiel, such as openspiel:goofspiel, not for {words}")
    return words.removesuffix(REMEMBER) + REMEMBER if remember else words


def cores(threads: int | None) -> int:
    return threads or os.cpu_count() or 1


def load_and_announce(words: str, remember: bool) -> "Game":
    """Load a game, and print a notice if its rules have to be compiled first."""
    game = load_game(remembering(words, remember))
    announce_compilation()
    return game


@cache
def announce_compilation() -> None:
    """Print a notice as soon as something is compiled."""
    from ..core.compile import cache_root
    from ..core.compile.cache import warn_of_unwritable
    from ..core.compile.kernel import CACHE, tell_compilation

    tell_compilation(lambda: console.err.print("compiling kernels (first use only, up to 30 s)"))
    if CACHE is None:
        warn_of_unwritable(cache_root(), "no such folder can be made or written")


class Stop(NamedTuple):
    """Stop of the tour: its title, its position, its lines by seed, and the background work until then."""

    title: str
    place: int
    show: Callable[[int], Iterator[str]]
    meanwhile: Callable[[], AbstractContextManager[None]] = nullcontext


# Groups of the commands in `--help`, and the example that each of them shows.

START, TUNE, SOLVE, OWN, RUNS = "Start here", "Tune and compare", "Solve and prove", "Your own games", "Runs"

EXAMPLES: dict[str, tuple[str, str]] = {
    "tour": (START, "tour"),
    "games": (START, "games"),
    "show": (START, "show leduc"),
    "play": (START, "play kuhn --against solved --coach each"),
    "web": (START, "web"),
    "explain": (START, "explain phantom-ttt"),
    "match": (TUNE, "match batawaf descending random"),
    "tune": (TUNE, "tune batawaf --minutes 1"),
    "round-robin": (TUNE, "round-robin batawaf descending ascending random"),
    "compete": (TUNE, "compete entries --game leduc --with search:nodes=500"),
    "diagnose": (TUNE, "diagnose batawaf-1"),
    "solve": (SOLVE, "solve leduc --exact"),
    "verify": (SOLVE, "verify kuhn-1"),
    "bounds": (SOLVE, "bounds phantom-ponnuki-4x4 --seconds 60"),
    "values": (SOLVE, "values phantom-ttt --verify"),
    "exploit": (SOLVE, "exploit kuhn uniform --worst 3"),
    "states": (SOLVE, "states kuhn --output states.jsonl"),
    "new": (OWN, "new mine.py"),
    "check": (OWN, "check mine.py"),
    "balance": (OWN, "balance mine.py --certificates fair"),
    "report": (OWN, "report leduc --output leduc-report"),
    "export-game": (OWN, "export-game kuhn --output kuhn.efg"),
    "runs": (RUNS, "runs --state interrupted"),
    "resume": (RUNS, "resume batawaf-1"),
    "export": (RUNS, "export batawaf-1 --format csv"),
    "doctor": (RUNS, "doctor"),
    "compile": (RUNS, "compile kuhn solvers"),
    "runs backup": (RUNS, "runs backup runs-backup.db"),
    "runs delete": (RUNS, "runs delete kuhn-1"),
    "runs prune": (RUNS, "runs prune --days 90"),
}  # by command: its panel of the help, and an example; slices add theirs


def name_of(command: Any) -> str:
    return str(command.name or command.callback.__name__.replace("_", "-"))


def has_command(name: str) -> bool:
    groups = (group.typer_instance.info.name if group.typer_instance else "" for group in app.registered_groups)
    return name in groups or any(name_of(command) == name for command in app.registered_commands)


def arrange_help(group: Any = app, before: str = "") -> None:
    """Give every command its panel and its example, in the order of the table; those of plug-ins come last."""
    order = list(EXAMPLES)
    for command in group.registered_commands:
        command.cls = Command
        panel, example = EXAMPLES.get(before + name_of(command), (None, None))
        if example is not None:
            command.rich_help_panel = None if before else panel
            shown, told = f"Example: fogspiel {example}", command.epilog or ""
            command.epilog = told if told.startswith(shown) else "\n\n".join(filter(None, (shown, told)))
    group.registered_commands.sort(
        key=lambda command: order.index(word) if (word := before + name_of(command)) in EXAMPLES else len(order)
    )
    for inner in group.registered_groups:
        name = inner.typer_instance.info.name
        inner.rich_help_panel = EXAMPLES.get(before + name, (None, None))[0]
        arrange_help(inner.typer_instance, f"{before}{name} ")


# Discovered names, for the help of commands.


def listing(title: str, room: str, attribute: str) -> str | None:
    """List the names in a package with a line of help each; None without --help, since all are imported."""
    if "--help" not in sys.argv[1:]:
        return None
    lines = (
        f"{name}: {getattr(thing, 'help', '') or help_of(thing)}" for name, thing in collect(room, attribute).items()
    )
    return "\n\n".join([title, *lines])
