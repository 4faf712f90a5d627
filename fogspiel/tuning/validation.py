"""The end of a tuning run: its answer must prove, on games that no method has seen, that it beats the start.

A method may follow luck, or go in circles and come back worse than it set out. So the answer must win a race against
the start; or, where a baseline judges, it must be no worse than the start by more than TOLERANCE and win a race against
it by the scores of both against the baseline. If it does neither, checkpoints of the way have their turn, and if they
fail too, the start is the answer. All races share the risk DELTA. What is left of the games sharpens the interval.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..core.agents import PolicyJson
from ..stats.race import Race, Verdict, interval, mean
from .arena import Arena, BudgetSpent

SHARE = 0.1  # of the budget, for the last races
DELTA = 0.05
PRECISION = 0.01  # a vector that gains less than twice this is hardly worth more games
# By how much an answer may fall short of the start that is better otherwise: against the baseline, or, as a mixture is
# made to be, by having no weak side.
TOLERANCE = 0.01
RACES = 3  # of a candidate, at most
CHECKPOINTS = 3
START = "start"


@dataclass(frozen=True)
class Validation:
    """Result of one candidate against the start; the last one decides the run's answer."""

    candidate: str  # `answer`, a checkpoint by its number from the last one, or `start` where nothing was proved
    proved: bool
    answer: PolicyJson
    counts: tuple[int, ...]  # how often each sum of the scores of a pair of games was observed
    # The same for the differences of the scores of candidate and start against the baseline, where these decided.
    compared: tuple[int, ...] | None = None

    @property
    def games(self) -> int:
        """Number of games."""
        return 2 * sum(self.counts)

    @property
    def score(self) -> float:
        """The mean score against the start: 0 the lowest payoff, 1 the highest."""
        return mean(np.array(self.counts, np.int64))

    @property
    def interval(self) -> tuple[float, float]:
        """A 95 % interval for the score that is valid at any time."""
        return interval(np.array(self.counts, np.int64))

    @property
    def gain(self) -> tuple[float, float, float] | None:
        """By how much it scores more against the baseline than the start does, and the interval, as shares."""
        if self.compared is None:
            return None
        counts = np.array(self.compared, np.int64)
        low, high = interval(counts)
        return 2 * mean(counts) - 1, 2 * low - 1, 2 * high - 1


def validate(arena: Arena, answer: PolicyJson, checkpoints: Sequence[PolicyJson]) -> Iterator[Validation]:
    """Race the answer, then the checkpoints, against the start; each may use half of the games that are left."""
    start: PolicyJson = {"theta": arena.start.tolist()}
    none = Validation(START, False, start, (0,) * (2 * arena.game.top + 1))
    if answer == start:
        yield none
        return
    candidates = {"answer": answer}
    for number, found in enumerate(_distinct([answer, start, *checkpoints])[2:][:CHECKPOINTS], 1):
        candidates[f"checkpoint {number}"] = found
    for name, found in candidates.items():
        try:
            final = _try(arena, name, found, DELTA / (RACES * len(candidates)))
            if final.proved:
                rest = arena.race_answer(found, arena.start, None, 2 * _half(arena))
                final = replace(final, counts=_add(final.counts, rest.counts))
        except BudgetSpent:  # by a deadline
            break
        yield final
        if final.proved:
            return
    yield none


def _try(arena: Arena, name: str, found: PolicyJson, delta: float) -> Validation:
    """Race one candidate: to be better than the start, or no worse than it and better against the baseline."""
    better, no_worse = (Race("count-mixture-asymmetric", delta, epsilon) for epsilon in (PRECISION, TOLERANCE / 2))
    first = Verdict(0, (0,) * (2 * arena.game.top + 1), 0)
    if "weights" not in found:
        first = arena.race_answer(found, arena.start, better, _half(arena))
        if first.decision > 0:
            return Validation(name, True, found, first.counts)
    # The start must prove to be better, by the same race; it loses when it is at most TOLERANCE above the answer.
    second = arena.race_answer(found, arena.start, no_worse, _half(arena), defends=True)
    counts = _add(first.counts, second.counts)
    if second.decision <= 0 or "weights" in found or not _has_judge(arena):
        return Validation(name, second.decision > 0 and "weights" in found, found, counts)
    third = arena.compare(np.array(found["theta"]), arena.start, better, _half(arena) // 2)
    return Validation(name, third.decision > 0, found, counts, third.counts if third.decision > 0 else None)


def _has_judge(arena: Arena) -> bool:
    """True if the baseline is somebody else than the start."""
    return arena.baseline is not None and arena.baseline_name != "fixed"


def _add(some: Sequence[int], more: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(some, more, strict=True))


def _half(arena: Arena) -> int:
    """Half of the pairs of games that the budget has left."""
    return ((arena.budget.games or 0) - arena.games) // 4


def _distinct(answers: Sequence[PolicyJson]) -> list[PolicyJson]:
    """The answers without repetitions, the first of each."""
    found: list[PolicyJson] = []
    for one in answers:
        if one not in found:
            found.append(one)
    return found


def thin_checkpoints(accepted: Sequence[PolicyJson]) -> list[PolicyJson]:
    """Of the points that a method accepted the last ones first, ever further apart."""
    return [accepted[-(2**k)] for k in range(len(accepted).bit_length()) if 2**k <= len(accepted)]
