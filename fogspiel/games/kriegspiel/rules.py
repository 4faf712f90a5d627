"""The rules of Kriegspiel as kernels: chess whose referee alone sees both sides (Internet Chess Club, "wild 16").

Data sheet of a state (int64 cells)
      0 POSITION    thirteen cells, as in `chess.position`
     13 SWITCHES    rule switches, a set of the bits below
     14 END         why the game is over, or 0
     15 SAID        the message about White's last move, and that about Black's (as in `chess.messages`)
     23 TAKEN       White's pawns and pieces taken so far, then Black's, as announced
     27 REFUSED     for every square the set of squares to which the man there was refused this turn
     91 LIMITED     checks and pins of the mover (as in `chess.moves`)
     94 KEYS        keys of the positions since the last capture or pawn move, the newest at CLOCK
Data sheet of a view
      0 player, 1 who moves, 2..7 own men by kind, 8 own castling rights (as in the position), 9 plies played, 10 END,
     11..14 what was said of the own last move, 15..18 of the other's, 19..22 TAKEN, own first,
     23..86 REFUSED while it is the own turn

Actions are moves (from + 64 * to + 4096 * promotion). A refused one changes REFUSED only.
"""

import numpy as np

from ...core.game import DRAW, LOSS, OVER, WIN
from ...core.kernel import in_place, kernel
from ...core.rng import below
from ..chess.attempts import CHOICES, MOST_MEN, attempts, choice_count, choices, refuse, taken_choice
from ..chess.bits import NO_SQUARE
from ..chess.limits import CHECKERS, LIMITS, restrict
from ..chess.men import KINDS
from ..chess.messages import CHECKS, MESSAGE, PAWN_TAKEN, TRIES, announced_capture, directions, pawn_tries
from ..chess.messages import TAKEN as WHAT_WAS_TAKEN
from ..chess.move_code import end_of, promotion_of, start_of
from ..chess.moves import PROMOTIONS, can_move, is_legal, possible_passant
from ..chess.position import CLOCK, MEN, MOVER, PLY, POSITION, RIGHTS, cannot_mate, key_of, make, victim_square

SWITCHES, END, SAID, TAKEN, REFUSED, LIMITED, KEYS = 13, 14, 15, 23, 27, 91, 94
LONGEST = 100
"""Plies without a capture or a pawn move that end a game."""
STATE = KEYS + LONGEST + 1
SEEN_PLAYER, SEEN_MOVER, SEEN_MEN, SEEN_RIGHTS, SEEN_PLY, SEEN_END, SEEN_OWN, SEEN_OTHER = 0, 1, 2, 8, 9, 10, 11, 15
SEEN_TAKEN, SEEN_REFUSED = 19, 23
VIEW = SEEN_REFUSED + 64
PROMOTIONS_COUNT_FOUR, PASSANT_AT_ARRIVAL, NO_FIFTY, NO_REPETITION, NO_MATERIAL = 1, 2, 4, 8, 16
CHECKMATE, STALEMATE, MATERIAL, FIFTY, REPETITION = 1, 2, 3, 4, 5
OWN_RIGHTS = np.array([3, 12], np.int64)
HOME = np.array(
    [
        0x00FF00000000FF00, 0x4200000000000042, 0x2400000000000024, -0x7EFFFFFFFFFFFF7F, 0x0800000000000008,
        0x1000000000000010, 0xFFFF, -(1 << 48), 0, 15, NO_SQUARE, 0, 0,
    ],
    np.int64,
)  # fmt: skip
"""The position in which a game begins."""


@in_place
def begin(state, position, switches):
    """Set up the men of a position."""
    for cell in range(STATE):
        state[cell] = 0
    for cell in range(POSITION):
        state[cell] = position[cell]
    state[SWITCHES] = switches
    begin_here(state)


@in_place
def begin_here(state):
    """Begin with the position that is set up."""
    limits = state[LIMITED : LIMITED + LIMITS]
    restrict(state, limits)
    other = SAID + MESSAGE * (1 - state[MOVER])
    state[other + 1] = NO_SQUARE
    state[SAID + MESSAGE * state[MOVER] + 1] = NO_SQUARE
    state[other + CHECKS] = directions(state, limits)
    state[other + TRIES] = pawn_tries(state, limits, state[SWITCHES] & PROMOTIONS_COUNT_FOUR)
    state[KEYS + min(state[CLOCK], LONGEST)] = key_of(state, possible_passant(state, limits))
    state[END] = ending(state, limits)


@in_place
def start(state):
    begin(state, HOME, 0)


@in_place
def mover(state):
    return OVER if state[END] else state[MOVER]


