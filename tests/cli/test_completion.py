"""What a shell offers when the key is pressed: names of games, players, engines, methods, papers, runs, no errors."""

import os
import subprocess
import sys

import pytest

from fogspiel.core.plugins import collect
from fogspiel.runs.store import Store

pytestmark = pytest.mark.thorough

ASK = """
import sys
from fogspiel.cli import main

sys.argv = ["fogspiel"]
try:
    main()
finally:
    if sys.modules.keys() & {"numba", "numpy"}:
        print("slow", file=sys.stderr)
"""


@pytest.fixture
def complete(tmp_path, monkeypatch):
    """Presses the key at the end of a line twice, as bash does: names are kept, so the second time nothing is slow."""
    monkeypatch.setenv("FOGSPIEL_STORE", str(tmp_path / "runs.db"))
    monkeypatch.setenv("FOGSPIEL_CACHE", str(tmp_path / "cache"))

    def press(line, **more):
        (first, said), (again, complaint) = press_once(line, more), press_once(line, more)
        assert first == again and said in ("", "slow\n") and not complaint
        return again

    def press_once(line, more):
        asked = {"_FOGSPIEL_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
        done = subprocess.run(
            [sys.executable, "-c", ASK], env=os.environ | asked | more, cwd=tmp_path, capture_output=True, text=True
        )
        return done.stdout.split(), done.stderr

    return press


@pytest.mark.parametrize(
    ("line", "room", "attribute"),
    [
        ("fogspiel match ", "games", "GAMES"),
        ("fogspiel play ", "games", "GAMES"),
        ("fogspiel kriegspiel match ", "kriegspiel.engines", "ENGINES"),
        ("fogspiel kriegspiel round-robin fog ", "kriegspiel.engines", "ENGINES"),
        ("fogspiel tune batawaf --method ", "tuning.methods", "METHODS"),
        ("fogspiel paper ", "papers", "EXPERIMENTS"),
    ],
)
def test_names_of_a_room_are_offered(complete, line, room, attribute):
    assert complete(line) == list(collect(room, attribute))


def test_only_what_begins_so_is_offered(complete):
    assert complete("fogspiel show ku") == ["kuhn"]
    assert complete("fogspiel solve kuhn --method lem") == ["lemke-howson"]
    assert complete("fogspiel kriegspiel play --against gr") == ["greedy"]
    assert complete("fogspiel show nosuch") == []


def test_runs_of_the_store_are_offered_the_latest_first(complete, tmp_path):
    assert complete("fogspiel resume ") == [] and not (tmp_path / "runs.db").exists()
    for path in ("runs.db", "other.db"):
        with Store.open(tmp_path / path, write=True) as runs:
            for game in ("war", "nim", *(["pig"] if path == "other.db" else [])):
                runs.create({"game": game, "method": "match"}).close()
    assert complete("fogspiel resume ") == complete("fogspiel export ") == ["nim-1", "war-1"]
    assert complete("fogspiel verify nim") == ["nim-1", "nim"]
    assert complete("fogspiel resume --store other.db p") == ["pig-1"]


@pytest.mark.parametrize(
    ("line", "players"),
    [
        ("fogspiel match pig ", "hold20 hold25 optimal uniform fixed redrawn search"),
        pytest.param("fogspiel match pig hold20 o", "optimal", marks=pytest.mark.thorough),
        pytest.param("fogspiel round-robin batawaf ascending d", "descending", marks=pytest.mark.thorough),
        ("fogspiel exploit kuhn ", "uniform search solved"),
        pytest.param(
            "fogspiel play phantom-ponnuki-4x4 --against ", "monte-carlo uniform search", marks=pytest.mark.thorough
        ),
        pytest.param("fogspiel match kriegspiel f", "fog", marks=pytest.mark.thorough),
        pytest.param("fogspiel match nosuch ", "", marks=pytest.mark.thorough),
        pytest.param("fogspiel match --exact guesswho24 God On", "", marks=pytest.mark.thorough),
        ("fogspiel match --exact guesswho24 God ON", "ONL ONL-printed"),
    ],
)
def test_players_of_the_game_are_offered(complete, line, players):
    assert complete(line) == players.split()


def test_runs_that_can_play_the_game_are_offered_too(complete, tmp_path):
    with Store.open(tmp_path / "runs.db", write=True) as runs:
        for game, method in (("pig", "auto"), ("pig", "match"), ("nim", "auto"), ("pig", "solve")):
            runs.create({"game": game, "method": method}).close()
    assert complete("fogspiel match pig pig") == ["pig-3", "pig-1"]
    assert complete("fogspiel match pig o") == ["optimal"]


def test_players_of_plug_ins_are_offered(complete, tmp_path):
    (tmp_path / "mine" / "games").mkdir(parents=True)
    assert complete("fogspiel match pig o", FOGSPIEL_PLUGINS=str(tmp_path / "mine")) == ["optimal"]


def test_nothing_is_said_of_a_damaged_store_or_a_missing_plug_in_folder(complete, tmp_path):
    (tmp_path / "runs.db").write_bytes(b"no store")
    assert complete("fogspiel resume ") == []
    assert complete("fogspiel match ", FOGSPIEL_PLUGINS=str(tmp_path / "none")) == []


def test_plug_ins_are_offered_too(complete, tmp_path):
    methods = tmp_path / "mine" / "tune" / "methods"
    methods.mkdir(parents=True)
    (methods / "mine.py").write_text('def mine(arena):\n    """Mine."""\n\n\nMETHODS = {"mine": mine}\n')
    offered = complete("fogspiel tune batawaf --method mi", FOGSPIEL_PLUGINS=str(tmp_path / "mine"))
    assert offered == ["mine"]
