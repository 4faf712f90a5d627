"""The engine protocol: lines that hold a view and nothing else, programs that play, and programs that misbehave."""

import io
import random
import re
import shlex
import shutil
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

from fogspiel.core.agents import Forfeit
from fogspiel.core.rng import stream_of
from fogspiel.games.chess.fen import parse_move
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.engines import program as programs
from fogspiel.kriegspiel.match import EngineMatch, EngineSpec
from fogspiel.kriegspiel.pgn import read_pgn
from fogspiel.kriegspiel.protocol import ProtocolReader, ProtocolWriter, serve
from fogspiel.kriegspiel.referee import HouseRules, Referee, play_game
from fogspiel.runs.store import Store
from fogspiel.web.opponents import demand_page_run

PAGE = Path(__file__).parents[2] / "docs" / "kriegspiel-protocol.md"
ONE = SearchLimit(nodes=1)
SCRIPT = """
import os, sys, time
sys.stdout.reconfigure(line_buffering=True)
moves = iter({moves!r})
for line in sys.stdin:
    {log}
    word, *rest = line.split()
    if word == "kriegspiel":
        print("id name script"); print({ready!r})
    elif word == "quit":
        break
    elif word == "go":
        {go}
"""
PLAY = 'print("info thinking"); print("attempt", next(moves))'


def script(tmp_path, go=PLAY, moves=(), log="pass", ready="kriegspielok 1", name="engine.py"):
    """The command of a program written in Python."""
    path = tmp_path / name
    path.write_text(SCRIPT.format(moves=list(moves), go=go, log=log, ready=ready))
    return [sys.executable, "-I", "-S", str(path)]


class Scripted:
    """A player that makes the moves of a list, refused ones included."""

    def __init__(self, *moves):
        self.moves = [parse_move(move) for move in moves]

    def begin(self, side):
        self.left = iter(self.moves)

    def choose(self, seen, actions):
        return next(self.left)


def anything(seed):
    return find_engine("random")(ONE, stream_of(9, seed))


# Lines


@pytest.mark.parametrize("seed", range(4))
def test_the_lines_hold_the_whole_view(seed):
    rng = random.Random(seed)
    fen = "r3k2r/pPp2ppp/8/3pP3/4p3/8/PPPP1PpP/R3K2R w KQkq d6 0 9" if seed % 2 else None
    umpire, reporters, listeners = (
        Referee(fen),
        (ProtocolWriter(), ProtocolWriter()),
        (ProtocolReader(0), ProtocolReader(1)),
    )
    while not umpire.over and umpire.plies < 150:
        side = umpire.turn
        for line in reporters[side].turn(umpire.view(side), umpire.actions):
            assert len(line) <= 2500 and line.isascii()
            word, *rest = line.split(" ")
            listeners[side].hear(word, rest)
        assert listeners[side].seen.tobytes() == umpire.view(side).tobytes()
        assert listeners[side].actions == umpire.actions
        reporters[side].last = rng.choice(umpire.actions)
        umpire.attempt(reporters[side].last)
    assert sum(umpire.refused) > 10


OWN = (("e2e4", "a2a3", "h2h3"), ("a7a6", "h7h6", "b7b6"))
"""What White makes of two games that sound the same, and what Black makes of two others."""
OTHERS = (
    (("a7a6", "b7b6", "c7c6"), ("e7e6", "d8g5", "g5g1", "g5d8")),
    (("a2a3", "b2b3", "c2c3"), ("e2e3", "d1g4", "g4g8", "g4d1")),
)
"""What the other side tries in each of them: in the second the way of the queen is barred once."""


@pytest.mark.parametrize("side", (0, 1))
def test_games_that_sound_the_same_send_the_same_bytes(tmp_path, side):
    heard, boards = [], []
    for number, others in enumerate(OTHERS[side]):
        log = tmp_path / f"heard-{number}"
        words = script(tmp_path, moves=OWN[side], log=f"open({str(log)!r}, 'a').write(line)")
        player, other = programs.ProgramPlayer(words, ONE, stream_of(5)), Scripted(*others)
        umpire = play_game((player, other) if side == 0 else (other, player), Referee(), 6)
        assert umpire.plies == 6 and umpire.refused[1 - side] == number
        heard.append(log.read_bytes())
        boards.append(umpire.fen)
    assert heard[0] == heard[1] and heard[0].count(b"\ngo nodes 1\n") == 3
    assert boards[0] != boards[1]


