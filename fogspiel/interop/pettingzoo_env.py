"""Any fogspiel game as an environment of PettingZoo, whose agents move one after the other (AEC).

    env = to_pettingzoo("leduc", seed=1)
    env.reset()
    for agent in env.agent_iter():
        seen, reward, termination, truncation, info = env.last()
        env.step(None if termination else env.action_space(agent).sample(seen["action_mask"]))

The agents are `player_0` and `player_1`. An observation is the player's view, cell by cell, never the state of the
game, and a mask of legal actions, which is empty while the opponent is to move. Actions keep their numbers. Chance is
drawn from a stream of the environment. Rewards come at the end and add up to 0.
"""

import secrets
from typing import Any, ClassVar

import numpy as np

from ..core.find import load_game
from ..core.game import CHANCE, Game
from ..core.rng import stream_of
from ..core.session import Session
from .game_limits import check_actions, measure_limits, zero_sum

AGENTS = ("player_0", "player_1")


def import_pettingzoo() -> tuple[Any, Any, Any]:
    """Return the environment class, the spaces of Gymnasium, and the wrapper that enforces the order of calls."""
    try:
        from gymnasium import spaces
        from pettingzoo import AECEnv
        from pettingzoo.utils.wrappers import OrderEnforcingWrapper
    except ImportError:
        raise ValueError("PettingZoo is not installed: pip install 'fogspiel[pettingzoo]'") from None
    return AECEnv, spaces, OrderEnforcingWrapper


def to_pettingzoo(game: Game | str, seed: int | None = None, actions: int | None = None) -> Any:
    """Return the game as an `AECEnv`; `seed` is that of chance.

    The size of the action space is `actions`, or else it is measured (see `game_limits`); a game with an action beyond
    it ends with a ValueError. Games may have no maximum length: limit `agent_iter` where they may continue for ever.
    """
    found = load_game(game) if isinstance(game, str) else game
    env_class, spaces, in_order = import_pettingzoo()
    count = measure_limits(found, actions).actions
    return in_order(_environment_class(env_class, spaces, found, count)(seed))


def _environment_class(env_class: Any, spaces: Any, game: Game, count: int) -> Any:
    whole = np.iinfo(np.int64)

    class Environment(env_class):  # type: ignore[misc]
        metadata: ClassVar = {"name": f"fogspiel_{game.name}", "render_modes": ["ansi"], "is_parallelizable": False}
        render_mode = "ansi"

        def __init__(self, seed: int | None):
            super().__init__()
            self.possible_agents = list(AGENTS)
            self.observation_spaces = {agent: self._observation_space() for agent in AGENTS}
            self.action_spaces = {agent: spaces.Discrete(count) for agent in AGENTS}
            self._seed, self._number = secrets.randbits(64) if seed is None else seed, -1

        def _observation_space(self) -> Any:
            return spaces.Dict({
                "observation": spaces.Box(whole.min, whole.max, (game.sizes.view,), np.int64),
                "action_mask": spaces.Box(0, 1, (count,), np.int8),
            })  # fmt: skip

        def observation_space(self, agent: str) -> Any:
            return self.observation_spaces[agent]

        def action_space(self, agent: str) -> Any:
            return self.action_spaces[agent]

        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
            """Start the next game of the seed, or the first one of a new seed."""
            self._seed, self._number = (self._seed, self._number + 1) if seed is None else (seed, 0)
            self._chance = stream_of(self._seed, self._number)
            self._session = Session(game)
            self.agents = list(AGENTS)
            self.rewards = dict.fromkeys(AGENTS, 0.0)
            self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
            self.terminations, self.truncations = dict.fromkeys(AGENTS, False), dict.fromkeys(AGENTS, False)
            self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
            self._skip_agent_selection = None
            self._go_on()

        def observe(self, agent: str) -> dict[str, np.ndarray]:
            mask = np.zeros(count, np.int8)
            if AGENTS.index(agent) == self._session.mover:
                mask[self._session.actions] = 1
            return {"observation": self._session.view(AGENTS.index(agent)), "action_mask": mask}

        def step(self, action: Any) -> None:
            """Apply the action of the agent to move, then chance, until an agent is to move."""
            agent = self.agent_selection
            if self.terminations[agent] or self.truncations[agent]:
                self._was_dead_step(action)
                return
            if action not in self._session.actions:
                raise ValueError(self._session.illegal_reason(action))
            self._cumulative_rewards[agent] = 0.0
            self._clear_rewards()
            self._session.apply(int(action))
            self._go_on()
            self._accumulate_rewards()

        def _go_on(self) -> None:
            """Draw chance, and update the agent to move, or the rewards at the end."""
            session = self._session
            while session.mover == CHANCE:
                session.apply(session.draw_chance(self._chance))
            if session.payoff_index is None:
                check_actions(game, session.actions, count)
                self.agent_selection = AGENTS[session.mover]
            else:
                self.agent_selection = AGENTS[0]
                self.rewards = dict(zip(AGENTS, zero_sum(game, session.payoff_index), strict=True))
                self.terminations = dict.fromkeys(AGENTS, True)

        def render(self) -> str:
            return game.reveal(self._session.state)

        def close(self) -> None:
            """Do nothing: there are no resources."""

    return Environment
