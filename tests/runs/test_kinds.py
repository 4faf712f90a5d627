"""Kinds of run, commands, methods and experiments are files: one that is dropped into a plug-in folder works."""

import json
import subprocess

import pytest
from support.commands import COMMAND

from fogspiel.core.plugins import VARIABLE
from fogspiel.runs.kind import UNKNOWN, kind_of_method, kinds
from fogspiel.runs.store import Store

KIND = '''"""Counting to a number."""

from ..execute import Progress
from ..kind import Kind


class Count(Kind):
    """Count to a number, a step at a time."""

    name = title = method = "count"
    has_report = True

    def find(self, run, recorder, context):
        for number in range(1, run.ask["games"] + 1):
            recorder.step({"number": number})
            context.watch(Progress(f"{number}", number / run.ask["games"]))
        return {"score": 1.0, "interval": [1.0, 1.0], "games": run.ask["games"]}

    def summary(self, run):
        return [f"Counted to {len(run.steps)}."]


KINDS = (Count(),)
'''
COUNT = '''"""fogspiel count."""

from ..app import AsJson, StorePath, app
from ..execute import RunOptions, begin_and_show


@app.command()
def count(games: int = 3, store: StorePath = None, as_json: AsJson = False) -> None:
    """Count to a number."""
    begin_and_show({"game": "numbers", "method": "count", "games": games, "fogspiel": "1"}, RunOptions(store, as_json))
'''
EXPERIMENT = '''"""The squares of small numbers."""

from ..runs.execute import Job
from ..runs.report import Report, Table
from .kinds import PaperPart


def square(number):
    return {"square": number * number}


def batches(request):
    yield [Job("squared", square, {"number": number}) for number in range(4)]


def report(request, rows):
    table = Table("squares", "Squares", ("number", "square"), [(row["number"], row["square"]) for row in rows])
    return Report("squares", "Squares", request.command, [], [table])


EXPERIMENTS = (PaperPart("squares", "ours", batches, report),)
'''


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch):
    """The option --plugins sets the variable; after the test it is as before."""
    monkeypatch.setenv(VARIABLE, "")


@pytest.fixture
def plugins(tmp_path):
    folder = tmp_path / "plugins"
    for place, text in (
        ("runs/kinds/count.py", KIND),
        ("cli/commands/count.py", COUNT),
        ("papers/squares.py", EXPERIMENT),
    ):
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.slice("kriegspiel")
@pytest.mark.slice("papers")
def test_the_kinds_of_the_package_are_found_by_the_words_that_are_stored():
    words = {"solve": "solve", "bounds": "bounds", "match": "match", "tournament": "round_robin", "paper": "experiment"}
    for method, name in (words | {"kriegspiel": "kriegspiel", "iterative": "tune", "psro": "tune"}).items():
        assert kind_of_method(method) is kinds()[name]
    assert kind_of_method("magic") is UNKNOWN and kind_of_method(None) is UNKNOWN


def test_a_kind_that_is_dropped_in_is_worked_on_listed_exported_and_resumed(plugins, fogspiel, tmp_path):
    made = fogspiel("--plugins", plugins, "count", "--games", 5, "--json")
    assert json.loads(made.stdout)["run"] == "numbers-1" and json.loads(made.stdout)["games"] == 5
    assert "Counted to 4." in fogspiel("--plugins", plugins, "count", "--games", 4).stdout
    assert "at,value,low,high\n1,,," in fogspiel("--plugins", plugins, "export", "numbers-1", "--format", "csv").stdout
    with Store.open(tmp_path / "runs.db", write=True) as store:
        name = store.create({"game": "numbers", "method": "count", "games": 2, "fogspiel": "1"}).name
    assert json.loads(fogspiel(f"--plugins={plugins}", "resume", name, "--json").stdout)["state"] == "finished"


def test_a_run_of_a_kind_that_is_not_here_is_listed_but_not_worked_on(answer, refused, tmp_path):
    with Store.open(tmp_path / "runs.db", write=True) as store:
        name = store.create({"game": "numbers", "method": "count", "games": 2, "fogspiel": "1"}).name
    assert answer("runs")["runs"][0]["method"] == "count"
    outcome = refused("resume", name, because="name its plug-in")
    assert "the method count" in outcome.stderr


@pytest.mark.thorough
def test_an_experiment_that_is_dropped_in_is_done_and_listed(plugins, fogspiel, tmp_path):
    words = ("--plugins", plugins, "paper")
    found = fogspiel(*words, "squares", "--processes", 1, "--output", tmp_path / "report", "--json")
    assert json.loads(found.stdout)["tables"]["squares"][3] == {"number": 3, "square": 9}
    shown = subprocess.run([*COMMAND, *map(str, words), "--help"], capture_output=True, text=True, check=True)
    assert "squares: The squares of small numbers." in shown.stdout


def test_a_plug_in_folder_must_be_there(fogspiel, tmp_path):
    outcome = fogspiel("--plugins", tmp_path / "nowhere", "games")
    assert outcome.returncode == 2 and "no plug-in folder" in outcome.stderr
