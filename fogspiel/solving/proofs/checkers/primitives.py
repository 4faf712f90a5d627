"""Shared parts of the checkers: rejection of a certificate, and parsing of its head, digest and fractions."""

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import cache
from math import inf, lcm
from time import monotonic, process_time
from typing import Any, Generic, NamedTuple, Protocol, TypedDict, TypeVar

Body = Mapping[str, Any]  # a certificate as parsed JSON, not validated
Bounds = tuple[Fraction, Fraction]  # the first player's guaranteed minimum by one strategy, and maximum by the other


class Certificate(TypedDict):
    """Common content of the certificates of all formats; fractions are text."""

    format: str
    game: str
    lower: str
    upper: str
    digest: str  # of all the rest


class SolutionCertificate(Certificate):
    """A certificate that also names a value between its bounds, and the version of the rules."""

    rules: int | str
    value: str


TABLE_BOUNDS = "fogspiel table bounds 1"  # the format of `table_bounds`, which imports the compiler
SHOWN = 40  # maximum characters of a quoted fault
FRACTION = re.compile(r"(0|-?[1-9][0-9]*)(?:/([1-9][0-9]*))?")
# Digits that Python converts to a number at once, and maximum characters of a fraction.
SHORT, LONGEST = 4000, 100_000


def quoted(thing: object) -> str:
    """Quote a fault in a message; a long number is not even converted to text."""
    if isinstance(thing, Fraction):
        digits = max(abs(thing.numerator), thing.denominator).bit_length() * 3 // 10
        return str(thing) if digits < SHOWN else f"a fraction of some {digits:,} digits"
    if isinstance(thing, str):
        return repr(thing if len(thing) <= SHOWN else thing[: SHOWN - 2] + "..")
    return repr(thing)[:SHOWN] if isinstance(thing, int | float | bool | None) else f"a {type(thing).__name__}"


def refusal(sentence: str) -> ValueError:
    return ValueError(f"the certificate is not valid: {sentence}")


def demand(condition: object, sentence: str) -> None:
    if not condition:
        raise refusal(sentence)


def check_head(body: Any, keys: Iterable[str], wanted: str) -> None:
    """Require exactly these keys, and this format."""
    listed = sorted(keys)
    demand(isinstance(body, dict) and sorted(map(str, body)) == listed, f"it must have exactly the keys {listed}")
    demand(body["format"] == wanted, f"its format is {quoted(body['format'])}, not {wanted!r}")


def check_rules(body: Body, version: int) -> None:
    """Require the checker's version of the rules, or the version of the file that the board is from."""
    wanted = rules_version(str(body["game"]), version)
    right, version_text = body["rules"] == wanted and type(body["rules"]) is type(wanted), quoted(wanted)
    demand(right, f"it must be of version {version_text} of the rules, not {quoted(body['rules'])}")


def prove_bounds(
    body: Body, owners: tuple[str, str], least: Callable[[], Fraction], most: Callable[[], Fraction], exact: bool = True
) -> Bounds:
    """Return the bounds of a certificate, after checking that the strategies of both owners guarantee them.

    Its value must equal both bounds if `exact`, which is tested first, because it costs nothing, else lie between them.
    """
    value, lower, upper = (fraction(body[name], "the " + name) for name in ("value", "lower", "upper"))
    both = f"both bounds, {quoted(lower)} and {quoted(upper)}, are equal to it"
    demand(not exact or lower == value == upper, f"{quoted(value)} is proved only if {both}")
    for owner, verb, prove, claim in ((owners[0], "secures", least, lower), (owners[1], "concedes", most, upper)):
        found = prove()
        demand(found == claim, f"{owner} strategy {verb} {quoted(found)}, but it claims {quoted(claim)}")
    demand(lower <= value <= upper, f"the value {quoted(value)} is not between its bounds")
    return lower, upper


def digest_of(body: Mapping[str, object]) -> str:
    """Return the digest of all but the digest, as JSON with sorted keys, which is never one text in memory."""
    found = hashlib.sha256()
    for part in json_parts({key: value for key, value in body.items() if key != "digest"}):
        found.update(part.encode())
    return found.hexdigest()


encoded = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
PARTED = 3  # levels of a body whose items are encoded one by one: down to a line of a strategy


def json_parts(value: object, levels: int = PARTED) -> Iterator[str]:
    """Yield a value as JSON with sorted keys, in parts."""
    if not levels or not value or not isinstance(value, dict | list):
        yield encoded(value)
        return
    named = isinstance(value, dict)
    separator = "{" if named else "["
    for item in sorted(value) if named else value:
        yield separator + (f"{encoded(item)}:" if named else "")
        yield from json_parts(value[item] if isinstance(value, dict) else item, levels - 1)
        separator = ","
    yield "}" if named else "]"


