"""Round-robin statistics, from the score counts of each pair of players.

`counts[i, j, v]` counts the scores v/K of player i against player j; `counts[j, i]` is the same, mirrored. `scores` is
the matrix of mean scores, 1/2 on the diagonal. Its antisymmetric part A, the advantages, is split as in Candogan et al.
(2011) and Balduzzi et al. (2018) into a transitive part r_i - r_j, r the row means, and a cyclic rest.
"""

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from .linear_programs import Columns, LpFailure, rows_of_table, solve
from .race import LOG_WEIGHTS, STAKES, check_race

RESAMPLES = 200
ELO = 400 / math.log(10)  # Elo points of a unit of log odds
TRUSTED_SHARE = 0.05  # above this cyclic fraction of the energy a rating per player is misleading, and Elo is not shown
ROUNDING = 1e-9  # tolerance for errors of a linear programme


def counts_of(players: int, pairs: Mapping[tuple[int, int], Sequence[int]]) -> np.ndarray:
    """Return the counts of a round robin from those of its pairs, each given in one direction."""
    counts = np.zeros((players, players, len(next(iter(pairs.values())))), np.int64)
    for (i, j), seen in pairs.items():
        counts[i, j], counts[j, i] = seen, seen[::-1]
    return counts


def scores_of(counts: np.ndarray) -> np.ndarray:
    """Return the matrix of mean scores, 1/2 for pairs without games."""
    games, values = counts.sum(axis=2), np.linspace(0, 1, counts.shape[2])
    return np.where(games > 0, counts @ values / np.maximum(games, 1), 0.5)


