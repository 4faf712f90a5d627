"""Three players that evaluate sampled boards as if they could see them (Parker, Nau and Subrahmanian 2005).

Each attempt is evaluated on boards on which it is legal, and the one with the greatest mean gain is tried; a refusal
costs nothing, so boards on which it is illegal do not matter. The three differ in their boards (paper, section 4.2):

    los   explain the last observation only
    aosp  come from a pool whose boards explain all observations; when it is empty, the player moves at random for a
          turn, and the next pool starts with boards that explain the last observation
    hs    come from such a pool; before it is empty, boards enter that explain the last observation and otherwise
          resemble those of the turn before

Against a lone king all of them play by exact sets of squares (`endings`), which the paper's players do not have. A node
is the evaluation of one attempt on one board. Two players without boards, `random` and `greedy`, follow them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...core.rng import random_below
from ...games.chess.bitboards import ALL, BETWEEN, KINDS, NO_SQUARE, PAWN, QUEEN, WHITE
from ...games.chess.fen import fen_of, move_name
from ...games.chess.game import UciEngine
from ...games.chess.moves import CHECKERS, LIMITS, can_move, is_legal, restrict
from ...games.chess.position import MEN, MOVER, POSITION, end_of, make, start_of
from ...games.chess.search import MATE, WORTH, material_score
from ...process.heartbeat import beat
from ..beliefs.board_filter import draw_boards, evolve, keep_where_accepted, keep_where_refused
from ..beliefs.consistent_boards import observation_of, observe_last
from ..endings import LoneKingPlayer, begin_ending, faces_lone_king
from ..engine import Choice, Engine, EngineFactory, SearchLimit, Tunable, placement_after, takes_by_pawn
from ..game import rules
from ..game.attempts import SQUARE, TAKEN, TRIES
from ..parameters import SamplingParameters
from ..search.gain_tables import DOUBT, ILLEGAL, MAX, Evaluator, Quiescence, mean_advantages

SCORE = re.compile(r"\bscore (cp|mate) (-?\d+)\b")
FIRST_MOVE = re.compile(r"\bpv ([a-h][1-8][a-h][1-8][nbrq]?)\b")


class UciScorer(UciEngine):
    """A chess engine that reports the values of moves."""

    def __init__(self, command: str | Sequence[str], patience: float = 10.0):
        super().__init__(command, patience)
        self.ranks_all = any(line.startswith("option name MultiPV ") for line in self.handshake)
        if self.ranks_all:
            self.say("setoption name MultiPV value 256")
        self.ready()

    def search(self, position: str, depth: int) -> dict[str, int]:
        """Return the values by first move that a search found, for the side to move; the last one also as ''."""
        self.say(f"position {position}")
        self.say(f"go depth {depth}")
        values: dict[str, int] = {}
        line = ""
        for line in self.answer(f"go depth {depth}", "bestmove"):
            score, first = SCORE.search(line), FIRST_MOVE.search(line)
            if score:
                number = int(score[2])
                value = number if score[1] == "cp" else MATE - number if number > 0 else -MATE - number
                values[""] = value
                if first:
                    values[first[1]] = value
        if not values:
            raise self.failure(f"has answered {line[:60]!r} without any score")
        return values

    def move_values(self, fen: str, moves: Sequence[str], depth: int) -> list[int]:
        """Evaluate legal moves for the side to move: by one search that ranks all of them, or by one after each."""
        ranked = self.search(f"fen {fen}", depth + 1) if self.ranks_all and moves else {}
        return [
            ranked[move] if move in ranked else -self.search(f"fen {fen} moves {move}", depth)[""] for move in moves
        ]


class UciEvaluator:
    boards = 1

    def __init__(self, command: str | Sequence[str], depth: int = 1, patience: float = 10.0):
        self.engine, self.depth = UciScorer(command, patience), depth

    def begin(self) -> None:
        self.engine.say("ucinewgame")
        self.engine.ready()

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        """Fill the table board by board; moves that end the game are evaluated here, as engines differ on them."""
        limits = np.empty(LIMITS, np.int64)
        for board, row in zip(boards, gains, strict=True):
            beat()
            before = int(material_score(board, WORTH)) * (1 if board[MOVER] == WHITE else -1)
            values: dict[int, int] = {}
            asked = []
            for place, attempt in enumerate(attempts):
                restrict(board, limits)
                if is_legal(board, limits, attempt):
                    after = board.copy()
                    make(after, attempt)
                    restrict(after, limits)
                    if can_move(after, limits):
                        asked.append(place)
                    else:
                        values[place] = MATE if limits[CHECKERS] else 0
            names = [move_name(int(attempts[place])) for place in asked]
            values |= zip(asked, self.engine.move_values(fen_of(board), names, self.depth), strict=True)
            row[:] = ILLEGAL
            for place, value in values.items():
                row[place] = min(max(value - before, -MAX), MAX)


MAX_BOARDS = 4096  # boards evaluated in a turn; more do not change the means by a centipawn
# Greatest size of a pool, and its size for a small limit, so that it takes only a part of it.
POOL, POOL_PER_SECOND, POOL_PER_NODE = 20_000, 200_000, 10
NOTHING = np.empty((0, POSITION), np.int64)  # no boards


class Sampler(Engine):
    """Tries what gains most on the mean of its boards: those of the last observation."""

    interpretable = False  # its boards are too many
    nodes = 0  # attempts evaluated on a board so far

    def __init__(
        self,
        effort: SearchLimit,
        stream: np.ndarray,
        evaluator: Evaluator | None = None,
        parameters: SamplingParameters | None = None,
    ):
        super().__init__(replace(effort, outside=evaluator is not None), stream)
        self.evaluator = evaluator or Quiescence(threads=effort.threads)
        self.parameters = parameters or SamplingParameters()
        self.gains = np.empty((MAX_BOARDS, 0), np.int32)
        self.evaluated, self.offered = 0, np.empty(0, np.int64)

    def begin(self, side: int) -> None:
        super().begin(side)
        self.evaluator.begin()
        self.evaluated = 0
        self.stood: Counter[bytes] = Counter()
        self.ending: LoneKingPlayer | None = None

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        self.evaluated = 0
        self.stood[seen[rules.OWN_MEN].tobytes()] += 1

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        """Continue with the boards that explain the refusal: their evaluations stay valid."""
        tried = self.offered == move
        rows = np.flatnonzero((self.gains[: self.evaluated, tried] == ILLEGAL).all(1))
        self.gains[: len(rows)] = self.gains[rows]
        self.gains = np.ascontiguousarray(self.gains[:, ~tried])
        self.evaluated, self.offered = len(rows), self.offered[~tried]

    def boards(self, count: int, seen: np.ndarray) -> np.ndarray:
        out = np.empty((count, POSITION), np.int64)
        return out[: observe_last(observation_of(seen), NOTHING, count, self.stream, out)]

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        if faces_lone_king(seen):
            self.ending = self.ending or begin_ending(self, seen, int(ALL))
            return self.ending.attempt(seen, actions)
        offered = actions[(actions >> 12 == 0) | (actions >> 12 == QUEEN)]
        if not np.array_equal(offered, self.offered):
            self.gains, self.evaluated = np.empty((MAX_BOARDS, len(offered)), np.int32), 0
            self.offered = offered
        for nodes in self.limit.slices(self.evaluator.boards * len(offered)):
            boards = self.boards(min(max(nodes // len(offered), 1), MAX_BOARDS - self.evaluated), seen)
            if len(boards) == 0:
                break
            here = self.gains[self.evaluated : self.evaluated + len(boards)]
            self.evaluator.evaluate(boards, offered, here)
            self.evaluated += len(boards)
            self.nodes += here.size
        return self.best(seen[rules.OWN_MEN])

    def best(self, men: np.ndarray) -> int:
        """Return the attempt with the greatest mean gain; a random one if none is known to be legal."""
        (means, legal), nothing = np.empty((2, len(self.offered))), np.zeros(len(self.offered))
        mean_advantages(self.gains[: self.evaluated], np.ones(self.evaluated), nothing, DOUBT, means, legal)
        if not legal.any():
            return int(self.offered[random_below(self.stream, len(self.offered))])
        for place, move in enumerate(self.offered):
            means[place] -= self.parameters.stale * self.stood[placement_after(men, self.side, int(move))]
        return int(self.offered[np.argmax(means)])


class PoolSampler(Sampler):
    """Keeps a pool of boards that explain all observations."""

    def __init__(self, effort: SearchLimit, stream: np.ndarray, *given: Any, **named: Any):
        super().__init__(effort, stream, *given, **named)
        boards = effort.nodes * POOL_PER_NODE if effort.nodes else int((effort.seconds or 0) * POOL_PER_SECOND)
        self.size = min(max(boards, 2 * self.parameters.new), POOL)
        self.pool, self.spare = (np.empty((self.size, POSITION), np.int64) for _ in range(2))
        self.count, self.lost, self.equal = 0, NO_SQUARE, np.ones(self.size)  # all boards have the same weight

    def reset(self, seen: np.ndarray) -> None:
        """Start with all men at home, or with boards that explain the view if the game starts in the middle."""
        self.lost, self.blind = NO_SQUARE, False
        self.pool[0], self.count = rules.HOME[:POSITION], 1
        home = rules.HOME[:KINDS] & rules.HOME[6 + self.side]
        if seen[rules.SEEN_PLY] > 1 or not np.array_equal(home, seen[rules.OWN_MEN]):
            self.count = 0
            self.freshen(self.parameters.new, seen)

    def freshen(self, wanted: int, seen: np.ndarray, models: np.ndarray = NOTHING) -> None:
        """Add boards that explain the last observation and resemble the models, if there are any."""
        self.count += observe_last(observation_of(seen), models, wanted, self.stream, self.pool[self.count :])

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        super().on_acceptance(move, message, seen)
        self.blind = self.count == 0
        boards = self.pool, self.equal, self.count
        self.count = keep_where_accepted(*boards, move, message, seen[rules.SEEN_SWITCHES])
        self.lost = int(message[SQUARE])

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        super().on_refusal(move, seen)
        self.count = keep_where_refused(self.pool, self.equal, self.count, move)

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        if self.count and self.pool[0, MOVER] != self.side:
            switches = seen[rules.SEEN_SWITCHES]
            self.count = evolve(self.pool, self.count, self.lost, message, switches, self.size, self.stream, self.spare)
            self.pool, self.spare = self.spare, self.pool
        if self.blind:
            self.freshen(self.parameters.new, seen)

    def boards(self, count: int, seen: np.ndarray) -> np.ndarray:
        out = np.empty((count if self.count else 0, POSITION), np.int64)
        draw_boards(self.pool, self.count, self.stream, out)
        return out


class HybridSampler(PoolSampler):
    """Fills a thin pool up with boards that explain the last observation and are like those of the turn before."""

    def reset(self, seen: np.ndarray) -> None:
        super().reset(seen)
        self.before = self.pool[: self.count].copy()

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        super().on_acceptance(move, message, seen)
        self.before[:, MEN + 1 - self.side] &= ~BETWEEN[start_of(move), end_of(move)]

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        super().on_refusal(move, seen)
        self.fill(seen)

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        super().on_answer(message, seen)
        self.fill(seen)
        self.before = np.empty((min(self.count, self.parameters.kept), POSITION), np.int64)
        draw_boards(self.pool, self.count, self.stream, self.before)

    def fill(self, seen: np.ndarray) -> None:
        if self.count < self.parameters.thin:
            self.freshen(self.parameters.new - self.count, seen, self.before)


class Random(Engine):
    """Tries anything."""

    asks = True

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        return int(actions[random_below(self.stream, len(actions))])


class Greedy(Engine):
    """Tries to take back where a man was lost, then to take with a pawn if there are tries, then anything.

    Where it may ask whether any pawn can take it always does, before anything else but taking back.
    """

    asks = True

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        said = seen[rules.SEEN_OTHER :]
        listed = actions.tolist()
        back = [move for move in listed if said[TAKEN] and end_of(move) == said[SQUARE]]
        tries = said[TRIES] or seen[rules.SEEN_TURN + rules.ANSWER] == rules.YES
        takes = [move for move in listed if tries and takes_by_pawn(seen[rules.SEEN_MEN + PAWN], move)]
        asks = [move for move in listed if move == rules.ANY]
        chosen = back or takes or asks or listed
        return int(chosen[random_below(self.stream, len(chosen))])


def with_uci(command: str | Sequence[str], name: str = "hs", depth: int = 1, patience: float = 10.0) -> EngineFactory:
    """Return the sampling player of that name with a separate chess engine per player, searching to this depth."""
    if name not in SAMPLERS:
        raise ValueError(f"{name!r} does not evaluate boards: only {', '.join(SAMPLERS)} can ask a chess engine")
    kind = SAMPLERS[name]
    return lambda effort, stream: kind(effort, stream, UciEvaluator(command, depth, patience))


def parse_sampler(name: str, words: str) -> EngineFactory:
    """Return a sampling player with the evaluator of this text: our own, or `uci=COMMAND`, an existing program."""
    if not words:
        return SAMPLERS[name]
    what, mark, command = words.partition("=")
    if what != "uci" or not mark:
        raise ValueError(f"{name} cannot be had with {words[:40]!r}: write {name}:uci=COMMAND for a chess engine")
    UciEngine.demand_program(command)
    return with_uci(command, name)


SAMPLERS: dict[str, type[Sampler]] = {"los": Sampler, "aosp": PoolSampler, "hs": HybridSampler}
SIMPLE: dict[str, EngineFactory] = {"random": Random, "greedy": Greedy}
ENGINES: dict[str, EngineFactory] = {**SAMPLERS, **SIMPLE}
CHOICES: dict[str, Choice] = {name: partial(parse_sampler, name) for name in SAMPLERS}
TUNABLE = {"hs": Tunable(SamplingParameters(), HybridSampler)}
