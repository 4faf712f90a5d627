"""Verdicts on claims of papers: planted true, false, half-true and undecided claims."""

import json
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from fogspiel.papers import claims
from fogspiel.papers import kinds as catalogue
from fogspiel.papers.cauwet2018 import table2, table3
from fogspiel.papers.ciancarini2010 import figure10
from fogspiel.papers.claims import Claim, Clause, Verdict, contrast, elo, exact, fact, mean_of, missing, wins_per_loss
from fogspiel.runs.requests import PaperRequest

LEVEL = 0.05


def judge(*clauses):
    claim = Claim("1", "a sentence", "an engine", clauses)
    return claim.verdict(claims.error_per_clause([claim]))


def pairs(wins, draws, losses):
    """Results of game pairs: two wins, two draws, two losses."""
    return [[2, 2]] * wins + [[1, 1]] * draws + [[0, 0]] * losses


def test_a_true_claim_holds_a_false_one_does_not_and_few_games_leave_both_open():
    many, few = [100, 0, 0, 0, 300], [1, 0, 0, 0, 3]
    assert judge(Clause("Elo", elo(many), least=100)) is Verdict.HOLDS
    assert judge(Clause("Elo", elo(many), least=300)) is Verdict.FAILS
    for least in (-300, 100, 300):
        assert judge(Clause("Elo", elo(few), least=least)) is Verdict.OPEN


def test_a_claim_of_two_clauses_holds_only_if_both_do():
    true, false, open_ = (fact("", truth, "") for truth in (True, False, True))
    open_ = Clause("", missing())
    assert judge(true, true) is Verdict.HOLDS
    assert judge(true, open_) is Verdict.OPEN
    assert judge(true, false) is judge(open_, false) is Verdict.FAILS
    assert judge() is Verdict.OPEN


def test_over_100_elo_at_two_wins_per_loss_is_not_three_wins_per_loss():
    results = pairs(2000, 0, 1000)  # +120 Elo
    over = Clause("Elo", elo([1000, 0, 0, 0, 2000]), least=80)
    often = Clause("wins per loss", wins_per_loss(Fraction(5, 2), results), least=0)
    assert judge(over) is Verdict.HOLDS and judge(often) is Verdict.FAILS and judge(over, often) is Verdict.FAILS
    assert judge(Clause("", wins_per_loss(Fraction(5, 2), pairs(900, 50, 200)), least=0)) is Verdict.HOLDS


def test_a_strict_limit_excludes_the_limit_itself():
    half = exact(Fraction(1, 2))
    assert judge(Clause("", half, least=Fraction(1, 2))) is Verdict.HOLDS
    assert judge(Clause("", half, least=Fraction(1, 2), strict=True)) is Verdict.FAILS
    assert judge(Clause("", elo([0, 0, 0, 0, 300]), least=0, strict=True)) is Verdict.HOLDS  # up to an infinite Elo


def test_a_contrast_of_two_matches_is_their_difference_and_differences_of_differences_too():
    first, second = [4, 3, 4, 2] * 100, [1, 0, 2, 1] * 100
    low, high = contrast([(1, first), (-1, second)], 4, "").limits(LEVEL)
    assert low < (np.mean(first) - np.mean(second)) / 4 < high and low > 0
    low, high = contrast([(1, first), (-1, second), (-1, first), (1, second)], 4, "").limits(LEVEL)
    assert low < 0 < high
    assert judge(Clause("", contrast([(1, []), (-1, [])], 4, ""), least=0)) is Verdict.OPEN


def test_the_intervals_of_a_table_hold_together():
    """Of 300 tables with eight true null differences each, at most 5 % (and chance) may claim one."""
    rng, wrong = np.random.default_rng(1), 0

    @cache  # 40 observations of two values have few counts
    def claim(higher):
        counts = [40 - higher, 0, 0, 0, higher]
        return Claim("", "", "", (Clause("", mean_of(counts), least=0.5, strict=True),))

    verdict = cache(Claim.verdict)
    for _ in range(300):
        found = [claim(higher) for higher in rng.binomial(40, 0.5, 8).tolist()]
        error = claims.error_per_clause(found)
        assert error == pytest.approx(LEVEL / 8)
        wrong += any(verdict(one, error) is not Verdict.OPEN for one in found)
    assert wrong <= 15


def test_findings_of_ours_have_no_verdict_and_use_up_no_error_probability():
    ours = Claim("", "C+", "C+", (Clause("C+", exact(0, "+154")),), ours=True)
    assert ours.verdict(LEVEL) is Verdict.NEW
    sampled = Claim("", "", "", (Clause("", mean_of([1, 1]), least=0),))
    assert claims.error_per_clause([ours, sampled]) == LEVEL


def rows_of_matches(request, results):
    """Rows of all matches of section 6.1, with the same results in each."""
    played = {"white": 0, "plies": 100, "refused": [0, 0], "nodes": [100, 100], "ending": ""}
    return [
        {"first": match.names[0], "second": match.names[1], "games": [played | {"result": result} for result in pair]}
        for match in figure10.matches(request)
        for pair in results
    ]


