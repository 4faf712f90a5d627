"""Belief as weighted boards, updated throughout a game and rejuvenated when few boards are left.

A filter fails by errors that all of its boards share. So the belief remembers some boards of each of the last turns,
with the attempts and messages since. When it becomes thin, variants of remembered boards (`vary_boards`) are replayed
through all messages since then; those consistent with every message join the belief.
"""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from ...core.compile.kernel import in_place, kernel, ones
from ...core.rng import random_below, random_unit
from ...games.chess import bitboards
from ...games.chess.bitboards import KINDS, KING, KNIGHT, NO_SQUARE, PAWN, bit, kind_on
from ...games.chess.moves import LIMITS, attackers
from ...games.chess.position import MEN, MOVER, PASSANT, POSITION, RIGHTS, ROOK_HOME, copy_board, king_of, occupied
from ..game import rules
from ..game.attempts import SQUARE
from .board_filter import empty_children, keep_where_accepted, keep_where_refused, list_children, select_children
from .consistent_boards import AT_FIRST, PAWN_SQUARES, faults, observation_of, observe_last, random_square

# Variants of the boards of a belief: one or two men of the opponent are elsewhere, or of another kind.
#
# All boards may share an error of many moves ago, which a filter cannot correct: it only follows moves that are
# possible on its boards. A variant differs in the likely subjects of such errors: the square of a man not announced for
# a long time, or the kind of a piece captured as "a piece". It explains the observation of its own turn; the messages
# since then decide whether it was a good guess.

TRIALS = 6  # trials per requested variant
# Probability that two men differ instead of one, and that a piece changes its kind instead of its square.
SECOND_CHANGE, OTHER_KIND = 0.5, 0.3


@in_place
def end_rights(board, square, kind):
    """End the castling rights that use a man of the opponent; a side with the right is assumed to have the rook."""
    colour = 1 - board[MOVER]
    for side in range(2):
        if kind == KING or square == ROOK_HOME[colour, side]:
            board[RIGHTS] &= ~(1 << (2 * colour + side))


@in_place
def change_kind(board, square, kind, stream):
    """Change the kind of an opponent's piece; return True if that side could have it."""
    other = KNIGHT + random_below(stream, KING - KNIGHT)
    if other == kind or ones(board[other] & board[MEN + 1 - board[MOVER]]) >= AT_FIRST[other]:
        return False
    board[kind] ^= bit(square)
    board[other] ^= bit(square)
    end_rights(board, square, kind)
    return True


@in_place
def change_place(board, square, kind, stream):
    """Move an opponent's man elsewhere, a king or a pawn nearby; return True if there is a square."""
    free = ~occupied(board)
    if kind == KING:
        free &= bitboards.KING_ATTACKS[square] | bitboards.KNIGHT_ATTACKS[square]
    elif kind == PAWN:
        free &= PAWN_SQUARES & (bitboards.KING_ATTACKS[square] | bit((square + 16) & 63) | bit((square - 16) & 63))
    end = random_square(free, stream)
    if end == NO_SQUARE:
        return False
    board[kind] ^= bit(square) | bit(end)
    board[MEN + 1 - board[MOVER]] ^= bit(square) | bit(end)
    board[PASSANT] = NO_SQUARE
    end_rights(board, square, kind)
    return True


@in_place
def change_man(board, stream):
    """Change one man of the opponent; return True if that was possible."""
    square = random_square(board[MEN + 1 - board[MOVER]], stream)
    kind = kind_on(board, square)
    if KNIGHT <= kind < KING and random_unit(stream) < OTHER_KIND:
        return change_kind(board, square, kind, stream)
    return change_place(board, square, kind, stream)


