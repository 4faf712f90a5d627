"""Functions tuned from Python: values with a proof, or the start."""

import random
from pathlib import Path

import pytest
import support

import fogspiel
from fogspiel.tuning.methods import tune_methods
from fogspiel.tuning.programs.parameters import Parameters

pytestmark = pytest.mark.thorough

OUTSIDE = Path(support.__file__).parent / "outside"
FILE = OUTSIDE / "hill.toml"
START = {"a": 0.0, "b": 0.0, "c": 0.1, "d": 3, "e": "slow"}


@pytest.fixture
def hill(monkeypatch):
    """The functions of the tests' own program."""
    monkeypatch.syspath_prepend(str(OUTSIDE))
    import hill

    return hill


def test_five_parameters_come_near_their_known_best_and_the_gain_is_proved(hill):
    for seed in (1, 2, 3):
        found = fogspiel.tune_function(hill.play, FILE, games=10_000, seed=seed, method="duel")
        values = found.parameters
        assert hill.badness(values) < 0.6 < hill.badness(START)
        assert found.proved and found.proof["elo_interval"][0] > 0 and "Elo" in str(found)
        assert found.games <= 10_000


def test_the_same_seed_finds_the_same_values_and_another_one_others(hill):
    found = [fogspiel.tune_function(hill.play, FILE, games=1000, seed=seed, method="duel") for seed in (5, 5, 6)]
    assert found[0] == found[1] and found[0].parameters != found[2].parameters


def test_parameters_may_be_tables_a_file_or_ready(hill):
    tables = {"a": {"start": 0, "low": -10, "high": 10}}

    def play(a, b, seed):
        return hill.play(START | a, START | b, seed)

    found = [fogspiel.tune_function(play, given, games=500, method="duel") for given in (tables, Parameters.of(tables))]
    assert found[0] == found[1]


def test_a_function_of_one_vector_gives_a_gain_in_its_own_units(hill):
    found = fogspiel.tune_function(hill.alone, FILE, games=3000, method="duel", score_range=(-10.0, 0.0), alone=True)
    gain = hill.badness(START) - hill.badness(found.parameters)
    low, high = found.proof["interval"]
    assert found.proved and low <= gain <= high and str(found).startswith("better than the initial values by ")


def test_errors_of_the_users_own_function_are_raised_as_they_are():
    with pytest.raises(ZeroDivisionError):
        fogspiel.tune_function(lambda a, b, seed: 1 / 0, FILE, games=100)


@pytest.mark.parametrize(
    ("function", "more", "sentence"),
    [
        (lambda a, b, seed: 0.3, {}, "the function has scored 0.3, which is neither 0, 1/2 nor 1"),
        (
            lambda a, b, seed: 3,
            {"score_range": (0, 2)},
            "the function has scored 3.0, outside of its range from 0 to 2",
        ),
        (lambda a, seed: 0, {}, r"it must take \(a, b, seed\)"),
        (None, {}, "is not a function"),
        (lambda a, b, seed: 0, {"games": 1}, "the budget is 1 games"),
        (lambda a, b, seed: 0, {"seed": -1}, "the seed is -1"),
        (lambda a, b, seed: 0, {"method": "none"}, "there is no method 'none'"),
        (lambda a, b, seed: 0, {"score_range": (2, 2)}, "low must be below high"),
    ],
)
def test_what_cannot_be_tuned_is_a_sentence(function, more, sentence):
    with pytest.raises(ValueError, match=sentence):
        fogspiel.tune_function(function, FILE, **{"games": 100} | more)


def claims(function, runs, games, **more):
    """How many of so many runs claim a gain."""
    return sum(fogspiel.tune_function(function, FILE, games, seed, **more).proved for seed in range(runs))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "duel", "iterative"])
def test_on_a_flat_landscape_at_most_five_of_a_hundred_runs_claim_a_gain(hill, method):
    assert claims(hill.flat, 100, 2000, method=method) <= 5


@pytest.mark.slow
def test_on_a_flat_landscape_of_graded_scores_at_most_five_of_a_hundred_runs_claim_a_gain():
    def noise(a, seed):
        return random.Random(str((sorted(a.items(), key=str), seed))).random()

    assert claims(noise, 100, 1000, method="duel", score_range=(0.0, 1.0), alone=True) <= 5


@pytest.mark.parametrize("method", tune_methods())
def test_values_that_beat_each_other_in_a_circle_end_in_one_vector(method, monkeypatch):
    monkeypatch.syspath_prepend(str(OUTSIDE))
    import circle

    for seed in (1, 7, 8):
        found = fogspiel.tune_function(circle.play, OUTSIDE / "circle.toml", games=2000, seed=seed, method=method)
        assert set(found.parameters) == {"x", "y"} and found.games <= 2000
        assert not found.proved and found.parameters == {"x": 0.0, "y": 0.0}  # nobody scores more than the start


def test_a_method_that_mixes_ends_in_one_vector_too():
    def rock_paper_scissors(a, b, seed):
        return (0.5, 1, 0)[(a["hand"] - b["hand"]) % 3]

    tables = {"hand": {"start": 0, "low": -10, "high": 10, "scale": 1, "whole": True}}
    for seed in (1, 2, 3):
        found = fogspiel.tune_function(rock_paper_scissors, tables, games=2000, seed=seed, method="psro")
        assert set(found.parameters) == {"hand"} and (found.proved or found.parameters == {"hand": 0})
