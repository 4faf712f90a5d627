"""Numbers that the paper leaves open (sections 5.2 and 5.3), in one place, so that they can be tuned by self-play.

Kernels receive them as a record. The values were found by SPSA (simultaneous perturbation of all logarithms) in games
of 300 to 400 nodes per move against the minimax program: 1,360 games from hand-made values, of which rounds 80 to 130
were averaged, then 2,000 with smaller steps from there. `checker_taken_by_king`, `repetition`, `pawn_wall` and
`model_scale` are set by hand. "Ours" marks additions to the paper.
"""

import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np

from ..core.compile.kernel import kernel, trailing_zeros
from ..core.game import new_cells
from ..core.untrusted_input import JsonRecord, read_bytes
from ..games.chess.bitboards import KINDS, KING, PAWN, rows_of
from ..games.chess.position import MEN, MOVER, PLY
from .beliefs.reply_policy import CELLS
from .game import rules


@dataclass(frozen=True)
class MatrixParameters(JsonRecord):
    """Parameters of the probability matrices, the opponent model and the search."""

    KEYS = (
        "line_share", "knight_share", "damping", "pin", "king_control", "retaliation", "checker_taken",
        "checker_taken_by_king", "hazard_pawn", "hazard_piece", "hazard_king", "recapture", "piece_activity",
        "line_spread", "knight_spread", "pawn_wall", "model_scale", "exploration", "hope", "value_knight",
        "value_bishop", "value_rook", "value_queen", "value_pawn", "value_their_pawn", "value_their_piece",
        "advance", "mobility", "confinement", "centre", "approach", "mate", "protection", "retaliation_control",
        "king_escape", "advance_early", "patience", "king_danger", "repetition",
    )  # fmt: skip

    line_share: float = 3 / 7  # c1: share of their seven pieces that attack along a given line (paper)
    knight_share: float = 2 / 7  # share of knights among them
    damping: float = 0.888  # c2: factor of control and check for each further square of the path
    pin: float = 0.366  # weight of the pin term in the probability that a move is legal
    king_control: float = 0.478  # weight of control in the probability that a king's move is legal
    retaliation: float = 0.441
    checker_taken: float = 0.193  # probability that a checking man is captured, where they control the square
    checker_taken_by_king: float = 0.7  # probability that a king captures an unprotected checking man next to it
    # Odds, for each pawn, that they capture with it: the referee announces their tries to them.
    hazard_pawn: float = 2.29
    hazard_piece: float = 0.0895  # odds that a piece happens to capture what it controls
    hazard_king: float = 0.0778  # odds that their king happens to capture an unprotected neighbour
    recapture: float = 0.236  # share of the capturer's value that is expected back on a protected square
    piece_activity: float = 1.96  # frequency of piece moves relative to those of a pawn or the king
    line_spread: float = 0.195  # share of a piece's moves along each of the four lines; the rest are a knight's
    knight_spread: float = 0.195  # share of knight moves
    pawn_wall: float = 0.5  # a square with a greater probability of a pawn stops the spreading of pieces
    model_scale: float = 1.0  # strength of the opponent model's deltas in the attraction of their men
    exploration: float = 0.388  # c of UCT, in pawns
    hope: float = 0.538  # share of the next move's gain that counts now
    value_knight: float = 3.0
    value_bishop: float = 3.0
    value_rook: float = 4.68
    value_queen: float = 8.95
    value_pawn: float = 1.0
    value_their_pawn: float = 1.29
    value_their_piece: float = 4.45  # values of men: the paper counts men, so all of them are 1
    # Gain of a pawn by its first step; every further step gains more (ours: progress towards a queen).
    advance: float = 0.0684
    mobility: float = 0.00468  # value of a square that we attack (ours)
    confinement: float = 0.302  # value of a square less for the bare king (ours)
    centre: float = 0.437  # value of a step of the bare king towards the edge (ours)
    approach: float = 0.0875  # value of a step of our king towards the bare king (ours)
    mate: float = 11.1  # value of mate beyond all men (ours)
    protection: float = 0.0211  # value of protecting a man of ours, beyond the known hazards (ours)
    # Weight of their control of the square in the probability that a capturing man is recaptured.
    retaliation_control: float = 0.58
    king_escape: float = 2.38  # benefit of each safe square next to our king (ours)
    # Share of the gain by advancing that a pawn has even while all of their men are there (ours).
    advance_early: float = 0.273
    patience: float = 0.77  # share of the best attempt's gain here that is expected of nodes not visited yet (ours)
    king_danger: float = 5.5  # cost if a check would leave our king no escape (ours)
    repetition: float = 0.3  # cost of repeating a placement of the own men (ours)

    @property
    def record(self) -> np.record:
        found: np.record = np.array([astuple(self)], LAYOUT)[0]
        return found


