"""Outside programs at the command line: tuned, interrupted, resumed, refused."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import support
from support.commands import heed_interruption
from support.levels import default_cases

from fogspiel.process import worker_pool
from fogspiel.runs.kind import kind_of
from fogspiel.runs.store import Store

OUTSIDE = Path(support.__file__).parent / "outside"
HILL = ("--function", f"{OUTSIDE / 'hill.py'}:play", "--parameters", OUTSIDE / "hill.toml")
TWO = ("--parameters", OUTSIDE / "two.toml")
SHORT = ("--games", "300", "--method", "duel", "--workers", "1")


def read(name):
    with Store.open(Path(os.environ["FOGSPIEL_STORE"]), write=False) as runs:
        return runs.read(name)


def rows(name):
    return [row.body for row in read(name).rows]


def no_runs():
    path = Path(os.environ["FOGSPIEL_STORE"])
    if not path.exists():
        return True
    with Store.open(path, write=False) as runs:
        return not runs.summaries()


def is_near_the_top(values):
    """Two values of the programs in C and in the shell."""
    return abs(values["x"] - 3) < 1.5 and abs(values["k"] - 7) <= 3


@pytest.mark.thorough
def test_a_function_of_five_parameters_comes_near_its_best_and_proves_its_gain(answer):
    found = answer("tune", *HILL, "--games", "6000", "--method", "duel", "--seed", "3")
    values, proof = found["parameters"], found["proof"]
    assert abs(values["a"] - 3) < 1 and abs(values["b"] + 20) < 15 and abs(values["c"] - 0.5) < 0.2
    assert abs(values["d"] - 7) <= 2 and isinstance(values["d"], int) and values["e"] in ("slow", "fast", "medium")
    assert proof["proved"] and proof["elo_interval"][0] > 0 and proof["normalised_elo"] > 0
    assert sum(proof["pairs"]) * 2 == proof["games"] <= 1500 and len(proof["pairs"]) == 5
    assert found["games"] <= 6000 and found["search"] == "duel"


@pytest.mark.thorough
def test_the_terminal_shows_the_proof_and_the_values_in_the_users_units(fogspiel):
    outcome = fogspiel("tune", *HILL, "--games", "3000", "--method", "duel", "--seed", "3")
    assert outcome.returncode == 0, outcome.stderr
    assert "Elo [" in outcome.stdout and "gain: " in outcome.stdout and "anytime-valid" in outcome.stdout
    assert "normalised Elo" in outcome.stdout and "pairs from two losses to two wins" in outcome.stdout
    assert "slow" in outcome.stdout and "fogspiel export function-1" in outcome.stdout


def test_a_flat_function_ends_with_its_start_and_says_so(fogspiel):
    words = ("--function", f"{OUTSIDE / 'hill.py'}:flat", "--parameters", OUTSIDE / "hill.toml")
    outcome = fogspiel("tune", *words, "--games", "1000", "--method", "duel")
    assert "no gain was shown" in outcome.stdout
    assert rows("function-1")[-1]["parameters"] == {"a": 0.0, "b": 0.0, "c": 0.1, "d": 3, "e": "slow"}


@pytest.mark.thorough
@pytest.mark.parametrize("method", default_cases(["reply", "auto"], ["reply", "naive", "iterative", "spsa", "auto"]))
def test_methods_that_know_games_work_with_programs_too(answer, method):
    found = answer("tune", *HILL, "--games", "1200", "--method", method, "--workers", "1")
    assert set(found["parameters"]) == {"a", "b", "c", "d", "e"} and found["proof"]["against"] == "start"


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_program_in_c_is_tuned(answer, tmp_path):
    program = tmp_path / "hill"
    subprocess.run(["cc", "-O2", "-o", program, OUTSIDE / "hill.c", "-lm"], check=True)
    found = answer("tune", "--command", program, *TWO, "--games", "4000", "--method", "duel")
    assert is_near_the_top(found["parameters"]) and found["proof"]["proved"]


@pytest.mark.thorough
def test_a_program_of_the_shell_is_tuned(answer):
    command = f"sh '{OUTSIDE / 'hill.sh'}'"
    found = answer("tune", "--command", command, *TWO, "--games", "800", "--method", "duel")
    assert found["proof"]["proved"] and found["parameters"]["k"] > 2


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_shell_and_c_play_the_same_games(answer, tmp_path):
    program = tmp_path / "hill"
    subprocess.run(["cc", "-O2", "-o", program, OUTSIDE / "hill.c", "-lm"], check=True)
    found = [
        answer("tune", "--command", command, *TWO, "--games", "200", "--method", "duel", "--workers", workers)
        for command, workers in ((program, 2), (f"sh '{OUTSIDE / 'hill.sh'}'", 1))
    ]
    assert found[0]["theta"] == found[1]["theta"] and found[0]["proof"] == found[1]["proof"]


@pytest.mark.thorough
def test_scores_of_a_range_and_of_one_vector_alone(answer, fogspiel):
    words = ("--function", f"{OUTSIDE / 'hill.py'}:alone", "--parameters", OUTSIDE / "hill.toml", "--single")
    found = answer("tune", *words, "--score-range", "-10", "0", "--games", "1500", "--method", "duel")
    proof = found["proof"]
    assert proof["proved"] and "elo" not in proof and proof["interval"][0] > 0
    assert abs(found["parameters"]["a"] - 3) < 2
    outcome = fogspiel("tune", *words, "--score-range", "-10", "0", "--games", "1500", "--method", "duel")
    assert "better than the initial values by" in outcome.stdout


def test_exports_have_the_values_of_the_user(answer, fogspiel, tmp_path):
    found = answer("tune", *HILL, "--games", "1500", "--method", "duel")
    whole = json.loads(fogspiel("export", "function-1").stdout)
    assert whole["parameters"] == found["parameters"] and whole["theta"] == found["theta"]
    header, *lines = fogspiel("export", "function-1", "--format", "csv").stdout.strip().split("\n")
    assert header == "step,games,accepted,sigma,population,a,b,c,d,e"
    assert lines[0].endswith(",0.0,0.0,0.1,3,slow") and lines[-1].startswith("result,")
    assert lines[-1].split(",")[5:] == [str(value) for value in found["parameters"].values()]


def test_neither_words_nor_paths_are_stored_and_the_number_of_workers_does_not_matter(answer):
    first = answer("tune", *HILL, *SHORT)
    second = answer("tune", *HILL, "--games", "300", "--method", "duel", "--workers", "3", "--time-limit", "50")
    assert first["theta"] == second["theta"] and rows("function-1") == rows("function-2")
    stored = Path(os.environ["FOGSPIEL_STORE"]).read_bytes()
    assert b"hill.py" not in stored and str(OUTSIDE).encode() not in stored and b"start" in stored


SLOW = """
import sys, time
sys.path.insert(0, {folder!r})
from hill import play as fast

