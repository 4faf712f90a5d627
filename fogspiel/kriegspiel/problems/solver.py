"""Forced mates on a set of possible boards: AND-OR search, exact.

    wins(boards, n): some attempt works(boards, attempt, n)
    works(boards, attempt, n): every part of the boards, by what the referee may answer, is mate, or
        wins(part, n) if the attempt was refused there, which costs no move,
        wins(part, n - 1) if it was made and Black has replied.

What makes it fast is that a set is never easier than one of its boards laid open: an attempt can only work if, on every
board, it is refused or forces mate within n moves at sight. Answers are remembered with their sets: what contains a set
that is not won is not won, and what is contained in a set that is won is won.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...games.chess.moves import MOST_MOVES
from ...games.chess.position import MEN, POSITION
from .division import ENDS, MATED, REFUSED, REPLIED, divide, list_mating

Board = bytes  # the cells of a position
Boards = frozenset[Board]
WHITE_MEN = slice(8 * MEN, 8 * MEN + 8)


class TooManyNodes(ValueError):
    """The search has reached its limit without an answer."""


@dataclass(frozen=True)
class Part:
    """The boards that are possible after one answer to an attempt."""

    code: int  # what was heard (`division`)
    boards: Boards

    @property
    def end(self) -> int:
        """Result of the attempt: REFUSED, MATED, STALEMATED or REPLIED."""
        return self.code % ENDS

    @property
    def moves(self) -> int:
        """Number of own moves."""
        return int(self.end != REFUSED)


class Memory:
    """Sets of boards that are known to be won, or not, within a number of moves; by the squares of White's men."""

    def __init__(self) -> None:
        self.won: defaultdict[bytes, list[tuple[int, Boards]]] = defaultdict(list)
        self.lost: defaultdict[bytes, list[tuple[int, Boards]]] = defaultdict(list)

    def recall(self, boards: Boards, n: int) -> bool | None:
        """True if a set is won, as it follows from the sets that are known."""
        men = next(iter(boards))[WHITE_MEN]
        if any(moves <= n and boards <= larger for moves, larger in self.won[men]):
            return True
        if any(moves >= n and smaller <= boards for moves, smaller in self.lost[men]):
            return False
        return None

    def keep(self, boards: Boards, n: int, won: bool) -> bool:
        """Remember whether a set is won. The same."""
        (self.won if won else self.lost)[next(iter(boards))[WHITE_MEN]].append((n, boards))
        return won


class Solver:
    """Solves sets of boards, and remembers all that it has found; it gives up after so many nodes, if there is a limit.

    A node is a division by an attempt, of a set or of one board at sight; `nodes` counts them.
    """

    def __init__(self, most_nodes: int | None = None):
        self.most_nodes, self.nodes = most_nodes, 0
        self._memory = Memory()
        self._moves: dict[Board, tuple[frozenset[int], frozenset[int]]] = {}
        self._at_sight: dict[tuple[Board, int], bool] = {}
        self._out = np.empty((0, POSITION), np.int64)
        self._codes = np.empty(0, np.int64)

    # --- the search ---

    def shortest(self, boards: Boards, most: int) -> int | None:
        """The least number of moves in which mate can be forced, or None if that is more than `most`."""
        return next((n for n in range(1, most + 1) if self.wins(boards, n)), None)

    def keys(self, boards: Boards, n: int) -> Iterator[int]:
        """The attempts that begin a forced mate within n moves."""
        return (attempt for attempt in self.promising(boards, n) if self.works(boards, attempt, n))

    def wins(self, boards: Boards, n: int) -> bool:
        """True if mate can be forced within n moves."""
        if n == 0 or not all(self.wins_at_sight(board, n) for board in sorted(boards)):
            return False
        known = self._memory.recall(boards, n)
        if known is not None:
            return known
        attempts = self.promising(boards, n)
        if n == 1:  # whatever is tried mates or is refused, so that trying it first cannot be wrong
            attempts = attempts[:1]
        return self._memory.keep(boards, n, any(self.works(boards, attempt, n) for attempt in attempts))

    def works(self, boards: Boards, attempt: int, n: int) -> bool:
        """True if an attempt begins a forced mate within n moves."""
        return all(
            part.end == MATED or (part.end in (REFUSED, REPLIED) and self.wins(part.boards, n - part.moves))
            for part in self.parts(boards, attempt)
        )

    def promising(self, boards: Boards, n: int) -> list[int]:
        """The attempts that are legal on some board, and force mate at sight wherever they are legal."""
        legal: dict[int, int] = defaultdict(int)
        wrong: set[int] = set()
        for board in sorted(boards):  # in any other order the nodes would differ from run to run
            for move in self.moves(board)[0] - wrong:
                if self.keeps_mate(board, move, n):
                    legal[move] += 1
                else:
                    wrong.add(move)
        return sorted(legal.keys() - wrong, key=lambda move: (-legal[move], move))

    def parts(self, boards: Boards, attempt: int) -> list[Part]:
        """The boards by what White may hear after an attempt, the smallest set first."""
        found: dict[int, set[Board]] = defaultdict(set)
        for code, board in self._divide(b"".join(sorted(boards)), attempt):
            found[code].add(board)
        return sorted((Part(code, frozenset(here)) for code, here in found.items()), key=_size)

    # --- one board at sight ---

    def wins_at_sight(self, board: Board, n: int) -> bool:
        """True if mate within n moves can be forced on a board that White sees."""
        known = self._at_sight.get((board, n))
        if known is None:
            legal, mating = self.moves(board)
            known = bool(mating) or (
                n > 1 and (self.wins_at_sight(board, n - 1) or any(self.keeps_mate(board, move, n) for move in legal))
            )
            self._at_sight[board, n] = known
        return known

    def keeps_mate(self, board: Board, move: int, n: int) -> bool:
        """True if a legal move mates within n moves at sight, whatever Black replies."""
        if n == 1 or move in self.moves(board)[1]:
            return move in self.moves(board)[1]
        return all(
            code % ENDS == REPLIED and self.wins_at_sight(after, n - 1) for code, after in self._divide(board, move)
        )

    def moves(self, board: Board) -> tuple[frozenset[int], frozenset[int]]:
        """The legal moves of a board, and those of them that mate."""
        known = self._moves.get(board)
        if known is None:
            moves, mates = np.empty(MOST_MOVES, np.int64), np.empty(MOST_MOVES, np.bool_)
            count = list_mating(np.frombuffer(board, np.int64), moves, mates)
            legal = moves[:count].tolist()
            mating = [move for move, mate in zip(legal, mates[:count], strict=True) if mate]
            known = self._moves[board] = frozenset(legal), frozenset(mating)
        return known

    def _divide(self, cells: bytes, attempt: int) -> list[tuple[int, Board]]:
        """Return the message and the resulting boards, for every board and every reply."""
        self.nodes += 1
        if self.most_nodes is not None and self.nodes > self.most_nodes:
            raise TooManyNodes(f"{self.most_nodes:,} nodes were not enough to solve it: --nodes sets another limit")
        boards = np.frombuffer(cells, np.int64).reshape(-1, POSITION)
        if len(self._out) < MOST_MOVES * len(boards):
            self._out = np.empty((MOST_MOVES * len(boards), POSITION), np.int64)
            self._codes = np.empty(len(self._out), np.int64)
        count = divide(boards, attempt, self._out, self._codes)
        rows, size = self._out[:count].tobytes(), 8 * POSITION
        return [(code, rows[size * i : size * i + size]) for i, code in enumerate(self._codes[:count].tolist())]


def _size(part: Part) -> tuple[int, int]:
    return len(part.boards), part.code
