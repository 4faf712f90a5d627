"""The abrupt variant, in which a failed try ends the turn: regret minimisation that never writes the game down.

A private history is here the list of the tries with their outcomes, and no order can be forgotten: phantom tic-tac-toe
has 13.5 thousand million histories, too many for a matrix. But strategies are sparse, so PCFR+ (as in `regrets`)
updates a player by one depth-first walk through all that he may do, and carries along the opponents that he may be
facing, of whom only those with positive weight count. What no walk has reached does not exist; a player without regrets
follows a rule of thumb. The same walk yields the best answer to the opponent, and so the bounds.

Histories are kept up to symmetry, as in `histories`: a node is a player's turn, in the frame of its representative.
"""

import zlib
from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..core.kernel import inlined, kernel
from ..solve.routes import Progress
from .histories import geometry, size_of

MOST_NODES, MOST_WORLDS = 1 << 22, 1 << 23
HEADER, NODE_BYTES, TRY_BYTES = 8, 5 * 4, 3 * 4 + 2 * 8
"""A saved state has a header of so many numbers, then so many bytes for each node and each try."""


class Memory(NamedTuple):
    """What a player has met so far."""

    nodes: np.ndarray
    """A row for each of his turns: see the columns below."""
    tries: np.ndarray
    """A row for each cell he may try at a node: the cell, the node if the stone stays, the node if the try fails."""
    regret: np.ndarray
    behaviour: np.ndarray
    sizes: np.ndarray
    """How many nodes and tries there are."""


STONES, KNOWN, KEEPING, FIRST, COUNT = range(5)
CELL, STAYS, FAILS = range(3)
NOT_MET = -1
SAVED_EVERY = 10


class Walk(NamedTuple):
    """Room for a walk. A world is an opponent: his node, the twist from the board to its frame, stones, and weight."""

    who: np.ndarray
    twist: np.ndarray
    stones: np.ndarray
    weight: np.ndarray
    frames: np.ndarray
    values: np.ndarray
    """For each frame and try: its worth by the old behaviour, by the new one, and if answered best."""
    totals: np.ndarray
    """For each frame the same for the whole node."""


class Rules(NamedTuple):
    """The board: where symmetries take sets, their inverses and products, and the cells that win."""

    image: np.ndarray
    product: np.ndarray
    inverse: np.ndarray
    wins: np.ndarray
    cells: int


NODE, BEGIN, END, TRY, STAGE, TOP, OWN = range(7)
ENTERED, STAYED, FAILED = range(3)


@inlined
def thumb(rules, player, own, known, cell):
    """How good a cell looks: it wins, it stops the stones one knows of, it makes threats."""
    taken = own | known
    if rules.wins[player, own] >> cell & 1:
        return 300
    stops = 100 if rules.wins[1 - player, known] >> cell & 1 else 0
    return stops + size_of(rules.wins[player, own | 1 << cell] & ~taken)


@kernel
def walk_pairs(memory, rules, player, stones, known, keeping):
    """A new node; its player follows the rule of thumb. Returns its number, or -1 if there is no room."""
    nodes, tries, sizes = memory.nodes, memory.tries, memory.sizes
    node, first = sizes[0], sizes[1]
    if node == len(nodes) or first + rules.cells > len(tries):
        return NOT_MET
    best, looks = first, -1
    for cell in range(rules.cells):
        bit, least = 1 << cell, True
        if (stones | known) & bit:
            continue
        for g in range(1, len(rules.image)):
            if keeping >> g & 1 and rules.image[g, bit] < bit:
                least = False
        if least:
            new = sizes[1]
            tries[new, CELL], tries[new, STAYS], tries[new, FAILS] = cell, NOT_MET, NOT_MET
            memory.regret[new], memory.behaviour[new] = 0.0, 0.0
            sizes[1] += 1
            look = thumb(rules, player, stones, known, cell)
            if look > looks:
                best, looks = new, look
    memory.behaviour[best] = 1.0
    nodes[node, STONES], nodes[node, KNOWN], nodes[node, KEEPING] = stones, known, keeping
    nodes[node, FIRST], nodes[node, COUNT] = first, sizes[1] - first
    sizes[0] += 1
    return node


