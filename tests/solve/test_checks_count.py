"""Every check of a checker counts: a hostile certificate that only this check refuses, and true ones that pass.

`make mutants` takes the checks out one by one (docs/results/mutants.md). Digests fit throughout, so that it is the
check in question which refuses.
"""

import copy
import hashlib
import json
import random
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pytest
from support.certificates import reseal, uniform_certificate

from fogspiel.core.game import CHANCE
from fogspiel.games.boards.board import BOARDS
from fogspiel.games.phantom.look import OWN
from fogspiel.solving.known_values import known_values
from fogspiel.solving.proofs import verify
from fogspiel.solving.proofs.checkers import permutation, phantom, primitives, refined, refutation, tree
from fogspiel.solving.proofs.checkers.permutation import Grid, mixture
from fogspiel.solving.proofs.checkers.phantom_bounds import (
    FileRules,
    Node,
    Opponent,
    PonnukiRules,
    guarantees,
    node_of,
    prove_bound,
    rules_of,
)
from fogspiel.solving.proofs.checkers.tree import GamePositions

KNOWN = known_values()
SMALL = [
    "kuhn", "rps-half", "binary-poker", "morra", "tic-tac-toe",
    "goofspiel-4", "dark-hex-3x3", "phantom-ttt-2x4-3", "dark-hex-2x5", "dark-hex-5x2",
    "dark-hex-3x3-abrupt", "dark-hex-4x3", "phantom-ttt-2x5-3", "phantom-ponnuki-2x2", "phantom-ponnuki-3x3",
    "resistance5", "resistance6",
]  # fmt: skip


def shipped(name):
    return json.loads(KNOWN[name].shipped.read_text(encoding="utf-8"))


def refused_as(name, change, sentence):
    """A changed certificate is refused, for the reason given."""
    body = copy.deepcopy(shipped(name))
    change(body)
    with pytest.raises(ValueError, match=sentence):
        verify(reseal(body))


@pytest.mark.parametrize("name", SMALL)
def test_a_small_proof_that_is_shipped_proves_both_of_its_bounds(name):
    assert verify(shipped(name)) == (KNOWN[name].lower, KNOWN[name].upper)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("bound", ["lower", "upper"])
def test_a_bound_that_is_off_by_a_thousandth_is_refused(name, bound):
    def shift(body):
        for key in {bound, "value"} & set(body):
            body[key] = str(Fraction(body[key]) + (Fraction(1, 1000) if bound == "lower" else -Fraction(1, 1000)))

    refused_as(name, shift, "the certificate is not valid")


@pytest.mark.parametrize(
    "name", ["kuhn", "tic-tac-toe", "dark-hex-3x3", "dark-hex-2x5", "permutation-ttt", "resistance5"]
)
@pytest.mark.parametrize("rules", [2, 0, "1", True, None])
def test_rules_of_another_version_are_refused(name, rules):
    if name == "tic-tac-toe" or name == "kuhn":
        rules = 2 if rules is True else rules  # the version of a game is compared as a number
    refused_as(name, lambda body: body.update(rules=rules), "version")


@pytest.mark.parametrize("name", ["kuhn", "tic-tac-toe", "goofspiel-4"])
@pytest.mark.parametrize(("bound", "step"), [("lower", -1), ("upper", 1)])
def test_a_bound_that_claims_less_than_is_proved_is_refused_too(name, bound, step):
    change = {bound: str(Fraction(shipped(name)[bound]) + Fraction(step, 1000))}
    refused_as(name, lambda body: body.update(change), f"it claims the {bound} bound")


@pytest.mark.parametrize("after", [[0], [0, 0, 0], [], [-1, 0], [1, 0], [0, True], "00"])
def test_what_a_row_comes_after_is_looked_at(after):
    def change(body):
        body["strategies"][0][1]["after"] = after

    refused_as("kuhn", change, "comes after no earlier row|something else than lists")


@pytest.mark.parametrize("form", ["", None, [], {}, 0, "x", "fogspiel certificate"])
def test_an_odd_format_is_refused_in_a_sentence(form):
    refused_as("kuhn", lambda body: body.update(format=form), "the certificate is not valid: ")


# Numbers


@pytest.mark.parametrize(
    "text",
    ["3/1", "2/4", "1/0", "0/1", "01", "1/02", "-0", "+1", " 1", "1 ", "1/2/3", "0.5", "1e3", "", "/2", "1/", "١", 1,
     None, ["1"], "9" * (primitives.LONGEST + 1)],
)  # fmt: skip
def test_a_fraction_has_one_form(text):
    with pytest.raises(ValueError, match="not a fraction in lowest terms"):
        primitives.fraction(text, "it")


@pytest.mark.parametrize("text", ["0", "7", "-7", "1/2", "-3/2", "10/3", "1" + "0" * 4999 + "1", "-1/1" + "0" * 4001])
def test_a_fraction_is_read_as_it_is_written(text):
    found = primitives.fraction(text, "it")
    assert found == Fraction(*(int_of(part) for part in text.split("/")))


def int_of(digits):
    """A whole number of any length, digit by digit."""
    found = 0
    for digit in digits.lstrip("-"):
        found = 10 * found + int(digit)
    return -found if digits.startswith("-") else found


@pytest.mark.parametrize(("text", "right"), [("0", True), ("1", True), ("1/3", True), ("-1/3", False), ("4/3", False)])
def test_a_probability_lies_between_0_and_1(text, right):
    if right:
        assert primitives.probability(text, "it") == Fraction(text)
        return
    with pytest.raises(ValueError, match="not between 0 and 1"):
        primitives.probability(text, "it")


def test_a_digest_is_that_of_the_json_of_all_the_rest():
    body = {"b": [[1, {"z": None}]], "a": "\u00e9", "digest": "x"}
    text = '{"a":"\\u00e9","b":[[1,{"z":null}]]}'
    assert primitives.digest_of(body) == hashlib.sha256(text.encode()).hexdigest()
    primitives.check_digest({**body, "digest": primitives.digest_of(body)})
    with pytest.raises(ValueError, match="changed after it was written"):
        primitives.check_digest(body)


def test_sums_and_denominators_of_a_check_are_right():
    parts = [Fraction(1, 6), Fraction(3, 4), Fraction(-1, 10)]
    assert primitives.total(parts) == sum(parts) and primitives.common_denominator(parts) == 60
    assert (primitives.total([]), primitives.common_denominator([])) == (0, 1)


def test_the_parts_of_a_digest_make_the_json_text():
    value = {"b": [1, [2, {"z": None, "a": []}], {}], "a": {"x": "y"}, "c": {}, "d": [[[[1]]]], "e": []}
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    for levels in range(6):
        assert "".join(primitives.json_parts(value, levels)) == text


def test_boards_have_their_lines_and_symmetries():
    square, _ = primitives.board_named("phantom-ttt", 9)
    lines = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]
    sets = [{cell for cell in range(9) if mask >> cell & 1} for mask in range(512)]
    assert square.won[0] == square.won[1] == [any(line <= own for line in lines) for own in sets]
    assert len(square.symmetries) == 8
    wide, variant = primitives.board_named("phantom-ttt-2x5-3-abrupt", 10)
    assert (wide.rows, wide.columns, len(wide.symmetries), variant) == (2, 5, 4, "abrupt")
    lines = [mask for mask in range(1 << 10) if mask.bit_count() == 3 and wide.won[1][mask]]
    assert lines == sorted(7 << start + 5 * row for row in range(2) for start in range(3))
    tall, _ = primitives.board_named("dark-hex-2x3", 9)
    assert (tall.rows, tall.columns) == (3, 2) and tall.symmetries == [tuple(range(6)), tuple(range(5, -1, -1))]
    # Exactly one side joins its edges on a full board of hex; up and to the right cells touch, not down and right.
    assert all(tall.won[0][mask] != tall.won[1][63 & ~mask] for mask in range(64))
    assert tall.won[0][0b011010] and not tall.won[0][0b101001 & ~1] and tall.won[1][0b000011] and tall.won[1][0b000110]
    for name in ("phantom-ttt-4x4-5", "phantom-ttt-1x9-1", "dark-hex-1x3", "dark-hex-3x3-3", "phantom-ttt-4x4-3"):
        assert primitives.board_named(name, 9) is None


