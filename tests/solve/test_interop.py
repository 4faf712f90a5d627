"""Games from and for other programs: what Gambit's formats allow is read, what cannot be solved is refused."""

import random
import sys
from fractions import Fraction

import numpy as np
import pytest

from fogspiel.core.game import known_game
from fogspiel.interop import describe, from_efg, from_nfg, from_openspiel, read_efg, read_nfg, to_efg, to_nfg
from fogspiel.interop.openspiel_import import simplest
from fogspiel.solving.methods.normal_form import plans, strategies
from fogspiel.solving.tree import LEAF, Tree, build_tree, sequence_form
from fogspiel.solving.tree.builder import TreeBuilder
from fogspiel.solving.tree.sequence_form import fold

HALF = Fraction(1, 2)

EVERYTHING = """EFG 2 R "A \\"game\\" \\\\ with everything" { "Ann" "Bob" }
"a comment
of two lines"

c "the deal" 1 "deal" { "red" 1/3 "black" .5 "blue" 1/6 "never" 0 } 0
p "" 1 1 "red" { "stay" "go" } 1 "ante" { 1, -1 }
t "" 2 "nothing more" { 0 0 }
p "" 2 7 "unseen" { "l" "r" } 0
t "" 3 "" { 2.5, -2.5 }
t "" 4 { -1e0 +1 }
p "" 1 2 "black" { "stay" "go" } 1
t "" 0
p "" 2 7 0 t "" 3 t "" 4
c "another" 2 "" { "x" 1/2 "y" 0.5 } 0
t "" 3 t "" 4
p "" 1 3{"only"}0
t "" 5 "late"{1/3,-1/3}
"""

SECOND = """p "" 1 1 "one" { "a" "b" } 0
p "" 2 1 "two" { "c" "d" } 0
t "" 1 "x" { 1, -1 }
t "" 2 "y" { -1, 1 }
p "" 2 1 "two" { "c" "d" } 0
t "" 2 t "" 1
"""
PENNIES = 'EFG 2 R "pennies" { "P" "Q" }\n""\n\n' + SECOND


def payoffs_at_leaves(tree: Tree) -> list[Fraction]:
    return [tree.payoffs[LEAF - label] for label in tree.label[tree.leaves]]


def assert_same_tree(a: Tree, b: Tree) -> None:
    for field in ("parent", "slot", "chance_index", "owner", "before", "first", "count"):
        one, other = getattr(a, field), getattr(b, field)
        assert one.dtype == other.dtype and np.array_equal(one, other), field
    assert np.array_equal(np.maximum(a.label, LEAF), np.maximum(b.label, LEAF))
    assert a.chance_prob == b.chance_prob and payoffs_at_leaves(a) == payoffs_at_leaves(b)


# Reading .efg


def test_a_file_that_uses_every_feature_of_the_format_is_read_exactly():
    game = from_efg(EVERYTHING)
    tree, labels = game.tree, game.labels
    assert tree.title == 'A "game" \\ with everything' and game.players == ("Ann", "Bob") and game.total == 0
    assert tree.nodes == 16 and tree.owner.tolist() == [0, 1, 0, 0]
    assert labels.infosets == ("red", "unseen", "black", "(1,3)")
    assert labels.actions == (("stay", "go"), ("l", "r"), ("stay", "go"), ("only",))
    assert labels.chance[0] == ("red", "black", "blue", "never") and labels.chance[11] == ("x", "y")
    # The ante is paid on the way, in infosets red and black only.
    expected = [1, 3 + HALF, 0, 1, 3 + HALF, 0, 2 + HALF, -1, Fraction(1, 3)]
    assert payoffs_at_leaves(tree) == expected
    chance_prob = [tree.chance_prob[chance_index] for chance_index in tree.chance_index[tree.leaves]]
    sixth = Fraction(1, 6)
    assert chance_prob == [2 * sixth] * 3 + [3 * sixth] * 3 + [sixth / 2] * 2 + [0]
    assert (tree.before == 0).all() and tree.first.tolist() == [1, 1, 3, 5]


