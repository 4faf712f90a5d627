"""Ask and tell: an optimiser of others is a method like ours, and a run of it can be replayed."""

from contextlib import suppress

import numpy as np
import pytest
from landscapes import TASKS

from fogspiel import Arena, Step, method_of
from fogspiel.core.game import known_game
from fogspiel.stats.race import Race
from fogspiel.tuning.arena import Budget, BudgetSpent
from fogspiel.tuning.methods.auto import auto, reply


class RandomSearch:
    """The best of Gaussian points, by their scores alone."""

    def __init__(self, size, points, seed):
        self.rng, self.size, self.best, self.points = np.random.default_rng(seed), size, (-1.0, np.zeros(size)), points

    def ask(self):
        return self.rng.standard_normal(self.size)

    def tell(self, point, score):
        self.best = max(self.best, (score, point), key=lambda known: known[0])

    def recommend(self):
        return self.best[1]


def run(method, game, games, seed=1, baseline="redrawn", **more):
    arena, steps = Arena(game, seed, Race("count-mixture"), baseline, Budget(games), **more), []
    with suppress(BudgetSpent):
        for step in method(arena):
            steps.append(step)
    return arena, steps


def test_an_optimiser_is_told_scores_that_lead_it_up():
    made = TASKS["sphere"](5, 1)
    arena, steps = run(method_of(RandomSearch), made.game, 10_000)
    assert isinstance(steps[-1], Step) and len(steps) == 10_000 // 32
    assert made.score(steps[-1].theta, arena.start) > 0.6


def test_recorded_events_give_the_same_steps_without_games():
    game = TASKS["sphere"](5, 1).game
    arena, steps = run(method_of(RandomSearch), game, 3_000)
    _, again = run(method_of(RandomSearch), game, 3_000, recorded=arena.take_events())
    assert [step.theta.tolist() for step in again] == [step.theta.tolist() for step in steps]


def test_the_number_of_points_is_that_of_the_budget():
    made = []
    method = method_of(lambda size, points, seed: made.append((size, points, seed)) or RandomSearch(size, points, seed))
    run(method, known_game("pig"), 320, seed=7)
    assert made == [(1, 10, 7)]


def test_auto_against_a_named_opponent_is_reply():
    (_, ours), (_, replies) = (run(method, known_game("pig"), 2_000, baseline="hold20") for method in (auto, reply))
    assert [step.theta.tolist() for step in ours] == [step.theta.tolist() for step in replies]


@pytest.mark.thorough
def test_nevergrad_finds_what_beats_its_start():
    pytest.importorskip("nevergrad", reason="nevergrad is not installed")
    from plugins.tuning.methods.nevergrad_optimisers import METHODS

    made = TASKS["sphere"](5, 1)
    arena, steps = run(METHODS["nevergrad-tbpsa"], made.game, 10_000)
    assert made.score(steps[-1].theta, arena.start) > 0.6
