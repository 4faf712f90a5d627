"""What the referee's real messages and refusals say about the probability matrices, by Bayes' rule square by square."""

import math

import numpy as np

from ...core.kernel import kernel, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import ABOVE, BELOW, BETWEEN, FALLING, FILE, NONE, RANK, RISING, bit
from ...games.chess.messages import BY_FILE, BY_KNIGHT, BY_RANK, rising_is_long
from ...games.chess.moves import reach
from ...games.chess.position import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, end_of, kind_on, start_of
from ..parameters import KNIGHT_SHARE, LINE_SHARE
from .opponent_motion import let_him_move, let_him_take
from .probability_matrices import (
    CHECKS,
    COLOUR,
    CONTROL,
    KINGS,
    NEXT,
    OCC,
    OWN,
    PAWNS,
    PIECES,
    SURE,
    SURVEYED,
    TRIES,
    deny_king,
    move_in,
    note_move,
    occupancy,
    pawn_targets,
    pin_chance,
    scale,
    survey,
    take_off,
    total,
    way_is_clear,
)


@kernel
def tilt(chances, times, count, wanted):
    """Change independent chances by one factor of their odds so that the expected number of events is `wanted`."""
    low, high = -12.0, 12.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        factor, expected = math.exp(middle), 0.0
        for i in range(count):
            expected += times[i] * chances[i] * factor / (1.0 - chances[i] + chances[i] * factor)
        if expected < wanted:
            low = middle
        else:
            high = middle
    factor = math.exp(0.5 * (low + high))
    for i in range(count):
        chances[i] = chances[i] * factor / (1.0 - chances[i] + chances[i] * factor)


@kernel
def hear_his_tries(odds, scene, tries):
    """He has so many pawn captures: pawns stand beside our men, or they do not."""
    squares, chances = np.empty(64, np.int64), np.empty(64, np.float64)
    times, count, before = np.empty(64, np.float64), 0, total(odds, PAWNS)
    for square in range(64):
        victims = bits.PAWN[1 - scene[COLOUR], square] & scene[OWN] & ~scene[KING]
        if odds[PAWNS, square] > 0.0 and victims:
            squares[count], chances[count] = square, min(SURE, odds[PAWNS, square])
            times[count] = 1.0 if victims & (victims - 1) == 0 else 2.0
            count += 1
    if count == 0:
        return
    if tries:
        tilt(chances, times, count, float(tries))
    came, others = 0.0, before
    for i in range(count):
        others -= odds[PAWNS, squares[i]]
        odds[PAWNS, squares[i]] = chances[i] if tries else 0.03 * chances[i]  # his pawn may be pinned
        came += odds[PAWNS, squares[i]]
    if others > 1e-6:
        factor = max(0.0, before - came) / others
        for i in range(count):
            odds[PAWNS, squares[i]] /= max(factor, 1e-9)
        for square in range(64):
            odds[PAWNS, square] *= max(factor, 1e-9)


@kernel
def hear_tries(odds, scene, tries):
    """We have so many pawn captures: his men stand where our pawns take, or they do not."""
    targets = pawn_targets(scene)
    if tries == 0:
        left = targets
        while left:
            square = trailing_zeros(left)
            for row in range(PAWNS, PIECES + 1):
                odds[row, square] *= 0.05  # our pawn may be pinned
            left &= left - 1
        return
    squares, chances, times, count = np.empty(64, np.int64), np.empty(64, np.float64), np.empty(64, np.float64), 0
    while targets:
        square = trailing_zeros(targets)
        there = odds[PAWNS, square] + odds[PIECES, square]
        if there > 0.0:
            pawns = bits.PAWN[1 - scene[COLOUR], square] & scene[PAWN]
            squares[count], chances[count] = square, min(SURE, there)
            times[count] = 1.0 if pawns & (pawns - 1) == 0 else 2.0
            count += 1
        targets &= targets - 1
    tilt(chances, times, count, float(tries))
    for i in range(count):
        square = squares[i]
        factor = chances[i] / (odds[PAWNS, square] + odds[PIECES, square])
        odds[PAWNS, square] *= factor
        odds[PIECES, square] *= factor
        odds[KINGS, square] *= 1.0 - chances[i]


@kernel
def line_named(direction, king):
    """The line of the board that the referee means, from the king."""
    if direction == BY_RANK:
        return RANK
    if direction == BY_FILE:
        return FILE
    return RISING if (direction == BY_FILE * 2) == rising_is_long(king) else FALLING


