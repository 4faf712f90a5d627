"""Duel and SPSA: they climb, they come back from bad ways, and they leave seeds alone."""

from itertools import islice

import numpy as np
import pytest
from landscapes import DRAWS, PULL, TASKS, TURN, landscape

from fogspiel.core.agents import vector_policy
from fogspiel.core.game import known_game
from fogspiel.stats.evaluate import evaluate, report_key
from fogspiel.tuning.arena import Arena, Budget, BudgetSpent
from fogspiel.tuning.methods import find_tune_method
from fogspiel.tuning.methods.evolution import GUARDED, WIDEST, CheckpointGuard, duel
from fogspiel.tuning.population import cosine


def answer(name, arena):
    """The last vector of a method within the budget."""
    theta = arena.start
    try:
        for step in find_tune_method(name)(arena):
            theta = step.theta
    except BudgetSpent:
        return theta


def share_closed(name, dimension, games, seed, spread=1.0):
    task = landscape(dimension, seed, spread)
    arena = Arena(task.game, seed, budget=Budget(games))
    return task.gap_closed(answer(name, arena), arena.start)


def test_the_landscape_plays_by_its_law():
    task = landscape(4, 1)
    arena = Arena(task.game, 1)
    pairs = arena.play_pairs(task.optimum[None], arena.start[None], pairs=20_000)
    assert pairs.mean() / 2 == pytest.approx(task.score(task.optimum, arena.start), abs=0.012)
    lead = pairs[0] / 2 - pairs.mean() / 2
    assert abs((lead[:, 0] * lead[:, 1]).mean()) < 0.01, "the two games of a pair are independent"
    assert task.gap_closed(arena.start, arena.start) == 0 and task.gap_closed(task.optimum, arena.start) == 1


@pytest.mark.parametrize(
    ("task", "dimension"), [("rotated", 5), ("cone", 3), ("draws", 5), ("plateaus", 5), ("disc", 6)]
)
def test_every_landscape_plays_by_its_law(task, dimension):
    made = TASKS[task](dimension, 7)
    arena = Arena(made.game, 7)
    one, other = made.optimum + 0.1 * arena.gaussian(), made.optimum + 0.1 * arena.gaussian()
    scores = arena.play_pairs(one[None], other[None], pairs=20_000) / 2
    decided = scores[scores != 0.5]
    assert len(decided) == pytest.approx(scores.size * (1 - DRAWS if task == "draws" else 1), rel=0.05)
    assert decided.mean() == pytest.approx(made.score(one, other), abs=5 * 0.5 / np.sqrt(len(decided)))
    assert made.score(made.optimum, one) >= 0.5 >= made.score(one, made.optimum)


def test_the_best_reply_on_a_disc_is_found_exactly_for_one_player_and_for_a_balanced_mixture():
    task, x = TASKS["disc"](2, 1), np.array([[0.3, 0.4]])
    exact = 1 / (1 + np.exp(-(PULL + TURN**2 / (4 * PULL)) * 0.25))
    assert task.reply_score(x, np.ones(1)) == pytest.approx(exact, abs=1e-6)
    reply = TURN / (2 * PULL) * np.array([0.4, -0.3])
    assert task.score(reply, x[0]) == pytest.approx(exact, abs=1e-6)
    assert task.reply_score(np.zeros((1, 2)), np.ones(1)) == 0.5
    ring = 0.2 * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
    assert 0.5 < task.reply_score(ring, np.full(4, 0.25)) < task.reply_score(ring[:1], np.ones(1))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["pig", pytest.param("guesswho128", marks=pytest.mark.thorough)])
def test_duels_do_not_end_below_their_start_on_rugged_games(name):
    game = known_game(name)
    for seed in (201, 202, 203):
        arena = Arena(game, seed, budget=Budget(150_000))
        found = vector_policy(game, answer("duel", arena))
        score = evaluate(game, found, vector_policy(game, arena.start), report_key(seed), 40_000)
        assert score.mean > 0.49


def test_only_a_proof_makes_a_checkpoint_and_a_loss_turns_the_way_back(monkeypatch):
    guard = CheckpointGuard(Arena(known_game("pig"), 1), np.zeros(1))
    met = {"better": [0, 0, 20, 0, 80], "equal": [25, 0, 50, 0, 25], "worse": [80, 0, 20, 0, 0]}
    said = []
    monkeypatch.setattr(CheckpointGuard, "meet", lambda self, x, best, pairs: np.array(met[said[-1]]))
    for outcome, decision, best in (("equal", 0, 0.0), ("better", 1, 2.0), ("worse", -1, 2.0), ("equal", 0, 2.0)):
        said.append(outcome)
        assert guard.judge(np.full(1, float(len(said))), 50)[0] == decision
        assert guard.best == best


@pytest.mark.thorough
def test_duels_close_the_gap_in_dimension_4():
    for seed in (1, 2, 3):
        assert share_closed("duel", 4, 20_000, seed) > 0.95


@pytest.mark.slow
@pytest.mark.parametrize("spread", [1.0, 0.0])
@pytest.mark.parametrize(("dimension", "games"), [(30, 200_000), (420, 1_000_000)])
def test_duels_close_95_percent_of_the_gap_for_every_seed(dimension, games, spread):
    assert min(share_closed("duel", dimension, games, seed, spread) for seed in range(1, 11)) >= 0.95


def test_spsa_climbs():
    assert share_closed("spsa", 4, 20_000, 1) > 0.8


def test_the_guard_goes_back_to_the_checkpoint_when_it_proves_better(monkeypatch):
    arena = Arena(known_game("batawaf"), 1)
    start = arena.start
    monkeypatch.setattr(CheckpointGuard, "meet", lambda self, x, best, pairs: np.array([99, 0, 0, 0, 0]))
    steps = list(islice(duel(arena), GUARDED))
    assert not np.array_equal(steps[-2].theta, start)
    assert np.array_equal(steps[-1].theta, start) and not steps[-1].accepted


def test_seeds_among_the_parameters_change_only_by_a_won_race():
    arena = Arena(known_game("batawaf4"), 3, budget=Budget(60_000))
    seeds = {arena.start[3]}
    for step in islice(duel(arena), GUARDED * 3):
        assert step.theta[3] in seeds or step.accepted
        seeds.add(step.theta[3])
    assert answer("spsa", Arena(known_game("batawaf4"), 3, budget=Budget(4000)))[3] == arena.start[3]


def test_a_game_of_seeds_alone_is_raced_from_the_first_step():
    arena = Arena(known_game("permutation-four"), 1, budget=Budget(20_000))
    accepted = []
    before = arena.start
    try:
        for step in duel(arena):
            accepted.append(step.accepted)
            assert step.accepted == (arena.events[-1]["decision"] > 0)
            assert (step.theta != before).sum() == step.accepted, "one seed at a time"
            before = step.theta
    except BudgetSpent:
        assert any(accepted)


def test_sigma_widens_where_duels_say_nothing_and_stays_within_its_limit():
    task = landscape(2, 5)
    arena = Arena(task.game, 5, budget=Budget(60_000))
    widths = [step.sigma for step in islice(duel(arena), 150)]
    assert 1.0 < max(widths) <= WIDEST * max(1.0, 4 * np.abs(task.optimum).max())


def test_the_cosine_of_a_null_vector_is_0():
    assert cosine(np.zeros(3), np.ones(3)) == 0 and cosine(np.ones(3), -np.ones(3)) == pytest.approx(-1)
