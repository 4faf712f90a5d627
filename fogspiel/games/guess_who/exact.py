"""Guess Who solved: exact scores of given players, tables of winning probabilities, and optimal play."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import prod
from operator import mul
from typing import NamedTuple

import numpy as np

from ...core import agents
from ...core.agents import ALONE, ANYBODY, MIXED, BestResponseScore, ParametricPolicy, members_of
from ...core.compile.kernel import NOTHING, NUMBER, REALS, TABLE, compiled, kernel, kernel_of
from ...core.explain import Explanation, Table, heat_map, percent
from ...core.game import CHOOSE, UNIFORM, Game, Kernel, Strategy
from ...core.rng import UNIT
from ...core.session import replay
from . import rules
from .rules import SEEN_ASKED, SEEN_CHARACTERS, SEEN_OTHER, SEEN_OWN, SEEN_TURN, question

# A pool of n becomes one of c with probability c/n, so along any line of play a player's probabilities multiply to its
# last pool over its first. Hence n m P(the player to move wins) is an integer between players who do not randomise, and
# at the optimum too. That product is called a stake below.

# Source of a player's question: fixed in each position, uniform over all questions, or a function of a random r.
CERTAIN, EQUAL, DRAWN = range(3)
GRID = 1 << 53  # the number of equally likely values of r
# Exact scores of more than four pairs of randomising players over 128 characters (some 30 s) are rejected.
MAX_WORK = 4 * 128**3


# Distribution of a player's question


@kernel
def weigh_drawn(plan, own, other, weights):
    """Count the values of r for each question: it is monotone in r, so bisection finds every change."""
    r = 0
    while r < GRID:
        asked = question(plan, own, other, r * UNIT)
        same, different = r, GRID
        while different - same > 1:
            middle = (same + different) // 2
            if question(plan, own, other, middle * UNIT) == asked:
                same = middle
            else:
                different = middle
        weights[asked] += different - r
        r = different


@kernel_of(NOTHING, CHOOSE, NUMBER, REALS, NUMBER, TABLE)
def weigh_questions(choose, how, plan, most, weights):
    """Write the weight of every question 1..n-1 of a player in every position (n, m), whose row is n (most + 1) + m."""
    seen, stream = np.zeros(SEEN_ASKED + 1, np.int64), np.zeros(1, np.uint64)
    seen[SEEN_TURN] = 1
    for own in range(2, most + 1):
        for other in range(2, most + 1):
            row = weights[own * (most + 1) + other]
            if how == DRAWN:
                weigh_drawn(plan, own, other, row)
            elif how == EQUAL:
                row[1:own] = 1
            else:
                seen[SEEN_OWN] = own
                seen[SEEN_OTHER] = other
                seen[SEEN_CHARACTERS] = max(own, other)
                row[choose(seen, np.arange(1, own), plan, stream)] = 1


class FixedPlayer(NamedTuple):
    """A player that does not change from game to game, in the form used by the kernels."""

    choose: Kernel
    how: int
    plan: np.ndarray


def player_of(strategy: Strategy, theta: np.ndarray) -> FixedPlayer:
    how = DRAWN if strategy is rules.STOCHASTIC else EQUAL if strategy is UNIFORM else CERTAIN
    return FixedPlayer(compiled(strategy.choose, CHOOSE), how, strategy.plan_for(theta))


def questions_of(player: FixedPlayer, most: int) -> np.ndarray:
    """Return the exact weight of each question c at [n, m, c]."""
    weights = np.zeros((most + 1, most + 1, most + 1), np.int64)
    weigh_questions(*player, most, weights.reshape(-1, most + 1))
    return weights


def characters_of(game: Game) -> int:
    return int(next(replay(game, [])).state[rules.CHARACTERS])


def _players(policy: ParametricPolicy) -> list[tuple[Fraction, FixedPlayer]]:
    strategy = policy.strategy
    if not any(strategy is known for known in (rules.FAMILY, rules.STOCHASTIC, rules.GOD, UNIFORM)):
        raise ValueError(f"{policy.name} plays {strategy.name!r}, which is not a strategy for Guess Who")
    if policy.selection not in (ALONE, MIXED):
        raise ValueError(f"{policy.name} changes from game to game: exact results need fixed players or mixtures")
    return [(weight, player_of(strategy, theta)) for weight, theta in members_of(policy, Fraction)]


def _pairs(first: ParametricPolicy, second: ParametricPolicy) -> Iterator[tuple[Fraction, FixedPlayer, FixedPlayer]]:
    seconds = _players(second)
    for weight, player in _players(first):
        for other_weight, other in seconds:
            yield weight * other_weight, player, other


# Exact scores


def exact_score(game: Game, first: ParametricPolicy, second: ParametricPolicy) -> Fraction:
    """Return the exact score of `first` against `second`, averaged over both starting orders."""
    if not any(game is known for known in rules.GAMES):
        raise ValueError(
            f"{game.name} is not Guess Who: choose one of {', '.join(known.name for known in rules.GAMES)}"
        )
    characters, pairs = characters_of(game), list(_pairs(first, second))
    certain = sum(player.how == CERTAIN and other.how == CERTAIN for _, player, other in pairs)
    if (len(pairs) - certain + certain / 100) * characters**3 > MAX_WORK:
        raise ValueError(f"the exact score of {len(pairs)} pairs of members takes too long: simulate them instead")
    total = Fraction(0)
    for weight, player, other in pairs:
        starting, replying = _first_mover_wins((player, other), characters)
        total += weight * (starting + 1 - replying) / 2
    return total


def _first_mover_wins(players: tuple[FixedPlayer, FixedPlayer], characters: int) -> tuple[Fraction, Fraction]:
    """Return P(the player to move first wins), if `players[0]` does so and if `players[1]` does."""
    chances = _chances(players, characters)
    # Each pool occurs at most once in a game, so stakes are integers again when multiplied by the sums of the weights
    # in all pools up to that of the player to move, and in all up to the opponent's.
    totals = [[(1, max(n - 1, 1), GRID)[player.how] for n in range(characters + 1)] for player in players]
    products = [list(accumulate(of_player, mul)) for of_player in totals]
    stakes = [[[0] * (characters + 1) for _ in range(characters + 1)] for _ in players]
    for (who, own, other), weights in reversed(chances.items()):
        replies, total = stakes[1 - who][other], totals[who]
        lost, pool = 0, 1
        for left in np.nonzero(weights)[0].tolist():  # Horner's rule: one more total for every larger pool
            lost = lost * prod(total[pool + 1 : left + 1]) + int(weights[left]) * replies[left]
            pool = left
        lost *= prod(total[pool + 1 : own])
        stakes[who][own][other] = own * other * products[who][own] * products[1 - who][other] - lost
    whole = characters**2 * products[0][characters] * products[1][characters]
    starting, replying = (Fraction(of_player[characters][characters], whole) for of_player in stakes)
    return starting, replying


Situation = tuple[int, int, int]  # the player to move, its pool, and the opponent's


def _chances(players: tuple[FixedPlayer, FixedPlayer], characters: int) -> dict[Situation, np.ndarray]:
    """Return all reachable situations, large pools first, with the weight of each pool that yes or no can leave."""
    chances: dict[Situation, np.ndarray] = {}
    arises = np.zeros((2, characters + 1, characters + 1), bool)
    arises[:, characters, characters] = True
    tables = [questions_of(player, characters) for player in players]
    for both in range(2 * characters, 3, -1):
        for own in range(max(2, both - characters), min(characters, both - 2) + 1):
            other = both - own
            for who in np.nonzero(arises[:, own, other])[0].tolist():
                asked = tables[who][own, other]
                chances[who, own, other] = asked[:own] + asked[own:0:-1]
                arises[1 - who, other, :own] |= chances[who, own, other] > 0
    return chances


# Tables in floating point


@kernel
def fill_wins(weights, wins):
    """Fill P(the player to move wins) at [who, n, m] by the weights of both players' questions, small pools first.

    A pool of 1 has already won.
    """
    most = wins.shape[1] - 1
    for both in range(4, 2 * most + 1):
        for own in range(max(2, both - most), min(most, both - 2) + 1):
            other = both - own
            for who in range(2):
                won, total = 0.0, 0
                for c in range(1, own):
                    times = weights[who, own, other, c]
                    if times > 0:
                        total += times
                        yes, no = 1.0 - wins[1 - who, other, c], 1.0 - wins[1 - who, other, own - c]
                        won += times * (c * yes + (own - c) * no) / own
                wins[who, own, other] = won / total


def win_table(first: ParametricPolicy, second: ParametricPolicy, most: int) -> np.ndarray:
    """Return P(win) when to move with n left against m: [0, n, m] of `first`, [1, n, m] of `second`; nan below 2."""
    table = np.zeros((2, _checked(most) + 1, most + 1))
    for weight, player, other in _pairs(first, second):
        wins = np.zeros_like(table)
        fill_wins(np.array([questions_of(player, most), questions_of(other, most)]), wins)
        table += float(weight) * wins
    return _blank(table)


def rate(first: ParametricPolicy, second: ParametricPolicy, characters: int) -> float:
    """Return the score of `first` against `second` in floating point, averaged over both starting orders."""
    starting, replying = win_table(first, second, characters)[:, characters, characters]
    return float(starting + 1 - replying) / 2


# Optimal play


@kernel_of(NOTHING, TABLE, TABLE)
def fill_optimum(stakes, questions):
    """Maximise the stake n m P(win) over all questions, small pools first: integers, so ties are exact."""
    most = len(stakes) - 1
    for both in range(4, 2 * most + 1):
        for own in range(max(2, both - most), min(most, both - 2) + 1):
            other = both - own
            for c in range(1, own // 2 + 1):
                stake = own * other - stakes[other, c] - stakes[other, own - c]
                if stake > stakes[own, other] or c == 1:
                    stakes[own, other] = stake
                    questions[own, other] = c


def optimum(most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return P(the player to move wins) at [n, m] under optimal play, and the smallest question that secures it."""
    stakes = np.zeros((_checked(most) + 1, most + 1), np.int64)
    questions = np.zeros_like(stakes)
    fill_optimum(stakes, questions)
    pools = np.maximum(np.arange(most + 1), 1)
    return _blank(stakes / np.outer(pools, pools)), questions


