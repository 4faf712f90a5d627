"""Matches of Kriegspiel engines: Elo from counts, the same bytes however they are played, nothing lost."""

import math
import os
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest

from fogspiel.kriegspiel import match
from fogspiel.kriegspiel import match as played
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.kinds import KIND
from fogspiel.kriegspiel.referee import LIMIT, HouseRules, Referee
from fogspiel.runs import kind as execution
from fogspiel.runs.kind import Context, Outputs, execute, find_or_create_run
from fogspiel.runs.store import Store
from fogspiel.stats.evaluate import Strength, elo_of, pentanomial_interval, score_of, strength_of
from fogspiel.stats.race import interval

ONE = SearchLimit(nodes=1)
GREEDY, RANDOM = match.EngineSpec("greedy", ONE), match.EngineSpec("random", ONE)


# Elo


def test_elo_is_the_logistic_curve_and_its_inverse():
    assert elo_of(0.5) == 0 and elo_of(10 / 11) == pytest.approx(400) and elo_of(0.64) == pytest.approx(99.95, abs=0.01)
    assert elo_of(0) == -math.inf and elo_of(1) == math.inf
    assert all(elo_of(score_of(x)) == pytest.approx(x) for x in (-300.0, -7.0, 12.5, 250.0))


def test_a_match_worked_out_by_hand():
    """Ten pairs: 0 0.5 1 1 1 1.5 1.5 2 2 2 points of 2."""
    pairs = [(0, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1), (1, 2), (2, 2), (2, 2), (2, 2)]
    found = strength_of(pairs)
    assert (found.wins, found.draws, found.losses) == (10, 5, 5) and found.pairs == (1, 1, 3, 2, 3)
    assert found.score == 0.625 and found.ratio == 2
    # Half points of a pair as shares of 4: mean 0.625, squared deviations 0.390625 + 0.140625 + 3 * 0.015625
    # + 2 * 0.015625 + 3 * 0.140625 = 1.03125; over 9 pairs 0.11458; standard error sqrt(0.11458 / 10) = 0.10704.
    low, high = found.pentanomial_interval
    assert low == pytest.approx(0.625 - 1.96 * 0.10704, abs=1e-4) and high == pytest.approx(0.8348, abs=1e-4)
    assert found.elo == pytest.approx(88.74, abs=0.01)
    assert found.elo_interval() == pytest.approx((400 * math.log10(low / (1 - low)), elo_of(high)))


def test_the_tables_half_widths_come_out():
    """400 games at a gap of 100 Elo with 44 % draws: about 26 Elo either way if the games of a pair are independent."""
    wins, draws, losses = 0.42, 0.44, 0.14
    law = [losses**2, 2 * losses * draws, draws**2 + 2 * wins * losses, 2 * wins * draws, wins**2]
    low, high = pentanomial_interval([round(200 * share) for share in law])
    assert (elo_of(high) - elo_of(low)) / 2 == pytest.approx(26, abs=1.5)


def test_the_interval_is_that_of_resampled_pairs():
    counts, dice = np.array([12, 31, 70, 55, 32]), np.random.default_rng(1)
    drawn = dice.multinomial(counts.sum(), counts / counts.sum(), size=20_000) @ np.arange(5) / (4 * counts.sum())
    assert pentanomial_interval(counts.tolist()) == pytest.approx(np.quantile(drawn, (0.025, 0.975)), abs=0.003)


def test_without_any_spread_the_limits_are_those_that_hold_for_any_law():
    assert pentanomial_interval([0, 0, 0, 0, 20]) == interval(np.array([0, 0, 0, 0, 20]))
    figures = Strength(40, 0, 0, (0, 0, 0, 0, 20)).to_json()
    assert figures["elo"] is None and figures["wins_per_loss"] is None and figures["elo_interval_of"] == "anytime"
    assert figures["elo_interval"][0] > 100 and figures["elo_interval"][1] is None
    nothing = strength_of([])
    assert nothing.score == 0.5 and nothing.pentanomial_interval == (0.0, 1.0) and math.isnan(nothing.ratio)


def test_a_match_that_may_have_been_stopped_gets_the_wider_interval():
    found = strength_of([(2, 2), (1, 2), (0, 2), (2, 1)] * 30)
    fixed, stopped = found.elo_interval(), found.elo_interval(stopped=True)
    assert stopped[0] < fixed[0] < found.elo < fixed[1] < stopped[1]
    assert found.to_json(True)["elo_interval_of"] == "anytime"


