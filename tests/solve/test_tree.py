"""Trees and sequence forms built from the rules."""

from fractions import Fraction

import numpy as np
import pytest

from fogspiel.core.compile.kernel import kernel
from fogspiel.core.game import Game, Rules, Sizes, known_game
from fogspiel.solving.tree import CHANCE_NODE, LEAF, TooLarge, build_tree, sequence_form
from fogspiel.solving.tree.sequence_form import behaviour_of, best_total, plan_of

SMALL = ["rps", "rps-half", "binary-poker", "kuhn", "leduc", "leduc-labelled", "liars-dice-4", "goofspiel-4", "morra"]
small_games = pytest.mark.parametrize("name", SMALL)


@pytest.mark.parametrize(
    ("name", "nodes", "infosets", "sequences"),
    [
        ("kuhn", 55, [6, 6], [13, 13]),
        ("binary-poker", 21, [2, 2], [5, 5]),
        ("leduc", 9451, [144, 144], [337, 337]),
        ("leduc-labelled", 9451, [468, 468], [1093, 1093]),
    ],
)
def test_trees_have_the_known_sizes(name, nodes, infosets, sequences):
    tree = build_tree(known_game(name))
    assert tree.nodes == nodes
    sizes = sequence_form(tree).sizes
    assert (sizes["infosets"], sizes["sequences"]) == (infosets, sequences)


@small_games
def test_parents_come_before_children(name):
    tree = build_tree(known_game(name))
    assert tree.parent[0] == -1
    assert (tree.parent[1:] < np.arange(1, tree.nodes)).all()
    for player in (0, 1):
        treeplex = tree.treeplex(player)
        assert (treeplex.parent < treeplex.first).all()
        assert treeplex.first.tolist() == [1, *(1 + np.cumsum(treeplex.count)[:-1]).tolist()]


@small_games
def test_an_infoset_belongs_to_one_sequence_of_its_owner(name):
    tree = build_tree(known_game(name))
    decisions = np.flatnonzero(tree.label >= 0)
    infosets = tree.label[decisions]
    assert (tree.sequences[decisions, tree.owner[infosets]] == tree.before[infosets]).all()


@small_games
def test_chance_adds_up_to_one_over_the_leaves_of_pure_strategies(name):
    """If both always take their first action, the probabilities of the leaves reached add up to 1."""
    tree = build_tree(known_game(name))
    total, open_nodes = Fraction(0), np.zeros(tree.nodes, bool)
    open_nodes[0] = True
    for node in range(tree.nodes):
        above = tree.parent[node]
        if above >= 0:
            free = tree.label[above] == CHANCE_NODE or tree.slot[node] == 0
            open_nodes[node] = open_nodes[above] and free
        if open_nodes[node] and tree.label[node] <= LEAF:
            total += tree.chance_prob[tree.chance_index[node]]
    assert total == 1


@small_games
def test_the_matrix_gives_the_payoff_of_uniform_play(name):
    """Against an independent walk over the rules."""
    game = known_game(name)
    form = sequence_form(build_tree(game))
    plans = [
        plan_of(treeplex, np.r_[1.0, 1.0 / np.repeat(treeplex.count, treeplex.count)]) for treeplex in form.treeplexes
    ]
    assert plans[0] @ form.matrix.times(plans[1]) == pytest.approx(float(uniform_value(game)), abs=1e-12)
    assert plans[1] @ form.transposed.times(plans[0]) == pytest.approx(float(uniform_value(game)), abs=1e-12)


def uniform_value(game):
    def value(state):
        who = game.rules.mover(state)
        if who == -2:
            return game.payoffs[game.rules.score(state)]
        out = np.zeros(game.sizes.actions, np.int64)
        actions = out[: game.rules.legal(state, out)]
        total = Fraction(0)
        for action in actions:
            following = state.copy()
            game.rules.apply(following, action)
            total += value(following)
        return total / len(actions)

    state = np.zeros(game.sizes.state, np.int64)
    game.rules.start(state)
    return value(state)


def test_a_plan_with_rounding_errors_becomes_proper_behaviour():
    treeplex = build_tree(known_game("kuhn")).treeplex(0)
    plan = plan_of(treeplex, np.r_[1.0, np.full(12, 0.5)]) + np.random.default_rng(1).normal(0, 1e-12, 13)
    plan[treeplex.first[0]] = -1e-12
    behaviour = behaviour_of(treeplex, plan)
    assert (behaviour >= 0).all()
    for first, count in zip(treeplex.first, treeplex.count, strict=True):
        assert behaviour[first : first + count].sum() == pytest.approx(1, abs=1e-15)


