"""How phantom ponnuki is played on large boards, for a person who sees it for the first time."""

from ...core.game import Game
from ..phantom.how_to_play import lines_of


def how_to_play(game: Game) -> tuple[str, ...]:
    """The rules, a sentence or two per line."""
    size = int(game.name.rpartition("x")[2])
    return lines_of("ponnuki", size, size)