def advantages(scores: np.ndarray) -> np.ndarray:
    """Return the antisymmetric part of a score matrix (or of advantages, which are unchanged)."""
    matrix = np.asarray(scores, float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
        raise ValueError("a round robin needs a square matrix of finite scores, a row for each player")
    return np.asarray((matrix - matrix.T) / 2)


# Transitive or cyclic


def cyclic_share(scores: np.ndarray) -> float:
    """Return the cyclic fraction of the advantages' energy (sum of squares), which r_i - r_j leaves over."""
    advantage = advantages(scores)
    rating = advantage.mean(axis=1)
    energy = float((advantage**2).sum())
    return float(((advantage - rating[:, None] + rating) ** 2).sum()) / energy if energy > 0 else 0.0


def share_of_luck(counts: np.ndarray) -> float:
    """Return the expected cyclic energy due to chance, as a fraction of all energy: 1 if there is nothing else."""
    # The cyclic part is a projection that retains 1 - 2/K of the variance of every pair (K players, by symmetry).
    players, games, values = len(counts), counts.sum(axis=2), np.linspace(0, 1, counts.shape[2])
    means = scores_of(counts)
    variances = (counts @ values**2 / np.maximum(games, 1) - means**2)[games > 0] / games[games > 0]
    energy = float((advantages(means) ** 2).sum())
    return min(1.0, (1 - 2 / players) * float(variances.sum()) / energy) if energy > 0 else 1.0


def cycle(beats: np.ndarray) -> tuple[int, ...]:
    """Return a shortest cycle of players each of whom beats the next; empty if there is none."""
    return min(filter(None, (_way_back(beats, start) for start in range(len(beats)))), key=len, default=())


def _way_back(beats: np.ndarray, start: int) -> tuple[int, ...]:
    """Return the shortest cycle through a player by breadth-first search."""
    paths: dict[int, tuple[int, ...]] = {start: (start,)}
    front = deque([start])
    while front:
        at = front.popleft()
        if at != start and beats[at, start]:
            return paths[at]
        for other in np.flatnonzero(beats[at]).tolist():
            if other not in paths:
                paths[other] = (*paths[at], other)
                front.append(other)
    return ()


# Nash averaging


class NashAverage(NamedTuple):
    """Maximum-entropy Nash equilibrium of the game "name a player", and every player's score against it."""

    weights: np.ndarray
    scores: np.ndarray

    @property
    def support(self) -> int:
        return int((self.weights > ROUNDING).sum())


def nash_average(scores: np.ndarray) -> NashAverage:
    """Compute the Nash average (Balduzzi et al. 2018): adding copies or weak players does not change the ranking."""
    advantage = advantages(scores)
    weights = _interior_equilibrium(advantage)
    # Strict complementarity identifies the face of all equilibria: the support, and who does worse against it.
    drawn = weights > -advantage @ weights
    weights = np.where(drawn, weights, 0.0) / weights[drawn].sum()
    weights[drawn] = _most_even(weights[drawn], advantage[np.ix_(drawn, drawn)], advantage[np.ix_(~drawn, drawn)])
    return NashAverage(weights, 0.5 + advantage @ weights)


def _interior_equilibrium(advantage: np.ndarray) -> np.ndarray:
    """Return an equilibrium x with x_i + (loss of i against x) > 0 for all i, which exists (Goldman and Tucker 1956).

    Maximise s subject to A x <= 0, x - A x >= s, sum x = 1: a single linear programme, whose x is in the interior of
    the face of all equilibria, not at a vertex.
    """
    players = len(advantage)
    width = players + 1
    conditions = np.vstack([-advantage, np.eye(players) - advantage, np.ones(players)])
    table = np.column_stack([conditions, np.repeat([0.0, -1.0, 0.0], [players, players, 1])])
    lower, upper = np.append(np.zeros(2 * players), 1.0), np.append(np.full(2 * players, math.inf), 1.0)
    columns = Columns(np.append(np.zeros(players), -1.0), np.zeros(width), np.ones(width))
    try:
        primal, _ = solve(columns, rows_of_table(table, lower, upper))
    except LpFailure:
        advice = "check that its scores lie between 0 and 1"
        raise ValueError(f"the equilibrium of the round robin was not found: {advice}") from None
    return np.asarray(np.maximum(primal[:players], 0.0))


def _most_even(start: np.ndarray, equal: np.ndarray, worse: np.ndarray) -> np.ndarray:
    """Maximise the entropy of x > 0 with equal x = 0, worse x <= 0 and sum x = 1, by Newton's method with a barrier."""
    conditions = np.vstack([equal, np.ones(len(start))])
    _, sizes, directions = np.linalg.svd(conditions)
    free = directions[int((sizes > ROUNDING * max(sizes)).sum()) :].T
    x = start
    if free.shape[1] == 0:
        return x
    for strength in (1e-2, 1e-4, 1e-6, 1e-8, 1e-10):

        def cost(at: np.ndarray, strength: float = strength) -> float:
            room = -worse @ at
            if at.min() <= 0 or (len(room) and room.min() <= 0):
                return math.inf
            return float(at @ np.log(at) - strength * np.log(room).sum())

        for _ in range(50):
            room = -worse @ x
            slope = free.T @ (np.log(x) + 1 + worse.T @ (strength / room))
            bend = free.T @ (np.diag(1 / x) + worse.T @ np.diag(strength / room**2) @ worse) @ free
            move = free @ np.linalg.solve(bend, -slope)
            length = 1.0
            while length > 1e-12 and not cost(x + length * move) < cost(x):
                length /= 2
            if length <= 1e-12:
                break
            x = x + length * move
    return np.asarray(x / x.sum())


# Claims


def p_value(counts: np.ndarray) -> float:
    """Return the p-value of "the mean score is at most 1/2": 1/E, E the wealth of bets on a larger one.

    E is the capital of the interval's mixture of constant bets, a test martingale: p is anytime-valid (Ville's
    inequality), for any distribution of the scores and any number of draws.
    """
    values = np.linspace(0, 1, len(check_race(counts)))
    capital = LOG_WEIGHTS + np.log1p(np.outer(2 * STAKES, values - 0.5)) @ counts
    most = capital.max()
    return min(1.0, math.exp(-most - math.log(np.exp(capital - most).sum())))


def holm(p_values: Sequence[float]) -> list[float]:
    """Apply Holm's (1979) correction: claims with a corrected value up to 5 % are all true with probability 95 %."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, largest = [1.0] * len(order), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[i]))
        corrected[i] = largest
    return corrected


def claims(counts: np.ndarray) -> np.ndarray:
    """Return Holm-corrected p-values of "i beats j" at [i, j], over all pairs in both directions; 1 on the diagonal."""
    pairs = list(permutations(range(len(counts)), 2))
    found = np.ones(counts.shape[:2])
    found[tuple(np.array(pairs).T)] = holm([p_value(counts[i, j]) for i, j in pairs])
    return found


def undefeated(scores: np.ndarray) -> list[int]:
    """Return the best players by Table III of Cauwet & Teytaud (2018): at least 1/2 against every opponent."""
    return [i for i, row in enumerate(advantages(scores)) if row.min() >= 0]


# Elo


def elo(counts: np.ndarray, everywhere: bool = True) -> np.ndarray:
    """Return Elo ratings with mean 0: the Bradley-Terry maximum likelihood, with one more draw in every pair.

    The draw makes the ratings of players who won or lost everything finite; unless `everywhere`, pairs that did not
    meet have none. Newton's method on the log odds.
    """
    met = counts.sum(axis=2)
    games = met + (1.0 if everywhere else met > 0.0)
    np.fill_diagonal(games, 0.0)
    won = ((counts @ np.linspace(0, 1, counts.shape[2])) + 0.5) * (games > 0)
    rating = np.zeros(len(counts))
    for _ in range(100):
        expected = 1 / (1 + np.exp(rating - rating[:, None]))
        slope = (won - games * expected).sum(axis=1)
        information = -games * expected * (1 - expected)
        np.fill_diagonal(information, -information.sum(axis=1))
        move = np.linalg.pinv(information) @ slope
        rating = rating + move * min(1.0, 2.0 / max(float(np.abs(move).max()), 1e-300))
        if np.abs(move).max() < 1e-10:
            break
    return np.asarray(ELO * (rating - rating.mean()))


def elo_errors(counts: np.ndarray, ratings: np.ndarray) -> np.ndarray:
    """Return standard errors of the Elo above the first player, from the information of games and a draw per pair.

    Unlike resampling, this gives players who won or lost everything an error.
    """
    met, odds = counts.sum(axis=2), ratings / ELO
    expected = 1 / (1 + np.exp(odds - odds[:, None]))
    information = -(met + (met > 0.0)) * expected * (1 - expected) * (counts.shape[2] - 1) / 2
    np.fill_diagonal(information, -(information.sum(axis=1) - np.diag(information)))
    inverse = np.linalg.pinv(information)
    spread = np.diag(inverse) + inverse[0, 0] - 2 * inverse[0]
    return np.asarray(ELO * np.sqrt(np.maximum(spread, 0.0)))


# Resampling


def resample(counts: np.ndarray, seed: int, times: int = RESAMPLES) -> Iterator[np.ndarray]:
    """Yield bootstrap round robins: every pair's games resampled from its own counts."""
    players, dice = len(counts), np.random.default_rng(seed)
    firsts, seconds = np.triu_indices(players, 1)
    seen = counts[firsts, seconds]
    games = seen.sum(axis=1)
    chances = seen / np.maximum(games, 1)[:, None]
    chances[games == 0, 0] = 1.0
    for _ in range(times):
        drawn = dice.multinomial(games, chances)
        again = np.zeros_like(counts)
        again[firsts, seconds], again[seconds, firsts] = drawn, drawn[:, ::-1]
        yield again


def error_bars(found: Sequence[object]) -> tuple[np.ndarray, np.ndarray]:
    """Return the middle 95 % of a statistic (a number or an array) over resampled round robins."""
    low, high = np.quantile(np.array(found, float), (0.025, 0.975), axis=0)
    return low, high