# Boards of files

STRIP = [(0, 1), (1, 2)]  # two neighbours on a board of three cells win


def strip_rule(player, own, other, cell):
    stones = own | 1 << cell
    if (own | other) >> cell & 1:
        return -1
    if any(stones >> a & stones >> b & 1 for a, b in STRIP):
        return 1
    return 2 if stones | other == 7 else 0


@pytest.fixture
def own_board(monkeypatch):
    """Give a board with this rule a name, as a file of the user's does; return it as the checkers see it."""

    def give(rule, most=9, variant="classical"):
        board = SimpleNamespace(
            name="own", cells=3, rows=1, columns=3, fate=rule, symmetries=np.array([[0, 1, 2], [2, 1, 0]])
        )
        monkeypatch.setitem(BOARDS, "own", board)
        monkeypatch.setitem(OWN, "phantom-own", SimpleNamespace(board="own", variant=variant))
        return primitives.board_named("phantom-own", most)

    return give


def test_a_board_of_a_file_has_the_winning_sets_of_its_rule(own_board):
    board, variant = own_board(strip_rule, variant="abrupt")
    assert variant == "abrupt" and (board.name, board.rows, board.columns, board.cells) == ("own", 1, 3, 3)
    assert board.won[0] == board.won[1] == [mask in (3, 6, 7) for mask in range(8)]
    assert board.symmetries == [(0, 1, 2), (2, 1, 0)]
    assert (
        own_board(strip_rule, 3) and own_board(strip_rule, 2) is None and primitives.board_named("no-such", 9) is None
    )
    assert primitives.board_named(["phantom-own"], 9) is primitives.own_rule(["phantom-own"], 9, "classical") is None
    cells, symmetries, rule = primitives.own_rule("phantom-own", 3, "classical")
    assert (cells, symmetries) == (3, [[0, 1, 2], [2, 1, 0]]) and rule(0, 1, 0, 1) == 1
    assert primitives.own_rule("phantom-own", 2, "classical") is primitives.own_rule("phantom-own", 3, "abrupt") is None


def test_a_board_whose_rule_differs_in_one_position_is_refused(own_board):
    """Everywhere but after a win, where no game goes on, and for sets of own stones alone, which say who has won."""
    won = own_board(strip_rule)[0].won[0]
    tried = 0
    for player, own, other, cell in product(range(2), range(8), range(1, 8), range(3)):
        if own & other or won[own] or won[other]:
            continue
        for wrong in {-1, 0, 1, 2, 3} - {strip_rule(player, own, other, cell)}:
            tried += 1

            def rule(*stone, odd=(player, own, other, cell), wrong=wrong):
                return wrong if stone == odd else strip_rule(*stone)

            with pytest.raises(ValueError, match="stones alone tell"):
                own_board(rule)
    assert tried > 200


def test_the_parts_of_positions_are_those_of_tic_tac_toe():
    whole = [{3 * row + column for column in range(3)} for row in range(3)]
    whole += [{cell + 3 * row for row in range(3)} for cell in range(3)] + [{0, 4, 8}, {2, 4, 6}]
    assert sorted(map(sorted, primitives.LINES)) == sorted(map(sorted, whole))
    assert (primitives.WIN, primitives.DRAW) == (2, 1)
    board, _ = primitives.board_named("phantom-ttt-2x3-3", 9)
    assert board.names == ["A1", "B1", "C1", "A2", "B2", "C2"] and board.cells == 6
    assert primitives.cells_of(0b1011) == [0, 1, 3] and primitives.cells_of(0) == []
    assert primitives.turns_of(1, 2) == [(0, 1), (1, 0)] and len(primitives.turns_of(2, 2)) == 8
    assert primitives.turns_of(2, 3) == [(0, 1, 2, 3, 4, 5), (2, 1, 0, 5, 4, 3), (3, 4, 5, 0, 1, 2), (5, 4, 3, 2, 1, 0)]
    assert primitives.board_named("phantom-ttt-3x3-2", 9)[0].name == "ttt-3x3-2"
    assert (
        primitives.board_named("phantom-ttt", 9)[0].name == "ttt" and primitives.board_named("phantom-ttt", 8) is None
    )
    assert primitives.board_named("dark-hex-2x3", 6)[0].name == "hex-3x2"
    for name, cells in (("dark-hex-2x3", 6), ("phantom-ttt-2x3-2", 6), ("phantom-ttt", 9)):
        assert primitives.board_named(name, cells) and primitives.board_named(name, cells - 1) is None
    for name in (
        "phantom-ttt-2x2-1",
        "dark-hex-2x1",
        "dark-hex",
        "phantom-ttt-03x3-3",
        "phantom-ttt-3x3-3-fast",
        7,
        None,
    ):
        assert primitives.board_named(name, 9) is None


HEX = [("dark-hex-3x3", 3, 3), ("dark-hex-2x4", 4, 2), ("dark-hex-4x2", 2, 4)]


@pytest.mark.parametrize(("name", "rows", "columns"), HEX)
def test_chains_of_hex_join_edges(name, rows, columns):
    board, _ = primitives.board_named(name, 9)
    cells = [(row, column) for row in range(rows) for column in range(columns)]

    def joins(stones, axis, last):
        """Grow a chain from one edge, a cell at a time, over pairs of cells that touch."""
        chain = {cell for cell in stones if cell[axis] == 0}
        while more := {
            (r, c) for r, c in stones - chain for row, column in chain
            if (r - row, c - column) in ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1))
        }:  # fmt: skip
            chain |= more
        return any(cell[axis] == last for cell in chain)

    for mask in range(1 << len(cells)):
        stones = {cells[number] for number in range(len(cells)) if mask >> number & 1}
        assert (board.won[0][mask], board.won[1][mask]) == (joins(stones, 0, rows - 1), joins(stones, 1, columns - 1))


def test_a_chain_of_hex_may_go_back():
    """Down the long diagonal of three rows a step to the left is needed, and one to the right for the other player."""
    board = primitives.hex_board(3, 4)
    chain = sum(1 << cell for cell in (3, 6, 5, 8))
    assert board.won[0][chain] and not any(board.won[0][chain & ~(1 << cell)] for cell in (3, 6, 5, 8))
    tall = primitives.hex_board(4, 3)
    chain = sum(1 << cell for cell in (9, 7, 4, 2))
    assert tall.won[1][chain] and not any(tall.won[1][chain & ~(1 << cell)] for cell in (9, 7, 4, 2))