def check_digest(body: Mapping[str, object]) -> None:
    demand(body["digest"] == digest_of(body), "it was changed after it was written (its digest does not fit)")


def fraction(text: Any, what: str) -> Fraction:
    """Parse a fraction in its canonical form: in lowest terms, without blanks; the form is checked first."""
    go_on()
    found = FRACTION.fullmatch(text) if isinstance(text, str) and len(text) <= LONGEST else None
    number = Fraction(_whole(found[1]), _whole(found[2] or "1")) if found else None
    if found is None or number is None or number.denominator != _whole(found[2] or "1") or found[2] == "1":
        raise refusal(f"{what} is {quoted(text)}, not a fraction in lowest terms")
    return number


def _whole(digits: str) -> int:
    """Parse an integer of any length: Python itself rejects long ones."""
    if len(digits) <= SHORT:
        return int(digits)
    half = len(digits) // 2
    head, tail = _whole(digits[:-half]), _whole(digits[-half:])
    power: int = 10**half
    return head * power + (-tail if digits[0] == "-" else tail)


def probability(text: Any, what: str) -> Fraction:
    number = fraction(text, what)
    demand(0 <= number <= 1, f"{what} is {quoted(text)}, not between 0 and 1")
    return number


def total(numbers: Iterable[Fraction]) -> Fraction:
    """Return the sum, which may grow long if the denominators have nothing in common."""
    found = Fraction(0)
    for number in numbers:
        go_on()
        found += number
    return found


def common_denominator(numbers: Iterable[Fraction]) -> int:
    """Return the least common multiple of the denominators, which may grow long as well."""
    found = 1
    for number in numbers:
        go_on()
        found = lcm(found, number.denominator)
    return found


# The CPU budget of a check


MAX_SECONDS = 600.0  # default CPU seconds for one certificate; the longest that we ship takes 63
# The earliest wall-clock end of the work, and the CPU time at which it must end.
_ends: ContextVar[tuple[float, float]] = ContextVar("_ends", default=(inf, inf))


@contextmanager
def limit_work(seconds: float) -> Iterator[None]:
    """Limit the checks inside to this many CPU seconds."""
    before = _ends.set((monotonic() + seconds, process_time() + seconds))
    try:
        yield
    finally:
        _ends.reset(before)


def go_on() -> None:
    """Reject a certificate whose check exceeds its budget; to be called in every loop."""
    soonest, end = _ends.get()
    if monotonic() > soonest and process_time() > end:  # CPU time is five times slower to query
        raise refusal(
            "checking it takes more CPU time than it may; if you trust where it is from, grant more by --seconds"
        )


# The boards of the checkers, and the best response to a mixture of strategies of a player whose stones are hidden.
#
# Sets of stones are the bits of an integer: cell = row * columns + column. Nothing here is shared with a solver.
#
# Best response. The opponent, the planner, plays a mixture. Its possible courses, given the responder's observations,
# are a list of worlds, each with a weight, an integer. A world is of any type; the responder computes the payment of a
# try in all worlds together and, for each possible observation, the remaining worlds:
#
#     value(position, worlds) = best over the cells of
#                               what is paid where the game ends by the stone or by the planner's next turn
#                               + the sum of value(next position, remaining worlds) over the responder's observations
#
# A cell is passed over only when the maximum of all its worlds would be no better than the best cell so far. Payments
# are half points times weights.

WIN, DRAW = 2, 1  # half points for a win and a draw
# The lines of tic-tac-toe: three stones in a row, a column or a diagonal win.
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Board(NamedTuple):
    """A board game: its cells, their permutations that preserve the game, and its winning sets."""

    name: str
    rows: int
    columns: int
    symmetries: list[tuple[int, ...]]  # the image of each cell
    won: tuple[list[bool], list[bool]]  # for each player and each set of stones: whether they win

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @property
    def names(self) -> list[str]:
        """Names of the cells: a letter for the column and a number for the row, A1 first."""
        return [f"{chr(ord('A') + column)}{1 + row}" for row in range(self.rows) for column in range(self.columns)]


def cells_of(stones: int) -> list[int]:
    return [cell for cell in range(stones.bit_length()) if stones >> cell & 1]


