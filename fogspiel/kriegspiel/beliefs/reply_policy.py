"""Log-linear policy of an opponent: the probability of each legal move by what the mover knows and by what is there.

The probability of a move is proportional to a product of factors, one from each table below. A table is indexed by a
conjunction of features: the kind of man, the squares, what the mover has just heard (a loss, a check and its direction,
pawn tries, its own capture or check), its two moves before, and attacks on the true board, which engines estimate. An
illegal attempt costs an opponent nothing, so the choice is among legal moves only. A share `NOISE` of the probability
is uniform: no opponent is excluded by the games from which the tables were fitted
(`benchmarks/kriegspiel_training.py`).

A row of a belief is a position and the mover's two last moves (`MEMORY`), packed as 12 bits each, the latest lowest.
What the mover has heard is an array (`HEARD`), the same for all boards.
"""

import numpy as np

from ...core.compile.kernel import in_place, inlined, ones, trailing_zeros
from ...games.chess.bitboards import (
    BISHOP,
    BLACK,
    KINDS,
    KING,
    KNIGHT,
    NO_SQUARE,
    NONE,
    PAWN,
    QUEEN,
    ROOK,
    THROUGH,
    UPSIDE_DOWN,
    WHITE,
    attacks_of,
    bit,
    kind_on,
    reach,
)
from ...games.chess.moves import CHECKERS, threatened_by_pawns
from ...games.chess.position import (
    MEN,
    MOVER,
    PASSANT,
    PLY,
    POSITION,
    end_of,
    king_of,
    occupied,
    promotion_of,
    start_of,
)
from ..game.attempts import CHECKS, MESSAGE, PAWN_TAKEN, SOME, SQUARE, TAKEN, directions

MEMORY = POSITION  # the cell of a row behind its position
ROW = POSITION + 1  # cells of a row of a belief
MOVE_BITS, REMEMBERED_MOVES = 12, (1 << 24) - 1

# What the mover has heard: the message about our last move, that about its own last move, and its loss before.
HEARD_THEIRS, HEARD_BEFORE = MESSAGE, 2 * MESSAGE
HEARD = 2 * MESSAGE + 1

