"""The red queen and Algorithm 4: exact scores, chains that end, and variants that are the methods themselves."""

from fractions import Fraction

import numpy as np
import pytest
from plugins.papers import algorithm4, red_queen

from fogspiel.core.game import known_game
from fogspiel.games.guess_who import exact as truth
from fogspiel.papers.cauwet2018.figure1 import player
from fogspiel.papers.claims import Verdict
from fogspiel.runs.requests import PaperRequest
from fogspiel.tuning.tune import search

RQ = PaperRequest("red-queen", quick=True, seeds=1)


def row(step, scores, god="1/2", method="naive"):
    return {"job": "tuned", "method": method, "seed": 1, "step": step, "free": 4, "games": 10, "theta": [0.0] * 4} | {
        "scores": scores, "god": god, "response": 0.55,
    }  # fmt: skip


def chains(verdicts):
    """Drive the generator: each chain gets the next of its scores against its last opponent."""
    steps, rows, sent = red_queen.batches(RQ), [], None
    while True:
        try:
            jobs = steps.send(sent)
        except StopIteration:
            return rows
        sent = [
            row(job.inputs["step"], [verdicts(job.inputs["step"])], method=job.inputs["method"]) | job.inputs
            for job in jobs
        ]
        rows += sent


def test_a_chain_ends_when_four_parameters_improve_nothing():
    rows = chains(lambda step: "3/5" if step < 5 else "1/2")
    assert max(row["step"] for row in rows) == 5


def test_a_smaller_family_that_improves_nothing_does_not_end_a_chain():
    rows = chains(lambda step: "1/2" if step in (1, 2, 4) else "3/5")
    assert max(row["step"] for row in rows) == 4


def test_a_chain_that_always_improves_ends_at_the_limit():
    assert max(row["step"] for row in chains(lambda step: "3/5")) == red_queen.MAX_STEPS


def verdicts_of(rows):
    return [claim.verdict(0.05) for claim in red_queen.claims(RQ, rows) if not claim.ours]


def test_claims_are_open_without_rows_and_decided_by_the_worst_seed():
    assert set(verdicts_of([])) == {Verdict.OPEN}
    ol = str(truth.exact_score(known_game("guesswho128"), player("OL"), player("dichotomy")))
    good = [row(1, [ol]), row(2, ["3/5", "11/20"], "2/5"), row(3, ["3/5", "2/5", "11/20"], "2/5")]
    assert verdicts_of(good) == [Verdict.HOLDS, Verdict.HOLDS]
    assert verdicts_of([*good, row(2, ["3/5", "11/20"], "1/2")]) == [Verdict.HOLDS, Verdict.FAILS]
    assert verdicts_of([*good, row(1, ["7/10"], "2/5")]) == [Verdict.FAILS, Verdict.FAILS]


def test_a_generation_that_loses_to_an_ancestor_is_counted_as_a_red_queen():
    rows = [row(1, ["3/5"]), row(2, ["3/5", "11/20"]), row(3, ["3/5", "2/5", "11/20"])]
    *_, found = (claim for claim in red_queen.claims(RQ, rows) if claim.subject.endswith("naive"))
    assert found.ours and found.found(0.05).startswith("1 of 2 generations")


def test_the_opponent_is_the_start_and_only_free_parameters_move():
    contest = red_queen.FamilyContest([1.0, 0.5, 0.25, 0.125], 2)
    assert contest.start().tolist() == [1.0, 0.5]
    answer, _, _, _ = search(contest, "naive", 200, 1, share=0.0)
    assert len(answer["theta"]) == 2


@pytest.mark.thorough
def test_a_step_is_scored_exactly_against_every_ancestor():
    found = red_queen.tune_step("naive", 1, 1, 1, 20_000, "count-mixture", [[0.0] * 4])
    again = truth.exact_score(known_game("guesswho128"), red_queen._vector(found["theta"]), player("dichotomy"))
    assert found["scores"] == [str(again)] and Fraction(found["god"]) <= Fraction(1, 2)


@pytest.mark.thorough
def test_the_budgets_of_algorithm_4_are_stops_of_one_run_and_its_report_has_every_variant():
    rows = []
    for variant in algorithm4.VARIANTS:
        inputs = {"game": "guesswho128", "variant": variant, "seed": 1, "race": "count-mixture", "scoring": 200}
        long, short = (algorithm4.run_variant(**inputs, budgets=budgets) for budgets in ([2_000, 8_000], [2_000]))
        assert long["population"][:2] == short["population"] and long["sigma"][:2] == short["sigma"]
        assert long["last"][:2] == short["last"] and long["accepted"] == long["population"][-1] - 1
        rows += [{**inputs, "game": game, "budgets": [2_000, 8_000], **long} for game in algorithm4.GAMES]
    report = algorithm4.report(PaperRequest("algorithm4", quick=True), rows)
    assert len(report.tables[0].rows) == 2 * 3 * len(algorithm4.VARIANTS)
    assert "20.1%" in report.paragraphs[1]


def test_sigma_stays_where_a_fifth_of_the_mutants_is_accepted():
    assert np.isclose(algorithm4.EVEN_SHARE * np.log(2) + (1 - algorithm4.EVEN_SHARE) * np.log(0.84), 0)
