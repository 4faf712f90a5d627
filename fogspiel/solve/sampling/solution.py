"""The value of a game by sampling: slices of iterations, and at doubling times a look at what the averages prove.

When there is a look is a matter of positions visited, not of seconds, so a run that is interrupted comes to the same.
"""

from collections.abc import Iterator
from functools import partial
from time import process_time

from ...core.game import Game
from ..game_sources import Problem
from ..progress import Options, Progress, Saved, Work
from ..solution import Solution
from .minimiser import Sampling

DEFAULT_SECONDS = 60.0  # CPU time unless iterations or another time are asked for
SLICE = 1 << 20  # positions between two chances to interrupt
SAVING_SECONDS = 5.0
# Bytes of a state that is kept; with a larger one a run that is interrupted begins anew, and comes to the same.
LARGEST_STATE = 64 * 2**20
ENDLESS = 2**62


def game_of(problem: Problem, memory: float) -> Game:
    """The rules as kernels: those of the game itself, or those that walk the tree that was read."""
    if problem.game is not None:
        return problem.game
    from ..tree_game import game_of_tree

    return game_of_tree(problem.describe(memory), problem.name, problem.version)


class Clock:
    """CPU time since the run began, what it took before an interruption included."""

    def __init__(self, before: float) -> None:
        self._began = process_time() - before

    @property
    def seconds(self) -> float:
        return process_time() - self._began


def solve(method: str, problem: Problem, options: Options, saved: Saved) -> Work:
    """Sample until the bounds are close enough or the budget is spent."""
    sampling = Sampling(game_of(problem, options.memory), method, options.seed, options.memory)
    if saved.state is not None:
        sampling.restore(saved.state)
    limit = options.seconds or (float("inf") if options.iterations else DEFAULT_SECONDS)
    last = options.iterations or ENDLESS
    clock, kept, look_seconds = Clock(sampling.seconds), 0.0, 0.0
    bounds = sampling.bounds

    def remark(what: str = "") -> Progress:
        iterations = f"{method}, {sampling.iterations:,} iterations, {sampling.sizes['information_states']:,} states"
        proved = (bounds.lower, bounds.upper) if bounds.looks else (None, None)
        return Progress(f"{iterations}{what}, {clock.seconds:.0f} CPU s", *proved)

    def state() -> bytes | None:
        sampling.seconds = clock.seconds
        return sampling.state if sampling.state_bytes <= LARGEST_STATE else None

    def slices() -> Iterator[Progress]:
        """Sample up to the next look."""
        nonlocal kept
        while True:
            ends = sampling.iterations >= last or clock.seconds + look_seconds >= limit
            if ends or sampling.visited >= bounds.next_look:
                return
            sampling.advance(last, min(SLICE, bounds.next_look - sampling.visited))
            if clock.seconds - kept < SAVING_SECONDS:
                yield remark()
            else:
                yield remark()._replace(state=state())
                kept = clock.seconds

    while bounds.gap > options.gap:
        yield from slices()
        if sampling.iterations == bounds.iterations:
            break
        began = clock.seconds
        for _ in sampling.look():
            yield remark(", best responses")
        look_seconds = clock.seconds - began
        work = {"number": bounds.looks, "iterations": bounds.iterations, "visited": sampling.visited}
        row = {**work, "lower": bounds.lower, "upper": bounds.upper}
        yield remark()._replace(row=row, state=state())
    return Solution.bounded(words(sampling), sampling.sizes, bounds.lower, bounds.upper)


def words(sampling: Sampling) -> str:
    """Describe the method."""
    cut = max(sampling.bounds.cuts)
    how = "exact best responses" if cut == 0 else f"best responses above the probability {cut:.1g}"
    return f"{sampling.method} ({sampling.iterations} iterations), bounds by {how}"


solve_by_external_sampling = partial(solve, "external-sampling")
solve_by_outcome_sampling = partial(solve, "outcome-sampling")
