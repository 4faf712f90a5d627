"""Make the weights of the engine `fog`: `python benchmarks/kriegspiel_training.py --output fog.npz`.

A population plays a round robin (each engine as it is and straying), and two things are fitted to its games:

- the replies of opponents, by maximum likelihood. A decision is a true board, the square where the player to move has
  just lost a piece, and the legal move made. Adam (Kingma & Ba 2015) maximises the log-likelihood of all decisions
  under `beliefs.board_filter`, less a small penalty on the squares of the logarithms, in an order shuffled by the seed;
- the values of pieces, from the results. In quiet positions, with no capture three plies before and after, logistic
  regression fits the result to the differences of the numbers of pieces of each kind, separately for each phase of
  the game. A penalty draws the weights towards a multiple of the values in chess. Only ratios are learned: the
  value of a piece in hundredths of a pawn.

The games are a stored round robin: after an interruption the same command resumes, and with nodes the file is
byte-identical. The defaults are the recipe of the shipped weights.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path

import numpy as np

from fogspiel.cli.execute import RunOptions, start_run
from fogspiel.core.compile.kernel import in_place, kernel
from fogspiel.core.game import new_cells
from fogspiel.core.rng import shuffle, stream_of
from fogspiel.games.chess.bitboards import BLACK, KINDS, KING, kind_on
from fogspiel.games.chess.moves import CHECKERS, LIMITS, MAX_MOVES, legal_moves, restrict
from fogspiel.games.chess.position import MEN, MOVER, PLY, POSITION, end_of, start_of
from fogspiel.games.chess.search import VALUE
from fogspiel.kriegspiel.beliefs.board_filter import CLASS_ROW, ROWS, class_cell, phase_of, weigh_replies
from fogspiel.kriegspiel.engine import STRAY, SearchLimit, parse_engine
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.game.attempts import MESSAGE, SQUARE
from fogspiel.kriegspiel.match import EngineMatch, EngineSpec
from fogspiel.kriegspiel.parameters import MEN_IN_PHASE, FogWeights, phase_of_men, write_fog_weights
from fogspiel.kriegspiel.training import Play, check_lesson, rows_in
from fogspiel.runs.kind import Row

POPULATION = ("C@3000n", "hs@500n", "minimax@1000n")
"""Default engines: their nodes take some milliseconds per move."""
FIT_SEED = 1
"""Seed by which decisions are shuffled."""
RATE, DECAY, DECAY_SQUARES, TINY = 0.03, 0.9, 0.999, 1e-8
"""Adam's step and decays."""
BATCH = 500
EPOCHS = 12
LOG_PENALTY = 2e-6
"""Shrinkage of a logarithm towards 0 per step and batch."""
QUIET_PLIES = 3
FIRST_PLY = 8
"""First ply of the fit: earlier positions do not predict the result."""
PENALTY = 1.0
"""Penalty on the squared difference from a multiple of the value in chess."""
NEWTON_STEPS = 30
PAWN_WORTH = 100.0


@dataclass(frozen=True)
class Decisions:
    """Boards before a move, the square where the player to move has just lost a piece, and the move."""

    boards: np.ndarray
    lost: np.ndarray
    moves: np.ndarray

    def __len__(self) -> int:
        return len(self.moves)

    def rows(self, chosen: np.ndarray) -> "Decisions":
        return Decisions(self.boards[chosen], self.lost[chosen], self.moves[chosen])


def decisions_of(records: Iterable[Sequence[int]]) -> Decisions:
    """Collect the moves made in games, without illegal attempts."""
    boards, lost, moves = [], [], []
    for record in records:
        state = new_cells(rules.STATE)
        rules.start(state)
        for action in record:
            before, ply = state[:POSITION].copy(), int(state[PLY])
            square = int(state[rules.SAID + MESSAGE * (1 - int(state[MOVER])) + SQUARE])
            rules.apply(state, action)
            if state[PLY] > ply:
                boards.append(before)
                lost.append(square)
                moves.append(action)
    return Decisions(np.array(boards), np.array(lost, np.int64), np.array(moves, np.int64))


@in_place
def add_gradient(board, move, moves, listed, lost, checked, weights, total, gradient):
    """Add the gradient of a move's log-probability to that of the logarithms of the policy's table."""
    turned = 56 if board[MOVER] == BLACK else 0
    places, classes = KINDS * phase_of(board[PLY]), CLASS_ROW + (1 if checked else 0)
    for i in range(listed):
        kind = kind_on(board, start_of(moves[i]))
        change = (1.0 if moves[i] == move else 0.0) - weights[i] / total
        gradient[classes, class_cell(board, moves[i], kind, lost)] += change
        gradient[places + kind, end_of(moves[i]) ^ turned] += change
        gradient[places + kind, start_of(moves[i]) ^ turned] -= change


@kernel
def climb(boards, lost, played, order, logs, first, second, step, gradient):
    """Do one step of Adam on a batch of decisions; return the sum of the log-probabilities of their moves."""
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MAX_MOVES, np.int64)
    weights, policy, found = np.empty(MAX_MOVES), np.exp(logs), 0.0
    gradient[:] = 0.0
    for d in order:
        restrict(boards[d], limits)
        listed = legal_moves(boards[d], limits, moves)
        checked = limits[CHECKERS] != 0
        total = weigh_replies(boards[d], moves, listed, lost[d], checked, policy, weights)
        for i in range(listed):
            if moves[i] == played[d]:
                found += np.log(weights[i] / total)
        add_gradient(boards[d], played[d], moves, listed, lost[d], checked, weights, total, gradient)
    for row in range(logs.shape[0]):
        for cell in range(64):
            slope = gradient[row, cell] / len(order) - LOG_PENALTY * len(boards) / BATCH * logs[row, cell]
            first[row, cell] += (1 - DECAY) * (slope - first[row, cell])
            second[row, cell] += (1 - DECAY_SQUARES) * (slope * slope - second[row, cell])
            mean = first[row, cell] / (1 - DECAY**step)
            spread = second[row, cell] / (1 - DECAY_SQUARES**step)
            logs[row, cell] += RATE * mean / (np.sqrt(spread) + TINY)
    return found


