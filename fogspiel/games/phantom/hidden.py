"""Hidden part of a phantom game's state: the enemy stones that a player never met."""

import numpy as np

from ...core.game import Kernel, Resample
from ..shared.hidden import permute
from .rules import COLUMNS, RESULT, ROWS, STONES, TURN, TURNS, record_of, view

TRIES = 100  # boards that are drawn at most for another state


def cells_of(bits: int) -> list[int]:
    """The cells of a set of bits."""
    return [cell for cell in range(bits.bit_length()) if bits >> cell & 1]


def resample_by(start: Kernel, apply: Kernel) -> Resample:
    """Make a resampler for these rules: enemy stones move to untried cells if all turns stay as before."""

    def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
        tried = int(state[STONES + player])
        for turn in range(state[TURNS]):
            tried |= int(state[record_of(state, player, turn) + 1])
        cells = [cell for cell in range(state[ROWS] * state[COLUMNS]) if not tried >> cell & 1]
        stones = [record_of(state, 1 - player, turn) for turn in range(state[TURNS])]
        unseen = [stone for stone in stones if state[stone] in cells]
        for _ in range(TRIES if unseen else 0):
            places = np.array(cells)
            permute(places, range(len(cells)), stream)
            record = state.copy()
            record[unseen] = places[: len(unseen)]
            other = _play_again(record, start, apply)
            if np.array_equal(_view_of(other, player), _view_of(state, player)):
                return other
        return state.copy()

    return resample


def _play_again(record: np.ndarray, start: Kernel, apply: Kernel) -> np.ndarray:
    """The state to which the turns of a record lead, as far as they can be played."""
    state = np.zeros_like(record)
    start(state)
    for turn in range(record[TURN] + 1):
        at = record_of(record, turn % 2, turn // 2)
        stone = [int(record[at])] if record[at] >= 0 else []
        for cell in [*cells_of(int(record[at + 1])), *stone]:
            if state[RESULT] >= 0 or state[TURN] != turn:
                return state
            apply(state, cell)
    return state


def _view_of(state: np.ndarray, player: int) -> np.ndarray:
    seen = np.zeros_like(state)  # a view is shorter than its state
    view(state, player, seen)
    return seen
