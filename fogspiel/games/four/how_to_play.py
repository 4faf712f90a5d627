"""Rules of four in a row for a first-time player."""

from ...core.game import Game, blank
from . import rules

LINES = (
    "In turn drop a stone into a column: it falls to the lowest free cell.",
    "Four own stones in a column, a row or a diagonal win.",
    "A full board is a draw.",
    "Nothing is hidden and there is no luck.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    state = blank(game.sizes.state)
    game.rules.start(state)
    return f"The board has {state[rules.ROWS]} rows and {state[rules.COLUMNS]} columns. The first player has X.", *LINES