@pytest.mark.parametrize("results", [[[0, 0]], [[2, 2]], [[0, 2]]])
def test_two_games_per_point_leave_every_claim_of_the_kriegspiel_paper_open(results):
    request = PaperRequest(name="kriegspiel", quick=True, scale=0.01)
    found = figure10.claims(request, rows_of_matches(request, results))
    error = claims.error_per_clause(found)
    assert len(found) > 10 and {claim.verdict(error) for claim in found if not claim.ours} == {Verdict.OPEN}


def test_many_games_decide_the_claims_of_the_kriegspiel_paper_clause_by_clause():
    request = PaperRequest(name="kriegspiel", quick=True)
    found = figure10.claims(request, rows_of_matches(request, pairs(380, 0, 20)))
    error = claims.error_per_clause(found)
    by_sentence = {claim.sentence: claim.verdict(error) for claim in found}
    assert by_sentence["A seldom wins against the minimax program"] is Verdict.FAILS
    assert by_sentence["C is above every B"] is Verdict.OPEN  # all score alike
    assert by_sentence["minimax is better than hs"] is Verdict.FAILS
    over = "C is over 100 Elo above the minimax program and wins about three times as often as it loses"
    assert by_sentence[over] is Verdict.HOLDS


def test_every_paper_has_claims_and_their_json_is_plain(tmp_path):
    assert {"ciancarini2010"} <= set(catalogue.papers())
    part = catalogue.find_part("kriegspiel")
    found = catalogue.claims_of(part, tmp_path / "none.db", catalogue.Options(), lambda text: None)
    plain = json.loads(json.dumps(claims.claims_json(found)))
    assert {row["verdict"] for row in plain} == {"open", "not in the paper"}
    assert all(row["command"] == "fogspiel paper kriegspiel" and row["tested_on"] for row in plain)
    assert not any(
        math.isinf(limit) for row in plain for clause in row["clauses"] for limit in clause["interval"] if limit
    )


def test_a_paper_without_claims_says_what_has_some():
    with pytest.raises(ValueError, match="ciancarini2010 is a paper: add --claims"):
        catalogue.find_part("ciancarini2010")
    with pytest.raises(ValueError, match="there is no paper"):
        catalogue.check_name("nonsense")


def judged(claims_, sentence):
    error = claims.error_per_clause(claims_)
    return {claim.subject: str(claim.verdict(error)) for claim in claims_ if sentence in claim.sentence}


def test_medians_over_seeds_decide_only_with_enough_seeds_for_the_error_probability():
    clause = Clause("", claims.median_of([0.6, 0.61, 0.62] * 5), least=0.5)
    assert clause.verdict(0.05) is Verdict.HOLDS and clause.verdict(2.0**-20) is Verdict.OPEN
    assert Clause("", claims.median_of([0.6] * 4), least=0.5).verdict(0.05) is Verdict.OPEN
    assert Clause("", claims.median_of([0.4] * 15), least=0.5).verdict(0.001) is Verdict.FAILS
    assert Clause("", claims.median_of([]), least=0.5).verdict(0.05) is Verdict.OPEN


def test_a_printed_figure_takes_its_own_deviation_along():
    ours = exact(0.65)
    assert judge(claims.printed("", ours, 0.60, 0.02)) is Verdict.HOLDS
    assert judge(claims.printed("", ours, 0.60, 0.01)) is Verdict.FAILS
    assert judge(claims.printed("", exact(0.6004), 0.60, 0.0, rounding=0.001)) is Verdict.HOLDS


@pytest.mark.thorough
def test_a_share_of_unequal_chances_is_covered():
    """The mean of 60 different probabilities: an interval of 80 % misses it in at most 20 % of 400 samples."""
    rng = np.random.default_rng(3)
    chances = np.linspace(0.0, 1.0, 60) ** 2
    missed = 0
    for _ in range(400):
        low, high = claims.share_of(rng.random(60) < chances).limits(0.2)
        missed += not low <= chances.mean() <= high
    assert missed <= 80


def crossed(scores):
    """Rows of Table III, the same for every pair: {(first, second): wins of 1000 pairs}."""
    return [
        {"job": "crossed", "game": game, "first": one, "second": two, "seed": seed}
        | {"observed": [1000 - wins, 0, 0, 0, wins], "outcomes": [2 * (1000 - wins), 0, 2 * wins]}
        for game in ("morra", "nim", "permutation-ttt")
        for seed in range(1, 21)
        for (one, two), wins in scores.items()
    ]


