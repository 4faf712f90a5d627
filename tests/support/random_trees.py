"""Random games with perfect recall and many ties, as trees."""

from fractions import Fraction

import numpy as np

from fogspiel.solve.tree import CHANCE_NODE, LEAF, Tree

PAYOFFS = (Fraction(-1), Fraction(0), Fraction(1), Fraction(2))


def random_tree(seed, depth=6, payoffs=PAYOFFS):
    """A tree in which an infoset is the owner's last sequence and one of two signals."""
    rng = np.random.default_rng(seed)
    nodes, infosets, chance_prob = [], {}, [Fraction(1)]
    sequences = [1, 1]

    def grow(parent, slot, chance_index, last, left):
        number = len(nodes)
        kind = rng.random()
        nodes.append([parent, slot, 0, chance_index])
        if left == 0 or (kind < 0.15 and left < depth - 1):
            nodes[number][2] = LEAF - int(rng.integers(len(payoffs)))
            return
        if kind < 0.35:
            nodes[number][2] = CHANCE_NODE
            share = chance_prob[chance_index] / 2
            if share not in chance_prob:
                chance_prob.append(share)
            for way in range(2):
                grow(number, way, chance_prob.index(share), last, left - 1)
            return
        owner = int(rng.integers(2))
        key = owner, last[owner], int(rng.integers(2))
        if key not in infosets:
            count = int(rng.integers(1, 4))
            infosets[key] = len(infosets), owner, last[owner], sequences[owner], count
            sequences[owner] += count
        infoset, _, _, first, count = infosets[key]
        nodes[number][2] = infoset
        for way in range(count):
            ahead = (first + way, last[1]) if owner == 0 else (last[0], first + way)
            grow(number, way, chance_index, ahead, left - 1)

    grow(-1, 0, 0, (0, 0), depth)
    parent, slot, label, chance_index = np.array(nodes, np.int32).T.copy()
    rows = np.array([row[1:] for row in infosets.values()], np.int64).reshape(-1, 4)
    owner, before, first, count = rows.T.copy()
    return Tree("random", parent, slot, label, chance_index, tuple(chance_prob), payoffs, owner, before, first, count)
