"""Sequence forms made by hand and at random, and their values by brute force in fractions."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np

from fogspiel.solving.tree.sequence_form import Treeplex, merge, plan_of

RPS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
HALF_RPS = [[0, -1, 2], [1, 0, -2], [-2, 2, 0]]
"""Rock, paper, scissors in halves: paper beats rock pays 1/2 only."""


def matrix_form(payoffs, denominator=1):
    """A matrix game: one infoset each."""
    rows, columns = np.nonzero(np.ones_like(payoffs))
    treeplexes = tuple(treeplex_of([(0, size)]) for size in np.shape(payoffs))
    return merge(treeplexes, 1 + rows, 1 + columns, np.array(payoffs)[rows, columns], denominator)


def treeplex_of(infosets):
    """A treeplex from (parent, number of actions) of each infoset."""
    parent, count = (np.array(column, np.int64) for column in zip(*infosets, strict=True))
    return Treeplex(parent, 1 + np.cumsum(count) - count, count)


def random_treeplex(rng, roots, below, actions=2):
    """A treeplex of two levels: `roots` infosets at the start, `below` infosets after random sequences of these."""
    top = [(0, actions)] * roots
    return treeplex_of(top + [(int(rng.integers(1, 1 + actions * roots)), actions) for _ in range(below)])


def random_form(seed, sizes=((2, 2), (1, 2)), largest=9, density=0.7):
    """A game on random treeplexes with payoffs at random pairs of sequences."""
    rng = np.random.default_rng(seed)
    treeplexes = tuple(random_treeplex(rng, *size) for size in sizes)
    cells = np.array(list(product(range(treeplexes[0].sequences), range(treeplexes[1].sequences))))
    cells = cells[rng.random(len(cells)) < density]
    payoffs = rng.integers(-largest, largest + 1, len(cells))
    return merge(treeplexes, cells[:, 0], cells[:, 1], payoffs, 6)


def pure_plans(treeplex):
    """All pure realisation plans."""
    for choice in product(*(range(n) for n in treeplex.count)):
        behaviour = np.zeros(treeplex.sequences)
        behaviour[treeplex.first + choice] = 1
        yield plan_of(treeplex, behaviour)


def normal_form(form):
    """The matrix of a game: what each pair of pure plans pays, times the denominator, in whole numbers."""
    table = np.zeros((form.treeplexes[0].sequences, form.treeplexes[1].sequences), np.int64)
    table[form.rows, form.columns] = form.payoffs
    first, second = (np.unique(np.array(list(pure_plans(p)), np.int64), axis=0) for p in form.treeplexes)
    return first @ table @ second.T


def solution_of(system, right):
    """The solution of a small system in fractions, or None."""
    rows = [[*map(Fraction, row), Fraction(r)] for row, r in zip(system, right, strict=True)]
    for i in range(len(rows)):
        at = next((k for k in range(i, len(rows)) if rows[k][i]), None)
        if at is None:
            return None
        rows[i], rows[at] = rows[at], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for k in range(len(rows)):
            if k != i and rows[k][i]:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def brute_force_value(matrix):
    """The value of a matrix game by trying all square submatrices (Shapley and Snow 1950), in fractions."""
    matrix = [[int(v) for v in row] for row in matrix]
    height, width = len(matrix), len(matrix[0])
    for size in range(1, min(height, width) + 1):
        for rows in combinations(range(height), size):
            for columns in combinations(range(width), size):
                inner = [[matrix[r][c] for c in columns] for r in rows]
                right = [0] * size + [1]
                mine = solution_of([[*col, -1] for col in zip(*inner, strict=True)] + [[1] * size + [0]], right)
                if mine is None or min(mine[:-1]) < 0:
                    continue
                theirs = solution_of([[*row, -1] for row in inner] + [[1] * size + [0]], right)
                if theirs is None or min(theirs[:-1]) < 0:
                    continue
                value = mine[-1]
                lower = min(sum(p * matrix[r][c] for p, r in zip(mine, rows, strict=False)) for c in range(width))
                upper = max(sum(q * matrix[r][c] for q, c in zip(theirs, columns, strict=False)) for r in range(height))
                if lower == value == upper:
                    return value
    raise AssertionError("every matrix game has a value")
