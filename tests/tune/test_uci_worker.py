"""Chess engines that play for a tuner: their options, games, endings, and all that can go wrong with them."""

import io
import json
import shlex
import subprocess
import sys
import time
from pathlib import Path

import chess.pgn
import pytest

from fogspiel.games.chess.fen import START
from fogspiel.process.line_process import answers
from fogspiel.tuning.programs.uci_worker import table_from

FAKE = Path(__file__).parents[1] / "support" / "fake_uci.py"
FOOLS_MATE = "f2f3,e7e5,g2g4,d8h4"
WEIGHT = "|".join(
    [
        "Weight type spin default 5 min 0 max 9",
        "Style type combo default calm var calm var very wild",
        "Book type check default false",
        "Net type string default <empty>",
    ]
)


def fake(**words):
    """The command of an engine that plays a list of moves, or misbehaves."""
    return shlex.join([sys.executable, str(FAKE), *(f"{key}={value}" for key, value in words.items())])


@pytest.fixture
def start(tmp_path):
    """A file with the start position as the only opening."""
    file = tmp_path / "start.epd"
    file.write_text(" ".join(START.split()[:4]) + '; id "start";\n')
    return file


@pytest.fixture
def play(start):
    """The answer of a worker to one request."""

    def answer(command, *words, a=None, b=None, seed=1, swap=False):
        table = table_from(["--engine", command, "--openings", str(start), *map(str, words)])
        try:
            lines = io.StringIO(json.dumps({"a": a or {}, "b": b or {}, "seed": seed, "swap": swap}) + "\n")
            return json.loads(next(answers(table.answer, lines)))
        finally:
            table.close()

    return answer


def headers(answer):
    """The tags of the game of an answer, as another reader of PGN understands them."""
    game = chess.pgn.read_game(io.StringIO(answer["pgn"]))
    assert not game.errors
    return game.headers, game


def test_the_referee_sees_mate_and_swapping_swaps_the_colours(play):
    for swap, score in ((False, 0.0), (True, 1.0)):
        found = play(fake(moves=FOOLS_MATE), swap=swap, seed=77)
        tags, game = headers(found)
        assert found["score"] == score and tags["Result"] == "0-1" and tags["Termination"] == "normal"
        assert [tags[key] for key in ("White", "Black", "Round")] == [
            f"Fake ({'ba'[not swap]})",
            f"Fake ({'ab'[not swap]})",
            "77",
        ]
        assert game.end().board().is_checkmate()


def test_options_are_set_for_each_side_and_go_back_to_their_default(start, tmp_path):
    log = tmp_path / "log"
    table = table_from(
        ["--engine", fake(moves=FOOLS_MATE, options=WEIGHT, log=log), "--openings", str(start), "--option", "Book=true"]
    )
    requests = [
        {"a": {"Weight": 3, "Style": "Very Wild"}, "b": {"weight": 4.0}, "seed": 1, "swap": False},
        {"a": {"Weight": 3}, "b": {"Weight": 4}, "seed": 1, "swap": False, "id": 5},
    ]
    first, second = map(json.loads, answers(table.answer, io.StringIO("".join(json.dumps(r) + "\n" for r in requests))))
    table.close()
    assert second["id"] == 5 and "id" not in first
    assert "{White: Weight = 3, Style = Very Wild; Black: weight = 4.0}" in " ".join(first["pgn"].split())
    told = [
        line.removeprefix("setoption name ") for line in log.read_text().splitlines() if line.startswith("setoption")
    ]
    both, style = ["Book value true"] * 2, ["Style value calm", "Style value very wild"]
    assert sorted(told) == [*both, *style, "Weight value 3", "Weight value 4"]


@pytest.mark.parametrize(
    "values, words",
    [
        ({"Wieght": 1}, ("no option 'Wieght'", "did you mean Weight?", "Weight, Style, Book, Net")),
        ({"Weight": 10}, ("Weight cannot be set to 10", "0 .. 9")),
        ({"Weight": 1.5}, ("a whole number",)),
        ({"Weight": True}, ("a whole number",)),
        ({"Style": "mad"}, ("one of calm, very wild",)),
        ({"Book": 1}, ("true or false",)),
        ({"Net": "x\nquit"}, ("a text",)),
    ],
)
def test_an_option_that_does_not_fit_is_one_sentence(play, values, words):
    found = play(fake(moves=FOOLS_MATE, options=WEIGHT), a=values)
    assert set(found) == {"error"} and "\n" not in found["error"]
    assert all(part in found["error"] for part in words), found["error"]


