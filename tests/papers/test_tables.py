"""Tables II and III: the stored experiment behind them, what is printed beside what, and how seeds spread."""

import json
from dataclasses import replace
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins.papers import methods_compared, opponents

from fogspiel.core.game import known_game, parameters_of
from fogspiel.papers.cauwet2018 import table2, table3
from fogspiel.papers.cauwet2018.printed_tables import CROSSED, LINES, METHODS, NAIVE, SEEDS, Line
from fogspiel.papers.kinds import PaperKind, PaperPart, find_experiment
from fogspiel.runs.kind import Context, Job, find_or_create_run, rows_of
from fogspiel.runs.requests import PaperRequest
from fogspiel.runs.store import Store
from fogspiel.stats.evaluate import median_interval

TINY = PaperRequest("table2", quick=True, seeds=2, scale=0.2)
GAMES = ("batawaf", "guesswho128", "permutation-ttt")


@pytest.fixture
def few_games(monkeypatch):
    lines = tuple(line for line in LINES if line.game in GAMES)
    for module in (table2, table3):
        monkeypatch.setattr(module, "LINES", lines)
    return lines


def squared(number):
    return {"square": number * number}


def summed(upto, squares):
    return {"sum": sum(squares)}


def small_batches(request):
    rows = yield [Job("squared", squared, {"number": number}) for number in range(request.seeds or 5)]
    yield [Job("summed", summed, {"upto": len(rows)}, {"squares": [row["square"] for row in rows]})]


SMALL = PaperPart("small", "", small_batches, lambda request, rows: None)


def found_by(path, request, experiment=SMALL, processes=1, watch=lambda progress: None):
    """The name of the run of an experiment, what its jobs found, and all its rows."""
    with Store.open(path, write=True) as store:
        run = find_or_create_run(store, request.to_json())
        PaperKind(lambda name: experiment).execute(run, Context(path, processes, on_progress=watch))
        return run.name, rows_of(run), [(row.kind, row.body) for row in run.rows]


def test_a_finished_run_of_an_experiment_that_left_keeps_its_rows_and_names_the_plug_ins(tmp_path):
    name, rows, _ = found_by(tmp_path / "runs.db", PaperRequest("ablation", seeds=2))
    with Store.open(tmp_path / "runs.db", write=False) as store:
        report = PaperKind().report(store.read(name))
    (table,) = report.tables
    assert [dict(zip(table.columns, row, strict=True)).get("square") for row in table.rows] == [0, 1, None]
    assert len(rows) == 3 and "left the package" in report.paragraphs[0]
    with pytest.raises(ValueError, match="there is no experiment 'ablation', it left the package: add --plugins"):
        find_experiment("ablation")


@pytest.mark.thorough
def test_jobs_give_the_same_rows_in_the_same_order_however_many_processes_there_are(tmp_path):
    _, one, stored = found_by(tmp_path / "one.db", PaperRequest("small"))
    _, two, again = found_by(tmp_path / "two.db", PaperRequest("small"), processes=2)
    assert one == two and stored == again
    assert one[-1] == {"job": "summed", "upto": 5, "sum": 30}


@pytest.mark.parametrize("moment", range(1, 7))
def test_an_interrupted_experiment_goes_on_to_the_same_bytes(tmp_path, moment):
    calls = 0

    def stop(*seen):
        nonlocal calls
        calls += 1
        if calls == moment:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        found_by(tmp_path / "cut.db", PaperRequest("small"), watch=stop)
    name, found, stored = found_by(tmp_path / "cut.db", PaperRequest("small"))
    assert name == "small-1"
    assert (found, stored) == found_by(tmp_path / "whole.db", PaperRequest("small"))[1:]