@kernel
def after(memory, rules, player, node, attempt, fails):
    """The node after a try that stays or fails, made if it is met for the first time."""
    column = FAILS if fails else STAYS
    if memory.tries[attempt, column] == NOT_MET:
        bit = 1 << memory.tries[attempt, CELL]
        stones, known, keeping = memory.nodes[node, STONES], memory.nodes[node, KNOWN], 0
        for g in range(len(rules.image)):
            if memory.nodes[node, KEEPING] >> g & 1 and rules.image[g, bit] == bit:
                keeping |= 1 << g
        if fails:
            known |= bit
        else:
            stones |= bit
        memory.tries[attempt, column] = walk_pairs(memory, rules, player, stones, known, keeping)
    return memory.tries[attempt, column]


@kernel
def opponent_turn(walk, other, rules, player, world, own, top, gains):
    """The opponent of a world tries: worlds where the game goes on are added at `top`; returns the new top, or -1."""
    node, twist, stones, weight = walk.who[world], walk.twist[world], walk.stones[world], walk.weight[world]
    opponent = 1 - player
    everywhere = (1 << rules.cells) - 1
    keeping = other.nodes[node, KEEPING]
    first = other.nodes[node, FIRST]
    back = rules.inverse[twist]
    for attempt in range(first, first + other.nodes[node, COUNT]):
        if other.behaviour[attempt] == 0.0:
            continue
        bit = 1 << other.tries[attempt, CELL]
        orbit = bit
        if keeping > 1:
            for g in range(1, len(rules.image)):
                orbit |= rules.image[g, bit] if keeping >> g & 1 else 0
        share = weight * other.behaviour[attempt] / size_of(orbit)
        for g in range(len(rules.image) if keeping > 1 else 1):
            # g takes the representative to a member of its orbit, so its inverse takes the member back
            member = rules.image[g, bit]
            if not keeping >> g & 1 or not orbit & member:
                continue
            orbit &= ~member
            actual = rules.image[back, member]
            fails = own & actual != 0
            now = stones if fails else stones | actual
            if not fails:
                if rules.wins[opponent, stones] & actual:
                    gains[0] += share if opponent == 0 else -share
                    continue
                if now | own == everywhere:
                    continue
            following = other.tries[attempt, FAILS if fails else STAYS]
            if following == NOT_MET:
                following = after(other, rules, opponent, node, attempt, fails)
            if top == len(walk.who) or following == NOT_MET:
                return -1
            walk.who[top], walk.stones[top], walk.weight[top] = following, now, share
            walk.twist[top] = twist if g == 0 else rules.product[rules.inverse[g], twist]
            top += 1
    return top


@kernel
def settle(walk, mine, node, depth, sign):
    """Update the regrets and the behaviour of a node whose tries have all been walked."""
    first, count = mine.nodes[node, FIRST], mine.nodes[node, COUNT]
    values, totals = walk.values[depth], walk.totals[depth]
    mean, hoped, best = 0.0, 0.0, -np.inf
    for k in range(count):
        mean += mine.behaviour[first + k] * values[k, 0]
        hoped += mine.behaviour[first + k] * values[k, 1]
        best = max(best, sign * values[k, 2])
    total = 0.0
    for k in range(count):
        s = first + k
        mine.regret[s] = max(mine.regret[s] + sign * (values[k, 0] - mean), 0.0)
        total += max(mine.regret[s] + sign * (values[k, 1] - hoped), 0.0)
    totals[0], totals[1], totals[2] = mean, 0.0, sign * best
    for k in range(count):
        s = first + k
        if total > 0.0:  # else he stays with what he does
            mine.behaviour[s] = max(mine.regret[s] + sign * (values[k, 1] - hoped), 0.0) / total
        totals[1] += mine.behaviour[s] * values[k, 1]


