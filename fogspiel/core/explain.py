"""Parts of an explanation: sentences, tables, and pictures drawn with characters."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

import numpy as np

from .agents import IN_TURN, MIXED, REDRAWN, ParametricPolicy
from .game import UNIFORM, Game
from .rng import stream_of
from .session import actions_in, view_of
from .untrusted_input import JsonRecord

SHADES = " .:-=+*#%@"
BAR = 40  # characters of the longest bar

Cell = str | int | float


@dataclass(frozen=True)
class Table(JsonRecord):
    """Rows under named columns."""

    KEYS = ("title", "columns", "rows")

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class TextChart(JsonRecord):
    """Lines of text, and the numbers behind them: a cell for each named row and column, None where there is none."""

    KEYS = ("title", "lines", "rows", "columns", "grid")

    title: str
    lines: tuple[str, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    grid: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class Explanation(JsonRecord):
    """Description of a player for people."""

    KEYS: ClassVar[tuple[str, ...]] = ("sentences", "tables", "pictures")

    sentences: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    pictures: tuple[TextChart, ...] = ()


Grid = Sequence[Sequence[float]]


def percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def _picture(
    title: str, lines: Iterable[str], grid: Grid, rows: Iterable[object], columns: Iterable[object]
) -> TextChart:
    numbers = tuple(tuple(float(cell) if isfinite(cell) else None for cell in row) for row in grid)
    return TextChart(title, tuple(lines), tuple(map(str, rows)), tuple(map(str, columns)), numbers)


def heat_map(title: str, grid: Grid, rows: Sequence[object], columns: Sequence[object], most: float) -> TextChart:
    """Return a grid of numbers from 0 to `most` as shades, two characters a cell."""
    wide = max(len(str(name)) for name in rows)
    beside = max(len(str(name)) for name in columns)
    head = [" " * wide + "".join(f" {str(name).rjust(beside)[i]}" for name in columns) for i in range(beside)]
    lines = []
    for name, row in zip(rows, grid, strict=True):
        shades = [min(int(cell / most * len(SHADES)), len(SHADES) - 1) if isfinite(cell) else -1 for cell in row]
        marks = [SHADES[shade] if shade >= 0 else "?" for shade in shades]
        lines.append(str(name).rjust(wide) + "".join(f" {mark}" for mark in marks))
    scale = f"scale: '{SHADES}' from 0 to {percent(most)}"
    return _picture(title, [*head, *lines, scale], grid, rows, columns)


def bars(title: str, shares: Sequence[float], names: Sequence[object]) -> TextChart:
    wide, most = max(len(str(name)) for name in names), max(shares)
    lines = [
        f"{str(name).rjust(wide)} {percent(share).rjust(7)} {'#' * round(BAR * share / most)}".rstrip()
        for name, share in zip(names, shares, strict=True)
    ]
    return _picture(title, lines, [[share] for share in shares], names, ("share",))


STREAM = 0xE4B1  # separate from the streams of games, so that samples are independent of all games a method has used


def choices(game: Game, player: ParametricPolicy, state: np.ndarray, seed: int, many: int) -> Counter[int]:
    """Count a sample of the player's choices when it is to move in this position."""
    seen, actions = view_of(game, state, int(game.rules.mover(state))), actions_in(game, state)
    plan, stream, choose = player.plan, stream_of(seed, STREAM), player.strategy.choose
    return Counter(int(choose(seen, actions, plan, stream)) for _ in range(many))


# Descriptions of strategies in sentences, tables and pictures, with exact numbers where possible.
#
# A family may compute its descriptions in `Game.look`, by `explain(game, player, seed)` for a fixed player and
# `explain_mixture(player)` for a whole mixture; the rest has general descriptions.

__all__ = ["Explanation", "Table", "TextChart", "explain"]

MAX_MEMBERS = 20  # members of a mixture that are listed


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    """Describe a player; the seed determines what is sampled."""
    strategy = player.strategy
    if player.selection == REDRAWN:
        many = len(strategy.parameters)
        drawn = f"draws {many} standard Gaussian parameter{'s' if many > 1 else ''} anew before every pair of games"
        return Explanation((f"{player.name} {drawn} and plays them: {strategy.name}.",))
    if strategy is UNIFORM:
        return Explanation((f"{player.name} tries any of the possible actions with equal probability.",))
    if player.selection in (MIXED, IN_TURN):
        return _mixture(game, player, seed)
    explain_one = game.look.explain
    if explain_one is not None:
        found: Explanation = explain_one(game, player, seed)
        return found
    said = strategy.describe(player.thetas[0]) if strategy.describe else f"plays by its rule: {strategy.name}"
    return Explanation((f"{player.name} {said}.",))


def _mixture(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    many = len(player.thetas)
    weights = np.array(player.weights or (1 / many,) * many)
    order = np.argsort(-weights, kind="stable").tolist()
    if player.selection == MIXED:
        said = f"{player.name} draws one of {many} members before every pair of games, by weight"
    else:
        said = f"{player.name}: {many} members play in turn"
    rows = [(member + 1, percent(weights[member]), _shortened(player.thetas[member])) for member in order]
    members = Table(f"The members of {player.name}", ("member", "weight", "parameters"), tuple(rows[:MAX_MEMBERS]))
    left = f"; the {many - MAX_MEMBERS} lightest members are not listed" if many > MAX_MEMBERS else ""
    heaviest = order[0]
    name = f"member {heaviest + 1}"
    alone = explain(game, ParametricPolicy(name, player.strategy, player.thetas[heaviest : heaviest + 1]), seed)
    explain_whole = game.look.explain_mixture
    first = (said + left + ".", *(explain_whole(player) if explain_whole else ()))
    weight = percent(weights[heaviest])
    beginning = f"The heaviest member is {name} ({weight}); what follows is about it alone."
    return Explanation((*first, beginning, *alone.sentences), (members, *alone.tables), alone.pictures)


def _shortened(theta: np.ndarray) -> str:
    return ", ".join(f"{number:g}" for number in theta[:6].tolist()) + (", .." if len(theta) > 6 else "")
