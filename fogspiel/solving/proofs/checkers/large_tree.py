"""Checker of certificates of large trees, which holds the strategies in memory and never the tree.

It traverses all histories by the rules like the checker of small trees, one branch at a time, in fractions. A strategy
is a list of lines, one for each information state of a player, with the action probabilities there:

    {"format": "fogspiel large tree certificate 1", "game": "leduc-13", "rules": 1, "value": "-1/11", "lower": "-1/10",
     "upper": "-1/12", "denominator": 1000000000, "strategies": [[line, ..], [line, ..]], "digest": ".."}

    "AFTER|VIEW|ACTIONS|SHARES"

with integers separated by blanks: AFTER is the number of the line of the player's decision before that and the action
there, or empty; SHARES are the probabilities of the actions times the denominator. Information states that a player's
own strategy never reaches have no line. The bounds must hold; the strategies may secure slightly more than they claim.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ....core.game import known_game
from .primitives import Bounds, SolutionCertificate, check_digest, check_head, demand, fraction, go_on, quoted
from .tree import SIDES, GamePositions, Positions, Row, best_response_value

FORMAT = "fogspiel large tree certificate 1"
MAX_LINES, LONGEST_LINE, MAX_DENOMINATOR = 2_000_000, 20_000, 10**12
NUMBERS = r"-?[0-9]{1,18}(?: -?[0-9]{1,18})*"
LINE = re.compile(rf"((?:[0-9]{{1,9}} -?[0-9]{{1,18}})?)\|({NUMBERS})\|({NUMBERS})\|({NUMBERS})", re.ASCII)
Key = tuple[tuple[int, ...] | None, tuple[int, ...]]


class LargeTreeCertificate(SolutionCertificate):
    denominator: int
    strategies: list[list[str]]


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def parts_of(line: Any, place: str) -> tuple[str, str, str, str]:
    """Return the four parts of a line, after checking its form."""
    go_on()
    found = LINE.fullmatch(line) if isinstance(line, str) and len(line) <= LONGEST_LINE else None
    demand(found, f"{place} is {quoted(line)}, not AFTER|VIEW|ACTIONS|SHARES in whole numbers")
    assert found is not None
    return found[1], found[2], found[3], found[4]


class Lines:
    """A strategy by the player's knowledge; a line is parsed when it is needed."""

    def __init__(self, lines: Any, side: str, denominator: int) -> None:
        demand(isinstance(lines, list), f"the strategy of the {side} player is not a list of lines")
        demand(len(lines) <= MAX_LINES, f"the {side} player has more than {MAX_LINES:,} lines")
        self._lines, self._side, self._denominator = lines, side, denominator
        self._numbers: dict[Key, int] = {}
        for number, line in enumerate(lines):
            place = f"line {number} of the {side} player"
            after, view, actions, shares = (numbers(part) for part in parts_of(line, place))
            demand(not after or after[0] < number, f"{place} comes after no earlier line")
            demand(len(shares) == len(actions) == len(set(actions)), f"{place} needs one share for each action")
            demand(
                min(shares) >= 0 and sum(shares) == denominator,
                f"the shares in {place} are negative or not {denominator} in all",
            )
            key = (after or None, view)
            demand(key not in self._numbers, f"{place} repeats an earlier line")
            self._numbers[key] = number

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, key: Key) -> bool:
        return key in self._numbers

    def __getitem__(self, key: Key) -> tuple[int, dict[int, Fraction]]:
        number = self._numbers[key]
        _, _, actions, shares = self._lines[number].split("|")
        pairs = zip(numbers(actions), numbers(shares), strict=True)
        return number, {action: Fraction(share, self._denominator) for action, share in pairs}


def check_form(body: Any) -> list[Lines]:
    """Return both strategies, after all checks that need no rules."""
    check_head(body, LargeTreeCertificate.__required_keys__, FORMAT)
    check_digest(body)
    units = body["denominator"]
    demand(type(units) is int and 0 < units <= MAX_DENOMINATOR, f"its denominator is {quoted(units)}")
    demand(isinstance(body["strategies"], list) and len(body["strategies"]) == 2, "it must hold two strategies")
    return [Lines(lines, side, units) for lines, side in zip(body["strategies"], SIDES, strict=True)]


def rows_of(body: Any, player: int) -> Iterator[Row]:
    """Yield the lines of a player as rows of the certificate of a small tree, for players and explanations."""
    units = body["denominator"]
    for number, line in enumerate(body["strategies"][player]):
        after, view, actions, shares = (numbers(part) for part in parts_of(line, f"line {number}"))
        yield {
            "after": list(after) or None,
            "view": list(view),
            "actions": list(actions),
            "probabilities": [str(Fraction(share, units)) for share in shares],
        }


def verify(body: Any, game: Positions | None = None) -> Bounds:
    """Return a certificate's bounds, proved by these rules or its named game's; raise ValueError if it fails."""
    plans = check_form(body)
    game = game or GamePositions(known_game(str(body["game"])))
    right = body["game"] == game.name and body["rules"] == game.version
    demand(right, f"it must be for version {game.version} of {game.name}")
    lower, upper = fraction(body["lower"], "the lower bound"), fraction(body["upper"], "the upper bound")
    demand(lower <= fraction(body["value"], "the value") <= upper, "its value is not between its bounds")
    demand(best_response_value(game, plans[0], 0) >= lower, f"the first player does not secure {quoted(lower)}")
    demand(best_response_value(game, plans[1], 1) <= upper, f"the second player does not hold it to {quoted(upper)}")
    return lower, upper
