"""Regret minimisation: known values, known speeds of convergence, exact interruption; the judge has the last word."""

from functools import cache
from itertools import islice

import numpy as np
import pytest
from support.nested_games import PENNIES, random_trees, tree_from

from fogspiel.games import leduc as leduc
from fogspiel.games import one_card_poker as kuhn
from fogspiel.solving.methods import NO_STATE, SolverState
from fogspiel.solving.methods.cfr import METHODS, TreeRegrets
from fogspiel.solving.methods.tree import by_iterations
from fogspiel.solving.policies.best_response import exploitability
from fogspiel.solving.reduce import ReducedGame
from fogspiel.solving.tree import LEAF, Tree, build_tree, sequence_form

LEDUC_VALUE = -0.085606424078

tree_of_kuhn = cache(lambda: build_tree(kuhn.GAMES[0]))
tree_of_leduc = cache(lambda: build_tree(leduc.GAMES[0]))


def iterations_to(tree: Tree, method: str, gap: float, step: int, most: int) -> int:
    """How many iterations bring the certified gap down, in batches of `step`."""
    run = TreeRegrets(sequence_form(tree), method)
    while run.iterations < most:
        run.advance(step)
        if run.gap().gap <= gap:
            return run.iterations
    raise AssertionError(f"{method} has a gap of {run.gap().gap} after {most} iterations")


def assert_is_behaviour(tree: Tree, player: int, row: np.ndarray) -> None:
    """Nothing negative, every infoset adds up to 1."""
    assert row[0] == 1
    assert (row >= 0).all()
    for i in tree.numbers(player):
        assert abs(row[tree.first[i] : tree.first[i] + tree.count[i]].sum() - 1) < 1e-12


def plain_cfr(tree: Tree, method: str, iterations: int) -> list[np.ndarray]:
    """The textbook, one history at a time: counterfactual values by recursion; the sums of both players' plans."""
    children = [np.flatnonzero(tree.parent == node).tolist() for node in range(tree.nodes)]
    widths = [1 + int(tree.count[tree.owner == player].sum()) for player in (0, 1)]
    regrets, averages = [np.zeros(w) for w in widths], [np.zeros(w) for w in widths]
    current = [np.ones(w) for w in widths]
    actions = [slice(first, first + count) for first, count in zip(tree.first, tree.count, strict=True)]
    for i, player in enumerate(tree.owner):
        current[player][actions[i]] = 1 / tree.count[i]

    def payoff(node):
        """What the first player gets below a node, times the probability of chance."""
        label = tree.label[node]
        if label <= LEAF:
            return float(tree.payoffs[LEAF - label] * tree.chance_prob[tree.chance_index[node]])
        shares = current[tree.owner[label]][actions[label]] if label >= 0 else np.ones(len(children[node]))
        return sum(share * payoff(child) for share, child in zip(shares, children[node], strict=True))

    def opposing_reach(node, player):
        """How likely the opponent lets a node be reached."""
        above = tree.parent[node]
        if above < 0:
            return 1.0
        label = tree.label[above]
        theirs = label >= 0 and tree.owner[label] != player
        share = current[1 - player][tree.first[label] + tree.slot[node]] if theirs else 1.0
        return share * opposing_reach(above, player)

    def values(infoset, player):
        """The counterfactual values of the actions of an infoset under the current behaviour."""
        nodes = np.flatnonzero(tree.label == infoset).tolist()
        worth = [[opposing_reach(node, player) * payoff(child) for child in children[node]] for node in nodes]
        return np.sum(worth, axis=0) * (1 if player == 0 else -1)

    for t in range(1, iterations + 1):
        for player in (0, 1):
            mine = tree.numbers(player).tolist()
            seen = {i: values(i, player) for i in mine}
            for i in reversed(mine):
                row = current[player][actions[i]]
                regret = regrets[player][actions[i]] + seen[i] - row @ seen[i]
                regrets[player][actions[i]] = regret if method == "dcfr" else np.maximum(regret, 0)
                target = np.maximum(regret, 0)
                if method == "pcfr+":  # the infosets below have moved already: these values are the prediction
                    guess = values(i, player)
                    target = np.maximum(target + guess - row @ guess, 0)
                row[:] = target / target.sum() if target.sum() > 0 else 1 / tree.count[i]
            if method == "dcfr":  # discounted after the iteration, as in the paper
                regrets[player] *= np.where(regrets[player] > 0, t**1.5 / (t**1.5 + 1), 0.5)
            plan = np.ones(widths[player])
            for i in mine:
                plan[actions[i]] = plan[tree.before[i]] * current[player][actions[i]]
            averages[player] += t ** (1 if method == "cfr+" else 2) * plan
    return averages


