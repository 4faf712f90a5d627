"""Every information state of a game as a question in words, and the answers as a policy: homework, exactly graded.

A question is one JSON line: its id, the seat, what the player sees, and what may be done. Whoever answers writes
`{"id": .., "probabilities": {..}}` or `{"id": .., "action": ..}` per line; several answers to a question are averaged.
"""

from typing import Any, NamedTuple

import numpy as np

from ..core.game import Game
from ..core.state_policy import InformationState, state_policy
from .best_response import exploitability as tree_exploitability
from .exploit import behaviour_of, states_of
from .game_sources import GameProblem
from .policy_files import Table, table_behind
from .routes import routes
from .tree import tree_of

# How often sampled answers are drawn again, and the share of the outcomes that an interval covers.
RESAMPLES, COVERED = 200, 0.95


def questions(game: Game, memory: float) -> list[InformationState]:
    """Every information state of both players."""
    problem = GameProblem(game, game.name)
    own = next((route.questions for route in routes() if route.questions and route.fits(problem)), None)
    return own(game) if own else states_of(game, tree_of(game, memory))


def question_json(state: InformationState) -> dict[str, Any]:
    """A question as one line has it."""
    return {"id": state.id, "player": state.player + 1, "you see": state.text, "you may": state.labels}


def head_json(game: Game, count: int) -> dict[str, Any]:
    """The first line: what the game is and how answers are written."""
    return {
        "game": game.name,
        "title": game.title,
        "rules": game.source,
        "payoffs of player 1": [str(payoff) for payoff in game.payoffs],
        "questions": count,
        "answer with": '{"id": .., "probabilities": {action: number, ..}} or {"id": .., "action": ..}, one per line',
    }


class Spread(NamedTuple):
    """Between which numbers the exploitability and the score lie, as far as sampled answers tell."""

    exploitability: tuple[float, float]
    value: tuple[float, float]


def spread_of_answers(game: Game, table: Table, missing: str, memory: float) -> Spread:
    """Bootstrap intervals for a policy whose answers were sampled: the answers to each question are drawn again.

    Answers to one question are taken as independent. Exploitability of sampled answers is too high on average, since a
    best reply also exploits what is mere chance; the interval does not correct that.
    """
    tree = tree_of(game, memory)
    states, source = states_of(game, tree), np.random.default_rng(0)
    found = []
    for _ in range(RESAMPLES):
        rows = {key: [rows[i] for i in source.integers(len(rows), size=len(rows))] for key, rows in table.rows.items()}
        policy = state_policy(str(table.file), game, Table(table.file, rows).probabilities)
        first, second = (
            np.array([float(share) for share in behaviour_of(tree, states, player, policy, missing)])
            for player in (0, 1)
        )
        judged = tree_exploitability(tree, first, second)
        found.append((judged.exploitability, judged.value))
    tail = (1 - COVERED) / 2
    low, high = np.quantile(np.array(found), (tail, 1 - tail), axis=0)
    return Spread((float(low[0]), float(high[0])), (float(low[1]), float(high[1])))


def sampled_table(policy: object) -> Table | None:
    """The table behind a policy whose file answers some question more than once."""
    table = table_behind(policy)
    return table if table and any(len(rows) > 1 for rows in table.rows.values()) else None
