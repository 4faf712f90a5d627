"""Games of other projects: all of Gambit's and OpenSpiel's files that can be solved are, with pygambit's value."""

import pytest
from support.corpora import UNSOLVED, files_of, outcome_of

BROKEN = "not by the format"


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "least"), [("GAMBIT", 40), ("OPENSPIEL", 5)])
def test_every_game_of_a_corpus_is_solved_or_refused_for_a_known_reason(name, least, checkout):
    outcomes = {str(path): outcome_of(path) for path in files_of(checkout(name))}
    refused = {path: found for path, found in outcomes.items() if found.value is None}
    assert not [(path, found.refusal) for path, found in refused.items() if found.reason in (UNSOLVED, BROKEN)]
    assert not [path for path, found in outcomes.items() if found.gambit not in (None, found.value)]
    assert len(outcomes) - len(refused) >= least


@pytest.mark.interpreted
def test_an_outcome_says_why_a_game_is_refused(tmp_path):
    pennies = 'NFG 1 R "pennies" { "P" "Q" } { 2 2 } 1 -1 -1 1 -1 1 1 -1'
    for text, reason in {
        pennies: "",
        pennies.replace("1 -1 -1", "1 2 -1"): "not constant-sum",
        pennies.replace('"Q"', '"Q" "R"'): "other than two players",
        pennies.replace("1 -1 -1", "1 x -1"): BROKEN,
    }.items():
        path = tmp_path / "game.nfg"
        path.write_text(text)
        found = outcome_of(path)
        assert (found.reason if found.refusal else "") == reason and (found.value == 0) == (not reason)
    assert files_of(tmp_path) == [path]