@pytest.mark.thorough
@pytest.mark.parametrize("method", METHODS)
def test_the_treeplex_version_does_what_the_textbook_does(method):
    # Where actions tie exactly, rounding decides between uniform play and anything else: so the payoffs are odd ones
    for _, tree in random_trees(11, 20, 5, finest=30):
        run = TreeRegrets(sequence_form(tree), method)
        run.advance(6)
        for player, plan in enumerate(plain_cfr(tree, method, 6)):
            for i in tree.numbers(player):
                rows = slice(tree.first[i], tree.first[i] + tree.count[i])
                if plan[rows].sum() > 1e-9:
                    assert run.average[player][rows] == pytest.approx(plan[rows] / plan[rows].sum(), abs=1e-9)


def test_matching_pennies_is_solved_from_the_start():
    run = TreeRegrets(sequence_form(tree_from(PENNIES)), "pcfr+")
    run.advance(1)
    assert run.last[0].tolist() == run.last[1].tolist() == [1, 0.5, 0.5]
    assert run.gap().gap == 0


@pytest.mark.parametrize("method", METHODS)
def test_bounds_hold_the_value_of_kuhn_and_leduc_and_the_judge_agrees(method):
    for tree, value in ((tree_of_kuhn(), -1 / 18), (tree_of_leduc(), LEDUC_VALUE)):
        run = TreeRegrets(sequence_form(tree), method)
        for iterations in (0, 1, 10, 500):
            run.advance(iterations)
            bounds = run.gap()
            assert bounds.lower - 1e-12 <= value <= bounds.upper + 1e-12
            verdict = exploitability(tree, bounds.first, bounds.second)
            assert verdict.lower == pytest.approx(bounds.lower, abs=1e-12)
            assert verdict.upper == pytest.approx(bounds.upper, abs=1e-12)
            for rows in (run.average, run.last, (bounds.first, bounds.second)):
                for player, row in enumerate(rows):
                    assert_is_behaviour(tree, player, row)
        assert run.gap().gap < 0.01


def test_each_side_takes_the_better_of_average_and_last():
    tree, chosen = tree_of_kuhn(), set()
    for method in METHODS:
        run = TreeRegrets(sequence_form(tree), method)
        for _ in range(40):
            run.advance(1)
            bounds, (averages, lasts) = run.gap(), (run.average, run.last)
            means, ends = exploitability(tree, *averages), exploitability(tree, *lasts)
            assert bounds.lower == pytest.approx(max(means.lower, ends.lower), abs=1e-12)
            assert bounds.upper == pytest.approx(min(means.upper, ends.upper), abs=1e-12)
            assert bounds.gap == bounds.upper - bounds.lower
            chosen |= {(0, np.array_equal(bounds.first, lasts[0])), (1, np.array_equal(bounds.second, lasts[1]))}
    assert len(chosen) == 4  # both kinds were the better one at times, for both players


@pytest.mark.parametrize("method", METHODS)
def test_batches_and_interruptions_change_no_byte(method):
    form = sequence_form(tree_of_leduc())
    whole = TreeRegrets(form, method)
    whole.advance(100)
    run = TreeRegrets(form, method)
    for batch in (1, 0, 7, 42, 13, 1, 36):
        run.advance(batch)
        saved, run = run.state, TreeRegrets(form, method)
        run.advance(3)  # restoring must forget this
        run.restore(saved)
        assert run.state == saved
    assert run.iterations == 100
    assert run.state == whole.state
    assert run.gap().lower == whole.gap().lower
    assert all(np.array_equal(a, b) for a, b in zip(run.average, whole.average, strict=True))


