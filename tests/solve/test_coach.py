"""The coach: costs of decisions against a fixed opponent, checked by enumeration."""

from fractions import Fraction

import numpy as np
import pytest

from fogspiel.core.agents import find_policy
from fogspiel.core.game import known_game
from fogspiel.core.session import Session
from fogspiel.runs.agent_parser import find_agent
from fogspiel.solving.policies.coach import Coach, find_coach
from fogspiel.solving.policies.exploitability import exact_tree_score, measure_policies


def test_costs_in_kuhn_poker_against_a_uniform_opponent():
    game = known_game("kuhn")
    coach = Coach(game, 0, find_policy(game, "uniform"), "uniform")
    costs = {}
    for state in (state for state in coach.states if state.player == 0 and not state.history):
        for action in state.actions:
            (advice,) = coach.advise([(state.view, action)])
            costs[state.text.split(";")[0][-1], game.label(action)] = advice.cost
    # With the king a bet is called half of the time: 1.5; a pass is bet at half of the time and then called: 1.5
    assert costs["K", "bet"] == costs["K", "pass"] == pytest.approx(0)
    # The jack bet wins 1 or loses 2: -1/2; passed and folded to bets it loses 1 always: -1
    assert costs["J", "bet"] == pytest.approx(0)
    assert costs["J", "pass"] == pytest.approx(0.5)


@pytest.mark.parametrize("side", [0, 1])
def test_the_mean_cost_of_uniform_play_is_what_the_best_reply_gains(side):
    """The costs weighed by how often the states are reached add up to the gain: two ways to the same number."""
    game = known_game("leduc")
    uniform = find_policy(game, "uniform")
    coach = Coach(game, side, uniform, "uniform")
    source, lost, games = np.random.default_rng(side), [], 4000
    for _ in range(games):
        session, decisions = Session(game), []
        while not session.over:
            action = int(source.choice(session.actions))
            if session.mover == side:
                decisions.append((session.view(side), action))
            session.apply(action)
        lost.append(sum(advice.cost for advice in coach.advise(decisions)))
    gain = float(measure_policies(game, uniform).gains[side])
    assert abs(np.mean(lost) - gain) < 4 * np.std(lost) / np.sqrt(games)


def test_a_game_too_large_for_a_coach_says_so():
    game = known_game("war")
    with pytest.raises(ValueError, match="there is no coach for war: its tree is too large"):
        find_coach(game, 0, find_policy(game, "random"))


def test_the_solved_player_and_the_coach_punish_mistakes():
    """Both use the refined solution that is shipped: 2/3 against uniform play, the most of all optimal strategies."""
    game = known_game("goofspiel-4")
    solved, uniform = (find_agent(game, name) for name in ("solved", "uniform"))
    assert exact_tree_score(game, solved, uniform) == Fraction(2, 3)
    coach = find_coach(game, 0, uniform)
    assert coach.against == "the certified solution" and coach.gains[0] == pytest.approx(0, abs=1e-12)
