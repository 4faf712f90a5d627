"""A chess engine as evaluator, played by small scripts that behave well or badly."""

import io
import os
import shlex
import shutil
import sys
import time

import numpy as np
import pytest

from fogspiel.core.rng import stream_of
from fogspiel.games.chess.fen import START, parse_move, position_of
from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.engines.sampling import UciEvaluator, UciScorer, with_uci
from fogspiel.kriegspiel.pgn import read_pgn
from fogspiel.kriegspiel.referee import Referee
from fogspiel.kriegspiel.search.gain_tables import ILLEGAL, MAX

GOOD = """
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name small", "OPTION", "uciok", sep="\\n", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        made = words[-1] if "moves" in words else None
    elif words[0] == "go":
        if made is None:
            print("info depth 1 multipv 1 score cp 35 pv e2e4 e7e5")
            print("info depth 1 multipv 2 score mate 3 pv d2d4")
        else:  # the other side thinks it is lost after a2a3
            print("info depth 1 score", "mate -2" if made == "a2a3" else "cp -10", "pv a7a6")
        print("bestmove e2e4", flush=True)
"""
RANKING = "option name MultiPV type spin default 1 min 1 max 256"


def script(tmp_path, text):
    """The command of an engine written in Python."""
    path = tmp_path / "engine.py"
    path.write_text(text)
    return [sys.executable, str(path)]


def good(tmp_path, option="option name Hash type spin"):
    return script(tmp_path, GOOD.replace("OPTION", option))


def is_gone(engine):
    """Whether the process of an engine has ended."""
    for _ in range(100):
        if engine.process.poll() is not None:
            return True
        time.sleep(0.02)
    return False


def test_a_move_is_worth_what_the_other_side_thinks_it_has_lost(tmp_path):
    engine = UciScorer(good(tmp_path))
    assert engine.move_values(START, ["e2e4", "a2a3"], 1) == [10, 20_000 - 2]
    engine.close()
    assert is_gone(engine)


def test_an_engine_that_ranks_all_moves_is_asked_once_and_again_for_those_it_left_out(tmp_path):
    engine = UciScorer(good(tmp_path, RANKING))
    assert engine.move_values(START, ["d2d4", "e2e4", "h2h4"], 1) == [20_000 - 3, 35, 10]
    engine.close()


def test_the_table_of_an_engine_marks_illegal_attempts_and_keeps_mate_within_bounds(tmp_path):
    evaluator = UciEvaluator(good(tmp_path))
    evaluator.begin()
    gains = np.empty((1, 3), np.int32)
    attempts = np.array([parse_move(name) for name in ("e2e4", "a2a3", "e1e2")], np.int64)
    evaluator.evaluate(position_of(START)[None], attempts, gains)
    assert gains.tolist() == [[10, 2000, ILLEGAL]]


def test_moves_that_end_the_game_are_not_asked_about(tmp_path):
    evaluator = UciEvaluator(good(tmp_path))
    gains = np.empty((1, 3), np.int32)
    attempts = np.array([parse_move(name) for name in ("f6f7", "g6g7", "g6g1")], np.int64)
    evaluator.evaluate(position_of("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")[None], attempts, gains)
    stalemate, mate, other = gains[0].tolist()
    assert stalemate < -800 and mate == 2000 and other == stalemate + 10


def test_a_sampling_player_follows_its_chess_engine(tmp_path):
    player = with_uci(good(tmp_path))(SearchLimit(nodes=60), stream_of(1))
    umpire = Referee()
    player.begin(0)
    assert player.choose(umpire.view(0), umpire.actions) == parse_move("a2a3")


def test_the_process_ends_with_its_owner(tmp_path):
    player = with_uci(good(tmp_path), "los")(SearchLimit(nodes=1), stream_of(1))
    process = player.evaluator.engine.process
    del player
    assert process.wait(5) is not None


def test_only_players_that_evaluate_boards_can_ask_a_chess_engine():
    with pytest.raises(ValueError, match="only los, aosp, hs"):
        with_uci("stockfish", "greedy")


UCI_ONLY = 'import sys\nsys.stdin.readline()\nprint("uciok", flush=True)\n'
HANGING = "import time\ntime.sleep(60)\n"
DYING = "raise SystemExit(3)\n"
CHATTING = 'print("I prefer to talk", flush=True)\nimport time\ntime.sleep(60)\n'
FLOODING = 'while True:\n    print("la la la", flush=True)\n'
DYING_LATER = UCI_ONLY + "sys.stdin.readline()\nraise SystemExit(4)\n"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text, words",
    [
        (HANGING, "has not said 'uciok' within 0.5 s"),
        (DYING, "ended \\(exit code 3\\)"),
        (CHATTING, "only 'I prefer to talk'"),
        (FLOODING, "only 'la la la'"),
        (UCI_ONLY + HANGING, "has not said 'readyok'"),
        (DYING_LATER, "ended \\(exit code 4\\) when it was asked 'isready'"),
    ],
)
def test_an_engine_that_misbehaves_at_the_start_is_one_sentence_and_is_killed(tmp_path, text, words):
    with pytest.raises(ValueError, match=words) as error:
        UciScorer(script(tmp_path, text), patience=0.5 if "exit" not in words else 10)
    assert str(error.value).startswith("the chess engine") and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "answer, words",
    [
        ('print("bestmove zz99", flush=True)', "'bestmove zz99' without any score"),
        ("pass", "has not said 'bestmove' within 0.5 s"),
        ("raise SystemExit(5)", "exit code 5"),
    ],
)
def test_an_engine_that_misbehaves_in_a_search_is_one_sentence_and_is_killed(tmp_path, answer, words):
    before, _, _ = GOOD.partition("        if made is None")
    engine = UciScorer(script(tmp_path, before + "        " + answer + "\n"))
    engine.patience = 0.5 if "within" in words else 10
    with pytest.raises(ValueError, match=words):
        engine.search(f"fen {START}", 1)
    assert is_gone(engine)