@kernel
def step(walk, mine, other, rules, player, gains):
    """One player's update by a walk through all he may do; the best answer comes to gains[1]; returns whether it fits.

    Worth is what Black gets above a draw, in halves.
    """
    sign = 1.0 - 2.0 * player
    everywhere = (1 << rules.cells) - 1
    frames, values, totals = walk.frames, walk.values, walk.totals
    walk.who[0], walk.twist[0], walk.stones[0], walk.weight[0] = 0, 0, 0, 1.0
    begin, top = 0, 1
    gains[0] = 0.0
    if player == 1:
        begin = 1
        top = opponent_turn(walk, other, rules, player, 0, 0, 1, gains)
    frames[0, NODE], frames[0, BEGIN], frames[0, END], frames[0, TOP] = 0, begin, top, top
    frames[0, TRY], frames[0, STAGE], frames[0, OWN] = 0, ENTERED, 0
    depth = 0
    while True:
        node, k = frames[depth, NODE], frames[depth, TRY]
        if k == mine.nodes[node, COUNT]:
            settle(walk, mine, node, depth, sign)
            if depth == 0:
                gains[1] = totals[0, 2]
                return True
            depth -= 1
            for kind in range(3):
                values[depth, frames[depth, TRY], kind] += totals[depth + 1, kind]
            continue
        attempt = mine.nodes[node, FIRST] + k
        own, bit = frames[depth, OWN], 1 << mine.tries[attempt, CELL]
        start, end, stays = 0, 0, True
        if frames[depth, STAGE] == ENTERED:
            gains[0] = 0.0
            top = frames[depth, TOP]
            for w in range(frames[depth, BEGIN], frames[depth, END]):
                if walk.stones[w] & bit:
                    continue
                if rules.wins[player, own] & bit:
                    gains[0] += sign * walk.weight[w]
                elif walk.stones[w] | own | bit != everywhere:
                    top = opponent_turn(walk, other, rules, player, w, own | bit, top, gains)
                    if top < 0:
                        return False
            for kind in range(3):
                values[depth, k, kind] = gains[0]
            start, end = frames[depth, TOP], top
            frames[depth, STAGE] = STAYED
        elif frames[depth, STAGE] == STAYED:
            # The worlds of the try that stayed are done with, and those of the failed one take their place
            gains[0] = 0.0
            top = frames[depth, TOP]
            for w in range(frames[depth, BEGIN], frames[depth, END]):
                if walk.stones[w] & bit:
                    top = opponent_turn(walk, other, rules, player, w, own, top, gains)
                    if top < 0:
                        return False
            for kind in range(3):
                values[depth, k, kind] += gains[0]
            start, end, stays = frames[depth, TOP], top, False
            frames[depth, STAGE] = FAILED
        else:
            frames[depth, TRY], frames[depth, STAGE] = k + 1, ENTERED
            continue
        if end > start:
            following = after(mine, rules, player, node, attempt, not stays)
            if following == NOT_MET:
                return False
            depth += 1
            frames[depth, NODE], frames[depth, BEGIN], frames[depth, END], frames[depth, TOP] = (
                following,
                start,
                end,
                end,
            )
            frames[depth, TRY], frames[depth, STAGE], frames[depth, OWN] = 0, ENTERED, own | bit if stays else own


