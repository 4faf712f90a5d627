"""A game without a perfect opponent is solved on request, and the solution is its first opponent then."""

import time
from contextlib import suppress

import pytest
from support.own_game import OWN_RPS
from support.web_client import begin, open_client

from fogspiel.core.find import load_game
from fogspiel.runs.kind import Context, execute
from fogspiel.runs.kinds.solve import task_of
from fogspiel.runs.requests import SolveRequest
from fogspiel.runs.store import Store
from fogspiel.solving.methods import tree

SECONDS = 120


@pytest.fixture
def client(tmp_path):
    """A client of a site to which the user has brought a small game."""
    (tmp_path / "mine.py").write_text(OWN_RPS, encoding="utf-8")
    load_game(f"{tmp_path / 'mine.py'}:own-rps-half")
    with open_client(tmp_path) as client:
        yield client


@pytest.mark.thorough
def test_a_small_game_is_solved_on_request_and_played_against_its_solution(client):
    place = "/api/games/own-rps-half/solving"
    offered = client.get(place).json()
    assert offered["offered"] and not offered["solved"] and "about 13 histories" in offered["words"]
    assert 'id="solving"' in client.get("/games/own-rps-half").text
    answer = client.post(place)
    assert answer.status_code == 201 and answer.json()["run"] == "own-rps-half-1"
    assert client.post(place).json()["run"] == "own-rps-half-1"
    give_up = time.monotonic() + SECONDS
    while not (now := client.get(place).json())["solved"]:
        assert time.monotonic() < give_up and now["run"] == "own-rps-half-1" and not now["offered"], now
        time.sleep(0.3)
    first = client.get("/api/games/own-rps-half/opponents").json()["opponents"][0]
    assert (first["words"], first["kind"], first["level"]) == ("own-rps-half-1", "solution", "perfect")
    assert first["title"] == "exact solution (own-rps-half-1)"
    assert 'id="solving"' not in client.get("/games/own-rps-half").text
    assert client.post(place).status_code == 422
    assert begin(client, game="own-rps-half", against=first["words"], side=1)["choices"]


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["war4", "permutation-four", "kriegspiel"])
def test_a_game_that_is_too_large_is_refused_in_a_sentence(client, game):
    place = f"/api/games/{game}/solving"
    found = client.get(place).json()
    assert not found["offered"] and "too many" in found["words"] and found["run"] is None
    assert client.post(place).status_code == 422 and client.get("/api/runs").json() == {"runs": []}


def test_a_game_with_a_perfect_opponent_is_solved_already(client):
    assert client.get("/api/games/kuhn/solving").json()["solved"]
    assert 'id="solving"' not in client.get("/games/kuhn").text
    assert client.get("/api/games/nosuch/solving").status_code in (404, 422)
    assert client.post("/api/games/own.py/solving").status_code in (404, 422)


def test_a_proof_of_bounds_is_not_offered_as_an_opponent(client):
    offered = client.get("/api/games/phantom-ponnuki-3x3/opponents").json()["opponents"]
    assert offered and "solved" not in {opponent["words"] for opponent in offered}
    answer = client.post("/api/play", json={"game": "phantom-ponnuki-3x3", "against": "solved", "side": 0})
    assert answer.status_code == 422 and "no solution of phantom-ponnuki-3x3" in answer.json()["error"]


def test_a_run_at_work_says_what_the_solver_is_at(tmp_path):
    """The remark that is kept with the state of a route, and its bounds where it has any."""
    place = "/api/games/leduc-13/solving"
    with open_client(tmp_path) as client, Store.open(tmp_path / "runs.db", write=True) as store:
        run = store.create(SolveRequest("leduc-13").to_json())
        assert client.get(place).json()["words"] == "Run leduc-13-1 is at work."
        run.save_partial({"state": "", "remark": "simplex, 2000 iterations"})
        assert words_when_read(client, place, "iterations") == "Run leduc-13-1 is at work: simplex, 2000 iterations."
        run.save_partial({"state": "", "remark": "pcfr+, 64 iterations", "lower": -0.25, "upper": -0.125})
        bounds = "; the value lies between -0.25 and -0.125, a gap of 0.12."
        assert words_when_read(client, place, "gap") == f"Run leduc-13-1 is at work: pcfr+, 64 iterations{bounds}"
        assert client.get("/api/runs/leduc-13-1/steps").json()["now"]["words"] == "pcfr+, 64 iterations"


def words_when_read(client, place, part):
    """What is said of a solve once this part of it has been read."""
    give_up = time.monotonic() + 10
    while part not in (words := client.get(place).json()["words"]) and time.monotonic() < give_up:
        time.sleep(0.1)
    return words


@pytest.mark.parametrize(("game", "solver", "bounded"), [("leduc", "lp", False), ("kuhn", "pcfr+", True)])
def test_what_a_solver_says_is_kept_with_its_state_and_it_goes_on_from_there(
    tmp_path, monkeypatch, game, solver, bounded
):
    monkeypatch.setattr("fogspiel.runs.kind.KEEP_SECONDS", 0.0)
    monkeypatch.setattr(tree, "SLICE", 50)
    results, interrupted = [], []

    def interrupt(progress):
        if "iterations" in progress.text and not interrupted:
            interrupted.append(progress)
            raise KeyboardInterrupt

    with Store.open(tmp_path / "runs.db", write=True) as store:
        task = task_of(SolveRequest(game, solver, gap=1e-4))
        for watch in (lambda progress: None, interrupt):
            run = store.create(task.ask)
            with suppress(KeyboardInterrupt):
                execute(run, Context(tmp_path / "runs.db", on_progress=watch))
            if run.result is None:
                kept = run.partial()
                assert "iterations" in kept["remark"] and ("lower" in kept) == bounded
                execute(run, Context(tmp_path / "runs.db"))
            results.append(run.result)
    assert interrupted and results[0] == results[1]
