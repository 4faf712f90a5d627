"""Any chess engine that speaks UCI as an evaluator of boards."""

import re
from collections.abc import Sequence

import numpy as np

from ...games.chess.bitboards import WHITE
from ...games.chess.fen import fen_of, move_name
from ...games.chess.game import UciEngine
from ...games.chess.moves import CHECKERS, LIMITS, can_move, is_legal, restrict
from ...games.chess.position import MOVER, make
from ...games.chess.search import MATE, WORTH, material_score
from ...process.heartbeat import beat
from .board_evaluator import ILLEGAL, MAX

SCORE = re.compile(r"\bscore (cp|mate) (-?\d+)\b")
FIRST_MOVE = re.compile(r"\bpv ([a-h][1-8][a-h][1-8][nbrq]?)\b")


class UciScorer(UciEngine):
    """A chess engine that tells what moves are worth."""

    def __init__(self, command: str | Sequence[str], patience: float = 10.0):
        super().__init__(command, patience)
        self.ranks_all = any(line.startswith("option name MultiPV ") for line in self.handshake)
        if self.ranks_all:
            self.say("setoption name MultiPV value 256")
        self.ready()

    def search(self, position: str, depth: int) -> dict[str, int]:
        """The values, for the mover, that a search of a position found by first moves; the last one also as ''."""
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
        """Evaluate legal moves for the mover: by one search that ranks all of them, or by one after each."""
        ranked = self.search(f"fen {fen}", depth + 1) if self.ranks_all and moves else {}
        return [
            ranked[move] if move in ranked else -self.search(f"fen {fen} moves {move}", depth)[""] for move in moves
        ]


class UciEvaluator:
    """Evaluates attempts by a chess engine."""

    boards = 1

    def __init__(self, command: str | Sequence[str], depth: int = 1, patience: float = 10.0):
        self.engine, self.depth = UciScorer(command, patience), depth

    def begin(self) -> None:
        """Tell the engine that a new game begins."""
        self.engine.say("ucinewgame")
        self.engine.ready()

    def evaluate(self, boards: np.ndarray, attempts: np.ndarray, gains: np.ndarray) -> None:
        """Fill the table board by board; moves that end the game are not asked about, as engines differ on them."""
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
