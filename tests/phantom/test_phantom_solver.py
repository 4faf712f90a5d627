"""The solver of phantom games: sizes, values, certificates, and what the second verifier refuses."""

import copy
import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from support.certificates import reseal

from fogspiel.core.compile.kernel import kernel
from fogspiel.games.boards.board import (
    BOARDS,
    DRAWS,
    GOES_ON,
    ILLEGAL,
    WINS,
    Board,
    half_turn,
    hex_fate,
    rectangle_symmetries,
)
from fogspiel.games.phantom.look import version_of
from fogspiel.solving.methods.lp import equilibrium, solve_lp
from fogspiel.solving.methods.phantom import (
    PhantomRegrets,
    RealisationPlan,
    check_flow,
    find_form,
    guarantee,
    guaranteed_value,
    make_certificate,
    opening_values,
    openings,
    restrict_to_support,
    solution,
    solve_in_steps,
    strategy_lines,
    whole_plan,
)
from fogspiel.solving.methods.phantom.bilinear_form import build_form, form_after
from fogspiel.solving.methods.phantom.private_histories import SEQUENCE, geometry, histories_of
from fogspiel.solving.proofs.checkers import phantom
from fogspiel.solving.proofs.checkers.primitives import digest_of
from fogspiel.solving.reduce import presolve_tree
from fogspiel.solving.tree import build_tree
from fogspiel.solving.tree.sequence_form import plan_of, proportional

VALUE = Fraction(5, 6)


@pytest.fixture(scope="module")
def form():
    return find_form("phantom-ttt")


@pytest.fixture(scope="module")
def answer(form):
    return solution("phantom-ttt", form)


@pytest.fixture(scope="module")
def document(answer):
    return make_certificate(answer)


# Sizes


@pytest.mark.slow
def test_phantom_tic_tac_toe_has_the_sizes_that_were_counted_before(form):
    assert form.sizes == {
        "infosets": [3968, 21779],
        "sequences": [13684, 59080],
        "turn nodes": 5130606,
        "nonzeros": 1977281,
    }


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("symmetric", "infosets", "sequences"),
    [(True, (5361, 57605), (18007, 142250)), (False, (42794, 460319), (143993, 1137817))],
)
def test_the_private_histories_are_as_many_as_were_counted_before(symmetric, infosets, sequences):
    both = [histories_of(geometry("ttt", symmetric), player) for player in (0, 1)]
    assert tuple(len(tree.infosets) for tree in both) == infosets
    assert tuple(len(tree.sequences) - 1 for tree in both) == sequences


