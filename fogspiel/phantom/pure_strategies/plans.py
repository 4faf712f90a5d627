"""Pure strategies of a phantom game: a cell per course, their images under symmetry, and what they score."""

import numpy as np

from ...core.kernel import kernel
from .setting import Setting


@kernel
def half_points(setting, black, white, image):
    """Black's half points if Black follows a plan and White the image of another one under a symmetry."""
    follow = (setting.courses[0].follow, setting.courses[1].follow)
    stones, course, waiting = [0, 0], [0, 0], [False, False]
    player, tries, others = 0, 0, 1
    while True:
        if waiting[player]:  # the outcome of its last stone is known when the other's turn is over
            course[player] = follow[player][course[player], others if setting.counted else 1]
            waiting[player] = False
        cell = np.int64(black[course[0]]) if player == 0 else setting.images[image, white[course[1]]]
        tries += 1
        if stones[1 - player] >> cell & 1:
            course[player] = follow[player][course[player], 0]
            if not setting.abrupt:
                continue
        else:
            if setting.winning[player, stones[player]] >> cell & 1:
                return 2 - 2 * player
            stones[player] |= 1 << cell
            if stones[0] | stones[1] == setting.full:
                return 1
            waiting[player] = True
        player, tries, others = 1 - player, 0, tries


@kernel
def fill_points(setting, blacks, whites, row, column, points):
    """Write the half points of all pairs beyond those of the first rows and columns, summed over the symmetries."""
    for i in range(len(blacks)):
        for j in range(column if i < row else 0, len(whites)):
            points[i, j] = 0
            for image in range(len(setting.images)):
                points[i, j] += half_points(setting, blacks[i], whites[j], image)


def least_image(setting: Setting, plan: np.ndarray) -> np.ndarray:
    """The image of a plan that is the first of all in the order of the dictionary."""
    images = [np.where(plan >= 0, moved[plan], plan).astype(np.int8) for moved in setting.images]
    return min(images, key=lambda image: image.tobytes())
