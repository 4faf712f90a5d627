"""fogspiel kriegspiel as people and programs meet it."""

import json
from pathlib import Path

import pytest
from support.commands import documented_keys

from fogspiel.kriegspiel import match as kind
from fogspiel.kriegspiel.pgn import read_pgn
from fogspiel.runs.store import Store
from fogspiel.stats.evaluate import INTERVALS_NOTE

SHORT = ("--nodes", 1, "--max-plies", 40, "--processes", 1)


@pytest.mark.parametrize("command", ("match", "round-robin", "engines", "export", "play", "learn"))
def test_every_command_has_help(command, fogspiel):
    outcome = fogspiel("kriegspiel", command, "--help")
    assert outcome.returncode == 0 and "--json" in outcome.stdout


def documented(command):
    return documented_keys(f"kriegspiel {command}")


def test_engines_are_listed_with_a_sentence_each(answer, fogspiel):
    found = answer("kriegspiel", "engines")
    assert {"random", "greedy"} <= {engine["name"] for engine in found["engines"]}
    assert all(engine["about"] for engine in found["engines"])
    assert found.keys() | found["engines"][0].keys() <= documented("engines")
    assert "Tries anything." in fogspiel("kriegspiel", "engines").stdout


@pytest.mark.interpreted
def test_a_match_is_played_printed_listed_and_found_again(answer, fogspiel):
    words = ("kriegspiel", "match", "greedy", "random", "--games", 10, *SHORT)
    found = answer(*words)
    assert found["games"] == 10 and found["run"] == "kriegspiel-1" and sum(found["pairs"]) == 5
    assert found["wins"] + found["draws"] + found["losses"] == 10 and found["plies"] <= 40
    assert found.keys() <= documented("match")
    shown = fogspiel(*words)
    assert "found finished in the store" in shown.stderr and "Elo" in shown.stdout and "kriegspiel-1" in shown.stdout
    assert "(95 %, valid at any time)" in shown.stdout.splitlines()[0]
    assert "kriegspiel-1" in fogspiel("runs").stdout
    assert answer("export", "kriegspiel-1")["ask"]["longest"] == 40


def test_two_engines_play_the_same_games_by_both_commands(answer):
    plain = answer("match", "kriegspiel", "greedy@1n", "random@1n", "--games", 4, "--seed", 5)
    stored = answer("kriegspiel", "match", "greedy@1n", "random@1n", "--games", 4, "--seed", 5, "--processes", 1)
    assert plain["observed"] == stored["pairs"] and plain["interval"] == stored["interval"]


def test_both_engines_may_have_efforts_of_their_own_and_switches_are_kept(answer):
    words = ("kriegspiel", "match", "greedy", "greedy", "--games", 2, *SHORT)
    assert answer(*words[:3], "random@2n", *words[4:])["second"]["nodes"] == 2
    found = answer(*words, "--move-seconds-2", 0.001, "--no-fifty", "--promotion-tries", "per_piece")
    assert found["second"]["seconds"] == 0.001 and found["first"]["nodes"] == 1
    assert found["switches"]["fifty"] is False and found["switches"]["promotion_tries"] == "per_piece"


@pytest.mark.thorough
def test_a_round_robin_has_a_cross_table_and_all_pairs(answer, fogspiel):
    found = answer("kriegspiel", "round-robin", "greedy", "random", "--games", 6, *SHORT)
    assert found["first"]["engine"] == "greedy" and found["games"] == 6  # two engines are a match
    words = ("kriegspiel", "round-robin", "greedy", "random", "random@2n", "--games", 2, *SHORT)
    found = answer(*words)
    assert len(found["meetings"]) == 3 and len(found["intervals"]) == 3 and found["seed"] == 1
    assert found.keys() | found["meetings"][0].keys() <= documented("round-robin")
    shown = fogspiel(*words)
    assert "Cross-table" in shown.stdout and "Cyclic share" in shown.stdout and "All pairs" in shown.stdout
    assert INTERVALS_NOTE in " ".join(shown.stdout.split())


@pytest.mark.thorough
def test_a_report_has_a_page_a_cross_table_and_files_of_numbers(answer, fogspiel, tmp_path):
    words = ("kriegspiel", "round-robin", "greedy", "random", "random@2n", "--games", 4, *SHORT, "--no-fifty")
    folder = tmp_path / "robin"
    found = answer(*words, "--output", folder)
    names = {Path(file).name for file in found["files"]}
    assert {"kriegspiel-round-robin.html", "kriegspiel-round-robin.json", "kriegspiel-round-robin-wins.csv"} <= names
    assert found.keys() <= documented("round-robin")
    page = (folder / "kriegspiel-round-robin.html").read_text()
    command = (
        "fogspiel kriegspiel round-robin greedy@1n random@1n random@2n --games 4 --seed 1 --max-plies 40 --no-fifty"
    )
    assert command in page and "Wins, draws and losses" in page
    crossed = (folder / "kriegspiel-round-robin-wins.csv").read_text().splitlines()
    assert len(crossed) == 4 and crossed[1].startswith("greedy (1 node),,+")
    shown = fogspiel("kriegspiel", "match", "greedy", "random", "--games", 4, *SHORT, "--output", tmp_path / "match")
    assert "kriegspiel-match.html" in shown.stdout
    facts = json.loads((tmp_path / "match" / "kriegspiel-match.json").read_text())
    assert facts["command"] == "fogspiel kriegspiel match greedy@1n random@1n --games 4 --seed 1 --max-plies 40"
    assert "elo" in (tmp_path / "match" / "kriegspiel-match.html").read_text().lower()


