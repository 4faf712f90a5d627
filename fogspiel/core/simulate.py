"""Many games, fast: the one compiled loop that plays any game by its six kernels, and replay of a record.

Every game (or pair of games) has a number and its own four streams derived from that number: chance, one for each
seat, and one that draws members of mixtures. Swapping the players keeps the streams, so both games of a pair are the
same deal, and results depend neither on threads nor on how the numbers are cut into batches.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .agents import IN_TURN, MIXED, REDRAWN, Contender
from .game import CHANCE, CHOOSE, OVER, PLAY, PREPARE, RULE_SIGNATURES, UNIFORM, Game, Kernel
from .kernel import CELLS, NOTHING, NUMBER, REALS, ROWS, SEED, TABLE, compiled, kernel, kernel_of
from .rng import below, fill_normal, split, stream_of, unit

SEATS = ("swapped", "alternating", "coin")
SWAPPED, ALTERNATING, COIN = range(3)
WORTH_A_THREAD = 128


@kernel
def play_by_rules(
    start, mover, legal, apply, view, score, choose_0, choose_1,
    state, seen, actions, plan_0, plan_1, chance, stream_0, stream_1,
):  # fmt: skip
    """One game by the six kernels; returns the first player's score."""
    start(state)
    while True:
        who = mover(state)
        if who == OVER:
            return score(state)
        count = legal(state, actions)
        if who == CHANCE:
            action = actions[below(chance, count)]
        else:
            view(state, who, seen)
            if who == 0:
                action = choose_0(seen, actions[:count], plan_0, stream_0)
            else:
                action = choose_1(seen, actions[:count], plan_1, stream_1)
        apply(state, action)


@kernel
def member(how, number, cumulated, draws):
    """Which row of a contender plays game `number`."""
    if how == IN_TURN:
        return number % len(cumulated)
    if how == MIXED:
        chosen = 0
        u = unit(draws)
        while chosen < len(cumulated) - 1 and u >= cumulated[chosen]:
            chosen += 1
        return chosen
    return 0


@kernel_of(
    NOTHING,
    *RULE_SIGNATURES.values(), PLAY, NUMBER,
    PREPARE, CHOOSE, ROWS, REALS, NUMBER,
    PREPARE, CHOOSE, ROWS, REALS, NUMBER,
    CELLS, CELLS, CELLS, REALS, NUMBER, SEED, NUMBER, NUMBER, TABLE,
)  # fmt: skip
def play_numbers(
    start, mover, legal, apply, view, score, play, fused,
    prepare_a, choose_a, plans_a, cumulated_a, how_a,
    prepare_b, choose_b, plans_b, cumulated_b, how_b,
    state, seen, actions, theta, top, key, first, seats, out,
):  # fmt: skip
    """Play the games numbered `first`, `first` + 1, ..; a row of `out` gets contender a's scores, seats swapped."""
    chance, draws = np.empty(1, np.uint64), np.empty(1, np.uint64)
    stream_0, stream_1 = np.empty(1, np.uint64), np.empty(1, np.uint64)
    for i in range(len(out)):
        number = first + i
        seed = split(key, number)
        draws[0] = split(seed, 3)
        if how_a == REDRAWN:
            fill_normal(draws, theta)
            prepare_a(theta, plans_a[0])
        plan_a = plans_a[member(how_a, number, cumulated_a, draws)]
        if how_b == REDRAWN:
            fill_normal(draws, theta)
            prepare_b(theta, plans_b[0])
        plan_b = plans_b[member(how_b, number, cumulated_b, draws)]
        swap = 0
        if seats == ALTERNATING:
            swap = number % 2
        elif seats == COIN:
            swap = below(draws, 2)
        for column in range(out.shape[1]):
            chance[0] = split(seed, 0)
            stream_0[0] = split(seed, 1)
            stream_1[0] = split(seed, 2)
            if (column + swap) % 2 == 0:
                if fused:
                    result = play(state, plan_a, plan_b, chance, stream_0, stream_1)
                else:
                    result = play_by_rules(
                        start, mover, legal, apply, view, score, choose_a, choose_b,
                        state, seen, actions, plan_a, plan_b, chance, stream_0, stream_1,
                    )  # fmt: skip
            else:
                if fused:
                    result = top - play(state, plan_b, plan_a, chance, stream_0, stream_1)
                else:
                    result = top - play_by_rules(
                        start, mover, legal, apply, view, score, choose_b, choose_a,
                        state, seen, actions, plan_b, plan_a, chance, stream_0, stream_1,
                    )  # fmt: skip
            out[i, column] = result


@kernel
def not_fused(state, plan_0, plan_1, chance, stream_0, stream_1):
    """Stands where a game has no fused `play`; never called."""
    return 0


class _Side(NamedTuple):
    """A contender's arguments of the compiled loop."""

    prepare: Kernel
    choose: Kernel
    plans: np.ndarray
    cumulated: np.ndarray
    how: int


