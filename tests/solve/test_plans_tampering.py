"""A plans certificate that was tampered with is refused in a sentence, within a second."""

import time
from functools import cache

import pytest
from support.certificates import reseal

from fogspiel.solving.known_values import shipped_certificate
from fogspiel.solving.methods import run_to_end
from fogspiel.solving.methods.pure_oracle import solve_in_steps
from fogspiel.solving.proofs import read_certificate, verify

ABRUPT, COUNTED = "phantom-ttt-abrupt", "phantom-ttt-numturns"


@cache
def shipped(game):
    """Its certificate, which nobody may change."""
    return read_certificate(shipped_certificate(game))


def plan_changed(side, change):
    """A way to tamper with the first plan of a side."""

    def tamper(body):
        text, *_ = body[side]
        body[side][change(text)] = body[side].pop(text)

    return tamper


def weight_changed(side, weight):
    """A way to tamper with the first weight of a side."""

    def tamper(body):
        body[side][next(iter(body[side]))] = weight

    return tamper


def entry_changed(key, value):
    """A way to tamper with the head or a whole strategy."""
    return lambda body: body.__setitem__(key, value)


def swapped(text):
    return text[0] + text[1] + text[1] + text[3:]


TAMPERINGS = {
    "no format": (lambda body: body.pop("format"), "keys"),
    "no digest": (lambda body: body.pop("digest"), "keys"),
    "no white": (lambda body: body.pop("white"), "keys"),
    "one key more": (entry_changed("note", "x"), "keys"),
    "game of no name": (entry_changed("game", "phantom-nim"), "its game is"),
    "game a list": (entry_changed("game", ["phantom-ttt-abrupt"]), "its game is"),
    "game null": (entry_changed("game", None), "its game is"),
    "game of the other variant": (entry_changed("game", COUNTED), "a plan|longer"),
    "game of another board": (entry_changed("game", "dark-hex-4x3"), "a plan|longer"),
    "rules 2": (entry_changed("rules", 2), "version 1 of the rules"),
    "rules true": (entry_changed("rules", True), "version 1 of the rules"),
    "rules text": (entry_changed("rules", "1"), "version 1 of the rules"),
    "value a float": (entry_changed("value", 0.775), "fraction in lowest terms"),
    "value not in lowest terms": (entry_changed("value", "2/4"), "fraction in lowest terms"),
    "value long": (entry_changed("value", "9" * 1_000_000), "fraction in lowest terms"),
    "value changed alone": (entry_changed("value", "1/2"), "proved only if both bounds"),
    "lower changed alone": (entry_changed("lower", "1"), "proved only if both bounds"),
    "upper changed alone": (entry_changed("upper", "0"), "proved only if both bounds"),
    "black a list": (entry_changed("black", []), "must map 1 to"),
    "black empty": (entry_changed("black", {}), "must map 1 to"),
    "white null": (entry_changed("white", None), "must map 1 to"),
    "white text": (entry_changed("white", "abc"), "must map 1 to"),
    "too many plans": (entry_changed("white", {str(n): "1" for n in range(5000)}), "must map 1 to"),
    "too many letters": (entry_changed("black", {"a" * 600_000: "1"}), "letters together"),
    "weight zero": (weight_changed("black", "0"), "whole number > 0"),
    "weight negative": (weight_changed("white", "-3"), "whole number > 0"),
    "weight a fraction": (weight_changed("black", "1/2"), "whole number > 0"),
    "weight a float": (weight_changed("white", 1.5), "whole number > 0"),
    "weight an integer": (weight_changed("black", 3), "whole number > 0"),
    "weight true": (weight_changed("black", True), "whole number > 0"),
    "weight null": (weight_changed("white", None), "whole number > 0"),
    "weight with an exponent": (weight_changed("black", "1e99"), "whole number > 0"),
    "weight with a blank": (weight_changed("black", " 1"), "whole number > 0"),
    "weight with an underscore": (weight_changed("white", "1_0"), "whole number > 0"),
    "weight in other digits": (weight_changed("white", "\u0661"), "whole number > 0"),
    "weight too long": (weight_changed("black", "9" * 401), "whole number > 0"),
    "plan empty": (plan_changed("black", lambda text: ""), "where a cell should be"),
    "plan too short": (plan_changed("white", lambda text: text[:-1]), "where a cell should be"),
    "plan too long": (plan_changed("black", lambda text: text + "a"), "longer than a plan can be"),
    "plan with a wrong letter": (plan_changed("black", lambda text: "z" + text[1:]), "where a cell should be"),
    "plan in capitals": (plan_changed("white", str.upper), "where a cell should be"),
    "plan with another alphabet": (plan_changed("white", lambda text: "\u0430" + text[1:]), "where a cell should be"),
    "plan that tries a cell again": (plan_changed("black", lambda text: text[0] * 2 + text[2:]), "again"),
    "plan that tries a failed cell again": (plan_changed("white", swapped), "again"),
    "sides exchanged in numturns": (lambda body: body.update(black=body["white"], white=body["black"]), "plan|secures"),
}
SLOWER = "sides exchanged in numturns"
"""Black and White of numturns have different plans; those of the abrupt game look the same, and must be played."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_certificate_that_was_tampered_with_is_refused_within_a_second(name):
    tamper, sentence = TAMPERINGS[name]
    body = dict(shipped(COUNTED if name == SLOWER else ABRUPT))
    body |= {side: dict(body[side]) for side in ("black", "white")}
    tamper(body)
    body = reseal(body) if "digest" in body else body
    began = time.process_time()
    with pytest.raises(ValueError, match=sentence) as caught:
        verify(body)
    assert time.process_time() - began < 3  # about a second, and more on a busy machine
    assert len(str(caught.value)) < 400 and "\n" not in str(caught.value)


def test_a_change_without_a_new_digest_is_refused_at_once():
    body = dict(shipped(ABRUPT))
    body["black"] = dict(body["black"])
    body["black"].popitem()
    with pytest.raises(ValueError, match="digest does not fit"):
        verify(body)


@pytest.mark.thorough
def test_a_claim_that_the_plans_do_not_prove_is_refused():
    """Such a forgery is found by best answers only, which take seconds in the large games."""
    game = "dark-hex-3x2-abrupt"
    proof = run_to_end(solve_in_steps(game)).certificate
    claims = {"value": "1/2", "lower": "1/2", "upper": "1/2"}
    with pytest.raises(ValueError, match="Black's strategy secures 10/11, but it claims 1/2"):
        verify(reseal({**proof, **claims}))
    for side, sentence in (("black", "Black's strategy secures"), ("white", "White's strategy concedes")):
        body = {**proof, side: dict(proof[side])}
        body[side].popitem()
        with pytest.raises(ValueError, match=sentence):
            verify(reseal(body))
        body[side] = {text: "1" for text in proof[side]}
        with pytest.raises(ValueError, match=sentence):
            verify(reseal(body))
