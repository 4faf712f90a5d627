"""Algorithm 2 of Cauwet & Teytaud 2018: the iterative evolutionary algorithm."""

from collections.abc import Iterator

from ...stats.race import Race
from ..arena import Arena
from ..steps import Step, mutant, next_sigma


def iterative(arena: Arena, rule: Race | None = None) -> Iterator[Step]:
    """(1+1)-ES that accepts what beats the last accepted point (by the rule of the run, or by another one)."""
    x, sigma = arena.start, 1.0
    while True:
        candidate = mutant(arena, x, sigma)
        better = arena.race(candidate, x, rule).decision > 0
        if better:
            x = candidate
        sigma = next_sigma(sigma, better)
        yield Step(x, better, sigma)


METHODS = {"iterative": iterative}
