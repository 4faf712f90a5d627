"""The compiled loop that plays many games of any rules by their kernels.

Every game (or pair of games) has a number and its own four streams derived from that number: chance, one for each seat,
and one that draws members of mixtures. Swapping the players keeps the streams, so both games of a pair are the same
deal. Results depend neither on threads nor on the division of the numbers into batches.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .agents import REDRAWN, ParametricPolicy, draw_member
from .compile.kernel import (
    CELLS,
    NOTHING,
    NUMBER,
    REALS,
    ROWS,
    SEED,
    TABLE,
    Kernel,
    compiled,
    in_place,
    kernel,
    kernel_of,
    record_of,
)
from .game import (
    CHANCE,
    CHOOSE,
    OVER,
    PLAY,
    PREPARE,
    RULE_SIGNATURES,
    UNIFORM,
    Game,
    Rules,
    demand_even_payoffs,
    draw_by_weight,
    new_cells,
)
from .rng import fill_normal, random_below, split

SEATS = ("swapped", "alternating", "coin")
SWAPPED, ALTERNATING, COIN = range(3)
WORTH_A_THREAD = 128


class Plans(NamedTuple):
    """A policy's plans, a row for each of its vectors; its cumulated weights, and its selection (see `agents`)."""

    rows: np.ndarray
    cumulated: np.ndarray
    selection: int


class Workspace(NamedTuple):
    """Arrays of a game in progress: its state, a view, a list of actions, weights of chance, a drawn vector."""

    state: np.ndarray
    seen: np.ndarray
    actions: np.ndarray
    odds: np.ndarray
    theta: np.ndarray


class Task(NamedTuple):
    """Games to play: stream, first number and seats; flags of the rules; their highest score."""

    key: np.uint64
    first: int
    seats: int
    weighted: int
    fused: int
    max_score: int


PLANS, WORKSPACE = record_of(Plans, ROWS, REALS, NUMBER), record_of(Workspace, CELLS, CELLS, CELLS, CELLS, REALS)
TASK = record_of(Task, SEED, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)


@in_place
def play_by_rules(rules, weighted, choose_0, choose_1, work, plan_0, plan_1, chance, stream_0, stream_1):
    """Play one game by its kernels; return the first player's score."""
    start, mover, legal, apply, view, score, weights = rules
    state, seen, actions, odds, _ = work
    start(state)
    while True:
        who = mover(state)
        if who == OVER:
            return score(state)
        count = legal(state, actions)
        if who == CHANCE:
            if weighted:
                weights(state, odds)
                action = actions[draw_by_weight(odds[:count], chance)]
            else:
                action = actions[random_below(chance, count)]
        else:
            view(state, who, seen)
            if who == 0:
                action = choose_0(seen, actions[:count], plan_0, stream_0)
            else:
                action = choose_1(seen, actions[:count], plan_1, stream_1)
        apply(state, action)


