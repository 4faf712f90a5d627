"""Rules of tic-tac-toe by permutations for a first-time player."""

from ...core.game import Game

LINES = (
    "Tic-tac-toe in which nobody sees the other's stones and nobody changes the own plan.",
    "Before the game each player writes down an order of all nine cells.",
    "Then the orders play: on each turn a player's stone goes to the next free cell of its order.",
    "Cells that are taken are passed over for good, and the player learns nothing.",
    "Three in a row, a column or a diagonal win; a full board is a draw.",
    "Write your order cell by cell; the board is shown when both orders have played.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return LINES
