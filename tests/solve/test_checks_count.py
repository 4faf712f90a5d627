"""Every check of a checker counts: a hostile certificate that only this check refuses, and true ones that pass.

`make mutants` takes the checks out one by one (docs/results/mutants.md). Digests fit throughout, so that it is the
check in question which refuses.
"""

import copy
import json
import random
from fractions import Fraction
from itertools import permutations
from types import SimpleNamespace

import pytest
from support.certificates import reseal, uniform_certificate

from fogspiel.core.game import CHANCE
from fogspiel.solving.known_values import known_values
from fogspiel.solving.proofs import verify
from fogspiel.solving.proofs.checkers import permutation, phantom, primitives, refutation, tree
from fogspiel.solving.proofs.checkers.permutation import Grid, mixture
from fogspiel.solving.proofs.checkers.phantom_bounds import Node, Opponent, PonnukiRules, guarantees, node_of, rules_of
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


# Phantom games


@pytest.mark.parametrize("strategies", [None, ["black", "white"], {"black": []}, {"black": [], "white": [], "red": []}])
def test_a_phantom_game_has_two_strategies_by_name(strategies):
    refused_as("dark-hex-3x3", lambda body: body.update(strategies=strategies), "the strategies of black and white")


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
        ({"unit": 0}, "a whole number from 1 on"),
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
    with pytest.raises(ValueError, match="probabilities of a jump"):
        node_of(ponnuki_node(rows=[[[0, "1", None, [[0, 0, "1/2"]]]]]), 1, BOARD)
    with pytest.raises(ValueError, match="turns a board that is no square"):
        node_of(ponnuki_node(rows=[[[0, "1", None, [[0, 1, "1"]]]]]), 1, PonnukiRules(2, 3))


class PlainOpponent:
    """The opponent of a node by the definition: every try, in fractions, nothing passed over."""

    def __init__(self, rules, nodes, body):
        self.rules, self.nodes, self.rows = rules, nodes, body["rows"]

    def gain(self, world, own, turns):
        """The probability that the player does not win from its first row on."""
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
                    fate = self.rules.fate(own, seen, cell)
                    if fate == "illegal":
                        waiting.append((own, illegal, turn, weight * Fraction(share)))
                    elif fate == "legal" and legal is None:
                        gained += weight * Fraction(share)
                    elif fate == "legal":
                        going.append((own | 1 << cell, legal, turn, weight * Fraction(share)))
        return gained + (self.best(position, going) if going else 0)

    def best(self, position, stands):
        found = []
        for cell in self.rules.cells:
            told = {"illegal": [], "legal": [], "wins": []}
            for stand in stands:
                theirs = self.rules.image(stand[0], self.rules.inverse[stand[2]])
                told[self.rules.fate(position, theirs, cell)].append(stand)
            if told["legal"] or told["wins"]:  # else it learns nothing
                won = sum(stand[3] for stand in told["wins"])
                again = self.best(position, told["illegal"]) if told["illegal"] else 0
                found.append(won + again + (self.turn(position | 1 << cell, told["legal"]) if told["legal"] else 0))
        return max(found)


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


@pytest.mark.parametrize("size", [(2, 2), (2, 3)])
@pytest.mark.parametrize("seed", range(6))
def test_guarantees_of_random_nodes_are_those_of_plain_play(size, seed):
    draw, rules, nodes = random.Random(f"{size} {seed}"), PonnukiRules(*size), []
    for number in range(3):
        body = random_node(draw, rules, number, [1, 2, 4, 8])
        node = node_of(body, number, rules)
        turns = draw.choice([[0], rules.symmetries])
        plain = PlainOpponent(rules, nodes, body)
        for world, found in guarantees(rules, nodes, node, 0, turns):
            assert found == 1 - plain.gain(world, node.own, turns)
        nodes.append(node)


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
