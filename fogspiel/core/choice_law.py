"""With which probabilities a compiled strategy chooses, found from its `choose` kernel alone.

A kernel that makes one draw is a function of 64 random bits, and the streams of `rng` can be set to give any bits: the
finaliser of splitmix64 is a bijection. Each action takes an interval of the bits, as it does wherever the draw is
compared with cumulated probabilities or picks a place in a list; its ends are found by bisection, to the last bit.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .game import Strategy
from .rng import GOLDEN, bits, stream_of

WORD = 1 << 64
INVERSE_1, INVERSE_2 = pow(0xBF58476D1CE4E5B9, -1, WORD), pow(0x94D049BB133111EB, -1, WORD)
SAMPLES = 64
"""Random bits at which the intervals are tried."""
ASIDE = 1 << 33
SIMPLE, NEAR = 64, Fraction(1, 1 << 28)
"""A probability this near to a fraction with a denominator up to that is taken for it: places are drawn by 32 bits."""


def undo_shift(z: int, shift: int) -> int:
    """The number whose exclusive or with itself, shifted right, is z."""
    found = z
    for _ in range(64 // shift):
        found = z ^ (found >> shift)
    return found


def seed_before(bits: int) -> int:
    """The cell of a stream whose next 64 bits are these."""
    z = undo_shift(bits, 31)
    z = undo_shift(z * INVERSE_2 % WORD, 27)
    z = undo_shift(z * INVERSE_1 % WORD, 30)
    return (z - int(GOLDEN)) % WORD


def choice_law(strategy: Strategy, plan: np.ndarray, seen: np.ndarray, actions: Sequence[int]) -> list[Fraction] | None:
    """The probability of each action, or None where the kernel makes more than one draw or is no such function."""
    listed, stream = np.array(actions, np.int64), np.zeros(1, np.uint64)

    def choose(word: int) -> int | None:
        """The action that these bits give, if they are all that is drawn."""
        stream[0] = seed_before(word)
        action = int(strategy.choose(seen, listed, plan, stream))
        drawn = (int(stream[0]) - seed_before(word)) % WORD
        return action if drawn in (0, int(GOLDEN)) else None

    def choose_near(word: int) -> int | None:
        """The same, a little aside of bits that are drawn again, as `below` does for the sake of equal chances."""
        near = (min(max(word + step * ASIDE, 0), WORD - 1) for step in (0, 1, -1, 2, -2, 3, -3))
        return next((action for action in map(choose, near) if action is not None), None)

    source = stream_of(SAMPLES)
    samples = sorted(int(bits(source)) for _ in range(SAMPLES))
    if any(choose(word) is None for word in samples):
        return None
    runs = [(choose_near(0), 0)]  # the actions in the order of the bits, and where each begins
    for word in (*samples, WORD - 1):
        while runs[-1][0] != choose_near(word):
            action, low, high = runs[-1][0], runs[-1][1], word
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if choose_near(middle) == action else (low, middle)
            runs.append((choose_near(high), high))
    order = [action for action, _ in runs]
    if len(set(order)) < len(order) or not set(order) <= set(actions):
        return None
    ends = [begin for _, begin in runs[1:]] + [WORD]
    lengths = {action: end - begin for (action, begin), end in zip(runs, ends, strict=True)}
    return exact_law([Fraction(lengths.get(action, 0), WORD) for action in actions])


def exact_law(found: Sequence[Fraction]) -> list[Fraction]:
    """The simple fractions that all probabilities are next to, or else the probabilities, to the last bit."""
    simple = [share.limit_denominator(SIMPLE) for share in found]
    near = all(abs(share - other) < NEAR for share, other in zip(found, simple, strict=True))
    return simple if near and sum(simple) == 1 else list(found)
