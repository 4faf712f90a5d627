"""The belief of a player: the posterior by enumeration of all histories, and what happens where none fits."""

import numpy as np
import pytest

from fogspiel.belief import Belief, Opponent, follow_game, known_opponent
from fogspiel.core.agents import mixture_policy
from fogspiel.core.behaviour_policy import behaviour_policy
from fogspiel.core.game import OVER, known_game
from fogspiel.core.session import Session

# Records that end where the player of the seat must move.
PREFIXES = {
    "kuhn": ([1, 0, 1], 0),
    "leduc": ([10, 1, 1, 0, 3, 4], 0),
    "liars-dice-4": ([43, 12, 13, 22, 24], 0),
    "phantom-ttt": ([0, 8, 3, 7], 0),
    "goofspiel-4": ([4, 3, 1], 1),
}


def uniform(game, state, mover, actions):
    return [1 / len(actions)] * len(actions)


def first_action_heavy(state):
    """A policy that plays its first action half of the time and by its view, so that views tell something."""
    rest = len(state.actions) - 1
    if rest == 0:
        return [1.0]
    first = 0.5 if state.view.sum() % 2 else 0.9
    return [first] + [(1 - first) / rest] * rest


def posterior(game, record, side, shares=uniform):
    """The states that fit with their probabilities, and the probability of all views, by walking all histories."""
    session = Session(game)
    views, own = [session.view(side).tobytes()], []
    for action in record:
        if session.mover == side:
            own.append(action)
        session.apply(action)
        if (now := session.view(side).tobytes()) != views[-1]:
            views.append(now)
    found = {}

    def walk(history, heard, done, mass):
        session = Session(game)
        for action in history:
            session.apply(action)
        mover = session.mover
        if mover == side and heard == len(views) - 1 and done == len(own):
            key = session.state.tobytes()
            found[key] = found.get(key, 0.0) + mass
            return
        if mover == OVER or (mover == side and done == len(own)):
            return
        actions = session.actions
        odds = [1.0] * len(actions) if mover == side else shares(game, session.state, mover, actions)
        for action, share in zip(actions, odds, strict=True):
            if mover == side and action != own[done]:
                continue
            after = Session(game)
            for one in (*history, action):
                after.apply(one)
            now = after.view(side).tobytes()
            if now == views[heard]:
                walk([*history, action], heard, done + (mover == side), mass * share)
            elif heard + 1 < len(views) and now == views[heard + 1]:
                walk([*history, action], heard + 1, done + (mover == side), mass * share)

    walk([], 0, 0, 1.0)
    total = sum(found.values())
    return {state: mass / total for state, mass in found.items()}, total


def believed(game, record, side, known=None, size=2000, exact=True, seed=5):
    belief = Belief(game, side, Opponent(game, side, known), size, seed)
    if not exact:
        belief.most_exact = 1
    follow_game(game, record, side, belief)
    assert belief.exact == exact and not belief.lost
    return belief


def variation(found, expected):
    by_state = {state.tobytes(): share for state, share in found}
    states = by_state.keys() | expected.keys()
    return sum(abs(by_state.get(state, 0.0) - expected.get(state, 0.0)) for state in states) / 2


@pytest.mark.parametrize("name", PREFIXES)
def test_an_enumerated_belief_is_the_posterior(name):
    game, (record, side) = known_game(name), PREFIXES[name]
    expected, evidence = posterior(game, record, side)
    belief = believed(game, record, side)
    assert variation(belief.distribution, expected) < 1e-9
    assert np.exp(belief.log_evidence) == pytest.approx(evidence)


@pytest.mark.parametrize("name", PREFIXES)
def test_particles_are_the_posterior_within_sampling_error(name):
    game, (record, side) = known_game(name), PREFIXES[name]
    expected, evidence = posterior(game, record, side)
    beliefs = [believed(game, record, side, exact=False, seed=seed) for seed in range(4)]
    # The total variation of n draws among k states is about sqrt(k / (2 pi n)) on average.
    error = np.sqrt(len(expected) / (2 * np.pi * 2000))
    assert np.mean([variation(belief.distribution, expected) for belief in beliefs]) < 2 * error
    assert np.mean([np.exp(belief.log_evidence) for belief in beliefs]) == pytest.approx(evidence, rel=0.1)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "phantom-ttt"])
