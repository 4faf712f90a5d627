"""Agents: policies, and the players that they send to a game.

A `ParametricPolicy` is a strategy with its parameters, a mixture of several, or a baseline redrawn for every game; the
compiled loop plays it. Any other agent (the table of a solution, an engine, a person) makes a `Player`, which is given
its seat and then chooses by its view. Every agent has a name and a `new_player` for one seat of one game.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, TypedDict, TypeVar, cast

import numpy as np

from . import NotFound
from .compile.kernel import kernel
from .game import UNIFORM, Game, Strategy, Vector, check_vector
from .plugins import former_names
from .rng import fill_normal, random_unit, stream_of

# Selection of the row of parameters that plays a game: the only one, one drawn by weight, each in turn, a new one.
ALONE, MIXED, IN_TURN, REDRAWN = 0, 1, 2, 3
BASELINES = ("fixed", "redrawn")  # the two readings of the paper's baseline, by name
BASELINE_STREAM = 0xBA5E
ROUNDING = 1e-12  # how far the weights of a mixture may be from 1 in sum and count as normalised


class Player(Protocol):
    """One seat of one game.

    A player with a third function, `observe(seen)`, is also given every new view of its own, after the action of
    anybody that has changed it. Together the distinct views are its observation history.
    """

    def begin(self, side: int) -> None:
        """Start a new game; the player moves first (0) or second (1)."""

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        """Return one of the actions, chosen by the view."""


class Forfeit(ValueError):
    """Loss of a game by a player that breaks the rules or cannot continue, with a short reason."""

    def __init__(self, sentence: str, reason: str):
        super().__init__(sentence)
        self.reason = reason


def seed_of(stream: np.ndarray) -> int:
    """Return the seed for an external program, from which other streams cannot be computed."""
    return int.from_bytes(hashlib.blake2b(stream.tobytes(), digest_size=8).digest(), "big") >> 1


def replay_choice(player: Player, seen: np.ndarray, actions: Sequence[int], action: int) -> None:
    """Let a player repeat a recorded choice, when a game is resumed from its record.

    Most players choose by their stream alone, which then continues as before. A player limited by time has `follow`.
    """
    follow = getattr(player, "follow", None)
    if follow:
        follow(seen, action)
    else:
        player.choose(seen, actions)


@former_names(player="new_player")
@dataclass(frozen=True)
class PlayerAgent:
    """An agent defined by the players it makes, each of which draws from the stream of its seat."""

    name: str
    new_player: Callable[[np.ndarray], Player]
    # The certificate whose strategies it plays, if it plays one.
    certificate: Mapping[str, Any] | None = field(default=None, kw_only=True, repr=False, compare=False)


# Policies for the compiled loop


@former_names(how="selection", player="new_player")
@dataclass(frozen=True, eq=False, repr=False)
class ParametricPolicy:
    """A strategy with one or several rows of parameters; `selection` determines the row that plays a game."""

    name: str
    strategy: Strategy
    thetas: np.ndarray
    selection: int = ALONE
    weights: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"Policy {self.name}"

    @property
    def theta(self) -> Vector | None:
        """The parameter vector, if there is exactly one."""
        return tuple(self.thetas[0].tolist()) if self.selection == ALONE and self.strategy.parameters else None

    @property
    def plan(self) -> np.ndarray:
        """The plan of a player that does not change from game to game."""
        return self.strategy.plan_for(self.thetas[0])

    @property
    def heaviest(self) -> np.ndarray:
        return np.asarray(self.thetas[int(np.argmax(self.weights or (1.0,)))])

    @property
    def cumulated(self) -> np.ndarray:
        return np.cumsum(self.weights) if self.weights else np.ones(len(self.thetas))

    def new_player(self, stream: np.ndarray) -> Player:
        """Return a player for one game; drawn parameters come from its stream."""
        if self.selection == IN_TURN:
            raise ValueError(f"{self.name}: players in turn have no player for a single game; send each of them alone")
        return PolicyPlayer(self, stream)


Agent = ParametricPolicy | PlayerAgent


@kernel
def draw_member(how, number, cumulated, draws):
    """Return the row of a policy that plays game (pair) `number`."""
    if how == IN_TURN:
        return number % len(cumulated)
    if how == MIXED:
        chosen = 0
        u = random_unit(draws)
        while chosen < len(cumulated) - 1 and u >= cumulated[chosen]:
            chosen += 1
        return chosen
    return 0


def theta_for(policy: ParametricPolicy, number: int, draws: np.ndarray) -> np.ndarray:
    """Return the parameters of a policy in game (pair) `number`, as the compiled loop draws them."""
    if policy.selection == REDRAWN:
        theta = np.empty(policy.thetas.shape[1])
        fill_normal(draws, theta)
        return theta
    return np.asarray(policy.thetas[draw_member(policy.selection, number, policy.cumulated, draws)])


class PolicyPlayer:
    def __init__(self, policy: ParametricPolicy, stream: np.ndarray):
        self.policy, self.stream = policy, stream

    def begin(self, side: int) -> None:
        self.plan = self.policy.strategy.plan_for(theta_for(self.policy, 0, self.stream))

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        return int(self.policy.strategy.choose(seen, np.array(actions, np.int64), self.plan, self.stream))


def _family(game: Game) -> Strategy:
    if game.strategy is None:
        raise ValueError(f"{game.name} has no parametric strategy: it can be played by name only")
    return game.strategy


def vector_policy(game: Game, theta: Sequence[float] | np.ndarray, name: str | None = None) -> ParametricPolicy:
    vector = check_vector(game, theta)
    shown = name or "(" + ",".join(f"{value:g}" for value in vector[:6]) + (",..)" if len(vector) > 6 else ")")
    return ParametricPolicy(shown, _family(game), vector.reshape(1, -1))


def find_policy(game: Game, name: str) -> ParametricPolicy:
    found = game.policies.get(name, UNIFORM if name == UNIFORM.name else None)
    if found is None:
        raise NotFound(f"{game.name} has no strategy {name!r}: the names are {', '.join(policy_names(game))}")
    if isinstance(found, Strategy):
        return ParametricPolicy(name, found, np.zeros((1, 0)))
    return vector_policy(game, found, name)


def named_policy(game: Game, name: str, seed: int) -> ParametricPolicy:
    """Return a policy by name, as `find_policy` does, or a baseline: `fixed` (drawn from the seed) or `redrawn`."""
    if name == BASELINES[0]:
        return fixed_baseline(game, seed)
    return redrawn_baseline(game) if name == BASELINES[1] else find_policy(game, name)


def policy_names(game: Game) -> list[str]:
    return [*game.policies, UNIFORM.name, *(BASELINES if game.strategy else ())]


def fixed_baseline(game: Game, seed: int) -> ParametricPolicy:
    """Return the paper's baseline, first reading: a standard Gaussian vector drawn once from a recorded seed."""
    theta = np.empty(len(_family(game).parameters))
    fill_normal(stream_of(seed, BASELINE_STREAM), theta)
    return vector_policy(game, theta, BASELINES[0])