@kernel
def vary_boards(seen, models, wanted, stream, out):
    """Fill `out` with variants of models that explain the observation of their turn; return their number."""
    limits, count = np.empty(LIMITS, np.int64), 0
    for _ in range(TRIALS * wanted if len(models) else 0):
        if count == wanted:
            break
        board = out[count]
        copy_board(models[random_below(stream, len(models))], board)
        if not change_man(board, stream):
            continue
        if random_unit(stream) < SECOND_CHANGE and not change_man(board, stream):
            continue
        mover = board[MOVER]
        if (
            attackers(board, king_of(board, 1 - mover), mover, occupied(board)) == 0
            and faults(seen, board, limits) == 0
        ):
            count += 1
    return count


NO_BOARDS = np.empty((0, POSITION), np.int64)
REMEMBERED = 10  # number of remembered turns
# Ages in turns from which a thin belief restarts: recent errors are corrected by few messages, old ones by many.
TURNS_BACK = (2, 5, 9)
# Greatest share of weight for joining boards, and how many of them an old board counts for.
MAX_NEW, OLD_COUNTS = 0.5, 4
SPARE_ROOM = 64  # boards: `select_children` may keep one more than requested


@dataclass(frozen=True)
class BeliefSize:
    most: int  # boards
    floor: int  # rejuvenated if the effective number of boards is below this
    variants: int  # variants tried from each turn at a rejuvenation
    kept: int = 300  # remembered boards of each turn


@dataclass
class BeliefTurn:
    """An own turn: boards and view at its start, the attempts, and the messages about both moves."""

    boards: np.ndarray
    seen: np.record
    refused: list[int] = field(default_factory=list)
    move: int | None = None
    own: np.ndarray | None = None
    other: np.ndarray | None = None


