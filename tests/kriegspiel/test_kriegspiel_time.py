"""Time of Kriegspiel engines: a budget for each move, seconds that are measured, clocks and losses on time."""

import io
import json
import re

import pytest

from fogspiel.core.rng import stream_of
from fogspiel.core.session import Session
from fogspiel.games.chess.fen import parse_move
from fogspiel.kriegspiel import engine as engines
from fogspiel.kriegspiel import match, protocol, referee
from fogspiel.kriegspiel.engine import SearchLimit, TimeControl, allotted_seconds, find_engine
from fogspiel.kriegspiel.engines.mcts import ENOUGH, NO_END, ApproachC
from fogspiel.kriegspiel.engines.sampling import Random
from fogspiel.kriegspiel.kinds import KIND, games_as_pgn
from fogspiel.kriegspiel.pgn import read_pgn
from fogspiel.kriegspiel.referee import GAME, TIME_UP, Referee, SideClock, play_game
from fogspiel.papers.ciancarini2010.engines import ENGINES as PRINTED
from fogspiel.papers.ciancarini2010.engines import PrintedA, PrintedEngine
from fogspiel.runs.kind import Context, Outputs, execute, find_or_create_run
from fogspiel.runs.store import Store

BLITZ = TimeControl.parse("0.0001+0")  # 6 ms
ONE = SearchLimit(nodes=1)


class FakeTime:
    """A clock that runs only when somebody searches."""

    seconds = 100.0

    def perf_counter(self):
        return self.seconds

    thread_time = perf_counter


@pytest.fixture
def clock(monkeypatch):
    clock = FakeTime()
    monkeypatch.setattr(engines, "time", clock)
    monkeypatch.setattr(referee, "time", clock)
    return clock


class Spending(Random):
    """An engine that takes all the time that it is given for an attempt, or more."""

    times = 1.0

    def attempt(self, seen, actions):
        self.given.append(self.limit.seconds)
        self.ticks.seconds += self.times * self.given[-1]
        return super().attempt(seen, actions)


def spending(clock, effort, times=1.0):
    player = Spending(effort, stream_of(1, 1))
    player.given, player.ticks, player.times = [], clock, times
    return player


# A budget for each move


def test_all_attempts_of_a_move_share_its_time_and_the_next_move_has_its_own(clock):
    session, player = Session(GAME), spending(clock, SearchLimit(seconds=1.0))
    player.begin(0)
    for _ in range(5):  # the same turn again, as after illegal attempts
        player.choose(session.view(0), session.actions)
    assert player.given == pytest.approx([7 / 8, 7 / 64, 7 / 512, 0.01, 0.01])
    for _ in range(2):
        session.apply(session.actions[0])
    player.choose(session.view(0), session.actions)
    assert player.given[-1] == pytest.approx(7 / 8)


def test_time_that_an_attempt_leaves_is_used_by_the_next(clock):
    session, player = Session(GAME), spending(clock, SearchLimit(seconds=1.0), times=0.5)
    player.begin(0)
    for _ in range(2):
        player.choose(session.view(0), session.actions)
    assert player.given == pytest.approx([7 / 8, 7 / 8 * (1 - 7 / 16)])


def test_nodes_are_a_limit_of_each_attempt():
    limit = SearchLimit(nodes=7)
    assert limit.until(0.0) is limit and list(limit.slices(5)) == [5, 2]


@pytest.mark.parametrize("name", ("los", "aosp", "hs", "fog", "minimax", "A", "B3", "C", "C:paper"))
@pytest.mark.thorough
def test_every_engine_keeps_to_its_time_for_a_move_with_any_number_of_attempts(name):
    make = find_engine(name)
    match.play_trial(make)
    player, session = make(SearchLimit(seconds=0.2), stream_of(1, 0)), Referee()
    player.begin(0)
    began = player.effort.now()
    actions = list(session.actions)
    for _ in range(4):  # refused each time
        actions.remove(player.choose(session.view(0), actions))
    assert player.effort.now() - began < 0.3


def test_only_our_c_stops_after_so_many_nodes():
    assert ApproachC.enough == ENOUGH
    assert PrintedEngine.enough == PrintedA.enough == NO_END
    for name in PRINTED:
        assert find_engine(name)(ONE, stream_of(1, 0)).enough == NO_END


