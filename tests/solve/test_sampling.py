"""Sampling on the rules: bounds that hold at any time and agree with the tree, whatever the memory and the cuts."""

from math import isclose

import numpy as np
import pytest

from fogspiel.core.game import known_game
from fogspiel.runs.kinds.solve import solve_unstored
from fogspiel.runs.requests import SolveRequest
from fogspiel.solving.methods.mccfr import METHODS, Sampling
from fogspiel.solving.methods.mccfr.traversal import FIRST, chain_after, find_row, key_of
from fogspiel.solving.policies.best_response import exploitability
from fogspiel.solving.tree import build_tree, session_at

VALUES = {"kuhn": -1 / 18, "leduc": -0.085606424078, "liars-dice-4": 1 / 16, "goofspiel-4": 0.0, "morra": 0.5}
every_method = pytest.mark.parametrize("method", METHODS)


def look(sampling):
    """The bounds of the present averages alone."""
    sampling.bounds = type(sampling.bounds)()
    for _ in sampling.look():
        pass
    return sampling.bounds


def behaviours_of(sampling, tree):
    """The averages in the numbering of the tree, by keys that are computed history by history."""
    game, salts = sampling.game, sampling._hashing.salts
    behaviours = [np.ones(1 + int(tree.count[tree.owner == player].sum())) for player in (0, 1)]
    for infoset, owner in enumerate(tree.owner.tolist()):
        path, node = [], int(tree.samples[infoset])
        while node >= 0:
            if tree.label[node] >= 0 and tree.owner[tree.label[node]] == owner:
                path.append(node)
            node = int(tree.parent[node])
        past = [salts[half, -1 - owner] for half in (0, 1)]
        first, count = int(tree.first[infoset]), int(tree.count[infoset])
        for node in reversed(path):
            seen = session_at(game, tree, node).view(owner)
            keys = [key_of(seen, past[half], salts[half]) for half in (0, 1)]
            if node != path[0]:
                after = tree.before[tree.label[path[path.index(node) - 1]]] - tree.first[tree.label[node]]
                past = [chain_after(key, after) for key in keys]
        row = find_row(*sampling._known[:3], *keys, count)
        at = sampling._known.rows[row, FIRST]
        weights = sampling._known.average[at : at + count] if row >= 0 else np.ones(count)
        behaviours[owner][first : first + count] = weights / weights.sum() if weights.sum() else 1 / count
    return behaviours


@pytest.mark.thorough
@every_method
@pytest.mark.parametrize("name", VALUES)
def test_the_bounds_hold_whenever_one_looks_and_close(name, method):
    sampling, gaps = Sampling(known_game(name), method, 7, 1.0), []
    for number in range(4):
        if number:
            sampling.advance(2**60, 4 * max(sampling.visited, 20_000))
        bounds = look(sampling)
        assert bounds.lower <= VALUES[name] + 1e-9 and bounds.upper >= VALUES[name] - 1e-9
        gaps.append(bounds.gap)
    assert gaps[-1] < gaps[0] / 2


@pytest.mark.thorough
@every_method
@pytest.mark.parametrize("name", ["kuhn", "leduc", "goofspiel-4"])
def test_the_best_responses_are_those_of_the_tree(name, method):
    sampling, tree = Sampling(known_game(name), method, 1, 1.0), build_tree(known_game(name))
    sampling.advance(2**60, 30_000)
    bounds, judged = look(sampling), exploitability(tree, *behaviours_of(sampling, tree))
    assert isclose(bounds.lower, judged.lower, abs_tol=1e-7) and bounds.lower <= judged.lower
    assert isclose(bounds.upper, judged.upper, abs_tol=1e-7) and bounds.upper >= judged.upper


def test_a_walk_that_cuts_off_is_never_too_low():
    sampling = Sampling(known_game("liars-dice-4"), "external-sampling", 1, 1.0)
    sampling.advance(2**60, 100_000)
    found = []
    for cut in (1e-1, 1e-2, 1e-3, 0.0):
        walk = sampling._walk(0, cut, 2**40)
        with pytest.raises(StopIteration) as end:
            while True:
                next(walk)
        found.append(end.value.value)
    worths, visited = [walk.worth for walk in found], [walk.visited for walk in found]
    assert worths == sorted(worths, reverse=True) and visited == sorted(visited)
    assert found[0].skipped > 0 and found[-1].skipped == 0