def test_the_version_of_the_rules_is_that_of_the_file_of_a_board(own_board, monkeypatch):
    own_board(strip_rule)
    asked = []
    versioned = SimpleNamespace(version="f00")
    monkeypatch.setattr("fogspiel.core.game.known_game", lambda name: asked.append(name) or versioned)
    assert primitives.rules_version("phantom-own", 1) == primitives.rules_version("phantom-own-opening-A1", 1) == "f00"
    assert asked == ["phantom-own"] * 2 and primitives.rules_version("dark-hex-3x3-opening-A1", 7) == 7
    body = {"game": "phantom-own", "rules": "f00"}
    primitives.check_rules(body, 1)
    primitives.check_rules({"game": "dark-hex-3x3", "rules": 1}, 1)
    for game, wrong in (("phantom-own", 1), ("phantom-own", "f01"), ("dark-hex-3x3", True), ("dark-hex-3x3", 1.0)):
        with pytest.raises(ValueError, match="of the rules, not"):
            primitives.check_rules({"game": game, "rules": wrong}, 1)


# Words and limits


def test_a_fault_is_quoted_in_forty_characters():
    long = 10**39
    assert primitives.quoted("x" * 40) == repr("x" * 40) and primitives.quoted("x" * 41) == repr("x" * 38 + "..")
    assert primitives.quoted(Fraction(1, 3)) == "1/3" and primitives.quoted(Fraction(-long, 7)) == str(
        Fraction(-long, 7)
    )
    for huge in (Fraction(10**50, 7), Fraction(7, 10**50), Fraction(-(10**50), 7)):
        assert primitives.quoted(huge) == "a fraction of some 50 digits"
    assert [primitives.quoted(thing) for thing in (None, True, 1.5, [], {})] == [
        "None",
        "True",
        "1.5",
        "a list",
        "a dict",
    ]
    assert primitives.quoted(10**60) == str(10**60)[:40]


def test_work_ends_at_its_budget_of_cpu_time(monkeypatch):
    clock = {"wall": 100.0, "cpu": 5.0}
    monkeypatch.setattr(primitives, "monotonic", lambda: clock["wall"])
    monkeypatch.setattr(primitives, "process_time", lambda: clock["cpu"])
    primitives.go_on()
    with primitives.limit_work(10):
        for wall, cpu in ((110.0, 15.0), (200.0, 15.0), (110.1, 14.0)):
            clock.update(wall=wall, cpu=cpu)
            primitives.go_on()
        clock.update(wall=110.1, cpu=15.1)
        with pytest.raises(ValueError, match="more CPU time than it may"):
            primitives.go_on()
        with primitives.limit_work(20):
            primitives.go_on()
    primitives.go_on()


def test_bounds_are_compared_with_what_is_proved_exactly():
    def claim(value, lower, upper, exact=True):
        body = {"value": value, "lower": lower, "upper": upper}
        return primitives.prove_bounds(body, ("A's", "B's"), lambda: Fraction(1, 3), lambda: Fraction(2, 3), exact)

    assert claim("1/2", "1/3", "2/3", False) == (Fraction(1, 3), Fraction(2, 3))
    assert claim("1/3", "1/3", "2/3", False) and claim("2/3", "1/3", "2/3", False)
    for wrong, sentence in (
        (("1/2", "1/3", "2/3"), "is proved only if both bounds"),
        (("1/3", "1/3", "1/3"), "B's strategy concedes 2/3, but it claims 1/3"),
        (("2/3", "2/3", "2/3"), "A's strategy secures 1/3, but it claims 2/3"),
        (("2/3", "2/3", "1/3"), "is proved only if both bounds"),
        (("1/4", "1/3", "2/3", False), "not between its bounds"),
        (("3/4", "1/3", "2/3", False), "not between its bounds"),
        (("1/2", "1/4", "2/3", False), "A's strategy secures"),
        (("1/2", "1/3", "3/4", False), "B's strategy concedes"),
    ):
        with pytest.raises(ValueError, match=sentence):
            claim(*wrong)


@pytest.mark.parametrize("body", [None, [], "format", {"a": 1}, {"format": 1, "b": 2}, {"format": 1, "a": 1, "b": 2}])
def test_a_head_has_its_keys_and_its_format(body):
    with pytest.raises(ValueError, match="exactly the keys"):
        primitives.check_head(body, ["format", "a"], "one")
    primitives.check_head({"a": 0, "format": "one"}, ["format", "a"], "one")
    with pytest.raises(ValueError, match="its format is 'two', not 'one'"):
        primitives.check_head({"a": 0, "format": "two"}, ["format", "a"], "one")


# Trees


def weighted(*weights):
    """Positions of a game in which chance has these weights at once."""

    def fill(position, room):
        room[: len(weights)] = weights

    rules = SimpleNamespace(mover=lambda position: CHANCE, legal=lambda position, room: len(weights), weights=fill)
    sizes = SimpleNamespace(actions=4, view=1, state=1)
    return GamePositions(SimpleNamespace(name="fair", version=1, rules=rules, sizes=sizes, payoffs=()))


def test_chance_plays_by_the_weights_of_the_rules():
    assert weighted(1, 3).look(None).chances == [Fraction(1, 4), Fraction(3, 4)]
    assert weighted(0, 1).look(None).chances[-1] == 1 == sum(weighted(0, 1).look(None).chances)
    assert weighted(1).look(None).chances == [1]
    for wrong in ((0, 0), (-1, 2), (1, -1)):
        with pytest.raises(ValueError, match="gives chance the weights"):
            weighted(*wrong).look(None)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda rows: rows.append({**rows[-1], "probabilities": ["0", "1"]}), "repeats an earlier row"),
        (lambda rows: rows.__setitem__(0, ["after", "view", "actions", "probabilities"]), "must have exactly the keys"),
        (lambda rows: rows.__setitem__(0, None), "must have exactly the keys"),
        (lambda rows: rows[0].update(more=1), "must have exactly the keys"),
        (lambda rows: rows[0].update(view=[True, *rows[0]["view"][1:]]), "something else than lists of whole numbers"),
        (lambda rows: rows[0].update(probabilities={"1/2": 1, "1": 2}), "something else than lists"),
        (lambda rows: rows[0].update(probabilities=["1/2", "1/4"]), "not 1 in all"),
        (lambda rows: rows[0].update(actions=[], probabilities=[]), "one probability for each action"),
    ],
)
def test_a_row_of_a_tree_is_looked_at(change, sentence):
    body = copy.deepcopy(uniform_certificate("kuhn"))
    change(body["strategies"][1])
    with pytest.raises(ValueError, match=sentence):
        verify(reseal(body))


@pytest.mark.parametrize("side", [0, 1])
def test_actions_of_a_row_are_those_of_the_rules_in_their_order(side):
    body = copy.deepcopy(uniform_certificate("kuhn"))
    body["strategies"][side][0]["actions"].reverse()
    with pytest.raises(ValueError, match=f"row 0 of the {('first', 'second')[side]} player has other actions"):
        verify(reseal(body))


@pytest.mark.parametrize("rows", [5, None, {}, "rows"])
def test_a_strategy_of_a_tree_is_a_list(rows):
    body = {**uniform_certificate("kuhn"), "strategies": [rows, []]}
    with pytest.raises(ValueError, match="is not a list of rows"):
        verify(reseal(body))


UNIT = 10**12
LINES = [["|0|0 1|1 1", "0 0|5|7|2"], ["|9|3|4"]]


def large(lines, unit=None):
    """A certificate of a large tree by its lines; its bounds are looked at after these."""
    head = {"game": "kuhn", "rules": 1, "value": "0", "lower": "0", "upper": "0", "strategies": lines}
    if unit is None:
        return reseal({**head, "format": tree.EXACT_LARGE_FORMAT})
    return reseal({**head, "format": tree.LARGE_FORMAT, "denominator": unit})


