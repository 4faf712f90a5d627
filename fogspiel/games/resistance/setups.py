"""The set-ups of The Resistance: plain numbers, so that the independent checker can read them without the solvers."""

from typing import NamedTuple

VERSION = 1
"""The version of the rules, and so of the games and of the certificates."""


class Setup(NamedTuple):
    """How many play, and what the missions are; `needed` sabotages give the spies the point of a mission."""

    players: int
    spies: int
    sizes: tuple[int, ...]
    needed: tuple[int, ...]
    points: int = 3
    """Who has this many points first wins; there are 2 points - 1 missions."""

    @property
    def rounds(self) -> int:
        return len(self.sizes)


LARGE = (3, 4, 4, 5, 5)
TWO_IN_THE_FOURTH = (1, 1, 1, 2, 1)

SETUPS = {
    5: Setup(5, 2, (2, 3, 2, 3, 3), (1, 1, 1, 1, 1)),
    6: Setup(6, 2, (2, 3, 4, 3, 4), (1, 1, 1, 1, 1)),
    7: Setup(7, 3, (2, 3, 3, 4, 4), TWO_IN_THE_FOURTH),
    8: Setup(8, 3, LARGE, TWO_IN_THE_FOURTH),
    9: Setup(9, 3, LARGE, TWO_IN_THE_FOURTH),
    10: Setup(10, 4, LARGE, TWO_IN_THE_FOURTH),
    11: Setup(11, 4, LARGE, TWO_IN_THE_FOURTH),
    12: Setup(12, 4, LARGE, TWO_IN_THE_FOURTH),
    13: Setup(13, 5, LARGE, TWO_IN_THE_FOURTH),
}
"""The official set-ups for 5 to 10 players, and the missions of 8 to 10 players for 11 to 13, who have none."""
