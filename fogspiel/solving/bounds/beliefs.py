"""Beliefs of a phantom player: its own stones, and all possible stone sets of the opponent.

A belief is (own, worlds): `own` is a set of cells as the bits of an integer, `worlds` a sorted int64 array of such
sets, one for each possible placement of the opponent's stones when the player is to move. A try splits the worlds:
where it is illegal the player stays on move with fewer worlds, where it wins the game is over, and where the game
continues the opponent answers unseen. A try reveals nothing else, so own stones and worlds are a sufficient statistic.

For example, White's first belief on a board of 2x2 cells is (0, [1, 2, 4, 8]). A try of cell 0 leaves (0, [1]) if it is
illegal; if it stays, the worlds are 2, 4 and 8 until Black answers.
"""

from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import CELLS as NUMBERS
from ...core.compile.kernel import NOTHING, NUMBER, TABLE, Kernel, compiled, inlined, kernel, kernel_of
from ...games.boards.board import DRAWS, FATE, GOES_ON, ILLEGAL, WINS, Board, outline, spread

EMPTY = -1  # an empty slot of a hash table
# Fibonacci hashing: 2**64 over the golden ratio, and the position of the well mixed bits of the product.
HASH_FACTOR, HASH_SHIFT = -7046029254386353131, 17
LOST, DRAWN, WON = 0, 1, 2
FIRST_ROOM = 1 << 12  # initial slots of a hash table
FULL = -2  # returned by a kernel whose table has become too small
# Fields of the kernels' record of a board, whose rule (`fate`) is an argument of its own.
CELLS, COLUMNS, LEFT, RIGHT, WHOLE = range(5)
OUTCOMES = 4  # a try is illegal, continues, wins, or ends the game otherwise: ILLEGAL .. DRAWS, which are -1 .. 2.


class Split(NamedTuple):
    """The worlds after a try: where it is illegal, where the game continues, and how many it wins at once."""

    illegal: np.ndarray
    going: np.ndarray
    wins: int


@inlined
def home_of(table, key):
    """Return the first slot of a key in an open-addressing table."""
    return ((key * np.int64(HASH_FACTOR)) >> HASH_SHIFT) & (len(table) - 1)


@kernel
def slot_of(table, key):
    """Return the slot of a key in an open-addressing table, or the free slot where it belongs."""
    mask = len(table) - 1
    at = home_of(table, key)
    while table[at] != EMPTY and table[at] != key:
        at = (at + 1) & mask
    return at


def ground_of(board: Board) -> np.ndarray:
    left, right, _, _, full = outline(board.rows, board.columns)
    return np.array([board.cells, board.columns, left, right, full], np.int64)


def rule_of(board: Board) -> Kernel:
    """Return the rule of a board, compiled to be an argument of kernels."""
    return compiled(board.fate, FATE)


@kernel_of(NUMBER, FATE, NUMBERS, NUMBER, NUMBER, NUMBERS, NUMBER, NUMBERS)
def outcomes_of_try(fate, ground, player, own, worlds, cell, out):
    """Write the outcome of a try in each world; return the number of worlds it wins."""
    wins = 0
    for k in range(len(worlds)):
        out[k] = fate(player, own, worlds[k], cell)
        if out[k] == WINS:
            wins += 1
    return wins


@kernel_of(NOTHING, FATE, NUMBERS, NUMBER, NUMBER, NUMBERS, TABLE)
def tally_outcomes(fate, ground, player, own, worlds, out):
    """Write for each cell in how many worlds a try there is illegal, continues, wins, ends the game otherwise."""
    for cell in range(len(out)):
        for kind in range(OUTCOMES):
            out[cell, kind] = 0
        for k in range(len(worlds)):
            out[cell, min(fate(player, own, worlds[k], cell), DRAWS) - ILLEGAL] += 1


@kernel
def count_contacts(ground, worlds, out):
    """Write for each cell the number of adjacent opponent's stones, summed over the worlds."""
    for cell in range(len(out)):
        out[cell] = 0
        beside = spread(1 << cell, ground[COLUMNS], ground[LEFT], ground[RIGHT], ground[WHOLE])
        for k in range(len(worlds)):
            touched = beside & worlds[k]
            while touched:
                touched &= touched - 1
                out[cell] += 1


@kernel_of(NUMBER, FATE, NUMBERS, NUMBER, NUMBER, NUMBERS, NUMBERS, NUMBERS)
def unseen_answers(fate, ground, player, own, worlds, table, out):
    """Write the worlds after any move of the opponent that does not end the game; in how many it can win or draw.

    Return the number of worlds, or FULL if the table (empty before and after) is too small.
    """
    count, losses, cells = 0, 0, ground[CELLS]
    for k in range(len(worlds)):
        losing = False
        for cell in range(cells):
            outcome = fate(1 - player, worlds[k], own, cell)
            if outcome in (WINS, DRAWS):
                losing = True
            elif outcome == GOES_ON:
                world = worlds[k] | (1 << cell)
                at = slot_of(table, world)
                if table[at] == EMPTY and 2 * count < len(table):
                    table[at] = world
                    out[count] = world
                    count += 1
        losses += losing
    full = 2 * count >= len(table)
    for k in range(count):  # everything between a key and its home slot is cleared with it or before it
        at = home_of(table, out[k])
        while table[at] != EMPTY:
            table[at] = EMPTY
            at = (at + 1) & (len(table) - 1)
    if full:
        return FULL
    out[:count].sort()
    out[count] = losses
    return count


