"""Voting on missions: why the thesis may leave it out (Bossle 2018, section 4.2).

In the game in the box a leader proposes each mission, in turn around the table, everybody votes in the open, and more
than half of the players must approve; five proposals that are rejected in a row lose the game. The good players follow
a plan that everybody may know: a good leader proposes the mission of the plan, and good players approve that mission
and no other. Then votes decide nothing, if the numbers are as `voting` says. Nor do they tell anything: spies can vote
and propose as good players would who know no more than what is public, and sabotage as in the game without votes.
"""

from itertools import combinations
from typing import NamedTuple

from ...games.resistance.setups import Setup

MOST_REJECTIONS = 4  # five in a row lose the game


class Voting(NamedTuple):
    """Effect of votes against good players who follow a plan."""

    passes: bool  # true if the mission of the plan is approved, however spies vote
    blocked: bool  # true if any other mission is rejected, however spies vote
    rejections: int  # the most proposals that are rejected in a row, over all seats of the spies and first leaders

    @property
    def irrelevant(self) -> bool:
        """True if the mission of the plan is always sent in time."""
        return self.passes and self.blocked and self.rejections <= MOST_REJECTIONS


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
