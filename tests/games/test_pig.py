"""Pig: thresholds, the optimum of Neller and Presser, and exact scores, against oracles built from the rules alone."""

import time
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.played_games import scores_agree

from fogspiel.core.agents import exact_score, find_policy, mixture_policy, redrawn_baseline, vector_policy
from fogspiel.core.game import CHANCE, OVER, known_game
from fogspiel.core.session import record_game, replay, view_of
from fogspiel.games.pig import exact as truth
from fogspiel.games.pig import rules

PIG = known_game("pig")
HOLD20, HOLD25, OPTIMAL = (find_policy(PIG, name) for name in ("hold20", "hold25", "optimal"))
UNIFORM = find_policy(PIG, "uniform")


def hold(threshold):
    return vector_policy(PIG, [(threshold - 20) / 2])


@cache
def optimum():
    return truth.optimum()


def rate_by_rules(threshold_0, threshold_1):
    """The first player's chance to win: every position that can arise, found by the rules, then averaged to the end."""
    game, state, out = PIG.rules, np.zeros(PIG.sizes.state, np.int64), np.zeros(PIG.sizes.actions, np.int64)
    game.start(state)
    number, todo, follow, ends = {state.tobytes(): 0}, [state.copy()], [], {}
    for state in todo:  # the list grows on the way
        who = game.mover(state)
        if who == OVER:
            ends[len(follow)] = game.score(state) / 2
            follow.append([len(follow)] * 6)
            continue
        actions = out[: game.legal(state, out)].tolist()
        if who != CHANCE:
            threshold = (threshold_0, threshold_1)[who]
            actions = [0 if view_of(PIG, state, who)[rules.SEEN_TURN] >= threshold else 1] * 6
        row = []
        for action in actions:
            after = state.copy()
            game.apply(after, action)
            if after.tobytes() not in number:
                number[after.tobytes()] = len(todo)
                todo.append(after)
            row.append(number[after.tobytes()])
        follow.append(row)
    table, value = np.array(follow), np.full(len(follow), 0.5)
    value[list(ends)] = list(ends.values())
    for _ in range(6000):
        before, value = value, value[table].mean(axis=1)
        if np.abs(value - before).max() < 1e-15:
            break
    return value[0]


@pytest.mark.parametrize(
    ("x", "threshold"),
    [
        (0, 20),
        (2.5, 25),
        (0.25, 20),
        (0.75, 22),
        (-0.25, 20),
        (0.26, 21),
        (-9.4, 2),
        (39.7, 99),
        (1e308, 100),
        (-1e308, 2),
    ],
)
def test_the_parameter_becomes_a_threshold_half_to_even_and_within_bounds(x, threshold):
    assert rules.threshold_of(np.array([float(x)])) == threshold
    assert PIG.strategy.describe(np.array([float(x)])) == f"holds as soon as a turn has {threshold} points"


def test_a_turn_follows_the_rules():
    def after(*record):
        return list(replay(PIG, list(record)))[-1]

    assert after().mover == CHANCE and after().actions == [1, 2, 3, 4, 5, 6]
    assert after(5).mover == 0 and after(5).actions == [0, 1]
    assert after(5, 1).mover == CHANCE
    lost, held = after(5, 1, 1).state, after(5, 1, 6, 0).state
    assert view_of(PIG, lost, 0).tolist() == [0, 0, 0, 0, rules.ROLLING]
    assert view_of(PIG, held, 1).tolist() == [0, 11, 0, 1, rules.ROLLING]
    sixes = [6, 1] * 16 + [6]  # 17 sixes are 102 points, banked at once
    assert after(*sixes).mover == OVER and PIG.rules.score(after(*sixes).state) == 2
    assert after(*sixes[:-2]).mover == 0


