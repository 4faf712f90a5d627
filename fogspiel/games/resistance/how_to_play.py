"""Rules of The Resistance for a first-time player."""

from ...core.game import Game
from .setups import SETUPS

LINES = (
    "Two teams that each act as one player: the first player is the resistance, the second the spies.",
    "The resistance knows how many spies there are, but not who; the spies know each other.",
    "In each round the resistance picks who goes on a mission.",
    "If spies are on it they may sabotage it; all see whether it succeeded, nobody sees who did it.",
    "A mission that succeeds is a point of the resistance, one that is sabotaged a point of the spies.",
    "Who has three points first wins.",
)


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    setup = SETUPS[int(game.name.removeprefix("resistance"))]
    sizes = ", ".join(map(str, setup.sizes[:-1]))
    many = f"{setup.players} players, {setup.spies} of them spies; missions of {sizes} and {setup.sizes[-1]} players."
    if 2 not in setup.needed:
        return many, *LINES
    return many, *LINES, f"Mission {setup.needed.index(2) + 1} fails only if two spies on it sabotage it."
