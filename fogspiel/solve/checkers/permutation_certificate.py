"""The checker of certificates of the permutation version: whole numbers, winning lines, and nothing of this package.

A certificate is a dict of

    format, game, rules     what it is, of which game, and of which version of the rules
    value, lower, upper     the first player's score as fractions: what he secures, what the second player concedes
    first, second           {permutation: probability}; the cells, row by row, in the order in which they are tried
    digest                  of all the rest

A permutation stands for all its images by rotation and reflection, each equally likely. The checker plays every
permutation of the other player against all of them at once: a prefix decides the first moves, and a prefix is given
up only when winning all games that still run would not be better than what was found.
"""

import json
from fractions import Fraction
from hashlib import sha256
from math import lcm
from typing import Any, NamedTuple

FORMAT = "fogspiel permutation certificate 1"
RULES = 1
KEYS = ("format", "game", "rules", "value", "lower", "upper", "first", "second", "digest")


class Grid(NamedTuple):
    """A board: whoever first holds all cells of a line wins, and a full board is a draw."""

    game: str
    rows: int
    columns: int
    lines: tuple[tuple[int, ...], ...]

    @property
    def cells(self) -> int:
        return self.rows * self.columns


TTT = Grid(
    "permutation-ttt",
    3,
    3,
    ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)),
)

Game = tuple[int, int, tuple[int, ...], int]
"""A running game: the responder's stones, the other player's stones, the rest of his permutation, its weight."""


def verify(document: Any, grid: Grid = TTT) -> Fraction:
    """The value that a certificate proves, or a ValueError that says what is wrong with it."""
    if not isinstance(document, dict) or sorted(map(str, document)) != sorted(KEYS):
        raise ValueError(f"a certificate has exactly the keys {', '.join(KEYS)}")
    if document["format"] != FORMAT or document["game"] != grid.game or repr(document["rules"]) != str(RULES):
        raise ValueError(f"a certificate is a {FORMAT!r} of rules version {RULES} for {grid.game}")
    if document["digest"] != digest_of(document):
        raise ValueError("the certificate was changed after it was written: its digest does not fit")
    value, lower, upper = (fraction(document[name], "the " + name) for name in ("value", "lower", "upper"))
    secured = 1 - best_score(grid, 1, mixture(grid, document["first"], "first"))
    if secured != lower:
        raise ValueError(f"the first player's strategy secures {secured}, but the certificate claims {lower}")
    conceded = best_score(grid, 0, mixture(grid, document["second"], "second"))
    if conceded != upper:
        raise ValueError(f"the second player's strategy concedes {conceded}, but the certificate claims {upper}")
    if not lower == value == upper:
        raise ValueError(f"the value {value} is proved only if both bounds, {lower} and {upper}, are equal to it")
    return value


def digest_of(document: dict[str, Any]) -> str:
    """The digest of everything in a certificate but the digest."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    return sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def fraction(text: Any, name: str) -> Fraction:
    """A fraction in lowest terms."""
    try:
        number = Fraction(text) if isinstance(text, str) else None
    except (ValueError, ZeroDivisionError):
        number = None
    if number is None or str(number) != text:
        raise ValueError(f"{name} must be a fraction in lowest terms such as '1/3', not {text!r}")
    return number


def mixture(grid: Grid, entries: Any, side: str) -> dict[tuple[int, ...], Fraction]:
    """The strategy of one player: the probability of each permutation and, shared evenly, of its images."""
    if not isinstance(entries, dict) or not entries:
        raise ValueError(f"the strategy of the {side} player must map permutations to probabilities")
    moves = symmetries(grid)
    images: dict[tuple[int, ...], Fraction] = {}
    for text, share in entries.items():
        if sorted(text) != [str(cell) for cell in range(grid.cells)]:
            raise ValueError(f"{text!r} is not a permutation of the cells 0 to {grid.cells - 1}")
        cells = [int(cell) for cell in text]
        probability = fraction(share, f"the probability of {text}")
        if probability <= 0:
            raise ValueError(f"the probability of {text} must be positive, not {share}")
        for move in moves:
            image = tuple(move[cell] for cell in cells)
            images[image] = images.get(image, Fraction(0)) + probability / len(moves)
    if sum(images.values()) != 1:
        raise ValueError(f"the probabilities of the {side} player add up to {sum(images.values())}, not to 1")
    return images


def symmetries(grid: Grid) -> set[tuple[int, ...]]:
    """Where the rotations and reflections of the board move its cells; they must map lines to lines."""
    rows, columns = range(grid.rows), range(grid.columns)
    plain = [[row * grid.columns + column for column in columns] for row in rows]
    boards = [plain, plain[::-1], [row[::-1] for row in plain], [row[::-1] for row in plain[::-1]]]
    if grid.rows == grid.columns:
        boards += [[list(column) for column in zip(*board, strict=True)] for board in boards]
    moves = {tuple(cell for row in board for cell in row) for board in boards}
    lines = {frozenset(line) for line in grid.lines}
    if any({frozenset(move[cell] for cell in line) for line in lines} != lines for move in moves):
        raise ValueError(f"the lines of {grid.game} change when the board is turned or reflected")
    return moves


def best_score(grid: Grid, seat: int, opponent: dict[tuple[int, ...], Fraction]) -> Fraction:
    """The most that any permutation of the player in that seat scores against a mixture of the other player."""
    masks = [sum(1 << cell for cell in line) for line in grid.lines]
    full = (1 << grid.cells) - 1
    won = [any(stones & mask == mask for mask in masks) for stones in range(full + 1)]
    unit = lcm(*(weight.denominator for weight in opponent.values()))
    games: list[Game] = []
    for cells, probability in opponent.items():
        weight = int(probability * unit)
        games.append((0, 1 << cells[0], cells[1:], weight) if seat else (0, 0, cells, weight))

    def extended(running: list[Game], cell: int) -> tuple[int, list[Game]]:
        """Half points of the games that end when the cell comes next, and the games that still run."""
        points, still = 0, []
        for game in running:
            mine, theirs, rest, weight = game
            if theirs >> cell & 1:
                still.append(game)
                continue
            mine |= 1 << cell
            if won[mine]:
                points += 2 * weight
            elif mine | theirs == full:
                points += weight
            else:
                free = [reply for reply in rest if not (mine | theirs) >> reply & 1]
                theirs |= 1 << free[0]
                if won[theirs]:
                    continue
                if mine | theirs == full:
                    points += weight
                else:
                    still.append((mine, theirs, tuple(free[1:]), weight))
        return points, still

    def best(running: list[Game], cells: frozenset[int], gained: int, bar: int) -> int:
        """The most half points that any order of the cells reaches, if that is above the bar, else the bar."""
        ways = []
        for cell in sorted(cells):
            points, still = extended(running, cell)
            limit = gained + points + 2 * sum(game[3] for game in still)
            ways.append((limit, cell, gained + points, still))
        for limit, cell, points, still in sorted(ways, key=lambda way: -way[0]):
            if limit <= bar:
                break
            bar = best(still, cells - {cell}, points, bar) if still else points
        return bar

    return Fraction(best(games, frozenset(range(grid.cells)), 0, -1), 2 * unit)