def test_a_program_is_told_the_rules_the_answers_and_the_end(tmp_path):
    log = tmp_path / "heard"
    words = script(tmp_path, moves=["e2e4", "e4f5", "e4d5"], log=f"open({str(log)!r}, 'a').write(line)")
    player = programs.ProgramPlayer(words, SearchLimit(seconds=20.0), stream_of(5))
    play_game((player, Scripted("d7d5", "d8d5")), Referee(switches=HouseRules(fifty=False)), 4)
    lines = log.read_text().splitlines()
    assert lines[0] == "kriegspiel 1"
    assert lines[1] == (
        "new side white rules icc promotion_tries once passant_square victim fifty off repetition on material on "
        f"movetime 20000 threads 1 seed {player.seed}"
    )
    said = [line for line in lines[2:] if line.split()[0] not in ("view", "try")]
    limits = [int(line.split()[2]) for line in said if line.startswith("go movetime ")]
    assert limits == pytest.approx([17500] * 3, rel=0.05) and limits[2] <= limits[1]  # what the refused one has left
    assert [re.sub("[0-9]{5}", "N", line) for line in said] == [
        "go movetime N", "accepted e2e4", "moved tries 1", "go movetime N", "illegal e4f5", "go movetime N",
        "accepted e4d5 taken pawn d5", "moved taken pawn d5", "end 1/2-1/2 the limit of plies", "quit",
    ]  # fmt: skip
    assert lines[-6].startswith("try a2a3 ") and "e4f5" not in lines[-6]
    assert player.program.process.poll() is not None


# Programs that play


SLOW = [
    pytest.param(name, marks=pytest.mark.slow) for name in ("greedy", "minimax", "A", "B3", "C", "hs", "stray-C:none")
]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ("random", *SLOW))
def test_our_engine_over_the_protocol_makes_the_attempts_that_it_makes_here(name):
    command = [sys.executable, "-m", "fogspiel.cli", "kriegspiel", "engine", name]
    stream, effort, records = stream_of(3), SearchLimit(nodes=40), []
    seed = np.array([programs.seed_of(stream)], np.uint64)
    for player in (programs.ProgramPlayer(command, effort, stream), find_engine(name)(effort, seed)):
        records.append(play_game((anything(1), player), Referee(), 30).record)
    assert records[0] == records[1] and len(records[0]) >= 30


def test_an_engine_serves_until_it_is_told_to_quit():
    said = []
    lines = ["kriegspiel 1", "", "unknown words", "quit", "go"]
    serve("greedy", find_engine("greedy"), lines, said.append)
    assert said == ["id name fogspiel greedy", "kriegspielok 1"]


@pytest.mark.parametrize(
    "line, part",
    [
        ("go", "no game has begun"),
        ("new side white", "there is no 'rules'"),
        ("new side white rules berklee nodes 1", "did you mean berkeley"),
        ("view ply 1", "there is no 'men'"),
        ("try e2e9", "is not a move"),
        ("illegal", "cannot be followed"),
        ("moved taken pawn", "is not a square"),
    ],
)
def test_a_line_that_cannot_be_followed_is_one_sentence(line, part):
    with pytest.raises(ValueError, match=part) as error:
        serve("random", find_engine("random"), [line], print)
    assert "\n" not in str(error.value) and "it must speak the protocol kriegspiel 1" in str(error.value)