@pytest.mark.parametrize("command", ["no-such-engine-anywhere", "/", ""])
def test_an_engine_that_cannot_be_started_is_one_sentence(command):
    with pytest.raises(ValueError, match=r"chess engine .*: give (the command|that) of a program that speaks UCI"):
        UciScorer(command)


# From the command line

SHORT = ("--nodes", 1, "--processes", 1, "--max-plies", 8)


def command(tmp_path, text):
    """The word of a player that asks the engine with this text."""
    return f"los:uci={shlex.join(script(tmp_path, text))}"


def mortal(tmp_path, lives):
    """An engine that ends after so many searches, in one game or in several."""
    counter = tmp_path / "searches"
    counter.write_text("0")
    dying = f"""        import pathlib
        counter = pathlib.Path({str(counter)!r})
        counter.write_text(str(int(counter.read_text()) + 1))
        if int(counter.read_text()) > {lives}:
            raise SystemExit(6)
"""
    before, mark, after = GOOD.partition("        if made is None")
    return command(tmp_path, before + dying + mark + after)


def test_a_match_is_played_by_a_player_that_asks_a_chess_engine(tmp_path, answer):
    word = command(tmp_path, GOOD)
    found = answer("kriegspiel", "match", word, "random", "--games", 2, *SHORT)
    assert found["games"] == 2 and found["first"]["engine"] == word and found["nodes_per_move"][0] > 0


def test_a_chess_engine_that_is_not_there_is_one_sentence_and_writes_nothing(tmp_path, refused):
    refused("kriegspiel", "match", "hs:uci=no-such-engine", "random", because=("no-such-engine", "no such program"))
    refused("kriegspiel", "round-robin", "hs:uci=", "random", because="give the command of a program that speaks UCI")
    refused("kriegspiel", "match", "hs:uci='", "random", because="is not a command")
    refused("kriegspiel", "play", "--against", "hs:uci=no-such-engine", because="no such program")
    refused("kriegspiel", "match", "hs:uci=true", "random", because=("'true' ended", "a program that speaks UCI"))
    assert not (tmp_path / "runs.db").exists()


def test_a_chess_engine_that_talks_nonsense_is_one_sentence(tmp_path, fogspiel):
    outcome = fogspiel("kriegspiel", "match", command(tmp_path, DYING), "random", "--games", 2, *SHORT)
    assert outcome.returncode == 2 and "Traceback" not in outcome.stderr
    assert "exit code 3" in outcome.stderr.splitlines()[-1] and "go on with" not in outcome.stderr
    assert not (tmp_path / "runs.db").exists()  # it is tried before the run is created


@pytest.mark.thorough
def test_a_match_whose_chess_engine_dies_goes_on_when_the_user_names_it_again(tmp_path, fogspiel, answer, refused):
    word = mortal(tmp_path, 300)
    words = ("kriegspiel", "match", word, "random", "--games", 6, *SHORT)
    outcome = fogspiel(*words)
    last = outcome.stderr.splitlines()[-1]
    assert outcome.returncode == 2 and "exit code 6" in last
    assert last.endswith(f"what was played is kept, go on with: {shlex.join(['fogspiel', *map(str, words)])}")
    (tmp_path / "searches").write_text("-100000")
    refused("resume", "kriegspiel-1", because=("a program that is run only if you name it", "command that began it"))
    assert fogspiel("resume", "--all").stderr.count("kriegspiel-1 is skipped") == 1
    assert (tmp_path / "searches").read_text() == "-100000", "the program was started"
    found = answer(*words)
    assert found["games"] == 6 and found["run"] == "kriegspiel-1"


def test_a_game_whose_chess_engine_dies_is_saved(tmp_path, fogspiel, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("e2e4\nd2d4\ng1f3\nb1c3\n"))
    outcome = fogspiel("kriegspiel", "play", "--nodes", 1, "--seed", 1, "--against", mortal(tmp_path, 30))
    assert outcome.returncode == 2 and "The game is over: the chess engine" in outcome.stdout
    (file,) = tmp_path.glob("kriegspiel-*.pgn")
    (game,) = read_pgn(file.read_text())
    assert game.result == "*" and len(game.messages) >= 2


@pytest.mark.parametrize("command", ["stockfish", "gnuchess --uci"])
def test_a_real_engine_finds_mate(command):
    name, *options = command.split()
    program = shutil.which(name, path=f"{os.environ['PATH']}:/usr/games")
    if program is None:
        pytest.skip(f"{name} is not installed")
    evaluator = UciEvaluator([program, *options])
    board = position_of("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")[None]
    moves = [parse_move(move) for move in ("a1a8", "a1a7", "g1f1", "a1b8")]
    gains = np.empty((1, len(moves)), np.int32)
    evaluator.begin()
    evaluator.evaluate(board, np.array(moves, np.int64), gains)
    assert gains[0, 0] == MAX > max(gains[0, 1:3])
    assert gains[0, 3] == ILLEGAL
