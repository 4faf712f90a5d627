"""Morra solved: only two marginals of a player matter, and exploitability has a closed form.

With f the fingers a player shows and h = call - f what it expects the opponent to show, its call is right exactly
when h is the opponent's f. So the score of a player with marginals a of f and b of h against one with a' and b' is

    1/2 + (b . a' - b' . a) / 2

where only h = 0..5 counts. Whatever it does, an opponent can hold it to 1/2 - (max a - min b) / 2, and a strategy is
optimal if and only if both marginals are uniform on 0..5.

The probabilities are those of the softmax as the kernel computes it: the weights are doubles, here taken as the exact
fractions they are and normalised. Rounding in the alias table moves a probability by less than 1e-14.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...core.agents import REDRAWN, Policy
from ...core.exact import ANYBODY, BestReply, members_of
from ...core.game import UNIFORM, Game, check_vector
from .rules import ACTIONS, CALLS, FAMILY, FINGERS, GAMES, sensible, weigh

Law = list[Fraction]  # the probability of each of the 66 actions


def law(theta: Sequence[float] | np.ndarray) -> Law:
    """The exact probabilities of the actions of a parameter vector."""
    weights = np.zeros(ACTIONS)
    weigh(check_vector(GAMES[0], theta), weights)
    exact = [Fraction(weight) for weight in weights.tolist()]
    total = sum(exact)
    return [weight / total for weight in exact]


def law_of(player: Policy) -> Law:
    """The exact probabilities of the actions of a policy.

    A redrawn Gaussian vector has exchangeable entries, so on average over the draws every action has probability 1/66,
    and the score is linear in the probabilities: in one throw it plays exactly like the uniform player.
    """
    members = members_of(player, Fraction)
    if player.strategy is UNIFORM or player.how == REDRAWN:
        return [Fraction(1, ACTIONS)] * ACTIONS
    if player.strategy is not FAMILY:
        raise ValueError(f"{player.name} is not a player of morra whose probabilities are known")
    mean = [Fraction(0)] * ACTIONS
    for weight, theta in members:
        mean = [p + weight * q for p, q in zip(mean, law(theta), strict=True)]
    return mean


def _marginals(probabilities: Law) -> tuple[Law, Law]:
    """The law of the fingers shown, and of those expected from the opponent as far as they are 0..5."""
    shown = [sum(probabilities[CALLS * f : CALLS * (f + 1)], Fraction(0)) for f in range(FINGERS)]
    expected = [sum((probabilities[sensible(f, h)] for f in range(FINGERS)), Fraction(0)) for h in range(FINGERS)]
    return shown, expected


def exact_score(game: Game, first: Policy, second: Policy) -> Fraction:
    """The exact score of `first` against `second`."""
    (a, b), (other_a, other_b) = _marginals(law_of(first)), _marginals(law_of(second))
    won = sum((x * y for x, y in zip(b, other_a, strict=True)), Fraction(0))
    lost = sum((x * y for x, y in zip(other_b, a, strict=True)), Fraction(0))
    return (1 + won - lost) / 2


def marginals(theta: Sequence[float] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the frequency of each number of fingers shown, and of each number the call expects."""
    shown, expected = _marginals(law(theta))
    return np.array(shown, float), np.array(expected, float)


def exploitability(theta: Sequence[float] | np.ndarray) -> Fraction:
    """Return the best opponent's gain over 1/2: (max of the fingers' law - min of the expected fingers') / 2."""
    shown, expected = _marginals(law(theta))
    return (max(shown) - min(expected)) / 2


def exploitability_of(player: Policy) -> Fraction:
    """Return the gain over 1/2 of the best opponent, which knows the player but not its draws."""
    shown, expected = _marginals(law_of(player))
    return (max(shown) - min(expected)) / 2


def best_response(theta: Sequence[float] | np.ndarray) -> int:
    """The action that scores best against these parameters: show what is least expected, expect what is commonest."""
    shown, expected = _marginals(law(theta))
    return sensible(expected.index(min(expected)), shown.index(max(shown)))


def best_replies(game: Game, player: Policy) -> list[BestReply]:
    """The best reply of all: a game is one throw, so only the mean law of the members counts."""
    laws = [(weight, *marginals(theta)) for weight, theta in members_of(player, float)]
    shown, expected = (sum(law[0] * law[place] for law in laws) for place in (1, 2))
    return [BestReply(ANYBODY, 0.5 + float(np.max(shown) - np.min(expected)) / 2)]
