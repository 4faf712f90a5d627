"""The test of engine testing, and normalised Elo: brute force, the formula of the normal law, published figures."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.stats.evaluate import Strength, normalised_elo, score_of, spread_of
from fogspiel.stats.sprt import Gsprt, likeliest_law, log_ratio

FISHTEST = (13, 37, 50, 25, 3)
"""The pairs of a test of a public server that runs fishtest, with elo1 = 2.716, printed beside its figures."""


def best_likelihood(counts, score):
    """The greatest log likelihood of three outcomes with that mean, from a fine line of all such laws."""
    wins = np.linspace(0, score, 2_000_001)[1:-1]
    draws = 2 * (score - wins)
    losses = 1 - wins - draws
    held = (draws > 0) & (losses > 0)
    laws = np.stack([losses[held], draws[held], wins[held]])
    return float((np.log(laws) * np.array(counts)[:, None]).sum(axis=0).max())


@pytest.mark.thorough
@pytest.mark.parametrize("counts", [(10, 20, 12), (3, 50, 9), (40, 5, 20), (100, 1, 130)])
@pytest.mark.parametrize("scores", [(0.5, 0.52), (0.45, 0.6)])
def test_the_ratio_is_that_of_the_most_likely_laws_with_the_two_means(counts, scores):
    low, high = scores
    expected = best_likelihood(counts, high) - best_likelihood(counts, low)
    assert log_ratio(np.array(counts, float), low, high) == pytest.approx(expected, abs=1e-6)


def test_of_five_outcomes_no_law_with_that_mean_is_more_likely_than_the_one_that_is_used():
    stream, counts, score = np.random.default_rng(1), np.array(FISHTEST, float), 0.45
    values, total = np.arange(5) / 4, sum(FISHTEST)
    laws = stream.dirichlet(counts, 200_000)
    near = laws[np.abs(laws @ values - score) < 0.0005]
    best = float((np.log(near) @ counts).max())
    free = float(counts @ np.log(counts / total))
    # The ratio against the observed mean itself, at which the most likely law is the observed one.
    found = free + log_ratio(counts, float(counts @ values) / total, score)
    assert found >= best - 0.2 and found == pytest.approx(best, abs=1.0)  # 0.2: the means are only near


@given(st.lists(st.integers(200, 3000), min_size=5, max_size=5), st.floats(-3, 3), st.floats(0.5, 6))
@settings(max_examples=60, deadline=None)
def test_close_hypotheses_give_the_ratio_of_the_normal_law(counts, elo0, width):
    seen, values = np.array(counts, float), np.arange(5) / 4
    average = float(seen @ values) / seen.sum()
    variance = float(seen @ (values - average) ** 2) / seen.sum()
    middle = average - 0.5
    low, high = score_of(elo0) + middle, score_of(elo0 + width) + middle  # near the observed mean
    expected = seen.sum() * (high - low) * (2 * average - low - high) / (2 * variance)
    assert log_ratio(seen, low, high) == pytest.approx(expected, rel=0.1, abs=0.05)  # skewed counts: 5 %


def test_figures_of_a_fishtest_server_come_out():
    assert Gsprt(0, 2.716).ratio(FISHTEST) == pytest.approx(-0.53772, abs=1e-4)
    assert normalised_elo(FISHTEST, 0.4375) == pytest.approx(-63.97, abs=0.005)
    assert spread_of(FISHTEST) == pytest.approx(0.33946, abs=1e-5)
    assert (Gsprt().elo0, Gsprt().elo1) == (0, 5)
    assert Gsprt().bounds == pytest.approx((-2.9444, 2.9444), abs=1e-4)


def test_the_test_goes_on_until_a_bound_is_crossed_and_bears_counts_of_zero():
    test = Gsprt(0, 10)
    assert test.decision((0, 0, 0, 0, 0)) == 0
    assert test.decision((0, 0, 10, 0, 0)) == 0
    assert test.decision((5, 40, 100, 140, 40)) == 1
    assert test.decision((40, 140, 100, 40, 5)) == -1
    assert test.ratio((40, 140, 100, 40, 5)) < test.ratio((5, 40, 100, 140, 40))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"elo1": 0.0}, "larger"), ({"alpha": 0.0}, "alpha"), ({"alpha": 0.5}, "alpha"), ({"beta": 0.7}, "beta")],
)
def test_hypotheses_and_errors_that_make_no_test_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        Gsprt(**wrong)


def test_normalised_elo_is_elo_without_draws_and_larger_with_them():
    even = Strength(510, 0, 490, (120, 0, 250, 0, 130))  # independent games: pairs like two coins
    assert even.normalised_elo == pytest.approx(even.elo, rel=0.01)
    drawn = Strength(110, 800, 90, (2, 80, 326, 88, 4))
    assert drawn.score == even.score and drawn.normalised_elo > 2 * drawn.elo
    low, high = drawn.normalised_elo_interval()
    assert low < drawn.normalised_elo < high
    assert (high - low) / 2 == pytest.approx(1.96 * 800 / math.log(10) / math.sqrt(1000), rel=0.01)
    assert drawn.normalised_elo_interval(stopped=True)[0] < low


def test_normalised_elo_is_unknown_where_all_pairs_ended_alike():
    figures = Strength(0, 4, 0, (0, 0, 2, 0, 0)).to_json()
    assert figures["normalised_elo"] is None and figures["normalised_elo_interval"] == [None, None]
    assert Strength(0, 0, 0, (0, 0, 0, 0, 0)).to_json()["normalised_elo"] is None


def law_on_the_curve(draws, deviations):
    """The law with that share of draws whose mean is so many deviations above 1/2, by bisection."""
    low, high = -(1 - draws), 1 - draws  # wins less losses: twice the mean above 1/2
    for _ in range(100):
        gap = (low + high) / 2
        spread = math.sqrt(max((1 - draws) / 4 - gap**2 / 4, 0))
        low, high = (gap, high) if gap / 2 < deviations * spread else (low, gap)
    return np.array([(1 - draws - low) / 2, draws, (1 - draws + low) / 2])


@pytest.mark.parametrize("seen", [(0.2, 0.5, 0.3), (0.1, 0.2, 0.7), (0.4, 0.3, 0.3)])
@pytest.mark.parametrize("deviations", [0.0, 0.05, -0.2])
def test_the_likeliest_law_of_normalised_elo_is_the_best_of_all_on_its_curve(seen, deviations):
    seen, values = np.array(seen), np.arange(3) / 2
    law = likeliest_law(seen, deviations)
    mean = float(law @ values)
    assert law.sum() == pytest.approx(1)
    assert mean - 0.5 == pytest.approx(deviations * math.sqrt(float(law @ (values - mean) ** 2)), abs=1e-9)
    best = max(float(seen @ np.log(law_on_the_curve(draws, deviations))) for draws in np.linspace(0.01, 0.9, 179))
    assert best - 1e-9 <= float(seen @ np.log(law)) < best + 1e-3


@pytest.mark.parametrize("counts", [(13.0, 37.0, 50.0), (3.0, 60.0, 30.0)])
def test_the_ratio_of_two_means_is_that_of_the_best_laws_with_them(counts):
    """A law of three outcomes with a mean has one free number, the share of wins."""

    def most(score):
        wins = np.linspace(max(0.0, 2 * score - 1), score, 20_001)[1:-1]
        laws = np.stack([1 - wins - 2 * (score - wins), 2 * (score - wins), wins])
        return float((np.log(laws) * np.array(counts)[:, None]).sum(axis=0).max())

    found = float(log_ratio(np.array(counts), 0.5, 0.6))
    assert found == pytest.approx(most(0.6) - most(0.5), abs=1e-4)
