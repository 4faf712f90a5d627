"""The player by playouts on the small boards of phantom ponnuki: its view, cell by cell."""

import numpy as np

from ...core.kernel import kernel
from ..shared.ponnuki_playouts import best_try
from .rules import COLUMNS, ROWS, SEEN_KNOWN, SEEN_PLAYER, SEEN_RECORD, SEEN_TURN


@kernel
def choose(seen, actions, plan, stream):
    """Try what playouts on boards that explain the view say."""
    rows, columns, turn = seen[ROWS], seen[COLUMNS], seen[SEEN_TURN] >> 1
    cells = rows * columns
    put, failed, known = np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    for cell in range(cells):
        known[cell] = (seen[SEEN_KNOWN] >> cell) & 1
        for then in range(turn + 1):
            failed[cell] |= ((seen[SEEN_RECORD + 2 * then + 1] >> cell) & 1) << then
    for then in range(turn):
        put[seen[SEEN_RECORD + 2 * then]] = then + 1
    return best_try(rows, columns, seen[SEEN_PLAYER], turn, put, failed, known, actions, int(plan[0]), stream)
