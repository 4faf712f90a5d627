"""Rules of Cheat for a first-time player."""

from ...core.game import Game

LINES = (
    "A deck of 52 cards, of which only the four colours count: clubs, diamonds, hearts and spades.",
    "Each player gets 26 cards. Get rid of yours.",
    "Who begins a round lays a card, whose colour both see: it is the colour of the round.",
    "Then in turn lay any card face down, which ought to be of that colour, or call the other's last card a cheat.",
    "If the card that was called is of the colour the caller takes the whole pile, else the one who laid it does.",
    "Who took the pile begins the next round; then all cards are in the two hands, and you can count the other's.",
)
LAST = {
    False: "Who has no cards left wins at once. A thousand actions make a draw.",
    True: "Even the last card may be called a cheat; who gets rid of it wins. A thousand actions make a draw.",
}
ROUTINE = "Play on lays cards of the colour for you, and stops when you have none or the other is short of cards."


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return *LINES, LAST[game.name == "cheat-challenge-last"], ROUTINE
