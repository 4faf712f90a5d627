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

from base64 import b85decode, b85encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import inf

import numpy as np

from ...core.compile.kernel import kernel
from ...core.untrusted_input import JsonRecord
from ..solution import Record
from ..tree.sequence_form import (
    SequenceForm,
    Sparse,
    Treeplex,
    behaviour_of,
    guaranteed_value,
    merge,
    plan_of,
    worth_of,
)
from .lp import LinearProgram, Simplex, equilibrium, planner_of, plans_of, program_of

# One-sided growth: one player plans with all its sequences, the other one's become rows when a best response asks.
#
# The planner solves the program of `sequence_lp` with the rows of some of the responder's sequences only. That holds
# the responder to these sequences. They are always those of whole strategies, so the responder can go on wherever it
# gets, and what it guarantees itself with them it guarantees in the whole game: the optimum of the restricted program
# is a bound on the value from its side. The best response in the whole game to the planner's plan is a bound from the
# other side. Wherever an infoset that has rows has a better sequence without one, this sequence is added, with the best
# continuation: the row is violated, and the continuation makes a whole strategy of it. (Answering at every infoset and
# not only along the best response is the idea of XDO, McAleer et al. 2021. Goofspiel with 5 cards took 26 rounds
# instead of 67, liar's dice with 4 faces 19 instead of 27.)
#
# Only one side grows, so there are no temporary leaves as in `double_oracle`, and the basis of one program is dual
# feasible for the next.

TOLERANCE = 1e-9  # strategies whose bounds differ by no more are taken for optimal
ROUNDING = 1e-6  # what the optimum of a program may be wrong by, for values of about 1


class BrokenInvariant(AssertionError):
    """Something that holds by theory does not hold: a bug."""


def require(holds: bool, claim: str) -> None:
    """Stop where something that must be true is not."""
    if not holds:
        raise BrokenInvariant(f"this must hold but does not: {claim}")


@dataclass(frozen=True, eq=False)
class Growth(JsonRecord):
    """What one round found in the restricted game, and what it adds for the next one."""

    KEYS = ("number", "generated", "lower", "upper", "added", "behaviours", "gap", "basis")

    number: int
    generated: tuple[int, int]  # how many sequences of each player the restricted game has, the empty ones included
    lower: float  # the most that a strategy of the first player has guaranteed so far
    upper: float  # the least that a strategy of the second player has allowed so far
    # The sequences of each player that the next round has in addition, in the order of their rows.
    added: tuple[list[int], list[int]]
    behaviours: tuple[np.ndarray, np.ndarray]  # a strategy for each player in the whole game
    gap: float  # how far apart the bounds are that these two strategies secure
    basis: str = ""  # where the simplex method goes on from; empty if every round starts afresh

    @property
    def final(self) -> bool:
        """True if nothing is left to add."""
        return not (self.added[0] or self.added[1])

    @property
    def value(self) -> float:
        """The middle between the bounds."""
        return (self.lower + self.upper) / 2

    @property
    def record(self) -> Record:
        """What has to be kept of this round, ready for JSON: the records of all rounds so far are enough to go on."""
        return {name: value for name, value in self.to_json().items() if name != "behaviours"}


def unfinished(records: Sequence[Record]) -> list[Record]:
    """The records to replay; the last round of a finished run is played again, as its strategies are not recorded."""
    if records and not any(records[-1]["added"]):
        return list(records[:-1])
    return list(records)


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
    """Write the most that allowed sequences can get from each infoset on; minus infinity where there are none."""
    for i in range(len(parent) - 1, -1, -1):
        best[i] = -np.inf
        for s in range(first[i], first[i] + count[i]):
            if allowed[s]:
                best[i] = max(best[i], worth[s])
        worth[parent[i]] += best[i]


def uniform_plan(treeplex: Treeplex) -> np.ndarray:
    """The plan of a player to whom all actions are equal."""
    return plan_of(treeplex, behaviour_of(treeplex, np.zeros(treeplex.sequences)))


def choices_of(treeplex: Treeplex, allowed: np.ndarray, worth: np.ndarray, slack: float) -> np.ndarray:
    """The best sequence at each infoset; one that is not allowed only where it is better by more than `slack`."""
    choice = np.empty(treeplex.infosets, np.int64)
    folded = worth.copy()
    respond(treeplex.parent, treeplex.first, treeplex.count, allowed, folded, slack, choice)
    held, best = worth.copy(), np.empty(treeplex.infosets)
    fold_allowed(treeplex.parent, treeplex.first, treeplex.count, allowed, held, best)
    require(bool(np.all(allowed[choice] | (folded[choice] > best))), "a row is added only if it is violated")
    return choice


