"""Approach A (section 5.1, figure 5): Monte Carlo tree search as in Phantom Go, on random boards played to their end.

Every iteration starts with a random board drawn from the matrices, if possible one that fits the last message. The tree
has no boards: under each of our moves are the messages received after it and after their reply, and under these our
next moves.

    play_boards             the search: for each iteration
      draw_fitting_board    a random board
      select_by_uct         our move in the tree; theirs are pseudorandom
      playout               pseudorandom moves to the end of the game
"""

import math
from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import kernel, ones, trailing_zeros
from ...core.rng import random_below, random_unit
from ...games.chess import position
from ...games.chess.bitboards import ALL, KING, LAST_RANKS, NO_SQUARE, NONE, PAWN, QUEEN, ROOK, bit, kind_on
from ...games.chess.moves import LIMITS, MAX_MOVES, attackers, is_legal, legal_moves, restrict
from ...games.chess.position import CLOCK, MEN, MOVER, PLY, POSITION, RIGHTS, copy_board, end_of, start_of
from ..beliefs.consistent_boards import AT_FIRST, random_kind, random_square
from ..beliefs.consistent_boards import PIECES as PIECE_KINDS
from ..beliefs.probability_matrices import KINGS, PAWNS, PIECES
from ..game.attempts import CHECKS, MESSAGE, SQUARE, TAKEN, TRIES, directions, make_and_say, pawn_tries, tries_fit

FIFTY_MOVES = 100  # plies without a capture or a pawn move that end a game
LONGEST_GAME = 300  # plies after which a simulated game is a draw, if the fifty-move rule has not ended it before
BOARDS = 12  # boards drawn in search of one that fits the last message
ALMOST_ALWAYS = 0.9  # probability that a simulated player recaptures or uses a pawn try if it can
DEEPEST = 200  # greatest number of nodes on a path through the tree; three are added in one step
MEN_OF_A_SIDE, PIECES_AT_HOME = 16, 7  # no more pieces are drawn
A_FILE = np.int64(0x0101010101010101)
NO_NODE, NO_MOVE = -1, -1
VALUES = np.array([1, 3, 3, 5, 9, 0], np.int64)  # of pawn, knight, bishop, rook, queen and king, for remedies
# Quality of a drawn board: impossible, possible, or consistent with the last messages.
ILLEGAL, LEGAL, FITTING = 0, 1, 2
_NODE = [
    ("key", np.int64),  # a move of ours, or a message as a number
    ("outcomes", np.float64),  # the sum of our scores
    ("visits", np.int32),
    ("child", np.int32),  # first child, and the next one of the same parent, or NO_NODE
    ("sibling", np.int32),
]
NODE = np.dtype((np.record, np.dtype(_NODE, align=True)))


class MessageTree(NamedTuple):
    """The nodes, the first being the root, and their number."""

    nodes: np.ndarray
    used: np.ndarray


class Remedies(NamedTuple):
    """Changes against the three faults that section 5.1 finds in approach A; as printed there are none."""

    boards: np.ndarray = np.empty((0, POSITION), np.int64)  # drawn from instead of random boards, if there are any
    eager: bool = False  # true if simulated players capture the most valuable man that they can
    horizon: int = LONGEST_GAME  # plies of a playout, after which the share of the men decides if it is shorter
    files: bool = True  # false if random boards put pawns on any file, as if they had captured


def empty_message_tree(nodes: int) -> MessageTree:
    tree = MessageTree(np.zeros(nodes, NODE), np.ones(1, np.int64))
    tree.nodes["child"] = tree.nodes["sibling"] = NO_NODE
    return tree


@kernel
def draw_square(prob, row, free, stream):
    """Draw a free square by the probabilities of a row, or any free square if all are 0."""
    summed, left = 0.0, free
    while left:
        summed += prob[row, trailing_zeros(left)]
        left &= left - 1
    u = random_unit(stream) * summed
    if summed > 0.0:
        left = free
        while left:
            square = trailing_zeros(left)
            u -= prob[row, square]
            if u < 0.0:
                return square
            left &= left - 1
    return random_square(free, stream)


