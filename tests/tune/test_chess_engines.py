"""Real chess engines through the referee: a small one of our own in C, Stockfish and GNU Chess."""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import chess
import chess.pgn
import pytest
import support

from fogspiel.tuning.programs.uci_match import options_of
from fogspiel.tuning.programs.uci_worker import table_from

SOURCE = Path(support.__file__).parent / "tiny_engine.c"
WRONG = {"RookValue": 100, "QueenValue": 300}
LOOK = f"{os.environ['PATH']}:/usr/games"


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The command of the small engine, compiled here."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    program = tmp_path_factory.mktemp("engine") / "tiny"
    subprocess.run([compiler, "-std=c11", "-O2", "-o", program, SOURCE], check=True)
    return str(program)


def installed(name):
    program = shutil.which(name, path=LOOK)
    if program is None:
        pytest.skip(f"{name} is not installed")
    return program


def play(words, requests):
    """The answers of a worker with these words."""
    table = table_from(list(map(str, words)))
    try:
        return [table.answer(request) for request in requests]
    finally:
        table.close()


def game_of(answer):
    """The game of an answer, as another reader of PGN understands it, which has checked every move."""
    game = chess.pgn.read_game(io.StringIO(answer["pgn"]))
    assert not game.errors
    return game


def pair(a, b, seed):
    return [{"a": a, "b": b, "seed": seed, "swap": swap} for swap in (False, True)]


def test_the_small_engine_plays_legal_games_that_follow_from_the_seed(tiny):
    words = ("--engine", tiny, "--nodes", 200, "--seed-option", "Seed", "--adjudicate", "none")
    requests = [*pair({}, {}, 1), *pair({}, {}, 2)]
    found = play(words, requests)
    assert {game_of(answer).headers["Termination"] for answer in found} == {"normal"}
    assert found == play(words, requests[::-1])[::-1]
    assert len({answer["pgn"].split("\n\n")[1] for answer in found}) == 2  # both games of a pair are the same here


@pytest.mark.thorough
def test_the_right_piece_values_beat_wrong_ones(tiny):
    requests = [request for seed in range(8) for request in pair({}, WRONG, seed)]
    found = play(("--engine", tiny, "--nodes", 400, "--seed-option", "Seed"), requests)
    assert sum(answer["score"] for answer in found) >= 14
    assert "rules infraction" not in {game_of(answer).headers["Termination"] for answer in found}


def test_the_small_engine_knows_every_legal_first_move_of_difficult_positions(tiny):
    for fen in (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "8/8/8/2k5/3pP3/8/8/4K3 b - e3 0 1",
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
    ):
        said = subprocess.run(
            [tiny], input=f"position fen {fen}\ngo depth 3\nquit\n", capture_output=True, text=True, check=True
        ).stdout
        assert chess.Move.from_uci(said.split("bestmove ")[1].strip()) in chess.Board(fen).legal_moves
    assert "mate 1" in said and "bestmove a1a8" in said


@pytest.mark.parametrize(
    "command, limit",
    [
        ("stockfish", ("--nodes", 300)),
        pytest.param("gnuchess --uci", ("--depth", 2), marks=pytest.mark.thorough),
        pytest.param("stockfish", ("--clock", "0.5+0.005"), marks=pytest.mark.thorough),
    ],
)
def test_real_engines_play_through_the_referee(command, limit):
    name, *options = command.split()
    engine = " ".join([installed(name), *options])
    found = play(("--engine", engine, *limit), pair({}, {}, 5))
    for answer in found:
        game = game_of(answer)
        assert game.headers["Termination"] in ("normal", "adjudication") and int(game.headers["PlyCount"]) > 20


def test_two_different_engines_meet(tiny):
    engine = installed("stockfish")
    words = ("--engine", engine, "--opponent", tiny, "--nodes", 300)
    found = play(words, pair({"Skill Level": 20}, {}, 3))
    assert [answer["score"] for answer in found] == [1.0, 1.0]
    assert [game_of(answer).headers["White"] for answer in found] == [options_of(engine).name, "Tiny"]


@pytest.mark.thorough
def test_an_engine_that_does_not_know_a_limit_is_told_of_others():
    engine = installed("gnuchess")
    table = table_from(["--engine", f"{engine} --uci", "--nodes", "100", "--patience", "1"])
    with pytest.raises(ValueError, match="give it another limit if it does not know this one"):
        table.answer({"a": {}, "b": {}, "seed": 1, "swap": False})


@pytest.mark.slow
def test_wrong_piece_values_are_tuned_and_the_gain_is_proved(tiny, tmp_path, answer):
    tables = {"RookValue": (100, 1200, 100), "QueenValue": (300, 2000, 200)}
    file = tmp_path / "values.toml"
    file.write_text(
        "\n".join(
            f"[{name}]\nstart = {start}\nlow = 50\nhigh = {high}\nscale = {scale}\nwhole = true\n"
            for name, (start, high, scale) in tables.items()
        )
    )
    worker = f"{sys.executable} -m fogspiel.tuning.programs.uci_worker --engine {tiny} --nodes 400 --seed-option Seed"
    found = answer("tune", "--command", worker, "--parameters", file, "--games", 800, "--seed", 1)
    assert found["proof"]["proved"] and found["proof"]["elo_interval"][0] > 100
    assert found["parameters"]["RookValue"] > 250 and found["parameters"]["QueenValue"] > 500