@in_place
def legal(state, out):
    colour = state[MOVER]
    tries = state[SAID + MESSAGE * (1 - colour) + TRIES]
    own = state[MEN + colour]
    return attempts(state, own, colour, state[RIGHTS], tries, state[REFUSED : REFUSED + 64], out)


@in_place
def is_repeated(state):
    """Whether the position stands for the third time."""
    clock, times = min(state[CLOCK], LONGEST), 0
    for ply in range(clock - 3):  # the key tells who moves, so every second one is unlike
        if state[KEYS + ply] == state[KEYS + clock]:
            times += 1
    return times >= 2


@in_place
def ending(state, limits):
    """Why the game is over in this position, or 0."""
    if not can_move(state, limits):
        return CHECKMATE if limits[CHECKERS] else STALEMATE
    switches = state[SWITCHES]
    if not switches & NO_MATERIAL and cannot_mate(state):
        return MATERIAL
    if not switches & NO_FIFTY and state[CLOCK] >= LONGEST:
        return FIFTY
    if not switches & NO_REPETITION and state[CLOCK] >= 4 and is_repeated(state):
        return REPETITION
    return 0


@in_place
def remember_key(state, limits):
    """Add the key of the new position to those it may repeat."""
    clock = state[CLOCK]
    if clock > LONGEST:  # the fifty-move rule is off: look back as far as there is room
        for ply in range(LONGEST):
            state[KEYS + ply] = state[KEYS + ply + 1]
        clock = LONGEST
    state[KEYS + clock] = key_of(state, possible_passant(state, limits))


@in_place
def accept(state, limits, action):
    """Make a legal move and say what is to be said of it."""
    colour = state[MOVER]
    said = state[SAID + MESSAGE * colour : SAID + MESSAGE * (colour + 1)]
    switches = state[SWITCHES]
    announced_capture(state, victim_square(state, action), end_of(action), switches & PASSANT_AT_ARRIVAL, said)
    if said[WHAT_WAS_TAKEN]:
        state[TAKEN + 2 * (1 - colour) + (0 if said[WHAT_WAS_TAKEN] == PAWN_TAKEN else 1)] += 1
    make(state, action)
    restrict(state, limits)
    said[CHECKS] = directions(state, limits)
    said[TRIES] = pawn_tries(state, limits, switches & PROMOTIONS_COUNT_FOUR)
    remember_key(state, limits)
    state[END] = ending(state, limits)


@in_place
def apply(state, action):
    limits = state[LIMITED : LIMITED + LIMITS]
    if not is_legal(state, limits, action):
        refuse(state[REFUSED : REFUSED + 64], start_of(action), end_of(action))
        return
    accept(state, limits, action)
    for square in range(64):
        state[REFUSED + square] = 0


@in_place
def view(state, player, out):
    own = state[MEN + player]
    out[SEEN_PLAYER] = player
    out[SEEN_MOVER] = state[MOVER]
    for kind in range(KINDS):
        out[SEEN_MEN + kind] = state[kind] & own
    out[SEEN_RIGHTS] = state[RIGHTS] & OWN_RIGHTS[player]
    out[SEEN_PLY] = state[PLY]
    out[SEEN_END] = state[END]
    for cell in range(MESSAGE):
        out[SEEN_OWN + cell] = state[SAID + MESSAGE * player + cell]
        out[SEEN_OTHER + cell] = state[SAID + MESSAGE * (1 - player) + cell]
    for cell in range(2):
        out[SEEN_TAKEN + cell] = state[TAKEN + 2 * player + cell]
        out[SEEN_TAKEN + 2 + cell] = state[TAKEN + 2 * (1 - player) + cell]
    for square in range(64):
        out[SEEN_REFUSED + square] = state[REFUSED + square] if state[MOVER] == player else 0


@in_place
def score(state):
    if state[END] != CHECKMATE:
        return DRAW
    return LOSS if state[MOVER] == 0 else WIN


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    """A game of two players who try anything; what can be tried is worked out once in a turn."""
    choice = np.empty((MOST_MEN, CHOICES), np.int64)
    limits = state[LIMITED : LIMITED + LIMITS]
    start(state)
    while state[END] == 0:
        colour = state[MOVER]
        stream = stream_0 if colour == 0 else stream_1
        tries = state[SAID + MESSAGE * (1 - colour) + TRIES]
        men = choices(state, state[MEN + colour], colour, state[RIGHTS], tries, choice)
        left = choice_count(choice, men)
        while True:
            action = taken_choice(choice, below(stream, left))
            if is_legal(state, limits, action):
                break
            left -= PROMOTIONS if promotion_of(action) else 1
        accept(state, limits, action)
    return score(state)
