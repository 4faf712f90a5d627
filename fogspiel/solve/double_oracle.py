"""Two-sided growth, after the sequence-form double oracle of Bosansky, Kiekintveld, Lisy and Pechoucek (JAIR 51, 2014).

Each player has a default strategy, fixed and pure, and some generated sequences. In an infoset that has generated
sequences the player uses only these, in any other one it follows the default. So what it can choose in the restricted
game are strategies of the whole game, and each round solves the restricted game, finds a best response in the whole
game to the strategy of either player, and adds the sequences by which it leaves the restricted game, at every infoset
that either has generated sequences or follows one (as in `row_generation`).

What the paper calls a temporary leaf is here an entry of the payoff matrix whose sequences go on beyond the generated
ones: along the default it counts for the last generated sequences (their "anchor"), elsewhere it is not reached. As
each player decides by its own infosets whether it follows the default, the restricted game is worth exactly what its
strategies get in the whole game. When an infoset gets its first sequence it gets the default one too, so the choice of
a player only ever grows, and the restricted game stays valid for both.

The default strategy is the best response to uniform play. With the first action of every infoset instead, Leduc poker
ended up with one and a half times the sequences, liar's dice (4 faces) with almost three times and goofspiel (5 cards)
with almost five times as many.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from math import inf

import numpy as np

from ..core.kernel import kernel
from .lp import equilibrium
from .progress import Record
from .row_generation import (
    ROUNDING,
    TOLERANCE,
    Growth,
    choices_of,
    follow,
    require,
    unfinished,
    uniform_plan,
)
from .sequence_form import SequenceForm, Treeplex, behaviour_of, guaranteed_value, merge, plan_of, worth_of

NOWHERE = -1


@kernel
def find_anchors(parent, first, count, generated, allowed, anchor):
    """Write for each sequence the generated one that leads to it by default; NOWHERE if none does."""
    anchor[0] = 0
    for i in range(len(parent)):
        for s in range(first[i], first[i] + count[i]):
            anchor[s] = NOWHERE
            if generated[s]:
                anchor[s] = s
            elif allowed[s]:
                anchor[s] = anchor[parent[i]]


@kernel
def mark_way(parent, choice, used, needed):
    """Mark also the sequences in use that lead to a needed one."""
    for i in range(len(parent) - 1, -1, -1):
        if used[parent[i]] and needed[choice[i]]:
            needed[parent[i]] = True


class Side:
    """One player's part of the restricted game."""

    def __init__(self, form: SequenceForm, player: int, tolerance: float) -> None:
        self.form, self.player = form, player
        self.treeplex = form.treeplexes[player]
        self.slack = tolerance / (1 + self.treeplex.infosets)
        uniform = worth_of(form, player, uniform_plan(form.treeplexes[1 - player]))
        self.default = choices_of(self.treeplex, np.zeros(self.treeplex.sequences, bool), uniform, 0.0)
        self.generated = np.zeros(self.treeplex.sequences, bool)
        self.add([0])

    def add(self, sequences: list[int]) -> None:
        """Generate these sequences."""
        require(not self.generated[sequences].any(), "no sequence is added twice")
        self.generated[sequences] = True
        treeplex = self.treeplex
        self.actions = np.bincount(treeplex.infoset_of[self.generated][1:], minlength=treeplex.infosets)
        require(bool(np.all(self.generated[treeplex.parent[self.actions > 0]])), "a sequence comes after its parent")
        self.allowed = self.generated.copy()
        self.allowed[self.default[self.actions == 0]] = True

    @property
    def restricted(self) -> Treeplex:
        """The treeplex of the generated sequences, numbered in their order."""
        rank = np.cumsum(self.generated) - 1
        kept = self.actions > 0
        actions = self.actions[kept]
        return Treeplex(rank[self.treeplex.parent[kept]], 1 + np.cumsum(actions) - actions, actions)

    @property
    def places(self) -> np.ndarray:
        """The number in the restricted treeplex of each sequence's anchor, or NOWHERE."""
        anchor = np.empty(self.treeplex.sequences, np.int64)
        find_anchors(
            self.treeplex.parent, self.treeplex.first, self.treeplex.count, self.generated, self.allowed, anchor
        )
        rank = np.cumsum(self.generated) - 1
        return np.where(anchor == NOWHERE, NOWHERE, rank[anchor])

    def plan(self, behaviour: np.ndarray) -> np.ndarray:
        """The plan in the whole game of a behaviour strategy in the restricted one."""
        whole = self.allowed.astype(float)
        whole[self.generated] = behaviour
        return plan_of(self.treeplex, whole)

    def missing(self, opposing: np.ndarray) -> list[int]:
        """The sequences by which best responses to the opposing plan leave the restricted game."""
        treeplex = self.treeplex
        choice = choices_of(treeplex, self.allowed, worth_of(self.form, self.player, opposing), self.slack)
        used = self.generated.copy()
        follow(treeplex.parent, choice, used)
        needed = used & ~self.allowed
        mark_way(treeplex.parent, choice, used, needed)
        fresh = treeplex.infoset_of[needed & ~self.generated]
        needed[self.default[fresh[self.actions[fresh] == 0]]] = True
        return np.flatnonzero(needed & ~self.generated).tolist()


def restricted_game(form: SequenceForm, sides: tuple[Side, Side]) -> SequenceForm:
    """The game of the generated sequences, in which everything else goes on by default."""
    rows, columns = sides[0].places[form.rows], sides[1].places[form.columns]
    reached = (rows != NOWHERE) & (columns != NOWHERE)
    treeplexes = sides[0].restricted, sides[1].restricted
    return merge(treeplexes, rows[reached], columns[reached], form.payoffs[reached], form.denominator)


def double_oracle(form: SequenceForm, tolerance: float = TOLERANCE, records: Sequence[Record] = ()) -> Iterator[Growth]:
    """Grow the sequences of both until both strategies of a round secure the same but for the tolerance.

    With the records of earlier rounds it goes on after the last of them.
    """
    sides = Side(form, 0, tolerance), Side(form, 1, tolerance)
    past = unfinished(records)
    for record in past:
        for side in sides:
            side.add(record["added"][side.player])
    lower, upper = (past[-1]["lower"], past[-1]["upper"]) if past else (-inf, inf)
    for number in count(1 + len(past)):
        solution = equilibrium(restricted_game(form, sides))
        x, y = (side.plan(behaviour) for side, behaviour in zip(sides, solution.behaviours, strict=True))
        bounds = guaranteed_value(form, x, y)
        error = ROUNDING * (1 + abs(solution.value))
        require(bounds[0] - error <= solution.value <= bounds[1] + error, "the restricted value is between the bounds")
        lower, upper = max(lower, bounds[0]), min(upper, bounds[1])
        require(lower <= upper + error, "no lower bound is above an upper one")
        gap = bounds[1] - bounds[0]
        added = (sides[0].missing(y), sides[1].missing(x)) if gap > tolerance else ([], [])
        yield Growth(
            number=number,
            generated=(int(sides[0].generated.sum()), int(sides[1].generated.sum())),
            lower=lower,
            upper=upper,
            added=added,
            behaviours=(behaviour_of(form.treeplexes[0], x), behaviour_of(form.treeplexes[1], y)),
            gap=gap,
        )
        if not any(added):
            return
        for side, sequences in zip(sides, added, strict=True):
            side.add(sequences)
