"""Known symmetries: suits in Leduc poker, players in the Resistance, and maps that are none."""

import numpy as np
import pytest
from support.small_resistance import small_resistance, swap
from support.symmetries import Generator, colours_from, orbits, symmetric, try_out

from fogspiel.core.game import known_game
from fogspiel.games import leduc as leduc
from fogspiel.solving.methods.lp import plans_of, program_of, solve_lp
from fogspiel.solving.policies.best_response import exploitability
from fogspiel.solving.reduce.colour_refinement import colours_of, quotient
from fogspiel.solving.tree import build_tree, sequence_form
from fogspiel.solving.tree.sequence_form import behaviour_of

LEDUC = known_game("leduc-labelled")
SETUP = (4, 2, (2, 2, 2), 2)


def suits_of(rank):
    """The generator that exchanges the two cards of a rank."""

    def card(number):
        return number ^ 1 if number >= 0 and number // 2 == rank else number

    def action(state, number):
        if state[leduc.PHASE] == leduc.DEALING:
            return 6 * card(number // 6) + card(number % 6)
        return card(number) if state[leduc.PHASE] == leduc.DRAWING else number

    def view(player, seen):
        seen = seen.copy()
        for cell in (leduc.SEEN_OWN, leduc.SEEN_OTHER, leduc.SEEN_PUBLIC):
            seen[cell] = card(seen[cell])
        return seen

    return Generator(f"suits of rank {rank}", action, view)


def is_equilibrium(tree, primal_player, found):
    """Whether the lifted solution of the quotient is an equilibrium of the whole game; and its value."""
    form, point = sequence_form(tree), solve_lp(found.program)
    plans = plans_of(form, primal_player, *found.lift(point.primal, point.dual))
    verdict = exploitability(tree, *map(behaviour_of, form.treeplexes, plans))
    return abs(verdict.lower - point.value) < 1e-9 and abs(verdict.upper - point.value) < 1e-9, point.value


def test_suits_of_leduc_poker_reduce_it_to_the_rank_game():
    tree = build_tree(LEDUC)
    for primal_player in (0, 1):
        found = symmetric(LEDUC, tree, primal_player, [suits_of(rank) for rank in range(3)])
        assert (found.program.height, found.program.width, len(found.program.whole)) == (482, 482, 1928)
        good, value = is_equilibrium(tree, primal_player, found)
        assert good and value == pytest.approx(-0.085606424078, abs=1e-9)


def test_fewer_generators_give_finer_orbits():
    tree = build_tree(LEDUC)
    one = symmetric(LEDUC, tree, 1, [suits_of(0)])
    assert 482 < one.program.height < 1562
    none = orbits(LEDUC, tree, [])
    assert [len(set(kinds.sequences)) for kinds in none] == [1093, 1093]


def test_interchangeable_players_of_the_resistance():
    game = small_resistance(*SETUP)
    tree = build_tree(game)
    found = symmetric(game, tree, 1, [swap(4, 3, one) for one in range(3)])
    coarsest = colours_of(program_of(sequence_form(tree), 1))
    assert coarsest.rows.max() + 1 <= found.program.height < 200
    pairs = set(zip(found.colours.rows.tolist(), coarsest.rows.tolist(), strict=True))
    assert len(pairs) == found.program.height
    good, value = is_equilibrium(tree, 1, found)
    assert good and value == pytest.approx(-1 / 3, abs=1e-9)


def test_a_permutation_of_cells_is_a_map_of_views():
    """In rock-paper-scissors nothing but the view's own cells can be moved, and moving nothing is a symmetry."""
    game = known_game("rps")
    still = Generator("nothing", np.arange(game.sizes.actions), np.arange(game.sizes.view))
    try_out(game, still)
    turned = Generator("rotation", np.roll(np.arange(game.sizes.actions), 1), lambda player, seen: seen)
    with pytest.raises(ValueError, match=r"^rotation is no symmetry of rps: after the history \[\d"):
        try_out(game, turned)


def test_a_map_that_is_no_symmetry_is_named_with_the_history():
    ranks = suits_of(0)

    def other_rank(state, number):
        moved = [2, 1, 0, 3, 4, 5]
        if state[leduc.PHASE] == leduc.DEALING:
            return 6 * moved[number // 6] + moved[number % 6]
        return moved[number] if state[leduc.PHASE] == leduc.DRAWING else number

    with pytest.raises(ValueError, match=r"ranks is no symmetry of leduc-labelled: after the history \[.*\] the view"):
        try_out(LEDUC, Generator("ranks", other_rank, ranks.view))
    with pytest.raises(ValueError, match=r"constant is no symmetry .* after the history \[\] the actions differ"):
        try_out(LEDUC, Generator("constant", lambda state, number: 1, ranks.view))


def test_a_map_that_changes_payoffs_is_no_symmetry():
    """Jacks for kings: actions and views commute, but not who wins."""

    def card(number):
        return 5 - number if number >= 0 else number

    def action(state, number):
        if state[leduc.PHASE] == leduc.DEALING:
            return 6 * card(number // 6) + card(number % 6)
        return card(number) if state[leduc.PHASE] == leduc.DRAWING else number

    def view(player, seen):
        cards = [card(number) for number in seen[1:4]]
        return np.concatenate((seen[:1], cards, seen[4:]))

    with pytest.raises(ValueError, match="the payoffs differ"):
        try_out(LEDUC, Generator("upside down", action, view))
    tree = build_tree(LEDUC)
    kinds = orbits(LEDUC, tree, [Generator("upside down", action, view)])
    with pytest.raises(ValueError, match="not equitable"):
        quotient(program_of(sequence_form(tree), 1), colours_from(1, kinds))
