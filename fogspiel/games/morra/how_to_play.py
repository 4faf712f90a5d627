"""Rules of Morra for a first-time player."""

from ...core.game import Game

LINES = (
    "Both players show 0 to 5 fingers at the same time and call the total of both hands.",
    "Who alone calls the total right wins the throw.",
    "If both are right or both are wrong, it is a draw.",
    "On the board the row is the number of fingers you show, and the cell is the total you call.",
    "Calls that cannot be right with your own fingers are dim.",
    "The other chooses without seeing your throw.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
