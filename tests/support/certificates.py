"""Certificates of uniform strategies, and forged ones."""

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
