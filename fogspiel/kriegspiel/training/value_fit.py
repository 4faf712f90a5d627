"""Learn what men are worth in Kriegspiel from how games ended.

In quiet positions, in which nothing was taken three plies before and after, the result is fitted by logistic
regression on the differences of the numbers of men of each kind, apart for each phase of the game. A penalty draws
the weights towards a multiple of what men are worth in chess. What is learned are ratios: the worth of a man in
hundredths of a pawn.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from ...core.game import new_cells
from ...games.chess.bitboards import KINDS, KING
from ...games.chess.position import MEN, PLY
from ...games.chess.search import VALUE
from ..game import rules

# A phase has fewer men on the board than this, kings included: opening, middle game, ending.
MEN_IN_PHASE = (33, 24, 12)
QUIET_PLIES = 3
FIRST_PLY = 8  # earlier positions tell nothing about the result
PENALTY = 1.0  # what the square of a difference from a multiple of the worth in chess costs
NEWTON_STEPS = 30
PAWN_WORTH = 100.0


def phase_of_men(men: int) -> int:
    """The phase of a position with so many men."""
    return sum(men < most for most in MEN_IN_PHASE) - 1


def phase_words(phase: int) -> str:
    """A phase in words."""
    return f"fewer than {MEN_IN_PHASE[phase]} men"


def count_men(state: np.ndarray) -> np.ndarray:
    """The men of White and of Black by kind."""
    return np.array(
        [[(int(state[kind] & state[MEN + side]) & 2**64 - 1).bit_count() for kind in range(KINDS)] for side in (0, 1)]
    )


def quiet_counts(record: Sequence[int]) -> np.ndarray:
    """The numbers of men in the quiet positions of a game: [position, side, kind]."""
    state, counts = new_cells(rules.STATE), []
    rules.start(state)
    for action in record:
        ply = int(state[PLY])
        rules.apply(state, action)
        if state[PLY] > ply:
            counts.append(count_men(state))
    found = np.array(counts)
    total = found.sum((1, 2))
    plies = np.arange(len(found))
    before, after = np.maximum(plies - QUIET_PLIES, 0), np.minimum(plies + QUIET_PLIES, len(found) - 1)
    return np.asarray(found[(total[before] == total[after]) & (plies >= FIRST_PLY)])


def fit_logistic(features: np.ndarray, scores: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """The weights under which scores from 0 to 1 are most likely, less penalties on their squares (Newton's method)."""
    weights = np.zeros(features.shape[1])
    for _ in range(NEWTON_STEPS):
        with np.errstate(over="ignore"):  # scores that the features tell without fail drive weights to infinity
            chances = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (scores - chances) / len(scores) - penalties * weights
        curvature = (features * (chances * (1 - chances))[:, None]).T @ features / len(scores)
        weights += np.linalg.solve(curvature + np.diag(penalties), slope)
    return weights


def fit_worths(games: Iterable[tuple[Sequence[int], float]]) -> np.ndarray:
    """Fit the values of men, [phase, kind], to game records and White's scores from 0 to 1."""
    differences: list[np.ndarray] = []
    scores: list[float] = []
    phases: list[int] = []
    for record, score in games:
        counts = quiet_counts(record)
        differences += list(counts[:, 0, :KING] - counts[:, 1, :KING])
        scores += [score] * len(counts)
        phases += [phase_of_men(int(men)) for men in counts.sum((1, 2))]
    in_chess, penalties = VALUE[:KING] / VALUE[0], np.array([0.0] + [PENALTY] * KING)
    found = np.zeros((len(MEN_IN_PHASE), KINDS))
    for phase in range(len(MEN_IN_PHASE)):
        chosen = np.array(phases) == phase
        if not chosen.any():
            raise ValueError(f"the games have no quiet position with {phase_words(phase)}: more games are needed")
        men = np.array(differences)[chosen]
        features = np.column_stack([men @ in_chess, men])
        try:
            multiple, *others = fit_logistic(features, np.array(scores)[chosen], penalties)
        except np.linalg.LinAlgError:
            multiple, others = 0.0, [0.0] * KING
        weights = multiple * in_chess + others
        if not weights[0] > 0:
            raise ValueError(f"the games do not tell what a pawn is worth with {phase_words(phase)}: more are needed")
        found[phase, :KING] = PAWN_WORTH * weights / weights[0]
    return found
