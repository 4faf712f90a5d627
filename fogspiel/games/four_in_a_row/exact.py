"""Four in a row solved on small boards: who wins from any position with at most 28 empty places.

The search asks a yes-or-no question of the player to move: can it get at least a draw, or at least a win? It can if
some move leaves an opponent that cannot get the rest, so the two questions take turns from ply to ply. Immediate wins
and forced answers to threats are seen at once, columns are tried from the centre, and a table keeps the answers.
That the first player wins on the full 6 x 7 board by the centre column is an established result (Allis 1988; Allen
1988), which is not computed here.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...core.agents import REDRAWN, ParametricPolicy
from ...core.compile.kernel import kernel
from ...core.game import UNIFORM, Game
from ...core.session import replay
from ..boards.columns import drop_row, four_aligned, is_full, open_columns
from .rules import COLUMNS, RESULT, ROWS, STONES

HALF = Fraction(1, 2)
MOST_EMPTY = 28
TABLE_BITS = 22
AT_LEAST_A_DRAW, A_WIN = 1, 2  # the two questions, in half points
MULTIPLIER = 0x9E3779B1  # scatters positions over the table


@kernel
def wins_at_once(rows, columns, own, taken):
    """The set of the columns that win at once for the owner of `own`."""
    found = 0
    for column in range(columns):
        if not is_full(rows, taken, column) and four_aligned(rows, own | drop_row(rows, taken, column)):
            found |= 1 << column
    return found


@kernel
def candidates(rows, columns, own, taken):
    """The columns worth a search if none wins at once: all open ones, the answer to a threat, or none to two."""
    threats = wins_at_once(rows, columns, taken ^ own, taken)
    if threats == 0:
        return open_columns(rows, columns, taken)
    return threats if threats & (threats - 1) == 0 else 0


@kernel
def can_get(rows, columns, root_own, root_taken, root_need, order, table):
    """True if the player to move, who owns `root_own`, gets at least `root_need` half points from an open position.

    Depth first without recursion: `left` has the columns still to try, and `yes` is the answer of the ply below.
    The table keeps twice the position plus yes or no; own stones plus all stones tell positions apart.
    """
    places, stones = rows * columns, 0
    for bit in range((rows + 1) * columns):
        stones += root_taken >> bit & 1
    plies = places - stones + 1
    own, taken, left = np.zeros(plies, np.int64), np.zeros(plies, np.int64), np.zeros(plies, np.int64)
    own[0], taken[0] = root_own, root_taken
    ply, arriving, yes = 0, True, False
    while True:
        key = own[ply] + taken[ply] + 1
        slot = key * MULTIPLIER >> 7 & (len(table) - 1)
        known = False
        if arriving:
            need = root_need if ply % 2 == 0 else 3 - root_need
            known = True
            if stones + ply == places:
                yes = need == AT_LEAST_A_DRAW
            elif wins_at_once(rows, columns, own[ply], taken[ply]):
                yes = True
            elif table[slot] >> 1 == key:
                yes = table[slot] & 1 == 1
            else:
                known, yes = False, False
                left[ply] = candidates(rows, columns, own[ply], taken[ply])
        if not known and (yes or left[ply] == 0):
            table[slot] = 2 * key + int(yes)
            known = True
        arriving = not known
        if known:
            if ply == 0:
                return yes
            ply -= 1
            yes = not yes
            continue
        column, i = order[0], 0
        while left[ply] >> column & 1 == 0:
            i += 1
            column = order[i]
        left[ply] ^= 1 << column
        own[ply + 1] = own[ply] ^ taken[ply]
        taken[ply + 1] = taken[ply] | drop_row(rows, taken[ply], column)
        ply += 1


class Solver:
    """The answers for one board; positions are the columns played so far, from 0 on the left."""

    def __init__(self, game: Game):
        if not game.name.startswith("four-in-a-row"):
            raise ValueError(f"{game.name} is not four in a row: take four-in-a-row or one of its boards")
        self.game = game
        start = next(replay(game, [])).state
        self.rows, self.columns = int(start[ROWS]), int(start[COLUMNS])
        centre = sorted(range(self.columns), key=lambda column: abs(2 * column - self.columns + 1))
        self._order = np.array(centre, np.int64)
        self._tables: dict[int, np.ndarray] = {}

    def value(self, moves: Sequence[int] = ()) -> Fraction:
        """Return the first player's score after these moves under perfect play."""
        state = list(replay(self.game, list(moves)))[-1].state
        if state[RESULT] >= 0:
            return Fraction(int(state[RESULT]), 2)
        empty = self.rows * self.columns - len(moves)
        if empty > MOST_EMPTY:
            raise ValueError(
                f"{self.game.name} has {empty} empty places after {len(moves)} moves: "
                f"positions with at most {MOST_EMPTY} of them are solved"
            )
        own, taken = state[STONES + len(moves) % 2], state[STONES] | state[STONES + 1]
        points = 0  # of the player to move
        for need in (AT_LEAST_A_DRAW, A_WIN):
            first_needs = need if len(moves) % 2 == 0 else 3 - need  # the answers hold for this question only
            table = self._tables.setdefault(first_needs, np.zeros(1 << TABLE_BITS, np.int64))
            points += bool(can_get(self.rows, self.columns, own, taken, need, self._order, table))
        return Fraction(points if len(moves) % 2 == 0 else 2 - points, 2)

    def values(self, moves: Sequence[int] = ()) -> dict[int, Fraction]:
        """Return the first player's score after each possible next move under perfect play."""
        actions = list(replay(self.game, list(moves)))[-1].actions
        return {column: self.value([*moves, column]) for column in actions}


def exact_score(game: Game, first: ParametricPolicy, second: ParametricPolicy) -> Fraction:
    """The exact score of a player against one of the same kind: other pairs are not known."""
    alike = first.strategy is second.strategy and first.how == second.how
    if alike and (first.how == REDRAWN or first.strategy is UNIFORM or first.theta == second.theta is not None):
        return HALF
    raise ValueError(
        f"the exact score of {first.name} against {second.name} is not known: play games instead of --exact"
    )