@pytest.mark.parametrize("exact", [True, False])
def test_a_known_policy_weighs_the_states(name, exact):
    game, (record, side) = known_game(name), PREFIXES[name]
    policy = behaviour_policy("heavy", game, first_action_heavy)

    def shares(game, state, mover, actions):
        if mover != 1 - side:
            return uniform(game, state, mover, actions)
        session = Session(game)
        session.state[:] = state
        seen = session.view(mover)
        first = 0.5 if seen.sum() % 2 else 0.9
        rest = len(actions) - 1
        return [1.0] if not rest else [first] + [(1 - first) / rest] * rest

    expected, _ = posterior(game, record, side, shares)
    found = believed(game, record, side, known_opponent(policy), exact=exact).distribution
    assert variation(found, expected) < (1e-3 if exact else 2 * np.sqrt(len(expected) / (2 * np.pi * 2000)))


def test_a_mixture_is_recognised_by_its_play():
    """Pig: whoever rolls again at 3 points does not hold at 2."""
    game = known_game("pig")
    mixture = mixture_policy(game, np.array([[2.5], [-9.0]]), [0.25, 0.75])
    assert [int(mixture.strategy.plan_for(theta)[0]) for theta in mixture.thetas] == [25, 2]
    belief = believed(game, [3, 1, 1, 4], 1, known_opponent(mixture))
    assert belief.masses[belief.members == 0].sum() == pytest.approx(1, abs=1e-4)


def test_a_long_game_keeps_its_particles_where_enumeration_ends():
    game = known_game("phantom-ponnuki-5x5")
    stream = np.random.default_rng(3)
    session = Session(game)
    while session.mover != 0 or len(session.record) < 9:
        session.apply(int(stream.choice(session.actions)))
        assert not session.over
    belief = Belief(game, 0, Opponent(game, 0, None), 300, 1)
    follow_game(game, session.record, 0, belief)
    assert not belief.exact and not belief.lost
    view = session.view(0).tolist()
    for state, _ in belief.distribution:
        other = Session(game)
        other.state[:] = state
        assert other.view(0).tolist() == view and other.mover == 0


@pytest.mark.parametrize("name", [pytest.param("flip", marks=pytest.mark.thorough), "war"])
def test_cards_that_turn_up_at_once_are_found_by_swapping_hidden_ones(name):
    """No random deal has the twelve cards that lie open at Flip: the belief has states with exactly these."""
    game, stream, settled = known_game(name), np.random.default_rng(3), 0
    session = Session(game)
    belief = Belief(game, 0, Opponent(game, 0, None), 100, 1)
    while not session.over and settled < 6:
        if session.mover == 0:
            belief.settle(session.view(0))
            assert not belief.lost
            for state, _ in belief.distribution:
                other = Session(game)
                other.state[:] = state
                assert other.view(0).tolist() == session.view(0).tolist() and other.mover == 0
            settled += 1
        action = int(stream.choice(session.actions))
        if session.mover == 0:
            belief.act(action)
        session.apply(action)
        belief.hear(session.view(0))
    assert settled == 6 and belief.redrawn and belief.log_evidence == -np.inf


def test_views_that_no_state_reproduces_are_said_to_be_lost():
    game = known_game("kuhn")
    belief = Belief(game, 0, Opponent(game, 0, None), 50, 1)
    session = Session(game)
    session.apply(1)
    wrong = session.view(0) + 100
    belief.hear(wrong)
    belief.settle(wrong)
    assert belief.lost


def test_the_same_seed_gives_the_same_particles():
    game, (record, side) = known_game("phantom-ttt"), PREFIXES["phantom-ttt"]
    one, two = (believed(game, record, side, exact=False, seed=9) for _ in range(2))
    other = believed(game, record, side, exact=False, seed=10)
    assert (one.states == two.states).all() and not np.array_equal(one.states, other.states)


def test_orders_of_hidden_actions_that_lead_to_one_state_are_merged():
    """Phantom games store the cells that were tried in a turn, not their order."""
    game = known_game("phantom-ttt")
    belief = believed(game, [0, 1, 4, 0, 2], 0)
    assert len(belief.masses) == len(belief.distribution)
    unmerged = Belief(game, 0, Opponent(game, 0, None), 2000, 5)
    unmerged._merge = lambda: None
    follow_game(game, [0, 1, 4, 0, 2], 0, unmerged)
    assert len(unmerged.masses) > len(belief.masses)
