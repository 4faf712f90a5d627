"""The program that searches metapositions (paper, section 4.3): reflexes, a book, then weighted maximax.

When the opponent has only its king left, `LoneKingPlayer` takes over with the king's squares.
"""

from collections import Counter

import numpy as np

from ...core.rng import random_below, random_unit
from ...games.chess.bitboards import BISHOP, KING, KNIGHT, NO_SQUARE, PAWN, QUEEN, ROOK, UPSIDE_DOWN, kind_on
from ...games.chess.fen import parse_move
from ...games.chess.moves import MAX_MOVES
from ...games.chess.position import end_of, start_of
from .. import engine
from ..beliefs.metaposition import META, attacks_past, begin_anywhere, begin_at_home, enemies, sure_attacks
from ..beliefs.metaposition_update import checkers, hear_other, hear_own, hear_refusal, hear_tries
from ..endings import LoneKingPlayer, begin_ending
from ..engine import Engine, EngineFactory, SearchLimit, plain_message, takes_by_pawn, turn_men, turn_move
from ..game import rules
from ..game.attempts import CHECK_DIRECTIONS, CHECKS, SQUARE, TAKEN, TRIES, UNKNOWN
from ..search.metaposition_search import Ranking, Searcher, assume, plausible_moves
from ..search.metaposition_value import stalemate_chance

BOOK = tuple(
    tuple(parse_move(move) for move in line.split())
    for line in (
        "e2e4 d2d3 g1f3 f1e2 e1g1 b1d2 c2c3",
        "d2d4 e2e3 g1f3 f1d3 e1g1 b1d2 c2c3",
        "e2e3 d2d3 g1f3 f1e2 e1g1 b1d2 b2b3",
        "d2d3 e2e3 b1d2 g1f3 f1e2 e1g1 c2c3",
        "c2c4 b1c3 e2e3 g1f3 d2d3 f1e2 e1g1",
    )
)  # development plans while the referee is silent, as White; Black plays them turned round
# Order of recaptures: the king risks nothing, since it is refused where it could be captured.
BRAVEST_FIRST = (KING, PAWN, KNIGHT, BISHOP, ROOK, QUEEN)
# Allowed repetitions of a placement since the last capture or pawn move; cost of one, and of one too many.
TOO_OFTEN, STALE, LOOP = 2, 0.3, 1000.0
NOISE = 0.02  # moves of nearly the same value are chosen at random, so that games differ
FEW, RISK = 6, 0.02  # with this few enemies a reflex capture is skipped if its stalemate probability is greater


