"""Rules of Pig for a first-time player."""

from ...core.game import Game

LINES = (
    "Roll a die as often as you dare. What you roll is added to the points of this turn.",
    "A 1 costs all points of this turn, and the turn is over.",
    "Hold to put the points of this turn into your bank, where they are safe.",
    "Then it is the other's turn.",
    "The first roll of a turn is made by itself.",
    "Who has 100 points first wins; points that reach 100 are banked at once.",
    "Nothing is hidden: all that counts is when to stop.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