@pytest.fixture(scope="module")
def hopeful(tmp_path_factory):
    """The example of the documentation."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("hopeful")
    (text,) = re.findall(r"^```c\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert text.count("\n") <= 40
    (folder / "hopeful.c").write_text(text)
    subprocess.run([compiler, "-Wall", "-Werror", "-o", folder / "hopeful", folder / "hopeful.c"], check=True)
    return str(folder / "hopeful")


@pytest.mark.parametrize("side", (0, 1))
def test_the_example_in_c_plays_a_whole_game(hopeful, side):
    records = []
    for _ in range(2):
        player, other = programs.ProgramPlayer([hopeful], ONE, stream_of(4)), anything(2)
        umpire = play_game((player, other) if side == 0 else (other, player), Referee(), 800)
        assert umpire.forfeit is None and umpire.ending is not None
        records.append(umpire.record)
    assert records[0] == records[1]


# Programs that misbehave

BLOCKED = "4k3/8/8/8/8/4n3/4P3/K7 w - - 0 1"
FAULTS = {
    "sys.exit(3)": "the program has ended",
    "os.close(1); time.sleep(600)": "the program has ended",
    "os.kill(os.getpid(), 9)": "the program has ended",
    'print("attempt e2e4")': "a refused attempt again",
    'print("attempt E2E3")': "a refused attempt again",
    'print("attempt a1h8")': "an impossible attempt",
    'print("attempt e3f5")': "an impossible attempt",
    'print("attempt")': "an attempt that is no move",
    'print("attempt resign please")': "an attempt that is no move",
    'sys.stdout.buffer.write(b"attempt \\xff\\x00\\n" * 99); sys.stdout.flush()': "an attempt that is no move",
}
LATE = {
    "time.sleep(600)": "no attempt in time",
    'while True: print("attempts are coming")': "no attempt in time",
    'while True: sys.stdout.write("x" * 9999)': "no attempt in time",
    'print("bestmove a1a2")': "no attempt in time",
}


def forfeited(words, effort=ONE):
    """The game that a program has lost as White."""
    player = programs.ProgramPlayer(words, effort, stream_of(1))
    umpire = play_game((player, anything(3)), Referee(BLOCKED), 20)
    assert player.program.process.poll() is not None and umpire.payoff_index == 0
    return umpire


@pytest.mark.parametrize("go", FAULTS)
def test_a_program_that_misbehaves_loses_the_game(tmp_path, go):
    assert forfeited(script(tmp_path, go)).ending == f"forfeit: {FAULTS[go]}"


@pytest.mark.parametrize("go", LATE)
def test_a_program_that_does_not_answer_in_time_loses_the_game(tmp_path, go, monkeypatch):
    monkeypatch.setattr(programs, "GRACE_SECONDS", 0.2)
    assert forfeited(script(tmp_path, go), SearchLimit(seconds=0.05)).ending == f"forfeit: {LATE[go]}"


class Line(str):
    """A line of which one can say whether it is still there."""


def test_what_a_program_says_before_its_attempt_is_not_kept(tmp_path, monkeypatch):
    player, alive, most = programs.ProgramPlayer(script(tmp_path), ONE, stream_of(1)), weakref.WeakSet(), []

    def flood(*asked):
        for number in range(100):
            line = Line(f"info {number}")
            alive.add(line)
            yield line
            most.append(len(alive))
        yield "attempt e2e4"

    monkeypatch.setattr(player.program, "answer", flood)
    player.begin(0)
    umpire = Referee()
    assert umpire.attempt(player.choose(umpire.view(0), umpire.actions)).accepted
    assert len(most) == 100 and max(most) <= 2
    player.program.close()


def test_what_a_program_did_is_one_sentence_without_anything_of_the_board(tmp_path):
    player = programs.ProgramPlayer(script(tmp_path, moves=["e2e4", "e2e4"]), ONE, stream_of(1))
    umpire = Referee(BLOCKED)
    player.begin(0)
    assert not umpire.attempt(player.choose(umpire.view(0), umpire.actions)).accepted
    with pytest.raises(Forfeit, match="has tried e2e4 again, which was refused: give the command of") as fault:
        player.choose(umpire.view(0), umpire.actions)
    sentence = str(fault.value).partition("' has tried")[2]  # what follows the path of the program
    assert sentence and "\n" not in sentence and "e3" not in sentence


@pytest.mark.parametrize(
    "ready, part", [("kriegspielok 2", "and the referee speaks 'kriegspiel 1'"), ("kriegspiel 1", "has not said")]
)
def test_a_program_that_speaks_something_else_is_refused_before_anything_is_played(tmp_path, monkeypatch, ready, part):
    monkeypatch.setattr(programs, "HELLO_SECONDS", 5.0 if "ok" in ready else 0.3)
    with pytest.raises(ValueError, match=part):
        programs.name_engine(f"program:{shlex.join(script(tmp_path, ready=ready))}")


# At the command line

SHORT = ("--games", 2, "--nodes", 1, "--processes", 1, "--max-plies", 8)


def word(tmp_path, go=PLAY, **given):
    return f"program:{shlex.join(script(tmp_path, go, **given))}"


FIRST_LISTED = 'print("attempt", listed[0])'
LISTING = 'listed = line.split()[1:] if line.startswith("try ") else globals().get("listed")'


def test_a_match_with_a_program_is_stored_without_its_command(tmp_path, answer, monkeypatch):
    monkeypatch.setattr(programs, "_named", {})
    found = answer("kriegspiel", "match", word(tmp_path, FIRST_LISTED, log=LISTING), "random", *SHORT)
    assert found["games"] == 2 and found["endings"] == {"the limit of plies": 2}
    assert re.fullmatch(r"program:[0-9a-f]{16}", found["first"]["engine"])
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("runs.db*"))
    assert found["first"]["engine"].encode() in stored and b"engine.py" not in stored


def test_a_program_that_always_fails_loses_its_match_and_each_game_says_why(tmp_path, answer):
    found = answer("kriegspiel", "match", word(tmp_path, "sys.exit(1)"), "random", *SHORT)
    assert found["losses"] == 2 and found["endings"] == {"forfeit: the program has ended": 2}


def test_another_build_is_another_program(tmp_path):
    first = programs.name_engine(word(tmp_path, "sys.exit(1)"))
    assert programs.name_engine(word(tmp_path, "sys.exit(1)")) == first
    assert programs.name_engine(word(tmp_path, "sys.exit(2)")) != first


def test_a_stored_run_starts_no_program_by_itself(tmp_path, refused, answer, monkeypatch):
    monkeypatch.setattr(programs, "_named", {})
    text = word(tmp_path, FIRST_LISTED, log=LISTING)
    seats = EngineSpec(programs.name_engine(text), ONE), EngineSpec("random", ONE)
    ask = EngineMatch(seats, 2, longest=8).to_json()
    with Store.open(tmp_path / "runs.db", write=True) as store:
        store.create(ask)
    monkeypatch.setattr(programs, "_named", {})
    refused("resume", "kriegspiel-1", because=("is run only if you name it", "by the command that began it"))
    with pytest.raises(ValueError, match="names a program or a file"):
        demand_page_run("kriegspiel-1", ask)
    found = answer("kriegspiel", "match", text, "random", *SHORT)
    assert found["run"] == "kriegspiel-1" and found["games"] == 2


def test_what_is_no_program_is_one_sentence_and_writes_nothing(tmp_path, refused):
    refused("kriegspiel", "match", "program:no-such-program", "random", because="there is no such program")
    refused("kriegspiel", "match", "program:true", "random", because="ended (exit code 0)")
    refused("kriegspiel", "match", "program:", "random", because="needs a command")
    refused("kriegspiel", "match", "program", "random", because="write program:COMMAND")
    refused("kriegspiel", "match", "stray-program:true", "random", because="is run only if you name it")
    refused("kriegspiel", "play", "--against", "program:'", because="is not a command")
    refused("kriegspiel", "engine", "gredy", because="did you mean greedy")
    assert not (tmp_path / "runs.db").exists()


def test_a_person_wins_against_a_program_that_gives_up(tmp_path, fogspiel, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("e2e4\n"))
    outcome = fogspiel("kriegspiel", "play", "--nodes", 1, "--against", word(tmp_path, "sys.exit(4)"))
    assert outcome.returncode == 0 and "the other side forfeits it, the Kriegspiel program" in outcome.stdout
    assert "exit code 4" in outcome.stdout
    (file,) = tmp_path.glob("kriegspiel-*.pgn")
    (game,) = read_pgn(file.read_text())
    assert game.result == "1-0"
