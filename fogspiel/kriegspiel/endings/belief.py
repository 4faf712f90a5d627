"""Probability and importance of each possible square of the lone king, by a model of its replies.

A king that sees the board takes a man if it can, and otherwise goes where mate is farthest by the table of the ending,
mostly: a move that is nearer by one is chosen less often by a factor. A king that sees nothing makes any move. The
model is a mixture of the two, so that every square where the king may be keeps a chance. Squares from which mate
cannot be forced are taken for less likely than they are, as what is done about them matters little.
"""

import numpy as np

from ...core.compile.kernel import kernel, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import union
from .search import DIRECTIONS, sight
from .tablebase import NO_MATE, placement_of

SEES = 0.8  # the chance of a reply of a king that sees the board
NOT_SOON = 36  # what counts as moves to mate where the table has none: more than in any ending
HOPELESS = 0.1  # how much less a square counts, after every move, from which mate cannot be forced
# How much less likely than the best reply one is that is nearer to mate by so many moves.
FADING = np.exp(-1.0 * np.arange(NO_MATE + 1))


@kernel
def moves_to_mate(table, number, square):
    """The own moves to mate of a placement and a square of the king, many if there is no mate."""
    return min(np.int64(table[number, square]), NOT_SOON)


@kernel
def reply(belief, here, own, free, table, number, out):
    """Let the king reply from the squares `here`: the chances of its squares then, the result that it takes a man."""
    lost = 0.0
    for square in range(64):
        out[square] = 0.0
    while here:
        square = trailing_zeros(here)
        here &= here - 1
        replies, chance = bitboards.KING_ATTACKS[square] & free, belief[square]
        if replies == 0:
            continue
        quiet, blind, seeing = replies & ~own, (1.0 - SEES) * chance / ones(replies), 0.0
        if replies & own:
            lost += chance - blind * ones(quiet)
        else:
            farthest, total, left = 0, 0.0, quiet
            while left:
                farthest = max(farthest, moves_to_mate(table, number, trailing_zeros(left)))
                left &= left - 1
            left = quiet
            while left:
                total += FADING[farthest - moves_to_mate(table, number, trailing_zeros(left))]
                left &= left - 1
            seeing = SEES * chance / total
        while quiet:
            end = trailing_zeros(quiet)
            out[end] += blind
            if seeing > 0.0:
                out[end] += seeing * FADING[farthest - moves_to_mate(table, number, end)]
            quiet &= quiet - 1
    return lost


@kernel
def restrict_belief(belief, kings):
    """Keep the chances of these squares alone, so that they add up to one; equal ones if none is left."""
    total = 0.0
    for square in range(64):
        if not kings >> square & 1:
            belief[square] = 0.0
        total += belief[square]
    for square in range(64):
        if total > 0.0:
            belief[square] /= total
        elif kings >> square & 1:
            belief[square] = 1.0 / ones(kings)


@kernel
def neglect_hopeless(belief, men, table):
    """Let squares count little from which mate cannot be forced: against the best defence nothing is gained there."""
    number = placement_of(men)
    for square in range(64):
        if table[number, square] == NO_MATE:
            belief[square] *= HOPELESS


@kernel
def begin_belief(belief, kings, men, table):
    """The king may be on any of these squares, whatever came before."""
    for square in range(64):
        belief[square] = 1.0
    if len(table):
        neglect_hopeless(belief, men, table)
    restrict_belief(belief, kings)


@kernel
def let_reply(belief, kings, men, table):
    """The king was on one of these squares and has replied without taking a man; without a table all is as likely."""
    before, own = belief.copy(), union(men)
    if len(table):
        reply(before, kings, own, ~sight(men, own, np.empty(DIRECTIONS, np.int64)), table, placement_of(men), belief)
        neglect_hopeless(belief, men, table)
    else:
        for square in range(64):
            belief[square] = 1.0
