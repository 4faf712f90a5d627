"""Decision whether Black has a sure win at phantom ponnuki, by AND-OR search over beliefs with learned refutations.

A belief is (own, worlds) as in `beliefs`, with Black to move. Three facts make the search small:

- A belief is lost if one of its worlds is lost with perfect information, or if it contains a lost belief. A belief
  inside a won one is won.
- Of a lost belief, some worlds suffice: the core. Only cores are stored, so each refutes many other beliefs.
- Suppose that a try wins wherever it is legal. Then the belief is won if and only if the worlds in which the try is
  illegal are won. So a belief is lost if and only if it contains a core that *legal* stones alone cannot win:

      lost(own, core) = for every cell at which a stone is legal in some world of the core, White wins one of these
                        worlds with perfect information, or their worlds after any reply contain another lost core

The cores of a refutation are its certificate; `proofs.checkers.refutation` checks it with independent code.

The perfect-information solver captures if it can, answers atari only where that saves all chains, and never plays into
atari. It tries first the cells that put chains into atari, then those beside chains with few liberties.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import inlined, kernel, ones
from ...games.boards.board import Board, outline, spread
from ..proofs.checkers.primitives import Bounds, digest_of
from ..proofs.checkers.refutation import FORMAT, RefutationCertificate, lower_bound, upper_bound
from .beliefs import Beliefs, permute

MAX_CELLS = 36  # a set of cells, shifted by a row, fits an int64
SLOTS = 1 << 20  # positions in the table of the perfect-information solver: 17 MiB; a new one replaces the old one
FRESH_SLOTS = 1 << 12  # positions in the table for White's easiest replies
HASH_OWN, HASH_OTHER, HASH_SHIFT = -7046029254386353131, -4417276706812531889, 40  # factors of xxHash64; mixed bits
CELLS, COLUMNS, LEFT, RIGHT, FULL = range(5)  # fields of the kernels' record of a board
LOST, WON = 0, 1
NONE, UNDECIDED = -1, -2
CAPTURE = -1  # instead of a number of moves: the player to move captures
# Ranks of moves: a chain put into atari, each liberty below FEW that another chain has left (1.2 of 27 million visits
# for C1 on 5x5 without it), and each liberty of the new chain.
ATARI, TIGHT, FEW = 64, 2, 8
FIRST_VISITS, GROWTH = 4, 4  # visits per world in the first round of a search for a lost one, and their growth
EASY_VISITS = 32  # visits up to which the checker finds White's moves itself
# Visits per world after Black's first stone, before the belief behind it is searched, and to refute another try.
SMALL_VISITS = 256
MAX_VISITS = 10**9  # default limit: some 5 CPU minutes


@inlined
def liberties(stone, stones, empty, columns, left, right, full):
    """Return the chain of a stone and its liberties."""
    chain = stone
    while True:
        reached = spread(chain, columns, left, right, full)
        longer = chain | (reached & stones)
        if longer == chain:
            return chain, reached & empty
        chain = longer


@inlined
def last_liberties(stones, empty, columns, left, right, full):
    """Return the liberties of all chains in atari."""
    found = 0
    while stones:
        chain, free = liberties(stones & -stones, stones, empty, columns, left, right, full)
        stones &= ~chain
        if free & (free - 1) == 0:
            found |= free
    return found


@kernel
def rate_move(own, other, bit, columns, left, right, full):
    """Return the rank of a move without capture, or NONE if its chain would be in atari."""
    empty = full & ~(own | other | bit)
    _, free = liberties(bit, own | bit, empty, columns, left, right, full)
    if free & (free - 1) == 0:
        return NONE
    rank, beside = ones(free), spread(bit, columns, left, right, full) & other
    while beside:
        chain, free = liberties(beside & -beside, other, empty, columns, left, right, full)
        beside &= ~chain
        if free & (free - 1) == 0:
            rank += ATARI
        else:
            rank += TIGHT * max(0, FEW - ones(free))
    return rank


@kernel
def list_moves(ground, own, other, out):
    """Write the moves that do not lose at once, best first; return their number, or CAPTURE."""
    columns, left, right, full = ground[COLUMNS], ground[LEFT], ground[RIGHT], ground[FULL]
    empty = full & ~(own | other)
    if last_liberties(other, empty, columns, left, right, full):
        return CAPTURE
    danger = last_liberties(own, empty, columns, left, right, full)
    if danger & (danger - 1):
        return 0  # one stone cannot save two chains
    cells, count = danger if danger else empty, 0
    while cells:
        bit = cells & -cells
        cells ^= bit
        rank = rate_move(own, other, bit, columns, left, right, full)
        if rank >= 0:
            at = count
            while at > 0 and out[at - 1] >> MAX_CELLS < rank:
                out[at] = out[at - 1]
                at -= 1
            out[at] = (rank << MAX_CELLS) | bit
            count += 1
    for k in range(count):
        out[k] &= full
    return count


@inlined
def image_of(stones, shift):
    """Return the image of a set of cells, stone by stone (`beliefs.permute` is for any number of stones)."""
    out = 0
    while stones:
        low = stones & -stones
        out |= 1 << shift[ones(low - 1)]
        stones ^= low
    return out


@kernel
def find_slot(shifts, own, other, keys, key):
    """Write the smallest image of a position into `key`, and return its slot."""
    key[0], key[1] = own, other
    for s in range(len(shifts)):
        image = image_of(own, shifts[s])
        if image <= key[0]:
            second = image_of(other, shifts[s])
            if image < key[0] or second < key[1]:
                key[0], key[1] = image, second
    mixed = key[0] * np.int64(HASH_OWN) + key[1] * np.int64(HASH_OTHER)
    return (mixed ^ (mixed >> HASH_SHIFT)) & (len(keys) - 1)


@kernel
def perfect_outcome(ground, shifts, own, other, keys, values, visits, most):
    """Return LOST or WON for the player to move with perfect information, or UNDECIDED after `most` visits.

    Depth-first search with a transposition table; `visits` counts positions. At each depth of the stack, `done` is the
    number of moves tried so far, and `slots` has the position's slot and canonical form.
    """
    cells = ground[CELLS]
    mine, theirs = np.zeros(cells + 2, np.int64), np.zeros(cells + 2, np.int64)
    moves, counts = np.zeros((cells + 2, cells), np.int64), np.zeros(cells + 2, np.int64)
    done, slots, key = np.zeros(cells + 2, np.int64), np.zeros((cells + 2, 3), np.int64), np.zeros(2, np.int64)
    mine[0], theirs[0] = own, other
    depth, child, entering, last = 0, LOST, True, visits[0] + most
    while depth >= 0:
        if entering:
            visits[0] += 1
            if visits[0] > last:
                return UNDECIDED
            counts[depth] = list_moves(ground, mine[depth], theirs[depth], moves[depth])
            known = counts[depth] <= 0
            if known:
                child = LOST if counts[depth] == 0 else WON
            else:
                at = find_slot(shifts, mine[depth], theirs[depth], keys, key)
                known = keys[at, 0] == key[0] and keys[at, 1] == key[1]
                if known:
                    child = values[at]
            if known:
                depth -= 1
                entering = False
                continue
            slots[depth, 0], slots[depth, 1], slots[depth, 2] = at, key[0], key[1]
            done[depth] = 0
        elif child == LOST or done[depth] == counts[depth]:
            child = WON if child == LOST else LOST
            at = slots[depth, 0]
            keys[at, 0], keys[at, 1] = slots[depth, 1], slots[depth, 2]
            values[at] = child
            depth -= 1
            continue
        mine[depth + 1], theirs[depth + 1] = theirs[depth], mine[depth] | moves[depth, done[depth]]
        done[depth] += 1
        depth += 1
        entering = True
    return child


@kernel
def easiest_loss(ground, shifts, own, worlds, keys, values, visits, most, last):
    """Return the index of a world in which White, to move, wins with perfect information; NONE if there is none.

    The visits per world grow from round to round up to `most`, so that the proof is short. The result is UNDECIDED if
    that is too little, or if there were `last` visits since the beginning.
    """
    settled, budget, left = np.zeros(len(worlds), np.int8), FIRST_VISITS, len(worlds)
    while left and budget <= most and visits[0] < last:
        for k in range(len(worlds)):
            if settled[k] == 0 and visits[0] < last:
                found = perfect_outcome(ground, shifts, worlds[k], own, keys, values, visits, budget)
                if found == WON:
                    return k
                if found == LOST:
                    settled[k] = 1
                    left -= 1
        budget *= GROWTH
    return NONE if left == 0 else UNDECIDED


@kernel
def easiest_reply(ground, shifts, own, other, moves, keys, values, visits):
    """Return White's winning move with the shortest search; 0 if that is easy or a capture.

    White has the stones `other` and wins. `moves` receives its moves. Every search starts with an empty table.
    """
    count, budget = list_moves(ground, other, own, moves), FIRST_VISITS
    if count == CAPTURE:
        return 0
    while True:
        table = keys[: min(budget, len(keys))]
        for k in range(count):
            table[:] = NONE
            if perfect_outcome(ground, shifts, own, other | moves[k], table, values, visits, budget) == LOST:
                return moves[k] if budget > EASY_VISITS else 0
        budget *= 2


@kernel
def map_worlds(worlds, shift, out):
    for k in range(len(worlds)):
        out[k] = image_of(worlds[k], shift)
    out.sort()


Core = frozenset[int]


class SureWin(NamedTuple):
    """The result of a search; the beliefs of a refutation are (own, *worlds), each after those that it needs."""

    won: bool | None  # None: undecided within the limit
    nodes: int  # searched beliefs
    visits: int  # positions visited by the perfect-information solver
    refutation: list[list[int]]

    @property
    def verdict(self) -> str:
        return {None: "undecided", True: "won", False: "refuted"}[self.won]


class LimitReached(Exception):
    """The perfect-information solver has visited as many positions as it may."""


class SureWinSearch:
    """Lost cores and won beliefs of Black on a board, by own stones in canonical orientation."""

    def __init__(self, board: Board, limit: int = MAX_VISITS) -> None:
        if board.cells > MAX_CELLS or not board.name.startswith("ponnuki"):
            raise ValueError(f"sure wins are searched at ponnuki of up to {MAX_CELLS} cells, not at {board.name}")
        left, right, _, _, full = outline(board.rows, board.columns)
        self.board, self.beliefs, self.limit, self.nodes = board, Beliefs(board, 0), limit, 0
        self.lost: dict[int, list[Core]] = {}
        self.won: dict[int, list[Core]] = {}
        self.ground = np.array([board.cells, board.columns, left, right, full], np.int64)
        self._keys, self._values = np.full((SLOTS, 2), NONE, np.int64), np.zeros(SLOTS, np.int8)
        self.visited, self.shifts = np.zeros(1, np.int64), board.symmetries
        self._inverse = [
            int(np.flatnonzero((self.shifts[:, s] == range(board.cells)).all(axis=1))[0]) for s in self.shifts
        ]

    @property
    def visits(self) -> int:
        return int(self.visited[0])

    def core_of(self, own: int, worlds: np.ndarray) -> Core | None:
        """Return worlds that suffice to refute a sure win of Black, to move, or None if there is one."""
        least, turn, *_ = self.canonical(own)
        image = self.image(worlds, turn)
        found, known = self._known(least, frozenset(image.tolist()))
        if not known:
            self.nodes += 1
            found = self._search(least, image)
            self._store(self.won if found is None else self.lost, least, image if found is None else _array(found))
        return found if found is None else frozenset(self.image(_array(found), self._inverse[turn]).tolist())

    def _search(self, own: int, worlds: np.ndarray) -> Core | None:
        """Decide a belief that no stored one decides."""
        single: dict[int, int] = {}  # for each try: a world that refutes it alone
        several: dict[int, np.ndarray] = {}  # or worlds that refute it together
        going: list[tuple[int, int]] = []
        for cell in self.free(own):
            split = self.beliefs.split(own, worlds, cell)
            if len(split.going):
                world = self.easiest(own | 1 << cell, split.going, MAX_VISITS if own else SMALL_VISITS)
                if world is not None:
                    single[cell] = world
                else:
                    going.append((len(split.going) - split.wins, cell))
            elif split.wins:
                return self._core_if_illegal(own, split.illegal)
        for _, cell in sorted(going):
            split = self.beliefs.split(own, worlds, cell)
            after, _ = self.beliefs.after_answer(own | 1 << cell, split.going)
            core = self.core_of(own | 1 << cell, after)
            if core is None:
                return self._core_if_illegal(own, split.illegal)
            several[cell] = self._origins(own | 1 << cell, split.going, core)
        return self._assemble(own, single, several)

    def _core_if_illegal(self, own: int, illegal: np.ndarray) -> Core | None:
        return self.core_of(own, illegal) if len(illegal) else None

    def _origins(self, own: int, worlds: np.ndarray, core: Core) -> np.ndarray:
        """Return worlds whose replies include the core."""
        left, chosen = set(core), list[int]()
        for world in worlds.tolist():
            if any(world & ~after == 0 for after in left):
                after, _ = self.beliefs.after_answer(own, _array([world]))
                chosen += [world] if left & set(after.tolist()) else []
                left -= set(after.tolist())
        return _array(chosen)

    def _assemble(self, own: int, single: dict[int, int], several: dict[int, np.ndarray]) -> Core:
        """Return a small set of worlds that refutes all tries that are legal in one of them."""
        core = {int(world) for worlds in several.values() for world in worlds} or {next(iter(single.values()))}
        growing = True
        while growing:
            growing = False
            for cell, world in single.items():
                going = self.beliefs.split(own, _array(core), cell)
                legal = len(going.going) + going.wins
                if legal and world not in core and self.easiest(own | 1 << cell, going.going, SMALL_VISITS) is None:
                    core.add(world)
                    growing = True
        return frozenset(core)

    # Perfect information

    def easiest(self, own: int, worlds: np.ndarray, most: int = MAX_VISITS) -> int | None:
        """Return a world in which White, to move, wins with perfect information; None if `most` visits find none."""
        table = self._keys, self._values, self.visited
        found = easiest_loss(self.ground, self.shifts, own, worlds, *table, most, self.limit)
        if found == UNDECIDED and self.visits >= self.limit:
            raise LimitReached
        return int(worlds[found]) if found >= 0 else None

    def winning_opening(self) -> int | None:
        """Return Black's first stone that wins with perfect information, from the centre outwards, or None."""
        for cell in sorted((orbit[0] for orbit in self.board.orbits), key=self._distance):
            table = self._keys, self._values, self.visited
            found = perfect_outcome(self.ground, self.shifts, 0, 1 << cell, *table, self.limit - self.visits)
            if found == UNDECIDED:
                raise LimitReached
            if found == LOST:
                return cell
        return None

    def _distance(self, cell: int) -> int:
        """Return the squared distance of a cell from the centre, in halves."""
        row, column = divmod(cell, self.board.columns)
        return (2 * row + 1 - self.board.rows) ** 2 + (2 * column + 1 - self.board.columns) ** 2

    # Symmetry, and beliefs that contain each other

    def free(self, own: int) -> list[int]:
        return [cell for cell in range(self.board.cells) if not own >> cell & 1]

    def canonical(self, own: int) -> tuple[int, ...]:
        """Return the smallest image of a set of stones, and the symmetries that lead to it."""
        images = [int(permute(own, shift)) for shift in self.shifts]
        return min(images), *(turn for turn, image in enumerate(images) if image == min(images))

    def image(self, worlds: np.ndarray, turn: int) -> np.ndarray:
        out = np.empty_like(worlds)
        map_worlds(worlds, self.shifts[turn], out)
        return out

    def _known(self, own: int, worlds: Core) -> tuple[Core | None, bool]:
        for core in self.lost.get(own, ()):
            if core <= worlds:
                return core, True
        return None, any(worlds <= won for won in self.won.get(own, ()))

    def _store(self, table: dict[int, list[Core]], own: int, worlds: np.ndarray) -> None:
        """Store a belief in all orientations that preserve its own stones."""
        images = {frozenset(self.image(worlds, turn).tolist()) for turn in self.canonical(own)[1:]}
        table.setdefault(own, []).extend(sorted(images, key=sorted))