def _side(contender: Contender) -> _Side:
    strategy = contender.strategy
    prepare, choose = compiled(strategy.prepare, PREPARE), compiled(strategy.choose, CHOOSE)
    plans = np.zeros((len(contender.thetas), strategy.plan))
    if contender.how != REDRAWN:
        for theta, plan in zip(contender.thetas, plans, strict=True):
            prepare(theta, plan)
    cumulated = np.cumsum(contender.weights) if contender.weights else np.ones(len(plans))
    return _Side(prepare, choose, plans, cumulated, contender.how)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="fogspiel")


def rules_compiled(game: Game) -> tuple[Kernel, ...]:
    """The six kernels of the game, ready to be passed to a compiled loop."""
    return tuple(compiled(rule, RULE_SIGNATURES[name]) for name, rule in game.rules._asdict().items())


class Match:
    """Two contenders at one game: plays any range of game numbers, in one thread or several, with the same scores."""

    def __init__(self, game: Game, first: Contender, second: Contender, fused: bool = True):
        self.game = game
        family = game.strategy or UNIFORM
        both = first.strategy is family and second.strategy is family
        self.fused = bool(fused and game.play and both)
        play = compiled(game.play if game.play and self.fused else not_fused, PLAY)
        self._shared = (*rules_compiled(game), play, int(self.fused))
        self._sides = (_side(first), _side(second))

    def scores(self, key: int, first: int, count: int, seats: str = "swapped", threads: int = 1) -> np.ndarray:
        """The first contender's scores in games `first`.. of stream `key`: a row a number, a column a seat."""
        out = np.empty((count, 2 if seats == "swapped" else 1), np.int64)
        if threads < 2 or count < 2 * WORTH_A_THREAD:
            self._play(key, first, out, SEATS.index(seats))
            return out
        cuts = np.linspace(0, count, threads + 1).astype(int).tolist()
        pool, how = _pool(threads), SEATS.index(seats)
        for piece in [pool.submit(self._play, key, first + a, out[a:b], how) for a, b in pairwise(cuts)]:
            piece.result()
        return out

    def _play(self, key: int, first: int, out: np.ndarray, seats: int) -> None:
        sizes, (a, b) = self.game.sizes, self._sides
        workspace = (np.zeros(sizes.state, np.int64), np.zeros(sizes.view, np.int64), np.zeros(sizes.actions, np.int64))
        theta = np.empty(len(self.game.strategy.parameters) if self.game.strategy else 0)
        if REDRAWN in (a.how, b.how):
            a, b = a._replace(plans=a.plans.copy()), b._replace(plans=b.plans.copy())
        top = len(self.game.payoffs) - 1
        play_numbers(*self._shared, *a, *b, *workspace, theta, top, np.uint64(key), first, seats, out)


def theta_for(contender: Contender, number: int, draws: np.ndarray) -> np.ndarray:
    """The parameters that a contender plays game (pair) `number` with, as the compiled loop draws them."""
    if contender.how == REDRAWN:
        theta = np.empty_like(contender.thetas[0])
        fill_normal(draws, theta)
        return theta
    cumulated = np.cumsum(contender.weights) if contender.weights else np.ones(len(contender.thetas))
    return contender.thetas[member(contender.how, number, cumulated, draws)]


class Position(NamedTuple):
    """One moment of a game: the state, who is to move (CHANCE and OVER included), and the actions there are."""

    state: np.ndarray
    mover: int
    actions: list[int]


def positions(game: Game, record: list[int]) -> Iterator[Position]:
    """Replay a record from the start: every position on the way, the last one included."""
    rules, state, out = game.rules, np.zeros(game.sizes.state, np.int64), np.zeros(game.sizes.actions, np.int64)
    rules.start(state)
    for number in range(len(record) + 1):
        who = int(rules.mover(state))
        actions = [] if who == OVER else out[: rules.legal(state, out)].tolist()
        yield Position(state.copy(), who, actions)
        if number < len(record):
            if record[number] not in actions:
                raise ValueError(f"move {number + 1} of the record, {record[number]}, is not possible there")
            rules.apply(state, record[number])


def view_of(game: Game, state: np.ndarray, player: int) -> np.ndarray:
    """What the player knows in this state."""
    seen = np.zeros(game.sizes.view, np.int64)
    game.rules.view(state, player, seen)
    return seen


def recorded(game: Game, first: Contender, second: Contender, key: int, number: int) -> tuple[list[int], int]:
    """The record and score of one game, played move by move outside the compiled loop with the same streams."""
    streams = [stream_of(key, number, i) for i in range(4)]
    plans = []
    for contender in (first, second):
        plan = np.zeros(contender.strategy.plan)
        contender.strategy.prepare(theta_for(contender, number, streams[3]), plan)
        plans.append(plan)
    rules, out, record = game.rules, np.zeros(game.sizes.actions, np.int64), []
    state = np.zeros(game.sizes.state, np.int64)
    rules.start(state)
    while (who := int(rules.mover(state))) != OVER:
        actions = out[: rules.legal(state, out)].copy()
        if who == CHANCE:
            action = int(actions[below(streams[0], len(actions))])
        else:
            choose = (first, second)[who].strategy.choose
            action = int(choose(view_of(game, state, who), actions, plans[who], streams[1 + who]))
        record.append(action)
        rules.apply(state, action)
    return record, int(rules.score(state))
