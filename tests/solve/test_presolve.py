"""Presolve: the value stays, strategies lift to equilibria of the whole game, and what is known to go does go."""

from fractions import Fraction

import numpy as np
import pytest
from support.levels import default_cases
from support.nested_games import random_trees
from support.small_resistance import small_resistance

from fogspiel.core.game import known_game
from fogspiel.solving.methods.lp import equilibrium
from fogspiel.solving.policies.best_response import exact_exploitability, exploitability
from fogspiel.solving.reduce import presolve_form, presolve_tree
from fogspiel.solving.reduce.dominance import DROPPED, GONE, undominated_actions
from fogspiel.solving.tree import LEAF, Tree, build_tree, sequence_form
from fogspiel.solving.tree.sequence_form import SequenceForm, Treeplex

NAMES = ("kuhn", "binary-poker", "rps", "morra", "leduc", "leduc-labelled", "liars-dice-4", "goofspiel-4")
SETUPS = ((4, 1, (2, 2, 2), 2), (4, 2, (2, 2, 2), 2), (3, 1, (1, 2, 2), 2), (5, 2, (2, 3, 2), 2))


def whole_game(name):
    return build_tree(known_game(name) if isinstance(name, str) else small_resistance(*name))


def fractions_of(treeplex, behaviour):
    """A strategy in fractions near one in floats."""
    out = [Fraction(1)] * treeplex.sequences
    for first, count in zip(treeplex.first, treeplex.count, strict=True):
        near = [Fraction(float(p)).limit_denominator(10_000) for p in behaviour[first : first + count]]
        near = near if any(near) else [Fraction(1)] * count
        out[first : first + count] = [p / sum(near) for p in near]
    return out


def matrix_game(table):
    """The sequence form of a matrix game: one choice each."""
    rows, columns = np.nonzero(table)
    treeplexes = [Treeplex(np.zeros(1, int), np.ones(1, int), np.array([n])) for n in table.shape]
    return SequenceForm((treeplexes[0], treeplexes[1]), rows + 1, columns + 1, table[rows, columns], 1)


def choices(*branches, owner=0):
    """The tree in which chance picks one of the branches unseen, and the owner picks one of its lists of payoffs.

    In a list of several payoffs the opponent, who sees everything, picks one of them.
    """
    payoffs = (Fraction(-1), Fraction(0), Fraction(1))
    nodes, infosets, sequences = [(-1, 0, -1, 0)], [(owner, 0, 1, len(branches[0]))], 1
    for way, branch in enumerate(branches):
        at = len(nodes)
        nodes.append((0, way, 0, 1))
        for slot, ends in enumerate(branch):
            up, place = at, slot
            if len(ends) > 1:
                up, place = len(nodes), 0
                nodes.append((at, slot, len(infosets), 1))
                infosets.append((1 - owner, 0, sequences, len(ends)))
                sequences += len(ends)
            for end in ends:
                nodes.append((up, place, LEAF - payoffs.index(end), 1))
                place += 1
    columns = np.array(nodes, np.int32).T.copy()
    chance_prob = Fraction(1), Fraction(1, len(branches))
    return Tree("choices", *columns, chance_prob, payoffs, *np.array(infosets).T.copy())


@pytest.mark.parametrize("name", default_cases([*NAMES, SETUPS[0]], [*NAMES, *SETUPS]))
def test_an_equilibrium_of_the_reduced_game_lifts_to_one_of_the_whole_game(name):
    tree = whole_game(name)
    reduced = presolve_tree(tree)
    whole, part = sequence_form(tree), equilibrium(reduced.form)
    verdict = exploitability(tree, *reduced.lift(*part.behaviours))
    assert reduced.form.sizes["nonzeros"] <= whole.sizes["nonzeros"]
    assert part.value == pytest.approx(equilibrium(whole).value, abs=1e-9)
    assert verdict.lower == pytest.approx(part.value, abs=1e-9)
    assert verdict.upper == pytest.approx(part.value, abs=1e-9)


@pytest.mark.thorough
def test_random_games_keep_their_value_and_their_equilibria():
    smaller = 0
    for game, tree in random_trees(6, 60, 6, finest=1):
        value = equilibrium(sequence_form(tree)).value
        for reduced in (presolve_tree(tree), presolve_form(sequence_form(tree))):
            part = equilibrium(reduced.form)
            verdict = exploitability(tree, *reduced.lift(*part.behaviours))
            assert part.value == pytest.approx(value, abs=1e-9), game
            assert verdict.lower == pytest.approx(value, abs=1e-9), game
            assert verdict.upper == pytest.approx(value, abs=1e-9), game
            smaller += reduced.form.sizes != sequence_form(tree).sizes
    assert smaller > 80


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["kuhn", "rps", "goofspiel-4", *SETUPS])
def test_fractions_lift_exactly(name):
    tree = whole_game(name)
    reduced = presolve_tree(tree)
    part = equilibrium(reduced.form)
    exact = [fractions_of(*pair) for pair in zip(reduced.form.treeplexes, part.behaviours, strict=True)]
    verdict = exact_exploitability(tree, *reduced.lift(*exact))
    assert verdict.lower == verdict.upper == verdict.value == Fraction(part.value).limit_denominator(1000)
    if name == "kuhn":
        assert verdict.value == Fraction(-1, 18)