@dataclass(frozen=True)
class SamplingParameters(JsonRecord):
    """Parameters of the players that evaluate sampled boards."""

    KEYS = ("new", "thin", "kept", "stale")

    new: int = 500  # boards of the last observation with which a pool restarts
    thin: int = 20  # a hybrid pool that is smaller is filled up to `new`
    kept: int = 2000  # boards of the turn before that a hybrid player stores
    stale: float = 40.0


@dataclass(frozen=True)
class FogParameters:
    """Parameters of the engine `fog`, set by hand; learned values are in its file of weights."""

    boards: int = 10_000  # greatest number of boards in its belief
    floor: int = 50  # belief is rejuvenated if the effective number of boards is below this
    variants: int = 800  # variants tried at a rejuvenation, from each of three turns
    threat: float = 0.6  # share of a threat that counts as gain
    placement: float = 0.3  # share of the square bonuses of chess that counts, for men other than pawns
    doubt: float = 2.0  # pseudo-boards on which an attempt is assumed average
    probing: float = 5.0  # value of the information of a refusal, in centipawns
    stale: float = 40.0  # cost, in centipawns, of each earlier occurrence of the same placement of the own men


# A record with a number for each parameter.
LAYOUT = np.dtype((np.record, [(field.name, np.float64) for field in fields(MatrixParameters)]))


# Trained weights of the engine `fog`, as a file.
#
# `benchmarks/kriegspiel_training.py` makes such a file; docs/kriegspiel.md documents how the shipped one was made.

SHIPPED = Path(__file__).with_name("fog.npz")
SUFFIX = ".npz"
MAX_BYTES = 1_000_000  # of a file of weights, and of an array in it
# Phases end below these numbers of men on the board, kings included: opening, middle game, endgame.
MEN_IN_PHASE = (33, 24, 12)


class FogWeights(NamedTuple):
    """Reply policy of opponents, and values of men."""

    replies: np.ndarray  # logarithms of a policy as in `beliefs.reply_policy`
    worths: np.ndarray  # value of a man by phase and kind, in centipawns


def phase_of_men(men: int) -> int:
    return sum(men < most for most in MEN_IN_PHASE) - 1


SHAPES = {"replies": (CELLS,), "worths": (len(MEN_IN_PHASE), KINDS)}
# Greatest absolute values: probabilities of replies and sums of men do not overflow.
MAX = {"replies": 20.0, "worths": 10_000.0}


def write_arrays(path: Path, what: str, **arrays: Any) -> None:
    try:
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)
    except OSError as error:
        raise ValueError(f"{what} cannot be written to {path}: {error.strerror or error}") from None


