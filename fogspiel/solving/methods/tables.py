"""Strategies as tables of a player's knowledge: their certificate, the player that follows it, and its text.

`proofs.checkers.table_bounds` defines the tables, and proves their bounds with code that no solver uses. A bound is
claimed as that checker finds it, which solvers find by their own code before.
"""

from base64 import b64encode
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.agents import PlayerAgent, draw_index
from ...core.compile.kernel import kernel
from ...core.game import Game, known_game
from ..proofs import solution_certificate
from ..proofs.checkers.table_bounds import (
    FORMAT,
    HIDDEN,
    INFORMED,
    SIDES,
    SPARE,
    UNIT,
    Response,
    TableBounds,
    key_at,
    past_after,
    response_of,
    row_of,
    salts_of,
    strategy_of,
    verify,
)

if TYPE_CHECKING:
    from ...core.behaviour_policy import InformationState
    from ..tree import Tree

Side = dict[str, str]
FINE = 4095  # weights of a row add up to about this: smaller probabilities than 1 / (2 * FINE) become 0
MAX_BYTES = 24 << 20  # of a side; a certificate of two of them, in base64, is below the usual limit of a file


@kernel
def round_weights(first, count, weights):
    """Scale each row's weights to small integers; a row without positive weights gets zeros."""
    for row in range(len(first)):
        total = 0.0
        for i in range(first[row], first[row] + count[row]):
            total += max(weights[i], 0.0)
        for i in range(first[row], first[row] + count[row]):
            weights[i] = np.floor(FINE * max(weights[i], 0.0) / total + 0.5) if total > 0.0 else 0.0


def side_of(keys: np.ndarray, count: np.ndarray, weights: np.ndarray, opponent: str, cut: float = 0.0) -> Side:
    """Write a table as a side of a certificate: rows in the order of their keys, those without weights left out."""
    first = np.cumsum(count) - count
    serves = np.flatnonzero(np.add.reduceat(weights, first) > 0) if len(first) else np.zeros(0, np.int64)
    order = serves[np.argsort(keys[serves], kind="stable")]
    order = order[np.append(True, np.diff(keys[order]) != 0)[: len(order)]]
    places = np.repeat(first[order] - np.cumsum(count[order]) + count[order], count[order])
    columns = {
        "keys": keys[order].astype("<i8"),
        "counts": count[order].astype("<u2"),
        "weights": weights[places + np.arange(len(places))].astype("<u2"),
    }
    encoded = {name: b64encode(column.tobytes()).decode() for name, column in columns.items()}
    return {"opponent": opponent, "cut": str(Fraction(cut)), **encoded}


class Proof(NamedTuple):
    """A side of a certificate, and what it proves."""

    side: Side
    bound: Fraction


def prove_side(game: Game, owner: int, side: Side) -> Proof | None:
    """Return a side without the rows that its bound does not need; None if it proves nothing or is too large."""
    response = response_of(game, owner, side)
    bound, (keys, first, weights, used) = response.guarantee(), response.strategy
    kept, count = used > 0, np.diff(first)
    chosen = weights[np.repeat(kept, count)]
    if bound in (game.payoffs[0] if owner == 0 else game.payoffs[-1],) or 10 * len(keys[kept]) > MAX_BYTES:
        return None
    return Proof(side_of(keys[kept], count[kept], chosen, side["opponent"], float(Fraction(side["cut"]))), bound)


