"""The response surface: optima inside of a box, choices, circles, and the landscape that it leaves for people."""

import numpy as np
import pytest
from bounded import tuned

from fogspiel.tuning.arena import Arena, Budget, BudgetSpent
from fogspiel.tuning.methods import find_tune_method
from fogspiel.tuning.programs.parameters import Parameters


def tune(task, games, seed=1, method="auto"):
    arena = Arena(task, seed, budget=Budget(games))
    theta = arena.start
    try:
        for step in find_tune_method(method)(arena):
            assert (arena.contest.clip(step.theta) == step.theta).all()
            theta = step.theta
    except BudgetSpent:
        pass
    return arena, theta


@pytest.mark.parametrize(("size", "games", "share"), [(2, 4000, 0.8), (12, 6000, 0.7)])
def test_auto_finds_an_optimum_within_limits_by_weak_signals(size, games, share):
    task = tuned(size, 21)
    _, theta = tune(task, games)
    assert task.gain(theta) >= share * task.most


@pytest.mark.thorough
def test_auto_comes_close_to_the_unbeatable_point_of_a_partly_cyclic_program():
    assert sorted(tuned(6, seed).gain(tune(tuned(6, seed), 7500, seed)[1]) for seed in range(21, 26))[2] > 0.485


@pytest.mark.thorough
def test_sixty_weak_parameters_support_each_other():
    task = tuned(60, 21)
    assert task.gain(tune(task, 7500)[1]) > 0.4 * task.most


def test_duels_stay_within_limits():
    task = tuned(12, 22)
    assert task.gain(tune(task, 6000, method="duel")[1]) > 0


def test_the_landscape_has_the_best_values_and_intervals_around_the_truth():
    task = tuned(2, 23)
    arena, _ = tune(task, 6000)
    found = arena.landscape()
    assert [one["parameter"] for one in found] == ["p0", "p1"]
    for place, one in enumerate(found):
        values, scores, low, high = np.array(one["points"], float).T
        assert len(values) == 11 and (low <= scores).all() and (scores <= high).all() and one["importance"] > 1
        best = (values[scores.argmax()] - values[0]) / (values[-1] - values[0])
        assert best == pytest.approx(task.optimum[place], abs=0.2)


def test_a_choice_that_matters_is_found_and_one_vector_says_which():
    task = tuned(12, 24)
    arena, theta = tune(task, 12_000)
    (chosen,) = (one for one in arena.landscape() if one["parameter"] == "p11")
    assert [point[0] for point in chosen["points"]] == ["a", "b", "c", "d"]
    assert task.bonus[0]["abcd".index(task.strategy.values(theta)["p11"])] > task.bonus[0].min()


def test_every_choice_has_a_number_that_stands_for_it():
    for many in range(2, 8):
        (member,) = Parameters.of({"x": {"start": 2, "choices": list(range(many + 1))}}).members
        numbers = member.representatives
        assert numbers[0] == 0 and {member.value(number) for number in numbers} == set(range(many + 1))


def test_a_logarithmic_parameter_moves_by_ratios():
    space = Parameters.of({"x": {"start": 10, "low": 1, "high": 1000, "scale": "log"}, "n": {"start": 4, "low": 0}})
    (low, _), (high, unlimited) = space.box
    assert space.values([low, 0])["x"] == pytest.approx(1) and space.values([high, 0])["x"] == pytest.approx(1000)
    assert space.values([(low + high) / 2, 0])["x"] == pytest.approx(1000**0.5) and np.isinf(unlimited)
    assert Parameters.from_json(space.to_json()) == space


@pytest.mark.parametrize("table", [{"start": 0, "low": 0, "high": 5}, {"start": 3, "low": 0}])
def test_a_logarithmic_parameter_must_be_positive(table):
    with pytest.raises(ValueError, match='scale = "log": its start and its low must be above 0'):
        Parameters.of({"x": {**table, "scale": "log"}})