@kernel_of(NOTHING, FATE, NUMBERS, NUMBER, NUMBER, NUMBER, NUMBERS)
def decided_cells(fate, ground, player, own, other, out):
    """Write the cells at which a try is illegal, and those at which it wins."""
    out[0], out[1] = 0, 0
    for cell in range(ground[CELLS]):
        outcome = fate(player, own, other, cell)
        if outcome == ILLEGAL:
            out[0] |= 1 << cell
        elif outcome == WINS:
            out[1] |= 1 << cell


@kernel_of(NUMBER, FATE, NUMBERS, NUMBER, NUMBER, NUMBER, NUMBERS, NUMBERS, NUMBERS, NUMBER)
def perfect_outcome(fate, ground, player, own, other, keys, outcomes, used, most):
    """Return LOST, DRAWN or WON for the player to move with perfect information, or FULL beyond `most` visits.

    Depth-first search with a transposition table. `used` counts the positions in the table, which must have space for
    `most` more. At each depth of the stack, `tried` is the cell whose position is being searched, or EMPTY on entry.
    """
    depth, visits, child, cells = 0, 0, LOST, ground[CELLS]
    mine, theirs = np.zeros(cells + 2, np.int64), np.zeros(cells + 2, np.int64)
    tried, best = np.zeros(cells + 2, np.int64), np.zeros(cells + 2, np.int64)
    mine[0], theirs[0] = own, other
    tried[0] = EMPTY
    while depth >= 0:
        mover = player ^ (depth & 1)
        key = (((mine[depth] << cells) | theirs[depth]) << 1) | mover
        if tried[depth] == EMPTY:
            at = slot_of(keys, key)
            if keys[at] == key:
                child = outcomes[at]
                depth -= 1
                continue
            visits += 1
            if visits > most:
                return FULL
            best[depth] = LOST
            tried[depth] = 0
            for cell in range(cells):
                if fate(mover, mine[depth], theirs[depth], cell) == WINS:
                    best[depth] = WON
        else:
            best[depth] = max(best[depth], WON - child)
            tried[depth] += 1
        cell = tried[depth]
        while cell < cells and best[depth] < WON:
            outcome = fate(mover, mine[depth], theirs[depth], cell)
            if outcome == DRAWS:
                best[depth] = max(best[depth], DRAWN)
            elif outcome == GOES_ON:
                break
            cell += 1
        if cell == cells or best[depth] == WON:
            at = slot_of(keys, key)
            keys[at] = key
            outcomes[at] = best[depth]
            used[0] += 1
            child = best[depth]
            depth -= 1
        else:
            tried[depth] = cell
            mine[depth + 1] = theirs[depth]
            theirs[depth + 1] = mine[depth] | (1 << cell)
            depth += 1
            tried[depth] = EMPTY
    return child


@kernel_of(NUMBER, FATE, NUMBERS, NUMBER, NUMBER, NUMBERS, NUMBER, NUMBERS, NUMBERS, NUMBERS, NUMBER)
def first_not_won(fate, ground, player, own, worlds, start, keys, outcomes, used, most):
    """Return the first world from `start` on not known to be won, while the table can take `most` more positions."""
    for k in range(start, len(worlds)):
        if 2 * (used[0] + most) > len(keys):
            return k
        if perfect_outcome(fate, ground, player, own, worlds[k], keys, outcomes, used, most) != WON:
            return k
    return len(worlds)


@kernel
def permute(stones, shift):
    out = 0
    for cell in range(len(shift)):
        out |= ((stones >> cell) & 1) << shift[cell]
    return out


@kernel
def smallest_image(own, worlds, shifts, image, best):
    """Write the smallest image of a belief into `best`, worlds sorted, and return the permutation that gives it.

    Own stones come first, then the worlds in lexicographic order; `image` is workspace.
    """
    count, chosen, least = len(worlds), -1, 0
    for s in range(len(shifts)):
        stones = permute(own, shifts[s])
        if chosen >= 0 and stones > least:
            continue
        for k in range(count):
            image[k] = permute(worlds[k], shifts[s])
        image[:count].sort()
        smaller = chosen < 0 or stones < least
        if not smaller:
            for k in range(count):
                if image[k] != best[k]:
                    smaller = image[k] < best[k]
                    break
        if smaller:
            chosen, least = s, stones
            for k in range(count):
                best[k] = image[k]
    return chosen


def dominating_try(tally: list[list[int]]) -> int | None:
    """Return the cell of Lemma 3, illegal or winning in every world and winning in some, by a `Beliefs.tally`."""
    return next((cell for cell, (_, going, wins, draws) in enumerate(tally) if wins and not going + draws), None)


