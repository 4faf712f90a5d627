"""Rules of Goofspiel for a first-time player."""

from ...core.game import Game

LINES = (
    "The prizes come one by one, the highest first; a prize is worth its number in points.",
    "For each prize both players bid a card of their hand at the same time.",
    "The higher bid takes the prize; equal bids discard it.",
    "Both cards are spent, and nobody sees the other's bid: you are told who took the prize, no more.",
    "The last cards go by themselves. Who has more points at the end wins, whatever the margin.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    cards = game.name.rpartition("-")[2]
    return f"Each player has the cards 1 to {cards}, and there are prizes from {cards} down to 1.", *LINES