def _array(worlds: "set[int] | Core | list[int]") -> np.ndarray:
    return np.array(sorted(worlds), np.int64)


class RefutationWriter:
    """The beliefs of a refutation, each once up to symmetry and after those that it needs."""

    def __init__(self, search: SureWinSearch) -> None:
        self.search, self.beliefs = search, list[list[int]]()
        self._met: set[tuple[int | str, ...]] = set()
        self._moves = np.zeros(search.board.cells, np.int64)
        self._keys, self._values = np.full((FRESH_SLOTS, 2), NONE, np.int64), np.zeros(FRESH_SLOTS, np.int8)

    def write(self, own: int, worlds: Core) -> None:
        """Write a lost core, after the cores and single worlds that refute its tries."""
        if not self._is_new("Black", own, worlds):
            return
        search = self.search
        for cell in search.free(own):
            going, stones = search.beliefs.split(own, _array(worlds), cell).going, own | 1 << cell
            if not len(going):
                continue
            world = search.easiest(stones, going, MAX_VISITS if own else SMALL_VISITS)
            if world is not None:
                self._write_reply(stones, world)
            else:
                core = search.core_of(stones, search.beliefs.after_answer(stones, going)[0])
                assert core is not None
                self.write(stones, core)
        self.beliefs.append([own, *sorted(worlds)])

    def _is_new(self, mover: str, own: int, worlds: Core) -> bool:
        """True if a belief with that player to move is met for the first time in any orientation."""
        least, *turns = self.search.canonical(own)
        images = {(mover, least, *self.search.image(_array(worlds), turn).tolist()) for turn in turns}
        new = not images & self._met
        self._met |= images
        return new

    def _write_reply(self, own: int, world: int) -> None:
        """Write White's winning reply in a world as a lost belief, unless the checker finds it easily."""
        search = self.search
        if not self._is_new("White", own, frozenset([world])):
            return
        table = self._moves, self._keys, self._values, search.visited
        reply = int(easiest_reply(search.ground, search.shifts, own, world, *table))
        after = world | reply
        if reply and self._is_new("Black", own, frozenset([after])):
            for cell in search.free(own | after):
                if len(search.beliefs.split(own, _array([after]), cell).going):
                    self._write_reply(own | 1 << cell, after)
            self.beliefs.append([own, after])


