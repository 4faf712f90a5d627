"""Attempts of a player who sees only the own men, and announcements of the referee.

An attempt is every geometric move that no own man blocks.
"""

from ...core.compile.kernel import in_place, inlined, kernel, ones, trailing_zeros
from ...games.chess import bitboards, moves, position
from ...games.chess.bitboards import BISHOP, KING, KNIGHT, NO_SQUARE, PAWN, QUEEN, ROOK, THROUGH, bit, kind_on
from ...games.chess.moves import ALLOWED, CHECKERS, PINNED, PROMOTIONS, passant_is_legal, taken_left, taken_right
from ...games.chess.position import MEN, MOVER, PASSANT, end_of, king_of, move_of, promotion_of, start_of, victim_square

MAX_MEN = 16
CHOICE_SQUARE, CHOICE_ENDS, CHOICE_WEIGHT = 0, 1, 2
CHOICES = 3  # a row for every man: its square, the squares it can try, and the number of promotions of each try


@inlined
def attempt_squares(kind, square, colour, own, rights, tries):
    """Return the squares that a man can try; pawns try captures only if the referee has announced tries."""
    if kind == PAWN:
        found = moves.pushes(square, colour, own)
        return found | bitboards.PAWN_ATTACKS[colour, square] & ~own if tries else found
    found = bitboards.reach(kind, square, own) & ~own
    return found | moves.castlings(square, colour, rights, own) if kind == KING else found


@in_place
def attempts(men, own, colour, rights, tries, refused, out):
    """List the possible attempts: `men` starts with the six sets of men, of which `own` are that side's.

    `refused` has a cell for every square: the squares to which the man there has been refused this turn.
    """
    count = 0
    for kind in range(bitboards.KINDS):
        left = men[kind] & own
        while left:
            square = trailing_zeros(left)
            ends = attempt_squares(kind, square, colour, own, rights, tries) & ~refused[square]
            count = moves.list_moves(square, ends, kind == PAWN, out, count)
            left &= left - 1
    return count


@inlined
def _add_choices(left, kind, colour, own, rights, tries, out, count):
    """Add the rows of all men of one kind; inlined, so that the kind is a compile-time constant."""
    while left:
        square = trailing_zeros(left)
        ends = attempt_squares(kind, square, colour, own, rights, tries)
        promotes = kind == PAWN and ends & bitboards.LAST_RANKS[colour] != 0
        out[count, CHOICE_SQUARE], out[count, CHOICE_ENDS] = square, ends
        out[count, CHOICE_WEIGHT] = PROMOTIONS if promotes else 1
        count += 1
        left &= left - 1
    return count


@in_place
def choices(men, own, colour, rights, tries, out):
    """List the attempts of a side at the start of a turn, one row per man in the order of `attempts`."""
    count = _add_choices(men[PAWN] & own, PAWN, colour, own, rights, tries, out, 0)
    count = _add_choices(men[KNIGHT] & own, KNIGHT, colour, own, rights, tries, out, count)
    count = _add_choices(men[BISHOP] & own, BISHOP, colour, own, rights, tries, out, count)
    count = _add_choices(men[ROOK] & own, ROOK, colour, own, rights, tries, out, count)
    count = _add_choices(men[QUEEN] & own, QUEEN, colour, own, rights, tries, out, count)
    return _add_choices(men[KING] & own, KING, colour, own, rights, tries, out, count)


@in_place
def choice_count(choice, men):
    count = 0
    for man in range(men):
        count += ones(choice[man, CHOICE_ENDS]) * choice[man, CHOICE_WEIGHT]
    return count


@in_place
def taken_choice(choice, number):
    """Return attempt `number` of the list, and delete it and its other promotions from the rows."""
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
    refused[start] |= bit(end)


