"""Small work on a machine where nothing was compiled yet: done without the compiler, with the same result."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from fogspiel.core.compile.kernel import (
    Dispatcher,
    interpreted,
    interpreted_until,
    interprets,
    kernel,
    leading_zeros,
    ones,
    trailing_zeros,
)
from fogspiel.core.game import known_game
from fogspiel.core.rng import split
from fogspiel.runs.agent_parser import parse_agent
from fogspiel.stats.evaluate import evaluate, report_key


@kernel
def bits_of(word):
    """Three numbers of a word in one."""
    return ones(word) + 100 * trailing_zeros(word) + 10_000 * leading_zeros(word)


@pytest.mark.parametrize("word", [0, 1, 12, -1, 2**62, -(2**63)])
def test_a_kernel_gives_the_same_interpreted(word):
    with interpreted():
        plain = bits_of(word)
    assert plain == bits_of(word)


def test_only_the_thread_that_asked_interprets_and_only_for_a_while():
    @kernel
    def is_compiled(word):
        return word + 1

    with interpreted():
        assert is_compiled(1) == 2 and not is_compiled.signatures
        other = threading.Thread(target=is_compiled, args=(1,))
        other.start()
        other.join()
        assert len(is_compiled.signatures) == 1
    assert "__call__" not in vars(Dispatcher)
    assert split(np.uint64(1), 2) == split(np.uint64(1), 2)


def test_until_something_is_ready_kernels_are_interpreted_each_call_as_a_whole():
    ready = threading.Event()

    @kernel
    def is_inner(word):
        return word + 1

    @kernel
    def is_outer(word):
        ready.set()
        return is_inner(word)

    with interpreted_until(ready):
        assert interprets() and is_outer(1) == 2
        assert not is_inner.signatures and not interprets()
        assert is_inner(1) == 2 and len(is_inner.signatures) == 1
    assert "__call__" not in vars(Dispatcher)


def fogspiel(cache, *words):
    """What a command prints as JSON, and how many compiled kernels it leaves behind."""
    environment = os.environ | {"FOGSPIEL_CACHE": str(cache), "FOGSPIEL_STORE": str(cache / "runs.db")}
    command = [sys.executable, "-m", "fogspiel.cli", *words, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout), len(list(cache.rglob("*.kernel"))), done.stderr


def test_a_small_game_is_solved_before_anything_is_compiled(tmp_path):
    found, kernels, said = fogspiel(tmp_path, "solve", "kuhn", "--exact")
    assert found["value"] == "-1/18" and kernels == 0 and "compiling" not in said


def players(game):
    return [parse_agent(game, "uniform", Path("no-store.db"), 1) for _ in range(2)]


def test_a_short_match_needs_no_compiler(tmp_path):
    found, kernels, _ = fogspiel(tmp_path, "match", "kuhn", "uniform", "uniform", "--games", "20")
    game = known_game("kuhn")
    assert kernels == 0 and found["games"] == 20
    assert found["outcomes"] == list(evaluate(game, *players(game), report_key(1), 20).outcomes)


def test_what_is_interpreted_first_and_compiled_later_counts_the_same(monkeypatch):
    game = known_game("batawaf")
    compiled = evaluate(game, *players(game), report_key(3), 600)
    monkeypatch.setattr("fogspiel.stats.evaluate.need_no_compiler", lambda seconds, *kernels: seconds < 0.1)
    assert evaluate(game, *players(game), report_key(3), 600) == compiled


PAGES = ["/", "/games/battleship", "/games/kriegspiel", "/games/war", "/problems", "/api/games/war/picture"]
VISIT = """
import sys
from pathlib import Path
from support.web_client import open_client

with open_client(Path(sys.argv[1])) as client:
    for page in sys.argv[2:]:
        assert client.get(page).status_code == 200, page
"""


@pytest.mark.thorough
def test_pages_are_shown_before_anything_is_compiled(tmp_path):
    environment = os.environ | {"FOGSPIEL_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-c", VISIT, str(tmp_path), *PAGES]
    subprocess.run(command, env=environment, cwd=Path(__file__).parents[1], check=True)
    assert not list((tmp_path / "cache").rglob("*.kernel"))
