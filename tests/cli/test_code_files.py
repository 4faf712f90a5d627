"""Python files are run only if the user names them: never because a certificate, a store or a page does."""

import json
import re
from itertools import product

import pytest
from fastapi.testclient import TestClient
from support.certificates import reseal
from support.levels import default_cases
from support.own_game import OWN_RPS

from fogspiel.runs import request
from fogspiel.runs.kinds import solve as solving
from fogspiel.runs.kinds.solve import solve_unstored, task_of
from fogspiel.runs.request import StoredAgent
from fogspiel.runs.requests import MatchRequest as Match
from fogspiel.runs.requests import RoundRobinRequest as RoundRobin
from fogspiel.runs.requests import SolveRequest
from fogspiel.runs.requests import TuneRequest as Tuning
from fogspiel.runs.store import Store
from fogspiel.runs.store.rows import fault_of_request
from fogspiel.web.app import application, guard

HOST = "127.0.0.1:8000"


@pytest.fixture
def trace(tmp_path):
    """A file that is there once the rules in `own.py` have been run."""
    (tmp_path / "own.py").write_text(f"{OWN_RPS}\nopen({str(tmp_path / 'trace')!r}, 'w')\n")
    return tmp_path / "trace"


@pytest.fixture
def unfinished(tmp_path, trace):
    """A solve of rules in a Python file that was interrupted at once."""
    ask = task_of(SolveRequest(f"{tmp_path / 'own.py'}:own-rps-half")).ask
    with Store.open(tmp_path / "runs.db", write=True) as store:
        name = store.create(ask).name
    trace.unlink()
    return name


def certificate(tmp_path, name):
    """A true certificate but for the name of the game."""
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(solve_unstored(SolveRequest("rps-half")).certificate | {"game": name}))
    return path


@pytest.mark.parametrize("form", ["{}", "{}:own-rps-half", "openspiel:{}", "{}:x.efg"])
def test_a_certificate_does_not_choose_what_is_run(tmp_path, trace, refused, form):
    proof = certificate(tmp_path, form.format(tmp_path / "own.py"))
    refused("verify", proof, because=("there is no game", "--source FILE"))
    refused("explain", proof, because=("there is no game", "--source FILE"))
    assert not trace.exists()


FOREIGN = [
    ("match", "rps-half", "FILE", "uniform", "--games", "4"),
    ("match", "rps-half", "uniform", "FILE", "--exact"),
    ("exploit", "rps-half", "FILE"),
    ("exploit", "rps-half", "uniform", "FILE"),
    ("play", "rps-half", "--against", "FILE"),
    ("explain", "rps-half", "FILE"),
    ("round-robin", "rps-half", "FILE", "uniform", "--games", "4"),
    ("diagnose", "FILE"),
    ("resume", "FILE"),
    ("export", "FILE"),
    ("values", "FILE", "--verify"),
    ("bounds", "FILE"),
]


