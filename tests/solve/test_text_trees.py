"""Trees as plain text: the zerosum format of Waugh and Kroer, and LiteEFG's; public files give the published values."""

import random
from fractions import Fraction

import pytest

from fogspiel.interop import from_game, from_zerosum
from fogspiel.runs.kinds.solve import solve_unstored
from fogspiel.runs.requests import SolveRequest
from fogspiel.solving.proofs import verify
from fogspiel.solving.tree import sequence_form

ZEROSUM = """# the second player guesses a coin that it does not see
 'Guess a coin' 1 4 7 0 11 3 2 1

12 '/tails/stay/h' 1.5
0 '/' 3 'heads' 1 1 'tails' 2 2 'edge' 3 1
1 '/heads' 0 0 2 'stay' 4 'go' 5
2 '/tails' 0 1 2 'stay' 6 'go' 7
3 '/edge' -1/2
4 '/heads/stay' 1 0 2 'h' 8 't' 9
6 '/tails/stay' 1 0 2 'h' 12 't' 11
5 '/heads/go' 0
7 '/tails/go' 0
8 '/heads/stay/h' -3
9 '/heads/stay/t' 3
11 '/tails/stay/t' -3
"""
GAME = """# the same game
node / chance actions heads=0.25 tails=1/2 edge=2.5e-1
node /C:edge leaf payoffs 1=-1/2 2=.5
infoset unseen nodes /C:heads/P1:stay /C:tails/P1:stay
node /C:heads player 1 actions stay go
node /C:tails player 1 actions stay go
node /C:heads/P1:stay player 2 actions h t
node /C:tails/P1:stay player 2 actions h t
node /C:heads/P1:go leaf payoffs 1=0 2=0
node /C:tails/P1:go leaf payoffs 1=0 2=0
node /C:heads/P1:stay/P2:h leaf payoffs 1=-3 2=3
node /C:heads/P1:stay/P2:t leaf payoffs 1=3 2=-3
node /C:tails/P1:stay/P2:h leaf payoffs 1=1.5 2=-1.5
node /C:tails/P1:stay/P2:t leaf payoffs 1=-3 2=3
"""


def test_both_formats_give_the_same_tree_with_its_names():
    one, other = from_zerosum(ZEROSUM, "coin.txt"), from_game(GAME, "coin.game")
    assert one.tree.title == "Guess a coin" and other.tree.title == "coin"
    assert one.tree.nodes == other.tree.nodes == 12 and one.total == other.total == 0
    assert one.tree.payoffs == other.tree.payoffs == tuple(map(Fraction, ("-3", "-1/2", "0", "3/2", "3")))
    assert one.labels.actions == other.labels.actions == (("stay", "go"), ("h", "t"), ("stay", "go"))
    assert other.labels.infosets[1] == "unseen" and [*one.labels.chance.values()] == [("heads", "tails", "edge")]
    forms = [sequence_form(found.tree) for found in (one, other)]
    for field in ("rows", "columns", "payoffs", "denominator"):
        assert (getattr(forms[0], field) == getattr(forms[1], field)).all() if field != "denominator" else True
    assert forms[0].denominator == forms[1].denominator == 8