def test_the_sequence_form_of_a_file_gives_the_value_known_by_hand():
    form = sequence_form(from_efg(PENNIES).tree)
    half = [Fraction(1), HALF, HALF]
    worth = [Fraction(0)] * 3
    for row, column, pay in zip(form.rows, form.columns, form.payoffs, strict=True):
        worth[row] += Fraction(int(pay), form.denominator) * half[column]
    assert fold(form.treeplexes[0], worth, max)[0] == 0


def test_decimal_files_and_payoffs_without_commas_are_read_exactly():
    game = from_efg(
        'EFG 2 D "d" { "a" "b" } c "" 1 "" { "l" 0.1 "r" .9 } 0 t "" 1 "" { 0.1 -0.1 } t "" 2 "" { 1e-2 -.01 }'
    )
    assert game.tree.chance_prob == (1, Fraction(1, 10), Fraction(9, 10))
    assert game.tree.payoffs == (Fraction(1, 100), Fraction(1, 10))


def odds_of(*probabilities: str) -> tuple[Fraction, ...]:
    """The different probabilities of leaves after one move of chance."""
    moves = " ".join(f'"{k}" {p}' for k, p in enumerate(probabilities))
    leaves = 't "" 1 "" { 1.0 -1.0 } ' * len(probabilities)
    return from_efg(f'EFG 2 R "x" {{ "a" "b" }} c "" 1 "" {{ {moves} }} 0 {leaves}').tree.chance_prob[1:]


def test_probabilities_that_were_rounded_to_many_decimals_are_read_as_the_fractions_meant():
    sixth, third = Fraction(1, 6), Fraction(1, 3)
    assert odds_of("0.1666666666666667", "0.3333333333333333", "0.5000000000000000") == (sixth, third, HALF)
    assert odds_of("0.3333333333", "0.3333333333", "0.3333333333") == (third,)
    assert odds_of("0.333333333", "0.666666667") == (Fraction(333333333, 10**9), Fraction(666666667, 10**9))
    assert odds_of("333333333333/1000000000000", "666666666667/1000000000000")[0] == Fraction(333333333333, 10**12)
    assert odds_of("0.31415926535897", "0.68584073464103")[0] == Fraction(31415926535897, 10**14)
    assert odds_of(*["0.16666667"] * 6) == (sixth,)
    assert odds_of("0.00100200", "0.00200401", "0.99699399")[0] == Fraction(100200, 10**8)  # they sum to 1: exact
    assert odds_of("0.00100200", "0.00200400", "0.99699398")[0] == Fraction(1, 998)


def test_a_constant_sum_is_accepted_and_kept():
    game = from_efg(PENNIES.replace("{ 1, -1 }", "{ 3, 1 }").replace("{ -1, 1 }", "{ 1/2, 3.5 }"))
    assert game.total == 4 and game.tree.payoffs == (HALF, 3)
    assert from_efg(to_efg(*game)).total == 4


def test_a_player_may_never_move_and_a_game_may_be_over_at_once():
    alone = from_efg('EFG 2 R "" { "a" "b" } p "" 2 1 "" { "x" "y" } 0 t "" 1 "" { 1 -1 } t "" 0', "alone.efg")
    assert (
        alone.tree.title == "alone" and alone.tree.treeplex(0).sequences == 1 and alone.tree.treeplex(1).sequences == 3
    )
    assert sequence_form(alone.tree).sizes["infosets"] == [0, 1]
    over = from_efg('EFG 2 R "over" { "a" "b" } t "" 1 "" { 5 -5 }').tree
    assert over.nodes == 1 and over.payoffs == (5,) and sequence_form(over).payoffs.tolist() == [5]


def test_a_tree_deeper_than_the_stack_of_python_is_read():
    depth = 4 * sys.getrecursionlimit()
    nodes = "".join(f'p "" {1 + k % 2} {k} "" {{ "on" "stop" }} 0\n' for k in range(depth))
    leaves = 't "" 1 "" { 1 -1 }\n' * (depth + 1)
    game = from_efg(f'EFG 2 R "deep" {{ "a" "b" }}\n{nodes}{leaves}')
    assert game.tree.nodes == 2 * depth + 1
    assert_same_tree(from_efg(to_efg(*game)).tree, game.tree)