def find_sure_win(
    board: Board, opening: int | None = None, informed_first: int | None = None, limit: int = MAX_VISITS
) -> SureWin:
    """Decide whether Black wins for sure: in the whole game, or after an opening, or if White's first stone is known.

    `opening` and `informed_first` are cells. The result is undecided after `limit` positions of perfect information.
    """
    search = SureWinSearch(board, limit)
    own, worlds = 0, _array([0])
    if opening is not None:
        own = 1 << opening
        worlds, losses = search.beliefs.after_answer(own, worlds)
        if losses:
            raise ValueError("White captures the first stone: give a board of more than two cells")
    if informed_first is not None:
        if opening is None or 1 << informed_first not in worlds:
            raise ValueError("White's first stone is known only after an opening on another cell: give both")
        worlds = _array([1 << informed_first])
    try:
        core = search.core_of(own, worlds)
    except LimitReached:
        return SureWin(None, search.nodes, search.visits, [])
    if core is None:
        return SureWin(True, search.nodes, search.visits, [])
    nodes, visits = search.nodes, search.visits
    search.limit += MAX_VISITS
    writer = RefutationWriter(search)
    writer.write(own, core)
    return SureWin(False, nodes, visits, writer.beliefs)


def random_play_bounds(board: Board, limit: int = MAX_VISITS) -> tuple[int | None, Bounds]:
    """Return Black's opening that wins with perfect information, and the bounds of Lemma 4 by the winner's random play.

    Black's first stone needs no luck. The bounds are 0 and 1 if `limit` positions do not decide who wins.
    """
    try:
        opening = SureWinSearch(board, limit).winning_opening()
    except LimitReached:
        return None, (Fraction(0), Fraction(1))
    upper = upper_bound(board.cells, [0, 0]) if opening is None else Fraction(1)
    return opening, (lower_bound(board.cells, opening), upper)


def make_refutation(board: Board, found: SureWin, opening: int | None = None) -> RefutationCertificate:
    """Return the certificate of a refuted sure win; `opening` wins with perfect information, if it is given."""
    if not found.refutation:
        raise ValueError("only a refuted sure win has a certificate of refutation")
    body: RefutationCertificate = {
        "format": FORMAT,
        "game": f"phantom-ponnuki-{board.rows}x{board.columns}",
        "lower": str(lower_bound(board.cells, opening)),
        "upper": str(upper_bound(board.cells, found.refutation[-1])),
        "opening": opening,
        "beliefs": found.refutation,
        "digest": "",
    }
    body["digest"] = digest_of(body)
    return body