@pytest.mark.parametrize("words", default_cases(FOREIGN[::3], FOREIGN), ids=" ".join)
def test_no_command_runs_what_a_file_names(tmp_path, trace, fogspiel, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    true = solve_unstored(SolveRequest("rps-half")).certificate
    files = {
        "certificate.json": true,
        "rules.json": true | {"rules": "own.py"},
        "format.json": true | {"format": "own.py"},
        "table.json": {"format": "fogspiel policy 1", "rows": []},
        "parameters.json": {"theta": [0.0]},
    }
    for name, body in files.items():
        for game in ("own.py", "own.py:own-rps-half", f"{tmp_path / 'own.py'}", "openspiel:own.py"):
            (tmp_path / name).write_text(json.dumps(reseal(body | {"game": game})), encoding="utf-8")
            assert fogspiel(*(name if word == "FILE" else word for word in words)).returncode == 2
            assert not trace.exists()


def test_a_relative_name_is_not_read_either(tmp_path, trace, refused, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused("verify", certificate(tmp_path, "own.py"), because="--source FILE")
    assert not trace.exists()


def test_the_user_chooses_what_is_run(tmp_path, trace, answer):
    source = f"{tmp_path / 'own.py'}:own-rps-half"
    proof = answer("solve", source, "--certificate", tmp_path / "proof.json")["certificate"]
    trace.unlink()
    assert answer("verify", proof, "--source", source)["valid"] and trace.exists()


def test_a_run_of_rules_in_a_python_file_goes_on_only_if_the_file_is_named(
    tmp_path, trace, unfinished, refused, answer
):
    source = f"{tmp_path / 'own.py'}:own-rps-half"
    refused("resume", unfinished, because=("Python code", f"fogspiel resume {unfinished} --source {source}"))
    assert not trace.exists() and answer("runs")["runs"][0]["state"] == "interrupted"
    assert answer("resume", unfinished, "--source", source)["value"] == "0" and trace.exists()


def test_a_python_file_must_be_the_one_that_was_solved(tmp_path, unfinished, fogspiel):
    own = tmp_path / "own.py"
    outcome = fogspiel("resume", unfinished, "--source", f"{own}:own-rps")
    assert outcome.returncode == 2 and "solves own-rps-half, but --source names own-rps" in outcome.stderr
    own.write_text(own.read_text() + "\n")
    outcome = fogspiel("resume", unfinished, "--source", f"{own}:own-rps-half")
    assert outcome.returncode == 2 and "it can be exported, but not resumed" in outcome.stderr


def test_an_interruption_says_to_name_the_python_file_again(tmp_path, unfinished, fogspiel, monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(solving, "task_of_run", interrupted)
    source = f"{tmp_path / 'own.py'}:own-rps-half"
    outcome = fogspiel("resume", unfinished, "--source", source, "--json")
    assert outcome.returncode == 130
    assert json.loads(outcome.stdout)["resume"] == f"fogspiel resume {unfinished} --source {source}"


def test_the_rules_of_the_package_are_not_named(tmp_path, refused):
    with Store.open(tmp_path / "runs.db", write=True) as store:
        name = store.create(Tuning("pig", games=10).to_json()).name
    refused("resume", name, "--source", "own.py", because=(name, "leave out --source"))


def test_a_stored_certificate_does_not_choose_what_is_run(tmp_path, trace, refused):
    task = task_of(SolveRequest("rps-half"))
    with Store.open(tmp_path / "runs.db", write=True) as store:
        run = store.create(task.ask)
        result = solve_unstored(SolveRequest("rps-half")).to_json()
        result["certificate"]["game"] = f"{tmp_path / 'own.py'}:own-rps-half"
        run.append("result", result)
        name = run.name
    refused("explain", name, because="--source FILE")
    app = application(tmp_path / "runs.db", tmp_path / "games.db")
    with TestClient(guard(app, frozenset({HOST})), base_url=f"http://{HOST}") as client:
        for place in ("/api/strategies", "/strategies"):
            page = client.get(f"{place}/rps-half", params={"player": name})
            assert page.status_code == 422 and "not for rps-half" in page.text
    assert not trace.exists()


@pytest.mark.parametrize("form", ["{}", "{}:own-rps", "openspiel:{}"])
def test_a_stored_run_does_not_choose_what_is_run(tmp_path, trace, fogspiel, monkeypatch, form):
    name = form.format(tmp_path / "own.py")
    asks = [Tuning("pig", games=10).to_json(), task_of(SolveRequest("rps")).ask]
    changes = [{"game": name, "source": name}, {"source": name}]
    for ask, changed in product(asks, changes):
        with monkeypatch.context() as stranger, Store.open(tmp_path / "runs.db", write=True) as store:
            stranger.setattr(request, "FILE_NAME", re.compile(".+"))
            stored = store.create(ask | changed | {"rules": "sha256 0"}).name
        fault_of_request.cache_clear()
        for command in ("resume", "diagnose"):
            assert fogspiel(command, stored).returncode == 2
    assert not trace.exists()


def test_a_stored_player_does_not_choose_what_is_run(tmp_path, fogspiel):
    words, trace = f"{tmp_path / 'policy.py'}:play", tmp_path / "played"
    (tmp_path / "policy.py").write_text(f"open({str(trace)!r}, 'w')\n\n\ndef play(state):\n    return {{0: 1}}\n")
    match = Match("kuhn", StoredAgent(words, {}), StoredAgent("uniform", {}), games=20).to_json()
    many = RoundRobin("kuhn", (StoredAgent(words, {}), StoredAgent("uniform", {})), 20, 1).to_json()
    for ask in (match, many):
        with Store.open(tmp_path / "runs.db", write=True) as store:
            name = store.create(ask).name
        outcome = fogspiel("resume", name, "--store", tmp_path / "runs.db")
        assert outcome.returncode == 2 and "is run only where you name it" in outcome.stderr
        assert not trace.exists()


@pytest.mark.thorough
def test_a_function_that_the_user_names_plays_in_matches_and_tournaments(tmp_path, answer):
    (tmp_path / "policy.py").write_text("def play(state):\n    return {state.actions[0]: 1}\n")
    words, store = f"{tmp_path / 'policy.py'}:play", ("--store", tmp_path / "runs.db")
    assert answer("match", "kuhn", words, "uniform", "--games", 40, *store)["games"] == 40
    found = answer(
        "round-robin", "kuhn", words, "uniform", "solved", "--games", 40, "--output", tmp_path / "out", *store
    )
    assert found["state"] == "finished"
