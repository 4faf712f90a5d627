"""Some jobs are done twice, by two workers where there are two: so a machine that computes wrongly is found out."""

import platform
from collections.abc import Callable, Collection, Sequence
from typing import Any

PLACE = platform.node() or "this machine"


class CrossCheck:
    """Which jobs are done twice, and what came out first."""

    def __init__(self, jobs: Sequence[Callable[[], Any]], twice: Collection[int]) -> None:
        self.jobs, self.left = jobs, set(twice)
        self._first: dict[int, tuple[str, Any]] = {}

    def stands(self, number: int, worker: str, result: Any) -> bool:
        """Whether a result can be used now, or its job is to be done again; a ValueError if that came out otherwise."""
        if number in self.left:
            self.left.remove(number)
            self._first[number] = worker, result
            return False
        if number in self._first:
            before, known = self._first.pop(number)
            if known != result:
                raise _difference(self.jobs[number], before, worker)
        return True


def _difference(job: object, one: str, other: str) -> ValueError:
    return ValueError(
        f"{job} came out differently when it was done again, first on {one}, then on {other}: one of them computes "
        "wrongly. To find out which, do the same on each machine alone, with --processes 1 and a --store of its own: "
        "the one whose rows are not those of the others is at fault, so test its memory, and do without its results"
    )
