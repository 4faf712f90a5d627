"""Panels of the tuning of a program: ways, limits, landscapes, and how far the decision has come."""

import pytest
from support.web_client import open_client

PLAY = """
import random

def play(a, b, seed):
    lead = (b["x"] - 7) ** 2 / 20 - (a["x"] - 7) ** 2 / 20 + (a["s"] == "hot") - (b["s"] == "hot")
    return float(random.Random(seed).gauss(lead, 2) > 0)
"""
TOML = '[x]\nstart = 1\nlow = 0\nhigh = 10\n\n[s]\nstart = "cold"\nchoices = ["cold", "hot"]\n'


@pytest.mark.thorough
def test_a_tuning_and_a_match_of_a_program_have_their_panels(answer, tmp_path):
    (tmp_path / "p.toml").write_text(TOML)
    (tmp_path / "hill.py").write_text(PLAY)
    program, store = ("--function", f"{tmp_path / 'hill.py'}:play"), ("--store", tmp_path / "runs.db")
    found = answer("tune", *program, "--parameters", tmp_path / "p.toml", "--games", 1200, *store)
    answer("match", *program, "--from", "function-1", "--sprt", 0, 50, "--games", 200, *store)
    answer("tune", "batawaf", "--method", "iterative", "--games", 500, "--report-games", 100, *store)
    with open_client(tmp_path) as client:
        names = ("function-1", "function-2", "batawaf-1")
        tuned, played, other = (client.get(f"/api/runs/{name}/panels").json() for name in names)
        page = client.get("/runs/function-1").text
    x, s = tuned["parameters"]
    assert (x["name"], x["low"], x["high"], x["start"], x["choices"]) == ("x", 0, 10, 1, [])
    assert (s["name"], s["choices"], s["way"][-1][1] in s["choices"]) == ("s", ["cold", "hot"], True)
    assert (
        x["value"] == found["parameters"]["x"] and len(x["way"]) > 3 and x["importance"] > 0 and len(x["points"]) == 11
    )
    assert [games for games, _ in x["way"]] == sorted({games for games, _ in x["way"]})
    assert tuned["decision"] == {
        "title": "log capital", "value": found["proof"]["capital"], "low": None, "high": found["proof"]["goal"],
        "text": f"log capital {found['proof']['capital']:.2f} of {found['proof']['goal']:.2f}",
    }  # fmt: skip
    low, high = played["decision"]["low"], played["decision"]["high"]
    assert low < 0 < high and not low < played["decision"]["value"] < high and played["parameters"] == []
    assert other == {"run": "batawaf-1", "state": "finished", "parameters": [], "decision": None}
    assert "/panels.js" in page and 'id="panels"' in page
