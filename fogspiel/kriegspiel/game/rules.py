"""The rules of Kriegspiel as kernels: chess whose referee alone sees both sides.

Without switches they are those of the Internet Chess Club ("wild 16"); `attempts` has the bits of the others.

Data sheet of a state (int64 cells)
      0 POSITION    thirteen cells, as in `chess.position`
     13 SWITCHES    rule switches and rule set, a set of the bits of `attempts`
     14 END         why the game is over, or 0
     15 SAID        the messages about White's and Black's last moves (as in `attempts`)
     23 TAKEN       captured pawns and pieces of White, then of Black, as announced; 0 and men if kinds are not
     27 REFUSED     for every square the set of squares refused to the man there this turn
     91 LIMITED     checks and pins of the side to move (as in `chess.moves`)
     94 KEYS        keys of the positions since the last capture or pawn move, the newest at CLOCK
    195 TURNS       public part of White's last or current turn, then of Black's:
                      attempts refused before the question, its answer (0 not asked, 1 no, 2 yes), attempts refused
                      after it, and whether a pawn promoted; always 0 where refusals are private
Data sheet of a view
      0 player, 1 to move, 2..7 own men by kind, 8 own castling rights (as in the position), 9 plies played, 10 END,
     11..14 message about the own last move, 15..18 about the opponent's, 19..22 TAKEN, own first,
     23..86 REFUSED while it is the own turn, 87 SWITCHES, 88..91 TURNS of the own side, 92..95 of the opponent

Actions are moves (from + 64 * to + 4096 * promotion), and ANY, the question whether pawns can capture. A refused one
changes REFUSED and, if refusals are public, TURNS.
"""

import numpy as np

from ...core.compile.kernel import in_place, kernel
from ...core.game import DRAW, LOSS, OVER, WIN
from ...core.rng import random_below
from ...games.chess import position
from ...games.chess.bitboards import ALL, KINDS, NO_SQUARE, NONE, PAWN, bit
from ...games.chess.moves import CHECKERS, LIMITS, PROMOTIONS, can_move, is_legal, possible_passant, restrict
from ...games.chess.position import CLOCK, MEN, MOVER, PLY, POSITION, RIGHTS, end_of, make, promotion_of, start_of
from . import attempts
from .attempts import CHECKS, MESSAGE, TRIES, announced_tries, directions

SWITCHES, END, SAID, TAKEN, REFUSED, LIMITED, KEYS = 13, 14, 15, 23, 27, 91, 94
# Plies without a capture or a pawn move that end a game, and those that do under rules without a fifty-move rule.
LONGEST, VERY_LONGEST = 100, 2000
TURNS = KEYS + LONGEST + 1
REFUSED_BEFORE, ANSWER, REFUSED_AFTER, PROMOTED = 0, 1, 2, 3
TURN = 4  # cells of a turn
NOT_ASKED, NO, YES = 0, 1, 2
STATE = TURNS + 2 * TURN
ANY = 5 << 12  # the question whether any pawn of the side to move can capture: a number above those of all moves
SEEN_PLAYER, SEEN_MOVER, SEEN_MEN, SEEN_RIGHTS, SEEN_PLY, SEEN_END, SEEN_OWN, SEEN_OTHER = 0, 1, 2, 8, 9, 10, 11, 15
SEEN_TAKEN, SEEN_REFUSED = 19, 23
SEEN_SWITCHES = SEEN_REFUSED + 64
SEEN_TURN = SEEN_SWITCHES + 1
SEEN_OTHER_TURN = SEEN_TURN + TURN
VIEW = SEEN_OTHER_TURN + TURN
# Parts of a view: own men, messages about the own and the opponent's last moves, and the turns of both.
OWN_MEN, REFUSALS = slice(SEEN_MEN, SEEN_MEN + KINDS), slice(SEEN_REFUSED, SEEN_SWITCHES)
OWN_MESSAGE, OTHER_MESSAGE = slice(SEEN_OWN, SEEN_OWN + MESSAGE), slice(SEEN_OTHER, SEEN_OTHER + MESSAGE)
OWN_TURN, OTHER_TURN = slice(SEEN_TURN, SEEN_TURN + TURN), slice(SEEN_OTHER_TURN, SEEN_OTHER_TURN + TURN)
CHECKMATE, STALEMATE, MATERIAL, FIFTY, REPETITION, TOO_LONG, LOST_STALEMATE = 1, 2, 3, 4, 5, 6, 7
OWN_RIGHTS = np.array([3, 12], np.int64)
HOME = np.array(
    [
        0x00FF00000000FF00, 0x4200000000000042, 0x2400000000000024, -0x7EFFFFFFFFFFFF7F, 0x0800000000000008,
        0x1000000000000010, 0xFFFF, -(1 << 48), 0, 15, NO_SQUARE, 0, 0,
    ],
    np.int64,
)  # fmt: skip
"""The initial position."""


