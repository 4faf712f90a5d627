"""Runs of outside programs on the page: shown like others, and never worked on from there."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
import support
from support.web_client import open_client, wait_for_work

OUTSIDE = Path(support.__file__).parent / "outside"
WORDS = ("tune", "--function", f"{OUTSIDE / 'hill.py'}:play", "--parameters", OUTSIDE / "hill.toml", "--method", "duel")


def test_a_program_run_is_shown_with_its_values_and_can_be_downloaded(answer, tmp_path):
    found = answer(*WORDS, "--games", "600")
    with open_client(tmp_path) as client:
        run = client.get("/api/runs/function-1").json()
        assert run["kind"] == "tuning a program" and not run["playable"] and "held-out games" in run["found"][0]
        assert dict(run["parameters"])["d"] == str(found["parameters"]["d"])
        assert client.get("/runs/function-1").status_code == 200 and client.get("/runs").status_code == 200
        steps = client.get("/api/runs/function-1/steps").json()
        assert len(steps["points"]) == run["steps"] and steps["total"] == 600
        header, *lines = client.get("/api/runs/function-1/table.csv").text.strip().split("\n")
        assert {line.count(",") for line in lines} == {header.count(",")}
        assert client.get("/api/runs/function-1/table.json").json()["parameters"] == found["parameters"]
        assert wait_for_work(client, "/api/runs/function-1/way").status_code == 422


@pytest.mark.thorough
def test_the_page_cannot_go_on_with_a_program(tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ndef play(a, b, seed):\n    time.sleep(0.005)\n    return 0.5\n")
    words = [sys.executable, "-m", "fogspiel.cli", *map(str, WORDS), "--games", "100000"]
    words[words.index(f"{OUTSIDE / 'hill.py'}:play")] = f"{slow}:play"
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open_client(tmp_path) as client:
        while client.get("/api/runs/function-1").status_code != 200:
            assert process.poll() is None
            time.sleep(0.1)
        process.kill()
        process.wait()
        assert client.post("/api/runs/function-1/resume").status_code < 500
        for _ in range(300):
            run = client.get("/api/runs/function-1").json()
            if run["state"] == "interrupted":
                break
            time.sleep(0.1)
        assert run["state"] == "interrupted" and "which is run only if you name it" in (run["trouble"] or "")
