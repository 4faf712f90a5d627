"""Checker of bounds by tables of a player's knowledge, which trusts only the rules of the game.

    {"format": "fogspiel table bounds 1", "game": "liars-dice-2x6", "rules": 1, "value": "..", "lower": "..",
     "upper": "..", "sides": [side or null, side or null], "digest": ".."}

A side is a strategy of the first or second player, which proves the lower or upper bound; null proves nothing:

    {"opponent": "hidden", "cut": "1/64", "keys": base64 of int64, "counts": base64 of uint16, "weights": .. of uint16}

The rows are sorted by key. The probability of the k-th action that `legal` lists is the k-th weight of the row over
their sum; without a row all actions are equally likely. A key is a number computed from the player's knowledge alone,
so a table is a strategy whatever its keys are: two situations with one key are played alike. It is

    key = mix(past + the sum of cell i of the view * salt i)        past, at first: the last but `player` of the salts
    past after the k-th action = mix(key + (k + 1) * GOLDEN)        it stays as it was where the opponent is informed

modulo 2^64, with salt i = child i of child 0 of seed 2009, made odd, and one salt more for each player.

A hidden opponent knows its own actions and views. Its best response is found by following all histories by the rules.
Histories that it cannot tell apart are one group; a group of total probability `cut` or less counts as won by it.

An informed opponent sees the state and the table. Its best response is backward induction on states: the
table then depends on the view alone, and the view on the state. It is at least as strong as any opponent, so the bound
holds for the game; it is that of the game in which the opponent sees everything (Teytaud and Teytaud 2011, Lemma 2).

Sums are in floats; the bound is lowered by the largest rounding error that they can have.
"""

import binascii
from base64 import b64decode
from fractions import Fraction
from math import floor
from typing import Any, NamedTuple

import numpy as np

from ....core.compile.kernel import CELLS, NUMBER, REALS, TABLE, inlined, kernel, kernel_of, record_of
from ....core.game import CHANCE, OVER, RULE_SIGNATURES, Game, known_game
from ....core.rng import GOLDEN, child, mixed
from ....core.simulate import compile_rules
from .primitives import (
    TABLE_BOUNDS,
    Bounds,
    SolutionCertificate,
    check_digest,
    check_head,
    demand,
    fraction,
    go_on,
    probability,
    quoted,
)

FORMAT = TABLE_BOUNDS
HIDDEN, INFORMED = "hidden", "informed"
SIDE = {"opponent", "cut", "keys", "counts", "weights"}
SIDES = ("first", "second")
SALTS = 2009
UNIT = 10**9  # the bounds are fractions of this denominator
SPARE = 100  # units by which a claim may be weaker: other machines may add up floats in another order
BATCH = 1 << 12  # histories of whole groups that go on together
FEW, MANY = 1 << 8, 1 << 16  # the least and the most room at first for what they lead to
MAX_HELD = 20_000_000  # histories at which the opponent moves next
MAX_STATES, MAX_LAYERS = 30_000_000, 100_000  # of a game whose states are enumerated, layer by layer
PENDING = 1 << 12  # histories that wait while one is followed
NO_ROW, NO_ROOM, UNLIKE = -1, -2, -3
ROUNDING = 2.0**-51  # largest relative error of a sum per term, and of a product per factor, together


class TableBounds(SolutionCertificate):
    sides: list[dict[str, str] | None]


class Strategy(NamedTuple):
    """A table: sorted keys, the first weight of each row and one after the last, the weights, and which rows serve."""

    keys: np.ndarray
    first: np.ndarray
    weights: np.ndarray
    used: np.ndarray


class Task(NamedTuple):
    """The player whose table it is, whether its past counts, the most actions, whether chance has weights."""

    owner: int
    recalls: int
    width: int
    weighted: int


class Histories(NamedTuple):
    """Histories of several branches of the opponent's; where it moves, a digest of its view in two halves."""

    states: np.ndarray
    past: np.ndarray
    branch: np.ndarray
    look: np.ndarray
    look_2: np.ndarray
    mass: np.ndarray


STRATEGY = record_of(Strategy, CELLS, CELLS, CELLS, CELLS)
TASK = record_of(Task, NUMBER, NUMBER, NUMBER, NUMBER)
HISTORIES = record_of(Histories, TABLE, CELLS, CELLS, CELLS, CELLS, REALS)


@inlined
def key_at(seen, past, salts):
    total = past
    for i in range(len(seen)):
        total += seen[i] * salts[i]
    return np.int64(mixed(np.uint64(total)))


@inlined
def past_after(key, slot):
    return np.int64(mixed(np.uint64(key) + np.uint64(slot + 1) * GOLDEN))


