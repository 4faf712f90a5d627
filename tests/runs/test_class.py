"""A class: a folder of answer files, measured one by one."""

import csv
import json
import random
import time
from fractions import Fraction

import pytest

import fogspiel
from fogspiel.core.game import known_game
from fogspiel.runs.kinds.exploit import grade
from fogspiel.runs.requests import ExploitRequest
from fogspiel.solving.policies.state_sheets import information_states, question_json


def write_class(folder, game, students, seed=0):
    """Write a file of random answers for each student."""
    folder.mkdir()
    questions = [question_json(state) for state in information_states(known_game(game), 1.0)]
    for number in range(students):
        draws = random.Random(1000 * seed + number)
        answers = [{"id": one["id"], "action": draws.choice(one["you may"])} for one in questions]
        (folder / f"student-{number:02}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in answers))
    return folder


def test_a_class_has_the_marks_that_each_file_gets_alone_and_names_the_files_without_one(tmp_path):
    folder = write_class(tmp_path / "class", "kuhn", 4)
    (folder / "broken.json").write_text('{"rows": 3')
    (folder / "half.jsonl").write_text((folder / "student-00.jsonl").read_text().partition("\n")[0])
    (folder / "code.py").write_text("raise SystemExit('a student must not run code')")
    (folder / ".hidden").write_text("")
    report = grade(ExploitRequest("kuhn", str(folder), worst=2), folder, tmp_path / "none.db", lambda done, total: None)
    found = report.facts(None)
    marks = found["tables"]["marks"]
    alone = {
        file.name: fogspiel.exploit("kuhn", str(file)).exploitability for file in sorted(folder.glob("student-*.jsonl"))
    }
    assert {row["answers"]: Fraction(row["exact"]) for row in marks} == alone
    assert [row["exploitability"] for row in marks] == sorted(map(float, alone.values()))
    skipped = {row["file"]: row["problem"] for row in found["tables"]["skipped"]}
    assert skipped.keys() == {"broken.json", "half.jsonl", "code.py"}
    assert "has no answer at" in skipped["half.jsonl"] and all(str(folder) not in told for told in skipped.values())
    decisions = found["tables"]["decisions"]
    assert {row["answers"] for row in decisions} == set(alone) and len(decisions) <= 2 * len(alone)


def test_a_class_takes_no_options_of_single_policies_and_is_not_empty(tmp_path, refused):
    empty = tmp_path / "class"
    empty.mkdir()
    refused("exploit", "kuhn", str(empty), because=("0 files", "1 to 1000"))
    refused("exploit", "kuhn", str(empty), "uniform", because="leave out the rest")
    for name in ("a.json", "b.json"):
        (empty / name).write_text("{")
    refused("exploit", "kuhn", str(empty), because=("none of the 2 files", "a.json"))
    assert not (tmp_path / "fogspiel-class-kuhn").exists()
    refused("exploit", "kuhn", "uniform", "--output", str(tmp_path / "marks"), because="--output is for a class")


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_thirty_students_are_graded_in_under_a_minute(game, tmp_path, answer):
    folder = write_class(tmp_path / "class", game, 30)
    began = time.process_time(), time.monotonic()
    found = answer("exploit", game, str(folder), "--output", str(tmp_path / "marks"))
    marks = found["tables"]["marks"]
    assert len(marks) == 30 and "skipped" not in found["tables"]
    with open(tmp_path / "marks" / f"class-{game}-marks.csv", encoding="utf-8") as written:
        assert [row["answers"] for row in csv.DictReader(written)] == [row["answers"] for row in marks]
    assert "student-00.jsonl" in (tmp_path / "marks" / f"class-{game}.html").read_text()
    assert time.process_time() - began[0] < 60 and time.monotonic() - began[1] < 60
