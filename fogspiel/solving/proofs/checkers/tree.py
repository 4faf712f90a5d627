"""Checker of tree certificates, which trusts only the rules of the game and the standard library.

A certificate holds a strategy for each player and claims their guarantees. The checker traverses all histories by the
rules, computes a best response to each strategy, and compares; all numbers are fractions.

    {"format": "fogspiel certificate 1", "game": "kuhn", "rules": 1, "value": "-1/18", "lower": "-1/18",
     "upper": "-1/18", "strategies": [[row, ..], [row, ..]], "digest": ".."}

A row is an information state of a player and the action probabilities there:
    {"after": [row number, action] or null, "view": [..], "actions": [..], "probabilities": ["1/3", ..]}
where `after` is the player's decision before that. Information states that its own strategy never reaches have no row.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, TypedDict

from ....core.game import CHANCE, OVER, Game, known_game, new_cells
from .primitives import Bounds, SolutionCertificate, check_digest, check_head, demand, fraction, go_on, quoted, total

FORMAT = "fogspiel certificate 1"
LARGE_FORMAT = "fogspiel large tree certificate 1"
EXACT_LARGE_FORMAT = "fogspiel large tree certificate 2"
LARGE_FORMATS = (LARGE_FORMAT, EXACT_LARGE_FORMAT)
KNOWLEDGE = {"after", "view", "actions"}
SIDES = ("first", "second")


class Row(TypedDict):
    """One information state of a player, and the action probabilities there."""

    after: list[int] | None
    view: list[int]
    actions: list[int]
    probabilities: list[str]


class TreeCertificate(SolutionCertificate):
    strategies: list[list[Row]]


# A strategy of a player by knowledge: the number of the row, and the probability of each action.
StrategyLookup = Mapping[Any, tuple[int, dict[int, Fraction]]]
Rows = dict[tuple[Any, ...], tuple[int, dict[int, Fraction]]]  # one whose rows are all parsed at once


class PositionFacts(NamedTuple):
    """A position: the player to move (CHANCE and OVER included), its actions and view, the terminal payoff."""

    mover: int
    actions: list[int]
    chances: list[Fraction]  # the probability of each action, where chance moves
    view: tuple[int, ...]
    payoff: Fraction = Fraction(0)


class Positions(Protocol):
    """Interface to a game that the checker needs."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int | str: ...
    def root(self) -> Any: ...
    def look(self, position: Any) -> PositionFacts: ...
    def after(self, position: Any, action: int) -> Any: ...


class GamePositions:
    """Positions of a game record: its states."""

    def __init__(self, game: Game):
        self.name, self.version = game.name, game.version
        self.rules, self.sizes, self.payoffs = game.rules, game.sizes, game.payoffs

    def root(self) -> Any:
        state = new_cells(self.sizes.state)
        self.rules.start(state)
        return state

    def look(self, position: Any) -> PositionFacts:
        who, room, seen = int(self.rules.mover(position)), new_cells(self.sizes.actions), new_cells(self.sizes.view)
        if who == OVER:
            return PositionFacts(OVER, [], [], (), self.payoffs[self.rules.score(position)])
        actions = room[: self.rules.legal(position, room)].tolist()
        if who == CHANCE:
            chances = self.chances(position, len(actions))
            possible = [slot for slot, chance in enumerate(chances) if chance]
            return PositionFacts(CHANCE, [actions[slot] for slot in possible], [chances[slot] for slot in possible], ())
        self.rules.view(position, who, seen)
        return PositionFacts(who, actions, [], tuple(seen.tolist()))

    def chances(self, position: Any, count: int) -> list[Fraction]:
        if self.rules.weights is None:
            return [Fraction(1, count)] * count
        room = new_cells(self.sizes.actions)
        self.rules.weights(position, room)
        weights = room[:count].tolist()
        demand(min(weights) >= 0 and sum(weights) > 0, f"{self.name} gives chance the weights {weights}")
        return [Fraction(weight, sum(weights)) for weight in weights]

    def after(self, position: Any, action: int) -> Any:
        following = position.copy()
        self.rules.apply(following, action)
        return following


def plan_of(rows: Any, side: str) -> Rows:
    demand(isinstance(rows, list), f"the strategy of the {side} player is not a list of rows")
    plan: Rows = {}
    for number, row in enumerate(rows):
        place = f"row {number} of the {side} player"
        knowledge, actions, listed = parts_of_row(row, "probabilities", place)
        shares = [fraction(share, f"a probability in {place}") for share in listed]
        demand(min(shares) >= 0 and total(shares) == 1, f"the probabilities in {place} are negative or not 1 in all")
        demand(knowledge not in plan, f"{place} repeats an earlier row")
        plan[knowledge] = number, dict(zip(actions, shares, strict=True))
    return plan


