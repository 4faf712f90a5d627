"""Two checkers that were written apart agree on shipped and on tampered certificates."""

import copy
import json
import random
from fractions import Fraction

import pytest
from support.certificates import reseal, uniform_certificate
from support.second_checker import DisprovedError, judge

from fogspiel.core.untrusted_input import parse_json
from fogspiel.solving.known_values import known_values
from fogspiel.solving.proofs import verify

KNOWN = known_values()
FRACTIONS = ["0", "1", "1/2", "1/3", "2/4", "-1/2", "3/1", "1/0", "0.5", "01", "", "1/2 ", "-0", "7/3"]
TRIALS = 1000  # for each format


def shipped(name):
    return json.loads(KNOWN[name].shipped.read_text(encoding="utf-8"))


CERTIFICATES = {
    "fogspiel certificate 1": lambda: copy.deepcopy(uniform_certificate("kuhn")),
    "fogspiel certificate 2": lambda: shipped("kuhn"),
    "fogspiel phantom certificate 1": lambda: shipped("dark-hex-3x3"),
}


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from places(part, (*path, key))


def tampered(body, draw):
    """The certificate with one to three changes; mostly its digest is made to fit."""
    body = copy.deepcopy(body)
    for _ in range(draw.choice((1, 1, 2, 3))):
        path = draw.choice([path for path in places(body) if path])
        holder = body
        for key in path[:-1]:
            holder = holder[key]
        change_part(holder, path[-1], draw)
    return reseal(body) if draw.random() < 0.95 else body


def change_part(holder, key, draw):
    part = holder[key]
    way = draw.randrange(5)
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, list):
        holder.insert(draw.randrange(len(holder) + 1), copy.deepcopy(part))
    elif way == 2 and isinstance(holder, list):
        draw.shuffle(holder)
    elif way == 3 and isinstance(holder, dict):
        other = draw.choice(list(holder))
        holder[key], holder[other] = holder[other], part
    elif isinstance(part, bool) or part is None:
        holder[key] = [0, 0]
    elif isinstance(part, int):
        holder[key] = part + draw.choice((-1, 1))
    elif isinstance(part, str):
        near = [str(Fraction(part) + step) for step in (Fraction(1, 100), -Fraction(1, 100))] if is_number(part) else []
        holder[key] = draw.choice(near or [*FRACTIONS, part + part[:1], part[1:]])
    else:
        holder[key] = draw.choice([None, [], {}, "x", 0, 1.5, True])


def is_number(text):
    try:
        return (text.count("/") < 2 and bool(Fraction(text))) or text == "0"
    except (ValueError, ZeroDivisionError):
        return False


def outcome(check, text):
    """The bounds that a checker finds proved, or None."""
    try:
        return check(text)
    except (DisprovedError, ValueError):
        return None


def first(text):
    return verify(parse_json(text))


def second(text):
    return judge(text)[1:]


def compare(form, trials, seed):
    draw, body, accepted = random.Random(seed), CERTIFICATES[form](), 0
    for trial in range(trials):
        text = json.dumps(tampered(body, draw))
        one, other = outcome(first, text), outcome(second, text)
        assert one == other, (trial, text)
        accepted += one is not None
    return accepted


@pytest.mark.parametrize("name", ["kuhn", "rps-half", "morra", "tic-tac-toe", "dark-hex-3x3", "phantom-ponnuki-2x2"])
def test_both_prove_the_same_of_a_shipped_certificate(name):
    text = KNOWN[name].shipped.read_text(encoding="utf-8")
    assert first(text) == second(text) == (KNOWN[name].lower, KNOWN[name].upper)


@pytest.mark.parametrize("form", CERTIFICATES)
def test_both_say_the_same_of_tampered_files(form):
    compare(form, 30 if form != "fogspiel phantom certificate 1" else 8, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("form", CERTIFICATES)
def test_both_say_the_same_of_a_thousand_tampered_files(form):
    assert compare(form, TRIALS, seed=1) < TRIALS / 4  # some changes change nothing that is claimed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leduc", "goofspiel-5", "liars-dice-4", "phantom-ttt-2x4-3", "phantom-ttt"])
def test_both_prove_the_same_of_a_larger_certificate(name):
    text = KNOWN[name].shipped.read_text(encoding="utf-8")
    assert first(text) == second(text) == (KNOWN[name].lower, KNOWN[name].upper)
