"""An engine is made ready while a person looks at the first position, and nothing of that reaches the game."""

import os
import subprocess
import sys
import threading

import pytest

from fogspiel.core.compile.kernel import interpreted_until, interprets
from fogspiel.core.rng import stream_of
from fogspiel.kriegspiel.engine import DEFAULT, SearchLimit, find_engine
from fogspiel.kriegspiel.referee import Referee, play_game
from fogspiel.kriegspiel.warm_up import TRIAL_PLIES, UMPIRE_ONLY, play_trial, prepare

pytestmark = pytest.mark.thorough


def test_a_trial_spends_the_least_effort_on_both_sides():
    made = []

    def maker(effort, stream):
        made.append(effort)
        return find_engine("greedy")(effort, stream)

    play_trial(maker)
    assert made == [SearchLimit(nodes=1)] * 2 and TRIAL_PLIES > 2


def test_an_engine_is_prepared_once():
    first = prepare("greedy", DEFAULT)
    assert first is prepare("greedy", DEFAULT)
    assert first.done.wait(120) and first.is_ready(0)
    assert first.notice() is None


@pytest.mark.parametrize("words", ["hs:uci=stockfish", "program:./engine"])
def test_no_program_is_started_to_prepare_an_engine(words):
    assert prepare(words, DEFAULT).name == UMPIRE_ONLY


def test_a_preparation_does_not_change_a_game():
    def record():
        players = [find_engine("greedy")(SearchLimit(nodes=1), stream_of(3, side)) for side in (0, 1)]
        return play_game(tuple(players), Referee(), 30).record

    before = record()
    play_trial(find_engine("greedy"))
    assert record() == before


@pytest.mark.parametrize("engine", ["A", "B1", "C", "fog", "minimax", "greedy"])
def test_an_engine_plays_before_anything_is_compiled(engine):
    compiled = threading.Event()
    with interpreted_until(compiled):
        players = [find_engine(engine)(SearchLimit(seconds=0.02), stream_of(3, side)) for side in (0, 1)]
        assert len(play_game(tuple(players), Referee(), 3).record) >= 3
        compiled.set()
        assert not interprets()


def test_an_engine_whose_replies_would_be_slow_is_waited_for():
    assert not prepare("C", DEFAULT).is_slow
    for slow in (prepare("hs", DEFAULT), prepare("greedy", SearchLimit(nodes=10))):
        assert slow.is_slow and slow.is_ready(0)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["C", "minimax", "fog"])
def test_on_a_new_machine_the_person_hears_of_the_compilation_and_gets_a_reply(tmp_path, engine):
    command = [sys.executable, "-m", "fogspiel.cli", "kriegspiel", "play", "--against", engine, "--output", "game.pgn"]
    outcome = subprocess.run(
        command,
        input="e2e4\nresign\n",
        cwd=tmp_path,
        env=os.environ | {"FOGSPIEL_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=600,
    )
    told = outcome.stdout
    assert outcome.returncode == 0, outcome.stderr
    assert told.index(f"{engine} is being compiled") < told.index("You are White") < told.index("Black moved")