def test_lines_of_a_large_tree_are_parsed_into_rows():
    first, second = tree.check_form(large(LINES))
    assert dict(first) == {(None, (0,)): (0, {0: Fraction(1, 2), 1: Fraction(1, 2)}), ((0, 0), (5,)): (1, {7: 1})}
    assert dict(second) == {(None, (9,)): (0, {3: 1})} and len(first) == 2
    assert tree.check_form(large([["|0|0 1|1 999999999999"], [f"|0|4|{UNIT}"]], UNIT))
    at_most = "|" + "1 " * ((tree.LONGEST_LINE - 8) // 2) + "1|0|111"
    assert len(at_most) == tree.LONGEST_LINE and tree.check_form(large([[at_most], []]))


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([["|0|0 1|1 1", "|0|0 1|1 1"], []], "repeats an earlier line"),
        ([["|0|0 1|1 1", "|0|5|1"], []], "repeats an earlier line"),
        ([["0 0|0|0 1|1 1"], []], "line 0 of the first player comes after no earlier line"),
        ([[], ["|0|0|1", "1 0|0|0 1|1 1"]], "line 1 of the second player comes after no earlier line"),
        ([["|0|0 1|1"], []], "one share for each action"),
        ([["|0|0|1 1"], []], "one share for each action"),
        ([["|0|0 0|1 1"], []], "one share for each action"),
        ([["|0|0 1|2 -1"], []], "are negative or not positive in all"),
        ([["|0|0 1|0 0"], []], "are negative or not positive in all"),
        ([["|0|0 1"], []], "in whole numbers"),
        ([["|" + "1 " * 10_000 + "1|0|1"], []], "in whole numbers"),
        ([[["|0|0|1"]], []], "in whole numbers"),
        ([{"|0|0|1": 1}, []], "not a list of lines"),
        ([[]], "it must hold two strategies"),
        ({"first": [], "second": []}, "it must hold two strategies"),
    ],
)
def test_a_line_of_a_large_tree_is_looked_at(lines, sentence):
    with pytest.raises(ValueError, match=sentence):
        tree.check_form(large(lines))


@pytest.mark.parametrize("unit", [0, -1, UNIT + 1, 1.0, True, "1", None])
def test_a_denominator_is_a_number_from_1_to_its_limit(unit):
    body = {**large([["|0|0|1"], []], 1), "denominator": unit}
    with pytest.raises(ValueError, match="its denominator is"):
        tree.check_form(reseal(body))
    assert tree.check_form(large([["|0|0|1"], []], 1))
    for shares, denominator in (("1 1", 3), ("2 1", 2), (f"{UNIT} 1", UNIT)):
        with pytest.raises(ValueError, match=f"are negative or not {denominator} in all"):
            tree.check_form(large([[f"|0|0 1|{shares}"], []], denominator))


@pytest.mark.parametrize("unit", [None, 7])
def test_a_large_tree_has_the_keys_of_its_format(unit):
    body = large([["|0|0|1" if unit is None else "|0|0|7"], []], unit)
    assert tree.check_form(body)
    for wrong in ({**body, "more": 1}, {key: value for key, value in body.items() if key != "value"}):
        with pytest.raises(ValueError, match="exactly the keys"):
            tree.check_form(reseal(wrong))
    for wrong in ({**body, "format": "fogspiel certificate 1"}, None, [], {}):
        with pytest.raises(ValueError, match=r"exactly the keys|its format is"):
            tree.check_form(wrong)
    with pytest.raises(ValueError, match="changed after it was written"):
        tree.check_form({**body, "value": "1"})


def test_too_many_lines_are_refused(monkeypatch):
    monkeypatch.setattr(tree, "MAX_LINES", 2)
    assert tree.check_form(large(LINES))
    with pytest.raises(ValueError, match="the first player has more than 2 lines"):
        tree.check_form(large([[*LINES[0], "0 1|5|7|1"], []]))


@pytest.mark.parametrize(("part", "right"), [("game", "kuhn"), ("rules", 1)])
def test_a_tree_is_for_the_rules_that_it_names(part, right):
    game = SimpleNamespace(name="kuhn", version=1)
    assert tree.rules_of({"game": "kuhn", "rules": 1}, game) is game
    for wrong in ("leduc", 2, None):
        with pytest.raises(ValueError, match="it must be for version 1 of kuhn"):
            tree.rules_of({"game": "kuhn", "rules": 1, part: wrong}, game)


# Refinements and locks

LOCK = {"history": [0], "view": [1, 2], "actions": [0, 1], "probabilities": ["1/3", "2/3"]}


def test_a_lock_is_parsed():
    other = {**LOCK, "history": [], "view": [5]}
    locks, weight = refined.locks_of({"weight": "1", "rows": [[LOCK, other], [LOCK]]})
    shares = [0, 1], [Fraction(1, 3), Fraction(2, 3)]
    assert locks == dict.fromkeys([(0, (0,), (1, 2)), (0, (), (5,)), (1, (0,), (1, 2))], shares) and weight == 1
    for rows in ([[LOCK], []], [[], [LOCK]]):
        assert refined.locks_of({"weight": "2/3", "rows": rows})[1] == Fraction(2, 3)


@pytest.mark.parametrize(
    ("lock", "sentence"),
    [
        (None, "keys rows and weight"),
        ({"weight": "1"}, "keys rows and weight"),
        ({"weight": "1", "rows": [[LOCK], []], "more": 1}, "keys rows and weight"),
        ({"weight": "3/2", "rows": [[LOCK], []]}, "not between 0 and 1"),
        ({"weight": "1/2", "rows": [[LOCK], [LOCK]]}, "must be of one player"),
        ({"weight": "1", "rows": [[], []]}, "two lists of rows"),
        ({"weight": "1", "rows": [[LOCK]]}, "two lists of rows"),
        ({"weight": "1", "rows": [[LOCK], [], []]}, "two lists of rows"),
        ({"weight": "1", "rows": [{"a": LOCK}, []]}, "two lists of rows"),
        ({"weight": "1", "rows": [[LOCK], None]}, "two lists of rows"),
        ({"weight": "1", "rows": "ab"}, "two lists of rows"),
        ({"weight": "1", "rows": None}, "two lists of rows"),
        ({"weight": "1", "rows": [[LOCK, LOCK], []]}, "lock 1 of the first player repeats"),
        ({"weight": "1", "rows": [[], [5]]}, "lock 0 of the second player must have exactly"),
        ({"weight": "1", "rows": [[], [{**LOCK, "after": None}]]}, "must have exactly the keys"),
        *(({"weight": "1", "rows": [[{**LOCK, "history": history}], []]}, "the history in lock 0 of the first player")
          for history in (None, "01", (), 5, {}, [1.0], [True], ["0"], [None])),
        *(({"weight": "1", "rows": [[{**LOCK, "probabilities": shares}], []]}, "of the first player")
          for shares in (["1"], ["1/2", "1/3"], ["-1/2", "3/2"], None)),
    ],
)  # fmt: skip
def test_a_lock_is_looked_at(lock, sentence):
    with pytest.raises(ValueError, match=sentence):
        refined.locks_of(lock)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda body: body.pop("refinement"), "it must have the keys"),
        (lambda body: body.update(more=1), "it must have the keys"),
        (lambda body: body.update(format="fogspiel certificate 1"), "certificate"),
        (lambda body: body.update(refinement=None), "its refinement must have exactly the keys"),
        (lambda body: body.update(refinement=[]), "its refinement must have exactly the keys"),
        (lambda body: body["refinement"].update(slack=["0", "0"]), "its refinement must have exactly the keys"),
        (lambda body: body["refinement"].update(safety="1/9"), "its refinement must have exactly the keys"),
        (lambda body: body["refinement"].update(strategies=[[], []]), "its refinement must have exactly the keys"),
        (lambda body: body["refinement"].update(safety="-1", strategies=[[], []]), "its safety is negative"),
        (lambda body: body["refinement"].update(safety="1/9", strategies=5), "must hold two strategies"),
        (lambda body: body["refinement"].update(safety="1/9", strategies=[[]]), "must hold two strategies"),
        (lambda body: body["refinement"].update(opponent="best"), "must be 'uniform' or two strategies"),
        (lambda body: body["refinement"].update(opponent=[[]]), "must be 'uniform' or two strategies"),
        (lambda body: body["refinement"].update(opponent=None), "must be 'uniform' or two strategies"),
        (lambda body: body["refinement"]["weights"].__setitem__(0, "-1"), "one of its weights is negative"),
        (lambda body: body["refinement"]["weights"].__setitem__(1, "-1/9"), "one of its weights is negative"),
        (lambda body: body["refinement"]["scores"].__setitem__(0, "7"), "the first player scores"),
        (lambda body: body["refinement"]["scores"].__setitem__(1, "-7"), "the second player scores"),
        (lambda body: body.update(value="1"), "its value is not between its bounds"),
        (lambda body: body.update(lower="-1/17"), "it claims the lower bound"),
        (lambda body: body.update(upper="-1/17"), "it claims the upper bound"),
        (lambda body: body.update(strategies=None), "it must hold two strategies"),
        (lambda body: body["strategies"].pop(), "it must hold two strategies"),
        (lambda body: body["refinement"].update(proofs=None), "it must hold two proofs"),
        (lambda body: body["strategies"][0][-1].update(after=[99, 0]), "comes after no earlier row"),
    ],
)
def test_a_part_of_a_refinement_is_looked_at(change, sentence):
    refused_as("kuhn", change, sentence)


