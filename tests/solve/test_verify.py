"""The checker of certificates accepts what holds and refuses everything else."""

import copy
import json
from fractions import Fraction

import pytest
from support.certificates import reseal, uniform_certificate

from fogspiel.core.game import known_game
from fogspiel.runs.kinds.solve import solve_unstored
from fogspiel.runs.requests import SolveRequest
from fogspiel.solving.proofs.checkers.tree import GamePositions, best_response_value, verify


def checked(body, name="kuhn"):
    game = known_game(name)
    return verify(body, GamePositions(game))


@pytest.mark.parametrize("name", ["rps", "rps-half", "binary-poker", "kuhn", "leduc", "liars-dice-4", "goofspiel-4"])
def test_the_bounds_of_uniform_play_are_proved(name):
    body = json.loads(json.dumps(uniform_certificate(name)))
    assert checked(body, name) == (Fraction(body["lower"]), Fraction(body["upper"]))


def test_uniform_play_at_kuhn_has_the_bounds_that_openspiel_gives():
    """NashConv of the uniform policy, OpenSpiel 2.0.2: 0.9166666666666666."""
    lower, upper = checked(uniform_certificate("kuhn"))
    assert upper - lower == Fraction(11, 12)


def changes():
    """Every way to change one thing in the certificate of Kuhn poker."""
    body = uniform_certificate("kuhn")
    for key in body:
        yield f"without {key}", lambda b, key=key: b.pop(key)
    yield "a key more", lambda b: b.update(note="fine")
    yield "another game", lambda b: b.update(game="leduc")
    yield "another version", lambda b: b.update(rules=2)
    yield "a better lower bound", lambda b: b.update(lower="-1/3", value="-1/3")
    yield "a better upper bound", lambda b: b.update(upper="0", value="0")
    yield "a value outside the bounds", lambda b: b.update(value="7")
    yield "a bound that is no fraction", lambda b: b.update(lower="-0.5")
    yield "a bound that divides by zero", lambda b: b.update(lower="1/0")
    yield "a bound not in lowest terms", lambda b: b.update(lower="-2/4")
    yield "a bound that is a number", lambda b: b.update(lower=-0.5)
    yield "one strategy", lambda b: b["strategies"].pop()
    yield "strategies that are no list", lambda b: b.update(strategies={})
    for side in (0, 1):
        yield f"a row less for {side}", lambda b, side=side: b["strategies"][side].pop()
        yield f"a row twice for {side}", lambda b, side=side: b["strategies"][side].append(b["strategies"][side][0])
        row = {"after": None, "view": [0] * 9, "actions": [1], "probabilities": ["1"]}
        yield f"an idle row for {side}", lambda b, side=side, row=row: b["strategies"][side].append(row)
        yield f"rows swapped for {side}", lambda b, side=side: b["strategies"][side].reverse()
        for number in range(len(body["strategies"][side])):
            for key, value in (
                ("after", [9, 9]),
                ("view", [5]),
                ("actions", [1, 1]),
                ("probabilities", ["1/2", "1/3"]),
                ("probabilities", ["3/2", "-1/2"]),
                ("probabilities", ["1", "0"]),
                ("probabilities", ["1"]),
                ("probabilities", "1"),
                ("view", ["x"]),
                ("after", "x"),
            ):
                yield (
                    f"row {number} of {side} with {key} {value}",
                    lambda b, side=side, number=number, key=key, value=value: b["strategies"][side][number].update(
                        {key: value}
                    ),
                )


CHANGES = list(changes())


@pytest.mark.parametrize("change", [change for _, change in CHANGES], ids=[name for name, _ in CHANGES])
def test_a_changed_certificate_is_refused(change):
    body = copy.deepcopy(uniform_certificate("kuhn"))
    change(body)
    with pytest.raises(ValueError, match="certificate is not valid"):
        checked(body)


@pytest.mark.parametrize("change", [change for _, change in CHANGES], ids=[name for name, _ in CHANGES])
def test_with_a_forged_digest_only_a_true_claim_passes(change):
    body = copy.deepcopy(uniform_certificate("kuhn"))
    change(body)
    body = reseal(body)
    try:
        proved = checked(body)
    except ValueError as refusal:
        assert "certificate is not valid" in str(refusal)
    else:  # other strategies that secure the same
        kept = uniform_certificate("kuhn")
        assert body["strategies"] != kept["strategies"] or body == kept
        assert proved == (Fraction(kept["lower"]), Fraction(kept["upper"]))


def with_its_own_bounds(body):
    """The certificate with the bounds that its rows have if nobody checks these, and a digest that fits."""
    game = GamePositions(known_game(body["game"]))
    plans = [
        {
            (row["after"] and tuple(row["after"]), tuple(row["view"])): (
                number,
                dict(zip(row["actions"], map(Fraction, row["probabilities"]), strict=True)),
            )
            for number, row in enumerate(rows)
        }
        for rows in body["strategies"]
    ]
    lower, upper = (best_response_value(game, plan, player) for player, plan in enumerate(plans))
    return reseal({**body, "lower": str(lower), "upper": str(upper), "value": str(lower)})


def test_a_negative_probability_is_refused_even_if_the_bounds_fit():
    body = copy.deepcopy(uniform_certificate("kuhn"))
    assert checked(with_its_own_bounds(body)) == (Fraction(body["lower"]), Fraction(body["upper"]))
    body["strategies"][0][0]["probabilities"] = ["3/2", "-1/2"]
    hostile = with_its_own_bounds(body)
    assert Fraction(hostile["lower"]) <= Fraction(hostile["upper"])
    with pytest.raises(ValueError, match="are negative or not 1 in all"):
        checked(hostile)


def test_a_row_that_leaves_out_an_action_is_refused_even_if_it_is_never_played():
    body = copy.deepcopy(solve_unstored(SolveRequest("kuhn", exact=True, refine="none")).certificate)
    row = next(row for rows in body["strategies"] for row in rows if "0" in row["probabilities"])
    idle = row["probabilities"].index("0")
    del row["actions"][idle], row["probabilities"][idle]
    with pytest.raises(ValueError, match="has other actions"):
        checked(reseal(body))


@pytest.mark.parametrize("body", [None, [], "x", 3, {}])
def test_something_else_is_refused(body):
    with pytest.raises(ValueError, match="certificate is not valid"):
        checked(body)
