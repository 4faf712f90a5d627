"""Weighted chance: the same draws in both loops, by the weights, and wrong weights are refused."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fogspiel import check, exploit, load_game, solve, verify
from fogspiel.core.agents import find_policy, fixed_baseline, named_policy
from fogspiel.core.compile.kernel import kernel
from fogspiel.core.game import CHANCE, MAX_WEIGHT, draw_by_weight, known_game
from fogspiel.core.rng import random_below, stream_of
from fogspiel.core.session import AgentMatch, PersonSession, record_game, replay
from fogspiel.core.simulate import SEATS, PolicyMatch
from fogspiel.solving.tree import build_tree


@kernel
def loaded(state, out):
    """Of a die: sixes are four times as likely as ones, and there are no threes."""
    for face in range(6):
        out[face] = 1 + face // 2 + (face == 5)
    out[2] = 0


@kernel
def equal(state, out):
    out[:6] = 7


@kernel
def negative(state, out):
    out[:6] = 1
    out[3] = -1


@kernel
def nothing(state, out):
    out[:6] = 0


@kernel
def too_heavy(state, out):
    out[:6] = 2**62


def pig(weights):
    """Pig with another die."""
    fair = known_game("pig")
    return replace(fair, rules=fair.rules._replace(weights=weights), play=None)


LOADED = pig(loaded)


def test_both_loops_play_the_same_games():
    first, second = fixed_baseline(LOADED, 3), find_policy(LOADED, "uniform")
    for seats in SEATS:
        scores = AgentMatch(LOADED, first, second).scores(17, 0, 15, seats)
        assert (scores == PolicyMatch(LOADED, first, second).scores(17, 0, 15, seats)).all()


def test_faces_come_up_by_their_weights():
    uniform, faces = find_policy(LOADED, "uniform"), np.zeros(6)
    for number in range(120):
        record = record_game(LOADED, uniform, uniform, 2, number).record
        thrown = [p.actions.index(a) for p, a in zip(replay(LOADED, record), record, strict=False) if p.mover == CHANCE]
        faces += np.bincount(thrown, minlength=6)
    expected = np.array([1, 1, 0, 2, 3, 4]) / 11
    error = np.sqrt(expected * (1 - expected) / faces.sum())
    assert faces.sum() > 5000 and faces[2] == 0
    assert (np.abs(faces / faces.sum() - expected) <= 4 * error).all()


def test_equal_weights_of_one_draw_what_no_weights_draw():
    stream, other = stream_of(1), stream_of(1)
    for count in range(1, 40):
        assert draw_by_weight(np.ones(count, np.int64), stream) == random_below(other, count)


def test_equal_weights_are_as_likely_as_no_weights():
    uniform = find_policy(LOADED, "uniform")
    equals, fair = pig(equal), pig(None)
    a, b = (PolicyMatch(game, uniform, uniform).scores(1, 0, 4000)[:, 0].mean() for game in (equals, fair))
    assert a == pytest.approx(b, abs=0.08)


def test_the_heaviest_weights_are_drawn():
    weights, stream = np.array([0, MAX_WEIGHT - 1, 0, 1, 0]), stream_of(8)
    assert {int(draw_by_weight(weights, stream)) for _ in range(1000)} == {1}
    assert {int(draw_by_weight(np.array([0, 3, 0, 1, 0]), stream)) for _ in range(1000)} == {1, 3}


@pytest.mark.parametrize("side", [0, 1])
def test_a_game_taken_up_again_goes_on_as_it_would_have(side):
    uniform = find_policy(LOADED, "uniform")
    whole = PersonSession(LOADED, uniform, side, 7)
    while not whole.over:
        if not whole.go_on():
            whole.act(whole.choices()[len(whole.record) % 2])
    for cut in (1, len(whole.record) // 2, len(whole.record)):
        again = PersonSession(LOADED, uniform, side, 7, whole.record[:cut])
        for action in whole.record[cut:]:
            if again.mover == side:
                again.act(action)
            else:
                assert again.go_on()
        assert again.record == whole.record


@pytest.mark.parametrize("weights", [negative, nothing, too_heavy])
def test_wrong_weights_are_refused_in_both_loops(weights):
    game = pig(weights)
    uniform = find_policy(game, "uniform")
    with pytest.raises(ValueError, match="weights of chance must be whole numbers from 0 with a sum"):
        PolicyMatch(game, uniform, uniform).scores(1, 0, 10)
    with pytest.raises(ValueError, match="weights of chance must be whole numbers from 0 with a sum"):
        record_game(game, uniform, uniform, 1, 0)


URN = """
from fractions import Fraction
from fogspiel import CHANCE, OVER, Game, Rules, Sizes, kernel