class Restricted:
    """The planner's program with the rows of some sequences of the responder, in the order in which they came."""

    def __init__(self, form: SequenceForm, planner: int, sequences: list[int], basis: bytes | None = None) -> None:
        self.form, self.planner = form, planner
        self.complete = program_of(form, planner)
        self.offset = 1 + form.treeplexes[planner].infosets
        self.rows = np.r_[np.arange(self.offset), self.offset + np.array(sequences, np.int64)]
        self.simplex = Simplex(part(self.complete, self.rows), basis)

    @property
    def generated(self) -> np.ndarray:
        """Return the responder's sequences that have a row."""
        generated = np.zeros(self.complete.height - self.offset, bool)
        generated[self.rows[self.offset :] - self.offset] = True
        return generated

    def add(self, sequences: list[int]) -> None:
        """Add the rows of these sequences."""
        rows = self.offset + np.array(sequences, np.int64)
        require(not np.isin(rows, self.rows).any(), "no row is added twice")
        more = part(self.complete, rows)
        self.simplex.add_rows(more.constraints)
        self.rows = np.r_[self.rows, rows]

    def optimum(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the first player's value in the restricted game, and both plans in the whole one."""
        point = self.simplex.optimum()
        dual = np.zeros(self.complete.height)
        dual[self.rows] = point.dual
        return point.value, *plans_of(self.form, self.planner, point.primal, dual)


def part(program: LinearProgram, rows: np.ndarray) -> LinearProgram:
    """The program with these rows only."""
    matrix = program.matrix
    length = matrix.start[rows + 1] - matrix.start[rows]
    start = np.r_[0, np.cumsum(length)]
    entry = np.repeat(matrix.start[rows] - start[:-1], length) + np.arange(start[-1])
    return replace(
        program,
        matrix=Sparse(start, matrix.column[entry], matrix.value[entry]),
        whole=program.whole[entry],
        row_lower=program.row_lower[rows],
        row_upper=program.row_upper[rows],
    )


def lazy(
    form: SequenceForm,
    planner: int | str = "auto",
    tolerance: float = TOLERANCE,
    records: Sequence[Record] = (),
) -> Iterator[Growth]:
    """Grow the sequences of the responder until both strategies of a round secure the same but for the tolerance.

    The planner is 0, 1 or "auto" (`planner_of`). With the records of earlier rounds it goes on after the last of them.
    """
    chosen = planner_of(form, planner)
    treeplex = form.treeplexes[1 - chosen]
    slack = tolerance / (1 + treeplex.infosets)  # so a gap above the tolerance always has a row to add

    def missing(generated: np.ndarray, opposing: np.ndarray) -> list[int]:
        choice = choices_of(treeplex, generated, worth_of(form, 1 - chosen, opposing), slack)
        used = generated.copy()
        used[0] = True
        follow(treeplex.parent, choice, used)
        return np.flatnonzero(used & ~generated).tolist()

    past = unfinished(records)
    batches = [missing(np.zeros(treeplex.sequences, bool), uniform_plan(form.treeplexes[chosen]))]
    batches += [record["added"][1 - chosen] for record in past]
    if past:
        basis = b85decode(past[-1]["basis"])
        program = Restricted(form, chosen, [s for batch in batches[:-1] for s in batch], basis)
        program.add(batches[-1])
    else:
        program = Restricted(form, chosen, batches[0])
    lower, upper = (past[-1]["lower"], past[-1]["upper"]) if past else (-inf, inf)
    for number in count(1 + len(past)):
        value, x, y = program.optimum()
        bounds = guaranteed_value(form, x, y)
        error = ROUNDING * (1 + abs(value))
        require(lower - error <= value <= upper + error, "the restricted value is between all bounds so far")
        require(abs(value - bounds[1 - chosen]) <= error, "the responder secures the restricted value")
        require(bounds[0] - error <= value <= bounds[1] + error, "the restricted value is between the bounds")
        lower, upper = max(lower, bounds[0]), min(upper, bounds[1])
        generated = program.generated
        gap = bounds[1] - bounds[0]
        added = missing(generated, (x, y)[chosen]) if gap > tolerance else []
        rows, every = int(generated.sum()), form.treeplexes[chosen].sequences
        yield Growth(
            number=number,
            generated=(rows, every) if chosen else (every, rows),
            lower=lower,
            upper=upper,
            added=(added, []) if chosen else ([], added),
            behaviours=(behaviour_of(form.treeplexes[0], x), behaviour_of(form.treeplexes[1], y)),
            gap=gap,
            basis=b85encode(program.simplex.basis).decode(),
        )
        if not added:
            return
        program.add(added)


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
