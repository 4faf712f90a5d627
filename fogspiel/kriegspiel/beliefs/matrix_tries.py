"""Update of the probability matrices by announced pawn tries.

The referee counts the legal captures of the mover's pawns. Every pair of a pawn and a man that it could take is an
event with a chance; all these chances are raised or lowered together until as many captures are expected as were said.
"""

import math

import numpy as np

from ...core.kernel import in_place, kernel, ones
from ...games.chess import bits
from ...games.chess.bits import bit
from ...games.chess.men import KING, PAWN
from ...games.kriegspiel.announcements import SOME, UNKNOWN
from .probability_matrices import KINGS, PAWNS, PIECES, SURE, total

# The logarithm of the greatest factor of the odds that is looked for, and by how many bisections (set by hand).
WIDEST_TILT, BISECTIONS = 12.0, 40
# What is left of a chance that no try was announced for: the pawn that could take may be pinned (set by hand).
THEIR_PINNED, OUR_PINNED = 0.03, 0.05


@in_place
def tilt(chances, times, count, wanted):
    """Change independent chances by one factor of their odds so that the expected number of events is `wanted`."""
    low, high = -WIDEST_TILT, WIDEST_TILT
    for _ in range(BISECTIONS):
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


@in_place
def tilt_to(chances, times, count, tries):
    """Change chances so that as many events are expected as were said; if it was said that there are some, one."""
    if tries != SOME:
        tilt(chances, times, count, float(tries))
        return
    expected = 0.0
    for i in range(count):
        expected += times[i] * chances[i]
    if expected < 1.0:
        tilt(chances, times, count, 1.0)


@in_place
def list_captures(known, chance, partners, squares, chances, times):
    """List the squares on which a man of theirs takes part in captures, with its chance, and in how many. Their number.

    `chance` has the chance of such a man on every square; a capture needs one of our men, the `partners`, aslant.
    """
    count = 0
    for square in range(64):
        aslant = bits.PAWN[1 - known.colour, square] & partners
        if aslant and chance[square] > 0.0:
            squares[count], chances[count], times[count] = square, min(SURE, chance[square]), ones(aslant)
            count += 1
    return count


@kernel
def hear_their_tries(prob, known, tries):
    """They have so many pawn captures: pawns stand beside our men, or they do not."""
    if tries == UNKNOWN:
        return
    squares, chances, times = np.empty(64, np.int64), np.empty(64, np.float64), np.empty(64, np.float64)
    count = list_captures(known, prob[PAWNS], known.own & ~known.men[KING], squares, chances, times)
    if count == 0:
        return
    if tries:
        tilt_to(chances, times, count, tries)
    before = total(prob, PAWNS)
    came, others = 0.0, before
    for i in range(count):
        others -= prob[PAWNS, squares[i]]
        prob[PAWNS, squares[i]] = chances[i] if tries else THEIR_PINNED * chances[i]
        came += prob[PAWNS, squares[i]]
    if others > 1e-6:  # the pawns elsewhere make up for it, so that there are as many as before
        factor = max(max(0.0, before - came) / others, 1e-9)
        for i in range(count):
            prob[PAWNS, squares[i]] /= factor
        for square in range(64):
            prob[PAWNS, square] *= factor


@kernel
def hear_our_tries(prob, known, tries):
    """We have so many pawn captures: their men stand where our pawns take, or they do not."""
    if tries == UNKNOWN:
        return
    squares, chances, times = np.empty(64, np.int64), np.empty(64, np.float64), np.empty(64, np.float64)
    men = np.empty(64, np.float32)
    for square in range(64):
        men[square] = np.float32(0.0) if known.own & bit(square) else prob[PAWNS, square] + prob[PIECES, square]
    count = list_captures(known, men, known.men[PAWN], squares, chances, times)
    if tries:
        tilt_to(chances, times, count, tries)
    for i in range(count):
        square = squares[i]
        factor = chances[i] / men[square] if tries else OUR_PINNED
        prob[PAWNS, square] *= factor
        prob[PIECES, square] *= factor
        if tries:
            prob[KINGS, square] *= 1.0 - chances[i]
