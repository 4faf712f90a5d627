"""Colour refinement: known quotients, a plain refinement as an oracle, and exact lifting of both players' plans."""

from fractions import Fraction

import numpy as np
import pytest
from support.nested_games import random_trees
from support.small_resistance import small_resistance
from support.symmetries import colours_from, kinds_of

from fogspiel.core.game import known_game
from fogspiel.solving.methods.lp import LinearProgram, plans_of, program_of, solve_lp
from fogspiel.solving.policies.best_response import exploitability
from fogspiel.solving.reduce import colour_refinement, presolve_tree
from fogspiel.solving.reduce.colour_refinement import Colours, colours_of, quotient, refine
from fogspiel.solving.tree import build_tree, sequence_form
from fogspiel.solving.tree.sequence_form import behaviour_of, sparse


def program_named(name, primal_player=1):
    tree = build_tree(known_game(name) if isinstance(name, str) else small_resistance(*name))
    return tree, sequence_form(tree), program_of(sequence_form(tree), primal_player)


def plain_colours(program):
    """Colour refinement in the words of the definition, with sorted lists in place of digests."""
    rows = list(zip(program.row_lower, program.row_upper, strict=True))
    columns = list(zip(program.column_lower, program.column_upper, program.cost, strict=True))
    start = program.matrix.start
    row_of = np.repeat(np.arange(program.height), np.diff(start))
    entries = list(zip(row_of.tolist(), program.matrix.column.tolist(), program.whole.tolist(), strict=True))

    def numbered(keys):
        names = {key: number for number, key in enumerate(sorted(set(keys)))}
        return [names[key] for key in keys]

    def sums(own, other, pairs):
        met = [dict() for _ in own]
        for here, there, coefficient in pairs:
            met[here][other[there]] = met[here].get(other[there], 0) + coefficient
        return numbered([(c, tuple(sorted((k, v) for k, v in m.items() if v))) for c, m in zip(own, met, strict=True)])

    rows, columns = numbered(rows), numbered(columns)
    before = None
    while before != (max(rows), max(columns)):
        before = max(rows), max(columns)
        rows = sums(rows, columns, entries)
        columns = sums(columns, rows, [(c, r, v) for r, c, v in entries])
    return Colours(np.array(rows), np.array(columns))


def same_classes(one, two):
    return len(set(zip(one.tolist(), two.tolist(), strict=True))) == len(set(one.tolist())) == len(set(two.tolist()))


def test_leduc_with_labelled_cards_collapses_to_the_rank_game():
    _, form, program = program_named("leduc-labelled")
    found = refine(program)
    assert program.sizes == {"rows": 1562, "columns": 1562, "nonzeros": 8042}
    assert found.program.sizes == {"rows": 482, "columns": 482, "nonzeros": 1928}
    _, _, ranks = program_named("leduc")
    assert (ranks.height, ranks.width, len(ranks.whole)) == (482, 482, 1928)
    assert sorted(found.program.row_upper) == sorted(ranks.row_upper)
    for kinds in kinds_of(form, 1, found.colours):
        assert len(set(kinds.infosets)) == 144 and len(set(kinds.sequences)) == 337


def test_kuhn_has_no_symmetry():
    _, _, program = program_named("kuhn")
    found = refine(program)
    assert (program.height, program.width) == (found.program.height, found.program.width) == (20, 20)
    assert np.array_equal(found.program.whole, program.whole)
    assert np.array_equal(found.program.matrix.value, program.matrix.value)
    assert np.array_equal(found.program.cost, program.cost)


@pytest.mark.parametrize("primal_player", [0, 1])
@pytest.mark.parametrize("name", ["rps", "morra", "leduc-labelled", "goofspiel-4", (4, 2, (2, 2, 2), 2)])
def test_both_plans_lift_to_an_equilibrium_of_the_whole_game(name, primal_player):
    tree, form, program = program_named(name, primal_player)
    found = refine(program)
    point = solve_lp(found.program)
    assert found.program.width < program.width
    assert point.value == pytest.approx(solve_lp(program).value, abs=1e-9)
    plans = plans_of(form, primal_player, *found.lift(point.primal, point.dual))
    verdict = exploitability(tree, *map(behaviour_of, form.treeplexes, plans))
    assert verdict.lower == pytest.approx(point.value, abs=1e-9)
    assert verdict.upper == pytest.approx(point.value, abs=1e-9)


def test_lifted_fractions_satisfy_every_row_and_every_column_exactly():
    for name in ("rps", "kuhn", (4, 2, (2, 2, 2), 2), (3, 1, (1, 2, 2), 2)):
        _, _, program = program_named(name)
        found = refine(program)
        point = solve_lp(found.program)
        near = [[Fraction(v).limit_denominator(10_000) for v in row.tolist()] for row in (point.primal, point.dual)]
        primal, dual = found.lift(*near)
        row_of = np.repeat(np.arange(program.height), np.diff(program.matrix.start)).tolist()
        across, down = [Fraction(0)] * program.height, [Fraction(0)] * program.width
        for row, column, whole in zip(row_of, program.matrix.column.tolist(), program.whole.tolist(), strict=True):
            across[row] += whole * primal[column]
            down[column] += whole * dual[row]
        for total, low, high, price in zip(across, program.row_lower, program.row_upper, dual, strict=True):
            assert low <= total <= high
            assert price >= 0 or low == high
        for total, low, value, cost in zip(down, program.column_lower, primal, program.cost, strict=True):
            assert low <= value
            assert total <= cost if low == 0 else total == cost
        assert sum(c * v for c, v in zip(map(int, program.cost), primal, strict=True)) == dual[0]


