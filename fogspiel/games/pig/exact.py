"""Pig solved: exact scores of thresholds, the matrix of all of them with its saddle point, and optimal play.

Threshold players ignore the opponent's bank, so the numbers of turns they need to reach 100 are independent, and the
starting player wins with no more turns than the opponent. `exact_score` gives fractions; `rate` takes any pair, in
floating point.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import erf, gcd, sqrt
from typing import NamedTuple

import numpy as np

from ...core import agents
from ...core.agents import REDRAWN, THRESHOLD, BestResponseScore, ParametricPolicy, find_policy, members_of
from ...core.compile.kernel import kernel
from ...core.explain import Explanation, Table, heat_map
from ...core.game import UNIFORM, Game, Strategy
from .rules import DECIDING, FACES, FAMILY, GOAL, HOLD, MIDDLE, MIN, OPTIMUM, ROLL, SLOPE, describe, solve, threshold_of

HALF = Fraction(1, 2)


# Exact scores of thresholds


class Turn(NamedTuple):
    """Distribution of the ends of a turn that aims at `target` points, in integers over `total`."""

    target: int
    total: int
    lost: int
    gains: tuple[int, ...]  # weights of ending with target, target + 1, .., target + 5 points


@cache
def turn_to(target: int) -> Turn:
    """Return the distribution of a turn that ends at `target` points or at a 1."""
    reached = [FACES**target] + [0] * (target + FACES - 1)
    lost = 0
    for points in range(target):
        share = reached[points] // FACES
        lost += share
        for face in range(2, FACES + 1):
            reached[points + face] += share
    common = gcd(FACES**target, lost, *reached[target:])
    return Turn(target, FACES**target // common, lost // common, tuple(n // common for n in reached[target:]))


def _turns(threshold: int) -> dict[int, Turn]:
    """Return the turn of a threshold player from each bank it can have, fullest bank first."""
    found: dict[int, Turn] = {}
    banks = {0}
    for bank in range(GOAL):
        if bank in banks:
            found[bank] = turn = turn_to(min(threshold, GOAL - bank))
            banks |= {bank + turn.target + i for i, chance in enumerate(turn.gains) if chance}
    return dict(reversed(found.items()))


def _won(turn: Turn, own: int, other: int, replies: dict[tuple[int, int], Fraction]) -> Fraction:
    """Return P(gain points and win) times the turn's total; after a bank of 100 the opponent cannot reply."""
    won = Fraction(0)
    for i, chance in enumerate(turn.gains):
        won += chance * (1 - replies.get((other, own + turn.target + i), Fraction(0)))
    return won


@cache
def duel(threshold: int, other: int) -> tuple[Fraction, Fraction]:
    """Return P(`threshold` wins when it starts) and P(`other` wins when it starts)."""
    wins_0: dict[tuple[int, int], Fraction] = {}
    wins_1: dict[tuple[int, int], Fraction] = {}
    for bank_0, turn_0 in _turns(threshold).items():
        for bank_1, turn_1 in _turns(other).items():
            # x total_0 = won_0 + lost_0 (1 - y) and y total_1 = won_1 + lost_1 (1 - x)
            most_0 = _won(turn_0, bank_0, bank_1, wins_1) + turn_0.lost
            most_1 = _won(turn_1, bank_1, bank_0, wins_0) + turn_1.lost
            both = turn_0.total * turn_1.total - turn_0.lost * turn_1.lost
            wins_0[bank_0, bank_1] = (most_0 * turn_1.total - most_1 * turn_0.lost) / both
            wins_1[bank_1, bank_0] = (most_1 * turn_0.total - most_0 * turn_1.lost) / both
    return wins_0[0, 0], wins_1[0, 0]


def _thresholds(player: ParametricPolicy) -> list[tuple[Fraction, int]]:
    members = members_of(player, Fraction)
    if player.selection == REDRAWN:
        raise ValueError("the score of a redrawn threshold is not a fraction: play games instead of --exact")
    if player.strategy is not FAMILY:
        raise ValueError(f"no fraction is known for {player.name} at pig: play games instead of --exact")
    return [(weight, threshold_of(theta)) for weight, theta in members]


