"""The algorithm of Lemke and Howson (1964) for bimatrix games, in exact arithmetic.

Both players' best-response polytopes have a label for every pure strategy of either. From the two zero vectors, which
have all labels, one label is dropped; the duplicate label is then dropped in the opposite polytope, and so on, until
the first label comes back (as in von Stengel 2007). The game need not be zero-sum. Tableaux hold integers over one
common denominator, and ties are broken lexicographically, so the algorithm terminates in degenerate games too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..tree.sequence_form import SequenceForm, Treeplex

Matrix = Sequence[Sequence[int]]
MAX_PIVOTS = 100_000  # paths can be exponentially long (Savani and von Stengel 2006)


@dataclass(frozen=True)
class BimatrixEquilibrium:
    """A Nash equilibrium: a mixture of rows, one of columns, and the number of pivots."""

    rows: list[Fraction]
    columns: list[Fraction]
    pivots: int


class Tableau:
    """One polytope: the columns are the variables of all labels and the right-hand side, the rows the basic ones."""

    def __init__(self, table: Matrix, own: Sequence[int], slack: Sequence[int]) -> None:
        """Set up rows `sum over own variables + slack = 1`, all coefficients positive, with the labels of both."""
        size = len(own) + len(slack)
        self.basic = list(slack)
        self.rows = [[0] * (size + 1) for _ in slack]
        for k, line in enumerate(self.rows):
            for label, coefficient in zip(own, table[k], strict=True):
                line[label] = coefficient
            line[slack[k]] = 1
            line[size] = 1
        self.slack = list(slack)
        self.denominator = 1

    def pivot(self, entering: int) -> int:
        """Let the variable of a label enter, and return the label that leaves."""
        ratios = [k for k, line in enumerate(self.rows) if line[entering] > 0]
        leaving = min(ratios, key=lambda k: [Fraction(self.rows[k][c], self.rows[k][entering]) for c in self._order])
        chosen, label = self.rows[leaving], self.basic[leaving]
        by = chosen[entering]
        for k, line in enumerate(self.rows):
            if k != leaving:
                factor = line[entering]
                self.rows[k] = [
                    (cell * by - factor * other) // self.denominator for cell, other in zip(line, chosen, strict=True)
                ]
        self.denominator = by
        self.basic[leaving] = entering
        return label

    @property
    def _order(self) -> list[int]:
        """The columns that break ties: the right-hand side, then those of the first basis."""
        return [-1, *self.slack]

    def mixture(self, own: Sequence[int]) -> list[Fraction]:
        weight = {label: line[-1] for label, line in zip(self.basic, self.rows, strict=True)}
        total = sum(weight.get(label, 0) for label in own)
        return [Fraction(weight.get(label, 0), total) for label in own]


def lemke_howson(first: Matrix, second: Matrix, label: int = 0) -> BimatrixEquilibrium:
    """Find an equilibrium of the game in which the row player gets `first` and the column player `second`.

    Rows have the labels 0, 1, .., columns those that follow; the path starts by dropping `label`.
    """
    height, width = len(first), len(first[0]) if first else 0
    if not height or not width or any(len(row) != width for table in (first, second) for row in table):
        raise ValueError("both tables of payoffs must have the same rows and columns, at least one of each")
    if len(second) != height or not 0 <= label < height + width:
        raise ValueError(f"there are {height} rows and {width} columns: a label is from 0 to {height + width - 1}")
    rows, columns = range(height), range(height, height + width)
    lowest = min(min(map(min, table)) for table in (first, second))
    mine = [[cell - lowest + 1 for cell in row] for row in first]
    theirs = [[row[k] - lowest + 1 for row in second] for k in range(width)]
    # x >= 0, B' x <= 1 has the rows' variables and the columns' slacks; y >= 0, A y <= 1 vice versa
    polytopes = Tableau(theirs, rows, columns), Tableau(mine, columns, rows)
    turn = 0 if label in rows else 1
    entering, pivots = label, 0
    while pivots < MAX_PIVOTS:
        entering = polytopes[turn].pivot(entering)
        pivots += 1
        turn = 1 - turn
        if entering == label:
            return BimatrixEquilibrium(polytopes[0].mixture(rows), polytopes[1].mixture(columns), pivots)
    raise ValueError(f"the path is longer than {MAX_PIVOTS:,} pivots: take another method")


def is_equilibrium(first: Matrix, second: Matrix, found: BimatrixEquilibrium) -> bool:
    """True if no pure strategy of either player is better against the opponent's mixture."""
    gains = [sum(a * y for a, y in zip(row, found.columns, strict=True)) for row in first]
    costs = [sum(x * row[k] for x, row in zip(found.rows, second, strict=True)) for k in range(len(found.columns))]
    best = sum(x * g for x, g in zip(found.rows, gains, strict=True)) == max(gains)
    return best and sum(y * c for y, c in zip(found.columns, costs, strict=True)) == max(costs)


# Payoff tables: a reduced pure strategy picks an action wherever the player's own choices lead


def strategies(treeplex: Treeplex) -> int:
    below = [1] * treeplex.sequences
    for i in range(treeplex.infosets - 1, -1, -1):
        below[treeplex.parent[i]] *= sum(below[treeplex.first[i] : treeplex.first[i] + treeplex.count[i]])
    return below[0]


def plans(treeplex: Treeplex) -> list[tuple[int, ...]]:
    """Return the reduced pure strategies of a player, each as its sequences by their number, the empty one first."""
    below: list[list[tuple[int, ...]]] = [[()] for _ in range(treeplex.sequences)]
    for i in range(treeplex.infosets - 1, -1, -1):
        here = [
            (s, *rest) for s in range(treeplex.first[i], treeplex.first[i] + treeplex.count[i]) for rest in below[s]
        ]
        below[treeplex.parent[i]] = [mine + rest for mine in here for rest in below[treeplex.parent[i]]]
    return [(0, *sorted(plan)) for plan in below[0]]


def payoff_table(form: SequenceForm, rows: list[tuple[int, ...]], columns: list[tuple[int, ...]]) -> list[list[int]]:
    """Return the payoffs of rows against columns, times the denominator of the form."""
    wide = form.treeplexes[1].sequences
    padded = np.full((len(columns), max(len(plan) for plan in columns)), wide)
    for k, plan in enumerate(columns):
        padded[k, : len(plan)] = plan
    start = np.searchsorted(form.rows, np.arange(form.treeplexes[0].sequences + 1))
    table = []
    for plan in rows:
        worth = np.zeros(wide + 1, np.int64)
        for s in plan:
            cells = slice(start[s], start[s + 1])
            worth[form.columns[cells]] += form.payoffs[cells]
        table.append(worth[padded].sum(axis=1).tolist())
    return table
