"""The automatic method: better than its start for few games and many, whatever the parameters, and it says why."""

from contextlib import suppress

import numpy as np
import pytest
from landscapes import TASKS
from support.levels import default_cases

from fogspiel.core.agents import decode_policy, vector_policy
from fogspiel.core.game import known_game
from fogspiel.games.morra import exploitability_of
from fogspiel.stats.evaluate import evaluate, report_key
from fogspiel.stats.race import Race
from fogspiel.tuning.arena import Arena, Budget, BudgetSpent, Step, hashed_parameters
from fogspiel.tuning.methods import find_tune_method, tune_methods
from fogspiel.tuning.methods.auto import Finalists, choose, decide, make_ways, mix, opponents
from fogspiel.tuning.population import Pool, draw_wide


def tune(game, games, seed=1, baseline="redrawn", **more):
    """The arena and all steps of a run."""
    arena, steps = Arena(game, seed, Race("count-mixture"), baseline, Budget(games), **more), []
    with suppress(BudgetSpent):
        for step in find_tune_method("auto")(arena):
            steps.append(step)
    return arena, steps


def test_it_is_listed_first():
    assert next(iter(tune_methods())) == "auto"


@pytest.mark.parametrize("task", default_cases(["draws"], ["sphere", "rotated", "wider", "draws"]))
def test_a_thousand_games_are_enough_to_beat_the_start(task):
    ahead = []
    for seed in range(1, 6):
        made = TASKS[task](5, seed)
        arena, steps = tune(made.game, 1000, seed)
        ahead.append(made.score(steps[-1].theta, arena.start))
    assert np.median(ahead) > 0.6


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("task", "dimension"), [("rotated", 5), ("wider", 5), ("cone", 5), ("draws", 5), ("plateaus", 5)]
)
def test_it_comes_near_the_optimum_of_landscapes(task, dimension):
    made = TASKS[task](dimension, 1)
    _, steps = tune(made.game, 20_000)
    assert made.score(steps[-1].theta, made.optimum) > 0.4


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["pig", "permutation-four", "batawaf4", "cheat-special"])
@pytest.mark.parametrize("baseline", ["redrawn", "fixed", "uniform"])
def test_one_parameter_seeds_alone_and_a_baseline_without_parameters_are_no_obstacle(name, baseline):
    arena, steps = tune(known_game(name), 2000, 3, baseline)
    assert steps[-1].accepted and steps[-1].reason
    assert steps[-1].theta.shape == arena.start.shape and np.isfinite(steps[-1].theta).all()


def test_rivals_play_as_the_baseline_does_or_as_the_start_where_it_has_no_parameters():
    game = known_game("batawaf4")
    assert (opponents(Arena(game, 1, baseline_name="uniform"), 3) == Arena(game, 1).start).all()
    arena = Arena(game, 1, baseline_name="fixed")
    assert arena.baseline is not None
    assert (opponents(arena, 3) == arena.baseline.thetas).all()
    arena.baseline = None
    assert (opponents(arena, 3) == arena.start).all()
    assert len(np.unique(opponents(Arena(game, 1, baseline_name="redrawn"), 3), axis=0)) == 3


@pytest.mark.parametrize("name", ["guesswho128", "permutation-four", "batawaf4"])
def test_it_beats_its_start_on_games(name):
    game = known_game(name)
    arena, steps = tune(game, 30_000, 2)
    found = evaluate(game, decode_policy(game, steps[-1].recommendation), arena.baseline, report_key(2), 10_000)
    start = evaluate(game, vector_policy(game, arena.start), arena.baseline, report_key(2), 10_000)
    assert found.mean > start.mean + 0.02