def exact_score(game: Game, first: ParametricPolicy, second: ParametricPolicy) -> Fraction:
    """Return the exact score of `first` against `second`, thresholds or mixtures (seconds, thousands of digits)."""
    redrawn = first.selection == second.selection == REDRAWN
    if first.strategy is second.strategy and (redrawn or not first.strategy.parameters):
        return HALF  # two of the same kind
    total, others = Fraction(0), _thresholds(second)
    for weight, threshold in _thresholds(first):
        for weight_other, other in others:
            wins, wins_other = duel(threshold, other) if threshold != other else (HALF, HALF)
            total += weight * weight_other * (1 + wins - wins_other) / 2
    return total


# All thresholds at once


def turn_table(threshold: int) -> np.ndarray:
    """Return the transition matrix of a threshold player's turn: P(bank to after) at [bank, after]."""
    table = np.zeros((GOAL, GOAL + 1))
    for bank in range(GOAL):
        turn = turn_to(min(threshold, GOAL - bank))
        table[bank, bank] = turn.lost / turn.total
        for i, chance in enumerate(turn.gains):
            table[bank, min(bank + turn.target + i, GOAL)] += chance / turn.total
    return table


def turns_needed(threshold: int) -> np.ndarray:
    """Return P(a threshold player reaches the goal in its first, second, .. turn), until 1e-18 is left."""
    step, at, reached = turn_table(threshold), np.eye(GOAL)[0], []
    while at.sum() > 1e-18:
        after = at @ step
        reached.append(after[GOAL])
        at = after[:GOAL]
    return np.array(reached)


@cache
def first_player_matrix() -> np.ndarray:
    """Return P(hold-k wins against hold-j when it starts) at [k, j]; nan where k or j is 0 or 1."""
    laws = [turns_needed(threshold) for threshold in range(MIN, GOAL + 1)]
    needed = np.zeros((GOAL + 1, max(map(len, laws))))
    for threshold, law in enumerate(laws, MIN):
        needed[threshold, : len(law)] = law
    at_least = needed[:, ::-1].cumsum(axis=1)[:, ::-1]
    matrix: np.ndarray = needed @ at_least.T
    matrix[:MIN] = matrix[:, :MIN] = np.nan
    return matrix


def threshold_matrix() -> np.ndarray:
    """Return the score of hold-k against hold-j at [k, j], averaged over both starting orders."""
    starting = first_player_matrix()
    return np.asarray((starting + 1 - starting.T) / 2)


def saddle() -> int:
    """Return the threshold that no other one beats."""
    return MIN + int(threshold_matrix()[MIN:, MIN:].min(axis=1).argmax())


def redrawn_law(slope: float = SLOPE) -> np.ndarray:
    """Return the probability of each threshold from 20 + `slope` x with a standard Gaussian x."""
    edges = [(threshold - 0.5 - MIDDLE) / slope for threshold in range(MIN + 1, GOAL + 1)]
    below = [0.0, *((1 + erf(edge / sqrt(2))) / 2 for edge in edges), 1.0]
    return np.concatenate([np.zeros(MIN), np.diff(below)])


# Optimal play, and any two policies against each other


class Optimum(NamedTuple):
    """Optimal play: P(win) when to move at wins[own, other], decisions rolls[own, other, turn], and wins[0, 0]."""

    wins: np.ndarray
    rolls: np.ndarray
    first: float


def optimum() -> Optimum:
    """Compute the full game's optimum by value iteration."""
    wins, plan = np.zeros((GOAL, GOAL)), np.zeros(GOAL**3)
    solve(wins, plan)
    return Optimum(wins, plan.reshape(GOAL, GOAL, GOAL) == ROLL, float(wins[0, 0]))


@cache
def _optimum() -> Optimum:
    return optimum()


