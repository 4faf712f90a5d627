"""Training games of a population of engines: the players, and the checks of a training request.

Games are stored matches and round robins, so an interrupted or repeated training reuses them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..runs.execute import Row
from .engine import STRAY, SearchLimit, find_engine, parse_engine, plain_name
from .engines.mcts import ENGINES as MODELLED
from .match import EngineMatch, EngineSpec
from .opponent_model import BOTH, NO_MODEL, SHAPE, change_of, count_placements, model_of, write_model

SUFFIX = ".npz"
# Function that plays a match, or recalls it, and returns the rows of every two engines.
Play = Callable[[EngineMatch], list[list[Row]]]


def with_straying(members: Iterable[tuple[str, SearchLimit]]) -> list[EngineSpec]:
    return [EngineSpec(prefix + name, effort) for name, effort in members for prefix in ("", STRAY)]


def games_of_two(games: int, pairs: int) -> int:
    """Return the number of games per pair of engines for this total over all pairs."""
    return -(-games // pairs)


def rows_in(matches: Iterable[EngineMatch], play: Play) -> list[Row]:
    """Return the rows of matches, sorted by number within each pairing; missing ones are played."""
    return [row for match in matches for met in play(match) for row in sorted(met, key=lambda row: int(row["number"]))]


def check_lesson(engines: Sequence[str], effort: SearchLimit, output: Path, what: str, **numbers: int) -> None:
    """Reject unknown engines, a file that cannot be written, and numbers that are not positive."""
    for name, number in numbers.items():
        if number <= 0:
            raise ValueError(f"--{name} is {number}: it must be a positive number")
    if output.suffix != SUFFIX:
        raise ValueError(f"--output is {output}: the name of {what} ends with {SUFFIX}")
    if not output.parent.is_dir():
        raise ValueError(f"--output is {output}, but there is no folder {output.parent}: make it first")
    for words in engines:
        find_engine(parse_engine(words, effort)[0])


# Training of the opponent model: a population of engines plays rounds of games, and placements of men are counted.
#
# The games of a round are stored matches and round robins. In round 0 no engine has a model; in each further round
# those that can use one have that of all games so far. Training ends when a round has hardly changed it.

# Default players, with node limits for some milliseconds per move, as fast as is reasonable for each.
POPULATION = ("minimax@1000n", "C@3000n", "B10@50n")
SETTLED = 0.03  # mean total-variation change below which training ends


@dataclass(frozen=True)
class Training:
    """Request of a training: the players, the budget, and the sides whose men are counted."""

    engines: tuple[str, ...]  # as text; each of them also strays
    effort: SearchLimit
    games: int  # approximate number of games per round
    rounds: int  # greatest number of rounds
    output: Path
    seed: int = 1
    against: str | None = None  # count the men of this engine only: a model of one opponent
    without: str | None = None  # do not count the men of this engine in any variant: a held-out opponent

    def __post_init__(self) -> None:
        """Check everything first, so that nothing is written for an invalid request."""
        check_lesson(self.engines, self.effort, self.output, "a model", games=self.games, rounds=self.rounds)
        names = [member.engine.removesuffix(f":{NO_MODEL}") for member in self.population(None)]
        plain = list(dict.fromkeys(map(plain_name, names)))
        for what, name, known in (("--against", self.against, names), ("--without", self.without, plain)):
            if name is not None and name not in known:
                raise ValueError(f"{what} is {name!r}: it must be one of {', '.join(known)}")
        if self.without is not None and (self.against is not None or len(plain) == 1):
            raise ValueError("--without leaves nobody to count: leave --against out, and name another engine besides")
        self.matches(0)

    def population(self, model: Path | None) -> list[EngineSpec]:
        """Return every engine as is and straying, with the model if it can use one."""
        members = []
        for words in self.engines:
            name, effort = parse_engine(words, self.effort)
            if plain_name(name) in MODELLED and ":" not in name:
                name = f"{name}:{model or NO_MODEL}"
            members.append((name, effort))
        return with_straying(members)

    def matches(self, number: int) -> list[EngineMatch]:
        """List the pairings of a round: each against each, or, for a model of one opponent, that one against each.

        Every round has its own seed, because engines without a model would repeat the same games.
        """
        members, seed = self.population(self.draft(number - 1) if number else None), self.seed + number
        pairs = list(combinations(members, 2))
        if self.against is not None:
            pairs = [pair for pair in pairs if any(self.counts(member.engine) for member in pair)]
        games = games_of_two(self.games, len(pairs))
        return [EngineMatch(found, games, seed) for found in ([tuple(members)] if self.against is None else pairs)]

    def counts(self, engine: str) -> bool:
        """True if the men of an engine are counted."""
        if self.against is not None:
            return engine.partition(":")[0] == self.against.partition(":")[0]
        return plain_name(engine) != self.without

    def count(self, rows: Sequence[Row]) -> np.ndarray:
        total = np.zeros(SHAPE, np.int64)
        for row in rows:
            counted = [self.counts(seat["engine"]) for seat in row["seats"]]
            for game in row["games"]:
                total += count_placements(game["record"], [side for side in BOTH if counted[game["white"] ^ side]])
        return total

    def draft(self, number: int) -> Path:
        return self.output.with_name(f"{self.output.stem}-{number}{SUFFIX}")


class Round(NamedTuple):
    number: int
    games: int  # all games so far
    change: float | None  # change of the model in this round; None for the first

    @property
    def settled(self) -> bool:
        return self.change is not None and self.change < SETTLED


def train(training: Training, play: Play) -> Iterator[Round]:
    """Play and count, round by round; write the model after each, and the final one under the requested name."""
    counts, games = np.zeros(SHAPE, np.int64), 0
    model: np.ndarray | None = None
    for number in range(training.rounds):
        rows = rows_in(training.matches(number), play)
        counts += training.count(rows)
        games += 2 * len(rows)
        before, model = model, model_of(counts)
        for path in (training.draft(number), training.output):
            write_model(model, path)
        found = Round(number, games, None if before is None else change_of(before, model))
        yield found
        if found.settled:
            return
