"""The opponent's model of the paper (section 5): D_w(p, t) and D_b(p, t), learned from game records.

Counts and models are arrays of [colour, kind of man, move number, square]; a model has chances where counts have games.
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

LATEST = 60  # moves that are counted; later ones are too noisy to be of use
SHAPE = (2, KINDS, LATEST, 64)
# Of a model that is not compressed; a number has at most eight bytes, and the head some hundred.
MAX_BYTES = 8 * math.prod(SHAPE) + 1000
SMEARED = 0.004  # how much of a square's chance goes to the squares around it, for each move that has been played
MIN_ATTRACTION = 0.1  # no square attracts less than this, however rarely men went there (set by hand)
SWING = 4  # a change of this many times the mean doubles the attraction of a square (set by hand)
# Up to the first of these moves the model counts in full, from the second on not at all: it is too noisy then.
#
# In 60 games of C against the minimax program, differences of the generic model that always counted in full made the
# log-loss of the matrices 3 % worse after move 30; faded out like this it is 2 to 8 % better up to move 18, and not
# worse later. (Learned without the minimax program: 2 % better, 1 % worse, 4 % better at moves 0 to 5, 6 to 11, 12 to
# 17.)
TRUSTED, NOISY = 8, 28
# The model that comes with the package: docs/kriegspiel.md says from which games.
GENERIC = Path(__file__).with_name("model.npz")
GENERIC_NAME, NO_MODEL = "generic", "none"
BOTH = (0, 1)  # the colours
# Where men of each colour and kind stand before the first move, as rows of 0 and 1.
AT_HOME = rows_of(rules.HOME[None, :KINDS] & rules.HOME[MEN : MEN + 2, None]).astype(np.float32)


@kernel
def count_men(state, record, counts):
    """Replay a record and count where the men of a colour stand after each of its moves."""
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
    """Count the placements of these colours' men in a game: counts of different games can be added."""
    counts, state = np.zeros(SHAPE, np.int64), new_cells(rules.STATE)
    rules.start(state)
    count_men(state, np.array(record, np.int64), counts)
    counts[[colour for colour in BOTH if colour not in colours]] = 0
    return counts


def model_of(counts: np.ndarray) -> np.ndarray:
    """Return the probability of each kind on each square at each move, smoothed over moves and, later in the game, over
    squares.
    """
    games = counts[:, KING].sum(axis=-1)  # a game that lasts so long has one king
    if not games[:, 0].all():
        raise ValueError("a model needs at least one game with a move of each side")
    shares = counts / np.maximum(games, 1)[:, None, :, None]
    for move in range(1, LATEST):  # beyond the longest game nothing is known: men stay where they were
        absent = games[:, move] == 0
        shares[absent, :, move] = shares[absent, :, move - 1]
    edged = np.pad(shares, [(0, 0), (0, 0), (1, 1), (0, 0)], mode="edge")
    shares = (edged[:, :, :-2] + 2 * shares + edged[:, :, 2:]) / 4
    return np.stack([_smear(shares[:, :, move], SMEARED * move) for move in range(LATEST)], axis=2).astype(np.float32)


def _smear(shares: np.ndarray, part: float) -> np.ndarray:
    """Give a part of every square's chance to the squares around it."""
    board = shares.reshape(*shares.shape[:-1], 8, 8)
    edged = np.pad(board, [(0, 0)] * (board.ndim - 2) + [(1, 1), (1, 1)], mode="edge")
    around = sum(edged[..., up : up + 8, right : right + 8] for up in range(3) for right in range(3))
    mixed = (1 - part) * board + part * around / 9
    return mixed.reshape(shares.shape)


def change_of(before: np.ndarray, after: np.ndarray) -> float:
    """Return the mean total-variation distance of two models: of a kind's squares at a move, weighted by men of that
    kind.
    """
    men = np.minimum(before.sum(axis=-1), after.sum(axis=-1))
    shares = [model / np.maximum(model.sum(axis=-1, keepdims=True), 1e-9) for model in (before, after)]
    distances = np.abs(shares[0] - shares[1]).sum(axis=-1) / 2
    return float((men * distances).sum() / men.sum())


def trust(move: int) -> float:
    """Return the weight of a model at a move: full at first, then decreasing."""
    return max(0.0, min(1.0, (NOISY - move) / (NOISY - TRUSTED)))


def _matrix_rows(by_kind: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return numbers by kind of man as rows of the probability matrices: kings, pawns, pieces."""
    return by_kind[KING], by_kind[PAWN], by_kind[PAWN + 1 : KING].sum(axis=0)


def attraction_of(model: np.ndarray | None, colour: int, move: int, scale: float) -> np.ndarray:
    """f of the paper: how a move, the first being 0, attracts king, pawns and pieces to squares, 1 on average.

    It scales D after the move less D before it.
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
    """Read a model."""
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
    """Return the model as text: `generic`, `none`, or a file."""
    if words == NO_MODEL:
        return None
    return read_model(GENERIC if words == GENERIC_NAME else Path(words))
