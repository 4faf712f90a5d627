"""Findings of new users: state names of several lines, all faults at once, seats by name, news, scores by seat."""

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

import fogspiel


@pytest.fixture
def questions(fogspiel, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = fogspiel("states", "kuhn").stdout.splitlines()
    return [json.loads(line) for line in lines[1:]]


def write_table(path, questions, spelling=str):
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["player", "state", "action", "probability"])
        rows.writerows([q["player"], spelling(q["you see"]), q["you may"][0], 1] for q in questions)


def test_a_table_names_states_as_states_prints_them(questions, answer):
    write_table("lines.csv", questions)
    write_table("line.csv", questions, lambda seen: seen.replace("\n", " | "))
    found, same = answer("exploit", "kuhn", "lines.csv"), answer("exploit", "kuhn", "line.csv")
    assert found["fractions"] == same["fractions"]


def test_one_message_names_all_faults_of_a_table(questions, fogspiel):
    write_table("mine.csv", questions)
    with open("mine.csv", newline="") as file:
        rows = list(csv.reader(file))
    rows[2][2], rows[3][1], rows[4][3], rows[5][3] = "nope", "nonsense", "0.7", "abc"
    with open("mine.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    outcome = fogspiel("exploit", "kuhn", "mine.csv")
    assert outcome.returncode == 2 and len(outcome.stderr.strip().splitlines()) == 1
    for part in ("'nope' is not an action there", "no information state 'nonsense'", "add up to 7/10", "'abc'"):
        assert part in outcome.stderr


def test_one_message_names_all_lines_that_cannot_be_read(questions, fogspiel):
    lines = [json.dumps({"id": q["id"], "action": q["you may"][0]}) for q in questions]
    lines[1], lines[4], lines[7] = "not JSON", json.dumps({"id": "p1"}), json.dumps({"action": "bet"})
    with open("mine.jsonl", "w") as file:
        file.write("\n".join(lines))
    outcome = fogspiel("exploit", "kuhn", "mine.jsonl")
    assert outcome.returncode == 2
    for place in ("line 2: it is not JSON", "line 5: it must be an object", "line 8: there is no `id`"):
        assert place in outcome.stderr


def test_a_missing_file_is_named(refused):
    refused("exploit", "kuhn", "missing.csv", because="there is no file 'missing.csv'")


def test_a_match_tells_both_seats(fogspiel, answer):
    words = ("match", "kuhn", "solved", "uniform", "--games", "400")
    body = answer(*words)
    first, second = body["by_seat"]
    assert [a + b for a, b in zip(first["outcomes"], second["outcomes"], strict=True)] == body["outcomes"]
    assert (first["score"] + second["score"]) / 2 == pytest.approx(body["score"])
    assert first["interval"][0] < first["score"] < first["interval"][1]
    assert f"in the first seat {first['score']:.4f} [" in fogspiel(*words).stdout
    assert "by_seat" not in answer(*words, "--seats", "alternating")


def test_a_sampled_solution_is_exploited_as_its_certificate_proves(fogspiel, answer):
    solved = answer("solve", "kuhn", "--method", "external-sampling", "--iterations", "300")
    found = answer("exploit", "kuhn", solved["run"])
    replies = found["best_replies"]
    assert found["exact"]
    assert -replies[1] >= float(solved["interval"][0] if "interval" in solved else solved["lower"]) - 1e-9
    assert replies[0] <= float(solved["upper"]) + 1e-9


def test_the_spies_play_by_their_name_and_read_what_the_other_did(monkeypatch, fogspiel, refused):
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nresign\n"))
    told = fogspiel("play", "resistance5", "--seat", "spies", "--seed", "1").stdout
    assert "You are the spies." in told and "The other: send" in told
    refused("play", "resistance5", "--seat", "dealer", because="first or second (resistance or spies)")


@pytest.mark.parametrize("words", [("--exact",), ("--method", "external-sampling", "--iterations", "300")])
def test_the_strategy_of_a_run_is_a_table_that_plays_the_same(tmp_path, fogspiel, answer, words):
    run = answer("solve", "kuhn", *words)["run"]
    table = tmp_path / "mine.csv"
    assert fogspiel("export", run, "--format", "policy", "--output", table).returncode == 0
    assert table.read_text().splitlines()[0] == "player,id,state,action,probability"
    assert answer("exploit", "kuhn", table)["fractions"] == answer("exploit", "kuhn", run)["fractions"]


def test_a_small_tree_is_a_picture_with_joined_information_sets(tmp_path, fogspiel, refused):
    assert fogspiel("export-game", "kuhn", "--output", tmp_path / "kuhn.svg").returncode == 0
    drawn = ElementTree.parse(tmp_path / "kuhn.svg").getroot()
    parts = [part.tag.rpartition("}")[2] for part in drawn.iter()]
    joined = [part for part in drawn.iter() if part.get("class") == "infoset"]
    assert parts.count("circle") == 25 and len(joined) == 12  # 55 nodes, of which 30 are leaves; each card meets two
    assert all(part.get("d").count("Q") == 1 for part in joined) and len({part.get("d") for part in joined}) == 12
    refused("export-game", "leduc", "--output", tmp_path / "leduc.svg", because="a picture has at most 60")


def test_the_notebook_of_a_course_runs():
    path = Path(__file__).parents[2] / "docs" / "notebook-kuhn.ipynb"
    names = {}
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["value"].value == Fraction(-1, 18)
    gaps = [gap for _, gap in names["curve"]]
    assert gaps[-1] < 0.01 < gaps[0]
    assert names["loss"].exploitability == fogspiel.exploit("kuhn", names["careful"]).nash_conv / 2 > 0
    assert 0 < names["mark"] < 1
