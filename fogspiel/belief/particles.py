"""Kernels of a belief: states that reproduce every view of a player, each with a weight.

A step of the belief leads every state from one view of the player to the next one. Hidden actions, of chance and of
the opponent, are chosen among those after which the view is still the old one or already the new one, and the weight is
multiplied by the probability of all of these. `branch` follows each of them (exact enumeration), `draw_steps` draws one
(a particle filter whose proposal looks one view ahead).
"""

from typing import NamedTuple

import numpy as np

from ..core.compile.kernel import (
    CELLS,
    NUMBER,
    REAL,
    REALS,
    ROWS,
    SEED,
    STREAM,
    TABLE,
    in_place,
    inlined,
    kernel_of,
    record_of,
)
from ..core.game import CHANCE, CHOOSE, OVER, RULE_SIGNATURES, Rules
from ..core.rng import mixed, random_below, random_unit, split

# Information states of both players in a hash table by mover and view, with numbers for each of their actions.

USED, FILLED, ASKED = range(3)  # counters: rows, entries, and the actions of a view that a table lacks
KEY, FIRST, COUNT, VISITS = range(4)  # a row of the table
REGRET, AVERAGE, TIMES, VALUE = range(4)  # of an action: regret, sum of strategies, samples, their mean value
NO_ROW = -1
ODD = 0x2545F4914F6CDD1D  # multiplier of xorshift64* (Vigna 2016): an odd number with balanced bits
SHIFT = 29  # mixes the high half of a product into the low one


class Nodes(NamedTuple):
    """A hash table of information states: counters, places, rows, and the numbers of their actions."""

    counters: np.ndarray
    places: np.ndarray
    rows: np.ndarray
    numbers: np.ndarray


NODES = record_of(Nodes, CELLS, CELLS, TABLE, ROWS)


@inlined
def key_of(seen, who):
    total = np.int64(who + 1)
    for i in range(len(seen)):
        total = (total ^ seen[i]) * ODD
        total ^= total >> SHIFT
    return np.int64(mixed(np.uint64(total)))


@in_place
def find_row(nodes, key, count, grow):
    """Return the row of a key, a new one if it may `grow`; NO_ROW if it is missing or the table is full."""
    counters, places, rows, numbers = nodes
    mask = len(places) - 1
    at = key & mask
    while places[at] >= 0:
        row = places[at]
        if rows[row, KEY] == key:
            return row if rows[row, COUNT] == count else NO_ROW
        at = (at + 1) & mask
    row, first = counters[USED], counters[FILLED]
    if not grow or row == len(rows) or first + count > len(numbers):
        return NO_ROW
    places[at] = row
    rows[row, KEY], rows[row, FIRST], rows[row, COUNT], rows[row, VISITS] = key, first, count, 0
    for i in range(first, first + count):
        for number in range(4):
            numbers[i, number] = 0.0
    counters[USED] += 1
    counters[FILLED] += count
    return row


# The opponent's model.

MOVER, LEGAL, APPLY, VIEW, WEIGHTS = map(Rules._fields.index, ("mover", "legal", "apply", "view", "weights"))

LEARNED, DRAWN, TABLE_ONLY = range(3)  # averages of a table, a compiled strategy, the table of a known policy
DRAWS = 16  # draws of a compiled strategy that estimate the probability of its actions, in a particle
TREMBLE = 0.05  # probability of a uniform action of a learned opponent, whose averages are unfinished
SLIP = 1e-6  # that of a known opponent, so that rounding never excludes an action
PAST = 1  # the first own action of the opponent in a row of `pasts`, after their number


class Model(NamedTuple):
    """The opponent: kind of model, its seat, its table, and the plans of a compiled strategy."""

    kind: int
    seat: int
    weighted: int  # flag of the rules: chance has weights
    tremble: float
    draws: int  # of a compiled strategy, to estimate the probability of its actions
    plans: np.ndarray


class Room(NamedTuple):
    """Arrays of one step: a view, actions, weights of chance, probabilities, a trial state, flags, a stream."""

    seen: np.ndarray
    actions: np.ndarray
    odds: np.ndarray
    shares: np.ndarray
    trial: np.ndarray
    stream: np.ndarray
    missing: np.ndarray  # the view that a table lacks, then the opponent's own actions and their number


