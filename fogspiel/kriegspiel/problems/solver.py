"""Partition of the possible boards by White's messages from one attempt to the next.

A board is a position (`chess.position`) in which White is to move, its clocks at 0. White's information is a number,
the code: the result of the attempt (two bits), the message about White's move and the message about Black's reply.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core.compile.kernel import kernel
from ...games.chess.moves import CHECKERS, LIMITS, MAX_MOVES, can_move, is_legal, legal_moves, restrict
from ...games.chess.position import CLOCK, MEN, PLY, POSITION, copy_board, make
from ..game.attempts import CHECKS, MESSAGE, SQUARE, TAKEN, TRIES, make_and_say

REFUSED, MATED, STALEMATED, REPLIED = 0, 1, 2, 3
# Number of results of an attempt, and an upper bound of message codes: 3 * 128 * 32 * 64.
ENDS, MESSAGES = 4, 1 << 20


@kernel
def _make_aloud(board, move, limits, said):
    """Make a legal move, compute the opponent's limits, and write the message; return its code."""
    make_and_say(board, move, limits, said)
    board[CLOCK], board[PLY] = 0, 0
    return ((said[TAKEN] * 128 + said[SQUARE] + 1) * 32 + said[CHECKS]) * 64 + said[TRIES]


@kernel
def divide(boards, attempt, out, codes):
    """Try a move on every board; list the possible boards at White's next attempt, with White's information.

    A board on which the game has ended is listed as it then stands. Return the number of boards listed.
    """
    after, limits, said = np.empty(POSITION, np.int64), np.empty(LIMITS, np.int64), np.empty(MESSAGE, np.int64)
    replies, count = np.empty(MAX_MOVES, np.int64), 0
    for row in range(len(boards)):
        copy_board(boards[row], after)
        restrict(after, limits)
        if not is_legal(after, limits, attempt):
            copy_board(after, out[count])
            codes[count] = REFUSED
            count += 1
            continue
        heard = ENDS * _make_aloud(after, attempt, limits, said)
        if not can_move(after, limits):
            copy_board(after, out[count])
            codes[count] = heard + (MATED if limits[CHECKERS] else STALEMATED)
            count += 1
            continue
        for i in range(legal_moves(after, limits, replies)):
            copy_board(after, out[count])
            reply = _make_aloud(out[count], replies[i], limits, said)
            codes[count] = heard + REPLIED + ENDS * MESSAGES * reply
            count += 1
    return count


@kernel
def list_mating(board, moves, mates):
    """List the legal moves of a board, and which of them mate; return the number of moves."""
    after, limits = np.empty(POSITION, np.int64), np.empty(LIMITS, np.int64)
    restrict(board, limits)
    count = legal_moves(board, limits, moves)
    for i in range(count):
        copy_board(board, after)
        make(after, moves[i])
        restrict(after, limits)
        mates[i] = limits[CHECKERS] != 0 and not can_move(after, limits)
    return count


# Forced mates on a set of possible boards: exact AND-OR search.
#
#     wins(boards, n): some attempt works(boards, attempt, n)
#     works(boards, attempt, n): every part of the boards, by the referee's possible answers, is mate, or
#         wins(part, n) if the attempt was refused there, which costs no move,
#         wins(part, n - 1) if it was made and Black has replied.
#
# The main speed-up: a set is never easier than one of its boards laid open. An attempt can only work if, on every
# board, it is refused or forces mate within n moves at sight. Results are stored with their sets: a superset of a set
# that is not won is not won, and a subset of a won set is won.

Board = bytes  # the cells of a position
Boards = frozenset[Board]
WHITE_MEN = slice(8 * MEN, 8 * MEN + 8)


class TooManyNodes(ValueError):
    """The search has reached its limit without an answer."""


@dataclass(frozen=True)
class Part:
    """Possible boards after one answer to an attempt."""

    code: int  # White's information (`divide`)
    boards: Boards

    @property
    def end(self) -> int:
        """Result of the attempt: REFUSED, MATED, STALEMATED or REPLIED."""
        return self.code % ENDS

    @property
    def moves(self) -> int:
        return int(self.end != REFUSED)


