"""Ponnuki on boards of any size, cell by cell: for boards too large for the bits of one integer, and for fast playouts.

A position is an array `stones` with one entry per cell, row * columns + column: EMPTY, BLACK or WHITE. `near` has up to
four neighbours per cell, then NOWHERE. `work` is the buffer of a flood fill: a stack, then a mark per cell, then the
last mark used; it starts as zeros and is reused.
"""

import math

import numpy as np

from ...core.compile.kernel import inlined, kernel
from ...core.game import Kernel, Strategy
from ...core.rng import random_below
from .board import GOES_ON, ILLEGAL, WINS

EMPTY, BLACK, WHITE = 0, 1, 2  # a stone of player p is p + BLACK; the opponent's is OTHER minus that
OTHER = BLACK + WHITE
NOWHERE = -1
SIDES = 4


@kernel
def fill_neighbours(rows, columns, near):
    for cell in range(rows * columns):
        row, column, count = cell // columns, cell % columns, 0
        if row > 0:
            near[cell, count] = cell - columns
            count += 1
        if column > 0:
            near[cell, count] = cell - 1
            count += 1
        if column < columns - 1:
            near[cell, count] = cell + 1
            count += 1
        if row < rows - 1:
            near[cell, count] = cell + columns
            count += 1
        while count < SIDES:
            near[cell, count] = NOWHERE
            count += 1


@kernel
def breathes(stones, near, cell, barred, work):
    """True if the chain of the stone on the cell has a liberty other than the cell `barred`."""
    cells = len(near)
    colour, waiting = stones[cell], 1
    work[2 * cells] += 1
    mark = work[2 * cells]
    work[0] = cell
    work[cells + cell] = mark
    while waiting > 0:
        waiting -= 1
        at = work[waiting]
        for side in range(SIDES):
            beside = near[at, side]
            if beside == NOWHERE:
                break
            if stones[beside] == EMPTY:
                if beside != barred:
                    return True
            elif stones[beside] == colour and work[cells + beside] != mark:
                work[cells + beside] = mark
                work[waiting] = beside
                waiting += 1
    return False


@kernel
def try_stone(stones, near, colour, cell, work):
    """Return WINS (capture), ILLEGAL (occupied or suicide) or GOES_ON; the stones are unchanged."""
    if stones[cell] != EMPTY:
        return ILLEGAL
    free = False
    for side in range(SIDES):
        beside = near[cell, side]
        if beside == NOWHERE:
            break
        if stones[beside] == EMPTY:
            free = True
        elif stones[beside] == OTHER - colour and not breathes(stones, near, beside, cell, work):
            return WINS
    if free:
        return GOES_ON
    for side in range(SIDES):
        beside = near[cell, side]
        if beside == NOWHERE:
            break
        if stones[beside] == colour and breathes(stones, near, beside, cell, work):
            return GOES_ON
    return ILLEGAL


@kernel
def can_move(stones, near, colour, work):
    for cell in range(len(near)):
        if stones[cell] == EMPTY and try_stone(stones, near, colour, cell, work) != ILLEGAL:
            return True
    return False


@inlined
def room_to_work(cells):
    return np.zeros(2 * cells + 1, np.int64)


# A phantom ponnuki player that samples boards and completes them by random playouts, as Cazenave 2006 does for Go.
#
# Each playout draws a board consistent with the player's information and chooses a try by UCB1 (Auer, Cesa-Bianchi and
# Fischer 2002); both sides then continue with random stones. A try that is illegal on the board costs nothing (Lemma 3
# of Teytaud and Teytaud 2011), so it scores as much as the best one so far.
#
# A board is consistent with a player's record if the enemy has its number of stones on it, the known ones among them,
# if every chain has a liberty, and if every failed try is illegal on it with the player's stones of that turn. The
# times at which the enemy's stones were played are ignored: all are assumed to have been there.

ATTEMPTS = 30  # maximum number of boards drawn for a playout: if none is consistent, the last one is played
TAKEN = 8  # a failed cell holds a stone on all but one in TAKEN boards, before further stones are drawn
CURIOSITY = 0.5  # the factor of the square root in UCB1


