"""The part `bandits`: gaps by size against proven rates, and verdicts that can fail."""

import pytest
from plugins.papers.bandits import (
    PRECISIONS,
    SEEDS,
    SIZES,
    batches,
    claims,
    measure_gap,
    random_game,
    report,
    steps_for,
)

from fogspiel.papers.claims import Verdict, error_per_clause
from fogspiel.runs.requests import PaperRequest
from fogspiel.solving.methods.normal_form import EXP3, KHACHIYAN, BanditRun

REQUEST = PaperRequest(name="bandits")


def planted_rows(gap_of):
    jobs = next(batches(REQUEST))
    return [{**job.inputs, "steps": 100, "gap": gap_of(job.inputs)} for job in jobs]


def verdicts(rows):
    found = claims(REQUEST, rows)
    return [claim.verdict(error_per_clause(found)) for claim in found if not claim.ours]


@pytest.mark.parametrize("method", [KHACHIYAN, EXP3])
def test_the_steps_are_the_least_with_the_proven_rate(method):
    payoffs = random_game(16, 1)
    steps = steps_for(method, payoffs, 0.25)
    assert BanditRun(method, payoffs, steps).rate <= 0.25 < BanditRun(method, payoffs, steps - 1).rate


def test_gaps_below_the_precision_hold_larger_ones_fail_and_few_runs_decide_nothing():
    assert verdicts(planted_rows(lambda inputs: 0.01)) == [Verdict.HOLDS] * 2
    one_size_fails = planted_rows(lambda inputs: 1.0 if inputs["size"] == SIZES[-1] else 0.01)
    assert verdicts(one_size_fails) == [Verdict.FAILS] * 2
    assert verdicts(planted_rows(lambda inputs: 0.01)[:SEEDS]) == [Verdict.OPEN] * 2
    assert verdicts([]) == [Verdict.OPEN] * 2


def test_the_report_has_a_line_for_every_method_size_and_precision():
    (table, chart, _) = report(REQUEST, planted_rows(lambda inputs: 0.01)).parts
    assert len(table.rows) == len(SIZES) * sum(map(len, PRECISIONS.values()))
    assert len(chart.series) == sum(map(len, PRECISIONS.values()))


def test_a_run_is_repeated_by_its_seed_and_differs_by_another():
    first, again, other = (measure_gap(KHACHIYAN, 8, 0.5, seed) for seed in (1, 1, 2))
    assert first == again != other and first["steps"] == other["steps"] == 17
