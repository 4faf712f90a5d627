"""Results, strategies and The Resistance over the API and as pages."""

import csv
import io
import json
from fractions import Fraction

import pytest
from support.web_client import open_client, wait_for_work

from fogspiel.core.explain import TextChart
from fogspiel.resistance.explain import plan_lines
from fogspiel.resistance.game import SETUPS
from fogspiel.resistance.linear_program import TABLES
from fogspiel.resistance.pages import plan_json
from fogspiel.runs.kind import Context, execute
from fogspiel.runs.kinds.solve import task_of
from fogspiel.runs.requests import RoundRobinRequest, SolveRequest
from fogspiel.runs.store import Store
from fogspiel.web.pages.strategies import heat_map


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    path = folder / "runs.db"
    with Store.open(path, write=True) as store:
        execute(store.create(task_of(SolveRequest("kuhn")).ask))
        asked = RoundRobinRequest("pig", ("hold20", "hold25", "uniform"), 200)
        execute(store.create(asked.to_json()), Context(path))
        store.create({"game": "table2", "method": "paper", "fogspiel": "0.0.1"}).append("result", {"rows": 0})
    with open_client(folder) as client:
        yield client


@pytest.mark.thorough
def test_finished_results_are_listed(client):
    found = {result["run"]: result for result in client.get("/api/results").json()["results"]}
    assert found["kuhn-1"]["kind"] == "solution" and found["kuhn-1"]["score"] == pytest.approx(-1 / 18)
    assert found["pig-1"]["kind"] == "tournament" and "/runs/pig-1" in client.get("/results").text


def test_a_result_page_draws_the_report_with_tables_and_charts(client):
    page = wait_for_work(client, "/results/pig-1").text
    assert "Cross-table" in page and "Nash average" in page and page.count('class="chart"') == 4
    assert "exactly -1/18" in wait_for_work(client, "/results/kuhn-1").text


def test_a_table_of_a_result_can_be_downloaded(client):
    report = wait_for_work(client, "/api/results/pig-1").json()
    (pairs,) = [part["table"] for part in report["parts"] if part.get("table", {}).get("name") == "pairs"]
    lines = list(csv.reader(io.StringIO(client.get("/api/results/pig-1/pairs.csv").text)))
    assert lines[0] == pairs["columns"] and len(lines) == len(pairs["rows"]) + 1
    rows = client.get("/api/results/pig-1/pairs.json").json()["rows"]
    assert rows[0] == dict(zip(pairs["columns"], pairs["rows"][0], strict=True))
    assert client.get("/api/results/pig-1/nothing.csv").status_code == 404


def test_a_result_that_cannot_be_shown_says_why(client):
    assert "made by fogspiel 0.0.1" in wait_for_work(client, "/api/results/table2-1").json()["error"]
    assert client.get("/api/results/pig-9").status_code == 404 and client.get("/results/pig-9").status_code == 404


def test_pages_with_charts_have_the_policy_of_all_pages_and_carry_the_numbers(client):
    page = wait_for_work(client, "/results/pig-1")
    assert page.headers["content-security-policy"] == client.get("/runs").headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    blocks = page.text.split('type="application/json" ')[1:]
    drawn = [json.loads(block.partition(">")[2].partition("</script>")[0]) for block in blocks]
    assert drawn and all(chart["series"] and chart["kind"] in ("line", "dots", "bars") for chart in drawn)


def test_a_strategy_is_told_in_words_and_pictures(client):
    page = wait_for_work(client, "/strategies/pig?player=optimal").text
    assert "has the best chance to win in every position" in page and 'class="heatmap"' in page
    body = wait_for_work(client, "/api/strategies/pig?player=25").json()
    assert "25" in body["sentences"][0] and body["tables"][0]["columns"] == ["against", "score"]
    browser = wait_for_work(client, "/strategies/kuhn?player=kuhn-1").text
    assert 'value="0.6666666666666666" aria-label="pass">2/3</meter>' in browser and "after pass in 1" in browser
    assert "weighs it at once" in wait_for_work(client, "/strategies/kriegspiel?player=C").text


def test_a_strategy_that_is_none_is_refused_in_a_sentence(client):
    for player in ("nobody", "/etc/passwd", "x.json"):
        answer = client.get("/api/strategies/pig", params={"player": player})
        assert answer.status_code == 422 and "is not a player of pig" in answer.json()["error"]
    assert client.get("/api/strategies/chess?player=x").status_code == 422
    assert client.get("/api/strategies/pig?player=pig-77").status_code == 404
    assert client.get("/strategies/pig?player=pig-1").status_code == 422


def test_every_game_with_strategies_is_listed(client):
    listed = {line["game"]: line["players"] for line in client.get("/api/strategies").json()["games"]}
    assert "optimal" in listed["pig"] and "C" in listed["kriegspiel"] and "kuhn" not in listed
    page = client.get("/strategies").text
    assert all(f"/strategies/{name}?player=" in page for name in listed) and "kuhn-1" in page


def test_a_heat_map_shades_by_share_and_shows_what_is_missing_as_empty():
    picture = TextChart("", (), ("a",), ("1", "2", "3"), ((0.0, 0.5, None),))
    assert heat_map(picture).rows == [("a", [("0", 0), ("50", 9), ("", 0)])]
    order = TextChart("", (), ("a",), ("1", "2"), ((1.0, 9.0),))
    assert heat_map(order).rows == [("a", [("1", 0), ("9", 9)])]


@pytest.mark.parametrize("number", list(TABLES))
def test_the_plan_for_the_resistance_has_a_mission_of_the_right_size_for_every_situation(number):
    plan, setup = plan_json(number), SETUPS[number]
    assert len(plan["steps"]) == 19 and plan["steps"][0]["send"] == list(TABLES[number][""])
    for step in plan["steps"]:
        assert len(set(step["send"])) == setup.sizes[step["round"] - 1] and max(step["score"]) < setup.points
    assert plan["wins"] in plan_lines(SETUPS[number], Fraction(plan["wins"]))[0]


def test_the_plan_says_what_the_words_of_the_solution_say():
    steps = {step["outcomes"]: " ".join(step["send"]) for step in plan_json(5)["steps"]}
    text = "\n".join(plan_lines(SETUPS[5], Fraction(3, 10)))
    three = [steps[outcomes] for outcomes in ("++", "++-", "++--")]
    first, second, third = three
    assert f"round 3: {first}; if it is sabotaged, round 4: {second}; if it is sabotaged, round 5: {third}" in text
    then = [steps[outcomes] for outcomes in ("--", "--+", "--++")]
    assert f"round 3: {then[0]}, then round 4: {then[1]}, then round 5: {then[2]}" in text


def test_the_resistance_is_shown_for_both_sides(client):
    page = client.get("/resistance/5").text
    assert "3/10 = 30.0 %" in page and page.count("data-outcomes=") == 19
    assert "let it pass" in wait_for_work(client, "/resistance/5?side=spies").text
    assert wait_for_work(client, "/api/resistance/6/spies").json()["value"] == "-1/3"
    assert client.get("/resistance/4").status_code == 422 and client.get("/api/resistance/14").status_code == 422
