"""Games for OpenSpiel: its own checks of a game, its exploitability against ours, and no word of what is hidden."""

import copy
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from support.levels import default_cases

from fogspiel import to_openspiel
from fogspiel.core.agents import MIXED, ParametricPolicy, find_policy
from fogspiel.core.behaviour_policy import behaviour_policy
from fogspiel.core.compile.kernel import kernel
from fogspiel.core.game import CHANCE, Strategy, known_game, list_games
from fogspiel.core.rng import random_below, stream_of
from fogspiel.core.session import play_game, view_of
from fogspiel.interop import from_openspiel, to_openspiel_policy
from fogspiel.interop.export import FLOAT_CELL, measure_limits
from fogspiel.interop.openspiel_export import from_openspiel_policy
from fogspiel.runs.kinds.solve import solve_game
from fogspiel.solving.policies.exploitability import measure_policies, states_of
from fogspiel.solving.tree import build_tree

SMALL = ["kuhn", "leduc", "liars-dice-4"]
QUICK = [
    "binary-poker", "dark-hex-3x3", "flip", "four-in-a-row", "goofspiel-4", "kuhn", "leduc", "liars-dice-4", "morra",
    "nim", "permutation-four", "phantom-ttt", "pig", "resistance5", "rps-half",
]  # fmt: skip
HIDDEN = ["flip", "goofspiel-4", "kuhn", "leduc", "liars-dice-4", "phantom-ttt-abrupt", "resistance5", "rps"]
LONGEST_WALK = 200


@pytest.fixture
def pyspiel():
    return pytest.importorskip("pyspiel")


def random_policy(game, seed):
    def probabilities(state):
        source = np.random.default_rng([seed, state.player, *np.abs(state.view), *state.history])
        return source.dirichlet(np.ones(len(state.actions)))

    return behaviour_policy("random", game, probabilities)


def walk(exported, seed, most=LONGEST_WALK):
    """The states of a random game."""
    state, stream = exported.new_initial_state(), stream_of(seed)
    for _ in range(most):
        yield state
        if state.is_terminal():
            return
        actions = state.legal_actions()
        state.apply_action(actions[random_below(stream, len(actions))])


def all_states(exported):
    ahead = [exported.new_initial_state()]
    while ahead:
        state = ahead.pop()
        yield state
        ahead += [state.child(action) for action in state.legal_actions()]


# Limits, which need no OpenSpiel


@pytest.mark.parametrize(
    ("name", "actions", "moves", "draws", "wide"),
    [
        ("kuhn", 4, 3, 1, False),
        ("leduc", 5, 8, 2, False),
        ("liars-dice-4", 25, 9, 1, False),
        ("morra", 66, 2, 0, False),
    ],
)
def test_the_limits_of_small_games_are_exact(name, actions, moves, draws, wide):
    assert measure_limits(known_game(name)) == (actions, moves, draws, wide)


def test_the_limits_of_large_games_have_a_margin():
    four = measure_limits(known_game("four-in-a-row"))
    assert (four.actions, four.draws, four.wide) == (7, 0, True) and four.moves >= 42
    assert measure_limits(known_game("four-in-a-row"), actions=9, moves=42)[:2] == (9, 42)
    with pytest.raises(ValueError, match="`moves` is 0: it must be at least 1"):
        measure_limits(known_game("kuhn"), moves=0)


def test_without_openspiel_the_sentence_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ValueError, match=r"OpenSpiel is not installed: pip install 'fogspiel\[openspiel\]'"):
        to_openspiel("kuhn")


# The game


@pytest.mark.parametrize("name", default_cases(["flip", "kuhn", "phantom-ttt", "rps-half"], QUICK))
def test_openspiel_finds_nothing_wrong_with_a_game(pyspiel, name):
    pyspiel.random_sim_test(to_openspiel(name), 2, True, False)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(list_games()))
def test_openspiel_finds_nothing_wrong_with_any_game_of_the_catalogue(pyspiel, name):
    pyspiel.random_sim_test(to_openspiel(name), 3, True, False)


