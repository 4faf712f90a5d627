"""Input that is wrong at first sight is rejected with one line, and help imports no more than it lists."""

import json
import subprocess
import sys

import pytest

from fogspiel.core.find import check_game_spec

ASK = """
import contextlib, io, json, sys
from fogspiel.cli import main

for line in sys.stdin:
    words, told = line.split(), io.StringIO()
    sys.argv[1:] = words
    with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    slow = [name for name in ("numba", "numpy") if name in sys.modules]
    print(json.dumps([line.strip(), code, told.getvalue(), slow]))
"""
"""Runs commands in one process, and says what was imported so far."""

REFUSED = {
    "nosuch": "No such command",
    "match batawaf uniform uniform --nosuch": "no game|No such option|unexpected",
    "match batawaf uniform uniform --games 0": "--games is 0: it must be a positive number",
    "match batawaf uniform uniform --games many": "--games",
    "match batawaf uniform uniform --seed -1": "the seed is -1",
    "match nosuch uniform uniform": "there is no game 'nosuch'",
    "match batawa uniform uniform": "did you mean batawaf",
    "match nosuch.py uniform uniform": "the game file nosuch.py cannot be read",
    "play khun": "did you mean kuhn",
    "show nosuch": "there is no game 'nosuch'",
    "explain nosuch": "there is no game 'nosuch'",
    "exploit nosuch uniform": "there is no game 'nosuch'",
    "states nosuch": "there is no game 'nosuch'",
    "check nosuch": "there is no game 'nosuch'",
    "bounds nosuch": "there is no game 'nosuch'",
    "bounds phantom-ponnuki-2x2 --seconds 0": "--seconds is 0.0",
    "solve nosuch": "there is no game 'nosuch'",
    "solve nosuch.efg": "the game file nosuch.efg cannot be read",
    "solve kuhn --method nosuch": "there is no method 'nosuch'",
    "solve kuhn --gap 0": "--gap is 0.0",
    "solve kuhn --memory -1": "a positive number of GiB",
    "tune nosuch": "there is no game 'nosuch'",
    "tune batawaf --method nosuch": "there is no method 'nosuch'",
    "tune batawaf --games 0": "the budget of games is 0",
    "tune batawaf --minutes -1": "the budget of seconds is -60",
    "round-robin batawaf uniform descending --games 0": "--games is 0",
    "verify nosuch": "there is no certificate 'nosuch'",
    "verify nosuch.json --seconds 0": "--seconds is 0.0",
    "resume nosuch-1": "there is no run named nosuch-1",
    "export nosuch-1": "there is no run named nosuch-1",
    "diagnose nosuch-1": "there is no run named nosuch-1",
    "paper nosuch": "there is no paper 'nosuch'",
    "paper table2 --scale 0": "--scale is 0.0",
    "kriegspiel match gredy C": "did you mean greedy",
    "kriegspiel match C fog --games 0": "--games is 0",
    "kriegspiel match C fog --move-seconds -1": "the time of an engine is -1.0",
    "kriegspiel match C fog --max-plies 0": "a positive number of plies",
    "kriegspiel round-robin C fog nosuch": "there is no Kriegspiel engine 'nosuch'",
    "kriegspiel play --against nosuch": "there is no Kriegspiel engine 'nosuch'",
    "kriegspiel export nosuch-1": "there is no run named nosuch-1",
    "kriegspiel check-pgn nosuch.pgn": "cannot be read",
    "kriegspiel analyse nosuch.pgn": "cannot be read",
}


def _ask(commands, folder):
    done = subprocess.run(
        [sys.executable, "-c", ASK], input="\n".join(commands), capture_output=True, text=True, cwd=folder, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.thorough
def test_wrong_input_is_refused_with_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("FOGSPIEL_STORE", str(tmp_path / "runs.db"))
    answers = _ask(REFUSED, tmp_path)
    assert len(answers) == len(REFUSED)
    for words, code, told, _ in answers:
        assert code == 2, (words, told)
        assert any(part in told for part in REFUSED[words].split("|")), (words, told)
        assert told.count("\n") == 1, told


@pytest.mark.thorough
def test_help_and_version_import_neither(tmp_path):
    from fogspiel.cli.app import EXAMPLES

    plain = [words for words in EXAMPLES if words not in ("solve", "tune", "paper")]  # those list what is found
    asked = ["--version", "--help", *(f"{words} --help" for words in plain)]
    for words, code, told, slow in _ask(asked, tmp_path):
        assert (code, slow) == (0, []), (words, told)


@pytest.mark.parametrize("words", ["kuhn", "resistance5", "resistance", "phantom-ttt-opening-B2", "openspiel:anything"])
def test_words_that_may_be_a_game_are_not_refused_early(words):
    check_game_spec(words)
