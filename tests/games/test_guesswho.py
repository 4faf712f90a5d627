"""Guess Who: the paper's claims as exact numbers, and the ground truth checked from several sides."""

from fractions import Fraction
from functools import cache
from math import floor

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.played_games import scores_agree

from fogspiel.core.agents import (
    ParametricPolicy,
    find_policy,
    fixed_baseline,
    mixture_policy,
    policies_in_turn,
    policy_names,
    redrawn_baseline,
    vector_policy,
)
from fogspiel.core.compile.kernel import COMPILED
from fogspiel.core.game import CHANCE, OVER, UNIFORM, WIN, WIN_DRAW_LOSS, known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.session import replay, view_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games.guess_who import exact as truth
from fogspiel.games.guess_who.rules import BEST, GAMES, ONL, VECTORS, prepare, question

NUMBERS = 20_000 if COMPILED else 100
POOLS, POOL = range(2, 129), st.integers(2, 128)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
SMALL, LARGE = known_game("guesswho24"), known_game("guesswho128")
RANDOMISED, LARGEST = known_game("guesswho24-stochastic"), known_game("guesswho128-stochastic")

# games.md 4.2. Best - ONL at N = 96 is printed there as 0.517; the exact fraction is 595/1152 = 0.51649.
TABLE = """
OL God 0.472 0.500 0.472 0.500 0.480
ONL God 0.493 0.479 0.481 0.479 0.482
Best God 0.465 0.441 0.455 0.439 0.462
dichotomy God 0.403 0.258 0.392 0.254 0.363
ONL OL 0.535 0.537 0.540 0.539 0.537
Best OL 0.540 0.543 0.549 0.549 0.543
Best ONL 0.521 0.518 0.516 0.522 0.520
OL dichotomy 0.569 0.742 0.580 0.746 0.604
God dichotomy 0.597 0.742 0.608 0.746 0.637
"""


def asked(theta, own, other, r=0.0) -> int:
    """The question of the family."""
    plan = np.zeros(len(theta))
    prepare(np.array(theta, float), plan)
    return int(question(plan, own, other, r))


def size(theta, own, other, delta) -> Fraction:
    """The size of the question before rounding, as the specification writes it, without rounding errors."""
    alpha, gamma, zeta, iota = (Fraction(value) for value in theta)
    u, half = Fraction(delta) / own, Fraction(own, 2)
    return half - alpha * delta / 2 + half * (gamma * u**2 + zeta * u**3) + iota * (own - other) / 2


def clamped(value, own) -> int:
    return min(max(floor(value), 1), own - 1)


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_the_table_of_exact_rates_holds(row):
    first, second, *expected = row.split()
    table = truth.win_table(find_policy(LARGE, first), find_policy(LARGE, second), 128)
    rates = {n: (table[0, n, n] + 1 - table[1, n, n]) / 2 for n in POOLS}
    found = [*(rates[n] for n in (24, 64, 96, 128)), np.mean(list(rates.values()))]
    assert [f"{rate:.3f}" for rate in found] == expected


def test_OL_plays_God_exactly_even_with_128_characters():
    assert truth.exact_score(LARGE, find_policy(LARGE, "OL"), find_policy(LARGE, "God")) == Fraction(1, 2)
    assert f"{truth.rate(find_policy(LARGE, 'OL'), find_policy(LARGE, 'God'), 96):.3f}" == "0.472"


def test_Best_against_ONL_with_96_characters_is_595_of_1152():
    game = known_game("guesswho96")
    assert truth.exact_score(game, find_policy(game, "Best"), find_policy(game, "ONL")) == Fraction(595, 1152)


def test_the_first_players_share_under_optimal_play():
    shares = {24: "0.6319", 64: "0.6670", 96: "0.6298", 128: "0.6667", 2: "1.0000"}
    assert {characters: f"{truth.first_player_rate(characters):.4f}" for characters in shares} == shares


