"""Second checker of listed and of phantom certificates, written from `docs/reference-formats.md`, not from the first.

The first walks histories and hands values upwards through the tree of the answering player. This one follows what that
player believes: a table from positions (with what the holder of the strategy remembers) to their weights. Whoever
answers splits such a table by what it sees, tries every action on all of a part at once, and keeps the best; beliefs
that are equal are worth the same. So it needs no numbers of rows, no list of histories and no order of walking.

    lower   the strategy of the first player, against the best answer of the second
    upper   the strategy of the second player, against the best answer of the first
    refinement   the best that a player gets against the stated opponent and, `weight` times, against a proof of what
        it may lose by leaving the value: nobody who secures the value scores more than the claim
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from fogspiel.core.game import CHANCE, OVER, Game, known_game

LISTED, REFINED, PHANTOM = "fogspiel certificate 1", "fogspiel certificate 2", "fogspiel phantom certificate 1"
FIELDS = ["format", "game", "rules", "value", "lower", "upper", "strategies"]

Position = bytes
Belief = dict[tuple[Position, Any], Fraction]  # positions, each with what the other player remembers
Choices = Callable[[Any, np.ndarray, list[int]], Iterable[tuple[int, Fraction, Any]]]


class DisprovedError(ValueError):
    """A certificate that does not prove what it claims; the message is the first thing that is wrong."""


def require(condition: object, complaint: str) -> None:
    if not condition:
        raise DisprovedError(complaint)


# The rules, as the game's kernels tell them.


@dataclass(frozen=True)
class Table:
    """A game whose positions are hashable."""

    game: Game

    def cells(self, position: Position) -> np.ndarray:
        return np.frombuffer(position, np.int64).copy()

    def first(self) -> Position:
        state = np.zeros(self.game.sizes.state, np.int64)
        self.game.rules.start(state)
        return state.tobytes()

    def after(self, position: Position, action: int) -> Position:
        state = self.cells(position)
        self.game.rules.apply(state, action)
        return state.tobytes()

    def actions(self, position: Position) -> list[int]:
        out = np.zeros(self.game.sizes.actions, np.int64)
        count = self.game.rules.legal(self.cells(position), out)
        return [int(action) for action in out[:count]]

    def chances(self, position: Position) -> list[tuple[Position, Fraction]]:
        outcomes = self.actions(position)
        weights = np.ones(len(outcomes), np.int64)
        if self.game.rules.weights is not None:
            self.game.rules.weights(self.cells(position), weights)
        total = int(weights.sum())
        pairs = zip(outcomes, weights, strict=True)
        return [(self.after(position, outcome), Fraction(int(weight), total)) for outcome, weight in pairs if weight]

    def view(self, position: Position, player: int) -> np.ndarray:
        seen = np.zeros(self.game.sizes.view, np.int64)
        self.game.rules.view(self.cells(position), player, seen)
        return seen


class Answerer:
    """The player that answers as well as it can a mixture of strategies of the other."""

    def __init__(self, table: Table, seat: int, others: list[tuple[Fraction, Choices]]) -> None:
        self.table, self.seat, self.others = table, seat, others
        self.known: dict[frozenset[Any], Fraction] = {}

    def best(self) -> Fraction:
        """Return the most that the answerer gets, in the first player's payoffs with the answerer's sign."""
        first = self.table.first()
        return self.worth({(first, (number, None)): weight for number, (weight, _) in enumerate(self.others)})

    def worth(self, belief: Belief) -> Fraction:
        gained, parts = self.settle(belief)
        return gained + sum(map(self.choose, parts.values()), Fraction(0))

    def choose(self, part: Belief) -> Fraction:
        """Return the worth of a belief at which the answerer is to move."""
        key = frozenset(part.items())
        if key not in self.known:
            position = next(iter(part))[0]
            options = self.table.actions(position)
            self.known[key] = max(
                self.worth({(self.table.after(at, action), told): weight for (at, told), weight in part.items()})
                for action in options
            )
        return self.known[key]

    def settle(self, belief: Belief) -> tuple[Fraction, dict[bytes, Belief]]:
        """Let everybody else move; return what was gained where the game ended, and the rest by what is seen."""
        table, gained = self.table, Fraction(0)
        parts: dict[bytes, Belief] = {}
        waiting = list(belief.items())
        while waiting:
            (position, told), weight = waiting.pop()
            who = int(table.game.rules.mover(table.cells(position)))
            if who == OVER:
                payoff = table.game.payoffs[table.game.rules.score(table.cells(position))]
                gained += weight * (payoff if self.seat == 0 else -payoff)
            elif who == CHANCE:
                waiting += [((child, told), weight * share) for child, share in table.chances(position)]
            elif who == self.seat:
                part = parts.setdefault(table.view(position, who).tobytes(), {})
                part[position, told] = part.get((position, told), Fraction(0)) + weight
            else:
                number, memory = told
                choices = self.others[number][1](memory, table.view(position, who), table.actions(position))
                waiting += [
                    ((table.after(position, action), (number, later)), weight * share)
                    for action, share, later in choices
                    if share
                ]
        return gained, parts


# Strategies as a file describes them.


def uniform(memory: Any, seen: np.ndarray, actions: list[int]) -> list[tuple[int, Fraction, Any]]:
    return [(action, Fraction(1, len(actions)), None) for action in actions]


def fraction(given: Any) -> Fraction:
    require(isinstance(given, str) and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", given), "a number is no fraction")
    above, _, below = given.partition("/")
    require(below.strip("0") or not below, "a fraction has no denominator")
    return Fraction(int(above), int(below or 1))


def shares_of(given: Iterable[Any]) -> list[Fraction]:
    shares = [fraction(one) for one in given]
    require(min(shares, default=-1) >= 0 and sum(shares) == 1, "probabilities are no distribution")
    return shares


def is_integer(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)


def listed_strategy(given: Any) -> Choices:
    """Read the rows of one player: `after` and `view` are the key, the shares of its actions are the entry."""
    require(isinstance(given, list), "a strategy is no list of rows")
    rows: dict[tuple[Any, tuple[int, ...]], tuple[int, list[int], list[Fraction]]] = {}
    for number, row in enumerate(given):
        require(isinstance(row, dict) and set(row) == {"after", "view", "actions", "probabilities"}, "a row is odd")
        for name in ("view", "actions", "probabilities"):
            require(isinstance(row[name], list), f"the {name} of a row are no list")
        require(all(map(is_integer, row["view"] + row["actions"])), "a row has cells or actions that are no integers")
        after = row["after"]
        if after is not None:
            require(isinstance(after, list) and len(after) == 2 and all(map(is_integer, after)), "an `after` is odd")
            require(0 <= after[0] < number, "a row comes after a later one")
            require(after[1] in given[after[0]]["actions"], "a row comes after an action that its parent has not")
        shares = shares_of(row["probabilities"])
        require(len(shares) == len(row["actions"]), "a row has not one probability for each action")
        key = (None if after is None else tuple(after), tuple(row["view"]))
        require(key not in rows, "two rows are of the same information state")
        rows[key] = (number, row["actions"], shares)

    def choices(memory: Any, seen: np.ndarray, actions: list[int]) -> list[tuple[int, Fraction, Any]]:
        found = rows.get((memory, tuple(seen.tolist())))
        require(found is not None, "an information state has no row")
        assert found is not None
        number, named, shares = found
        require(named == actions, "a row has other actions than the rules")
        return [(action, share, (number, action)) for action, share in zip(named, shares, strict=True)]

    return choices


class Cells:
    """The names of the cells of a board, and its symmetries."""

    def __init__(self, rows: int, columns: int, half_turn: bool) -> None:
        self.names = [f"{chr(ord('A') + column)}{row + 1}" for row in range(rows) for column in range(columns)]
        last_row, last_column = rows - 1, columns - 1
        images = [lambda r, c: (r, c), lambda r, c: (last_row - r, last_column - c)]
        if not half_turn:
            images += [lambda r, c: (last_row - r, c), lambda r, c: (r, last_column - c)]
        if not half_turn and rows == columns:
            images += [
                lambda r, c: (c, r), lambda r, c: (last_column - c, r),
                lambda r, c: (c, last_row - r), lambda r, c: (last_column - c, last_row - r),
            ]  # fmt: skip
        self.symmetries = [
            [image[0] * columns + image[1] for r in range(rows) for c in range(columns) if (image := move(r, c))]
            for move in images
        ]


History = tuple[tuple[frozenset[int], int], ...]  # for each turn the failed tries and the stone, -1 while it lasts


def phantom_strategy(given: Any, cells: Cells, wins: Callable[[int, int], bool]) -> Choices:
    """Read the rows of one player: turns before, failed tries of this turn, shares of the next try.

    A row stands for its images under the symmetries of the board. Where there is no row, a cell is tried that wins
    unless it is taken, or else the first: any completion is a strategy, so what it secures is proved.
    """
    require(isinstance(given, list), "a strategy is no list of rows")
    places = {name: place for place, name in enumerate(cells.names)}

    def named(text: str) -> frozenset[int]:
        found = [places.get(word, -1) for word in text.split(",")] if text else []
        require(-1 not in found and len(set(found)) == len(found), "a row names a cell that is none, or names it twice")
        return frozenset(found)

    rows: dict[History, dict[int, Fraction]] = {}
    for row in given:
        require(isinstance(row, list) and len(row) == 3, "a row is odd")
        before, failed, tries = row
        require(isinstance(before, str) and isinstance(failed, str) and isinstance(tries, dict), "a row is odd")
        turns = []
        for word in before.split(" ") if before else []:
            missed, colon, stone = word.rpartition(":")
            require(stone in places and bool(missed) == bool(colon), "a turn is odd")
            turns.append((named(missed), places[stone]))
        key = (*turns, (named(failed), -1))
        require(key not in rows, "two rows are of the same information state")
        require(all(name in places for name in tries), "a row tries a cell that is none")
        rows[key] = dict(zip((places[name] for name in tries), shares_of(tries.values()), strict=True))

    def image(history: History, moves: list[int]) -> History:
        return tuple(
            (frozenset(moves[cell] for cell in failed), moves[stone] if stone >= 0 else -1) for failed, stone in history
        )

    def choices(memory: Any, seen: np.ndarray, actions: list[int]) -> list[tuple[int, Fraction, Any]]:
        history = history_of(seen)
        found = [(moves, row) for moves in cells.symmetries if (row := rows.get(image(history, moves))) is not None]
        if not found:
            own = sum(1 << stone for _, stone in history if stone >= 0)
            return [(next((cell for cell in actions if wins(own, cell)), actions[0]), Fraction(1), None)]
        shares = dict.fromkeys(actions, Fraction(0))
        for moves, row in found:
            back = {moves[cell]: cell for cell in range(len(moves))}
            for cell, share in row.items():
                require(back[cell] in shares or not share, "a row tries a cell that may not be tried")
                shares[back[cell]] = shares.get(back[cell], Fraction(0)) + share / len(found)
        return [(action, share, None) for action, share in shares.items()]

    return choices


def history_of(seen: np.ndarray) -> History:
    """Return what a view of a phantom game (`fogspiel/games/phantom/rules.py`) says of the player's own turns."""
    turn, record = int(seen[5]) // 2, seen[8:]
    turns = [(int(record[2 * number + 1]), int(record[2 * number])) for number in range(turn + 1)]
    return tuple((frozenset(k for k in range(bits.bit_length()) if bits >> k & 1), stone) for bits, stone in turns)