# Phantom games


@pytest.mark.parametrize(
    "name", ["kuhn", "goofspiel-4", "dark-hex-3x3", "dark-hex-2x5", "phantom-ponnuki-2x2", "resistance6"]
)
def test_a_certificate_has_the_keys_of_its_format_and_no_other(name):
    refused_as(name, lambda body: body.update(more=1), "it must have (exactly )?the keys")
    key = "value" if "value" in shipped(name) else "lower"
    refused_as(name, lambda body: body.pop(key), "it must have (exactly )?the keys")
    with pytest.raises(ValueError, match="changed after it was written"):
        verify({**shipped(name), "digest": "0" * 64})


@pytest.mark.parametrize("game", [None, 5, ["dark-hex-3x3"], {}])
def test_the_game_of_a_phantom_certificate_is_a_name(game):
    with pytest.raises(ValueError, match="its game is no name"):
        phantom.verify(reseal({**shipped("dark-hex-3x3"), "game": game}))


def test_the_tree_of_a_strategy_is_made_within_the_limit_of_work():
    board = phantom.board_of("dark-hex-3x3")
    with primitives.limit_work(-1), pytest.raises(ValueError, match="more CPU time than it may"):
        next(phantom.nodes_of(board, 0, {}))


@pytest.mark.parametrize("strategies", [None, ["black", "white"], {"black": []}, {"black": [], "white": [], "red": []}])
def test_a_phantom_game_has_two_strategies_by_name(strategies):
    refused_as("dark-hex-3x3", lambda body: body.update(strategies=strategies), "the strategies of black and white")


@pytest.mark.parametrize(
    "game", ["dark-hex-3x3-abrupt", "phantom-ttt-numturns", "dark-hex-4x4", "kuhn", "", "-opening-A1"]
)
def test_a_board_of_the_phantom_checker_is_classical_and_small(game):
    with pytest.raises(ValueError, match="not classical phantom tic-tac-toe or dark hex on up to 9 cells"):
        phantom.board_of(game)
    assert phantom.board_of("dark-hex-3x3-opening-A1") == phantom.board_of("dark-hex-3x3")


@pytest.mark.parametrize("cell", ["A9", "D1", "a1", "A1,A1", "-opening-A1"])
def test_an_opening_is_a_cell(cell):
    refused_as("dark-hex-3x3", lambda body: body.update(game=f"dark-hex-3x3-opening-{cell}"), "its opening is")


@pytest.mark.parametrize("form", ["scores", "weights", "proofs"])
@pytest.mark.parametrize("value", [[], ["0"], ["0", "0", "0"], "00", None])
def test_a_refinement_has_two_of_each(form, value):
    refused_as("kuhn", lambda body: body["refinement"].update({form: value}), "two")


@pytest.mark.parametrize("value", [[], [[]], [[], [], []], "00", None, {}])
def test_a_tree_has_two_strategies(value):
    refused_as("kuhn", lambda body: body.update(strategies=value), "it must hold two strategies")


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (["C1 C1", "", {"B2": "1"}], "names a cell twice"),
        (["C1", "C2,C2", {"B2": "1"}], "names a cell twice"),
        (["C1", "B2", {"B2": "1"}], "known to be taken"),
        (["C1", "A1,B1,A2", {"B2": "1"}], "more failures"),
        (["C1 C2 B2 A1", "", {"A2": "1"}], "no choice"),
        (["C1 :", "", {"B2": "1"}], "a turn without a stone"),
        (["C9", "", {"B2": "1"}], "is no cell"),
        (["C1", "", {"B2": "2", "B1": "-1"}], "do not make up 1"),
        (["C1", "", {"B2": "1", "B1": "0"}], "do not make up 1"),
        (["C1", "", {"B2": "1/2"}], "do not make up 1"),
        (["C1", "", {}], "no probabilities"),
        (["A3", "", {"B2": "1"}], "not the smallest of its images"),
        (["", "", {"C1": "1"}], "are not symmetric"),
        (["C1", ""], "not a history"),
        (None, "not a history"),
        (3, "not a history"),
        (["C1", None, {"B2": "1"}], "not text"),
    ],
)
def test_a_row_of_a_phantom_game_is_looked_at(row, sentence):
    board = phantom.board_of("dark-hex-3x3")
    assert phantom.strategy_of(board, 0, [["C1", "A1", {"B2": "1"}]])
    with pytest.raises(ValueError, match=sentence):
        phantom.strategy_of(board, 0, [row])
    twice = [["C1", "A1", {"B2": "1"}]] * 2
    with pytest.raises(ValueError, match="repeats an earlier row"):
        phantom.strategy_of(board, 0, twice)


# Bounds of ponnuki

BOARD = PonnukiRules(2, 2)


def test_a_jump_pays_for_the_stones_and_the_world_of_its_node_only():
    earlier = Node(1, {2: Fraction(1, 2), 4: Fraction(1, 4)}, [[(0, Fraction(1), -1, -1)]], [])
    jump = [(0, 0, Fraction(1))]
    opponent = Opponent(BOARD, [earlier], earlier, 0)
    assert opponent.jump_worth(jump, 1, 2) == Fraction(1, 2) and opponent.jump_worth(jump, 1, 4) == Fraction(1, 4)
    assert opponent.jump_worth(jump, 8, 2) == opponent.jump_worth(jump, 0, 2) == opponent.jump_worth(jump, 1, 8) == 0
    halves = [(0, 0, Fraction(1, 2)), (0, 2, Fraction(1, 2))]
    assert opponent.jump_worth(halves, 1, 2) == Fraction(1, 4)


def ponnuki_node(**parts):
    return {"own": 0, "worlds": [1, 2], "worths": [1, 0], "unit": 2, "rows": [[[0, "1", None, None]]], **parts}


