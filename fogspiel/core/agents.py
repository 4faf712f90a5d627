"""Agents: who plays.

A `ParametricPolicy` is a strategy with its parameters, a mixture of several, or a baseline redrawn for every game; the
compiled loop plays it. Any other agent (the table of a solution, an engine, a person) sends a `Player`, which is told
its seat and then chooses by what it sees. Every agent has a name and a `player` for one seat of one game.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, TypedDict, TypeVar, cast

import numpy as np

from . import NotFound, former_names
from .compile.kernel import kernel
from .game import UNIFORM, Game, Strategy, Vector, check_vector
from .rng import fill_normal, random_unit, stream_of

# Which row of a policy's parameters plays a game: the only one, one drawn by weight, each in turn, a new one.
ALONE, MIXED, IN_TURN, REDRAWN = 0, 1, 2, 3
BASELINES = ("fixed", "redrawn")  # the two readings of the paper's baseline, by name
BASELINE_STREAM = 0xBA5E
ROUNDING = 1e-12  # how far the weights of a mixture may be from 1 in sum and count as normalised


class Player(Protocol):
    """One seat of one game: two methods make a player."""

    def begin(self, side: int) -> None:
        """A new game begins; the player moves first (0) or second (1)."""

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        """One of the actions, by what is seen."""


class Forfeit(ValueError):
    """A player breaks the rules or cannot go on, and so loses the game; the reason is in a few words of ours."""

    def __init__(self, sentence: str, reason: str):
        super().__init__(sentence)
        self.reason = reason


def replay_choice(player: Player, seen: np.ndarray, actions: Sequence[int], action: int) -> None:
    """Let a player make an earlier choice again, when a game is taken up from its record.

    Most choose by their stream alone, which then goes on as it did; a player that thinks by the clock has `follow`.
    """
    follow = getattr(player, "follow", None)
    if follow:
        follow(seen, action)
    else:
        player.choose(seen, actions)


@former_names(player="new_player")
@dataclass(frozen=True)
class PlayerAgent:
    """An agent that is known by the players it sends, each of which draws from the stream of its seat."""

    name: str
    new_player: Callable[[np.ndarray], Player]
    # The certificate whose strategies it plays, if it plays one.
    certificate: Mapping[str, Any] | None = field(default=None, kw_only=True, repr=False, compare=False)


# Policies: what the compiled loop plays


@former_names(how="selection", player="new_player")
@dataclass(frozen=True, eq=False, repr=False)
class ParametricPolicy:
    """A strategy with its parameters, a row of `thetas` or several; `selection` says which row plays which game."""

    name: str
    strategy: Strategy
    thetas: np.ndarray
    selection: int = ALONE
    weights: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"Policy {self.name}"

    @property
    def theta(self) -> Vector | None:
        """The one parameter vector, where there is just one."""
        return tuple(self.thetas[0].tolist()) if self.selection == ALONE and self.strategy.parameters else None

    @property
    def heaviest(self) -> np.ndarray:
        """The vector of the highest weight, or the only one."""
        return np.asarray(self.thetas[int(np.argmax(self.weights or (1.0,)))])

    @property
    def cumulated(self) -> np.ndarray:
        """The sums of the weights up to each row."""
        return np.cumsum(self.weights) if self.weights else np.ones(len(self.thetas))

    def new_player(self, stream: np.ndarray) -> Player:
        """A player for one game; where its parameters are drawn, from its own stream."""
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
    """The parameters that a policy plays game (pair) `number` with, as the compiled loop draws them."""
    if policy.selection == REDRAWN:
        theta = np.empty(policy.thetas.shape[1])
        fill_normal(draws, theta)
        return theta
    return np.asarray(policy.thetas[draw_member(policy.selection, number, policy.cumulated, draws)])


class PolicyPlayer:
    """Plays by the parameters of a policy."""

    def __init__(self, policy: ParametricPolicy, stream: np.ndarray):
        self.policy, self.stream = policy, stream
        self.plan = np.zeros(policy.strategy.plan_size)

    def begin(self, side: int) -> None:
        self.policy.strategy.prepare(theta_for(self.policy, 0, self.stream), self.plan)

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        return int(self.policy.strategy.choose(seen, np.array(actions, np.int64), self.plan, self.stream))


def _family(game: Game) -> Strategy:
    if game.strategy is None:
        raise ValueError(f"{game.name} has no parametric strategy: it can be played by name only")
    return game.strategy


def vector_policy(game: Game, theta: Sequence[float] | np.ndarray, name: str | None = None) -> ParametricPolicy:
    """The policy of the game's parametric strategy with these parameters."""
    vector = check_vector(game, theta)
    shown = name or "(" + ",".join(f"{value:g}" for value in vector[:6]) + (",..)" if len(vector) > 6 else ")")
    return ParametricPolicy(shown, _family(game), vector.reshape(1, -1))