class Minimax(Engine):
    """Keeps a metaposition, and tries the best move in it.

    Before it would try to take with a pawn it asks whether one can, where it may.
    """

    asks = True

    def __init__(self, effort: SearchLimit, stream: np.ndarray, opposed: tuple[int, int] = (8, 7)):
        super().__init__(effort, stream)
        self.searcher, self.opposed = Searcher(effort.threads), opposed
        self.ending: LoneKingPlayer | None = None
        self.meta: np.record = np.zeros(1, META)[0]
        # Own men of the metaposition: a view, because record fields are slow to reach.
        self.men: np.ndarray = self.meta.men
        self.refusals, self.power = np.zeros(64, np.int64), np.zeros(64, np.int64)
        self.zeros = np.zeros(64, np.int64)

    @property
    def nodes(self) -> int:
        return self.searcher.spent + (self.ending.nodes if self.ending else 0)

    def begin(self, side: int) -> None:
        super().begin(side)
        self.book = BOOK[random_below(self.stream, len(BOOK))]
        self.silent, self.done = True, 0
        self.visits = Counter[bytes]()
        self.ranking: Ranking | None = None
        self.ending = None

    def turn_message(self, message: np.ndarray, colour: int, seen: np.ndarray) -> np.ndarray:
        told = plain_message(message, colour, seen)
        if self.side and told[TAKEN]:
            told[SQUARE] ^= UPSIDE_DOWN
        return told

    def reset(self, seen: np.ndarray) -> None:
        begin_at_home(self.meta)
        men = turn_men(seen, self.side)
        if seen[rules.SEEN_PLY] > 1 or (self.men != men).any():
            self.men[:] = men
            begin_anywhere(self.meta, *self.opposed)
            self.silent = False
        self._begin_turn(seen)

    def _begin_turn(self, seen: np.ndarray) -> None:
        self.men[:] = turn_men(seen, self.side)
        self.meta.rights = seen[rules.SEEN_RIGHTS] >> (2 * self.side)
        self.refusals[:], self.power[:], self.ranking = 0, 0, None

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        if self.ending:
            self.ending.on_acceptance(move, message, seen)
        hear_own(self.meta, turn_move(move, self.side), self.turn_message(message, self.side, seen))
        if self.meta.quiet == 0:
            self.visits.clear()
        self.visits[self.men.tobytes()] += 1
        self.done += 1
        self.silent &= not (message[TAKEN] or message[CHECKS])

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        if self.ending:
            self.ending.on_answer(message, seen)
        men = np.bitwise_or.reduce(turn_men(seen, self.side))
        lost = int(self.meta.own & ~men)
        square = (lost & -lost).bit_length() - 1 if lost else NO_SQUARE
        told = self.turn_message(message, 1 - self.side, seen)
        hear_other(self.meta, square, told, self.zeros)
        self.silent &= not (told[TAKEN] or told[CHECKS] or told[TRIES] not in (0, UNKNOWN))
        self._begin_turn(seen)

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        if self.ending:
            self.ending.on_refusal(move, seen)
        move = turn_move(move, self.side)
        start, end = start_of(move), end_of(move)
        self.refusals[start] |= np.int64(1) << np.int64(end)
        if seen[rules.SEEN_OTHER + CHECKS]:
            return
        rest = int(hear_refusal(self.meta, move))
        # A shorter move, to the last square that may be occupied, is a power move: it captures, or reveals more
        if rest:
            farthest = rest.bit_length() - 1 if end > start else (rest & -rest).bit_length() - 1
            self.power[start] |= np.int64(1) << np.int64(farthest)
        if self.meta.tries:
            hear_tries(self.meta, self.meta.tries, self.refusals)
        if self.ranking is not None:
            self.searcher.renew(self.ranking, self.meta, self.power)

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        if enemies(self.meta) == 0:
            if self.ending is None:
                kings = self.meta.theirs[KING : KING + 1]
                squares = int((kings.byteswap() if self.side else kings)[0])
                self.ending = begin_ending(self, seen, squares, int(self.meta.quiet))
                self.listener = self  # the metaposition, too, is kept to the end
            return self.ending.attempt(seen, actions[actions != rules.ANY])
        allowed = {turn_move(int(action), self.side) for action in actions if action != rules.ANY}
        book = self.book[self.done : self.done + 1] if self.silent else ()
        for move in (*self._reflexes(seen, allowed), *(move for move in book if move in allowed)):
            if rules.ANY in actions and takes_by_pawn(self.men[PAWN], move):
                return rules.ANY
            return turn_move(move, self.side)
        if self.ranking is None:
            listed = np.empty(MAX_MOVES, np.int64)
            count = plausible_moves(self.meta, listed)
            moves = np.array([move for move in listed[:count].tolist() if move in allowed], np.int64)
            self.ranking = self.searcher.ranking(self.meta, moves, self.power, self.limit)
            self.ranking.values += [NOISE * random_unit(self.stream) for _ in moves]
        for move in self.ranking.best_first(self._staleness):
            if move in allowed:
                return turn_move(move, self.side)
        moves = actions[actions != rules.ANY]
        return int(moves[random_below(self.stream, len(moves))])

    def _reflexes(self, seen: np.ndarray, allowed: set[int]) -> list[int]:
        """Return the moves tried before any search: recaptures, pawn captures, moves to the source of a check."""
        told = self.turn_message(seen[rules.OTHER_MESSAGE], 1 - self.side, seen)
        targets = 1 << int(told[SQUARE]) if told[TAKEN] else 0
        for direction in CHECK_DIRECTIONS:
            if told[CHECKS] & direction:
                targets |= int(checkers(self.meta, direction))
        found = []
        for move in allowed:
            start, end, promotion = move & 63, move >> 6 & 63, move >> 12  # as in `move_code`, inlined
            kind = int(kind_on(self.men, start))
            takes = kind == PAWN and (end - start) % 8 != 0
            if (targets >> end & 1 or takes) and (kind != PAWN or takes) and promotion in (0, QUEEN):
                found.append((not targets >> end & 1, BRAVEST_FIRST.index(kind), move))
        moves = [move for _, _, move in sorted(found)]
        return moves if enemies(self.meta) > FEW else [move for move in moves if not self._may_stalemate(move)]

    def _may_stalemate(self, move: int) -> bool:
        after = self.meta.copy()
        assume(after, move, np.int64(1) << np.int64(end_of(move)))
        return bool(stalemate_chance(after, sure_attacks(after), attacks_past(after, ~after.empty)) > RISK)

    def _staleness(self, move: int) -> float:
        """Return the cost of a move that repeats a placement of the own men: the loop guard."""
        times = self.visits[engine.placement_after(self.men, 0, move)]
        return STALE * times + (LOOP if times >= TOO_OFTEN else 0.0)


ENGINES: dict[str, EngineFactory] = {"minimax": Minimax}
