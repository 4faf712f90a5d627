"""Matrix games: known equilibria, and best responses that say whether the others are."""

from itertools import product

import numpy as np
import pytest

import fogspiel.stats.linear_programs
from fogspiel.stats.linear_programs import couple, equilibrium, prune, symmetric_equilibrium

RPS = np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]])


def gap(matrix, rows, columns):
    """What both could gain together by best responses: zero at an equilibrium and nowhere else."""
    return (matrix @ columns).max() - (rows @ matrix).min()


def test_rock_paper_scissors_is_played_evenly():
    for found in (equilibrium(RPS), symmetric_equilibrium(RPS)):
        assert found.rows == pytest.approx([1 / 3] * 3) and found.columns == pytest.approx([1 / 3] * 3)
        assert found.value == pytest.approx(0.5) and found.gap == pytest.approx(0, abs=1e-9)


def test_nobody_gains_by_leaving_an_equilibrium_of_a_random_matrix():
    numbers = np.random.default_rng(5)
    for height, width in [(1, 1), (1, 7), (7, 1), (2, 2), (3, 8), (20, 20), (60, 40)]:
        for matrix in (numbers.random((height, width)), 1000 * numbers.normal(size=(height, width)) - 5):
            found = equilibrium(matrix)
            for weights in (found.rows, found.columns):
                assert weights.min() >= 0 and weights.sum() == pytest.approx(1, abs=1e-12)
            span = np.ptp(matrix) or 1.0
            assert gap(matrix, found.rows, found.columns) <= 1e-7 * span
            assert found.lower - 1e-7 * span <= found.value <= found.upper + 1e-7 * span


def test_a_symmetric_game_has_one_mixture_that_nobody_beats():
    numbers = np.random.default_rng(6)
    for size in (1, 2, 9, 50):
        matrix = numbers.random((size, size))
        matrix = (matrix + 1 - matrix.T) / 2
        found = symmetric_equilibrium(matrix)
        assert found.value == pytest.approx(0.5) and (found.rows == found.columns).all()
        assert (matrix @ found.rows).max() <= 0.5 + 1e-9


def test_a_matrix_of_equal_payoffs_is_an_equilibrium_anywhere():
    assert equilibrium(np.full((3, 2), 0.25)).value == 0.25


@pytest.mark.parametrize("level", [1e-300, 0.5, -3.0, 1e12])
def test_payoffs_that_differ_by_rounding_only_have_an_equilibrium(level):
    numbers = np.random.default_rng(9)
    for _ in range(200):
        height, width = numbers.integers(1, 12, 2)
        noise = numbers.integers(-2, 3, (height, width)) * np.spacing(abs(level))
        for matrix in (level + noise, np.full((height, width), level)):
            found = equilibrium(matrix)
            assert found.value == pytest.approx(level, rel=1e-14, abs=0)
            assert found.gap <= 4e-14 * abs(level)
            for weights in (found.rows, found.columns):
                assert weights.min() >= 0 and weights.sum() == pytest.approx(1, abs=1e-12)


def test_a_gap_that_rounding_does_not_explain_is_an_error(monkeypatch):
    monkeypatch.setattr(fogspiel.stats.linear_programs, "_clean", lambda weights: np.eye(len(weights))[0])
    for matrix in (RPS, 1e-6 * RPS, 1e9 + RPS):
        with pytest.raises(RuntimeError, match="left a gap"):
            equilibrium(matrix)


def test_kuhn_poker_as_a_matrix_of_plans_is_worth_a_minus_eighteenth():
    # A plan of the first player for each card: bet; check and call; check and fold. Of the second, for each card: what
    # he does after a check (check, bet) and after a bet (fold, call).
    firsts, seconds = (
        list(product(("bet", "call", "fold"), repeat=3)),
        list(product(product((0, 1), repeat=2), repeat=3)),
    )

    def payoff(plan, reply, card, other):
        sign = 1 if card > other else -1
        bets, calls = reply[other]
        if plan[card] == "bet":
            return 2 * sign if calls else 1
        if not bets:
            return sign
        return 2 * sign if plan[card] == "call" else -1

    deals = [(a, b) for a in range(3) for b in range(3) if a != b]
    matrix = np.array([[sum(payoff(x, y, *deal) for deal in deals) / 6 for y in seconds] for x in firsts])
    found = equilibrium(matrix)
    assert found.value == pytest.approx(-1 / 18, abs=1e-9) and found.gap <= 1e-9


def test_light_weights_are_pruned_and_the_gap_says_what_that_costs():
    numbers = np.random.default_rng(7)
    matrix = numbers.random((30, 30))
    found = equilibrium(matrix, least=0.05)
    assert min(found.rows[found.rows > 0]) >= 0.05 and found.rows.sum() == pytest.approx(1)
    assert found.gap == pytest.approx(gap(matrix, found.rows, found.columns)) and found.gap > 0
    assert prune(np.array([0.5, 0.3, 0.2]), 0.9).tolist() == [1.0, 0.0, 0.0]


def test_two_laws_are_coupled_by_few_pairs():
    numbers = np.random.default_rng(8)
    first, second = numbers.random(12), numbers.random(7)
    first[3] = second[0] = 0
    first, second = first / first.sum(), second / second.sum()
    pairs = couple(first, second)
    assert len(pairs) <= 11 + 6 - 1
    for side, law in ((0, first), (1, second)):
        summed = np.zeros(len(law))
        for pair in pairs:
            summed[pair[side]] += pair[2]
        assert summed == pytest.approx(law, abs=1e-12)


@pytest.mark.parametrize("wrong", [np.zeros((0, 3)), np.zeros(3), np.array([[np.nan]]), np.array([[np.inf, 1.0]])])
def test_what_is_no_matrix_is_refused(wrong):
    with pytest.raises(ValueError, match="table of finite payoffs"):
        equilibrium(wrong)


def test_a_matrix_of_unequal_rights_is_not_symmetric():
    with pytest.raises(ValueError, match="constant sum"):
        symmetric_equilibrium(np.array([[0.5, 0.9], [0.9, 0.5]]))