def action_values(game: Game, seen: np.ndarray) -> dict[int, float]:
    """Return P(win) after holding and after rolling, with best play from there on."""
    own, other, turn, _, phase = (int(cell) for cell in seen)
    if phase != DECIDING:
        return {}
    wins = _optimum().wins

    def held(points: int) -> float:
        return 1.0 if own + points >= GOAL else 1.0 - float(wins[other, own + points])

    values = [0.0] * (GOAL + FACES)
    for points in range(GOAL + FACES - 1, turn - 1, -1):
        faces = (values[points + face] for face in range(2, FACES + 1))
        rolled = 0.0 if own + points >= GOAL else (1.0 - float(wins[other, own]) + sum(faces)) / FACES
        values[points] = max(held(points), rolled) if points > turn else rolled
        if own + points >= GOAL:
            values[points] = 1.0
    return {HOLD: held(turn), ROLL: values[turn]}


@kernel
def turn_line(own, other, rolls, replies, values, slopes):
    """Return a and b such that the player to move wins with probability a + b L, L being that after a lost turn."""
    for points in range(GOAL - own, GOAL - own + FACES):
        values[points] = 1.0
        slopes[points] = 0.0
    for points in range(GOAL - own - 1, -1, -1):
        value, slope = 0.0, 1.0
        for face in range(2, FACES + 1):
            value += values[points + face]
            slope += slopes[points + face]
        roll = rolls[own, other, points] if points > 0 else 1.0
        values[points] = roll * value / FACES + (1.0 - roll) * (1.0 - replies[other, own + points])
        slopes[points] = roll * slope / FACES
    return values[0], slopes[0]


@kernel
def fill_wins(rolls_0, rolls_1, wins_0, wins_1):
    """Fill both tables of P(the player to move wins) between two policies (probabilities to roll), full banks first."""
    values, slopes = np.zeros(GOAL + FACES), np.zeros(GOAL + FACES)
    for own in range(GOAL - 1, -1, -1):
        for other in range(GOAL - 1, -1, -1):
            a_0, b_0 = turn_line(own, other, rolls_0, wins_1, values, slopes)
            a_1, b_1 = turn_line(other, own, rolls_1, wins_0, values, slopes)
            wins_0[own, other] = (a_0 + b_0 * (1.0 - a_1 - b_1)) / (1.0 - b_0 * b_1)
            wins_1[other, own] = a_1 + b_1 * (1.0 - wins_0[own, other])


def _plays(player: ParametricPolicy) -> Iterator[tuple[float, np.ndarray]]:
    """Yield a policy's probabilities to roll, at [own, other, turn], with the weight of each member."""
    if player.strategy is OPTIMUM:
        yield 1.0, optimum().rolls.astype(float)
        return
    if player.strategy is UNIFORM:
        yield 1.0, np.full((GOAL,) * 3, 0.5)
        return
    redrawn = [(weight, threshold) for threshold, weight in enumerate(redrawn_law().tolist()) if weight > 1e-15]
    for weight, threshold in redrawn if player.selection == REDRAWN else _thresholds(player):
        yield float(weight), np.ascontiguousarray(np.broadcast_to(np.arange(GOAL) < threshold, (GOAL,) * 3), float)


def rate(first: ParametricPolicy, second: ParametricPolicy) -> float:
    """Return the score of `first` against `second` in floating point, averaged over both starting orders."""
    total, others = 0.0, list(_plays(second))
    for weight, rolls in _plays(first):
        for weight_other, rolls_other in others:
            wins = np.zeros((2, GOAL, GOAL))
            fill_wins(rolls, rolls_other, wins[0], wins[1])
            total += weight * weight_other * (1 + wins[0, 0, 0] - wins[1, 0, 0]) / 2
    return total


# Best responses


def best_replies(game: Game, player: ParametricPolicy) -> list[BestResponseScore]:
    """Return the best response to one member at a time (it cannot observe which), and the best threshold to all."""
    scores, members = threshold_matrix(), members_of(player, float)
    met = np.sum([weight * scores[MIN:, threshold_of(theta)] for weight, theta in members], axis=0)
    return [agents.reply_to_members(player, _reply_score), BestResponseScore(THRESHOLD, float(met.max()))]


def _reply_score(theta: np.ndarray) -> float:
    """Run value iteration against a threshold, for each pair of banks at once: fuller banks first."""
    own, other = np.zeros((GOAL, GOAL)), np.zeros((GOAL, GOAL))
    fill_reply(turn_table(threshold_of(theta)), own, other)
    return float(own[0, 0] + other[0, 0]) / 2


