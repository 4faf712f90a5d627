"""Rules of Kuhn poker for a first-time player."""

from ...core.game import Game

LINES = (
    "Three cards: jack, queen and king. Both players pay an ante of 1 and get one card each; the third stays hidden.",
    "You see your own card only.",
    "The first player passes or bets 1 more.",
    "After a pass the second player passes, and the cards are shown, or bets 1.",
    "Who faces a bet folds and loses the ante, or calls for 1 and the cards are shown.",
    "The higher card takes the pot, so that a game is worth 1 or 2 to its winner.",
    "Perfect play bluffs: the jack is bet now and then, so that the king is paid.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