def test_what_another_run_has_done_is_recalled_and_a_finished_run_is_found_again(tmp_path):
    path = tmp_path / "runs.db"
    found_by(path, PaperRequest("small", seeds=5))
    worked = []

    def larger(request):
        def noted(number):
            worked.append(number)
            return squared(number)

        yield [Job("squared", noted, {"number": number}) for number in range(7)]

    name, found, _ = found_by(path, PaperRequest("small", seeds=7), replace(SMALL, batches=larger))
    assert worked == [5, 6] and [row["square"] for row in found] == [n * n for n in range(7)]
    assert name == "small-2"
    assert found_by(path, PaperRequest("small", seeds=5))[0] == "small-1"


def test_a_run_that_was_begun_with_other_jobs_is_not_gone_on_with(tmp_path):
    found_by(tmp_path / "runs.db", PaperRequest("small"))

    def others(request):
        yield [Job("squared", squared, {"number": number}) for number in range(1, 6)]

    with pytest.raises(ValueError, match="another version of the experiment"):
        found_by(tmp_path / "runs.db", PaperRequest("small"), replace(SMALL, batches=others))


def test_every_line_of_the_tables_is_a_game_with_the_number_of_parameters_that_the_paper_gives():
    counts = {
        "batawaf": 3, "batawaf4": 4, "war": 3, "war4": 4, "guesswho128": 4, "guesswho128-stochastic": 5, "morra": 66,
        "nim": 383, "permutation-four": 2, "permutation-ttt": 18, "pig": 1, "cheat": 28, "cheat-special": 29,
        "flip": 420, "four-in-a-row": 14, "battleship": 33,
    }  # fmt: skip
    assert {line.game: len(parameters_of(known_game(line.game))) for line in LINES} == counts


@pytest.mark.parametrize("line", [line for line in LINES if line.crossed], ids=lambda line: line.game)
def test_the_cross_tables_of_the_paper_add_up_to_one(line: Line):
    matrix = np.array(line.crossed)
    assert np.abs(matrix + matrix.T - 1).max() < 0.0015
    assert set(line.scores) <= set(METHODS)


@pytest.mark.thorough
def test_both_tables_are_made_of_the_same_training_runs(tmp_path, few_games):
    path = tmp_path / "runs.db"
    _, found, _ = found_by(path, TINY, table2.EXPERIMENTS[0])
    _, crossed, _ = found_by(path, TINY.model_copy(update={"name": "table3"}), table3.EXPERIMENTS[0])
    trained = [row for row in found if row["job"] == "trained"]
    assert len(trained) == len(few_games) * len(METHODS) * 2
    assert all(row in trained for row in crossed if row["job"] == "trained")
    assert sum(row["job"] == "crossed" for row in crossed) == len(few_games) * 6 * 2
    report = table2.report(TINY, found)
    table = next(part for part in report.parts if hasattr(part, "columns"))
    assert len(table.rows) == len(few_games) * len(METHODS)
    assert report.command == "fogspiel paper table2 --quick --seeds 2 --scale 0.2"
    assert {row["baseline"] for row in trained if row["method"] == NAIVE} == {"redrawn"}
    seed_row = next(row for row in table.rows if row[:2] == ("Batawaf", SEEDS))
    assert seed_row[2] == 0.627 and seed_row[4] <= seed_row[3] <= seed_row[5]
    crossing = table3.report(TINY.model_copy(update={"name": "table3"}), crossed)
    best = next(part for part in crossing.parts if part.name == "best")
    assert [row[0] for row in best.rows] == [line.title for line in few_games]
    assert next(row for row in best.rows if row[0] == "Phantom-tic-tac-toe")[1] == "naive, real-coevolution"