@cache
def _optimum(most: int) -> tuple[np.ndarray, np.ndarray]:
    return optimum(most)


def action_values(game: Game, seen: np.ndarray) -> dict[int, float]:
    """Return P(win) after a question about each number of characters, with best play from there on."""
    own, other, of, mine, asked = (int(cell) for cell in seen)
    if not mine or asked or 1 in (own, other):
        return {}
    wins = _optimum(of)[0]

    def after(left: int) -> float:
        return 1.0 if left == 1 else 1.0 - float(wins[other, left])

    return {c: (c * after(c) + (own - c) * after(own - c)) / own for c in range(1, own)}


def first_player_rate(characters: int) -> float:
    """Return the first player's probability of winning under optimal play."""
    return float(optimum(characters)[0][characters, characters])


# Best responses

MAX_MEMBERS = 8  # members of a mixture for an exact best response: its tables have a layer for each set of members


def best_replies(game: Game, player: ParametricPolicy) -> list[BestResponseScore]:
    """Return the best response; to a mixture that is large or randomises, the response to its revealed member."""
    most, members = characters_of(game), _players(player)
    if 1 < len(members) <= MAX_MEMBERS and all(member.how == CERTAIN for _, member in members):
        return [BestResponseScore(ANYBODY, _mixture_reply_score(members, most))]
    return [agents.reply_to_members(player, lambda theta: _reply_score(player_of(player.strategy, theta), most))]


