"""Algorithms 3 and 4 of Cauwet & Teytaud 2018: real and approximate coevolution."""

from collections.abc import Callable, Iterator

import numpy as np

from ..arena import Arena
from ..steps import Step, mutant, next_sigma

Population = list[np.ndarray]


def real(arena: Arena) -> Iterator[Step]:
    """Algorithm 3: accept what beats every point of the population."""
    rejections: list[int] = []

    def beats_all(candidate: np.ndarray, population: Population) -> bool:
        rejections.extend([0] * (len(population) - len(rejections)))
        # Historically hardest member first, stop at the first rejection: the same answer, fewer games.
        for i in sorted(range(len(population)), key=lambda i: (-rejections[i], -i)):
            if arena.race(candidate, population[i]).decision < 0:
                rejections[i] += 1
                return False
        return True

    return _coevolve(arena, beats_all)


def approximate(arena: Arena) -> Iterator[Step]:
    """Algorithm 4: accept what beats one point of the population, drawn at random."""

    def beats_one(candidate: np.ndarray, population: Population) -> bool:
        return arena.race(candidate, population[arena.pick(len(population))]).decision > 0

    return _coevolve(arena, beats_one)


def _coevolve(arena: Arena, is_better: Callable[[np.ndarray, Population], bool]) -> Iterator[Step]:
    x, sigma = arena.start, 1.0
    population = [x]
    while True:
        candidate = mutant(arena, x, sigma)
        better = is_better(candidate, population)
        if better:
            x = candidate
            population.append(x)
        sigma = next_sigma(sigma, better)
        yield Step(x, better, sigma, len(population))


METHODS = {"real-coevolution": real, "approximate-coevolution": approximate}
