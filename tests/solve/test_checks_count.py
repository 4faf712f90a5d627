"""Every check of a checker counts: a hostile certificate that only this check refuses, and true ones that pass.

`make mutants` takes the checks out one by one (docs/results/mutants.md). Digests fit throughout, so that it is the
check in question which refuses.
"""

import copy
import json
from fractions import Fraction

import pytest
from support.certificates import reseal

from fogspiel.solving.known_values import known_values
from fogspiel.solving.proofs import verify
from fogspiel.solving.proofs.checkers import permutation
from fogspiel.solving.proofs.checkers.permutation import Grid, mixture

KNOWN = known_values()
SMALL = [
    "kuhn", "rps-half", "binary-poker", "morra", "tic-tac-toe", "goofspiel-4", "dark-hex-3x3", "phantom-ttt-2x4-3",
    "dark-hex-2x5", "dark-hex-5x2", "dark-hex-4x3", "phantom-ttt-2x5-3", "phantom-ponnuki-2x2", "phantom-ponnuki-3x3",
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


@pytest.mark.parametrize("form", ["", None, [], {}, 0, "x", "fogspiel certificate"])
def test_an_odd_format_is_refused_in_a_sentence(form):
    refused_as("kuhn", lambda body: body.update(format=form), "the certificate is not valid: ")


# Permutations

ROW = Grid("row", 1, 2, ((0, 1),))  # two cells, nobody can win
PAIR = Grid("pair", 1, 3, ((0, 1), (1, 2)))


def two_orders(first, second, lower, upper):
    body = {"format": permutation.FORMAT, "game": "pair", "rules": 1, "value": lower, "lower": lower, "upper": upper}
    return reseal({**body, "first": first, "second": second})


def orders_value(first, second):
    """The first player's score by plain play of two orders on the board of three cells."""
    stones, left = [set(), set()], [list(map(int, first)), list(map(int, second))]
    for turn in range(3):
        side = turn % 2
        cell = next(c for c in left[side] if c not in stones[0] | stones[1])
        stones[side].add(cell)
        if any(set(line) <= stones[side] for line in PAIR.lines):
            return Fraction(1 - side)
    return Fraction(1, 2)


def images(text):
    return [text, "".join(str(2 - int(cell)) for cell in text)]


def test_permutations_are_judged_like_plain_play_of_all_orders():
    every = ["012", "021", "102", "120", "201", "210"]
    for text in every:
        mine = mixture(PAIR, {text: "1"}, "first")
        worst = min(sum(orders_value(one, other) for one in images(text)) / 2 for other in every)
        assert permutation.best_score(PAIR, 1, mine) == 1 - worst
        best = max(sum(orders_value(other, one) for one in images(text)) / 2 for other in every)
        assert permutation.best_score(PAIR, 0, mine) == best


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
