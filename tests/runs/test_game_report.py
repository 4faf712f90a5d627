"""Reports of games: exact where they can be, intervals elsewhere, hidden states as enumerated, the same bytes again."""

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from support.bids import BIDS

from fogspiel.core.agents import find_policy
from fogspiel.core.find import load_game
from fogspiel.core.game import CHANCE, OVER, known_game
from fogspiel.core.session import Session, record_game
from fogspiel.runs.kind import Context, execute
from fogspiel.runs.kinds.report import count_hidden, mirror_score, play_mirror, value_of
from fogspiel.runs.requests import GameReportRequest
from fogspiel.runs.store import Store

ROOT = Path(__file__).parents[2]


@pytest.fixture
def files(tmp_path):
    """The README's bluff, and a game too large to solve."""
    (bluff,) = re.findall(r'^```python title="bluff.py"\n(.*?)^```$', (ROOT / "README.md").read_text(), re.M | re.S)
    (tmp_path / "bluff.py").write_text(bluff)
    (tmp_path / "bids.py").write_text(BIDS)
    return tmp_path


def states_by_knowledge(game):
    """The distinct states of each information state, by walking all histories: the views and own actions so far."""
    found = defaultdict(set)

    def walk(record, known):
        session = Session(game)
        for action in record:
            session.apply(action)
        views = [session.view(side).tolist() for side in (0, 1)]
        heard = [
            known[side] + ((tuple(views[side]),) if known[side][-1:] != (tuple(views[side]),) else ())
            for side in (0, 1)
        ]
        if (mover := session.mover) == OVER:
            return
        if mover != CHANCE:
            found[mover, heard[mover]].add(tuple(session.state.tolist()))
        for action in session.actions:
            after = [heard[side] + ((action,) if side == mover else ()) for side in (0, 1)]
            walk([*record, action], after)

    walk([], [(), ()])
    return found


def test_hidden_states_are_those_of_a_walk_over_all_histories():
    game = known_game("kuhn")
    sizes = {len(states) for states in states_by_knowledge(game).values()}
    uniform = find_policy(game, "uniform")
    for number in range(5):
        counts = count_hidden(game, 3, number)
        record = record_game(game, uniform, uniform, 3, number).record
        assert len(counts) == len(record) - 1 and set(counts) <= sizes == {2}


@pytest.mark.thorough
def test_values_are_exact_where_the_game_is_small_and_unknown_where_it_is_not(files):
    assert value_of(known_game("kuhn"))["exact"] == "-1/18"
    assert value_of(load_game(files / "bluff.py"))["exact"] == "1/3"
    assert value_of(load_game(files / "bids.py")) == {"value": None}


def test_games_of_a_player_against_itself_are_counted_and_blocks_add_up():
    game = known_game("tic-tac-toe")
    uniform = find_policy(game, "uniform")
    whole, parts = play_mirror(game, uniform, 5, 0, 20), [play_mirror(game, uniform, 5, at, 10) for at in (0, 10)]
    assert whole["lengths"] == parts[0]["lengths"] + parts[1]["lengths"] and all(5 <= n <= 9 for n in whole["lengths"])
    assert mirror_score(game, [whole]) == mirror_score(game, parts)
    assert sum(whole["last"].values()) == sum(whole["outcomes"]) == 20
    assert whole["choices"] == sum(sum(range(9, 9 - length, -1)) for length in whole["lengths"])


@pytest.mark.thorough
def test_an_interrupted_report_goes_on_to_the_same_bytes(tmp_path):
    found = []

    def stop(progress):
        if progress.share and progress.share > 0.6:
            raise KeyboardInterrupt

    for interrupted in (True, False):
        path = tmp_path / f"{interrupted}.db"
        with Store.open(path, write=True) as store:
            run = store.create(GameReportRequest("kuhn", levels="1", games=4).to_json())
            if interrupted:
                with pytest.raises(KeyboardInterrupt):
                    execute(run, Context(path, 1, on_progress=stop))
                assert 5 < len(run.steps) < 16 and run.result is None
            execute(run, Context(path, 1))
            found.append(json.dumps([run.request, run.steps, run.result]))
    assert found[0] == found[1]


@pytest.mark.parametrize("levels", ["0", "3,1", "9", "1,x", "2,2"])
def test_levels_are_checked_before_anything_is_played(refused, levels):
    refused("report", "kuhn", "--levels", levels, because="write levels from 1 to 8")


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["leduc", "bluff.py", "bids.py"])
def test_a_report_is_text_json_and_a_page_with_figures(files, game, answer, fogspiel, tmp_path):
    source = game if game == "leduc" else str(files / game)
    words = ("report", source, "--levels", "1,2", "--games", "20", "--processes", "2")
    found = answer(*words, "--output", str(tmp_path / "report"))
    assert [one["players"] for one in found["strengths"]][:2] == ["uniform", "search:level=1"]
    assert (found["value"] is None) == (game == "bids.py")
    for one in found["strengths"]:
        low, high = one["interval"]
        assert low <= one["score"] <= high and one["games"] == 20
    assert len(found["ladder"]) == len(found["strengths"]) - 1
    assert sum(one["share"] for one in found["endings"]) == pytest.approx(1)
    (page,) = (tmp_path / "report").glob("*.html")
    text = page.read_text()
    assert all(title in text for title in ("Payoff of the first seat", "Decisions in a game", "against the strength"))
    assert 'src="http' not in text
    told = fogspiel(*words)
    assert told.returncode == 0 and "Games last" in told.stdout and "By strength" in told.stdout
