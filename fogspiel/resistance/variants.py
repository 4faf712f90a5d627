"""The decisions of The Resistance that matter, and votes."""

from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from .game import Setup, check_setup, name_of
from .orbits import Groups, counts, everyone, missions, numbered, ones, split, spy_sets, types

# The Resistance after forced moves: the opening, and tails without decisions of the spies.
#
# As soon as a team lacks only one point, the spies sabotage whenever they can: their own next point wins at once, and
# the resistance's next point would lose at once. So spies decide only in the opening, while both teams lack two points
# or more. After it the resistance learns nothing but that the game is still on, and its strategy is a plan: a list of
# missions. If it lacks one point it wins if any of them is clean; if the spies lack one point, it wins if all of them
# are. Where the last mission is the largest, the rest belong into it, and the plan is just the last mission.
#
# The value of a history is counted in spy sets: the sum, over all spy sets, of the probability that the spies play to
# the history and the resistance then wins. No conditional probabilities are needed, and all coefficients are integers.

Plan = tuple[int, ...]  # a list of missions
NEVER = -1  # the sequence of spies who cannot have come here
MAX_DECISIONS = (
    200_000  # decisions of the spies in an opening that is solved; best of seven with six players has 136,555
)


class TooManyDecisions(ValueError):
    """An opening that is too large for the linear program."""


@dataclass(frozen=True, eq=False)
class Place:
    """A decision of the resistance."""

    number: int
    history: str
    groups: Groups
    score: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Infoset(Place):
    """A decision of the resistance in the opening."""

    # Each mission, with its successors after success and after sabotage.
    options: list[tuple[int, Place, Place]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Tail(Place):
    """The resistance's choice of a plan, when a team lacks one point."""

    ahead: bool  # true if it is the resistance that lacks one point
    sequence: np.ndarray  # the sequence of the spies that each spy set has played, or NEVER


@dataclass(frozen=True, eq=False)
class ForcedOpening:
    """All the decisions of both teams in the opening, parents before children."""

    setup: Setup
    sets: np.ndarray
    infosets: list[Infoset]
    tails: list[Tail]
    # The spies' sequence before each of their infosets; infoset i has sequences 1 + 2i (let it pass) and 2 + 2i.
    spy_parent: list[int]
    spy_name: list[tuple[str, str]]  # the history with the mission, and the type, of each infoset of the spies

    @property
    def total(self) -> int:
        return len(self.sets)


def opening(setup: Setup) -> ForcedOpening:
    sets = spy_sets(check_setup(setup))
    made = ForcedOpening(setup, sets, [], [], [], [])
    _grow(made, "", everyone(setup), (0, 0), np.zeros(len(sets), np.int64))
    return made


def _grow(made: ForcedOpening, history: str, groups: Groups, score: tuple[int, int], sequence: np.ndarray) -> Place:
    number, setup = len(made.infosets) + len(made.tails), made.setup
    if max(score) == setup.points - 1:
        tail = Tail(number, history, groups, score, score[0] == setup.points - 1, sequence)
        made.tails.append(tail)
        return tail
    here = Infoset(number, history, groups, score)
    made.infosets.append(here)
    size, needed = setup.sizes[sum(score)], setup.needed[sum(score)]
    for mission in missions(groups, size):
        after = split(groups, mission)
        way = f"{history} {numbered(counts(groups, mission))}".strip()
        passed, failed = sequence.copy(), np.full_like(sequence, NEVER)
        able = np.flatnonzero((ones(made.sets & mission) >= needed) & (sequence != NEVER))
        _, firsts, kinds = np.unique(types(made.sets[able], after), return_index=True, return_inverse=True)
        if len(made.spy_parent) + len(firsts) > MAX_DECISIONS:
            raise TooManyDecisions(
                f"{name_of(setup)} has more than {MAX_DECISIONS:,} decisions of the spies in its opening: "
                "`fogspiel solve` prints what the rules of both teams prove"
            )
        base = 1 + 2 * len(made.spy_parent)
        passed[able], failed[able] = base + 2 * kinds, base + 2 * kinds + 1
        for spies in able[firsts]:
            made.spy_parent.append(int(sequence[spies]))
            made.spy_name.append((way, numbered(counts(after, int(made.sets[spies])))))
        won = _grow(made, way + "+", after, (score[0] + 1, score[1]), passed)
        lost = _grow(made, way + "-", after, (score[0], score[1] + 1), failed)
        here.options.append((mission, won, lost))
    return here


def clean(game: ForcedOpening, tail: Tail, plan: Plan) -> np.ndarray:
    needed = game.setup.needed[-len(plan) :]
    missions = [ones(game.sets & mission) < least for mission, least in zip(plan, needed, strict=True)]
    won: np.ndarray = np.any(missions, axis=0) if tail.ahead else np.all(missions, axis=0)
    return won


def row(game: ForcedOpening, tail: Tail, plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """Count the spy sets of each sequence a plan wins against: the sequences and the numbers."""
    won = tail.sequence[clean(game, tail, plan) & (tail.sequence != NEVER)]
    return np.unique(won, return_counts=True)


# Voting on missions: why the thesis may leave it out (Bossle 2018, section 4.2).
#
# In the boxed game a leader proposes each mission, in turn around the table, everybody votes in the open, and more than
# half of the players must approve; five proposals that are rejected in a row lose the game. The good players follow a
# public plan: a good leader proposes the mission of the plan, and good players approve that mission and no other. Then
# votes decide nothing, if the numbers satisfy `voting`. Nor do they reveal anything: spies can vote and propose as good
# players with only public information would, and sabotage as in the game without votes.

MAX_REJECTIONS = 4  # five in a row lose the game


class Voting(NamedTuple):
    """Effect of votes against good players who follow a plan."""

    passes: bool  # true if the mission of the plan is approved for any votes of the spies
    blocked: bool  # true if any other mission is rejected for any votes of the spies
    rejections: int  # the most proposals that are rejected in a row, over all seats of the spies and first leaders

    @property
    def irrelevant(self) -> bool:
        """True if the mission of the plan is always sent in time."""
        return self.passes and self.blocked and self.rejections <= MAX_REJECTIONS


def voting(setup: Setup) -> Voting:
    """Return the effect of the spies' votes, over all votes and all orders of leaders."""
    good = setup.players - setup.spies
    votes = range(setup.spies + 1)
    passes = all(2 * (good + approving) > setup.players for approving in votes)
    blocked = not any(2 * approving > setup.players for approving in votes)
    seats = range(setup.players)
    rejections = max(
        next(turn for turn in range(setup.players) if (first + turn) % setup.players not in spies)
        for spies in combinations(seats, setup.spies)
        for first in seats
    )
    return Voting(passes, blocked, rejections)
