"""Hidden part of a state of large phantom ponnuki: the enemy stones that a player never met."""

import numpy as np

from ...core.game import Kernel, Resample
from ..phantom.hidden import TRIES
from ..shared.hidden import permute
from .rules import COLUMNS, PUT, RESULT, ROWS, TURN, apply, view


def resample_by(start: Kernel) -> Resample:
    """Make a resampler for these rules: enemy stones move to untried cells if all turns stay as before."""

    def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
        cells = int(state[ROWS] * state[COLUMNS])
        stones, failed = state[PUT : PUT + cells], state[PUT + (1 + player) * cells :][:cells]
        is_own = (stones > 0) & ((stones - 1) % 2 == player)
        untried = np.flatnonzero(~is_own & (failed == 0))
        for _ in range(TRIES if stones[untried].any() else 0):
            record = state.copy()
            permute(record, (PUT + untried).tolist(), stream)
            other = _play_again(record, start)
            if np.array_equal(_view_of(other, player), _view_of(state, player)):
                return other
        return state.copy()

    return resample


def _play_again(record: np.ndarray, start: Kernel) -> np.ndarray:
    """The state to which the turns of a record lead, as far as they can be played."""
    state, cells = np.zeros_like(record), int(record[ROWS] * record[COLUMNS])
    start(state)
    for turn in range(int(record[TURN]) + 1):
        failed = record[PUT + (1 + turn % 2) * cells :][:cells]
        stone = np.flatnonzero(record[PUT : PUT + cells] == turn + 1)
        for cell in [*np.flatnonzero(failed >> turn // 2 & 1), *stone]:
            if state[RESULT] >= 0 or state[TURN] != turn:
                return state
            apply(state, int(cell))
    return state


def _view_of(state: np.ndarray, player: int) -> np.ndarray:
    seen = np.zeros_like(state)  # a view is shorter than its state
    view(state, player, seen)
    return seen