@pytest.mark.parametrize(
    ("read", "old", "new", "told"),
    [
        (from_zerosum, " 'Guess a coin' 1", " 'Guess a coin'", "no zerosum file"),
        (from_zerosum, "-1/2", "-1/0", "line 8: here is '-1/0', where a number should be"),
        (from_zerosum, "-1/2", "1e999", "line 8: here is '1e999', where a number should be"),
        (from_zerosum, "3 'heads' 1 1", "4 'heads' 1 1", "line 5: the words of this line are those of no leaf"),
        (from_zerosum, "1 '/heads' 0 0 2", "1 '/heads' 2 0 2", "line 6: the words of this line"),
        (from_zerosum, "'heads' 1 1", "'heads' 1 -1", "line 5: a move of chance has the probability -1/2, below 0"),
        (
            from_zerosum,
            "'tails' 2 2 'edge' 3 1",
            "'tails' 2 -2 'edge' 3 1",
            "line 5: the weights of chance",
        ),
        (from_zerosum, "'h' 8", "'h' 0", "line 4: no history leads to this node"),
        (from_zerosum, "'h' 12", "'h' 8", "nodes follow no action"),
        (from_zerosum, "'h' 8", "'h' 99", "nodes follow no action"),
        (from_zerosum, "9 '/heads/stay/t' 3\n", "", "line 9: node 9 has no line"),
        (from_zerosum, "9 '/heads/stay/t' 3", "8 '/heads/stay/t' 3", "a node has two lines"),
        (from_zerosum, "'stay' 4 'go' 5", "'stay' 4 'run' 5\n5 'x' 3", "a node has two lines"),
        (from_game, "1/2 edge", "1/3 edge", "line 2: the probabilities of chance add up to 5/6, not to 1"),
        (
            from_game,
            "player 2 actions h t\nnode /C:tails/",
            "player 3 actions h t\nnode /C:tails/",
            "line 7: it is not",
        ),
        (from_game, "1=0 2=0", "2=0 1=0", "line 9: a leaf has the payoffs"),
        (from_game, "1=0 2=0", "1=0 2=x", "line 9: here is 'x', where a number should be"),
        (from_game, "1=0 2=0", "1=0 2=7", "line 9.*the sum must be the same everywhere"),
        (from_game, "node /C:edge leaf payoffs 1=-1/2 2=.5", "", "line 2: node /C:edge has no line"),
        (from_game, "node /C:edge leaf", "node /C:edgy leaf", "2 nodes follow no action"),
        (from_game, GAME, "", "0 nodes follow no action"),
    ],
)
def test_a_wrong_text_is_refused_with_a_sentence_that_names_the_line(read, old, new, told):
    text = ZEROSUM if read is from_zerosum else GAME
    assert old in text
    with pytest.raises(ValueError, match=told):
        read(text.replace(old, new, 1))


def test_a_circle_of_nodes_is_refused():
    with pytest.raises(ValueError, match="line 4: no history leads to this node"):
        from_zerosum("'x' 0 0 0 0 0 0 0 0\n0 '/' 0 0 1 'a' 1\n1 '' 1\n2 '' 0 1 1 'a' 3\n3 '' 0 2 1 'a' 2")
    with pytest.raises(ValueError, match="0 nodes follow no action"):
        from_zerosum("'x' 0 0 0 0 0 0 0 0\n0 '/' 0 0 1 'a' 0")


@pytest.mark.parametrize("read", [from_zerosum, from_game])
def test_a_damaged_text_is_read_or_refused_but_never_breaks_the_reader(read):
    text, draws = ZEROSUM if read is from_zerosum else GAME, random.Random(5)
    for _ in range(400):
        at = draws.randrange(len(text))
        damaged = text[:at] + draws.choice(["", "'", " ", "0", "/", "=", "-", "e9", "\n", "node "]) + text[at + 1 :]
        try:
            read(damaged, most=100)
        except ValueError as error:
            assert "\n" not in str(error)


@pytest.mark.interpreted
@pytest.mark.parametrize(("ending", "text"), [(".txt", ZEROSUM), (".game", GAME)])
def test_a_file_is_solved_by_name(ending, text, tmp_path):
    path = tmp_path / f"coin{ending}"
    path.write_text(text)
    found = solve_unstored(SolveRequest(str(path), exact=True))
    assert found.exact and verify(found.certificate, str(path)) == (Fraction(found.value),) * 2


KROER = {
    "kuhn": "-0.0555556", "mini_kuhn": "0.5", "coin": "0.375", "prsl": "0", "stengel": "1", "leduc_Kj1Raise": "0",
    "drp-1_private": "0", "drp-2_private": "-0.0514410188", "drp-3": "-0.158025", "drp-6": "-0.0395062",
    "drp-3_private": "-0.0384817", "leduc": "-0.0856064",
}  # fmt: skip
"""Values of ExtensiveFormGames, test/edu/cmu/cs/kroer/extensive_form_game/TestConfiguration.java; Leduc's is ours."""


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "value"), KROER.items())
def test_files_of_kroer_have_the_values_of_his_tests(name, value, checkout):
    found = solve_unstored(SolveRequest(str(checkout("KROER") / "games" / f"{name}.txt"), exact=True))
    assert found.exact and abs(found.score - float(value)) < 10.0 ** -len(value.partition(".")[2])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "ours"), [("kuhn", "kuhn"), ("leduc", "leduc"), ("D24", "liars-dice-4"), ("goofspiel", "")]
)
def test_files_of_liteefg_are_solved(name, ours, checkout):
    path = checkout("LITEEFG") / "LiteEFG" / "game_instances" / f"{name}.game"
    found = solve_unstored(SolveRequest(str(path), exact=True))
    assert found.exact and verify(found.certificate, str(path)) == (Fraction(found.value),) * 2
    if name in ("kuhn", "leduc"):
        assert solve_unstored(SolveRequest(ours, exact=True)).value == found.value
