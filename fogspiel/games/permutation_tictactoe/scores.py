"""The permutation version of a phantom game: exact scores and best responses.

Each player fixes a permutation of the cells. Every stone goes to the first free cell in it, regardless of the player's
observations (the phantom tic-tac-toe of Cauwet and Teytaud 2018). That is a one-shot game with 9! strategies on either
side. The best response to a mixture is found by branch and bound over prefixes of the permutation. The search carries
the unfinished games, one for each permutation of the mixture, and prunes a prefix when winning all of those would not
be enough.

Weights are integers of any length, most significant digit first in base 2**40, so every result is exact.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import CELLS, NOTHING, NUMBER, TABLE, compiled, inlined, kernel, kernel_of
from ..boards.board import BOARDS, DRAWS, FATE, GOES_ON, ILLEGAL, WINS, Board

TTT = BOARDS["ttt"]
DIGIT = 40  # the bits of a digit of a weight; a sum over two million games still fits into 64 bits
# An unfinished game: the opponent's number, both sets of stones, and its index in the opponent's permutation.
WHO, MINE, THEIRS, AT, FIELDS = range(5)
# Half points gained in finished games, and the most that unfinished ones can add: twice the weight for a win, once for
# a draw.
GAIN, LEFT = range(2)

Permutation = tuple[int, ...]
# Weight of each permutation, in any unit; floats count as the exact fractions they represent.
Mixture = Mapping[Permutation, int | float | Fraction]

# Each player's weights of a permutation together with its images.
Mixtures = tuple[dict[Permutation, int | Fraction], dict[Permutation, int | Fraction]]


class Reply(NamedTuple):
    """A best response and its mean score (win 1, draw 1/2, loss 0 for the responding player)."""

    cells: Permutation
    score: Fraction


@inlined
def half_points(fate, first, second):
    """Return the first player's score when two permutations play each other: 2 for a win, 1 a draw, 0 a loss."""
    i, j, black, white, cell = 0, 0, 0, 0, 0
    while True:
        outcome = ILLEGAL
        while outcome == ILLEGAL:
            cell = int(first[i])
            outcome = fate(0, black, white, cell)
            i += 1
        if outcome != GOES_ON:
            return 2 if outcome == WINS else 1
        black |= 1 << cell
        outcome = ILLEGAL
        while outcome == ILLEGAL:
            cell = int(second[j])
            outcome = fate(1, white, black, cell)
            j += 1
        if outcome != GOES_ON:
            return 0 if outcome == WINS else 1
        white |= 1 << cell


@kernel_of(NOTHING, FATE, TABLE, TABLE, TABLE, TABLE)
def fill_payoffs(fate, symmetries, firsts, seconds, payoffs):
    """Sum the half points of each first permutation against all images of each second one."""
    image = np.empty(firsts.shape[1], np.int64)
    for i in range(len(firsts)):
        for j in range(len(seconds)):
            payoffs[i, j] = 0
            for s in range(len(symmetries)):
                for k in range(len(image)):
                    image[k] = symmetries[s, seconds[j, k]]
                payoffs[i, j] += half_points(fate, firsts[i], image)


@inlined
def move_weight(worth, weight, points):
    """Book a finished game: add its half points to GAIN and remove its bound from LEFT."""
    for d in range(len(weight)):
        worth[GAIN, d] += points * weight[d]
        worth[LEFT, d] -= 2 * weight[d]


@inlined
def can_improve(worth, best):
    """True if gained and remaining points together exceed the best so far; digits are compared from the last."""
    carry = 0
    rest = False
    for d in range(len(best) - 1, 0, -1):
        digit = worth[GAIN, d] + worth[LEFT, d] - best[d] + carry
        carry = digit >> DIGIT
        rest = rest or digit != carry << DIGIT
    first = worth[GAIN, 0] + worth[LEFT, 0] - best[0] + carry
    return first > 0 or (first == 0 and rest)


@kernel
def play_on(fate, seat, opponents, weights, cell, games, running, after, worth):
    """Append a cell to the permutation: book finished games, write the unfinished ones and return their number."""
    kept = 0
    for g in range(running):
        who, mine, theirs, at = games[g, WHO], games[g, MINE], games[g, THEIRS], games[g, AT]
        outcome = fate(seat, mine, theirs, cell)
        if outcome in (WINS, DRAWS):
            move_weight(worth, weights[who], 2 if outcome == WINS else 1)
            continue
        if outcome == GOES_ON:
            mine |= 1 << cell
            answer = ILLEGAL
            reply = cell
            while answer == ILLEGAL:
                reply = opponents[who, at]
                at += 1
                answer = fate(1 - seat, theirs, mine, reply)
            if answer != GOES_ON:
                move_weight(worth, weights[who], 1 if answer == DRAWS else 0)
                continue
            theirs |= 1 << reply
        after[kept, WHO], after[kept, MINE], after[kept, THEIRS], after[kept, AT] = who, mine, theirs, at
        kept += 1
    return kept


