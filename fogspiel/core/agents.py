"""Who plays: a strategy with its parameters, a mixture of several, or a baseline redrawn for every game."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from .game import UNIFORM, Game, Strategy, Vector, checked_vector
from .rng import fill_normal, stream_of

ALONE, MIXED, IN_TURN, REDRAWN = 0, 1, 2, 3
BASELINE_STREAM = 0xBA5E


@dataclass(frozen=True, eq=False)
class Contender:
    """One player of a match as the simulator needs it: `how` says which row of `thetas` plays which game."""

    name: str
    strategy: Strategy
    thetas: np.ndarray
    how: int = ALONE
    weights: tuple[float, ...] = ()

    @property
    def theta(self) -> Vector | None:
        """The one parameter vector, where there is just one."""
        return tuple(self.thetas[0].tolist()) if self.how == ALONE and self.strategy.parameters else None


def _family(game: Game) -> Strategy:
    if game.strategy is None:
        raise ValueError(f"{game.name} has no parametric strategy: it can be played by name only")
    return game.strategy


def with_parameters(game: Game, theta: Sequence[float] | np.ndarray, name: str | None = None) -> Contender:
    """The player of the game's parametric strategy with these parameters."""
    vector = checked_vector(game, theta)
    shown = name or "(" + ",".join(f"{value:g}" for value in vector[:6]) + (",..)" if len(vector) > 6 else ")")
    return Contender(shown, _family(game), vector.reshape(1, -1))


def named(game: Game, name: str) -> Contender:
    """The player of that name: one of the game's own, or `uniform`, which tries any action."""
    found = game.named.get(name, UNIFORM if name == UNIFORM.name else None)
    if found is None:
        raise ValueError(f"{game.name} has no strategy {name!r}: the names are {', '.join(names(game))}")
    if isinstance(found, Strategy):
        return Contender(name, found, np.zeros((1, 0)))
    return with_parameters(game, found, name)


def names(game: Game) -> list[str]:
    """The names that `named` knows, the two baselines included."""
    baselines = ["fixed", "redrawn"] if game.strategy else []
    return [*game.named, UNIFORM.name, *baselines]


def fixed(game: Game, seed: int) -> Contender:
    """The paper's baseline, one reading: a standard Gaussian vector drawn once from a recorded seed."""
    theta = np.empty(len(_family(game).parameters))
    fill_normal(stream_of(seed, BASELINE_STREAM), theta)
    return with_parameters(game, theta, "fixed")


def redrawn(game: Game) -> Contender:
    """The paper's baseline, the other reading: a new standard Gaussian vector for every game (pair of games)."""
    return Contender("redrawn", _family(game), np.empty((1, len(_family(game).parameters))), REDRAWN)


def in_turn(game: Game, thetas: np.ndarray) -> Contender:
    """A row of players who take turns: the i-th game (pair) is played by row i modulo their number."""
    return Contender(f"{len(thetas)} players in turn", _family(game), np.ascontiguousarray(thetas), IN_TURN)


def mixture(game: Game, thetas: np.ndarray, weights: Sequence[float], name: str = "mixture") -> Contender:
    """A mixed strategy: one of the rows, drawn by weight before every game (pair)."""
    if len(weights) != len(thetas) or min(weights) < 0 or not sum(weights) > 0:
        raise ValueError("a mixture needs one non-negative weight for each member, not all zero")
    rows = np.array([checked_vector(game, theta) for theta in thetas])
    return Contender(name, _family(game), rows, MIXED, tuple(float(w) / sum(weights) for w in weights))


class Frozen(TypedDict, total=False):
    """A contender as numbers, fit for JSON: `theta`, and for a mixture `thetas` and `weights` too; or nothing."""

    theta: list[float]
    thetas: list[list[float]]
    weights: list[float]


def freeze(game: Game, player: object) -> Frozen:
    """The numbers of a player whose run or file may change; nothing where its name says it all."""
    if not isinstance(player, Contender) or player.strategy is not game.strategy or player.how not in (ALONE, MIXED):
        return {}
    thetas = player.thetas.tolist()
    if player.how == ALONE:
        return {"theta": thetas[0]}
    return {"theta": thetas[0], "thetas": thetas, "weights": list(player.weights)}


def thaw(game: Game, frozen: Frozen, name: str) -> Contender | None:
    """The contender that was frozen, to the last bit; None where only the name was kept."""
    if "weights" in frozen:
        rows = np.array([checked_vector(game, theta) for theta in frozen["thetas"]])
        return Contender(name, _family(game), rows, MIXED, tuple(frozen["weights"]))
    return with_parameters(game, frozen["theta"], name) if "theta" in frozen else None