class Walks:
    """A run of PCFR+ on the abrupt version of a board game, which can be saved, restored and continued.

    The bounds are the best so far, up to rounding: `lower` is what some strategy of Black's secured, `upper` what one
    of White's conceded.
    """

    def __init__(self, name: str):
        tables = geometry(name)
        cells = tables.board.cells
        self.iterations = 0
        self.lower, self.upper = 0.0, 1.0
        self.rules = Rules(tables.image, tables.product, tables.inverse, tables.wins, cells)
        self._walk = Walk(
            np.empty(MOST_WORLDS, np.int32),
            np.empty(MOST_WORLDS, np.int32),
            np.empty(MOST_WORLDS, np.int32),
            np.empty(MOST_WORLDS),
            np.zeros((cells + 2, 7), np.int64),
            np.zeros((cells + 2, cells, 3)),
            np.zeros((cells + 2, 3)),
        )
        self.memories = _blank(), _blank()
        for player, memory in enumerate(self.memories):
            walk_pairs(memory, self.rules, player, 0, 0, (1 << len(tables.image)) - 1)

    def advance(self, iterations: int) -> None:
        """Go on for some iterations: each updates Black against White's latest strategy, then White against Black's."""
        gains = np.zeros(2)
        for _ in range(iterations):
            proved = [0.0, 0.0]
            for player in (0, 1):
                mine, other = self.memories[player], self.memories[1 - player]
                if not step(self._walk, mine, other, self.rules, player, gains):
                    raise ValueError("the abrupt game needs more room than there is; stop after fewer iterations")
                proved[player] = float(1 + gains[1]) / 2
            self.upper, self.lower = min(self.upper, proved[0]), max(self.lower, proved[1])
            self.iterations += 1

    @property
    def state(self) -> bytes:
        """All that the run needs to go on, compressed."""
        sizes = [size for memory in self.memories for size in memory.sizes]
        head = np.array([self._kind, self.iterations, self.lower, self.upper, *sizes])
        parts = [head.astype("<f8").tobytes()]
        for nodes, tries, regret, behaviour, (met_nodes, met_tries) in self.memories:
            parts += [nodes[:met_nodes].tobytes(), tries[:met_tries].tobytes()]
            parts += [regret[:met_tries].tobytes(), behaviour[:met_tries].tobytes()]
        return zlib.compress(b"".join(parts), 1)

    def restore(self, state: bytes) -> None:
        """Continue from a saved state of the same game."""
        try:
            plain = zlib.decompress(state)
            head = np.frombuffer(plain[: 8 * HEADER], "<f8")
            sizes = head[4:].astype(np.int64).reshape(2, 2)
        except (zlib.error, ValueError) as error:
            raise ValueError("these bytes are no saved state; give the `state` of such a run") from error
        if head[0] != self._kind:
            raise ValueError("the saved state is of another game; it must be of this one")
        if len(plain) != 8 * HEADER + int((sizes @ (NODE_BYTES, TRY_BYTES)).sum()):
            raise ValueError("the saved state is damaged: it must be as long as it says itself")
        place, found = 8 * HEADER, []
        for memory, (nodes, tries) in zip(self.memories, sizes.tolist(), strict=True):
            tables = []
            for table, height in zip(memory, (nodes, tries, tries, tries), strict=False):
                shape = (height, *table.shape[1:])
                tables.append(np.frombuffer(plain, table.dtype, int(np.prod(shape)), place).reshape(shape))
                place += tables[-1].nbytes
            found.append(tables)
        if not all(map(_is_sound, found)):
            raise ValueError("the saved state is damaged: its links and probabilities must make sense")
        self.iterations, (self.lower, self.upper) = int(head[1]), head[2:4].tolist()
        for memory, tables in zip(self.memories, found, strict=True):
            for table, saved in zip(memory, tables, strict=False):
                table[: len(saved)] = saved
            memory.sizes[:] = len(tables[0]), len(tables[1])

    @property
    def _kind(self) -> int:
        """A number by which the states of different boards are told apart."""
        return 100 * len(self.rules.image) + self.rules.cells


def _is_sound(tables: list[np.ndarray]) -> bool:
    """Whether a player's saved tables could have been saved: links lead somewhere, behaviours are probabilities."""
    nodes, tries, regret, behaviour = tables
    first, count = nodes[:, FIRST], nodes[:, COUNT]
    ends = np.cumsum(count)
    if len(nodes) == 0 or ends[-1] != len(tries) or count.min() < 1 or np.any(first != ends - count):
        return False
    links = tries[:, [STAYS, FAILS]]
    if links.min() < NOT_MET or links.max() >= len(nodes) or not np.isfinite(regret).all() or regret.min() < 0:
        return False
    totals = np.add.reduceat(behaviour, first)
    return bool(behaviour.min() >= 0 and np.all(np.abs(totals - 1) < 1e-9))


def narrow_bounds(
    name: str, close: float = 1e-2, most: int = 1000, state: bytes | None = None
) -> Generator[Progress, None, tuple[float, float]]:
    """Bounds on the value of the abrupt version of a board game, step by step, until they are close enough."""
    walks = Walks(name)
    if state is not None:
        walks.restore(state)
    while walks.upper - walks.lower > close and walks.iterations < most:
        walks.advance(1)
        saved = walks.state if walks.iterations % SAVED_EVERY == 0 else None
        yield Progress(f"PCFR+ by walks, {walks.iterations} iterations", walks.lower, walks.upper, state=saved)
    return walks.lower, walks.upper


def _blank() -> Memory:
    """A player who has met nothing yet."""
    tries = 3 * MOST_NODES
    return Memory(
        np.empty((MOST_NODES, 5), np.int32), np.empty((tries, 3), np.int32), np.empty(tries), np.empty(tries),
        np.zeros(2, np.int64),
    )  # fmt: skip
