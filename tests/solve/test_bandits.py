"""Matrix games by players that learn: their answers, their proven rates, and what they refuse."""

import numpy as np
import pytest

from fogspiel.solving.methods import NO_STATE, SolveOptions, SolverState, find_solve_method, run_to_end
from fogspiel.solving.methods.normal_form import EXP3, KHACHIYAN, BanditRun, table_of, trials
from fogspiel.solving.sources import find_source

SKEWED = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.25, 0.5]])


def gap_of(trial):
    first, second = run_to_end(trial.play())
    assert abs(first.sum() - 1) < 1e-9 and abs(second.sum() - 1) < 1e-9
    return float((trial.payoffs @ second).max() - (first @ trial.payoffs).min())


@pytest.mark.parametrize("method", [KHACHIYAN, EXP3])
def test_the_gap_is_below_the_proven_mean_and_falls(method):
    gaps = [gap_of(BanditRun(method, SKEWED, steps)) for steps in (1 << 10, 1 << 14, 1 << 18)]
    assert all(gap <= BanditRun(method, SKEWED, 1 << (10 + 4 * k)).rate for k, gap in enumerate(gaps))
    assert gaps[2] < gaps[0]


def test_whoever_sees_whole_rows_needs_fewer_steps():
    assert BanditRun(KHACHIYAN, SKEWED, 1 << 12).rate < BanditRun(EXP3, SKEWED, 1 << 12).rate


@pytest.mark.slice("papers")
def test_a_sequence_form_becomes_its_table():
    from fogspiel.papers.teytaud2011 import guessing_game

    assert table_of(guessing_game(3)).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


@pytest.mark.thorough
@pytest.mark.parametrize("method", [KHACHIYAN, EXP3])
def test_a_route_solves_a_matrix_game_and_goes_on_where_it_was_interrupted(method):
    problem, options = find_source("rps-half"), SolveOptions(gap=0.05)
    found = run_to_end(find_solve_method(method).solve(problem, options, NO_STATE))
    assert float(found.upper) - float(found.lower) <= 0.05 and float(found.lower) <= 0 <= float(found.upper)
    again = run_to_end(
        find_solve_method(method).solve(problem, options, SolverState(state=str(found.sizes["steps"]).encode()))
    )
    assert (again.lower, again.upper) == (found.lower, found.upper)


@pytest.mark.interpreted
def test_other_games_and_gaps_out_of_reach_are_refused():
    with pytest.raises(ValueError, match="matrix games"):
        run_to_end(find_solve_method(EXP3).solve(find_source("kuhn"), SolveOptions(gap=0.1), NO_STATE))
    with pytest.raises(ValueError, match="give a --gap of at least"):
        next(trials(EXP3, SKEWED, 1e-7))