def test_God_is_optimal_in_all_16129_situations():
    god = find_policy(LARGE, "God")
    values, questions = truth.optimum(128)
    stakes = np.outer(np.arange(129), np.arange(129))
    by_god, best = (table[2:, 2:] * stakes[2:, 2:] for table in (truth.win_table(god, god, 128)[0], values))
    assert best.size == 16_129
    assert np.abs(best - np.rint(best)).max() < 1e-9  # n m P is an integer, so rounding makes the comparison exact
    assert (np.rint(by_god) == np.rint(best)).all()
    assert (questions[2:, 2:] >= 1).all()


def test_the_optimum_is_what_trying_every_question_gives():
    @cache
    def value(own, other):
        return max(
            sum(Fraction(left, own) * (1 if left == 1 else 1 - value(other, left)) for left in (c, own - c))
            for c in range(1, own)
        )

    values, _ = truth.optimum(12)
    assert all(values[n, m] == float(value(n, m)) for n in range(2, 13) for m in range(2, 13))
    assert value(3, 3) == Fraction(7, 9)


def by_the_rules(game, first: ParametricPolicy, second: ParametricPolicy) -> Fraction:
    """The probability that the first mover wins, by walking the game tree with the six rules and the players."""
    plans, stream, known = [], stream_of(1), {}
    for contender in (first, second):
        plans.append(np.zeros(contender.strategy.plan_size))
        contender.strategy.prepare(contender.thetas[0], plans[-1])
    rules, out = game.rules, np.zeros(game.sizes.actions, np.int64)

    def value(state):
        if (key := state.tobytes()) not in known:
            who = rules.mover(state)
            if who == OVER:
                return WIN_DRAW_LOSS[rules.score(state)]
            actions = out[: rules.legal(state, out)].copy()
            strategy = (first, second)[who].strategy
            if who != CHANCE and strategy is not UNIFORM:
                actions = [strategy.choose(view_of(game, state, who), actions, plans[who], stream)]
            after = []
            for action in actions:
                after.append(state.copy())
                rules.apply(after[-1], action)
            known[key] = sum(value(next_state) for next_state in after) / Fraction(len(after))
        return known[key]

    start = np.zeros(game.sizes.state, np.int64)
    rules.start(start)
    return value(start)


@pytest.mark.parametrize("first, second", [("Best", "ONL"), ("God", "Best-printed"), ("uniform", "OL")])
def test_the_exact_score_is_the_value_of_the_game_tree(first, second):
    a, b = find_policy(SMALL, first), find_policy(SMALL, second)
    expected = (by_the_rules(SMALL, a, b) + 1 - by_the_rules(SMALL, b, a)) / 2
    assert truth.exact_score(SMALL, a, b) == expected


@pytest.mark.parametrize("game", [SMALL, LARGE, RANDOMISED, pytest.param(LARGEST, marks=pytest.mark.slow)])
@pytest.mark.parametrize("opponent", ["God", "uniform", "fixed"])
def test_exact_fractions_and_floating_point_tables_agree(game, opponent):
    first, second = (
        fixed_baseline(game, 1),
        fixed_baseline(game, 2) if opponent == "fixed" else find_policy(game, opponent),
    )
    exact, characters = truth.exact_score(game, first, second), game.sizes.actions
    assert abs(float(exact) - truth.rate(first, second, characters)) < 1e-12
    if game in (SMALL, LARGE) and opponent != "uniform":
        assert (exact * 2 * characters**2).denominator == 1


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_two_scores_of_a_pair_add_up_to_one(seed, other_seed):
    first, second = fixed_baseline(SMALL, seed), fixed_baseline(SMALL, other_seed)
    assert truth.exact_score(SMALL, first, second) + truth.exact_score(SMALL, second, first) == 1
    assert truth.exact_score(SMALL, first, first) == Fraction(1, 2)


def test_a_mixture_scores_the_mean_of_its_members():
    vectors = [VECTORS["OL"], VECTORS["dichotomy"], BEST]
    mixed, god = mixture_policy(SMALL, np.array(vectors), (1, 1, 2)), find_policy(SMALL, "God")
    scores = [truth.exact_score(SMALL, vector_policy(SMALL, vector), god) for vector in vectors]
    assert truth.exact_score(SMALL, mixed, god) == (scores[0] + scores[1] + 2 * scores[2]) / 4
    assert truth.rate(mixed, god, 24) == pytest.approx(float(truth.exact_score(SMALL, mixed, god)), abs=1e-12)


