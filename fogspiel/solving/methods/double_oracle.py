"""Two-sided growth, after the sequence-form double oracle of Bosansky, Kiekintveld, Lisy and Pechoucek (JAIR 51, 2014).

Each player has a default strategy, fixed and pure, and some generated sequences. In an infoset that has generated
sequences the player uses only these, in any other one it follows the default. So its choices in the restricted game
are strategies of the whole game. Each round solves the restricted game, finds a best response in the whole game to the
strategy of either player, and adds the sequences by which it leaves the restricted game, at every infoset that either
has generated sequences or follows one. (Responding at every infoset and not only along the best response is the idea
of XDO, McAleer et al. 2021.)

What the paper calls a temporary leaf is here an entry of the payoff matrix whose sequences extend beyond the generated
ones: along the default it counts for the last generated sequences (their "anchor"), elsewhere it is not reached. As
each player decides by its own infosets whether it follows the default, the value of the restricted game is exactly
that of its strategies in the whole game. When an infoset gets its first sequence it gets the default one too, so the
choice of a player only ever grows, and the restricted game stays valid for both.

The default strategy is the best response to uniform play. With the first action of every infoset instead, Leduc poker
ended up with one and a half times the sequences, liar's dice (4 faces) with almost three times and goofspiel (5 cards)
with almost five times as many.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Any, TypeVar

import numpy as np

from ...core.compile.kernel import kernel
from ...core.untrusted_input import JsonRecord
from ..tree.sequence_form import SequenceForm, Treeplex, behaviour_of, guaranteed_value, merge, plan_of, worth_of
from . import Record
from .lp import equilibrium

NOWHERE = -1
TOLERANCE = 1e-9  # strategies with closer bounds count as optimal
ROUNDING = 1e-6  # tolerated error of a program's optimum, for values of about 1


class BrokenInvariant(AssertionError):
    """A violated invariant of the theory: a bug."""


def require(holds: bool, claim: str) -> None:
    if not holds:
        raise BrokenInvariant(f"this must hold but does not: {claim}")


Found = TypeVar("Found")


def oracle_rounds(
    respond: Callable[[], tuple[float, float, Found]],
    add: Callable[[Found], bool],
    past: int = 0,
    lower: float = -inf,
    upper: float = inf,
) -> Iterator[tuple[int, float, float, Found]]:
    """Run the oracle loop (McMahan, Gordon and Blum 2003): yield each round's number, best bounds so far and findings.

    `respond` solves the restricted game and returns the bounds that its strategies secure in the whole game, with the
    best responses to them in its findings. `add` adds these to the restricted game, before the round is yielded, and
    returns False if nothing gains. A resumed search starts from its number of past rounds and their best bounds.
    """
    for number in count(1 + past):
        secured, conceded, found = respond()
        lower, upper = max(lower, secured), min(upper, conceded)
        require(lower <= upper + ROUNDING * (1 + abs(upper)), "no lower bound is above an upper one")
        more = add(found)
        yield number, lower, upper, found
        if not more:
            return


@dataclass(frozen=True, eq=False)
class Growth(JsonRecord):
    """Result of one round in the restricted game, and its additions for the next one."""

    KEYS = ("number", "generated", "lower", "upper", "added", "behaviours", "gap")

    number: int
    generated: tuple[int, int]  # sequences of each player in the restricted game, the empty ones included
    lower: float  # best guarantee of a strategy of the first player so far
    upper: float  # least payoff that a strategy of the second player has conceded so far
    # The new sequences of each player in the next round, in the order of their rows.
    added: tuple[list[int], list[int]]
    behaviours: tuple[np.ndarray, np.ndarray]  # a strategy for each player in the whole game
    gap: float  # distance of the bounds that these two strategies secure

    @property
    def final(self) -> bool:
        return not (self.added[0] or self.added[1])

    @property
    def value(self) -> float:
        return (self.lower + self.upper) / 2

    @property
    def record(self) -> Record:
        """The stored record of this round as JSON: the records of all rounds suffice to resume."""
        # Stored rows have always had a basis; this method starts every program from scratch.
        return {name: value for name, value in self.to_json().items() if name != "behaviours"} | {"basis": ""}


@kernel
def respond(parent, first, count, allowed, worth, slack, choice):
    """Choose a sequence at each infoset, the last infoset first; worth[0] becomes the best total.

    The best allowed sequence is chosen unless another one is better by more than `slack`.
    """
    for i in range(len(parent) - 1, -1, -1):
        best = first[i]
        kept = -1
        for s in range(first[i], first[i] + count[i]):
            if worth[s] > worth[best]:
                best = s
            if allowed[s] and (kept < 0 or worth[s] > worth[kept]):
                kept = s
        choice[i] = kept if kept >= 0 and worth[kept] >= worth[best] - slack else best
        worth[parent[i]] += worth[best]


@kernel
def follow(parent, choice, used):
    """Mark everything to which the choices lead from the sequences in use."""
    for i in range(len(parent)):
        if used[parent[i]]:
            used[choice[i]] = True


@kernel
def fold_allowed(parent, first, count, allowed, worth, best):
    """Write the best value of allowed sequences from each infoset on; minus infinity where there are none."""
    for i in range(len(parent) - 1, -1, -1):
        best[i] = -np.inf
        for s in range(first[i], first[i] + count[i]):
            if allowed[s]:
                best[i] = max(best[i], worth[s])
        worth[parent[i]] += best[i]


def choices_of(treeplex: Treeplex, allowed: np.ndarray, worth: np.ndarray, slack: float) -> np.ndarray:
    """Return the best sequence at each infoset; a disallowed one only if it is better by more than `slack`."""
    choice = np.empty(treeplex.infosets, np.int64)
    folded = worth.copy()
    respond(treeplex.parent, treeplex.first, treeplex.count, allowed, folded, slack, choice)
    held, best = worth.copy(), np.empty(treeplex.infosets)
    fold_allowed(treeplex.parent, treeplex.first, treeplex.count, allowed, held, best)
    require(bool(np.all(allowed[choice] | (folded[choice] > best))), "a sequence is added only if it is better")
    return choice


@kernel
def find_anchors(parent, first, count, generated, allowed, anchor):
    """Write for each sequence the generated one that leads to it by default, or NOWHERE."""
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
    def __init__(self, form: SequenceForm, player: int, tolerance: float) -> None:
        self.form, self.player = form, player
        self.treeplex = form.treeplexes[player]
        self.slack = tolerance / (1 + self.treeplex.infosets)
        theirs = form.treeplexes[1 - player]
        uniform = plan_of(theirs, behaviour_of(theirs, np.zeros(theirs.sequences)))
        nothing = np.zeros(self.treeplex.sequences, bool)
        self.default = choices_of(self.treeplex, nothing, worth_of(form, player, uniform), 0.0)
        self.generated = np.zeros(self.treeplex.sequences, bool)
        self.add([0])

    def add(self, sequences: list[int]) -> None:
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
        treeplex, anchor = self.treeplex, np.empty(self.treeplex.sequences, np.int64)
        find_anchors(treeplex.parent, treeplex.first, treeplex.count, self.generated, self.allowed, anchor)
        rank = np.cumsum(self.generated) - 1
        return np.where(anchor == NOWHERE, NOWHERE, rank[anchor])

    def plan(self, behaviour: np.ndarray) -> np.ndarray:
        whole = self.allowed.astype(float)
        whole[self.generated] = behaviour
        return plan_of(self.treeplex, whole)

    def missing(self, opposing: np.ndarray) -> list[int]:
        """Return the sequences by which best responses to the opposing plan leave the restricted game."""
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
    """Return the game of the generated sequences, continued by the defaults."""
    rows, columns = sides[0].places[form.rows], sides[1].places[form.columns]
    reached = (rows != NOWHERE) & (columns != NOWHERE)
    treeplexes = sides[0].restricted, sides[1].restricted
    return merge(treeplexes, rows[reached], columns[reached], form.payoffs[reached], form.denominator)


def double_oracle(form: SequenceForm, tolerance: float = TOLERANCE, records: Sequence[Record] = ()) -> Iterator[Growth]:
    """Grow both players' sequences until their bounds meet up to the tolerance; resume after `records`."""
    sides = Side(form, 0, tolerance), Side(form, 1, tolerance)

    def respond() -> tuple[float, float, dict[str, Any]]:
        solution = equilibrium(restricted_game(form, sides))
        x, y = (side.plan(behaviour) for side, behaviour in zip(sides, solution.behaviours, strict=True))
        lower, upper = guaranteed_value(form, x, y)
        error = ROUNDING * (1 + abs(solution.value))
        require(lower - error <= solution.value <= upper + error, "the restricted value is between the bounds")
        found = {
            "generated": (int(sides[0].generated.sum()), int(sides[1].generated.sum())),
            "added": (sides[0].missing(y), sides[1].missing(x)) if upper - lower > tolerance else ([], []),
            "behaviours": (behaviour_of(form.treeplexes[0], x), behaviour_of(form.treeplexes[1], y)),
            "gap": upper - lower,
        }
        return lower, upper, found

    def add(found: Mapping[str, Any]) -> bool:
        for side in sides:
            side.add(found["added"][side.player])
        return any(found["added"])

    # A finished run repeats its last round, as its strategies are not recorded.
    past = records[:-1] if records and not any(records[-1]["added"]) else records
    for record in past:
        add(record)
    bounds = (past[-1]["lower"], past[-1]["upper"]) if past else (-inf, inf)
    for number, lower, upper, found in oracle_rounds(respond, add, len(past), *bounds):
        yield Growth(number=number, lower=lower, upper=upper, **found)
