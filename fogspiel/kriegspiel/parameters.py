"""The numbers that the paper leaves open (sections 5.2 and 5.3), in one place, so that they can be tuned by self-play.

Kernels receive them as a record. The values were found by SPSA (simultaneous perturbation of all logarithms) in games
of 300 to 400 nodes per move against the minimax program: 1,360 games from hand-made values, of which rounds 80 to 130
were averaged, then 2,000 with smaller steps from there. `checker_taken_by_king`, `repetition`, `pawn_wall` and
`model_scale` are set by hand. "Ours" is what the paper does not have.
"""

from dataclasses import astuple, dataclass, fields

import numpy as np


@dataclass(frozen=True)
class Parameters:
    """The parameters of the probability matrices, of the opponent's model and of the search."""

    line_share: float = 3 / 7
    """c1: how many of their seven pieces attack along a given line (paper)."""
    knight_share: float = 2 / 7
    """How many of them are knights."""
    damping: float = 0.888
    """c2: what is left of control and check for each further square of the way."""
    pin: float = 0.366
    """Weight of the pin term in the chance that a move is legal."""
    king_control: float = 0.478
    """Weight of control in the chance that a king's move is legal."""
    retaliation: float = 0.441
    """The chance that a man who has taken is taken back, with all of their men on the board ("very high")."""
    checker_taken: float = 0.193
    """The chance that a man who gives check is taken, where they control the square."""
    checker_taken_by_king: float = 0.7
    """The chance that a king takes an unprotected man beside it who gives check."""
    hazard_pawn: float = 2.29
    """How eagerly they take with a pawn, as odds for each pawn: the referee tells them that they have a try."""
    hazard_piece: float = 0.0895
    """The odds that a piece happens to take what it controls."""
    hazard_king: float = 0.0778
    """The odds that their king happens to take an unprotected neighbour."""
    recapture: float = 0.236
    """How much of the taker's value is expected back on a protected square."""
    piece_activity: float = 1.96
    """How much more often than a pawn or the king a piece is moved."""
    line_spread: float = 0.195
    """The share of a piece's moves that go along each of the four lines; the rest are a knight's."""
    knight_spread: float = 0.195
    """The share that are a knight's."""
    pawn_wall: float = 0.5
    """A square that holds a pawn more probably than this stops the spreading of pieces."""
    model_scale: float = 1.0
    """How strongly the deltas of the opponent's model attract their men."""
    exploration: float = 0.388
    """c of UCT, in pawns."""
    hope: float = 0.538
    """How much of what the next move adds counts now."""
    value_knight: float = 3.0
    value_bishop: float = 3.0
    value_rook: float = 4.68
    value_queen: float = 8.95
    value_pawn: float = 1.0
    value_their_pawn: float = 1.29
    value_their_piece: float = 4.45
    """What a man is worth: the paper counts men, which is all of them 1."""
    advance: float = 0.0684
    """What a pawn gains by its first step; every further step gains more (ours: the way to a queen)."""
    mobility: float = 0.00468
    """What a square that we attack is worth (ours)."""
    confinement: float = 0.302
    """What a square less for the bare king is worth (ours)."""
    centre: float = 0.437
    """What a step of the bare king towards the edge is worth (ours)."""
    approach: float = 0.0875
    """What a step of our king towards the bare king is worth (ours)."""
    mate: float = 11.1
    """What mate is worth beyond all men (ours)."""
    protection: float = 0.0211
    """What it is worth that a man of ours is protected, beyond the hazards that are known (ours)."""
    retaliation_control: float = 0.58
    """Weight of their control of the square in the chance that a man who has taken is taken back."""
    king_escape: float = 2.38
    """How much each safe square beside our king helps it (ours)."""
    advance_early: float = 0.273
    """How much of the gain by advancing a pawn has even while all of their men are there (ours)."""
    patience: float = 0.77
    """How much of what the best attempt adds here is expected of places that the search has not visited yet (ours)."""
    king_danger: float = 5.5
    """What it costs if a check would leave our king no escape (ours)."""
    repetition: float = 0.3
    """What it costs to set up the own men as they stood before (ours)."""

    @property
    def record(self) -> np.record:
        """The parameters as kernels receive them."""
        found: np.record = np.array([astuple(self)], LAYOUT)[0]
        return found


@dataclass(frozen=True)
class SamplingParameters:
    """The numbers of the players that evaluate sampled boards."""

    new: int = 500
    """With so many boards that explain the last observation a pool begins anew."""
    thin: int = 20
    """A hybrid pool that is smaller is filled up to `new`."""
    kept: int = 2000
    """Boards of the turn before that a hybrid player keeps."""
    stale: float = 40.0
    """What it costs, in hundredths of a pawn, to put the own men up as they stood before, for each time they did."""


@dataclass(frozen=True)
class FogParameters:
    """The numbers of the engine `fog`, set by hand; what is learned from games is in its file of weights."""

    boards: int = 6000
    """The most boards of its belief."""
    floor: int = 50
    """Its belief is mended if its boards count for fewer than so many of equal weight."""
    variants: int = 800
    """Boards that are tried when it is mended, from each of three turns."""
    threat: float = 0.6
    """The share of what it threatens that it counts on."""
    placement: float = 0.3
    """How much of what a good square is worth in chess counts, for men other than pawns."""
    doubt: float = 2.0
    """Boards on which an attempt is taken to be average, besides those on which it was evaluated."""
    probing: float = 5.0
    """What a refusal is worth for what it tells, in hundredths of a pawn."""
    stale: float = 40.0
    """What it costs, in hundredths of a pawn, to put the own men up as they stood before, for each time they did."""


LAYOUT = np.dtype((np.record, [(field.name, np.float64) for field in fields(Parameters)]))
"""A record with a number for each parameter."""