@pytest.mark.thorough
def test_our_methods_are_put_beside_the_papers_on_the_same_number_of_games(tmp_path, few_games, monkeypatch):
    monkeypatch.setattr(methods_compared, "LINES", few_games)
    request = TINY.model_copy(update={"name": "beyond", "seeds": 1})
    _, rows, _ = found_by(tmp_path / "runs.db", request, methods_compared.EXPERIMENTS[0])
    methods = {row["method"] for row in rows}
    assert methods == {*METHODS, *methods_compared.OURS}
    assert all(row["played"] <= row["games"] for row in rows if row["job"] == "trained")
    best, scores = methods_compared.report(request, rows).tables
    assert [row[0] for row in best.rows] == [line.title for line in few_games]
    assert all(row[1] in METHODS and row[5] not in METHODS for row in best.rows)
    assert len(scores.rows) == len(few_games) * len(methods)
    assert {row["seed"] for row in rows if row["method"] in METHODS} == {1}
    assert {row["seed"] for row in rows if row["method"] in methods_compared.OURS} == {methods_compared.REPORTED}
    fewer = [row for row in rows if row["method"] == SEEDS or row["game"] != few_games[0].game]
    best, _ = methods_compared.report(request, fewer).tables  # as a quick run of a slow game has it
    assert [row[0] for row in best.rows] == [line.title for line in few_games[1:]]


def test_a_cell_with_a_run_that_made_no_step_is_left_out_and_named(tmp_path, few_games):
    request = TINY.model_copy(update={"scale": 0.005})  # 250 games: too few for most races
    _, rows, _ = found_by(tmp_path / "runs.db", request, table2.EXPERIMENTS[0])
    idle = table2.idle_cells(rows)
    assert idle["batawaf", "iterative"] in (1, 2) and ("batawaf", SEEDS) not in idle
    assert not [row for row in rows if row["job"] == "scored" and (row["game"], row["method"]) in idle]
    report = table2.report(request, rows)
    shown = {(row[0], row[1]) for row in report.tables[0].rows}
    assert ("Batawaf", SEEDS) in shown and ("Batawaf", "iterative") not in shown
    note = next(words for words in report.paragraphs if words.startswith("Left out, because"))
    assert (
        f"Batawaf iterative ({idle['batawaf', 'iterative']} of 2 runs, 250 games each)" in note
        and "200,000 games per run" in note
    )
    again = request.model_copy(update={"name": "table3"})
    _, crossed, _ = found_by(tmp_path / "runs.db", again, table3.EXPERIMENTS[0])
    assert not [row for row in crossed if row["job"] == "crossed" and (row["game"], row["first"]) in idle]
    best = table3.report(again, crossed).tables[0]
    assert "Batawaf" not in [row[0] for row in best.rows]


@pytest.mark.thorough
def test_orders_of_cards_tell_who_met_whom(tmp_path, few_games, monkeypatch):
    monkeypatch.setattr(opponents, "EVIDENCE_GAMES", 1_000_000)
    request = TINY.model_copy(update={"name": "opponents", "seeds": 1})
    _, rows, _ = found_by(tmp_path / "runs.db", request, opponents.EXPERIMENTS[0])
    orders = next(table for table in opponents.report(request, rows).tables if table.name == "orders")
    told = {(row[0], row[1]): (row[4], row[-1]) for row in orders.rows}
    assert told["War", "approximate-coevolution"] == ("ascending", "fits")
    assert told["Batawaf", "real-coevolution"] == ("random", "fits")
    assert told["Batawaf", NAIVE] == ("descending", "does not fit")
    paragraphs = [part for part in opponents.report(request, rows).parts if isinstance(part, str)]
    assert any("excludes a baseline that is one fixed vector" in words for words in paragraphs)


def test_descending_against_ascending_order_fits_table_three_with_thirteen_values_and_section_five_with_fourteen():
    request = TINY.model_copy(update={"name": "table3", "scale": 0.05})
    rows = [job() for job in opponents.order_jobs(request, 1.0, against_redrawn=False)]
    table, words = opponents.table_3_evidence(rows)
    told = {(row[1], row[2], row[4]): row[-1] for row in table.rows if row[0] == "War"}
    assert told["iterative", "approximate-coevolution", "13 values of 4"] == "fits"
    assert told["iterative", "approximate-coevolution", "14 values of 4"] == "does not fit"
    assert "Section V prints 0.533" in words and words.count("(fits)") == words.count("(does not fit)") == 2


