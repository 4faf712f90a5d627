"""Lemke and Howson's algorithm: equilibria of tables, zero-sum or not, degenerate or not."""

from fractions import Fraction

import numpy as np
import pytest

from fogspiel.solving.methods.normal_form import BimatrixEquilibrium, is_equilibrium, lemke_howson
from fogspiel.stats.linear_programs import equilibrium

SEXES = [[3, 0], [0, 2]], [[2, 0], [0, 3]]
DEGENERATE = [[0, 0, 0], [0, 1, 1], [0, 1, 1]], [[1, 1, 0], [1, 1, 0], [0, 0, 0]]
SINGLE = [[5]], [[-3]]
HALVES = [Fraction(1, 2)] * 2


@pytest.mark.parametrize("game", [SEXES, DEGENERATE, SINGLE], ids=["sexes", "degenerate", "single"])
def test_every_label_leads_to_an_equilibrium(game):
    first, second = game
    for label in range(len(first) + len(first[0])):
        assert is_equilibrium(first, second, lemke_howson(first, second, label))


def test_the_battle_of_the_sexes_ends_in_a_pure_equilibrium():
    assert lemke_howson(*SEXES, 0).rows == [1, 0]
    assert lemke_howson(*SEXES, 1).rows == [0, 1]


@pytest.mark.parametrize("seed", range(20))
def test_random_games_are_solved(seed):
    rng = np.random.default_rng(seed)
    height, width = rng.integers(1, 7, 2)
    first, second = (rng.integers(-3, 4, (height, width)).tolist() for _ in range(2))  # small numbers make ties
    for label in range(height + width):
        assert is_equilibrium(first, second, lemke_howson(first, second, label))


@pytest.mark.parametrize("seed", range(10))
def test_the_value_of_a_zero_sum_game_is_that_of_linear_programming(seed):
    table = np.random.default_rng(seed).integers(-9, 10, (5, 4))
    found = lemke_howson(table.tolist(), (-table).tolist())
    value = sum(x * int(table[i, j]) * y for i, x in enumerate(found.rows) for j, y in enumerate(found.columns))
    assert float(value) == pytest.approx(equilibrium(table).value)


def test_a_pair_that_is_no_equilibrium_is_told_apart():
    assert not is_equilibrium(*SEXES, BimatrixEquilibrium(HALVES, HALVES, 0))


@pytest.mark.parametrize(
    ("first", "second", "label"), [([], [], 0), ([[1, 2]], [[1]], 0), ([[1]], [[1], [2]], 0), ([[1]], [[1]], 2)]
)
def test_tables_that_do_not_fit_are_refused(first, second, label):
    with pytest.raises(ValueError, match=r"must have the same rows|a label is from 0"):
        lemke_howson(first, second, label)


def test_small_games_are_solved_by_name(answer, fogspiel):
    found = answer("solve", "kuhn", "--method", "lemke-howson", "--exact")
    assert found["value"] == "-1/18" and "pivots" in found["method"]
    assert answer("verify", found["certificate"])["lower"] == "-1/18"
    large = fogspiel("solve", "leduc", "--method", "lemke-howson")
    assert large.returncode == 2 and "takes 500 pure strategies of each player at most" in large.stderr