def heaviest(boards: np.ndarray, weights: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the heaviest boards, at most `most`, in their original order."""
    if len(boards) <= most:
        return boards, weights
    chosen = np.sort(np.argsort(-weights, kind="stable")[:most])
    return boards[chosen], weights[chosen]


class BoardBelief:
    """Distinct boards that are consistent with all messages, with weights that sum to 1."""

    def __init__(self, size: BeliefSize, policy: np.ndarray, stream: np.ndarray):
        self.size, self.policy, self.stream = size, policy, stream
        room = size.most + len(TURNS_BACK) * size.variants + SPARE_ROOM
        self._boards, self._spare = np.empty((2, room, POSITION), np.int64)
        self._weights, self._spare_weights = np.empty((2, room))
        self._children = empty_children(room)
        self.count = 0

    @property
    def boards(self) -> np.ndarray:
        return self._boards[: self.count]

    @property
    def weights(self) -> np.ndarray:
        return self._weights[: self.count]

    @property
    def effective(self) -> float:
        """Effective number of boards."""
        return float(1 / (self.weights**2).sum()) if self.count else 0.0

    def begin(self, side: int, seen: np.ndarray) -> None:
        """Start with all men at home, or, if the game starts in the middle, anywhere consistent with the view."""
        self.side, self.switches = side, int(seen[rules.SEEN_SWITCHES])
        self.turns: deque[BeliefTurn] = deque(maxlen=REMEMBERED)
        self._boards[0], self._weights[0], self.count = rules.HOME[:POSITION], 1.0, 1
        home = rules.HOME[:KINDS] & rules.HOME[MEN + side]
        at_home = seen[rules.SEEN_PLY] <= 1 and np.array_equal(home, seen[rules.OWN_MEN])
        if not at_home:
            self.begin_anew(seen, NO_BOARDS)
        if not at_home or rules.HOME[MOVER] == side:
            self.begin_turn(seen)

    def begin_anew(self, seen: np.ndarray, models: np.ndarray) -> None:
        """Restart from boards that explain the last observation alone and resemble the models."""
        self.count = observe_last(observation_of(seen), models, self.size.variants, self.stream, self._boards)
        self.weights[:] = 1 / max(self.count, 1)

    def begin_turn(self, seen: np.ndarray) -> None:
        kept = self.boards if self.count <= self.size.kept else self.boards[self.draw(self.size.kept)]
        self.turns.append(BeliefTurn(kept.copy(), observation_of(seen)))

    def draw(self, wanted: int) -> np.ndarray:
        """Return board numbers, each drawn in proportion to its weight (systematic sampling)."""
        edges = np.cumsum(self.weights)
        marks = (np.arange(wanted) + random_unit(self.stream)) / wanted * edges[-1]
        return np.asarray(np.minimum(np.searchsorted(edges, marks), self.count - 1))

    def refuse(self, move: int, seen: np.ndarray) -> None:
        self.turns[-1].refused.append(move)
        self._drop_legal(move)
        self.mend(seen)

    def accept(self, move: int, message: np.ndarray) -> None:
        self.turns[-1].move, self.turns[-1].own = move, message.copy()
        self._make(move, message)

    def answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        """Update by the opponent's move and its message."""
        if self.turns and self.turns[-1].move is None:  # the game started here, and the boards explain the message
            return
        own = self.turns[-1].own if self.turns else None
        if self.turns:
            self.turns[-1].other = message.copy()
        self._reply(NO_SQUARE if own is None else int(own[SQUARE]), message, self.size.most)
        self.mend(seen)
        self.begin_turn(seen)

    def _drop_legal(self, move: int) -> None:
        self.count = keep_where_refused(self._boards, self._weights, self.count, move)

    def _make(self, move: int, message: np.ndarray) -> None:
        self.count = keep_where_accepted(self._boards, self._weights, self.count, move, message, self.switches)

    def _reply(self, lost: int, message: np.ndarray, wanted: int) -> None:
        """Make all moves of the opponent that give a message; `lost` is the square of its latest loss."""
        children = self._children
        found = list_children(self.boards, self.weights, lost, message, self.switches, self.policy, children)
        self.count = select_children(
            self._boards, children, found, wanted, self.stream, self._spare, self._spare_weights
        )
        self._boards, self._spare = self._spare, self._boards
        self._weights, self._spare_weights = self._spare_weights, self._weights

    def mend(self, seen: np.ndarray) -> None:
        """Rejuvenate the belief if too few boards are left; restart it if none is left."""
        self.weights[:] /= max(self.weights.sum(), np.finfo(float).tiny)
        if self.effective >= self.size.floor:
            return
        old = self.boards.copy(), self.weights.copy()
        joining = []
        for back in TURNS_BACK:
            if len(self.turns) > back:
                self._lead_variants(len(self.turns) - 1 - back)
                joining.append((self.boards.copy(), self.weights.copy()))
        new = sum(len(boards) for boards, _ in joining)
        if len(old[0]) + new == 0:
            return self.begin_anew(seen, self.turns[-1].boards if self.turns else NO_BOARDS)
        old = heaviest(*old, len(self._boards) - new)
        share = min(MAX_NEW, new / (new + OLD_COUNTS * len(old[0]))) if len(old[0]) else 1.0
        self.count = 0
        self._join(*old, 1 - share)
        for boards, weights in joining:
            self._join(boards, weights, share * len(boards) / max(new, 1))
        return None

    def _join(self, boards: np.ndarray, weights: np.ndarray, share: float) -> None:
        here = slice(self.count, self.count + len(boards))
        self._boards[here], self._weights[here] = boards, weights * (share / max(weights.sum(), np.finfo(float).tiny))
        self.count += len(boards)

    def _lead_variants(self, first: int) -> None:
        """Replace the boards by the variants of a remembered turn, replayed to the present."""
        turn = self.turns[first]
        self.count = vary_boards(turn.seen, turn.boards, self.size.variants, self.stream, self._boards)
        self.weights[:] = 1 / max(self.count, 1)
        for turn in list(self.turns)[first:]:
            for move in turn.refused:
                self._drop_legal(move)
            if turn.move is None or turn.own is None or turn.other is None:  # the current turn
                return
            self._make(turn.move, turn.own)
            self._reply(int(turn.own[SQUARE]), turn.other, self.size.variants)