@in_place
def begin(state, board, switches):
    state[:] = 0
    for cell in range(POSITION):
        state[cell] = board[cell]
    state[SWITCHES] = switches
    begin_here(state)


@in_place
def begin_here(state):
    limits = state[LIMITED : LIMITED + LIMITS]
    restrict(state, limits)
    other = SAID + MESSAGE * (1 - state[MOVER])
    state[other + 1] = NO_SQUARE
    state[SAID + MESSAGE * state[MOVER] + 1] = NO_SQUARE
    state[other + CHECKS] = directions(state, limits)
    state[other + TRIES] = announced_tries(state, limits, state[SWITCHES])
    state[KEYS + min(state[CLOCK], LONGEST)] = position.key_of(state, possible_passant(state, limits))
    state[END] = other_ending(state, limits)


@in_place
def start(state):
    begin(state, HOME, 0)


@in_place
def mover(state):
    return OVER if state[END] else state[MOVER]


@in_place
def legal(state, out):
    colour, switches = state[MOVER], state[SWITCHES]
    tries = 1 if switches & attempts.TRIES_HIDDEN else state[SAID + MESSAGE * (1 - colour) + TRIES]
    own = state[MEN + colour]
    count = attempts.attempts(state, own, colour, state[RIGHTS], tries, state[REFUSED : REFUSED + 64], out)
    return sift(state, out, count) if switches & (attempts.TRIES_BY_SQUARE | attempts.MAY_ASK) else count


@in_place
def must_take(state):
    """True if the side to move, after a yes to its question, must capture with a pawn, or try it once."""
    turn = TURNS + TURN * state[MOVER]
    if state[turn + ANSWER] != YES:
        return False
    return state[SWITCHES] & attempts.MUST_TAKE != 0 or state[turn + REFUSED_AFTER] == 0


@in_place
def sift(state, out, count):
    """Keep the attempts that the announced squares, or the answer to the question, permit; add the question."""
    colour, switches, must = state[MOVER], state[SWITCHES], must_take(state)
    answer, pawns = state[TURNS + TURN * colour + ANSWER], state[PAWN]
    takers = state[SAID + MESSAGE * (1 - colour) + TRIES] if switches & attempts.TRIES_BY_SQUARE else ALL
    if answer == NO:
        takers = NONE
    kept = 0
    for i in range(count):
        start = bit(start_of(out[i]))
        takes = pawns & start != 0 and (end_of(out[i]) - start_of(out[i])) % 8 != 0
        if takers & start != 0 if takes else not must:
            out[kept] = out[i]
            kept += 1
    if switches & attempts.MAY_ASK and answer == NOT_ASKED:
        out[kept] = ANY
        kept += 1
    return kept


@in_place
def ending(state, limits):
    if not can_move(state, limits):
        return CHECKMATE if limits[CHECKERS] else STALEMATE
    switches = state[SWITCHES]
    if not switches & attempts.NO_MATERIAL and position.cannot_mate(state):
        return MATERIAL
    if not switches & attempts.NO_FIFTY and state[CLOCK] >= LONGEST:
        return FIFTY
    clock, times = min(state[CLOCK], LONGEST), 0
    if switches & attempts.NO_REPETITION:
        return 0
    for ply in range(clock - 3):  # the key contains the side to move, so every second one differs
        if state[KEYS + ply] == state[KEYS + clock]:
            times += 1
    return REPETITION if times >= 2 else 0


@in_place
def other_ending(state, limits):
    """Return the reason for the end if stalemate may lose, or fifty moves may be no draw."""
    end = ending(state, limits)
    if end == STALEMATE and state[SWITCHES] & attempts.STALEMATE_LOSES:
        return LOST_STALEMATE
    if end == 0 and state[SWITCHES] & attempts.LONG_LIMIT and state[CLOCK] >= VERY_LONGEST:
        return TOO_LONG
    return end