def find_policy(game: Game, name: str) -> ParametricPolicy:
    """The policy of that name: one of the game's own, or `uniform`, which tries any action."""
    found = game.policies.get(name, UNIFORM if name == UNIFORM.name else None)
    if found is None:
        raise NotFound(f"{game.name} has no strategy {name!r}: the names are {', '.join(policy_names(game))}")
    if isinstance(found, Strategy):
        return ParametricPolicy(name, found, np.zeros((1, 0)))
    return vector_policy(game, found, name)


def named_policy(game: Game, name: str, seed: int) -> ParametricPolicy:
    """Return the policy of that name, as `find_policy`, or a baseline: `fixed`, drawn from the seed, or `redrawn`."""
    if name == BASELINES[0]:
        return fixed_baseline(game, seed)
    return redrawn_baseline(game) if name == BASELINES[1] else find_policy(game, name)


def policy_names(game: Game) -> list[str]:
    """The names that `named_policy` knows."""
    return [*game.policies, UNIFORM.name, *(BASELINES if game.strategy else ())]


def fixed_baseline(game: Game, seed: int) -> ParametricPolicy:
    """The paper's baseline, one reading: a standard Gaussian vector drawn once from a recorded seed."""
    theta = np.empty(len(_family(game).parameters))
    fill_normal(stream_of(seed, BASELINE_STREAM), theta)
    return vector_policy(game, theta, BASELINES[0])


def redrawn_baseline(game: Game) -> ParametricPolicy:
    """The paper's baseline, the other reading: a new standard Gaussian vector for every game (pair of games)."""
    return ParametricPolicy(BASELINES[1], _family(game), np.empty((1, len(_family(game).parameters))), REDRAWN)


def policies_in_turn(game: Game, thetas: np.ndarray) -> ParametricPolicy:
    """Vectors that take turns: the i-th game (pair) is played by row i modulo their number."""
    return ParametricPolicy(f"{len(thetas)} players in turn", _family(game), np.ascontiguousarray(thetas), IN_TURN)


def mixture_policy(game: Game, thetas: np.ndarray, weights: Sequence[float], name: str = "mixture") -> ParametricPolicy:
    """A mixed strategy: one of the rows, drawn by weight before every game (pair)."""
    if len(weights) != len(thetas) or min(weights) < 0 or not sum(weights) > 0:
        raise ValueError("a mixture needs one non-negative weight for each member, not all zero")
    rows = np.array([check_vector(game, theta) for theta in thetas])
    total = sum(weights) if abs(sum(weights) - 1) > ROUNDING else 1.0  # what was normalised before keeps its last bits
    return ParametricPolicy(name, _family(game), rows, MIXED, tuple(float(weight) / total for weight in weights))


class PolicyJson(TypedDict, total=False):
    """A vector or a mixture as numbers, fit for JSON; the digest of a file; or nothing."""

    theta: list[float]  # the vector, or the heaviest one of the mixture
    thetas: list[list[float]]  # the members of a mixture
    weights: list[float]
    digest: str  # of the file that the agent was read from, if it is too long to be kept


