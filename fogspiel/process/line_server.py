"""Programs that are asked for games, a JSON object per line, and answer a line: what such workers have in common."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NoReturn

Answer = dict[str, Any]


class WordParser(argparse.ArgumentParser):
    """Refuses words of a command line that it cannot read by one sentence."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def game_of(request: object) -> tuple[Mapping[str, Any], int, bool]:
    """A request with its seed and whether the seats are swapped; where it does not say so, they are for odd seeds."""
    if not isinstance(request, Mapping):
        raise ValueError("a request is a JSON object with a, b, seed and swap")
    seed = request.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ValueError(f"the seed of a request is {seed!r}: it must be a whole number")
    swap = request.get("swap", seed % 2 == 1)
    if not isinstance(swap, bool):
        raise ValueError(f"swap is {swap!r} in a request: it must be true or false")
    return request, seed, swap


def values_in(request: Mapping[str, Any], key: str) -> Mapping[str, object]:
    """The values of one side of a game."""
    own = request.get(key)
    if not isinstance(own, Mapping):
        raise ValueError(f"a request has {own!r} as {key}: it must be an object of names and values")
    return own


def answers(answer: Callable[[object], Answer], lines: Iterable[str]) -> Iterator[str]:
    """A line of JSON for each line that is read: an answer, or an error of one sentence."""
    for line in lines:
        try:
            request = json.loads(line)
            found = answer(request)
            if isinstance(request, dict) and "id" in request:
                found["id"] = request["id"]
        except json.JSONDecodeError as error:
            found = {"error": f"a request is not JSON: {error}"}
        except ValueError as error:
            found = {"error": str(error)}
        yield json.dumps(found)


def serve(answer: Callable[[object], Answer]) -> None:
    """Answer what is read from standard input until it ends, or nobody listens any more."""
    with suppress(BrokenPipeError, KeyboardInterrupt):
        for line in answers(answer, sys.stdin):
            print(line, flush=True)