@pytest.mark.thorough
def test_a_report_that_cannot_be_written_is_one_sentence(fogspiel, tmp_path):
    (tmp_path / "file").write_text("")
    words = ("kriegspiel", "match", "greedy", "random", "--games", 2, *SHORT)
    outcome = fogspiel(*words, "--output", tmp_path / "file" / "below")
    assert outcome.returncode == 2 and "cannot be written" in outcome.stderr.splitlines()[-1]


def test_an_interrupted_match_says_how_to_go_on_and_is_resumed(answer, fogspiel, refused, monkeypatch):
    words = ("kriegspiel", "match", "greedy", "random", "--games", 8, *SHORT)
    seen, elo_of_pairs = [], kind.elo_of_pairs

    def interrupt(rows):
        seen.append(rows)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return elo_of_pairs(rows)

    monkeypatch.setattr(kind, "elo_of_pairs", interrupt)
    stopped = fogspiel(*words, "--json")
    assert stopped.returncode == 130
    body = json.loads(stopped.stdout)
    assert body["state"] == "interrupted" and body["steps"] == 3 and body["resume"] == "fogspiel resume kriegspiel-1"
    monkeypatch.setattr(kind, "elo_of_pairs", elo_of_pairs)
    assert "interrupted" in fogspiel("runs").stdout
    partial = fogspiel("kriegspiel", "export", "kriegspiel-1")
    assert len(read_pgn(partial.stdout)) == 6
    found = answer("resume", "kriegspiel-1", "--threads", 1)
    assert found["games"] == 8 and found["state"] == "finished"
    again = fogspiel("resume", "kriegspiel-1")
    assert again.returncode == 0 and "nothing to resume" in again.stderr and "Elo" in again.stdout
    refused("export", "kriegspiel-1", "--format", "csv", because="fogspiel kriegspiel export kriegspiel-1")


def test_games_are_exported_for_the_umpire_and_for_each_side(answer, fogspiel, tmp_path):
    answer("kriegspiel", "match", "greedy", "random", "--games", 4, *SHORT)
    games = read_pgn(fogspiel("kriegspiel", "export", "kriegspiel-1").stdout)
    assert [game.tags["Round"] for game in games] == ["1.1", "1.2", "2.1", "2.2"]
    assert games[0].tags["White"] == games[1].tags["Black"] == "greedy (1 node)"
    file = tmp_path / "white.pgn"
    found = answer("kriegspiel", "export", "kriegspiel-1", "--side", "white", "--output", file)
    assert found["games"] == 4 and found.keys() <= documented("export")
    assert all(game.viewer == "white" for game in read_pgn(file.read_text()))


def test_wrong_input_gets_one_sentence_and_writes_nothing(refused, tmp_path):
    match = ("kriegspiel", "match", "greedy", "random")
    refused("kriegspiel", "match", "greedy", "rndom", because="did you mean random")
    refused(*match, "--move-seconds", 0.1, "--nodes", 5, because="exclude each other")
    refused(*match, "--nodes", 0, because="must be positive")
    refused("kriegspiel", "match", "greedy@fast", "random", because="NAME@0.4s")
    refused("kriegspiel", "match", "greedy@0s", "random", because="must be positive")
    refused(*match, "--games", -1, because="--games is -1")
    refused(*match, "--max-plies", 0, because="--max-plies is 0")
    refused(*match, "--seed", -1, because="seed")
    refused(*match, "--promotion-tries", "twice", because="once or per_piece")
    refused("kriegspiel", "round-robin", "greedy", because="2 to 100 engines")
    refused("kriegspiel", "round-robin", "greedy", "random", "greedy", because="must be different")
    assert not (tmp_path / "runs.db").exists()
    refused("kriegspiel", "export", "kriegspiel-9", because="kriegspiel-9")


def test_only_matches_of_engines_are_exported_as_pgn(answer, refused, tmp_path):
    with Store.open(tmp_path / "runs.db", write=True) as store:
        store.create({"game": "batawaf", "method": "iterative"})
    refused("kriegspiel", "export", "batawaf-1", because="no match of Kriegspiel engines")
    answer("kriegspiel", "match", "greedy", "random", "--games", 2, *SHORT)
    refused("kriegspiel", "export", "kriegspiel-1", "--side", "red", because="not for 'red'")
    refused("kriegspiel", "export", "kriegspiel-1", "--format", "csv", because="must be pgn")
