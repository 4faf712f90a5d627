"""Every information state of a game as a text question, and the answers as a policy: homework, exactly graded.

A question is one JSON line: its id, the seat, the player's view, and the legal actions. Whoever answers writes
`{"id": .., "probabilities": {..}}` or `{"id": .., "action": ..}` per line; several answers to a question are averaged.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...core.agents import Agent
from ...core.behaviour_policy import InformationState, behaviour_policy
from ...core.game import Game, how_to_play, known_game
from ..known_values import shipped_solution
from ..methods import method_with
from ..proofs import certificate_agent, read_certificate
from ..tree import Tree, build_tree
from ..tree.sequence_form import proportional
from . import PolicyTable, table_behind
from .best_response import exploitability as tree_exploitability
from .best_response import responses
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


# The coach: the cost of a move against a perfect opponent, and the better move.
#
# The coach uses only the player's information and the opponent's strategy, never the hidden state. The opponent is the
# certified solution of the game, where one is shipped with the package, else the actual opponent, if its probabilities
# are known.

MAX_MEMORY = 0.5  # GiB for the tree of a coach's game
NOTICED = 1e-9  # losses below this are rounding


class MoveReview(NamedTuple):
    """Mean cost of one decision, given the player's knowledge, and the best alternative."""

    state: InformationState
    action: int
    best: int
    cost: float

    @property
    def sentence(self) -> str:
        label = self.state.game.label
        if self.cost <= NOTICED:
            return f"{label(self.action)} was as good as anything"
        return f"{label(self.action)} cost {self.cost:.3g} on average; better was {label(self.best)}"

    def to_json(self) -> dict[str, Any]:
        label = self.state.game.label
        words = {"seen": self.state.line, "action": label(self.action), "best": label(self.best)}
        return words | {"cost": self.cost, "sentence": self.sentence}


class Coach:
    """Values of every action of one seat against one opponent."""

    def __init__(self, game: Game, side: int, opponent: Agent, against: str):
        self.side, self.against = side, against
        self.tree = _small_tree(game)
        self.states = states_of(game, self.tree)
        law = behaviour_mixture(game, opponent)
        theirs = np.array(behaviour_of(self.tree, self.states, 1 - side, law, "uniform"), float)
        mine = proportional(self.tree.treeplex(side), np.zeros(self.tree.treeplex(side).sequences))
        found = responses(self.tree, *((mine, theirs) if side == 0 else (theirs, mine)))
        nodes = np.flatnonzero(self.tree.label >= 0)
        nodes = nodes[self.tree.owner[self.tree.label[nodes]] == side]
        chance = np.array(self.tree.chance_prob, float)[self.tree.chance_index[nodes]]
        weights = chance * np.asarray(found.reach[1 - side])[self.tree.sequences[nodes, 1 - side]]
        self.gains, self.likely = found.gains[side], np.bincount(self.tree.label[nodes], weights, len(self.states))
        own = ((infoset, state) for infoset, state in enumerate(self.states) if state.player == side)
        self._places = {(state.history, state.view.tobytes()): infoset for infoset, state in own}

    def advise(self, decisions: Sequence[tuple[np.ndarray, int]]) -> list[MoveReview]:
        history: tuple[int, ...] = ()
        found = []
        for seen, action in decisions:
            infoset = self._places[history, seen.tobytes()]
            state, first = self.states[infoset], int(self.tree.first[infoset])
            values = np.asarray(self.gains)[first : first + len(state.actions)].tolist()
            best = max(range(len(values)), key=values.__getitem__)
            less = values[best] - values[list(state.actions).index(action)]
            cost = less / self.likely[infoset] if self.likely[infoset] > 0 else 0.0
            found.append(MoveReview(state, action, state.actions[best], float(cost)))
            history += (action,)
        return found


# Games, with the version of their rules, whose trees do not fit.
_too_large: set[tuple[str, int | str]] = set()


def _small_tree(game: Game) -> Tree:
    """Return the tree of a game, or raise ValueError if it does not fit; that is tried once."""
    key = game.name, game.version
    if key not in _too_large:
        try:
            return build_tree(game, MAX_MEMORY)
        except ValueError:
            _too_large.add(key)
    raise ValueError(f"there is no coach for {game.name}: its tree is too large")


def find_coach(game: Game, side: int, opponent: Agent) -> Coach:
    """Return the coach of a seat, or raise ValueError with the reason why there is none."""
    if shipped_solution(game.name) is None:
        return Coach(game, side, opponent, opponent.name)
    return _certified_coach(game.name, side)


@lru_cache(maxsize=8)
def _certified_coach(name: str, side: int) -> Coach:
    path, game = shipped_solution(name), known_game(name)
    assert path is not None
    return Coach(game, side, certificate_agent("the solution", read_certificate(path), game), "the certified solution")
