"""Questions that take a process of their own: `fogspiel verify`, `exploit` and `diagnose`, as one would type them.

One is worked on at a time, in an empty folder of its own, with limits on time, memory and the length of its answer; the
others wait. Answers are kept by a digest of the question, so the same question is worked on once.
"""

import hashlib
import json
import subprocess
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import HTTPException

from ..core.untrusted_input import JsonRecord
from .run_processes import COMMAND, end_words

MOST_WAITING = 8
MOST_ANSWERS = 64
MOST_SECONDS = 900.0
"""How long a question may take by the clock."""
MOST_LETTERS = 4_000_000
"""Of an answer."""
FILE = "certificate.json"
"""What an enclosed file is called in the folder of a question."""


@dataclass(frozen=True)
class Question:
    """A command, and the content of the file that it reads, if there is one."""

    words: tuple[str, ...]
    enclosed: bytes | None = None

    @property
    def key(self) -> str:
        """What the question is known by: the same for the same question."""
        digest = hashlib.sha256(repr(self.words).encode())
        digest.update(b"\0" if self.enclosed is None else b"\1" + self.enclosed)
        return digest.hexdigest()[:32]


@dataclass
class Answer(JsonRecord):
    """How far a question is: waiting, working, answered or refused; the facts, or the sentence that refuses."""

    KEYS = ("state", "facts", "sentence")

    state: str = "waiting"
    facts: dict[str, Any] | None = None
    sentence: str = ""

    @property
    def ended(self) -> bool:
        return self.state in ("answered", "refused")


class Questions:
    """The questions of a site and their answers."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._pool = ThreadPoolExecutor(1, "questions")
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def begin(self, question: Question) -> str:
        """Have a question worked on, unless its answer is known; returns its key."""
        key = question.key
        with self._lock:
            known = self._answers.get(key)
            if known is None or known.state == "refused":
                if sum(not answer.ended for answer in self._answers.values()) >= MOST_WAITING:
                    raise HTTPException(429, f"{MOST_WAITING} questions are waiting already: ask again in a while")
                answer = self._answers[key] = Answer()
                self._pool.submit(self._work, question, answer)
            self._answers.move_to_end(key)
            for old in list(self._answers)[: max(len(self._answers) - MOST_ANSWERS, 0)]:
                if self._answers[old].ended:
                    del self._answers[old]
        return key

    def answer(self, key: str) -> Answer:
        """How far the question with this key is."""
        found = self._answers.get(key)
        if found is None:
            raise HTTPException(404, "this question was not asked here, or it was forgotten: ask it again")
        return found

    def _work(self, question: Question, answer: Answer) -> None:
        """Work on a question in a folder of its own; whatever goes wrong is a sentence."""
        answer.state = "working"
        try:
            with tempfile.TemporaryDirectory(prefix="fogspiel-") as folder:
                if question.enclosed is not None:
                    (Path(folder) / FILE).write_bytes(question.enclosed)
                facts = self._ask(question.words, folder)
            answer.facts, answer.state = facts, "answered"
        except (ValueError, OSError) as error:
            answer.sentence, answer.state = str(error), "refused"

    def _ask(self, words: Sequence[str], folder: str) -> dict[str, Any]:
        """What the command prints, or a ValueError with its sentence."""
        with (Path(folder) / "answer").open("w+", encoding="utf-8") as out, tempfile.TemporaryFile() as errors:
            with self._lock:
                if self._closed:
                    raise ValueError("the server was stopped before it had an answer")
                process = self._process = subprocess.Popen(
                    [*COMMAND, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=errors
                )
            try:
                code = process.wait(MOST_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise ValueError(f"no answer within {MOST_SECONDS:g} seconds: ask on the command line") from None
            if code != 0:
                raise ValueError(end_words(code, errors))
            if out.seek(0, 2) > MOST_LETTERS:
                raise ValueError("the answer is too long for a page: ask on the command line")
            out.seek(0)
            facts: dict[str, Any] = json.load(out)
            return facts

    def close(self) -> None:
        """Begin no more work, and end what is under way."""
        with self._lock:
            self._closed = True
            if self._process is not None and self._process.poll() is None:
                self._process.kill()
        self._pool.shutdown(wait=False, cancel_futures=True)
