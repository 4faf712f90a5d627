"""Rules of four in a row by permutations for a first-time player."""

from ...core.game import Game

LINES = (
    "Four in a row on 4 rows and 7 columns, and nobody sees any stone before the end.",
    "On each turn write an order of all seven columns.",
    "Your stone falls into the first column of your order that is not full.",
    "You are not told where it went.",
    "Four in a column, a row or a diagonal win; a full board is a draw.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