@kernel
def log_chance(boards, lost, played, policy):
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MAX_MOVES, np.int64)
    weights, found = np.empty(MAX_MOVES), 0.0
    for d in range(len(played)):
        restrict(boards[d], limits)
        listed = legal_moves(boards[d], limits, moves)
        total = weigh_replies(boards[d], moves, listed, lost[d], limits[CHECKERS] != 0, policy, weights)
        for i in range(listed):
            if moves[i] == played[d]:
                found += np.log(weights[i] / total)
    return found / len(played)


def fit_policy(decisions: Decisions, seed: int) -> np.ndarray:
    logs, first, second, gradient = np.zeros((4, ROWS, 64))
    order, step, stream = np.empty(len(decisions), np.int64), 0, stream_of(seed, 0)
    for _ in range(EPOCHS):
        shuffle(stream, order)
        for start in range(0, len(order), BATCH):
            step += 1
            batch = order[start : start + BATCH]
            climb(decisions.boards, decisions.lost, decisions.moves, batch, logs, first, second, step, gradient)
    return logs


def phase_words(phase: int) -> str:
    return f"fewer than {MEN_IN_PHASE[phase]} men"


def count_men(state: np.ndarray) -> np.ndarray:
    return np.array(
        [[(int(state[kind] & state[MEN + side]) & 2**64 - 1).bit_count() for kind in range(KINDS)] for side in (0, 1)]
    )


def quiet_counts(record: Sequence[int]) -> np.ndarray:
    """Return the numbers of pieces in the quiet positions of a game: [position, side, kind]."""
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
    """Fit scores from 0 to 1 by logistic regression with penalties on squared weights (Newton's method)."""
    weights = np.zeros(features.shape[1])
    for _ in range(NEWTON_STEPS):
        with np.errstate(over="ignore"):  # separable scores drive weights to infinity
            chances = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (scores - chances) / len(scores) - penalties * weights
        curvature = (features * (chances * (1 - chances))[:, None]).T @ features / len(scores)
        weights += np.linalg.solve(curvature + np.diag(penalties), slope)
    return weights


def fit_worths(games: Iterable[tuple[Sequence[int], float]]) -> np.ndarray:
    """Fit the values of pieces, [phase, kind], to records of games and White's scores from 0 to 1."""
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


@dataclass(frozen=True)
class FogTraining:
    engines: tuple[str, ...]
    """Engine specifications; each of them also strays."""
    effort: SearchLimit
    games: int
    """Approximate number of games."""
    output: Path
    seed: int = 11

    def __post_init__(self) -> None:
        """Validate the whole request before anything is written."""
        check_lesson(self.engines, self.effort, self.output, "a file of weights", games=self.games)
        self.round_robin()

    def round_robin(self) -> EngineMatch:
        each = [parse_engine(words, self.effort) for words in self.engines]
        # Straying engines last, as when the shipped weights were made
        members = tuple(EngineSpec(prefix + name, effort) for prefix in ("", STRAY) for name, effort in each)
        return EngineMatch(members, -(-self.games // comb(len(members), 2)), self.seed)


@dataclass(frozen=True)
class Lesson:
    learned: FogWeights
    games: int
    decisions: int
    """Number of moves to which the replies were fitted."""
    log_chance: float
    """Their mean log-probability under the fitted policy."""


def train_fog(training: FogTraining, play: Play) -> Lesson:
    lesson = learn_from(rows_in([training.round_robin()], play))
    write_fog_weights(lesson.learned, training.output)
    return lesson


def learn_from(rows: list[Row]) -> Lesson:
    games = [(game["record"], white_score(game["result"], game["white"])) for row in rows for game in row["games"]]
    decisions = decisions_of(record for record, _ in games)
    replies, worths = fit_policy(decisions, FIT_SEED), fit_worths(games)
    found = log_chance(decisions.boards, decisions.lost, decisions.moves, np.exp(replies))
    return Lesson(FogWeights(replies, worths), len(games), len(decisions), float(found))


def white_score(result: int, white: int) -> float:
    """Return White's score from 0 to 1, given the first engine's half points and whether the second had White."""
    return (2 - result if white else result) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default=",".join(POPULATION), help="with commas between, such as C@3000n")
    parser.add_argument("--nodes", type=int, default=1000, help="of engines without an effort of their own")
    parser.add_argument("--games", type=int, default=900)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--output", type=Path, default=Path("fog.npz"))
    parser.add_argument("--store", type=Path, default=Path("kriegspiel_training.db"))
    asked = parser.parse_args()
    options = RunOptions(asked.store, threads=asked.processes, again="the same command")

    def play(match: EngineMatch) -> list[list[Row]]:
        return match.rows(start_run(match.to_json(), options, once=True))

    engines, effort = tuple(asked.engines.split(",")), SearchLimit(nodes=asked.nodes)
    training = FogTraining(engines, effort, asked.games, asked.output, asked.seed)
    lesson = train_fog(training, play)
    chance = f"mean log-chance {lesson.log_chance:.4f}"
    print(f"{asked.output}: {lesson.decisions:,} moves of {lesson.games} games, {chance}")


if __name__ == "__main__":
    main()
