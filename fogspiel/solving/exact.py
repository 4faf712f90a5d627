"""Exact values of games: vertices in fractions, and bounds proved by best responses in integers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import isqrt, lcm
from typing import Any, NamedTuple

import numpy as np

from ..core.compile.kernel import kernel
from ..stats.linear_programs import AT_UPPER, BASIC
from .methods.lp import LinearProgram, LpPoint, basis_statuses, plans_of, program_of
from .tree.sequence_form import (
    MAX_NUMERATOR,
    SequenceForm,
    Sparse,
    Treeplex,
    behaviour_of,
    exact_plan_of,
    fold,
    infosets_of,
    sparse,
)

# The vertex of a basis, exactly: sparse elimination modulo a prime and p-adic lifting.
#
# The equations of a basis are solved modulo a prime, the solution is lifted to more and more p-adic digits (Dixon 1982,
# "Exact solution of linear equations using p-adic expansions"), and fractions are reconstructed from them (Wang 1981).

MAX_WORK = 2 * 10**7  # maximum number of steps of the elimination of a basis
# Digits lifted in a round, and rounds before a basis is given up.
LIFT, MAX_ROUNDS = 6, 2**8
# A reconstructed fraction must be shorter than the known digits by this many bits, else more digits are lifted.
SURPLUS = 40

Statuses = tuple[np.ndarray, np.ndarray]  # HiGHS's status of each column and of each row


def vertex(
    program: LinearProgram, statuses: Statuses, columns: np.ndarray, rows: np.ndarray
) -> tuple[list[Fraction], list[Fraction]] | None:
    """Return the primal at the chosen columns and the dual at the chosen rows, in integer units; None if too hard.

    With the nonbasic rows (their activity is at its bound) and the basic columns, the basic columns solve B z = b, and
    the duals of those rows solve B' pi = c; all other duals are 0, all other columns at their bounds. Costs and bounds
    may be integers of any length, as objects.
    """
    found = vertices([program], statuses, columns, rows)
    return found[0] if found else None


def vertices(
    programs: Sequence[LinearProgram], statuses: Statuses, columns: np.ndarray, rows: np.ndarray
) -> list[tuple[list[Fraction], list[Fraction]]] | None:
    """Return the `vertex` of one basis in programs that differ in their costs and bounds alone."""
    column_status, row_status = statuses
    inside, tight = column_status == BASIC, row_status != BASIC
    size = int(inside.sum())
    if tight.sum() != size:
        return None
    matrix, whole = programs[0].matrix, programs[0].whole
    row, column = np.repeat(np.arange(programs[0].height), np.diff(matrix.start)), matrix.column
    down, across = (np.where(chosen, np.cumsum(chosen) - 1, -1) for chosen in (tight, inside))
    kept = tight[row] & inside[column] & (whole != 0)
    i, j, entry = down[row[kept]], across[column[kept]], whole[kept]
    heaviest = max(np.bincount(line, np.abs(entry), size).max(initial=1) for line in (i, j))
    # The largest prime that keeps sums in 64 bits, or 0 if it is too small to be of use
    candidates = range(min(2**31, 2**62 // int(heaviest)) - 1, 2**16, -1)
    prime = next((n for n in candidates if all(n % d for d in range(2, isqrt(n) + 1))), 0)
    equations, transposed = sparse(i, j, entry, size), sparse(j, i, entry, size)
    factors = factorise(equations, prime) if prime else None
    if factors is None:
        return None
    found = []
    for program in programs:
        resting = _resting(column_status, program.column_lower, program.column_upper)
        bound = _resting(row_status, program.row_lower, program.row_upper)
        if resting.dtype == object:
            bound = bound.astype(object)
        np.subtract.at(bound, row, whole * resting[column])
        primal = _lift(equations, _integers(bound[tight]), factors, prime, across[columns])
        dual = _lift(transposed, _integers(program.cost[inside]), factors.transposed(), prime, down[rows])
        if primal is None or dual is None:
            return None
        found.append(([z + rest for z, rest in zip(primal, resting[columns].tolist(), strict=True)], dual))
    return found


def _resting(status: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return the integer value of each nonbasic variable, at a bound or free and 0; 0 for the basic ones."""
    value = np.where(status == AT_UPPER, upper, lower)
    return _integers(np.where((status == BASIC) | np.isinf(value.astype(float)), 0, value))


