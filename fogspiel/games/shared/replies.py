"""How much anybody could score against a tuned player, exactly: best replies where dynamic programming finds them.

Against a mixture, whose member is drawn before the game, the best reply at Nim, Pig and Guess Who would have to guess
the member from the moves; there the mean over the members is a reply to somebody who names his member: an upper limit.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...core.agents import ALONE, MIXED, Policy, vector_policy
from ...core.game import CHOOSE, Game
from ...core.kernel import compiled, kernel
from ..guesswho import exact as guesswho
from ..guesswho.rules import CHARACTERS, STOCHASTIC
from ..morra import exact as morra
from ..nim import exact as nim
from ..permutation import exact as permutation
from ..pig import exact as pig
from ..pig.rules import FACES, GOAL, LEAST, threshold_of

ANYBODY, TOLD, THRESHOLD = "anybody", "anybody who is told which member he meets", "a threshold"


class BestReply(NamedTuple):
    """What the best of some players scores against a given one, both seats counted alike."""

    among: str
    score: float

    @property
    def exact(self) -> bool:
        """Whether nobody scores more and somebody scores as much."""
        return self.among == ANYBODY


def best_replies(game: Game, player: Policy) -> list[BestReply]:
    """The best replies that can be computed against a vector or a mixture of them, none where nobody knows how."""
    kind = game.family
    if player.strategy is not game.strategy or player.how not in (ALONE, MIXED):
        return []
    if kind == "morra":
        return [BestReply(ANYBODY, _at_morra(player))]
    if kind == "permutation":
        return [BestReply(ANYBODY, 0.5 + float(permutation.exploitability_of(player)))]
    if kind not in WITHOUT_MIXTURES:
        return []
    whole = sum(weight * WITHOUT_MIXTURES[kind](game, theta) for weight, theta in _members(player))
    found = [BestReply(ANYBODY if len(_members(player)) == 1 else TOLD, whole)]
    if kind == "pig":
        scores = pig.threshold_matrix()
        met = [weight * scores[LEAST:, threshold_of(theta)] for weight, theta in _members(player)]
        found.append(BestReply(THRESHOLD, float(np.sum(met, axis=0).max())))
    return found


def _members(player: Policy) -> list[tuple[float, np.ndarray]]:
    """The vectors that are ever drawn, with their probabilities."""
    weights = player.weights if player.how == MIXED else (1.0,)
    members = [(weight / sum(weights), theta) for weight, theta in zip(weights, player.thetas, strict=True)]
    return [(weight, theta) for weight, theta in members if weight > 0]


def _at_morra(player: Policy) -> float:
    """One throw a game, so only the mean law of the members counts: see `morra.exploitability_exact`."""
    laws = [(weight, *morra.marginals(theta)) for weight, theta in _members(player)]
    shown, expected = (sum(law[0] * law[place] for law in laws) for place in (1, 2))
    return 0.5 + float(np.max(shown) - np.min(expected)) / 2


def _at_nim(game: Game, theta: np.ndarray) -> float:
    """Backwards from the end: the reply needs one move that wins, the player has just the one he makes."""
    chosen = nim.actions_of(vector_policy(game, theta))
    own, other = [1.0], [0.0]  # what the reply scores when it is to move, and when the player is
    for position in nim.ALL_POSITIONS:
        after = nim.moves(position)
        own.append(max(other[left] for left in after.values()))
        other.append(own[after[chosen[position]]])
    return (own[-1] + other[-1]) / 2


def _at_pig(game: Game, theta: np.ndarray) -> float:
    """Value iteration against a threshold, for each pair of banks at once: fuller banks first."""
    threshold, own, other = threshold_of(theta), np.zeros((GOAL, GOAL)), np.zeros((GOAL, GOAL))
    turns = np.zeros((GOAL, GOAL + 1))  # the chance of each bank of the player after his turn
    for bank in range(GOAL):
        turn = pig.turn_to(min(threshold, GOAL - bank))
        turns[bank, bank] = turn.lost / turn.total
        for i, chance in enumerate(turn.gains):
            turns[bank, min(bank + turn.target + i, GOAL)] += chance / turn.total
    fill_pig(turns, own, other)
    return float(own[0, 0] + other[0, 0]) / 2


@kernel
def fill_pig(turns, own, other):
    """Fill what the best reply wins when it is to move, and when the player is, by [its bank, the player's bank]."""
    values = np.zeros(GOAL + FACES)
    for mine in range(GOAL - 1, -1, -1):
        for theirs in range(GOAL - 1, -1, -1):
            passed = 0.0  # what the player's turn leaves if it gains something: a full bank has won
            for bank in range(theirs + 1, GOAL):
                passed += turns[theirs, bank] * own[mine, bank]
            before = -1.0
            while own[mine, theirs] - before > 1e-15:
                before = own[mine, theirs]
                other[mine, theirs] = passed + turns[theirs, theirs] * before
                for points in range(GOAL - mine, GOAL - mine + FACES):
                    values[points] = 1.0
                for points in range(GOAL - mine - 1, -1, -1):
                    rolled = other[mine, theirs]
                    for face in range(2, FACES + 1):
                        rolled += values[points + face]
                    rolled /= FACES
                    held = other[mine + points, theirs] if points > 0 else 0.0  # the first roll is forced
                    values[points] = max(rolled, held)
                own[mine, theirs] = values[0]
            other[mine, theirs] = passed + turns[theirs, theirs] * own[mine, theirs]


def _at_guesswho(game: Game, theta: np.ndarray) -> float:
    """The reply asks what serves it best, the player what he asks; small pools first."""
    assert game.strategy is not None
    state, plan = np.zeros(game.sizes.state, np.int64), np.zeros(game.strategy.plan)
    game.rules.start(state)
    game.strategy.prepare(theta, plan)
    most = int(state[CHARACTERS])
    weights = np.zeros(((most + 1) ** 2, most + 1), np.int64)
    how = guesswho.DRAWN if game.strategy is STOCHASTIC else guesswho.CERTAIN
    guesswho.weigh_everywhere(compiled(game.strategy.choose, CHOOSE), how, plan, most, weights)
    own, other = np.zeros((most + 1, most + 1)), np.zeros((most + 1, most + 1))
    fill_guesswho(weights, own, other)
    return float(own[most, most] + 1 - other[most, most]) / 2


@kernel
def fill_guesswho(weights, own, other):
    """Fill the mover's chance by [his pool, the other's]: `own` if the best reply moves, `other` if the player does."""
    most = len(own) - 1
    for both in range(4, 2 * most + 1):
        for n in range(max(2, both - most), min(most, both - 2) + 1):
            m = both - n
            best, asked, total = 0.0, 0.0, 0
            for c in range(1, n):
                best = max(best, (c * (1.0 - other[m, c]) + (n - c) * (1.0 - other[m, n - c])) / n)
                times = weights[n * (most + 1) + m, c]
                asked += times * (c * (1.0 - own[m, c]) + (n - c) * (1.0 - own[m, n - c])) / n
                total += times
            own[n, m] = best
            other[n, m] = asked / total


WITHOUT_MIXTURES: dict[str, Callable[[Game, np.ndarray], float]] = {
    "nim": _at_nim, "pig": _at_pig, "guesswho": _at_guesswho,
}  # fmt: skip
"""The best reply to one vector, by the file of the game."""