@kernel_of(NOTHING, FATE, NUMBER, TABLE, TABLE, CELLS, CELLS, CELLS)
def search(fate, seat, opponents, weights, prefix, best, reply):
    """Find the best permutation with that prefix for the player in that seat, depth first with bounds.

    `best` holds the score to exceed, in digits; it becomes the half points of the best permutation and `reply` the
    permutation. On any board a first stone ends no game.
    """
    cells, size = opponents.shape[1], len(opponents)
    # One layer per prefix length: the unfinished games, their number, and the points gained and left.
    games = np.zeros((cells + 1, size, FIELDS), np.int64)
    running = np.zeros(cells + 1, np.int64)
    worth = np.zeros((cells + 1, 2, len(best)), np.int64)
    lowest = np.zeros(cells, np.int64)
    highest = np.full(cells, cells - 1)
    for k in range(len(prefix)):
        lowest[k] = highest[k] = prefix[k]
    following = lowest.copy()
    chosen = np.zeros(cells, np.int64)
    # Set up all games; if the player moves second, the opponent has placed its first stone.
    for g in range(size):
        games[0, g, WHO] = g
        if seat == 1:
            games[0, g, THEIRS] = 1 << opponents[g, 0]
            games[0, g, AT] = 1
        for d in range(len(best)):
            worth[0, LEFT, d] += 2 * weights[g, d]
    running[0] = size
    used = 0
    length = 0
    while length >= 0:
        cell = following[length]
        # Backtrack when all cells are tried, or when a better bound found meanwhile rules the prefix out.
        if cell > highest[length] or not can_improve(worth[length], best):
            length -= 1
            if length >= 0:
                used ^= 1 << chosen[length]
            continue
        following[length] = cell + 1
        if used >> cell & 1:
            continue
        deeper = length + 1
        worth[deeper] = worth[length]
        running[deeper] = play_on(
            fate, seat, opponents, weights, cell, games[length], running[length], games[deeper], worth[deeper]
        )
        if not can_improve(worth[deeper], best):
            continue
        chosen[length] = cell
        used |= 1 << cell
        if running[deeper] > 0:
            following[deeper] = lowest[deeper]
            length = deeper
            continue
        # All games are over: a new best, completed by the unused cells in ascending order.
        for d in range(len(best)):
            best[d] = worth[deeper, GAIN, d]
        place = 0
        for k in range(deeper):
            reply[place] = chosen[k]
            place += 1
        for k in range(cells):
            if not used >> k & 1:
                reply[place] = k
                place += 1
        used ^= 1 << cell


def payoffs(board: Board, firsts: np.ndarray, seconds: np.ndarray, symmetries: np.ndarray) -> np.ndarray:
    """Return the half points of each first permutation against each second one, summed over symmetric images."""
    out = np.zeros((len(firsts), len(seconds)), np.int64)
    fill_payoffs(compiled(board.fate, FATE), symmetries, firsts, seconds, out)
    return out


def best_response(mixture: Mixture, seat: int, board: Board = TTT) -> Reply:
    """Return the best permutation of the player in that seat (0 moves first) against the opponent's mixture."""
    if seat not in (0, 1):
        raise ValueError(f"seat {seat!r} is not a player: 0 is the first player, 1 the second")
    opponents, weights = whole_weights(mixture, board)
    (reply,) = best_replies(board, seat, opponents, weights, [()])
    return reply


def best_replies(
    board: Board, seat: int, opponents: np.ndarray, weights: Sequence[int], prefixes: Iterable[Permutation]
) -> list[Reply]:
    """Return the best permutation of a player with each of the prefixes, against opponents with integer weights."""
    total = sum(weights)
    digits = max(1, -(-max(weights).bit_length() // DIGIT))
    shifts = range(DIGIT * (digits - 1), -1, -DIGIT)
    table = np.array([[weight >> shift & (1 << DIGIT) - 1 for shift in shifts] for weight in weights], np.int64)
    found = []
    for prefix in prefixes:
        best, reply = np.zeros(digits, np.int64), np.zeros(board.cells, np.int64)
        best[-1] = -1
        start = np.array(prefix, np.int64)
        search(compiled(board.fate, FATE), seat, opponents, table, start, best, reply)
        points = sum(int(digit) << shift for digit, shift in zip(best, shifts, strict=True))
        found.append(Reply(tuple(reply.tolist()), Fraction(points, 2 * total)))
    return found


def whole_weights(mixture: Mixture, board: Board) -> tuple[np.ndarray, list[int]]:
    """Return the permutations with non-zero weight, and the weights as integers."""
    exact = {check_order(order, board): Fraction(weight) for order, weight in mixture.items() if weight}
    if not exact or min(exact.values()) < 0:
        raise ValueError("a mixture needs weights that are not negative, and one of them positive")
    unit = lcm(*(weight.denominator for weight in exact.values()))
    return np.array(list(exact), np.int64), [int(weight * unit) for weight in exact.values()]


def check_order(order: Sequence[int], board: Board) -> Permutation:
    """Return the permutation as integers; raise if it is not one of this board's cells or the board is unsuitable."""
    if board.name.startswith("ponnuki"):
        raise ValueError("in ponnuki a free cell may be illegal, so it has no permutation version; take ttt or hex-3x3")
    cells = tuple(int(cell) for cell in order)
    if sorted(cells) != list(range(board.cells)):
        raise ValueError(f"{list(order)} is not a permutation of the cells 0 to {board.cells - 1} of {board.name}")
    return cells


def images(board: Board, cells: Permutation) -> list[Permutation]:
    return [tuple(moved) for moved in board.symmetries[:, list(cells)].tolist()]


def with_images(board: Board, mixture: dict[Permutation, int | Fraction]) -> dict[Permutation, int | Fraction]:
    """Return the mixture in which every permutation is replaced by all its images, which are distinct."""
    return {image: weight for cells, weight in mixture.items() for image in images(board, cells)}
