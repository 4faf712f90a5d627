"""Solving on the command line: answers, refusals, interruptions."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from support.commands import COMMAND, DOCUMENTED
from support.own_game import OWN_RPS

from fogspiel.games.permutation_tictactoe.exact import VALUE

SOLVE = "certificate cpu_seconds exact game kind lower method run sizes state upper value"
SNAPSHOTS = [
    (("explain", "kuhn"), "first game lower second upper"),
    (("explain", "resistance5"), "game lines lower upper"),
    (
        ("paper", "resistance", "--players", 5, "--full", 4),
        "beyond cpu_seconds double_oracle first_order normal_forms paper payoffs peak_megabytes resources sizes "
        "symmetry",
    ),
]


@pytest.fixture
def kuhn(answer):
    """What solving Kuhn poker answers."""
    return answer("solve", "kuhn", "--exact")


def test_solve_answers_with_the_exact_value_and_a_certificate(kuhn, answer):
    assert " ".join(sorted(kuhn)) == SOLVE
    assert all(f"`{key}`" in DOCUMENTED for key in kuhn)
    assert (kuhn["value"], kuhn["lower"], kuhn["upper"], kuhn["exact"]) == ("-1/18", "-1/18", "-1/18", True)
    proved = answer("verify", kuhn["certificate"])
    assert (proved["valid"], proved["lower"], proved["upper"]) == (True, "-1/18", "-1/18")
    assert all(f"`{key}`" in DOCUMENTED for key in proved)


@pytest.mark.parametrize(("words", "keys"), SNAPSHOTS)
def test_the_keys_of_the_answers_are_those_of_the_documentation(words, keys, answer):
    found = answer(*words)
    assert " ".join(sorted(found)) == keys
    assert all(f"`{key}`" in DOCUMENTED for key in found)


def test_people_read_the_value_the_strategies_and_what_to_do_next(fogspiel):
    outcome = fogspiel("solve", "rps-half")
    assert outcome.returncode == 0
    assert "the first player gets exactly 0" in outcome.stdout and "fogspiel verify" in outcome.stdout
    table = fogspiel("explain", "rps-half").stdout
    assert "rock 2/5" in table and "scissors 1/5" in table


def test_a_solution_is_explained_by_any_of_its_names(kuhn, answer, fogspiel):
    explained = answer("explain", "kuhn")
    assert answer("explain", "kuhn", "solved") == explained
    assert answer("explain", "kuhn", kuhn["run"]) == answer("explain", "kuhn", kuhn["certificate"])
    assert answer("explain", "kuhn", kuhn["certificate"])["lower"] == "-1/18"
    assert fogspiel("explain", "kuhn", "solved").stdout == fogspiel("explain", "kuhn").stdout


def test_a_policy_file_is_explained_where_it_has_answers(answer, fogspiel, refused, tmp_path):
    answer("exploit", "kuhn", "uniform", "--save-response", tmp_path / "reply")
    found = answer("explain", "kuhn", tmp_path / "reply.json")
    assert found["player"] == str(tmp_path / "reply.json") and len(found["first"]) == 4 and len(found["second"]) == 6
    choices = [{"action": "bet", "probability": "1"}]
    assert found["first"][0] == {
        "sees": "your card: J; the other's: hidden | nobody has moved", "plays": "bet", "choices": choices,
    }  # fmt: skip
    policy = tmp_path / "half.py"
    policy.write_text("def half(state):\n    return [0.5] * len(state.actions)\n")
    assert "pass 0.5, bet 0.5" in fogspiel("explain", "kuhn", f"{policy}:half").stdout
    refused("explain", "kuhn", tmp_path / "none.json", because="there is no file")
    refused("explain", "leduc", tmp_path / "reply.json", because="is for 'kuhn', not for leduc")
    refused(
        "explain", "kuhn", "nobody", because="'nobody' is not a player of kuhn: give a name (uniform, search, solved)"
    )
    refused("explain", "kriegspiel", "greedy@10n", because="greedy@10n has no table and no parameters to explain")


def test_a_solved_run_plays_is_listed_and_exported(kuhn, answer, fogspiel, refused):
    match = answer("match", "kuhn", kuhn["run"], "uniform", "--games", 2000)
    assert match["score"] > 0 and match["games"] == 2000
    assert kuhn["run"] in {run["name"] for run in answer("runs")["runs"]}
    assert answer("export", kuhn["run"])["result"]["value"] == "-1/18"
    assert fogspiel("export", kuhn["run"], "--format", "csv").stdout.splitlines()[-1] == "result,-1/18,-1/18"
    again = fogspiel("resume", kuhn["run"])
    assert again.returncode == 0 and "nothing to resume" in again.stderr and "-1/18" in again.stdout
    assert answer("verify", kuhn["run"])["exact"] and answer("verify", "kuhn")["exact"]
    refused("verify", "nosuch", because="there is no certificate")


def test_a_game_of_ones_own_is_solved_and_checked(tmp_path, refused, answer):
    """One file with the six rules."""
    own = tmp_path / "own.py"
    own.write_text(OWN_RPS)
    refused("solve", own, because=("say which one", "own-rps-half"))
    solved = answer("solve", f"{own}:own-rps-half", "--certificate", tmp_path / "proof.json")
    assert solved["value"] == "0" and solved["certificate"] == str(tmp_path / "proof.json")
    assert answer("verify", tmp_path / "proof.json", "--source", f"{own}:own-rps-half")["valid"]
    refused("verify", tmp_path / "proof.json", because=("no game 'own-rps-half'", "--source FILE"))


def test_solved_is_the_run_that_solved_these_rules_where_no_solution_is_shipped(tmp_path, refused, answer):
    own = tmp_path / "own.py"
    own.write_text(OWN_RPS)
    asked = ("match", f"{own}:own-rps-half", "solved", "uniform", "--games", 20)
    unsolved = "no solution of own-rps-half by these rules in the package or among your runs: solve it with"
    refused(*asked, because=unsolved)
    answer("solve", f"{own}:own-rps-half", "--lock", "uniform", "--seat", 1)
    refused(*asked, because=unsolved)
    run = answer("solve", f"{own}:own-rps-half")["run"]
    assert answer(*asked)["score"] == answer(*asked[:2], run, *asked[3:])["score"]
    assert answer("exploit", f"{own}:own-rps-half", "solved")["exploitability"] == 0
    own.write_text(OWN_RPS + "# changed\n")
    refused(*asked, because=unsolved)


def test_gambit_files_go_out_and_come_back(tmp_path, refused, answer):
    for name in ("kuhn.efg", "kuhn.nfg"):
        assert answer("export-game", "kuhn", "--output", tmp_path / name)["bytes"] > 0
        solved = answer("solve", tmp_path / name)
        assert solved["value"] == "-1/18"
        assert answer("verify", solved["certificate"], "--source", tmp_path / name)["valid"]
    refused("export-game", "kuhn", "--output", tmp_path / "kuhn.txt", because=".efg or .nfg")
    refused("export-game", "leduc", "--output", tmp_path / "leduc.nfg", because="write it as .efg")


BAD_FILES = {
    "three.efg": ('EFG 2 R "x" { "a" "b" "c" }\n""\nt "" 1 "" { 1, 2, 3 }\n', "two players"),
    "sum.efg": (
        'EFG 2 R "x" { "a" "b" }\n""\np "" 1 1 "" { "l" "r" } 0\nt "" 1 "" { 1, -1 }\nt "" 2 "" { 1, 1 }\n',
        "sum",
    ),
    "short.efg": ('EFG 2 R "x" { "a" "b" }\n""\np "" 1 1 "" { "l" "r" } 0\nt "" 1 "" { 1, -1 }\n', "end"),
    "recall.efg": (
        'EFG 2 R "x" { "a" "b" }\n""\np "" 1 1 "" { "l" "r" } 0\np "" 1 2 "" { "l" "r" } 0\n'
        't "" 1 "" { 1, -1 }\nt "" 2 "" { 0, 0 }\np "" 1 2 "" { "l" "r" } 0\nt "" 2\nt "" 1\n',
        "recall",
    ),
    "nothing.efg": ("hello\n", "no Gambit extensive-form file"),
    "broken.py": ("GAMES = [\n", "SyntaxError"),
    "empty.py": ("", "no GAMES"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_files_that_cannot_be_solved_are_refused_and_leave_no_run(tmp_path, refused, name):
    content, part = BAD_FILES[name]
    (tmp_path / name).write_text(content)
    refused("solve", tmp_path / name, because=part)
    assert not (tmp_path / "runs.db").exists()


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("solve", "khun"), ("no game 'khun'", "kuhn")),
        (("solve", "kuhn", "--method", "magic"), ("no method 'magic'", "double-oracle")),
        (("solve", "kuhn", "--method", "dcfr", "--exact"), ("needs a vertex",)),
        (("solve", "kuhn", "--memory", "0"), ("--memory is 0.0",)),
        (("solve", "goofspiel-5", "--memory", "0.001"), ("histories", "raise --memory")),
        (("solve", "missing.efg"), ("cannot be read",)),
        (("verify", "missing.json"), ("there is no certificate",)),
        (("explain", "kuhn-99"), ("kuhn-99",)),
        (("paper", "poker"), ("no paper 'poker'",)),
        (("bounds", "kuhn", "--informed", "every"), ("no bounds for kuhn", "phantom-ponnuki-ROWSxCOLUMNS")),
        (("bounds", "phantom-ponnuki-4x4", "--seconds", "0"), ("--seconds is 0.0",)),
    ],
)
def test_wrong_input_gets_one_sentence(refused, words, parts):
    refused(*words, because=parts)


def test_truncated_and_tampered_certificates_are_refused(tmp_path, kuhn, refused):
    text = Path(kuhn["certificate"]).read_text()
    broken = tmp_path / "broken.json"
    for length in range(0, len(text) - 1, 97):
        broken.write_text(text[:length])
        refused("verify", broken, because="damaged or not complete")
    body = json.loads(text)
    body["lower"] = "0"
    broken.write_text(json.dumps(body))
    refused("verify", broken, because="changed after it was written")
    broken.write_text("[]")
    refused("verify", broken, because="which game")


@pytest.mark.thorough
def test_a_solve_that_is_stopped_says_how_to_go_on_and_does(answer):
    words = [*COMMAND, "solve", "leduc", "--method", "cfr+", "--gap", "1e-9", "--json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "solving leduc" not in process.stderr.readline():
        pass
    time.sleep(3)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    stopped = json.loads(out)
    assert stopped["state"] == "interrupted" and stopped["resume"] == "fogspiel resume leduc-1"
    again = subprocess.Popen([*COMMAND, "resume", "leduc-1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    again.kill()  # nothing to be done about it, and nothing lost
    again.communicate()
    assert answer("runs")["runs"][0]["state"] == "interrupted"


@pytest.mark.interpreted
def test_bounds_come_with_a_proof_that_is_checked(tmp_path, answer, refused):
    found = answer("bounds", "phantom-ponnuki-3x3", "--certificate", tmp_path / "proof.json")
    assert " ".join(sorted(found)) == "certificate cpu_seconds exact game lower run state upper"
    assert all(f"`{key}`" in DOCUMENTED for key in found)
    assert (found["lower"], found["upper"], found["exact"]) == ("1", "1", True)
    assert answer("verify", tmp_path / "proof.json")["lower"] == "1"
    body = json.loads((tmp_path / "proof.json").read_text())
    body["upper"] = "1/2"
    (tmp_path / "proof.json").write_text(json.dumps(body))
    refused("verify", tmp_path / "proof.json")


@pytest.mark.thorough
def test_phantom_tic_tac_toe_is_solved_explained_checked_and_played(answer):
    solved = answer("solve", "phantom-ttt", "--exact")
    assert solved["value"] == "5/6" and solved["exact"]
    assert answer("verify", solved["certificate"])["upper"] == "5/6"
    lines = answer("explain", solved["run"])["lines"]
    assert "a corner drawn by lot" in lines[3]
    match = answer("match", "phantom-ttt", solved["run"], "uniform", "--games", 400)
    assert match["score"] > 0.6


@pytest.mark.thorough
def test_permutation_tic_tac_toe_is_solved_explained_checked_and_played(answer):
    solved = answer("solve", "permutation-ttt", "--exact")
    assert solved["value"] == str(VALUE) and solved["exact"]
    proved = answer("verify", solved["certificate"])
    assert proved["lower"] == proved["upper"] == str(VALUE)
    lines = answer("explain", solved["run"], "--all")["lines"]
    assert lines[0].startswith(f"permutation-ttt: moving first one gets {VALUE}")
    assert lines[4:9] == [
        "",
        " 10.19%    10.06%     9.28%     7.74%     4.92%     4.90%",
        "  8 2 6     1 3 2     2 8 4     6 2 8     8 2 7     1 3 2",
        "  9 1 7     8 4 9     9 1 5     7 1 9     9 1 6     8 5 9",
        "  4 3 5     7 5 6     6 7 3     4 3 5     4 3 5     7 4 6",
    ]
    shares = [float(word.strip("%")) for line in lines for word in line.split() if word.endswith("%")]
    assert len(shares) == sum(solved["sizes"]["support"]) and abs(sum(shares) - 200) < 0.5
    match = answer("match", "permutation-ttt", solved["run"], "best-vs-random", "--games", 2000)
    exact = answer("match", "permutation-ttt", "equilibrium", "best-vs-random", "--exact")["score"]
    assert match["interval"][0] < exact < match["interval"][1]


@pytest.mark.interpreted
def test_bounds_of_a_game_that_nothing_fits_are_its_payoffs(fogspiel, answer):
    outcome = fogspiel("bounds", "phantom-ponnuki-6x6", "--seconds", "5", "--memory", "0.02")
    assert outcome.returncode == 0 and "nothing is proved but its lowest and highest payoff" in outcome.stdout
    found = answer("bounds", "phantom-ponnuki-6x6", "--seconds", "5", "--memory", "0.02")
    assert (found["lower"], found["upper"]) == ("0", "1")
    checked = answer("verify", found["certificate"])
    assert (checked["lower"], checked["upper"]) == ("0", "1")
