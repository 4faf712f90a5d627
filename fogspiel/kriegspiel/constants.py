"""The numbers that the paper leaves open (sections 5.2 and 5.3), in one place, so that they can be tuned by self-play.

Kernels receive them as a row; the names in capitals are the cells of that row.
"""

from dataclasses import astuple, dataclass, fields

import numpy as np


@dataclass(frozen=True)
class Constants:
    """The constants of the probability matrices, of the opponent's model and of the search."""

    line_share: float = 3 / 7
    """c1: how many of his seven pieces attack along a given line (paper)."""
    knight_share: float = 2 / 7
    """How many of them are knights."""
    damping: float = 0.905
    """c2: what is left of control and check for each further square of the way."""
    pin: float = 0.369
    """Weight of the pin term in the chance that a move is legal."""
    king_control: float = 0.476
    """Weight of control in the chance that a king's move is legal."""
    retaliation: float = 0.524
    """The chance that a man who has taken is taken back, with all his men on the board ("very high")."""
    checker_taken: float = 0.195
    """The chance that a man who gives check is taken, where he controls the square."""
    hazard_pawn: float = 2.34
    """The chance that a pawn takes what it can: the referee tells him that he has a try."""
    hazard_piece: float = 0.108
    """The chance that a piece happens to take what it controls."""
    hazard_king: float = 0.0674
    """The chance that the king happens to take an unprotected neighbour."""
    recapture: float = 0.189
    """The chance that we can take back on a protected square."""
    piece_activity: float = 1.37
    """How much more often than a pawn or the king a piece is moved."""
    line_spread: float = 0.17
    """The share of a piece's moves that go along each of the four lines; the rest are a knight's."""
    knight_spread: float = 0.195
    """The share that are a knight's."""
    pawn_wall: float = 0.5
    """A square that holds a pawn more probably than this stops the spreading of pieces."""
    model_scale: float = 1.0
    """How strongly the deltas of the opponent's model attract his men."""
    exploration: float = 0.357
    """c of UCT, in pawns."""
    hope: float = 0.5
    """What is left of a later gain for each move that it is away."""
    value_knight: float = 3.0
    value_bishop: float = 3.0
    value_rook: float = 4.13
    value_queen: float = 9.68
    value_pawn: float = 1.0
    value_his_pawn: float = 1
    value_his_piece: float = 4.09
    """What a man is worth: the paper counts men, which is all of them 1."""
    advance: float = 0.0839
    """What a pawn gains by its first step; every further step gains more (ours: the way to a queen)."""
    mobility: float = 0.00558
    """What a square that we attack is worth (ours)."""
    confinement: float = 0.289
    """What a square less for the bare king is worth (ours)."""
    centre: float = 0.394
    """What a step of the bare king towards the edge is worth (ours)."""
    approach: float = 0.07
    """What a step of our king towards the bare king is worth (ours)."""
    mate: float = 15.1
    """What mate is worth beyond all men (ours)."""
    protection: float = 0.0289
    """What it is worth that a man of ours is protected, beyond the hazards that are known (ours)."""
    retaliation_control: float = 0.514
    """Weight of his control of the square in the chance that a man who has taken is taken back."""
    king_escape: float = 1.93
    """How much each safe square beside our king helps it (ours)."""
    advance_early: float = 0.276
    """How much of the gain by advancing a pawn has even while all his men are there (ours)."""
    patience: float = 1
    """How many times the gain of the best attempt is expected of places that nobody has seen yet (ours)."""
    king_danger: float = 4.84
    """What it costs if a check would leave our king no escape (ours)."""
    repetition: float = 0.3
    """What it costs to set up the own men as they stood before (ours)."""

    @property
    def row(self) -> np.ndarray:
        """The constants as the kernels receive them."""
        return np.array(astuple(self), np.float64)


(
    LINE_SHARE, KNIGHT_SHARE, DAMPING, PIN, KING_CONTROL, RETALIATION, CHECKER_TAKEN, HAZARD_PAWN, HAZARD_PIECE,
    HAZARD_KING, RECAPTURE, PIECE_ACTIVITY, LINE_SPREAD, KNIGHT_SPREAD, PAWN_WALL, MODEL_SCALE, EXPLORATION, HOPE,
    VALUE_KNIGHT, VALUE_BISHOP, VALUE_ROOK, VALUE_QUEEN, VALUE_PAWN, VALUE_HIS_PAWN, VALUE_HIS_PIECE, ADVANCE, MOBILITY,
    CONFINEMENT, CENTRE, APPROACH, MATE, PROTECTION, RETALIATION_CONTROL,
    KING_ESCAPE, ADVANCE_EARLY, PATIENCE, KING_DANGER, REPETITION,
) = range(len(fields(Constants)))  # fmt: skip
