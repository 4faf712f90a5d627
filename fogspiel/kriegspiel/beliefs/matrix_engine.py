"""An engine that keeps the probability matrices by what the referee says: what A, B and C have in common."""

from collections import Counter

import numpy as np

from ...core.rng import split
from ...games.chess.attempts import move_own
from ...games.chess.men import KINDS
from ...games.chess.messages import CHECKS, MESSAGE, TAKEN, TRIES
from ...games.kriegspiel import rules
from ..engine import Effort, Engine, plain_message
from ..opponent_model import attraction_of
from ..parameters import Parameters
from .belief_update import note_accepted, note_answer, note_refused
from .board_survey import SURVEY
from .probability_matrices import KNOWN, new_record, place_anywhere, place_at_home

ALL_MEN = 8, 7  # the pawns and the pieces, beside the king, with which a game begins


class MatrixEngine(Engine):
    """Keeps P_k, P_w and P_c, and how often the own men stood as they do."""

    def __init__(
        self,
        effort: Effort,
        stream: np.ndarray,
        parameters: Parameters | None = None,
        model: np.ndarray | None = None,
        opposed: tuple[int, int] = ALL_MEN,
    ):
        """`opposed`: how many pawns and pieces they have in a game that does not begin with all men at home."""
        super().__init__(effort, stream)
        self.opposed = opposed
        self.chosen = parameters or Parameters()
        self.parameters, self.model = self.chosen.record, model
        self.streams = [np.array([split(stream[0], thread)], np.uint64) for thread in range(effort.threads)]
        self.prob = np.zeros((3, 64), np.float32)
        self.known, self.survey = new_record(KNOWN), new_record(SURVEY)
        self.men: np.ndarray = self.known.men  # our men: a view, for the field of a record is slow to reach
        self.said = np.zeros(MESSAGE, np.int64)  # the message after our last move
        self.attraction = np.ones((3, 64), np.float32)  # how squares attract their men in their next move
        self.answers = -1  # the number of their last move, the first being 0

    def reset(self, seen: np.ndarray) -> None:
        place_at_home(self.prob, self.known, self.side)
        self._look(seen)
        if seen[rules.SEEN_PLY] > 1 or self.opposed != ALL_MEN:
            place_anywhere(self.prob, self.known, *self.opposed)
        self.fresh, self.quiet, self.answers = True, 0, -1
        self.attraction = self._attraction(0)
        self.said[:] = 0
        self.stood: Counter[bytes] = Counter()

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        self._count_quiet(message)
        self.said[:], self.fresh = plain_message(message, self.side, seen), True
        note_accepted(self.prob, self.known, move, self.said)
        self.stood[self.men.tobytes()] += 1

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        note_refused(self.prob, self.known, move, self.parameters, self.survey)

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        self._count_quiet(message)
        self.answers = max(0, int(seen[rules.SEEN_PLY]) - 1) // 2
        told = plain_message(message, 1 - self.side, seen)
        note_answer(self.prob, self.known, self._attraction(self.answers), self.said, told, self.parameters)
        self.attraction = self._attraction(self.answers + 1)
        self._look(seen)

    def _attraction(self, move: int) -> np.ndarray:
        """Return the attraction of squares for their men in this move, by the opponent model."""
        return attraction_of(self.model, 1 - self.side, move, self.chosen.model_scale)

    def _count_quiet(self, message: np.ndarray) -> None:
        """Count moves since the last capture, which makes all positions new."""
        self.quiet += 1
        if message[TAKEN]:
            self.stood.clear()
            self.quiet = 0

    def _look(self, seen: np.ndarray) -> None:
        """Copy what is known for sure."""
        self.men[:] = seen[rules.SEEN_MEN : rules.SEEN_MEN + KINDS]
        self.known.own = np.bitwise_or.reduce(self.men)
        self.known.rights = seen[rules.SEEN_RIGHTS]
        self.known.checks = seen[rules.SEEN_OTHER + CHECKS]
        heard = seen[rules.SEEN_OTHER : rules.SEEN_OTHER + MESSAGE]
        self.known.tries = plain_message(heard, 1 - self.side, seen)[TRIES]

    def times_stood(self, move: int) -> int:
        """Count the earlier occurrences of our men's placement after a quiet move."""
        men = self.men.copy()
        move_own(men, self.side, move)
        return self.stood[men.tobytes()]
