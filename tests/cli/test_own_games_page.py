"""docs/own-games.md is true: its commands run one after the other, from an empty folder outside of the package."""

import json
import os
import re
import shlex
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from support.commands import COMMAND, DOCUMENTED
from support.web_site import running

from fogspiel.core.find import load_game, write_template
from fogspiel.runs.requests import MatchRequest as Match
from fogspiel.runs.requests import RoundRobinRequest as Tournament
from fogspiel.runs.requests import TuneRequest as Tuning
from fogspiel.runs.store import Store

PAGE = (Path(__file__).parents[2] / "docs" / "own-games.md").read_text()


def commands(kind):
    (block,) = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [shlex.split(line)[1:] for line in block.splitlines()]


@pytest.fixture
def here(tmp_path, monkeypatch):
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.thorough
def test_the_way_from_nothing_to_a_solution(here, fogspiel, monkeypatch):
    import io

    told = {}
    for words in commands("sh"):
        monkeypatch.setattr("sys.stdin", io.StringIO("1\n1\n1\n1\n"))
        outcome = fogspiel(*words)
        assert outcome.returncode == 0, (words, outcome.stderr)
        told[" ".join(words[:2])] = outcome.stdout
    assert "mine is sound" in told["check mine.py"]
    assert "The game is over" in told["play mine.py"]
    assert "exactly 1/3" in told["solve mine.py"] and "exactly 1/3" in told["solve mine.efg"]
    assert "valid: the value of mine is exactly 1/3" in told["verify proof.json"]
    assert (here / "fogspiel-tournament-mine" / "tournament-mine.html").exists()


def block(kind):
    return re.search(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]


@pytest.mark.thorough
def test_a_board_in_a_file_gets_its_phantom_versions(here, fogspiel, monkeypatch):
    import io

    (here / "misere.py").write_text(block("python-board"))
    told = {}
    for words in commands("sh-board") + commands("sh-phantom"):
        monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 40))
        outcome = fogspiel(*words)
        assert outcome.returncode == 0, (words, outcome.stderr)
        told[words[0]] = outcome.stdout
    assert "phantom-misere is sound" in told["check"] and "it gets: `solve`" in told["check"]
    assert "exactly" in told["bounds"] and "valid: the value of phantom-misere" in told["verify"]


def asked(address, path, body=None):
    content = None if body is None else json.dumps(body).encode()
    question = urllib.request.Request(address + path, content, {"content-type": "application/json"})
    with urllib.request.urlopen(question, timeout=60) as answer:
        return json.load(answer)


@pytest.mark.thorough
def test_the_page_offers_the_game_and_runs_it(here):
    write_template(here / "mine.py")
    ((_, *options),) = commands("sh-page")
    with running(here, *options) as (_, address):
        assert asked(address, "api/games/mine")["players"][:2] == ["bold", "timid"]
        session = asked(address, "api/play", {"game": "mine", "against": "bold"})
        assert session["key"]
        ask = {"kind": "match", "game": "mine", "first": "bold", "second": "timid", "games": 200}
        name = asked(address, "api/runs", ask)["run"]
        for _ in range(600):
            state = asked(address, f"api/runs/{name}")["state"]
            if state == "finished":
                break
            time.sleep(0.2)
        assert state == "finished"
        for game in ("mine.py", str(here / "mine.py")):
            with pytest.raises(urllib.error.HTTPError):
                asked(address, "api/runs", ask | {"game": game})
    with running(here) as (_, address):
        assert asked(address, f"api/runs/{name}")["state"] == "finished"
        with urllib.request.urlopen(f"{address}runs/{name}", timeout=60) as page:
            assert b"bold against timid" in page.read()
        with pytest.raises(urllib.error.HTTPError):
            asked(address, "api/runs", ask)


def test_two_games_of_one_name_are_refused_by_the_page(here, refused):
    write_template(here / "mine.py")
    refused("web", "--no-open", "--game", "mine.py", "--game", "./mine.py", because="names mine 2 times")


