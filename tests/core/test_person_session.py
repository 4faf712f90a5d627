"""A sitting: a person sees views only, and a game that is taken up again stands where it stood."""

import numpy as np
import pytest

from fogspiel.core.agents import find_policy
from fogspiel.core.game import CHANCE, OVER, known_game
from fogspiel.core.rng import random_below, stream_of
from fogspiel.core.session import PersonSession

SOME = ["kuhn", "phantom-ttt", "morra", "war", "liars-dice-6", "goofspiel-5", "battleship", "resistance5"]


def uniform(game):
    return find_policy(game, "uniform")


def finish(sitting, stream):
    """Play the person's part at random."""
    while not sitting.over:
        while sitting.go_on():
            pass
        actions = sitting.choices()
        if actions:
            sitting.act(actions[random_below(stream, len(actions))])


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("side", [0, 1])
def test_a_game_taken_up_again_goes_on_as_it_would_have(name, side):
    game = known_game(name)
    whole = PersonSession(game, uniform(game), side, 7)
    finish(whole, stream_of(5))
    for cut in {0, 1, len(whole.record) // 2, len(whole.record)}:
        again = PersonSession(game, uniform(game), side, 7, whole.record[:cut])
        assert again.record == whole.record[:cut]
        for action in whole.record[cut:]:
            if again.mover == side:
                again.act(action)
            else:
                assert again.go_on()
        assert again.record == whole.record and again.payoff_index == whole.payoff_index


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.slice("kriegspiel")
def test_a_game_against_an_engine_is_taken_up_from_its_record(side):
    from fogspiel.kriegspiel.engine import engine_agent, parse_engine

    game = known_game("kriegspiel")
    whole = PersonSession(game, engine_agent(*parse_engine("greedy")), side, 7)
    finish(whole, stream_of(5))
    turns = [i for i, moment in enumerate(whole.moments()) if moment.mover == 1 - side]
    again = PersonSession(game, engine_agent(*parse_engine("greedy")), side, 7, whole.record)
    assert again.over and again.payoff_index == whole.payoff_index and len(turns) > 10
    assert (again.seen() == whole.seen()).all()


def test_the_truth_is_shown_only_at_the_end():
    game = known_game("kuhn")
    sitting = PersonSession(game, uniform(game), 0, 1)
    with pytest.raises(ValueError, match="when it is over"):
        list(sitting.moments())
    assert sitting.payoff_index is None
    finish(sitting, stream_of(1))
    moments = list(sitting.moments())
    assert len(moments) == len(sitting.record) + 1
    assert [moment.action for moment in moments] == [*sitting.record, None]
    assert moments[0].mover == CHANCE and moments[-1].mover == OVER
    assert (moments[-1].views[0] == sitting.seen()).all()


def test_wrong_moves_are_refused_and_change_nothing():
    game = known_game("kuhn")
    sitting = PersonSession(game, uniform(game), 1, 3)
    with pytest.raises(ValueError, match="not your turn"):
        sitting.act(0)
    while sitting.go_on():
        pass
    before = sitting.seen()
    with pytest.raises(ValueError, match="99 cannot be tried"):
        sitting.act(99)
    assert (sitting.seen() == before).all()
    with pytest.raises(ValueError, match="side is 2"):
        PersonSession(game, uniform(game), 2, 3)
    with pytest.raises(ValueError, match="does not fit the rules"):
        PersonSession(game, uniform(game), 0, 3, [99])


def test_what_the_person_sees_is_a_copy():
    game = known_game("kuhn")
    sitting = PersonSession(game, uniform(game), 0, 1)
    sitting.seen()[:] = -5
    assert (sitting.seen() != -5).any() and isinstance(sitting.seen(), np.ndarray)
