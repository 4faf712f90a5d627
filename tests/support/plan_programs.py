"""Linear programs of sequence forms by SciPy, which share nothing with the solvers but the matrix."""

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, hstack, vstack

from fogspiel.solving.tree.sequence_form import infosets_of


class PlanProgram:
    """The program of one player: its plan, then the value of each infoset of the opponent and of the root.

    `gain` is from the player's own point of view; a plan secures the root's value.
    """

    def __init__(self, form, player):
        shape = [treeplex.sequences for treeplex in form.treeplexes]
        table = coo_array((form.payoffs / form.denominator, (form.rows, form.columns)), shape).toarray()
        self.gain = -table.T if player else table
        self.mine, self.theirs = form.treeplexes[player], form.treeplexes[1 - player]
        self.equal, self.right = self.flow(self.mine)
        values = self.flow(self.theirs)[0]
        self.secure = vstack([hstack([coo_array(-self.gain.T), values.T])]).tocsr()  # F'u - A'x <= 0
        self.width, self.values = self.mine.sequences, values.shape[0]

    @staticmethod
    def flow(treeplex):
        rows, columns, signs = [0], [0], [1.0]
        for number, (parent, first, count) in enumerate(infosets_of(treeplex), 1):
            rows += [number] * (count + 1)
            columns += [parent, *range(first, first + count)]
            signs += [-1.0] + [1.0] * count
        height = 1 + treeplex.infosets
        return coo_array((signs, (rows, columns)), (height, treeplex.sequences)), np.r_[1.0, np.zeros(height - 1)]

    def most(self, cost, locks=None, secured=None):
        """The most of <cost, plan and values>, with locked shares by sequence, securing at least so much."""
        equal, right = [hstack([self.equal, coo_array((len(self.right), self.values))])], [self.right]
        for parent, sequence, share in locks or ():
            row = np.zeros((1, self.width + self.values))
            row[0, sequence], row[0, parent] = 1, -share
            equal.append(coo_array(row))
            right.append([0.0])
        bounds = [(0, None)] * self.width + [(secured, None)] + [(None, None)] * (self.values - 1)
        found = linprog(
            -cost, self.secure, np.zeros(self.secure.shape[0]), vstack(equal).tocsr(), np.concatenate(right), bounds
        )
        assert found.status == 0, found.message
        return -found.fun, found.x

    def with_copy(self, locks, weight):
        """The value if the player is locked with this probability, else free: two plans against one opponent."""
        width, values = self.width, self.values
        flow = hstack([self.equal, coo_array((len(self.right), width + values))])
        held = hstack([coo_array((len(self.right), width)), self.equal, coo_array((len(self.right), values))])
        equal, right = [flow, held], [self.right, self.right]
        for parent, sequence, share in locks:
            row = np.zeros((1, 2 * width + values))
            row[0, width + sequence], row[0, width + parent] = 1, -share
            equal.append(coo_array(row))
            right.append([0.0])
        own, rest = self.secure[:, :width], self.secure[:, width:]
        secure = hstack([(1 - weight) * own, weight * own, rest]).tocsr()
        cost = np.zeros(2 * width + values)
        cost[2 * width] = -1
        bounds = [(0, None)] * (2 * width) + [(None, None)] * values
        found = linprog(cost, secure, np.zeros(secure.shape[0]), vstack(equal).tocsr(), np.concatenate(right), bounds)
        assert found.status == 0, found.message
        return -found.fun

    def root(self):
        cost = np.zeros(self.width + self.values)
        cost[self.width] = 1
        return cost

    def score(self, opposing):
        """The cost vector of the score against a plan of the opponent."""
        return np.r_[self.gain @ opposing, np.zeros(self.values)]