def test_each_of_the_two_intervals_has_a_name_of_its_own():
    found = strength_of([(2, 2), (1, 2), (0, 2), (2, 1)] * 30)
    fixed, stopped = found.pentanomial_interval, found.anytime_interval
    assert stopped == interval(np.array(found.pairs)) and fixed == pentanomial_interval(found.pairs) != stopped
    assert not hasattr(found, "interval")
    for may_have_stopped, limits in ((False, fixed), (True, stopped)):
        figures = found.to_json(may_have_stopped)
        assert figures["interval"] == list(stopped)  # of the score, whatever that of Elo is
        assert figures["elo_interval"] == [elo_of(limit) for limit in limits]


# Bouts


def asked(**options):
    return played.EngineMatch(**({"seats": (GREEDY, RANDOM), "games": 12, "longest": 60} | options))


def outcome(path, request, processes=1, watch=lambda progress: None):
    with Store.open(path, write=True) as store:
        run = find_or_create_run(store, request.to_json())
        execute(run, Context(path, processes, on_progress=watch))
        return KIND.result_json(run, Outputs()), [(row.kind, row.body) for row in run.rows]


def test_a_pair_is_two_games_whose_records_say_everything_that_is_counted():
    switches = HouseRules(fifty=False).to_json()
    row = match.play_pair([GREEDY.to_json(), RANDOM.to_json()], 1, 4, 200, switches)
    assert [game["white"] for game in row["games"]] == [0, 1]
    for game in row["games"]:
        umpire, refused = Referee(switches=HouseRules(**switches)), [0, 0]
        for action in game["record"]:
            side = umpire.mover
            if not umpire.attempt(action).accepted:
                refused[side ^ game["white"]] += 1
        assert umpire.plies == game["plies"] and refused == game["refused"]
        assert game["ending"] == (umpire.ending or LIMIT)
        assert game["result"] == (2 - umpire.payoff_index if game["white"] else umpire.payoff_index)
    assert row["games"][0]["record"] != row["games"][1]["record"]
    assert row == match.play_pair([GREEDY.to_json(), RANDOM.to_json()], 1, 4, 200, switches)


def test_how_games_went_is_counted_for_a_move():
    games = [
        {"white": 0, "plies": 5, "refused": [6, 2], "nodes": [30, None], "ending": "checkmate"},
        {"white": 1, "plies": 3, "refused": [0, 1], "nodes": [10, None], "ending": "stalemate"},
    ]
    found = match.statistics_of([{"games": games}])
    assert found.plies == 4 and found.refused_per_move == [1.5, 0.75]  # three and one moves; two and two
    assert found.nodes_per_move == [10, None] and found.endings == {"checkmate": 1, "stalemate": 1}


# Stored


@pytest.mark.thorough
@pytest.mark.parametrize("moment", (1, 4))
def test_an_interrupted_match_goes_on_to_the_same_bytes(tmp_path, moment):
    def stop(progress):
        if progress.games == 2 * moment:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        outcome(tmp_path / "cut.db", asked(), watch=stop)
    assert outcome(tmp_path / "cut.db", asked()) == outcome(tmp_path / "whole.db", asked())


@pytest.mark.slow
def test_two_processes_give_the_same_bytes_as_one(tmp_path):
    assert outcome(tmp_path / "one.db", asked()) == outcome(tmp_path / "two.db", asked(), processes=2)


def test_a_longer_match_recalls_what_a_shorter_one_has_played(tmp_path, monkeypatch):
    path, numbers, play_pair = tmp_path / "runs.db", [], match.play_pair
    outcome(path, asked(games=6))

    def play_counted(**given):
        numbers.append(given["number"])
        return play_pair(**given)

    monkeypatch.setattr(played, "play_pair", play_counted)
    monkeypatch.setattr(execution, "ONE_IN", 2**64)  # which jobs are done twice depends on the digest of the code
    outcome(path, asked(games=11))
    assert sorted(set(numbers)) == [3, 4, 5]  # one in so many is done twice, which one depends on the code
    outcome(path, asked(games=6, seats=(GREEDY, RANDOM), longest=61))
    assert len(numbers) == 6