def _reply_score(player: FixedPlayer, most: int) -> float:
    own, other = np.zeros((most + 1, most + 1)), np.zeros((most + 1, most + 1))
    fill_reply(questions_of(player, most), own, other)
    return float(own[most, most] + 1 - other[most, most]) / 2


@kernel
def fill_reply(weights, own, other):
    """Fill P(win) when to move at [own pool, opponent's]: `own` of the best response, `other` of the player."""
    most = len(own) - 1
    for both in range(4, 2 * most + 1):
        for n in range(max(2, both - most), min(most, both - 2) + 1):
            m = both - n
            best, asked, total = 0.0, 0.0, 0
            for c in range(1, n):
                best = max(best, (c * (1.0 - other[m, c]) + (n - c) * (1.0 - other[m, n - c])) / n)
                times = weights[n, m, c]
                asked += times * (c * (1.0 - own[m, c]) + (n - c) * (1.0 - own[m, n - c])) / n
                total += times
            own[n, m] = best
            other[n, m] = asked / total


def _mixture_reply_score(members: list[tuple[Fraction, FixedPlayer]], most: int) -> float:
    """Return the score of a best response that observes a mixture's questions.

    A member is drawn once per game, so its questions identify it. If members do not randomise, the response can
    identify the set of those consistent with the questions so far: its state is both pools and that set, within which
    the relative weights never change.
    """
    questions = np.array([questions_of(member, most).argmax(axis=2) for _, member in members])
    mine, theirs = (np.zeros((1 << len(members), most + 1, most + 1)) for _ in range(2))
    fill_mixture_reply(questions, np.array([float(weight) for weight, _ in members]), mine, theirs)
    return float(mine[-1, most, most] + theirs[-1, most, most]) / 2