def test_every_orbit_of_histories_has_as_many_members_as_the_histories_without_symmetry():
    folded, plain = (histories_of(geometry("ttt", symmetric), 0) for symmetric in (True, False))
    members = [8 // int(stabiliser).bit_count() for stabiliser in folded.sequences[:, SEQUENCE.stabiliser]]
    assert sum(members) == len(plain.sequences)


def test_a_board_on_which_an_empty_cell_may_be_illegal_is_refused():
    with pytest.raises(ValueError, match="only taken cells may be illegal"):
        geometry("ponnuki-2x2")
    with pytest.raises(ValueError, match="9 cells at most"):
        geometry("ponnuki-4x4")
    with pytest.raises(ValueError, match="there is no variant 'loud'"):
        build_form("ttt", "loud")


# Values


@pytest.mark.thorough
def test_the_value_of_phantom_tic_tac_toe_is_exact_and_both_verifiers_accept_it(answer, document):
    assert (answer.lower, answer.upper) == (VALUE, VALUE)
    for player, plan in enumerate(answer.plans):
        assert guarantee(answer.form, player, plan) == VALUE
    assert phantom.verify(document) == (VALUE, VALUE)
    assert phantom.verify(json.loads(json.dumps(document))) == (VALUE, VALUE)


@pytest.mark.thorough
def test_the_paper_s_bounds_hold(answer):
    assert Fraction(3, 4) <= answer.lower <= answer.upper <= 1 - Fraction(1, 2) / 384


@pytest.mark.thorough
@pytest.mark.parametrize(("cell", "value"), [("B2", "35/44"), ("A2", "5671/7576")])
def test_an_opening_has_a_certificate_of_its_own(cell, value):
    body = make_certificate(solution(f"phantom-ttt-opening-{cell}"))
    assert phantom.verify(body) == (Fraction(value), Fraction(value))
    for game in ("phantom-ttt", "phantom-ttt-opening-C3"):
        other = body | {"game": game}
        other["digest"] = digest_of(other)
        with pytest.raises(ValueError, match=r"not of the opening|secures|concedes"):
            phantom.verify(other)
    unknown = body | {"game": "phantom-ttt-opening-D4"}
    with pytest.raises(ValueError, match="which is no cell"):
        phantom.verify(unknown)


@pytest.mark.slow
def test_the_best_first_stone_is_a_corner_and_no_opening_beats_the_game():
    values = opening_values("phantom-ttt")
    assert values == {"A1": VALUE, "B1": Fraction(5671, 7576), "B2": Fraction(35, 44)}


def test_rounding_a_plan_hardly_changes_what_it_secures(form):
    for player, side in enumerate(form.sides):
        uniform = proportional(side, np.zeros(side.sequences))
        rounded = guarantee(form, player, whole_plan(side, uniform))
        assert abs(float(rounded) - guaranteed_value(form, player, plan_of(side, uniform))) < 1e-9


def test_a_pure_strategy_is_worth_the_same_for_both_verifiers(form, answer):
    """Whatever the strategy: the form and the raw rules must agree, also far from the optimum."""
    for player, side in enumerate(form.sides):
        for shift in range(3):
            behaviour = np.zeros(side.sequences)
            behaviour[0] = 1.0
            behaviour[side.first + shift % side.count] = 1.0
            plan = RealisationPlan(plan_of(side, behaviour).astype(np.int64), 1)
            plans = [*answer.plans]
            plans[player] = plan
            changed = make_certificate(type(answer)("phantom-ttt", form, tuple(plans), VALUE, VALUE, 0))
            rows = changed["strategies"][phantom.PLAYERS[player]]
            board = phantom.board_of("phantom-ttt")
            found = phantom.guaranteed_value(board, player, phantom.strategy_of(board, player, rows), set(range(9)))
            assert found == guarantee(form, player, plan)


@pytest.mark.thorough
def test_dark_hex_is_a_sure_win_for_black():
    answer = solution("dark-hex-3x3")
    assert (answer.lower, answer.upper) == (1, 1)
    assert answer.form.sizes["infosets"] == [18642, 36564]
    assert answer.form.sizes["sequences"] == [66047, 115086]
    assert phantom.verify(make_certificate(answer)) == (1, 1)


@pytest.mark.slow
def test_dark_hex_is_a_sure_win_from_the_corners_at_obtuse_angles_only():
    values = opening_values("dark-hex-3x3")
    assert values == {
        "A1": Fraction(1, 2),
        "B1": Fraction(1, 2),
        "C1": Fraction(1),
        "A2": Fraction(7, 10),
        "B2": Fraction(1, 2),
    }


@pytest.mark.slow
def test_the_value_is_the_same_without_lemma_3():
    answer = solution("phantom-ttt", build_form("ttt", lemma=False))
    assert answer.form.sizes["infosets"] == [25123, 136813]
    assert answer.form.sizes["sequences"] == [85971, 369285]
    assert (answer.lower, answer.upper) == (VALUE, VALUE)


@pytest.mark.slow
def test_black_gains_if_failures_are_public():
    answer = solution("phantom-ttt-numturns", close=1e-3, most=200)
    assert VALUE < Fraction(844, 1000) < answer.lower <= answer.upper < Fraction(846, 1000)


# Another solver: the whole tree of the game record, by linear programming


@kernel
def three_of_six(player, own, other, cell):
    """A row of three on a board of two rows wins, and so does a zigzag."""
    bit = 1 << cell
    if (own | other) & bit:
        return ILLEGAL
    own |= bit
    if own & 0b111 == 0b111 or own & 0b111000 == 0b111000 or own & 0b101010 == 0b101010 or own & 0b10101 == 0b10101:
        return WINS
    return DRAWS if own | other == 0b111111 else GOES_ON


SMALL = {
    "six": Board("six", 2, 3, three_of_six, rectangle_symmetries(2, 3)),
    "hex-2x2": Board("hex-2x2", 2, 2, hex_fate(2, 2), half_turn(2, 2)),
    "hex-3x2": Board("hex-3x2", 3, 2, hex_fate(3, 2), half_turn(3, 2)),
}


def value_by_the_tree(board, variant):
    game = version_of("small", "small", board, "a test", variant)
    return equilibrium(presolve_tree(build_tree(game)).form).value


def compare_with_the_tree(monkeypatch, name, variant):
    monkeypatch.setitem(BOARDS, name, SMALL[name])
    expected = value_by_the_tree(SMALL[name], variant)
    for lemma in (None, False):
        answer = solution("small", build_form(name, variant, lemma))
        assert answer.exact
        assert abs(float(answer.lower) - expected) < 1e-9


@pytest.mark.parametrize("variant", ["classical", "numturns"])
def test_a_small_game_has_the_value_that_its_whole_tree_has(monkeypatch, variant):
    compare_with_the_tree(monkeypatch, "six", variant)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["classical", "numturns"])
@pytest.mark.parametrize("name", ["hex-2x2", "hex-3x2"])
def test_small_hex_has_the_value_that_its_whole_tree_has(monkeypatch, name, variant):
    compare_with_the_tree(monkeypatch, name, variant)


# Exactness


def test_the_restricted_program_has_the_value_of_the_game(form, answer):
    support = np.flatnonzero(answer.plans[0].weights)
    point = solve_lp(restrict_to_support(form, 0, support))
    assert abs(0.5 + point.value - float(VALUE)) < 1e-9