def redrawn_baseline(game: Game) -> ParametricPolicy:
    """Return the paper's baseline, second reading: a new standard Gaussian vector for every game (pair)."""
    return ParametricPolicy(BASELINES[1], _family(game), np.empty((1, len(_family(game).parameters))), REDRAWN)


def policies_in_turn(game: Game, thetas: np.ndarray) -> ParametricPolicy:
    """Return a policy whose vectors take turns: row i modulo their number plays the i-th game (pair)."""
    return ParametricPolicy(f"{len(thetas)} players in turn", _family(game), np.ascontiguousarray(thetas), IN_TURN)


def mixture_policy(game: Game, thetas: np.ndarray, weights: Sequence[float], name: str = "mixture") -> ParametricPolicy:
    """Return a mixed strategy: one of the rows, drawn by weight before every game (pair)."""
    if len(weights) != len(thetas) or min(weights) < 0 or not sum(weights) > 0:
        raise ValueError("a mixture needs one non-negative weight for each member, not all zero")
    rows = np.array([check_vector(game, theta) for theta in thetas])
    total = sum(weights) if abs(sum(weights) - 1) > ROUNDING else 1.0  # normalised weights stay bit-identical
    return ParametricPolicy(name, _family(game), rows, MIXED, tuple(float(weight) / total for weight in weights))


class PolicyJson(TypedDict, total=False):
    """A vector or a mixture as numbers for JSON, or the digest of a file; empty for other agents."""

    theta: list[float]  # the vector, or the heaviest one of the mixture
    thetas: list[list[float]]  # the members of a mixture
    weights: list[float]
    digest: str  # of the agent's file, if that is too long to be stored


