"""Morra: the rules, the alias table, and the closed forms against brute force."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.played_games import scores_agree

from fogspiel.core.agents import (
    exact_score,
    find_policy,
    fixed_baseline,
    mixture_policy,
    redrawn_baseline,
    vector_policy,
)
from fogspiel.core.game import Strategy, known_game, nothing_to_prepare
from fogspiel.core.session import replay, view_of
from fogspiel.games import morra
from fogspiel.games import morra as truth

MORRA = known_game("morra")
HALF = Fraction(1, 2)
vectors = st.lists(st.floats(-30, 30), min_size=66, max_size=66)
wild_vectors = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=66, max_size=66)


def referee(first, second):
    """The rules once more, in the words of the specification."""
    (fingers_1, call_1), (fingers_2, call_2) = divmod(first, 11), divmod(second, 11)
    total = fingers_1 + fingers_2
    if (call_1 == total) == (call_2 == total):
        return 1
    return 2 if call_1 == total else 0


PAYOFF = np.array([[referee(first, second) / 2 for second in range(66)] for first in range(66)])


def softmax(theta):
    weights = np.exp(np.array(theta) - max(theta))
    return weights / weights.sum()


def alias_law(theta):
    """The probabilities that an alias table gives: every column has the same chance."""
    plan = np.zeros(morra.PLAN)
    morra.prepare(np.array(theta), plan)
    found = np.zeros(66)
    for action in range(66):
        share = min(plan[morra.SHARE + action], 1.0)
        found[action] += share / 66
        found[int(plan[morra.ALIAS + action])] += (1 - share) / 66
    return found


def test_the_rules_score_every_pair_of_throws_as_the_referee_does():
    for first in range(66):
        for second in range(66):
            assert morra.result(first, second) == referee(first, second)
    last = list(replay(MORRA, [3 * 11 + 5, 2 * 11 + 4]))[-1]
    assert MORRA.rules.score(last.state) == 2  # 3 + 2 = 5


def test_the_second_player_sees_the_first_throw_only_after_his_own():
    views = [view_of(MORRA, list(replay(MORRA, [first]))[-1].state, 1).tolist() for first in range(66)]
    assert views == [[-1, -1]] * 66
    end = list(replay(MORRA, [17, 42]))[-1].state
    assert view_of(MORRA, end, 0).tolist() == [17, 42]
    assert view_of(MORRA, end, 1).tolist() == [42, 17]


@pytest.mark.thorough
@given(vectors)
@settings(max_examples=200, deadline=None)
def test_the_alias_table_reproduces_the_softmax(theta):
    assert np.abs(alias_law(theta) - softmax(theta)).max() < 1e-14


@given(wild_vectors)
@settings(max_examples=200, deadline=None)
def test_the_alias_table_stands_any_finite_vector(theta):
    with np.errstate(over="ignore", under="ignore"):
        expected = softmax(theta)
    found = alias_law(theta)
    assert np.abs(found - expected).max() < 1e-14
    assert (found[expected == 0] == 0).all()


def test_the_named_players_never_call_nonsense():
    for name, number in (("uniform36", 36), ("equilibrium", 6)):
        law = truth.law(MORRA.policies[name])
        assert set(law) == {Fraction(0), Fraction(1, number)}
        assert np.abs(alias_law(MORRA.policies[name]) - np.array(law, float)).max() < 1e-15
        assert (alias_law(MORRA.policies[name])[[p == 0 for p in law]] == 0).all()


def test_uniform_marginals_make_all_720_vertices_optimal():
    for expected in permutations(range(6)):
        theta = morra.any_of({morra.sensible(f, h) for f, h in enumerate(expected)})
        assert truth.exploitability(theta) == 0
    assert truth.exploitability(MORRA.policies["uniform36"]) == 0
    assert truth.exploitability(MORRA.policies["equilibrium"]) == 0


def test_an_optimal_player_never_scores_less_than_half_and_nonsense_loses_to_him():
    for seed in range(5):
        assert exact_score(MORRA, find_policy(MORRA, "equilibrium"), fixed_baseline(MORRA, seed)) > HALF
    assert exact_score(MORRA, find_policy(MORRA, "uniform36"), find_policy(MORRA, "equilibrium")) == HALF


@given(vectors)
@settings(max_examples=100, deadline=None)
def test_exploitability_is_what_the_best_of_the_66_actions_gains(theta):
    against = PAYOFF @ softmax(theta)
    assert truth.exploitability(theta) >= 0
    assert float(truth.exploitability(theta)) == pytest.approx(against.max() - 0.5, abs=1e-13)
    assert against[truth.best_response(theta)] == pytest.approx(against.max(), abs=1e-13)


@given(vectors, vectors)
@settings(max_examples=50, deadline=None)
def test_the_exact_score_is_the_sum_over_all_pairs_of_throws(theta, phi):
    score = exact_score(MORRA, vector_policy(MORRA, theta), vector_policy(MORRA, phi))
    assert float(score) == pytest.approx(softmax(theta) @ PAYOFF @ softmax(phi), abs=1e-13)
    assert exact_score(MORRA, vector_policy(MORRA, phi), vector_policy(MORRA, theta)) == 1 - score


def test_marginals_count_fingers_and_sensible_calls_only():
    shown, expected = truth.marginals(np.zeros(66))
    assert shown == pytest.approx([1 / 6] * 6)
    assert expected == pytest.approx([1 / 11] * 6)


def test_the_best_score_against_a_redrawn_gaussian_is_71_132ths():
    # It shows each number of fingers with probability 1/6 but expects each of 0..5 with 6/66 only: (1/6 - 1/11) / 2.
    assert HALF + truth.exploitability_of(redrawn_baseline(MORRA)) == Fraction(71, 132)
    every = [exact_score(MORRA, vector_policy(MORRA, morra.any_of({a})), redrawn_baseline(MORRA)) for a in range(66)]
    assert (
        max(every)
        == Fraction(71, 132)
        == exact_score(MORRA, find_policy(MORRA, "equilibrium"), redrawn_baseline(MORRA))
    )
    assert scores_agree(MORRA, find_policy(MORRA, "equilibrium"), redrawn_baseline(MORRA), Fraction(71, 132), 50_000)


def test_the_best_response_to_a_fixed_gaussian_averages_the_605_of_the_specification():
    scores = [0.5 + float(truth.exploitability(fixed_baseline(MORRA, seed).theta)) for seed in range(300)]
    assert np.mean(scores) == pytest.approx(0.605, abs=0.005)


def test_played_games_agree_with_exact_scores():
    one, two, three = (fixed_baseline(MORRA, seed) for seed in (1, 2, 3))
    mixed = mixture_policy(MORRA, np.vstack([one.thetas, two.thetas]), (3, 1))
    uniform = find_policy(MORRA, "uniform")
    exact = (3 * exact_score(MORRA, one, three) + exact_score(MORRA, two, three)) / 4
    assert exact_score(MORRA, mixed, three) == exact
    for first, second in ((one, two), (mixed, three), (one, uniform), (uniform, redrawn_baseline(MORRA))):
        assert scores_agree(MORRA, first, second, exact_score(MORRA, first, second))


def test_what_has_no_exact_score_is_refused_in_one_sentence():
    one = fixed_baseline(MORRA, 1)
    stranger = type(one)("stranger", Strategy("stranger", (), 1, nothing_to_prepare, morra.choose), np.zeros((1, 0)))
    with pytest.raises(ValueError, match="stranger"):
        exact_score(MORRA, one, stranger)
    with pytest.raises(ValueError, match="66 parameters"):
        truth.exploitability([0.0] * 65)
    with pytest.raises(ValueError, match="finite"):
        truth.exploitability([float("nan")] * 66)


def test_words_name_the_commonest_throws():
    assert MORRA.strategy.describe(np.array(morra.any_of({61}))).startswith("throws most often: show 5 call 6 100.0%")
