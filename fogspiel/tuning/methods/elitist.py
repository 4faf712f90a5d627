"""The iterative algorithm with a race that suits it: whatever is accepted has proved to be better."""

from collections.abc import Iterator
from dataclasses import replace

from ..arena import Arena
from ..steps import Step
from .iterative import iterative


def elitist(arena: Arena) -> Iterator[Step]:
    """(1+1)-ES in which a candidate must prove a score above 1/2: near-losers, accepted one by one, add up."""
    return iterative(arena, replace(arena.race_rule, name="count-mixture-asymmetric"))


METHODS = {"elitist": elitist}
