"""An engine whose time is for a turn with all its attempts: a refused one does not give it more."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..core.agents import Agent, Player, PlayerAgent
from ..core.game import Game
from ..kriegspiel.engine import Engine
from ..kriegspiel.game import rules
from ..runs.agent_texts import engines_of

LEAST_SECONDS = 1e-3
"""For an attempt in a turn whose time is spent."""


class TurnBudget:
    """Gives an engine for each attempt what is left of its time for the turn."""

    def __init__(self, engine: Engine):
        self.engine, self.effort = engine, engine.effort
        self.turn, self.end = -1, 0.0

    def begin(self, side: int) -> None:
        self.engine.begin(side)

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        """The engine's choice in the time that is left."""
        now, turn, seconds = time.perf_counter(), int(seen[rules.SEEN_PLY]), self.effort.seconds
        if seconds is not None:
            if turn != self.turn:
                self.turn, self.end = turn, now + seconds
            self.engine.effort = replace(self.effort, seconds=max(self.end - now, LEAST_SECONDS))
        return self.engine.choose(seen, actions)

    def follow(self, seen: np.ndarray, action: int) -> None:
        """Remember a choice that was made earlier."""
        self.engine.follow(seen, action)


def with_turn_budget(game: Game, words: str, agent: Agent) -> Agent:
    """The agent that these words stand for, its time for turns instead of attempts where it is an engine."""
    if words.partition("@")[0] not in engines_of(game):
        return agent

    def player(stream: np.ndarray) -> Player:
        made = agent.player(stream)
        return TurnBudget(made) if isinstance(made, Engine) else made

    return PlayerAgent(agent.name, player)