def test_floats_and_fractions_lift_to_the_same_strategy():
    for name in ("leduc", SETUPS[1]):
        tree = whole_game(name)
        reduced = presolve_tree(tree)
        exact = [
            fractions_of(treeplex, np.random.default_rng(player).integers(0, 3, treeplex.sequences))
            for player, treeplex in enumerate(reduced.form.treeplexes)
        ]
        floats = reduced.lift(*(np.array(row, float) for row in exact))
        for one, two in zip(floats, reduced.lift(*exact), strict=True):
            assert np.allclose(one, np.array(two, float), atol=1e-12)


# Interval dominance


def test_an_action_goes_if_another_is_at_least_as_good_in_every_history():
    tree, (targets, _) = undominated_actions(choices([[0], [-1, 0]], [[1], [0, 1]]))
    assert targets.tolist() == [0, 1, DROPPED]
    assert tree.count[0] == 1 and sequence_form(tree).treeplexes[1].infosets == 0


def test_an_action_stays_if_it_may_be_better_in_one_history():
    tree, (targets, _) = undominated_actions(choices([[0], [-1]], [[0], [1]]))
    assert tree.count[0] == 2 and targets.tolist() == [0, 1, 2]


def test_the_second_player_prefers_low_payoffs():
    _, (_, targets) = undominated_actions(choices([[0], [-1, 0]], [[0], [-1, 0]], owner=1))
    assert targets.tolist() == [0, DROPPED, 1]


def test_of_equal_actions_the_first_stays():
    _, (targets, other) = undominated_actions(choices([[0], [0], [0, 0]]))
    assert targets.tolist() == [0, 1, DROPPED, DROPPED]
    assert other.tolist() == [0, GONE, DROPPED]


def test_a_drop_that_allows_another_one_is_followed_up():
    """The second player drops his first answer, after which the first player's second action is worse than 0."""
    _, (targets, answers) = undominated_actions(choices([[0], [1, -1]]))
    assert targets.tolist() == [0, 1, DROPPED]
    assert answers.tolist() == [0, DROPPED, GONE]


def test_what_a_player_dropped_stays_dropped_where_nobody_arrives_any_more():
    """The first action is only worse because the second player would answer by -1, and not by 1."""
    tree = choices([[0], [1, -1]])
    reduced = presolve_tree(tree)
    assert reduced.form.sizes == {"infosets": [0, 0], "sequences": [1, 1], "nonzeros": 0}
    first, second = reduced.lift(np.ones(1), np.ones(1))
    assert first.tolist() == [1, 1, 0] and second.tolist() == [1, 0, 1]
    assert exploitability(tree, first, second) == (0, 0, 0)
    assert exact_exploitability(tree, *reduced.lift([Fraction(1)], [Fraction(1)])) == (0, 0, 0)


# The sequence form


def test_equal_and_dominated_rows_and_columns_go():
    table = np.array([[0, -1, 1, 1], [1, 0, -1, 2], [-1, 1, 0, 1], [-1, 1, 0, 1], [-1, -1, -1, 1]])
    reduced = presolve_form(matrix_game(table))
    assert [treeplex.sequences for treeplex in reduced.form.treeplexes] == [4, 4]
    x, y = reduced.lift(*equilibrium(reduced.form).behaviours)
    assert np.allclose(y, [1, 1 / 3, 1 / 3, 1 / 3, 0]) and np.allclose(x[1:3], 1 / 3) and x[5] == 0


def test_a_row_with_fewer_entries_is_dominated_only_where_the_rival_does_not_lose():
    stays = presolve_form(matrix_game(np.array([[3, -1, 0], [0, 0, 0], [-1, 3, 0]])))
    assert stays.form.sizes["nonzeros"] == 4 and stays.form.treeplexes[0].sequences == 4
    goes = presolve_form(matrix_game(np.array([[3, -1, 2], [0, -1, 0], [-1, 3, 2]])))
    assert goes.form.sizes["nonzeros"] == 6 and goes.form.treeplexes[0].sequences == 3


def test_nothing_to_decide_gives_the_empty_form():
    reduced = presolve_form(matrix_game(np.array([[2, 1], [4, 3]])))
    assert reduced.form.sizes == {"infosets": [0, 0], "sequences": [1, 1], "nonzeros": 1}
    assert reduced.form.payoffs.tolist() == [3]
    first, second = reduced.lift(np.ones(1), np.ones(1))
    assert first.tolist() == [1, 0, 1] and second.tolist() == [1, 0, 1]


def test_a_tail_becomes_its_undominated_plans():
    """Two of four are spies, so one pair is clean: a point ahead, any two pairs may be tried; a point behind, one pair.

    After a first mission that failed that cannot be the pair that was left at home, or nobody could have sabotaged.
    """
    reduced = presolve_tree(whole_game((4, 2, (2, 2, 2), 2)))
    assert reduced.form.treeplexes[0].infosets == 1 + 6 * 2
    assert reduced.form.treeplexes[0].sequences == 1 + 6 * (1 + 15 + 5)


@pytest.mark.slow
def test_the_resistance_of_five_labelled_players_shrinks_to_its_real_decisions():
    tree = whole_game("resistance5")
    assert tree.nodes == 12_344_921
    reduced = presolve_tree(tree)
    assert reduced.form.sizes["infosets"] == [5421, 12_800]
    assert reduced.form.sizes["sequences"] == [93_041, 25_601]
