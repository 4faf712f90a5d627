"""Demands of a one-turn window strategy on the vectors that continue it."""

import numpy as np

from ..core.kernel import kernel
from .window_kernels import BARRED
from .window_regrets import answer_values, visited


@kernel
def demand_worths(answers, decisions, vectors, share, picks, shares, wanted, demanded):
    """Raise `demanded`, laid out like the table of the vectors, to what gets the planner `wanted[k]` in each world k.

    An answer with which the planner gets too much lets it do without the stones that matter least, and with less of
    the others.
    """
    leaf, free, cells = answers.leaf, answers.free, answers.outcomes.shape[1]
    first, cell, _ = decisions
    base, wide, table = vectors
    inside = np.zeros(len(first) - 1, np.bool_)
    value, live = np.zeros((cells, cells)), np.zeros(cells, np.bool_)
    low, part, need, need_low = np.zeros(cells), np.zeros(cells), np.zeros((cells, cells)), np.zeros(cells)
    for k in range(len(wanted)):
        if wanted[k] <= 0.0:
            continue
        visited(k, answers, decisions, inside)
        won = answer_values(k, answers, decisions, vectors, inside, share, picks, shares, value, live)
        target = wanted[k] - won
        if target <= 0.0:
            continue
        for c in range(cells):
            need_low[c] = 0.0
            low[c] = -1.0
            for x in range(1, free[k, 0] + 1):
                d = free[k, x]
                need[c, d] = 0.0
                if live[c] and leaf[k, c, d] != BARRED and (low[c] < 0.0 or value[c, d] < low[c]):
                    low[c] = value[c, d]  # it is 0 where the opponent wins
        for x in range(1, free[k, 0] + 1):
            d = free[k, x]
            total, possible = 0.0, False
            for c in range(cells):
                part[c] = 0.0
                if live[c]:
                    possible = possible or leaf[k, c, d] != BARRED
                    part[c] = low[c] if leaf[k, c, d] == BARRED else value[c, d]
                    total += part[c]
            if not possible:
                continue
            while True:
                least = -1
                for c in range(cells):
                    if part[c] > 0.0 and (least < 0 or part[c] < part[least]):
                        least = c
                if least < 0 or total - part[least] < target:
                    break
                total -= part[least]
                part[least] = 0.0
            scale = min(target / total, 1.0) if total > 0.0 else 1.0
            for c in range(cells):
                if part[c] > 0.0:
                    if leaf[k, c, d] == BARRED:
                        need_low[c] = max(need_low[c], scale)
                    else:
                        need[c, d] = max(need[c, d], scale)
        for c in range(cells):
            if need_low[c] > 0.0:
                for x in range(1, free[k, 0] + 1):
                    d = free[k, x]
                    if leaf[k, c, d] >= 0 and value[c, d] > 0.0:
                        need[c, d] = max(need[c, d], need_low[c] * low[c] / value[c, d])
        for i in range(len(inside)):
            if not inside[i]:
                continue
            for s in range(first[i], first[i + 1]):
                c = cell[s]
                for x in range(1, free[k, 0] + 1):
                    d = free[k, x]
                    if live[c] and leaf[k, c, d] >= 0 and need[c, d] > 0.0:
                        for j in range(picks.shape[1]):
                            if shares[s, j] > 0.0:
                                at = base[c] + picks[s, j] * wide[c] + leaf[k, c, d]
                                demanded[at] = max(demanded[at], need[c, d] * table[at])