def wins_of(game: Game, player: int) -> Callable[[int, int], bool]:
    """Return a test whether a stone of the player wins at once; cells of states are those of the rules' data sheet."""
    first = np.zeros(game.sizes.state, np.int64)
    game.rules.start(first)
    result, stones, turn = 5, 6, 4

    @cache
    def wins(own: int, cell: int) -> bool:
        state = first.copy()
        state[turn] = 2 * own.bit_count() + player
        state[stones + player] = own
        game.rules.apply(state, cell)
        return bool(state[result] == 2 * (1 - player))

    return wins


# The claims of a file.


def without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    require(len({name for name, _ in pairs}) == len(pairs), "a name stands twice")
    return dict(pairs)


def no_float(text: str) -> Any:
    raise DisprovedError("a number is neither whole nor a fraction")


def judge(text: str) -> tuple[str, Fraction, Fraction]:
    """Return the game and the interval that a certificate proves; raise DisprovedError if it does not."""
    try:
        given = json.loads(text, object_pairs_hook=without_twins, parse_float=no_float, parse_constant=no_float)
    except (json.JSONDecodeError, RecursionError) as problem:
        raise DisprovedError("the file is no JSON") from problem
    require(isinstance(given, dict) and given.get("format") in (LISTED, REFINED, PHANTOM), "the format is another")
    names = [*FIELDS, *(["refinement"] if given["format"] == REFINED else []), "digest"]
    require(set(given) == set(names), "the fields are others")
    body = {name: value for name, value in given.items() if name != "digest"}
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    require(given["digest"] == hashlib.sha256(canonical.encode()).hexdigest(), "the digest is another")
    require(isinstance(given["game"], str), "the game has no name")
    try:
        game = known_game(given["game"])
    except ValueError as problem:
        raise DisprovedError("the game is unknown") from problem
    require(is_integer(given["rules"]) and given["rules"] == game.version, "the rules are of another version")
    lower, upper = fraction(given["lower"]), fraction(given["upper"])
    require(lower <= upper, "the bounds are crossed")
    if given["value"] is None:
        require(lower < upper, "the value is missing")
    else:
        require(fraction(given["value"]) == lower == upper, "the value is not what both bounds say")
    table = Table(game)
    both = read_strategies(given["strategies"], given["format"], game)
    one = Fraction(1)
    require(-Answerer(table, 1, [(one, both[0])]).best() >= lower, "the first player's strategy secures less")
    require(Answerer(table, 0, [(one, both[1])]).best() <= upper, "the second player's strategy concedes more")
    if given["format"] == REFINED:
        check_refinement(table, given["refinement"], both, (lower, upper))
    return game.name, lower, upper


