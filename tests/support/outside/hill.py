"""Games of two sets of five values, whose best is known: a = 3, b = -20, c = 0.5, d = 7, e = "fast"."""

import math
import random


def badness(v):
    away = ((v["a"] - 3) / 2) ** 2 + ((v["b"] + 20) / 30) ** 2 + ((v["c"] - 0.5) / 0.4) ** 2 + ((v["d"] - 7) / 4) ** 2
    return away + 0.4 * (v["e"] != "fast")


def play(a, b, seed):
    """A win with the probability of the logistic law of the difference, by the seed."""
    return 1 if seed / 2**31 < 1 / (1 + math.exp(badness(a) - badness(b))) else 0


def alone(a, seed):
    """The badness with noise, upside down: the higher the better."""
    return max(-10.0, -badness(a) - seed / 2**31)


def flat(a, b, seed):
    """Nobody is better than anybody else; the luck of a game does not depend on the seats alone."""
    return random.Random(repr((a, b, seed))).choice((0, 0.5, 1))