@pytest.mark.thorough
def test_a_race_stops_a_match_at_the_same_pair_whoever_plays(tmp_path):
    request = asked(
        games=400, longest=None, stop=True, seats=(GREEDY, match.EngineSpec("random", SearchLimit(nodes=2)))
    )
    found, rows = outcome(tmp_path / "runs.db", request)
    assert found["decision"] == 1 and 10 < found["games"] < 400 and rows[-1][1]["decision"] == 1
    assert found["games"] == 2 * (len(rows) - 2) and found["elo_interval_of"] == "anytime"
    assert request.proved_winner([body["row"] for _, body in rows[1:-2]]) == 0


@pytest.mark.thorough
def test_a_round_robin_has_a_row_for_every_pair_and_rates_every_engine(tmp_path):
    seats = (GREEDY, RANDOM, match.EngineSpec("random", SearchLimit(nodes=2)))
    found, rows = outcome(tmp_path / "runs.db", asked(seats=seats, games=8))
    assert len(rows) == 2 + 12 and len(found["meetings"]) == 3 and len(found["scores"]) == 3
    assert found["players"] == ["greedy (1 node)", "random (1 node)", "random (2 nodes)"]
    with Store.open(tmp_path / "runs.db", write=False) as store:
        assert [len(part) for part in asked(seats=seats, games=8).rows(store.read("kriegspiel-1"))] == [4, 4, 4]


def test_a_run_is_not_resumed_by_engines_of_other_code(tmp_path, monkeypatch):
    path = tmp_path / "runs.db"

    def stop(*seen):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        outcome(path, asked(), watch=stop)
    monkeypatch.setattr(played, "code_of", lambda engine: "other")
    with Store.open(path, write=True) as store, pytest.raises(ValueError, match="code has changed"):
        execute(store.acquire("kriegspiel-1"), Context(path))


def test_timed_matches_are_stored_and_found_finished(tmp_path):
    quick = SearchLimit(seconds=0.001)
    request = asked(seats=(match.EngineSpec("greedy", quick), match.EngineSpec("random", quick)), games=4)
    first = outcome(tmp_path / "runs.db", request)
    assert first == outcome(tmp_path / "runs.db", request)


def test_workers_that_think_long_are_waited_for():
    slow = match.EngineSpec("random", SearchLimit(seconds=60.0))
    assert asked().patience.going_on < 30 and asked(seats=(GREEDY, slow)).patience.going_on > 180


def test_bad_requests_are_refused():
    for options, part in (
        ({"games": 0}, "--games is 0"),
        ({"longest": 0}, "--max-plies is 0"),
        ({"seats": (GREEDY,)}, "2 to 100 engines"),
        ({"seats": (GREEDY, RANDOM, GREEDY)}, "must be different"),
    ):
        with pytest.raises(ValueError, match=part):
            asked(**options)
    with pytest.raises(ValueError, match="no Kriegspiel engine 'gredy'"):
        asked(seats=(match.EngineSpec("gredy", ONE), RANDOM)).to_json()


@pytest.mark.slow
def test_a_killed_match_is_resumed_to_the_same_bytes(tmp_path):
    words = ["kriegspiel", "match", "greedy", "random", "--games", "60", "--nodes", "1", "--processes", "2"]
    command = [sys.executable, "-m", "fogspiel.cli"]
    whole, cut = tmp_path / "whole.db", tmp_path / "cut.db"
    subprocess.run([*command, *words, "--store", str(whole)], check=True, capture_output=True)
    started = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    with subprocess.Popen([*command, *words, "--store", str(cut)], **started) as process:
        while _steps(cut) < 5 and process.poll() is None:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)  # its workers too: between two jobs they would wait for ever
    assert 5 <= _steps(cut) < 32
    subprocess.run([*command, "resume", "kriegspiel-1", "--store", str(cut)], check=True, capture_output=True)
    rows = []
    for path in (whole, cut):
        with Store.open(path, write=False) as store:
            rows.append([(row.kind, row.body) for row in store.read("kriegspiel-1").rows])
    assert rows[0] == rows[1] and len(rows[0]) == 32


def _steps(path):
    """How many rows are in a store that another process writes."""
    if not path.exists():
        return 0
    try:
        with Store.open(path, write=False) as store:
            return sum(summary.steps for summary in store.summaries())
    except (sqlite3.Error, OSError):
        return 0