def test_planted_tables_decide_the_caption_of_table_three():
    request = PaperRequest("table3", only="morra,nim,permutation-ttt")
    pairs = table3.EVERY_PAIR
    coevolution = {pair: 300 if pair[1] in table3.COEVOLUTION else 500 for pair in pairs}
    naive = {pair: 700 if pair[0] == "naive" else 500 for pair in pairs}
    ours, sentence = "one table per game and training seed", "The coevolution methods dominate"
    assert judged(table3.claims(request, crossed(coevolution)), sentence)[ours] == "holds"
    assert judged(table3.claims(request, crossed(naive)), sentence)[ours] == "does not hold"
    assert judged(table3.claims(request, crossed(naive)[:12]), sentence)[ours] == "open"
    assert judged(table3.claims(request, []), sentence) == {"the paper's own numbers": "holds", ours: "open"}
    assert judged(table3.claims(request, []), "They do in 8 of 13") == {"the paper's own numbers": "does not hold"}


def test_the_best_method_of_a_block_is_judged_by_its_seeds():
    request = PaperRequest("table3", only="morra,nim,permutation-ttt")
    wins = {pair: 300 if pair[1] == "real-coevolution" else 500 for pair in table3.EVERY_PAIR}
    found = table3.claims(request, crossed(wins))
    assert judged(found, "Morra: real-coevolution wins") == {"morra": "holds"}
    reverse = {pair: 700 if pair[1] == "real-coevolution" else 500 for pair in table3.EVERY_PAIR}
    assert judged(table3.claims(request, crossed(reverse)), "Morra: real-coevolution wins") == {
        "morra": "does not hold"
    }


def test_an_order_of_strength_is_no_breach_of_elo_and_a_cycle_is_one():
    strength = {"naive": 3.0, "iterative": 2.0, "approximate-coevolution": 1.0, "real-coevolution": 0.5}
    assert not table3.breaks_elo(lambda one, two: strength[one] / (strength[one] + strength[two]))
    beats = {("naive", "iterative"), ("iterative", "real-coevolution"), ("real-coevolution", "naive")}
    assert table3.breaks_elo(lambda one, two: 1.0 if (one, two) in beats else 0.0 if (two, one) in beats else 0.5)


def scored(scores, seeds=12):
    return [
        {"job": "scored", "game": game, "method": method, "against": "redrawn", "seed": seed}
        | {"observed": [1000 - wins, 0, 0, 0, wins], "outcomes": [2 * (1000 - wins), 0, 2 * wins]}
        for game in ("morra", "nim", "war", "batawaf", "guesswho128", "permutation-ttt", "permutation-four")
        for seed in range(seeds)
        for method, wins in scores.items()
    ]


@pytest.mark.thorough
def test_planted_scores_decide_the_claims_on_the_method_of_seeds():
    request, sentence = PaperRequest("table2"), "never far from the best"
    near, far = {"seeds": 580, "naive": 600}, {"seeds": 500, "naive": 600}
    subject = "one table per game and training seed"
    many = 40
    assert judged(table2.claims(request, scored(near, many)), sentence) == {subject: "holds"}
    assert judged(table2.claims(request, scored(far, many)), sentence) == {subject: "does not hold"}
    assert judged(table2.claims(request, scored(near, 1)), sentence) == {subject: "open"}
    assert judged(table2.claims(request, []), sentence) == {subject: "open"}


def test_every_finished_run_decides_its_own_rows_and_the_newest_decides_those_that_several_test(monkeypatch, tmp_path):
    """Runs are given newest first, as (nodes, {engine: points of pairs})."""

    def claims_by(request, rows):
        scores = dict(rows)
        return [
            Claim("1", f"{engine} wins", f"{engine}, {request.nodes} nodes",
                  (Clause("", elo(scores[engine]) if engine in scores else missing(), least=0, strict=True),))
            for engine in ("A", "B", "D")
        ]  # fmt: skip

    part = catalogue.PaperPart("planted", "Nobody 2000", lambda request: iter(()), None, claims=claims_by)
    win, loss = [0, 0, 0, 0, 300], [300, 0, 0, 0, 0]
    runs = [(10, {"A": win}), (20, {"A": loss, "B": loss}), (10, {"A": loss, "B": win})]
    stored = [(PaperRequest(name="planted", nodes=nodes), list(scores.items())) for nodes, scores in runs]
    monkeypatch.setattr(catalogue, "finished_runs", lambda name, store: iter(stored))
    found = catalogue.claims_of(part, tmp_path, catalogue.Options(), print)
    assert judged(found, "wins") == {
        "A, 10 nodes": "holds",  # the newest run
        "A, 20 nodes": "does not hold",
        "B, 20 nodes": "does not hold",
        "B, 10 nodes": "holds",
        "D, 10 nodes": "open",
    }
    assert {claim.command for claim in found} == {
        "fogspiel paper planted --nodes 10",
        "fogspiel paper planted --nodes 20",
    }
    monkeypatch.setattr(catalogue, "finished_runs", lambda name, store: iter(()))
    assert set(judged(catalogue.claims_of(part, tmp_path, catalogue.Options(), print), "wins").values()) == {"open"}
