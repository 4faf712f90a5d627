"""fogspiel tour, compile and doctor."""

import os
import platform
import re
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ... import __version__
from ...runs.requests import SolveRequest, TuneRequest
from ...runs.store import Json, Store, StoreError
from .. import console
from ..app import AsJson, Seed, Stop, StorePath, Threads, announce_compilation, app, cores, store_path
from ..console import print_json

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
    announce_compilation()
    body = _walk(store_path(store), seed, cores(threads), quiet=as_json)
    if as_json:
        print_json(body)


@app.command("compile")
def precompile(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]..", help="Games, engines, solvers (all).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Precompile all kernels, so that no command has to wait for them; it can be interrupted at any time."""
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
        for line in repaired:
            console.out.print(line)
        rows = [(("note" if c.hint else "ok") if c.ok else "PROBLEM", c.what, c.detail, c.hint) for c in found]
        console.table("fogspiel doctor", ("", "what", "found", "what to do"), rows)
    if not healthy:
        raise typer.Exit(2)


# Compilation in advance, part by part: the rules of every game, the solvers, the engines.

SOLVERS = "solvers"

Part = tuple[str, Callable[[], None]]


def parts(names: list[str]) -> Iterator[Part]:
    """Yield the parts to compile: all, or the games and engines of these names."""
    from ...core.game import game_or_none, known_game, list_games
    from ...core.plugins import extras

    more: dict[str, Callable[[], None]] = {}
    for offer in extras("cli.commands", "COMPILE").values():
        more |= offer()
    known = [*list_games(), SOLVERS, *more]
    for name in names:
        if name not in known and game_or_none(name) is None:
            raise ValueError(f"there is nothing called {name!r} to compile: name games, engines or {SOLVERS}")
    for name in names or known:
        if name == SOLVERS:
            yield name, warm_solvers
        elif name in more:
            yield name, more[name]
        else:
            yield name, partial(warm_game, known_game(name))


def warm_game(game: "Game") -> None:
    """Compile the rules of a game, its strategy, and the loop that plays it."""
    from ...core.agents import find_policy, policy_names
    from ...core.game import UNIFORM
    from ...core.session import play_trial
    from ...core.simulate import PolicyMatch

    players = [UNIFORM.name, *(["fixed"] if "fixed" in policy_names(game) else [])]
    for name in players:
        player = find_policy(game, name)
        PolicyMatch(game, player, player).scores(1, 0, 1)
    play_trial(game)


def warm_solvers() -> None:
    from ...runs.kinds.solve import SolveTask
    from ...solving.methods import find_solve_method
    from ...solving.sources import find_source

    problem = find_source("kuhn")
    for method in ("lp", "pcfr+"):
        SolveTask(SolveRequest(game="kuhn", solver=method), problem, find_solve_method(method)).solve(
            lambda progress: None
        )


# Checks of versions, kernel cache, store and leftovers; each problem has a hint.

# Earlier versions could lose pages when one process checkpointed the log while another one wrote (WAL-reset bug).
SAFE_SQLITE = (3, 51, 3)
LEFT_SECONDS = 86400.0  # a folder of workers that is unchanged for this long is probably a leftover
REQUIREMENT = re.compile(r"([\w.-]+).*?(?:;.*extra == ['\"]([\w-]+)['\"])?", re.DOTALL)


class Check(NamedTuple):
    """Result of one check; a passed check may have a hint too."""

    what: str
    ok: bool
    detail: str
    hint: str = ""

    def to_json(self) -> dict[str, str | bool]:
        return {"what": self.what, "ok": self.ok, "detail": self.detail, "hint": self.hint}


def checks(store: Path) -> list[Check]:
    """Run all checks, those that most depends on first."""
    return [*_versions(), _sqlite(), _cache(), _kernels(), *_store(store), _leftovers()]


def _versions() -> Iterator[Check]:
    yield Check("fogspiel", True, f"{__version__}, Python {platform.python_version()}, {os.cpu_count()} cores")
    extras: dict[str, list[str]] = {}
    wanted: list[str] = []
    with suppress(PackageNotFoundError):  # it runs from its sources
        wanted = requires("fogspiel") or []
    for requirement in wanted:
        found = REQUIREMENT.fullmatch(requirement)
        name, extra = found.groups() if found else (requirement, None)
        if extra is not None:
            extras.setdefault(extra, []).append(name)
        elif (installed := _installed(name)) is not None:
            yield Check(name, True, installed)
        else:
            yield Check(name, False, "missing", f"install it: python -m pip install {name}")
    for extra, names in extras.items():
        parts = [f"{name} {_installed(name) or 'missing'}" for name in names]
        missing = any(part.endswith(" missing") for part in parts)
        hint = f"only if you need it: python -m pip install 'fogspiel[{extra}]'" if missing else ""
        yield Check(f"extra {extra}", True, ", ".join(parts), hint)


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _sqlite() -> Check:
    if sqlite3.sqlite_version_info >= SAFE_SQLITE:
        return Check("SQLite", True, sqlite3.sqlite_version)
    safe = ".".join(map(str, SAFE_SQLITE))
    return Check(
        "SQLite",
        True,
        f"{sqlite3.sqlite_version}, which can damage a file that several processes write and fold the log of at once",
        f"fogspiel folds the log under a lock of its own, so let no other program write to the store, or get {safe}",
    )


def _cache() -> Check:
    from ...core.compile import cache_root
    from ...core.compile.cache import SUFFIX, paths_below, remove_damaged
    from ...core.compile.kernel import CACHE

    if CACHE is None:
        hint = "make that folder writable, or set FOGSPIEL_CACHE to one that is"
        return Check("kernel cache", False, f"{cache_root()} cannot be written: kernels compile at every start", hint)
    damaged = len(list(remove_damaged(CACHE)))
    if damaged:
        hint = "they are compiled again when they are needed; if it happens again, test the disk and the memory"
        return Check("kernel cache", False, f"{CACHE}, damaged files removed: {damaged}", hint)
    files = paths_below(CACHE, SUFFIX)
    size = sum(path.stat().st_size for path in files if path.exists())
    return Check("kernel cache", True, f"{CACHE}, {len(files)} files, {size / 1e6:.1f} MB, none damaged")


def _kernels() -> Check:
    """Check that kernels work, and list those not compiled yet."""
    from ...core.agents import find_policy
    from ...core.compile.kernel import is_cold
    from ...core.game import list_games
    from ...core.plugins import extras
    from ...core.simulate import PolicyMatch
    from ...solving.methods.cfr import iterate

    game = next(iter(list_games().values()))
    player = find_policy(game, "uniform")
    score = PolicyMatch(game, player, player).scores(1, 0, 2).tolist()
    found = f"{len(list_games())} games; two games of {game.name} played: {score}"
    known = {SOLVERS: lambda: iterate} | extras("cli.commands", "KERNELS")
    cold = [name for name, kernel in known.items() if is_cold(kernel())]
    if not cold:
        return Check("kernels", True, found)
    hint = "they are compiled when they are first needed; to have it done beforehand: fogspiel compile"
    return Check("kernels", True, f"{found}; not compiled yet: {', '.join(cold)}", hint)


def _store(path: Path) -> list[Check]:
    try:
        with Store.open(path, write=False) as store:
            problems, runs = store.faults(), len(store.names())
    except StoreError as error:
        return [Check("store", False, str(error), "name another file with --store, or restore a backup")]
    if not problems:
        return [Check("store", True, f"{path}, {runs} runs" if path.exists() else f"{path} (not made yet)")]
    return [Check("store", False, problem.sentence, problem.hint) for problem in problems]


def _leftovers() -> Check:
    """Find folders of workers whose command and resource tracker were both killed, as when power fails."""
    from ...process.jobs import FOLDER_PREFIX

    folder, limit = Path(tempfile.gettempdir()), time.time() - LEFT_SECONDS
    left = [path for path in folder.glob(f"{FOLDER_PREFIX}*") if path.is_dir() and path.stat().st_mtime < limit]
    if not left:
        return Check("temporary folders", True, f"none left in {folder}")
    hint = f"if no command is at work, remove them: {' '.join(map(str, left[:3]))}{' ..' if len(left) > 3 else ''}"
    return Check("temporary folders", True, f"{len(left)} unused for a day in {folder}", hint)


# Tour of the four systems, one screen each; parts that have to be compiled first come last.

WAR: dict[str, Any] = {"game": "batawaf", "method": "iterative", "games": 300_000}
WAR_GAMES = 60_000
NEXT = {
    "check a policy of yours, exactly": "fogspiel exploit kuhn uniform --worst 3",
    "bring a game of yours": "fogspiel new mine.py && fogspiel check mine.py",
    "tune a chess engine or any function": "fogspiel tune --help",
    "play, with a coach": "fogspiel play kuhn --against solved --coach each",
    "open the page": "fogspiel web",
}  # possible next steps, and their commands


def _walk(store: Path, seed: int, threads: int, quiet: bool) -> Json:
    """Show all stops, those of slices too; print them unless `quiet`, and return what was shown."""
    from ...core.plugins import extras

    say: Callable[[object], None] = (lambda words: None) if quiet else console.out.print
    stops: list[Json] = []
    own = (
        Stop(str(phantom.__doc__), 2, lambda seed: phantom()),
        Stop(str(poker.__doc__), 3, lambda seed: poker()),
        Stop(str(war.__doc__), 4, lambda seed: war(store, seed, threads)),
    )
    with ExitStack() as meanwhile:
        found = sorted([*own, *extras("cli.commands", "TOUR").values()], key=lambda stop: stop.place)
        for stop in found:
            meanwhile.enter_context(stop.meanwhile())
        for number, stop in enumerate(found, 1):
            say(console.bold(f"{number}. {stop.title}"))
            lines = []
            for line in stop.show(seed):
                say(f"   {line}")
                lines.append(line)
            stops.append({"title": stop.title, "lines": lines})
    say(console.bold("Next"))
    for wish, command in NEXT.items():
        say(f"   {wish}: {command}")
    return {"seed": seed, "stops": stops, "next": NEXT}


def phantom() -> Iterator[str]:
    """Phantom tic-tac-toe: you do not see the other's stones, and the value is exactly 5/6"""
    from ...solving.known_values import find_known, verify_shipped
    from ...solving.methods.phantom import strategy_lines
    from ...solving.proofs import read_certificate

    known, began = find_known("phantom-ttt"), time.process_time()
    lower, upper = verify_shipped(known)
    spent = time.process_time() - began
    assert lower == upper and known.shipped is not None
    yield f"A certificate with a strategy for each side comes with the package; checking it took {spent:.1f} CPU s:"
    yield f"the first player gets {lower} (a win counts 1, a draw 1/2), no more and no less. How it begins:"
    yield from strategy_lines(read_certificate(known.shipped))[3:11]


