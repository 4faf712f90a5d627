"""Figures of a match: counts, ratios and intervals, by their definitions."""

import math
from itertools import product

import numpy as np
import pytest

from fogspiel.core.agents import PlayerAgent, find_policy
from fogspiel.core.game import known_game
from fogspiel.core.session import AgentMatch
from fogspiel.core.simulate import PolicyMatch
from fogspiel.stats import evaluate as module
from fogspiel.stats.evaluate import Strength, evaluate, median_interval, pentanomial_interval, strength_of
from fogspiel.stats.race import interval


def test_pairs_of_results_are_counted_by_game_and_by_sum():
    found = strength_of([(2, 2), (2, 0), (1, 1), (0, 1), (2, 1)])
    assert (found.wins, found.draws, found.losses) == (4, 4, 2)
    assert found.pairs == (0, 1, 2, 1, 1)


@pytest.mark.parametrize(("wins", "losses", "ratio"), [(6, 3, 2.0), (1, 4, 0.25), (3, 0, math.inf), (0, 3, 0.0)])
def test_wins_per_loss_are_a_ratio(wins, losses, ratio):
    assert Strength(wins, 1, losses, (0, 0, 0, 0, 0)).ratio == ratio
    assert math.isnan(Strength(0, 1, 0, (0, 0, 0, 0, 0)).ratio)


@pytest.mark.parametrize("pairs", [(1, 4, 10, 6, 2), (0, 1, 0, 1, 0), (0, 0, 0, 1, 3), (3, 1, 0, 0, 0)])
def test_the_pentanomial_interval_is_that_of_a_sample_of_pairs(pairs):
    sample = np.repeat(np.arange(5) / 4, pairs)
    half = 1.959964 * sample.std(ddof=1) / math.sqrt(len(sample))
    low, high = max(sample.mean() - half, 0), min(sample.mean() + half, 1)
    assert pentanomial_interval(pairs) == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize("pairs", [(0, 0, 1, 0, 0), (0, 0, 9, 0, 0), (0, 0, 0, 0, 1)])
def test_pairs_that_ended_alike_get_the_interval_for_any_law(pairs):
    assert pentanomial_interval(pairs) == interval(np.array(pairs))


@pytest.mark.parametrize("count", range(1, 13))
@pytest.mark.parametrize("risk", [0.05, 0.25, 0.125])
def test_the_interval_of_a_median_misses_it_as_rarely_as_it_says(count, risk):
    """By all ways in which results may lie below or above the median."""
    found = median_interval(range(count), risk)
    rank = found.low + 1
    assert found.high == count - rank and found.median == (count - 1) / 2

    def missed(rank):
        below = [sum(signs) for signs in product((0, 1), repeat=count)]
        return sum(number < rank or count - number < rank for number in below) / 2**count

    assert found.confidence == pytest.approx(1 - missed(rank))
    assert rank == 1 or missed(rank) <= risk
    assert 2 * rank >= count or missed(rank + 1) > risk


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("seats", ["swapped", "alternating"])
def test_a_match_counts_the_scores_of_its_games(monkeypatch, compiled, seats):
    beats = []
    monkeypatch.setattr(module, "need_no_compiler", lambda *given: not compiled)
    monkeypatch.setattr(module, "beat", lambda: beats.append(1))
    game = known_game("tic-tac-toe")
    uniform, other = find_policy(game, "uniform"), PlayerAgent("other", find_policy(game, "uniform").new_player)
    for first, second in ((uniform, uniform), (uniform, other), (other, uniform)):
        match = module.make_match(game, first, second)
        assert isinstance(match, PolicyMatch if first is second else AgentMatch)
        found = evaluate(game, first, second, 7, 9, seats)
        scores = match.scores(7, 0, 5 if seats == "swapped" else 9, seats)
        assert found.outcomes == tuple((scores == value).sum() for value in range(3))
        sums = scores.sum(axis=1)
        top = 2 * scores.shape[1]
        assert found.observed == tuple((sums == value).sum() for value in range(top + 1))
        figures = found.to_json()
        assert [figures[name] for name in ("losses", "draws", "wins")] == figures["outcomes"] and beats
        assert found.games == scores.size and found.payoffs == tuple(map(float, game.payoffs))


def test_an_interrupted_match_goes_on_where_it_was_counted():
    game = known_game("tic-tac-toe")
    uniform = find_policy(game, "uniform")
    half, whole = (evaluate(game, uniform, uniform, 3, games) for games in (40, 100))
    seen = []
    again = evaluate(game, uniform, uniform, 3, 100, watch=seen.append, counted=half.to_json())
    assert again == whole and seen[-1] == whole