def test_a_plan_that_loses_weight_on_the_way_is_refused(form, answer):
    plan = answer.plans[0]
    weights = plan.weights.copy()
    weights[np.flatnonzero(weights)[-1]] -= 1
    with pytest.raises(ValueError, match="not left as often"):
        check_flow(form.sides[0], RealisationPlan(weights, plan.denominator))


def test_a_rounded_plan_is_a_plan(form):
    for side in form.sides:
        check_flow(side, whole_plan(side, proportional(side, np.zeros(side.sequences))))


def test_an_opening_that_is_symmetric_to_another_is_refused(form):
    assert list(openings(form)) == [0, 1, 4]
    with pytest.raises(ValueError, match="the openings are A1, B1, B2"):
        form_after(form, 2)


# Interruptions


def test_an_interrupted_run_takes_the_same_path(form):
    steps = solve_in_steps("phantom-ttt", form)
    states = [step.state for step in itertools.islice(steps, 3)]
    resumed = solve_in_steps("phantom-ttt", form, state=states[1])
    assert next(resumed).state == states[1]
    assert next(resumed).state == states[2]


def test_batches_do_not_change_a_bit(form):
    one, two = PhantomRegrets(form), PhantomRegrets(form)
    one.advance(7)
    for iterations in (2, 1, 4):
        two.advance(iterations)
    assert one.state == two.state


def test_a_damaged_state_is_refused(form):
    run = PhantomRegrets(form)
    run.advance(1)
    state = bytearray(run.state)
    with pytest.raises(ValueError, match="bytes"):
        run.restore(bytes(state[:-8]))
    with pytest.raises(ValueError, match="another game"):
        run.restore(np.r_[1.0, np.frombuffer(state, "<f8")[1:]].tobytes())
    state[-8:] = np.array([2.0]).tobytes()
    with pytest.raises(ValueError, match="damaged"):
        run.restore(bytes(state))


# Tampering


def rows_of(document, player="black"):
    return document["strategies"][player]


def test_a_certificate_that_was_changed_is_refused(document):
    changed = copy.deepcopy(document)
    rows_of(changed)[2][2] = {"B2": "1"}
    with pytest.raises(ValueError, match="digest"):
        phantom.verify(changed)
    with pytest.raises(ValueError, match="black's strategy secures"):
        phantom.verify(reseal(changed))


@pytest.mark.parametrize(
    ("key", "wrong", "sentence"),
    [
        ("format", "fogspiel certificate 1", "format"),
        ("game", "phantom-ttt-abrupt", "not classical phantom"),
        ("rules", 0, "version"),
        ("rules", True, "version"),
        ("lower", "1", "black's strategy secures"),
        ("upper", "5/7", "white's strategy concedes"),
        ("value", "1/2", "between"),
        ("value", "10/12", "lowest terms"),
        ("strategies", [], "strategies of black and white"),
    ],
)
def test_a_wrong_claim_is_refused_even_if_it_is_forged(document, key, wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        phantom.verify(reseal(copy.deepcopy(document) | {key: wrong}))


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (["", "", {"A1": "1"}], "not symmetric"),
        (["", "", {"A1": "1/2"}], "make up 1"),
        (["", "", {"D4": "1"}], "no cell"),
        (["", "A1", {"B2": "1"}], "more failures"),
        (["C1", "", {"A1": "1"}], "smallest"),
        (["A1 A1", "", {"B2": "1"}], "twice"),
        (["A1", "", {"A1": "1"}], "known to be taken"),
        (["A1", "", {"B1": "1/2", "A2": "0.5"}], "lowest terms"),
        (["A1 B1 C2 A2", "", {"B2": "1"}], "no choice"),
        (["A1", "", {}], "no probabilities"),
        (["A1 C1"], "not a history"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused(document, row, sentence):
    changed = copy.deepcopy(document)
    rows_of(changed)[:] = [row]
    with pytest.raises(ValueError, match=sentence):
        phantom.verify(reseal(changed))


def test_a_repeated_row_is_refused_and_a_missing_one_counts(document):
    changed = copy.deepcopy(document)
    rows_of(changed).append(rows_of(changed)[0])
    with pytest.raises(ValueError, match="repeats"):
        phantom.verify(reseal(changed))
    changed = copy.deepcopy(document)
    rows_of(changed, "white").pop(0)
    with pytest.raises(ValueError, match="white's strategy concedes"):
        phantom.verify(reseal(changed))


# Words


def test_black_s_strategy_is_a_dozen_lines(document):
    lines = strategy_lines(document, boards=False)
    assert "5/6" in lines[0]
    assert "first stone: try a corner drawn by lot" in lines[3]
    assert len(lines) == 3 + 11
    with pytest.raises(ValueError, match="there is no player"):
        strategy_lines(document, "red")


def test_a_board_is_drawn_for_every_decision(document):
    lines = strategy_lines(document)
    assert len(lines) == 3 + 11 * 4
    assert lines[4:7] == ["       * . *", "       . . .", "       * . *"]
