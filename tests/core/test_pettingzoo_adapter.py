"""Environments for PettingZoo: its own tests, seeds, rewards, and no word of what is hidden."""

import sys
import warnings

import numpy as np
import pytest
from support.levels import default_cases

from fogspiel import to_pettingzoo
from fogspiel.core.game import known_game, list_games
from fogspiel.core.rng import random_below, stream_of

GAMES = ["kuhn", "leduc", "liars-dice-4", "phantom-ttt", "goofspiel-4", "pig", "resistance5", "four-in-a-row"]
OTHERS = sorted(set(list_games()) - set(GAMES))
HIDDEN = ["flip", "goofspiel-4", "kuhn", "leduc", "liars-dice-4", "phantom-ttt-abrupt", "resistance5", "rps"]
IDLE = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably",
    "Observation numpy array is all",
)
"""What PettingZoo warns of in every environment with action masks that it does not know, and views of zeros."""


@pytest.fixture
def testing():
    return pytest.importorskip("pettingzoo.test")


def play(env, seed, most=10**6):
    """A random game, agent by agent: what each is told, and what it is paid at last."""
    stream, told, paid = stream_of(seed), [], dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter(most):
        seen, reward, termination, _, _ = env.last()
        paid[agent] += reward
        told.append((agent, seen["observation"].tobytes(), seen["action_mask"].tobytes()))
        actions = np.flatnonzero(seen["action_mask"])
        env.step(None if termination else actions[random_below(stream, len(actions))])
    return told, paid


def test_without_pettingzoo_the_sentence_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(ValueError, match=r"PettingZoo is not installed: pip install 'fogspiel\[pettingzoo\]'"):
        to_pettingzoo("kuhn")


@pytest.mark.parametrize("name", [*default_cases(["kuhn", "goofspiel-4"], GAMES), *default_cases([], OTHERS, "slow")])
def test_pettingzoo_finds_nothing_wrong_with_a_game(testing, name):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        testing.api_test(to_pettingzoo(name, seed=1), num_cycles=200)
    words = [str(warning.message) for warning in said if "pettingzoo" in warning.filename]
    assert [one for one in words if not one.startswith(IDLE) and "all zeros (no legal" not in one] == []
    testing.seed_test(lambda: to_pettingzoo(name), num_cycles=100)


def test_seeds_decide_what_is_dealt(testing):
    env, same, other = (to_pettingzoo("leduc", seed=seed) for seed in (5, 5, 6))
    games = []
    for one in (env, same, other):
        games.append([])
        for number in range(20):
            one.reset()
            games[-1].append(play(one, number))
    assert games[0] == games[1] != games[2]
    env.reset(seed=6)
    assert play(env, 0) == games[2][0]
    assert len({str(game) for game in games[0]}) > 10
    space = env.observation_space("player_0")
    assert space.contains(space.sample())


@pytest.mark.parametrize("name", ["leduc", "phantom-ttt", "pig"])
def test_rewards_are_the_payoffs_of_the_game_shifted_to_a_sum_of_zero(testing, name):
    game, env = known_game(name), to_pettingzoo(name, seed=2)
    seen = set()
    for seed in range(20):
        env.reset()
        session = env.unwrapped._session
        _, paid = play(env, seed)
        middle = (game.payoffs[0] + game.payoffs[-1]) / 2
        assert paid["player_0"] == float(game.payoffs[session.payoff_index] - middle) == -paid["player_1"]
        assert env.agents == []
        seen.add(paid["player_0"])
    assert len(seen) > 1


@pytest.mark.parametrize("name", default_cases(["kuhn", "flip"], HIDDEN))
def test_what_an_agent_is_told_depends_on_its_view_alone(testing, name):
    game, env, stream = known_game(name), to_pettingzoo(name, seed=3), stream_of(7)
    changed = 0
    for _ in range(20):
        env.reset()
        for agent in env.agent_iter(40):
            seen, _, termination, _, _ = env.last()
            for player, who in enumerate(env.possible_agents):
                told, truth = env.observe(who), env.unwrapped._session.state
                env.unwrapped._session.state = game.resample(truth, player, stream)
                changed += env.unwrapped._session.state.tolist() != truth.tolist()
                again = env.observe(who)
                env.unwrapped._session.state = truth
                assert all(told[key].tobytes() == again[key].tobytes() for key in told)
            env.step(None if termination else env.action_space(agent).sample(seen["action_mask"]))
    assert changed


def test_only_the_mover_has_actions_and_others_are_refused(testing):
    env = to_pettingzoo("kuhn", seed=1)
    with pytest.raises(Exception, match="reset"):
        env.step(0)
    env.reset()
    assert env.agent_selection == "player_0"
    assert env.observe("player_0")["action_mask"].sum() == 2 and not env.observe("player_1")["action_mask"].any()
    for wrong in (9, 0.5, None):
        with pytest.raises(ValueError, match=rf"player 1 of kuhn tried {wrong}, which is not among \[0, 1\]"):
            env.step(wrong)
    assert "J" in env.render() or "Q" in env.render()
    with pytest.raises(ValueError, match=r"has the action 1, but exported are actions from 0 to 0; say `actions=2`"):
        to_pettingzoo("kuhn", actions=1).reset()