def test_the_law_of_a_drawn_question_is_exact():
    everything_random = truth.player_of(RANDOMISED.strategy, np.array([0, 0, 0, 0, 1.0]))
    weights = truth.questions_of(everything_random, 9)[9, 5]  # floor(4 r), at least 1
    assert weights.tolist() == [0, 2**52, 2**51, 2**51, 0, 0, 0, 0, 0, 0]
    theta, r = (0.3, 0.1, 0.2, 0.7, 0.9), 0
    weights = truth.questions_of(truth.player_of(RANDOMISED.strategy, np.array(theta)), 9)[9, 5]
    for c in np.nonzero(weights)[0]:
        assert asked(theta, 9, 5, r * 2.0**-53) == asked(theta, 9, 5, (r + int(weights[c]) - 1) * 2.0**-53) == c
        r += int(weights[c])
    assert r == 2**53 and np.count_nonzero(weights) > 3


PAIRS = {
    **{f"{game.name}-OL": (game, "OL", "dichotomy") for game in GAMES},
    **{f"{game.name}-fixed": (game, "fixed", "Best" if game.sizes.actions > 24 else "other") for game in GAMES},
    "uniform": (SMALL, "uniform", "God"),
    "mixture": (SMALL, np.array([ONL, (1, 0, 0, 0)]), "God"),
    "randomised": (RANDOMISED, (1, 0, 0, 0, 0.5), (0, 0, 0, 0, -2)),
}


def player_of(game, player):
    """A policy by its name, its vector, or two vectors that play a quarter and three quarters of the games."""
    if isinstance(player, np.ndarray):
        return mixture_policy(game, player, (1, 3))
    if isinstance(player, tuple):
        return vector_policy(game, player)
    if player in ("fixed", "other"):
        return fixed_baseline(game, 5 if player == "other" else 1)
    return find_policy(game, player)


@pytest.mark.parametrize("name", PAIRS)
def test_simulation_agrees_with_the_exact_score(name):
    game, *players = PAIRS[name]
    first, second = (player_of(game, player) for player in players)
    if not COMPILED and game.sizes.actions > 24:
        pytest.skip("needs compiled kernels")
    assert scores_agree(game, first, second, truth.exact_score(game, first, second), NUMBERS)


def test_without_beta_the_stochastic_game_is_the_deterministic_one():
    scores = [
        PolicyMatch(g, find_policy(g, "Best"), find_policy(g, "ONL")).scores(1, 0, 200) for g in (SMALL, RANDOMISED)
    ]
    assert (scores[0] == scores[1]).all()


@pytest.mark.thorough
@pytest.mark.parametrize("name", VECTORS)
def test_named_vectors_ask_exactly_what_the_formula_says(name):
    theta = VECTORS[name.removesuffix("-printed")]
    shrink = 2 if name.endswith("-printed") else 1  # the paper prints delta = max(n-m, 0)/2 in equations 2 and 3
    for n in POOLS:
        for m in range(2, n + 1):
            delta = Fraction(max(n - m, 0), shrink)
            assert asked(VECTORS[name], n, m) == clamped(size(theta, n, m, delta), n)


@given(st.lists(st.floats(-100, 100), min_size=4, max_size=4), POOL, POOL)
def test_any_vector_asks_what_the_formula_says_up_to_rounding(theta, own, other):
    exact = size(theta, own, other, max(own - other, 0))
    assert clamped(exact - Fraction(1, 10**9), own) <= asked(theta, own, other)
    assert asked(theta, own, other) <= clamped(exact + Fraction(1, 10**9), own)


@given(st.lists(FINITE, min_size=4, max_size=5), POOL, POOL, st.floats(0, 1, exclude_max=True))
@example([1e308, 1e308, 1e308, 1e308, 1e308], 128, 2, 0.5)
@example([-1e308, 1e308, -1e308, 1e308, -1e308], 128, 2, 0.0)
@example([1e308, 1e308, -1e308, -1e308], 128, 2, 0.0)
def test_a_question_always_splits_the_pool(theta, own, other, r):
    assert 1 <= asked(theta, own, other, r) <= own - 1


