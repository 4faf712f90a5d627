"""Certificates of uniform strategies, and forged ones."""

from fractions import Fraction
from functools import cache

import numpy as np

from fogspiel.core.game import find_game
from fogspiel.solve.best_response import exact_exploitability
from fogspiel.solve.certificate import certificate, knowledge_of
from fogspiel.solve.checkers.primitives import digest_of
from fogspiel.solve.tree import tree_of


def forged(body):
    """The certificate with the digest that fits what is in it."""
    return {**body, "digest": digest_of(body)}


@cache
def uniform_certificate(name):
    game = find_game(name)
    tree = tree_of(game)
    both = [
        [Fraction(1), *(Fraction(1, int(n)) for n in np.repeat(p.count, p.count))] for p in map(tree.treeplex, (0, 1))
    ]
    judged = exact_exploitability(tree, *both)
    bounds = (judged.lower, judged.upper)
    return certificate(name, game.version, tree, knowledge_of(game, tree), (both[0], both[1]), bounds)
