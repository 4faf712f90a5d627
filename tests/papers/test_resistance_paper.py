"""The paper of The Resistance: lines and figures beyond its tables."""

import pytest

from fogspiel.papers.bossle2018 import compute, eight_line, one_solve_lines, report_of, tree_sizes, verdicts
from fogspiel.papers.bossle2018.full_sequence_form import (
    full_sizes,
    normal_forms,
    orbits_by_hand,
    orbits_by_machine,
    reduced_rounds,
    solve_by_growth,
    solve_by_regrets,
    solve_program,
)
from fogspiel.papers.bossle2018.small_games import (
    equilibria,
    exchanged,
    honest_gain,
    mixed,
    small_games,
    subgame_payoffs,
)
from fogspiel.papers.claims import Verdict
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
    assert found.facts["beyond"][0]["voting_irrelevant"]
    assert found.report is not None and "figure-4-1a" in found.report.figures


@pytest.mark.thorough
def test_a_program_of_the_paper_is_solved_and_measured():
    found = solve_program(5, "spies", "simplex")
    assert found["value"] == pytest.approx(-0.4) and found["gap"] < 1e-9
    assert found["iterations"] > 1000 and found["cpu_seconds"] > 0


def test_one_solve_is_compared_with_two():
    (line,) = one_solve_lines(PROGRAMS)
    assert "the spies first took 2.0 CPU s" in line and line.endswith("both orientations took 5.0")


def test_eight_players_are_compared_with_the_paper_where_they_were_solved():
    assert "12.6 and 6.5 million rows and columns" in eight_line([]) and "not solved" in eight_line([])
    row = {"players": 8, "lower": -0.6786, "upper": -0.6785, "iterations": 128, "cpu_seconds": 32.0, "megabytes": 2768}
    assert "between -0.678600000 and -0.678500000 after 128 iterations" in eight_line([row])


@pytest.mark.parametrize("solver", [solve_by_regrets, solve_by_growth])
def test_the_papers_own_form_is_solved_without_a_linear_program_of_it(solver):
    found = solver(5)
    assert found["lower"] == pytest.approx(-0.4) == found["upper"] and found["gap"] < 1e-9


def test_regret_minimisation_is_bounded_by_its_iterations():
    found = solve_by_regrets(5, most=2)
    assert found["iterations"] == 2 and found["lower"] < -0.4 < found["upper"]


@pytest.mark.slow
def test_eight_players_are_solved_in_the_papers_own_form():
    found = solve_by_regrets(8)
    assert found["lower"] == pytest.approx(-19 / 28) == found["upper"] and found["gap"] < 1e-6


def test_colour_refinement_finds_more_than_the_relabellings_by_hand():
    found = orbits_by_hand(5)
    assert found["program"] == [66555, 39152] and found["orbits"] == [29730, 18060]


@pytest.mark.slow
def test_colour_refinement_of_labelled_players_keeps_the_value():
    found = orbits_by_machine("resistance5", presolved=True)
    assert found["orbits"] == [310, 772] and found["lower"] == pytest.approx(-0.4) == found["upper"]


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


# Claims

COORDINATION = [[2, 0], [0, 1]], [[1, 0], [0, 2]]  # not zero-sum: two pure equilibria and a mixed one


def test_the_theorems_on_equilibria_fail_outside_zero_sum_games():
    found = equilibria(*COORDINATION)
    assert len(found) == 2 and exchanged(*COORDINATION, found) == 2 and mixed(*COORDINATION, found) == 1


def test_several_equilibria_are_found_where_there_are_several():
    counts = {game.name: len(game.equilibria) for game in small_games()}
    assert counts["kuhn"] > 1 and counts["binary-poker"] > 1 and counts["rps"] == 1


def test_the_printed_objective_of_the_poker_game_rewards_a_bluff():
    assert honest_gain(1) == 0 and honest_gain(2) > 0


def test_tic_tac_toe_is_a_draw():
    found = subgame_payoffs()
    assert len(found) == 5478 and found[0, 0] == 0 and found[0b11, 0b11000] == 1  # X to move completes a row


def judged(claims):
    return {claim.subject: claim.verdict(0.05) for claim in claims}


CERTIFIED, OWN = "certified values, exact", "PCFR+ on the paper's own form"
PAYOFFS = [{"players": 5 + n, "payoff": value} for n, value in enumerate(("-2/5", "-1/3", "-17/35", "-19/28"))]


def test_values_are_open_without_rows_and_decided_by_them():
    assert set(judged(verdicts._values([], [])).values()) == {Verdict.OPEN}
    wide = [{"players": n, "lower": -0.7, "upper": -0.3} for n in (5, 6, 7, 8)]
    found = [claim for claim in verdicts._values(PAYOFFS, wide) if "table" in claim.section]
    assert judged(found) == {CERTIFIED: Verdict.HOLDS, OWN: Verdict.OPEN}
    false = verdicts._values([*PAYOFFS[:3], {"players": 8, "payoff": "-2/3"}], [])
    assert next(false).verdict(0.05) is Verdict.FAILS


def test_the_order_of_the_players_stays_open_whatever_two_sizes_say():
    programs = [row | {"megabytes": 1, "simplex_iterations": 7000} for row in PROGRAMS]
    figure = "dual simplex method of HiGHS"
    fewer, more = (programs[1] | {"simplex_iterations": count} for count in (5000, 9000))
    assert judged(verdicts._resources([programs[0], fewer]))[figure] is Verdict.OPEN
    assert judged(verdicts._resources([programs[0], more]))[figure] is Verdict.FAILS


def test_both_readings_of_the_number_of_nodes_are_judged():
    found = [claim for claim in verdicts._sizes() if claim.section == "abstract, 7"]
    assert [claim.verdict(0.05) for claim in found] == [Verdict.HOLDS, Verdict.FAILS]


@pytest.mark.thorough
def test_every_numbered_item_of_the_thesis_has_a_claim():
    sections = " ".join(claim.section for claim in verdicts.judge([], [], [], [], []))
    tables = [f"table {number}" for number in ("2.1", "2.2", "3.1", "4.1", "6.1", "6.2", "6.3")]
    figures = [f"figure {number}" for number in ("2.2", "3.1", "3.2", "4.1", "5.1", "5.2", "6.1")]
    theorems = ["theorem 1", "theorem 2", "theorem 3", "definition 3"]
    assert [item for item in (*tables, *figures, *theorems) if item not in sections] == []