@pytest.mark.parametrize(
    "moves, reason",
    [
        ("e2e4,e7e5,e4e5", "White plays e4e5, which is illegal"),
        ("e2e4,zz9", "Black gives 'zz9' as its move"),
        ("e2e4", "Black gives '(none)' as its move"),
        ("e2e4,", "Black gives no move"),
    ],
)
def test_an_illegal_or_missing_move_loses_and_the_game_says_so(play, moves, reason):
    found = play(fake(moves=moves))
    tags, _ = headers(found)
    loser = 0 if reason.startswith("White") else 1
    assert found["score"] == loser and tags["Termination"] == "rules infraction"
    assert reason in " ".join(found["pgn"].split())


@pytest.mark.thorough
@pytest.mark.parametrize(
    "words, because",
    [
        ({"at": "uci", "fault": "die"}, "ended (exit code 7) when it was asked 'uci'"),
        ({"at": "uci", "fault": "hang"}, "has not said 'uciok' within 1 s"),
        pytest.param(
            {"at": "isready", "fault": "close"},
            "closed its output when it was asked 'isready'",
            marks=pytest.mark.thorough,
        ),
        ({"at": "go", "fault": "die"}, "ended (exit code 7) when it was asked 'go nodes 10000'"),
        ({"at": "go", "fault": "hang"}, "give it another limit if it does not know this one"),
        pytest.param({"at": "go", "fault": "flood"}, "only 'info string la la la'", marks=pytest.mark.thorough),
        ({"at": "go", "fault": "close"}, "closed its output"),
    ],
)
def test_an_engine_that_always_ends_or_hangs_is_one_sentence(play, words, because):
    found = play(fake(**words), "--patience", 1)
    assert set(found) == {"error"} and because in found["error"] and "\n" not in found["error"]


def test_a_missing_engine_is_one_sentence(play):
    assert "cannot be started" in play("no-such-engine-anywhere")["error"]


@pytest.mark.thorough
@pytest.mark.parametrize(("fault", "lives"), [("die", 2), ("hang", 1)])
def test_an_engine_that_fails_is_started_again_and_the_game_repeated(play, tmp_path, fault, lives):
    words = {"at": "go", "fault": fault, "count": tmp_path / "count", "lives": lives}
    found = play(fake(moves=FOOLS_MATE, **words), "--patience", 1)
    assert found["score"] == 0.0 and (tmp_path / "count").read_text() == "x" * lives


def test_nonsense_at_the_start_is_passed_over(play):
    assert play(fake(moves=FOOLS_MATE, at="uci", fault="garbage"))["score"] == 0.0


@pytest.mark.thorough
def test_a_clock_that_has_run_out_loses(play):
    found = play(fake(moves=FOOLS_MATE, seconds=0.3), "--clock", "0.4+0", "--grace", 0.05)
    tags, _ = headers(found)
    assert found["score"] == 0.0 and tags["Termination"] == "time forfeit" and tags["PlyCount"] == "2"
    assert "the time of White is over" in " ".join(found["pgn"].split())
    assert headers(play(fake(moves=FOOLS_MATE, seconds=0.3), "--clock", "0.4+0.5"))[0]["Termination"] == "normal"


SHUFFLE = ",".join(["b1c3", "b8c6", "c3b1", "c6b8", "g1f3", "g8f6", "f3g1", "f6g8"] * 30)


