"""Matches of programs by a sequential test: the same bytes whoever plays them, and after a kill."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import support
from support.commands import COMMAND

from fogspiel.runs.store import Store
from fogspiel.stats.sprt import Gsprt

pytestmark = pytest.mark.thorough

FAKE = Path(support.__file__).parent / "fake_uci.py"
TOML = "[x]\nstart = 1\nlow = 0\nhigh = 10\n"
PLAY = """
import os, random, time

def play(a, b, seed):
    time.sleep(float(os.environ.get("SECONDS_A_GAME", "0.002")))
    lead = (b["x"] - 7) ** 2 / 60 - (a["x"] - 7) ** 2 / 60
    return float(random.Random(seed).gauss(lead, 2) > 0)
"""


def rows(path, name):
    with Store.open(path, write=False) as store:
        return [(row.kind, row.body) for row in store.read(name).rows]


def partial(path, name):
    with Store.open(path, write=False) as store:
        return store.read(name).partial() if name in store.names() else None


def test_values_found_meet_their_start_and_a_killed_match_ends_in_the_same_bytes(answer, tmp_path):
    (tmp_path / "p.toml").write_text(TOML)
    (tmp_path / "hill.py").write_text(PLAY)
    program = ("--function", f"{tmp_path / 'hill.py'}:play")
    asked = ("match", *program, "--from", "function-1", "--sprt", 100, 130, "--games", 6000)
    left, killed = ("--store", tmp_path / "left.db"), ("--store", tmp_path / "killed.db")
    for store in (left, killed):
        answer("tune", *program, "--parameters", tmp_path / "p.toml", "--games", 400, *store)
    there = answer(*asked, "--workers", 1, *left)
    words = [*COMMAND, *map(str, (*asked, "--workers", 3, *killed))]
    slow = os.environ | {"SECONDS_A_GAME": "0.05"}  # so that it is killed before its end
    working = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env=slow
    )
    deadline = time.monotonic() + 120
    while partial(killed[1], "function-2") is None:
        assert time.monotonic() < deadline and working.poll() is None
        time.sleep(0.05)
    os.killpg(working.pid, signal.SIGKILL)
    working.wait()
    answer("resume", "function-2", *program, *killed)
    assert rows(killed[1], "function-2") == rows(left[1], "function-2")
    # The test stops at the first pair at which the ratio leaves its bounds, and what it prints can be checked.
    sprt = there["sprt"]
    test = Gsprt(100, 130, normalised=True)
    assert sprt["pairs"] == there["observed"] and sprt["llr"] == test.ratio(sprt["pairs"])
    assert sprt["decision"] == test.decision(sprt["pairs"]) and there["games"] == 2 * sum(sprt["pairs"])
    assert sprt["decision"] or there["games"] == 6000


def test_two_engines_play_pairs_whose_games_are_those_of_the_pgn(fogspiel, answer, tmp_path):
    """One gives up at once: a fake engine that makes no legal move as the opponent, Fool's mate never happens."""
    engine = f"{sys.executable} {FAKE} moves=e2e4,e7e5,g1f3,b8c6"
    bad = f"{sys.executable} {FAKE} moves=xyzzy"
    words = ("match", "--uci", engine, "--uci-opponent", bad, "--games", 40, "--sprt", 0, 50, "--random-plies", 0)
    openings = tmp_path / "start.epd"
    openings.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
    store = ("--store", tmp_path / "runs.db")
    found = answer(*words, "--openings", openings, "--pgn", tmp_path / "games.pgn", *store)
    assert found["wins"] == found["games"] and found["sprt"]["decision"] == 1
    assert (tmp_path / "games.pgn").read_text().count("[Event ") == found["games"] < 40
    told = fogspiel("resume", "uci-1", *store)
    assert "H1" not in told.stderr and told.returncode == 0 and "H1 accepted" in told.stdout


def test_a_match_of_programs_wants_two_sides_of_one_program(refused, tmp_path):
    engine = ("--uci", f"{sys.executable} {FAKE}")
    refused("match", *engine, "--sprt", 0, 5, because="has two sides")
    refused("match", "batawaf", "ascending", "random", *engine, because="leave out GAME")
    refused("match", "batawaf", "ascending", "random", "--nodes", 5, because="are for programs")
    refused("match", *engine, "--from", "nothing-1", "--store", tmp_path / "runs.db", because="no run named nothing-1")
