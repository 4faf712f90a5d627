"""Rules of binary poker for a first-time player."""

from ...core.game import Game

LINES = (
    "Both players pay an ante of 1 and get a card that is 0 or 1, each by the toss of a coin of its own.",
    "You see your own card only.",
    "The first player passes or bets 1 more.",
    "After a pass the cards are shown: the higher one takes the pot, equal cards get their antes back.",
    "After a bet the second player folds and loses the ante, or calls for 1 and the cards are shown.",
    "So a game is worth -2, -1, 0, 1 or 2.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