@in_place
def move_own(men, colour, move):
    """Make an accepted move on the own men alone (six sets in the first cells of `men`); return the kind that moved."""
    start, end, promotion = start_of(move), end_of(move), promotion_of(move)
    kind = kind_on(men, start)
    men[kind] ^= bit(start) | bit(end)
    if promotion:
        men[PAWN] ^= bit(end)
        men[promotion] |= bit(end)
    elif kind == KING and abs(end - start) == 2:
        men[ROOK] ^= bit(position.castling_rook(colour, start, end)) | bit((start + end) // 2)
    return kind


@in_place
def lose_own(men, square):
    """Remove a captured own man; return its kind."""
    kind = kind_on(men, square)
    if kind != bitboards.NO_MAN:
        men[kind] ^= bit(square)
    return kind


# Referee's message after a move, the same for both players (rule sets: below).
#
#     0    the capture: 0 none, 1 a pawn, 2 a piece, 3 a man of unannounced kind, 4 a pawn, en passant
#     1    the square of the captured man, or -1
#     2    the directions from which the king of the side to move is in check, as a set of the five below
#     3    the number of legal captures by pawns of the side to move; under other rules than those of the Internet
#          Chess Club whether there are any, or the squares of the pawns that have some, or always 0

TAKEN, SQUARE, CHECKS, TRIES = 0, 1, 2, 3
MESSAGE = 4  # the cells of a message
NOTHING_TAKEN, PAWN_TAKEN, PIECE_TAKEN, MAN_TAKEN, PASSANT_TAKEN = 0, 1, 2, 3, 4
ACROSS = bitboards.ABOVE | bitboards.BELOW  # squares of each line through a square, without it
CHECK_DIRECTIONS = BY_RANK, BY_FILE, BY_LONG_DIAGONAL, BY_SHORT_DIAGONAL, BY_KNIGHT = 1, 2, 4, 8, 16


@in_place
def rising_is_long(square):
    """True if the diagonal parallel to a1-h8 is the longer one through a square."""
    return (square % 8 < 4) == (square < 32)


@in_place
def line_of_check(direction, king):
    """Return the line of the board that a direction of check denotes, other than the knight's."""
    if direction == BY_RANK:
        return bitboards.RANK
    if direction == BY_FILE:
        return bitboards.FILE
    return bitboards.RISING if (direction == BY_LONG_DIAGONAL) == rising_is_long(king) else bitboards.FALLING


@inlined
def direction_of_check(king, checker):
    """Return the direction from which a man other than a knight, alone in the set `checker`, gives check."""
    if ACROSS[bitboards.RANK, king] & checker:
        return BY_RANK
    if ACROSS[bitboards.FILE, king] & checker:
        return BY_FILE
    if (ACROSS[bitboards.RISING, king] & checker != 0) == rising_is_long(king):
        return BY_LONG_DIAGONAL
    return BY_SHORT_DIAGONAL


@in_place
def directions(pos, limits):
    """Return the directions of check, relative to the king; a pawn's is a diagonal."""
    king, left, found = king_of(pos, pos[MOVER]), limits[CHECKERS], 0
    while left:
        checker = left & -left
        found |= BY_KNIGHT if pos[KNIGHT] & checker else direction_of_check(king, checker)
        left &= left - 1
    return found


@in_place
def passant_takers(pos, pawns):
    """Return those of the pawns that can legally capture en passant on the square that was passed over."""
    left, found = bitboards.PAWN_ATTACKS[1 - pos[MOVER], pos[PASSANT]] & pawns, bitboards.NONE
    while left:
        if passant_is_legal(pos, trailing_zeros(left)):
            found |= left & -left
        left &= left - 1
    return found


@in_place
def pawn_tries(pos, limits, per_piece):
    """Count the legal captures by pawns; a promoting one counts once, or four times if counted per piece."""
    mover = pos[MOVER]
    pawns, victims = pos[PAWN] & pos[MEN + mover], pos[MEN + 1 - mover] & limits[ALLOWED]
    free, pinned, last = pawns & ~limits[PINNED], pawns & limits[PINNED], bitboards.LAST_RANKS[mover]
    left, right = taken_left(free, mover) & victims, taken_right(free, mover) & victims
    count = ones(left) + ones(right)
    promoting = ones(left & last) + ones(right & last)
    while pinned:
        square = trailing_zeros(pinned)
        ends = bitboards.PAWN_ATTACKS[mover, square] & victims & THROUGH[king_of(pos, mover), square]
        count += ones(ends)
        promoting += ones(ends & last)
        pinned &= pinned - 1
    if pos[PASSANT] != NO_SQUARE:
        count += ones(passant_takers(pos, pawns))
    return count + 3 * promoting if per_piece else count


@in_place
def capturing_pawns(pos, limits):
    mover = pos[MOVER]
    pawns, victims = pos[PAWN] & pos[MEN + mover], pos[MEN + 1 - mover] & limits[ALLOWED]
    left, found = pawns, passant_takers(pos, pawns) if pos[PASSANT] != NO_SQUARE else bitboards.NONE
    while left:
        square = trailing_zeros(left)
        ends = bitboards.PAWN_ATTACKS[mover, square] & victims
        if limits[PINNED] & bit(square):
            ends &= THROUGH[king_of(pos, mover), square]
        if ends:
            found |= bit(square)
        left &= left - 1
    return found


@in_place
def announced_capture(pos, move, at_arrival, out):
    """Write the announcement about the man that a legal move is about to capture, or its absence."""
    victim = victim_square(pos, move)
    out[TAKEN], out[SQUARE] = NOTHING_TAKEN, NO_SQUARE
    if victim != NO_SQUARE:
        out[TAKEN] = PAWN_TAKEN if pos[PAWN] & bit(victim) else PIECE_TAKEN
        out[SQUARE] = end_of(move) if at_arrival else victim


@kernel
def make_and_say(pos, move, limits, said):
    """Make a move, compute the limits of the opponent, and write the message of a referee without switches."""
    announced_capture(pos, move, 0, said)
    position.make(pos, move)
    moves.restrict(pos, limits)
    said[CHECKS] = directions(pos, limits)
    said[TRIES] = pawn_tries(pos, limits, 0)


# Announcements of the referee under each rule set, and the test of a board against them.
#
# A rule set is a set of the bits below; without any of them the rules are those of the Internet Chess Club. The referee
# and every belief use the same kernels: a board fits if the referee would announce exactly the received messages.

# Switches, in which house rules differ.
PROMOTIONS_COUNT_FOUR, PASSANT_AT_ARRIVAL, NO_FIFTY, NO_REPETITION, NO_MATERIAL = 1, 2, 4, 8, 16
# Captured kinds are not announced; tries are not announced, or only their existence, or by squares.
KIND_HIDDEN, TRIES_HIDDEN, TRIES_YES_NO, TRIES_BY_SQUARE = 32, 64, 128, 256
# A side may ask whether its pawns can capture; if so it must capture with one, not only try; refusals are public.
MAY_ASK, MUST_TAKE, REFUSALS_HEARD = 512, 1024, 2048
# Promotions and captures en passant are announced; stalemate loses; only 2,000 quiet plies are a draw.
PROMOTION_SAID, PASSANT_SAID, STALEMATE_LOSES, LONG_LIMIT = 4096, 8192, 16384, 32768
TRIES_OTHERWISE = TRIES_HIDDEN | TRIES_YES_NO | TRIES_BY_SQUARE
# The bits that make a rule set, without the switches.
RULE_SET = ~(PROMOTIONS_COUNT_FOUR | PASSANT_AT_ARRIVAL | NO_FIFTY | NO_REPETITION | NO_MATERIAL) & 0xFFFF
# Numbers of tries in a belief that was not told the number: nothing announced, or only their existence.
UNKNOWN, SOME = -1, -2


@kernel
def announced_kind(board, victim, end, switches):
    """Return the announcement about the man on `victim`, about to be captured by a move to `end`."""
    if switches & PASSANT_SAID and victim != end:
        return PASSANT_TAKEN
    if switches & KIND_HIDDEN:
        return MAN_TAKEN
    return PAWN_TAKEN if board[PAWN] & bit(victim) else PIECE_TAKEN


@kernel
def announce_capture(board, move, switches, out):
    """Write the announcement about a capture by another rule set."""
    victim, end = victim_square(board, move), end_of(move)
    out[TAKEN], out[SQUARE] = NOTHING_TAKEN, NO_SQUARE
    if victim != NO_SQUARE:
        out[TAKEN] = announced_kind(board, victim, end, switches)
        out[SQUARE] = end if switches & PASSANT_AT_ARRIVAL else victim


@kernel
def announced_tries(board, limits, switches):
    """Return the announcement about pawn captures: a number, 0 or 1, a set of pawns, or nothing."""
    if switches & TRIES_OTHERWISE == 0:
        return pawn_tries(board, limits, switches & PROMOTIONS_COUNT_FOUR)
    if switches & TRIES_HIDDEN:
        return 0
    takers = capturing_pawns(board, limits)
    return takers if switches & TRIES_BY_SQUARE else 1 if takers else 0


@kernel
def fits_capture(board, move, message, switches):
    """True if the announced capture fits a legal move that is about to be made."""
    victim = victim_square(board, move)
    if victim == NO_SQUARE:
        return message[TAKEN] == NOTHING_TAKEN
    end = end_of(move)
    if message[SQUARE] != (end if switches & PASSANT_AT_ARRIVAL else victim):
        return False
    return message[TAKEN] == announced_kind(board, victim, end, switches)


@kernel
def fits_position(board, message, limits, switches):
    """True if the announced checks and tries fit a board after the move; fill in the limits."""
    moves.restrict(board, limits)
    return directions(board, limits) == message[CHECKS] and announced_tries(board, limits, switches) == message[TRIES]


@kernel
def known_tries(message, switches):
    """Return the number of tries by a message, or UNKNOWN or SOME."""
    if switches & TRIES_HIDDEN:
        return UNKNOWN
    if switches & TRIES_OTHERWISE and message[TRIES] != 0:
        return SOME
    return message[TRIES]


@kernel
def tries_fit(tries, known):
    return known == UNKNOWN or (tries > 0 if known == SOME else tries == known)
