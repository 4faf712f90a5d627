"""The two simplest engines: one random, one that captures when it can."""

import numpy as np

from ...core.rng import random_below
from ...games.chess.bitboards import PAWN
from ...games.chess.position import end_of
from ..engine import Engine, EngineFactory, takes_by_pawn
from ..game import rules
from ..game.attempts import SQUARE, TAKEN, TRIES


class Random(Engine):
    """Tries anything."""

    asks = True

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        return int(actions[random_below(self.stream, len(actions))])


class Greedy(Engine):
    """Tries to take back where a man was lost, then to take with a pawn if there are tries, then anything.

    Where it may ask whether any pawn can take it always does, before anything else but taking back.
    """

    asks = True

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        said = seen[rules.SEEN_OTHER :]
        listed = actions.tolist()
        back = [move for move in listed if said[TAKEN] and end_of(move) == said[SQUARE]]
        tries = said[TRIES] or seen[rules.SEEN_TURN + rules.ANSWER] == rules.YES
        takes = [move for move in listed if tries and takes_by_pawn(seen[rules.SEEN_MEN + PAWN], move)]
        asks = [move for move in listed if move == rules.ANY]
        chosen = back or takes or asks or listed
        return int(chosen[random_below(self.stream, len(chosen))])


ENGINES: dict[str, EngineFactory] = {"random": Random, "greedy": Greedy}
