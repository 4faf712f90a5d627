"""A population of engines whose games teach something: who plays, and what a request to learn from it must be.

Games are stored matches and round robins, so that a lesson which was interrupted, or a second one, recalls them.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..kriegspiel.engine import STRAY, Effort, find_engine, parse_engine
from ..kriegspiel.matches import EngineSpec
from ..runs.engine_match import EngineMatch
from ..runs.jobs import Row

SUFFIX = ".npz"
# What plays a match, or recalls it, and gives the rows of every two engines.
Play = Callable[[EngineMatch], list[list[Row]]]


def with_straying(members: Iterable[tuple[str, Effort]]) -> list[EngineSpec]:
    """Every engine as it is, and straying."""
    return [EngineSpec(prefix + name, effort) for name, effort in members for prefix in ("", STRAY)]


def games_of_two(games: int, pairs: int) -> int:
    """Return the number of games per pair of engines for this total over all pairs."""
    return -(-games // pairs)


def rows_in(matches: Iterable[EngineMatch], play: Play) -> list[Row]:
    """The rows of matches, which are played where they have not been before: those of every two engines by number."""
    return [row for match in matches for met in play(match) for row in sorted(met, key=lambda row: int(row["number"]))]


def check_lesson(engines: Sequence[str], effort: Effort, output: Path, what: str, **numbers: int) -> None:
    """Refuse engines that there are not, a file that cannot be written, and numbers that are not positive."""
    for name, number in numbers.items():
        if number <= 0:
            raise ValueError(f"--{name} is {number}: it must be a positive number")
    if output.suffix != SUFFIX:
        raise ValueError(f"--output is {output}: the name of {what} ends with {SUFFIX}")
    if not output.parent.is_dir():
        raise ValueError(f"--output is {output}, but there is no folder {output.parent}: make it first")
    for words in engines:
        find_engine(parse_engine(words, effort)[0])
