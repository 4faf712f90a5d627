"""Tour of the four systems, one screen each; parts that have to be compiled first come last."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from ..core.agents import find_policy, vector_policy
from ..core.compile.kernel import interpreted
from ..core.game import known_game
from ..core.plugins import extras
from ..runs.kind import Context, execute
from ..runs.requests import TuneRequest
from ..runs.store import Json, Store
from ..solving.known_values import find_known, verify_shipped
from ..solving.policies.exploitability import measure_policies
from ..stats.evaluate import evaluate, report_key
from . import console
from .app import Stop

WAR = TuneRequest(game="batawaf", method="iterative", games=300_000)
GAMES = 60_000
NEXT = {
    "check a policy of yours, exactly": "fogspiel exploit kuhn uniform --worst 3",
    "bring a game of yours": "fogspiel new mine.py && fogspiel check mine.py",
    "tune a chess engine or any function": "fogspiel tune --help",
    "play, with a coach": "fogspiel play kuhn --against solved --coach each",
    "open the page": "fogspiel web",
}  # possible next steps, and their commands

Lines = Iterator[str]


def walk(store: Path, seed: int, threads: int, quiet: bool) -> Json:
    """Show all stops, those of slices too; print them unless `quiet`, and return what was shown."""
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


def phantom() -> Lines:
    """Phantom tic-tac-toe: you do not see the other's stones, and the value is exactly 5/6"""
    from ..solving.methods.phantom import strategy_lines
    from ..solving.proofs import read_certificate

    known, began = find_known("phantom-ttt"), time.process_time()
    lower, upper = verify_shipped(known)
    spent = time.process_time() - began
    assert lower == upper and known.shipped is not None
    yield f"A certificate with a strategy for each side comes with the package; checking it took {spent:.1f} CPU s:"
    yield f"the first player gets {lower} (a win counts 1, a draw 1/2), no more and no less. How it begins:"
    yield from strategy_lines(read_certificate(known.shipped))[3:11]


def poker() -> Lines:
    """Kuhn poker: how good is a policy, exactly"""
    game = known_game("kuhn")
    with interpreted():
        uniform = find_policy(game, "uniform")
        found = measure_policies(game, uniform)
        (worst,) = found.decisions(0, 1)
    yield f"Play at random, and a perfect opponent gains {found.nash_conv} per two hands, one in each seat."
    best = game.label(worst.best)
    yield f"The first player's most costly decision: {worst.state.line}."
    yield f"Random play gives {worst.loss} away there; best is {best!r}, always."


def war(store: Path, seed: int, threads: int) -> Lines:
    """War: how to put won cards back, found from scratch"""
    game = known_game(WAR.game)
    with Store.open(store, write=True) as runs:
        run = runs.create(WAR.model_copy(update={"seed": seed}).to_json())
        theta = np.array(execute(run, Context(store, threads))["theta"])
        name = run.name
        run.close()
    assert game.strategy is not None and game.strategy.describe is not None
    yield f"{WAR.games:,} games, knowing nothing but the rules: {game.strategy.describe(theta)}"
    found = vector_policy(game, theta, name)
    score = evaluate(game, found, find_policy(game, "random"), report_key(seed), GAMES, threads=threads)
    low, high = score.interval
    yield f"On {score.games:,} fresh games against shuffled cards it scores {score.mean:.3f} [{low:.3f}, {high:.3f}]."
