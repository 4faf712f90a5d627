"""One-sided growth: one player plans with all its sequences, the other one's become rows when a best response asks.

The planner solves the program of `sequence_lp` with the rows of some of the responder's sequences only. That holds the
responder to these sequences. They are always those of whole strategies, so the responder can go on wherever it gets,
and what it guarantees itself with them it guarantees in the whole game: the optimum of the restricted program is a
bound on the value from its side. The best response in the whole game to the planner's plan is a bound from the other
side. Wherever an infoset that has rows has a better sequence without one, this sequence is added, with the best
continuation: the row is violated, and the continuation makes a whole strategy of it. (Answering at every infoset and
not only along the best response is the idea of XDO, McAleer et al. 2021. Goofspiel with 5 cards took 26 rounds instead
of 67, liar's dice with 4 faces 19 instead of 27.)

Only one side grows, so there are no temporary leaves as in `double_oracle`, and the basis of one program is dual
feasible for the next.
"""

from base64 import b85decode, b85encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import inf

import numpy as np

from ..core.kernel import kernel
from .lp import Simplex, planner_of
from .progress import Record
from .sequence_form import SequenceForm, Sparse, Treeplex, behaviour_of, guaranteed_value, plan_of, worth_of
from .sequence_lp import Program, plans_of, program_of

TOLERANCE = 1e-9  # strategies whose bounds differ by no more are taken for optimal
ROUNDING = 1e-6  # what the optimum of a program may be wrong by, for values of about 1


class BrokenInvariant(AssertionError):
    """Something that holds by theory does not hold: a bug."""


def require(holds: bool, claim: str) -> None:
    """Stop where something that must be true is not."""
    if not holds:
        raise BrokenInvariant(f"this must hold but does not: {claim}")


@dataclass(frozen=True, eq=False)
class Growth:
    """Result of one round in the restricted game, and its additions for the next one."""

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
        """Return the stored record of this round as JSON: the records of all rounds suffice to resume."""
        return {name: value for name, value in vars(self).items() if name != "behaviours"}


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


def part(program: Program, rows: np.ndarray) -> Program:
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
