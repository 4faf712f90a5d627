"""A slice is a folder: one that the user drops in works, and the package works without one of its own."""

import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import fogspiel
from fogspiel.core import plugins
from fogspiel.core.find import is_tree

PACKAGE, TESTS = Path(fogspiel.__file__).parent, Path(__file__).parent
DRIVER = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from fogspiel import cli

def run(line):
    out, errors = io.StringIO(), io.StringIO()
    sys.argv = ["fogspiel", *line.split()]
    with redirect_stdout(out), redirect_stderr(errors):
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
    return code, out.getvalue() if code == 0 else errors.getvalue()

asked = json.load(sys.stdin)
told = {line: run(line) for line in asked["lines"]}
if asked["paths"]:
    from support.web_client import open_client
    with open_client(Path.cwd()) as client:
        told |= {path: (client.get(path).status_code, client.get(path).text) for path in asked["paths"]}
print(json.dumps([cli.__file__, told]))
"""
IMPORT_ALL = """
import sys
from importlib import import_module
from pkgutil import walk_packages

for module in walk_packages(sys.argv[1:], "fogspiel."):
    if not module.name.endswith("__main__"):
        assert import_module(module.name).__file__.startswith(sys.argv[1])
"""
GAME = '''"""Odds and evens: both show a number of fingers; the first player wins if the sum is even."""

from ...core.compile.kernel import kernel
from ...core.game import OVER, Game, Rules, Sizes


@kernel
def start(state):
    state[0] = state[1] = -1


@kernel
def mover(state):
    return 0 if state[0] < 0 else 1 if state[1] < 0 else OVER


@kernel
def legal(state, out):
    out[0] = 0
    out[1] = 1
    return 2


@kernel
def apply(state, action):
    state[0 if state[0] < 0 else 1] = action


@kernel
def view(state, player, out):
    out[0] = state[player]


@kernel
def score(state):
    return 2 if state[0] == state[1] else 0


GAMES = (
    Game(
        name="odds-and-evens",
        title="Odds and evens",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        sizes=Sizes(state=2, view=1, actions=2),
        show=lambda seen: f"your fingers: {int(seen[0]) + 1}",
        reveal=lambda state: str(state.tolist()),
        label=lambda action: f"{action + 1}",
        source="folklore",
    ),
)
'''
SLICE = {
    "game/x.py": GAME,
    "tune_methods/x.py": '''"""A method that stays where it is."""

from ...tuning.contest import Step


def standstill(arena):
    """Play the starting point against a random one, and stay there."""
    while True:
        arena.play_newcomer(arena.start, arena.gaussians(1))
        yield Step(arena.start, True)


METHODS = {"standstill": standstill}
''',
    "solve_methods/x.py": '''"""The linear program by another name."""

from ...solving.methods import SolveMethod, find_solve_method


def solve(source, options, saved):
    return (yield from find_solve_method("lp").solve(source, options, saved))


METHODS = (SolveMethod("slow-lane", solve, "The linear program by another name.", exact=True),)
''',
    "engines/x.py": '''"""An engine that tries its last attempt first."""

from ...kriegspiel.engine import Engine


class LastFirst(Engine):
    """Tries the last attempt of the list."""

    def attempt(self, seen, actions):
        return int(actions[-1])


ENGINES = {"last-first": LastFirst}
''',
    "kinds/x.py": '''"""Counting to a number."""

from ...runs.kind import Kind


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
    "commands/x.py": '''"""fogspiel count."""

from ...cli.app import AsJson, StorePath, app
from ...cli.execute import RunOptions, begin_and_show


@app.command()
def count(games: int = 3, store: StorePath = None, as_json: AsJson = False) -> None:
    """Count to a number, and keep it as a run."""
    begin_and_show({"game": "numbers", "method": "count", "games": games, "fogspiel": "1"}, RunOptions(store, as_json))
''',
    "pages/x.py": '''"""Tells that it is late."""

from fastapi import Request

from ...core.page_contract import PageSite

PATH, TITLE = "/clock", "Clock"


def add_to(site: PageSite) -> None:
    """Add the page."""

    @site.routes.get(PATH, include_in_schema=False)
    def page(request: Request):
        return site.page(request, "clock.html")
''',
    "templates/clock.html": '{% extends "base.html" %}{% block main %}<p>it is late</p>{% endblock %}',
    "papers/x.py": '''"""The squares of small numbers."""

from ...papers.kinds import Computation, Computed


def compute(options, say):
    return Computed({"squares": [number * number for number in range(4)]}, ["0, 1, 4, 9"])


EXPERIMENTS = (Computation("squares", "ours", compute),)
''',
    "agents/x.py": '''"""A strategy under another name, with a number behind it."""

from ...core.agents import find_policy
from ...runs.agent_parser import AgentSource


def find(game, text, store, seed):
    return find_policy(game, "uniform") if text.startswith("twin") else None


SOURCES = (AgentSource("twins", find, lambda game: ["twin1"]),)
''',
    "checkers/x.py": '''"""Certificates that prove nothing but what they claim."""

from ...solving.proofs.checkers.primitives import fraction

FORMAT = "a promise 1"


def verify(body):
    value = fraction(body["value"], "the value")
    return value, value
''',
}
PROMISE = {"format": "a promise 1", "game": "odds-and-evens", "value": "1/2"}


def ask(folder, lines, paths=(), package=PACKAGE, plugged=""):
    """The answers to command lines and requests of pages, all of one process that imports the package from there."""
    places = os.pathsep.join([str(package.parent), str(TESTS)])
    environment = os.environ | {
        "PYTHONPATH": places,
        plugins.VARIABLE: str(plugged),
        "FOGSPIEL_STORE": str(folder / "runs.db"),
        "COLUMNS": "200",
    }
    words = json.dumps({"lines": lines, "paths": paths})
    ran = subprocess.run(
        [sys.executable, "-c", DRIVER], input=words, env=environment, cwd=folder, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    place, told = json.loads(ran.stdout)
    assert package in Path(place).parents
    for line, (code, text) in told.items():
        assert code in (0, 200), (line, text)
    return {line: json.loads(text) if line.endswith("--json") else text for line, (code, text) in told.items()}


def drop(folder, files):
    for place, text in files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    return folder


def test_one_file_of_each_sort_works_in_a_slice_of_the_users(tmp_path):
    drop(tmp_path / "plugged" / "own", SLICE)
    (tmp_path / "promise.json").write_text(json.dumps(PROMISE))
    sorts = {room.in_slice for room in plugins.ROOMS.values()} - {"readers"}  # suffixes of files are still fixed
    assert {place.partition("/")[0] for place in SLICE} == sorts | {"templates"}
    lines = (
        "--help",  # first: what helps list is collected when commands are loaded
        "games",
        "match odds-and-evens twin1 uniform --games 100 --json",
        "tune --help",
        "tune nim --method standstill --games 2000 --report-games 100 --json",
        "solve --help",
        "solve odds-and-evens --method slow-lane --exact --json",
        "kriegspiel match last-first random --games 2 --nodes 1 --max-plies 10 --processes 1 --json",
        "kriegspiel engines",
        "count --games 4",
        "runs --json",
        "paper squares --json",
        "verify promise.json --json",
    )
    told = ask(tmp_path, lines, ("/clock", "/"), plugged=tmp_path / "plugged")
    values = list(told.values())
    assert "Odds and evens" in told["games"]
    assert (values[2]["games"], values[2]["first"]) == (100, "twin1")
    assert "Play the starting point against a random one" in told["tune --help"]
    assert values[4]["steps"] > 0
    assert "The linear program by another name" in told["solve --help"]
    assert (values[6]["value"], values[6]["exact"]) == ("1/2", True)
    assert values[7]["games"] == 2 and "Tries the last attempt of the list" in told["kriegspiel engines"]
    assert "Counted to 4." in told["count --games 4"]
    assert any(run["method"] == "count" for run in told["runs --json"]["runs"])
    assert told["paper squares --json"] == {"squares": [0, 1, 4, 9]}
    assert told["verify promise.json --json"]["valid"]
    assert "Count to a number, and keep it as a run." in told["--help"]
    assert "it is late" in told["/clock"] and 'href="/clock" title="Tells that it is late."' in told["/"]


READER = {
    "cards/readers/x.py": '''"""Tables of numbers: a line for each row, a payoff of the first player for each column."""

from fractions import Fraction
from pathlib import Path

from ...core.find import digest_of_file
from ...solving.sources import TreeSource
from ...solving.tree.builder import TreeBuilder


def read(file, most):
    rows = [line.split() for line in file.read_text().splitlines()]
    names = [str(place + 1) for place in range(max(map(len, rows)))]
    plant = TreeBuilder(str(file), most, "line 1")
    plant.add_decision(0, 0, "rows", names[: len(rows)])
    for row in rows:
        plant.add_decision(1, 0, "columns", names)
        for cell in row:
            plant.add_leaf((Fraction(cell), -Fraction(cell)), "a cell")
    return plant.described(file.stem, ("rows", "columns"))


def table_source(words):
    file = Path(words)
    return TreeSource(file.stem, digest_of_file(file), words, lambda most, watch: read(file, most))


READERS = {".table": table_source}
''',
}


@pytest.mark.thorough
def test_a_reader_of_a_new_suffix_makes_its_files_games(tmp_path, monkeypatch):
    drop(tmp_path / "plugged", READER)
    (tmp_path / "pennies.table").write_text("1 -1\n-1 2\n")
    lines = (
        "solve pennies.table --exact --json",
        "solve pennies.table --exact --certificate proof.json",
        "verify proof.json --game pennies.table --json",
        "match pennies.table uniform uniform --games 20 --json",
        "exploit pennies.table uniform --json",
        "explain proof.json --game pennies.table",
        "check pennies.table --json",
    )
    solved, _, verified, played, measured, _, checked = ask(tmp_path, lines, plugged=tmp_path / "plugged").values()
    assert solved["value"] == "1/5" and verified["valid"] and checked["sound"]
    assert played["games"] == 20 and measured["fractions"]["value"] == "1/4"
    assert not is_tree("pennies.table")  # nobody reads such a file without the plug-in
    monkeypatch.setenv(plugins.VARIABLE, str(tmp_path / "plugged"))
    assert is_tree("pennies.table") and not is_tree("kuhn")
    with pytest.raises(fogspiel.NotFound, match=r"nothing\.table cannot be read"):
        fogspiel.solve("nothing.table")
    monkeypatch.chdir(tmp_path)
    assert fogspiel.solve(Path("pennies.table")).value == Fraction(1, 5)


FORMER = {
    "tune/methods/plain.py": '''"""A method of the package by another name."""

from .evolution import naive

METHODS = {"plain": naive}
''',
    "solve/routes/slow_lane.py": SLICE["solve_methods/x.py"]
    .replace("...solving.methods", ".")
    .replace("METHODS", "ROUTES"),
    "solve/checkers/promise.py": SLICE["checkers/x.py"].replace("...solving.proofs.checkers.", "."),
}


@pytest.mark.thorough
def test_the_folders_and_the_attribute_of_the_first_candidate_are_still_read(tmp_path):
    drop(tmp_path / "plugged", FORMER)
    (tmp_path / "promise.json").write_text(json.dumps(PROMISE))
    lines = (
        "tune nim --method plain --games 2000 --report-games 100 --json",
        "solve kuhn --method slow-lane --exact --json",
        "verify promise.json --json",
    )
    tuned, solved, verified = ask(tmp_path, lines, plugged=tmp_path / "plugged").values()
    assert tuned["method"] == "plain" and tuned["steps"] > 0
    assert solved["value"] == "-1/18" and verified["valid"]


def test_what_is_wrong_in_a_former_folder_is_told_with_its_file(tmp_path, monkeypatch):
    drop(tmp_path, {"tune/methods/broken_way.py": "from ..step import Step"})
    monkeypatch.setenv(plugins.VARIABLE, str(tmp_path))
    with pytest.raises(
        ValueError, match=r"the plug-in \S+tune.methods.broken_way\.py cannot be loaded: ModuleNotFound"
    ):
        plugins.collect("tuning.methods", "METHODS")


@pytest.mark.thorough
@pytest.mark.parametrize(("without", "papers_about_it"), [("kriegspiel", ["ciancarini2010"]), ("papers", [])])
def test_the_package_works_without_a_slice(without, papers_about_it, tmp_path):
    package = tmp_path / "elsewhere" / "fogspiel"
    leave_out = shutil.ignore_patterns("__pycache__", without, *papers_about_it)
    shutil.copytree(PACKAGE, package, ignore=leave_out)
    outside = os.environ | {"PYTHONPATH": str(package.parent)}
    subprocess.run([sys.executable, "-c", IMPORT_ALL, str(package)], env=outside, cwd=tmp_path, check=True)
    lines = (
        "--help",
        "games --json",
        "solve kuhn --exact --json",
        "match batawaf descending random --games 2000 --json",
        "tune batawaf --games 2000 --report-games 400 --json",
        "runs --json",
    )
    told = ask(tmp_path, lines, ("/", "/play", "/results", "/runs", "/runs/new"), package=package)
    assert "kriegspiel" in [game["name"] for game in told["games --json"]["games"]] or without == "kriegspiel"
    assert told["solve kuhn --exact --json"]["value"] == "-1/18"
    assert len(told["runs --json"]["runs"]) == 2
    assert without not in told["--help"]


ROOMS = ("core", "stats", "games", "solve", "runs")  # whose tests run without the slices


@pytest.mark.slow
def test_the_other_tests_pass_without_the_slices(tmp_path):
    """Take the folders of two slices and of their tests out of a copy of the tree; nothing else is named here."""
    tree, slices = tmp_path / "tree", ("kriegspiel", "papers")
    shutil.copytree(PACKAGE, tree / "fogspiel", ignore=shutil.ignore_patterns("__pycache__", *slices))
    shutil.copytree(TESTS, tree / "tests", ignore=shutil.ignore_patterns("__pycache__", *slices))
    for path in TESTS.parent.iterdir():
        if path.name in ("benchmarks", "docs") or path.suffix in (".md", ".toml", ".yml", ".cff"):
            (shutil.copytree if path.is_dir() else shutil.copyfile)(path, tree / path.name)
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "2", *(f"tests/{room}" for room in ROOMS)],
        env=outside | {"PYTHONPATH": str(tree)}, cwd=tree, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-6000:]
    assert ran.stdout.count(".") > 1000  # of some 2,000 tests: few need a slice