@kernel
def draw_stones(colour, enemies, put, failed, known, stones, cells_left, stream):
    """Write a board with the player's stones and `enemies` others: known ones, most failed cells, then random cells."""
    left = 0
    for cell in range(len(put)):
        stones[cell] = EMPTY
        if put[cell] > 0:
            stones[cell] = colour
        elif known[cell]:
            stones[cell] = OTHER - colour
            enemies -= 1
    for cell in range(len(put)):
        if stones[cell] == EMPTY:
            if failed[cell] and enemies > 0 and random_below(stream, TAKEN) > 0:
                stones[cell] = OTHER - colour
                enemies -= 1
            else:
                cells_left[left] = cell
                left += 1
    while enemies > 0 and left > 0:
        k = random_below(stream, left)
        stones[cells_left[k]] = OTHER - colour
        enemies -= 1
        left -= 1
        cells_left[k] = cells_left[left]


@kernel
def explains(colour, put, failed, stones, near, before, work):
    """True if no chain on the board is captured and every failed try is illegal on it."""
    for cell in range(len(put)):
        if stones[cell] != EMPTY and not breathes(stones, near, cell, cell, work):
            return False
    for cell in range(len(put)):
        turns, turn = failed[cell], 0
        while turns > 0 and stones[cell] != OTHER - colour:
            if turns & 1:
                for other in range(len(put)):
                    later = stones[other] == colour and put[other] > turn
                    before[other] = EMPTY if later else stones[other]
                if try_stone(before, near, colour, cell, work) != ILLEGAL:
                    return False
            turns >>= 1
            turn += 1
    return True


@kernel
def play_out(stones, near, colour, free, work, stream):
    """Return the winner of a random playout: first capture, or last legal cell; overwrites the board."""
    count = 0
    for cell in range(len(stones)):
        if stones[cell] == EMPTY:
            free[count] = cell
            count += 1
    while True:
        untried, stuck = count, True
        while untried > 0 and stuck:
            k = random_below(stream, untried)
            cell = free[k]
            outcome = try_stone(stones, near, colour, cell, work)
            if outcome == WINS:
                return colour
            untried -= 1
            free[k] = free[untried]
            free[untried] = cell
            if outcome != ILLEGAL:
                stones[cell] = colour
                count -= 1
                free[untried] = free[count]
                stuck = False
        if stuck:
            return OTHER - colour
        colour = OTHER - colour


@kernel
def best_try(rows, columns, player, turn, put, failed, known, actions, playouts, stream):
    """Return the cell with the most playouts; `turn` is the index of its own turn, `playouts` the number per cell."""
    cells, colour, wins, visits = rows * columns, BLACK + player, np.zeros(len(actions)), np.zeros(len(actions))
    near, work = np.empty((cells, SIDES), np.int64), room_to_work(cells)
    stones, before, free = np.empty(cells, np.int64), np.empty(cells, np.int64), np.empty(cells, np.int64)
    fill_neighbours(rows, columns, near)
    for done in range(playouts * len(actions)):
        for _ in range(ATTEMPTS):
            draw_stones(colour, turn + player, put, failed, known, stones, free, stream)
            if explains(colour, put, failed, stones, near, before, work):
                break
        chosen, most, best = 0, -1.0, 0.0
        for k in range(len(actions)):
            worth = 2.0
            if visits[k] > 0:
                best = max(best, wins[k] / visits[k])
                worth = wins[k] / visits[k] + CURIOSITY * math.sqrt(math.log(done) / visits[k])
            if worth > most:
                chosen, most = k, worth
        visits[chosen] += 1
        outcome = try_stone(stones, near, colour, actions[chosen], work)
        if outcome == WINS:
            wins[chosen] += 1
        elif outcome == ILLEGAL:
            wins[chosen] += best
        else:
            stones[actions[chosen]] = colour
            wins[chosen] += play_out(stones, near, OTHER - colour, free, work, stream) == colour
    chosen = 0
    for k in range(len(actions)):
        if visits[k] > visits[chosen]:
            chosen = k
    return actions[chosen]


PLAYOUTS = 60  # per available cell


@kernel
def prepare(theta, plan):
    plan[0] = PLAYOUTS


def monte_carlo(choose: Kernel) -> Strategy:
    """Make the playout player whose `choose` reads a game's views and calls `best_try`."""
    return Strategy("monte-carlo", (), 1, prepare, choose)


ABOUT = {"monte-carlo": "draws boards that explain what it knows, and plays them to their end at random"}
