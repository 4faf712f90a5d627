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
from typing import Any

import numpy as np

from fogspiel.core.game import CHANCE, OVER, Game, known_game

LISTED, REFINED, PHANTOM = "fogspiel certificate 1", "fogspiel certificate 2", "fogspiel phantom certificate 1"
FIELDS = ["format", "game", "rules", "value", "lower", "upper", "strategies"]

Position = bytes
Belief = dict[tuple[Position, Any], "Weight"]  # positions, each with what the other player remembers
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


Weight = tuple[
    Fraction, ...
]  # of a position at each level of an aim; later levels decide among the best of earlier ones
Aim = list[list[tuple[Fraction, Choices]]]  # for each level a mixture of strategies of the other player


def add(one: Weight, other: Weight) -> Weight:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def scale(weight: Weight, factor: Fraction) -> Weight:
    return tuple(part * factor for part in weight)


class Answerer:
    """The player that answers as well as it can mixtures of strategies of the other, the later ones in case of ties."""

    def __init__(self, table: Table, seat: int, aim: Aim) -> None:
        self.table, self.seat = table, seat
        self.others = [choices for level in aim for _, choices in level]
        self.weights = [
            tuple(weight if place == number else Fraction(0) for place in range(len(aim)))
            for number, level in enumerate(aim)
            for weight, _ in level
        ]
        self.nothing: Weight = (Fraction(0),) * len(aim)
        self.known: dict[frozenset[Any], Weight] = {}

    def first(self) -> Belief:
        start = self.table.first()
        return {(start, (number, None)): weight for number, weight in enumerate(self.weights) if any(weight)}

    def best(self) -> Weight:
        """Return the most that the answerer gets, in the first player's payoffs with the answerer's sign."""
        return self.worth(self.first())

    def worth(self, belief: Belief) -> Weight:
        gained, parts = self.settle(belief)
        for part in parts.values():
            gained = add(gained, self.choose(part))
        return gained

    def options(self, part: Belief) -> dict[int, Belief]:
        """Return the beliefs after each action of the answerer."""
        actions = self.table.actions(next(iter(part))[0])
        return {
            action: {(self.table.after(at, action), told): weight for (at, told), weight in part.items()}
            for action in actions
        }

    def choose(self, part: Belief) -> Weight:
        """Return the worth of a belief at which the answerer is to move."""
        key = frozenset(part.items())
        if key not in self.known:
            self.known[key] = max(map(self.worth, self.options(part).values()))
        return self.known[key]

    def settle(self, belief: Belief) -> tuple[Weight, dict[bytes, Belief]]:
        """Let everybody else move; return what was gained where the game ended, and the rest by what is seen."""
        table, gained = self.table, self.nothing
        parts: dict[bytes, Belief] = {}
        waiting = list(belief.items())
        while waiting:
            (position, told), weight = waiting.pop()
            who = int(table.game.rules.mover(table.cells(position)))
            if who == OVER:
                payoff = table.game.payoffs[table.game.rules.score(table.cells(position))]
                gained = add(gained, scale(weight, payoff if self.seat == 0 else -payoff))
            elif who == CHANCE:
                waiting += [((child, told), scale(weight, share)) for child, share in table.chances(position)]
            elif who == self.seat:
                part = parts.setdefault(table.view(position, who).tobytes(), {})
                part[position, told] = add(part.get((position, told), self.nothing), weight)
            else:
                number, memory = told
                choices = self.others[number](memory, table.view(position, who), table.actions(position))
                waiting += [
                    ((table.after(position, action), (number, later)), scale(weight, share))
                    for action, share, later in choices
                    if share
                ]
        return gained, parts

    def demand_best(self, rows: "Listed") -> None:
        """Require that each row is an information state, and that its actions are best ones there."""
        used, waiting = set[int](), [(self.first(), None)]
        while waiting:
            belief, memory = waiting.pop()
            for seen, part in self.settle(belief)[1].items():
                view = np.frombuffer(seen, np.int64)
                if not rows.knows(memory, view):
                    continue
                options = self.options(part)
                worths = {action: self.worth(after) for action, after in options.items()}
                for action, share, later in rows(memory, view, list(options)):
                    require(not share or worths[action] == max(worths.values()), "a row is not a best response")
                    used.add(later[0])
                    waiting.append((options[action], later))
        require(len(used) == len(rows.rows), "a row is no information state")


# Strategies as a file describes them.


def uniform(memory: Any, seen: np.ndarray, actions: list[int]) -> list[tuple[int, Fraction, Any]]:
    return [(action, Fraction(1, len(actions)), None) for action in actions]


