"""Figure 1 and section V of Cauwet & Teytaud (2018): the paper's own words and numbers are the oracle."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from fogspiel.papers.cauwet2018 import figure1, section5
from fogspiel.papers.cauwet2018.section5 import answer, batches, paper_error, questions, standard_error, verdict
from fogspiel.runs.report import Chart, to_json
from fogspiel.runs.requests import PaperRequest
from fogspiel.stats.evaluate import MatchResult

pytestmark = pytest.mark.thorough

WIN_DRAW_LOSS = (0.0, 0.5, 1.0)


@pytest.fixture(scope="module")
def figure():
    return figure1.figure1()


def report(rows, quick=False):
    return section5.report(PaperRequest("section5", quick=quick), list(rows))


def table_of(made, name):
    return next(table for table in made.tables if table.name == name)


@pytest.fixture(scope="module")
def few():
    """Every row of the quick version, with few games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(section5, "QUICK_GAMES", 400)
        patch.setattr(section5, "CHEAT_QUICK", 40)
        return [question | answer(**question, threads=2) for question in questions(quick=True)]


@pytest.mark.thorough
def test_the_figure_has_three_panels_over_all_numbers_of_characters(figure):
    panels = [part for part in figure.parts if isinstance(part, Chart) and part.group == "panels"]
    assert [panel.title for panel in panels] == ["against God", "against ONL", "against dichotomy"]
    for panel in panels:
        assert len(panel.series) == 4
        for series in panel.series:
            assert list(series.x) == list(range(2, 129)) and all(0 <= rate <= 1 for rate in series.y)


def test_rates_in_floating_point_are_the_exact_ones():
    for pair in figure1.PAIRS:
        assert abs(figure1.rates(*pair)[128] - figure1.exact(*pair)) < 1e-12


def test_OL_holds_God_to_one_half_at_powers_of_two_and_at_three(figure):
    assert figure1.even_with_god("OL") == [2, 3, 4, 8, 16, 32, 64, 128]
    assert "at N = 2, 3, 4, 8, 16, 32, 64, 128 only" in figure.paragraphs[1]


def test_of_the_papers_claims_all_hold_with_128_characters_but_that_ONL_is_the_best_of_its_kind(figure):
    claims = table_of(figure, "claims").rows
    assert len(claims) == 11 and {row[2] for row in claims[:-1]} == {"holds"}
    assert claims[-1][0] == "ONL is the best of Eq. 2 against OL" and claims[-1][2] == "does not hold"


def test_as_printed_ONL_and_Best_lose_where_the_paper_says_they_win(figure):
    for pair, claim, whole, printed in table_of(figure, "misprint").rows:
        read, as_printed = (Fraction(cell.split(" = ")[1]) for cell in (whole, printed))
        if claim == "wins":
            assert read > Fraction(1, 2)
            assert (as_printed > Fraction(1, 2)) == (pair == "OL - dichotomy")  # OL is Eq. 1's, which is no misprint


def test_rows_are_plain_json_and_depend_neither_on_threads_nor_on_when_they_are_made(few):
    assert json.loads(json.dumps(few)) == few
    for row in (few[0], few[1], few[2], few[15], few[-2]):
        question = {key: row[key] for key in ("part", "game", "first", "second", "games", "seed") if key in row}
        assert question | answer(**question, threads=1) == row


def test_a_report_needs_nothing_but_its_rows(few):
    again = report(json.loads(json.dumps(few)), quick=True)
    assert to_json(again) == to_json(report(few, quick=True))
    assert [table.name for table in again.tables] == ["claims", "orders", "risks", "misprint", "cheat"]
    assert "This is the quick version" in again.paragraphs[1] and len(report(few).paragraphs) == 1


def test_never_lose_loses_no_game(few):
    cheat = table_of(report(few), "cheat")
    assert len(cheat.rows) == 24 and {row[cheat.columns.index("losses")] for row in cheat.rows} == {0}


def test_the_relations_of_Guess_Who_hold(few):
    assert {row[-1] for row in table_of(report(few), "risks").rows} == {"holds"}


def test_every_question_is_a_job_of_its_own():
    (jobs,) = batches(PaperRequest("section5", quick=True))
    assert [job.inputs for job in jobs] == questions(quick=True)


def test_standard_errors_are_those_of_the_sample():
    score = MatchResult(WIN_DRAW_LOSS, (30, 50, 120), (10, 15, 20, 25, 30))
    pairs = np.repeat(np.arange(5) / 4, score.observed)
    assert math.isclose(standard_error(score), pairs.std() / math.sqrt(len(pairs)))
    games = np.repeat(WIN_DRAW_LOSS, score.outcomes)
    assert math.isclose(paper_error(score), games.std() / 100)


def test_a_verdict_tells_chance_from_difference():
    fair = MatchResult(WIN_DRAW_LOSS, (500_000, 0, 500_000), (500_000, 0, 500_000))
    assert verdict(fair, 0.51) == "reproduced"  # two standard errors of 10 000 games
    assert verdict(fair, 0.52) == "differs by -0.0200 (4.0 standard errors)"


def test_a_million_games_give_a_standard_error_of_half_a_thousandth():
    games = {question["games"] for question in questions() if question["part"] == section5.ORDERS}
    assert games == {1_000_000} and 0.5 / math.sqrt(*games) <= 0.0005


@pytest.mark.slow
def test_6_values_of_6_and_14_values_of_4_reproduce_the_paper_and_13_values_of_4_do_not():
    asked = [question for question in questions(quick=True) if question["part"] == section5.ORDERS]
    orders = table_of(report(question | answer(**question, threads=2) for question in asked), "orders")
    wrong = {(row[0], row[1]) for row in orders.rows if row[orders.columns.index("verdict")] != "reproduced"}
    assert wrong >= {("war", "ascending"), ("batawaf-shared", "ascending")}
    assert {game for game, _ in wrong} <= {"war", "batawaf-shared", "war-shared"}