# Seconds that are measured


def test_the_time_of_a_move_is_in_rows_whose_limit_is_a_time_only():
    house = referee.WILD_16.to_json()
    timed = match.EngineSpec("greedy", SearchLimit(seconds=0.01)).to_json()
    counted = match.EngineSpec("random", ONE).to_json()
    row = match.play_pair([timed, counted], 1, 0, 20, house)
    assert all(len(game["seconds"]) == 2 and min(game["seconds"]) > 0 for game in row["games"])
    found = match.statistics_of([row])
    moves = sum((game["plies"] + (game["white"] == 0)) // 2 for game in row["games"])
    assert found.seconds_per_move[0] == pytest.approx(sum(game["seconds"][0] for game in row["games"]) / moves)
    row = match.play_pair([counted, counted], 1, 0, 20, house)
    assert "seconds" not in row["games"][0] and "seconds_per_move" not in match.statistics_of([row]).to_json()


# Clocks


@pytest.mark.parametrize("text", ("3", "3+", "+2", "0+5", "-1+0", "3+0s", "3:00", "nan+0", "1e9+0", ""))
def test_a_clock_is_minutes_and_seconds(text):
    assert TimeControl.parse("3+0").seconds == 180 and str(TimeControl.parse("0.5+1.5")) == "0.5+1.5"
    with pytest.raises(ValueError, match=r"is not a clock: write MINUTES\+SECONDS"):
        TimeControl.parse(text)


def test_an_engine_plays_as_if_thirty_moves_were_left_and_never_uses_more_than_half():
    assert allotted_seconds(180, 0) == 6 and allotted_seconds(180, 2) == 8 and allotted_seconds(1, 2) == 0.5


def test_an_engine_divides_what_is_left_on_its_clock(clock):
    control = TimeControl.parse("1+1")
    side, quick = SideClock(control), SideClock(control)
    player, other = spending(clock, SearchLimit(seconds=3.0)), spending(clock, SearchLimit(seconds=3.0), times=0)
    play_game((player, other), Referee(), 8, (side, quick))
    turns = [given for given in player.given if given > 2]  # first attempts
    left = 60.0
    for given in turns:
        share = allotted_seconds(left, 1)
        assert given == pytest.approx(7 / 8 * share, rel=0.02)
        left -= share - 1
    assert quick.left > 60 and quick.spent == 0 and 0 < side.left < 60


@pytest.mark.parametrize("side", (0, 1))
def test_whoever_has_no_time_left_loses(clock, side):
    control = TimeControl.parse("0.1+0")
    slow, quick = (spending(clock, SearchLimit(seconds=0.2), times) for times in (20, 0))
    umpire = play_game(
        (quick, slow) if side else (slow, quick), Referee(), None, (SideClock(control), SideClock(control))
    )
    assert umpire.ending == TIME_UP and umpire.turn == side and umpire.payoff_index == 2 * side


def played(path, request, watch=lambda progress: None):
    with Store.open(path, write=True) as store:
        run = find_or_create_run(store, request.to_json())
        execute(run, Context(path, 1, on_progress=watch))
        rows = [body for row in run.rows if "row" in (body := row.body)]
        return KIND.result_json(run, Outputs()), rows, list(games_as_pgn(run, "umpire"))


@pytest.mark.thorough
def test_a_match_with_clocks_counts_losses_on_time_and_resumes_after_the_finished_pairs(tmp_path):
    seats = tuple(match.EngineSpec.with_clock(name, BLITZ) for name in ("los", "random"))
    request = match.EngineMatch(seats, 6)

    def stop(progress):
        if progress.games == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        played(tmp_path / "runs.db", request, stop)
    with Store.open(tmp_path / "runs.db", write=False) as store:
        kept = [row.body for row in store.read("kriegspiel-1").rows if "row" in row.body]
    found, rows, games = played(tmp_path / "runs.db", request)
    assert kept and rows[: len(kept)] == kept and len(rows) == 3
    assert found["endings"].get(TIME_UP, 0) > 0 and sum(found["endings"].values()) == 6
    assert found["first"]["clock"] == "0.0001+0" and len(found["seconds_per_move"]) == 2
    for text, game in zip(games, (game for row in rows for game in row["row"]["games"]), strict=True):
        assert f'[Termination "{game["ending"]}"]' in text and '[TimeControl "0.006+0"]' in text
        (read,) = read_pgn(text)
        lost = game["ending"] == TIME_UP
        assert not lost or read.result == ("0-1" if game["plies"] % 2 == 0 else "1-0")  # the side to move


def test_the_clock_is_in_the_command_that_plays_the_match_again():
    request = match.EngineMatch(tuple(match.EngineSpec.with_clock(name, BLITZ) for name in ("fog", "C")), 2)
    assert [seat.name for seat in request.seats] == ["fog (0.0001+0)", "C (0.0001+0)"]
    assert match.EngineMatch.from_json(request.to_json()) == request
    assert "match fog C" in KIND.request.of(request).command and "--clock 0.0001+0" in KIND.request.of(request).command
    assert request.patience.going_on > match.EngineMatch(request.seats[:1] * 2, 2).patience.going_on - 1


def test_clocks_and_other_limits_exclude_each_other(refused, tmp_path):
    for words, because in (
        (("match", "fog", "C", "--clock", "3+0", "--nodes", 5), "--clock excludes"),
        (("match", "fog", "C", "--clock", "3+0", "--move-seconds-2", 5), "--clock excludes"),
        (("match", "fog", "C@5n", "--clock", "3+0"), "C@5n has its own effort"),
        (("round-robin", "fog", "C", "hs", "--clock", "3"), "is not a clock"),
        (("play", "--clock", "3+0", "--move-seconds", 1), "--clock excludes"),
        (("play", "--clock", "three"), "is not a clock"),
    ):
        refused("kriegspiel", *words, because=because)


# Programs


def test_programs_get_the_clock_with_every_attempt():
    effort = SearchLimit(seconds=6.0)
    assert protocol.limit_words(effort, (180.0, 2.0)) == "movetime 6000 clock 180000 increment 2000"
    assert protocol.new_line(0, referee.WILD_16, effort, 1, (180.0, 0.0)).endswith(
        "movetime 6000 clock 180000 increment 0 threads 1 seed 1"
    )


def test_our_engines_use_the_clock_of_another_referee(monkeypatch):
    heard, said = [], []
    monkeypatch.setattr(Random, "hear_clock", lambda self, *given: heard.append((*given, self.effort.seconds)))
    new = protocol.new_line(0, referee.WILD_16, SearchLimit(seconds=6.0), 1, (180.0, 2.0))
    lines = [new, "view ply 0 men 8/8/8/8/8/8/PPPPPPPP/RNBQKBNR castling KQ lost 0,0 taken 0,0", "try e2e4"]
    protocol.serve("random", Random, [*lines, "go movetime 7000 clock 90000 increment 2000", "quit"], said.append)
    assert heard == [(90.0, 2.0, 8.0)] and said == ["attempt e2e4"]


# A person


def test_a_person_whose_time_is_up_loses(fogspiel, monkeypatch, tmp_path, clock):
    class Slow(io.StringIO):
        def readline(self, *given):
            clock.seconds += 4
            return super().readline(*given)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fogspiel.kriegspiel.commands._terminal.time", clock)
    monkeypatch.setattr("sys.stdin", Slow("e2e4\nd2d4\nhelp\ng1f3\n"))
    words = ("kriegspiel", "play", "--against", "random", "--seed", 1, "--clock", "0.1+1", "--output", "mine.pgn")
    found = fogspiel(*words, "--json")
    assert json.loads(found.stdout)["how"] == TIME_UP and json.loads(found.stdout)["result"] == "0-1"
    assert re.search(r"Clock: White 0:06, Black 0:06\.", found.stderr) and "Clock: White 0:03" in found.stderr
    (game,) = read_pgn((tmp_path / "mine.pgn").read_text())
    assert game.tags["Termination"] == TIME_UP and game.result == "0-1" and len(game.messages) == 2
    assert parse_move("e2e4") in game.record