@pytest.mark.parametrize("name", [*SMALL, "goofspiel-4", "rps-half"])
def test_an_exported_game_comes_back_as_the_same_tree(pyspiel, name):
    to_openspiel(name)
    back, ours = from_openspiel(f"fogspiel_{name}").tree, build_tree(known_game(name))
    assert (back.nodes, len(back.owner)) == (ours.nodes, len(ours.owner))


@pytest.mark.parametrize(
    "name", ["kuhn_poker", "leduc_poker(suit_isomorphism=True)", "goofspiel(imp_info=True,num_cards=3)"]
)
def test_a_game_of_openspiel_that_is_exported_again_is_as_exploitable_as_before(pyspiel, name):
    theirs = pyspiel.load_game_as_turn_based(name)
    exported = to_openspiel(f"openspiel:{name}")
    values = [pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game)) for game in (theirs, exported)]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_a_record_of_openspiel_is_a_game_of_ours_with_zero_sum_payoffs(pyspiel):
    game, exported = known_game("leduc"), to_openspiel("leduc")
    for seed in range(20):
        state = list(walk(exported, seed))[-1]
        ours = np.zeros(game.sizes.state, np.int64)
        game.rules.start(ours)
        out = np.zeros(game.sizes.actions, np.int64)
        for action in state.history():
            listed = out[: game.rules.legal(ours, out)].tolist()
            game.rules.apply(ours, listed[action] if game.rules.mover(ours) == CHANCE else action)
        score = float(game.payoffs[game.rules.score(ours)])
        assert ours.tolist() == state.cells.tolist() and state.returns() == [score, -score]
    phantom = to_openspiel("phantom-ttt")
    assert (phantom.min_utility(), phantom.max_utility(), phantom.utility_sum()) == (-0.5, 0.5, 0)


@kernel
def uneven_weights(state, out):
    for place, weight in enumerate((1, 2, 3, 4, 0, 10)):
        out[place] = weight


@kernel
def no_weights(state, out):
    out[:] = 0


def test_chance_has_the_weights_of_the_rules(pyspiel):
    kuhn = known_game("kuhn")
    game = replace(kuhn, name="kuhn-weighted", rules=kuhn.rules._replace(weights=uneven_weights))
    exported = to_openspiel(game)
    assert exported.new_initial_state().chance_outcomes() == [(0, 0.05), (1, 0.1), (2, 0.15), (3, 0.2), (5, 0.5)]
    pyspiel.random_sim_test(exported, 5, True, False)
    agent = random_policy(game, 1)
    found = pyspiel.nash_conv(exported, to_openspiel_policy(game, agent))
    assert found == pytest.approx(float(measure_policies(game, agent).nash_conv), abs=1e-9)
    with pytest.raises(ValueError, match=r"has the weights \[0, 0, 0, 0, 0, 0\]: the weights of chance must be"):
        to_openspiel(replace(game, rules=kuhn.rules._replace(weights=no_weights)))


def test_states_can_be_copied_and_stored(pyspiel):
    exported = to_openspiel("leduc")
    for state in walk(exported, 5):
        stored = pyspiel.serialize_game_and_state(exported, state)
        copies = state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))
        for other in (*copies, pyspiel.deserialize_game_and_state(stored)[1]):
            assert str(other) == str(state) and other.history() == state.history()
            for player in (0, 1):
                assert other.information_state_string(player) == state.information_state_string(player)
    assert pickle.loads(pickle.dumps(exported)).limits == exported.limits
    elsewhere = "import pickle, sys; print(pickle.loads(bytes.fromhex(sys.argv[1])).returns())"
    words = [sys.executable, "-c", elsewhere, pickle.dumps(state).hex()]
    assert subprocess.run(words, capture_output=True, text=True).stdout.strip() == str(state.returns())
    earlier = state.history()[:-1]
    before = exported.new_initial_state()
    for action in earlier:
        before.apply_action(action)
    before.clone().apply_action(state.history()[-1])
    assert before.history() == earlier and not before.is_terminal()


