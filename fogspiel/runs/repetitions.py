"""Jobs that were repeated because a worker was lost, in a small file beside the store.

The rows of a run are the same whether a worker was lost or not, so they do not tell of it. The file has a line for each
loss and is for its owner alone; where it is missing, damaged or cannot be written, nothing is told.
"""

import json
import os
from contextlib import suppress
from pathlib import Path

from ..core.untrusted_input import parse_json, read_head
from .store import Run

REPEATED = "repeated"
"""How a sentence about a worker ends whose job is done again."""
MOST_BYTES, MOST_LETTERS, SHOWN = 1_000_000, 300, 3
"""What is read of the file, what is kept of a sentence, and how many reasons are given."""


def note_repetition(store: Path, run: Run, sentence: str) -> None:
    """Keep what was said of a lost worker, if its job is repeated: one that is given up ends the run in an error."""
    if not sentence.endswith(REPEATED):
        return
    line = json.dumps({"run": run.name, "created": run.created, "reason": sentence.rpartition(": ")[0][:MOST_LETTERS]})
    with suppress(OSError):  # a full disk is not to end the work
        descriptor = os.open(_file_of(store), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(descriptor, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def repetitions(store: Path, run: Run) -> list[str]:
    """Why jobs of a run were repeated, a reason for each time."""
    found = []
    with suppress(ValueError, TypeError, KeyError):
        for line in read_head(_file_of(store), "the list of repetitions", MOST_BYTES).splitlines():
            noted = parse_json(line)
            if (noted["run"], noted["created"]) == (run.name, run.created):
                found.append("".join(letter for letter in str(noted["reason"]) if letter.isprintable())[:MOST_LETTERS])
    return found


def repetition_words(reasons: list[str]) -> list[str]:
    """How often jobs were repeated and why, as one sentence; none where none was."""
    if not reasons:
        return []
    many = "1 job was repeated" if len(reasons) == 1 else f"Jobs were repeated {len(reasons)} times"
    more = [f"and {len(reasons) - SHOWN} more"] if len(reasons) > SHOWN else []
    return [f"{many}: {'; '.join([*reasons[:SHOWN], *more])}."]


def _file_of(store: Path) -> Path:
    return store.with_suffix(".repeated.jsonl")
