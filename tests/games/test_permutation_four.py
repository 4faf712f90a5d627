"""Permutation four in a row: the rules in the words of the specification, and the figures measured for it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.played_games import aligned

from fogspiel.core.agents import exact_score, fixed_baseline, mixture_policy, redrawn_baseline, vector_policy
from fogspiel.core.game import known_game
from fogspiel.core.rng import random_below, seed_of
from fogspiel.core.session import record_game, replay, view_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games import permutation_four
from fogspiel.games import permutation_four as truth

GAME = known_game("permutation-four")
reals = st.floats(allow_nan=False, allow_infinity=False)


def referee(first, second):
    """The first player's half points when two lists of 14 orders play each other."""
    heights, stones = [0] * 7, [set(), set()]
    for turn in range(28):
        mover = turn % 2
        column = next(c for c in (first, second)[mover][turn // 2] if heights[c] < 4)
        stones[mover].add((column, heights[column]))
        heights[column] += 1
        if aligned(stones[mover]):
            return 2 - 2 * mover
    return 1


def orders_from(real):
    """The 14 orders of a parameter: Fisher and Yates from one stream."""
    stream = np.array([seed_of(real, 0)], np.uint64)
    found = []
    for _ in range(14):
        order = list(range(7))
        for i in range(6, 0, -1):
            j = int(random_below(stream, i + 1))
            order[i], order[j] = order[j], order[i]
        found.append(order)
    return found


@given(reals, reals)
@settings(max_examples=100, deadline=None)
def test_seeds_stand_for_orders_and_the_orders_play_the_specified_game(first, second):
    score = truth.first_player_matrix([first], [second])[0, 0]
    assert score == referee(orders_from(first), orders_from(second))
    record, recorded_score = record_game(
        GAME, vector_policy(GAME, (first, 0.0)), vector_policy(GAME, (0.0, second)), 1, 0
    )
    assert recorded_score == score and len(record) % 6 == 0
    assert record[:12] == orders_from(first)[0][:6] + orders_from(second)[0][:6]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_any_orders_play_the_specified_game(seed):
    drawn = np.random.default_rng(seed).permuted(np.tile(np.arange(7), (28, 1)), axis=1).tolist()
    record, state, over = [], None, False
    for order in drawn:
        if not over:
            record += order[:6]
            last = list(replay(GAME, record))[-1]
            state, over = last.state, last.mover == -2
    assert over and GAME.rules.score(state) == referee(drawn[::2], drawn[1::2])


def test_plus_and_minus_zero_are_the_same_seed_and_neighbours_are_unrelated():
    assert orders_from(0.0) == orders_from(-0.0)
    assert orders_from(1.0) != orders_from(np.nextafter(1.0, 2.0))
    assert GAME.strategy.unordered == GAME.strategy.parameters and GAME.strategy.per_seat


def test_a_player_sees_his_own_orders_only_and_the_stones_at_the_end():
    record, _ = record_game(GAME, fixed_baseline(GAME, 1), fixed_baseline(GAME, 2), 1, 0)
    *before, end = replay(GAME, record)
    for position in before:
        for player in (0, 1):
            seen = view_of(GAME, position.state, player)
            assert (seen[permutation_four.SEEN_STONES :] == 0).all()
            own = position.state[permutation_four.ORDER + player :: 2]
            assert (seen[permutation_four.SEEN_ORDER : permutation_four.SEEN_STONES] == own).all()
    assert (
        view_of(GAME, end.state, 0)[permutation_four.SEEN_STONES :]
        == end.state[permutation_four.STONES : permutation_four.STONES + 2]
    ).all()


def test_random_seeds_have_the_mean_and_spread_of_the_specification():
    reals = np.random.default_rng(1).standard_normal((2, 600)).tolist()
    matrix = truth.first_player_matrix(*reals) / 2
    assert matrix.mean() == pytest.approx(0.558, abs=0.015)
    assert matrix.mean(axis=1).std() == pytest.approx(0.14, abs=0.02)
    assert matrix.mean(axis=0).std() == pytest.approx(0.12, abs=0.02)


def test_the_exact_score_is_that_of_the_two_games_and_mixtures_average():
    one, two, three = (fixed_baseline(GAME, seed) for seed in (1, 2, 3))
    for first, second in ((one, two), (two, three), (three, one)):
        assert exact_score(GAME, first, second) == Fraction(
            int(PolicyMatch(GAME, first, second).scores(1, 0, 1).sum()), 4
        )
    mixed = mixture_policy(GAME, np.vstack([one.thetas, two.thetas]), (1, 3))
    assert exact_score(GAME, mixed, three) == (exact_score(GAME, one, three) + 3 * exact_score(GAME, two, three)) / 4


def test_what_has_no_exact_score_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match="redrawn at permutation-four is not known"):
        exact_score(GAME, redrawn_baseline(GAME), fixed_baseline(GAME, 1))
    with pytest.raises(ValueError, match="finite"):
        truth.first_player_matrix([float("nan")], [0.0])


def test_words_show_the_first_orders():
    written = "".join(str(column + 1) for column in orders_from(0.0)[0])
    assert GAME.strategy.describe(np.zeros(2)).startswith(f"moving first {written} ")
