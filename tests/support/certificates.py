"""Certificates of uniform strategies, and forged ones."""

import copy
from fractions import Fraction
from functools import cache

import numpy as np

from fogspiel.core.game import known_game
from fogspiel.solving.methods.tree import make_certificate
from fogspiel.solving.policies.best_response import exact_exploitability
from fogspiel.solving.proofs.checkers.primitives import digest_of
from fogspiel.solving.sources import KernelSource
from fogspiel.solving.tree import build_tree


def reseal(body):
    """The certificate with the digest that fits what is in it."""
    return {**body, "digest": digest_of(body)}


@cache
def uniform_certificate(name):
    game = known_game(name)
    tree = build_tree(game)
    both = [
        [Fraction(1), *(Fraction(1, int(n)) for n in np.repeat(p.count, p.count))] for p in map(tree.treeplex, (0, 1))
    ]
    judged = exact_exploitability(tree, *both)
    bounds = (judged.lower, judged.upper)
    return make_certificate(
        name, game.version, tree, KernelSource(game, name).knowledge(tree), (both[0], both[1]), bounds
    )


FRACTIONS = ["0", "1", "1/2", "1/3", "2/4", "-1/2", "3/1", "1/0", "0.5", "01", "", "1/2 ", "-0", "7/3"]


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
