"""Calibration of the abstract model: probabilities of the referee's messages compared with real messages.

Section 7 of Ciancarini & Favini (2010) suspects "inaccuracies in the assumptions behind the referee's simulated
messages" where B stays behind C. Games are played by node limits. For both players an observer with the printed model
(`C:paper`) follows the messages and, before each attempt, gives the probabilities of section 5.2. They are counted in
bands of probability:

    legal           Prob_legal, of attempts out of check
    pawn, piece     captures of an accepted attempt, P_w and P_c
    check           of an accepted attempt without a capture
    retaliation     the capturing man is captured in turn
    checker         the checking man is captured
    capture         a man of ours is captured after a silent move: the fixed chance as printed
    capture (2)     the same in the second reading, in which every man of ours has its own chance

A player chooses attempts because they seem good, which biases what is observed of them; the minimax program does not
use the model, so its attempts test the model without that choice.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from fogspiel.core.compile.cache import code_digest
from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bitboards import kind_on
from fogspiel.games.chess.fen import parse_square
from fogspiel.games.chess.position import end_of, start_of
from fogspiel.kriegspiel.beliefs.probability_matrices import survey_board
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.match import EngineMatch, EngineSpec, play_pair
from fogspiel.kriegspiel.referee import Message, Referee
from fogspiel.kriegspiel.search.move_value import (
    CHECK,
    MOVED_TAKEN,
    OTHER_TAKEN,
    OUTCOMES,
    PAWN_TAKEN,
    PIECE_TAKEN,
    REPLIES,
    SILENT,
)
from fogspiel.papers.ciancarini2010.abstract_model import FITTED_C, get_outcome_probabilities, prob_legal
from fogspiel.papers.ciancarini2010.engines import PrintedC
from fogspiel.papers.claims import Claim, Clause, Evidence, claim_table, missing
from fogspiel.papers.kinds import Batches, PaperPart
from fogspiel.runs.kind import Job, Row
from fogspiel.runs.report import Cell, Chart, Report, Series, Table
from fogspiel.runs.requests import PaperRequest
from fogspiel.stats.race import interval

NODES, LONGEST = 1000, 300
GAMES, QUICK_GAMES = 100, 8
PAIRINGS = (("C:paper", "minimax"), ("minimax", "minimax"))
MESSAGES = ("legal", "pawn", "piece", "check", "retaliation", "checker", "capture", "capture (2)")
BANDS = (0.0, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97, 1.0)  # limits of the bands of probability
OWN_CONSTANTS = MESSAGES[4:]  # those of the opponent model, whose constants the paper does not print
RELEVANT = 0.05  # mean difference from which on a message counts as inaccurate (ours)


# Observation of a game: predictions and messages.


class Prediction(NamedTuple):
    """The model's probabilities before an attempt."""

    legal: float | None  # None in check, which Prob_legal does not treat
    outcomes: tuple[np.ndarray, np.ndarray]  # of the messages by answer and reply, in both readings
    end: int

    def answer(self, *answers: int) -> float:
        return float(self.outcomes[0][list(answers)].sum())

    def reply(self, reading: int, answer: int, *replies: int) -> float:
        """Return the probability of replies, given the referee's answer."""
        row = self.outcomes[reading][answer]
        return float(row[list(replies)].sum() / max(row.sum(), 1e-12))


def predict(observer: PrintedC, move: int) -> Prediction:
    """Return the probabilities of section 5.2 for an attempt, by the observer's matrices."""
    prob, known, survey, parameters = observer.prob, observer.known, observer.survey, observer.parameters
    start, end = start_of(move), end_of(move)
    kind = int(kind_on(known.men, start))
    survey_board(prob, known, parameters, survey)
    legal = None if known.checks else float(prob_legal(prob, known, survey, kind, start, end))
    found = []
    for reading, fitted in enumerate(FITTED_C):
        chances, values = np.empty(OUTCOMES), np.empty(OUTCOMES)
        constants = fitted.opponent(bool(reading))
        get_outcome_probabilities(prob, known, kind, move, survey, constants, parameters, chances, values)
        found.append(chances.reshape(-1, REPLIES))
    return Prediction(legal, (found[0], found[1]), end)


