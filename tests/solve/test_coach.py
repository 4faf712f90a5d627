"""The coach: costs of decisions against a fixed opponent, checked by enumeration and by other solvers."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from fogspiel.core.agents import find_policy
from fogspiel.core.behaviour_policy import InformationState, MissingState, behaviour_policy
from fogspiel.core.game import CHANCE, OVER, known_game
from fogspiel.core.session import Session, actions_in, view_of
from fogspiel.games.boards.board import BOARDS
from fogspiel.runs.agent_parser import find_agent
from fogspiel.solving.methods.phantom import policies as merged
from fogspiel.solving.methods.phantom.merged_histories import node_of, sequence_of, uniform, unknown
from fogspiel.solving.policies import coach as coaching
from fogspiel.solving.policies.coach import Coach, find_coach
from fogspiel.solving.policies.exploitability import (
    PolicyProbe,
    behaviour_mixture,
    exact_tree_score,
    measure_policies,
    states_of,
)
from fogspiel.solving.tree import build_tree


def random_decisions(game, side, source, opponent=None):
    """Play a game in which a seat, or both without an opponent's policy, moves at random; return its decisions."""
    session, decisions, history = Session(game), [], ()
    while not session.over:
        actions, mover, shares = session.actions, session.mover, None
        if mover == 1 - side and opponent:
            state = InformationState(game, mover, session.view(mover), actions, history)
            shares = np.array(opponent.action_probabilities(state), float)
        action = int(source.choice(actions, p=shares))
        if mover == side:
            decisions.append((session.view(side), action))
        elif mover == 1 - side:
            history += (action,)
        session.apply(action)
    return decisions


def test_costs_in_kuhn_poker_against_a_uniform_opponent():
    game = known_game("kuhn")
    coach = Coach(game, 0, find_policy(game, "uniform"), "uniform")
    costs = {}
    for state in states_of(game, build_tree(game)):
        if state.player == 0 and not state.history:
            for action in state.actions:
                (advice,) = coach.advise([(state.view, action)])
                costs[state.text.split(";")[0][-1], game.label(action)] = advice.cost
    # With the king a bet is called half of the time: 1.5; a pass is bet at half of the time and then called: 1.5
    assert costs["K", "bet"] == pytest.approx(0) and costs["K", "pass"] == pytest.approx(0)
    # The jack bet wins 1 or loses 2: -1/2; passed and folded to bets it loses 1 always: -1
    assert costs["J", "bet"] == pytest.approx(0)
    assert costs["J", "pass"] == pytest.approx(0.5)


@pytest.mark.parametrize("side", [0, 1])
def test_the_mean_cost_of_uniform_play_is_the_gain_of_a_best_response(side):
    """The costs weighted by reach probability add up to the gain: two ways to the same number."""
    game = known_game("leduc")
    opponent = find_policy(game, "uniform")
    coach = Coach(game, side, opponent, "uniform")
    source = np.random.default_rng(side)
    lost = [sum(found.cost for found in coach.advise(random_decisions(game, side, source))) for _ in range(2000)]
    gain = float(measure_policies(game, opponent).gains[side])
    assert abs(np.mean(lost) - gain) < 4 * np.std(lost) / np.sqrt(len(lost))


def test_a_decision_before_too_much_play_has_no_cost(monkeypatch):
    monkeypatch.setattr(coaching, "MAX_STEPS", 20_000)
    game = known_game("war")
    coach = find_coach(game, 0, find_policy(game, "random"))
    decisions = random_decisions(game, 0, np.random.default_rng(1))
    first = coach.advise(decisions[:1])[0]
    assert first.cost is None and first.to_json()["best"] is None
    assert first.sentence.endswith(": too much of the game lies ahead for an exact cost")


def test_the_solved_player_and_the_coach_punish_mistakes():
    """Both use the refined solution that is shipped: 2/3 against uniform play, the most of all optimal strategies."""
    game = known_game("goofspiel-4")
    solved, uniform_agent = (find_agent(game, name) for name in ("solved", "uniform"))
    assert exact_tree_score(game, solved, uniform_agent) == Fraction(2, 3)
    coach = find_coach(game, 0, uniform_agent)
    session = Session(game)
    costs = coach.costs([], session.view(0))
    assert coach.against == "the certified solution"
    assert min(costs.by_action.values()) == 0 and not costs.erred


def test_after_an_error_of_the_opponent_all_worlds_with_that_error_are_weighed():
    """The opponent never bets first; facing a bet, both other cards are as likely."""
    game = known_game("kuhn")
    passive = behaviour_policy("passive", game, lambda state: {state.actions[0]: 1})
    coach, costs = Coach(game, 1, passive, "passive"), {}
    for state in states_of(game, build_tree(game)):
        if state.player == 1 and "bet" in state.line:
            found = coach.costs([], state.view)
            assert found.erred
            costs[state.line.split(";")[0][-1]] = {
                game.label(action): round(cost, 9) for action, cost in found.by_action.items()
            }
    # A fold loses 1, a call wins or loses 2
    assert costs == {"J": {"fold": 0, "call": 1}, "Q": {"fold": 1, "call": 0}, "K": {"fold": 3, "call": 0}}


