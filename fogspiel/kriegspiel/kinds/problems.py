"""Search for Kriegspiel problems: candidates are examined block by block, each block stored when it is done.

A block depends only on the code, the seed and its numbers, so a longer search reuses the blocks of a shorter one.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from ...core.compile.cache import digest_of
from ...runs.kind import Context, Job, JobRunner, Kind, Outputs, Progress, Recorder, rows_of
from ...runs.report import Cell
from ...runs.store import Json, Run
from ..problems import generator
from ..problems.generator import Candidate, find_candidates
from ..requests import ProblemsRequest

GAME = "kriegspiel"
BLOCK = 10  # candidates of a step: five seconds at most


def find_block(code: str, seed: int, first: int, count: int) -> Json:
    """Return the good candidates of a block; `code` is part of its identity only."""
    found = find_candidates(seed, range(first, first + count))
    return {"found": [candidate.to_json() for candidate in found if candidate is not None]}


def code() -> str:
    """Return a digest of the problem-finding code: other code may find other problems."""
    return digest_of(Path(generator.__file__))


def jobs_of(request: ProblemsRequest) -> list[Job]:
    shared = {"code": code(), "seed": request.seed}
    blocks = [(first, min(BLOCK, request.candidates - first)) for first in range(0, request.candidates, BLOCK)]
    return [Job("candidates", find_block, shared | {"first": first, "count": count}) for first, count in blocks]


class ProblemsKind(Kind):
    """Look for problems of Kriegspiel."""

    name = method = "problems"
    title = "Kriegspiel problems"
    request = ProblemsRequest

    def check(self, run: Run) -> ProblemsRequest:
        """Return the request; raise if the code has changed since the other blocks were searched."""
        request = ProblemsRequest.from_json(run.request)
        if not run.finished and run.request != request.to_json():
            raise ValueError(
                f"run {run.name} was made by fogspiel {run.request['fogspiel']} or by code that has changed since: "
                "start it anew"
            )
        return request

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Search the remaining blocks."""
        request, found, done = self.check(run), 0, 0
        with closing(JobRunner(run, recorder, context).rows(jobs_of(request))) as rows:
            for row in rows:
                found, done = found + len(row["found"]), done + row["count"]
                words = f"{found} found among {done:,} of {request.candidates:,} candidates"
                context.on_progress(Progress(words, done / request.candidates))
        return {"candidates": done, "found": found}

    def headline(self, run: Run) -> str:
        return f"problems among {run.request['candidates']:,} random positions, seed {run.request['seed']}"

    def summary(self, run: Run) -> list[str]:
        return [f"{len(candidates_of(run))} problems were found among {self._done(run):,} candidates."]

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
        """Yield the number of problems, and the command that writes the best of them."""
        yield f"{run.name}: {len(candidates_of(run))} problems among {self._done(run):,} candidates"
        yield f"the best dozen is written by: {self.command(run.request)}"

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        found = [(one.problem.title, one.problem.mate_in, one.worth, one.problem.source) for one in candidates_of(run)]
        return [("problem", "mate in", "worth", "source"), *found]

    def _done(self, run: Run) -> int:
        return sum(row["count"] for row in rows_of(run))


def candidates_of(run: Run) -> list[Candidate]:
    return [Candidate.from_json(kept) for row in rows_of(run) for kept in row["found"]]


KIND = ProblemsKind()
KINDS = (KIND,)