@kernel
def fill_reply(turns, own, other):
    """Fill the best response's P(win) when it is to move, and when the player is, by [its bank, the player's bank]."""
    values = np.zeros(GOAL + FACES)
    for mine in range(GOAL - 1, -1, -1):
        for theirs in range(GOAL - 1, -1, -1):
            passed = 0.0  # contribution of the turns in which the player gains points: a full bank has won
            for bank in range(theirs + 1, GOAL):
                passed += turns[theirs, bank] * own[mine, bank]
            before = -1.0
            while own[mine, theirs] - before > 1e-15:
                before = own[mine, theirs]
                other[mine, theirs] = passed + turns[theirs, theirs] * before
                for points in range(GOAL - mine, GOAL - mine + FACES):
                    values[points] = 1.0
                for points in range(GOAL - mine - 1, -1, -1):
                    rolled = other[mine, theirs]
                    for face in range(2, FACES + 1):
                        rolled += values[points + face]
                    rolled /= FACES
                    held = other[mine + points, theirs] if points > 0 else 0.0  # the first roll is forced
                    values[points] = max(rolled, held)
                own[mine, theirs] = values[0]
            other[mine, theirs] = passed + turns[theirs, theirs] * own[mine, theirs]


# Explanation: the threshold, its score and its cost.

BANKS = range(0, GOAL, 10)


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Return the scores, and for a threshold its loss compared with the best one."""
    if player.strategy is OPTIMUM:
        others = [find_policy(game, name) for name in game.policies if name != player.name] + [
            agents.redrawn_baseline(game)
        ]
        return _optimal(player, _scores(player, {other.name: rate(player, other) for other in others}))
    threshold, best, matrix = threshold_of(player.thetas[0]), saddle(), threshold_matrix()
    scores = {}
    for name, known in game.policies.items():
        if isinstance(known, Strategy):
            scores[name] = rate(player, find_policy(game, name))
        else:
            scores[name] = float(matrix[threshold, threshold_of(np.array(known))])
    scores["redrawn"] = float(matrix[threshold, MIN:] @ redrawn_law()[MIN:])
    worst = MIN + int(matrix[threshold, MIN:].argmin())
    regret = 0.5 - matrix[threshold, best]
    if threshold == best:
        second = f"No other threshold beats {best}: its regret is 0."
    else:
        second = f"Against {best}, the threshold that no other one beats, it scores {0.5 - regret:.6f}: a regret of "
        second += f"{regret:.6f}; of all thresholds {worst} beats it most and leaves it {matrix[threshold, worst]:.6f}."
    return Explanation((f"{player.name} {describe(player.thetas[0])}.", second), (_scores(player, scores),))


def _scores(player: ParametricPolicy, scores: dict[str, float]) -> Table:
    rows = tuple((name, f"{score:.6f}") for name, score in scores.items())
    return Table(f"What {player.name} scores, by calculation", ("against", "score"), rows)


def _optimal(player: ParametricPolicy, scores: Table) -> Explanation:
    """Chart the smallest turn total at which optimal play holds, by both banks."""
    rolls = optimum().rolls
    first_hold = [
        [next((turn for turn in range(MIN, GOAL - own) if not rolls[own, other, turn]), GOAL - own) for other in BANKS]
        for own in BANKS
    ]
    title = "Points of a turn at which it stops first (or has won): own bank downwards, the other's across"
    rows = tuple((own, *row) for own, row in zip(BANKS, first_hold, strict=True))
    table = Table(title, ("own bank", *map(str, BANKS)), rows)
    shares = [[stop / GOAL for stop in row] for row in first_hold]
    picture = heat_map(title + ", as a share of 100", shares, list(BANKS), list(BANKS), 1.0)
    said = f"{player.name} looks at both banks and at the turn, and has the best chance to win in every position."
    level = f"With nothing banked on either side the first total of a turn at which it stops is {first_hold[0][0]}."
    return Explanation((said, level), (scores, table), (picture,))