def test_ours_is_better_only_if_seeds_and_games_both_say_so():
    def scored(*wins):
        return table2.score_of([{"observed": [n - w, 0, 0, 0, w], "outcomes": [2 * (n - w), 0, 2 * w]} for w in wins])

    n = 1000
    low, high, wide = scored(500, 510, 520), scored(600, 610, 620), scored(515, 610, 700)
    assert methods_compared.verdict(high, low) == "better" and methods_compared.verdict(low, high) == "worse"
    assert wide.interval[0] > low.interval[1]  # the games alone would say better
    assert methods_compared.verdict(wide, low) == methods_compared.verdict(low, wide) == "not told apart"
    assert methods_compared.verdict(scored(521, 522, 523), low) == "not told apart"  # the seeds alone would


def test_our_methods_are_reported_on_other_seeds_than_they_were_developed_on_and_slow_games_on_fewer():
    request = PaperRequest("beyond")
    assert methods_compared.seeds_of(request, "pig", "auto") == range(401, 407)
    assert methods_compared.seeds_of(request, "battleship", "auto") == range(401, 404)
    assert methods_compared.seeds_of(request, "pig", NAIVE) == table2.seeds_of(
        request.model_copy(update={"seeds": 6}), "pig"
    )
    assert methods_compared.seeds_of(request.model_copy(update={"seeds": 4, "seed": 3}), "pig", "duel") == range(
        403, 407
    )


def test_scores_are_means_of_the_counted_games_and_the_verdict_follows_the_seeds(few_games):
    line = few_games[0]
    high = [{"observed": [0, 0, 0, 10, 990], "outcomes": [0, 20, 1980]} for _ in range(10)]
    score = table2.score_of(high)
    assert score.mean == pytest.approx(0.9975) and score.games == 20_000
    assert score.interval[0] <= score.mean <= score.interval[1]
    low = [{"observed": [990, 10, 0, 0, 0], "outcomes": [1980, 20, 0]} for _ in range(10)]
    same = [{"observed": [0, 0, 492, 508, 0], "outcomes": [984, 508, 508]} for _ in range(10)]  # 0.627

    def judged(rows, line=line, error=0.05):
        return table2.verdict(line, SEEDS, {(line.game, SEEDS, "redrawn"): table2.score_of(rows)}, error)

    assert judged(high) == judged(low) == "does not hold" and judged(same) == "holds"
    assert judged(high, replace(line, comparable=False)) == "not comparable"
    assert judged([*low[:5], *high[:5]]) == "open"
    assert judged(same, error=0.001) == "open" and judged(same[:5]) == "open"  # too few seeds
    near = [{"observed": [0, 0, 460, 540, 0], "outcomes": [920, 540, 540]} for _ in range(10)]  # 0.635: two deviations
    assert judged(near) == "holds"
    one = table2.score_of(same[:1])
    assert one.shown == (one.mean, None, None)


def test_the_interval_of_a_median_covers_it_as_often_as_it_says():
    stream = np.random.default_rng(1)
    for count in (3, 6, 10, 20):
        samples = stream.normal(size=(4000, count))
        found = [median_interval(sample.tolist()) for sample in samples]
        covered = np.mean([each.low <= 0 <= each.high for each in found])
        assert abs(covered - found[0].confidence) < 0.02


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_a_spread_lies_within_its_results(results):
    found = median_interval(results)
    assert min(results) <= found.low <= found.median <= found.high <= max(results)
    assert found.confidence >= (0.95 if len(results) > 5 else 1 - 2 * comb(len(results), 0) / 2 ** len(results) - 1e-12)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"race": "sprint"}, "sprint"),
        ({"seeds": 0}, "at least 1"),
        ({"scale": 0.0}, "positive"),
        ({"seed": -1}, "whole"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        PaperRequest("table2", **wrong)


@pytest.mark.thorough
def test_rows_are_plain_json(tmp_path, few_games):
    _, rows, _ = found_by(tmp_path / "runs.db", TINY.model_copy(update={"seeds": 1}), table2.EXPERIMENTS[0])
    assert json.loads(json.dumps(rows)) == rows
    assert CROSSED == ("naive", "iterative", "approximate-coevolution", "real-coevolution")