def _integers(numbers: np.ndarray) -> np.ndarray:
    """Return integers as int64 where they fit with room for sums, else as objects."""
    if numbers.dtype != object or max(map(abs, numbers.tolist()), default=0) < MAX_NUMERATOR:
        return numbers.astype(np.int64)
    return np.array([int(number) for number in numbers], object)


class Factors(NamedTuple):
    """B = L D U modulo a prime, with permuted rows and columns; L and U have ones on the diagonal, left out here."""

    rows: np.ndarray
    columns: np.ndarray
    inverse: np.ndarray
    lower: Sparse  # below pivot k: rows and multipliers
    upper: Sparse  # to the right of pivot k: columns and multipliers

    def transposed(self) -> "Factors":
        return Factors(self.columns, self.rows, self.inverse, self.upper, self.lower)


def factorise(matrix: Sparse, prime: int) -> Factors | None:
    """Factorise a sparse square matrix modulo a prime, pivots by shortest row (Markowitz); None if singular.

    Bases of sequence forms hardly fill in (23,714 rows of liar's dice take 17,000 steps), so dictionaries suffice.
    """
    size = len(matrix.start) - 1
    start, column = matrix.start.tolist(), matrix.column.tolist()
    residue = [int(v) % prime for v in matrix.value.tolist()]
    left = [{column[k]: residue[k] for k in range(start[r], start[r + 1]) if residue[k]} for r in range(size)]
    holders: list[set[int]] = [set() for _ in range(size)]
    for r, row in enumerate(left):
        for c in row:
            holders[c].add(r)
    queue = sorted((len(row), r) for r, row in enumerate(left))
    done = [False] * size
    pivots: list[tuple[int, int, int]] = []
    below: list[dict[int, int]] = []
    right: list[dict[int, int]] = []
    work = 0
    while queue:
        length, r = heappop(queue)
        row = left[r]
        if done[r] or length != len(row):
            continue
        if not row:
            return None
        done[r] = True
        for c in row:
            holders[c].discard(r)
        c = min(row, key=lambda c: (len(holders[c]), c))
        inverse = pow(row.pop(c), -1, prime)
        multipliers = {}
        for lower in sorted(holders[c]):
            target = left[lower]
            by = multipliers[lower] = target.pop(c) * inverse % prime
            work += len(row)
            for other, value in row.items():
                changed = (target.get(other, 0) - by * value) % prime
                if changed:
                    target[other] = changed
                    holders[other].add(lower)
                elif other in target:
                    del target[other]
                    holders[other].discard(lower)
            heappush(queue, (len(target), lower))
        if work > MAX_WORK:
            return None
        pivots.append((r, c, inverse))
        below.append(multipliers)
        right.append({other: value * inverse % prime for other, value in row.items()})
    rows, columns, inverses = np.array(pivots, np.int64).reshape(-1, 3).T.copy()
    return Factors(rows, columns, inverses, _stack(below), _stack(right))


def _stack(lines: list[dict[int, int]]) -> Sparse:
    start = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    keys = np.array([key for line in lines for key in line], np.int64)
    return Sparse(start, keys, np.array([v for line in lines for v in line.values()], np.int64))