def fraction(given: Any) -> Fraction:
    require(isinstance(given, str) and re.fullmatch(r"-?[0-9]{1,400}(/0*[1-9][0-9]{0,400})?", given), "no fraction")
    require(str(Fraction(given)) == given, "a fraction is not in lowest terms")
    return Fraction(given)


def shares_of(given: Iterable[Any]) -> list[Fraction]:
    shares = [fraction(one) for one in given]
    require(min(shares, default=-1) >= 0 and sum(shares) == 1, "probabilities are no distribution")
    return shares


def is_integer(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)


class Listed:
    """Rows of one player: `after` and `view` are the key, the shares of its actions are the entry."""

    def __init__(self, given: Any) -> None:
        require(isinstance(given, list), "a strategy is no list of rows")
        self.rows: dict[tuple[Any, tuple[int, ...]], tuple[int, list[int], list[Fraction]]] = {}
        self.used: set[int] = set()
        for number, row in enumerate(given):
            require(isinstance(row, dict) and set(row) == {"after", "view", "actions", "probabilities"}, "a row is odd")
            for name in ("view", "actions", "probabilities"):
                require(isinstance(row[name], list), f"the {name} of a row are no list")
            view, actions, after = row["view"], row["actions"], row["after"]
            require(all(map(is_integer, view + actions)), "a row has cells or actions that are no integers")
            if after is not None:
                require(
                    isinstance(after, list) and len(after) == 2 and all(map(is_integer, after)), "an `after` is odd"
                )
                require(0 <= after[0] < number, "a row comes after a later one")
            shares = shares_of(row["probabilities"])
            require(len(shares) == len(actions) == len(set(actions)), "a row has not one probability for each action")
            key = (None if after is None else tuple(after), tuple(view))
            require(key not in self.rows, "two rows are of the same information state")
            self.rows[key] = (number, actions, shares)

    def played(self) -> "Listed":
        """Return the rows that come after actions which the strategy itself takes."""
        taken: set[tuple[int, int]] = set()
        kept = Listed([])
        for (after, view), (number, actions, shares) in self.rows.items():
            if after is None or after in taken:
                kept.rows[after, view] = (number, actions, shares)
                taken |= {(number, action) for action, share in zip(actions, shares, strict=True) if share}
        return kept

    def knows(self, memory: Any, seen: np.ndarray) -> bool:
        return (memory, tuple(seen.tolist())) in self.rows

    def __call__(self, memory: Any, seen: np.ndarray, actions: list[int]) -> list[tuple[int, Fraction, Any]]:
        require(self.knows(memory, seen), "an information state has no row")
        number, named, shares = self.rows[memory, tuple(seen.tolist())]
        require(named == actions, "a row has other actions than the rules")
        self.used.add(number)
        return [(action, share, (number, action)) for action, share in zip(named, shares, strict=True)]

    def demand_used(self) -> None:
        require(len(self.used) == len(self.rows), "a row is never reached")


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


History = tuple[tuple[int, int], ...]  # for each turn the failed tries as bits, and the stone, -1 while it lasts