MODEL = record_of(Model, NUMBER, NUMBER, NUMBER, REAL, NUMBER, ROWS)
ROOM = record_of(Room, CELLS, CELLS, CELLS, REALS, CELLS, STREAM, CELLS)


@in_place
def average_shares(nodes, row, count, tremble, shares):
    """Write the average strategy of a row, mixed with a uniform one."""
    numbers, total = nodes.numbers, 0.0
    first = nodes.rows[row, FIRST] if row >= 0 else 0
    if row >= 0:
        for i in range(count):
            total += numbers[first + i, AVERAGE]
    for i in range(count):
        share = numbers[first + i, AVERAGE] / total if total > 0.0 else 1.0 / count
        shares[i] = share + tremble * (1.0 / count - share)


@inlined
def draw_slot(shares, count, point):
    for i in range(count - 1):
        point -= shares[i]
        if point < 0.0:
            return i
    return count - 1


@in_place
def past_key(seen, who, past):
    """Return the key of an information state: the view and the player's own actions so far."""
    key = key_of(seen, who)
    for i in range(past[0]):
        key = (key ^ past[PAST + i]) * ODD
        key ^= key >> SHIFT
    return key


@in_place
def ask_for(nodes, seen, count, past, missing):
    """Store an information state that the table of a known policy lacks; its actions are in the room."""
    nodes.counters[ASKED] = count
    for i in range(len(seen)):
        missing[i] = seen[i]
    for i in range(past[0] + 1):
        missing[len(seen) + i] = past[i]


@in_place
def fill_shares(rules, choose, model, nodes, state, who, count, member, past, room, stream):
    """Write the probability of each action of chance or the opponent; False if a table lacks its information state."""
    seen, actions, odds, shares = room.seen, room.actions, room.odds, room.shares
    if who == CHANCE:
        total = 0
        if model.weighted:
            weights = rules[WEIGHTS]
            weights(state, odds)
            for i in range(count):
                total += odds[i]
        for i in range(count):
            shares[i] = odds[i] / total if model.weighted else 1.0 / count
        return True
    view = rules[VIEW]
    view(state, who, seen)
    if model.kind == DRAWN:
        for i in range(count):
            shares[i] = model.tremble / count
        for _ in range(model.draws):
            action = choose(seen, actions[:count], model.plans[member], stream)
            for i in range(count):
                if actions[i] == action:
                    shares[i] += (1.0 - model.tremble) / model.draws
        return True
    key = past_key(seen, who, past) if model.kind == TABLE_ONLY else key_of(seen, who)
    row = find_row(nodes, key, count, False)
    if row == NO_ROW and model.kind == TABLE_ONLY:
        ask_for(nodes, seen, count, past, room.missing)
        return False
    average_shares(nodes, row, count, model.tremble, shares)
    return True


# Steps of the belief.

FITS, ARRIVED, FAILS = range(3)
WAITS = -1  # in place of an own action: none is due
LONGEST = 4096  # hidden actions between two views of a player; more are a fault of the rules
WORK = 16  # actions tried per row of the arrays, beyond which an enumeration costs more than particles


class Step(NamedTuple):
    """One step: whose belief, its own action or WAITS, both views; with equal views it ends where it must move."""

    side: int
    action: int
    seed: np.uint64
    before: np.ndarray
    after: np.ndarray
    settles: int


STEP = record_of(Step, NUMBER, NUMBER, SEED, CELLS, CELLS, NUMBER)


@in_place
def fit_of(rules, state, step, seen):
    view = rules[VIEW]
    view(state, step.side, seen)
    old, new = True, True
    for i in range(len(seen)):
        old = old and seen[i] == step.before[i]
        new = new and seen[i] == step.after[i]
    return ARRIVED if new and step.settles == 0 else FITS if old else FAILS


@in_place
def note_action(model, who, past, action):
    if model.kind == TABLE_ONLY and who == model.seat and past[0] + PAST < len(past):
        past[PAST + past[0]] = action
        past[0] += 1


@in_place
def mass_of_fits(rules, step, state, count, room):
    """Set the probability of actions that do not fit to 0; return that of the others."""
    mass, apply = 0.0, rules[APPLY]
    for i in range(count):
        if room.shares[i] > 0.0:
            for cell in range(len(state)):
                room.trial[cell] = state[cell]
            apply(room.trial, room.actions[i])
            if fit_of(rules, room.trial, step, room.seen) == FAILS:
                room.shares[i] = 0.0
            mass += room.shares[i]
    return mass