def encode_policy(game: Game, agent: Agent) -> PolicyJson:
    """The numbers of an agent whose run or file may change; nothing where its name says it all."""
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
    """The numbers that a row of a run or of a file holds, perhaps among other things."""
    return cast(PolicyJson, {key: row[key] for key in POLICY_KEYS if row.get(key) is not None})


def decode_policy(game: Game, numbers: PolicyJson, name: str | None = None) -> ParametricPolicy:
    """Return the policy of these numbers: a vector, or a mixture whose member is drawn before every game pair."""
    if "weights" not in numbers:
        return vector_policy(game, numbers["theta"], name)
    rows = np.array(numbers["thetas"])
    return mixture_policy(game, rows, numbers["weights"], name or f"mixture of {len(rows)}")


def decode_policy_or_none(game: Game, frozen: PolicyJson, name: str) -> ParametricPolicy | None:
    """The policy that was frozen, to the last bit; None where only the name was kept."""
    return decode_policy(game, frozen, name) if "theta" in frozen else None


def names_function(text: str) -> bool:
    """True if a text names a function of a Python file (FILE.py:NAME): only the user's own texts may do so."""
    return text.rpartition(":")[0].endswith(".py")


def draw_index(odds: Sequence[float], stream: np.ndarray) -> int:
    """A place in the list, drawn by these probabilities."""
    u, place = random_unit(stream) * sum(odds), 0
    while place < len(odds) - 1 and u >= odds[place]:
        u -= odds[place]
        place += 1
    while odds[place] <= 0:  # rounding may end on an action that is never played
        place -= 1
    return place


# Exact results: scores between given players, and of best responses to them.
#
# A family that has such results gives them in `Game.exact`, by `score(game, first, second)` and
# `best_responses(game, player)`.

Number = TypeVar("Number", Fraction, float)
# Among whom a reply is the best.
ANYBODY, TOLD, THRESHOLD = "anybody", "any player that is told which member it meets", "a threshold"


def exact_score(game: Game, first: ParametricPolicy | PlayerAgent, second: ParametricPolicy | PlayerAgent) -> Fraction:
    """The exact score of `first` against `second`, both seats counted alike, or a ValueError where it is not known."""
    score = game.exact.score
    if score is None:
        raise ValueError(f"no exact rate is known for {game.name}: play games instead of --exact")
    for side in (first, second):
        if not isinstance(side, ParametricPolicy):
            raise ValueError(f"no exact rate is known for {side.name}: play games instead of --exact")
    found: Fraction = score(game, first, second)
    return found


class BestResponseScore(NamedTuple):
    """Score of the best of some players against a given one, both seats counted alike."""

    among: str
    score: float

    @property
    def exact(self) -> bool:
        """True if no player scores more and some player scores as much."""
        return self.among == ANYBODY


def best_response_scores(game: Game, player: ParametricPolicy) -> list[BestResponseScore]:
    """The best replies that can be computed against a vector or a mixture of them, none where it is not known how."""
    if player.strategy is not game.strategy or player.selection not in (ALONE, MIXED):
        return []
    replies = game.exact.best_responses
    found: list[BestResponseScore] = replies(game, player) if replies else []
    return found


def members_of(player: ParametricPolicy, number: Callable[[float], Number]) -> list[tuple[Number, np.ndarray]]:
    """The vectors of a player or mixture that are ever drawn, with their probabilities as such numbers."""
    if player.selection == IN_TURN:
        raise ValueError(f"{player.name}: players in turn have no single exact score; ask for each of them alone")
    weights = [number(weight) for weight in player.weights] if player.selection == MIXED else [number(1)]
    total = sum(weights[1:], weights[0])
    return [(weight / total, theta) for weight, theta in zip(weights, player.thetas, strict=True) if weight > 0]


def reply_to_members(player: ParametricPolicy, reply_score: Callable[[np.ndarray], float]) -> BestResponseScore:
    """The best reply to one vector, or to a mixture that names its member before each game: an upper limit."""
    members = members_of(player, float)
    whole = sum(weight * reply_score(theta) for weight, theta in members)
    return BestResponseScore(ANYBODY if len(members) == 1 else TOLD, whole)
