"""Functions of Python as programs: in this process, or in workers of their own."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...process.line_process import WorkerFault
from ...process.worker_pool import Answer, parse
from . import function_worker
from .contest import GameRequest, Scale

CHECK_SECONDS = 120.0  # how long the file of a function may take to be loaded


class FunctionBackend:
    """A function that is called directly, a game at a time."""

    least = 1

    def __init__(self, function: Callable[..., Any], scale: Scale) -> None:
        function_worker.check_function(function, getattr(function, "__name__", "the function"), scale.alone)
        self.function, self.scale = function, scale

    def ask(self, questions: Sequence[GameRequest], check: Callable[[float], None]) -> list[Answer]:
        return [self._call(question, check) for question in questions]

    def tell_faults(self, listener: Callable[[str], None]) -> None:
        """There is nothing to tell: what goes wrong here is raised."""

    def close(self) -> None:
        """There is nothing to let go of."""

    def _call(self, question: GameRequest, check: Callable[[float], None]) -> Answer:
        request: dict[str, Any] = {"a": dict(question.a.values), "seed": question.seed, "swap": question.swap}
        if question.b is not None:
            request["b"] = dict(question.b.values)
        score = function_worker.call(self.function, request, self.scale.low, self.scale.high)
        try:
            check(score)
        except WorkerFault as fault:
            raise ValueError(f"the function {fault}") from None
        return {"score": score}


def worker_words(words: str, scale: Scale) -> list[str]:
    """The command of a worker that serves FILE.py:NAME, whose file is found from any folder."""
    file, name = function_worker.split_words(words)
    served = f"{Path(file).absolute()}:{name}"
    # -P: the folder of the worker's own file is no place to import from
    command = [sys.executable, "-P", str(Path(function_worker.__file__)), served]
    return [*command, "--range", repr(scale.low), repr(scale.high), *(["--alone"] if scale.alone else [])]


def demand_function(words: str, scale: Scale) -> None:
    """Refuse words that name no function with the right arguments; the file is run in a process of its own."""
    file, _ = function_worker.split_words(words)
    try:
        done = subprocess.run(
            [*worker_words(words, scale), "--check"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=CHECK_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ValueError(f"{file} takes more than {CHECK_SECONDS:g} s to load: let its functions do the work") from None
    if done.returncode:
        with suppress(WorkerFault):
            parse(done.stdout)  # raises what the worker says
        raise ValueError(f"{file} ends Python with exit code {done.returncode} when it is loaded")
