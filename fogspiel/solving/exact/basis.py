"""The vertex of a basis, exactly: sparse elimination modulo a prime and p-adic lifting.

The equations of a basis are solved modulo a prime, the solution is lifted to more and more p-adic digits (Dixon 1982,
"Exact solution of linear equations using p-adic expansions"), and fractions are told from them (Wang 1981).
"""

from fractions import Fraction
from heapq import heappop, heappush
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from ...core.compile.kernel import kernel
from ...stats.highs import AT_UPPER, BASIC
from ..methods.lp import LinearProgram
from ..tree.sequence_form import Sparse, sparse

MOST_WORK = 2 * 10**7  # the elimination of a basis that takes more steps than this is given up
# How many digits are lifted in a round, and how many rounds there are before a basis is given up.
LIFT, MOST_ROUNDS = 6, 2**8
# A reconstructed fraction must be shorter than what is known by this many bits, else more digits are lifted.
SURPLUS = 40

Statuses = tuple[np.ndarray, np.ndarray]  # hiGHS's status of each column and of each row


def vertex(
    program: LinearProgram, statuses: Statuses, columns: np.ndarray, rows: np.ndarray
) -> tuple[list[Fraction], list[Fraction]] | None:
    """The primal at the chosen columns and the dual at the chosen rows, in whole-number units, or None if too hard.

    With the rows that are not basic (their activity is at its bound) and the columns that are, the basic columns solve
    B z = b, and the duals of those rows solve B' pi = c; all other duals are 0, all other columns at their bounds.
    """
    column_status, row_status = statuses
    inside, tight = column_status == BASIC, row_status != BASIC
    size = int(inside.sum())
    if tight.sum() != size:
        return None
    row = np.repeat(np.arange(program.height), np.diff(program.matrix.start))
    column, whole = program.matrix.column, program.whole
    resting = _resting(column_status, program.column_lower, program.column_upper)
    bound = _resting(row_status, program.row_lower, program.row_upper)
    np.subtract.at(bound, row, whole * resting[column])
    down, across = (np.where(chosen, np.cumsum(chosen) - 1, -1) for chosen in (tight, inside))
    kept = tight[row] & inside[column] & (whole != 0)
    i, j, entry = down[row[kept]], across[column[kept]], whole[kept]
    heaviest = max(np.bincount(line, np.abs(entry), size).max(initial=1) for line in (i, j))
    prime = _prime_below(min(2**31, 2**62 // int(heaviest)))
    matrix, transposed = sparse(i, j, entry, size), sparse(j, i, entry, size)
    factors = factorise(matrix, prime) if prime else None
    if factors is None:
        return None
    primal = _lift(matrix, bound[tight], factors, prime, across[columns])
    dual = _lift(transposed, program.cost[inside].astype(np.int64), factors.transposed(), prime, down[rows])
    if primal is None or dual is None:
        return None
    return [z + rest for z, rest in zip(primal, resting[columns].tolist(), strict=True)], dual


def _resting(status: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The value of each variable that is not basic, at a bound or free and 0, as a whole number; 0 for the others."""
    value = np.where(status == AT_UPPER, upper, lower)
    return np.where((status == BASIC) | ~np.isfinite(value), 0, value).astype(np.int64)


def _prime_below(limit: int) -> int:
    """The largest prime below a number, or 0 if it is too small to be of use."""
    candidates = range(limit - 1, 2**16, -1)
    return next((n for n in candidates if all(n % d for d in range(2, isqrt(n) + 1))), 0)


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
    """The factors of a sparse square matrix modulo a prime, pivots by shortest row (Markowitz); None if singular.

    Bases of sequence forms hardly fill in (23,714 rows of liar's dice take 17,000 steps), so dictionaries do.
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
        if work > MOST_WORK:
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
    """Write p-adic digits of the solution, a row of `digits` each; `residual` is what is left of the right side."""
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
    """The wanted entries of the solution of matrix . z = right, lifted until all can be told; 0 for an entry -1."""
    rows, columns, inverse, lower, upper = factors
    residual, chosen, modulus = right.copy(), wanted[wanted >= 0], 1
    known: Any = np.zeros(len(chosen), object)
    for rounds in range(1, MOST_ROUNDS + 1):
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
    """The fractions with these residues, or None if one of them is not short; neighbours often share a denominator."""
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