def test_a_node_is_looked_at():
    assert node_of(ponnuki_node(), 0, BOARD).worths == {1: Fraction(1, 2), 2: 0}
    for parts, sentence in (
        ({"worlds": [1, 1]}, "a world twice"),
        ({"worths": [3, 0]}, "from 0 to its unit"),
        *(({"unit": unit}, "a whole number from 1 on") for unit in (0, -1, 10**12, 1.0, True, "2", None)),
        ({"worths": [1]}, "one worth for each world"),
        ({"worths": [1, 0, 1]}, "one worth for each world"),
        ({"worths": {"1": 1, "2": 0}}, "one worth for each world"),
        ({"worths": [1, True]}, "from 0 to its unit"),
        ({"worlds": []}, "has no worlds"),
        ({"worlds": {"1": 1}}, "has no worlds"),
        ({"worlds": [1, 16]}, "is not possible"),
        ({"worlds": [1, True]}, "is not possible"),
        ({"rows": []}, "has no rows"),
        ({"rows": {"0": []}}, "has no rows"),
        ({"rows": [[]]}, "an empty row"),
        ({"rows": [{"0": 1}]}, "an empty row"),
        ({"rows": [[[0, "1", None]]]}, "a bad try"),
        ({"rows": [[[0, "1/2", None, None], [0]]]}, "a bad try"),
        ({"rows": [[[True, "1", None, None]]]}, "a bad try"),
        ({"own": 1}, "is not possible"),
        ({"own": 16}, "not on the board"),
        ({"rows": [[[0, "1", None, [[0, 0, "1"]]]]]}, "jumps to no earlier node"),
        ({"rows": [[[0, "1", None, [[0, 0, "1"], [0]]]]]}, "a broken jump"),
        ({"rows": [[[0, "1", 0, None]]]}, "leads back"),
        ({"rows": [[[0, "1", None, 1]]]}, "does not exist"),
        ({"rows": [[[4, "1", None, None]]]}, "bad try"),
        ({"rows": [[[0, "1/2", None, None]]]}, "not 1 in all"),
        ({"rows": [[[0, "3/2", None, None], [1, "-1/2", None, None]]]}, "not between 0 and 1"),
    ):
        with pytest.raises(ValueError, match=sentence):
            node_of(ponnuki_node(**parts), 0, BOARD)
    for jump in ([[0, 0, "1/2"], [1, 0, "1/2"]], [[1, 0, "1/2"], [0, 0, "1/2"]], [[0, 8, "1"]], [[0, -1, "1"]]):
        with pytest.raises(ValueError, match="jumps to no earlier node"):
            node_of(ponnuki_node(rows=[[[0, "1", None, jump]]]), 1, BOARD)
    for wrong in (None, [], "worths", 5, [["worths"]]):
        with pytest.raises(ValueError, match="must have exactly the keys"):
            node_of(wrong, 0, BOARD)
    with pytest.raises(ValueError, match="probabilities of a jump"):
        node_of(ponnuki_node(rows=[[[0, "1", None, [[0, 0, "1/2"]]]]]), 1, BOARD)
    with pytest.raises(ValueError, match="turns a board that is no square"):
        node_of(ponnuki_node(rows=[[[0, "1", None, [[0, 1, "1"]]]]]), 1, PonnukiRules(2, 3))


class PlainOpponent:
    """The opponent of a node by the definition: every try, in fractions, nothing passed over."""

    def __init__(self, rules, nodes, body, player):
        self.rules, self.nodes, self.rows, self.player = rules, nodes, body["rows"], player

    def gain(self, world, own, turns):
        """The probability that the player does not win from its first row on, draws counted half."""
        return self.turn(world, [(own, 0, turn, Fraction(1, len(turns))) for turn in turns])

    def turn(self, position, stands):
        """The player's turn, then the opponent's best."""
        gained, going, waiting = Fraction(0), [], list(stands)
        while waiting:
            own, place, turn, weight = waiting.pop()
            seen = self.rules.image(position, turn)
            if place is None:
                gained += weight
            elif isinstance(place, list):
                for number, other, share in place:
                    node, fits = self.nodes[number], self.rules.image(own, other) == self.nodes[number].own
                    paid = node.worths.get(self.rules.image(seen, other), 0) if fits else 0
                    gained += weight * Fraction(share) * (1 - paid)
            else:
                for cell, share, illegal, legal in self.rows[place]:
                    fate, part = self.rules.outcome(self.player, own, seen, cell), weight * Fraction(share)
                    if fate == "illegal":
                        waiting.append((own, illegal, turn, part))
                    elif fate == "legal" and legal is not None:
                        going.append((own | 1 << cell, legal, turn, part))
                    else:
                        gained += part * {"wins": 0, "draws": Fraction(1, 2), "loses": 1, "legal": 1}[fate]
        return gained + (self.best(position, going) if going else 0)

    def best(self, position, stands):
        found = []
        for cell in self.rules.cells:
            told = {"illegal": [], "legal": [], "wins": [], "draws": [], "loses": []}
            for stand in stands:
                theirs = self.rules.image(stand[0], self.rules.inverse[stand[2]])
                told[self.rules.outcome(1 - self.player, position, theirs, cell)].append(stand)
            if len(told["illegal"]) < len(stands):  # else it learns nothing
                won = sum(
                    stand[3] for fate, half in (("wins", 2), ("draws", 1)) for stand in told[fate] * half
                ) / Fraction(2)
                again = self.best(position, told["illegal"]) if told["illegal"] else 0
                found.append(won + again + (self.turn(position | 1 << cell, told["legal"]) if told["legal"] else 0))
        return max(found)


def misere(player, own, other, cell):
    """A rule for a row of four cells: its ends lose, two neighbours win, a full board is drawn."""
    stones = own | 1 << cell
    if (own | other) >> cell & 1:
        return -1
    if stones & 9 == 9:
        return 3
    if any(stones >> low & 3 == 3 for low in range(3)) and player == 0:
        return 1
    return 2 if stones | other == 15 else 0


RULES = {
    "ponnuki 2x2": PonnukiRules(2, 2),
    "ponnuki 2x3": PonnukiRules(2, 3),
    "three in a row of four": rules_of("phantom-ttt-1x4-3"),
    "two in a row of five": rules_of("phantom-ttt-1x5-2"),
    "hex 2x2": rules_of("dark-hex-2x2"),
    "misere": FileRules(4, [(0, 1, 2, 3), (3, 2, 1, 0)], misere),
}


def random_node(draw, rules, number, worlds):
    """A node of three rows, which go on to later ones, give up, or jump to earlier nodes."""

    def place(row):
        later = range(row + 1, 3)
        jump = [
            [draw.choice(range(number)), draw.choice(rules.symmetries), share] for share in ("1/3", "2/3") if number
        ]
        return draw.choice([None, *([jump] if jump else []), *[draw.choice(later) for _ in later]])

    shares = [("1",), ("1/2", "1/2"), ("1/4", "1/2", "1/4")]
    rows = [
        [[draw.randrange(len(rules.cells)), share, place(row), place(row)] for share in draw.choice(shares)]
        for row in range(3)
    ]
    own = 0 if number == 0 else draw.choice([0, 1, 2])
    kept = [world for world in worlds if not world & own]
    return {"own": own, "worlds": kept, "worths": [draw.randint(0, 4) for _ in kept], "unit": 4, "rows": rows}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", range(6))
def test_guarantees_of_random_nodes_are_those_of_plain_play(name, seed):
    draw, rules, nodes = random.Random(f"{name} {seed}"), RULES[name], []
    player = seed % 2
    for number in range(3):
        body = random_node(draw, rules, number, [1, 2, 4, 8])
        node = node_of(body, number, rules)
        turns = draw.choice([[0], rules.symmetries])
        plain = PlainOpponent(rules, nodes, body, player)
        for world, found in guarantees(rules, nodes, node, player, turns):
            assert found == 1 - plain.gain(world, node.own, turns)
        nodes.append(node)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("player", [0, 1])
