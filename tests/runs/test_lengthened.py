"""Tuning runs that are lengthened: the bytes of a longer run where the method allows it, else the old plan goes on."""

import os
import signal
import subprocess
import time

import pytest
from support.commands import COMMAND

from fogspiel.runs.store import Store

PLAY = """
import random, time

def play(a, b, seed):
    time.sleep(SECONDS)
    lead = (b["x"] - 7) ** 2 / 20 - (a["x"] - 7) ** 2 / 20
    return float(random.Random(seed).gauss(lead, 2) > 0)
"""
pytestmark = pytest.mark.thorough

TOML = "[x]\nstart = 1\nlow = 0\nhigh = 10\n"


def rows(path, name):
    with Store.open(path, write=False) as store:
        return [(row.kind, row.body) for row in store.read(name).rows]


@pytest.mark.parametrize("method", ["iterative", "seeds"])
def test_a_run_that_is_lengthened_is_the_longer_run(fogspiel, answer, tmp_path, method):
    store, asked = tmp_path / "runs.db", ("batawaf", "--method", method, "--report-games", 100)
    answer("tune", *asked, "--games", 1500, "--store", store)
    answer("tune", *asked, "--games", 4000, "--store", store)
    outcome = fogspiel("resume", "batawaf-1", "--games", 4000, "--store", store)
    assert outcome.returncode == 0 and "planned" not in outcome.stderr
    short, fresh, longer = (rows(store, f"batawaf-{number}") for number in (1, 2, 3))
    steps = [row for row in short[1:-1] if "final" not in row[1]]
    assert longer == fresh and longer[1 : 1 + len(steps)] == steps


def test_a_run_whose_method_has_divided_its_games_or_that_has_so_many_is_not_lengthened(answer, refused, tmp_path):
    store = ("--store", tmp_path / "runs.db")
    answer("tune", "batawaf", "--method", "halving", "--games", 1000, "--report-games", 100, *store)
    refused("resume", "batawaf-1", "--games", 4000, *store, because="halving has divided its games")
    refused("resume", "batawaf-1", "--games", 1000, *store, because="has 1,000 games")
    answer("solve", "kuhn", *store)
    refused("resume", "kuhn-1", "--games", 200, *store, because="--games lengthens a tuning")


def test_a_program_is_lengthened_killed_and_resumed_to_the_same_bytes(fogspiel, answer, tmp_path):
    """From 2,000 games on steps are as long as those of 2,700, so that the run is one of 2,700 games."""
    (tmp_path / "p.toml").write_text(TOML)
    (tmp_path / "hill.py").write_text(PLAY.replace("SECONDS", "0"))
    program = ("--function", f"{tmp_path / 'hill.py'}:play", "--workers", 1)
    asked = (*program, "--parameters", tmp_path / "p.toml")
    left, killed = tmp_path / "left.db", tmp_path / "killed.db"
    answer("tune", *asked, "--games", 2700, "--store", left)
    for store in (left, killed):
        answer("tune", *asked, "--games", 2000, "--store", store)
    long = [*COMMAND, *map(str, ("resume", "function-1", "--games", 2700, *program, "--store", killed))]
    working = subprocess.Popen(long, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    short, deadline = len(rows(killed, "function-1")), time.monotonic() + 120
    while len(begun(killed)) < short + 20:
        assert time.monotonic() < deadline and working.poll() is None
        time.sleep(0.05)
    os.killpg(working.pid, signal.SIGKILL)
    working.wait()
    assert begun(killed)[-1][0] == "step"
    answer("resume", "function-2", *program, "--store", killed)
    assert begun(killed) == rows(left, "function-1")
    # Steps of 16,000 games are longer: the plan of the first run goes on, and says so.
    outcome = fogspiel("resume", "function-2", "--games", 8000, *program, "--store", left)
    assert outcome.returncode == 0 and "planned" in outcome.stderr
    assert rows(left, "function-3")[1:10] == rows(left, "function-2")[1:10]


def begun(store):
    with Store.open(store, write=False) as runs:
        return rows(store, "function-2") if "function-2" in runs.names() else []
