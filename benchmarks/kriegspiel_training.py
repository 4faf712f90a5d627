"""Make the weights of the engine `fog`: `python benchmarks/kriegspiel_training.py --output fog.npz`.

A population plays a round robin (each engine as it is and straying), and two things are fitted to its games:

- the replies of opponents, by maximum likelihood. A decision is a true board with the mover's two last moves, what the
  mover has heard, and the legal move made. Adam (Kingma & Ba 2015), in an order shuffled by the seed and with a falling
  rate, maximises the log-likelihood of the decisions under `beliefs.reply_policy` with a normal prior. Every tenth game
  is held out; its mean log-probability per move is printed for each engine;
- the values of pieces, from the results. In quiet positions, with no capture three plies before and after, logistic
  regression fits the result to the differences of the numbers of pieces of each kind, separately for each phase of
  the game. A penalty draws the weights towards a multiple of the values in chess. Only ratios are learned: the
  value of a piece in hundredths of a pawn. With `--worths FILE` they are those of a file of weights.

The games are a stored round robin: after an interruption the same command resumes, and with nodes the file is
byte-identical. For a second round of self-play, name the weights of the first: `--engines fog:first.npz@1500n,..`.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from math import comb
from pathlib import Path

import numpy as np

from fogspiel.cli.execute import RunOptions, start_run
from fogspiel.core.compile.kernel import in_place, kernel
from fogspiel.core.game import new_cells
from fogspiel.core.rng import shuffle, stream_of
from fogspiel.games.chess.bitboards import KINDS, KING, NO_SQUARE, kind_on
from fogspiel.games.chess.moves import LIMITS, MAX_MOVES, legal_moves, restrict
from fogspiel.games.chess.position import MEN, MOVER, PLY, POSITION, start_of
from fogspiel.games.chess.search import VALUE
from fogspiel.kriegspiel.beliefs.reply_policy import CELLS, FACTORS, MEMORY, SCENE, find_cells, remember, weigh_replies
from fogspiel.kriegspiel.engine import STRAY, SearchLimit, parse_engine, plain_name
from fogspiel.kriegspiel.game import rules
from fogspiel.kriegspiel.game.attempts import MESSAGE, SQUARE, TRIES
from fogspiel.kriegspiel.match import EngineMatch, EngineSpec
from fogspiel.kriegspiel.parameters import MEN_IN_PHASE, FogWeights, phase_of_men, read_fog_weights, write_fog_weights
from fogspiel.kriegspiel.training import Play, check_lesson, rows_in
from fogspiel.runs.kind import Row

POPULATION = ("C@3000n", "hs@500n", "minimax@1000n", "B1@100n", "fog@1500n", "los@300n", "greedy")
"""Default engines: their nodes take some milliseconds per move."""
HELD_OUT, HELD_OUT_REST = 10, 3
"""Every tenth game is held out: those whose number, from 0 on, ends with a 3."""
FIT_SEED = 1
"""Seed by which decisions are shuffled."""
RATE, DECAY, DECAY_SQUARES, TINY = 0.03, 0.9, 0.999, 1e-8
"""Adam's step and decays."""
BATCH = 500
EPOCHS = 12
PRIOR = 5.0
"""Precision of the normal prior of a logarithm of the policy, around 0."""
QUIET_PLIES = 3
FIRST_PLY = 8
"""First ply of the fit: earlier positions do not predict the result."""
PENALTY = 1.0
"""Penalty on the squared difference from a multiple of the value in chess."""
NEWTON_STEPS = 30
PAWN_WORTH = 100.0


@dataclass(frozen=True)
class Decisions:
    """Rows of belief before a move, what the mover has heard, the move, its game, and the number of its engine."""

    rows: np.ndarray
    heard: np.ndarray
    moves: np.ndarray
    games: np.ndarray
    engines: np.ndarray

    def __len__(self) -> int:
        return len(self.moves)

    def chosen(self, which: np.ndarray) -> "Decisions":
        return Decisions(*(getattr(self, field.name)[which] for field in fields(self)))


