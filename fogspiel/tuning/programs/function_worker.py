"""Worker that serves a Python function: `python -m fogspiel.tuning.programs.function_worker FILE.py:NAME`.

`play(a, b, seed)` returns the score of `a` in the first seat against `b` in the second; with --alone `play(a, seed)`
returns that of `a`. Output of the function goes to stderr, and its stdin is empty: both belong to the protocol. An
error in it is written to stderr and ends the worker; an error in the file is the answer to any request.

This file uses only the standard library and can be run by its path, so that a worker starts in some hundredths of a
second.
"""

import argparse
import importlib.util
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

DEFAULT_NAME = "play"
PAIR, ALONE = ("a", "b", "seed"), ("a", "seed")


def find_function(words: str, alone: bool) -> Callable[..., Any]:
    """Return the function that FILE.py:NAME names, or raise a ValueError of one sentence; the file is run."""
    file, name = split_words(words)
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"there is no file {file}: name a function as in FILE.py:{DEFAULT_NAME}")
    spec = importlib.util.spec_from_file_location(f"fogspiel_function_{path.stem}", path.absolute())
    if spec is None or spec.loader is None:
        raise ValueError(f"{file} cannot be loaded: it must be a Python file, as in FILE.py:{DEFAULT_NAME}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.absolute().parent))  # as if Python had been started with the file
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # any failure of a user's file becomes one error message
        at = f" in line {error.lineno}" if isinstance(error, SyntaxError) else ""
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise ValueError(f"{file} cannot be run: {type(error).__name__}{at}: {reason}") from error
    if not hasattr(module, name):
        raise ValueError(f"{file} has no {name}: name a function that it has, as in {file}:{DEFAULT_NAME}")
    function: Callable[..., Any] = getattr(module, name)
    check_function(function, f"{name} of {file}", alone)
    return function


def split_words(words: str) -> tuple[str, str]:
    """Return the file and the name of the function, by default `play`."""
    if words.endswith(".py"):
        return words, DEFAULT_NAME
    file, _, name = words.rpartition(":")
    if not file.endswith(".py") or not name:
        raise ValueError(f"{words!r} is not a function: write FILE.py:{DEFAULT_NAME}")
    return file, name


def check_function(function: object, what: str, alone: bool) -> None:
    """Raise a ValueError for an object that cannot be called with the parameters and a seed."""
    wanted = ALONE if alone else PAIR
    if not callable(function):
        raise ValueError(f"{what} is no function: it must be one of {' and '.join(wanted[-2:])}")
    try:
        inspect.signature(function).bind(*wanted)
    except TypeError:
        takes = f"{what} takes {inspect.signature(function)}"
        other = "" if alone else ", or be called with --alone"
        raise ValueError(f"{takes}: it must take ({', '.join(wanted)}){other}") from None
    except ValueError:  # some functions in C have no signature
        return


def call(function: Callable[..., Any], request: dict[str, Any], low: float, high: float) -> float:
    a, seed = request["a"], request["seed"]
    if "b" not in request:
        return number(function(a, seed))
    if request.get("swap"):
        return low + high - number(function(request["b"], a, seed))  # the scores of both sides add up to low + high
    return number(function(a, request["b"], seed))


def number(score: Any) -> float:
    try:
        return float(score)
    except (TypeError, ValueError):
        raise ValueError(f"the function has returned {score!r}: it must return a number") from None


def serve(function: Callable[..., Any], low: float, high: float, requests: int, answers: int) -> None:
    with os.fdopen(requests, "rb") as lines, os.fdopen(answers, "wb", buffering=0) as out:
        for line in lines:
            request = json.loads(line)
            answer = {"score": call(function, request, low, high), "id": request.get("id")}
            out.write(json.dumps(answer).encode() + b"\n")


def main() -> None:
    """Redirect stdin and stdout, load the function, and answer until the input ends."""
    parser = argparse.ArgumentParser(description="Serve a Python function, a JSON object per line.")
    parser.add_argument("function", help="FILE.py:NAME")
    parser.add_argument("--alone", action="store_true", help="the function is play(a, seed)")
    parser.add_argument("--range", nargs=2, type=float, default=(0.0, 1.0), metavar=("LOW", "HIGH"))
    parser.add_argument("--check", action="store_true", help="only see whether the function is there")
    options = parser.parse_args()
    (low, high), requests, answers = options.range, os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    try:
        function = find_function(options.function, options.alone)
    except ValueError as error:
        os.write(answers, json.dumps({"error": str(error)}).encode() + b"\n")
        raise SystemExit(2) from None
    if options.check:
        return
    try:
        serve(function, low, high, requests, answers)
    except Exception:
        traceback.print_exc()
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