def test_a_game_beyond_its_limits_is_refused_with_a_sentence(pyspiel):
    state = to_openspiel("kuhn").new_initial_state()
    with pytest.raises(ValueError, match=r"9 is not possible in kuhn here: \[0, 1, 2, 3, 4, 5\] are"):
        state.apply_action(9)
    state = to_openspiel("pig", moves=1).new_initial_state()
    with pytest.raises(ValueError, match="a game of pig has gone on for 1 moves"):
        for _ in range(9):
            state.apply_action(state.legal_actions()[-1])
    with pytest.raises(ValueError, match="has the action 3, but exported are actions from 0 to 2; say `actions=4`"):
        for _ in walk(to_openspiel("leduc", actions=3), 1):
            pass
    with pytest.raises(ValueError, match="there is no game 'nonsense'"):
        to_openspiel("nonsense")
    with pytest.raises(ValueError, match=r"OpenSpiel cannot load a game called 'kuhn\(3\)'"):
        to_openspiel(replace(known_game("kuhn"), name="kuhn(3)"))


# What players know


@pytest.mark.parametrize("name", default_cases(["kuhn", "phantom-ttt-abrupt", "rps"], HIDDEN))
def test_what_a_player_is_told_depends_on_its_view_and_own_actions_alone(pyspiel, name):
    game, exported, stream = known_game(name), to_openspiel(name), stream_of(7)
    changed = 0
    for seed in range(20):
        for state in walk(exported, seed, 40):
            for player in (0, 1):
                other = state.clone()
                other.cells = game.resample(state.cells, player, stream)
                other.own = (state.own[0], (3, 1)) if player == 0 else ((3, 1), state.own[1])
                changed += other.cells.tolist() != state.cells.tolist()
                assert other.information_state_string(player) == state.information_state_string(player)
                assert other.information_state_tensor(player) == state.information_state_tensor(player)
                assert other.observation_string(player) == state.observation_string(player)
                assert other.observation_tensor(player) == state.observation_tensor(player)
    assert changed


@pytest.mark.parametrize("name", default_cases(["kuhn"], ["kuhn", "leduc", "goofspiel-4", "binary-poker"]))
def test_strings_and_tensors_tell_information_states_apart_and_nothing_else(pyspiel, name):
    game = known_game(name)
    strings, tensors = {}, {}
    for state in all_states(to_openspiel(name)):
        for player in (0, 1):
            known = player, tuple(view_of(game, state.cells, player)), state.own[player]
            string, tensor = state.information_state_string(player), tuple(state.information_state_tensor(player))
            assert strings.setdefault(string, known) == known and tensors.setdefault(tensor, known) == known
    assert len(strings) == len(tensors) == len(set(strings.values()))


def test_tensors_hold_cells_of_any_size(pyspiel):
    game, exported = known_game("four-in-a-row"), to_openspiel("four-in-a-row")
    largest = 0
    for state in walk(exported, 3):
        view = view_of(game, state.cells, 0)
        largest = max(largest, view.max())
        cells = np.array(state.observation_tensor(0)[2:]).astype("<u2")
        assert cells.view("<i8").tolist() == view.tolist()
    assert largest > FLOAT_CELL


# Policies


@pytest.mark.parametrize(
    ("name", "policies"),
    [
        ("kuhn", 1),
        *(pytest.param(name, 1, marks=pytest.mark.thorough) for name in SMALL[1:]),
        *(pytest.param(name, 10, marks=pytest.mark.slow) for name in SMALL),
    ],
)
def test_openspiel_finds_our_exploitability_and_gives_policies_back(pyspiel, name, policies):
    game, exported = known_game(name), to_openspiel(name)
    for seed in range(policies):
        ours = random_policy(game, seed)
        table, measured = to_openspiel_policy(game, ours), measure_policies(game, ours)
        assert pyspiel.nash_conv(exported, table) == pytest.approx(float(measured.nash_conv), abs=1e-9)
        back = from_openspiel_policy(game, table)
        for state in states_of(game, build_tree(game)):
            assert back.action_probabilities(state) == pytest.approx(ours.action_probabilities(state), abs=1e-12)