def read_arrays(path: Path, what: str, most: int, otherwise: str, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Read arrays of at most this many bytes each; a broken file raises one of many errors of ZipFile and NumPy."""
    whole = read_bytes(path, what, most, otherwise)
    with ZipFile(BytesIO(whole)) as parts:  # check sizes before unpacking: a small file may hold a huge array
        sizes = [parts.getinfo(f"{name}.npy").file_size for name in names]
    if max(sizes) > most:
        raise ValueError(f"an array of {max(sizes):,} bytes")
    with np.load(BytesIO(whole), allow_pickle=False) as kept:
        return {name: np.asarray(kept[name]) for name in names}


def write_fog_weights(learned: FogWeights, path: Path) -> None:
    arrays = {name: one.astype(np.float32) for name, one in zip(SHAPES, learned, strict=True)}
    write_arrays(path, "the weights", **arrays)


@cache
def read_fog_weights(path: Path = SHIPPED) -> FogWeights:
    if not path.is_file():
        raise ValueError(f"there is no file {path}: name a file of weights of the engine fog")
    wrong = f"{path} has no weights of the engine fog: name a file that `benchmarks/kriegspiel_training.py` has written"
    try:
        arrays = read_arrays(path, "the file of weights", MAX_BYTES, "it has no weights", SHAPES)
    except Exception:  # of ZipFile, NumPy or Python's tokenizer: a broken file raises various errors
        raise ValueError(wrong) from None
    for name, array in arrays.items():
        if array.shape != SHAPES[name] or array.dtype != np.float32 or not (np.abs(array) <= MAX[name]).all():
            raise ValueError(wrong)
    return FogWeights(*(array.astype(np.float64) for array in arrays.values()))


# The opponent model of the paper (section 5): D_w(p, t) and D_b(p, t), learned from game records.
#
# Counts and models are arrays of [colour, kind of man, move number, square]: numbers of games, and probabilities.

LATEST = 60  # moves counted; later ones are too noisy
SHAPE = (2, KINDS, LATEST, 64)
# Size of an uncompressed model: a number has at most eight bytes, and the header some hundred.
MAX_MODEL_BYTES = 8 * math.prod(SHAPE) + 1000
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
GENERIC = Path(__file__).with_name("model.npz")  # the shipped model; docs/kriegspiel.md lists its games
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


def games_by_colour(counts: np.ndarray) -> np.ndarray:
    """Return the number of counted games of each colour: every one has one king after the first move."""
    found: np.ndarray = counts[:, KING, 0].sum(axis=-1)
    return found


def model_of(counts: np.ndarray, otherwise: np.ndarray | None = None) -> np.ndarray:
    """Return the probability of each kind by square and move, smoothed over moves and, later, over squares.

    A colour without any game has the probabilities of the model `otherwise`.
    """
    games = counts[:, KING].sum(axis=-1)  # every game of at least this length has one king
    if otherwise is not None and games[:, 0].any():
        found = model_of(np.where(games[:, :1, None, None] > 0, counts, counts[::-1]))
        return np.where(games[:, :1, None, None] > 0, found, otherwise)
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
    write_arrays(path, "the model", model=model.astype(np.float16))
    return path


def read_model(path: Path) -> np.ndarray:
    if not path.is_file():
        raise ValueError(f"there is no file {path}: a model is a file that `fogspiel kriegspiel learn` has written")
    try:
        found = read_arrays(path, "the model", MAX_MODEL_BYTES, "it is no model", ["model"])
        model: np.ndarray = found["model"].astype(np.float32)
    except (OSError, KeyError, ValueError, EOFError, TypeError, AttributeError, BadZipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a model that `fogspiel kriegspiel learn` has written") from error
    if model.shape != SHAPE:
        raise ValueError(f"the model in {path} has the shape {model.shape}, not {SHAPE}")
    if not ((model >= 0) & (model < 1.01)).all():
        raise ValueError(f"the model in {path} has chances that are none: learn it anew")
    return model


@cache
def read_generic() -> np.ndarray:
    return read_model(GENERIC)


def find_model(words: str) -> np.ndarray | None:
    """Return the model of this name: `generic`, `none`, or a file."""
    if words == NO_MODEL:
        return None
    return read_generic() if words == GENERIC_NAME else read_model(Path(words))
