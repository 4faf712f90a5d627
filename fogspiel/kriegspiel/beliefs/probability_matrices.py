"""The probability matrices of approaches B and C, and the first set of assumptions (section 5.2): chess by the odds.

`odds` has three rows of 64: the chances that his king, a pawn, another piece of his stand on each square. `scene` is
what we know for sure:
     0..5    our men by kind, 6 all of them, 7 our colour, 8 our castling rights,
     9       our pawn tries as announced (inside a search: 1, because they are not simulated),
     10, 11  his pawns and pieces by what was taken, 12 the directions of check to our king
"""

import numpy as np

from ...core.kernel import kernel, ones, trailing_zeros
from ...games.chess import bits
from ...games.chess.attempts import move_own
from ...games.chess.bits import BETWEEN, NONE, THROUGH, bit
from ...games.chess.moves import reach
from ...games.chess.position import KING, LAST_RANKS, PAWN, end_of, kind_on, promotion_of, start_of
from ..parameters import DAMPING, HAZARD_KING, HAZARD_PAWN, HAZARD_PIECE, KING_CONTROL, KNIGHT_SHARE, LINE_SHARE, PIN

KINGS, PAWNS, PIECES = 0, 1, 2
"""The rows of the odds, and of the control of squares by his king, pawns and pieces."""
OWN, COLOUR, RIGHTS, TRIES, HIS_PAWNS, HIS_PIECES, CHECKS = 6, 7, 8, 9, 10, 11, 12
SCENE = 13
LEAST = 1e-4
"""Chances below this are not followed any further."""
SURE = 0.98
"""No square is taken as occupied with more than this chance."""
OCC, CONTROL, HAZARD, PADDED = 0, 1, 4, 6
SURVEYED = 20
"""The rows of a survey: how probably a square is occupied; how much he controls it by his king, pawns and pieces; the
chance that an unprotected and a protected man of ours are taken there when he moves. The rest are boards with a margin
of empty squares, which must begin as zeros: his king, pawns and pieces, what each square adds to control of the next
one on a line and what it lets through, and the control that is carried along."""
WIDE, BOARD_WITH_MARGIN, CORNER = 12, 144, 26
FIRST_BOARD = 64 * PADDED
ADDED, LET_THROUGH, CARRYING = 3 * BOARD_WITH_MARGIN, 4 * BOARD_WITH_MARGIN, 5 * BOARD_WITH_MARGIN
CARRIED = FIRST_BOARD + CARRYING
MARGINED = np.array([CORNER + WIDE * (square // 8) + square % 8 for square in range(64)])


def _neighbours(steps: tuple[tuple[int, int], ...]) -> np.ndarray:
    """The next square in each direction, or -1 beyond the edge."""
    found = np.full((len(steps), 64), -1, np.int64)
    for row, (up, right) in enumerate(steps):
        for square in range(64):
            rank, file = square // 8 + up, square % 8 + right
            if 0 <= rank < 8 and 0 <= file < 8:
                found[row, square] = 8 * rank + file
    return found


NEXT = _neighbours(((0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1)))
"""The four directions upwards, then their opposites."""


def _lines() -> tuple[np.ndarray, np.ndarray]:
    """Every rank, file and diagonal of two squares or more: its squares, its length."""
    lines = []
    for direction in range(4):
        for square in range(64):
            if NEXT[direction + 4, square] < 0:
                line = [square]
                while NEXT[direction, line[-1]] >= 0:
                    line.append(int(NEXT[direction, line[-1]]))
                if len(line) > 1:
                    lines.append(line)
    squares = np.zeros((len(lines), 8), np.int64)
    for row, line in enumerate(lines):
        squares[row, : len(line)] = line
    return squares, np.array([len(line) for line in lines])


LINES, LENGTHS = _lines()


@kernel
def set_home(odds, scene, colour):
    """The men at the start of a game."""
    for square in range(64):
        rank = square // 8 if colour == 1 else 7 - square // 8
        odds[KINGS, square] = 1.0 if rank == 0 and square % 8 == 4 else 0.0
        odds[PAWNS, square] = 1.0 if rank == 1 else 0.0
        odds[PIECES, square] = 1.0 if rank == 0 and square % 8 != 4 else 0.0
    scene[COLOUR] = colour
    scene[HIS_PAWNS] = 8
    scene[HIS_PIECES] = 7
    scene[CHECKS] = 0


@kernel
def scatter(odds, scene, pawns, pieces):
    """The men of a game that begins in the middle: anywhere they may stand."""
    scene[HIS_PAWNS], scene[HIS_PIECES] = pawns, pieces
    free = ~scene[OWN]
    inside = free & ~LAST_RANKS[0] & ~LAST_RANKS[1]
    for square in range(64):
        odds[KINGS, square] = 1.0 / ones(free) if free & bit(square) else 0.0
        odds[PAWNS, square] = pawns / ones(inside) if inside & bit(square) else 0.0
        odds[PIECES, square] = pieces / ones(free) if free & bit(square) else 0.0
    deny_king(odds, scene)


@kernel
def occupancy(odds, square):
    """The chance that a man of his stands on a square."""
    return min(SURE, odds[KINGS, square] + odds[PAWNS, square] + odds[PIECES, square])


@kernel
def total(odds, row):
    """How many men a row of the odds stands for."""
    found = 0.0
    for square in range(64):
        found += odds[row, square]
    return found


@kernel
def scale(odds, row, wanted, possible):
    """Bring the sum of a row to `wanted`; if nothing was left of it, spread it over the possible squares."""
    present = total(odds, row)
    if present > 1e-3 * wanted:
        factor = wanted / present
        for square in range(64):
            odds[row, square] *= factor
        return
    share = wanted / max(1, ones(possible))
    for square in range(64):
        odds[row, square] = share if possible & bit(square) else 0.0


@kernel
def empty(odds, squares, possible):
    """Take all of his men off these squares and spread them over the rest: "their total sum does not change"."""
    for row in range(3):
        before, gone = total(odds, row), 0.0
        left = squares
        while left:
            square = trailing_zeros(left)
            gone += odds[row, square]
            odds[row, square] = 0.0
            left &= left - 1
        if gone > 0.0:
            scale(odds, row, before, possible)


@kernel
def attacks_of(kind, square, colour, occ):
    """The squares that a man of ours attacks."""
    return bits.PAWN[colour, square] if kind == PAWN else reach(kind, square, occ)


@kernel
def attacked(scene):
    """The squares that our men attack, through his men, whom we do not see; a protected man of ours stands on one."""
    found, own = NONE, scene[OWN]
    for kind in range(KING + 1):
        left = scene[kind]
        while left:
            found |= attacks_of(kind, trailing_zeros(left), scene[COLOUR], own)
            left &= left - 1
    return found


@kernel
def copy_with_margin(odds, own, constants, ground, boards):
    """Begin a survey: copy his men to boards with a margin."""
    share, damping = np.float32(constants[LINE_SHARE]), np.float32(constants[DAMPING])
    for square in range(64):
        cell = FIRST_BOARD + MARGINED[square]
        king, pawn, piece = odds[KINGS, square], odds[PAWNS, square], odds[PIECES, square]
        there = min(np.float32(SURE), king + pawn + piece)
        free = np.float32(~(own >> square) & 1)
        ground[OCC, square] = there
        boards[cell + KINGS * BOARD_WITH_MARGIN] = king
        boards[cell + PAWNS * BOARD_WITH_MARGIN] = pawn
        boards[cell + PIECES * BOARD_WITH_MARGIN] = piece
        boards[cell + ADDED] = free * share * piece
        boards[cell + LET_THROUGH] = free * damping * (np.float32(1.0) - there)


@kernel
def survey_lines(ground, boards):
    """Add his control along ranks, files and diagonals."""
    for way in (WIDE - 1, WIDE, WIDE + 1, -WIDE - 1, -WIDE, -WIDE + 1):
        first = 0 if way < 0 else 7
        for file in range(8):
            boards[CARRIED + CORNER + WIDE * first + file] = 0.0
        for step in range(1, 8):
            rank = step if way < 0 else 7 - step
            for file in range(8):
                here = FIRST_BOARD + CORNER + WIDE * rank + file
                near = here + way
                carried = boards[near + ADDED] + boards[near + LET_THROUGH] * boards[near + CARRYING]
                boards[here + CARRYING] = carried
                ground[CONTROL + PIECES, 8 * rank + file] += carried
    for rank in range(8):
        right, left = np.float32(0.0), np.float32(0.0)
        for file in range(7):
            cell = FIRST_BOARD + CORNER + WIDE * rank + file
            right = boards[cell + ADDED] + boards[cell + LET_THROUGH] * right
            ground[CONTROL + PIECES, 8 * rank + file + 1] += right
            cell += 7 - 2 * file
            left = boards[cell + ADDED] + boards[cell + LET_THROUGH] * left
            ground[CONTROL + PIECES, 8 * rank + 6 - file] += left


@kernel
def survey(odds, scene, constants, ground):
    """Work out for every square how probably it is occupied, how much he controls it, and how exposed a man is there.

    Control is Prob_control of the paper, in its three parts.
    """
    boards = ground.reshape(ground.size)
    copy_with_margin(odds, scene[OWN], constants, ground, boards)
    jump, back = np.float32(constants[KNIGHT_SHARE]), WIDE if scene[COLOUR] == 0 else -WIDE
    for square in range(64):
        cell = FIRST_BOARD + MARGINED[square]
        beside = boards[cell - 1] + boards[cell + 1]
        above = boards[cell + WIDE - 1] + boards[cell + WIDE] + boards[cell + WIDE + 1]
        below = boards[cell - WIDE - 1] + boards[cell - WIDE] + boards[cell - WIDE + 1]
        ground[CONTROL + KINGS, square] = beside + above + below
        cell += BOARD_WITH_MARGIN
        ground[CONTROL + PAWNS, square] = boards[cell + back - 1] + boards[cell + back + 1]
        cell += BOARD_WITH_MARGIN
        near = boards[cell + WIDE - 2] + boards[cell + WIDE + 2] + boards[cell - WIDE - 2] + boards[cell - WIDE + 2]
        far = boards[cell + 2 * WIDE - 1] + boards[cell + 2 * WIDE + 1]
        far += boards[cell - 2 * WIDE - 1] + boards[cell - 2 * WIDE + 1]
        ground[CONTROL + PIECES, square] = jump * (near + far)
    survey_lines(ground, boards)
    pawn, piece = np.float32(constants[HAZARD_PAWN]), np.float32(constants[HAZARD_PIECE])
    king = np.float32(constants[HAZARD_KING])
    for square in range(64):
        x = pawn * ground[CONTROL + PAWNS, square] + piece * ground[CONTROL + PIECES, square]
        y = x + king * ground[CONTROL + KINGS, square]
        ground[HAZARD + 1, square] = x / (np.float32(1.0) + x)
        ground[HAZARD, square] = y / (np.float32(1.0) + y)


@kernel
def way_is_clear(ground, squares):
    """The chance that these squares are empty."""
    chance = 1.0
    while squares:
        chance *= 1.0 - ground[OCC, trailing_zeros(squares)]
        squares &= squares - 1
    return chance


@kernel
def pin_chance(scene, ground, start, end, constants):
    """The chance that a man may not leave its square because it protects the king."""
    king = trailing_zeros(scene[KING])
    if THROUGH[king, start] == 0 or BETWEEN[king, start] & scene[OWN] or THROUGH[king, start] & bit(end):
        return 0.0
    return min(0.9, constants[PIN] * ground[CONTROL + PIECES, start])


@kernel
def legality(odds, scene, ground, kind, start, end, constants):
    """Prob_legal: the way is clear and the king is not left in check (section 5.2)."""
    if kind == KING:
        x = ground[CONTROL + KINGS, end] + ground[CONTROL + PAWNS, end] + ground[CONTROL + PIECES, end]
        x *= constants[KING_CONTROL]
        chance = 1.0 / (1.0 + x + x * x)
        if abs(end - start) == 2:
            middle = (start + end) // 2
            x = ground[CONTROL + PAWNS, middle] + ground[CONTROL + PIECES, middle]
            return chance / (1.0 + x) * way_is_clear(ground, BETWEEN[start, end] | bit(end))
        return chance
    if kind == PAWN:
        if (end - start) % 8:
            chance = min(1.0, odds[PAWNS, end] + odds[PIECES, end])
        else:
            chance = way_is_clear(ground, BETWEEN[start, end] | bit(end))
    else:
        chance = way_is_clear(ground, BETWEEN[start, end])
    return chance * (1.0 - pin_chance(scene, ground, start, end, constants))


@kernel
def move_in(scene, move):
    """Make our move on our own men. The kind that stands on the new square."""
    own_before = scene[OWN]
    kind = move_own(scene, scene[COLOUR], move)
    own = NONE
    for other in range(KING + 1):
        own |= scene[other]
    scene[OWN] = own
    if kind == KING:
        scene[RIGHTS] = 0
    if not own_before & bit(end_of(move)) and promotion_of(move):
        return promotion_of(move)
    return kind


@kernel
def take_off(scene, square):
    """A man of ours is taken. Its kind."""
    kind = kind_on(scene, square)
    scene[kind] &= ~bit(square)
    scene[OWN] &= ~bit(square)
    return kind


@kernel
def note_move(odds, scene, move, taken, victim):
    """Our move was made, and the referee said what it took (0, 1 a pawn, 2 a piece) where; `scene` has it already."""
    end = end_of(move)
    passed = BETWEEN[start_of(move), end] | bit(end)
    possible = ~scene[OWN]
    if taken:
        row = PAWNS if taken == 1 else PIECES
        before, there = total(odds, row), odds[row, victim]
        if taken == 2 and before < 0.5:  # all seven pieces are gone: a pawn has become one
            scale(odds, PAWNS, max(0.0, total(odds, PAWNS) - 1.0), possible)
        scene[HIS_PAWNS if taken == 1 or scene[HIS_PIECES] == 0 else HIS_PIECES] -= 1
        odds[row, victim] = 0.0
        if before - there > 0.0:
            factor = max(0.0, before - 1.0) / (before - there)
            for square in range(64):
                odds[row, square] *= factor
    empty(odds, passed, possible)


@kernel
def deny_king(odds, scene):
    """It is our move: his king stands on no square that we attack, as far as the way there is clear."""
    own = scene[OWN]
    for kind in range(KING + 1):
        men = scene[kind]
        while men:
            start = trailing_zeros(men)
            left = attacks_of(kind, start, scene[COLOUR], own) & ~own
            while left:
                square = trailing_zeros(left)
                if odds[KINGS, square] > 0.0:
                    clear, between = 1.0, BETWEEN[start, square]
                    while between:
                        inside = trailing_zeros(between)
                        clear *= 1.0 - min(SURE, odds[PAWNS, inside] + odds[PIECES, inside])
                        between &= between - 1
                    odds[KINGS, square] *= 1.0 - clear
                left &= left - 1
            men &= men - 1
    scale(odds, KINGS, 1.0, ~(own | attacked(scene)))


@kernel
def pawn_targets(scene):
    """The squares that our pawns attack and that none of our men stands on."""
    left, found = scene[PAWN], NONE
    while left:
        found |= bits.PAWN[scene[COLOUR], trailing_zeros(left)]
        left &= left - 1
    return found & ~scene[OWN]
