"""An analysis of a whole game as a run: interrupted and gone on with it has the rows of one that was not."""

import json

import pytest

from fogspiel.core.rng import stream_of
from fogspiel.kriegspiel.analysis import PositionAnalysis, analyse, analyse_turns
from fogspiel.kriegspiel.decisions import replayed_decisions
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.kinds import analysis_of
from fogspiel.kriegspiel.referee import Referee, play_game
from fogspiel.kriegspiel.requests import AnalysisRequest
from fogspiel.runs.kind import Context, execute
from fogspiel.runs.store import Store

pytestmark = pytest.mark.thorough

LIGHT = SearchLimit(nodes=300)
ENDING = "4k3/8/8/8/8/8/3p4/R3K2R w - - 0 1"
"""White takes the pawn, then faces a lone king."""


def decisions_of(plies, fen=None):
    """White's decisions in a game of a player who takes what it can."""
    players = tuple(find_engine(name)(LIGHT, stream_of(3, side)) for side, name in enumerate(("greedy", "random")))
    umpire = play_game(players, Referee(fen) if fen else Referee(), plies)
    return replayed_decisions(umpire.record, 0, fen)[0] if fen else replayed_decisions(umpire.record, 0)[0]


@pytest.mark.parametrize("engine", ["fog", "hs", "aosp", "los"])
def test_an_analysis_goes_on_behind_any_turn(engine):
    decisions = decisions_of(24)
    turns = list(analyse_turns(decisions, engine, LIGHT, 1))
    whole = [position for turn in turns for position in turn.positions]
    assert whole == list(analyse(decisions, engine, LIGHT, 1)) and any(position.refused for position in whole)
    for done in (1, len(turns) // 2, len(turns) - 1):
        streams = [turn.stream for turn in turns[:done]]
        assert list(analyse_turns(decisions, engine, LIGHT, 1, streams)) == turns[done:]


def test_endings_are_gone_on_with_too(monkeypatch):
    monkeypatch.setattr("fogspiel.kriegspiel.endings.THEIR_MEN", 1)  # the pawn that is taken here
    decisions = decisions_of(24, ENDING)
    turns = list(analyse_turns(decisions, "fog", LIGHT, 1))
    lone = [number for number, turn in enumerate(turns) if turn.positions and not turn.positions[0].attempts]
    assert len(lone) > 3
    for done in (lone[0], lone[0] + 1, lone[-1]):
        streams = [turn.stream for turn in turns[:done]]
        assert list(analyse_turns(decisions, "fog", LIGHT, 1, streams)) == turns[done:]


def test_a_position_survives_the_store():
    (position, *_) = analyse(decisions_of(2), "fog", LIGHT, 1)
    kept = json.loads(json.dumps(position.to_json(), sort_keys=True))
    assert json.dumps(PositionAnalysis.from_json(kept).to_json()) == json.dumps(position.to_json())
    assert PositionAnalysis.from_json(kept) == position


def test_an_interrupted_analysis_goes_on_to_the_same_rows(tmp_path):
    request = AnalysisRequest(decisions_of(12), 0, ("Anna", "Ben"), "fog", LIGHT, 1)

    def stop(progress):
        raise KeyboardInterrupt

    with Store.open(tmp_path / "runs.db", write=True) as store:
        whole, broken = (store.create(request.to_json()) for _ in range(2))
        execute(whole, Context(prepared=request))
        for done in (1, 2):
            with pytest.raises(KeyboardInterrupt):
                execute(broken, Context(prepared=request, on_progress=stop))
            assert len(broken.steps) == done and not broken.finished
        with pytest.raises(ValueError, match="give the command that began it once more"):
            execute(broken)
        execute(broken, Context(prepared=request))
        assert [row.body for row in broken.rows] == [row.body for row in whole.rows]
        assert analysis_of(whole).positions == tuple(analyse(request.decisions, "fog", LIGHT, 1))
