"""Attempts of a player who sees only the own men: every geometric move with only own men in the way."""

from ...core.kernel import in_place, inlined, ones, trailing_zeros
from . import bits
from .bits import LAST_RANKS, bit
from .men import BISHOP, KINDS, KING, KNIGHT, NO_MAN, PAWN, QUEEN, ROOK, kind_on, reach
from .move_code import castling_rook, end_of, move_of, promotion_of, start_of
from .moves import PROMOTIONS, castlings, list_moves, pushes

MOST_ATTEMPTS = 384  # more than nine queens, two rooks, two bishops, two knights and a king can try on an empty board
MOST_MEN = 16
CHOICE_SQUARE, CHOICE_ENDS, CHOICE_WEIGHT = 0, 1, 2
CHOICES = 3  # a row for every man: where it stands, where it can try to go, and how many promotions each try has


@inlined
def attempt_squares(kind, square, colour, own, rights, tries):
    """The squares that a man can try to go to; pawns try to take only if the referee has announced tries."""
    if kind == PAWN:
        found = pushes(square, colour, own)
        return found | bits.PAWN[colour, square] & ~own if tries else found
    found = reach(kind, square, own) & ~own
    return found | castlings(square, colour, rights, own) if kind == KING else found


@in_place
def attempts(men, own, colour, rights, tries, refused, out):
    """List what the side may try: `men` begins with the six sets of men, of which `own` are that side's.

    `refused` has a cell for every square: the set of squares to which the man there has been refused this turn.
    """
    count = 0
    for kind in range(KINDS):
        left = men[kind] & own
        while left:
            square = trailing_zeros(left)
            ends = attempt_squares(kind, square, colour, own, rights, tries) & ~refused[square]
            count = list_moves(square, ends, kind == PAWN, out, count)
            left &= left - 1
    return count


@inlined
def _add_choices(left, kind, colour, own, rights, tries, out, count):
    """Add the rows of all men of one kind: folded into its caller, so that the kind is known when it is compiled."""
    while left:
        square = trailing_zeros(left)
        ends = attempt_squares(kind, square, colour, own, rights, tries)
        promotes = kind == PAWN and ends & LAST_RANKS[colour] != 0
        out[count, CHOICE_SQUARE], out[count, CHOICE_ENDS] = square, ends
        out[count, CHOICE_WEIGHT] = PROMOTIONS if promotes else 1
        count += 1
        left &= left - 1
    return count


@in_place
def choices(men, own, colour, rights, tries, out):
    """List the attempts of a side at the beginning of a turn, one row per man in the order of `attempts`."""
    count = _add_choices(men[PAWN] & own, PAWN, colour, own, rights, tries, out, 0)
    count = _add_choices(men[KNIGHT] & own, KNIGHT, colour, own, rights, tries, out, count)
    count = _add_choices(men[BISHOP] & own, BISHOP, colour, own, rights, tries, out, count)
    count = _add_choices(men[ROOK] & own, ROOK, colour, own, rights, tries, out, count)
    count = _add_choices(men[QUEEN] & own, QUEEN, colour, own, rights, tries, out, count)
    return _add_choices(men[KING] & own, KING, colour, own, rights, tries, out, count)


@in_place
def choice_count(choice, men):
    """The number of attempts that these rows stand for."""
    count = 0
    for man in range(men):
        count += ones(choice[man, CHOICE_ENDS]) * choice[man, CHOICE_WEIGHT]
    return count


@in_place
def taken_choice(choice, number):
    """The attempt that is `number` on the list; it and its other promotions are struck off the rows."""
    man = 0
    here = ones(choice[0, CHOICE_ENDS]) * choice[0, CHOICE_WEIGHT]
    while number >= here:
        number -= here
        man += 1
        here = ones(choice[man, CHOICE_ENDS]) * choice[man, CHOICE_WEIGHT]
    weight, ends = choice[man, CHOICE_WEIGHT], choice[man, CHOICE_ENDS]
    for _ in range(number // weight):
        ends &= ends - 1
    end = trailing_zeros(ends)
    choice[man, CHOICE_ENDS] ^= bit(end)
    return move_of(choice[man, CHOICE_SQUARE], end, QUEEN - number % weight if weight == PROMOTIONS else 0)


@in_place
def refuse(refused, start, end):
    """Remember a refused attempt until the turn is over."""
    refused[start] |= bit(end)


@in_place
def move_own(men, colour, move):
    """Make an accepted move on the own men alone: six sets in the first cells of `men`. The kind that moved."""
    start, end, promotion = start_of(move), end_of(move), promotion_of(move)
    kind = kind_on(men, start)
    men[kind] ^= bit(start) | bit(end)
    if promotion:
        men[PAWN] ^= bit(end)
        men[promotion] |= bit(end)
    elif kind == KING and abs(end - start) == 2:
        men[ROOK] ^= bit(castling_rook(colour, start, end)) | bit((start + end) // 2)
    return kind


@in_place
def lose_own(men, square):
    """Take an own man off the board. The kind that was lost."""
    kind = kind_on(men, square)
    if kind != NO_MAN:
        men[kind] ^= bit(square)
    return kind