def parts_of_row(row: Any, last: str, place: str) -> tuple[tuple[Any, ...], list[int], list[Any]]:
    """Return what the player knows at a row, the actions, and the list of that last name, one entry for each action."""
    keys = KNOWLEDGE | {last}
    demand(isinstance(row, dict) and set(row) == keys, f"{place} must have exactly the keys {sorted(keys)}")
    after, view, actions, listed = row["after"], row["view"], row["actions"], row[last]
    lists = (view, actions) if after is None else (view, actions, after)
    whole = all(isinstance(cells, list) and all(type(cell) is int for cell in cells) for cells in lists)
    demand(whole and isinstance(listed, list), f"{place} has something else than lists of whole numbers")
    demand(len(listed) == len(actions) == len(set(actions)) > 0, f"{place} needs one probability for each action")
    return (None if after is None else tuple(after), tuple(view)), actions, listed


def best_response_value(game: Positions, plan: StrategyLookup, primal_player: int) -> Fraction:
    """Return the first player's value against a best response to the plan."""
    best, used = (max if primal_player == 1 else min), set()

    def value(waiting: list[tuple[Any, Fraction, Any]]) -> Fraction:
        """Return the value of indistinguishable histories: (position, probability, the planner's last decision)."""
        worth, groups = Fraction(0), defaultdict(list)
        while waiting:
            go_on()
            position, weight, decision = waiting.pop()
            look = game.look(position)
            if look.mover == OVER:
                worth += weight * look.payoff
            elif look.mover == 1 - primal_player:
                groups[look.view, tuple(look.actions)].append((position, weight, decision))
            elif look.mover == CHANCE:
                for action, share in zip(look.actions, look.chances, strict=True):
                    waiting.append((game.after(position, action), weight * share, decision))
            else:
                demand((decision, look.view) in plan, f"the {SIDES[primal_player]} player has no row for {look.view}")
                number, shares = plan[decision, look.view]
                owner = f"row {number} of the {SIDES[primal_player]} player"
                demand(list(shares) == look.actions, f"{owner} has other actions")
                used.add(number)
                for action, share in shares.items():
                    if share:
                        waiting.append((game.after(position, action), weight * share, (number, action)))
        for (_, actions), group in groups.items():
            worth += best(value([(game.after(p, action), w, d) for p, w, d in group]) for action in actions)
        return worth

    bound = value([(game.root(), Fraction(1), None)])
    demand(len(used) == len(plan), f"the {SIDES[primal_player]} player has rows that are never reached")
    return bound


def rules_of(body: Any, game: Positions | None) -> Positions:
    """Return these rules or the named game's, which must be of the certificate's version."""
    game = game or GamePositions(known_game(str(body["game"])))
    right = body["game"] == game.name and body["rules"] == game.version
    demand(right, f"it must be for version {game.version} of {game.name}")
    return game


def verify(body: Any, game: Positions | None = None) -> Bounds:
    """Return the bounds that a certificate proves, by these rules or its named game's; raise ValueError if it fails."""
    check_head(body, TreeCertificate.__required_keys__, FORMAT)
    game = rules_of(body, game)
    check_digest(body)
    demand(isinstance(body["strategies"], list) and len(body["strategies"]) == 2, "it must hold two strategies")
    plans = [plan_of(rows, side) for rows, side in zip(body["strategies"], SIDES, strict=True)]
    lower, upper = (best_response_value(game, plan, primal_player) for primal_player, plan in enumerate(plans))
    for claim, proved in (("lower", lower), ("upper", upper)):
        claimed = fraction(body[claim], claim) == proved
        demand(claimed, f"it claims the {claim} bound {quoted(body[claim])}, proved is {quoted(proved)}")
    demand(lower <= fraction(body["value"], "the value") <= upper, "its value is not between its bounds")
    return lower, upper


# The checker of large trees holds the strategies in memory and never the tree.
#
# It traverses all histories by the rules like the checker of small trees, one branch at a time, in fractions. A
# strategy is a list of lines, one for each information state of a player, with the action probabilities there:
#
#     {"format": "fogspiel large tree certificate 1", "game": "leduc-13", "rules": 1, "value": "-1/11",
#      "lower": "-1/10", "upper": "-1/12", "denominator": 1000000000, "strategies": [[line, ..], [line, ..]],
#      "digest": ".."}
#
#     "AFTER|VIEW|ACTIONS|SHARES"
#
# with integers separated by blanks: AFTER is the number of the line of the player's decision before that and the action
# there, or empty; SHARES are the probabilities of the actions times the denominator. Information states that a player's
# own strategy never reaches have no line. The bounds must hold; the strategies may secure slightly more than they
# claim.
#
# Version 2 is for exact strategies. It has no denominator: the shares of a line are integers of up to 4,000 digits, in
# proportion to which the actions are played.