def test_the_colouring_is_that_of_the_definition():
    programs = [
        program_named(name, primal_player)[2] for name in ("kuhn", "rps", "goofspiel-4") for primal_player in (0, 1)
    ]
    programs += [program_of(sequence_form(tree), k % 2) for k, (_, tree) in enumerate(random_trees(5, 30, 6, finest=1))]
    programs += [program_named((4, 1, (2, 2, 2), 2))[2]]
    for program in programs:
        found, plain = colours_of(program), plain_colours(program)
        assert same_classes(found.rows, plain.rows) and same_classes(found.columns, plain.columns)


@pytest.mark.thorough
def test_rows_of_one_colour_have_the_same_sums_into_every_colour_of_columns():
    for name in ("leduc-labelled", (4, 2, (2, 2, 2), 2)):
        program = program_named(name)[2]
        found = refine(program)
        sums = np.zeros((program.height, found.program.width), np.int64)
        row_of = np.repeat(np.arange(program.height), np.diff(program.matrix.start))
        np.add.at(sums, (row_of, found.colours.columns[program.matrix.column]), program.whole)
        for colour in range(found.program.height):
            assert len(np.unique(sums[found.colours.rows == colour], axis=0)) == 1


def test_only_sums_of_coefficients_count():
    """Both columns once and one column twice are of one colour if the columns are."""
    matrix = sparse(np.array([0, 1, 2, 2]), np.array([0, 1, 0, 1]), np.array([2.0, 2.0, 1.0, 1.0]), 3)
    program = LinearProgram(
        np.ones(2),
        matrix,
        matrix.value.astype(int),
        np.ones(3),
        np.full(3, np.inf),
        np.zeros(2),
        np.ones(2),
        Fraction(1),
    )
    found = refine(program)
    assert (found.program.height, found.program.width, found.program.whole.tolist()) == (1, 1, [2])
    assert solve_lp(found.program).value == solve_lp(program).value == 1
    primal, dual = found.lift([Fraction(1, 2)], [Fraction(1)])
    assert primal == [Fraction(1, 2)] * 2 and dual == [Fraction(1, 3)] * 3


@pytest.mark.parametrize("name", ["kuhn", "leduc-labelled", (4, 2, (2, 2, 2), 2)])
def test_colliding_digests_cannot_merge_too_much(name, monkeypatch):
    _, _, program = program_named(name)
    honest = colours_of(program)
    true_mix = colour_refinement.mix

    def poor_mix(start, column, whole, other, salt, digest):
        true_mix(start, column, whole, other, salt, digest)
        digest %= np.uint64(3 + salt)

    monkeypatch.setattr(colour_refinement, "mix", poor_mix)
    found = colours_of(program)
    assert same_classes(found.rows, honest.rows) and same_classes(found.columns, honest.columns)


def test_a_colouring_that_is_not_equitable_is_refused():
    _, _, program = program_named("kuhn")
    with pytest.raises(ValueError, match="not equitable"):
        quotient(program, Colours(np.zeros(20, int), np.zeros(20, int)))
    with pytest.raises(ValueError, match="20 x 20"):
        quotient(program, Colours(np.arange(19), np.arange(20)))


def test_colours_of_the_game_and_of_the_program_translate_into_each_other():
    for primal_player in (0, 1):
        _, form, program = program_named("leduc-labelled", primal_player)
        colours = colours_of(program)
        back = colours_from(primal_player, kinds_of(form, primal_player, colours))
        assert same_classes(back.rows, colours.rows) and same_classes(back.columns, colours.columns)


@pytest.mark.slow
def test_the_resistance_of_five_labelled_players_is_solved_without_knowing_its_symmetry():
    tree = build_tree(known_game("resistance5"))
    reduced = presolve_tree(tree)
    program = program_of(reduced.form, 1)
    found = refine(program)
    assert (program.height, program.width) == (105_842, 31_023)
    assert (found.program.height, found.program.width) == (772, 310)
    point = solve_lp(found.program)
    assert point.value == pytest.approx(-2 / 5, abs=1e-9)
    plans = plans_of(reduced.form, 1, *found.lift(point.primal, point.dual))
    verdict = exploitability(tree, *reduced.lift(*map(behaviour_of, reduced.form.treeplexes, plans)))
    assert verdict.lower == pytest.approx(-2 / 5, abs=1e-9) and verdict.upper == pytest.approx(-2 / 5, abs=1e-9)