@kernel
def digest_of(cells, half):
    found = half
    for i in range(len(cells)):
        found = past_after(found ^ cells[i], i)
    return found


@kernel
def row_of(keys, key):
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(keys) and keys[low] == key else NO_ROW


@kernel
def table_shares(strategy, key, count, shares):
    """Write the probabilities of the actions; return False if the row has another number of actions."""
    row = row_of(strategy.keys, key)
    for i in range(count):
        shares[i] = 1.0 / count
    if row == NO_ROW:
        return True
    first = strategy.first[row]
    if strategy.first[row + 1] - first != count:
        return False
    total = 0.0
    for i in range(count):
        total += strategy.weights[first + i]
    strategy.used[row] = 1
    for i in range(count):
        shares[i] = strategy.weights[first + i] / total
    return True


@kernel
def chance_shares(odds, count, shares):
    total = 0.0
    for i in range(count):
        total += odds[i]
    for i in range(count):
        shares[i] = odds[i] / total


@kernel_of(
    NUMBER, *RULE_SIGNATURES.values(), TASK, STRATEGY, CELLS, REALS, NUMBER, HISTORIES, HISTORIES, HISTORIES,
    CELLS, REALS, CELLS,
)  # fmt: skip
def follow(
    start, mover, legal, apply, view, score, weights, task, strategy, salts, payoffs, begin, given, found, waiting,
    seen, worth, reached,
):  # fmt: skip
    """Follow the given histories from `begin` on to their ends, or to where the opponent moves, which are `found`.

    Ends add to the `worth` of their branch, in the opponent's payoffs. Return the first history that was not followed:
    all of them, or as many as `found` had room for; or UNLIKE where a row of the table does not fit the rules.
    `reached` receives the number found and adds up the positions visited. Of each history:

    1. take the last of those that wait: an end pays, and one at which the opponent moves is found;
    2. else its successors wait, with the probabilities of chance or of the table.
    """
    owner, recalls, width, weighted = task
    choices, odds, shares = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width)
    high = 0
    for k in range(begin, len(given.mass)):
        kept, gained, top = high, 0.0, 1
        waiting.states[0], waiting.past[0], waiting.mass[0] = given.states[k], given.past[k], given.mass[k]
        while top > 0:
            # 1. The free row of `found` holds the state, since its successors are written over it.
            top -= 1
            reached[1] += 1
            if high == len(found.mass):
                reached[0] = kept
                return k
            found.states[high] = waiting.states[top]
            state, past, mass = found.states[high], waiting.past[top], waiting.mass[top]
            who = mover(state)
            if who == OVER:
                gained += mass * payoffs[score(state)]
                continue
            if who == 1 - owner:
                view(state, who, seen)
                found.look[high], found.look_2[high] = digest_of(seen, 0), digest_of(seen, 1)
                found.past[high], found.mass[high], found.branch[high] = past, mass, given.branch[k]
                high += 1
                continue
            # 2. Down.
            count, key = legal(state, choices), 0
            if top + count > len(waiting.mass):
                return UNLIKE
            if who == CHANCE:
                odds[:count] = 1
                if weighted:
                    weights(state, odds)
                chance_shares(odds, count, shares)
            else:
                view(state, who, seen)
                key = key_at(seen, past, salts)
                if not table_shares(strategy, key, count, shares):
                    return UNLIKE
            for i in range(count):
                if shares[i] > 0.0:
                    waiting.states[top] = state
                    apply(waiting.states[top], choices[i])
                    waiting.mass[top] = mass * shares[i]
                    waiting.past[top] = past_after(key, i) if who == owner and recalls else past
                    top += 1
        worth[given.branch[k]] += gained
    reached[0] = high
    return len(given.mass)


@kernel_of(NUMBER, *RULE_SIGNATURES.values(), NUMBER, HISTORIES, CELLS, CELLS, TABLE)
def list_actions(start, mover, legal, apply, view, score, weights, width, given, order, group, lists):
    """Write the number of actions of each group and a digest of them; return the number of all successors.

    Return UNLIKE if histories of a group differ in their actions.
    """
    choices, total = np.empty(width, np.int64), 0
    for k in range(len(order)):
        g, count, digest = group[k], legal(given.states[order[k]], choices), 0
        for i in range(count):
            digest = past_after(digest, choices[i])
        if lists[g, 0] == 0:
            lists[g, 0], lists[g, 1] = count, digest
        if lists[g, 0] != count or lists[g, 1] != digest or count == 0:
            return UNLIKE
        total += count
    return total


