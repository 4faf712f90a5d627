"""Symmetry reduction by colour refinement of a linear program (Grohe, Kersting, Mladenov and Selman 2014).

A colouring of rows and columns is equitable if two rows of one colour have the same sum of coefficients into each
colour of columns, and vice versa. The coarsest equitable colouring that respects bounds and costs comes from repeated
refinement: a new colour is the old one together with the sum into each colour. It is at least as coarse as any symmetry
of the game, so the symmetries need not be known.

The quotient has one row and one column for each colour: the coefficients of one row of the colour, summed over the
columns of a colour; costs are summed too. In the lifted solution all columns of a colour have the same value, so every
row holds. The dual of a row is that of its colour divided by the number of its rows: if a is the quotient's coefficient
for the rows P and the columns Q, all of these together have the sum |P| a, so one column of Q has |P| a / |Q|. It is
priced at 1 / |Q| of the quotient's column, whose cost was the sum of |Q| equal ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...core.compile.kernel import kernel
from ...core.rng import mixed
from ..methods.lp import LinearProgram
from ..tree.sequence_form import Sparse, sparse

Numbers = np.ndarray | Sequence[Fraction]


class Colours(NamedTuple):
    """The colour of each row and of each column of a program: numbers from 0 on, by first occurrence."""

    rows: np.ndarray
    columns: np.ndarray


@dataclass(frozen=True, eq=False)
class Quotient:
    """A smaller program with the same least cost; `lift` maps its solutions to those of the original."""

    program: LinearProgram
    colours: Colours

    def lift(self, primal: Numbers, dual: Numbers) -> tuple[Any, Any]:
        """Return a solution of the original program: arrays of floats, or lists of fractions."""
        rows, columns = self.colours
        sizes = np.bincount(rows)
        if isinstance(primal, np.ndarray) and isinstance(dual, np.ndarray):
            return primal[columns], (dual / sizes)[rows]
        shares = [price / size for price, size in zip(dual, sizes.tolist(), strict=True)]
        return [primal[c] for c in columns.tolist()], [shares[r] for r in rows.tolist()]


def refine(program: LinearProgram) -> Quotient:
    colours = colours_of(program)
    alone = (_count(colours.rows), _count(colours.columns)) == (program.height, program.width)
    return Quotient(program, colours) if alone else quotient(program, colours)


# Refining


def _ranked(*keys: np.ndarray) -> np.ndarray:
    """Return the rank of each position among the different combinations of keys."""
    order = np.lexsort(keys)
    new = np.zeros(len(order), np.bool_)
    for key in keys:
        new[1:] |= key[order[1:]] != key[order[:-1]]
    rank = np.empty(len(order), np.int64)
    rank[order] = np.cumsum(new)
    return rank


def _in_order(colour: np.ndarray) -> np.ndarray:
    _, first, inverse = np.unique(colour, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]


@kernel
def mix(start, column, whole, other, salt, digest):
    """Write a digest of each row's sums of coefficients by colour: each colour has a random odd weight modulo 2^64."""
    one, high = np.uint64(1), np.uint64(40)
    for row in range(len(digest)):
        total = np.uint64(0)
        for k in range(start[row], start[row + 1]):
            weight = mixed(np.uint64(other[column[k]] + 1) ^ (np.uint64(salt) << high)) | one
            total += np.uint64(whole[k]) * weight
        digest[row] = total


@kernel
def split_unlike(order, begin, start, column, whole, given, other, total, colour):
    """Give a new colour to the rows that differ from the first row of their colour, and return the number of colours.

    Equal means: the same initial colour, and the same sum of coefficients into each colour of columns. The rows of
    colour c are order[begin[c]] .. order[begin[c + 1] - 1]; `total` is all zeros.
    """
    colours = len(begin) - 1
    for c in range(len(begin) - 1):
        model = order[begin[c]]
        fresh = -1
        for k in range(start[model], start[model + 1]):
            total[other[column[k]]] += whole[k]
        for m in range(begin[c] + 1, begin[c + 1]):
            row = order[m]
            for k in range(start[row], start[row + 1]):
                total[other[column[k]]] -= whole[k]
            like = given[row] == given[model]
            for k in range(start[row], start[row + 1]):
                like = like and total[other[column[k]]] == 0
            for k in range(start[model], start[model + 1]):
                like = like and total[other[column[k]]] == 0
            for k in range(start[row], start[row + 1]):
                total[other[column[k]]] += whole[k]
            if not like:
                if fresh < 0:
                    fresh = colours
                    colours += 1
                colour[row] = fresh
        for k in range(start[model], start[model + 1]):
            total[other[column[k]]] = 0
    return colours


