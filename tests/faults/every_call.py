"""Fail the n-th call of every operation on a store, for every n or for some: FOLDER MAX [OPERATION[:FAULT] ..].

Prints one line of JSON for each operation and fault: how many calls there are, how many were tried, how the operation
ended, how often the store had to be repaired, and everything that should not have been.
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import shim
from operations import OPERATIONS, Operation, lay, mend
from shim import Fault

from fogspiel.runs.store import StoreError
from fogspiel.runs.store import file as sqlite_file

ADVICE = ("check the disk", "free some space", "try again", "--repair", "choose another", "restore it", "close that")
KILLED = 137


def attempt(operation: Operation, path: Path, fault: Fault, number: int) -> tuple[int, list[str]]:
    """The exit code and what was said by a process that does the operation: 0 done, 2 refused, 1 a fault of ours."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.close(reading)

        def say(text: str) -> None:
            os.write(writing, f"{text}\n".encode())

        code = 1
        try:
            shim.arm(path.parent, fault, number)
            operation.work(path, say)
            code = 0
        except StoreError as error:
            say(f"error {error}")
            code = 2
        except BaseException as error:
            say(f"error {type(error).__name__}: {error}")
        say(f"calls {shim.calls()}")
        os._exit(code)
    os.close(writing)
    with open(reading, encoding="utf-8") as told:
        lines = told.read().splitlines()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), lines


def try_call(
    operation: Operation, before: Path, folder: Path, fault: Fault, number: int
) -> tuple[int, bool, list[str]]:
    """How the operation ended, whether the store needed repair, and what should not have been."""
    path = lay(before, folder)
    code, lines = attempt(operation, path, fault, number)
    words = [line.partition(" ") for line in lines]
    errors = [rest for word, _, rest in words if word == "error"]
    said = {word: int(rest) for word, _, rest in words if word not in ("error", "calls")}
    wrong = [f"ended with {code}: {errors}"] if code not in (0, 2, KILLED) else []
    wrong += [f"no advice: {error}" for error in errors if not any(advice in error for advice in ADVICE)]
    mended = False
    try:
        mended = (path.exists() or operation.before.__name__ == "nothing") and mend(path)
        operation.check(path, said)
    except Exception as error:
        wrong.append(f"afterwards {type(error).__name__}: {error}")
    return code, mended, wrong


def bench(name: str, fault: Fault, folder: Path, most: int) -> dict[str, Any]:
    """All calls of one operation, or so many spread over them, each with one fault."""
    operation, before = OPERATIONS[name], folder / f"{name}.before"
    if not before.exists():
        before.mkdir()
        operation.before(before / "runs.db")
    _, lines = attempt(operation, lay(before, folder / "tried"), fault, sys.maxsize)
    total = int(next(line for line in lines if line.startswith("calls ")).split()[1])
    numbers = sorted({1 + place * total // most for place in range(most)} if total > most else range(1, total + 1))
    ends, mended, wrong = Counter[int](), 0, []
    for number in numbers:
        code, repaired, faults = try_call(operation, before, folder / "tried", fault, number)
        ends[code] += 1
        mended += repaired
        wrong += [f"call {number}: {text}" for text in faults]
    told = {"operation": name, "fault": fault.name, "calls": total, "tried": len(numbers)}
    return told | {"done": ends[0], "refused": ends[2], "killed": ends[KILLED], "repaired": mended, "wrong": wrong}


def main(folder: Path, most: int, names: list[str]) -> None:
    """Every fault on every operation."""
    shim.arm(folder, Fault.NONE, 0)
    sqlite_file.SYNC_SECONDS = 0.0  # every commit is synced, so that every sync can fail
    sqlite_file.LOG_LIMIT = 60_000  # so that the log is folded on the way
    for words in names or OPERATIONS:
        name, _, chosen = words.partition(":")
        for fault in [Fault[chosen]] if chosen else list(Fault)[1:]:
            print(json.dumps(bench(name, fault, folder, most)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
