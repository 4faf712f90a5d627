"""One game of chess: an object interface to the rules, for players that see the full board.

game = ChessGame()
game.make(parse_move("e2e4"))
game.ending                     # None: not over
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ...core.game import new_cells
from ...process.guard import ProcessGuard
from ...process.line_process import ProgramProcess
from .bitboards import WHITE
from .fen import START, fen_of, move_name, position_of
from .moves import CHECKERS, LIMITS, MAX_ATTEMPTS, legal_moves, possible_passant, restrict
from .position import CLOCK, MOVER, PLY, cannot_mate, key_of, make
from .san import short_name

CHECKMATE, STALEMATE = "checkmate", "stalemate"
MATERIAL = "neither side has men enough to mate"
FIFTY = "fifty moves without a capture or a pawn move"
REPETITION = "the position stands for the third time"
LONGEST_QUIET = 100  # plies without a capture or a pawn move that end a game


class ChessGame:
    """A game: its position and the moves that led there; draws need not be claimed."""

    def __init__(self, fen: str = START):
        self.position = position_of(fen)
        self.fen, self.moves = fen_of(self.position), list[int]()
        self._limits, self._room = new_cells(LIMITS), new_cells(MAX_ATTEMPTS)
        self._seen: Counter[int] = Counter()
        self._arrive()

    def _arrive(self) -> None:
        restrict(self.position, self._limits)
        count = legal_moves(self.position, self._limits, self._room)
        self.legal: list[int] = self._room[:count].tolist()
        key = int(key_of(self.position, possible_passant(self.position, self._limits)))
        self._seen[key] += 1
        self.ending: str | None = None
        if not self.legal:
            self.ending = CHECKMATE if self._limits[CHECKERS] else STALEMATE
        elif cannot_mate(self.position):
            self.ending = MATERIAL
        elif self.position[CLOCK] >= LONGEST_QUIET:
            self.ending = FIFTY
        elif self._seen[key] >= 3:
            self.ending = REPETITION

    @property
    def turn(self) -> int:
        """Side to move: 0 White, 1 Black."""
        return int(self.position[MOVER])

    @property
    def ply(self) -> int:
        """Plies since the start of the game that the initial position belongs to."""
        return int(self.position[PLY])

    @property
    def quiet(self) -> int:
        return int(self.position[CLOCK])

    @property
    def score(self) -> float:
        """White's score: 0, 1/2 or 1; a game that is not over counts as drawn."""
        if self.ending != CHECKMATE:
            return 0.5
        return 0.0 if self.turn == WHITE else 1.0

    @property
    def uci_position(self) -> str:
        """The position and the moves that led there, as a UCI `position` command."""
        first = "startpos" if self.fen == START else f"fen {self.fen}"
        return f"position {first}" + (f" moves {' '.join(map(move_name, self.moves))}" if self.moves else "")

    def make(self, move: int) -> None:
        if move not in self.legal:
            raise ValueError(f"{move_name(move)} is not a legal move in {fen_of(self.position)}")
        make(self.position, move)
        self.moves.append(move)
        self._arrive()


def numbered_moves(fen: str, moves: Iterable[int]) -> list[str]:
    """Return moves in standard algebraic notation with move numbers, as PGN tokens."""
    position, words = position_of(fen), list[str]()
    for move in moves:
        ply = int(position[PLY])
        if position[MOVER] == WHITE or not words:
            words.append(f"{ply // 2 + 1}{'.' if position[MOVER] == WHITE else '...'}")
        words.append(short_name(position, move))
        make(position, np.int64(move))
    return words


# A UCI chess engine in a separate process.


class UciEngine(ProgramProcess):
    """A UCI engine in a separate process, after its identification and options were read."""

    what, language = "chess engine", "UCI"

    def __init__(self, command: str | Sequence[str], patience: float = 10.0, guard: ProcessGuard | None = None):
        super().__init__(command, patience, guard)
        self.say("uci")
        # Lines with its identification and options.
        self.handshake = [line for line in self.answer("uci", "uciok") if line.startswith(("id ", "option "))]

    def ready(self) -> None:
        """Wait until the engine has processed all commands."""
        self.say("isready")
        for _ in self.answer("isready", "readyok"):
            pass
