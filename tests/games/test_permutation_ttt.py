"""Permutation tic-tac-toe: the rules, random orders, best responses and the equilibrium."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.played_games import referee, scores_agree

from fogspiel.core.agents import (
    exact_score,
    find_policy,
    fixed_baseline,
    mixture_policy,
    redrawn_baseline,
    vector_policy,
)
from fogspiel.core.game import known_game
from fogspiel.core.session import record_game, replay, view_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games.permutation_tictactoe import exact as truth
from fogspiel.games.permutation_tictactoe import rules
from fogspiel.games.permutation_tictactoe.rules import ranks
from fogspiel.games.permutation_tictactoe.scores import TTT
from fogspiel.solving.methods.permutation import make_certificate, solve
from fogspiel.solving.proofs.checkers.permutation import TTT as GRID
from fogspiel.solving.proofs.checkers.permutation import verify

GAME = known_game("permutation-ttt")
HALF = Fraction(1, 2)
EQUILIBRIUM, BEST = find_policy(GAME, "equilibrium"), find_policy(GAME, "best-vs-random")
vectors = st.lists(st.floats(-3, 3) | st.integers(-1, 1).map(float), min_size=18, max_size=18)
wild_vectors = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=18, max_size=18)
orders = st.permutations(range(9))


def against_random_moves(order, seat, stones=(frozenset(), frozenset())):
    """The score of an order against an opponent who plays any free cell, by plain recursion."""
    mover = sum(map(len, stones)) % 2
    free = [c for c in (order if mover == seat else range(9)) if c not in stones[0] | stones[1]]
    if not free:
        return HALF
    total = Fraction(0)
    for cell in free[:1] if mover == seat else free:
        after = list(stones)
        after[mover] = stones[mover] | {cell}
        if any(set(line) <= after[mover] for line in GRID.lines):
            total += mover == seat
        else:
            total += against_random_moves(order, seat, tuple(after))
    return total / (1 if mover == seat else len(free))


def plays_as_calculated(first, second, pairs=100_000):
    return scores_agree(GAME, first, second, exact_score(GAME, first, second), pairs)


@given(orders, orders)
@settings(max_examples=200, deadline=None)
def test_two_orders_play_the_game_of_the_paper(first, second):
    record = [*first[:8], *second[:8]]
    last = list(replay(GAME, record))[-1]
    assert last.mover == -2
    assert Fraction(int(GAME.rules.score(last.state)), 2) == referee(GRID, first, second)


@given(wild_vectors | vectors)
@settings(max_examples=200, deadline=None)
def test_parameters_are_ranked_and_equal_ones_keep_their_order(theta):
    first, second = rules.orders_of(np.array(theta))
    assert first == tuple(sorted(range(9), key=lambda cell: theta[cell]))
    assert second == tuple(sorted(range(9), key=lambda cell: theta[9 + cell]))


@given(orders, orders)
def test_ranks_are_a_vector_of_the_orders(first, second):
    assert rules.orders_of(np.array(rules.ranks(first, second))) == (tuple(first), tuple(second))


@given(vectors, vectors)
@settings(max_examples=100, deadline=None)
def test_the_exact_score_is_that_of_the_two_games_between_the_vectors(theta, phi):
    one, other = vector_policy(GAME, theta), vector_policy(GAME, phi)
    (one_first, one_second), (other_first, other_second) = (rules.orders_of(np.array(v)) for v in (theta, phi))
    exact = exact_score(GAME, one, other)
    assert exact == (referee(GRID, one_first, other_second) + 1 - referee(GRID, other_first, one_second)) / 2
    assert exact == Fraction(int(PolicyMatch(GAME, one, other).scores(1, 0, 1).sum()), 4)
    assert record_game(GAME, one, other, 1, 0)[0] == [*one_first[:8], *other_second[:8]]


def test_an_order_is_hidden_until_the_game_is_over():
    first, second = (4, 0, 8, 2, 6, 1, 7, 3), (0, 1, 2, 3, 4, 5, 6, 7)
    for position in list(replay(GAME, [*first, *second]))[:-1]:
        for player in (0, 1):
            assert set(view_of(GAME, position.state, player)[rules.SEEN_OTHER :].tolist()) == {-1}
    end = list(replay(GAME, [*first, *second]))[-1].state
    assert view_of(GAME, end, 1)[rules.SEEN_OTHER :].tolist() == [*first, 5]
    # A1 is taken when X gets there, so X has B2, C3, C1, A3: a diagonal before O's next stone
    assert GAME.show(view_of(GAME, end, 0)).endswith("OOX\nOX.\nX.X") and GAME.rules.score(end) == 2


@given(orders, st.integers(0, 1))
@settings(max_examples=15, deadline=None)
def test_random_orders_play_like_random_moves(order, seat):
    assert truth.against_random(order, seat) == against_random_moves(order, seat)


def test_random_orders_score_what_is_known_of_random_tic_tac_toe():
    drawn = np.random.default_rng(1).permuted(np.tile(np.arange(9), (3000, 1)), axis=1).tolist()
    exact = float(Fraction(737, 1260) + Fraction(4, 63))
    assert exact == pytest.approx(0.6484, abs=5e-5)
    for seat, expected in ((0, exact), (1, 1 - exact)):
        scores = [float(truth.against_random(order, seat)) for order in drawn]
        assert abs(np.mean(scores) - expected) <= 4 * np.std(scores) / len(scores) ** 0.5


@pytest.mark.slow
def test_the_best_vector_against_random_orders_scores_0_7836():
    first, second = truth.best_against_random(0), truth.best_against_random(1)
    assert ranks(first.cells, second.cells) == GAME.policies["best-vs-random"]
    score = (first.score + second.score) / 2
    assert score == Fraction(379121, 483840) == exact_score(GAME, BEST, redrawn_baseline(GAME))
    assert (first.score, second.score) == (Fraction(707, 768), Fraction(611, 945))
    assert (
        exact_score(GAME, redrawn_baseline(GAME), BEST)
        == 1 - score
        == HALF - truth.exploitability_of(redrawn_baseline(GAME))
    )
    assert plays_as_calculated(BEST, redrawn_baseline(GAME)) and plays_as_calculated(BEST, find_policy(GAME, "uniform"))


@pytest.mark.thorough
@given(orders, st.integers(0, 1))
@settings(max_examples=100, deadline=None)
def test_no_order_scores_more_against_random_ones_than_the_best(order, seat):
    assert truth.against_random(order, seat) <= truth.best_against_random(seat).score


def test_nobody_gains_anything_against_the_equilibrium():
    assert truth.exploitability_of(EQUILIBRIUM) == 0
    assert exact_score(GAME, EQUILIBRIUM, EQUILIBRIUM) == HALF
    assert Fraction(362878308578215799, 470440608901857200) == truth.VALUE
    first, second = truth.replies(EQUILIBRIUM)
    assert (first.score, second.score) == (truth.VALUE, 1 - truth.VALUE)
    assert all(sum(law.values()) == 1 for law in truth.equilibrium())
    for player in (BEST, redrawn_baseline(GAME), fixed_baseline(GAME, 1)):
        assert exact_score(GAME, EQUILIBRIUM, player) > HALF


@pytest.mark.slow
def test_the_equilibrium_is_played_with_its_probabilities():
    assert plays_as_calculated(EQUILIBRIUM, fixed_baseline(GAME, 1), 10_000) and plays_as_calculated(
        EQUILIBRIUM, fixed_baseline(GAME, 2), 10_000
    )
    drawn = [tuple(record_game(GAME, EQUILIBRIUM, EQUILIBRIUM, 3, number)[0]) for number in range(1500)]
    for law, written in zip(truth.equilibrium(), ([r[:8] for r in drawn], [r[8:] for r in drawn]), strict=True):
        known = {order[:8]: float(chance) for order, chance in law.items()}
        assert set(written) <= set(known)
        for cell in range(9):
            expected = sum(chance for order, chance in known.items() if order[0] == cell)
            share = sum(order[0] == cell for order in written) / len(written)
            assert abs(share - expected) < 0.06


@pytest.mark.slow
def test_the_stored_equilibrium_is_what_the_solver_finds_and_convinces_the_checker():
    proof = make_certificate(TTT, truth.representatives(), truth.VALUE)
    assert proof == solve()
    assert verify(proof) == (truth.VALUE, truth.VALUE)


def best_reply(player):
    first, second = truth.replies(player)
    return vector_policy(GAME, ranks(first.cells, second.cells))


@given(vectors)
@settings(max_examples=10, deadline=None)
def test_a_single_vector_can_be_beaten_every_time(theta):
    player = vector_policy(GAME, theta)
    assert exact_score(GAME, best_reply(player), player) == 1
    assert truth.exploitability_of(player) == HALF


def test_the_best_response_to_a_population_scores_its_exploitability():
    rows = np.vstack([fixed_baseline(GAME, seed).thetas for seed in range(12)])
    crowd = mixture_policy(GAME, rows, (1.0,) * 12)
    reply = best_reply(crowd)
    assert 0 < truth.exploitability_of(crowd) < HALF
    assert exact_score(GAME, reply, crowd) == HALF + truth.exploitability_of(crowd)
    assert plays_as_calculated(reply, crowd)
    thirds = mixture_policy(GAME, rows[:2], (1, 2))
    exact = (
        exact_score(GAME, fixed_baseline(GAME, 0), reply) + 2 * exact_score(GAME, fixed_baseline(GAME, 1), reply)
    ) / 3
    assert float(exact_score(GAME, thirds, reply)) == pytest.approx(float(exact), abs=1e-15)


def test_words_name_both_orders():
    assert GAME.strategy.describe(np.zeros(18)).startswith("moving first A1 B1 C1 A2 B2 C2 A3 B3 C3; moving second A1")


def test_what_has_no_exact_score_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match="is not a player"):
        truth.best_against_random(2)
    with pytest.raises(ValueError, match="not a permutation"):
        truth.against_random([0] * 9, 0)
