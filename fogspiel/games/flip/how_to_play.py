"""Rules of Flip for a first-time player."""

from ...core.game import Game

LINES = (
    "The deck has four cards of each rank from 1 to 8, and the ranks form a circle: 8 and 1 are neighbours.",
    "Each player has fifteen cards: five lie open for both to see, the others in a stack that nobody has looked at.",
    "Two cards begin two piles.",
    "In turn put one of your open cards on a pile whose card is next in rank, one up or one down.",
    "Who can play must play; then the top card of the own stack is opened.",
    "Who cannot play passes. After two passes in a row both turn the top card of their stacks onto the piles.",
    "If a player has no stack left for that, the game is over and fewer cards win.",
    "Who gets rid of all cards first wins.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