def decisions_of(records: Iterable[tuple[Sequence[int], tuple[int, int]]]) -> Decisions:
    """Collect the moves made in games, without illegal attempts; the engines of White and Black have numbers."""
    rows, heard, moves, games, engines = [], [], [], [], []
    for game, (record, players) in enumerate(records):
        state = new_cells(rules.STATE)
        rules.start(state)
        memory, before = [0, 0], [NO_SQUARE, NO_SQUARE]
        for action in record:
            ply, mover = int(state[PLY]), int(state[MOVER])
            row = [*state[:POSITION].tolist(), memory[mover]]
            ours, theirs = (state[rules.SAID + MESSAGE * side :][:MESSAGE].copy() for side in (1 - mover, mover))
            rules.apply(state, action)
            if state[PLY] > ply:
                rows.append(row)
                heard.append([*ours.tolist(), *theirs.tolist(), before[mover]])
                moves.append(action)
                games.append(game)
                engines.append(players[mover])
                memory[mover], before[mover] = int(remember(memory[mover], action)), int(ours[SQUARE])
    return Decisions(*(np.array(found, np.int64) for found in (rows, heard, moves, games, engines)))


@in_place
def list_weights(row, heard, policy, limits, moves, scene, cells, weights):
    """List the legal moves of a decision with their probabilities; return their number."""
    restrict(row, limits)
    listed = legal_moves(row, limits, moves)
    weigh_replies(row, row[MEMORY], moves, listed, heard, heard[TRIES], limits, policy, scene, cells, weights)
    return listed


@kernel
def climb(rows, heard, played, order, shrinkage, rate, logs, first, second, step, gradient):
    """Do one step of Adam on a batch of decisions."""
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MAX_MOVES, np.int64)
    scene, cells = np.empty(SCENE, np.int64), np.empty(FACTORS, np.int64)
    weights, policy = np.empty(MAX_MOVES), np.exp(logs)
    gradient[:] = 0.0
    for d in order:
        row = rows[d]
        listed = list_weights(row, heard[d], policy, limits, moves, scene, cells, weights)
        for i in range(listed):
            find_cells(row, scene, moves[i], kind_on(row, start_of(moves[i])), cells)
            change = (1.0 if moves[i] == played[d] else 0.0) - weights[i]
            for factor in range(FACTORS):
                gradient[cells[factor]] += change
    for cell in range(len(logs)):
        slope = gradient[cell] / len(order) - shrinkage * logs[cell]
        first[cell] += (1 - DECAY) * (slope - first[cell])
        second[cell] += (1 - DECAY_SQUARES) * (slope * slope - second[cell])
        mean = first[cell] / (1 - DECAY**step)
        spread = second[cell] / (1 - DECAY_SQUARES**step)
        logs[cell] += rate * mean / (np.sqrt(spread) + TINY)


@kernel
def fill_log_chances(rows, heard, played, policy, found):
    limits, moves = np.empty(LIMITS, np.int64), np.empty(MAX_MOVES, np.int64)
    scene, cells, weights = np.empty(SCENE, np.int64), np.empty(FACTORS, np.int64), np.empty(MAX_MOVES)
    for d in range(len(played)):
        listed = list_weights(rows[d], heard[d], policy, limits, moves, scene, cells, weights)
        for i in range(listed):
            if moves[i] == played[d]:
                found[d] = np.log(weights[i])


def log_chances(decisions: Decisions, replies: np.ndarray) -> np.ndarray:
    """Return the log-probability of each decision's move by the logarithms of a policy."""
    found = np.empty(len(decisions))
    fill_log_chances(decisions.rows, decisions.heard, decisions.moves, np.exp(replies), found)
    return found


