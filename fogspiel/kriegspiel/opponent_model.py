"""The opponent model of the paper (section 5): D_w(p, t) and D_b(p, t), learned from game records.

Counts and models are arrays of [colour, kind of man, move number, square]: numbers of games, and probabilities.
"""

import math
import zlib
from collections.abc import Sequence
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from ..core.compile.kernel import kernel, trailing_zeros
from ..core.game import new_cells
from ..games.chess.bitboards import KINDS, KING, PAWN, rows_of
from ..games.chess.position import MEN, MOVER, PLY
from .game import rules
from .parameters import read_arrays, write_arrays

LATEST = 60  # moves counted; later ones are too noisy
SHAPE = (2, KINDS, LATEST, 64)
# Size of an uncompressed model: a number has at most eight bytes, and the header some hundred.
MAX_BYTES = 8 * math.prod(SHAPE) + 1000
SMEARED = 0.004  # share of a square's probability that spreads to its neighbours, for each move played
MIN_ATTRACTION = 0.1  # minimum attraction of a square, however rarely men went there (set by hand)
SWING = 4  # a change of this many times the mean doubles the attraction of a square (set by hand)
# The model has full weight up to the first of these moves, and none from the second on: it is too noisy then.
#
# In 60 games of C against the minimax program, differences of the generic model that always counted in full made the
# log-loss of the matrices 3 % worse after move 30; faded out like this it is 2 to 8 % better up to move 18, and not
# worse later. (Learned without the minimax program: 2 % better, 1 % worse, 4 % better at moves 0 to 5, 6 to 11, 12 to
# 17.)
TRUSTED, NOISY = 8, 28
# The shipped model; docs/kriegspiel.md lists its games.
GENERIC = Path(__file__).with_name("model.npz")
GENERIC_NAME, NO_MODEL = "generic", "none"
BOTH = (0, 1)  # the colours
# Initial squares of the men of each colour and kind, as rows of 0 and 1.
AT_HOME = rows_of(rules.HOME[None, :KINDS] & rules.HOME[MEN : MEN + 2, None]).astype(np.float32)


@kernel
def count_men(state, record, counts):
    for action in record:
        colour, ply = state[MOVER], state[PLY]
        rules.apply(state, action)
        move = ply // 2
        if state[PLY] > ply and move < LATEST:
            for kind in range(KINDS):
                left = state[kind] & state[MEN + colour]
                while left:
                    counts[colour, kind, move, trailing_zeros(left)] += 1
                    left &= left - 1


def count_placements(record: Sequence[int], colours: Sequence[int] = BOTH) -> np.ndarray:
    """Count the placements of these colours' men in a game; counts of different games can be added."""
    counts, state = np.zeros(SHAPE, np.int64), new_cells(rules.STATE)
    rules.start(state)
    count_men(state, np.array(record, np.int64), counts)
    counts[[colour for colour in BOTH if colour not in colours]] = 0
    return counts


def model_of(counts: np.ndarray) -> np.ndarray:
    """Return the probability of each kind by square and move, smoothed over moves and, later, over squares."""
    games = counts[:, KING].sum(axis=-1)  # every game of at least this length has one king
    if not games[:, 0].all():
        raise ValueError("a model needs at least one game with a move of each side")
    shares = counts / np.maximum(games, 1)[:, None, :, None]
    for move in range(1, LATEST):  # beyond the longest game nothing is known: men stay in place
        absent = games[:, move] == 0
        shares[absent, :, move] = shares[absent, :, move - 1]
    edged = np.pad(shares, [(0, 0), (0, 0), (1, 1), (0, 0)], mode="edge")
    shares = (edged[:, :, :-2] + 2 * shares + edged[:, :, 2:]) / 4
    return np.stack([_smear(shares[:, :, move], SMEARED * move) for move in range(LATEST)], axis=2).astype(np.float32)


def _smear(shares: np.ndarray, part: float) -> np.ndarray:
    board = shares.reshape(*shares.shape[:-1], 8, 8)
    edged = np.pad(board, [(0, 0)] * (board.ndim - 2) + [(1, 1), (1, 1)], mode="edge")
    around = sum(edged[..., up : up + 8, right : right + 8] for up in range(3) for right in range(3))
    mixed = (1 - part) * board + part * around / 9
    return mixed.reshape(shares.shape)


def change_of(before: np.ndarray, after: np.ndarray) -> float:
    """Return the mean total-variation distance of two models, weighted by the number of men of each kind and move."""
    men = np.minimum(before.sum(axis=-1), after.sum(axis=-1))
    shares = [model / np.maximum(model.sum(axis=-1, keepdims=True), 1e-9) for model in (before, after)]
    distances = np.abs(shares[0] - shares[1]).sum(axis=-1) / 2
    return float((men * distances).sum() / men.sum())


def trust(move: int) -> float:
    return max(0.0, min(1.0, (NOISY - move) / (NOISY - TRUSTED)))


def _matrix_rows(by_kind: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return numbers by kind of man as rows of the probability matrices: kings, pawns, pieces."""
    return by_kind[KING], by_kind[PAWN], by_kind[PAWN + 1 : KING].sum(axis=0)


def attraction_of(model: np.ndarray | None, colour: int, move: int, scale: float) -> np.ndarray:
    """Return f of the paper: the attraction of squares for king, pawns and pieces at a move, 1 on average.

    It scales D after the move (the first being 0) minus D before it.
    """
    attraction = np.ones((3, 64), np.float32)
    scale *= trust(move)
    if model is None or scale == 0:
        return attraction
    delta = model[colour, :, move] - (model[colour, :, move - 1] if move else AT_HOME[colour])
    for row, trend in enumerate(_matrix_rows(delta)):
        size = float(np.abs(trend).mean())
        if size > 1e-6:
            pull = np.maximum(MIN_ATTRACTION, 1 + scale * trend / (SWING * size))
            attraction[row] = pull / pull.mean()
    return attraction


def habits_of(model: np.ndarray | None, colour: int, move: int) -> np.ndarray:
    """Return the likelihood of king, pawns and pieces on squares after a move, by D itself: 1 on average."""
    habits = np.ones((3, 64), np.float32)
    part = (1 - MIN_ATTRACTION) * trust(move)
    if model is None or move < 0 or part == 0:
        return habits
    for row, share in enumerate(_matrix_rows(model[colour, :, move])):
        habits[row] = 1 - part + part * share / max(float(share.mean()), 1e-9)
    return habits


def write_model(model: np.ndarray, path: Path) -> Path:
    """Write a model to a small file; return its path."""
    write_arrays(path, "the model", model=model.astype(np.float16))
    return path


def read_model(path: Path) -> np.ndarray:
    if not path.is_file():
        raise ValueError(f"there is no file {path}: a model is a file that `fogspiel kriegspiel learn` has written")
    try:
        found = read_arrays(path, "the model", MAX_BYTES, "it is no model", ["model"])
        model: np.ndarray = found["model"].astype(np.float32)
    except (OSError, KeyError, ValueError, EOFError, TypeError, AttributeError, BadZipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a model that `fogspiel kriegspiel learn` has written") from error
    if model.shape != SHAPE:
        raise ValueError(f"the model in {path} has the shape {model.shape}, not {SHAPE}")
    if not ((model >= 0) & (model < 1.01)).all():
        raise ValueError(f"the model in {path} has chances that are none: learn it anew")
    return model


def find_model(words: str) -> np.ndarray | None:
    """Return the model of this name: `generic`, `none`, or a file."""
    if words == NO_MODEL:
        return None
    return read_model(GENERIC if words == GENERIC_NAME else Path(words))