class Solver:
    """Solver of sets of boards with a memory of its results; it gives up at its node limit, if any.

    A node is a division by an attempt, of a set or of one board at sight; `nodes` counts them.
    """

    def __init__(self, most_nodes: int | None = None):
        self.most_nodes, self.nodes = most_nodes, 0
        # Sets of boards known to be won, or not, within a number of moves, by the squares of White's men.
        self._won: defaultdict[bytes, list[tuple[int, Boards]]] = defaultdict(list)
        self._lost: defaultdict[bytes, list[tuple[int, Boards]]] = defaultdict(list)
        self._moves: dict[Board, tuple[frozenset[int], frozenset[int]]] = {}
        self._at_sight: dict[tuple[Board, int], bool] = {}
        self._out = np.empty((0, POSITION), np.int64)
        self._codes = np.empty(0, np.int64)

    # --- the search ---

    def shortest(self, boards: Boards, most: int) -> int | None:
        """Return the least number of moves in which mate can be forced, or None if that is more than `most`."""
        return next((n for n in range(1, most + 1) if self.wins(boards, n)), None)

    def keys(self, boards: Boards, n: int) -> Iterator[int]:
        return (attempt for attempt in self.promising(boards, n) if self.works(boards, attempt, n))

    def wins(self, boards: Boards, n: int) -> bool:
        """True if mate can be forced within n moves."""
        if n == 0 or not all(self.wins_at_sight(board, n) for board in sorted(boards)):
            return False
        men = next(iter(boards))[WHITE_MEN]
        if any(moves <= n and boards <= larger for moves, larger in self._won[men]):
            return True
        if any(moves >= n and smaller <= boards for moves, smaller in self._lost[men]):
            return False
        attempts = self.promising(boards, n)
        if n == 1:  # every remaining attempt mates or is refused, so trying it first cannot be wrong
            attempts = attempts[:1]
        won = any(self.works(boards, attempt, n) for attempt in attempts)
        (self._won if won else self._lost)[men].append((n, boards))
        return won

    def works(self, boards: Boards, attempt: int, n: int) -> bool:
        """True if an attempt starts a forced mate within n moves."""
        return all(
            part.end == MATED or (part.end in (REFUSED, REPLIED) and self.wins(part.boards, n - part.moves))
            for part in self.parts(boards, attempt)
        )

    def promising(self, boards: Boards, n: int) -> list[int]:
        """Return the attempts that are legal on some board, and force mate at sight wherever they are legal."""
        legal: dict[int, int] = defaultdict(int)
        wrong: set[int] = set()
        for board in sorted(boards):  # any other order would change the nodes from run to run
            for move in self.moves(board)[0] - wrong:
                if self.keeps_mate(board, move, n):
                    legal[move] += 1
                else:
                    wrong.add(move)
        return sorted(legal.keys() - wrong, key=lambda move: (-legal[move], move))

    def parts(self, boards: Boards, attempt: int) -> list[Part]:
        """Partition the boards by White's information after an attempt, the smallest set first."""
        found: dict[int, set[Board]] = defaultdict(set)
        for code, board in self._divide(b"".join(sorted(boards)), attempt):
            found[code].add(board)
        parts = [Part(code, frozenset(here)) for code, here in found.items()]
        return sorted(parts, key=lambda part: (len(part.boards), part.code))

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
        known = self._moves.get(board)
        if known is None:
            moves, mates = np.empty(MAX_MOVES, np.int64), np.empty(MAX_MOVES, np.bool_)
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
        if len(self._out) < MAX_MOVES * len(boards):
            self._out = np.empty((MAX_MOVES * len(boards), POSITION), np.int64)
            self._codes = np.empty(len(self._out), np.int64)
        count = divide(boards, attempt, self._out, self._codes)
        rows, size = self._out[:count].tobytes(), 8 * POSITION
        return [(code, rows[size * i : size * i + size]) for i, code in enumerate(self._codes[:count].tolist())]