@given(st.floats(-20, 60), st.floats(-20, 60), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_players_hold_exactly_when_they_say(x, y, number):
    players = [vector_policy(PIG, [value]) for value in (x, y)]
    record, score = record_game(PIG, *players, 3, number)
    for position, action in zip(replay(PIG, record), record, strict=False):
        if position.mover in (0, 1):
            threshold = rules.threshold_of(players[position.mover].thetas[0])
            assert action == (0 if position.state[rules.TURN] >= threshold else 1)
    assert score == (2 if position.state[rules.MOVER] == 0 else 0)  # whoever rolled last won


def test_the_saddle_point_is_hold_25():
    matrix = truth.threshold_matrix()
    assert truth.saddle() == 25
    assert matrix[25, 2:].min() == pytest.approx(0.5, abs=1e-13)
    assert matrix[2:, 2:] + matrix[2:, 2:].T == pytest.approx(np.ones((99, 99)), abs=1e-13)
    assert matrix[25, 20] == pytest.approx(0.5117242531, abs=1e-9)


def test_the_best_threshold_against_a_redrawn_gaussian_scores_as_specified():
    assert truth.redrawn_law().sum() == pytest.approx(1, abs=1e-14)
    for slope, ceiling in ((1, 0.5167), (2, 0.5223), (3, 0.5262)):
        scores = truth.threshold_matrix()[2:, 2:] @ truth.redrawn_law(slope)[2:]
        assert 2 + scores.argmax() == 25 and scores.max() == pytest.approx(ceiling, abs=5e-5)
        assert slope != 2 or scores_agree(PIG, HOLD25, redrawn_baseline(PIG), scores.max())


@pytest.mark.thorough
@pytest.mark.parametrize(("threshold", "other"), [(60, 50), (100, 35)])
def test_exact_scores_agree_with_an_enumeration_by_the_rules(threshold, other):
    starting, replying = rate_by_rules(threshold, other), rate_by_rules(other, threshold)
    assert [float(wins) for wins in truth.duel(threshold, other)] == pytest.approx([starting, replying], abs=1e-11)
    assert truth.first_player_matrix()[threshold, other] == pytest.approx(starting, abs=1e-11)
    exact = exact_score(PIG, hold(threshold), hold(other))
    assert float(exact) == pytest.approx((starting + 1 - replying) / 2, abs=1e-11)


@pytest.mark.thorough
@pytest.mark.parametrize(("threshold", "other"), [(20, 25), (2, 100), (31, 17)])
def test_fractions_matrix_and_tables_agree(threshold, other):
    exact = exact_score(PIG, hold(threshold), hold(other))
    assert isinstance(exact, Fraction)
    assert float(exact) == pytest.approx(truth.threshold_matrix()[threshold, other], abs=1e-12)
    assert float(exact) == pytest.approx(truth.rate(hold(threshold), hold(other)), abs=1e-12)
    assert exact_score(PIG, hold(other), hold(threshold)) == 1 - exact
    assert exact_score(PIG, hold(other), hold(other)) == Fraction(1, 2)


def test_the_first_player_wins_5306_of_10000_under_optimal_play():
    assert optimum().first == pytest.approx(0.5306, abs=5e-5)  # Neller & Presser 2004


def test_the_optimum_satisfies_the_optimality_equations_everywhere():
    wins, rolls, _ = optimum()
    for own in range(100):
        lost = 1 - wins[:, own]  # by the other's bank
        ahead = np.ones((106, 100))
        for turn in range(99 - own, -1, -1):
            roll = (lost + ahead[turn + 2 : turn + 7].sum(axis=0)) / 6
            held = 1 - wins[:, own + turn]
            ahead[turn] = np.maximum(roll, held) if turn else roll
            clear = np.abs(roll - held) > 1e-12
            assert ((rolls[own, :, turn] == (roll > held)) | ~clear | (turn == 0)).all()
        assert np.abs(ahead[0] - wins[own]).max() < 1e-13


def test_the_optimal_policy_has_its_known_gap():
    # possiblywrong.wordpress.com, 2014: with 41 against 49 roll until 22 points, unless they are just 27.
    rolls = optimum().rolls[41, 49]
    assert rolls[:22].all() and not rolls[22:27].any() and rolls[27] and not rolls[28:34].any()


def test_the_optimum_beats_every_threshold_and_by_how_much():
    assert truth.rate(OPTIMAL, HOLD20) == pytest.approx(0.5399202, abs=1e-7)
    assert truth.rate(OPTIMAL, HOLD25) == pytest.approx(0.5210693, abs=1e-7)
    assert truth.rate(OPTIMAL, OPTIMAL) == pytest.approx(0.5, abs=1e-13)
    assert min(truth.rate(OPTIMAL, hold(threshold)) for threshold in range(18, 34)) > 0.52


@pytest.mark.thorough
def test_played_games_agree_with_the_tables():
    assert scores_agree(PIG, HOLD20, HOLD25, exact_score(PIG, HOLD20, HOLD25))
    for first, second in ((OPTIMAL, HOLD20), (OPTIMAL, UNIFORM), (HOLD25, UNIFORM)):
        assert scores_agree(PIG, first, second, truth.rate(first, second), 30_000)


def test_the_optimal_plan_takes_less_than_two_seconds():
    plan = np.zeros(rules.OPTIMUM.plan_size)
    rules.prepare_optimum(np.zeros(0), plan)
    begun = time.perf_counter()
    rules.prepare_optimum(np.zeros(0), plan)
    assert time.perf_counter() - begun < 2
    assert (plan.reshape(100, 100, 100) == optimum().rolls).all()


def test_mixtures_average():
    mixed = mixture_policy(PIG, np.array([[0.0], [15.0]]), (1, 3))
    exact = exact_score(PIG, mixed, HOLD25)
    assert exact == (exact_score(PIG, HOLD20, HOLD25) + 3 * exact_score(PIG, hold(50), HOLD25)) / 4
    assert truth.rate(mixed, HOLD25) == pytest.approx(float(exact), abs=1e-12)
    assert scores_agree(PIG, mixed, HOLD25, exact)


def test_two_of_a_kind_share_the_points():
    for player in (OPTIMAL, UNIFORM, redrawn_baseline(PIG)):
        assert exact_score(PIG, player, player) == Fraction(1, 2)


def test_what_has_no_exact_score_is_refused_in_one_sentence():
    refused = {
        "optimal": OPTIMAL,
        "uniform": UNIFORM,
        "redrawn": redrawn_baseline(PIG),
    }
    for words, player in refused.items():
        with pytest.raises(ValueError, match=words):
            exact_score(PIG, HOLD20, player)
