"""The paper of The Resistance: lines and figures beyond its tables."""

import pytest

from fogspiel.papers.bossle2018 import compute, eight_line, one_solve_lines, report_of, tree_sizes
from fogspiel.papers.bossle2018.full_sequence_form import full_sizes, normal_forms, reduced_rounds, solve_program
from fogspiel.papers.kinds import Options
from fogspiel.resistance.game import SETUPS

PROGRAM = {"iterations": 25, "simplex_iterations": None, "paper_iterations": 31114, "gap": 1e-9}
PROGRAMS = [
    PROGRAM | {"players": 5, "first": "resistance", "cpu_seconds": 3.0},
    PROGRAM | {"players": 5, "first": "spies", "cpu_seconds": 2.0, "simplex_iterations": 5246},
]


def silent(words):
    pass


def test_everything_is_computed_without_the_large_programs():
    found = compute(Options(players=5, full=4), silent)
    assert found.facts["payoffs"][0]["payoff"] == "-2/5" and found.facts["resources"] == []
    assert found.facts["beyond"][0]["merlin"] == "2/3" and found.facts["beyond"][0]["voting_irrelevant"]
    assert found.report is not None and "figure-4-1a" in found.report.figures


@pytest.mark.thorough
def test_a_program_of_the_paper_is_solved_and_measured():
    found = solve_program(5, "spies", "simplex")
    assert found["value"] == pytest.approx(-0.4) and found["gap"] < 1e-9
    assert found["iterations"] > 1000 and found["cpu_seconds"] > 0


def test_one_solve_is_compared_with_two():
    (line,) = one_solve_lines(PROGRAMS)
    assert "the spies first took 2.0 CPU s" in line and line.endswith("both orientations took 5.0")


def test_the_size_of_eight_players_is_told():
    assert "12.6 and 6.5 million rows and columns" in eight_line()


def test_the_figures_have_the_series_of_both_orientations():
    report = report_of([], list(tree_sizes(6, silent)), PROGRAMS)
    (chart,) = report.figures["figure-6-1"]
    points = {series.name: len(series.x) for series in chart.series}
    assert points["CPLEX, spies first"] == points["simplex, spies first"] == 1
    assert points["simplex, resistance first"] == 0


@pytest.mark.parametrize("players", [5, 6, 7])
def test_the_rounds_add_up_to_the_whole(players):
    rounds, whole = reduced_rounds(SETUPS[players]), full_sizes(SETUPS[players])
    assert tuple(map(sum, zip(*rounds, strict=True))) == (whole.resistance_infosets, whole.spy_infosets)


def test_the_normal_forms_of_the_thesis_have_its_equilibria():
    found = {row["game"].split(" ")[0]: (row["first"], row["equilibrium"]) for row in normal_forms()}
    assert found["the"] == ("2/5 2/5 1/5", True) and found["prisoner's"] == ("0 1", True)