def test_names_that_occur_twice_are_told_apart_by_numbers():
    twice = PENNIES.replace('2 1 "two" { "c" "d" } 0\nt "" 2 t', '2 2 "two" { "c" "d" } 0\nt "" 2 t')
    assert from_efg(twice).labels.infosets == ("one", "two", "two (2)")


REFUSED = {
    "": "it is no Gambit extensive-form file",
    'NFG 1 R "x"': "it is no Gambit extensive-form file",
    'EFG 1 R "x"': "it is no Gambit extensive-form file",
    'EFG 2 Z "x"': "it is no Gambit extensive-form file",
    "EFG 2 R": "line 1: the file ends early, where the title",
    'EFG 2 R "x" { "a" "b" "c" }': "only games of two players can be solved, but this one names 3",
    'EFG 2 R "x" { "a" }': "names 1",
    'EFG 2 R "x" { "a" "b" }\n\nq "" 1': "line 3: here is 'q', where the next node, c, p or t, should be",
    'EFG 2 R "x" { "a" "b" } "': "the text in quotes that begins here does not end",
    PENNIES + 't "" 1': "line 10: every node of the tree is there, but the file goes on",
    PENNIES[: PENNIES.rindex("t")]: "line 9: the file ends early, where the next node, c, p or t, should be",
    PENNIES.replace("{ -1, 1 }", "{ -1, 2 }"): "line 7: with outcome 2 'y' the players get -1 and 2, together 1, but 0",
    PENNIES.replace("{ -1, 1 }", "{ -1, 1, 0 }"): "line 7: here are 3 payoffs, but there are two players",
    PENNIES.replace("{ -1, 1 }", "{ -1 }"): "line 7: here are 1 payoffs",
    PENNIES.replace("{ -1, 1 }", "{ 1/0, 1 }"): "line 7: 1/0 divides by 0",
    PENNIES.replace("{ -1, 1 }", "{ 1_0, 1 }"): "line 7: here is '1_0', where a payoff",
    PENNIES.replace("{ -1, 1 }", "{ 1e999, 1 }"): "line 7: here is '1e999', where a payoff",
    PENNIES.replace('"c" "d" } 0\nt "" 2', '"d" "c" } 0\nt "" 2'): "line 8: infoset 'two' of player 2 had other",
    PENNIES.replace('"c" "d" } 0\nt "" 2 t', "} 0\nt"): "line 8: player 2 has no action here",
    PENNIES.replace('p "" 2 1', 'p "" 3 1'): "line 5: there is no player 3",
    PENNIES.replace('2 1 "two" { "c" "d" } 0', '2 9 "" 0', 1): "of infoset 9, which was not given yet",
    PENNIES.replace('2 1 "two"', '1 1 "one"'): "line 5: infoset 'one' of player 1 had other actions",
    PENNIES.replace('2 1 "two" { "c" "d" }', '1 1 "one"'): "line 5: infoset 'one' of player 1 is met twice in one",
    PENNIES.replace('2 1 "two"', '1 5 "two"'): "line 8: infoset 'two' of player 1 can be reached by different moves",
    PENNIES.replace('t "" 2 t', 't "" 8 t'): "the payoffs of outcome 8, which were not given yet",
    PENNIES.replace('t "" 2 t', 't "" 1 "" { 2 -2 } t'): "line 9: outcome 1 had other payoffs before",
    PENNIES.replace('t "" 2 t', 't "" 0 "" { 2 -2 } t'): "line 9: outcome 0 stands for no payoffs",
    PENNIES.replace('p "" 1 1', 'p "" -1 1'): "line 4: here is '-1', where the number of the player",
    'EFG 2 R "x" { "a" "b" } c "" 1 "" { "l" 1/2 "r" 1/3 } 0': "the probabilities of chance add up to 5/6, not to 1",
    'EFG 2 R "x" { "a" "b" } c "" 1 "" { "l" 0.333 "m" 0.333 "r" 0.333 } 0': "add up to 999/1000, not to 1",
    'EFG 2 R "x" { "a" "b" } c "" 1 "" { "l" 3/2 "r" -1/2 } 0': "has the probability -1/2, below 0",
    'EFG 2 R "x" { "a" "b" } c "" 1 "" { } 0': "chance has no action here",
    'EFG 2 R "x" { "a" "b" } c "" 1 "" 0': "the list of actions of infoset 1 of chance, which was not given yet",
    'EFG 2 R "x" { "a" "b" } c "" 1 "" { "l" 1 } 0 c "" 1 "" { "r" 1 } 0': "infoset 1 of chance had other actions",
    'EFG 2 R "x" { "a" "b" } c "" 1 "" { "l" 1/1000000007 "r" 1000000006/1000000007 } 0 '
    + 'c "" 1 0 ' * 17: "the probabilities of chance are finer than 1 / 2^512",
    'EFG 2 R "x" { "a" "b" } '
    + "".join(f'c "" {k} "" {{ "r" 1 }} {k} {{ 1/{10**37 + k} 0 }} ' for k in range(1, 6)): "need numbers above 2^512",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_a_wrong_file_is_refused_with_a_sentence_that_names_the_line(text):
    with pytest.raises(ValueError) as refusal:
        from_efg(text, "game.efg")
    assert REFUSED[text] in str(refusal.value) and "\n" not in str(refusal.value)
    assert str(refusal.value).startswith("game.efg")


def test_files_that_cannot_be_read_are_refused_with_a_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere\.efg cannot be read: No such file"):
        read_efg(tmp_path / "nowhere.efg")
    with pytest.raises(ValueError, match="cannot be read"):
        read_nfg(tmp_path)
    latin = tmp_path / "latin.efg"
    latin.write_bytes(PENNIES.replace("pennies", "pénnies").encode("latin-1"))
    with pytest.raises(ValueError, match="is not UTF-8 text: byte 11"):
        read_efg(latin)
    marked = tmp_path / "marked.efg"
    marked.write_bytes(b"\xef\xbb\xbf" + PENNIES.replace("\n", "\r\n").encode())
    assert_same_tree(read_efg(marked).tree, from_efg(PENNIES).tree)


def test_a_tree_above_the_limit_is_refused_before_it_is_built():
    assert from_efg(PENNIES, most=7).tree.nodes == 7
    with pytest.raises(ValueError, match="the text has more than 6 nodes: raise --memory"):
        from_efg(PENNIES, most=6)
    wide = "".join(f'"{k}" ' for k in range(1000))
    with pytest.raises(ValueError, match="more than 999 nodes"):
        from_efg(f'EFG 2 R "x" {{ "a" "b" }} p "" 1 1 "" {{ {wide} }} 0', most=999)
    with pytest.raises(ValueError, match="more than 3,000,000 nodes"):
        from_nfg('NFG 1 R "x" { "a" "b" } { 999999999 999999999 } 1 -1')


TABLES = (
    'NFG 1 R "list" { "a" "b" } { { "u" "d" } { "l" "m" "r" } } "why" 1 -1 1/2 -1/2 0 0 2, -2, .5 -.5 -1 1',
    'NFG 1 D "outcomes" { "a" "b" }\n{ 2 3 }\n{ { "w" 1, -1 } { "" 0.5 -0.5 } { 2 -2 } { "l" -1 1 } } 1 2 0 3 2 4',
)


def in_one_piece_or_a_sentence(read, text):
    """Whether a text is read; an error must be a ValueError of one line."""
    try:
        game = read(text)
    except ValueError as refusal:
        assert "\n" not in str(refusal) and str(refusal).startswith("the text")
        return False
    assert isinstance(game.tree, Tree) and len(game.labels.actions) == len(game.tree.owner)
    return True


@pytest.mark.parametrize("read, text", [(from_efg, EVERYTHING), (from_efg, PENNIES), *((from_nfg, t) for t in TABLES)])
def test_a_damaged_file_is_read_or_refused_but_never_breaks_the_reader(read, text):
    assert in_one_piece_or_a_sentence(read, text)
    for end in range(len(text.rstrip()) - 1):
        in_one_piece_or_a_sentence(read, text[:end])
    dice = random.Random(text)
    for _ in range(2000):
        letters = list(text)
        for _ in range(dice.choice((1, 1, 2, 5))):
            at = dice.randrange(len(letters))
            letters[at : at + dice.randrange(3)] = dice.choice(
                ('"', "{", "}", ",", "\\", " ", "0", "9", "-", "/", "p", "é", "²", "\0")
            )
        in_one_piece_or_a_sentence(read, "".join(letters))


# Writing .efg


@pytest.mark.parametrize("name", ["kuhn", "binary-poker", "rps", "leduc", "goofspiel-4"])
def test_a_game_written_and_read_back_is_the_same_game(name, tmp_path):
    game = describe(known_game(name))
    path = tmp_path / f"{name}.efg"
    path.write_text(to_efg(*game))
    back = read_efg(path)
    assert_same_tree(back.tree, game.tree)
    assert back.labels.infosets == game.labels.infosets and back.labels.actions == game.labels.actions
    assert to_efg(*back) == path.read_text()
    one, other = sequence_form(game.tree), sequence_form(back.tree)
    assert np.array_equal(one.payoffs * other.denominator, other.payoffs * one.denominator)
    assert np.array_equal(one.rows, other.rows) and np.array_equal(one.columns, other.columns)


def test_a_game_of_wins_and_losses_is_written_with_payoffs_that_add_up_to_one():
    nim = known_game("nim")
    first_move_wins = from_efg('EFG 2 R "won" { "a" "b" } t "" 1 "" { 1 0 }').tree
    assert nim.payoffs[0] + nim.payoffs[-1] == 1
    text = to_efg(first_move_wins, total=Fraction(1))
    assert "{ 1, 0 }" in text and from_efg(text).total == 1


def test_a_file_written_and_read_back_is_the_same_file_in_every_word():
    game = from_efg(EVERYTHING)
    back = from_efg(to_efg(*game))
    assert_same_tree(back.tree, game.tree)
    assert back.labels == game.labels and back.players == game.players
    bare = from_efg(to_efg(game.tree))
    assert_same_tree(bare.tree, game.tree)
    assert bare.labels.actions[0] == ("1", "2")


def test_names_are_written_as_gambit_accepts_them():
    plant = TreeBuilder("odd", 10, lambda: "odd")
    plant.add_decision(0, 0, 'Jα♠ "q"\n  two\tlines \\', ("é", "\\"))
    plant.add_leaf((HALF, -HALF))
    plant.add_leaf((HALF, -HALF))
    text = to_efg(*plant.described("ti\\", ("Ünï", "b\\")))
    assert text.splitlines()[0] == 'EFG 2 R "ti/" { "Uni" "b/" }'
    assert 'p "" 1 1 "J?s \\"q\\" two lines /" { "e" "/" } 0' in text
    assert from_efg(text).labels.infosets == ('J?s "q" two lines /',)


# Strategic form


def test_both_kinds_of_nfg_are_read_with_the_first_player_changing_fastest():
    listed, outcomes = (from_nfg(text) for text in TABLES)
    expected = [[1, 0, HALF], [HALF, 2, -1]]
    for game in (listed, outcomes):
        assert game.tree.nodes == 9 and game.tree.owner.tolist() == [0, 1] and game.tree.count.tolist() == [2, 3]
        assert payoffs_at_leaves(game.tree) == expected[0] + expected[1]
    assert listed.labels.actions == (("u", "d"), ("l", "m", "r")) and listed.labels.infosets == ("a", "b")
    assert outcomes.labels.actions == (("1", "2"), ("1", "2", "3"))


@pytest.mark.parametrize(
    "text, sentence",
    [
        ('EFG 2 R "x"', "it is no Gambit strategic-form file"),
        ('NFG 1 R "x" { "a" "b" "c" } { 2 2 2 }', "names 3"),
        ('NFG 1 R "x" { "a" "b" } { 2 0 }', "player 2 has no strategy"),
        ('NFG 1 R "x" { "a" "b" } { 2 2 2 }', "where a closing brace after the strategies of both players should be"),
        ('NFG 1 R "x" { "a" "b" } { 1 2 } 1 -1 2', "the file ends early, where a payoff of the second player"),
        ('NFG 1 R "x" { "a" "b" } { 1 1 } 1 -1 2', "every cell of the table is there, but the file goes on"),
        (
            'NFG 1 R "x" { "a" "b" }\n{ 1 2 }\n1 -1 2 2',
            "line 3: with '1' against '2' the players get 2 and 2, together 4",
        ),
        ('NFG 1 R "x" { "a" "b" } { 1 1 } { { "o" 1 -1 } } 2', "there is no outcome 2: the outcomes are 1 to 1"),
        ('NFG 1 R "x" { "a" "b" } { 1 1 } { { "o" 1 -1 1 } } 1', "here are 3 payoffs"),
        ('NFG 1 R "x" { "a" "b" } { 1 1 } { { "o" 1 -1 } } x', "here is 'x', where the number of an outcome should be"),
    ],
)
def test_a_wrong_table_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(ValueError) as refusal:
        from_nfg(text, "game.nfg")
    assert sentence in str(refusal.value) and "\n" not in str(refusal.value)


def test_a_table_written_and_read_back_is_the_same_table():
    for game in (from_nfg(TABLES[0]), describe(known_game("rps"))):
        back = from_nfg(to_nfg(*game))
        assert_same_tree(back.tree, game.tree)
        assert back.labels.actions == game.labels.actions and back.players == game.players


def test_kuhn_poker_has_the_27_by_64_strategies_counted_by_kuhn():
    tree = build_tree(known_game("kuhn"))
    form = sequence_form(tree)
    assert [strategies(treeplex) for treeplex in form.treeplexes] == [27, 64]
    assert [len(set(plans(treeplex))) for treeplex in form.treeplexes] == [27, 64]
    table = from_nfg(to_nfg(*describe(known_game("kuhn"), tree)))
    assert table.tree.count.tolist() == [27, 64]
    assert table.labels.actions[0][2] == "pass/fold/pass/fold/bet/*"


def test_a_cell_of_the_table_is_what_the_two_strategies_get_in_the_tree():
    game = from_efg(EVERYTHING)
    table = from_nfg(to_nfg(*game)).tree
    cells = dict(zip([(r, c) for r in range(4) for c in range(2)], payoffs_at_leaves(table), strict=True))
    going_on = Fraction(1, 6) * Fraction(3, 4)  # blue: x pays 5/2, y pays -1
    assert cells[0, 0] == Fraction(5, 6) + going_on  # stays with red and black, and keeps the ante
    assert cells[3, 0] == Fraction(5, 6) * (3 + HALF) + going_on  # goes with both, against l
    assert cells[3, 1] == going_on  # against r the ante is lost again


def test_a_table_that_would_be_too_large_is_refused_with_its_size():
    with pytest.raises(ValueError, match=r"the normal form of goofspiel-4 has 7,808 by 7,808 strategies"):
        to_nfg(build_tree(known_game("goofspiel-4")))
    with pytest.raises(ValueError, match=r"more than 10\^15 strategies"):
        to_nfg(build_tree(known_game("leduc")))


# OpenSpiel


def test_without_openspiel_the_sentence_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ValueError, match=r"OpenSpiel is not installed: pip install 'fogspiel\[openspiel\]'"):
        from_openspiel("kuhn_poker")


