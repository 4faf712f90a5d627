"""Engines tuned at the command line: a chess engine of our own in C, and the constants of a Kriegspiel engine."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import support

from fogspiel.runs.store import Store

SUPPORT = Path(support.__file__).parent
SHORT = ("--method", "duel", "--games", "24", "--nodes", "30", "--seed-option", "Seed")

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The small engine."""
    program = tmp_path_factory.mktemp("engine") / "tiny"
    subprocess.run(["cc", "-O2", "-o", program, SUPPORT / "tiny_engine.c"], check=True)
    return program


@pytest.fixture
def queen(tmp_path):
    """A file with one of its options."""
    path = tmp_path / "queen.toml"
    path.write_text("[QueenValue]\nstart = 200\nlow = 50\nhigh = 1500\nscale = 150\nwhole = true\n")
    return path


def stored(name):
    with Store.open(Path(os.environ["FOGSPIEL_STORE"]), write=False) as runs:
        return runs.read(name)


def interrupt_before_the_end(patch):
    def interrupted(*_):
        raise KeyboardInterrupt

    patch.setattr("fogspiel.runs.tuning_run.validate", interrupted)


@pytest.mark.thorough
def test_a_chess_engine_is_tuned_and_its_games_are_kept(answer, tiny, queen, tmp_path):
    found = answer("tune", "--uci", tiny, "--parameters", queen, *SHORT, "--pgn", tmp_path / "games.pgn")
    assert isinstance(found["parameters"]["QueenValue"], int) and found["proof"]["against"] == "start"
    games = (tmp_path / "games.pgn").read_text()
    assert games.count("[Result ") >= found["games"] > 0 and "QueenValue" in games
    assert stored("uci-1").request["facts"]["nodes"] == 30
    assert str(tiny).encode() not in Path(os.environ["FOGSPIEL_STORE"]).read_bytes()


@pytest.mark.thorough
def test_what_was_named_beside_an_engine_is_named_again(fogspiel, answer, refused, tiny, queen, monkeypatch):
    words = ("--uci", tiny, "--uci-opponent", tiny, "--opponent-option", "QueenValue=900")
    with monkeypatch.context() as patch:
        interrupt_before_the_end(patch)
        outcome = fogspiel("tune", *words, "--parameters", queen, *SHORT)
    assert outcome.returncode == 130
    assert f"--uci {tiny} --uci-opponent={tiny} --opponent-option=QueenValue=900" in outcome.stderr
    refused("resume", "uci-1", because="which is run only if you name it")
    refused("resume", "uci-1", "--uci", tiny, because="name them as before")
    refused("resume", "uci-1", *words[:4], "--opponent-option", "QueenValue=800", because="name them as before")
    refused("resume", "uci-1", "--kriegspiel", "C", because="tunes a chess engine, not a Kriegspiel engine")
    assert answer("resume", "uci-1", *words)["run"] == "uci-1" and stored("uci-1").request["alone"]


@pytest.mark.thorough
def test_what_an_engine_cannot_do_is_a_sentence(refused, tiny, queen, tmp_path):
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[Queen]\nstart = 200\nwhole = true\n")
    asked = ("tune", "--uci", tiny)
    refused(*asked, "--parameters", wrong, because=("has no option 'Queen'", "QueenValue"))
    refused(*asked, because="--uci needs --parameters FILE")
    refused("tune", "--uci", "/no/engine", "--parameters", queen, because="cannot be started")
    refused(*asked, "--parameters", queen, "--nodes", "3", "--depth", "2", because="not allowed with")
    refused(*asked, "--parameters", queen, "--clock", "soon", because="soon")
    refused(*asked, "--parameters", queen, "--adjudicate", "never", because="never")
    refused(*asked, "--parameters", queen, "--openings", "none.epd", because="none.epd")
    refused(*asked, "--parameters", queen, "--option", "Foo=1", because="has no option 'Foo'")
    refused(
        *asked, "--parameters", queen, "--score-range", "0", "2", because="--score-range and --single are not for --uci"
    )
    refused(*asked, "--parameters", queen, "--pgn", tmp_path / "no" / "games.pgn", because="cannot be written")
    refused("tune", "--function", "f.py:play", "--nodes", "3", because="--nodes is not for --function")
    refused("tune", "--command", "cat", "--option", "a=b", because="--option is for --uci")
    assert not Path(os.environ["FOGSPIEL_STORE"]).exists()


@pytest.mark.thorough
def test_the_constants_of_a_kriegspiel_engine_are_tuned(answer, refused, tmp_path):
    path = tmp_path / "c.toml"
    path.write_text("[exploration]\nstart = 0.388\nlow = 0.05\nhigh = 2\n")
    asked = ("--parameters", path, "--method", "duel", "--games", "6", "--nodes", "5", "--workers", "1")
    found = answer("tune", "--kriegspiel", "C", *asked)
    assert set(found["parameters"]) == {"exploration"} and stored("kriegspiel-1").request["facts"] == {"nodes": 5}
    path.write_text("[exploitation]\nstart = 1\n")
    refused("tune", "--kriegspiel", "C", *asked, because="C has no constant exploitation")
    refused("tune", "--kriegspiel", "D", *asked, because="choose C or hs")
    refused("tune", "--kriegspiel", "C", *asked, "--depth", "3", because="--depth is not for --kriegspiel")
