"""Parts of a table alone: games, methods and numbers of games by option, in commands, rows and the report."""

import pytest

from fogspiel.papers import kinds
from fogspiel.papers.cauwet2018 import section5, table2, table3
from fogspiel.runs.requests import PaperRequest

CHOSEN = PaperRequest("table2", only="pig, nim", methods="seeds,duel", games=400, score_games=40, seeds=1)


def rows_of(request, part):
    batches, rows = part.batches(request), []
    jobs = next(batches)
    while True:
        found = [job() for job in jobs]
        rows += found
        try:
            jobs = batches.send(found)
        except StopIteration:
            return rows


def test_a_selection_is_part_of_the_request_only_where_it_is_given():
    stored = CHOSEN.to_json()
    assert PaperRequest.from_json(stored) == CHOSEN and stored["only"] == "pig, nim"
    assert CHOSEN.command == (
        "fogspiel paper table2 --seeds 1 --only 'pig, nim' --methods seeds,duel --games 400 --score-games 40"
    )
    assert not {"only", "methods", "games", "score_games"} & PaperRequest("table2").to_json().keys()
    assert PaperRequest.from_json(PaperRequest("table2", seeds=2).to_json()) == PaperRequest("table2", seeds=2)


def test_training_and_scoring_have_their_own_numbers_of_games():
    for game in ("war", "pig"):
        for method in ("seeds", "duel"):
            assert table2.training_games(game, method, CHOSEN) == 400
        assert table2.scoring_games(game, CHOSEN) == table3.games_of(game, CHOSEN) == 40
    assert {job["games"] for job in section5.questions(score_games=50) if "games" in job} == {50}
    assert {job["game"] for job in section5.questions(only=("cheat",))} == {"cheat"}


@pytest.mark.thorough
def test_a_table_of_two_games_has_two_games_another_method_and_no_interval_of_width_zero():
    rows = rows_of(CHOSEN, kinds.find_experiment("table2"))
    assert {(row["game"], row["method"]) for row in rows} == {(g, m) for g in ("pig", "nim") for m in ("seeds", "duel")}
    made = table2.report(CHOSEN, rows)
    table = made.tables[0]
    low, high = (table.columns.index(name) for name in ("from", "to"))
    assert len(table.rows) == 4 and {(row[low], row[high]) for row in table.rows} == {(None, None)}
    assert {row[1]: row[table.columns.index("verdict")] for row in table.rows if row[0] == "Nim"} == {
        "seeds": "open", "duel": "not in the paper",
    }  # fmt: skip
    without = [row for row in rows if row["method"] == "seeds" or row["job"] == "trained"]
    told = [part for part in table2.report(CHOSEN, without).parts if isinstance(part, str)]
    assert "There is no panel of duel: this run has no result of it." in told


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("table2", {"only": "chess"}, "there is no game of the tables 'chess'"),
        ("table3", {"methods": "nonsense"}, "nonsense"),
        ("table2", {"only": " , "}, "--only names nothing"),
        ("section5", {"methods": "seeds"}, "paper section5 has no --methods: it has --only, --score-games"),
        ("section5", {"nodes": 10}, "paper section5 has no --nodes"),
    ],
)
def test_a_selection_that_a_part_does_not_have_is_refused(name, given, words):
    with pytest.raises(ValueError, match=words):
        kinds.find_experiment(name).check(PaperRequest(name, **given))
