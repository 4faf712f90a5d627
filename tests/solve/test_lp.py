"""Linear programming: known equilibria, brute force in fractions, and slices that can be stopped anywhere."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from support.sequence_forms import HALF_RPS, RPS, brute_force_value, matrix_form, normal_form, random_form, treeplex_of

from fogspiel.solving.methods import lp
from fogspiel.solving.methods.lp import (
    LinearProgram,
    Simplex,
    equilibrium,
    plans_of,
    primal_player_of,
    program_of,
    solve_lp,
)
from fogspiel.solving.tree.sequence_form import SequenceForm, Sparse, Treeplex
from fogspiel.stats.linear_programs import LpFailure


def assert_equilibrium(form, found, value=None):
    tolerance = 1e-9 if found.point.basis else 1e-6
    for treeplex, behaviour in zip(form.treeplexes, found.behaviours, strict=True):
        assert behaviour.min() >= 0
        sums = np.add.reduceat(behaviour, treeplex.first) if treeplex.infosets else np.ones(0)
        assert np.allclose(sums, 1, rtol=0, atol=1e-12)
    assert -1e-12 < found.gap < tolerance
    assert found.lower - tolerance <= found.value <= found.upper + tolerance
    if value is not None:
        assert found.value == pytest.approx(float(value), abs=tolerance)


@pytest.mark.parametrize("primal_player", [0, 1, "auto"])
@pytest.mark.parametrize("method", ["simplex", "ipm"])
def test_matching_pennies_is_fair_from_both_seats_and_by_both_methods(primal_player, method):
    form = matrix_form([[1, -1], [-1, 1]])
    found = equilibrium(form, primal_player, method)
    assert_equilibrium(form, found, 0)
    assert all(np.allclose(behaviour, [1, 0.5, 0.5]) for behaviour in found.behaviours)
    assert (found.point.basis is None) == (method == "ipm")


@pytest.mark.parametrize("primal_player", [0, 1])
def test_rock_paper_scissors_with_half_pay_mixes_two_two_one(primal_player):
    found = equilibrium(matrix_form(HALF_RPS, 2), primal_player)
    assert_equilibrium(matrix_form(HALF_RPS, 2), found, 0)
    assert np.allclose(found.behaviours[0][1:], [0.4, 0.4, 0.2]) and np.allclose(
        found.behaviours[1][1:], [0.4, 0.4, 0.2]
    )


@pytest.mark.parametrize("seed", range(12))
def test_random_matrix_games_have_the_value_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    payoffs = rng.integers(-9, 10, rng.integers(1, 6, 2))
    form = matrix_form(payoffs, 4)
    for primal_player in (0, 1):
        assert_equilibrium(form, equilibrium(form, primal_player), brute_force_value(payoffs) / 4)


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_have_the_value_of_their_normal_form(seed):
    form = random_form(seed)
    value = brute_force_value(normal_form(form)) / form.denominator
    for primal_player in (0, 1):
        assert_equilibrium(form, equilibrium(form, primal_player), value)


@pytest.mark.parametrize("seed", range(40))
def test_both_planners_and_both_methods_agree_on_larger_games(seed):
    form = random_form(seed, ((3, 12), (2, 20)), density=0.1)
    one = equilibrium(form, 0)
    assert_equilibrium(form, one)
    for primal_player, method in ((1, "simplex"), (0, "ipm"), (1, "ipm")):
        assert_equilibrium(form, equilibrium(form, primal_player, method), one.value)


def test_games_in_which_nobody_or_only_one_player_decides_are_solved_too():
    nobody = Treeplex(*(np.zeros(0, np.int64) for _ in range(3)))
    zeros = np.zeros(1, np.int64)
    alone = SequenceForm((nobody, nobody), zeros, zeros, np.array([3]), 4)
    one = SequenceForm((treeplex_of([(0, 2)]), nobody), np.array([1, 2]), np.zeros(2, np.int64), np.array([3, 5]), 4)
    for primal_player in (0, 1):
        assert_equilibrium(alone, equilibrium(alone, primal_player), 0.75)
        assert_equilibrium(one, equilibrium(one, primal_player), 1.25)
        assert_equilibrium(one.swapped(), equilibrium(one.swapped(), primal_player), -1.25)
    empty = SequenceForm(one.treeplexes, zeros[:0], zeros[:0], zeros[:0], 1)
    assert_equilibrium(empty, equilibrium(empty), 0)


def test_large_payoffs_are_scaled_for_the_solver_and_kept_whole_for_exact_sums():
    payoffs = np.array(RPS) * 10**12 + 1
    form = matrix_form(payoffs, 10**12)
    program = program_of(form, 1)
    assert np.abs(program.matrix.value).max() <= 1024
    assert set(program.whole.tolist()) >= set((-payoffs[payoffs != 0]).ravel().tolist())
    assert_equilibrium(form, equilibrium(form), 1e-12)


def test_a_plan_and_its_response_satisfy_the_program():
    form = random_form(5, ((3, 12), (2, 20)), density=0.1)
    for primal_player in (0, 1):
        program = program_of(form, primal_player)
        point = solve_lp(program)
        activity = program.matrix.times(point.primal)
        assert np.all(activity >= program.row_lower - 1e-8) and np.all(activity <= program.row_upper + 1e-8)
        x, y = plans_of(form, primal_player, point.primal, point.dual)
        assert x @ form.matrix.times(y) == pytest.approx(point.value, abs=1e-9)
        # Strong duality: the bounds of the rows, priced by their duals, are the least cost
        assert point.dual[0] == pytest.approx(program.cost @ point.primal, abs=1e-7)


@pytest.mark.parametrize("slice_size", [1, 7, 50, 10**6])
def test_a_solve_that_is_stopped_after_every_slice_takes_the_same_path(slice_size):
    program = program_of(random_form(3, ((4, 25), (4, 25)), density=0.05), 1)
    straight, stopped = Simplex(program), Simplex(program)
    while not straight.advance(slice_size):
        assert straight.iterations < 10**5
    while not stopped.advance(slice_size):
        stopped = Simplex(program, stopped.basis)
    assert straight.basis == stopped.basis
    assert straight.iterations == stopped.iterations
    assert straight.point.primal.tobytes() == stopped.point.primal.tobytes()
    assert straight.point.dual.tobytes() == stopped.point.dual.tobytes()


def test_a_finished_solve_is_reopened_from_its_basis_without_a_step():
    program = program_of(random_form(4, ((3, 12), (2, 20)), density=0.1), 0)
    point = solve_lp(program)
    again = Simplex(program, point.basis)
    assert again.advance(0) or again.advance()
    assert again.point.iterations == point.iterations
    assert again.point.primal.tobytes() == point.primal.tobytes()


def test_the_planner_is_the_one_whose_program_has_fewer_rows():
    wide = matrix_form(np.arange(20).reshape(2, 10) % 7)
    assert primal_player_of(wide) == 1 and primal_player_of(wide.swapped()) == 0
    assert program_of(wide, 1).height < program_of(wide, 0).height


def bounded(cost, lower, upper):
    """One column, one row."""
    whole = np.ones(1, np.int64)
    matrix = Sparse(np.array([0, 1]), np.array([0]), np.ones(1))
    free = np.array([-np.inf]), np.array([np.inf])
    return LinearProgram(np.array([cost]), matrix, whole, np.array([lower]), np.array([upper]), *free, Fraction(1))


@pytest.mark.parametrize("method", ["simplex", "ipm"])
def test_a_program_without_an_optimum_says_so(method):
    with pytest.raises(LpFailure, match="no optimum"):
        solve_lp(bounded(1.0, -np.inf, 0.0), method)
    contradiction = LinearProgram(
        np.array([1.0]),
        Sparse(np.array([0, 1, 2]), np.array([0, 0]), np.ones(2)),
        np.ones(2, np.int64),
        np.array([0.0, 2.0]),
        np.array([1.0, 3.0]),
        np.array([0.0]),
        np.array([np.inf]),
        Fraction(1),
    )
    with pytest.raises(LpFailure, match="no optimum"):
        solve_lp(contradiction, method)


def test_wrong_requests_are_refused_with_a_sentence():
    form = matrix_form(RPS)
    program = program_of(form, 1)
    with pytest.raises(ValueError, match="not a player"):
        program_of(form, 2)
    with pytest.raises(ValueError, match="or say 'auto'"):
        equilibrium(form, "second")
    with pytest.raises(ValueError, match="'simplex' or 'ipm'"):
        solve_lp(program, "barrier")
    with pytest.raises(ValueError, match="no basis"):
        Simplex(program, b"nonsense")
    other = program_of(matrix_form([[1, 2], [3, 4], [0, 9], [9, 0]]), 1)
    with pytest.raises(ValueError, match="another program"):
        Simplex(other, solve_lp(program).basis)
    with pytest.raises(ValueError, match="not reached"):
        _ = Simplex(program).point
    with pytest.raises(ValueError, match="does not belong"):
        lp.basis_statuses(other, solve_lp(program).basis)


def test_importing_the_module_does_not_import_the_solver():
    code = "import sys, fogspiel.solving.methods.lp, fogspiel.solving.exact; sys.exit('highspy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
