"""Rules of Nim for a first-time player."""

from ...core.game import Game

LINES = (
    "Four heaps of 1, 3, 5 and 7 objects lie on the table.",
    "In turn take one or more objects from a single heap.",
    "Who takes the last object loses (misère).",
    "Click on an object to take it and all to the right of it.",
    "Nothing is hidden and there is no luck: from every position one side can force a win.",
    "At the start that is the second player.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
