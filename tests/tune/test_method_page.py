"""The page on tuning methods is true: its method is a plug-in that tunes a game."""

import json
import re
import subprocess
import sys

import pytest
from support.pages import ROOT

PAGE = ROOT / "docs" / "tuning-methods.md"


@pytest.mark.thorough
def test_the_method_of_the_page_tunes_pig(tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    place = tmp_path / re.search(r"`(mine/tuning/methods/\w+\.py)`", text)[1]
    place.parent.mkdir(parents=True)
    place.write_text(re.search(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1], encoding="utf-8")
    words = re.search(r"^fogspiel (--plugins mine .*)--games", text, re.MULTILINE)[1].split()
    command = [sys.executable, "-m", "fogspiel", *words, "--games", "2000", "--report-games", "20", "--json"]
    command += ["--store", str(tmp_path / "runs.db")]
    answer = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout)
    assert (answer["state"], answer["method"]) == ("finished", "best-of-ten")