@pytest.mark.parametrize(
    "name, nodes, infosets",
    [
        ("kuhn_poker", 58, 12),
        ("leduc_poker", 9457, 936),
        ("matrix_rps", 13, 2),
        ("goofspiel(imp_info=True,num_cards=3)", 418, 90),
        ("liars_dice(dice_sides=3)", 1147, 192),
        ("dark_hex(board_size=2)", 441, 134),
    ],
)
def test_a_game_of_openspiel_and_its_export_to_gambit_are_the_same_tree(name, nodes, infosets):
    pyspiel = pytest.importorskip("pyspiel")
    exporter = pytest.importorskip("open_spiel.python.algorithms.gambit")
    game = from_openspiel(name)
    assert game.tree.nodes == nodes and len(game.tree.owner) == infosets and game.total == 0
    exported = from_efg(exporter.export_gambit(pyspiel.load_game_as_turn_based(name)))
    assert_same_tree(exported.tree, game.tree)
    assert exported.labels.actions == game.labels.actions
    assert_same_tree(from_efg(to_efg(*game)).tree, game.tree)


def test_kuhn_poker_of_openspiel_has_the_sequence_form_of_ours():
    pytest.importorskip("pyspiel")
    theirs, ours = sequence_form(from_openspiel("kuhn_poker").tree), sequence_form(build_tree(known_game("kuhn")))
    assert theirs.sizes == ours.sizes
    assert sorted(theirs.payoffs / theirs.denominator) == sorted(ours.payoffs / ours.denominator)