def test_exploitability_in_python_agrees_too(pyspiel):
    exact = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    policies = pytest.importorskip("open_spiel.python.policy")
    game, exported = known_game("kuhn"), to_openspiel("kuhn")
    theirs = policies.TabularPolicy(exported)
    theirs.action_probability_array[:] = theirs.copy_with_noise(1, 1).action_probability_array
    ours = from_openspiel_policy(game, theirs)
    measured = measure_policies(game, ours)
    assert exact.nash_conv(exported, theirs) == pytest.approx(float(measured.nash_conv), abs=1e-9)
    assert exact.exploitability(exported, theirs) == pytest.approx(float(measured.exploitability), abs=1e-9)
    assert pyspiel.nash_conv(exported, to_openspiel_policy("kuhn", ours)) == pytest.approx(
        float(measured.nash_conv), abs=1e-9
    )


@pytest.mark.thorough
def test_algorithms_of_openspiel_solve_an_exported_game(pyspiel):
    game, exported = known_game("kuhn"), to_openspiel("kuhn")
    solver = pyspiel.CFRPlusSolver(exported)
    for _ in range(300):
        solver.evaluate_and_update_policy()
    measured = measure_policies(game, from_openspiel_policy(game, solver.tabular_average_policy()))
    assert measured.value == pytest.approx(-1 / 18, abs=1e-3) and measured.exploitability < 1e-3


def test_a_solution_is_a_table_that_cannot_be_exploited(pyspiel):
    for name in ("kuhn", "goofspiel-4"):
        table = to_openspiel_policy(name, solve_game(name))
        assert pyspiel.nash_conv(to_openspiel(name), table) == pytest.approx(0, abs=1e-9)


@kernel
def copy_parameter(theta, plan):
    plan[0] = theta[0]


@kernel
def first_or_last(seen, actions, plan, stream):
    return actions[0] if plan[0] < 0.5 else actions[len(actions) - 1]


def test_named_policies_and_mixtures_have_tables(pyspiel):
    game = known_game("kuhn")
    simple = Strategy("first or last", ("which",), 1, copy_parameter, first_or_last)
    mixture = ParametricPolicy("mixture", simple, np.array([[0.0], [1.0]]), MIXED, (0.25, 0.75))
    for named, agent in (("uniform", find_policy(game, "uniform")), (mixture, mixture)):
        found = pyspiel.nash_conv(to_openspiel(game), to_openspiel_policy(game, named))
        assert found == pytest.approx(float(measure_policies(game, agent).nash_conv), abs=1e-9)


class ByTensor:
    """A policy in Python that reads what a network would read."""

    def action_probabilities(self, state, player_id=None):
        assert len(state.information_state_tensor()) > len(state.observation_tensor())
        weights = np.exp(np.sin(np.arange(state.num_distinct_actions()) + sum(state.information_state_tensor())))
        weights *= state.legal_actions_mask()
        return {action: weights[action] / weights.sum() for action in state.legal_actions()}


def test_policies_that_read_tensors_play_as_agents(pyspiel):
    game = known_game("leduc")
    agent = from_openspiel_policy("leduc", ByTensor())
    players = agent.new_player(stream_of(1)), agent.new_player(stream_of(2))
    assert play_game(game, players, stream_of(3)).record
    known = {state.id: state for state in states_of(game, build_tree(game))}
    for state in walk(to_openspiel(game), 9):
        if state.is_player_node():
            told = known[state.information_state_string().split()[0]]
            shares = dict(zip(told.actions, agent.action_probabilities(told), strict=True))
            assert told.player == state.current_player()
            assert shares == pytest.approx(ByTensor().action_probabilities(state))


def test_policies_for_other_games_are_refused(pyspiel):
    policies = pytest.importorskip("open_spiel.python.policy")
    with pytest.raises(ValueError, match="the policy is for kuhn_poker, not for fogspiel_kuhn"):
        from_openspiel_policy("kuhn", policies.TabularPolicy(pyspiel.load_game("kuhn_poker")))
    with pytest.raises(ValueError, match="dict is not a policy of OpenSpiel: it has no action_probabilities"):
        from_openspiel_policy("kuhn", {})
    solver = pyspiel.CFRSolver(pyspiel.load_game("kuhn_poker"))
    for policy in (pyspiel.TabularPolicy({}), solver.average_policy()):
        with pytest.raises(ValueError, match="has no answer at 6 information states of the first player"):
            measure_policies("kuhn", from_openspiel_policy("kuhn", policy))
