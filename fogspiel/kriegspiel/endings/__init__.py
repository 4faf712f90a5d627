"""Player of endgames against a lone king, for any engine.

The possible squares of the king are then an exact set. The player receives the set once, updates it by the referee's
messages, and attempts the best move for it:

    refused    the king is on the path of the attempt, or next to the square that the own king tried to enter
    accepted   it is not there; it stands where exactly the announced checks reach it
    answered   it has made one step to a square that is not attacked, or on which it captured a man

It also stores the probability of each square by a model of the king's replies (`belief`).

Other engines create one when `faces_lone_king(seen)` is first true, with the squares on which they believe the king to
be, and from then on delegate to it:

    self.ending = begin_ending(self, seen, kings, quiet)
    ...
    return self.ending.attempt(seen, actions)
"""

from collections import Counter

import numpy as np

from ...core.compile.kernel import kernel
from ...core.rng import random_unit
from ...games.chess import bitboards
from ...games.chess.bitboards import ALL, BETWEEN, KINDS, KING, PAWN, around, bit, kind_on, union
from ...games.chess.moves import MAX_MOVES
from ...games.chess.position import end_of, start_of
from ..engine import Engine, SearchLimit, placement_after, turn_men, turn_move
from ..game import refused_moves, rules
from ..game.attempts import CHECKS, move_own
from .search import DIRECTIONS, list_own_moves, sight
from .tablebase import begin_belief, let_reply, restrict_belief
from .values import FIFTY, table_of_ending, value_attempts

THEIR_MEN = 15  # initial pawns and pieces of a side, besides the king
NOISE = 0.02  # moves of nearly the same value are chosen at random


@kernel
def bars(men, action):
    start, end = start_of(action), end_of(action)
    kind = kind_on(men, start)
    if kind == KING:
        return bitboards.KING_ATTACKS[end]
    return BETWEEN[start, end] | bit(end) if kind == PAWN else BETWEEN[start, end]


@kernel
def hear_acceptance(men, kings, action, checks):
    """Make an accepted own move with these checks; return the possible squares of the king."""
    kings &= ~(bars(men, action) | bit(end_of(action)))
    move_own(men, 0, action)
    lines = np.empty(DIRECTIONS, np.int64)
    attacked = sight(men, union(men), lines)
    if checks == 0:
        return kings & ~attacked
    for direction in range(DIRECTIONS):
        kings &= lines[direction] if checks >> direction & 1 else ~lines[direction]
    return kings


@kernel
def hear_answer(men, kings, lost):
    """Update by the king's move, which captured the man on the only square of `lost`, if any; return its squares."""
    lines = np.empty(DIRECTIONS, np.int64)
    free = ~sight(men, union(men), lines)
    if lost:
        for kind in range(KINDS):
            men[kind] &= ~lost
        return lost
    return around(kings) & free & ~union(men)


@kernel
def possible_kings(men):
    """Return the possible squares of a lone king when the own side is to move and nothing else is known."""
    lines = np.empty(DIRECTIONS, np.int64)
    return ~(sight(men, union(men), lines) | union(men))


def faces_lone_king(seen: np.ndarray) -> bool:
    """True if every man of the opponent but its king was announced as captured."""
    return int(seen[rules.SEEN_TAKEN + 2] + seen[rules.SEEN_TAKEN + 3]) == THEIR_MEN


class LoneKingPlayer(Engine):
    """Player that tracks the squares of a lone king, turned so that the own pawns go up, and mates it."""

    nodes = 0  # sets of squares evaluated so far

    def __init__(self, effort: SearchLimit, stream: np.ndarray, kings: int = int(ALL), quiet: int = 0):
        """Store the king's possible `kings` as the board stands, and the own moves since a capture or pawn move."""
        super().__init__(effort, stream)
        self.first, self.quiet = kings, quiet

    def _turn_set(self, squares: int) -> int:
        found = np.array([squares], np.int64)
        return int(found.byteswap()[0] if self.side else found[0])

    @property
    def squares(self) -> int:
        return self._turn_set(self.kings)

    def reset(self, seen: np.ndarray) -> None:
        self.men, self.visits = turn_men(seen, self.side), Counter[bytes]()
        self.kings = self._or_any(self._turn_set(self.first) & int(possible_kings(self.men)))
        self.belief = np.zeros(64)
        begin_belief(self.belief, self.kings, self.men, table_of_ending(self.men))
        for move in refused_moves(seen[rules.REFUSALS]):
            self._rule_out(turn_move(move, self.side))

    def _or_any(self, kings: int) -> int:
        return kings or int(possible_kings(self.men))

    def _rule_out(self, move: int) -> None:
        self.kings = self.kings & int(bars(self.men, move)) or self.kings
        restrict_belief(self.belief, self.kings)

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        self._rule_out(turn_move(move, self.side))

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        action = turn_move(move, self.side)
        moves_pawn = int(self.men[PAWN]) >> (action & 63) & 1
        self.kings = int(hear_acceptance(self.men, self.kings, action, int(message[CHECKS])))
        restrict_belief(self.belief, self.kings)
        self.quiet += 1
        if moves_pawn:
            self.quiet = 0
            self.visits.clear()
        self.visits[self.men.tobytes()] += 1

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        lost = int(np.bitwise_or.reduce(self.men) & ~np.bitwise_or.reduce(turn_men(seen, self.side)))
        before = self.kings
        self.kings = int(hear_answer(self.men, before, lost))
        if lost:
            self.quiet = 0
            self.visits.clear()
        else:
            let_reply(self.belief, before, self.men, table_of_ending(self.men))
        self.men[:] = turn_men(seen, self.side)
        self.kings = self._or_any(self.kings)
        restrict_belief(self.belief, self.kings)

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        allowed = {turn_move(int(action), self.side) for action in actions}
        listed = np.empty(MAX_MOVES, np.int64)
        listed = listed[: list_own_moves(self.men, listed)]
        moves = np.array([move for move in listed.tolist() if move in allowed], np.int64)
        if len(moves) == 0:
            return int(actions[0])
        times = np.array([self.visits[placement_after(self.men, 0, move)] for move in moves.tolist()], np.int64)
        values = value_attempts(self.men, self.kings, self.belief, moves, times, FIFTY - self.quiet)
        self.nodes += len(moves)
        values += [NOISE * random_unit(self.stream) for _ in moves]
        return turn_move(int(moves[np.argmax(values)]), self.side)


def begin_ending(engine: Engine, seen: np.ndarray, kings: int, quiet: int = 0) -> LoneKingPlayer:
    """Create the endgame player of an engine that believes the lone king to be on one of these squares.

    It hears the messages from now on. Endgames begin with a capture, so no quiet moves are the rule.
    """
    ending = LoneKingPlayer(engine.effort, engine.stream, kings, quiet)
    ending.begin(engine.side)
    ending.reset(seen)
    engine.listener = ending
    return ending
