"""Growing games: both ways of growth against the whole program, published values and the judge on the tree."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from support.nested_games import random_trees

from fogspiel.core.game import known_game
from fogspiel.solving.methods.double_oracle import (
    BrokenInvariant,
    Growth,
    Restricted,
    Side,
    double_oracle,
    lazy,
    restricted_game,
)
from fogspiel.solving.methods.lp import equilibrium
from fogspiel.solving.policies.best_response import exploitability
from fogspiel.solving.tree.sequence_form import SequenceForm, Treeplex, behaviour_of, plan_of
from fogspiel.solving.tree.tree import Tree, build_tree, sequence_form

VALUES = {
    "kuhn": -1 / 18,
    "leduc": -0.085606424078,
    "goofspiel-4": 0.0,
    "liars-dice-4": 0.0625,
    "rps-half": 0.0,
    "morra": 0.5,
    "binary-poker": 0.0,
}
"""Kuhn 1950; OpenSpiel for Leduc; symmetric games; Bossle 2018 for binary poker; the whole program for liar's dice."""
WAYS: dict[str, Callable[..., Iterator[Growth]]] = {
    "lazy, second player plans": lambda form, **more: lazy(form, 1, **more),
    "lazy, first player plans": lambda form, **more: lazy(form, 0, **more),
    "double oracle": double_oracle,
}
every_way = pytest.mark.parametrize("way", WAYS)
every_game = pytest.mark.parametrize("name", VALUES)
RANDOM_GAMES = random_trees(4, 60, 6, finest=1, deciding=1)


@cache
def solvable(name: str) -> tuple[Tree, SequenceForm]:
    tree = build_tree(known_game(name))
    return tree, sequence_form(tree)


def rounds_of(way: str, form: SequenceForm, **more) -> list[Growth]:
    return list(WAYS[way](form, **more))


def check_round(tree: Tree, growth: Growth) -> None:
    """The judge agrees with what a round says about its strategies."""
    judged = exploitability(tree, *growth.behaviours)
    assert judged.upper - judged.lower == pytest.approx(growth.gap, abs=1e-9)
    assert growth.lower >= judged.lower - 1e-9
    assert growth.upper <= judged.upper + 1e-9


@every_way
@every_game
def test_a_growing_game_ends_at_the_value_with_strategies_that_the_judge_finds_optimal(way: str, name: str) -> None:
    tree, form = solvable(name)
    last = rounds_of(way, form)[-1]
    assert last.final
    assert last.value == pytest.approx(VALUES[name], abs=1e-9)
    judged = exploitability(tree, *last.behaviours)
    assert judged.lower == pytest.approx(VALUES[name], abs=1e-9)
    assert judged.upper == pytest.approx(VALUES[name], abs=1e-9)


@pytest.mark.thorough
@every_way
def test_random_games_full_of_ties_have_the_value_of_the_whole_program(way: str) -> None:
    for _, tree in RANDOM_GAMES:
        form = sequence_form(tree)
        last = rounds_of(way, form)[-1]
        assert last.value == pytest.approx(equilibrium(form).value, abs=1e-9), tree.title
        assert last.gap <= 1e-9
        check_round(tree, last)


def test_the_random_games_are_of_many_kinds() -> None:
    forms = [sequence_form(tree) for _, tree in RANDOM_GAMES]
    infosets = [[treeplex.infosets for treeplex in form.treeplexes] for form in forms]
    assert max(map(min, infosets)) > 5
    assert any(min(pair) == 0 for pair in infosets)
    assert len({round(equilibrium(form).value, 9) for form in forms}) > 15


@every_way
@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice-4", "goofspiel-4"])
def test_in_every_round_the_bounds_hold_and_close_in(way: str, name: str) -> None:
    tree, form = solvable(name)
    rounds = rounds_of(way, form)
    for growth in rounds:
        assert growth.lower - 1e-9 <= VALUES[name] <= growth.upper + 1e-9
        check_round(tree, growth)
    for before, after in pairwise(rounds):
        assert after.lower >= before.lower
        assert after.upper <= before.upper
        assert any(before.added)


@pytest.mark.parametrize("planner", [0, 1])
def test_a_lazy_responder_secures_more_in_every_round(planner: int) -> None:
    tree, form = solvable("leduc")
    secured = []
    for growth in lazy(form, planner):
        judged = exploitability(tree, *growth.behaviours)
        secured.append(judged.lower if planner else -judged.upper)
    assert all(after >= before - 1e-9 for before, after in pairwise(secured))


def generated_after(treeplex: Treeplex, rounds: list[Growth], player: int, start: list[int]) -> Iterator[np.ndarray]:
    """Which sequences are generated in each round, from the records alone."""
    generated = np.zeros(treeplex.sequences, bool)
    generated[start] = True
    for growth in rounds:
        assert growth.generated[player] == generated.sum()
        yield generated
        assert not generated[growth.added[player]].any()
        generated[growth.added[player]] = True


@every_way
@pytest.mark.parametrize("name", ["leduc", "liars-dice-4"])
def test_generated_sequences_follow_generated_ones_and_none_comes_twice(way: str, name: str) -> None:
    form = solvable(name)[1]
    rounds = rounds_of(way, form)
    for player in (0, 1):
        treeplex = form.treeplexes[player]
        if way != "double oracle" and not any(growth.added[player] for growth in rounds):
            assert rounds[-1].generated[player] == treeplex.sequences
            continue
        start = [0] if way == "double oracle" else first_rows(form, player)
        for generated in generated_after(treeplex, rounds, player, start):
            can_go_on = np.logical_or.reduceat(generated, treeplex.first)
            assert generated[treeplex.parent[can_go_on]].all()
            if way != "double oracle":
                assert can_go_on[generated[treeplex.parent]].all()