def test_a_bound_is_the_least_guarantee_of_the_whole_game(name, player):
    """Only what a node guarantees may be claimed, of every world in which the game may begin."""
    draw, rules = random.Random(f"{name} {player}"), RULES[name]
    worlds = [0] if player == 0 else [1 << cell for cell in rules.cells]
    body = {**random_node(draw, rules, 0, worlds), "unit": 10**9, "worlds": worlds, "worths": [0] * len(worlds)}
    plain = PlainOpponent(rules, [], body, player)
    sure = [1 - plain.gain(world, 0, rules.symmetries) for world in worlds]
    units = [int(worth * 10**9) for worth in sure]
    assert prove_bound([{**body, "worths": units}], player, rules, True) == Fraction(min(units), 10**9)
    assert prove_bound([], player, rules, True) == 0
    for number in range(len(worlds)):
        more = [unit + (place == number) for place, unit in enumerate(units)]
        with pytest.raises(ValueError, match="node 0 claims"):
            prove_bound([{**body, "worths": more}], player, rules, True)
    whole = {key: body[key] for key in ("own", "worlds", "rows")} | {"worth": str(min(sure))}
    for vectors in (True, False):
        assert prove_bound([whole], player, rules, vectors) == min(sure)
    for change in (
        {"own": 1 << len(rules.cells) - 1},
        {"worlds": [*worlds, 0 if player else 3]},
        {"worlds": worlds[1:]},
    ):
        other = {**whole, **change, "worth": "0"}
        other["worlds"] = [world for world in other["worlds"] if not world & other["own"]] or [2]
        with pytest.raises(ValueError, match="the last node is not the beginning"):
            prove_bound([other], player, rules, True)
    with pytest.raises(ValueError, match="nodes of a player are not a list"):
        prove_bound({}, player, rules, True)
    with pytest.raises(ValueError, match="must have exactly the keys"):
        prove_bound([{**body, "worths": units}], player, rules, False)


def test_boards_of_bounds_have_limits():
    assert len(rules_of("phantom-ponnuki-5x5").cells) == 25 and len(rules_of("phantom-ttt-4x4-4").cells) == 16
    for game in ("phantom-ponnuki-5x6", "phantom-ponnuki-1x5", "dark-hex-4x5", "dark-hex-3x3-abrupt", "kuhn", None, 5):
        with pytest.raises(ValueError, match="with sides from 2 on and up to 25 cells"):
            rules_of(game)


def test_no_bound_is_proved_where_the_first_stone_may_end_the_game():
    rules = FileRules(2, [(0, 1)], lambda player, own, other, cell: 1 if not own | other else -1)
    node = {"own": 0, "worlds": [0], "worth": "0", "rows": [[[0, "1", None, None]]]}
    assert prove_bound([node], 0, rules, True) == 0
    with pytest.raises(ValueError, match="Black's first stone may end the game"):
        prove_bound([{**node, "worlds": [1, 2]}], 1, rules, True)


def test_a_symmetry_that_changes_the_rule_is_refused():
    rules = FileRules(4, [(0, 1, 2, 3), (1, 0, 2, 3)], misere)
    assert rules.outcome(0, 0, 0, 0) == "legal" and rules.outcome(0, 0, 1, 0) == "illegal"
    with pytest.raises(ValueError, match="does not map the game to itself"):
        rules.outcome(0, 8, 0, 0)


@pytest.mark.parametrize("size", [(2, 2), (2, 3), (3, 2)])
def test_two_rules_of_ponnuki_that_share_nothing_agree_in_every_position(size):
    one, other = PonnukiRules(*size), refutation.Rules(*size)
    cells = range(size[0] * size[1])
    for own, theirs in product(range(1 << len(cells)), repeat=2):
        if own & theirs:
            continue
        for cell in cells:
            bit = 1 << cell
            if not other.is_legal(own, theirs, bit):
                fate = "illegal"
            else:
                wins = other.captures(own, theirs, bit) or not other.can_move(theirs, own | bit)
                fate = "wins" if wins else "legal"
            assert one.fate(own, theirs, cell) == fate == one.outcome(0, own, theirs, cell)
        going = {own | 1 << cell for cell in cells if one.fate(own, theirs, cell) == "legal"}
        assert {*other.replies(own, theirs)} == going
    images = {tuple(one.turns[turn]) for turn in one.symmetries}
    assert images == {*map(tuple, other.turns)} and len(images) == (8 if size == (2, 2) else 4)
    for turn in one.symmetries:
        assert all(one.image(one.image(mask, turn), one.inverse[turn]) == mask for mask in range(1 << len(cells)))


@pytest.mark.parametrize("size", [(2, 2), (2, 3)])
def test_a_search_with_perfect_information_knows_who_wins(size):
    """Minimax by the other rules of ponnuki, in every position in which all chains have a liberty."""
    rules, plain = refutation.Rules(*size), PonnukiRules(*size)
    cells = range(size[0] * size[1])

    @cache
    def first_wins(own, other):
        for cell in cells:
            fate = plain.fate(own, other, cell)
            if fate == "wins" or (fate == "legal" and not first_wins(other, own | 1 << cell)):
                return True
        return False

    seen = set()
    for own, other in product(range(1 << len(cells)), repeat=2):
        stones = [(own, other, cell) for cell in cells if own >> cell & 1]
        stones += [(other, own, cell) for cell in cells if other >> cell & 1]
        if own & other or not all(plain.breathes(*stone) for stone in stones):
            continue
        wins = first_wins(own, other)
        seen.add(wins)
        fresh = refutation.Rules(*size)
        assert (fresh.wins(own, other, 10**6), fresh.loses(own, other, 10**6)) == (wins, not wins)
        assert (rules.wins(own, other, 10**6), rules.loses(own, other, 10**6)) == (wins, not wins)
        if not refutation.Rules(*size).wins(own, other, 0):
            fresh = refutation.Rules(*size)
            assert not fresh.loses(own, other, 0) and not fresh.known
    assert seen == {True, False} or size == (2, 2)


def test_bounds_of_a_refutation_count_choices_at_random():
    assert refutation.upper_bound(9, [0, 0]) == 1 - Fraction(1, 8 * 6 * 4 * 2)
    assert refutation.upper_bound(9, [16, 1, 2]) == 1 - Fraction(1, 2 * 6 * 4 * 2)
    assert refutation.lower_bound(9, None) == 0 and refutation.lower_bound(9, 4) == Fraction(1, 7 * 5 * 3)


def test_an_opening_of_a_refutation_is_looked_at():
    body = {"format": refutation.FORMAT, "game": "phantom-ponnuki-2x2", "lower": "0", "upper": "1", "beliefs": [[0, 0]]}
    for opening in (-1, 4, 1.0, True, "0", [0]):
        with pytest.raises(ValueError, match="its opening is not on the board"):
            refutation.verify(reseal({**body, "opening": opening}))
    with pytest.raises(ValueError, match="its last belief is not the beginning of the game"):
        refutation.verify(reseal({**body, "opening": 0, "beliefs": [[1, 2]]}))
    for game in ("phantom-ponnuki-1x2", "phantom-ponnuki-7x6", "phantom-ttt", None, ["phantom-ponnuki-2x2"]):
        with pytest.raises(ValueError, match="not phantom ponnuki of up to 36 cells"):
            refutation.verify(reseal({**body, "opening": None, "game": game}))


