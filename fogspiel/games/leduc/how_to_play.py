"""Rules of Leduc poker for a first-time player."""

from ...core.game import Game

CARDS = {False: "Six cards: jack, queen and king of two suits.", True: "26 cards: all thirteen ranks of two suits."}
LINES = (
    "Both players pay an ante of 1 and get one card each.",
    "There are two rounds of bets; the first player opens both of them.",
    "Check, or bet 2 in the first round and 4 in the second.",
    "Who faces a bet folds, calls, or raises once by the same amount: each round has at most two bets.",
    "Between the rounds a public card is turned up, which counts for both.",
    "At the end a pair with the public card wins, else the higher rank; equal ranks split the pot.",
)
SUITS = {False: "The suits decide nothing, and nobody sees them.", True: "The suits decide nothing, but you see them."}


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return CARDS[game.name == "leduc-13"], *LINES, SUITS[game.name == "leduc-labelled"]