def play(a, b, seed):
    time.sleep(0.001)
    return fast(a, b, seed)
"""


@pytest.mark.parametrize(
    "number", default_cases([], [signal.SIGKILL]) + default_cases([], [signal.SIGINT, signal.SIGTERM], others="slow")
)
def test_a_run_that_is_killed_goes_on_to_the_same_rows(answer, tmp_path, number):
    path = tmp_path / "slow.py"
    path.write_text(SLOW.format(folder=str(OUTSIDE)))
    asked = ["--parameters", str(OUTSIDE / "hill.toml"), "--games", "600", "--method", "duel", "--workers", "2"]
    words = [sys.executable, "-m", "fogspiel.cli", "tune", "--function", f"{path}:play", *asked]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(words, preexec_fn=heed_interruption, **silent)
    while no_runs() or len(rows("function-1")) < 8:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    assert process.wait(60) != 0
    assert not read("function-1").finished
    answer("resume", "function-1", "--function", f"{path}:play")
    answer("tune", "--function", f"{path}:play", *asked)
    assert rows("function-1") == rows("function-2")


@pytest.mark.thorough
def test_a_program_whose_values_beat_each_other_in_circles_ends_with_values(answer):
    words = ("--function", f"{OUTSIDE / 'circle.py'}:play", "--parameters", OUTSIDE / "circle.toml")
    found = answer("tune", *words, "--games", "2000")
    assert set(found["parameters"]) == {"x", "y"} and "weights" not in found


WEAK = """
import os, random, sys, time
def play(a, b, seed, swap=False):
    time.sleep(float(os.environ.get("SECONDS_A_GAME", "0.002")))
    lead = ((b["x"] - 7) ** 2 - (a["x"] - 7) ** 2) / 250
    return 1 if random.Random(f"{seed} {swap}").random() < 0.5 + lead else 0