@kernel
def lift(
    start, column, value, residual, source, target, inverse,
    low_start, low_place, low_value, up_start, up_place, up_value, prime, digits,
):  # fmt: skip
    """Write p-adic digits of the solution, one per row of `digits`; update `residual`, the remaining right side."""
    size = len(residual)
    work = np.empty(size, np.int64)
    for step in range(len(digits)):
        for i in range(size):
            work[i] = residual[i] % prime
        for k in range(size):
            x = work[source[k]]
            if x != 0:
                for e in range(low_start[k], low_start[k + 1]):
                    work[low_place[e]] = (work[low_place[e]] - low_value[e] * x) % prime
        for k in range(size - 1, -1, -1):
            x = work[source[k]] * inverse[k] % prime
            for e in range(up_start[k], up_start[k + 1]):
                x = (x - up_value[e] * digits[step, up_place[e]]) % prime
            digits[step, target[k]] = x
        for i in range(size):
            left = residual[i]
            for e in range(start[i], start[i + 1]):
                left -= value[e] * digits[step, column[e]]
            residual[i] = left // prime


def _lift(matrix: Sparse, right: np.ndarray, factors: Factors, prime: int, wanted: np.ndarray) -> list[Fraction] | None:
    """Solve matrix . z = right for the wanted entries, lifted until all are reconstructed; 0 for an entry -1."""
    if right.dtype == object:  # too long for the residual: a sum of parts that fit
        low, high = (
            _lift(matrix, _integers(part), factors, prime, wanted)
            for part in (right % MAX_NUMERATOR, right // MAX_NUMERATOR)
        )
        return low and high and [a + b * MAX_NUMERATOR for a, b in zip(low, high, strict=True)]
    rows, columns, inverse, lower, upper = factors
    residual, chosen, modulus = right.copy(), wanted[wanted >= 0], 1
    known: Any = np.zeros(len(chosen), object)
    for rounds in range(1, MAX_ROUNDS + 1):
        digits = np.zeros((LIFT, len(right)), np.int64)
        lift(
            matrix.start, matrix.column, matrix.value, residual, rows, columns, inverse,
            lower.start, lower.column, lower.value, upper.start, upper.column, upper.value, prime, digits,
        )  # fmt: skip
        for row in digits[:, chosen]:
            known = known + row.astype(object) * modulus
            modulus *= prime
        # Attempts after 1, 2, 4, 8, ... rounds, so that they cost no more than the lifting
        told = _reconstruct(known.tolist(), modulus) if rounds & (rounds - 1) == 0 else None
        if told is not None:
            found = iter(told)
            return [next(found) if place >= 0 else Fraction(0) for place in wanted.tolist()]
    return None


def _reconstruct(residues: list[int], modulus: int) -> list[Fraction] | None:
    """Return the fractions with these residues, or None if one is not short; neighbours often share a denominator."""
    most = isqrt(modulus >> SURPLUS)
    told = []
    shared = 1
    for residue in residues:
        scaled = residue * shared % modulus
        scaled = scaled - modulus if 2 * scaled > modulus else scaled
        if abs(scaled) > most:
            # Wang's algorithm: Euclid's, stopped half-way
            before, now, factor_before, factor = modulus, residue, 0, 1
            while now > most:
                quotient = before // now
                before, now = now, before - quotient * now
                factor_before, factor = factor, factor_before - quotient * factor
            if factor == 0 or abs(factor) > most:
                return None
            scaled, shared = (now, factor) if factor > 0 else (-now, -factor)
        told.append(Fraction(scaled, shared))
    return told


# Exact values: from a vertex in floating point to strategies in fractions and proved bounds.
#
# Two methods lead to fractions: solving the equations of the final basis of the simplex method exactly, by elimination
# modulo a prime, p-adic lifting (Dixon 1982) and rational reconstruction (Wang 1981); and, where there is no basis or
# it is too hard, rounding the behaviour at every infoset to small denominators. Neither is trusted: `lower` and `upper`
# always come from best responses, computed in integers, to the returned strategies.

DENOMINATORS = (1_000, 100_000)  # the largest denominators of a behaviour probability that rounding tries
FINE = 2**60  # the common denominator of a plan where no exact optimum is found
MAX_BITS = 2**15  # plans whose common denominator has more bits are not examined


@dataclass(frozen=True, eq=False)
class ExactBounds:
    """Strategies in fractions (behaviour, one for each sequence) and their guarantees: lower <= value <= upper."""

    lower: Fraction  # value of the first player's strategy against its best response
    upper: Fraction  # value of the best response to the second player's strategy
    behaviours: tuple[list[Fraction], list[Fraction]]

    @property
    def proved(self) -> bool:
        return self.lower == self.upper

    @property
    def value(self) -> Fraction:
        """The value of the game if it is proved, else the midpoint of the bounds."""
        return (self.lower + self.upper) / 2


class RealisationPlan(NamedTuple):
    """A realisation plan in integers: weight / denominator for each sequence."""

    weights: list[int]
    denominator: int


def exact_bounds(form: SequenceForm, primal_player: int, point: LpPoint) -> ExactBounds:
    """Return the exact value from an optimum of `program_of(form, primal_player)`, or else rigorous bounds near it."""
    return _best(form, _candidates(form, primal_player, point))


def exact_from(form: SequenceForm, x: list[Fraction], y: list[Fraction]) -> ExactBounds:
    """Return the bounds secured by two plans in fractions, such as a program's `vertex`; repair small faults."""
    for treeplex, plan in zip(form.treeplexes, (x, y), strict=True):
        width = treeplex.sequences
        if len(plan) != width:
            raise ValueError(f"a plan has {len(plan)} weights but must have {width}, one for each sequence")
    return _best(form, iter([list(map(repair, form.treeplexes, (x, y)))]))


def _best(form: SequenceForm, candidates: Iterator[list[RealisationPlan | None]]) -> ExactBounds:
    """Return the best plan of each player among pairs of candidates, tried until both are optimal."""
    best: dict[int, tuple[Fraction, RealisationPlan]] = {}
    for pair in candidates:
        for player, plan in enumerate(pair):
            if plan is not None:
                secured = guarantee(form, player, plan)
                if player not in best or secured > best[player][0]:
                    best[player] = secured, plan
        if len(best) == 2 and best[0][0] + best[1][0] == 0:
            break
    if len(best) < 2:
        raise ValueError(f"the common denominator of a plan must not be longer than {MAX_BITS} bits")
    first, second = (behaviour_fractions(treeplex, best[k][1].weights) for k, treeplex in enumerate(form.treeplexes))
    return ExactBounds(best[0][0], -best[1][0], (first, second))


def guarantee(form: SequenceForm, player: int, plan: RealisationPlan) -> Fraction:
    """Return a plan's guaranteed value for its player against any opponent, in exact arithmetic."""
    check_plan(form.treeplexes[player], plan)
    worth = exact_worth(form, player, plan.weights)
    return -Fraction(fold(form.treeplexes[1 - player], worth, max)[0], plan.denominator * form.denominator)


def exact_worth(form: SequenceForm, player: int, plan: Sequence[int]) -> list[int]:
    """Return the payoffs of the opponent's sequences against a plan, in integers."""
    weights = np.array(plan, object)
    mine, theirs, sign = (form.rows, form.columns, -1) if player == 0 else (form.columns, form.rows, 1)
    worth = np.zeros(form.treeplexes[1 - player].sequences, object)
    np.add.at(worth, theirs, sign * form.payoffs.astype(object) * weights[mine])
    found: list[int] = worth.tolist()
    return found


def check_plan(treeplex: Treeplex, plan: RealisationPlan) -> None:
    """Raise a ValueError unless the weights are a realisation plan, exactly."""
    weights, denominator = plan
    if len(weights) != treeplex.sequences or denominator <= 0 or weights[0] != denominator or min(weights) < 0:
        raise ValueError("a plan has one weight >= 0 for each sequence, and the first is the denominator")
    for parent, first, count in infosets_of(treeplex):
        if sum(weights[first : first + count]) != weights[parent]:
            raise ValueError(f"the weights {first} .. {first + count - 1} of a plan must add up to weight {parent}")


def behaviour_fractions(treeplex: Treeplex, weights: list[int]) -> list[Fraction]:
    """Return behaviour in proportion to weights, uniform if all are 0, negative ones counted as 0; entry 0 is 1."""
    behaviour = [Fraction(1)] * treeplex.sequences
    for _, first, count in infosets_of(treeplex):
        row = [max(weight, 0) for weight in weights[first : first + count]]
        total = sum(row)
        behaviour[first : first + count] = [Fraction(w, total) if total else Fraction(1, count) for w in row]
    return behaviour


def plan_of_behaviour(treeplex: Treeplex, behaviour: list[Fraction]) -> RealisationPlan | None:
    """Return the plan of a behaviour strategy, or None if its common denominator is too long."""
    return in_units(exact_plan_of(treeplex, behaviour))


def repair(treeplex: Treeplex, reach: list[Fraction]) -> RealisationPlan | None:
    """Return the plan with these weights, after dropping negative weights if need be; None if it is too long."""
    plan = in_units(reach)
    if plan is None:
        return None
    try:
        check_plan(treeplex, plan)
    except ValueError:
        return plan_of_behaviour(treeplex, behaviour_fractions(treeplex, plan.weights))
    return plan


def in_units(reach: list[Fraction]) -> RealisationPlan | None:
    """Return unchecked weights with a common denominator, or None if it is too long."""
    denominator = 1
    for weight in reach:
        denominator = lcm(denominator, weight.denominator)
        if denominator.bit_length() > MAX_BITS:
            return None
    return RealisationPlan([weight.numerator * (denominator // weight.denominator) for weight in reach], denominator)


def _candidates(form: SequenceForm, primal_player: int, point: LpPoint) -> Iterator[list[RealisationPlan | None]]:
    """Yield pairs of plans, the likeliest to be optimal first; those of the last pair are never None."""
    if point.basis is not None:
        mine, theirs = form.treeplexes[primal_player], form.treeplexes[1 - primal_player]
        responses = 1 + mine.infosets + np.arange(theirs.sequences)
        program = program_of(form, primal_player)
        found = vertex(program, basis_statuses(program, point.basis), np.arange(mine.sequences), responses)
        if found is not None:
            pair = [repair(mine, found[0]), repair(theirs, found[1])]
            yield pair[::-1] if primal_player else pair
    plans = plans_of(form, primal_player, point.primal, point.dual)
    behaviours = [*zip(form.treeplexes, map(behaviour_of, form.treeplexes, plans), strict=True)]
    for largest in DENOMINATORS:
        rounded = ((treeplex, round_strategy(treeplex, behaviour, largest)) for treeplex, behaviour in behaviours)
        yield [plan_of_behaviour(treeplex, behaviour) for treeplex, behaviour in rounded]
    yield [_fine(treeplex, behaviour) for treeplex, behaviour in behaviours]


def round_strategy(treeplex: Treeplex, behaviour: np.ndarray, largest: int) -> list[Fraction]:
    """Round behaviour to denominators up to `largest` at each infoset; the likeliest action takes the rest."""
    exact = [Fraction(p).limit_denominator(largest) for p in behaviour.tolist()]
    for _, first, count in infosets_of(treeplex):
        left = Fraction(1)
        for s in range(first, first + count):
            exact[s] = min(exact[s], left)
            left -= exact[s]
        exact[max(range(first, first + count), key=lambda s: exact[s])] += left
    return exact


def _fine(treeplex: Treeplex, behaviour: np.ndarray) -> RealisationPlan:
    weights = [FINE] * treeplex.sequences
    probable = behaviour.tolist()
    for parent, first, count in infosets_of(treeplex):
        left, odds = weights[parent], 1.0
        for s in range(first, first + count - 1):
            share = Fraction(min(probable[s] / odds, 1.0)) if odds > 0 else Fraction(0)
            weights[s] = left * share.numerator // share.denominator
            left, odds = left - weights[s], odds - probable[s]
        weights[first + count - 1] = left
    return RealisationPlan(weights, FINE)