def turns_of(rows: int, columns: int) -> list[tuple[int, ...]]:
    """Return the cell maps of a rectangle's rotations and reflections: eight for a square, else four or fewer."""
    plain = [[row * columns + column for column in range(columns)] for row in range(rows)]
    boards = [plain, plain[::-1], [row[::-1] for row in plain], [row[::-1] for row in plain[::-1]]]
    if rows == columns:
        boards += [[list(column) for column in zip(*board, strict=True)] for board in boards]
    return sorted({tuple(cell for row in board for cell in row) for board in boards})


def won_by_lines(cells: int, lines: Iterable[Iterable[int]]) -> list[bool]:
    """Return for each set of stones whether it holds all cells of a line."""
    masks = [sum(1 << cell for cell in line) for line in lines]
    return [any(stones & mask == mask for mask in masks) for stones in range(1 << cells)]


@cache
def line_board(rows: int, columns: int, length: int) -> Board:
    """Return a board of tic-tac-toe: so many stones in a row, a column or a diagonal win."""
    inside = {(row, column): row * columns + column for row in range(rows) for column in range(columns)}
    lines = [
        [(row + down * step, column + right * step) for step in range(length)]
        for row, column in inside
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    ]
    won = won_by_lines(rows * columns, ([inside[place] for place in line] for line in lines if line[-1] in inside))
    name = "ttt" if rows == columns == length == 3 else f"ttt-{rows}x{columns}-{length}"
    return Board(name, rows, columns, turns_of(rows, columns), (won, won))


@cache
def hex_board(rows: int, columns: int) -> Board:
    """Return a board of hex: Black joins the first row to the last, White the first column to the last.

    A cell touches its neighbours along rows and columns, and along the diagonal up and to the right. A half turn
    preserves both goals.
    """
    cells = rows * columns

    def joined(stones: int, start: set[int], goal: set[int]) -> bool:
        left = set(cells_of(stones))
        chain = left & start
        front = list(chain)
        while front:
            row, column = divmod(front.pop(), columns)
            beside = ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1))
            near = {
                columns * (row + r) + column + c for r, c in beside if 0 <= row + r < rows and 0 <= column + c < columns
            }
            front += near & left - chain
            chain |= near & left
        return bool(chain & goal)

    top, bottom = set(range(columns)), set(range(cells - columns, cells))
    left, right = set(range(0, cells, columns)), set(range(columns - 1, cells, columns))
    black = [joined(stones, top, bottom) for stones in range(1 << cells)]
    white = [joined(stones, left, right) for stones in range(1 << cells)]
    return Board(
        f"hex-{rows}x{columns}", rows, columns, [tuple(range(cells)), tuple(range(cells - 1, -1, -1))], (black, white)
    )


NAME = re.compile(r"(phantom-ttt|dark-hex)(?:-([1-9]\d?)x([1-9]\d?)(?:-([1-9]\d?))?)?(?:-(abrupt|numturns))?")


def board_named(game: Any, most: int) -> tuple[Board, str] | None:
    """Return the board and the variant of a phantom game by name; None for others, and for more than `most` cells."""
    found = NAME.fullmatch(game) if isinstance(game, str) else None
    if found is None:
        return own_board(game, most)
    kind, *numbers, variant = found.groups()
    first, second, length = (int(number or 0) for number in numbers)
    if kind == "phantom-ttt" and not first:
        first = second = length = 3
    if kind == "phantom-ttt" and 2 <= length <= max(first, second) and first * second <= most:
        return line_board(first, second, length), variant or "classical"
    if kind == "dark-hex" and not length and min(first, second) >= 2 and first * second <= most:
        return hex_board(second, first), variant or "classical"
    return None


def own_board(game: Any, most: int) -> tuple[Board, str] | None:
    """Return a board from a file that the user has named, and the variant, by its rule alone; None for other names."""
    from ....games.boards.board import BOARDS
    from ....games.phantom.look import OWN

    parts = OWN.get(game) if isinstance(game, str) else None
    if parts is None or BOARDS[parts.board].cells > most:
        return None
    board = BOARDS[parts.board]
    fate, full = board.fate, (1 << board.cells) - 1
    cells, won = range(board.cells), [[False] * (full + 1) for _ in range(2)]
    for player in range(2):
        for stones in range(full + 1):
            won[player][stones] = any(
                stones >> cell & 1 and fate(player, stones & ~(1 << cell), 0, cell) == OWN_WIN for cell in cells
            )
    for player in range(2):
        for own in range(full + 1):
            go_on()
            other = full & ~own
            while not won[player][own]:  # every set of stones that is disjoint from these
                for cell in cells if not won[1 - player][other] else ():
                    stones, taken = own | 1 << cell, (own | other) >> cell & 1
                    end = OWN_DRAW if stones | other == full else OWN_GOES_ON
                    right = OWN_ILLEGAL if taken else OWN_WIN if won[player][stones] else end
                    told = f"the board of {game} is not one on which the winner's stones alone tell that it has won"
                    demand(fate(player, own, other, cell) == right, told)
                if not other:
                    break
                other = (other - 1) & full & ~own
    symmetries = [tuple(row) for row in board.symmetries.tolist()]
    return Board(board.name, board.rows, board.columns, symmetries, (won[0], won[1])), parts.variant