@in_place
def begin_step(rules, step, state, seen):
    """Apply the own action, if one is due; return how far the state is."""
    if step.action == WAITS:
        return FITS
    mover, apply = rules[MOVER], rules[APPLY]
    if mover(state) != step.side:
        return FAILS
    apply(state, step.action)
    return fit_of(rules, state, step, seen)


@kernel_of(NUMBER, *RULE_SIGNATURES.values(), CHOOSE, MODEL, NODES, STEP, ROOM, TABLE, TABLE, CELLS, REALS, NUMBER)
def draw_steps(
    start, mover, legal, apply, view, score, weights, choose, model, nodes, step, room,
    states, pasts, members, masses, first,
):  # fmt: skip
    """Lead every state from row `first` on to the next view by drawn actions.

    Return the row that needs the answer of a known policy first, or -1.

    For each state of positive weight, with its own stream: the own action, then hidden ones until the new view is
    there (or, where the step settles, until the player must move). A state that cannot get there has weight 0.
    """
    rules = Rules(start, mover, legal, apply, view, score, weights)
    stream = np.empty(1, np.uint64)
    for number in range(first, len(states)):
        if masses[number] <= 0.0:
            continue
        state, past = states[number], pasts[number]
        stream[0] = split(step.seed, number)
        fit, mass, steps = begin_step(rules, step, state, room.seen), masses[number], 0
        while fit == FITS and mass > 0.0:
            who = mover(state)
            if who == step.side and step.settles:
                break
            if who == step.side or who == OVER or steps == LONGEST:
                mass = 0.0
                break
            count, steps = legal(state, room.actions), steps + 1
            if not fill_shares(rules, choose, model, nodes, state, who, count, members[number], past, room, stream):
                return number
            here = mass_of_fits(rules, step, state, count, room)
            mass *= here
            if mass > 0.0:
                point, slot = random_unit(stream) * here, 0
                while slot < count - 1 and (room.shares[slot] <= 0.0 or point >= room.shares[slot]):
                    point -= room.shares[slot]
                    slot += 1
                while room.shares[slot] <= 0.0:  # rounding may end on an action that does not fit
                    slot -= 1
                apply(state, room.actions[slot])
                note_action(model, who, past, room.actions[slot])
                fit = fit_of(rules, state, step, room.seen)
        masses[number] = mass if fit != FAILS else 0.0
    return -1


@kernel_of(NUMBER, *RULE_SIGNATURES.values(), CHOOSE, MODEL, NODES, STEP, ROOM, TABLE, TABLE, CELLS, REALS, NUMBER)
def branch(
    start, mover, legal, apply, view, score, weights, choose, model, nodes, step, room,
    states, pasts, members, masses, count,
):  # fmt: skip
    """Replace the first `count` states by all states at the next view; return their number, -1 if there is no room.

    States that wait are a stack at the end of the arrays, the first at its top; those that have arrived are written
    from the front. -2 means that a table lacks an information state: then the arrays are lost, too.
    """
    rules = Rules(start, mover, legal, apply, view, score, weights)
    top, done, work = len(states) - count, 0, 0
    for number in range(count - 1, -1, -1):  # upwards in place: the last one first
        copy_state(states, pasts, members, masses, number, top + number)
    for number in range(top, len(states)):
        fit = begin_step(rules, step, states[number], room.seen)
        masses[number] *= 1.0 if fit != FAILS else 0.0
    while top < len(states):
        at, top = top, top + 1
        if masses[at] <= 0.0:
            continue
        state = states[at]
        who = mover(state)
        if step.settles == 0 and fit_of(rules, state, step, room.seen) == ARRIVED:
            copy_state(states, pasts, members, masses, at, done)
            done += 1
            continue
        if who == step.side and step.settles:
            copy_state(states, pasts, members, masses, at, done)
            done += 1
            continue
        if who == step.side or who == OVER:
            continue
        listed = legal(state, room.actions)
        work += listed
        if not fill_shares(rules, choose, model, nodes, state, who, listed, members[at], pasts[at], room, room.stream):
            return -2
        mass_of_fits(rules, step, state, listed, room)
        fitting = 0
        for i in range(listed):
            fitting += room.shares[i] > 0.0
        if top - fitting - 1 < done or work > WORK * len(states):
            return -1
        # The state moves out of the way: its successors are pushed where it was.
        for cell in range(len(state)):
            room.trial[cell] = state[cell]
        whole, member = masses[at], members[at]
        for cell in range(pasts.shape[1]):
            pasts[done, cell] = pasts[at, cell]
        for i in range(listed - 1, -1, -1):
            if room.shares[i] > 0.0:
                top -= 1
                for cell in range(len(state)):
                    states[top, cell] = room.trial[cell]
                for cell in range(pasts.shape[1]):
                    pasts[top, cell] = pasts[done, cell]
                members[top], masses[top] = member, whole * room.shares[i]
                apply(states[top], room.actions[i])
                note_action(model, who, pasts[top], room.actions[i])
    return done


