"""Rules of rock-paper-scissors for a first-time player."""

from ...core.game import Game

LINES = (
    "Both players choose rock, paper or scissors at the same time.",
    "Rock beats scissors, scissors beat paper, paper beats rock.",
    "Equal choices are a draw.",
)
PAID = {
    False: "The winner gets 1 from the loser.",
    True: "The winner gets 1 from the loser, but only 1/2 if paper beats rock: so paper should be chosen with care.",
}


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    return *LINES, PAID[game.name == "rps-half"]