@in_place
def remember_key(state, limits):
    clock = state[CLOCK]
    if clock > LONGEST:  # the fifty-move rule is off: search back as far as keys are stored
        for ply in range(LONGEST):
            state[KEYS + ply] = state[KEYS + ply + 1]
        clock = LONGEST
    state[KEYS + clock] = position.key_of(state, possible_passant(state, limits))


@in_place
def accept(state, limits, action):
    """Make a legal move by the rules of the Internet Chess Club and write its announcement."""
    colour = state[MOVER]
    said = state[SAID + MESSAGE * colour : SAID + MESSAGE * (colour + 1)]
    switches = state[SWITCHES]
    attempts.announced_capture(state, action, switches & attempts.PASSANT_AT_ARRIVAL, said)
    if said[attempts.TAKEN]:
        state[TAKEN + 2 * (1 - colour) + (0 if said[attempts.TAKEN] == attempts.PAWN_TAKEN else 1)] += 1
    make(state, action)
    restrict(state, limits)
    said[CHECKS] = directions(state, limits)
    said[TRIES] = attempts.pawn_tries(state, limits, switches & attempts.PROMOTIONS_COUNT_FOUR)
    remember_key(state, limits)
    state[END] = ending(state, limits)


@in_place
def accept_otherwise(state, limits, action):
    """Make a legal move by another rule set; separate, so that it does not slow the default rules down."""
    colour = state[MOVER]
    said = state[SAID + MESSAGE * colour : SAID + MESSAGE * (colour + 1)]
    switches, turn, next_turn = state[SWITCHES], TURNS + TURN * colour, TURNS + TURN * (1 - colour)
    attempts.announce_capture(state, action, switches, said)
    if said[attempts.TAKEN]:
        state[TAKEN + 2 * (1 - colour) + (0 if said[attempts.TAKEN] == attempts.PAWN_TAKEN else 1)] += 1
    make(state, action)
    restrict(state, limits)
    said[CHECKS] = directions(state, limits)
    said[TRIES] = announced_tries(state, limits, switches)
    state[turn + PROMOTED] = 1 if switches & attempts.PROMOTION_SAID and promotion_of(action) else 0
    state[next_turn : next_turn + TURN] = 0
    remember_key(state, limits)
    state[END] = other_ending(state, limits)


@in_place
def apply(state, action):
    if action == ANY:
        answer(state)
        return
    limits, otherwise = state[LIMITED : LIMITED + LIMITS], state[SWITCHES] & attempts.RULE_SET
    if not is_legal(state, limits, action):
        attempts.refuse(state[REFUSED : REFUSED + 64], start_of(action), end_of(action))
        if otherwise:
            turn = TURNS + TURN * state[MOVER]
            state[turn + (REFUSED_BEFORE if state[turn + ANSWER] == NOT_ASKED else REFUSED_AFTER)] += 1
        return
    if otherwise:
        accept_otherwise(state, limits, action)
    else:
        accept(state, limits, action)
    state[REFUSED : REFUSED + 64] = 0


@in_place
def answer(state):
    """Answer the question whether any pawn of the side to move can capture."""
    can_take = attempts.capturing_pawns(state, state[LIMITED : LIMITED + LIMITS]) != 0
    state[TURNS + TURN * state[MOVER] + ANSWER] = YES if can_take else NO


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
    out[SEEN_SWITCHES] = state[SWITCHES]
    for cell in range(TURN):
        out[SEEN_TURN + cell] = state[TURNS + TURN * player + cell]
        out[SEEN_OTHER_TURN + cell] = state[TURNS + TURN * (1 - player) + cell]


@in_place
def score(state):
    if state[END] != CHECKMATE and state[END] != LOST_STALEMATE:
        return DRAW
    return LOSS if state[MOVER] == 0 else WIN


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    """Play a game of two random players; the possible attempts are computed once per turn."""
    choice = np.empty((attempts.MAX_MEN, attempts.CHOICES), np.int64)
    limits = state[LIMITED : LIMITED + LIMITS]
    start(state)
    while state[END] == 0:
        colour = state[MOVER]
        stream = stream_0 if colour == 0 else stream_1
        tries = state[SAID + MESSAGE * (1 - colour) + TRIES]
        men = attempts.choices(state, state[MEN + colour], colour, state[RIGHTS], tries, choice)
        left = attempts.choice_count(choice, men)
        while True:
            action = attempts.taken_choice(choice, random_below(stream, left))
            if is_legal(state, limits, action):
                break
            left -= PROMOTIONS if promotion_of(action) else 1
        accept(state, limits, action)
    return score(state)