def test_what_cannot_be_continued_is_refused_and_changes_nothing():
    form = sequence_form(tree_of_kuhn())
    run = TreeRegrets(form, "cfr+")
    run.advance(5)
    before = run.state
    other = TreeRegrets(form, "dcfr")
    cells = np.frombuffer(before, "<f8")
    split = 4 + 3 * form.treeplexes[0].sequences
    broken = []
    for place, value in ((3, 2.5), (3, -1), (6, np.nan), (split - 1, 0.9), (4 + 13, -1.0), (3, np.inf)):
        changed = cells.copy()
        changed[place] = value
        broken.append(changed.tobytes())
    for state, sentence in (
        (before[:-8], "bytes, not"),
        (TreeRegrets(sequence_form(tree_of_leduc()), "cfr+").state, "bytes, not"),
        (other.state, "another game or method"),
        *((state, "damaged") for state in broken),
    ):
        with pytest.raises(ValueError, match=sentence):
            run.restore(state)
        assert run.state == before
    with pytest.raises(ValueError, match=r"the methods are cfr\+, dcfr, pcfr\+"):
        TreeRegrets(form, "cfr")
    with pytest.raises(ValueError, match="must not be negative"):
        run.advance(-1)


@pytest.mark.parametrize("method", METHODS)
def test_random_games_are_solved(method):
    for _, tree in random_trees(12, 25, 6):
        run = TreeRegrets(sequence_form(tree), method)
        run.advance(3000)
        bounds = run.gap()
        assert -1e-12 <= bounds.gap < 0.02
        assert exploitability(tree, bounds.first, bounds.second).gap == pytest.approx(bounds.gap, abs=1e-12)


def test_pcfr_plus_needs_few_iterations_on_kuhn_and_cfr_plus_on_leduc():
    assert iterations_to(tree_of_kuhn(), "pcfr+", 1e-6, 5, 150) <= 100
    assert iterations_to(tree_of_leduc(), "cfr+", 1e-4, 200, 5000) <= 3500
    assert iterations_to(tree_of_leduc(), "dcfr", 1e-4, 200, 5000) <= 3500


@pytest.mark.slow
def test_the_slow_methods_reach_a_gap_of_1e_6_on_kuhn_too():
    assert 50_000 < iterations_to(tree_of_kuhn(), "dcfr", 1e-6, 200, 10**6) < 500_000
    assert 200_000 < iterations_to(tree_of_kuhn(), "cfr+", 1e-6, 200, 10**6) < 900_000


@pytest.mark.parametrize("method", METHODS)
def test_bounds_after_powers_of_two_are_those_of_the_averages_on_the_whole_tree(method):
    rows = [progress.row for progress in iterations_of(method, 100, NO_STATE)]
    assert [row["iterations"] for row in rows] == [1, 2, 4, 8, 16, 32, 64, 100]
    plain = TreeRegrets(sequence_form(tree_of_kuhn()), method)
    plain.advance(64)
    judged = exploitability(tree_of_kuhn(), *plain.average)
    assert abs(rows[6]["upper"] - rows[6]["lower"] - 2 * judged.exploitability) < 1e-12


def test_an_interrupted_curve_continues_with_the_same_rows():
    whole = [progress.row for progress in iterations_of("dcfr", 50, NO_STATE)]
    begun = list(islice(iterations_of("dcfr", 50, NO_STATE), 4))
    for kept in (begun, begun[:-1]):  # the last row may have been stored without its state
        saved = SolverState([progress.row for progress in begun], kept[-1].state)
        rest = [progress.row for progress in iterations_of("dcfr", 50, saved) if progress.row]
        assert [progress.row for progress in begun] + rest == whole


def test_the_command_stores_the_curve(fogspiel, refused):
    assert fogspiel("solve", "kuhn", "--method", "cfr+", "--iterations", 20).returncode == 0
    lines = fogspiel("export", "kuhn-1", "--format", "csv").stdout.splitlines()
    assert lines[0] == "iterations,lower,upper" and [line.split(",")[0] for line in lines[1:]] == [
        "1", "2", "4", "8", "16", "20", "result",
    ]  # fmt: skip
    refused("solve", "kuhn", "--method", "lp", "--iterations", 20, because="are for methods that sample")
    refused("solve", "kuhn", "--method", "cfr+", "--seconds", 20, because="--seed and --seconds are for methods")


def iterations_of(method, most, saved):
    """Progress of a method on the whole tree of Kuhn poker."""
    form = sequence_form(tree_of_kuhn())
    return by_iterations(method, most)(ReducedGame(form, lambda *behaviours: behaviours), saved)