MAX_LINES, LONGEST_LINE, MAX_DENOMINATOR = 2_000_000, 20_000, 10**12
NUMBERS = r"-?[0-9]{1,18}(?: -?[0-9]{1,18})*"
SHARES = r"-?[0-9]{1,4000}(?: -?[0-9]{1,4000})*"
LINE = re.compile(rf"((?:[0-9]{{1,9}} -?[0-9]{{1,18}})?)\|({NUMBERS})\|({NUMBERS})\|({SHARES})", re.ASCII)
Key = tuple[tuple[int, ...] | None, tuple[int, ...]]


class ExactLargeTreeCertificate(SolutionCertificate):
    strategies: list[list[str]]


class LargeTreeCertificate(ExactLargeTreeCertificate):
    denominator: int


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def parts_of(line: Any, place: str) -> tuple[str, str, str, str]:
    """Return the four parts of a line, after checking its form."""
    go_on()
    found = LINE.fullmatch(line) if isinstance(line, str) and len(line) <= LONGEST_LINE else None
    demand(found, f"{place} is {quoted(line)}, not AFTER|VIEW|ACTIONS|SHARES in whole numbers")
    assert found is not None
    return found[1], found[2], found[3], found[4]


class Lines(Mapping[Key, tuple[int, dict[int, Fraction]]]):
    """A strategy by the player's knowledge; a line is parsed when it is needed, and its key is its text before that."""

    def __init__(self, lines: Any, side: str, denominator: int | None) -> None:
        demand(isinstance(lines, list), f"the strategy of the {side} player is not a list of lines")
        demand(len(lines) <= MAX_LINES, f"the {side} player has more than {MAX_LINES:,} lines")
        self._lines: list[str] = lines
        self._numbers: dict[str, int] = {}
        for number, line in enumerate(lines):
            place = f"line {number} of the {side} player"
            after, view, actions, shares = (numbers(part) for part in parts_of(line, place))
            demand(not after or after[0] < number, f"{place} comes after no earlier line")
            demand(len(shares) == len(actions) == len(set(actions)), f"{place} needs one share for each action")
            whole = min(shares) >= 0 and sum(shares) == (denominator or max(sum(shares), 1))
            demand(whole, f"the shares in {place} are negative or not {denominator or 'positive'} in all")
            key = self._key((after, view))
            demand(key not in self._numbers, f"{place} repeats an earlier line")
            self._numbers[key] = number

    @staticmethod
    def _key(key: Key) -> str:
        after, view = key
        return f"{' '.join(map(str, after or ()))}|{' '.join(map(str, view))}"

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[Key]:
        for line in self._lines:
            after, view, _, _ = line.split("|")
            yield numbers(after) or None, numbers(view)

    def __getitem__(self, key: Key) -> tuple[int, dict[int, Fraction]]:
        number = self._numbers[self._key(key)]
        _, _, actions, shares = self._lines[number].split("|")
        return number, dict(zip(numbers(actions), proportions(numbers(shares)), strict=True))


def proportions(shares: tuple[int, ...]) -> list[Fraction]:
    unit = sum(shares)
    return [Fraction(share, unit) for share in shares]


def check_form(body: Any) -> list[Lines]:
    """Return both strategies, after all checks that need no rules."""
    if isinstance(body, dict) and body.get("format") == EXACT_LARGE_FORMAT:
        check_head(body, ExactLargeTreeCertificate.__required_keys__, EXACT_LARGE_FORMAT)
        units = None
    else:
        check_head(body, LargeTreeCertificate.__required_keys__, LARGE_FORMAT)
        units = body["denominator"]
        demand(type(units) is int and 0 < units <= MAX_DENOMINATOR, f"its denominator is {quoted(units)}")
    check_digest(body)
    demand(isinstance(body["strategies"], list) and len(body["strategies"]) == 2, "it must hold two strategies")
    return [Lines(lines, side, units) for lines, side in zip(body["strategies"], SIDES, strict=True)]


def rows_of(body: Any, player: int) -> Iterator[Row]:
    """Yield the lines of a player as rows of the certificate of a small tree, for players and explanations."""
    for number, line in enumerate(body["strategies"][player]):
        after, view, actions, shares = (numbers(part) for part in parts_of(line, f"line {number}"))
        yield {
            "after": list(after) or None,
            "view": list(view),
            "actions": list(actions),
            "probabilities": [*map(str, proportions(shares))],
        }


def verify_large(body: Any, game: Positions | None = None) -> Bounds:
    """Return a certificate's bounds, proved by these rules or its named game's; raise ValueError if it fails."""
    plans = check_form(body)
    game = rules_of(body, game)
    lower, upper = fraction(body["lower"], "the lower bound"), fraction(body["upper"], "the upper bound")
    demand(lower <= fraction(body["value"], "the value") <= upper, "its value is not between its bounds")
    demand(best_response_value(game, plans[0], 0) >= lower, f"the first player does not secure {quoted(lower)}")
    demand(best_response_value(game, plans[1], 1) <= upper, f"the second player does not hold it to {quoted(upper)}")
    return lower, upper