"""


@pytest.fixture
def weak(tmp_path):
    """A function with a small gain to be found, and a parameter file."""
    (tmp_path / "weak.py").write_text(WEAK)
    (tmp_path / "weak.toml").write_text("[x]\nstart = 5\nlow = 0\nhigh = 10\n")
    return ["--function", f"{tmp_path / 'weak.py'}:play"], ["--parameters", str(tmp_path / "weak.toml")]


@pytest.mark.thorough
def test_values_that_are_not_proved_are_printed_and_proved_later_also_after_a_kill(answer, fogspiel, refused, weak):
    program, parameters = weak
    printed = fogspiel("tune", *program, *parameters, "--games", "400").stdout
    assert "the values found score" in printed and "found, not proved" in printed
    assert "prove them: fogspiel resume function-1 --prove --games" in printed
    first = rows("function-1")[-1]
    assert first["parameters"] == {"x": 5.0} and not first["proof"]["proved"] and first["unproved"]["theta"] != [0.0]
    asked = ["resume", "function-1", "--prove", "--games", "1600", *program]
    words = [sys.executable, "-m", "fogspiel.cli", *asked]
    slow = os.environ | {"SECONDS_A_GAME": "0.02"}  # so that it is killed before its end
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=slow)
    while not (len(read_names()) == 2 and read("function-2").partial()):
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait(60)
    killed = answer("resume", "function-2", *program)
    whole = answer(*asked)
    assert killed["proof"] == whole["proof"] and rows("function-2") == rows("function-3")
    assert (
        whole["proof"]["proved"] and whole["parameters"]["x"] > 5 and whole["proof"]["games"] > first["proof"]["games"]
    )
    assert "nothing left to prove" in refused("resume", "function-2", "--prove", "--games", "10", *program).stderr
    assert "so give more" in refused("resume", "function-1", "--games", "10", *program).stderr


def read_names():
    with Store.open(Path(os.environ["FOGSPIEL_STORE"]), write=False) as runs:
        return [one.name for one in runs.summaries()]


@pytest.mark.thorough
def test_tuning_starts_from_a_run_with_more_parameters_and_the_test_that_is_asked_for(answer, refused, weak, tmp_path):
    program, parameters = weak
    first = answer("tune", *program, *parameters, "--games", "400")
    found = first["unproved"]["theta"][0] + 5
    (tmp_path / "more.toml").write_text("[x]\nstart = 5\nlow = 0\nhigh = 10\n[y]\nstart = 1\nlow = 0\nhigh = 2\n")
    more = ["--parameters", str(tmp_path / "more.toml"), "--games", "200", "--from", "function-1"]
    second = answer("tune", *program, *more, "--prove", "0", "30")
    row, *_ = rows("function-2")
    assert {table["name"]: table["start"] for table in row["parameters"]} == {"x": pytest.approx(found), "y": 1.0}
    assert row["origin"] == "function-1" and second["proof"]["test"] == [0.5, pytest.approx(0.54307, abs=1e-4)]
    assert "second Elo" in refused("tune", *program, *more, "--prove", "3", "0").stderr
    assert "is for programs" in refused("tune", "batawaf", "--prove", "0", "3").stderr


def test_a_value_that_ends_at_its_limit_is_marked(fogspiel, tmp_path):
    (tmp_path / "up.py").write_text(
        "def play(a, b, seed):\n    return (1 + (a['x'] > b['x']) - (a['x'] < b['x'])) / 2\n"
    )
    (tmp_path / "up.toml").write_text("[x]\nstart = 1\nlow = 0\nhigh = 4\nwhole = true\n")
    words = ("--function", f"{tmp_path / 'up.py'}:play", "--parameters", tmp_path / "up.toml")
    printed = fogspiel("tune", *words, "--games", "400").stdout
    assert "4 (its high)" in printed and "at a limit: x; if it may be crossed, widen it" in printed


def stopped(outcome, *parts):
    """A run that its program has stopped: remarks, and a last sentence with all these parts in it."""
    assert outcome.returncode == 2 and "Traceback" not in outcome.stderr
    *_, last = outcome.stderr.strip().splitlines()
    assert all(part in last for part in ("gone wrong 3 times", "nothing is lost, go on with: fogspiel resume", *parts))


def test_a_resumed_run_must_name_its_program_and_the_same_one(refused, fogspiel, tmp_path):
    path = tmp_path / "f.py"
    broken = (OUTSIDE / "hill.py").read_text() + "\nfirst = play\n"
    broken += "\ndef play(a, b, seed):\n    assert a['a'] == b['a'], 'no more'\n    return 0.5\n"
    path.write_text(broken)
    words = ("--function", f"{path}:play", "--parameters", OUTSIDE / "hill.toml")
    stopped(fogspiel("tune", *words, *SHORT), "'AssertionError: no more'", f"function-1 --function {path}:play")
    assert not read("function-1").finished
    refused("resume", "function-1", because=("which is run only if you name it", "--function"))
    refused("resume", "function-1", "--command", "cat", because="tunes a function, not a command")
    refused("resume", "function-1", "--source", "batawaf", because="tunes a program, not a game")
    path.write_text(broken.replace("no more", "never"))
    refused("resume", "function-1", "--function", f"{path}:play", because=("has changed since", "begin a new run"))
    path.write_text(broken)
    refused("resume", "function-1", "--function", f"{path}:first", because="or is another function")


def test_a_command_that_was_mended_goes_on(answer, fogspiel, tmp_path):
    path = tmp_path / "worker.sh"
    once = "read -r line; case $line in *'\"id\": 0}'*) echo 1;; *) echo out of memory >&2; exit 4;; esac\n"
    path.write_text(once)
    words = ("--command", f"sh {path}", *TWO, *SHORT)
    stopped(fogspiel("tune", *words), "has ended with exit code 4", "'out of memory'", "command-1 --command 'sh ")
    path.write_text((OUTSIDE / "hill.sh").read_text())
    found = answer("resume", "command-1", "--command", f"sh {path}")
    assert found["games"] > 100


NOTHING = {
    ("tune",): "there is nothing to tune",
    ("tune", "batawaf", "--function", "f.py:play"): "GAME and --function are too much at once",
    ("tune", "--function", "f.py:play", "--command", "cat"): "--function and --command are too much at once",
    ("tune", "--function", f"{OUTSIDE / 'hill.py'}:play"): "--function needs --parameters FILE",
    ("tune", "--function", f"{OUTSIDE / 'hill.py'}:none", *TWO): "has no none",
    ("tune", "--function", f"{OUTSIDE / 'hill.py'}:badness", *TWO): "it must take (a, b, seed)",
    ("tune", "--function", "nowhere.py:play", *TWO): "nowhere.py: name a function as in",
    ("tune", *HILL[:2], "--parameters", "none.toml"): "none.toml cannot be read",
    ("tune", *HILL, "--games", "0"): "the budget of games is 0",
    ("tune", *HILL, "--method", "nothing"): "there is no method 'nothing'",
    ("tune", *HILL, "--method", "psro"): "psro answers with a mixture, which a program cannot play",
    ("tune", *HILL, "--baseline", "fixed"): "--baseline is for games",
    ("tune", *HILL, "--seeds", "3"): "--seeds is for games",
    ("tune", *HILL, "--seed", "-1"): "the seed is -1",
    ("tune", *HILL, "--time-limit", "0"): "--time-limit is 0",
    ("tune", *HILL, "--score-range", "1", "0"): "low must be below high",
    ("tune", *HILL[:2], *TWO): "KeyError: 'a'",
    (
        "tune",
        "--function",
        f"{OUTSIDE / 'hill.py'}:alone",
        *HILL[2:],
        "--single",
    ): "neither 0, 1/2 nor 1",
    ("tune", "--command", "/no/such/program", *TWO): "the program /no/such/program cannot be started",
    ("tune", "--command", "", *TWO): "the command is empty",
    ("tune", "--command", "'", *TWO): "is not a command",
    ("tune", "--command", "cat", *TWO): "which has no score: it must be a number",
    ("tune", "--command", "true", *TWO): "has ended with exit code 0",
    ("tune", "--command", "sleep 60", *TWO, "--time-limit", "0.2"): "has not answered within 0.2 s",
}


@pytest.mark.thorough
@pytest.mark.parametrize(("words", "sentence"), NOTHING.items())
def test_what_cannot_be_tuned_is_a_sentence_and_nothing_is_written(refused, words, sentence, monkeypatch):
    monkeypatch.setattr(worker_pool, "START_SECONDS", 0.0 if "sleep 60" in words else 60.0)
    outcome = refused(*words, because=sentence)
    assert outcome.stdout == "" and no_runs()


def test_a_run_of_a_game_needs_no_program(answer):
    answer("tune", "batawaf", "--games", "200", "--report-games", "10")
    assert answer("resume", "batawaf-1")["state"] == "finished"


def test_every_part_of_a_run_can_be_told(answer):
    answer("tune", *HILL, *SHORT)
    run = read("function-1")
    kind = kind_of(run)
    assert kind.name == "program" and not kind.playable(run) and kind.opponent(run) is None
    assert [name for name, _ in kind.parameters(run)] == ["a", "b", "c", "d", "e"]
    lines = kind.request_lines(run.request)
    assert ("method", "duel") in lines and "start 0.0" in dict(lines)["parameter a"]
    assert len({label.lower() for label, _ in lines}) == len(lines)
    assert [value for _, value in lines].count(run.request["digest"]) == 1
    assert kind.games_note(run.request) is None and "--pgn FILE" in kind.games_note(run.request | {"sort": "uci"})
    assert len(kind.points(run)) == len(run.steps)
    assert kind.report(run).title.startswith("Tuning")
    with pytest.raises(ValueError, match="play no game of ours"):
        kind.agent(run, None)
