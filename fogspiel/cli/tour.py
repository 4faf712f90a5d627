"""The tour: the four systems, one screen each, from what answers at once to what has to be compiled first."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from ..core.agents import find_policy, vector_policy
from ..core.compile.kernel import interpreted, is_cold
from ..core.game import known_game
from ..core.rng import stream_of
from ..games.chess.fen import SIDES, square_name
from ..kriegspiel.belief_map import belief_of
from ..kriegspiel.beliefs.board_filter import list_children
from ..kriegspiel.engine import SearchLimit, find_engine
from ..kriegspiel.referee import Referee, play_game
from ..resistance.game.setups import SETUPS
from ..runs.execute import Context
from ..runs.kind import execute
from ..runs.requests import TuneRequest
from ..runs.store import Json, Store
from ..solving.known_values import find_known, verify_shipped
from ..solving.policies.exploitability import measure_policies
from ..stats.evaluate import evaluate, report_key
from . import console

PLAYERS = 7
PLIES, NODES = 24, 2000
WAR = TuneRequest(game="batawaf", method="iterative", games=300_000)
GAMES = 60_000
ENGINE = "fog"
NEXT = {
    "check a policy of yours, exactly": "fogspiel exploit kuhn uniform --worst 3",
    "bring a game of yours": "fogspiel new mine.py && fogspiel check mine.py",
    "tune a chess engine or any function": "fogspiel tune --help",
    "play, with a coach": "fogspiel play kuhn --against solved --coach each",
    "open the page": "fogspiel web",
}  # what people may want next, and the command for it

Lines = Iterator[str]


def walk(store: Path, seed: int, threads: int, quiet: bool) -> Json:
    """Walk through the four systems; prints as it goes unless `quiet`, and returns what was shown."""
    say: Callable[[object], None] = (lambda words: None) if quiet else console.out.print
    stops: list[Json] = []
    with compiled_meanwhile(ENGINE):
        for show in (resistance, phantom, poker, partial(war, store, seed, threads), partial(kriegspiel, seed)):
            title = str(getattr(show, "func", show).__doc__)
            say(console.bold(f"{len(stops) + 1}. {title}"))
            lines = []
            for line in show():
                say(f"   {line}")
                lines.append(line)
            stops.append({"title": title, "lines": lines})
    say(console.bold("Next"))
    for wish, command in NEXT.items():
        say(f"   {wish}: {command}")
    return {"seed": seed, "stops": stops, "next": NEXT}


@contextmanager
def compiled_meanwhile(engine: str) -> Iterator[None]:
    """Have an engine compiled by another process as long as this lasts, if it was not before."""
    if not is_cold(list_children):
        yield
        return
    from ..kriegspiel.warm_up import finish_compiling, start_compiling

    other = start_compiling(engine)
    try:
        yield
    finally:
        other.terminate()
        finish_compiling(other)


def resistance() -> Lines:
    """The Resistance: an optimal rule of one sentence for each team"""
    from ..resistance.explain import rule_lines, teams_line
    from ..resistance.simple_rules import team_rule

    setup = SETUPS[PLAYERS]
    lower, _ = verify_shipped(find_known(f"resistance{PLAYERS}"))
    wins = (lower + 1) / 2
    yield f"{PLAYERS} players, {setup.spies} of them spies: the resistance wins {wins} of the games, proved just now."
    yield "The resistance. " + teams_line(setup, team_rule(setup).teams)
    yield "The spies. " + " ".join(rule_lines(setup, wins)[:2])


def phantom() -> Lines:
    """Phantom tic-tac-toe: you do not see the other's stones, and the value is exactly 5/6"""
    from ..solving.methods.phantom.explain import strategy_lines
    from ..solving.proofs.certificate_files import read_certificate

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
    assert game.strategy is not None and game.strategy.words is not None
    yield f"{WAR.games:,} games, knowing nothing but the rules: {game.strategy.words(theta)}"
    found = vector_policy(game, theta, name)
    score = evaluate(game, found, find_policy(game, "random"), report_key(seed), GAMES, threads=threads)
    low, high = score.interval
    yield f"On {score.games:,} fresh games against shuffled cards it scores {score.mean:.3f} [{low:.3f}, {high:.3f}]."


def kriegspiel(seed: int) -> Lines:
    """Kriegspiel: chess in which you see only your own men"""
    make = find_engine(ENGINE)
    players = tuple(make(SearchLimit(nodes=NODES), stream_of(seed, side)) for side in (0, 1))
    referee = play_game((players[0], players[1]), Referee(), PLIES)
    yield f"{ENGINE} against itself, after {PLIES // 2} moves each."
    game = known_game("kriegspiel")
    boards = [*(board_in(game.show(referee.view(side))) for side in (0, 1)), board_in(game.reveal(referee.state))]
    yield from beside(*map("\n".join, zip(("White sees", "Black sees", "the truth"), boards, strict=True)))
    for side, player in enumerate(players):
        belief = belief_of(player, referee.view(side))
        if belief is not None:
            kings = sorted(enumerate(belief[0]), key=lambda place: -place[1])[:3]
            listed = ", ".join(f"{square_name(square)} {chance:.0%}" for square, chance in kings)
            yield f"{SIDES[side].capitalize()} thinks that the other king is on {listed}."


def board_in(text: str) -> str:
    """The board in the words for a view or a position: its ranks, and the line of files below them."""
    lines = text.splitlines()
    top = next(number for number, line in enumerate(lines) if line.startswith("8 "))
    return "\n".join(lines[top : top + 9])


def beside(*texts: str) -> Lines:
    """Texts of several lines side by side."""
    columns = [text.splitlines() for text in texts]
    widths = [max(map(len, column)) for column in columns]
    for number in range(max(map(len, columns))):
        cells = [column[number] if number < len(column) else "" for column in columns]
        yield "   ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