def poker() -> Iterator[str]:
    """Kuhn poker: how good is a policy, exactly"""
    from ...core.agents import find_policy
    from ...core.compile.kernel import interpreted
    from ...core.game import known_game
    from ...solving.policies.exploitability import measure_policies

    game = known_game("kuhn")
    with interpreted():
        uniform = find_policy(game, "uniform")
        found = measure_policies(game, uniform)
        (worst,) = found.decisions(0, 1)
    yield f"Play at random, and a perfect opponent gains {found.nash_conv} per two hands, one in each seat."
    best = game.label(worst.best)
    yield f"The first player's most costly decision: {worst.state.line}."
    yield f"Random play gives {worst.loss} away there; best is {best!r}, always."


def war(store: Path, seed: int, threads: int) -> Iterator[str]:
    """War: how to put won cards back, found from scratch"""
    import numpy as np

    from ...core.agents import find_policy, vector_policy
    from ...core.game import known_game
    from ...runs.kind import Context, execute
    from ...stats.evaluate import evaluate, report_key

    game = known_game(WAR["game"])
    with Store.open(store, write=True) as runs:
        run = runs.create(TuneRequest(**WAR, seed=seed).to_json())
        theta = np.array(execute(run, Context(store, threads))["theta"])
        name = run.name
        run.close()
    assert game.strategy is not None and game.strategy.describe is not None
    yield f"{WAR['games']:,} games, knowing nothing but the rules: {game.strategy.describe(theta)}"
    found = vector_policy(game, theta, name)
    score = evaluate(game, found, find_policy(game, "random"), report_key(seed), WAR_GAMES, threads=threads)
    low, high = score.interval
    yield f"On {score.games:,} fresh games against shuffled cards it scores {score.mean:.3f} [{low:.3f}, {high:.3f}]."