@kernel_of(
    NOTHING,
    *RULE_SIGNATURES.values(), PLAY, PREPARE, CHOOSE, PREPARE, CHOOSE,
    PLANS, PLANS, WORKSPACE, TASK, TABLE,
)  # fmt: skip
def play_range(
    start, mover, legal, apply, view, score, weights, play, prepare_a, choose_a, prepare_b, choose_b,
    a, b, work, task, out,
):  # fmt: skip
    """Play the games numbered `first`, `first` + 1, ..; a row of `out` gets policy a's scores, seats swapped.

    For each number: seed its streams, take the plans of both policies, settle who sits first, and play the game once
    per column of `out`, with the seats swapped the second time.
    """
    rules = Rules(start, mover, legal, apply, view, score, weights)
    (plans_a, cumulated_a, how_a), (plans_b, cumulated_b, how_b) = a, b
    key, first, seats, weighted, fused, top = task
    state, theta = work.state, work.theta
    chance, draws = np.empty(1, np.uint64), np.empty(1, np.uint64)
    stream_0, stream_1 = np.empty(1, np.uint64), np.empty(1, np.uint64)
    for i in range(len(out)):
        number = first + i
        seed = split(key, number)
        # Vectors and seats are drawn from a separate stream, policy a's first: the deal does not depend on them.
        draws[0] = split(seed, 3)
        if how_a == REDRAWN:
            fill_normal(draws, theta)
            prepare_a(theta, plans_a[0])
        plan_a = plans_a[draw_member(how_a, number, cumulated_a, draws)]
        if how_b == REDRAWN:
            fill_normal(draws, theta)
            prepare_b(theta, plans_b[0])
        plan_b = plans_b[draw_member(how_b, number, cumulated_b, draws)]
        swap = 0
        if seats == ALTERNATING:
            swap = number % 2
        elif seats == COIN:
            swap = random_below(draws, 2)
        for column in range(out.shape[1]):
            # The streams belong to the seats and restart: both games of a pair are the same deal.
            chance[0] = split(seed, 0)
            stream_0[0] = split(seed, 1)
            stream_1[0] = split(seed, 2)
            # Scores are the first seat's; policy a's is the top score minus it where it sits second.
            if (column + swap) % 2 == 0:
                if fused:
                    result = play(state, plan_a, plan_b, chance, stream_0, stream_1)
                else:
                    result = play_by_rules(
                        rules, weighted, choose_a, choose_b, work, plan_a, plan_b, chance, stream_0, stream_1
                    )
            else:
                if fused:
                    result = top - play(state, plan_b, plan_a, chance, stream_0, stream_1)
                else:
                    result = top - play_by_rules(
                        rules, weighted, choose_b, choose_a, work, plan_b, plan_a, chance, stream_0, stream_1
                    )
            out[i, column] = result


@kernel
def not_fused(state, plan_0, plan_1, chance, stream_0, stream_1):
    """Placeholder for games without a fused `play`; never called."""
    return 0


@kernel
def not_weighted(state, out):
    """Placeholder for games with equally likely outcomes of chance; never called."""


class _Side(NamedTuple):
    prepare: Kernel
    choose: Kernel
    plans: Plans


def _side(policy: ParametricPolicy) -> _Side:
    strategy = policy.strategy
    prepare, choose = compiled(strategy.prepare, PREPARE), compiled(strategy.choose, CHOOSE)
    plans = np.zeros((len(policy.thetas), strategy.plan_size))
    if policy.selection != REDRAWN:
        for theta, plan in zip(policy.thetas, plans, strict=True):
            prepare(theta, plan)
    return _Side(prepare, choose, Plans(plans, policy.cumulated, policy.selection))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="fogspiel")


def compile_rules(game: Game) -> tuple[Kernel, ...]:
    """Return the seven kernels of the game, ready to be passed to a compiled loop."""
    rules = game.rules._replace(weights=game.rules.weights or not_weighted)
    return tuple(compiled(rule, RULE_SIGNATURES[name]) for name, rule in rules._asdict().items())


class PolicyMatch:
    """Two policies at one game: plays any range of game numbers, with the same scores for any number of threads."""

    def __init__(self, game: Game, first: ParametricPolicy, second: ParametricPolicy, fused: bool = True):
        demand_even_payoffs(game)
        self.game = game
        family = game.strategy or UNIFORM
        both = first.strategy is family and second.strategy is family
        self.fused = bool(fused and game.play and both)
        play = compiled(game.play if game.play and self.fused else not_fused, PLAY)
        a, b = self._sides = _side(first), _side(second)
        self._kernels = (*compile_rules(game), play, a.prepare, a.choose, b.prepare, b.choose)

    def scores(self, key: int, first: int, count: int, seats: str = "swapped", threads: int = 1) -> np.ndarray:
        """Return the first policy's scores in games `first`.. of stream `key`: a row per number, a column per seat."""
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
        sizes, plans = self.game.sizes, [side.plans for side in self._sides]
        theta = np.empty(len(self.game.strategy.parameters) if self.game.strategy else 0)
        work = Workspace(
            new_cells(sizes.state), new_cells(sizes.view), new_cells(sizes.actions), new_cells(sizes.actions), theta
        )
        if REDRAWN in (side.selection for side in plans):
            plans = [side._replace(rows=side.rows.copy()) for side in plans]
        weighted = int(self.game.rules.weights is not None)
        task = Task(np.uint64(key), first, seats, weighted, int(self.fused), self.game.max_score)
        play_range(*self._kernels, *plans, work, task, out)
