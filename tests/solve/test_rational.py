"""Exact values: brute force and published numbers, and bounds that hold whatever the solver said."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from support.sequence_forms import (
    HALF_RPS,
    RPS,
    brute_force_value,
    matrix_form,
    normal_form,
    random_form,
    solution_of,
    treeplex_of,
)

from fogspiel.core.game import known_game
from fogspiel.solving import exact
from fogspiel.solving import exact as vertices
from fogspiel.solving.exact import (
    RealisationPlan,
    check_plan,
    exact_bounds,
    exact_from,
    factorise,
    guarantee,
    round_strategy,
    vertex,
)
from fogspiel.solving.methods.lp import basis_statuses, equilibrium, program_of, solve_lp
from fogspiel.solving.tree import build_tree, sequence_form
from fogspiel.solving.tree.sequence_form import SequenceForm, Treeplex, sparse

LEDUC = Fraction(-1454920850547486749701863871533, 16995463438839962469905132501930)


def exact_value(form, primal_player=1, method="simplex"):
    point = equilibrium(form, primal_player, method).point
    found = exact_bounds(form, primal_player, point)
    assert_sound(form, found)
    return found


def assert_sound(form, found):
    """Behaviour adds up to 1 exactly, and enumerating or folding in fractions gives the same bounds."""
    for treeplex, behaviour in zip(form.treeplexes, found.behaviours, strict=True):
        assert behaviour[0] == 1 and min(behaviour) >= 0
        for first, count in zip(treeplex.first, treeplex.count, strict=True):
            assert sum(behaviour[first : first + count]) == 1
    assert found.lower == secured_by_recursion(form, found.behaviours[0])
    assert found.upper == -secured_by_recursion(form.swapped(), found.behaviours[1])


def secured_by_recursion(form, behaviour):
    """What the first player's behaviour gets at least, by recursion over the opponent's infosets: another oracle."""
    first, second = form.treeplexes
    reach = [Fraction(1)] * first.sequences
    for i in range(first.infosets):
        for s in range(first.first[i], first.first[i] + first.count[i]):
            reach[s] = reach[first.parent[i]] * behaviour[s]
    own = [Fraction(0)] * second.sequences
    for row, column, payoff in zip(form.rows, form.columns, form.payoffs, strict=True):
        own[column] += reach[row] * int(payoff) / form.denominator
    below = [[i for i in range(second.infosets) if second.parent[i] == s] for s in range(second.sequences)]

    def least(s):
        return own[s] + sum(
            min(least(t) for t in range(second.first[i], second.first[i] + second.count[i])) for i in below[s]
        )

    return least(0)


@pytest.mark.parametrize("primal_player", [0, 1])
def test_rock_paper_scissors_is_exact(primal_player):
    assert exact_value(matrix_form(RPS), primal_player).behaviours[0] == [1, *[Fraction(1, 3)] * 3]
    found = exact_value(matrix_form(HALF_RPS, 2), primal_player)
    assert found.proved and found.value == 0
    assert found.behaviours == ([1, Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)],) * 2


@pytest.mark.parametrize("seed", range(12))
def test_random_matrix_games_have_the_exact_value_of_brute_force(seed):
    payoffs = np.random.default_rng(seed).integers(-99, 100, (4, 5))
    for primal_player in (0, 1):
        found = exact_value(matrix_form(payoffs, 7), primal_player)
        assert found.proved and found.value == brute_force_value(payoffs) / 7


@pytest.mark.thorough
def test_a_game_of_eight_by_eight_has_the_exact_value_of_brute_force():
    payoffs = np.random.default_rng(3).integers(-9, 10, (8, 8))
    found = exact_value(matrix_form(payoffs))
    assert found.proved and found.value == brute_force_value(payoffs)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(12))
def test_random_trees_have_the_exact_value_of_their_normal_form(seed):
    form = random_form(seed)
    value = brute_force_value(normal_form(form)) / form.denominator
    for primal_player in (0, 1):
        found = exact_value(form, primal_player)
        assert found.proved and found.value == value


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(20))
def test_larger_games_are_proved_from_both_seats(seed):
    form = random_form(seed, ((3, 20), (2, 30)), largest=1000, density=0.2)
    one, other = exact_value(form, 0), exact_value(form, 1)
    assert one.proved and other.proved and one.value == other.value


def test_kuhn_is_exactly_minus_one_eighteenth():
    found = exact_value(sequence_form(build_tree(known_game("kuhn"))))
    assert found.proved and found.value == Fraction(-1, 18)


@pytest.mark.parametrize("primal_player", [0, 1])
def test_leduc_is_an_exact_fraction(primal_player):
    form = sequence_form(build_tree(known_game("leduc")))
    found = exact_bounds(form, primal_player, equilibrium(form, primal_player).point)
    assert found.proved and found.value == LEDUC
    assert float(found.value) == pytest.approx(-0.085606424078, abs=1e-12)


@pytest.mark.slow
def test_liars_dice_with_six_sides_is_exact():
    form = sequence_form(build_tree(known_game("liars-dice-6")))
    found = exact_bounds(form, 1, equilibrium(form, 1).point)
    assert found.proved and found.value == Fraction(-7, 258)


def test_payoffs_beyond_the_floats_are_still_summed_exactly():
    form = matrix_form(np.array(RPS) * 2**58 + 1, 2**58)
    found = exact_value(form)
    assert found.proved and found.value == Fraction(1, 2**58)


def test_games_in_which_nobody_or_only_one_player_decides_are_exact_too():
    nobody = Treeplex(*(np.zeros(0, np.int64) for _ in range(3)))
    alone = SequenceForm((nobody, nobody), np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([3]), 4)
    one = SequenceForm((treeplex_of([(0, 2)]), nobody), np.array([1, 2]), np.zeros(2, np.int64), np.array([3, 5]), 4)
    for primal_player in (0, 1):
        assert exact_value(alone, primal_player).value == Fraction(3, 4)
        assert exact_value(one, primal_player).value == Fraction(5, 4)


def test_rounding_alone_is_enough_for_small_denominators():
    form = matrix_form(HALF_RPS, 2)
    point = replace(equilibrium(form).point, basis=None)
    found = exact_bounds(form, 1, point)
    assert found.proved and found.value == 0


def test_an_interior_point_gives_rigorous_bounds_close_together():
    form = random_form(2, ((3, 20), (2, 30)), largest=1000, density=0.2)
    value = exact_value(form).value
    found = exact_value(form, method="ipm")
    assert found.lower <= value <= found.upper
    assert found.upper - found.lower < Fraction(1, 10**4)
    assert found.lower <= found.value <= found.upper


def test_a_solver_that_lies_is_never_believed():
    form = random_form(2, ((3, 20), (2, 30)), largest=1000, density=0.2)
    value = exact_value(form).value
    point = equilibrium(form, 1).point
    rng = np.random.default_rng(1)
    for _ in range(5):
        noise = rng.normal(size=len(point.primal)), rng.normal(size=len(point.dual))
        lie = replace(point, primal=point.primal + noise[0], dual=point.dual + noise[1], basis=None)
        found = exact_bounds(form, 1, lie)
        assert_sound(form, found)
        assert found.lower <= value <= found.upper and not found.proved


def test_a_basis_that_is_not_optimal_gives_clean_strategies_and_honest_bounds():
    form = random_form(2, ((3, 20), (2, 30)), largest=1000, density=0.2)
    other = SequenceForm(form.treeplexes, form.rows, form.columns, form.payoffs[::-1].copy(), form.denominator)
    value = exact_value(form).value
    wrong = equilibrium(other, 1).point
    columns, rows = (
        np.arange(form.treeplexes[1].sequences),
        1 + form.treeplexes[1].infosets + np.arange(form.treeplexes[0].sequences),
    )
    program = program_of(form, 1)
    found = vertex(program, basis_statuses(program, wrong.basis), columns, rows)
    assert found is not None and min(min(found[0]), min(found[1])) < 0
    cleaned = exact_from(form, found[1], found[0])
    assert_sound(form, cleaned)
    assert cleaned.lower <= value <= cleaned.upper and not cleaned.proved


def test_a_basis_that_is_too_hard_leaves_bounds(monkeypatch):
    form = random_form(2, ((3, 20), (2, 30)), largest=1000, density=0.2)
    value = exact_value(form).value
    for limit in ("MAX_WORK", "MAX_ROUNDS", "MAX_BITS"):
        with monkeypatch.context() as patch:
            patch.setattr(exact if limit == "MAX_BITS" else vertices, limit, 0)
            found = exact_value(form)
            assert found.lower <= value <= found.upper
            assert found.upper - found.lower < Fraction(1, 10**9)


@pytest.mark.parametrize("seed", range(5))
def test_a_vertex_solves_the_program_exactly(seed):
    form = random_form(seed, ((2, 8), (2, 8)), largest=50, density=0.3)
    program = program_of(form, 0)
    point = solve_lp(program)
    found = vertex(program, basis_statuses(program, point.basis), np.arange(program.width), np.arange(program.height))
    assert found is not None
    primal, dual = found
    assert np.allclose(np.array(primal, float), point.primal) and np.allclose(np.array(dual, float), point.dual)
    start, column = program.matrix.start.tolist(), program.matrix.column.tolist()
    price = [Fraction(int(c)) for c in program.cost]
    for r in range(program.height):
        activity = Fraction(0)
        for k in range(start[r], start[r + 1]):
            activity += int(program.whole[k]) * primal[column[k]]
            price[column[k]] -= int(program.whole[k]) * dual[r]
        assert program.row_lower[r] <= activity <= program.row_upper[r]
    assert all(p == 0 if low == -np.inf else p >= 0 for p, low in zip(price, program.column_lower, strict=True))


def test_factors_modulo_a_prime_agree_with_fractions_and_a_singular_matrix_has_none():
    rng = np.random.default_rng(3)
    table = rng.integers(-3, 4, (9, 9))
    rows, columns = np.nonzero(table)
    right = rng.integers(-5, 6, 9)
    matrix = sparse(rows, columns, table[rows, columns], 9)
    factors = factorise(matrix, 2**31 - 1)
    assert factors is not None
    assert vertices._lift(matrix, right, factors, 2**31 - 1, np.arange(9)) == solution_of(
        table.tolist(), right.tolist()
    )
    table[4] = table[2] + table[7]
    rows, columns = np.nonzero(table)
    assert factorise(sparse(rows, columns, table[rows, columns], 9), 2**31 - 1) is None


def test_rounding_never_leaves_a_negative_probability():
    treeplex = treeplex_of([(0, 900)])
    behaviour = np.r_[1.0, np.full(900, 1 / 900)]
    for largest in (1, 7, 500, 1000):
        exact = round_strategy(treeplex, behaviour, largest)
        assert min(exact) >= 0 and sum(exact[1:]) == 1


def test_what_is_no_plan_is_refused_with_a_sentence():
    form = matrix_form(RPS)
    treeplex = form.treeplexes[0]
    check_plan(treeplex, RealisationPlan([3, 1, 1, 1], 3))
    for weights, denominator in (([3, 1, 1, 2], 3), ([3, 4, -1, 0], 3), ([3, 1, 1, 1], 4), ([3, 3], 3), ([0] * 4, 0)):
        with pytest.raises(ValueError, match="weight"):
            guarantee(form, 0, RealisationPlan(weights, denominator))
    with pytest.raises(ValueError, match="one for each sequence"):
        exact_from(form, [Fraction(1)], [Fraction(1)])
