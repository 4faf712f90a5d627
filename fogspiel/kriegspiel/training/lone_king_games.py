"""Many random endings against a lone king that sees everything, in one kernel: what weights are tuned on.

The rules, the belief and the defence are those of `LoneKingPlayer` and `lone_king_defence`, without a referee between:
hundreds of games per second instead of a few. A pawn that has become a queen or a rook counts as mate.
"""

import numpy as np

from ...core.compile.kernel import kernel, ones, trailing_zeros
from ...core.rng import random_below, random_unit, split
from ...games.chess import bitboards
from ...games.chess.bitboards import KINDS, KING, PAWN, bit, union
from ...games.chess.moves import MOST_MOVES
from ...games.chess.position import promotion_of
from ..beliefs.board_filter import around
from ..endings.belief import begin_belief, let_reply, restrict_belief
from ..endings.player import NOISE
from ..endings.search import MATED, PARTS, REFUSED, SILENT, STALEMATED, hear, list_own_moves, sight
from ..endings.tablebase import NO_MATE, placement_of
from ..endings.values import FIFTY, LOOP, TOO_OFTEN, empty_scratch, value_attempt

MATE, FIFTY_MOVES, STALEMATE, MAN_LOST = 0, 1, 2, 3
ENDS = 4  # how endings end
HURRY = 0.003  # what a mate is worth less for each own move


@kernel
def draw(kinds, table, stream, men):
    """Set up own men and a king at random, such that mate can be forced if it is seen. The king's square."""
    while True:
        own = np.int64(0)
        for kind in range(KINDS):
            men[kind] = 0
        for man in range(len(kinds) + 1):
            kind = KING if man == 0 else kinds[man - 1]
            square = 8 + random_below(stream, 40) if kind == PAWN else random_below(stream, 64)
            men[kind] |= bit(square)
            own |= bit(square)
        lone = random_below(stream, 64)
        if ones(own) == len(kinds) + 1 and not own >> lone & 1 and table[placement_of(men), lone] != NO_MATE:
            return lone


@kernel
def defend_by_table(square, own, free, table, number, stream):
    """The best reply of a king that sees everything and can take nothing: of equals any."""
    replies = bitboards.KING_ATTACKS[square] & free
    best, farthest, equals = -1, -1, 0
    while replies:
        end = trailing_zeros(replies)
        replies &= replies - 1
        far = np.int64(table[number, end])
        if far > farthest:
            best, farthest, equals = end, far, 1
        elif far == farthest:
            equals += 1
            if random_below(stream, equals) == 0:
                best = end
    return best


@kernel
def play_ending(kinds, table, weights, stream):
    """Play a random ending. How it ended and the number of own moves."""
    men, here = np.zeros(KINDS, np.int64), np.empty(PARTS, np.int64)
    scratch, further = empty_scratch(), empty_scratch()
    moves, belief = np.empty(MOST_MOVES, np.int64), np.empty(64)
    values, stood = np.empty(MOST_MOVES), np.empty(FIFTY + 1, np.int64)
    lone = draw(kinds, table, stream, men)
    kings = ~(sight(men, union(men), scratch.lines) | union(men))
    begin_belief(belief, kings, men, table)
    left, made, stands = FIFTY, 0, 0
    refused = np.zeros(MOST_MOVES, np.bool_)
    listed = list_own_moves(men, moves)
    while left > 0:
        for i in range(listed):
            values[i] = value_attempt(men, kings, belief, moves[i], table, weights, scratch, further)
        best = -1
        for i in range(listed):
            if refused[i]:
                continue
            hear(men, kings, moves[i], scratch.after, scratch.lines, here)
            again, number = 0, placement_of(scratch.after)
            for j in range(stands):
                again += stood[j] == number
            values[i] += NOISE * random_unit(stream) - weights.again * again - LOOP * (again >= TOO_OFTEN)
            if best < 0 or values[i] > values[best]:
                best = i
        if best < 0:
            return STALEMATE, made
        action = moves[best]
        free = hear(men, kings, action, scratch.after, scratch.lines, here)
        if here[REFUSED] >> lone & 1:
            refused[best] = True
            kings = here[REFUSED]
            restrict_belief(belief, kings)
            continue
        made += 1
        left -= 1
        if men[PAWN] != scratch.after[PAWN]:
            left, stands = FIFTY, 0
        own, number = union(scratch.after), placement_of(scratch.after)
        if here[MATED] >> lone & 1:
            return MATE, made
        if here[STALEMATED] >> lone & 1:
            return STALEMATE, made
        if bitboards.KING_ATTACKS[lone] & free & own:
            return MAN_LOST, made
        if promotion_of(action):
            return MATE, made
        part = SILENT
        while not here[part] >> lone & 1:
            part += 1
        let_reply(belief, here[part], scratch.after, table)
        kings = around(here[part]) & free & ~own
        restrict_belief(belief, kings)
        lone = defend_by_table(lone, own, free, table, number, stream)
        for kind in range(KINDS):
            men[kind] = scratch.after[kind]
        stood[stands] = number
        stands += 1
        listed = list_own_moves(men, moves)
        for i in range(listed):
            refused[i] = False
    return FIFTY_MOVES, made


@kernel
def play_endings(kinds, table, weights, seed, games, endings):
    """Play random endings and count how they ended. The share of mates, less a little for their moves."""
    stream, score = np.empty(1, np.uint64), 0.0
    for game in range(games):
        stream[0] = split(np.uint64(seed), game)
        ending, made = play_ending(kinds, table, weights, stream)
        endings[ending] += 1
        if ending == MATE:
            score += 1.0 - HURRY * made
    return score / games