def encode_policy(game: Game, agent: Agent) -> PolicyJson:
    """Return the numbers of an agent whose run or file may change; empty where its name is enough."""
    digest: str | None = getattr(agent, "digest", None)
    if digest is not None:
        return {"digest": digest}
    if (
        not isinstance(agent, ParametricPolicy)
        or agent.strategy is not game.strategy
        or agent.selection not in (ALONE, MIXED)
    ):
        return {}
    theta = agent.heaviest.tolist()
    if agent.selection == ALONE:
        return {"theta": theta}
    return {"theta": theta, "thetas": agent.thetas.tolist(), "weights": list(agent.weights)}


POLICY_KEYS = ("theta", "thetas", "weights", "digest")  # the keys of `Frozen` in stored rows and files


def policy_json_in(row: Mapping[str, Any]) -> PolicyJson:
    return cast(PolicyJson, {key: row[key] for key in POLICY_KEYS if row.get(key) is not None})


def decode_policy(game: Game, numbers: PolicyJson, name: str | None = None) -> ParametricPolicy:
    """Return the policy of these numbers: a vector, or a mixture whose member is drawn before every game pair."""
    if "weights" not in numbers:
        return vector_policy(game, numbers["theta"], name)
    rows = np.array(numbers["thetas"])
    return mixture_policy(game, rows, numbers["weights"], name or f"mixture of {len(rows)}")


def decode_policy_or_none(game: Game, frozen: PolicyJson, name: str) -> ParametricPolicy | None:
    """Return the stored policy, bit-identical; None where only the name was stored."""
    return decode_policy(game, frozen, name) if "theta" in frozen else None


def names_function(text: str) -> bool:
    return text.rpartition(":")[0].endswith(".py")


def draw_index(odds: Sequence[float], stream: np.ndarray) -> int:
    u, place = random_unit(stream) * sum(odds), 0
    while place < len(odds) - 1 and u >= odds[place]:
        u -= odds[place]
        place += 1
    while odds[place] <= 0:  # rounding may end on an action that is never played
        place -= 1
    return place


# Exact results: scores between given players, and of best responses to them.
#
# A family provides them in `Game.exact`, by `score(game, first, second)` and `best_responses(game, player)`.

Number = TypeVar("Number", Fraction, float)
# The set of players within which a response is best.
ANYBODY, TOLD, THRESHOLD = "anybody", "any player that is told which member it meets", "a threshold"


def exact_score(game: Game, first: ParametricPolicy | PlayerAgent, second: ParametricPolicy | PlayerAgent) -> Fraction:
    """Return the exact score of `first` against `second`, averaged over both seats, or raise a ValueError."""
    score = game.exact.score
    if score is None:
        raise ValueError(f"no exact rate is known for {game.name}: play games instead of --exact")
    for side in (first, second):
        if not isinstance(side, ParametricPolicy):
            raise ValueError(f"no exact rate is known for {side.name}: play games instead of --exact")
    found: Fraction = score(game, first, second)
    return found


class BestResponseScore(NamedTuple):
    """Score of the best player of a set against a given one, averaged over both seats."""

    among: str
    score: float

    @property
    def exact(self) -> bool:
        """True if the score is that of a best response among all players."""
        return self.among == ANYBODY


def best_response_scores(game: Game, player: ParametricPolicy) -> list[BestResponseScore]:
    """Return the computable best responses to a vector or a mixture; empty where there is no method."""
    if player.strategy is not game.strategy or player.selection not in (ALONE, MIXED):
        return []
    replies = game.exact.best_responses
    found: list[BestResponseScore] = replies(game, player) if replies else []
    return found


def members_of(player: ParametricPolicy, number: Callable[[float], Number]) -> list[tuple[Number, np.ndarray]]:
    """Return the vectors with positive probability, each with this probability converted by `number`."""
    if player.selection == IN_TURN:
        raise ValueError(f"{player.name}: players in turn have no single exact score; ask for each of them alone")
    weights = [number(weight) for weight in player.weights] if player.selection == MIXED else [number(1)]
    total = sum(weights[1:], weights[0])
    return [(weight / total, theta) for weight, theta in zip(weights, player.thetas, strict=True) if weight > 0]


def reply_to_members(player: ParametricPolicy, reply_score: Callable[[np.ndarray], float]) -> BestResponseScore:
    """Return the best response to a vector, or, as an upper bound, to a mixture that reveals its member."""
    members = members_of(player, float)
    whole = sum(weight * reply_score(theta) for weight, theta in members)
    return BestResponseScore(ANYBODY if len(members) == 1 else TOLD, whole)