def bits_of(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def cells_in(bits: int) -> list[int]:
    return [cell for cell in range(bits.bit_length()) if bits >> cell & 1]


def phantom_strategy(given: Any, cells: Cells, player: int) -> Choices:
    """Read the rows of one player: turns before, failed tries of this turn, shares of the next try.

    A row stands for its images under the symmetries of the board, of which it is the smallest. Where there is no row,
    the first cell is tried that is not known to be taken.
    """
    require(isinstance(given, list), "a strategy is no list of rows")
    places = {name: place for place, name in enumerate(cells.names)}

    def image(history: History, moves: list[int]) -> History:
        return tuple(
            (bits_of(moves[cell] for cell in cells_in(failed)), moves[stone] if stone >= 0 else -1)
            for failed, stone in history
        )

    rows: dict[History, dict[int, Fraction]] = {}
    for row in given:
        require(isinstance(row, list) and len(row) == 3, "a row is odd")
        before, failed, tries = row
        require(isinstance(before, str) and isinstance(failed, str) and isinstance(tries, dict), "a row is odd")
        words = [*before.split(), failed + ":"]
        turns, all_named, failures = [], list[int](), 0
        for number, word in enumerate(words):
            missed, _, stone = word.rpartition(":")
            named = [name for name in missed.split(",") if name]
            require(all(name in places for name in named), "a row names a cell that is none")
            require(stone in places if number < len(words) - 1 else not stone, "a turn is odd")
            turns.append((bits_of({places[name] for name in named}), places.get(stone, -1)))
            all_named += [places[name] for name in [*named, *([stone] if stone else [])]]
            failures += len(named)
            require(failures <= number + player, "a row has more failures than the enemy has stones")
        require(len(set(all_named)) == len(all_named), "a row names a cell twice")
        require(len(turns) <= len(places) // 2, "a row is of a turn without a choice")
        require(all(name in places for name in tries), "a row tries a cell that is none")
        key, shares = tuple(turns), dict(zip((places[name] for name in tries), shares_of(tries.values()), strict=True))
        require(0 not in shares.values() and not set(shares) & set(all_named), "a row tries a cell in vain")
        for moves in cells.symmetries:
            same = {moves[cell]: share for cell, share in shares.items()}
            require(
                image(key, moves) > key or (image(key, moves) == key and same == shares), "a row has a smaller image"
            )
        require(key not in rows, "two rows are of the same information state")
        rows[key] = shares

    def choices(memory: Any, seen: np.ndarray, actions: list[int]) -> list[tuple[int, Fraction, Any]]:
        history = history_of(seen)
        for moves in cells.symmetries:
            row = rows.get(image(history, moves))
            if row is not None:
                return [(cell, row.get(moves[cell], Fraction(0)), None) for cell in actions]
        return [(actions[0], Fraction(1), None)]

    return choices


def history_of(seen: np.ndarray) -> History:
    """Return what a view of a phantom game (`fogspiel/games/phantom/rules.py`) says of the player's own turns."""
    turn, record = int(seen[5]) // 2, seen[8:]
    return tuple((int(record[2 * number + 1]), int(record[2 * number])) for number in range(turn + 1))


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
    table, one = Table(game), Fraction(1)
    both = read_strategies(given["strategies"], given["format"], game)
    played = [side.played() if isinstance(side, Listed) and given["format"] == REFINED else side for side in both]
    require(-Answerer(table, 1, [[(one, played[0])]]).best()[0] == lower, "the first player secures something else")
    require(Answerer(table, 0, [[(one, played[1])]]).best()[0] == upper, "the second player concedes something else")
    for side in played:
        if isinstance(side, Listed):
            side.demand_used()
    require(lower <= fraction(given["value"]) <= upper, "the value is not between the bounds")
    if given["format"] == REFINED:
        require(lower == upper, "a refinement needs a value")
        check_refinement(table, given["refinement"], both, lower)
    return game.name, lower, upper


def read_strategies(given: Any, form: str, game: Game) -> list[Any]:
    if form == PHANTOM:
        require(isinstance(given, dict) and set(given) == {"black", "white"}, "the strategies are odd")
        state = np.zeros(game.sizes.state, np.int64)
        game.rules.start(state)
        cells = Cells(int(state[0]), int(state[1]), half_turn=game.name.startswith("dark-hex"))
        return [phantom_strategy(given[name], cells, player) for player, name in enumerate(("black", "white"))]
    require(isinstance(given, list) and len(given) == 2, "there are not two strategies")
    return [Listed(rows) for rows in given]


def check_refinement(table: Table, given: Any, both: list[Listed], value: Fraction) -> None:
    """Check for each player that its strategy scores what is claimed and that nobody who is as safe scores more."""
    require(isinstance(given, dict) and given.get("safety") == "0", "the refinement is odd")
    require(set(given) == {"opponent", "safety", "scores", "weights", "proofs"}, "the refinement is odd")
    require(given["opponent"] == "uniform", "the opponent is unknown")
    for name in ("scores", "weights", "proofs"):
        require(isinstance(given[name], list) and len(given[name]) == 2, f"there are not two {name}")
    for seat, sign in enumerate((1, -1)):
        score, weight = sign * fraction(given["scores"][seat]), fraction(given["weights"][seat])
        require(weight >= 0, "a weight is negative")
        proof = Listed(given["proofs"][seat])
        require(score_of(table, seat, both[seat].played()) == score, "a strategy does not score what is claimed")
        mixture = [(Fraction(1), uniform), (weight, proof)]
        answerer = Answerer(table, seat, [[(Fraction(1), both[1 - seat])], mixture])
        require(answerer.best()[1] == score + weight * sign * value, "a score is not the best of all that are safe")
        answerer.demand_best(both[seat])


def score_of(table: Table, seat: int, strategy: Listed) -> Fraction:
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
            choose: Choices = strategy if who == seat else uniform
            for action, share, later in choose(memory, table.view(position, who), table.actions(position)):
                if share:
                    kept = later if who == seat else memory
                    waiting.append(((table.after(position, action), kept), weight * share))
    return total
