"""Every information state of a game as a text question, and the answers as a policy: homework, exactly graded.

A question is one JSON line: its id, the seat, the player's view, and the legal actions. Whoever answers writes
`{"id": .., "probabilities": {..}}` or `{"id": .., "action": ..}` per line; several answers to a question are averaged.
"""

from typing import Any, NamedTuple

import numpy as np

from ...core.behaviour_policy import InformationState, behaviour_policy
from ...core.game import Game, how_to_play
from ..methods import method_with
from ..tree import build_tree
from . import PolicyTable, table_behind
from .best_response import exploitability as tree_exploitability
from .exploitability import behaviour_mixture, behaviour_of, states_of

# Bootstrap resamples of sampled answers, and the coverage of an interval.
RESAMPLES, COVERED = 200, 0.95


def information_states(game: Game, memory: float) -> list[InformationState]:
    method = method_with("questions", game)
    return method.questions(game) if method and method.questions else states_of(game, build_tree(game, memory))


def question_json(state: InformationState) -> dict[str, Any]:
    return {"id": state.id, "player": state.player + 1, "you see": state.text, "you may": state.labels}


def head_json(game: Game, count: int) -> dict[str, Any]:
    return {
        "game": game.name,
        "title": game.title,
        "rules": " ".join(how_to_play(game)),
        "payoffs of player 1": [str(payoff) for payoff in game.payoffs],
        "questions": count,
        "answer with": '{"id": .., "probabilities": {action: number, ..}} or {"id": .., "action": ..}, one per line',
    }


class SampledSpread(NamedTuple):
    """Intervals of the exploitability and the score, as far as sampled answers determine them."""

    exploitability: tuple[float, float]
    value: tuple[float, float]


def spread_of_answers(game: Game, table: PolicyTable, missing: str, memory: float) -> SampledSpread:
    """Return bootstrap intervals for a policy whose answers were sampled: the answers to each question are drawn again.

    Answers to one question are assumed independent. Exploitability of sampled answers is biased upwards, since a best
    response also exploits sampling noise; the interval does not correct that.
    """
    tree = build_tree(game, memory)
    states, source = states_of(game, tree), np.random.default_rng(0)
    found = []
    for _ in range(RESAMPLES):
        rows = {key: [rows[i] for i in source.integers(len(rows), size=len(rows))] for key, rows in table.rows.items()}
        policy = behaviour_policy(str(table.file), game, PolicyTable(table.file, rows).probabilities)
        law = behaviour_mixture(game, policy)
        behaviours = (behaviour_of(tree, states, player, law, missing) for player in (0, 1))
        judged = tree_exploitability(tree, *(np.array(behaviour, float) for behaviour in behaviours))
        found.append((judged.exploitability, judged.value))
    tail = (1 - COVERED) / 2
    low, high = np.quantile(np.array(found), (tail, 1 - tail), axis=0).tolist()
    return SampledSpread((low[0], high[0]), (low[1], high[1]))


def sampled_table(policy: object) -> PolicyTable | None:
    """Return the table behind a policy whose file answers some question more than once, or None."""
    table = table_behind(policy)
    return table if table and any(len(rows) > 1 for rows in table.rows.values()) else None