@kernel
def fill_mixture_reply(questions, weights, mine, theirs):
    """Fill the response's winning probability by set of members: [set, own, other] to move, [set, other, own] not."""
    members, most = len(weights), mine.shape[1] - 1
    for these in range(1, 1 << members):
        total = 0.0
        for i in range(members):
            total += weights[i] if these >> i & 1 else 0.0
        for both in range(4, 2 * most + 1):
            for own in range(max(2, both - most), min(most, both - 2) + 1):
                other = both - own
                best = 0.0
                for c in range(1, own // 2 + 1):
                    yes = 1.0 if c == 1 else theirs[these, other, c]
                    no = 1.0 if own - c == 1 else theirs[these, other, own - c]
                    best = max(best, c * yes + (own - c) * no)
                mine[these, own, other] = best / own
                won, left = 0.0, these
                while left:  # the members with the same question as the first one left
                    first = 0
                    while not left >> first & 1:
                        first += 1
                    c, group, weight = questions[first, own, other], 0, 0.0
                    for i in range(first, members):
                        if left >> i & 1 and questions[i, own, other] == c:
                            group |= 1 << i
                            weight += weights[i]
                    left ^= group
                    if c > 1:
                        won += weight * c * mine[group, other, c]
                    if own - c > 1:
                        won += weight * (own - c) * mine[group, other, own - c]
                theirs[these, own, other] = won / (total * own)


def _checked(characters: int) -> int:
    if characters < 2:
        raise ValueError(f"Guess Who needs at least 2 characters, not {characters}")
    return characters


def _blank(table: np.ndarray) -> np.ndarray:
    table[..., :2, :] = table[..., :2] = np.nan
    return table


# Explanation: the question in each position, the frequency of optimal ones, and exact scores.

OPPONENTS = ("dichotomy", "OL", "God")
# Typical positions: all characters divided by these, for the player and the opponent.
SHARES = ((1, 1), (1, 2), (1, 4), (1, 8), (2, 1), (4, 1), (8, 1), (2, 2), (4, 4))
STEPS = 16  # rows and columns of a heat map


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Return the questions compared with those of the player God, and the scores against the paper's players."""
    characters = characters_of(game)
    asked, optimal = (
        questions_of(player_of(one.strategy, one.thetas[0]), characters)
        for one in (player, agents.find_policy(game, "God"))
    )
    typical = Table(
        f"What {player.name} asks about",
        ("own left", "other's left", "it asks about", "share of the own", "God asks about"),
        tuple(
            (n, m, _question_text(asked[n, m]), percent(_mean(asked[n, m]) / n), _question_text(optimal[n, m]))
            for n, m in ((characters // i, characters // j) for i, j in SHARES)
        ),
    )
    scores = []
    for name in OPPONENTS:
        other = agents.find_policy(game, name)
        if rules.STOCHASTIC in (player.strategy, other.strategy):  # an exact score takes half a minute
            scores.append((name, f"{rate(player, other, characters):.6f}", "computed in floating point"))
        else:
            exact = exact_score(game, player, other)
            short = str(exact) if len(str(exact)) < 24 else "long, rounded here"
            scores.append((name, f"{float(exact):.6f}", short))
    table = Table(f"What {player.name} scores, by calculation", ("against", "score", "as a fraction"), tuple(scores))
    left = [max(2, characters * step // STEPS) for step in range(1, STEPS + 1)]
    maps = {player.name: _shares(asked, left), "God": _shares(optimal, left)}
    most = max(float(shares.max()) for shares in maps.values())
    title = "share of the n own characters that it asks about; n downwards, the other's m across"
    pictures = tuple(heat_map(f"{name}: {title}", grid.tolist(), left, left, most) for name, grid in maps.items())
    return Explanation(_sentences(player, asked, characters), (typical, table), pictures)


def _mean(weights: np.ndarray) -> float:
    return float(np.arange(len(weights)) @ weights.astype(float) / weights.sum(dtype=float))


def _question_text(weights: np.ndarray) -> str:
    possible = np.nonzero(weights)[0].tolist()
    return str(possible[0]) if len(possible) == 1 else f"{possible[0]} to {possible[-1]}, mean {_mean(weights):.1f}"


def _sentences(player: ParametricPolicy, asked: np.ndarray, characters: int) -> tuple[str, ...]:
    quarter = characters // 4
    level, ahead, behind = (
        f"{_question_text(asked[n, m])} ({percent(_mean(asked[n, m]) / n)})"
        for n, m in ((characters, characters), (quarter, characters), (characters, quarter))
    )
    first = (
        f"With {characters} characters left on both sides {player.name} asks about {level}, ahead with {quarter} "
        f"against {characters} about {ahead}, behind with {characters} against {quarter} about {behind}."
    )
    if player.strategy is rules.GOD:
        rule = "God is optimal: it halves, but with more than 2^(k+1) left it asks about 2^k only, where 2^k < m <= "
        return (f"{rule}2^(k+1) and m is what the other has left.", first)
    share = _optimal_share(asked, characters)
    second = f"Its question is an optimal one in {percent(share)} of all positions with 2 to {characters} left each"
    return (first, second + (", on average over its draws." if player.strategy is rules.STOCHASTIC else "."))


def _optimal_share(asked: np.ndarray, characters: int) -> float:
    """Return the fraction of optimal questions (those with the highest stake), all positions weighted equally."""
    stakes, questions = (np.zeros((characters + 1, characters + 1), np.int64) for _ in range(2))
    fill_optimum(stakes, questions)
    shares = []
    for n in range(2, characters + 1):
        for m in range(2, characters + 1):
            best = n * m - stakes[m, 1:n] - stakes[m, n - 1 : 0 : -1] == stakes[n, m]
            weights = asked[n, m, 1:n].astype(float)
            shares.append(weights[best].sum() / weights.sum())
    return float(np.mean(shares))


def _shares(asked: np.ndarray, left: list[int]) -> np.ndarray:
    return np.array([[_mean(asked[n, m]) / n for m in left] for n in left])
