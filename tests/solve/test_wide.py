"""Games whose sums do not fit into 64 bits: solved in Python integers where they are small, in floats else."""

from dataclasses import replace
from fractions import Fraction

import pytest
from support.tree_games import URNS_TREE

from fogspiel.core.game import known_game
from fogspiel.interop import describe, from_efg, to_efg
from fogspiel.solving.methods import NO_STATE, SolveOptions, find_solve_method, run_to_end
from fogspiel.solving.methods import tree as tree_methods
from fogspiel.solving.proofs.checkers import refined
from fogspiel.solving.proofs.checkers.tree import verify
from fogspiel.solving.sources import TreeSource
from fogspiel.solving.tree import build_tree, sequence_form

HUGE = 10**19
LARGE_PAYOFFS = f"""EFG 2 R "Large payoffs" {{ "1" "2" }}
c "" 1 "" {{ "L" 1/2 "R" 1/2 }} 0
p "" 1 1 "" {{ "A" "B" }} 0
p "" 2 1 "" {{ "X" "Y" }} 0 t "" 1 {{ {HUGE}, -{HUGE} }} t "" 2 {{ 1, -1 }}
p "" 2 2 "" {{ "X" "Y" }} 0 t "" 3 {{ -1, 1 }} t "" 4 {{ 0, 0 }}
p "" 1 2 "" {{ "A" "B" }} 0
p "" 2 1 "" {{ "X" "Y" }} 0 t "" 3 t "" 2
p "" 2 2 "" {{ "X" "Y" }} 0 t "" 4 t "" 1
"""


def source_of(described):
    return TreeSource("wide", "1", "wide.efg", lambda most, watch: described)


def scaled(tree, factor):
    return replace(tree, payoffs=tuple(factor * pay for pay in tree.payoffs))


def solved(described, method="auto", exact=True, refine="none"):
    source, options = source_of(described), SolveOptions(exact=exact, refine=refine)
    found = run_to_end(find_solve_method(method).solve(source, options, NO_STATE))
    if found.exact:
        check = refined.verify if found.certificate["format"] == refined.FORMAT else verify
        assert check(found.certificate, source.positions()) == (Fraction(found.value),) * 2
    return found


@pytest.mark.interpreted
def test_payoffs_of_ten_trillion_millions_are_solved_exactly():
    found = solved(from_efg(LARGE_PAYOFFS))
    assert found.value == "1" and "in integers" in found.description  # pygambit 16.7: 1
    usual = solved(from_efg(LARGE_PAYOFFS), refine="auto")
    reason = "not refined: sums of its payoffs and probabilities do not fit into 64 bits"
    assert usual.value == "1" and reason in usual.description


@pytest.mark.interpreted
@pytest.mark.parametrize("method", ["auto", "lp", "lemke-howson"])
def test_a_game_in_huge_units_has_the_value_of_the_game(method):
    urns = solved(URNS_TREE, method)
    factor = Fraction(10**25, 3)
    huge = solved(URNS_TREE._replace(tree=scaled(URNS_TREE.tree, factor)), method)
    assert sequence_form(scaled(URNS_TREE.tree, factor)).wide
    assert Fraction(huge.value) == factor * Fraction(urns.value) and huge.exact


@pytest.mark.interpreted
def test_a_file_of_huge_payoffs_is_written_and_read():
    kuhn = describe(known_game("kuhn"))
    text = to_efg(scaled(kuhn.tree, 10**30), *kuhn[1:])
    assert solved(from_efg(text)).value == str(Fraction(-(10**30), 18))


@pytest.mark.interpreted
def test_more_than_a_small_game_is_refused_by_name_or_bounded_in_floats(monkeypatch):
    monkeypatch.setattr(tree_methods, "SMALL_IF_WIDE", 10)
    monkeypatch.setattr("fogspiel.solving.methods.normal_form.SMALL_IF_WIDE", 10)
    kuhn = describe(known_game("kuhn"))
    kuhn = kuhn._replace(tree=scaled(kuhn.tree, 10**20))
    with pytest.raises(ValueError, match=r"payoffs whose sums do not fit into 64 bits are too many.*--method cfr"):
        solved(kuhn, "lp")
    found = solved(kuhn, exact=False)
    assert found.interval[0] <= -(10**20) / 18 <= found.interval[1]


@pytest.mark.interpreted
def test_a_common_denominator_beyond_all_bounds_is_refused_by_name():
    tree = build_tree(known_game("kuhn"))
    odd = tuple(Fraction(1, 10**40 + k) for k in range(len(tree.payoffs)))
    many = replace(tree, payoffs=odd * 10)
    monstrous = tuple(Fraction(1, 10**40 + k) for k in range(200))
    with pytest.raises(ValueError, match="common denominator of the payoffs is longer than 4,096 bits"):
        sequence_form(replace(tree, payoffs=monstrous))
    with pytest.raises(ValueError, match="common denominator of the probabilities of chance is longer than"):
        sequence_form(replace(many, chance_prob=monstrous))