def first_rows(form: SequenceForm, responder: int) -> list[int]:
    """The rows of the first restricted program: a pure best response to uniform play, found here once more."""
    mine, theirs = form.treeplexes[1 - responder], form.treeplexes[responder]
    uniform = plan_of(mine, behaviour_of(mine, np.zeros(mine.sequences)))
    worth = -form.transposed.times(uniform) if responder else form.matrix.times(uniform)
    choice = {}
    for i in range(theirs.infosets - 1, -1, -1):
        actions = range(theirs.first[i], theirs.first[i] + theirs.count[i])
        choice[i] = max(actions, key=lambda s: worth[s])
        worth[theirs.parent[i]] += worth[choice[i]]
    rows = [0]
    for i in range(theirs.infosets):
        if theirs.parent[i] in rows:
            rows.append(choice[i])
    return rows


@every_way
@pytest.mark.parametrize("name", ["kuhn", "leduc", "morra", "goofspiel-4"])
def test_a_run_interrupted_anywhere_ends_with_the_same_bytes(way: str, name: str) -> None:
    form = solvable(name)[1]
    whole = rounds_of(way, form)
    for cut in sorted({1, len(whole) // 2, len(whole) - 1, len(whole)}):
        records = json.loads(json.dumps([growth.record for growth in whole[:cut]]))
        rest = rounds_of(way, form, records=records)
        finished = cut == len(whole)
        assert len(rest) == (1 if finished else len(whole) - cut)
        for ours, theirs in zip(rest, whole[-len(rest) :], strict=True):
            assert json.dumps(ours.record) == json.dumps(theirs.record)
            assert all(a.tobytes() == b.tobytes() for a, b in zip(ours.behaviours, theirs.behaviours, strict=True))


@every_way
def test_a_loose_tolerance_stops_at_the_first_strategies_that_meet_it(way: str) -> None:
    tree, form = solvable("leduc")
    rounds = rounds_of(way, form, tolerance=0.2)
    gaps = [judged.upper - judged.lower for judged in (exploitability(tree, *growth.behaviours) for growth in rounds)]
    assert gaps[-1] <= 0.2 < min(gaps[:-1])


@every_way
def test_without_tolerance_a_run_ends_too(way: str) -> None:
    last = rounds_of(way, solvable("leduc")[1], tolerance=0.0)[-1]
    assert last.gap <= 1e-12


def test_small_parts_of_liars_dice_and_goofspiel_are_enough() -> None:
    for name, part in (("liars-dice-4", 0.25), ("goofspiel-4", 0.15)):
        last = list(double_oracle(solvable(name)[1]))[-1]
        assert max(n / len(b) for n, b in zip(last.generated, last.behaviours, strict=True)) < part


def test_pairs_of_restricted_strategies_are_worth_what_they_get_in_the_whole_game() -> None:
    tree, form = solvable("leduc")
    rng = np.random.default_rng(7)
    sides = Side(form, 0, 1e-9), Side(form, 1, 1e-9)
    for growth in double_oracle(form):
        game = restricted_game(form, sides)
        laws = []
        for treeplex in game.treeplexes:
            assert treeplex.infosets == 0 or treeplex.count.min() > 0
            laws.append(
                behaviour_of(treeplex, plan_of(treeplex, behaviour_of(treeplex, rng.random(treeplex.sequences))))
            )
        plans = [plan_of(treeplex, law) for treeplex, law in zip(game.treeplexes, laws, strict=True)]
        inside = float(plans[0] @ game.matrix.times(plans[1]))
        wholes = [side.plan(law) for side, law in zip(sides, laws, strict=True)]
        outside = exploitability(tree, *(behaviour_of(p, w) for p, w in zip(form.treeplexes, wholes, strict=True)))
        assert inside == pytest.approx(outside.value, abs=1e-12)
        for side in sides:
            side.add(growth.added[side.player])


@every_way
def test_strategies_are_laws_at_every_infoset_reached_or_not(way: str) -> None:
    form = solvable("liars-dice-4")[1]
    last = rounds_of(way, form)[-1]
    for treeplex, behaviour in zip(form.treeplexes, last.behaviours, strict=True):
        assert behaviour.min() >= 0
        np.testing.assert_allclose(np.add.reduceat(behaviour, treeplex.first), 1, atol=1e-12)


def test_a_row_or_a_sequence_that_comes_twice_is_noticed() -> None:
    form = solvable("kuhn")[1]
    with pytest.raises(BrokenInvariant, match="twice"):
        Restricted(form, 1, first_rows(form, 0)).add([0])
    with pytest.raises(BrokenInvariant, match="twice"):
        Side(form, 0, 1e-9).add([0])


def test_senseless_questions_are_refused_in_a_sentence() -> None:
    form = solvable("kuhn")[1]
    with pytest.raises(ValueError, match="planner 2 is not a player"):
        next(lazy(form, 2))


@pytest.mark.slow
@every_way
@pytest.mark.parametrize("name", ["goofspiel-5", "liars-dice-6"])
def test_larger_games_end_at_the_value_of_the_whole_program(way: str, name: str) -> None:
    tree, form = solvable(name)
    last = rounds_of(way, form)[-1]
    assert last.value == pytest.approx(equilibrium(form).value, abs=1e-8)
    check_round(tree, last)
