"""fogspiel kriegspiel analyse and check-pgn as people and programs meet them; docs/kriegspiel-analysis.md is true."""

import re
import shlex
from pathlib import Path

import pytest
from support.commands import documented_keys

from fogspiel.games.chess.fen import parse_move
from fogspiel.kriegspiel.pgn import write_pgn

pytestmark = pytest.mark.thorough

PAGE = (Path(__file__).parents[2] / "docs" / "kriegspiel-analysis.md").read_text()
MOVES = ("e2e4", "d7d5", "g1f3", "b8c6", "e4f5", "e4d5", "d8d5", "b1c3", "d5e4", "f1e2", "e4e2")
LIGHT = ("--nodes", 400)


def block(kind):
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


@pytest.fixture
def game(tmp_path, monkeypatch):
    """A small game in the current folder, as the umpire knows it."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "game.pgn"
    file.write_text(write_pgn([parse_move(move) for move in MOVES], {"White": "Anna", "Black": "Ben"}))
    return file


def documented(command):
    return documented_keys(f"kriegspiel {command}")


def test_a_game_is_analysed_attempt_by_attempt(game, answer, fogspiel):
    found = answer("kriegspiel", "analyse", game, *LIGHT, "--hindsight")
    assert found["names"] == ["Anna", "Ben"] and found["side"] == "white" and found["nodes"] == 400
    tried = [(one["tried"], one["accepted"]) for one in found["positions"]]
    assert tried[2:4] == [("e4f5", False), ("e4d5", True)]
    position = found["positions"][-1]
    assert found.keys() | position.keys() | position["belief"].keys() <= documented("analyse")
    assert position["attempts"][0].keys() | found["hindsight"][0].keys() | found["worst"][0].keys() <= documented(
        "analyse"
    )
    assert answer("kriegspiel", "analyse", game, *LIGHT, "--hindsight") == found
    shown = fogspiel("kriegspiel", "analyse", game, *LIGHT).stdout
    assert "engine's first" in shown and "they prove nothing" in shown and "pawns; the engine would" in shown


def test_the_usual_engine_is_fog_and_tells_where_a_lone_king_may_be(game, answer, fogspiel):
    assert answer("kriegspiel", "analyse", game, *LIGHT)["engine"] == "fog"
    ending = ("--men", "8/8/8/8/8/8/4K3/R6R", "--taken", "8,7", "--refused", "e2d3", *LIGHT, "--output", "ending.md")
    shown = fogspiel("kriegspiel", "analyse", *ending)
    assert shown.returncode == 0 and "on one of 5 squares: c2, c3, c4, d4, e4." in shown.stdout
    for text in (shown.stdout, Path("ending.md").read_text()):
        assert "An ending against a lone king" in text and "the engine would try" in text


def test_games_by_other_rules_are_analysed_from_files_and_runs(tmp_path, answer):
    answer(
        "kriegspiel", "match", "greedy", "random", "--rules", "english", "--games", 2, "--nodes", 1, "--max-plies", 12
    )
    answer("kriegspiel", "export", "kriegspiel-1", "--output", tmp_path / "english.pgn")
    found = [answer("kriegspiel", "analyse", which, *LIGHT) for which in (tmp_path / "english.pgn", "kriegspiel-1:1")]
    tried = [[one["tried"] for one in each["positions"]] for each in found]
    assert tried[0] == tried[1] and "any" in tried[0]


def test_the_commands_of_the_page_run(game, fogspiel):
    for line in [*block("sh").splitlines(), *block("sh-view").splitlines()]:
        words = shlex.split(line, comments=True)[1:]
        outcome = fogspiel(*words, *(() if "check-pgn" in words or "--nodes" in words else LIGHT))
        assert outcome.returncode == 0, outcome.stderr
    assert "Made by `fogspiel kriegspiel analyse" in Path("report.md").read_text()


@pytest.mark.thorough
def test_the_example_of_the_page_is_what_the_command_prints(game, fogspiel):
    """But for the figures, which change with the engine."""
    (line,) = block("sh-example").splitlines()
    shown = [row.rstrip() for row in fogspiel(*shlex.split(line)[1:]).stdout.splitlines()]
    printed = block("text").splitlines()
    assert shown[:2] == printed[:2] and shown[-1] == printed[-1]
    for part in ("The other king is on", "1 pawn capture is legal:", "different boards in mind", "attempt", "king  "):
        told, kept = (sum(part in row for row in rows) for rows in (shown, printed))
        assert told == kept > 0, part


def test_a_filtered_game_needs_no_truth_and_has_none(game, answer, refused):
    text = write_pgn([parse_move(move) for move in MOVES], viewer="black")
    Path("black.pgn").write_text(text)
    whole = answer("kriegspiel", "analyse", "game.pgn", "--side", "black", *LIGHT)
    filtered = answer("kriegspiel", "analyse", "black.pgn", *LIGHT)
    assert filtered["positions"] == whole["positions"] and filtered["side"] == "black"
    refused("kriegspiel", "analyse", "black.pgn", "--hindsight", because="--hindsight needs the true boards")
    refused("kriegspiel", "analyse", "black.pgn", "--side", "white", because="filtered for black")


def test_a_game_of_a_stored_match_is_found_by_its_number(answer, refused):
    answer("kriegspiel", "match", "greedy", "random", "--games", 2, "--nodes", 1, "--max-plies", 12, "--processes", 1)
    found = answer("kriegspiel", "analyse", "kriegspiel-1:2", *LIGHT)
    assert found["names"] == ["random (1 node)", "greedy (1 node)"] and found["positions"]
    refused("kriegspiel", "analyse", "kriegspiel-1:3", because="has games 1 to 2, not 3")


def test_a_view_is_typed_by_hand(answer, refused):
    words = ("kriegspiel", "analyse", "--men", "4k3/8/8/3p4/8/8/8/8", "--taken", "3,4", *LIGHT)
    found = answer(*words, "--last", "taken piece a5 tries 1")
    assert found["side"] == "black" and len(found["positions"]) == 1
    assert {"d5e4", "d5c4"} <= {one["move"] for one in found["positions"][0]["attempts"]}
    refused(*words, "--side", "white", because="White's own men only")


def test_a_report_is_written_as_markdown_or_as_a_page(game, answer, refused):
    assert answer("kriegspiel", "analyse", game, *LIGHT, "--output", "a.html", "--hindsight")["output"] == "a.html"
    page = Path("a.html").read_text()
    assert "Analysis of Anna - Ben, White" in page and "Was the belief right?" in page and "Plotly" in page
    refused("kriegspiel", "analyse", game, "--output", "a.pdf", because="must end in .md or .html")


def test_what_cannot_be_analysed_is_refused_in_a_sentence(game, refused):
    refused("kriegspiel", "analyse", because="needs a game or a view")
    refused("kriegspiel", "analyse", game, "--men", "8/8/8/8/8/8/8/4K3", because="needs a game or a view")
    refused("kriegspiel", "analyse", "none.pgn", because="none.pgn cannot be read")
    refused("kriegspiel", "analyse", game, "--number", 2, because="has games 1 to 1")
    refused("kriegspiel", "analyse", game, "--ply", 99, because="turns in this game are from")
    refused("kriegspiel", "analyse", game, "--engine", "greedy", because="keeps no boards in mind")
    refused("kriegspiel", "analyse", game, "--side", "green", because="it must be white or black")
    refused("kriegspiel", "analyse", game, "--move-seconds", 1, "--nodes", 5, because="exclude each other")


def test_sound_games_are_found_sound(game, answer, fogspiel):
    found = answer("kriegspiel", "check-pgn", game)
    assert found["faults"] == 0 and found["games"][0]["refused"] == 1 and found["games"][0]["moves"] == 10
    assert found.keys() | found["games"][0].keys() <= documented("check-pgn")
    assert "1 of 1 games are sound" in fogspiel("kriegspiel", "check-pgn", game).stdout


def test_every_faulty_game_gets_one_sentence_with_its_line(game, fogspiel, refused):
    text = game.read_text()
    faulty = [
        text.replace("pawn taken on d5", "piece taken on d5"),
        text,
        text.replace("2. Nf3", "2. Nf6"),
        text.replace("1 pawn try", "2 pawn tries", 1),
        text.replace("e4f5", "e4e5"),
        text.replace("1. e4", "1. e4 ]"),
        text.replace("1 pawn try", "check on the file", 1),
        '[Event "other"]\n\n1. f3 e5 2. g4 Qh4# {K} 1-0\n',
        '[Event "other"]\n\n1. e4 d5 2. exd5 {(K::Td5)} Qxd5 {(K::Td5)} *\n',
    ]
    Path("faulty.pgn").write_text("\n".join(faulty))
    outcome = fogspiel("kriegspiel", "check-pgn", "faulty.pgn")
    said = outcome.stdout.splitlines()
    assert outcome.returncode == 1 and "2 of 9 games are sound" in said[-1]
    assert [line.split()[1].strip(",:") for line in said[:-1]] == ["1", "3", "4", "5", "6", "7", "8"]
    assert "the comment says piece taken on d5, the referee pawn taken on d5" in said[0]
    assert "'Nf6' is not a legal move there" in said[1] and "2 pawn tries, the referee 1" in said[2]
    assert "'e4e5' is said to have been refused" in said[3] and "cannot be read from ']" in said[4]
    assert "check (file), the referee that there is no check" in said[5]
    assert "its result is 1-0, and on the board it ends 0-1 by checkmate" in said[6]
    lines = Path("faulty.pgn").read_text().splitlines()
    for sentence, part in zip(said, ("exd5", "Nf6", "d5"), strict=False):
        number = int(re.search(r"line (\d+)", sentence)[1])
        assert part in lines[number - 1], sentence
    Path("empty.pgn").write_text("\n")
    refused("kriegspiel", "check-pgn", "empty.pgn", because="there is no game in this file")
