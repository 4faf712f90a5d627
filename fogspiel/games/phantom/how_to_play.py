"""Rules of phantom tic-tac-toe, phantom ponnuki and dark hex for a first-time player."""

from ...core.game import Game
from .draw import size_of

GOALS = {
    "ttt": "Tic-tac-toe, but you do not see the other's stones. Three in a row, a column or a diagonal win.",
    "ponnuki": "Go without passing, and you do not see the other's stones. Who captures first wins.",
    "hex": "Hex, but you do not see the other's stones. X joins row 1 to the last row, O the first column to the last.",
}
MORE = {
    "ttt": ("A full board without a line is a draw.",),
    "ponnuki": (
        "Stones are captured when all free cells next to their group are taken.",
        "A cell may also be refused because your stone would have no free cell (suicide).",
        "Who has no legal cell left loses.",
    ),
    "hex": ("Each cell has up to six neighbours. There is no draw.",),
}
TRIES = {
    "": ("If it is not possible the umpire tells you alone, and you try another one in the same turn.",),
    "abrupt": ("If it is not possible the umpire tells you alone, and your turn is over.",),
    "numturns": (
        "If it is not possible the umpire tells you alone, and you try another one in the same turn.",
        "The other hears how often you tried, not where.",
    ),
}


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    size = size_of(game)
    kind = next(kind for kind in GOALS if size.name.startswith(kind))
    variant = next((name for name in TRIES if name and game.name.endswith(name)), "")
    return lines_of(kind, size.rows, size.columns, variant)


def lines_of(kind: str, rows: int, columns: int, variant: str = "") -> tuple[str, ...]:
    """The rules of a kind of game on a board of that size."""
    board = f"The board has {rows} rows of {columns} cells. X, the first player, begins."
    told = "A refusal tells you something, and your opponent does not hear of it."
    known = (told,) if variant != "numturns" else ()
    return GOALS[kind], board, "In turn try a cell.", *TRIES[variant], *known, *MORE[kind]
