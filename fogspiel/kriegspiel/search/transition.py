"""How a place of the tree changes into the next one: our move, the referee's answer, his answer (figure 3)."""

import numpy as np

from ...core.kernel import kernel, trailing_zeros
from ...games.chess.bits import bit
from ...games.chess.position import KING, end_of
from ..beliefs.opponent_motion import let_him_move, let_him_take
from ..beliefs.probability_matrices import (
    CHECKS,
    COLOUR,
    HAZARD,
    KINGS,
    OWN,
    SURVEYED,
    TRIES,
    attacked,
    attacks_of,
    deny_king,
    move_in,
    note_move,
    scale,
    survey,
    take_off,
)
from ..evaluation.features import value_of
from ..evaluation.move_value import ANSWERS, CHECK, MOVED_TAKEN, OTHER_TAKEN


@kernel
def most_exposed(scene, odds, spared, constants):
    """The man whom he most probably takes next, other than the one on `spared`; its square, or -1."""
    ground = np.zeros((SURVEYED, 64), np.float32)
    survey(odds, scene, constants, ground)
    net, worst, found = attacked(scene), 0.0, -1
    for kind in range(KING):
        left = scene[kind]
        while left:
            square = trailing_zeros(left)
            danger = ground[HAZARD + 1 if net & bit(square) else HAZARD, square]
            danger *= value_of(kind, square, scene, constants)
            if square != spared and danger > worst:
                worst, found = danger, square
            left &= left - 1
    return found


@kernel
def evolve(odds, scene, move, outcome, lure, constants):
    """Change matrices and scene by our move, its outcome, and what he does. The square where he took, or -1."""
    answer, reply, end = outcome // ANSWERS, outcome % ANSWERS, end_of(move)
    kind = move_in(scene, move)
    note_move(odds, scene, move, answer if answer != CHECK else 0, end)
    if answer == CHECK:
        hits = attacks_of(kind, end, scene[COLOUR], scene[OWN])
        for square in range(64):
            if not hits & bit(square):
                odds[KINGS, square] = 0.0
        scale(odds, KINGS, 1.0, hits)
    else:
        deny_king(odds, scene)
    victim = -1
    if reply == MOVED_TAKEN:
        victim = end
    elif reply == OTHER_TAKEN:
        victim = most_exposed(scene, odds, end, constants)
    if victim >= 0:
        take_off(scene, victim)
        let_him_take(odds, scene, victim, 1, constants)
    else:
        let_him_move(odds, scene, lure, answer == CHECK, constants)
    deny_king(odds, scene)
    scene[TRIES] = 1
    scene[CHECKS] = 0
    return victim
