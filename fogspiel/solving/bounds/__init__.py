"""Bounds on values of phantom games, board games in which the players do not see each other's stones."""

from collections.abc import Generator
from typing import TypeVar

# Generators that work in steps, run to their end.

Result = TypeVar("Result")


def run_to_end(steps: Generator[object, None, Result]) -> Result:
    """Return the result of a generator and discard what it yields."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
