"""What announced pawn tries say about the probability matrices.

The referee counts the legal captures of the mover's pawns. Every pair of a pawn and a man that it could take is an
event with a chance; all these chances are raised or lowered together until as many captures are expected as were said.
"""

import math

import numpy as np

from ...core.kernel import kernel, trailing_zeros
from ...games.chess import bits
from ...games.chess.moves import taken_left, taken_right
from ...games.chess.position import KING, PAWN
from .probability_matrices import KINGS, PAWNS, PIECES, SURE, total

WIDEST_TILT, BISECTIONS = 12.0, 40
"""The logarithm of the greatest factor of the odds that is looked for, and by how many bisections (set by hand)."""
THEIR_PINNED, OUR_PINNED = 0.03, 0.05
"""What is left of a chance that no try was announced for: the pawn that could take may be pinned (set by hand)."""


@kernel
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


@kernel
def hear_their_tries(prob, known, tries):
    """They have so many pawn captures: pawns stand beside our men, or they do not."""
    squares, chances = np.empty(64, np.int64), np.empty(64, np.float64)
    times, count, before = np.empty(64, np.float64), 0, total(prob, PAWNS)
    for square in range(64):
        victims = bits.PAWN[1 - known.colour, square] & known.own & ~known.men[KING]
        if prob[PAWNS, square] > 0.0 and victims:
            squares[count], chances[count] = square, min(SURE, prob[PAWNS, square])
            times[count] = 1.0 if victims & (victims - 1) == 0 else 2.0
            count += 1
    if count == 0:
        return
    if tries:
        tilt(chances, times, count, float(tries))
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
def pawn_targets(known):
    """The squares that our pawns attack and that none of our men stands on."""
    pawns = known.men[PAWN]
    return (taken_left(pawns, known.colour) | taken_right(pawns, known.colour)) & ~known.own


@kernel
def hear_our_tries(prob, known, tries):
    """We have so many pawn captures: their men stand where our pawns take, or they do not."""
    targets = pawn_targets(known)
    if tries == 0:
        while targets:
            square = trailing_zeros(targets)
            prob[PAWNS, square] *= OUR_PINNED
            prob[PIECES, square] *= OUR_PINNED
            targets &= targets - 1
        return
    squares, chances, times, count = np.empty(64, np.int64), np.empty(64, np.float64), np.empty(64, np.float64), 0
    while targets:
        square = trailing_zeros(targets)
        there = prob[PAWNS, square] + prob[PIECES, square]
        if there > 0.0:
            pawns = bits.PAWN[1 - known.colour, square] & known.men[PAWN]
            squares[count], chances[count] = square, min(SURE, there)
            times[count] = 1.0 if pawns & (pawns - 1) == 0 else 2.0
            count += 1
        targets &= targets - 1
    tilt(chances, times, count, float(tries))
    for i in range(count):
        square = squares[i]
        factor = chances[i] / (prob[PAWNS, square] + prob[PIECES, square])
        prob[PAWNS, square] *= factor
        prob[PIECES, square] *= factor
        prob[KINGS, square] *= 1.0 - chances[i]
