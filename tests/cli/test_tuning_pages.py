"""The pages on tuning are true: their files and commands work, one after the other, from an empty folder."""

import json
import os
import re
import runpy
import shlex
import shutil
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page, kind):
    """The fenced blocks of a kind: what stands behind the kind, and the text."""
    return re.findall(
        rf"^```{kind}(?: title=\"(\S+)\")?\n(.*?)^```$",
        (DOCS / page).read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )


@pytest.fixture
def here(tmp_path, monkeypatch):
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def write_files(page, folder):
    for kind in ("python", "toml"):
        for name, text in blocks(page, kind):
            (folder / name).write_text(text)


def run(page, fogspiel, kind="sh", games=None):
    """What the commands of a page print; they may play another number of games."""
    told = {}
    for _, block in blocks(page, kind):
        for line in block.splitlines():
            words = shlex.split(re.sub(r"--games \d+", f"--games {games}", line) if games else line)[1:]
            outcome = fogspiel(*words)
            assert outcome.returncode == 0, (words, outcome.stderr)
            told[" ".join(words[:2])] = outcome.stdout
    return told


@pytest.mark.thorough
def test_the_tutorial_of_a_function_finds_better_values(here, fogspiel, monkeypatch, capsys):
    page = "tutorial-function.md"
    write_files(page, here)
    told = run(page, fogspiel)
    assert "Elo [+" in told["tune --function"]
    found = json.loads((here / "found.json").read_text())
    namespace = runpy.run_path(str(here / "archers.py"))
    start = {"draw": 50.0, "hold": 0.5, "lead": 0.0, "height": 20.0, "arrows": 9}
    scores = [namespace["play"](found["parameters"], start, seed) for seed in range(2000)]
    assert found["result"]["proof"]["proved"] and sum(scores) / len(scores) > 0.9
    assert len((here / "way.csv").read_text().splitlines()) > 2
    monkeypatch.syspath_prepend(str(here))
    ((_, code),) = blocks(page, "python-run")
    capsys.readouterr()
    exec(code, {})
    assert "True" in capsys.readouterr().out


@pytest.mark.thorough
def test_the_interrupted_run_of_the_tutorial_is_resumed_by_its_command(here, fogspiel, monkeypatch):
    page = "tutorial-function.md"
    write_files(page, here)

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("fogspiel.runs.tuning_run.validate", interrupted)
        words = shlex.split(blocks(page, "sh")[0][1].splitlines()[0])[1:]
        outcome = fogspiel(*words)
        assert outcome.returncode == 130 and "fogspiel resume function-1 --function archers.py:play" in outcome.stderr
    assert "Elo" in run(page, fogspiel, "sh-resume")["resume function-1"]


@pytest.fixture
def stockfish(monkeypatch):
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}/usr/games")
    if shutil.which("stockfish") is None:
        pytest.skip("stockfish is not installed")


@pytest.mark.parametrize(
    "games", [pytest.param(24, marks=pytest.mark.thorough), pytest.param(None, marks=pytest.mark.slow)]
)
def test_the_tutorial_of_an_engine_tunes_stockfish(here, fogspiel, stockfish, games):
    page = "tutorial-engine.md"
    write_files(page, here)
    told = run(page, fogspiel, games=games)
    assert "Skill Level" in told["tune --uci"]
    found = json.loads((here / "found.json").read_text())
    assert found["parameters"].keys() == {"Skill Level"} and "[Event" in (here / "games.pgn").read_text()
    if games is None:
        assert found["result"]["proof"]["proved"] and found["parameters"]["Skill Level"] >= 12