OWN_FATES = OWN_ILLEGAL, OWN_GOES_ON, OWN_WIN, OWN_DRAW, OWN_LOSS = -1, 0, 1, 2, 3  # results of such a board's rule


def own_rule(game: Any, most: int, variant: str) -> tuple[int, list[list[int]], Callable[..., int]] | None:
    """Return cells, symmetries and rule of a board from a file that the user has named; None for other names."""
    from ....games.boards.board import BOARDS
    from ....games.phantom.look import OWN

    parts = OWN.get(game) if isinstance(game, str) else None
    if parts is None or parts.variant != variant or BOARDS[parts.board].cells > most:
        return None
    board = BOARDS[parts.board]
    return board.cells, board.symmetries.tolist(), lambda *stone: int(board.fate(*stone))


def rules_version(game: str, version: int) -> int | str:
    """Return the version of the rules of a phantom game: that of its file, or the checker's."""
    from ....core.game import known_game
    from ....games.phantom.look import OWN

    return known_game(game.partition(OPENING)[0]).version if game.partition(OPENING)[0] in OWN else version


OPENING = "-opening-"  # between the name of a game and the cell that Black's first stone goes to, or an image of it

Position = TypeVar("Position")
World = TypeVar("World")
# The responder's position after an observation, and the remaining worlds.
Outcome = tuple[Position, list[World]]


class Responder(ABC, Generic[Position, World]):
    """The player who computes the best response."""

    @abstractmethod
    def tries(self, position: Position, worlds: Sequence[World]) -> Iterable[int]:
        """Return the candidate cells."""

    @abstractmethod
    def attempt(self, position: Position, cell: int, worlds: list[World]) -> tuple[int, list[Outcome[Position, World]]]:
        """Return half points of the games that end when a cell is tried, and all possible continuations."""

    @abstractmethod
    def hope(self, worlds: Sequence[World]) -> int:
        """Return an upper bound on the half points of these worlds."""

    def best(self, position: Position, worlds: list[World], bar: int = -1) -> int:
        """Return the most half points from these worlds, if that is above the bar, else the bar."""
        go_on()
        ways = []
        for cell in self.tries(position, worlds):
            points, outcomes = self.attempt(position, cell, worlds)
            hopes = sorted((self.hope(left), number) for number, (_, left) in enumerate(outcomes))
            ways.append((points + sum(hope for hope, _ in hopes), hopes, outcomes))
        for limit, hopes, outcomes in sorted(ways, key=lambda way: -way[0]):
            if limit <= bar:
                break
            for hope, number in hopes:
                limit -= hope  # current gain, and what the others may still bring
                limit += self.best(*outcomes[number], bar - limit)
                if limit <= bar:
                    break
            bar = max(bar, limit)
        return bar


class Weighted(Protocol):
    """A world in which the planner has these stones."""

    @property
    def stones(self) -> int: ...

    @property
    def weight(self) -> int: ...


Hidden = TypeVar("Hidden", bound=Weighted)


class BoardResponder(Responder[Position, Hidden]):
    """The player in a seat of a board, against hidden stones."""

    def __init__(self, board: Board, seat: int) -> None:
        self.full = (1 << board.cells) - 1
        self.mine, self.theirs = board.won[seat], board.won[1 - seat]

    def open_cells(self, closed: int, worlds: Sequence[Hidden]) -> list[int]:
        """Return the open cells that are free in some world: a try that fails everywhere reveals nothing."""
        taken = self.full
        for world in worlds:
            taken &= world.stones
        return cells_of(self.full & ~closed & ~taken)

    def hope(self, worlds: Sequence[Hidden]) -> int:
        """Return half points if every game that may still be won were won, and every other one drawn."""
        return sum((WIN if self.mine[self.full & ~world.stones] else DRAW) * world.weight for world in worlds)
