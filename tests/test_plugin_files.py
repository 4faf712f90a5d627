"""One file of each sort, dropped into a folder that the user has named: found, listed with its docstring, working."""

import json
import os
import subprocess

import pytest
from support.commands import COMMAND
from support.web_client import open_client

from fogspiel.core.game import known_game
from fogspiel.core.plugins import VARIABLE
from fogspiel.runs.agent_parser import parse_agent
from fogspiel.web.opponents import demand_page_agent

FILES = {
    "games/pennies.py": '''"""Matching pennies: both show a side of a coin; the first player wins if they are equal."""

import numpy as np

from fogspiel import OVER, Game, Rules, Sizes, kernel

FIRST, SECOND, TURN = 0, 1, 2


@kernel
def start(state):
    state[FIRST] = state[SECOND] = -1
    state[TURN] = 0


@kernel
def mover(state):
    return state[TURN] if state[TURN] < 2 else OVER


@kernel
def legal(state, out):
    out[0] = 0
    out[1] = 1
    return 2


@kernel
def apply(state, action):
    state[state[TURN]] = action
    state[TURN] += 1


@kernel
def view(state, player, out):
    out[0] = player
    out[1] = state[player]


@kernel
def score(state):
    return 2 if state[FIRST] == state[SECOND] else 0


def show(seen: np.ndarray) -> str:
    return f"You are player {seen[0] + 1}."


GAMES = (
    Game(
        name="pennies",
        title="Matching pennies",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        sizes=Sizes(state=3, view=2, actions=2),
        show=show,
        reveal=lambda state: str(state.tolist()),
        label=lambda action: ("heads", "tails")[action],
        source="folklore",
    ),
)
''',
    "tuning/methods/standstill.py": '''"""A method that stays where it is."""

from ..contest import Step


def standstill(arena):
    """Play the starting point against a random one, and stay there."""
    while True:
        arena.play_newcomer(arena.start, arena.gaussians(1))
        yield Step(arena.start, True)


METHODS = {"standstill": standstill}
''',
    "solving/methods/slow_lane.py": '''"""The linear program by another name."""

from . import SolveMethod, find_solve_method


def solve(problem, options, saved):
    return (yield from find_solve_method("lp").solve(problem, options, saved))


METHODS = (SolveMethod("slow-lane", solve, "The linear program by another name.", exact=True),)
''',
    "kriegspiel/engines/last_first.py": '''"""An engine that tries its last attempt first."""

from ..engine import Engine


class LastFirst(Engine):
    """Tries the last attempt of the list."""

    def attempt(self, seen, actions):
        return int(actions[-1])


ENGINES = {"last-first": LastFirst}
''',
    "runs/agents/twins.py": '''"""A strategy under another name, with a number behind it."""

from ...core.agents import find_policy
from ..agent_parser import AgentSource


def find(game, text, store, seed):
    return find_policy(game, "uniform") if text.startswith("twin") else None


SOURCES = (AgentSource("twins", find, lambda game: ["twin1", "twin2"], lambda game, text: text in ("twin1", "twin2")),)
''',
    "runs/kinds/count.py": '''"""Counting to a number."""

from ..kind import Kind


class Count(Kind):
    """Count to a number, a step at a time."""

    name = title = method = "count"

    def find(self, run, recorder, context):
        for number in range(1, run.ask["games"] + 1):
            recorder.step({"number": number})
        return {"score": 1.0, "interval": [1.0, 1.0], "games": run.ask["games"]}

    def summary(self, run):
        return [f"Counted to {len(run.steps)}."]


KINDS = (Count(),)
''',
    "cli/commands/count.py": '''"""fogspiel count."""

from ..app import AsJson, StorePath, app
from ..execute import RunOptions, begin_and_show


@app.command()
def count(games: int = 3, store: StorePath = None, as_json: AsJson = False) -> None:
    """Count to a number, and keep it as a run."""
    begin_and_show({"game": "numbers", "method": "count", "games": games, "fogspiel": "1"}, RunOptions(store, as_json))
''',
    "web/pages/clock.py": '''"""Tells that it is late."""

from fastapi import Request

from ..app import Site

PATH, TITLE = "/clock", "Clock"


def add_to(site: Site) -> None:
    """Add the page."""

    @site.routes.get(PATH, include_in_schema=False)
    def page(request: Request):
        return site.plain_page(request, TITLE, "it is late")
''',
}


@pytest.fixture
def plugins(tmp_path):
    for place, text in FILES.items():
        path = tmp_path / "plugins" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "plugins"


@pytest.mark.thorough
def test_one_file_of_each_sort_is_found_listed_and_works(plugins, tmp_path, monkeypatch):
    environment = os.environ | {"FOGSPIEL_STORE": str(tmp_path / "runs.db"), "COLUMNS": "200"}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def run(*words):
        line = [*COMMAND, "--plugins", str(plugins), *map(str, words)]
        ran = subprocess.run(line, cwd=elsewhere, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    assert "Matching pennies" in run("games")
    assert json.loads(run("match", "pennies", "uniform", "uniform", "--games", 100, "--json"))["games"] == 100
    assert json.loads(run("match", "pennies", "twin1", "uniform", "--games", 100, "--json"))["first"] == "twin1"
    assert "Play the starting point against a random one" in run("tune", "--help")
    tuned = run("tune", "nim", "--method", "standstill", "--games", 2000, "--report-games", 100, "--json")
    assert json.loads(tuned)["steps"] > 0
    assert "The linear program by another name" in run("solve", "--help")
    solved = json.loads(run("solve", "pennies", "--method", "slow-lane", "--exact", "--json"))
    assert solved["value"] == "1/2" and solved["exact"]
    assert json.loads(run("verify", solved["certificate"], "--json"))["valid"]
    assert "Tries the last attempt of the list" in run("kriegspiel", "engines")
    match = run("kriegspiel", "match", "last-first", "random", "--games", 2, "--nodes", 1, "--max-plies", 10, "--json")
    assert json.loads(match)["games"] == 2
    assert "Count to a number, and keep it as a run." in run("--help")
    assert "Counted to 4." in run("count", "--games", 4)
    assert any(found["method"] == "count" for found in json.loads(run("runs", "--json"))["runs"])
    monkeypatch.setenv(VARIABLE, str(plugins))
    with open_client(tmp_path) as client:
        assert "it is late" in client.get("/clock").text
        assert 'href="/clock" title="Tells that it is late."' in client.get("/").text


def test_the_current_folder_is_never_searched_by_itself(plugins, tmp_path):
    ran = subprocess.run([*COMMAND, "games"], cwd=plugins, capture_output=True, text=True, check=True)
    assert "Matching pennies" not in ran.stdout


def test_a_source_of_agents_is_asked_listed_and_may_be_named_by_a_page(plugins, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(plugins))
    nim = known_game("nim")
    assert parse_agent(nim, "twin7", tmp_path, 1).name == "uniform"
    demand_page_agent(nim, "twin1")
    with pytest.raises(ValueError, match=r"is not a player of nim: give a name \(twin1, twin2, "):
        demand_page_agent(nim, "twin7")
    with pytest.raises(ValueError, match=r"'triplet' is not a player of nim: give a name \(.*twin1, twin2\), a run"):
        parse_agent(nim, "triplet", tmp_path, 1)
