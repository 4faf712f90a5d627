"""Reasons for the cost of a move: patterns in the views and attempts of one player, each with a sentence.

A pattern uses the player's own knowledge alone, so its sentence holds on the true board, too. Own men guard a square if
they do so on the board without the opponent: men that stand in the way are not known, so of a square that is called
unguarded no man of the player is overlooked.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..games.chess.bitboards import KING, KNIGHT_ATTACKS, NO_MAN, PAWN, ROOK, bit, kind_on
from ..games.chess.fen import DIRECTIONS, NAMES, directions_in, move_name, square_name
from ..games.chess.moves import attackers
from ..games.chess.position import MEN, end_of, king_of, occupied, start_of
from .decisions import Decision, may_castle
from .engine import takes_by_pawn
from .game import rules
from .game.attempts import (
    ACROSS,
    BY_KNIGHT,
    CHECK_DIRECTIONS,
    CHECKS,
    SOME,
    SQUARE,
    TAKEN,
    known_tries,
    line_of_check,
    move_own,
)
from .protocol import SILENCE, own_board

Words = dict[str, str] | None  # words of a pattern's sentence; None where the pattern is absent


def guards(board: np.ndarray, square: int, side: int) -> int:
    """Return the men of a side that guard a square, as a set."""
    return int(attackers(board, square, side, occupied(board)))


class Attempt:
    """An attempt with the player's knowledge before it, and after the opponent's reply where the game goes on."""

    def __init__(self, decisions: Sequence[Decision], place: int):
        decision = decisions[place]
        assert decision.action is not None
        self.seen, self.move, self.ply = decision.seen, int(decision.action), decision.ply
        self.side, self.name = int(self.seen[rules.SEEN_PLAYER]), move_name(self.move)
        self.start, self.end = start_of(self.move), end_of(self.move)
        follows = decisions[place + 1] if place + 1 < len(decisions) else None
        self.refused = follows is not None and follows.ply == self.ply
        self.before, self.after = own_board(self.seen), own_board(self.seen)
        self.kind, self.man = int(kind_on(self.before, self.start)), NAMES[int(kind_on(self.before, self.start))]
        if not self.refused:
            move_own(self.after, self.side, self.move)
            self.after[MEN + self.side] = np.bitwise_or.reduce(self.after[: KING + 1])
        self.heard = self.seen[rules.OTHER_MESSAGE]
        goes_on = follows is not None and not self.refused
        self.told, self.reply = (np.array(SILENCE, np.int64),) * 2  # about this move, and about the opponent's answer
        if goes_on and follows is not None:
            self.told, self.reply = follows.seen[rules.OWN_MESSAGE], follows.seen[rules.OTHER_MESSAGE]
        turn, past = list[Decision](), list[Decision]()
        for other in reversed(decisions[:place]):
            (turn if other.ply == self.ply else past).append(other)
            if other.ply < self.ply - 4:
                break
        self.turn = [*turn[::-1], decision]  # attempts of this turn, this one included
        self.past = past  # attempts of the turns before, the last one first

    @property
    def lost(self) -> int | None:
        """Square on which the reply took a man, unless en passant."""
        square = int(self.reply[SQUARE])
        return square if self.reply[TAKEN] and int(kind_on(self.after, square)) != NO_MAN else None

    @property
    def lost_elsewhere(self) -> int | None:
        return None if self.lost == self.end else self.lost

    def words(self, square: int | None = None) -> dict[str, str]:
        """Return the words for a sentence about a square, that of the move if none is given."""
        there = self.end if square is None else square
        kind = self.kind if square is None else int(kind_on(self.after, there))
        return {"man": NAMES[kind], "square": square_name(there), "attempt": self.name, "from": square_name(self.start)}

    def tries(self, message: np.ndarray) -> int:
        known = int(known_tries(message, self.seen[rules.SEEN_SWITCHES]))
        return 1 if known == SOME else max(known, 0)

    def on_check_line(self, direction: int) -> bool:
        """True if the attempt ends where the man that gives check from a direction may stand, or in its way."""
        king = int(king_of(self.before, self.side))
        if direction == BY_KNIGHT:
            return bool(int(KNIGHT_ATTACKS[king]) >> self.end & 1)
        return bool(int(ACROSS[line_of_check(direction, king), king]) >> self.end & 1)

    @property
    def directions(self) -> list[int]:
        return [direction for direction in CHECK_DIRECTIONS if int(self.heard[CHECKS]) & direction]


def took_and_lost(attempt: Attempt) -> Words:
    took = attempt.told[TAKEN] and attempt.told[SQUARE] == attempt.end
    return attempt.words() if took and attempt.lost == attempt.end else None


def moved_unguarded(attempt: Attempt) -> Words:
    quiet = not attempt.told[TAKEN] and attempt.lost == attempt.end
    return attempt.words() if quiet and not guards(attempt.after, attempt.end, attempt.side) else None


def moved_and_lost(attempt: Attempt) -> Words:
    quiet = not attempt.told[TAKEN] and attempt.lost == attempt.end
    return attempt.words() if quiet and guards(attempt.after, attempt.end, attempt.side) else None


def guard_left(attempt: Attempt) -> Words:
    square = attempt.lost_elsewhere
    if square is None or guards(attempt.after, square, attempt.side):
        return None
    stood = int(kind_on(attempt.before, square)) != NO_MAN
    if not stood or guards(attempt.before, square, attempt.side) != bit(attempt.start):
        return None
    return {**attempt.words(square), "guard": attempt.man}


def left_unguarded(attempt: Attempt) -> Words:
    square = attempt.lost_elsewhere
    if square is None or guards(attempt.after, square, attempt.side) or guard_left(attempt):
        return None
    return attempt.words(square)


def gave_tries(attempt: Attempt) -> Words:
    if attempt.lost is None or not attempt.tries(attempt.told):
        return None
    return attempt.words(attempt.lost)


def try_not_taken(attempt: Attempt) -> Words:
    pawn = takes_by_pawn(int(attempt.before[PAWN]), attempt.move)
    return {} if attempt.tries(attempt.heard) and not pawn and not attempt.refused else None


def not_taken_back(attempt: Attempt) -> Words:
    if attempt.refused or not attempt.heard[TAKEN]:
        return None
    square, first = int(attempt.heard[SQUARE]), attempt.turn[0]
    tried = [other.action for other in attempt.turn if other.action not in (None, rules.ANY)]
    if any(end_of(action) == square for action in tried if action is not None):
        return None
    back = [action for action in first.actions if action != rules.ANY and end_of(action) == square]
    return {"square": square_name(square), "attempt": move_name(back[0])[:4]} if back else None


def gave_up_castling(attempt: Attempt) -> Words:
    castles = attempt.kind == KING and abs(attempt.end - attempt.start) == 2
    if attempt.refused or castles or attempt.kind not in (KING, ROOK):
        return None
    had = [side for side in range(4) if int(attempt.seen[rules.SEEN_RIGHTS]) >> side & 1]
    return attempt.words() if any(not may_castle(attempt.after, side) for side in had) else None


def king_into_check(attempt: Attempt) -> Words:
    if attempt.kind != KING or not attempt.reply[CHECKS]:
        return None
    return {**attempt.words(), "how": check_words(int(attempt.reply[CHECKS]))}


def went_back(attempt: Attempt) -> Words:
    last = attempt.past[0].action if attempt.past else None
    if attempt.refused or last in (None, rules.ANY) or last is None:
        return None
    return attempt.words() if (start_of(last), end_of(last)) == (attempt.end, attempt.start) else None


def refused_again(attempt: Attempt) -> Words:
    refused = {
        one.ply
        for later, one in zip(attempt.past, attempt.past[1:], strict=False)
        if one.action == attempt.move and later.ply == one.ply
    }
    return attempt.words() if attempt.refused and {attempt.ply - 2, attempt.ply - 4} <= refused else None


def check_not_met(attempt: Attempt) -> Words:
    found = attempt.directions
    takes = takes_by_pawn(int(attempt.before[PAWN]), attempt.move)  # perhaps en passant, off the line
    if not attempt.refused or len(found) != 1 or attempt.kind == KING or takes or attempt.on_check_line(found[0]):
        return None
    return {**attempt.words(), "how": check_words(found[0])}


def king_alone_may_move(attempt: Attempt) -> Words:
    return attempt.words() if attempt.refused and len(attempt.directions) > 1 and attempt.kind != KING else None


def king_stayed_on_line(attempt: Attempt) -> Words:
    lines = [way for way in attempt.directions if way != BY_KNIGHT and attempt.on_check_line(way)]
    if not attempt.refused or attempt.kind != KING or not lines:
        return None
    return {**attempt.words(), "line": DIRECTIONS[CHECK_DIRECTIONS.index(lines[0])]}


def check_words(checks: int) -> str:
    return " and ".join("by a knight" if way == "knight" else f"on the {way}" for way in directions_in(checks))


class Pattern(NamedTuple):
    """A pattern: its name, its predicate, and its sentence."""

    name: str
    find: Callable[[Attempt], Words]
    sentence: str


PATTERNS = tuple(
    Pattern(find.__name__, find, sentence)
    for find, sentence in (
        (took_and_lost, "The {man} took on {square} and was taken there in return"),
        (moved_unguarded, "The {man} went to {square}, which no other man guarded, and was taken"),
        (moved_and_lost, "The {man} went to {square} and was taken there at once"),
        (guard_left, "The {guard} on {from} alone could guard the {man} on {square}, which was taken when it had left"),
        (left_unguarded, "The {man} on {square} stood unguarded and was taken"),
        (gave_tries, "After the move the other side had a pawn try, and the {man} on {square} was taken"),
        (try_not_taken, "The referee had announced a pawn try, and no pawn took"),
        (not_taken_back, "A man was lost on {square}, and taking back there, as by {attempt}, was not tried"),
        (gave_up_castling, "The {man} moved and gave up castling"),
        (king_into_check, "The king went to {square} and was in check there at once, {how}"),
        (went_back, "The {man} went back to {square}, from where it had come a move before"),
        (refused_again, "{attempt} was refused for the third turn running"),
        (check_not_met, "The check came {how}, and {attempt} could neither take the checking man nor block it"),
        (king_alone_may_move, "Check came from two directions, so only the king could move, and {attempt} was tried"),
        (king_stayed_on_line, "The check came on the {line}, and {attempt} kept the king on it"),
    )
)


def reasons_of(decisions: Sequence[Decision], place: int) -> list[tuple[str, str]]:
    """Return the name and the sentence of each pattern in an attempt of a player's decisions."""
    if decisions[place].action in (None, rules.ANY):
        return []
    attempt = Attempt(decisions, place)
    found = [(pattern, pattern.find(attempt)) for pattern in PATTERNS]
    return [(pattern.name, pattern.sentence.format(**words)) for pattern, words in found if words is not None]
