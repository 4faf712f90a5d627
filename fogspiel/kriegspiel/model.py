"""The opponent's model of the paper (section 5): D_w(p, t) and D_b(p, t), learned from game records.

Counts and models are arrays of [colour, kind of man, move number, square]; a model has chances where counts have games.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from ..chess.position import KINDS, KING, MEN, MOVER, PAWN, PLY
from ..game import blank
from ..games import _kriegspiel_rules as rules
from ..kernel import kernel, trailing_zeros
from .matrices import KINGS, PAWNS, PIECES

LATEST = 60
"""Moves that are counted; later ones are too noisy to be of use."""
SHAPE = (2, KINDS, LATEST, 64)
SMEARED = 0.004
"""How much of a square's chance goes to the squares around it, for each move that has been played."""
LEAST_LURE = 0.1


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


def counted(records: Iterable[Sequence[int]]) -> np.ndarray:
    """Where men stood, over all games: counts of different games can be added."""
    counts = np.zeros(SHAPE, np.int64)
    for record in records:
        state = blank(rules.STATE)
        rules.begin(state, 0)
        count_men(state, np.array(record, np.int64), counts)
    return counts


def model_of(counts: np.ndarray) -> np.ndarray:
    """The chance of each kind on each square at each move, smoothed over moves and, later in the game, over squares."""
    if counts.shape != SHAPE:
        raise ValueError(f"counts of a model have the shape {SHAPE}, not {counts.shape}")
    games = counts[:, KING].sum(axis=-1)  # a game that lasts so long has one king
    if not games[:, 0].all():
        raise ValueError("a model needs at least one game with a move of each side")
    shares = counts / np.maximum(games, 1)[:, None, :, None]
    for move in range(1, LATEST):  # beyond the longest game nothing is known: men stay where they were
        for colour in range(2):
            if games[colour, move] == 0:
                shares[colour, :, move] = shares[colour, :, move - 1]
    before = np.concatenate([shares[:, :, :1], shares[:, :, :-1]], axis=2)
    after = np.concatenate([shares[:, :, 1:], shares[:, :, -1:]], axis=2)
    shares = (before + 2 * shares + after) / 4
    return np.stack([_smeared(shares[:, :, move], SMEARED * move) for move in range(LATEST)], axis=2).astype(np.float32)


def _smeared(shares: np.ndarray, part: float) -> np.ndarray:
    """Give a part of every square's chance to the squares around it."""
    board = shares.reshape(*shares.shape[:-1], 8, 8)
    edged = np.pad(board, [(0, 0)] * (board.ndim - 2) + [(1, 1), (1, 1)], mode="edge")
    around = sum(edged[..., up : up + 8, right : right + 8] for up in range(3) for right in range(3))
    mixed = (1 - part) * board + part * around / 9
    return mixed.reshape(shares.shape)


def lure_of(model: np.ndarray | None, colour: int, move: int, scale: float) -> np.ndarray:
    """f of the paper: how attractive squares are to his king, pawns and pieces, from D(t+1) - D(t), 1 on average."""
    lure = np.ones((3, 64), np.float32)
    if model is None or move + 1 >= LATEST:
        return lure
    delta = model[colour, :, move + 1] - model[colour, :, move]
    rows = {KINGS: delta[KING], PAWNS: delta[PAWN], PIECES: delta[PAWN + 1 : KING].sum(axis=0)}
    for row, trend in rows.items():
        size = float(np.abs(trend).mean())
        if size > 1e-6:
            drawn = np.maximum(LEAST_LURE, 1 + scale * trend / (4 * size))
            lure[row] = drawn / drawn.mean()
    return lure


def saved(model: np.ndarray, path: Path) -> Path:
    """Write a model to a small file. Its path."""
    with path.open("wb") as file:
        np.savez_compressed(file, model=model.astype(np.float16))
    return path


def loaded(path: Path) -> np.ndarray:
    """Read a model."""
    try:
        with np.load(path) as file:
            model = file["model"].astype(np.float32)
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(f"{path} is not a model: it must be a file that `saved` has written") from error
    if model.shape != SHAPE:
        raise ValueError(f"the model in {path} has the shape {model.shape}, not {SHAPE}")
    return model
