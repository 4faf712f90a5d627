"""Phantom games: board games in which the players do not see each other's stones."""

from collections.abc import Generator
from typing import TypeVar

# Work that is done in steps, run to its end without waiting for them.

Result = TypeVar("Result")


def run_to_end(steps: Generator[object, None, Result]) -> Result:
    """The result of a generator, whatever it yields on the way."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
