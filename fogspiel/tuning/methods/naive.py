"""Algorithm 1 of Cauwet & Teytaud 2018: the naive evolutionary algorithm."""

from collections.abc import Iterator

from ..arena import Arena
from ..steps import Step, mutant, next_sigma


def naive(arena: Arena) -> Iterator[Step]:
    """(1+1)-ES that accepts what does better against the baseline."""
    x, sigma = arena.start, 1.0
    while True:
        candidate = mutant(arena, x, sigma)
        better = arena.compare(candidate, x).decision > 0
        if better:
            x = candidate
        sigma = next_sigma(sigma, better)
        yield Step(x, better, sigma)


METHODS = {"naive": naive}
