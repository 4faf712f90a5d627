"""Tutorials and how-to pages are true: their blocks run, one after the other, from an empty folder."""

import re
import shlex
import socket
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest
from support.pages import ROOT, Reader, blocks_of

DOCS = ROOT / "docs"
PAGES = (
    "tutorial-first-hour.md", "tutorial-own-game.md", "tutorial-policy.md", "tutorial-solved-game.md",
    "tutorial-large-game.md", "howto-certificates.md", "howto-homework.md", "howto-backups.md",
    "howto-competition.md", "howto-design.md",
    "interop.md", "reference-python.md",
)  # fmt: skip
LONG = (
    "interop.md", "tutorial-first-hour.md", "tutorial-own-game.md", "tutorial-large-game.md",
    "tutorial-solved-game.md", "howto-homework.md", "howto-competition.md", "howto-design.md",
)  # fmt: skip
ELSEWHERE = {
    "own-games.md": "cli/test_own_games_page.py",
    "tutorial-engine.md": "cli/test_tuning_pages.py",
    "tutorial-function.md": "cli/test_tuning_pages.py",
    "cluster.md": "test_pages.py",
    "tuning-methods.md": "tune/test_method_page.py",
}
"""Pages whose blocks tests of their own run."""


@pytest.fixture
def here(tmp_path, monkeypatch):
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield folder
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]


def read(page, reader, slow):
    """Run the blocks of a page that take minutes, or the others."""
    for block in blocks_of(DOCS / page):
        if block.lacks is None and block.slow == slow:
            reader.run(block)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in LONG])
def test_every_block_of_a_page_runs_and_prints_what_it_says(here, fogspiel, monkeypatch, page):
    read(page, Reader(fogspiel, monkeypatch), slow=False)


@pytest.mark.thorough
@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_runs_by_the_installed_command(here, console, monkeypatch, page):
    read(page, Reader(console, monkeypatch), slow=False)


@pytest.mark.slow
def test_blocks_that_take_minutes_run(here, console, monkeypatch):
    for page in PAGES:
        read(page, Reader(console, monkeypatch), slow=True)


def test_every_tutorial_and_every_how_to_page_is_run():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    navigation = text.partition("  - Tutorials:")[2].partition("  - Concepts:")[0]
    assert set(re.findall(r": ([\w-]+\.md)", navigation)) <= {*PAGES, *ELSEWHERE}


@pytest.mark.slow
@pytest.mark.skipif(find_spec("distributed") is None, reason="the extra `cluster` is not installed")
def test_the_commands_of_the_page_on_clusters_run(here, fogspiel, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    lines = {b.kind: b.text.replace("8786", port).splitlines() for b in blocks_of(DOCS / "cluster.md") if "-" in b.kind}
    servers = []
    try:
        for line in lines["sh-servers"]:
            command = [sys.executable, "-m", *shlex.split(line)]
            servers.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            time.sleep(3)
        for line in lines["sh-cluster"]:
            Reader(fogspiel, monkeypatch).command(line)
    finally:
        for server in reversed(servers):
            server.terminate()
            server.wait()
