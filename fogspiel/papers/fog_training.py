"""Making the weights of the engine `fog`: a population plays a round robin, and two things are fitted to its games.

How its engines replied (`training.reply_fit`) is what `fog` expects of any opponent; how the games ended tells what men
are worth (`training.value_fit`). The games are a stored round robin, so that the same command goes on after an
interruption, and with nodes it ends with the same bytes.
"""

from dataclasses import dataclass
from math import comb
from pathlib import Path

import numpy as np

from ..kriegspiel.engine import SearchLimit, parse_engine
from ..kriegspiel.match import EngineMatch
from ..kriegspiel.parameters import FogWeights, write_fog_weights
from ..kriegspiel.training.reply_fit import decisions_of, fit_policy, log_chance
from ..kriegspiel.training.value_fit import fit_worths
from ..runs.jobs import Row
from .ciancarini2010.opponent_training import Play, check_lesson, games_of_two, rows_in, with_straying

# Who plays if nothing is said: with nodes for some milliseconds per move.
POPULATION = ("C@3000n", "hs@500n", "minimax@1000n")
FIT_SEED = 1  # by which decisions are shuffled


@dataclass(frozen=True)
class FogTraining:
    """Request of a training: the players and the budget."""

    engines: tuple[str, ...]  # in words; each of them also strays
    effort: SearchLimit
    games: int  # about so many
    output: Path
    seed: int = 11

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        check_lesson(self.engines, self.effort, self.output, "a file of weights", games=self.games)
        self.round_robin()

    def round_robin(self) -> EngineMatch:
        """Each against each, and against those that stray."""
        each = with_straying(parse_engine(words, self.effort) for words in self.engines)
        members = (*each[::2], *each[1::2])  # those that stray last, as when the shipped weights were made
        return EngineMatch(members, games_of_two(self.games, comb(len(members), 2)), self.seed)


@dataclass(frozen=True)
class Lesson:
    """Results of the training games."""

    learned: FogWeights
    games: int
    decisions: int  # moves to which the replies were fitted
    log_chance: float  # the mean logarithm of the chance that the fitted policy gives to them


def train_fog(training: FogTraining, play: Play) -> Lesson:
    """Play or recall the games, fit the weights, and write them."""
    lesson = learn_from(rows_in([training.round_robin()], play))
    write_fog_weights(lesson.learned, training.output)
    return lesson


def learn_from(rows: list[Row]) -> Lesson:
    """Fit replies and the worth of men to pairs of games."""
    games = [(game["record"], white_score(game["result"], game["white"])) for row in rows for game in row["games"]]
    decisions = decisions_of(record for record, _ in games)
    replies, worths = fit_policy(decisions, FIT_SEED), fit_worths(games)
    found = log_chance(decisions.boards, decisions.lost, decisions.moves, np.exp(replies))
    return Lesson(FogWeights(replies, worths), len(games), len(decisions), float(found))


def white_score(result: int, white: int) -> float:
    """White's score from 0 to 1, of the first engine's result in half points and whether the second had White."""
    return (2 - result if white else result) / 2