def read_strategies(given: Any, form: str, game: Game) -> list[Choices]:
    if form == PHANTOM:
        require(isinstance(given, dict) and set(given) == {"black", "white"}, "the strategies are odd")
        state = np.zeros(game.sizes.state, np.int64)
        game.rules.start(state)
        cells = Cells(int(state[0]), int(state[1]), half_turn=game.name.startswith("dark-hex"))
        return [
            phantom_strategy(given[name], cells, wins_of(game, player))
            for player, name in enumerate(("black", "white"))
        ]
    require(isinstance(given, list) and len(given) == 2, "there are not two strategies")
    return [listed_strategy(rows) for rows in given]


def check_refinement(table: Table, given: Any, both: list[Choices], bounds: tuple[Fraction, Fraction]) -> None:
    """Check for each player that its strategy scores what is claimed and that nobody who is as safe scores more."""
    require(isinstance(given, dict), "the refinement is odd")
    require(set(given) == {"opponent", "safety", "scores", "weights", "proofs"}, "the refinement is odd")
    require(given["opponent"] == "uniform", "the opponent is unknown")
    safety = fraction(given["safety"])
    require(safety >= 0, "the safety is negative")
    for name in ("scores", "weights", "proofs"):
        require(isinstance(given[name], list) and len(given[name]) == 2, f"there are not two {name}")
    for seat, (bound, sign) in enumerate(zip(bounds, (1, -1), strict=True)):
        score, weight = sign * fraction(given["scores"][seat]), fraction(given["weights"][seat])
        require(weight >= 0, "a weight is negative")
        proof = listed_strategy(given["proofs"][seat])
        most = Answerer(table, seat, [(Fraction(1), uniform), (weight, proof)]).best()
        require(most - weight * (sign * bound - safety) <= score, "a score is not the best of all that are safe")
        require(played(table, seat, both[seat]) == score, "a strategy does not score what is claimed")


def played(table: Table, seat: int, strategy: Choices) -> Fraction:
    """Return what a strategy scores against uniform play, for its player."""
    total, waiting = Fraction(0), [((table.first(), None), Fraction(1))]
    while waiting:
        (position, memory), weight = waiting.pop()
        who = int(table.game.rules.mover(table.cells(position)))
        if who == OVER:
            payoff = table.game.payoffs[table.game.rules.score(table.cells(position))]
            total += weight * (payoff if seat == 0 else -payoff)
        elif who == CHANCE:
            waiting += [((child, memory), weight * share) for child, share in table.chances(position)]
        else:
            choose = strategy if who == seat else uniform
            for action, share, later in choose(memory, table.view(position, who), table.actions(position)):
                if share:
                    kept = later if who == seat else memory
                    waiting.append(((table.after(position, action), kept), weight * share))
    return total
