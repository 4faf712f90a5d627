"""Nim: positions, the value function, perfect play, all against searches that share nothing with the package."""

from fractions import Fraction
from functools import cache

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
from fogspiel.core.game import known_game
from fogspiel.core.session import record_game, replay
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games import nim
from fogspiel.games import nim as truth

NIM = known_game("nim")
START = (1, 3, 5, 7)
PERFECT, EXACT = find_policy(NIM, "perfect"), find_policy(NIM, "exact")
EVERY = [(a, b, c, d) for d in range(8) for c in range(6) for b in range(4) for a in range(2)]
seeds = st.integers(0, 2**32 - 1)


def replies(heaps):
    """Every move as (heap, taken, heaps left), lowest heap first, fewest objects first."""
    for heap in range(4):
        for taken in range(1, heaps[heap] + 1):
            yield heap, taken, (*heaps[:heap], heaps[heap] - taken, *heaps[heap + 1 :])


@cache
def mover_wins(heaps):
    """Plain search: with nothing left the player to move has won, the other took the last object."""
    return not any(heaps) or any(not mover_wins(left) for _, _, left in replies(heaps))


def move_by_values(theta, heaps):
    """The specification's strategy, word for word."""

    def value(left):
        a, b, c, d = left
        return theta[a + 2 * b + 8 * c + 48 * d - 1] if any(left) else float("inf")

    return min(replies(heaps), key=lambda move: value(move[2]))


def record_by_values(*thetas):
    heaps, record = START, []
    while any(heaps):
        heap, taken, heaps = move_by_values(thetas[len(record) % 2], heaps)
        record.append(8 * heap + taken)
    return record


def test_every_position_has_its_own_index_and_parameter():
    assert [nim.heaps_of(index) for index in range(384)] == EVERY
    assert NIM.strategy.parameters[0] == "1-0-0-0" and NIM.strategy.parameters[-1] == "1-3-5-7"
    assert len(set(NIM.strategy.parameters)) == 383


def test_48_positions_are_lost_and_the_start_is_one_of_them():
    lost = {nim.heaps_of(position) for position in truth.lost_indices()}
    assert len(lost) == 48 and START in lost
    assert lost == {heaps for heaps in EVERY if not mover_wins(heaps)}


def test_bouton_agrees_with_the_search_everywhere():
    assert all(nim.lost(*heaps) == (not mover_wins(heaps)) for heaps in EVERY)


def test_who_takes_the_last_object_loses():
    record = [1, 8 + 3, 16 + 5, 24 + 6, 24 + 1]  # the first player is left with the last one
    last = list(replay(NIM, record))[-1]
    assert last.mover == -2 and NIM.rules.score(last.state) == 0
    record = [1, 8 + 3, 16 + 5, 24 + 7]
    assert NIM.rules.score(list(replay(NIM, record))[-1].state) == 2


@given(seeds, seeds, st.sampled_from([1, 3, 1000]))
@settings(max_examples=60, deadline=None)
def test_the_strategy_plays_the_specified_moves_ties_included(a, b, grain):
    thetas = [np.random.default_rng(seed).integers(-grain, grain, 383, endpoint=True).astype(float) for seed in (a, b)]
    record, score = record_game(NIM, *(vector_policy(NIM, theta) for theta in thetas), 1, 0)
    assert record == record_by_values(*thetas)
    assert score == (0 if len(record) % 2 else 2)
    assert list(replay(NIM, record))[-1].mover == -2


def test_equal_values_take_the_first_move_and_the_last_object_only_when_forced():
    for value in (0.0, 1e308, -1e308):
        player = vector_policy(NIM, [value] * 383)
        for heaps, (heap, taken) in {START: (0, 1), (0, 2, 0, 0): (1, 1), (0, 0, 0, 1): (3, 1)}.items():
            assert truth.actions_of(NIM.strategy, player.thetas[0])[EVERY.index(heaps)] == 8 * heap + taken


def test_exact_values_play_perfectly_and_like_the_perfect_player():
    assert NIM.strategy.describe(np.array(NIM.policies["exact"])) == "keeps the win in 335 of 335 won positions"
    perfect = truth.actions_of(PERFECT.strategy, PERFECT.thetas[0])
    assert truth.actions_of(NIM.strategy, EXACT.thetas[0]) == perfect
    for heaps, action in zip(EVERY[1:], perfect[1:], strict=True):
        winning = [8 * heap + taken for heap, taken, left in replies(heaps) if not mover_wins(left)]
        assert action == (winning or [8 * heap + taken for heap, taken, _ in replies(heaps)])[0]


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_words_count_the_won_positions_whose_move_leaves_a_lost_one(seed):
    theta = np.random.default_rng(seed).standard_normal(383)
    won = [heaps for heaps in EVERY[1:] if mover_wins(heaps)]
    kept = sum(not mover_wins(move_by_values(theta, heaps)[2]) for heaps in won)
    assert NIM.strategy.describe(theta) == f"keeps the win in {kept} of 335 won positions"


@pytest.mark.thorough
@given(seeds)
@settings(max_examples=30, deadline=None)
def test_nobody_beats_the_perfect_player_when_it_moves_second(seed):
    theta = np.random.default_rng(seed).standard_normal(383)
    assert exact_score(NIM, vector_policy(NIM, theta), PERFECT) in (0, Fraction(1, 2))
    assert record_game(NIM, vector_policy(NIM, theta), PERFECT, 1, 0)[1] == 0
    assert exact_score(NIM, EXACT, PERFECT) == Fraction(1, 2)


def test_the_exact_score_of_two_vectors_is_the_score_of_the_two_games_they_play():
    players = [fixed_baseline(NIM, seed) for seed in range(6)] + [PERFECT, EXACT]
    for first in players:
        for second in players:
            played = PolicyMatch(NIM, first, second).scores(1, 0, 1).sum()
            assert exact_score(NIM, first, second) == Fraction(int(played), 4)


def test_mixtures_average_and_uniform_players_agree_with_played_games():
    one, two, three = (fixed_baseline(NIM, seed) for seed in (1, 2, 3))
    mixed, uniform = mixture_policy(NIM, np.vstack([one.thetas, two.thetas]), (1, 3)), find_policy(NIM, "uniform")
    exact = (exact_score(NIM, one, three) + 3 * exact_score(NIM, two, three)) / 4
    assert exact_score(NIM, mixed, three) == exact
    assert exact_score(NIM, uniform, uniform) == Fraction(1, 2)
    for first, second in ((one, uniform), (mixed, uniform), (uniform, two)):
        assert scores_agree(NIM, first, second, exact_score(NIM, first, second))


def test_random_value_functions_score_half_with_the_spread_of_the_specification():
    means = [
        PolicyMatch(NIM, fixed_baseline(NIM, seed), redrawn_baseline(NIM)).scores(5, 0, 200).mean() / 2
        for seed in range(150)
    ]
    assert np.mean(means) == pytest.approx(0.5, abs=0.04)
    assert np.std(means) == pytest.approx(0.11, abs=0.03)


def test_what_has_no_exact_score_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match="redrawn value function"):
        exact_score(NIM, PERFECT, redrawn_baseline(NIM))
    with pytest.raises(ValueError, match="383 parameters"):
        vector_policy(NIM, [0.0] * 382)
