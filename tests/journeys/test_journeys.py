"""Journeys of five users with files of their own, by the installed console script; they read what is asserted here."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

SCRIPT = Path(sys.executable).with_name("fogspiel")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the console script in an empty folder; it must end with the given exit code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def outcome(*words, said="", code=0):
        done = subprocess.run([SCRIPT, *map(str, words)], input=said, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr if code else done.stdout

    return outcome


POLICY = '''
def policy(state):
    """Raise with a king or a pair, fold a jack under fire, else call."""
    seen, labels = state.text, state.labels
    strong = "K" in seen.split("\\n")[0] or "pair" in seen
    weak = "J" in seen.split("\\n")[0]
    wanted = ("raise", "call", "check") if strong else ("fold",) if weak else ("call", "check")
    for word in wanted:
        for label in labels:
            if label.startswith(word):
                return {label: 1}
    return {label: 1 / len(labels) for label in labels}
'''


def test_a_researcher_measures_a_rule_based_policy_of_leduc(run):
    """From function to table to best response to match; NashConv is OpenSpiel's."""
    Path("rules.py").write_text(POLICY)
    said = run("exploit", "leduc", "rules.py:policy", "--worst", 2, "--save-response", "punish")
    assert "NashConv" in said and "What costs most" in said
    found = json.loads(run("exploit", "leduc", "rules.py:policy", "--json"))
    body = json.loads(run("states", "leduc", "--output", "questions.jsonl", "--json"))
    assert body["questions"] == 288
    lines = Path("questions.jsonl").read_text().splitlines()[1:]
    assert len(lines) == 288
    # The table of the same function, written by the researcher's own program
    own = """
import csv, json, fogspiel
from rules import policy
class State:
    def __init__(self, text, labels): self.text, self.labels = text, labels
with open("table.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["id", "action", "probability"])
    for line in open("questions.jsonl").read().splitlines()[1:]:
        q = json.loads(line)
        shares = policy(State(q["you see"], q["you may"]))
        for label, share in shares.items():
            rows.writerow([q["id"], label, share])
"""
    Path("write.py").write_text(own)
    subprocess.run([sys.executable, "write.py"], check=True)
    table = json.loads(run("exploit", "leduc", "table.csv", "--json"))
    assert table["nash_conv"] == pytest.approx(found["nash_conv"], abs=1e-12)
    # The best responses play, and gain what was said
    match = json.loads(run("match", "leduc", "punish.json", "table.csv", "--exact", "--json"))
    assert match["score"] == pytest.approx(sum(found["best_replies"]) / 2, abs=1e-9) or match["score"] == pytest.approx(
        found["nash_conv"] / 2, abs=1e-9
    )
    assert "punish.json against table.csv scores" in run("match", "leduc", "punish.json", "table.csv", "--games", 200)
    assert openspiel_nash_conv("table.csv") == pytest.approx(found["nash_conv"], abs=1e-9)


def openspiel_nash_conv(table):
    """NashConv of a table of ids, by OpenSpiel's own code on the exported game."""
    pyspiel = pytest.importorskip("pyspiel")
    from fogspiel.interop.openspiel_export import to_openspiel

    with open(table, newline="") as file:
        rows = {}
        for row in csv.DictReader(file):
            rows.setdefault(row["id"], {})[row["action"]] = float(row["probability"])
    exported, found = to_openspiel("leduc"), {}

    def walk(state):
        if state.is_terminal():
            return
        if not state.is_chance_node():
            player, text = state.current_player(), state.information_state_string()
            shares = rows[text.split()[0]]
            found[text] = [(a, shares.get(state.action_to_string(player, a), 0.0)) for a in state.legal_actions()]
        for action in state.legal_actions():
            walk(state.child(action))

    walk(exported.new_initial_state())
    return pyspiel.nash_conv(exported, pyspiel.TabularPolicy(found))


PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

static double number(const char *text, const char *key) {
    const char *at = strstr(text, key);
    return at ? atof(strchr(at, ':') + 1) : 0.0;
}

