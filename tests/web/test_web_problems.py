"""The page of problems: the worst answers come back, and the solution only when it is asked for."""

import json

import pytest
from support.web_client import open_client, wait_for_work

from fogspiel.kriegspiel.problems import shipped_problems
from fogspiel.kriegspiel.problems.solution import solve
from fogspiel.kriegspiel.problems.solver import Solver

pytestmark = pytest.mark.thorough

PROBLEMS = shipped_problems()


@pytest.fixture
def client(tmp_path):
    with open_client(tmp_path) as client:
        yield client


def ask(client, path, attempts):
    """The answer when it has been worked out."""
    while (answer := client.post(path, json={"attempts": attempts})).status_code == 429:
        pass
    return answer


def test_the_list_links_every_problem(client):
    page = client.get("/problems")
    assert page.status_code == 200
    assert all(f'href="/problems/{number}"' in page.text for number in range(1, len(PROBLEMS) + 1))
    listed = client.get("/api/problems").json()["problems"]
    assert [problem["mate_in"] for problem in listed] == [problem.mate_in for problem in PROBLEMS]


def test_the_hints_lead_to_mate_against_the_worst_answers(client):
    attempts = []
    while not (scene := ask(client, "/api/problems/1", attempts).json())["over"]:
        attempts.append(ask(client, "/api/problems/1/hint", attempts).json()["attempt"])
    assert scene["solved"] and [heard["attempt"] for heard in scene["heard"]] == attempts
    assert ask(client, "/api/problems/1", [*attempts, attempts[0]]).status_code == 422


def test_neither_the_page_nor_a_scene_tells_the_solution(client):
    """What is sent is the same for an attempt whether or not it is the key: what may be tried, and what was heard."""
    key = solve(PROBLEMS[0], Solver()).keys[0]
    scene = ask(client, "/api/problems/1", []).json()
    labels = [choice["label"] for choice in scene.pop("choices")]
    assert key in labels and labels.count(key) == 1
    for told in (json.dumps(scene), client.get("/problems/1").text, client.get("/api/problems").text):
        assert key not in told and "tree" not in json.dumps(scene)
    solution = wait_for_work(client, "/api/problems/1/solution").json()
    assert solution["tree"]["attempt"] == key and solution["lines"][0] == f"1. {key}"


def test_what_cannot_be_tried_is_said_in_a_sentence(client):
    for attempts, sentence in ((["e9e9"], "is not a move"), (["a1a1"], "a1a1"), (["x" * 9], "at most 5 letters")):
        wrong = ask(client, "/api/problems/1", attempts)
        assert wrong.status_code == 422 and sentence in wrong.json()["error"]
    for path in ("/problems/99", "/api/problems/99/solution"):
        assert client.get(path).status_code == 404 and "1 to 12" in client.get(path).text