RED, BLUE, FIRST, SECOND, GUESS = 0, 1, 2, 3, 4


@kernel
def start(state):
    state[RED] = 1
    state[BLUE] = 1
    state[FIRST] = state[SECOND] = state[GUESS] = -1


@kernel
def mover(state):
    if state[FIRST] < 0 or state[SECOND] < 0:
        return CHANCE
    return 1 if state[GUESS] < 0 else OVER


@kernel
def legal(state, out):
    out[0], out[1] = 0, 1
    return 2


@kernel
def weights(state, out):
    out[0], out[1] = state[RED], state[BLUE]


@kernel
def apply(state, action):
    if state[FIRST] < 0:
        state[FIRST] = action
        state[action] -= 1
    elif state[SECOND] < 0:
        state[SECOND] = action
        state[action] -= 1
    else:
        state[GUESS] = action


@kernel
def view(state, player, out):
    out[0], out[1] = state[SECOND], state[GUESS]


@kernel
def score(state):
    if state[RED] < 0 or state[BLUE] < 0:
        return 99
    return 0 if state[GUESS] == state[FIRST] else 1


RULES = Rules(start, mover, legal, apply, view, score, weights)
GAMES = [Game("urn", RULES, Sizes(state=5, view=2, actions=2), payoffs=(Fraction(-1), Fraction(1)))]
"""  # no rule is defined after an outcome of weight 0


@pytest.fixture
def urn(tmp_path):
    (tmp_path / "urn.py").write_text(URN)
    return tmp_path / "urn.py"


@pytest.mark.interpreted
@pytest.mark.parametrize("method", ["lp", "external-sampling", "informed-opponent"])
def test_outcomes_of_weight_zero_do_not_happen_to_any_solver_or_checker(urn, method):
    solution = solve(urn, method=method, iterations=None if method == "lp" else 50)
    assert solution.lower <= -1 <= solution.upper < -0.9
    assert float(verify(solution.certificate, game=urn).upper) == solution.upper


@pytest.mark.interpreted
def test_outcomes_of_weight_zero_are_in_no_tree_and_in_no_best_response(urn):
    assert build_tree(load_game(urn)).nodes == 9
    assert exploit(urn, "uniform").exploitability == Fraction(1, 2)
    assert check(urn).sound


@pytest.mark.parametrize("name", ["pig", "batawaf"])
def test_a_baseline_that_is_redrawn_plays_the_same_games_in_both_loops(name):
    game = known_game(name)
    redrawn, uniform = named_policy(game, "redrawn", 1), find_policy(game, "uniform")
    for first, second in ((redrawn, uniform), (uniform, redrawn), (redrawn, redrawn)):
        match = PolicyMatch(game, first, second)
        assert match.fused == (first is second)
        for seats in SEATS:
            assert (AgentMatch(game, first, second).scores(17, 5, 4, seats) == match.scores(17, 5, 4, seats)).all()


def test_a_game_of_uneven_payoffs_is_not_matched():
    game = replace(LOADED, payoffs=(Fraction(0), Fraction(1, 3), Fraction(1)))
    uniform = find_policy(LOADED, "uniform")
    with pytest.raises(ValueError, match="list all steps between them"):
        PolicyMatch(game, uniform, uniform)