@in_place
def copy_state(states, pasts, members, masses, source, target):
    if source != target:
        for cell in range(states.shape[1]):
            states[target, cell] = states[source, cell]
        for cell in range(pasts.shape[1]):
            pasts[target, cell] = pasts[source, cell]
        members[target], masses[target] = members[source], masses[source]


# Mending: what is hidden is a permutation of some cells, found by hill climbing where no drawn state fits.

CAP = 4  # of the difference of a cell of two views
FAR = 1 << 40  # distance of a state that cannot be compared


@in_place
def distance(rules, choose, model, nodes, step, state, member, past, room, stream):
    """Return the distance of the first new view after a step, with fixed draws, from the one that was heard.

    0 if they are equal; then the state that has it is in `room.trial`.
    """
    mover, legal = rules[MOVER], rules[LEGAL]
    apply, view = rules[APPLY], rules[VIEW]
    trial, seen = room.trial, room.seen
    for cell in range(len(state)):
        trial[cell] = state[cell]
    view(trial, step.side, seen)
    for i in range(len(seen)):
        if seen[i] != step.before[i]:
            return FAR
    fit = begin_step(rules, step, trial, seen)
    for _ in range(LONGEST):
        if fit != FITS:
            break
        who = mover(trial)
        if who == step.side or who == OVER:
            return 0 if who == step.side and step.settles else FAR
        count = legal(trial, room.actions)
        if not fill_shares(rules, choose, model, nodes, trial, who, count, member, past, room, stream):
            return FAR
        apply(trial, room.actions[draw_slot(room.shares, count, random_unit(stream))])
        fit = fit_of(rules, trial, step, seen)
    total = 0
    for i in range(len(seen)):
        total += min(abs(seen[i] - step.after[i]), CAP)
    return total if fit != ARRIVED else 0


@kernel_of(
    NUMBER, *RULE_SIGNATURES.values(), CHOOSE, MODEL, NODES, STEP, ROOM, TABLE, TABLE, CELLS, REALS, CELLS, NUMBER
)
def climb(
    start, mover, legal, apply, view, score, weights, choose, model, nodes, step, room,
    states, pasts, members, masses, hidden, trials,
):  # fmt: skip
    """Swap hidden cells of every state until the step leads to the next view; mass 1 where it does, else 0.

    States that get there are replaced by those after the step. Swaps that lead further away are taken back.
    """
    rules = Rules(start, mover, legal, apply, view, score, weights)
    stream, draws = np.empty(1, np.uint64), np.empty(1, np.uint64)
    found = 0
    for number in range(len(states)):
        state, best = states[number], FAR + 1
        stream[0] = split(step.seed, number)
        first, second = 0, 0
        masses[number] = 0.0
        for _ in range(trials):
            draws[0] = split(step.seed, number)
            state[first], state[second] = state[second], state[first]
            far = distance(rules, choose, model, nodes, step, state, members[number], pasts[number], room, draws)
            if far == 0:
                for cell in range(len(state)):
                    state[cell] = room.trial[cell]
                masses[number] = 1.0
                found += 1
                break
            if far > best:
                state[first], state[second] = state[second], state[first]
            else:
                best = far
            for _ in range(len(hidden)):
                first, second = hidden[random_below(stream, len(hidden))], hidden[random_below(stream, len(hidden))]
                if state[first] != state[second]:
                    break
    return found