@given(st.lists(FINITE, min_size=5, max_size=5), POOL, POOL, st.floats(0, 1), st.floats(0, 1))
def test_the_question_moves_one_way_as_r_grows(theta, own, other, r, s):
    low, high = (asked(theta, own, other, value) for value in sorted((r, s)))
    assert low <= high if theta[4] >= 0 else low >= high


def test_huge_parameters_mean_the_extreme_questions_and_games_end():
    assert [asked((big, 0, 0, 0), 50, 20) for big in (1e308, -1e308)] == [1, 49]
    assert [asked((0, 0, big, 0), 50, 20) for big in (1e308, -1e308)] == [49, 1]
    assert [asked((big, 0, 0, 0), 50, 60) for big in (1e308, -1e308)] == [25, 25]
    huge = vector_policy(RANDOMISED, (1e308, -1e308, 1e308, -1e308, 1e308))
    assert set(np.unique(PolicyMatch(RANDOMISED, huge, find_policy(RANDOMISED, "OL")).scores(1, 0, 50))) <= {0, 2}
    assert 0 < truth.exact_score(RANDOMISED, huge, find_policy(RANDOMISED, "OL")) < 1


def test_a_short_game_goes_by_the_rules():
    record = [8, 3, 12, 12, 1, 0]  # 8 asked, yes; 12 asked, no; 1 asked, yes: found
    path = list(replay(SMALL, record))
    assert [position.mover for position in path] == [0, CHANCE, 1, CHANCE, 0, CHANCE, OVER]
    assert path[0].actions == list(range(1, 24)) and path[1].actions == list(range(24))
    assert view_of(SMALL, path[3].state, 0).tolist() == [8, 24, 24, 0, 12]
    assert path[4].actions == list(range(1, 8))
    assert SMALL.rules.score(path[-1].state) == WIN
    assert SMALL.show(view_of(SMALL, path[2].state, 1)) == "your search: 24 of 24 characters left; the other's: 8"
    assert "question about 12" in SMALL.show(view_of(SMALL, path[3].state, 0))
    assert SMALL.reveal(path[3].state).endswith("player 2 asks about 12")
    assert (SMALL.label(1), SMALL.label(2)) == ("ask about 1 character", "ask about 2 characters")


def test_every_size_has_the_named_players_and_both_families():
    expected = ["dichotomy", "OL", "ONL", "Best", "ONL-printed", "Best-printed", "God", "uniform", "fixed", "redrawn"]
    for characters in (24, 96, 128):
        for tail, parameters in (("", 4), ("-stochastic", 5)):
            game = known_game(f"guesswho{characters}{tail}")
            assert policy_names(game) == expected and len(game.strategy.parameters) == parameters


def test_players_without_an_exact_score_are_refused_in_one_sentence():
    god, war = find_policy(SMALL, "God"), known_game("war")
    several = mixture_policy(LARGE, np.random.default_rng(1).normal(size=(30, 4)), [1] * 30)
    for game, first, second, message in [
        (SMALL, redrawn_baseline(SMALL), god, "redrawn changes from game to game"),
        (SMALL, god, policies_in_turn(SMALL, np.zeros((2, 4))), "2 players in turn changes from game to game"),
        (SMALL, find_policy(war, "random"), god, "not a strategy for Guess Who"),
        (war, god, god, "war is not Guess Who"),
        (LARGE, several, several, "900 pairs of members takes too long"),
    ]:
        with pytest.raises(ValueError, match=message) as refusal:
            truth.exact_score(game, first, second)
        assert "\n" not in str(refusal.value)


def test_fewer_than_two_characters_are_refused():
    god = find_policy(SMALL, "God")
    for ask in (truth.optimum, truth.first_player_rate, lambda n: truth.rate(god, god, n)):
        with pytest.raises(ValueError, match="at least 2 characters, not 1"):
            ask(1)
