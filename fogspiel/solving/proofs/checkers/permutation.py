"""Checker of certificates of the permutation version: integers, winning lines, and no solver.

A certificate is a dict of

    format, game, rules     the format, the game, and the version of its rules
    value, lower, upper     the first player's score as fractions: its guaranteed minimum and maximum
    first, second           {permutation: probability}; the cells, row by row, in the order in which they are tried
    digest                  of all the rest

A permutation stands for all its images by rotation and reflection, each equally likely. The checker plays every
permutation of the opponent against all of them at once: a prefix decides the first moves, and a prefix is pruned only
when winning all unfinished games would not be better than the best result so far.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .primitives import (
    DRAW,
    LINES,
    WIN,
    Bounds,
    Responder,
    SolutionCertificate,
    check_digest,
    check_head,
    check_rules,
    common_denominator,
    demand,
    fraction,
    go_on,
    prove_bounds,
    quoted,
    total,
    turns_of,
    won_by_lines,
)

FORMAT = "fogspiel permutation certificate 1"
RULES = 1


class PermutationCertificate(SolutionCertificate):
    first: dict[str, str]
    second: dict[str, str]


class Grid(NamedTuple):
    """A board: the first to hold all cells of a line wins, and a full board is a draw."""

    game: str
    rows: int
    columns: int
    lines: tuple[tuple[int, ...], ...]

    @property
    def cells(self) -> int:
        return self.rows * self.columns


TTT = Grid("permutation-ttt", 3, 3, LINES)

# An unfinished game: the responder's stones, the opponent's stones, the rest of its permutation, the weight.
Game = tuple[int, int, tuple[int, ...], int]


def verify(body: Any, grid: Grid = TTT) -> Bounds:
    """Return the value, as two equal bounds, that a certificate proves; raise ValueError if it proves nothing."""
    check_head(body, PermutationCertificate.__required_keys__, FORMAT)
    check_rules(body, RULES)
    demand(body["game"] == grid.game, f"it must be for {grid.game}, not {quoted(body['game'])}")
    check_digest(body)
    return prove_bounds(
        body,
        ("the first player's", "the second player's"),
        lambda: 1 - best_score(grid, 1, mixture(grid, body["first"], "first")),
        lambda: best_score(grid, 0, mixture(grid, body["second"], "second")),
    )


def mixture(grid: Grid, entries: Any, side: str) -> dict[tuple[int, ...], Fraction]:
    """Return the strategy of one player: each permutation's probability, divided evenly among its images."""
    right = isinstance(entries, dict) and len(entries) > 0
    demand(right, f"the strategy of the {side} player must map permutations to probabilities")
    moves = symmetries(grid)
    images: dict[tuple[int, ...], Fraction] = {}
    for text, share in entries.items():
        listed = sorted(text) == [str(cell) for cell in range(grid.cells)]
        demand(listed, f"{quoted(text)} is not a permutation of the cells 0 to {grid.cells - 1}")
        probability = fraction(share, f"the probability of {text}")
        demand(probability > 0, f"the probability of {text} must be positive, not {quoted(share)}")
        for move in moves:
            image = tuple(move[int(cell)] for cell in text)
            images[image] = images.get(image, Fraction(0)) + probability / len(moves)
    whole = total(images.values())
    demand(whole == 1, f"the probabilities of the {side} player add up to {quoted(whole)}, not to 1")
    return images


def symmetries(grid: Grid) -> list[tuple[int, ...]]:
    """Return the cell maps of the board's rotations and reflections; they must map lines to lines."""
    moves = turns_of(grid.rows, grid.columns)
    lines = {frozenset(line) for line in grid.lines}
    kept = all({frozenset(move[cell] for cell in line) for line in lines} == lines for move in moves)
    demand(kept, f"the lines of {grid.game} change when the board is turned or reflected")
    return moves


class Orders(Responder[frozenset[int], Game]):
    """A player who orders all cells beforehand: it observes nothing, and its position is the set of cells left."""

    def __init__(self, grid: Grid) -> None:
        self.full, self.won = (1 << grid.cells) - 1, won_by_lines(grid.cells, grid.lines)

    def tries(self, position: frozenset[int], worlds: Sequence[Game]) -> list[int]:
        return sorted(position)

    def hope(self, worlds: Sequence[Game]) -> int:
        return WIN * sum(game[3] for game in worlds)

    def attempt(
        self, position: frozenset[int], cell: int, worlds: list[Game]
    ) -> tuple[int, list[tuple[frozenset[int], list[Game]]]]:
        points, still, full, won = 0, [], self.full, self.won
        go_on()
        for game in worlds:
            mine, theirs, rest, weight = game
            if theirs >> cell & 1:
                still.append(game)
                continue
            mine |= 1 << cell
            if won[mine]:
                points += WIN * weight
            elif mine | theirs == full:
                points += DRAW * weight
            else:
                free = [reply for reply in rest if not (mine | theirs) >> reply & 1]
                theirs |= 1 << free[0]
                if won[theirs]:
                    continue
                if mine | theirs == full:
                    points += DRAW * weight
                else:
                    still.append((mine, theirs, tuple(free[1:]), weight))
        return points, [(position - {cell}, still)] if still else []


def best_score(grid: Grid, seat: int, opponent: dict[tuple[int, ...], Fraction]) -> Fraction:
    unit = common_denominator(opponent.values())
    games: list[Game] = []
    for cells, probability in opponent.items():
        go_on()
        weight = int(probability * unit)
        games.append((0, 1 << cells[0], cells[1:], weight) if seat else (0, 0, cells, weight))
    return Fraction(Orders(grid).best(frozenset(range(grid.cells)), games), WIN * unit)
