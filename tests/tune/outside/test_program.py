"""Programs as contests: numbered games of vectors, the same whoever plays them."""

from fractions import Fraction

import numpy as np
import pytest

from fogspiel.core.rng import split
from fogspiel.process.worker_pool import WorkerPool
from fogspiel.tuning.arena import Contest
from fogspiel.tuning.programs.contest import (
    FunctionBackend,
    ProgramContest,
    Scale,
    WorkerBackend,
    demand_function,
    worker_words,
)
from fogspiel.tuning.programs.parameters import Parameters

TWO = Parameters.of({"x": {"start": 1, "low": -9, "high": 9, "scale": 1}, "k": {"start": 2, "whole": True, "scale": 1}})

SOURCE = """
def play(a, b, seed):
    print("noise")
    return ((a["x"] > b["x"]) + seed % 3) % 3 / 2

def alone(a, seed):
    return ((a["x"] + seed) % 3) / 2
"""


def program(function, scale=None, parameters=TWO):
    scale = scale or Scale()
    return ProgramContest("test", parameters, FunctionBackend(function, scale), scale)


def test_a_program_is_a_contest():
    found: Contest = program(lambda a, b, seed: 0.5)
    assert found.payoffs == (0, Fraction(1, 2), 1) and found.max_score == 2 and not found.mixes
    assert found.start().tolist() == [0, 0] and found.strategy.parameters == ("x", "k")
    assert found.clip(np.array([99.0, 0.0])).tolist() == [8.0, 0.0]


def test_pairs_have_one_seed_and_swap_the_seats():
    calls = []

    def play(a, b, seed):
        calls.append((a["x"], b["x"], seed))
        return 1 if a["x"] > b["x"] else 0

    scores = program(play).match(np.array([[1.0, 0], [2, 0]]), np.array([[0.0, 0]])).scores(77, 3, 4)
    assert scores.tolist() == [[2, 2]] * 4  # the first vector wins in either seat
    assert [call[:2] for call in calls] == [(3, 1), (1, 3), (2, 1), (1, 2)] * 2
    seeds = [seed for _, _, seed in calls]
    assert seeds == [int(split(np.uint64(77), n)) >> 33 for n in (3, 3, 4, 4, 5, 5, 6, 6)] and max(seeds) < 2**31


def test_alternating_games_swap_the_odd_numbers():
    calls = []
    program(lambda a, b, seed: calls.append(a["x"]) or 0).match(np.array([[1.0, 0]]), np.zeros((1, 2))).scores(
        5, 0, 4, "alternating"
    )
    assert calls == [2, 1, 2, 1]


def test_games_do_not_depend_on_how_they_are_cut():
    found = program(lambda a, b, seed: seed % 3 / 2).match(np.ones((3, 2)), np.zeros((2, 2)))
    whole = found.scores(9, 0, 20)
    parts = [found.scores(9, first, count) for first, count in ((0, 7), (7, 1), (8, 12))]
    assert np.vstack(parts).tolist() == whole.tolist()


@pytest.mark.parametrize("alone", [False, True])
def test_workers_play_the_games_that_the_function_plays(tmp_path, alone, capfd):
    path, scale = tmp_path / "f.py", Scale(single=alone)
    path.write_text(SOURCE)
    words, names = f"{path}:{'alone' if alone else 'play'}", {}
    exec(SOURCE, names)
    demand_function(words, scale)
    rows = np.array([[0.0, 1], [1, 0], [2, 0]])
    here = program(names["alone" if alone else "play"], scale).match(rows, rows[:2]).scores(4, 0, 15)
    with WorkerPool(worker_words(words, scale), 2) as workers:
        there = ProgramContest("test", TWO, WorkerBackend(workers), scale).match(rows, rows[:2]).scores(4, 0, 15)
    assert here.tolist() == there.tolist() and len(set(here.ravel().tolist())) > 1


