"""Rules of Battleship for a first-time player."""

from ...core.game import Game

LINES = (
    "Each player hides four ships of 5, 4, 3 and 2 squares in an own sea of 9 by 9 squares.",
    "Ships lie across or down, share no square and may touch each other.",
    "In turn each player shoots at one square of the other's sea.",
    "The answer is hit or miss and nothing more: nobody says which ship was hit, or that it has sunk.",
    "Nobody shoots at the same square twice.",
    "Who has hit all 14 squares of the other's ships first wins.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