def test_bounds_hold_where_memory_is_too_small_for_all_information_states():
    """What is not stored is played at random, which is a strategy as well."""
    sampling = Sampling(known_game("liars-dice-6"), "external-sampling", 1, 0.001)
    sampling.advance(2**60, 3_000_000)
    bounds = look(sampling)
    assert sampling.sizes["not_stored"] > 0
    assert bounds.lower <= -7 / 258 <= bounds.upper and bounds.gap < 1.9


@pytest.mark.parametrize("room", [4096, 2**28])
def test_bounds_hold_where_chance_has_more_to_say_than_can_be_followed(room, monkeypatch):
    """All deals of the cards come before the first decision."""
    monkeypatch.setattr("fogspiel.solving.methods.mccfr.MIN_WALK", 20_000)
    monkeypatch.setattr("fogspiel.solving.methods.mccfr.HISTORY_BYTES", room)
    sampling = Sampling(known_game("leduc-13"), "external-sampling", 1, 1.0)
    sampling.advance(100, 2**60)
    bounds = look(sampling)
    assert -13 <= bounds.lower <= -0.0926739 <= bounds.upper <= 13 and max(bounds.cuts) > 0


@every_method
def test_slices_and_interruptions_do_not_change_a_bit(method):
    whole, cut = (Sampling(known_game("leduc"), method, 5, 1.0) for _ in range(2))
    whole.advance(3000, 2**60)
    while cut.iterations < 3000:
        cut.advance(3000, 777)
        state, cut = cut.state, Sampling(known_game("leduc"), method, 5, 1.0)
        cut.restore(state)
    assert cut.state == whole.state
    other = Sampling(known_game("leduc"), method, 6, 1.0)
    other.advance(3000, 2**60)
    assert other.state != whole.state
    with pytest.raises(ValueError, match="with seed 5"):
        other.restore(whole.state)


def test_a_damaged_state_is_refused():
    sampling = Sampling(known_game("kuhn"), "external-sampling", 5, 1.0)
    sampling.advance(100, 2**60)
    state = sampling.state
    for damaged in (state[:-8], state + bytes(8), state[:-8] + b"\xff" * 8):
        with pytest.raises(ValueError, match="damaged"):
            Sampling(known_game("kuhn"), "external-sampling", 5, 1.0).restore(damaged)


def test_a_gap_ends_a_run_and_a_budget_does():
    found = solve_unstored(SolveRequest("kuhn", "external-sampling", gap=0.02, iterations=10**6))
    assert found.interval[1] - found.interval[0] <= 0.02 and found.sizes["iterations"] < 10**6
    found = solve_unstored(SolveRequest("kuhn", "outcome-sampling", iterations=123))
    assert found.sizes["iterations"] == 123 and found.interval[0] <= -1 / 18 <= found.interval[1]
    with pytest.raises(ValueError, match="methods that sample"):
        SolveRequest("kuhn", "lp", seed=3)
    with pytest.raises(ValueError, match="--iterations is 0"):
        SolveRequest("kuhn", "external-sampling", iterations=0)


def test_a_tree_that_was_read_is_sampled_by_the_kernels_that_walk_it(tmp_path):
    from fogspiel.interop import to_efg
    from fogspiel.solving.sources import find_source

    file = tmp_path / "kuhn.efg"
    file.write_text(to_efg(*find_source("kuhn").describe(1.0)), encoding="utf-8")
    found = solve_unstored(SolveRequest(str(file), "external-sampling", iterations=3000))
    assert found.interval[0] <= -1 / 18 <= found.interval[1] and found.interval[1] - found.interval[0] < 0.1


@pytest.mark.slow
@pytest.mark.parametrize(("name", "gap"), [("goofspiel-6", 0.3), ("leduc-13", 0.3), ("liars-dice-2x6", 1.95)])
def test_large_games_have_an_interval_within_seconds(name, gap):
    found = solve_unstored(SolveRequest(name, "external-sampling", seconds=30.0))
    assert found.interval[1] - found.interval[0] < gap
