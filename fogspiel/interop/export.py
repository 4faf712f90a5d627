"""Any fogspiel game as an environment of PettingZoo, and the limits of games that exports must know.

An environment is one whose agents move one after the other (AEC).

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
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.find import load_game
from ..core.game import CHANCE, WRONG_WEIGHTS, Game, new_cells, total_weight
from ..core.rng import random_below, stream_of
from ..core.session import Session

AGENTS = ("player_0", "player_1")


def to_pettingzoo(game: Game | str, seed: int | None = None, actions: int | None = None) -> Any:
    """Return the game as an `AECEnv`; `seed` is that of chance.

    The size of the action space is `actions`, or else measured (see `measure_limits`); a game with an action beyond
    it ends with a ValueError. Games may have no maximum length: limit `agent_iter` where they may continue for ever.
    """
    found = load_game(game) if isinstance(game, str) else game
    try:
        from gymnasium import spaces
        from pettingzoo import AECEnv
        from pettingzoo.utils.wrappers import OrderEnforcingWrapper
    except ImportError:
        raise ValueError("PettingZoo is not installed: pip install 'fogspiel[pettingzoo]'") from None
    count = measure_limits(found, actions).actions
    return OrderEnforcingWrapper(_environment_class(AECEnv, spaces, found, count)(seed))


def _environment_class(env_class: Any, spaces: Any, game: Game, count: int) -> Any:
    whole = np.iinfo(np.int64)

    class Environment(env_class):  # type: ignore[misc]
        metadata: ClassVar = {"name": f"fogspiel_{game.name}", "render_modes": ["ansi"], "is_parallelizable": False}
        render_mode = "ansi"

        def __init__(self, seed: int | None):
            super().__init__()
            self.possible_agents = list(AGENTS)
            self.observation_spaces, self.action_spaces = {}, {}
            for agent in AGENTS:
                view, mask = spaces.Box(whole.min, whole.max, (game.sizes.view,), np.int64), (count,)
                seen = {"observation": view, "action_mask": spaces.Box(0, 1, mask, np.int8)}
                self.observation_spaces[agent] = spaces.Dict(seen)
                self.action_spaces[agent] = spaces.Discrete(count)
            self._seed, self._number = secrets.randbits(64) if seed is None else seed, -1

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


# Bounds of a game's numbers where its rules do not give them: actions, length of games, cells of views.
#
# A small game is traversed completely, and its limits are exact. For a larger one, fixed random games are played, and a
# margin is added to what they reach. That is no proof, so users of a limit check it in play.

MAX_NODES = 20_000  # nodes of a game that is traversed completely
MAX_GAMES, MAX_MOVES = 64, 40_000  # random games, and moves after which no other one starts
MARGIN = 4  # factor by which a game may be longer than those
LIMITS_STREAM = 0x11A17
HIGHEST_ACTION = (1 << 20) - 1
FLOAT_CELL = 1 << 24  # up to this, 32-bit floats hold every integer
# If the sampled games have a larger cell than this, other games may have cells above FLOAT_CELL.
NARROW_CELL = FLOAT_CELL // 16


class GameLimits(NamedTuple):
    actions: int = 1  # the actions of players are numbers below this
    moves: int = 0  # moves of both players in one game
    draws: int = 0  # moves of chance in one game
    wide: bool = False  # true if views may have cells that 32-bit floats cannot hold

    def extended(self, session: Session, moves: int, draws: int) -> tuple["GameLimits", list[int]]:
        """Return the limits that include a position, and its possible actions."""
        wide = self.wide or any(largest_cell(session.view(player)) > NARROW_CELL for player in (0, 1))
        actions, most = session.actions, self.actions
        if session.mover == CHANCE:
            actions = [action for action, share in zip(actions, chance_shares(session), strict=True) if share]
        elif actions:
            check_actions(session.game, actions, HIGHEST_ACTION + 1)
            most = max(most, 1 + max(actions))
        return GameLimits(most, max(self.moves, moves), max(self.draws, draws), wide), actions


def measure_limits(game: Game, actions: int | None = None, moves: int | None = None) -> GameLimits:
    """Return the limits of a game; given ones are used unchanged."""
    for name, given in {"actions": actions, "moves": moves}.items():
        if given is not None and given < 1:
            raise ValueError(f"`{name}` is {given}: it must be at least 1")
    found = _walk(game)
    if found is None:
        found = _sample(game, moves)
        dense = found.actions <= game.sizes.actions
        numbers = game.sizes.actions if dense else 1 << (found.actions - 1).bit_length()
        found = GameLimits(numbers, MARGIN * found.moves, MARGIN * found.draws, found.wide)
    return found._replace(actions=actions or found.actions, moves=moves or found.moves)


def _walk(game: Game) -> GameLimits | None:
    """Traverse the whole game, if it is small."""
    session, reached = Session(game), GameLimits()
    stack, nodes = [(session.state.copy(), 0, 0)], 0
    while stack:
        nodes += 1
        if nodes > MAX_NODES:
            return None
        state, moves, draws = stack.pop()
        session.state = state
        chance = session.mover == CHANCE
        reached, actions = reached.extended(session, moves, draws)
        for action in actions:
            after = state.copy()
            game.rules.apply(after, action)
            stack.append((after, moves + (not chance), draws + chance))
    return reached


def _sample(game: Game, longest: int | None) -> GameLimits:
    """Play some random games; one that does not end is cut off if its length is known."""
    reached, total = GameLimits(), 0
    for number in range(MAX_GAMES):
        session, stream, moves, draws = Session(game), stream_of(LIMITS_STREAM, number), 0, 0
        while True:
            reached, actions = reached.extended(session, moves, draws)
            if not actions:
                break
            if moves + draws >= MAX_MOVES:
                if longest is None:
                    told = f"a random game of {game.name} has not ended after {MAX_MOVES:,} moves"
                    raise ValueError(f"{told}: say how many there are")
                break
            chance = session.mover == CHANCE
            moves, draws = moves + (not chance), draws + chance
            session.apply(actions[random_below(stream, len(actions))])
        total += moves + draws
        if total >= MAX_MOVES:
            break
    return reached


def check_actions(game: Game, actions: list[int], limit: int) -> None:
    """Raise a ValueError if an action's number is not below the limit."""
    if min(actions) < 0 or max(actions) >= limit:
        wrong = min(actions) if min(actions) < 0 else max(actions)
        remedy = f"; say `actions={wrong + 1}` or more" if limit <= wrong <= HIGHEST_ACTION else ""
        raise ValueError(f"{game.name} has the action {wrong}, but exported are actions from 0 to {limit - 1}{remedy}")


def largest_cell(view: np.ndarray) -> int:
    return max(int(view.max()), -int(view.min()))


def chance_shares(session: Session) -> list[float]:
    count, rules = len(session.actions), session.game.rules
    if rules.weights is None:
        return [1 / count] * count
    out = new_cells(session.game.sizes.actions)
    rules.weights(session.state, out)
    weights = out[:count].tolist()
    if not total_weight(out[:count]):
        raise ValueError(f"{session.game.name} has the weights {weights[:12]}: {WRONG_WEIGHTS}")
    return [weight / sum(weights) for weight in weights]


def zero_sum(game: Game, score: int) -> tuple[float, float]:
    """Return both players' payoffs at the end, minus half of their sum each."""
    first = float(game.payoffs[score] - (game.payoffs[0] + game.payoffs[-1]) / 2)
    return first, -first