@dataclass(frozen=True, eq=False)
class _Half:
    entries: Sparse
    given: np.ndarray

    def mixed(self, own: np.ndarray, other: np.ndarray, salt: int) -> np.ndarray:
        """Return the colours after one refinement; whatever the digests are, colours never merge."""
        digest = np.empty(len(own), np.uint64)
        mix(self.entries.start, self.entries.column, self.entries.value, other, salt, digest)
        return _ranked(digest, own)

    def confirmed(self, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return the colours, split by exact integer sums where the colouring is not equitable."""
        colour = own.copy()
        order = np.argsort(own, kind="stable")
        begin = np.concatenate(([0], np.cumsum(np.bincount(own))))
        entries, total = self.entries, np.zeros(_count(other), np.int64)
        split_unlike(order, begin, entries.start, entries.column, entries.value, self.given, other, total, colour)
        return colour


def _count(colour: np.ndarray) -> int:
    return int(colour.max(initial=-1)) + 1


def _halves(program: LinearProgram) -> tuple[_Half, _Half]:
    start, column, whole = program.matrix.start, program.matrix.column, program.whole
    row = np.repeat(np.arange(program.height), np.diff(start))
    rows = _Half(Sparse(start, column, whole), _ranked(program.row_lower, program.row_upper))
    keys = _ranked(program.column_lower, program.column_upper, program.cost)
    return rows, _Half(sparse(column, row, whole, program.width), keys)


def colours_of(program: LinearProgram, salt: int = 0) -> Colours:
    """Return the coarsest equitable colouring of a program.

    Refinement compares 64-bit digests, and the result is confirmed in integers; a collision only costs another round
    with other digests.
    """
    above, beside = _halves(program)
    rows, columns = above.given, beside.given
    while True:
        before = (-1, -1)
        while before != (_count(rows), _count(columns)):
            before = _count(rows), _count(columns)
            rows = above.mixed(rows, columns, salt)
            columns = beside.mixed(columns, rows, salt)
        exact = above.confirmed(rows, columns), beside.confirmed(columns, rows)
        if (_count(exact[0]), _count(exact[1])) == before:
            return Colours(_in_order(rows), _in_order(columns))
        rows, columns = exact
        salt += 1


# The quotient


def quotient(program: LinearProgram, colours: Colours) -> Quotient:
    """Return the quotient of a program by an equitable colouring; raise ValueError if it is not equitable."""
    rows, columns = map(_in_order, colours)
    if len(rows) != program.height or len(columns) != program.width:
        raise ValueError(
            f"the colours are those of a program of {len(rows)} x {len(columns)}, not of {program.height} x "
            f"{program.width}: give one for each row and one for each column"
        )
    above, beside = _halves(program)
    exact = above.confirmed(rows, columns), beside.confirmed(columns, rows)
    if _count(exact[0]) > _count(rows) or _count(exact[1]) > _count(columns):
        raise ValueError("the colouring is not equitable: refine it with colours_of, or give finer colours")
    models, masters = (np.unique(colour, return_index=True)[1] for colour in (rows, columns))
    lengths, wide = np.diff(program.matrix.start), len(masters)
    chosen = np.flatnonzero(np.repeat(np.isin(np.arange(program.height), models), lengths))
    key = np.repeat(np.arange(len(models)), lengths[models]) * wide + columns[program.matrix.column[chosen]]
    cell, place = np.unique(key, return_inverse=True)
    whole = np.zeros(len(cell), np.int64)
    np.add.at(whole, place, program.whole[chosen])
    floats = np.bincount(place, program.matrix.value[chosen], len(cell))
    cell, whole, floats = (row[whole != 0] for row in (cell, whole, floats))
    places = sparse(cell // wide, cell % wide, np.arange(len(cell)), len(models))
    matrix = Sparse(places.start, places.column, floats[places.value]), whole[places.value]
    row_bounds = program.row_lower[models], program.row_upper[models]
    bounds = program.column_lower[masters], program.column_upper[masters]
    smaller = LinearProgram(np.bincount(columns, program.cost), *matrix, *row_bounds, *bounds, program.unit)
    return Quotient(smaller, Colours(rows, columns))