# The Resistance


def resistance_change(side, number, change):
    """A change of the number-th row of a team's strategy with more than one entry."""

    def apply(body):
        rows = [row for row in body[side].values() if len(row) > 1]
        change(rows[number])

    return apply


def raise_first(row):
    row[next(iter(row))] = "1"


def lower_first(row):
    row[next(iter(row))] = "0"


@pytest.mark.parametrize("number", [0, -1])
@pytest.mark.parametrize(
    ("side", "change", "sentence"),
    [
        ("resistance", raise_first, "must be positive and sum to 1"),
        ("resistance", lower_first, "must be positive and sum to 1"),
        ("resistance", lambda row: row.update(dict.fromkeys([next(iter(row))], "3/2")), "not between 0 and 1"),
        ("resistance", lambda row: row.pop(next(iter(row))), "must be positive and sum to 1"),
        ("spies", lambda row: row.pop(next(iter(row))), "the spies' types"),
        ("spies", lambda row: row.update(more="1"), "the spies' types"),
        ("spies", lambda row: row.update(dict.fromkeys([next(iter(row))], "-1/2")), "not between 0 and 1"),
    ],
)
def test_a_row_of_a_team_is_looked_at(side, number, change, sentence):
    refused_as("resistance8", resistance_change(side, number, change), sentence)


@pytest.mark.parametrize("side", ["resistance", "spies"])
def test_a_team_has_a_row_for_each_situation_and_no_other(side):
    refused_as("resistance6", lambda body: body[side].pop(list(body[side])[-1]), "says nothing about the situation")
    extra = {"resistance": {"9": "1"}, "spies": {"1": "1"}}[side]
    refused_as("resistance6", lambda body: body[side].update({"9,9+": extra}), "cannot come up")
    refused_as("resistance6", lambda body: body.update({side: []}), "a table of tables")
    refused_as("resistance6", lambda body: body[side].update({"": []}), "a table of tables")


# Refutations


@pytest.mark.parametrize(
    ("belief", "sentence"),
    [([1, 2, 2], "a world twice"), ([1, 1], "not possible"), ([1, 6], "not possible"), ([1 << 9, 1], "on the board"),
     ([1, True], "on the board"), ([-1, 2], "on the board")],
)  # fmt: skip
def test_a_belief_is_looked_at(belief, sentence):
    with pytest.raises(ValueError, match=sentence):
        refutation.belief_of(belief, 9, "it")
    assert refutation.belief_of([1, 2, 4], 9, "it") == (1, [2, 4])


@pytest.mark.parametrize(
    ("beliefs", "sentence"),
    [([], "it has no beliefs"), ({}, "it has no beliefs"), ([[0]], "not stones and worlds"), ([[3, 12]], "is neither"),
     ([[0, 0], [3, 12]], "is neither"), (["00"], "not stones and worlds"),
     ([[0, 0]] * 100_001, "more than 200,000 worlds")],
)  # fmt: skip
def test_the_beliefs_of_a_refutation_are_looked_at(beliefs, sentence):
    body = {"format": refutation.FORMAT, "game": "phantom-ponnuki-2x2", "lower": "0", "upper": "1"}
    with pytest.raises(ValueError, match=sentence):
        verify(reseal({**body, "opening": None, "beliefs": beliefs}))


# Permutations

PAIR = Grid("pair", 1, 3, ((0, 1), (1, 2)))
BLOCK = Grid("block", 2, 2, ((0, 3), (1, 2)))  # a diagonal wins, and many games are drawn


def two_orders(first, second, lower, upper):
    body = {"format": permutation.FORMAT, "game": "pair", "rules": 1, "value": lower, "lower": lower, "upper": upper}
    return reseal({**body, "first": first, "second": second})


def orders_value(grid, first, second):
    """The first player's score by plain play of two orders."""
    stones, left = [set(), set()], [list(map(int, first)), list(map(int, second))]
    for turn in range(grid.cells):
        side = turn % 2
        cell = next(c for c in left[side] if c not in stones[0] | stones[1])
        stones[side].add(cell)
        if any(set(line) <= stones[side] for line in grid.lines):
            return Fraction(1 - side)
    return Fraction(1, 2)


def test_permutations_are_judged_like_plain_play_of_all_orders():
    for grid in (PAIR, BLOCK):
        every = ["".join(map(str, order)) for order in permutations(range(grid.cells))]
        for text in every:
            own = {text: "2/3", every[0]: "1/3"} if text != every[0] else {text: "1"}
            mine = mixture(grid, own, "first")
            worst = min(mean_value(grid, mine, lambda one, other=other: (one, other)) for other in every)
            assert permutation.best_score(grid, 1, mine) == 1 - worst
            best = max(mean_value(grid, mine, lambda one, other=other: (other, one)) for other in every)
            assert permutation.best_score(grid, 0, mine) == best


def mean_value(grid, mine, seats):
    """The first player's score against a mixture of orders."""
    return sum(share * orders_value(grid, *seats("".join(map(str, order)))) for order, share in mine.items())


def test_a_proof_in_permutations_is_accepted_and_its_parts_are_looked_at():
    proof = two_orders({"102": "1"}, {"102": "1"}, "1", "1")
    assert permutation.verify(proof, PAIR) == (1, 1)
    for change, sentence in (
        ({"first": {"102": "3/2", "012": "-1/2"}}, "must be positive"),
        ({"first": {"102": "1", "012": "0"}}, "must be positive"),
        ({"first": {"102": "1/2"}}, "add up to"),
        ({"first": {"102": "1", "012": "1"}}, "add up to"),
        ({"first": {}}, "must map"),
        ({"first": []}, "must map"),
        ({"first": ["102"]}, "must map"),
        ({"first": {"002": "1"}}, "not a permutation"),
        ({"first": {"10": "1"}}, "not a permutation"),
        ({"first": {"012": "1"}}, "secures"),
        ({"upper": "1/2", "lower": "1/2", "value": "1/2"}, "secures"),
        ({"rules": 2}, "version"),
        ({"game": "permutation-ttt"}, "must be for pair"),
        ({"format": "another"}, "its format is"),
        ({"more": 1}, "exactly the keys"),
    ):
        with pytest.raises(ValueError, match=sentence):
            permutation.verify(reseal({**proof, **change}), PAIR)
    with pytest.raises(ValueError, match="digest does not fit"):
        permutation.verify({**proof, "digest": "0" * 64}, PAIR)


def test_the_lines_of_a_board_must_survive_its_symmetries():
    with pytest.raises(ValueError, match="the lines of skew change"):
        mixture(Grid("skew", 1, 3, ((0, 1),)), {"012": "1"}, "first")


def test_a_stone_on_a_listed_board_ends_the_game_as_its_lines_say():
    rules, draw = rules_of("phantom-ttt"), random.Random(5)
    lines = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}]
    seen = set()
    for _ in range(4000):
        cells = draw.sample(range(9), 9)
        own, other = set(cells[: (count := draw.randint(0, 4))]), set(cells[5 : 5 + count])
        if any(line <= stones for line in lines for stones in (own, other)):
            continue
        cell = draw.randrange(9)
        if cell in own | other:
            expected = "illegal"
        elif any(line <= own | {cell} for line in lines):
            expected = "wins"
        else:
            expected = "draws" if len(own | other) == 8 else "legal"
        seen.add(expected)
        masks = [sum(1 << stone for stone in stones) for stones in (own, other)]
        assert rules.outcome(draw.randrange(2), *masks, cell) == expected
    assert seen == {"illegal", "wins", "draws", "legal"}