@kernel
def draw_board(prob, known, clock, pos, files, stream):
    """Set up a board: our men, their king, then their remaining pawns and pieces, by the matrices."""
    mine = known.colour
    pos[:] = 0
    for kind in range(KING + 1):
        pos[kind] = known.men[kind]
    pos[MEN + mine], pos[MOVER], pos[RIGHTS] = known.own, mine, known.rights
    pos[position.PASSANT], pos[CLOCK], pos[PLY] = NO_SQUARE, clock, 0
    king = draw_square(prob, KINGS, ~known.own, stream)
    pos[KING] |= bit(king)
    taken = known.own | bit(king)
    # A pawn changes its file only by a capture ("how many pawns can be on each file", 5.1): so many may be doubled.
    doubled, filled, captures = 0, NONE, MEN_OF_A_SIDE - ones(known.own)
    for _ in range(known.their_pawns):
        free = ALL & ~taken & ~LAST_RANKS[0] & ~LAST_RANKS[1]
        if files and doubled >= captures and free & ~filled:
            free &= ~filled
        square = draw_square(prob, PAWNS, free, stream)
        doubled += filled >> square & 1
        filled |= A_FILE << (square % 8)
        pos[PAWN] |= bit(square)
        taken |= bit(square)
    counts = AT_FIRST.copy()
    for _ in range(min(known.their_pieces, PIECES_AT_HOME)):
        square = draw_square(prob, PIECES, ~taken, stream)
        kind = random_kind(counts, stream, PIECE_KINDS)
        counts[kind] -= 1
        pos[kind] |= bit(square)
        taken |= bit(square)
    pos[MEN + 1 - mine] = taken & ~known.own


@kernel
def fits(pos, known, refused, limits):
    """Return the agreement of a board with the last message and the refusals; their king may not stand in check."""
    if attackers(pos, position.king_of(pos, 1 - pos[MOVER]), pos[MOVER], position.occupied(pos)):
        return ILLEGAL
    restrict(pos, limits)
    if directions(pos, limits) != known.checks or not tries_fit(pawn_tries(pos, limits, 0), known.tries):
        return LEGAL
    for start in range(64):
        left = refused[start]
        while left:
            if is_legal(pos, limits, position.move_of(start, trailing_zeros(left), 0)):
                return LEGAL
            left &= left - 1
    return FITTING


@kernel
def draw_fitting_board(prob, known, clock, refused, pos, limits, files, stream):
    """Draw the first of some boards that fits the last message, else a legal one; return True if there is one."""
    spare = np.empty(POSITION, np.int64)
    found = False
    for _ in range(BOARDS):
        draw_board(prob, known, clock, pos, files, stream)
        fit = fits(pos, known, refused, limits)
        if fit == FITTING:
            return True
        if fit == LEGAL:
            found = True
            copy_board(pos, spare)
    if found:
        copy_board(spare, pos)
        restrict(pos, limits)
    return found


@kernel
def richest_capture(pos, moves, count):
    """Return the legal move that captures the most valuable man, or NO_MOVE."""
    found, most = NO_MOVE, 0
    for i in range(count):
        victim = position.victim_square(pos, moves[i])
        if victim != NO_SQUARE and VALUES[kind_on(pos, victim)] > most:
            found, most = moves[i], VALUES[kind_on(pos, victim)]
    return found


@kernel
def pseudorandom_move(pos, moves, count, said, remedies, stream):
    """Return almost always a recapture or a pawn try, else any legal move."""
    if remedies.eager and random_unit(stream) < ALMOST_ALWAYS:
        capture = richest_capture(pos, moves, count)
        if capture != NO_MOVE:
            return capture
    eager = 0
    if (said[TAKEN] or said[TRIES]) and random_unit(stream) < ALMOST_ALWAYS:
        for i in range(count):
            end = end_of(moves[i])
            by_pawn = pos[PAWN] & bit(start_of(moves[i])) != 0 and (end - start_of(moves[i])) % 8 != 0
            if (said[TAKEN] and end == said[SQUARE]) or (said[TRIES] and by_pawn):
                moves[eager], moves[i] = moves[i], moves[eager]
                eager += 1
    if eager:
        return moves[random_below(stream, eager)]
    return moves[random_below(stream, count)]


@kernel
def share_of_men(pos, mine):
    """Return our share of the values of all men but the kings, 1/2 if there are none."""
    ours, summed = 0, 0
    for kind in range(KING):
        ours += VALUES[kind] * ones(pos[kind] & pos[MEN + mine])
        summed += VALUES[kind] * ones(pos[kind])
    return ours / summed if summed else 0.5


