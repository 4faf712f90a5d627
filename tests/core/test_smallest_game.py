"""The game of the documentation, which has no words but its name: it is complete, is played and is solved."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fogspiel.core.agents import find_policy
from fogspiel.core.game import draw_state, draw_view
from fogspiel.core.session import Session, record_game
from fogspiel.core.simulate import PolicyMatch
from fogspiel.solving.sources import find_source

PAGE = Path(__file__).parents[2] / "docs" / "games.md"


@pytest.fixture
def bluff(tmp_path):
    """The file of the documentation."""
    (text,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert "from fogspiel import" in text and "fogspiel." not in text and text.count("\n") < 60
    path = tmp_path / "bluff.py"
    path.write_text(text)
    return path


def test_its_solution_is_the_one_that_is_printed(bluff, answer, tmp_path):
    path = tmp_path / "bluff.json"
    assert answer("solve", bluff, "--exact", "--certificate", path)["value"] == "-1/9"
    assert answer("verify", path, "--source", bluff)["valid"]
    rows = [row for rows in json.loads(path.read_text())["strategies"] for row in rows]
    shares = {tuple(row["view"]): row["probabilities"] for row in rows}
    assert shares == {(0, -1): ["5/6", "1/6"], (1, -1): ["0", "1"], (-1, 1): ["1/3", "2/3"]}
    page = " ".join(PAGE.read_text().split())
    assert "-1/9: with tails one bets once in six times, and bets are called twice in three times" in page


def test_every_word_has_a_default(bluff):
    game = find_source(str(bluff)).game
    assert (game.title, game.source) == ("bluff", "") and game.version.startswith("sha256 ")
    session = Session(game)
    assert game.reveal(session.state) == "-1 -1 -1" and game.show(np.array([0, 1])) == "0 1"
    assert game.label(np.int64(1)) == game.label(1) == "1"
    assert repr(replace(game, version=1)) == "Game bluff (version 1): bluff" and "not given" in game._repr_html_()
    assert draw_state(game, session.state) and draw_view(game, session.view(0))


def test_both_loops_play_it(bluff):
    game = find_source(str(bluff)).game
    uniform = find_policy(game, "uniform")
    scores = PolicyMatch(game, uniform, uniform).scores(4, 0, 50)
    assert [record_game(game, uniform, uniform, 4, n).score for n in range(50)] == scores[:, 0].tolist()
