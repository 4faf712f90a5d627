"""Rules of phantom ponnuki on large boards for a first-time player."""

from ...core.game import Game
from ..phantom.how_to_play import lines_of


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    size = int(game.name.rpartition("x")[2])
    return lines_of("ponnuki", size, size)