def test_scores_of_a_range_are_rounded_without_bias_by_the_seed_of_the_game():
    scale = Scale(-2.0, 6.0, graded=True)
    assert len(scale.payoffs) == 101 and scale.payoffs[0] == -2 and scale.payoffs[-1] == 6
    score = -2 + 8 * 0.1234
    match = program(lambda a, b, seed: score, scale).match(np.zeros((1, 2)), np.zeros((1, 2)))
    first, second = match.scores(1, 0, 20_000).T
    assert set(first.tolist()) == {12, 13}
    assert abs(first.mean() - 12.34) < 5 * 0.48 / 20_000**0.5
    assert set(second.tolist()) == {87, 88}  # the other one's score, for the game is zero-sum
    assert abs(second.mean() - 87.66) < 5 * 0.48 / 20_000**0.5
    assert match.scores(1, 0, 100).T.tolist() == [first[:100].tolist(), second[:100].tolist()]


def test_scores_on_the_grid_are_kept_exactly():
    scale = Scale(0.0, 1.0, graded=True)
    for step in (0, 25, 50, 100):
        found = program(lambda a, b, seed, s=step / 100: s, scale).match(np.zeros((1, 2)), np.zeros((1, 2)))
        assert set(found.scores(1, 0, 50, "alternating")[::2].ravel().tolist()) == {step}


def test_alone_a_game_is_worth_the_difference_on_one_seed():
    seen = []
    found = program(lambda a, seed: seen.append(seed) or (1.0 if a["x"] > 1 else 0.5), Scale(single=True))
    assert found.payoffs == (-1, Fraction(-1, 2), 0, Fraction(1, 2), 1)
    scores = found.match(np.array([[1.0, 0]]), np.array([[0.0, 0]])).scores(3, 0, 2)
    assert scores.tolist() == [[3, 3], [3, 3]]
    assert seen[::2] == seen[1::2] and len(set(seen)) == 4  # the two games of a pair have seeds of their own


def test_alone_a_range_is_mapped_to_differences():
    scale = Scale(0.0, 10.0, graded=True, single=True)
    assert scale.payoffs[0] == -10 and scale.payoffs[50] == 0 and scale.payoffs[100] == 10
    found = program(lambda a, seed: a["x"], scale).match(np.array([[2.0, 0]]), np.array([[0.0, 0]]))
    assert set(found.scores(3, 0, 5).ravel().tolist()) == {60}


@pytest.mark.parametrize(
    ("score", "scale", "sentence"),
    [
        (0.7, Scale(), "neither 0, 1/2 nor 1"),
        (7.0, Scale(0, 5, graded=True), "outside of its range from 0 to 5"),
        (float("nan"), Scale(0, 5, graded=True), "outside of its range"),
    ],
)
def test_a_score_that_is_none_is_refused(score, scale, sentence):
    with pytest.raises(ValueError, match=sentence):
        program(lambda a, b, seed: score, scale).try_out()


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (0, float("inf")), (float("nan"), 1)])
def test_a_range_must_have_two_ends(low, high):
    with pytest.raises(ValueError, match="low must be below high"):
        Scale(low, high, graded=True)


def test_the_sink_hears_every_answer_in_order():
    heard, scale = [], Scale()
    door = FunctionBackend(lambda a, b, seed: seed % 2, scale)
    found = ProgramContest("test", TWO, door, scale, sink=heard.append)
    scores = found.match(np.zeros((1, 2)), np.zeros((1, 2))).scores(2, 0, 9)
    assert [2 * answer["score"] for answer in heard] == scores.ravel().tolist()


def test_a_function_must_return_a_number():
    with pytest.raises(ValueError, match="returned None: it must return a number"):
        program(lambda a, b, seed: None).try_out()


def test_a_vector_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="the method has diverged"):
        program(lambda a, b, seed: 0).match(np.array([[np.nan, 0]]), np.zeros((1, 2)))
