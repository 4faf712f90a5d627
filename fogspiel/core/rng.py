"""Random numbers: splitmix64 in one array cell.

A stream is a uint64 array of one cell. The same seed gives the same numbers on every platform. A stream costs nothing
to make, so every game has its own: results cannot depend on threads, batches or interruptions.
"""

import math

import numpy as np

from .compile.kernel import inlined, interpreted, kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
LOW_32 = np.uint64(0xFFFFFFFF)
S11, S27, S30, S31, S32 = (np.uint64(shift) for shift in (11, 27, 30, 31, 32))
UNIT = 2.0**-53


@inlined
def mixed(z):
    """Apply the splitmix64 finaliser: a bijection of 64-bit numbers whose output looks random."""
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@inlined
def split(seed, number):
    """Return the seed of the `number`-th child of `seed`."""
    return mixed(mixed(seed + GOLDEN) ^ (np.uint64(number) * GOLDEN))


@inlined
def bits(stream):
    """Return the next 64 random bits."""
    stream[0] += GOLDEN
    return mixed(stream[0])


@inlined
def random_below(stream, n):
    """Return a uniform integer in 0..n-1 for 0 < n < 2**32, without bias (Lemire's rejection on the high 32 bits)."""
    bound = np.uint64(n)
    product = (bits(stream) >> S32) * bound
    if (product & LOW_32) < bound:
        threshold = ((LOW_32 - bound) + np.uint64(1)) % bound
        while (product & LOW_32) < threshold:
            product = (bits(stream) >> S32) * bound
    return np.int64(product >> S32)


@inlined
def random_unit(stream):
    """Return a uniform real in [0, 1) on the grid of 2**-53."""
    return np.float64(bits(stream) >> S11) * UNIT


@kernel
def normal(stream):
    """Return a standard Gaussian number (Box and Muller, one of the two values)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - random_unit(stream)))
    return radius * math.cos(2.0 * math.pi * random_unit(stream))


@kernel
def fill_normal(stream, out):
    for i in range(len(out)):
        out[i] = normal(stream)


@kernel
def shuffle(stream, out):
    """Fill `out` with a uniform permutation of 0..len(out)-1 (Fisher and Yates)."""
    for i in range(len(out)):
        out[i] = i
    for i in range(len(out) - 1, 0, -1):
        j = random_below(stream, i + 1)
        out[i], out[j] = out[j], out[i]


@kernel
def seed_of(real, salt):
    """Return the 64-bit seed of a real parameter: its IEEE bits (-0 counts as 0) with a salt, finalised."""
    cell = np.empty(1, np.float64)
    cell[0] = real + 0.0
    return mixed(cell.view(np.uint64)[0] ^ np.uint64(salt))


def child(seed: int, *path: int) -> np.uint64:
    """Return the seed at `path` below `seed`: `child(7, 2, 5)` is child 5 of child 2 of seed 7."""
    value = np.uint64(int(seed) % 2**64)
    with interpreted():  # few steps, and often the first thing that a process does
        for number in path:
            value = np.uint64(split(value, number))
    return value


def stream_of(seed: int, *path: int) -> np.ndarray:
    return np.array([child(seed, *path)], np.uint64)