def test_the_same_seed_gives_the_same_steps_also_when_resumed():
    game = known_game("batawaf4")
    arena, steps = tune(game, 6000, 5)
    again, repeated = tune(game, 6000, 5, recorded=arena.events[: len(arena.events) // 2])
    assert arena.events == again.events
    assert [step.recommendation for step in steps] == [step.recommendation for step in repeated]
    assert [step.reason for step in steps] == [step.reason for step in repeated]


def test_ways_follow_from_the_kinds_of_parameters_and_the_games():
    def count(name, games):
        arena = Arena(known_game(name), 1, baseline_name="redrawn", budget=Budget(games))
        assert hashed_parameters(arena).all() == (name == "permutation-four")
        return len(make_ways(arena, Pool(np.tile(arena.start, (8, 1)), False), arena.start, games))

    assert count("permutation-four", 1000) == count("permutation-four", 500_000) == 1
    assert count("batawaf", 1000) == 1
    assert count("batawaf", 500_000) == 3


def test_who_is_better_is_judged_by_the_baseline_and_then_by_their_games():
    arena = Arena(known_game("batawaf"), 1, baseline_name="redrawn")
    field = Finalists(arena, np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]))
    field.pairs, field.points = 10_000, 10_000 * np.array([[0.60, 0.60], [0.601, 0.601], [0.5, 0.5]])
    assert field.best == 0, "a lead of a thousandth is not clear"
    field.table.pairs[:], field.table.points[:] = 1000, 500
    field.table.points[1, 0], field.table.points[0, 1] = 600, 400
    assert field.best == 1, "who is as good against the baseline and beats the first is better"
    field.table.points[2, 1], field.table.points[1, 2] = 900, 100
    assert field.best == 1, "but not who is clearly worse against the baseline"
    field.points[2] = 6500.0
    assert field.best == 2


def test_players_who_beat_each_other_in_circles_are_answered_by_a_mixture():
    game = TASKS["disc"](2, 1).game
    arena = Arena(game, 1, baseline_name="redrawn", budget=Budget(200_000))
    angles = 2 * np.pi * np.arange(3) / 3
    ring = 0.8 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    step = choose(arena, ring[0], ring[1:], 200_000)
    assert step.weights is not None and step.reason is not None and "cycles" in step.reason
    assert step.weights == pytest.approx(np.full(3, 1 / 3), abs=0.1)


def test_a_player_that_nobody_beats_is_answered_alone():
    game = TASKS["sphere"](2, 1)
    arena = Arena(game.game, 1, baseline_name="redrawn", budget=Budget(20_000))
    step = choose(arena, game.optimum + 0.5, np.array([game.optimum, game.optimum + 0.2]), 20_000)
    assert step.weights is None and step.reason is not None and "single vector" in step.reason
    assert (step.theta == game.optimum).all()


def test_a_mixture_is_the_answer_where_a_response_beats_every_vector_and_the_baseline_sees_no_difference():
    arena, steps = tune(known_game("morra"), 60_000)
    answer = steps[-1].recommendation
    assert len(answer["weights"]) > 2 and steps[-1].accepted and "mixture" in steps[-1].reason
    assert all(step.thetas is None for step in steps[:-1])
    assert arena.games <= 60_000
    assert exploitability_of(decode_policy(arena.game, answer)) < 0.25  # of nearly 0.5 for most vectors


def test_a_mixture_that_costs_too_much_or_is_as_easily_beaten_is_no_answer():
    arena = Arena(known_game("permutation-ttt"), 1, baseline_name="redrawn", budget=Budget(10**6))
    search = mix(arena, *best_of_random(arena), 30_000, arena.games + 30_000)
    with pytest.raises(StopIteration) as ended:
        while True:
            next(search)
    step, why = ended.value.value
    assert step is None and "against the mixture of psro" in why
    vector = Step(arena.start, True, reason="single vector")
    doubled = Step(arena.start, True, thetas=np.vstack([arena.start] * 2), weights=np.full((2, 2), 0.5))
    answer = decide(arena, vector, doubled, 50_000)
    assert answer.weights is None and answer.reason.startswith("single vector; a response scores 1.000 against")


def best_of_random(arena):
    """A vector that scores well against the baseline, and players to begin a mixture with."""
    pool = Pool(draw_wide(arena, 256), True)
    pool.play(arena, opponents(arena, 64))
    pool.shrink(4)
    return pool.thetas[0], pool.thetas