@kernel
def hear_check(odds, scene, checks, constants):
    """Our king is in check from these directions: somebody stands there; or from none, and fewer do."""
    king, own = trailing_zeros(scene[KING]), scene[OWN]
    beside = bits.PAWN[scene[COLOUR], king]
    for square in range(64):
        if bits.KING[king] & bit(square):
            odds[KINGS, square] = 0.0
    for direction in range(4):
        said = checks & (1 << direction)
        line = line_named(1 << direction, king)
        summed = 0.0
        for turn in range(2):
            if not said and turn:
                break
            for way in (line, line + 4):
                clear, square = 1.0, NEXT[way, king]
                while square >= 0 and not own & bit(square):
                    seen = clear
                    clear *= 1.0 - occupancy(odds, square)
                    pawn = beside & bit(square) != 0
                    if not said:
                        odds[PIECES, square] *= 1.0 - seen * constants[LINE_SHARE]
                        if pawn:
                            odds[PAWNS, square] = 0.0
                    elif turn == 0:
                        summed += seen * (odds[PIECES, square] + 1e-3 + (odds[PAWNS, square] if pawn else 0.0))
                    else:
                        odds[PIECES, square] = seen * (odds[PIECES, square] + 1e-3) / summed
                        odds[PAWNS, square] = seen * odds[PAWNS, square] / summed if pawn else 0.0
                        odds[KINGS, square] = 0.0
                    square = NEXT[way, square]
    summed, left = 0.0, bits.KNIGHT[king] & ~own
    while left:
        summed += odds[PIECES, trailing_zeros(left)] + 1e-3
        left &= left - 1
    left = bits.KNIGHT[king] & ~own
    while left:
        square = trailing_zeros(left)
        if checks & BY_KNIGHT:
            odds[PIECES, square] = (odds[PIECES, square] + 1e-3) / summed
        else:
            odds[PIECES, square] *= 1.0 - constants[KNIGHT_SHARE]
        left &= left - 1


@kernel
def attack_in(scene, square, direction):
    """The squares of our men that would give check in this direction to a king on `square`."""
    found = NONE
    if direction == BY_KNIGHT:
        return bits.KNIGHT[square] & scene[KNIGHT]
    line = line_named(direction, square)
    sliders = scene[QUEEN] | (scene[ROOK] if line in (RANK, FILE) else scene[BISHOP])
    way = (ABOVE[line, square] | BELOW[line, square]) & reach(QUEEN, square, scene[OWN])
    found = way & sliders
    if line not in (RANK, FILE):
        found |= way & bits.PAWN[1 - scene[COLOUR], square] & scene[PAWN]
    return found


@kernel
def hear_check_given(odds, scene, checks):
    """His king is in check from these directions, or from none: it stands where that is so."""
    ground = np.empty((OCC + 1, 64), np.float32)
    for square in range(64):
        ground[OCC, square] = min(SURE, odds[PAWNS, square] + odds[PIECES, square])
    for square in range(64):
        if odds[KINGS, square] > 0.0:
            for direction in range(5):
                seen, left = 0.0, attack_in(scene, square, 1 << direction)
                while left:
                    seen = max(seen, way_is_clear(ground, BETWEEN[trailing_zeros(left), square]))
                    left &= left - 1
                odds[KINGS, square] *= seen if checks & (1 << direction) else 1.0 - seen
    possible = NONE
    for square in range(64):
        fits = not scene[OWN] & bit(square)
        for direction in range(5):
            if checks & (1 << direction) and not attack_in(scene, square, 1 << direction):
                fits = False
        if fits:
            possible |= bit(square)
    scale(odds, KINGS, 1.0, possible)


@kernel
def note_accepted(odds, scene, move, taken, victim, checks, tries):
    """Our move was made, and this was said."""
    move_in(scene, move)
    note_move(odds, scene, move, taken, victim)
    hear_check_given(odds, scene, checks)
    if not checks:
        hear_his_tries(odds, scene, tries)


@kernel
def note_answer(odds, scene, lure, was_in_check, his_tries, taken, victim, checks, tries, constants):
    """He has moved, and this was said."""
    if taken:
        take_off(scene, victim)
        let_him_take(odds, scene, victim, his_tries, constants)
    else:
        let_him_move(odds, scene, lure, was_in_check, constants)
    scene[CHECKS], scene[TRIES] = checks, tries
    pawns, pieces = total(odds, PAWNS), total(odds, PIECES)
    deny_king(odds, scene)
    hear_check(odds, scene, checks, constants)
    if not checks:
        hear_tries(odds, scene, tries)
    if not checks:  # what was said about some squares changes the others; a known checker is left alone
        settle(odds, scene, pawns, pieces)
    scale(odds, KINGS, 1.0, ~scene[OWN])


