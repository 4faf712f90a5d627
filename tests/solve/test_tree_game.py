"""Trees of other programs as games: the tree of the game is the tree, and views tell the infoset and nothing more."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from support.nested_games import random_trees
from support.tree_games import URNS, URNS_TREE, solve_exactly, solve_problem

from fogspiel.core.agents import find_policy
from fogspiel.core.behaviour_policy import behaviour_policy
from fogspiel.core.compile.kernel import interpreted
from fogspiel.core.game import CHANCE, OVER, known_game
from fogspiel.core.session import AgentMatch, record_game, replay, view_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.interop import LabelledTree, describe, from_efg, from_nfg, from_openspiel, to_efg
from fogspiel.solving.proofs import table_probabilities
from fogspiel.solving.proofs.checkers.tree import GamePositions, verify
from fogspiel.solving.sources import TreePositions, TreeSource
from fogspiel.solving.tree import LEAF, build_tree, game
from fogspiel.solving.tree.builder import PLAYERS, numbered
from fogspiel.solving.tree.game import even_payoffs, game_of_tree, translate_rows

with interpreted():
    KUHN = from_efg(to_efg(*describe(known_game("kuhn"))))
    RANDOM = [LabelledTree(tree, PLAYERS, numbered(tree)) for _, tree in random_trees(7, 6, 6)]
every_tree = pytest.mark.parametrize(
    "described", [URNS_TREE, KUHN, *RANDOM], ids=["urns", "kuhn", *(f"random-{number}" for number in range(6))]
)


@every_tree
def test_the_tree_of_the_game_is_the_tree(described):
    tree, game = described.tree, game_of_tree(described, "made")
    again = build_tree(game)
    for field in ("parent", "slot", "owner", "before", "first", "count"):
        assert np.array_equal(getattr(again, field), getattr(tree, field)), field
    for node in range(tree.nodes):
        one, other = int(again.label[node]), int(tree.label[node])
        assert one == other or (again.payoffs[LEAF - one] == tree.payoffs[LEAF - other] and max(one, other) <= LEAF)
        assert again.chance_prob[again.chance_index[node]] == tree.chance_prob[tree.chance_index[node]]


@pytest.mark.interpreted
@every_tree
def test_payoffs_are_even_and_mirror_at_half_the_sum(described):
    payoffs = game_of_tree(described, "made").payoffs
    assert set(described.tree.payoffs) <= set(payoffs)
    assert len({after - before for before, after in pairwise(payoffs)}) == 1
    assert payoffs[0] + payoffs[-1] == described.total


@pytest.mark.interpreted
@every_tree
def test_a_view_is_the_infoset_of_its_player(described):
    """Equal infosets have equal views and offers, others differ; who waits sees nothing, and the end is the payoff."""
    game, tree = game_of_tree(described, "made"), described.tree
    known = {}

    def walk(state, node):
        mover, views = int(game.rules.mover(state)), [tuple(view_of(game, state, player).tolist()) for player in (0, 1)]
        label, out = int(tree.label[node]), np.zeros(game.sizes.actions, np.int64)
        if mover == OVER:
            pay = game.payoffs[game.rules.score(state)]
            assert pay == tree.payoffs[LEAF - label]
            assert views == [(player, -1, game.payoffs.index(pay)) for player in (0, 1)]
            return
        actions = out[: game.rules.legal(state, out)].tolist()
        for player in (0, 1):
            assert views[player] == (player, label if player == mover else -1, -1)
        if mover != CHANCE:
            assert mover == tree.owner[label] and known.setdefault(label, actions) == actions
            if described.labels.infosets[label]:
                assert game.show(np.array(views[mover])) == described.labels.infosets[label]
        children = np.flatnonzero(tree.parent == node)
        assert len(actions) == len(children)
        for action, child in zip(actions, children, strict=True):
            following = state.copy()
            game.rules.apply(following, action)
            walk(following, int(child))

    state = np.zeros(game.sizes.state, np.int64)
    game.rules.start(state)
    walk(state, 0)
    assert len(known) == len(tree.owner)


def test_records_of_random_games_are_those_of_the_compiled_loop():
    uniform = find_policy(URNS, "uniform")
    scores = PolicyMatch(URNS, uniform, uniform).scores(5, 0, 300)
    for number in range(300):
        record, score = record_game(URNS, uniform, uniform, 5, number)
        *_, last = replay(URNS, record)
        assert last.mover == OVER and URNS.rules.score(last.state) == score == scores[number, 0]


def test_words_are_those_of_the_file():
    uniform = find_policy(URNS, "uniform")
    told = set()
    for number in range(60):
        told |= {
            URNS.reveal(position.state)
            for position in replay(URNS, record_game(URNS, uniform, uniform, 5, number).record)
        }
    assert "the beginning" in told and "red" in told and "blue, go" in told
    assert "black, go (2), left, the end: Ann gets 2, Bob gets -2" in told
    assert [URNS.label(action) for action in range(5)] == ["stay", "go", "go (2)", "left", "2"]
    assert URNS.show(np.array([1, 1, -1])) == "(2,1)" and URNS.show(np.array([1, -1, -1])) == "Bob waits"


def test_kuhn_from_its_own_export_has_its_value_through_the_game():
    game = game_of_tree(KUHN, "kuhn-file")
    found = solve_exactly(game)
    assert found.value == "-1/18" and found.exact
    assert verify(found.certificate, GamePositions(game)) == (Fraction(-1, 18), Fraction(-1, 18))


def test_the_checker_of_trees_and_that_of_games_prove_the_same_of_weighted_chance():
    """A solution by the tree alone, translated for the game, secures in the game what it secures in the tree."""
    by_tree = solve_problem(TreeSource("urns", "1", "urns.efg", lambda most, watch: URNS_TREE))
    by_game = solve_exactly(URNS)
    assert by_tree.value == by_game.value and by_tree.exact and by_game.exact
    bounds = verify(by_tree.certificate, TreePositions("urns", "1", URNS_TREE.tree))
    assert bounds == verify(by_game.certificate, GamePositions(URNS))
    rows, _ = translate_rows(URNS_TREE, by_tree.certificate["strategies"])
    table = behaviour_policy("table", URNS, table_probabilities(rows, "table"))
    scores = AgentMatch(URNS, table, table).scores(3, 0, 2000, "alternating")
    assert scores.mean() == pytest.approx(URNS.max_score / 2, abs=4 * scores.std() / 2000**0.5)
    first = AgentMatch(URNS, table, find_policy(URNS, "uniform")).scores(3, 0, 2000)[:, 0]
    mean = float(URNS.payoffs[0] + (URNS.payoffs[1] - URNS.payoffs[0]) * Fraction(float(first.mean())))
    assert mean > float(bounds[0]) - 0.15, "the first player gets the value against anybody"


def test_leduc_of_openspiel_has_the_value_of_ours_through_the_game():
    pytest.importorskip("pyspiel")
    game = game_of_tree(from_openspiel("leduc_poker"), "leduc-poker")
    assert solve_exactly(game).value == solve_exactly(known_game("leduc")).value


def test_a_strategic_form_is_a_game_too():
    game = game_of_tree(
        from_nfg('NFG 1 R "rps" { "a" "b" } { 3 3 } 0 0 -1 1 1 -1 1 -1 0 0 -1 1 -1 1 1 -1 0 0'), "table"
    )
    assert solve_exactly(game).value == "0" and game.sizes.actions == 3


def test_a_game_without_decisions_and_one_with_one_payoff_can_be_played():
    over = game_of_tree(from_efg('EFG 2 R "over" { "a" "b" } t "" 1 "" { 5 -5 }'), "over")
    assert over.payoffs == (-5, 5) and record_game(over, *[find_policy(over, "uniform")] * 2, 1, 0) == ([], 1)
    even = game_of_tree(from_efg('EFG 2 R "" { "a" "b" } p "" 2 1 "" { "x" "y" } 0 t "" 0 t "" 0'), "even")
    assert even.payoffs == (-1, 0, 1) and even.title == "the text" and solve_exactly(even).value == "0"


# Refusals


def test_payoffs_that_are_too_uneven_are_refused():
    assert len(even_payoffs([Fraction(0), Fraction(1, 1000)], Fraction(1), "x")) == 1001
    with pytest.raises(ValueError, match=r"payoffs of x are up to 1,001 even steps of 1/1001 apart"):
        even_payoffs([Fraction(0), Fraction(1, 1001)], Fraction(1), "x")


def test_large_trees_and_fine_chances_are_refused(monkeypatch):
    fine = (
        'EFG 2 R "x" { "a" "b" } c "" 1 "" { "l" 1/3000000000 "r" 2999999999/3000000000 } 0 t "" 1 "" { 1 -1 } t "" 0'
    )
    with pytest.raises(ValueError, match=r"chance in fine has probabilities of the denominator 3,000,000,000"):
        game_of_tree(from_efg(fine), "fine")
    monkeypatch.setattr(game, "MAX_NODES", 54)
    with pytest.raises(ValueError, match=r"kuhn has 55 nodes: a tree of more than 54 can only be solved"):
        game_of_tree(KUHN, "kuhn")
