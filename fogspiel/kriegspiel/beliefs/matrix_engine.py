"""An engine that keeps the probability matrices by what the referee says: what A, B and C have in common."""

import numpy as np

from ...core.rng import split
from ...games.chess.messages import CHECKS as SAID_CHECKS
from ...games.chess.messages import SQUARE, TAKEN
from ...games.chess.messages import TRIES as SAID_TRIES
from ...games.chess.position import KINDS
from ...games.kriegspiel import rules
from ..engine import Effort, Engine
from ..opponent_model import lure_of
from ..parameters import Constants
from .belief_update import note_accepted, note_answer, note_refused
from .probability_matrices import CHECKS, OWN, RIGHTS, SCENE, TRIES, scatter, set_home


class Perceiving(Engine):
    """Keeps P_k, P_w and P_c, and how often the own men stood as they do."""

    def __init__(
        self,
        effort: Effort,
        stream: np.ndarray,
        constants: Constants | None = None,
        model: np.ndarray | None = None,
        opposed: tuple[int, int] = (8, 7),
    ):
        """`opposed`: how many pawns and pieces he has in a game that does not begin with all men at home."""
        super().__init__(effort, stream)
        self.opposed = opposed
        self.chosen = constants or Constants()
        self.constants, self.model = self.chosen.row, model
        self.streams = [np.array([split(stream[0], thread)], np.uint64) for thread in range(effort.threads)]
        self.odds = np.zeros((3, 64), np.float32)
        self.scene = np.zeros(SCENE, np.int64)
        self.lure = np.ones((3, 64), np.float32)
        """How squares attract his men in his next move."""
        self.answers = -1
        """The number of his last move, the first being 0."""

    def reset(self, seen: np.ndarray) -> None:
        set_home(self.odds, self.scene, self.side)
        self._look(seen)
        if seen[rules.SEEN_PLY] > 1 or self.opposed != (8, 7):
            scatter(self.odds, self.scene, *self.opposed)
        self.fresh, self.quiet, self.answers = True, 0, -1
        self.lure = lure_of(self.model, 1 - self.side, 0, self.chosen.model_scale)
        self.said_checks = self.said_tries = 0
        self.stood: dict[bytes, int] = {}

    def accepted(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        taken, square, checks, tries = self._heard(message)
        note_accepted(self.odds, self.scene, move, taken, square, checks, tries)
        self.said_checks, self.said_tries, self.fresh = checks, tries, True
        men = self.scene[:KINDS].tobytes()
        self.stood[men] = self.stood.get(men, 0) + 1

    def refused(self, move: int, seen: np.ndarray) -> None:
        note_refused(self.odds, self.scene, move, self.constants)

    def answered(self, message: np.ndarray, seen: np.ndarray) -> None:
        taken, square, checks, tries = self._heard(message)
        self.answers = max(0, int(seen[rules.SEEN_PLY]) - 1) // 2
        drew, self.lure = (
            lure_of(self.model, 1 - self.side, move, self.chosen.model_scale)
            for move in (self.answers, self.answers + 1)
        )
        note_answer(
            self.odds, self.scene, drew, self.said_checks > 0, self.said_tries, taken, square, checks, tries,
            self.constants,
        )  # fmt: skip
        self._look(seen)

    def _heard(self, message: np.ndarray) -> tuple[int, int, int, int]:
        """A message as numbers; a capture makes all positions new."""
        self.quiet += 1
        if message[TAKEN]:
            self.stood.clear()
            self.quiet = 0
        return int(message[TAKEN]), int(message[SQUARE]), int(message[SAID_CHECKS]), int(message[SAID_TRIES])

    def _look(self, seen: np.ndarray) -> None:
        """Copy what is known for sure."""
        self.scene[:KINDS] = seen[rules.SEEN_MEN : rules.SEEN_MEN + KINDS]
        self.scene[OWN] = np.bitwise_or.reduce(self.scene[:KINDS])
        self.scene[RIGHTS] = seen[rules.SEEN_RIGHTS]
        self.scene[CHECKS] = seen[rules.SEEN_OTHER + SAID_CHECKS]
        self.scene[TRIES] = seen[rules.SEEN_OTHER + SAID_TRIES]

    def times_stood(self, move: int) -> int:
        """How often our men stood as they would after a quiet move."""
        start, end = np.int64(move & 63), np.int64(move >> 6 & 63)
        men = self.scene[:KINDS].copy()
        for kind in range(KINDS):
            if men[kind] >> start & 1:
                men[kind] ^= (np.int64(1) << start) | (np.int64(1) << end)
        return self.stood.get(men.tobytes(), 0)