class Beliefs:
    """Updates of one player's beliefs on a board by tries and unseen answers."""

    def __init__(self, board: Board, player: int) -> None:
        if player not in (0, 1):
            raise ValueError(f"player {player!r} is not a player: 0 is Black, 1 is White")
        self.board, self.player, self.cells = board, player, board.cells
        self._rule = rule_of(board), ground_of(board)
        self._table = np.full(FIRST_ROOM, EMPTY, np.int64)
        self._out = np.zeros(FIRST_ROOM, np.int64)
        self._tally = np.zeros((board.cells, OUTCOMES), np.int64)
        self._pair, self._contacts = np.zeros(2, np.int64), np.zeros(board.cells, np.int64)
        self._looks: dict[tuple[int, int, int], tuple[int, int]] = {}

    @property
    def start(self) -> np.ndarray:
        """The worlds at the player's first turn: nothing for Black, one stone wherever it may begin for White."""
        nothing = np.array([0], np.int64)
        return nothing if self.player == 0 else self.after_answer(0, nothing)[0]

    def split(self, own: int, worlds: np.ndarray, cell: int) -> Split:
        outcomes = np.empty(len(worlds), np.int64)
        wins = outcomes_of_try(*self._rule, self.player, own, worlds, cell, outcomes)
        return Split(worlds[outcomes == ILLEGAL], worlds[(outcomes == GOES_ON)], int(wins))

    def tally(self, own: int, worlds: np.ndarray) -> list[list[int]]:
        tally_outcomes(*self._rule, self.player, own, worlds, self._tally)
        return list(self._tally.tolist())

    def contacts(self, worlds: np.ndarray) -> list[int]:
        count_contacts(self._rule[1], worlds, self._contacts)
        return list(self._contacts.tolist())

    def after_answer(self, own: int, worlds: np.ndarray) -> tuple[np.ndarray, int]:
        """Return the worlds at the next turn after any unseen answer, and in how many the opponent can win or draw."""
        while True:
            count = unseen_answers(*self._rule, self.player, own, worlds, self._table, self._out)
            if count != FULL:
                return self._out[:count].copy(), int(self._out[count])
            self._table = np.full(4 * len(self._table), EMPTY, np.int64)
            self._out = np.zeros(len(self._table), np.int64)

    def look(self, player: int, own: int, other: int) -> tuple[int, int]:
        """Return the cells at which a try of that player is illegal, and those at which it wins, as bits."""
        found = self._looks.get((player, own, other))
        if found is None:
            decided_cells(*self._rule, player, own, other, self._pair)
            found = self._looks[player, own, other] = int(self._pair[0]), int(self._pair[1])
        return found


class PerfectInformation:
    """The perfect-information game of a board, solved on demand and cached."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._rule = rule_of(board), ground_of(board)
        self._keys = np.full(FIRST_ROOM, EMPTY, np.int64)
        self._outcomes = np.zeros(FIRST_ROOM, np.int64)
        self._used = np.zeros(1, np.int64)

    @property
    def positions(self) -> int:
        return int(self._used[0])

    @property
    def bytes(self) -> int:
        return self._keys.nbytes + self._outcomes.nbytes

    def outcome(self, player: int, own: int, other: int, visits: int | None = None) -> int | None:
        """Return LOST, DRAWN or WON for the player to move; None if that takes more than `visits` new positions."""
        step = FIRST_ROOM
        while True:
            step = step if visits is None else min(step, visits)
            self._make_room(step)
            found = perfect_outcome(*self._rule, player, own, other, self._keys, self._outcomes, self._used, step)
            if found != FULL:
                return int(found)
            if step == visits:
                return None
            step *= 4

    def all_won(self, player: int, own: int, worlds: np.ndarray, visits: int | None = None) -> bool:
        """True if the player to move is shown to win every world with perfect information within `visits` each."""
        start = 0
        while True:
            step = FIRST_ROOM if visits is None else visits
            self._make_room(2 * step)
            table = self._keys, self._outcomes, self._used
            start = first_not_won(*self._rule, player, own, worlds, start, *table, step)
            if start == len(worlds):
                return True
            if self.outcome(player, own, int(worlds[start]), visits) not in (WON, None):
                return False
            start += 1

    def fill(self, work: Kernel, *about: object, visits: int, out: np.ndarray) -> None:
        """Let a kernel write outcomes of many positions, and enlarge the table whenever it is too small."""
        self._make_room(2 * visits)
        while not work(*self._rule, *about, self._keys, self._outcomes, self._used, visits, out):
            self._make_room(2 * visits)

    def _make_room(self, more: int) -> None:
        """Grow the table so that `more` positions fit at half load."""
        size = len(self._keys)
        while 2 * (self.positions + more) > size:
            size *= 2
        if size > len(self._keys):
            kept = self._keys != EMPTY
            keys, outcomes = self._keys[kept], self._outcomes[kept]
            self._keys, self._outcomes = np.full(size, EMPTY, np.int64), np.zeros(size, np.int64)
            refill(keys, outcomes, self._keys, self._outcomes)


@kernel
def refill(keys, outcomes, table, values):
    for k in range(len(keys)):
        at = slot_of(table, keys[k])
        table[at] = keys[k]
        values[at] = outcomes[k]
