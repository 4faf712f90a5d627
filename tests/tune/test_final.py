"""The end of a tuning run: what is not proved to beat the start on fresh games is not the answer."""

import numpy as np
import pytest
from support.levels import default_cases

from fogspiel.core.agents import exact_score, redrawn_baseline, vector_policy
from fogspiel.core.game import known_game
from fogspiel.games.pig import exact as pig
from fogspiel.stats.evaluate import evaluate
from fogspiel.stats.race import Race
from fogspiel.tuning.arena import FINAL, TRAINING, Arena, Budget
from fogspiel.tuning.tune import DELTA, split_budget, thin_checkpoints, tune_strategy, validate

PIG, BATAWAF = known_game("pig"), known_game("batawaf")


def arena_from(game, start, seed=1, games=20_000, **more):
    """An arena whose start is a vector of ours."""
    arena = Arena(game, seed, Race("count-mixture"), budget=Budget(games), purpose=FINAL, **more)
    object.__setattr__(arena.contest, "start", lambda: np.array(start, float))
    return arena


def last(arena, answer, checkpoints=()):
    *_, final = validate(arena, {"theta": answer}, [{"theta": theta} for theta in checkpoints])
    return final


def test_an_answer_that_loses_to_the_start_gives_way_to_it():
    final = last(arena_from(PIG, [0.0]), [30.0])
    assert (final.candidate, final.proved, final.answer) == ("start", False, {"theta": [0.0]})


def test_an_answer_that_wins_is_kept_and_its_interval_holds_the_exact_score():
    final = last(arena_from(PIG, [-8.0]), [0.0])
    exact = pig.threshold_matrix()[20, 4]
    assert (final.candidate, final.proved) == ("answer", True)
    assert final.interval[0] <= exact <= final.interval[1] and final.interval[0] > 0.5
    assert 19_990 < final.games <= 20_000  # what the race left has made the interval narrower


def test_a_checkpoint_has_its_turn_if_the_answer_fails():
    final = last(arena_from(PIG, [-8.0]), [40.0], [[39.0], [0.0]])
    assert (final.candidate, final.proved, final.answer) == ("checkpoint 2", True, {"theta": [0.0]})


def test_an_answer_that_is_the_start_needs_no_games():
    arena = arena_from(PIG, [0.5])
    assert last(arena, [0.5]).candidate == "start" and arena.games == 0


def test_the_last_games_are_not_those_of_the_method():
    keys = [Arena(PIG, 1, purpose=purpose)._key(0) for purpose in (TRAINING, FINAL)]
    assert keys[0] != keys[1]


def test_a_mixture_must_not_be_worse_and_a_vector_must_be_better():
    mixed = {"theta": [0.0, 0.0, 5.0], "thetas": [[0.0, 0.0, 5.0], [0.0, 0.0, 6.0]], "weights": [0.5, 0.5]}
    *_, final = validate(arena_from(BATAWAF, [0.0, 0.0, 5.0], games=80_000), mixed, [])
    assert final.proved and final.answer == mixed
    *_, final = validate(arena_from(BATAWAF, [0.0, 0.0, 5.0], games=80_000), {"theta": [0.0, 0.0, 6.0]}, [])
    assert not final.proved


@pytest.mark.thorough
def test_a_vector_that_ties_with_the_start_must_be_better_against_the_baseline():
    nim = known_game("nim")
    start, *others = Arena(nim, 5).gaussians(150)
    even = [theta for theta in others if exact_score(nim, vector_policy(nim, theta), vector_policy(nim, start)) == 0.5]
    rated = [evaluate(nim, vector_policy(nim, theta), redrawn_baseline(nim), 1, 1000).mean for theta in [start, *even]]
    best, worst = even[int(np.argmax(rated[1:]))], even[int(np.argmin(rated[1:]))]
    assert max(rated[1:]) > rated[0] + 0.1 and min(rated[1:]) < rated[0]
    for theta, proved in ((best, True), (worst, False)):
        final = last(arena_from(nim, start, games=40_000, baseline_name="redrawn"), theta.tolist())
        assert final.proved == proved and (final.gain is not None) == proved
    assert not last(arena_from(nim, start, games=40_000, baseline_name="fixed"), best.tolist()).proved


@pytest.mark.thorough
def test_equals_are_called_better_no_more_often_than_the_risk_allows():
    proved = [last(arena_from(BATAWAF, [9.0, 0.0, 0.0], seed, 1000), [9.0, 0.0, 1e-9]).proved for seed in range(300)]
    assert sum(proved) <= 300 * DELTA + 2 * (300 * DELTA) ** 0.5


def test_checkpoints_are_the_last_ones_ever_further_apart():
    assert thin_checkpoints(list("abcdefgh")) == ["h", "g", "e", "a"]
    assert thin_checkpoints([]) == []


def test_a_budget_is_divided_without_a_rest():
    assert sum(split_budget(1001)) == 1001 and split_budget(1000, 0.0) == (1000, 0)


@pytest.mark.parametrize(
    "method", default_cases(["iterative"], ["iterative", "spsa", "approximate-coevolution", "naive"])
)
def test_no_seed_ends_below_its_start(method):
    matrix = pig.threshold_matrix()

    def threshold(theta):
        return int(min(max(round(20 + 2 * theta[0]), 2), 100))

    for seed in range(1, 9):
        found = tune_strategy("pig", method, 20_000, seed)
        start = Arena(PIG, seed).start
        assert matrix[threshold(found.policy.thetas[0]), threshold(start)] >= 0.5 - 1e-9
