"""Checks of numbers and names that requests have in common; a command makes them before it imports anything else."""

import re
from collections.abc import Sequence

from ..core.untrusted_input import shorten

USUAL_SECONDS = 60.0  # the budget where none is given
MOST_SEED = 2**63 - 1
FEWEST, MOST = 2, 100  # players of a round robin
RUN_NAME = re.compile(r"(?P<game>[a-z0-9-]+)-\d+")
# A name that may be part of a file's name and of an address: runs, games, reports and their parts have no other.
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")


def check_name(name: object, what: str) -> str:
    """Return a name that obeys `FILE_NAME`, or raise a ValueError that begins with `what`."""
    if not isinstance(name, str) or not FILE_NAME.fullmatch(name):
        raise ValueError(
            f"{what} {shorten(name)} cannot be part of a file's name: use at most 200 letters, digits, hyphens and dots"
        )
    return name


def check_seed(seed: int) -> None:
    """Refuse a seed that would not fit the generator."""
    if not isinstance(seed, int) or not 0 <= seed <= MOST_SEED:
        raise ValueError(f"the seed is {seed}: it must be a whole number from 0 to {MOST_SEED}")


def check_option(option: str, value: float, what: str = "a positive number") -> None:
    """Refuse the value of an option that is not positive and finite."""
    if not 0 < value < float("inf"):
        raise ValueError(f"--{option} is {value}: it must be {what}")


def check_budget(what: str, value: float | None) -> None:
    """Refuse a budget that is not positive and finite; none at all is fine."""
    if value is not None and not 0 < value < float("inf"):
        raise ValueError(f"the budget of {what} is {value}: it must be a positive number")


def check_players(names: Sequence[str], event: str, what: str) -> None:
    """Refuse too few or too many players, and one who is there more than once."""
    if not FEWEST <= len(names) <= MOST:
        raise ValueError(f"{event} has {FEWEST} to {MOST} {what}, not {len(names)}")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is there {names.count(name)} times: the {what} must be different")


def seconds_for(games: int | None, minutes: float | None, seconds: float | None) -> float | None:
    """The seconds of a budget that is given in games, minutes or seconds; a minute where nothing is given."""
    if minutes is not None and seconds is not None:
        raise ValueError("the time is given twice: give --minutes or --seconds, not both")
    if minutes is not None:
        return 60 * minutes
    return USUAL_SECONDS if games is None and seconds is None else seconds
