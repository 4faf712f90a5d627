"""Rules of liar's dice for a first-time player."""

from ...core.game import Game

LINES = (
    "The first player bids how many of all dice show a face: one 3, two 5s.",
    "Every further bid must be higher: more dice of any face, or as many of a higher face.",
    "Instead of bidding call the last bid a lie: then all dice are shown.",
    "If there are at least as many as were bid the bidder wins, otherwise the caller.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    dice, _, faces = game.name.rpartition("-")[2].rpartition("x")
    roll = f"{dice} dice with {faces} faces each" if dice else f"a die with {faces} faces"
    hidden = "dice" if dice else "die"
    return (
        f"Both players roll {roll}. You see your own {hidden} only.",
        *LINES,
        f"The {faces} is wild: it counts as any face.",
    )
