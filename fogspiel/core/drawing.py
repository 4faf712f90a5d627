"""Pictures of games: a family draws its views and states in its file `draw`; a game without one is drawn in letters.

They are apart from the rules, so that a change of looks compiles nothing anew.
"""

import numpy as np

from .game import Game, part_of
from .picture import Parts, Text


def draw_view(game: Game, view: np.ndarray) -> Parts:
    """The picture of a view: what the player who sees it knows."""
    draw = part_of(game, "draw", "draw_view")
    return draw(game, view) if draw else (Text(game.show(view)),)


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """The picture of a state, for the umpire and for replays."""
    draw = part_of(game, "draw", "draw_state")
    return draw(game, state) if draw else (Text(game.reveal(state)),)
