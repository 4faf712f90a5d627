"""Growing games: the double oracle against the whole program, published values and the judge on the tree."""

import json
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from support.nested_games import random_trees

from fogspiel.core.game import known_game
from fogspiel.solving.methods.double_oracle import BrokenInvariant, Growth, Side, double_oracle, restricted_game
from fogspiel.solving.methods.lp import equilibrium
from fogspiel.solving.policies.best_response import exploitability
from fogspiel.solving.tree import Tree, build_tree, sequence_form
from fogspiel.solving.tree.sequence_form import SequenceForm, Treeplex, behaviour_of, plan_of

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
every_game = pytest.mark.parametrize("name", VALUES)
RANDOM_GAMES = random_trees(4, 60, 6, finest=1, deciding=1)


@cache
def solvable(name: str) -> tuple[Tree, SequenceForm]:
    tree = build_tree(known_game(name))
    return tree, sequence_form(tree)


def rounds_of(form: SequenceForm, **more) -> list[Growth]:
    return list(double_oracle(form, **more))


def check_round(tree: Tree, growth: Growth) -> None:
    """The judge agrees with what a round says about its strategies."""
    judged = exploitability(tree, *growth.behaviours)
    assert judged.upper - judged.lower == pytest.approx(growth.gap, abs=1e-9)
    assert growth.lower >= judged.lower - 1e-9
    assert growth.upper <= judged.upper + 1e-9


@every_game
def test_a_growing_game_ends_at_the_value_with_strategies_that_the_judge_finds_optimal(name: str) -> None:
    tree, form = solvable(name)
    last = rounds_of(form)[-1]
    assert last.final
    assert last.value == pytest.approx(VALUES[name], abs=1e-9)
    judged = exploitability(tree, *last.behaviours)
    assert judged.lower == pytest.approx(VALUES[name], abs=1e-9)
    assert judged.upper == pytest.approx(VALUES[name], abs=1e-9)


@pytest.mark.thorough
def test_random_games_full_of_ties_have_the_value_of_the_whole_program() -> None:
    for _, tree in RANDOM_GAMES:
        form = sequence_form(tree)
        last = rounds_of(form)[-1]
        assert last.value == pytest.approx(equilibrium(form).value, abs=1e-9), tree.title
        assert last.gap <= 1e-9
        check_round(tree, last)


def test_the_random_games_are_of_many_kinds() -> None:
    forms = [sequence_form(tree) for _, tree in RANDOM_GAMES]
    infosets = [[treeplex.infosets for treeplex in form.treeplexes] for form in forms]
    assert max(map(min, infosets)) > 5
    assert any(min(pair) == 0 for pair in infosets)
    assert len({round(equilibrium(form).value, 9) for form in forms}) > 15


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice-4", "goofspiel-4"])
def test_in_every_round_the_bounds_hold_and_close_in(name: str) -> None:
    tree, form = solvable(name)
    rounds = rounds_of(form)
    for growth in rounds:
        assert growth.lower - 1e-9 <= VALUES[name] <= growth.upper + 1e-9
        check_round(tree, growth)
    for before, after in pairwise(rounds):
        assert after.lower >= before.lower
        assert after.upper <= before.upper
        assert any(before.added)


def generated_after(treeplex: Treeplex, rounds: list[Growth], player: int) -> Iterator[np.ndarray]:
    """Which sequences are generated in each round, from the records alone."""
    generated = np.zeros(treeplex.sequences, bool)
    generated[0] = True
    for growth in rounds:
        assert growth.generated[player] == generated.sum()
        yield generated
        assert not generated[growth.added[player]].any()
        generated[growth.added[player]] = True


@pytest.mark.parametrize("name", ["leduc", "liars-dice-4"])
def test_generated_sequences_follow_generated_ones_and_none_comes_twice(name: str) -> None:
    form = solvable(name)[1]
    rounds = rounds_of(form)
    for player in (0, 1):
        treeplex = form.treeplexes[player]
        for generated in generated_after(treeplex, rounds, player):
            can_go_on = np.logical_or.reduceat(generated, treeplex.first)
            assert generated[treeplex.parent[can_go_on]].all()


@pytest.mark.parametrize("name", ["kuhn", "leduc", "morra", "goofspiel-4"])
def test_a_run_interrupted_anywhere_ends_with_the_same_bytes(name: str) -> None:
    form = solvable(name)[1]
    whole = rounds_of(form)
    for cut in sorted({1, len(whole) // 2, len(whole) - 1, len(whole)}):
        records = json.loads(json.dumps([growth.record for growth in whole[:cut]]))
        rest = rounds_of(form, records=records)
        finished = cut == len(whole)
        assert len(rest) == (1 if finished else len(whole) - cut)
        for ours, theirs in zip(rest, whole[-len(rest) :], strict=True):
            assert json.dumps(ours.record) == json.dumps(theirs.record)
            assert all(a.tobytes() == b.tobytes() for a, b in zip(ours.behaviours, theirs.behaviours, strict=True))


def test_a_loose_tolerance_stops_at_the_first_strategies_that_meet_it() -> None:
    tree, form = solvable("leduc")
    rounds = rounds_of(form, tolerance=0.2)
    gaps = [judged.upper - judged.lower for judged in (exploitability(tree, *growth.behaviours) for growth in rounds)]
    assert gaps[-1] <= 0.2 < min(gaps[:-1])


def test_without_tolerance_a_run_ends_too() -> None:
    last = rounds_of(solvable("leduc")[1], tolerance=0.0)[-1]
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


def test_strategies_are_laws_at_every_infoset_reached_or_not() -> None:
    form = solvable("liars-dice-4")[1]
    last = rounds_of(form)[-1]
    for treeplex, behaviour in zip(form.treeplexes, last.behaviours, strict=True):
        assert behaviour.min() >= 0
        np.testing.assert_allclose(np.add.reduceat(behaviour, treeplex.first), 1, atol=1e-12)


def test_a_sequence_that_comes_twice_is_noticed() -> None:
    form = solvable("kuhn")[1]
    with pytest.raises(BrokenInvariant, match="twice"):
        Side(form, 0, 1e-9).add([0])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["goofspiel-5", "liars-dice-6"])
def test_larger_games_end_at_the_value_of_the_whole_program(name: str) -> None:
    tree, form = solvable(name)
    last = rounds_of(form)[-1]
    assert last.value == pytest.approx(equilibrium(form).value, abs=1e-8)
    check_round(tree, last)
