"""The five methods of Cauwet & Teytaud 2018: four evolutionary algorithms, and a round robin of random players."""

from collections.abc import Callable, Iterator

import numpy as np

from ...stats.race import Race
from ..arena import Arena
from ..contest import Step, join_halves, mutant, next_sigma

Population = list[np.ndarray]


def naive(arena: Arena) -> Iterator[Step]:
    """Algorithm 1: (1+1)-ES that accepts what does better against the baseline."""
    return _evolve(arena, lambda candidate, population: arena.compare(candidate, population[-1]).decision > 0, False)


def iterative(arena: Arena, rule: Race | None = None) -> Iterator[Step]:
    """Algorithm 2: (1+1)-ES that accepts what beats the last accepted point, by the rule of the run or by another."""
    return _evolve(arena, lambda candidate, population: arena.race(candidate, population[-1], rule).decision > 0, False)


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

    return _evolve(arena, beats_all)


def approximate(arena: Arena) -> Iterator[Step]:
    """Algorithm 4: accept what beats one point of the population, drawn at random."""

    def beats_one(candidate: np.ndarray, population: Population) -> bool:
        return arena.race(candidate, population[arena.pick(len(population))]).decision > 0

    return _evolve(arena, beats_one)


def _evolve(
    arena: Arena, is_better: Callable[[np.ndarray, Population], bool], coevolves: bool = True
) -> Iterator[Step]:
    """Mutate the last accepted point; in coevolution the population has all accepted points, else only the last."""
    population, sigma = [arena.start], 1.0
    while True:
        candidate = mutant(arena, population[-1], sigma)
        better = is_better(candidate, population)
        if better:
            population = [*population, candidate] if coevolves else [candidate]
        sigma = next_sigma(sigma, better)
        yield Step(population[-1], better, sigma, len(population))


def seeds(arena: Arena) -> Iterator[Step]:
    """Section II-E: round robin of random players; each step adds one, who meets all the others in both seats."""
    players = np.zeros((0, len(arena.strategy.parameters)))
    totals = np.zeros((0, 2), np.int64)  # every player's points in the first and in the second seat
    best: list[int] = []
    while True:
        newcomer = arena.gaussian()
        scores = arena.play_newcomer(newcomer, players)
        totals += arena.game.max_score - scores[:, ::-1]
        totals = np.vstack([totals, scores.sum(axis=0)])
        players = np.vstack([players, newcomer])
        if arena.strategy.per_seat:
            found = totals.argmax(axis=0).tolist()
        else:
            found = [int(totals.sum(axis=1).argmax())]
        yield Step(join_halves(players, found[:1], found[-1:])[0], found != best, population=len(players))
        best = found


METHODS = {
    "naive": naive,
    "iterative": iterative,
    "real-coevolution": real,
    "approximate-coevolution": approximate,
    "seeds": seeds,
}