FIRST_PLIES = (0, 20, 60)  # first plies of the phases
PHASES = len(FIRST_PLIES)
DISTANCE = np.array(
    [[max(abs(a % 8 - b % 8), abs(a // 8 - b // 8)) for b in range(64)] for a in range(64)], np.int64
)  # steps of a king
FAR = 3  # distances from here on are alike
AT_PAWN, AT_MINOR, AT_MAJOR = 1, 2, 3  # the least attacker of a square; 0 none
LEAST_WEIGHT = 1e-30

# Tables of factors by their numbers of cells; a policy is all of them in one row.
TABLES = {
    "ends": PHASES * KINDS * 64,
    "starts": PHASES * KINDS * 64,
    "checked": 7 * KINDS * 4,
    "attacks": KINDS * 64,
    "captures": KINDS * 7 * 18,
    "own moves": KINDS * 12 * 8,
    "loss": KINDS * 48,
    "targets": KINDS * PHASES * 24,
    "king": KINDS * PHASES * 16,
    "steps": KINDS * 36,
    "pawns": 8 * 48 + KINDS,
    "earlier loss": KINDS * 32,
    "special": KINDS * PHASES * 6,
    "men": KINDS * 32,
}
FIRST = np.cumsum([0, *TABLES.values()])  # first cells of the tables
CELLS = int(FIRST[-1])
FACTORS = len(TABLES)
(
    ENDS,
    STARTS,
    CHECKED,
    ATTACKS,
    CAPTURES,
    OWN_MOVES,
    LOSS,
    TARGETS,
    NEAR_KING,
    STEPS,
    PAWNS,
    EARLIER,
    SPECIAL,
    MEN_LEFT,
) = (int(first) for first in FIRST[:-1])

# Cells of a scene: what all moves of a board have in common.
(
    S_PHASE, S_CHECK, S_ONCE, S_TWICE, S_BY_PAWN, S_BY_MINOR, S_BY_MAJOR, S_FOE_KING, S_FOES, S_LOST, S_LOST_KIND,
    S_BEFORE, S_TRIES, S_LAST_START, S_LAST_END, S_OLD_START, S_OLD_END, S_SAID, S_OCCUPIED, S_FOE_PAWNS, S_LEFT,
    S_TURNED, S_COLOUR,
) = range(23)  # fmt: skip
SCENE = 23


@inlined
def phase_of(ply):
    if ply < FIRST_PLIES[1]:
        return 0
    return 1 if ply < FIRST_PLIES[2] else 2


@inlined
def copy_row(row, out):
    """Copy a row with all of its cells: those of a position, or of a belief."""
    for cell in range(len(row)):
        out[cell] = row[cell]


@inlined
def remember(memory, move):
    """Return the memory of a side after one more move of its own."""
    return (memory << MOVE_BITS | move & ((1 << MOVE_BITS) - 1)) & REMEMBERED_MOVES


@inlined
def place_of_check(found):
    """Return 0 without a check, the number of its direction from 1 on, or 6 for two checks."""
    if found == 0:
        return 0
    return 6 if found & (found - 1) else 1 + trailing_zeros(found)


@in_place
def survey_scene(board, memory, heard, tries, limits, scene):
    """Fill in what all moves of a board have in common; `limits` are those of the mover."""
    mover, occ = board[MOVER], occupied(board)
    own, foes = board[MEN + mover], board[MEN + 1 - mover]
    scene[S_PHASE], scene[S_COLOUR], scene[S_OCCUPIED], scene[S_FOES] = phase_of(board[PLY]), mover, occ, foes
    scene[S_TURNED] = UPSIDE_DOWN if mover == BLACK else 0
    scene[S_CHECK] = place_of_check(directions(board, limits)) if limits[CHECKERS] else 0
    once, twice = threatened_by_pawns(board, mover), NONE
    for kind in range(KNIGHT, KINDS):
        left = board[kind] & own
        while left:
            reached = reach(kind, trailing_zeros(left), occ)
            twice |= once & reached
            once |= reached
            left &= left - 1
    scene[S_ONCE], scene[S_TWICE] = once, twice
    scene[S_BY_PAWN], minor, major = threatened_by_pawns(board, 1 - mover), NONE, NONE
    for kind in range(KNIGHT, KINDS):
        left = board[kind] & foes
        while left:
            reached = reach(kind, trailing_zeros(left), occ)
            if kind <= BISHOP:
                minor |= reached
            else:
                major |= reached
            left &= left - 1
    scene[S_BY_MINOR], scene[S_BY_MAJOR] = minor, major
    scene[S_FOE_KING] = king_of(board, 1 - mover)
    scene[S_LOST], scene[S_LOST_KIND] = heard[SQUARE], 0
    if heard[TAKEN]:
        scene[S_LOST_KIND] = 1 if heard[TAKEN] == PAWN_TAKEN else 2
    scene[S_BEFORE], scene[S_TRIES] = heard[HEARD_BEFORE], 1 if tries == SOME else min(max(tries, 0), 2)
    scene[S_LAST_START], scene[S_LAST_END] = memory & 63, memory >> 6 & 63
    scene[S_OLD_START], scene[S_OLD_END] = memory >> 12 & 63, memory >> 18 & 63
    scene[S_SAID] = (2 if heard[HEARD_THEIRS + TAKEN] else 0) + (1 if heard[HEARD_THEIRS + CHECKS] else 0)
    scene[S_FOE_PAWNS] = board[PAWN] & foes
    scene[S_LEFT] = 4 * min(ones(own) - 1 >> 2, 3) + min(ones(foes) - 1 >> 2, 3)


@inlined
def attack_on(scene, square):
    """Return the least attacker of a square."""
    if scene[S_BY_PAWN] & bit(square):
        return AT_PAWN
    if scene[S_BY_MINOR] & bit(square):
        return AT_MINOR
    return AT_MAJOR if scene[S_BY_MAJOR] & bit(square) else 0


@inlined
def near(square, lost):
    return FAR if lost == NO_SQUARE else min(DISTANCE[square, lost], FAR)


@inlined
def is_passed(pawns, square, colour):
    """True if no pawn of these stands in front of a pawn of a colour, on its file or beside it."""
    file, rank = square & 7, square >> 3
    files = np.int64(0x0101010101010101) << file
    if file > 0:
        files |= np.int64(0x0101010101010101) << (file - 1)
    if file < 7:
        files |= np.int64(0x0101010101010101) << (file + 1)
    found = pawns & files
    while found:
        other = trailing_zeros(found) >> 3
        if other > rank if colour == WHITE else other < rank:
            return False
        found &= found - 1
    return True


@in_place
def find_cells(board, scene, move, kind, cells):
    """Fill in the cell of each table for a legal move of a man of this kind."""
    start, end, colour, turned = start_of(move), end_of(move), scene[S_COLOUR], scene[S_TURNED]
    phase, there = scene[S_PHASE], bit(end)
    victim = kind_on(board, end) if scene[S_FOES] & there else KINDS
    if kind == PAWN and end == board[PASSANT] and (end - start) & 7:
        victim = PAWN
    takes = 1 if victim < KINDS else 0
    by_itself = kind != PAWN or takes
    guarded = 1 if (scene[S_TWICE] if by_itself else scene[S_ONCE]) & there else 0
    left_guarded = 1 if scene[S_ONCE] & bit(start) else 0
    attack = attack_on(scene, end)
    cells[0] = ENDS + (phase * KINDS + kind) * 64 + (end ^ turned)
    cells[1] = STARTS + (phase * KINDS + kind) * 64 + (start ^ turned)
    cells[2] = CHECKED + (scene[S_CHECK] * KINDS + kind) * 4 + 2 * takes + guarded
    cells[3] = ATTACKS + kind * 64 + attack * 16 + attack_on(scene, start) * 4 + 2 * guarded + left_guarded
    lost = scene[S_LOST]
    back = 0 if lost == NO_SQUARE else 2 if lost == end else 1
    cells[4] = CAPTURES + (kind * 7 + victim) * 18 + back * 6 + scene[S_TRIES] * 2 + guarded
    # the mover's own moves before
    last, last_end = scene[S_LAST_START], scene[S_LAST_END]
    old, old_end = scene[S_OLD_START], scene[S_OLD_END]
    again = 0
    if last != last_end and start == last_end:
        again = 2 if end == last else 3 if THROUGH[last, start] & there and THROUGH[last, start] else 1
    earlier = 0
    if old != old_end:
        earlier = 2 if end == old else 1 if start == old_end else 0
    cells[5] = OWN_MOVES + (kind * 12 + again * 3 + earlier) * 8 + scene[S_SAID] * 2 + takes
    cells[6] = LOSS + kind * 48 + scene[S_LOST_KIND] * 16 + near(end, lost) * 4 + near(start, lost)
    reached = attacks_of(kind, end, colour, scene[S_OCCUPIED] & ~bit(start)) & scene[S_FOES]
    if reached & board[KING]:
        target = 5
    elif reached & board[QUEEN]:
        target = 4
    elif reached & board[ROOK]:
        target = 3
    elif reached & (board[BISHOP] | board[KNIGHT]):
        target = 2
    else:
        target = 1 if reached else 0
    cells[7] = TARGETS + (kind * PHASES + phase) * 24 + target * 4 + 2 * guarded + (1 if attack else 0)
    cells[8] = NEAR_KING + (kind * PHASES + phase) * 16 + DISTANCE[end, scene[S_FOE_KING]] * 2 + takes
    forward = (end >> 3) - (start >> 3)
    if colour == BLACK:
        forward = -forward
    direction = 0 if forward > 0 else 1 if forward == 0 else 2
    length = min(DISTANCE[start, end], 3) - 1
    cells[9] = STEPS + kind * 36 + (direction * 3 + length) * 4 + scene[S_LEFT] % 4
    if kind == PAWN:
        passed = 1 if is_passed(scene[S_FOE_PAWNS], end, colour) else 0
        cells[10] = PAWNS + ((end ^ turned) >> 3) * 48 + (passed * 3 + phase) * 8 + attack * 2 + guarded
    else:
        cells[10] = PAWNS + 384 + kind
    cells[11] = EARLIER + kind * 32 + near(end, scene[S_BEFORE]) * 8 + near(start, scene[S_BEFORE]) * 2 + takes
    special = promotion_of(move)
    if kind == KING and abs(end - start) == 2:
        special = 5
    cells[12] = SPECIAL + (kind * PHASES + phase) * 6 + special
    cells[13] = MEN_LEFT + kind * 32 + scene[S_LEFT] * 2 + takes


NOISE = 0.02  # share of the probability of a reply that is uniform


@in_place
def weigh_replies(board, memory, moves, count, heard, tries, limits, policy, scene, cells, weights):
    """Fill in the probabilities of legal moves, which are grouped by man."""
    survey_scene(board, memory, heard, tries, limits, scene)
    total, last, kind = 0.0, NO_SQUARE, PAWN
    for i in range(count):
        start = start_of(moves[i])
        if start != last:
            last, kind = start, kind_on(board, start)
        find_cells(board, scene, moves[i], kind, cells)
        weight = 1.0
        for factor in range(FACTORS):
            weight *= policy[cells[factor]]
        weights[i] = weight
        total += weight
    for i in range(count):
        weights[i] = (1.0 - NOISE) * weights[i] / max(total, LEAST_WEIGHT) + NOISE / count