@kernel
def playout(pos, mine, limits, said, remedies, stream):
    """Play pseudorandom moves to the end of the game, or to the horizon; return the score of our side."""
    moves = np.empty(MAX_MOVES, np.int64)
    for _ in range(remedies.horizon):
        for colour in range(2):  # a lone king against a rook or a queen: a standard endgame
            if ones(pos[MEN + 1 - colour]) == 1 and pos[MEN + colour] & (pos[ROOK] | pos[QUEEN]):
                return 1.0 if colour == mine else 0.0
        if pos[CLOCK] >= FIFTY_MOVES or position.cannot_mate(pos):
            return 0.5
        count = legal_moves(pos, limits, moves)
        if count == 0:
            if limits[0] == 0:
                return 0.5
            return 0.0 if pos[MOVER] == mine else 1.0
        make_and_say(pos, pseudorandom_move(pos, moves, count, said, remedies, stream), limits, said)
    return 0.5 if remedies.horizon == LONGEST_GAME else share_of_men(pos, mine)


@kernel
def child_with(tree, node, key):
    child = tree.nodes[node].child
    while child != NO_NODE and tree.nodes[child].key != key:
        child = tree.nodes[child].sibling
    return child


@kernel
def add_child(tree, node, key):
    child = tree.used[0]
    tree.used[0] += 1
    tree.nodes[child].key, tree.nodes[child].sibling = key, tree.nodes[node].child
    tree.nodes[node].child = child
    return child


@kernel
def select_by_uct(tree, node, moves, count, c, stream):
    """Return a random legal move without a node; if all have one, the best by UCT."""
    fresh = 0
    best, chosen = -1.0, moves[0]
    log = math.log(tree.nodes[node].visits + 1.0)
    for i in range(count):
        child = child_with(tree, node, moves[i])
        if child == NO_NODE:
            moves[i], moves[fresh] = moves[fresh], moves[i]
            fresh += 1
        elif fresh == 0:
            found = tree.nodes[child]
            score = found.outcomes / found.visits + c * math.sqrt(log / found.visits)
            if score > best:
                best, chosen = score, moves[i]
    return moves[random_below(stream, fresh)] if fresh else chosen


@kernel
def play_boards(tree, prob, known, clock, refused, last, c, remedies, stream, iterations):
    """Approach A (figure 5): random board, UCT for our moves, pseudorandom answers, playout, mean backup."""
    pos, limits, said = np.empty(POSITION, np.int64), np.empty(LIMITS, np.int64), np.empty(MESSAGE, np.int64)
    moves, path = np.empty(MAX_MOVES, np.int64), np.empty(DEEPEST, np.int64)
    mine = known.colour
    for _ in range(iterations):
        # A board that fits; if the matrices contradict the messages there is none, and the iteration is lost.
        if len(remedies.boards):
            copy_board(remedies.boards[random_below(stream, len(remedies.boards))], pos)
            restrict(pos, limits)
        elif not draw_fitting_board(prob, known, clock, refused, pos, limits, remedies.files, stream):
            continue
        said[:] = last
        node, depth = 0, 0
        path[0] = 0
        while depth < DEEPEST - 3 and tree.used[0] + 3 < len(tree.nodes):
            count = legal_moves(pos, limits, moves)
            if count == 0 or pos[CLOCK] >= FIFTY_MOVES:
                break
            if pos[MOVER] == mine:  # ours by UCT; the first new move ends the path in the tree
                move = select_by_uct(tree, node, moves, count, c, stream)
                child = child_with(tree, node, move)
                is_new = child == NO_NODE
                if is_new:
                    child = add_child(tree, node, move)
                depth += 1
                path[depth] = child
                make_and_say(pos, move, limits, said)
                if is_new:
                    break
                node = child
            else:
                make_and_say(pos, pseudorandom_move(pos, moves, count, said, remedies, stream), limits, said)
            # Boards that have given the same message share a node: that is all we would know.
            key = said[TAKEN] + 4 * (said[SQUARE] + 1) + 512 * said[CHECKS] + 16384 * said[TRIES]
            child = child_with(tree, node, key)
            node = child if child != NO_NODE else add_child(tree, node, key)
            depth += 1
            path[depth] = node
        # Playout, and backup of the mean.
        outcome = playout(pos, mine, limits, said, remedies, stream)
        for level in range(depth + 1):
            tree.nodes[path[level]].visits += 1
            tree.nodes[path[level]].outcomes += outcome
    return iterations
