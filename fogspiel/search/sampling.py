"""Search over the information states of both players, with states drawn from a belief (kernels).

Multi-observer information-set tree search (Cowling, Powley and Whitehouse 2012): both players have nodes of their own,
by their own views, in one table, and select by upper confidence bounds (Kocsis and Szepesvari 2006); a known opponent
draws by its model instead (Silver and Veness 2010). An iteration plays one game from a state of the belief, or from the
start of the game, adds one information state, and finishes by a playout. The answer at a node is its average selection,
later iterations counting more. On Leduc poker, with the tables of `subtree` off, that was as hard to exploit as regret
matching with sampled outcomes, and in matches at equal work it won against it and against smooth UCT.
"""

from typing import NamedTuple

import numpy as np

from ..belief.particles import (
    AVERAGE,
    DRAWN,
    FIRST,
    LEARNED,
    MODEL,
    NO_ROW,
    NODES,
    ROOM,
    TIMES,
    VALUE,
    VISITS,
    ask_for,
    average_shares,
    draw_slot,
    find_row,
    key_of,
    note_action,
    past_key,
)
from ..core.compile.kernel import (
    CELLS,
    NUMBER,
    REAL,
    REALS,
    SEED,
    TABLE,
    in_place,
    kernel_of,
    record_of,
)
from ..core.game import CHANCE, CHOOSE, OVER, RULE_SIGNATURES, draw_by_weight
from ..core.rng import random_below, random_unit, split

LONGEST_GAME = 4096  # actions of one iteration; a longer game counts as the middle payoff
VISITED, ITERATIONS = 0, 1  # counters of the work


class Task(NamedTuple):
    """One stretch of iterations: its limits, the weights of both sorts of roots, and constants."""

    seed: np.uint64
    until: int
    most: int
    start_share: float  # share of iterations that begin at the start of the game
    weight: float  # weight of the others in averages
    constant: float  # exploration of upper confidence bounds
    scale: float  # 1 / highest score
    rolls: int  # flag: playouts follow a strategy


class Line(NamedTuple):
    """The information states of one iteration: row, action and mover; its state; work counters; playout plan."""

    steps: np.ndarray
    state: np.ndarray
    past: np.ndarray
    work: np.ndarray
    plan: np.ndarray


TASK = record_of(Task, SEED, NUMBER, NUMBER, REAL, REAL, REAL, REAL, NUMBER)
LINE = record_of(Line, TABLE, CELLS, CELLS, CELLS, REALS)


@in_place
def highest_bound(tree, row, count, constant, stream):
    """Return the action of the highest upper confidence bound; untried ones first, from a random one on."""
    first, offset = tree.rows[row, FIRST], random_below(stream, count)
    best, found, spread = -1.0, 0, np.log(tree.rows[row, VISITS] + 1.0)
    for i in range(count):
        slot = (i + offset) % count
        times = tree.numbers[first + slot, TIMES]
        if times == 0.0:
            return slot
        bound = tree.numbers[first + slot, VALUE] + constant * np.sqrt(spread / times)
        if bound > best:
            best, found = bound, slot
    return found


@in_place
def back_up(tree, steps, depth, worth, weight):
    """Hand the first player's result of an iteration up its information states."""
    rows, numbers = tree.rows, tree.numbers
    for at in range(depth):
        row, slot, who = steps[at, 0], steps[at, 1], steps[at, 2]
        value = worth if who == 0 else 1.0 - worth
        chosen = numbers[rows[row, FIRST] + slot]
        chosen[AVERAGE] += weight
        chosen[TIMES] += 1.0
        chosen[VALUE] += (value - chosen[VALUE]) / chosen[TIMES]
        rows[row, VISITS] += 1


@in_place
def draw_root(cumulated, stream):
    """Return the number of a state, drawn by its weight."""
    point, low, high = random_unit(stream) * cumulated[-1], 0, len(cumulated) - 1
    while low < high:
        middle = (low + high) // 2
        if cumulated[middle] > point:
            high = middle
        else:
            low = middle + 1
    return low


@kernel_of(
    NUMBER, *RULE_SIGNATURES.values(), CHOOSE, CHOOSE, MODEL, NODES, NODES, TASK, ROOM, LINE, TABLE, TABLE, CELLS, REALS
)
def sample_games(
    start, mover, legal, apply, view, score, weights, choose, roll, model, tree, known, task, room, line,
    states, pasts, members, cumulated,
):  # fmt: skip
    """Run to iteration `until` or for about `most` positions; return 1 if a known policy must be asked first, else 0.

    An iteration has its own stream, so that it can begin again once the policy has answered:

    1. root: the start of the game, or a state of the belief;
    2. tree: chance draws, a known opponent draws by its model, others select at their node, until one is new;
    3. playout: uniform, or by a strategy, to the end of the game;
    4. back up its result.
    """
    seen, actions, state, past, work = room.seen, room.actions, line.state, line.past, line.work
    stream = np.empty(1, np.uint64)
    while work[ITERATIONS] < task.until and work[VISITED] < task.most:
        stream[0] = split(task.seed, work[ITERATIONS])
        weight = 1.0 + work[ITERATIONS]
        # 1. The root.
        member, past[0] = 0, 0
        if task.start_share > 0.0 and random_unit(stream) < task.start_share:
            start(state)
        else:
            weight *= task.weight
            at = draw_root(cumulated, stream)
            member = members[at]
            for cell in range(len(state)):
                state[cell] = states[at, cell]
            for cell in range(pasts.shape[1]):
                past[cell] = pasts[at, cell]
        depth, in_tree, length, worth = 0, True, 0, 0.5
        while length < LONGEST_GAME:
            who = mover(state)
            length += 1
            if who == OVER:
                worth = score(state) * task.scale
                break
            count = legal(state, actions)
            slot = 0
            if who == CHANCE:
                if model.weighted:
                    weights(state, room.odds)
                    slot = draw_by_weight(room.odds[:count], stream)
                else:
                    slot = random_below(stream, count)
                apply(state, actions[slot])
                continue
            # 2. In the tree.
            if model.kind != LEARNED and who == model.seat:
                view(state, who, seen)
                if model.kind == DRAWN:
                    apply(state, choose(seen, actions[:count], model.plans[member], stream))
                    continue
                row = find_row(known, past_key(seen, who, past), count, False)
                if row == NO_ROW:
                    ask_for(known, seen, count, past, room.missing)
                    return 1
                average_shares(known, row, count, 0.0, room.shares)
                slot = draw_slot(room.shares, count, random_unit(stream))
                note_action(model, who, past, actions[slot])
            elif in_tree and depth < len(line.steps):
                view(state, who, seen)
                row = find_row(tree, key_of(seen, who), count, True)
                if row == NO_ROW:
                    in_tree = False
                    continue
                in_tree = tree.rows[row, VISITS] > 0
                slot = highest_bound(tree, row, count, task.constant, stream)
                line.steps[depth, 0], line.steps[depth, 1], line.steps[depth, 2] = row, slot, who
                depth += 1
            # 3. Beyond it.
            elif task.rolls:
                view(state, who, seen)
                apply(state, roll(seen, actions[:count], line.plan, stream))
                continue
            else:
                slot = random_below(stream, count)
            apply(state, actions[slot])
        # 4. Its result.
        back_up(tree, line.steps, depth, worth, weight)
        work[VISITED] += length
        work[ITERATIONS] += 1
    return 0