def answer_of(message: Message) -> int:
    if message.taken:
        return PAWN_TAKEN if message.taken == "pawn" else PIECE_TAKEN
    return CHECK if message.checks else SILENT


Observation = tuple[str, float, bool]  # message, probability, and True if it was heard


def on_attempt(guess: Prediction, message: Message | None) -> Iterator[Observation]:
    if guess.legal is not None:
        yield "legal", guess.legal, message is not None
    if message is None:
        return
    pawn, piece = guess.answer(PAWN_TAKEN), guess.answer(PIECE_TAKEN)
    yield "pawn", pawn, message.taken == "pawn"
    yield "piece", piece, message.taken == "piece"
    if not message.taken:
        yield "check", guess.answer(CHECK) / max(guess.answer(CHECK, SILENT), 1e-12), bool(message.checks)


def on_reply(guess: Prediction, answer: int, reply: Message) -> Iterator[Observation]:
    lost = parse_square(reply.square) if reply.square else None
    if answer == SILENT:
        for name, reading in (("capture", 0), ("capture (2)", 1)):
            yield name, guess.reply(reading, SILENT, MOVED_TAKEN, OTHER_TAKEN), lost is not None
    else:
        name = "checker" if answer == CHECK else "retaliation"
        yield name, guess.reply(0, answer, MOVED_TAKEN), lost == guess.end


def observe(record: Sequence[int]) -> Iterator[tuple[int, Observation]]:
    """Replay a game; yield what the observers predict and hear, with the colour of the player."""
    referee, effort = Referee(), SearchLimit(nodes=1)
    observers = [PrintedC(effort, stream_of(0, side)) for side in (0, 1)]
    for side, observer in enumerate(observers):
        observer.begin(side)
    waiting: list[tuple[Prediction, int] | None] = [None, None]  # last accepted move, until the reply
    for action in record:
        side = referee.mover
        observers[side].follow(referee.view(side), action)
        guess = predict(observers[side], action) if action != rules.ANY else None
        message = referee.attempt(action).message
        if guess is not None:
            yield from ((side, found) for found in on_attempt(guess, message))
        if message is None:
            continue
        if (before := waiting[1 - side]) is not None:
            yield from ((1 - side, found) for found in on_reply(*before, message))
        waiting[side] = None if guess is None else (guess, answer_of(message))


def calibrate_pair(seats: Sequence[Any], model: str, **shared: Any) -> dict[str, Any]:
    """Play a game pair; return, per engine and message, the count, sum of probabilities and messages of each band."""
    counts = [{name: np.zeros((len(BANDS) - 1, 3)) for name in MESSAGES} for _ in seats]
    for game in play_pair(seats, **shared)["games"]:
        for colour, (name, chance, heard) in observe(game["record"]):
            band = min(int(np.searchsorted(BANDS, chance + 1e-6, side="right")) - 1, len(BANDS) - 2)
            counts[game["white"] ^ colour][name][band] += 1, chance, heard
    return {"counts": [{name: table.round(9).tolist() for name, table in seat.items()} for seat in counts]}


# The experiment and its report.


def batches(request: PaperRequest) -> Batches:
    games = max(2, round(request.scale * (QUICK_GAMES if request.quick else GAMES)))
    model, limit = code_digest(Path(__file__)), SearchLimit(nodes=NODES)
    yield [
        Job("calibration", calibrate_pair, {**job.inputs, "model": model})
        for names in PAIRINGS
        for job in EngineMatch(
            (EngineSpec(names[0], limit), EngineSpec(names[1], limit)), games, request.seed, LONGEST
        ).jobs((0, 1))
    ]


Tables = dict[tuple[str, str], list[np.ndarray]]  # by player and message: a table of bands per game pair


def tables_of(rows: Sequence[Row]) -> Tables:
    found: Tables = {}
    for row in rows:
        by_player: dict[tuple[str, str], np.ndarray] = {}
        for seat, counted in zip(row["seats"], row["counts"], strict=True):
            for name, table in counted.items():
                key = seat["engine"], name
                by_player[key] = by_player.get(key, 0) + np.array(table)
        for key, table in by_player.items():
            found.setdefault(key, []).append(table)
    return found