def brute_costs(game, side, policy, decisions):
    """Return the costs at the last decision by plain recursion over the player's histories, nothing merged."""
    payoff = [(1 if side == 0 else -1) * float(value) for value in game.payoffs]

    def roll(worlds):
        ended, groups = 0.0, defaultdict(list)
        for state, history, weight in worlds:
            mover = int(game.rules.mover(state))
            if mover == OVER:
                ended += weight * payoff[int(game.rules.score(state))]
            elif mover == side:
                groups[view_of(game, state, side).tobytes()].append((state, history, weight))
            else:
                actions = actions_in(game, state).tolist()
                shares = [1 / len(actions)] * len(actions)
                if mover != CHANCE:
                    view = view_of(game, state, 1 - side)
                    shares = policy.action_probabilities(InformationState(game, 1 - side, view, actions, history))
                for action, share in zip(actions, shares, strict=True):
                    if share > 0:
                        own = history if mover == CHANCE else (*history, action)
                        more, following = roll([(done(state, action), own, weight * float(share))])
                        ended += more
                        for view, found in following.items():
                            groups[view] += found
        return ended, groups

    def done(state, action):
        state = state.copy()
        game.rules.apply(state, action)
        return state

    def value_of(worlds, action):
        ended, groups = roll([(done(state, action), history, weight) for state, history, weight in worlds])
        for group in groups.values():
            ended += max(value_of(group, after) for after in actions_in(game, group[0][0]).tolist())
        return ended

    worlds = [(Session(game).state.copy(), (), 1.0)]
    for number, (seen, action) in enumerate(decisions):
        worlds = roll(worlds)[1].get(seen.tobytes())
        if worlds is None:
            return None
        if number < len(decisions) - 1:
            worlds = [(done(state, action), history, weight) for state, history, weight in worlds]
    likely = sum(weight for *_, weight in worlds)
    values = {action: value_of(worlds, action) for action in actions_in(game, worlds[0][0]).tolist()}
    return {action: (max(values.values()) - value) / likely for action, value in values.items()}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["resistance5", "liars-dice-4"])
def test_costs_are_those_of_plain_enumeration(name):
    """Fifty late positions each, after random play against the perfect opponent."""
    game = known_game(name)
    policy = behaviour_mixture(game, find_agent(game, "solved"))[0][1]
    source, compared = np.random.default_rng(3), 0
    for attempt in range(400):
        side = attempt % 2
        decisions = random_decisions(game, side, source, policy)
        late = decisions[: max(1, len(decisions) - int(source.integers(2)))]
        coach = find_coach(game, side, None)
        found = coach.costs(late[:-1], late[-1][0], 2_000)
        if found is None or found.erred:
            continue
        assert found.by_action == pytest.approx(brute_costs(game, side, policy, late), abs=1e-9)
        compared += 1
        if compared == 50:
            return
    raise AssertionError(f"only {compared} positions")


@pytest.mark.parametrize(
    "name",
    [pytest.param("phantom-ttt", marks=pytest.mark.slow), pytest.param("dark-hex-3x3", marks=pytest.mark.thorough)],
)
def test_costs_at_phantom_games_are_those_of_best_responses_on_merged_histories(name):
    """Fifty random positions each; the losses of the other algorithm have the reach probability as a factor."""
    game, board = known_game(name), BOARDS[name.removeprefix("phantom-").replace("dark-", "")]
    policy = behaviour_mixture(game, find_agent(game, "solved"))[0][1]
    source = np.random.default_rng(5)
    for side in (0, 1):
        ask = merged.ask_of(game, policy, PolicyProbe(policy, 1 - side, "uniform"))
        asks = (uniform, ask) if side == 0 else (ask, uniform)
        found = merged.evaluate_policies(board, asks)
        coach, sets, own, compared = find_coach(game, side, None), found.sets, found.sides[side], 0
        for _ in range(400):
            decisions = random_decisions(game, side, source, policy)
            count = int(source.integers(1, len(decisions) + 1))
            here = decisions[:count]
            costs = coach.costs(here[:-1], here[-1][0])
            if costs is None or costs.erred:
                continue
            group = tried = 0
            for failed, stone in merged.situation_seen(here[-1][0]):
                node, tried = node_of(sets, own, group, failed), failed
                if stone >= 0:
                    group = int(sequence_of(own, node, unknown(sets, own, group) & ~failed, stone))
            losses = {one.cell: float(one.loss) / 2 for one in found.tries(side, node_of(sets, own, group, tried))}
            most = max(losses.values())
            if most == 0:
                assert max(costs.by_action.values()) == pytest.approx(0, abs=1e-12)
            else:
                factor = max(costs.by_action.values()) / most
                assert factor >= 1 - 1e-9
                scaled = {cell: loss * factor for cell, loss in losses.items()}
                assert costs.by_action == pytest.approx(scaled, abs=1e-9)
            compared += 1
            if compared == 25:
                break
        assert compared == 25


def test_costs_do_not_depend_on_what_was_asked_before():
    """Too much at first is too much again: else an answer would tell of other games."""
    game = known_game("phantom-ttt")
    coach = find_coach(game, 1, None)
    session = Session(game)
    session.apply(4)
    assert [coach.costs([], session.view(1), 150_000) for _ in range(2)] == [None, None]


def test_a_table_without_an_answer_is_followed_uniformly():
    game = known_game("kuhn")

    def nothing(state):
        raise MissingState("no answer")

    one = Coach(game, 0, behaviour_policy("silent", game, nothing), "silent")
    other = Coach(game, 0, find_policy(game, "uniform"), "uniform")
    session = Session(game)
    while session.mover == CHANCE:
        session.apply(session.actions[0])
    assert session.mover == 0
    assert one.costs([], session.view(0)) == other.costs([], session.view(0))