def fit_policy(decisions: Decisions, seed: int) -> np.ndarray:
    logs, first, second, gradient = np.zeros((4, CELLS))
    order, step, stream = np.empty(len(decisions), np.int64), 0, stream_of(seed, 0)
    given, batches = (decisions.rows, decisions.heard, decisions.moves), -(-len(order) // BATCH)
    for _ in range(EPOCHS):
        shuffle(stream, order)
        for start in range(0, len(order), BATCH):
            rate = RATE * (1 - step / (EPOCHS * batches))
            step += 1
            batch = order[start : start + BATCH], PRIOR / len(order), rate
            climb(*given, *batch, logs, first, second, step, gradient)
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
    seed: int = 31
    worths: Path | None = None
    """File of weights with the values of pieces; None if they are fitted."""

    def __post_init__(self) -> None:
        """Validate the whole request before anything is written."""
        check_lesson(self.engines, self.effort, self.output, "a file of weights", games=self.games)
        self.round_robin()
        if self.worths is not None:
            read_fog_weights(self.worths)

    def round_robin(self) -> EngineMatch:
        each = [parse_engine(words, self.effort) for words in self.engines]
        members = tuple(EngineSpec(prefix + name, effort) for prefix in ("", STRAY) for name, effort in each)
        return EngineMatch(members, -(-self.games // comb(len(members), 2)), self.seed)


@dataclass(frozen=True)
class Lesson:
    learned: FogWeights
    games: int
    decisions: int
    """Number of moves to which the replies were fitted."""
    log_chances: dict[str, tuple[int, float, float]]
    """By engine, and of all: held-out moves, their mean log-probability by the policy, and if all moves were equal."""


def train_fog(training: FogTraining, play: Play) -> Lesson:
    lesson = learn_from(rows_in([training.round_robin()], play), training.worths)
    write_fog_weights(lesson.learned, training.output)
    return lesson


def learn_from(rows: list[Row], kept: Path | None = None) -> Lesson:
    names = sorted({plain_name(seat["engine"]) for row in rows for seat in row["seats"]})
    records, results = [], []
    for row in rows:
        seats = [names.index(plain_name(seat["engine"])) for seat in row["seats"]]
        for game in row["games"]:
            white = game["white"]
            records.append((game["record"], (seats[white], seats[1 - white])))
            results.append((game["record"], white_score(game["result"], white)))
    decisions = decisions_of(records)
    held_out = decisions.games % HELD_OUT == HELD_OUT_REST
    rest, judged = decisions.chosen(~held_out), decisions.chosen(held_out)
    replies = fit_policy(rest, FIT_SEED)
    worths = read_fog_weights(kept).worths if kept else fit_worths(results)
    found, uniform = log_chances(judged, replies), log_chances(judged, np.zeros(CELLS))
    parts = {name: judged.engines == number for number, name in enumerate(names)} | {"all": judged.engines >= 0}
    chances = {
        name: (int(part.sum()), float(found[part].mean()), float(uniform[part].mean()))
        for name, part in parts.items()
        if part.any()
    }
    return Lesson(FogWeights(replies, worths), len(records), len(rest), chances)


def white_score(result: int, white: int) -> float:
    """Return White's score from 0 to 1, given the first engine's half points and whether the second had White."""
    return (2 - result if white else result) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default=",".join(POPULATION), help="with commas between, such as C@3000n")
    parser.add_argument("--nodes", type=int, default=1000, help="of engines without an effort of their own")
    parser.add_argument("--games", type=int, default=910)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--worths", type=Path, help="take the values of pieces from this file of weights")
    parser.add_argument("--processes", type=int)
    parser.add_argument("--output", type=Path, default=Path("fog.npz"))
    parser.add_argument("--store", type=Path, default=Path("kriegspiel_training.db"))
    asked = parser.parse_args()
    options = RunOptions(asked.store, threads=asked.processes, again="the same command")

    def play(match: EngineMatch) -> list[list[Row]]:
        return match.rows(start_run(match.to_json(), options, once=True))

    engines, effort = tuple(asked.engines.split(",")), SearchLimit(nodes=asked.nodes)
    training = FogTraining(engines, effort, asked.games, asked.output, asked.seed, asked.worths)
    lesson = train_fog(training, play)
    print(f"{asked.output}: fitted to {lesson.decisions:,} moves of {lesson.games} games; held-out games:")
    for name, (moves, chance, uniform) in lesson.log_chances.items():
        print(f"{name}: {moves:,} moves, mean log-probability {chance:.3f}, of equal moves {uniform:.3f}")


if __name__ == "__main__":
    main()