int main(void) {
    char line[4096];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        const char *b = strstr(line, "\"b\"");
        unsigned seed = (unsigned)number(line, "\"seed\"");
        double x = number(strstr(line, "\"a\""), "\"x\""), y = number(b, "\"x\"");
        double chance = 1 / (1 + exp((x - 3) * (x - 3) - (y - 3) * (y - 3)));
        srand(seed * 2654435761u + 1);
        for (int i = 0; i < 8; i++) rand();
        printf("{\"score\": %d}\n", rand() / (RAND_MAX + 1.0) < chance ? 1 : 0);
    }
    return 0;
}
"""


def test_an_author_tunes_a_program_in_c_that_is_killed(run, tmp_path):
    """Tune, kill with -9 in the midst, resume, report: the result is that of a run that was never killed."""
    Path("player.c").write_text(PROGRAM)
    subprocess.run(["cc", "-O1", "-o", "player", "player.c", "-lm"], check=True)
    Path("space.toml").write_text("[x]\nstart = 0.0\nlow = -10.0\nhigh = 10.0\n")
    words = ["tune", "--command", "./player", "--parameters", "space.toml", "--games", "4000", "--seed", "3"]
    whole = run(*words, "--workers", 1, "--store", "whole.db")
    killed = subprocess.Popen(
        [SCRIPT, *words, "--workers", "1", "--store", "killed.db"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    listed = []
    for _ in range(600):
        time.sleep(0.1)
        if Path("killed.db").exists():
            listed = json.loads(run("runs", "--store", "killed.db", "--json"))["runs"]
            if killed.poll() is not None or (listed and (listed[0]["steps"] or 0) > 3):
                break
    if killed.poll() is None:
        os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    name = listed[0]["name"] if "name" in listed[0] else listed[0]["run"]
    resumed = run("resume", name, "--command", "./player", "--store", "killed.db", "--workers", 1)
    exported = [json.loads(run("export", name, "--store", store)) for store in ("whole.db", "killed.db")]
    assert exported[0]["result"] == exported[1]["result"] and exported[0]["steps"] == exported[1]["steps"]
    assert "x" in whole and "x" in resumed
    values = next(csv.DictReader(run("export", name, "--store", "killed.db", "--format", "csv").splitlines()))
    assert values
    assert name in run("runs", "--store", "killed.db") and "finished" in run("runs", "--store", "killed.db")


def test_a_teacher_grades_a_class_with_planted_faults(run):
    """Six files: perfect, passive, aggressive, two with faults, one that is not read."""
    run("states", "kuhn", "--output", "questions.jsonl")
    questions = [json.loads(line) for line in Path("questions.jsonl").read_text().splitlines()[1:]]
    assert "-1/18" not in Path("questions.jsonl").read_text() and "ante" in Path("questions.jsonl").read_text()
    folder = Path("class")
    folder.mkdir()

    def write(name, lines):
        (folder / name).write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))

    passive = [{"id": q["id"], "action": q["you may"][0]} for q in questions]
    write("ada.jsonl", [{"id": q["id"], "probabilities": {a: 0.5 for a in q["you may"]}} for q in questions])
    write("bert.jsonl", passive)
    write("cleo.jsonl", [{"id": q["id"], "action": q["you may"][1]} for q in questions])
    faulty = [dict(line) for line in passive]
    faulty[0]["action"], faulty[1]["id"] = "shove", "p1-0000"
    faulty[2] = {"id": faulty[2]["id"], "probabilities": {questions[2]["you may"][0]: 0.7}}
    write("dora.jsonl", faulty)
    write("emil.jsonl", [*passive[:-2], "I would bet"])
    (folder / "fred.docx").write_text("bet")
    said = run("exploit", "kuhn", "class", "--worst", 1, "--output", "marks")
    for name in ("ada.jsonl", "bert.jsonl", "cleo.jsonl"):
        assert name in said
    report = json.loads(next(Path("marks").glob("*.json")).read_text())
    text = json.dumps(report)
    assert "'shove' is not an action there" in text and "no information state 'p1-0000'" in text
    assert "add up to 0.7, not to 1" in text and "it is not JSON" in text and "fred.docx" in text
    alone = run("exploit", "kuhn", "class/dora.jsonl", code=2)
    assert alone.count("line ") == 3  # all three faults at once
    single = json.loads(run("exploit", "kuhn", "class/bert.jsonl", "--json"))
    assert f"{single['exploitability']}" in text


def test_a_designer_brings_a_game_in_two_files(run):
    """A template that imports a neighbour; the change of the neighbour is noticed."""
    run("new", "mine.py")
    text = Path("mine.py").read_text()
    Path("extra.py").write_text("SIZE = 1\n")
    head, _, rest = text.partition("\nimport ") if "\nimport " in text else text.partition("\nfrom ")
    word = "\nimport " if "\nimport " in text else "\nfrom "
    Path("mine.py").write_text(f"{head}\nfrom extra import SIZE{word}{rest}")
    assert "mine is sound" in run("check", "mine.py")
    solved = run("solve", "mine.py")
    assert "the first player gets" in solved
    name = json.loads(run("runs", "--json"))["runs"][0]
    name = name.get("name") or name["run"]
    before = json.loads(run("show", "mine.py", "--json"))["rules"]
    assert "mine" in run("match", "mine.py", name, "uniform", "--games", 100)
    Path("extra.py").write_text("SIZE = 2\n")
    after = json.loads(run("show", "mine.py", "--json"))["rules"]
    assert before != after
    told = run("match", "mine.py", name, "uniform", "--games", 100, code=2)
    assert "version" in told


def test_an_evening_of_five_games(run):
    """Rules, opponents by name, seats by name, a coach, and records of five games."""
    kuhn = run("play", "kuhn", "--coach", "each", "--seed", 1, said="rules\n1\n1\n1\n")
    assert "Your opponent is `solved`" in kuhn and "ante" in kuhn and "Coach:" in kuhn and "The whole truth" in kuhn
    spies = run("play", "resistance5", "--seat", "spies", "--seed", 1, said="rules\n1\n1\n1\n1\n1\n1\n1\n")
    assert "You are the spies." in spies and "The other: send" in spies and "sabotage" in spies
    nim = run("play", "nim", "--seed", 2, said="1\n" * 30)
    assert "The other:" in nim and "The game is over" in nim
    ttt = run("play", "phantom-ttt", "--against", "uniform", "--seed", 4, said="1\n2\n3\n4\n5\n6\n7\n8\n9\n" * 3)
    assert "The game is over" in ttt
    liar = json.loads(run("play", "liars-dice-4", "--seed", 3, "--json", said="1\n" * 20))
    assert liar["how"] in ("you won", "you lost", "a draw") and liar["against"] == "solved"
