"""Sentences of the Kriegspiel paper that a calculation decides; every numbered item of the four papers has a row."""

import numpy as np
import pytest

from fogspiel.papers import kinds
from fogspiel.papers.ciancarini2010 import figure10, sentences
from fogspiel.papers.claims import Verdict, error_per_clause
from fogspiel.runs.requests import PaperRequest


def by_sentence(found):
    error = error_per_clause(found)
    return {claim.sentence: claim.verdict(error) for claim in found}


def test_the_backups_of_figures_6_and_8_are_checked_on_trees_and_a_changed_value_is_found():
    mean, most = sentences.grown_tree("B3:paper"), sentences.grown_tree("C:paper")
    for tree, count in ((mean, sentences.means), (most, sentences.maxima)):
        right, checked = count(tree)
        assert right == checked > 5
        root = tree.nodes[0]
        row = root["first"] + int(np.argmax(tree.attempts["visits"][root["first"] : root["first"] + root["listed"]]))
        tree.attempts["value"][row] += 7.3
        assert count(tree)[0] < checked


def test_only_boards_without_the_limits_of_section_5_1_have_impossible_pawns(monkeypatch):
    monkeypatch.setattr(sentences, "BOARDS", 50)
    assert sentences.impossible_boards(files=True) == 0 < 40 < sentences.impossible_boards(files=False)


def test_the_arithmetic_of_elo_takes_printed_scores_with_their_rounding():
    verdicts = by_sentence(list(sentences.elo_claims()))
    assert verdicts["0.26 and 0.17 are a gap of about 100 Elo"] is Verdict.HOLDS
    assert verdicts["200 more are to be gained on equal terms"] is Verdict.OPEN  # 177 to 186


def speeds(many, few, pairs):
    """Rows of matches against the minimax program in which C and B visit so many nodes a move."""
    request, rows = PaperRequest(name="kriegspiel", quick=True), []
    for match in figure10.matches(request):
        nodes = {"C:paper": many, "B1:paper": few}.get(match.seats[0].engine, 1)
        games = [{"white": white, "result": 1, "plies": 100, "refused": [0, 0], "nodes": [50 * nodes, 50], "ending": ""}
                 for white in (0, 1)]  # fmt: skip
        rows += [{"first": match.names[0], "second": match.names[1], "games": games}] * pairs
    return by_sentence(figure10.claims(request, rows))["C visits 10 to 20 times as many nodes as B with k = 1"]


@pytest.mark.parametrize(
    ("many", "few", "pairs", "verdict"),
    [(1500, 100, 200, "holds"), (3000, 100, 200, "does not hold"), (1500, 100, 1, "open")],
)
def test_the_speedup_of_c_is_judged_by_pairs_of_games(many, few, pairs, verdict):
    assert speeds(many, few, pairs) == verdict


ITEMS = {
    "cauwet2018": "algorithm 1,algorithm 2,algorithm 3,algorithm 4,table I,table II,table III,figure 1,"
    "II-A,II-E,III-A,III-B,V-A,V-B,V-C,"
    "VI-A,VI-B,footnote 3",
    "teytaud2011": "I,III,IV,IV-A,IV-B,IV-C1,IV-C2,V,Lemma 1,Lemma 2,Lemma 3,Lemma 4,Table I",
    "ciancarini2010": "4.2,5,5.1,5.2,5.3,6.1,6.2,7,figure 4,figure 5,figure 6,figure 8,figure 9,figure 10",
    "bossle2018": "2.3,2.4,3.1,3.2,3.5,4.1,4.2,4.3,5.2,5.3,6,7,table 2.1,table 2.2,table 3.1,table 4.1,table 6.1,"
    "table 6.2,table 6.3,figure 2.2,figure 3.1,figure 3.2,figure 4.1 (a),figure 4.1 (b),figure 5.1,figure 5.2,"
    "figure 6.1,theorem 1,theorem 2,theorem 3,definition 3",
}


@pytest.mark.parametrize(
    "paper",
    [pytest.param(name, marks=pytest.mark.slow if "teytaud" in name else pytest.mark.thorough) for name in ITEMS],
)
def test_every_numbered_item_of_a_paper_has_a_row(paper, tmp_path):
    options = kinds.Options(players=8, full=4)
    found = kinds.claims_of_papers(paper, tmp_path / "none.db", options, lambda text: None)
    sections = [claim.section for group in found.values() for claim in group]
    words = {part for section in sections for part in (section, *section.replace(" and ", ", ").split(", "))}
    missing = [item for item in ITEMS[paper].split(",") if item not in words]
    assert not missing, sorted(words)
