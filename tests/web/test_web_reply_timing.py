"""The time of a reply tells nothing: it is released at the end of its slot, however long the opponent thought."""

import json
import math
import sqlite3
import time
from itertools import product

import pytest
from support.web_client import open_client

from fogspiel.core.game import known_game
from fogspiel.core.rng import stream_of
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.web import session_runner, session_store
from fogspiel.web.session_runner import SessionRunner
from fogspiel.web.session_store import (
    ENGINE_SECONDS,
    QUICK_SECONDS,
    ReplySchedule,
    SessionStore,
    fitting_seconds,
    freeze_opponent,
    slot_seconds,
    thaw_opponent,
)

SLOT = 0.5


class Clock:
    """A clock that goes on when somebody thinks or waits."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now

    def wait(self, seconds):
        self.now += seconds

    time = perf_counter = monotonic
    sleep = wait

    def set(self):
        """Nothing waits for the end of the server."""


class Thinker:
    """Chooses the first action that may be tried, each time after so many seconds."""

    def __init__(self, clock, seconds):
        self.clock, self.seconds = clock, seconds

    def begin(self, side):
        """Nothing is remembered."""

    def choose(self, seen, actions):
        self.clock.now += self.seconds
        return actions[0]


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(session_runner, "time", clock)
    monkeypatch.setattr(session_store, "time", clock)
    return clock


@pytest.fixture
def runner(tmp_path, clock):
    runner = SessionRunner(SessionStore(tmp_path / "games.db", tmp_path / "runs.db", lambda game, words: SLOT))
    runner._closed = clock
    yield runner
    runner.close()
    runner.store.close()


def reply_time(runner, clock, own, seconds):
    """When the reply to an own stone comes, and how many attempts it took; the opponent takes the first free cell."""
    stored = runner.store.create(known_game("phantom-ttt"), "uniform", 0)
    stored.session._player = Thinker(clock, seconds)
    shown, began = runner.look(stored.key, "me"), clock.now
    shown = runner.act(stored.key, own, shown["moment"], "me")
    assert not shown["thinking"]
    return clock.now - began, len(stored.session.record) - 1


@pytest.mark.parametrize("seconds", [0.1, 0.3, 0.7, 1.9])
def test_attempts_of_an_opponent_without_a_time_for_its_turn_do_not_show(runner, clock, monkeypatch, seconds):
    monkeypatch.setattr(session_store, "fitting_seconds", lambda game, words: 0.0)
    times = [reply_time(runner, clock, own, seconds) for own in (0, 8)]
    assert [attempts for _, attempts in times] == [2, 1] and times[0][0] == pytest.approx(times[1][0])


@pytest.mark.parametrize(("seconds", "slots"), [(0.001, 1), (0.2, 1), (0.24, 1), (0.7, 4)])
def test_a_reply_after_a_refused_attempt_comes_at_the_same_time_as_one_without(runner, clock, seconds, slots):
    refused, attempts = reply_time(runner, clock, 0, seconds)
    accepted, attempt = reply_time(runner, clock, 8, seconds if seconds < SLOT else 2 * seconds)
    assert (attempts, attempt) == (2, 1)
    assert refused == pytest.approx(slots * SLOT) and accepted == pytest.approx(slots * SLOT)


def test_a_reply_that_is_held_back_cannot_be_seen_in_any_way(tmp_path):
    with open_client(tmp_path, lambda game, words: 1000.0) as client:
        asked = {"game": "phantom-ttt", "against": "uniform", "side": 0}
        session = client.post("/api/play", json=asked).json()
        place, choice = f"/api/play/{session['key']}", {"action": 0, "moment": session["moment"]}
        first, end = client.post(place, json=choice).json(), time.monotonic() + 30
        while attempts_of(tmp_path / "games.db") < 2 and time.monotonic() < end:  # the opponent has moved
            time.sleep(0.01)
        assert client.get(place).json() == first and first["thinking"]
        assert client.get(f"{place}/replay").status_code == client.post(place, json=choice).status_code == 409


def attempts_of(games):
    """How many attempts have been made in the only game of a file."""
    with sqlite3.connect(games) as file:
        return len(json.loads(file.execute("SELECT record FROM sittings").fetchone()[0]))


def test_a_game_is_taken_up_in_the_same_time_whatever_was_refused(runner, clock):
    times = []
    for record in ([0, 1], [0, 0, 1], [0, 0, 1, 2, 2, 3]):
        stored = runner.store.create(known_game("phantom-ttt"), "uniform", 0)
        stored.session.record = record
        runner.store.save(stored)
        runner.store._live.clear()
        began = clock.now
        runner.store.find(stored.key)
        times.append(clock.now - began)
    assert times == pytest.approx([ENGINE_SECONDS] * 3)


def test_one_slow_turn_slows_no_others_down_and_several_do():
    slots = ReplySchedule(SLOT)
    turns = (3, 3, 0.1, 3, 0.1, 0.2, 0.9, 0.1, 0.3)
    shown = (4, 4, SLOT, 4, SLOT, SLOT, 2 * SLOT, 2 * SLOT, 2 * SLOT)
    assert [slots.wait_seconds(seconds) + seconds for seconds in turns] == pytest.approx(shown)


def test_every_turn_counts_as_three_attempts_where_a_slot_does_not_hold_them():
    """An opponent of so many positions for each attempt; and any opponent while the machine is busy."""
    for first, attempts in product((0.1, 0.3, 0.7, 2.0), (1, 2, 3)):
        slots = ReplySchedule(SLOT, fits=0.0)
        shown = [slots.wait_seconds(first * attempts, first=first) + first * attempts for _ in range(3)]
        assert shown == pytest.approx([{0.1: 1, 0.3: 2, 0.7: 8, 2.0: 16}[first] * SLOT if first < 2 else 6.25] * 3)
    slots = ReplySchedule(SLOT, fits=0.45)
    assert slots.wait_seconds(0.4, first=0.4) + 0.4 == pytest.approx(SLOT)
    for _ in range(4):
        slots.wait_seconds(0.6, first=0.6)
    assert [slots.wait_seconds(0.4 * n, first=0.4) + 0.4 * n for n in (1, 2, 3)] == pytest.approx([4 * SLOT] * 3)
    for _ in range(16):
        slots.wait_seconds(0.4, first=0.4)
    assert slots.wait_seconds(0.4, first=0.4) + 0.4 == pytest.approx(SLOT)


def test_games_against_an_opponent_share_what_is_known_of_its_turns(runner):
    games = [runner.store.create(known_game("phantom-ttt"), "uniform", side) for side in (0, 1)]
    other = runner.store.create(known_game("phantom-ttt"), "solved", 0)
    assert games[0].release is games[1].release is not other.release


def test_a_first_attempt_that_takes_long_counts_three_times():
    slots = ReplySchedule(SLOT, fits=0.3)
    for first, attempts in product((0.31, 0.45), (1, 2)):
        assert slots.wait_seconds(first * attempts, first=first) + first * attempts == pytest.approx(
            (2 if first < 0.33 else 4) * SLOT
        )
    assert ReplySchedule(SLOT, fits=0.3).wait_seconds(0.3, first=0.3) + 0.3 == pytest.approx(SLOT)


def test_opponents_with_a_time_for_a_turn_are_told_from_the_others():
    kriegspiel, phantom = known_game("kriegspiel"), known_game("phantom-ttt")
    assert fitting_seconds(phantom, "solved") == fitting_seconds(phantom, "uniform") == math.inf
    assert fitting_seconds(kriegspiel, "hs@2s") == slot_seconds(kriegspiel, "hs@2s")
    for words in ("search", "search:time=1"):
        assert fitting_seconds(phantom, words) == 0
    assert fitting_seconds(kriegspiel, "C@90n") == 0


@pytest.mark.parametrize(("seconds", "shown"), [(0.5, 0.5), (0.51, 1), (4, 4), (4.1, 5), (60, 72.759576)])
def test_a_turn_that_takes_very_long_is_held_back_by_a_quarter_at_most(seconds, shown):
    assert seconds + ReplySchedule(SLOT).wait_seconds(seconds) == pytest.approx(shown)


def test_slots_are_fixed_by_the_opponent_and_nothing_is_held_back_where_nothing_is_hidden():
    kriegspiel = known_game("kriegspiel")
    assert slot_seconds(known_game("nim"), "perfect") == 0
    assert slot_seconds(known_game("phantom-ttt"), "solved") == slot_seconds(kriegspiel, "random") == QUICK_SECONDS
    assert slot_seconds(kriegspiel, "C@20000n") == ENGINE_SECONDS < slot_seconds(kriegspiel, "C")
    assert slot_seconds(kriegspiel, "hs@60s") > 60


def test_engines_of_the_page_have_wall_clock_time_for_a_move(tmp_path):
    game = known_game("kriegspiel")
    opponent = freeze_opponent(game, "C@0.2s", tmp_path / "runs.db", 1)
    player = thaw_opponent(game, opponent, tmp_path / "runs.db", 1).new_player(stream_of(1, 1))
    assert player.effort == SearchLimit(seconds=0.2, outside=True)


def test_replies_before_an_engine_is_compiled_have_a_slot_of_their_own():
    slots = ReplySchedule(SLOT)
    cold = [slots.wait_seconds(seconds, usual=False) + seconds for seconds in (0.1, 3.9, 0.5, 4.1)]
    assert cold == pytest.approx([8 * SLOT, 8 * SLOT, 8 * SLOT, 10 * SLOT])
    assert slots.wait_seconds(0.1) + 0.1 == pytest.approx(SLOT)