def bias(tables: Sequence[np.ndarray]) -> tuple[float, float]:
    """Return the mean of message minus probability per attempt, and its standard error from the game pairs."""
    numbers = np.array([table.sum(axis=0) for table in tables])
    count, difference = numbers[:, 0], numbers[:, 2] - numbers[:, 1]
    mean = float(difference.sum() / count.sum())
    spread = float(((difference - mean * count) ** 2).sum())
    return mean, math.sqrt(spread * len(tables) / max(len(tables) - 1, 1)) / float(count.sum())


def bias_limits(tables: Sequence[np.ndarray], error: float) -> tuple[float, float]:
    mean, deviation = bias(tables)
    half = NormalDist().inv_cdf(1 - error / 2) * deviation
    return mean - half, mean + half


def inaccuracy(tables: Sequence[np.ndarray]) -> Evidence:
    """Return the absolute value of the bias as evidence."""
    if len(tables) < 2 or not np.sum(tables, axis=(0, 1))[0]:
        return missing("too few games")

    def limits(error: float) -> tuple[float, float]:
        low, high = bias_limits(tables, error)
        return max(0.0, low, -high), max(abs(low), abs(high))

    mean = bias(tables)[0]
    return Evidence(limits, f"{abs(mean):.3f}, {'more' if mean > 0 else 'fewer'} messages than predicted")


def claims(request: PaperRequest, rows: Sequence[Row]) -> list[Claim]:
    """Return the suspicion of section 7, a row per message, for attempts that the model has not chosen."""
    tables = tables_of(rows)
    return [
        Claim(
            "7",
            f"the simulated messages are inaccurate: {name}",
            f"model of C:paper, attempts of minimax, {NODES:,} nodes",
            (Clause("absolute mean difference", inaccuracy(tables.get(("minimax", name), [])), least=RELEVANT),),
            note=f"the limit {RELEVANT:g} is ours" + (", as is the constant" if name in OWN_CONSTANTS else ""),
        )
        for name in MESSAGES
    ]


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    lines, summary, series = list[tuple[Cell, ...]](), list[tuple[Cell, ...]](), list[Series]()
    for (player, name), tables in tables_of(rows).items():
        whole = np.sum(tables, axis=0)
        points = []
        for low, high, (count, chance, heard) in zip(BANDS, BANDS[1:], whole, strict=False):
            if count:
                share = interval(np.array([count - heard, heard], np.int64), 0.05)
                lines.append((player, name, f"{low:g} to {high:g}", int(count), chance / count, heard / count, *share))
                points.append((chance / count, heard / count, *share))
        if points:
            count, chance, heard = whole.sum(axis=0)
            spread = bias_limits(tables, 0.05) if len(tables) > 1 else (None, None)
            summary.append((player, name, int(count), chance / count, heard / count, (heard - chance) / count, *spread))
            if player == "minimax":
                series.append(Series.of(name, points))
    counted = "counted attempts", "predicted", "observed"
    return Report(
        request.name,
        "Simulated messages compared with real ones",
        request.command,
        (
            f"The model of C:paper follows games of {NODES:,} nodes a move. Intervals of differences are 95 %, normal, "
            "from the spread of game pairs; those of a band are anytime-valid and treat attempts as independent.",
            "Attempts of C:paper are chosen by the model, so that its probabilities are biased for them; those of "
            "minimax are not. People's games are not among them.",
        ),
        (
            Table("messages", "By message", ("attempts of", "message", *counted, "difference", "from", "to"), summary),
            Table("bands", "Reliability", ("attempts of", "message", "probability", *counted, "from", "to"), lines),
            Chart("reliability", "Attempts of minimax", "predicted", "observed", series, kind="dots"),
            claim_table(claims(request, rows), "The paper's claims"),
        ),
    )


EXPERIMENTS = (PaperPart("calibration", "Ciancarini & Favini 2010", batches, report, place=6, claims=claims),)
