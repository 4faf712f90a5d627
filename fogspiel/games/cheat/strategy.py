"""Action values, and the best action after Gaussian noise, by tables or by exact numbers.

A Gaussian number is made of two uniform ones (Box and Muller): its radius follows from the first, its angle from the
second. Tables of their leading bits bound it from both sides. Where these bounds single out one action, as they
nearly always do, no logarithm or cosine is needed. Rounding is monotone, so the choice is the same to the last bit.
"""

import numpy as np

from ...core.compile.kernel import inlined, kernel
from ...core.rng import GOLDEN, normal, random_unit

NOISE = 0.1
FARTHEST = 8.6  # no Gaussian number made of 53 random bits is farther from 0
CELLS = 1024
_EDGES = np.sqrt(-2 * np.log1p(-np.arange(CELLS) / CELLS))
_ENDS = np.append(_EDGES[1:], FARTHEST)
RADIUS = (_EDGES + _ENDS) / 2
COSINE = np.cos(2 * np.pi * (np.arange(CELLS) + 0.5) / CELLS)
# Largest error of RADIUS x COSINE: half a cell of the radius, half a cell of the angle, rounding.
SLACK = (_ENDS - _EDGES) / 2 + _ENDS * np.pi / CELLS + 1e-9


@inlined
def value_of(t, a, b, c, d, e, f):
    """Return the sum of theta_ij x_i x_j for 0 <= i <= j <= 6 with x_0 = 1 and x_1 .. x_6 = a .. f."""
    # One separate sum per row of the triangle, so that they can be computed in parallel.
    return (
        (t[0] + t[1] * a + t[2] * b + t[3] * c + t[4] * d + t[5] * e + t[6] * f)
        + (t[7] * a + t[8] * b + t[9] * c + t[10] * d + t[11] * e + t[12] * f) * a
        + (t[13] * b + t[14] * c + t[15] * d + t[16] * e + t[17] * f) * b
        + (t[18] * c + t[19] * d + t[20] * e + t[21] * f) * c
        + (t[22] * d + t[23] * e + t[24] * f) * d
        + (t[25] * e + t[26] * f) * e
        + (t[27] * f) * f
    )


@kernel
def noisy_best(values, stream, bounds):
    """Return the index of the greatest value with noise, the first of equals; -inf gets no noise and never wins.

    Every other index uses its two numbers of the stream, in order. `bounds` is a buffer for their upper bounds.
    """
    base, bar = stream[0], -np.inf
    for place in range(len(values)):
        bounds[place] = -np.inf
        if values[place] > -np.inf:
            share, turn = np.int64(CELLS * random_unit(stream)), np.int64(CELLS * random_unit(stream))
            middle, slack = RADIUS[share] * COSINE[turn], SLACK[share]
            bar = max(bar, values[place] + NOISE * (middle - slack))
            bounds[place] = values[place] + NOISE * (middle + slack)
    best, rivals = -1, 0
    for place in range(len(values)):
        if bounds[place] >= bar:
            best = place
            rivals += 1
    return best if rivals == 1 else exact_best(values, stream, base, bounds, bar)


@kernel
def exact_best(values, stream, base, bounds, bar):
    """Return the same by the exact numbers, among the indices whose upper bound reaches the bar."""
    after, best, highest, rank = stream[0], -1, 0.0, 0
    for place in range(len(values)):
        if values[place] == -np.inf:
            continue
        if bounds[place] >= bar:
            stream[0] = base + np.uint64(2 * rank) * GOLDEN
            value = values[place] + NOISE * normal(stream)
            if best < 0 or value > highest:
                best, highest = place, value
        rank += 1
    stream[0] = after
    return best