def test_the_best_total_of_nothing_is_nothing():
    treeplex = build_tree(known_game("kuhn")).treeplex(1)
    assert best_total(treeplex, np.zeros(treeplex.sequences)) == 0


def test_a_game_that_does_not_fit_is_refused_with_its_size():
    with pytest.raises(TooLarge, match=r"goofspiel-5 has more than [\d,]+ histories .* raise --memory"):
        build_tree(known_game("goofspiel-5"), memory=0.001)


# Weighted chance


@kernel
def throw_start(state):
    state[:] = 0


@kernel
def throw_mover(state):
    return -1 if state[0] < 3 else 0 if state[0] == 3 else -2


@kernel
def throw_legal(state, out):
    out[0], out[1], out[2] = 0, 1, 2
    return 3 if state[0] < 3 else 1


@kernel
def throw_weights(state, out):
    """Weights that depend on what was thrown before; the first outcome is impossible after itself."""
    out[0] = 2 if state[1] != 1 else 0
    out[1] = 3 + state[0]
    out[2] = 12 * (1 + state[2])


@kernel
def throw_apply(state, action):
    state[0] += 1
    if state[0] <= 3:
        state[1] = 1 + action
        state[2] = 3 * state[2] + action


@kernel
def throw_view(state, player, out):
    out[0] = state[2]


@kernel
def throw_score(state):
    return 1


def throws(weights):
    rules = Rules(throw_start, throw_mover, throw_legal, throw_apply, throw_view, throw_score, weights)
    return Game("throws", rules, Sizes(3, 1, 3))


def test_probabilities_are_products_of_weights_in_lowest_terms():
    """Against the same throws counted by hand."""
    expected = []

    def throw(times, last, before, chance):
        if times == 3:
            expected.append(chance)
            return
        weights = [0 if last == 0 else 2, 3 + times, 12 * (1 + before)]
        for face, weight in enumerate(weights):
            if weight:
                throw(times + 1, face, 3 * before + face, chance * Fraction(weight, sum(weights)))

    throw(0, None, 0, Fraction(1))
    tree = build_tree(throws(throw_weights))
    assert [tree.chance_prob[index] for index in tree.chance_index[tree.leaves]] == expected
    assert sum(expected) == 1 and len(expected) == 22 and len(set(tree.chance_prob)) == len(tree.chance_prob)


@kernel
def fine_weights(state, out):
    out[0], out[1], out[2] = 1, 2**30, 2**30 - 2


def test_probabilities_that_are_too_fine_are_refused():
    with pytest.raises(
        ValueError, match=r"throws cannot be solved: its chance moves multiply to more than 2\^62 cases"
    ):
        build_tree(throws(fine_weights))


@kernel
def no_weights(state, out):
    out[0], out[1], out[2] = 0, 0, 0


def test_weights_that_break_the_contract_are_refused():
    with pytest.raises(
        ValueError, match=r"throws cannot be solved: the weights of chance must be whole numbers from 0"
    ):
        build_tree(throws(no_weights))


# Games that break the contract


@kernel
def start(state):
    state[0] = 0
    state[1] = 0


@kernel
def mover(state):
    return -1 if state[0] == 0 else 0 if state[0] == 1 else -2


@kernel
def leaking_legal(state, out):
    """The list tells what the view hides: it is longer after one of the two outcomes of chance."""
    out[0], out[1], out[2] = 0, 1, 2
    return 2 + (state[1] if state[0] == 1 else 0)


@kernel
def empty_legal(state, out):
    out[0], out[1] = 0, 1
    return 2 if state[0] == 0 else 0


@kernel
def apply(state, action):
    state[1] = action
    state[0] += 1


@kernel
def view(state, player, out):
    out[0] = 0


@kernel
def score(state):
    return 1


@pytest.mark.parametrize(("legal", "sentence"), [(leaking_legal, "look the same"), (empty_legal, "has no actions")])
def test_rules_that_break_the_contract_are_refused_in_a_sentence(legal, sentence):
    rules = Rules(start, mover, legal, apply, view, score)
    broken = Game("broken", rules, Sizes(2, 1, 3))
    with pytest.raises(ValueError, match=f"broken cannot be solved: .*{sentence}"):
        build_tree(broken)