def table_certificate(game: Game, proofs: Sequence[Proof | None]) -> TableBounds | None:
    """Return the certificate of two sides; None if neither proves anything."""
    if not any(proofs):
        return None
    slack, (low, high) = Fraction(SPARE // 2, UNIT), (game.payoffs[0], game.payoffs[-1])
    first, second = proofs
    lower = low if first is None else first.bound - slack
    upper = high if second is None else second.bound + slack
    return _certificate(game.name, game.version, lower, upper, [proof and proof.side for proof in proofs])


def _certificate(
    game: str, version: int | str, lower: Fraction, upper: Fraction, sides: list[Side | None]
) -> TableBounds:
    found: TableBounds = solution_certificate(FORMAT, game, version, (lower + upper) / 2, lower, upper, sides=sides)
    return found


def payoff_certificate(game: Game) -> TableBounds:
    """Return the certificate without tables: the lowest and the highest payoff of a game bound its value."""
    return _certificate(game.name, game.version, game.payoffs[0], game.payoffs[-1], [None, None])


def join_tables(proofs: Sequence[Any]) -> TableBounds | None:
    """Return the certificate with the better side of each player; None if there are none."""
    if not proofs:
        return None
    first = max(proofs, key=lambda proof: Fraction(proof["lower"]))
    second = min(proofs, key=lambda proof: Fraction(proof["upper"]))
    lower, upper, sides = Fraction(first["lower"]), Fraction(second["upper"]), [first["sides"][0], second["sides"][1]]
    return _certificate(first["game"], first["rules"], lower, upper, sides)


# Playing a certificate


class TablePlayer:
    """Player that follows the tables of a certificate, in either seat; without a row it draws any action."""

    def __init__(self, game: Game, sides: Sequence[tuple[Response, bool] | None], stream: np.ndarray) -> None:
        self.game, self.sides, self.stream, self.salts = game, sides, stream, salts_of(game)

    def begin(self, side: int) -> None:
        self.side, self.past = self.sides[side], self.salts[-1 - side]

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        odds = [1.0] * len(actions)
        if self.side is not None:
            (keys, first, weights, _), _ = self.side[0].strategy, self.side[1]
            row = int(row_of(keys, key_at(seen, self.past, self.salts)))
            odds = weights[first[row] : first[row + 1]].tolist() if row >= 0 else odds
        action = int(actions[draw_index(odds, self.stream)])
        self.follow(seen, action, actions)
        return action

    def follow(self, seen: np.ndarray, action: int, actions: Sequence[int]) -> None:
        if self.side is not None and self.side[1]:
            self.past = past_after(key_at(seen, self.past, self.salts), list(actions).index(action))


def follower_sides(game: Game, body: Any) -> list[tuple[Response, bool] | None]:
    """Return the table of each side, and whether it depends on the player's past."""
    return [
        None if side is None else (response_of(game, owner, side), side["opponent"] == HIDDEN)
        for owner, side in enumerate(body["sides"])
    ]


def follower(name: str, body: Any) -> PlayerAgent:
    game = known_game(body["game"])
    sides = follower_sides(game, body)
    return PlayerAgent(name, lambda stream: TablePlayer(game, sides, stream))


def shares_on_tree(body: Any, tree: "Tree", states: "Sequence[InformationState]") -> list[list[Fraction]]:
    """Return the probabilities of a certificate at the infosets of its game's tree, uniform where it has no row."""
    game = known_game(body["game"])
    salts, sides = salts_of(game), follower_sides(game, body)
    pasts = {(player, 0): salts[-1 - player] for player in (0, 1)}  # by player and sequence
    found = []
    for infoset, state in enumerate(states):
        side, past, many = sides[state.player], pasts[state.player, int(tree.before[infoset])], len(state.actions)
        key, weights = key_at(state.view, past, salts), [1] * many
        if side is not None:
            keys, first, given, _ = side[0].strategy
            row = int(row_of(keys, key))
            weights = given[first[row] : first[row + 1]].tolist() if row >= 0 else weights
        hidden = side is not None and side[1]
        for slot in range(many):
            pasts[state.player, int(tree.first[infoset]) + slot] = past_after(key, slot) if hidden else past
        found.append([Fraction(int(weight), int(sum(weights))) for weight in weights])
    return found


def explain(body: Any, everything: bool = False) -> list[str]:
    """Return the bounds of a certificate, after checking it, and how each was proved."""
    lower, upper = verify(body)
    lines = [f"{body['game']}: the first player gets {lower} = {float(lower):.6f} or more, {float(upper):.6f} at most."]
    for side, words in zip(body["sides"], SIDES, strict=True):
        if side is None:
            lines.append(f"The {words} player: nothing is proved, so its bound is the worst payoff of the game.")
            continue
        rows = f"{len(strategy_of(side, words).keys):,} rows"
        against = "an opponent who sees the whole state" if side["opponent"] == INFORMED else "a best response"
        cut = "" if side["cut"] == "0" else f"; what has a probability of {side['cut']} or less counts as lost"
        lines.append(f"The {words} player: a table of {rows} by its knowledge, against {against}{cut}.")
    return lines
