"""Rules of War for a first-time player."""

from ...core.game import Game

LINES = (
    "The whole deck is dealt, half to each player, face down.",
    "Both turn up their top cards, and the higher value takes the trick.",
    "Equal values are a battle: each puts a card face down and turns up another one, until one is higher.",
    "The winner of a trick puts the won cards under the own deck, in any order: that is the only decision there is.",
    "A card put next from the top is played first, one put next from the bottom last; or have the packet shuffled.",
    "Nobody sees the decks; the values decide, suits do not count.",
    "Who has no cards left loses.",
    "Play on puts the cards of ordinary tricks back for you, the highest first, and stops after a battle.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