@kernel_of(NUMBER, *RULE_SIGNATURES.values(), NUMBER, NUMBER, HISTORIES, CELLS, CELLS, HISTORIES)
def spread(start, mover, legal, apply, view, score, weights, width, most, given, order, group, found):
    """Let every history make each action: the branch of group g after its i-th action is g * most + i."""
    choices, high = np.empty(width, np.int64), 0
    for k in range(len(order)):
        h = order[k]
        for i in range(legal(given.states[h], choices)):
            found.states[high] = given.states[h]
            apply(found.states[high], choices[i])
            found.past[high], found.mass[high], found.branch[high] = given.past[h], given.mass[h], group[k] * most + i
            high += 1
    return high


def empty_histories(rows: int, cells: int) -> Histories:
    past, branch, look, look_2 = np.zeros((4, rows), np.int64)
    return Histories(np.empty((rows, cells), np.int64), past, branch, look, look_2, np.zeros(rows))


@kernel
def fill_digests(rows, out):
    for k in range(len(rows)):
        out[k] = digest_of(rows[k], 0)


def digests(rows: np.ndarray) -> np.ndarray:
    found = np.zeros(len(rows), np.int64)
    fill_digests(rows, found)
    return found


def distinct(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different states, and the place of each given one among them."""
    digest = digests(states)
    _, first, place = np.unique(digest, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    demand((states[first][place] == states).all(), "two states have one digest")
    return states[first], place


def salts_of(game: Game) -> np.ndarray:
    salts = [int(child(SALTS, 0, cell)) | 1 for cell in range(game.sizes.view + len(SIDES))]
    return np.array(salts, np.uint64).view(np.int64)


class Response:
    """A best response to a side of a certificate."""

    def __init__(self, game: Game, owner: int, strategy: Strategy, informed: bool, cut: float) -> None:
        self.game, self.strategy, self.cut, self.informed, self.owner = game, strategy, cut, informed, owner
        self.rules, self.salts = compile_rules(game), salts_of(game)
        self.task = Task(owner, int(not informed), game.sizes.actions, int(game.rules.weights is not None))
        payoffs = np.array([float(payoff) for payoff in game.payoffs])
        self.payoffs = payoffs if owner == 1 else -payoffs
        self.waiting = empty_histories(PENDING + game.sizes.actions, game.sizes.state)
        self.visited = 0

    def guarantee(self) -> Fraction:
        """Return the first player's least payoff by its table, or greatest by the second player's, rounded safely."""
        found = self.states_value() if self.informed else self.walk_value()
        top = float(np.abs(self.payoffs).max())
        error = ROUNDING * (self.visited + MAX_LAYERS) * max(top, 1.0)
        lost = Fraction(floor(-(found + error) * UNIT), UNIT)  # the owner's own payoff against it, rounded down
        low, high = self.game.payoffs[0], self.game.payoffs[-1]
        return max(lost, low) if self.owner == 0 else min(-lost, high)

    # A hidden opponent: groups of histories that it cannot tell apart

    def walk_value(self) -> float:
        start = empty_histories(1, self.game.sizes.state)
        self.game.rules.start(start.states[0])
        start.past[0], start.mass[0] = self.salts[-1 - self.owner], 1.0
        return float(self._values(start, 1)[0])

    def _values(self, given: Histories, branches: int) -> np.ndarray:
        """Return the opponent's payoff of each branch, times its probability."""
        worth = np.zeros(branches)
        found, order, group = self._decisions(given, worth)
        if not len(order):
            return worth
        ends = np.append(np.flatnonzero(np.diff(group)), len(group) - 1)
        mass, branch = np.bincount(group, found.mass[order]), found.branch[order[ends]]
        unlikely = mass <= self.cut
        np.add.at(worth, branch[unlikely], mass[unlikely] * self.payoffs.max())
        kept = ~unlikely[group]
        order, group = order[kept], group[kept]
        begin = 0
        while begin < len(group):  # runs of whole groups with about BATCH histories
            end = int(np.searchsorted(group, group[min(begin + BATCH, len(group)) - 1], "right"))
            chosen, own = order[begin:end], np.cumsum(np.diff(group[begin:end], prepend=group[begin]) != 0)
            best = self._best(found, chosen, own.astype(np.int64))
            np.add.at(worth, branch[np.unique(group[begin:end])], best)
            begin = end
        return worth

    def _decisions(self, given: Histories, worth: np.ndarray) -> tuple[Histories, np.ndarray, np.ndarray]:
        """Return the histories at which the opponent moves next, in an order in which groups are adjacent."""
        sizes, parts, seen = self.game.sizes, list[Histories](), np.zeros(self.game.sizes.view, np.int64)
        begin, total, room = 0, 0, min(MANY, FEW + 2 * len(given.mass))
        reached = np.zeros(2, np.int64)
        while begin < len(given.mass):
            go_on()
            found = empty_histories(room, sizes.state)
            ended = follow(
                *self.rules, self.task, self.strategy, self.salts, self.payoffs, begin, given, found, self.waiting,
                seen, worth, reached,
            )  # fmt: skip
            demand(ended != UNLIKE, "a row has not as many weights as there are actions, or chance has too many cases")
            count, room = int(reached[0]), 2 * room if ended == begin else room
            begin, total = ended, total + count
            demand(total <= MAX_HELD, f"more than {MAX_HELD:,} histories would have to be held at once")
            parts.append(Histories(*(column[:count].copy() for column in found)))
        self.visited += int(reached[1])
        found = parts[0] if len(parts) == 1 else Histories(*map(np.concatenate, zip(*parts, strict=True)))
        known = found.look_2, found.look, found.branch
        order = np.lexsort(known)
        apart = np.zeros(max(len(order) - 1, 0), bool)
        for column in known:
            apart |= np.diff(column[order]) != 0
        return found, order, np.append(0, np.cumsum(apart))[: len(order)].astype(np.int64)

    def _best(self, found: Histories, chosen: np.ndarray, group: np.ndarray) -> np.ndarray:
        """Return the opponent's best payoff of each group."""
        groups, width = int(group[-1]) + 1, self.game.sizes.actions
        lists = np.zeros((groups, 2), np.int64)
        total = list_actions(*self.rules, width, found, chosen, group, lists)
        demand(total != UNLIKE, f"{self.game.name} offers different actions to a player who cannot tell the difference")
        most, after = int(lists[:, 0].max()), empty_histories(total, self.game.sizes.state)
        spread(*self.rules, width, most, found, chosen, group, after)
        values = self._values(after, groups * most).reshape(groups, most)
        return np.asarray(np.where(np.arange(most) < lists[:, :1], values, -np.inf).max(axis=1))

    # An informed opponent: states, in layers by the number of actions so far

    def states_value(self) -> float:
        layer = np.zeros((1, self.game.sizes.state), np.int64)
        self.game.rules.start(layer[0])
        layers: list[tuple[tuple[np.ndarray, ...], np.ndarray]] = []
        total = 0
        while len(layer):
            go_on()
            total += len(layer)
            limits = total <= MAX_STATES and len(layers) < MAX_LAYERS
            demand(limits, f"{self.game.name} has more than {MAX_STATES:,} states, or games that do not end")
            edges, states = self._layer(layer)
            layer, place = distinct(states)
            layers.append((edges, place))
        self.visited += total
        values = np.zeros(0)
        for (kind, first, ends, shares), place in reversed(layers):
            ahead, moves = values[place], np.flatnonzero(np.diff(first))
            values = ends
            if len(moves):
                begin = first[moves]
                best, mean = np.maximum.reduceat(ahead, begin), np.add.reduceat(ahead * shares[: len(ahead)], begin)
                values[moves] = np.where(kind[moves] == 1 - self.owner, best, mean)
        return float(values[0])

    def _layer(self, layer: np.ndarray) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Return of each state its mover, first successor, payoff if it is an end; and the successors."""
        width, count = self.game.sizes.actions, len(layer)
        kind, first, ends = np.zeros(count, np.int64), np.zeros(count + 1, np.int64), np.zeros(count)
        seen, room = np.zeros(self.game.sizes.view, np.int64), 4 * count + width
        while True:
            states, shares = np.zeros((room, layer.shape[1]), np.int64), np.zeros(room)
            made = widen(
                *self.rules, self.task, self.strategy, self.salts, self.payoffs, layer, seen, kind, first, ends,
                states, shares,
            )  # fmt: skip
            demand(made != UNLIKE, "a row has not as many weights as there are actions")
            if made != NO_ROOM:
                return (kind, first, ends, shares), states[:made]
            room *= 2


@kernel_of(
    NUMBER, *RULE_SIGNATURES.values(), TASK, STRATEGY, CELLS, REALS, TABLE, CELLS, CELLS, CELLS, REALS,
    TABLE, REALS,
)  # fmt: skip
def widen(
    start, mover, legal, apply, view, score, weights, task, strategy, salts, payoffs, layer, seen, kind, first, ends,
    states, shares,
):  # fmt: skip
    """Write the successors of a layer of states, with their probabilities where the opponent has no choice."""
    owner, _, width, weighted = task
    choices, odds, chances, high = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width), 0
    for k in range(len(layer)):
        who = mover(layer[k])
        kind[k], first[k] = who, high
        if who == OVER:
            ends[k] = payoffs[score(layer[k])]
            continue
        if high + width > len(shares):
            return NO_ROOM
        count = legal(layer[k], choices)
        if who == CHANCE:
            odds[:count] = 1
            if weighted:
                weights(layer[k], odds)
            chance_shares(odds, count, chances)
        elif who == owner:
            view(layer[k], who, seen)
            if not table_shares(strategy, key_at(seen, salts[-1 - owner], salts), count, shares[high:]):
                return UNLIKE
        for i in range(count):
            if who == CHANCE:
                if odds[i] == 0:
                    continue
                shares[high] = chances[i]
            states[high] = layer[k]
            apply(states[high], choices[i])
            high += 1
    first[len(layer)] = high
    return high


# Reading a side


def column_of(side: Any, name: str, kind: str, place: str) -> np.ndarray:
    text = side[name]
    try:
        content = b64decode(text, validate=True) if isinstance(text, str) else b"?"
    except (binascii.Error, ValueError):
        content = b"?"
    demand(len(content) % np.dtype(kind).itemsize == 0, f"the {name} of the {place} player are not numbers in base64")
    return np.frombuffer(content, kind).astype(np.int64)


def strategy_of(side: Any, place: str) -> Strategy:
    """Return the table of a side, after checking its form."""
    demand(isinstance(side, dict) and set(side) == SIDE, f"the {place} side must have exactly the keys {sorted(SIDE)}")
    told = f"the opponent of the {place} player is {quoted(side['opponent'])}, not {HIDDEN!r} or {INFORMED!r}"
    demand(side["opponent"] in (HIDDEN, INFORMED), told)
    keys, counts, weights = (
        column_of(side, name, kind, place) for name, kind in (("keys", "<i8"), ("counts", "<u2"), ("weights", "<u2"))
    )
    demand(len(keys) == len(counts), f"the {place} player has {len(keys)} keys, but {len(counts)} counts")
    demand((keys[1:] > keys[:-1]).all(), f"the keys of the {place} player do not rise")
    first = np.append(0, np.cumsum(counts))
    demand(counts.min(initial=1) > 0 and first[-1] == len(weights), f"the {place} player has not as many weights")
    rows = np.add.reduceat(weights, first[:-1]) if len(keys) else weights
    demand(rows.min(initial=1) > 0, f"a row of the {place} player has no positive weight")
    return Strategy(keys, first, weights, np.zeros(len(keys), np.int64))


def response_of(game: Game, owner: int, side: Any) -> Response:
    strategy, place = strategy_of(side, SIDES[owner]), SIDES[owner]
    cut = probability(side["cut"], f"the cut of the {place} player")
    informed = side["opponent"] == INFORMED
    demand(not informed or cut == 0, f"the informed opponent of the {place} player needs no cut")
    return Response(game, owner, strategy, informed, float(cut))


def prove(game: Game, owner: int, side: Any) -> Fraction:
    """Return the bound that a side proves; that of no side is the lowest or the highest payoff."""
    if side is None:
        return game.payoffs[0] if owner == 0 else game.payoffs[-1]
    response = response_of(game, owner, side)
    found = response.guarantee()
    unused = int((response.strategy.used == 0).sum())
    demand(not unused, f"{unused} rows of the {SIDES[owner]} player are never reached")
    return found


def verify(body: Any) -> Bounds:
    """Return the bounds that a certificate proves; raise ValueError with the reason if it proves nothing."""
    check_head(body, TableBounds.__required_keys__, FORMAT)
    demand(isinstance(body["game"], str), "it does not say which game it is for")
    try:
        game, sides = known_game(body["game"]), body["sides"]
    except ValueError as error:
        raise ValueError(f"{error}; say where its rules are with --source FILE") from None
    demand(body["rules"] == game.version, f"it must be for version {game.version} of {game.name}")
    demand(isinstance(sides, list) and len(sides) == len(SIDES), "it must have two sides")
    check_digest(body)
    value, lower, upper = (fraction(body[name], f"the {name}") for name in ("value", "lower", "upper"))
    demand(lower <= value <= upper, f"the value {quoted(value)} is not between its bounds")
    for owner, (side, claim) in enumerate(zip(sides, (lower, upper), strict=True)):
        found = prove(game, owner, side)
        spare = (found - claim) if owner == 0 else (claim - found)
        near = spare == 0 if side is None else 0 <= spare <= Fraction(SPARE, UNIT)
        demand(near, f"the {SIDES[owner]} player's side proves {quoted(found)}, but it claims {quoted(claim)}")
    return lower, upper
