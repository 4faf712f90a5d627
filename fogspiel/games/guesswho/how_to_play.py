"""Rules of Guess Who for a first-time player."""

from ...core.game import Game

LINES = (
    "Each player has a secret character, and searches for the other's among those on the board.",
    "In turn ask a question about some of the characters that are still possible in your search.",
    "Any set of them can be asked about, so only their number matters: you choose how many.",
    "If the answer is yes, these are left; if it is no, the others are.",
    "A question about few characters is bold: it seldom gets a yes, but then much is won.",
    "Both players see how many characters are left in both searches.",
    "Who has a single character left first has found it and wins.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
