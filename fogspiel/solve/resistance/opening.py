"""The Resistance after forced moves: the opening, and tails without decisions of the spies.

As soon as a team lacks only one point, the spies sabotage whenever they can: with their own next point they win at
once, and the other team's next point would lose at once. So spies decide only in the opening, while both teams lack
two points or more. After it the resistance learns nothing but that the game is still on, and its strategy is a plan:
a list of missions. If it lacks one point it wins if any of them is clean; if the spies lack one point, it wins if all
of them are; where the last mission is the largest, the others belong into it, and the plan is just the last mission.

The value of a history is counted in spy sets: the sum, over all spy sets, of the probability that the spies play to
the history and the resistance then wins. No conditional probabilities are needed, and all coefficients are integers.
"""

from dataclasses import dataclass, field

import numpy as np

from ...games.resistance.setups import Setup, check_setup
from .orbits import Groups, counts, everyone, missions, numbered, ones, split, spy_sets, types

Plan = tuple[int, ...]  # a list of missions
NEVER = -1  # stands for the sequence of spies who cannot have come here


@dataclass(frozen=True, eq=False)
class Infoset:
    """A decision of the resistance in the opening."""

    number: int
    history: str
    groups: Groups
    score: tuple[int, int]
    # Each mission, with what follows if it succeeds and if it is sabotaged.
    options: list[tuple[int, "Infoset | Tail", "Infoset | Tail"]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Tail:
    """The decision of the resistance for a plan, when a team lacks one point."""

    number: int
    history: str
    groups: Groups
    score: tuple[int, int]
    ahead: bool  # true if it is the resistance that lacks one point
    sequence: np.ndarray  # the sequence of the spies that each spy set has played, or NEVER


Place = Infoset | Tail  # where the resistance decides


@dataclass(frozen=True, eq=False)
class Opening:
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
        """The number of spy sets."""
        return len(self.sets)


def opening(setup: Setup) -> Opening:
    """The opening of a set-up."""
    sets = spy_sets(check_setup(setup))
    made = Opening(setup, sets, [], [], [], [])
    _grow(made, "", everyone(setup), (0, 0), np.zeros(len(sets), np.int64))
    return made


def _grow(made: Opening, history: str, groups: Groups, score: tuple[int, int], sequence: np.ndarray) -> Place:
    """Add the decision after a history, and all that follows."""
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
        base = 1 + 2 * len(made.spy_parent)
        passed[able], failed[able] = base + 2 * kinds, base + 2 * kinds + 1
        for spies in able[firsts]:
            made.spy_parent.append(int(sequence[spies]))
            made.spy_name.append((way, numbered(counts(after, int(made.sets[spies])))))
        won = _grow(made, way + "+", after, (score[0] + 1, score[1]), passed)
        lost = _grow(made, way + "-", after, (score[0], score[1] + 1), failed)
        here.options.append((mission, won, lost))
    return here


def clean(game: Opening, tail: Tail, plan: Plan) -> np.ndarray:
    """Return the spy sets a plan wins against."""
    needed = game.setup.needed[-len(plan) :]
    missions = [ones(game.sets & mission) < least for mission, least in zip(plan, needed, strict=True)]
    won: np.ndarray = np.any(missions, axis=0) if tail.ahead else np.all(missions, axis=0)
    return won


def row(game: Opening, tail: Tail, plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """Count the spy sets of each sequence a plan wins against: the sequences and the numbers."""
    won = tail.sequence[clean(game, tail, plan) & (tail.sequence != NEVER)]
    return np.unique(won, return_counts=True)
