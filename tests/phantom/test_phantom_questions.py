"""Questions about phantom games: each decision once, and answers that hold for all its orders and images."""

import json

import pytest

from fogspiel import exploitability
from fogspiel.core.game import known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.session import play_game
from fogspiel.solving.methods.phantom.policies import questions
from fogspiel.solving.policies import read_policy

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Uniform answers to all questions about phantom tic-tac-toe."""
    file = tmp_path_factory.mktemp("answers") / "uniform.jsonl"
    asked = questions(known_game("phantom-ttt"))
    assert len(asked) == len({state.id for state in asked}) == 25_747
    lines = [
        {"id": state.id, "probabilities": dict.fromkeys(state.labels, f"1/{len(state.actions)}")} for state in asked
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_answers_are_played(answers):
    game = known_game("phantom-ttt")
    agent = read_policy(game, str(answers))
    scores = [
        play_game(game, (agent.new_player(stream_of(n, 1)), agent.new_player(stream_of(n, 2))), stream_of(n, 0)).score
        for n in range(50)
    ]
    assert set(scores) <= {0, 1, 2}


def test_uniform_answers_are_better_than_uniform_play_for_they_take_wins(answers):
    game = known_game("phantom-ttt")
    measured = exploitability(game, read_policy(game, str(answers)))
    assert measured.exact
    assert measured.exploitability < exploitability(game, "uniform").exploitability


def test_an_unknown_question_is_refused(tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text('{"id": "p1-77", "action": "A1"}')
    with pytest.raises(ValueError, match="line 1: there is no question 'p1-77' about phantom-ttt"):
        read_policy(known_game("phantom-ttt"), str(file))
