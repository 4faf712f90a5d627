"""The README is true: its examples run and give what it says."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.pages import Reader, blocks_of

import fogspiel as package

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
FRESH = [
    "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/fogspiel tour\n",
    "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest\n",
]
"""The run command and the test command, which need a fresh machine: `.ci/run` has one."""

SKIPS = """
import pytest

@pytest.mark.skipif(True, reason="nobody wants it")
def test_unexpected(): pass

def test_allowed(): pytest.skip("stockfish is not installed")

def test_expected_to_fail(): pytest.xfail("later")
"""


@pytest.fixture
def reader(tmp_path, monkeypatch, fogspiel):
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Reader(fogspiel, monkeypatch)


@pytest.mark.parametrize(
    "slow", [pytest.param(False, marks=pytest.mark.thorough), pytest.param(True, marks=pytest.mark.slow)]
)
def test_every_block_of_the_readme_runs_by_the_installed_command(reader, console, slow):
    reader.fogspiel = console
    for block in blocks_of(README):
        if block.text not in FRESH and block.slow == slow:
            reader.run(block)


def test_the_readme_begins_with_the_run_command_and_the_test_command():
    assert [block.text for block in blocks_of(README) if block.kind == "sh"] == FRESH


def test_the_game_of_the_readme_has_forty_lines_of_code_at_most():
    (game,) = (block for block in blocks_of(README) if block.file)
    assert len(list(filter(None, game.text.splitlines()))) <= 40


@pytest.mark.thorough
def test_there_is_a_command_for_everybody(reader, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/games", prepend=":")
    table = README.read_text(encoding="utf-8").partition("## Who it is for")[2].partition("```")[0]
    commands = re.findall(r"`(fogspiel [^`]+)`", table)
    assert len(commands) == 7
    for command in commands:
        if "stockfish" not in command or shutil.which("stockfish"):
            reader.command(command)


@pytest.mark.thorough
def test_the_picture_of_the_readme_is_that_of_the_tour():
    from fogspiel.kriegspiel.commands._terminal import kriegspiel

    picture, *_ = blocks_of(README)
    assert picture.text.splitlines() == list(kriegspiel(1))[1:]


def test_the_readme_links_to_nothing_that_a_package_index_does_not_have():
    for link in re.findall(r"\]\(([^)]+)\)", README.read_text(encoding="utf-8")):
        assert link.startswith("https://")


def test_the_files_that_the_readme_names_are_there():
    for file in re.findall(r"`((?:docs/)?[\w./-]+\.(?:md|cff))`", README.read_text(encoding="utf-8")):
        assert (ROOT / file).exists(), file


@pytest.mark.thorough
def test_the_example_of_kriegspiel_from_python_runs(capsys):
    block = (ROOT / "docs" / "kriegspiel.md").read_text(encoding="utf-8").partition("## From Python")[2]
    exec(block.split("```python\n")[1].split("```")[0], {})
    said = capsys.readouterr().out
    assert '[Game "Kriegspiel"]' in said and '[White "greedy"]' in said and "fog would try" in said


def test_the_links_of_the_documentation_lead_somewhere():
    for page in [README, *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == package.__version__


def test_every_public_name_can_be_imported():
    assert dir(package) == sorted(package.__all__)
    for name in (*package.__all__, "inlined", "variant"):
        assert getattr(package, name) is not None


@pytest.mark.thorough
@pytest.mark.parametrize("where, outcome", [("", "3 skipped, 1 xfailed"), ("true", "1 skipped, 1 xfailed, 2 errors")])
def test_an_unexpected_skip_fails_in_ci(tmp_path, where, outcome):
    """`.ci/run` sets CI; elsewhere people may lack Chromium or a compiler."""
    (tmp_path / "test_module.py").write_text("import pytest\n\npytest.importorskip('no_such_module')\n")
    (tmp_path / "test_skips.py").write_text(SKIPS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:xdist",
        "-p",
        "support.skips",
        "--continue-on-collection-errors",
    ]
    environment = os.environ | {"CI": where, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert outcome in run.stdout, run.stdout
    assert ("unexpected in CI: make it run, or allow the skip" in run.stdout) == bool(where)