@kernel
def settle(odds, scene, pawns, pieces):
    """Bring the sums of pawns and pieces back by changing the uncertain squares only."""
    for row, wanted in ((PAWNS, pawns), (PIECES, pieces)):
        for _ in range(3):
            sure, loose = 0.0, 0.0
            for square in range(64):
                if odds[row, square] > 0.9:
                    sure += odds[row, square]
                else:
                    loose += odds[row, square]
            if loose < 1e-6:
                break
            factor = max(0.0, wanted - sure) / loose
            for square in range(64):
                if odds[row, square] <= 0.9:
                    odds[row, square] = min(SURE, odds[row, square] * factor)


@kernel
def note_refused(odds, scene, move, constants):
    """Our attempt was refused: the way is blocked, the man is pinned, or the king would stand in check."""
    if scene[CHECKS]:
        return
    ground = np.zeros((SURVEYED, 64), np.float32)
    survey(odds, scene, constants, ground)
    start, end = start_of(move), end_of(move)
    kind = kind_on(scene, start)
    pawns, pieces = total(odds, PAWNS), total(odds, PIECES)
    pin = pin_chance(scene, ground, start, end, constants)
    if kind == KING:
        note_guarded(odds, scene, end, ground)
    elif kind == PAWN and (end - start) % 8:
        for row in range(PAWNS, PIECES + 1):
            odds[row, end] *= pin
    else:
        way = BETWEEN[start, end]
        if kind == PAWN:
            way |= bit(end)
        blocked = 1.0 - way_is_clear(ground, way)
        pinned = pin / max(1e-9, pin + blocked)
        while way:
            square = trailing_zeros(way)
            factor = (1.0 - pinned) / max(blocked, 1e-3) + pinned
            factor = min(factor, 1.0 / max(ground[OCC, square], 1e-6))
            if ground[OCC, square] < 0.002:  # something stands there although nothing was thought to
                odds[PIECES, square] += 0.002
            for row in range(3):
                odds[row, square] *= factor
            way &= way - 1
    settle(odds, scene, pawns, pieces)
    scale(odds, KINGS, 1.0, ~scene[OWN])


@kernel
def note_guarded(odds, scene, square, ground):
    """His men control a square: those who could do so are more probably where they could."""
    others = ground[CONTROL + PAWNS, square] + ground[CONTROL + PIECES, square]
    for other in range(64):
        if not bits.KING[square] & bit(other):
            odds[KINGS, other] *= min(1.0, others + 1e-3)
    factor = min(3.0, 1.0 / max(0.05, min(1.0, ground[CONTROL + KINGS, square] + others)))
    near = bits.PAWN[scene[COLOUR], square] & ~scene[OWN]
    while near:
        other = trailing_zeros(near)
        odds[PAWNS, other] = min(SURE, odds[PAWNS, other] * factor)
        near &= near - 1
    near = (bits.KNIGHT[square] | reach(QUEEN, square, scene[OWN])) & ~scene[OWN]
    while near:
        other = trailing_zeros(near)
        odds[PIECES, other] = min(SURE, odds[PIECES, other] * (1.0 + 0.3 * (factor - 1.0)))
        near &= near - 1


@kernel
def bound_files(odds, fewest, most):
    """Bring his pawns of each file between the fewest and the most that may stand there, a byte per file."""
    for file in range(8):
        there = 0.0
        for square in range(file, 64, 8):
            there += odds[PAWNS, square]
        bound = min(max(there, float(fewest >> (8 * file) & 0xFF)), float(most >> (8 * file) & 0xFF))
        if there > 1e-6 and bound != there:
            for square in range(file, 64, 8):
                odds[PAWNS, square] = min(SURE, odds[PAWNS, square] * bound / there)


@kernel
def sharpen(odds, scene, possible, taken, fewest, most):
    """Use what is known for sure (ours): where each row of the odds is possible at all, and which squares are taken."""
    pawns, pieces = total(odds, PAWNS), total(odds, PIECES)
    for row in range(3):
        for square in range(64):
            if not possible[row] & bit(square):
                odds[row, square] = 0.0
    bound_files(odds, fewest, most)
    settle(odds, scene, pawns, pieces)
    while taken:
        square = trailing_zeros(taken)
        there = odds[KINGS, square] + odds[PAWNS, square] + odds[PIECES, square]
        if there < 1e-3:
            odds[PIECES if possible[PIECES] & bit(square) else PAWNS, square] = SURE
        else:
            for row in range(3):
                odds[row, square] *= SURE / there
        taken &= taken - 1
    settle(odds, scene, pawns, pieces)
    scale(odds, KINGS, 1.0, possible[KINGS])