@pytest.mark.thorough
def test_the_same_as_an_installed_package(here):
    """Installed by hand, as pip leaves it behind."""
    site = here / "site"
    info = site / "bluff_games-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bluff-games\nVersion: 1.0\n")
    (point,) = re.findall(r'^(\[project\.entry-points\."fogspiel\.games"\]\nbluff = .*)$', PAGE, re.MULTILINE)
    assert point.endswith('bluff = "bluff_games"')
    (info / "entry_points.txt").write_text("[fogspiel.games]\nbluff = bluff_games\n")
    write_template(here / "mine.py")
    (here / "mine.py").rename(site / "bluff_games.py")
    paths = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    for words in commands("sh-installed"):
        outcome = subprocess.run(
            [*COMMAND, *words, "--json"], env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True
        )
        assert outcome.returncode == 0, outcome.stderr
        assert json.loads(outcome.stdout)["game"] == "mine"


# Runs of a game in a file


def requests():
    game = load_game("mine.py")
    store = Path(os.environ["FOGSPIEL_STORE"])
    yield Tuning("mine", games=2000, report_games=200).to_json()
    yield Match(game.name, "bold", "timid", games=400).resolved(store).to_json()
    yield Tournament(game.name, ("bold", "timid", "uniform"), 200).resolved(store).to_json()


@pytest.mark.thorough
def test_every_kind_of_run_goes_on_if_its_file_is_named_and_has_not_changed(here, answer, refused):
    write_template(here / "mine.py")
    asks = list(requests())
    assert all(ask["game"] == "mine" and ask["rules"].startswith("sha256 ") for ask in asks)
    assert "mine.py" not in json.dumps(asks)
    (here / "changed.py").write_text((here / "mine.py").read_text() + "\n")
    (here / "other.py").write_text((here / "mine.py").read_text().replace('name="mine"', 'name="other"'))
    for ask in asks:
        with Store.open(Path(os.environ["FOGSPIEL_STORE"]), write=True) as store:
            name = store.create(ask).name
        refused("resume", name, because=("are in a file", "--source FILE"))
        refused("resume", name, "--source", "changed.py", because="version")
        refused("resume", name, "--source", "other.py", because="names other")
        assert answer("resume", name, "--source", "mine.py")["state"] == "finished"


def test_an_interrupted_run_says_to_name_the_file_again(here, fogspiel, monkeypatch):
    write_template(here / "mine.py")

    def interrupted(*given, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("fogspiel.runs.tuning_run.steps_of", interrupted)
    outcome = fogspiel("tune", "mine.py", "--games", 2000, "--json")
    assert outcome.returncode == 130
    assert json.loads(outcome.stdout)["resume"] == "fogspiel resume mine-1 --source mine.py"


@pytest.mark.thorough
def test_a_tournament_in_several_processes_finds_the_file(here, answer):
    write_template(here / "mine.py")
    played = answer("round-robin", "mine.py", "bold", "timid", "uniform", "--games", 200, "--processes", 2)
    assert played["state"] == "finished" and played["command"].startswith("fogspiel round-robin mine.py bold timid")


@pytest.mark.thorough
def test_the_keys_of_check_and_new_are_documented(here, answer):
    for key in (*answer("new", "mine.py"), *answer("check", "mine.py")):
        assert f"`{key}`" in DOCUMENTED


def test_remembering_is_for_games_of_openspiel(here, refused):
    refused("solve", "kuhn", "--perfect-recall", because="--perfect-recall is for games of OpenSpiel")


def test_a_game_of_openspiel_whose_players_forget_is_read_with_remember(here, answer, refused):
    pytest.importorskip("pyspiel")
    game = "openspiel:dark_hex_ir(board_size=2)"  # imperfect recall on purpose, whatever the version of OpenSpiel
    refused("solve", game, because="different moves of that player")
    assert answer("solve", game, "--perfect-recall")["value"] == answer("solve", f"{game}+remember")["value"]
    assert answer("explain", game, "--perfect-recall")["first"]