@pytest.mark.parametrize(
    "scores, rules, reason, score",
    [
        (["cp 1000", "cp -1000"] * 9, "resign=1000x2", "Black is lost, as both say", 1.0),
        (["mate -3", "mate 2"] * 9, "resign=1000x2", "White is lost, as both say", 0.0),
        (["cp 0"] * 9, "draw=10x4@0", "a draw, as both say", 0.5),
        ([], "longest=6", "a draw after 6 plies", 0.5),
    ],
)
def test_games_are_ended_by_what_both_engines_think(play, scores, rules, reason, score):
    found = play(fake(moves=SHUFFLE, scores=",".join(scores)), "--adjudicate", rules)
    tags, _ = headers(found)
    assert (
        found["score"] == score and tags["Termination"] == "adjudication" and reason in " ".join(found["pgn"].split())
    )


def test_one_engine_alone_ends_no_game(play):
    found = play(
        fake(moves=SHUFFLE, scores=",".join(["cp 3000", "cp -20"] * 20)), "--adjudicate", "resign=1000x2,draw=10x4@0"
    )
    assert headers(found)[0]["Termination"] == "normal"
    assert "the position stands for the third time" in " ".join(found["pgn"].split())


def test_a_fixed_opponent_has_no_parameters(play):
    found = play(
        fake(moves=FOOLS_MATE, options=WEIGHT), "--opponent", fake(moves=FOOLS_MATE), a={"Weight": 1}, swap=True
    )
    assert found["score"] == 1.0 and "{Black: Weight = 1}" in found["pgn"]


def test_without_a_word_on_colours_the_seed_decides(start):
    words = ["--engine", fake(moves=FOOLS_MATE), "--opponent", fake(moves=FOOLS_MATE), "--openings", str(start)]
    table = table_from(words)
    lines = io.StringIO("".join(json.dumps({"a": {}, "seed": seed}) + "\n" for seed in (4, 5)))
    assert [json.loads(line)["score"] for line in answers(table.answer, lines)] == [0.0, 1.0]
    table.close()


def test_an_engine_that_plays_at_random_gets_the_seed(play, tmp_path):
    log = tmp_path / "log"
    play(
        fake(moves=FOOLS_MATE, options="Seed type spin default 0 min 0 max 99", log=log),
        "--seed-option",
        "Seed",
        seed=1234,
    )
    assert log.read_text().count("setoption name Seed value 34\n") == 2


@pytest.mark.parametrize(
    "words, because",
    [
        (("--nodes", "0"), "it must be 1 to"),
        (("--nodes", "x"), "invalid int value"),
        (("--clock", "fast"), "write seconds for the game and for each move, as 8+0.08"),
        (("--adjudicate", "resign=3"), "write none, or some of resign=1000x3"),
        (("--option", "Hash"), "write NAME=VALUE"),
        (("--openings", "nowhere.epd"), "cannot be read"),
        (("--patience", "0"), "must be above 0"),
        (("--random-plies", "-1"), "it must be 0 to 40"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_one_sentence(words, because):
    with pytest.raises(ValueError, match=because.replace("+", "\\+")) as error:
        table_from(["--engine", "x", *words])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "line", ["[]", "{", '{"seed": 1, "a": {}}', '{"a": {}, "b": {}, "seed": "x"}', '{"a": 1, "b": {}, "seed": 1}']
)
def test_a_request_that_makes_no_sense_is_one_sentence(start, line):
    table = table_from(["--engine", fake(moves=FOOLS_MATE), "--openings", str(start)])
    (found,) = answers(table.answer, io.StringIO(line + "\n"))
    assert set(json.loads(found)) == {"error"}


@pytest.mark.thorough
def test_a_worker_that_is_killed_takes_its_engines_along(start, tmp_path):
    log = tmp_path / "log"
    words = [
        "--engine",
        fake(moves=FOOLS_MATE, at="go", fault="flood", log=log),
        "--openings",
        str(start),
        "--patience",
        "600",
    ]
    module = [sys.executable, "-m", "fogspiel.tuning.programs.uci_worker"]
    worker = subprocess.Popen([*module, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    worker.stdin.write(json.dumps({"a": {}, "b": {}, "seed": 1, "swap": False}) + "\n")
    worker.stdin.flush()
    while not log.exists() or "go nodes" not in log.read_text():
        time.sleep(0.05)
    worker.kill()
    worker.wait()
    for _ in range(200):
        left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        if str(log) not in left:
            return
        time.sleep(0.05)
    raise AssertionError("an engine is still there")