def test_payoffs_that_openspiel_sums_in_floats_are_read_as_the_fractions_meant():
    pytest.importorskip("pyspiel")
    tree = from_openspiel("normal_form_extensive_game(game=kuhn_poker())").tree
    assert max(pay.denominator for pay in tree.payoffs) == 6
    assert sequence_form(tree).denominator == 6
    assert simplest(0.1 + 0.2, 1.0) == Fraction(3, 10)
    assert simplest(5.5e-17, 1.0) == 0 and simplest(5.5e-17, 1e-16) == Fraction(5.5e-17)
    assert simplest(0.1 + 0.2, 1e9) == Fraction(0.1 + 0.2)  # too coarse to be unmistakable


def test_games_of_openspiel_in_python_are_found():
    pytest.importorskip("pyspiel")
    ours = from_openspiel("kuhn_poker").tree
    theirs = from_openspiel("python_kuhn_poker").tree
    assert theirs.nodes == ours.nodes and len(theirs.owner) == len(ours.owner)


def test_players_who_forget_their_own_moves_can_be_made_to_remember():
    pytest.importorskip("pyspiel")
    name = "goofspiel(num_cards=4,points_order=descending)"
    told = "can be reached by different moves of that player.*give players memory of their moves by --perfect-recall"
    with pytest.raises(ValueError, match=told):
        from_openspiel(name)
    assert from_openspiel(name, remember=True).tree.nodes == 1077


def test_a_game_without_information_states_is_read_if_nothing_is_hidden():
    pytest.importorskip("pyspiel")
    game = from_openspiel("pig(horizon=4,winscore=6)").tree
    assert len(game.owner) == (game.label >= 0).sum()


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("nonsense", "OpenSpiel has no game 'nonsense'"),
        ("kuhn_poker(players=3)", "only games of two players can be solved, but kuhn_poker(players=3) has 3"),
        ("matrix_pd", "matrix_pd is not a zero-sum game"),
        ("kuhn_poker(foo=1)", "OpenSpiel refuses 'kuhn_poker(foo=1)': Unknown parameter 'foo'"),
        ("kuhn_poker(", "OpenSpiel refuses 'kuhn_poker('"),
        ("tic_tac_toe", "tic_tac_toe has more than 1,000 nodes"),
    ],
)
def test_a_game_of_openspiel_that_cannot_be_solved_is_refused_with_a_sentence(name, sentence):
    pytest.importorskip("pyspiel")
    with pytest.raises(ValueError) as refusal:
        from_openspiel(name, most=1000)
    assert sentence in str(refusal.value) and "\n" not in str(refusal.value)
