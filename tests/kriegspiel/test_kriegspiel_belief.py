"""What engines believed, read off their games afterwards."""

import numpy as np
import pytest
from support.levels import default_cases

from fogspiel.core.game import new_cells
from fogspiel.core.rng import stream_of
from fogspiel.games.chess.bitboards import KING, PAWN
from fogspiel.games.chess.position import MEN, MOVER
from fogspiel.kriegspiel.engine import SearchLimit, find_engine
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.inferences import beliefs
from fogspiel.kriegspiel.referee import Referee, play_game

PLIES = 40
BELIEVERS = ("A", "B1", "C", "minimax", "los", "aosp", "hs", "fog")


@pytest.fixture(scope="module")
def record():
    """A game between two who take what they can; whoever is told of it as its own believes something."""
    players = tuple(find_engine("greedy")(SearchLimit(nodes=1), stream_of(7, seat)) for seat in (0, 1))
    return play_game(players, Referee(), PLIES).record


def states(record):
    """The state before each move, and after the last."""
    state = new_cells(rules.STATE)
    rules.start(state)
    yield state
    for action in record:
        rules.apply(state, action)
        yield state


@pytest.mark.thorough
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("name", BELIEVERS)
def test_a_belief_speaks_of_the_other_side_and_never_of_squares_where_own_men_stand(record, name, side):
    found = beliefs(f"{name}@200n", side, record)
    assert len(found) == len(record) + 1
    for belief, state in zip(found[:-1], states(record), strict=False):
        if belief is None or state[MOVER] != side:
            continue
        chances = np.array(belief)
        assert chances.shape == (3, 64) and (chances >= 0).all() and (chances <= 1).all()
        assert chances[0].sum() == pytest.approx(1, abs=0.05)
        own = [square for square in range(64) if int(state[MEN + side]) >> square & 1]
        assert (chances[:, own] == 0).all()


@pytest.mark.interpreted
@pytest.mark.parametrize("name", default_cases(["C", "minimax"], ["C", "minimax", "hs", "fog"]))
def test_at_the_beginning_the_other_men_are_believed_at_home(record, name):
    first = next(belief for belief in beliefs(f"{name}@200n", 0, record) if belief)
    assert first[0][60] == 1 and first[1][48:56] == [1] * 8 and first[2][56:60] == [1] * 4


@pytest.mark.interpreted
@pytest.mark.parametrize("name", default_cases(["C", "minimax"], ["C", "minimax", "hs", "fog"]))
def test_the_true_king_is_never_ruled_out_in_a_short_game_against_an_honest_referee(record, name):
    """The metaposition is sure, but spreads the king widely; the others may lose it rarely, so the mean is asked."""
    given = []
    for belief, state in zip(beliefs(f"{name}@200n", 1, record)[:-1], states(record), strict=False):
        if belief and state[MOVER] == 1:
            king = int(state[KING] & state[MEN]).bit_length() - 1
            given.append(belief[0][king])
    assert given and np.mean(given) > 0.05
    if name == "minimax":
        assert min(given) > 0


@pytest.mark.interpreted
def test_pawns_that_were_announced_as_taken_are_missing(record):
    for belief, state in zip(beliefs("C@200n", 0, record)[:-1], states(record), strict=False):
        if belief and state[MOVER] == 0:
            left = (int(state[PAWN] & state[MEN + 1]) % 2**64).bit_count()
            assert abs(sum(belief[1]) - left) < 1.5


@pytest.mark.parametrize("name", ["random", "greedy", "uniform"])
def test_who_keeps_no_belief_has_none(record, name):
    assert set(map(type, beliefs(name, 1, record))) == {type(None)}
