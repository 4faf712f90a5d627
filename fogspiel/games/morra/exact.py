"""Morra solved: only two marginals of a player matter, and exploitability has a closed form.

With f the fingers a player shows and h = call - f what he expects the opponent to show, his call is right exactly
when h is the opponent's f. So the score of a player with marginals a of f and b of h against one with a' and b' is

    1/2 + (b . a' - b' . a) / 2

where only h = 0..5 counts. Whatever he does, an opponent can hold him to 1/2 - (max a - min b) / 2, and a strategy is
optimal if and only if both marginals are uniform on 0..5.

The probabilities are those of the softmax as the kernel computes it: the weights are doubles, here taken as the exact
fractions they are and normalised. Rounding in the alias table moves a probability by less than 1e-14.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...core.agents import IN_TURN, MIXED, REDRAWN, Policy
from ...core.game import UNIFORM, Game, check_vector
from .rules import ACTIONS, CALLS, FAMILY, FINGERS, GAMES, sensible, weigh

Law = list[Fraction]
"""The probability of each of the 66 actions."""


def law(theta: Sequence[float] | np.ndarray) -> Law:
    """The exact probabilities of the actions of a parameter vector."""
    weights = np.zeros(ACTIONS)
    weigh(check_vector(GAMES[0], theta), weights)
    exact = [Fraction(weight) for weight in weights.tolist()]
    total = sum(exact)
    return [weight / total for weight in exact]


def law_of(player: Policy) -> Law:
    """The exact probabilities of the actions of a contender.

    A redrawn Gaussian vector has exchangeable entries, so on average over the draws every action has probability 1/66,
    and the score is linear in the probabilities: in one throw it plays exactly like the uniform player.
    """
    if player.how == IN_TURN:
        raise ValueError(f"{player.name}: players in turn have no single exact score; ask for each of them alone")
    if player.strategy is UNIFORM or player.how == REDRAWN:
        return [Fraction(1, ACTIONS)] * ACTIONS
    if player.strategy is not FAMILY:
        raise ValueError(f"{player.name} is not a player of morra whose probabilities are known")
    weights = [Fraction(weight) for weight in player.weights] if player.how == MIXED else [Fraction(1)]
    mixed = [Fraction(0)] * ACTIONS
    for weight, theta in zip(weights, player.thetas, strict=True):
        mixed = [p + weight / sum(weights) * q for p, q in zip(mixed, law(theta), strict=True)]
    return mixed


def _marginals(probabilities: Law) -> tuple[Law, Law]:
    """The law of the fingers shown, and of those expected from the opponent as far as they are 0..5."""
    shown = [sum(probabilities[CALLS * f : CALLS * (f + 1)], Fraction(0)) for f in range(FINGERS)]
    expected = [sum((probabilities[sensible(f, h)] for f in range(FINGERS)), Fraction(0)) for h in range(FINGERS)]
    return shown, expected


def score(game: Game, first: Policy, second: Policy) -> Fraction:
    """The exact score of `first` against `second`."""
    (a, b), (other_a, other_b) = _marginals(law_of(first)), _marginals(law_of(second))
    won = sum((x * y for x, y in zip(b, other_a, strict=True)), Fraction(0))
    lost = sum((x * y for x, y in zip(other_b, a, strict=True)), Fraction(0))
    return (1 + won - lost) / 2


def marginals(theta: Sequence[float] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How often each number of fingers is shown, and how often the call expects it from the opponent."""
    shown, expected = _marginals(law(theta))
    return np.array(shown, float), np.array(expected, float)


def exploitability_exact(theta: Sequence[float] | np.ndarray) -> Fraction:
    """How far above 1/2 the best opponent scores: (max of the fingers' law - min of the expected fingers') / 2."""
    shown, expected = _marginals(law(theta))
    return (max(shown) - min(expected)) / 2


def exploitability_of(player: Policy) -> Fraction:
    """How far above 1/2 the best opponent scores against a contender, whom he knows but for what was drawn."""
    shown, expected = _marginals(law_of(player))
    return (max(shown) - min(expected)) / 2


def exploitability(theta: Sequence[float] | np.ndarray) -> float:
    """`exploitability_exact` as a number."""
    return float(exploitability_exact(theta))


def best_response(theta: Sequence[float] | np.ndarray) -> int:
    """The action that scores best against these parameters: show what is least expected, expect what is commonest."""
    shown, expected = _marginals(law(theta))
    return sensible(expected.index(min(expected)), shown.index(max(shown)))


def best_score_against_redrawn() -> Fraction:
    """What the best player scores against a Gaussian vector redrawn for every game: 1/2 + 5/132.

    The redrawn player throws each of the 66 actions with probability 1/66 (see `law_of`). So he shows each number of
    fingers with probability 1/6 but expects each of 0..5 with probability 6/66 only, as many of his calls cannot be
    right: the best response gains (1/6 - 1/11) / 2 = 5/132.
    """
    return Fraction(1, 2) + Fraction(5, 132)
