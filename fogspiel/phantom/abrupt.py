"""The abrupt variant, in which a failed try ends the turn: regret minimisation that never writes the game down.

A private history is here the list of the tries with their outcomes, and no order can be forgotten: phantom tic-tac-toe
has 13.5 thousand million histories, too many for a matrix. But strategies are sparse, so PCFR+ (as in `solve.cfr`)
updates a player by one depth-first walk through all that it may do, and carries along the opponents that it may be
facing, of whom only those with positive weight count. What no walk has reached does not exist; a player without regrets
follows a rule of thumb. The same walk yields the best response to the opponent, and so the bounds.

Histories are kept up to symmetry, as in `histories`: a node is a player's turn, in the frame of its representative.

    walk              one player's update: every node it may come to, every try there, in both outcomes
      opponent_turn   the opponents of one world try what they do with positive probability
      update_node     regrets and behaviour of a node whose tries have all been walked
      next_node       the node after a try, made if it is met for the first time
"""

import zlib
from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..core.kernel import inlined, kernel, ones
from ..solve.progress import Progress
from .histories import geometry, keepers, twist_of

MOST_NODES, MOST_WORLDS = 1 << 22, 1 << 23
HEADER, NODE_BYTES, TRY_BYTES = 8, 5 * 4, 3 * 4 + 2 * 8
"""A saved state has a header of so many numbers, then so many bytes for each node and each try."""
SAVED_EVERY = 10
"""Iterations between two saved states."""
WINNING, BLOCKING = 300, 100
"""The rule of thumb: a cell that wins, or stops a line of known stones, looks better than any number of threats."""


class Memory(NamedTuple):
    """What a player has met so far."""

    nodes: np.ndarray
    """A row for each of its turns: see the columns below."""
    tries: np.ndarray
    """A row for each cell it may try at a node: the cell, the node if the stone stays, the node if the try fails."""
    regret: np.ndarray
    behaviour: np.ndarray
    sizes: np.ndarray
    """How many nodes and tries there are."""


STONES, KNOWN, STABILISER, FIRST, COUNT = range(5)
CELL, STAYS, FAILS = range(3)
NOT_MET = -1


class Workspace(NamedTuple):
    """Room for a walk. A world is an opponent: its node, the twist from the board to its frame, stones, and weight."""

    who: np.ndarray
    twist: np.ndarray
    stones: np.ndarray
    weight: np.ndarray
    frames: np.ndarray
    """The stack of the walk: a row for each node on the way, see the columns below."""
    values: np.ndarray
    """For each frame and try: its worth by the old behaviour, by the new one, and by a best response."""
    totals: np.ndarray
    """For each frame the same for the whole node."""
    gains: np.ndarray
    """What ended games have brought to the try in hand, and what the last walk's best response gets."""


NODE, BEGIN, END, TRY, STAGE, TOP, OWN = range(7)
ENTERED, STAYED, FAILED = range(3)
OLD, NEW, BEST = range(3)
ENDED, RESPONSE = range(2)


@inlined
def rule_of_thumb(tables, player, own, known, cell):
    """How good a cell looks: it wins, it stops the stones one knows of, it makes threats."""
    if tables.wins[player, own] >> cell & 1:
        return WINNING
    blocks = BLOCKING if tables.wins[1 - player, known] >> cell & 1 else 0
    return blocks + ones(tables.wins[player, own | 1 << cell] & ~(own | known))


@kernel
def add_node(memory, tables, player, stones, known, stabiliser):
    """Make a node, at which the player follows the rule of thumb; its number, or NOT_MET if there is no room."""
    nodes, tries, sizes = memory.nodes, memory.tries, memory.sizes
    node, first = sizes[0], sizes[1]
    if node == len(nodes) or first + tables.cells > len(tries):
        return NOT_MET
    best, looks = first, -1
    for cell in range(tables.cells):
        if (stones | known) >> cell & 1 or twist_of(tables.image, stabiliser, 1 << cell):
            continue
        new = sizes[1]
        tries[new, CELL], tries[new, STAYS], tries[new, FAILS] = cell, NOT_MET, NOT_MET
        memory.regret[new], memory.behaviour[new] = 0.0, 0.0
        sizes[1] += 1
        look = rule_of_thumb(tables, player, stones, known, cell)
        if look > looks:
            best, looks = new, look
    memory.behaviour[best] = 1.0
    nodes[node, STONES], nodes[node, KNOWN], nodes[node, STABILISER] = stones, known, stabiliser
    nodes[node, FIRST], nodes[node, COUNT] = first, sizes[1] - first
    sizes[0] += 1
    return node


@kernel
def next_node(memory, tables, player, node, attempt, fails):
    """The node after a try that stays or fails, made if it is met for the first time."""
    column = FAILS if fails else STAYS
    if memory.tries[attempt, column] == NOT_MET:
        bit = 1 << memory.tries[attempt, CELL]
        stones, known = memory.nodes[node, STONES], memory.nodes[node, KNOWN]
        stabiliser = keepers(tables.image, memory.nodes[node, STABILISER], bit)
        if fails:
            known |= bit
        else:
            stones |= bit
        memory.tries[attempt, column] = add_node(memory, tables, player, stones, known, stabiliser)
    return memory.tries[attempt, column]


@inlined
def opponent_turn(room, other, tables, player, world, own, top):
    """The opponent of a world tries: worlds where the game goes on are added at `top`; returns the new top, or -1."""
    node, twist, stones, weight = room.who[world], room.twist[world], room.stones[world], room.weight[world]
    opponent = 1 - player
    everywhere = (1 << tables.cells) - 1
    stabiliser = other.nodes[node, STABILISER]
    first = other.nodes[node, FIRST]
    back = tables.inverse[twist]
    for attempt in range(first, first + other.nodes[node, COUNT]):
        if other.behaviour[attempt] == 0.0:
            continue
        bit = 1 << other.tries[attempt, CELL]
        orbit = bit
        if stabiliser > 1:
            for g in range(1, len(tables.image)):
                orbit |= tables.image[g, bit] if stabiliser >> g & 1 else 0
        share = weight * other.behaviour[attempt] / ones(orbit)
        for g in range(len(tables.image) if stabiliser > 1 else 1):
            # g takes the representative to a member of its orbit, so its inverse takes the member back
            member = tables.image[g, bit]
            if not stabiliser >> g & 1 or not orbit & member:
                continue
            orbit &= ~member
            actual = tables.image[back, member]
            fails = own & actual != 0
            now = stones if fails else stones | actual
            if not fails:
                if tables.wins[opponent, stones] & actual:
                    room.gains[ENDED] += share if opponent == 0 else -share
                    continue
                if now | own == everywhere:
                    continue
            following = other.tries[attempt, FAILS if fails else STAYS]
            if following == NOT_MET:
                following = next_node(other, tables, opponent, node, attempt, fails)
            if top == len(room.who) or following == NOT_MET:
                return -1
            room.who[top], room.stones[top], room.weight[top] = following, now, share
            room.twist[top] = twist if g == 0 else tables.product[tables.inverse[g], twist]
            top += 1
    return top


@kernel
def update_node(room, mine, node, depth, sign):
    """Update the regrets and the behaviour of a node whose tries have all been walked."""
    first, count = mine.nodes[node, FIRST], mine.nodes[node, COUNT]
    values, totals = room.values[depth], room.totals[depth]
    mean, hoped, best = 0.0, 0.0, -np.inf
    for k in range(count):
        mean += mine.behaviour[first + k] * values[k, OLD]
        hoped += mine.behaviour[first + k] * values[k, NEW]
        best = max(best, sign * values[k, BEST])
    total = 0.0
    for k in range(count):
        s = first + k
        mine.regret[s] = max(mine.regret[s] + sign * (values[k, OLD] - mean), 0.0)
        total += max(mine.regret[s] + sign * (values[k, NEW] - hoped), 0.0)
    totals[OLD], totals[NEW], totals[BEST] = mean, 0.0, sign * best
    for k in range(count):
        s = first + k
        if total > 0.0:  # else the player stays with what it does
            mine.behaviour[s] = max(mine.regret[s] + sign * (values[k, NEW] - hoped), 0.0) / total
        totals[NEW] += mine.behaviour[s] * values[k, NEW]


@inlined
def enter(room, depth, node, begin, end, own):
    """Put a node on the stack: the worlds from `begin` to `end` may be the actual one."""
    frames = room.frames
    frames[depth, NODE], frames[depth, BEGIN], frames[depth, END] = node, begin, end
    frames[depth, TOP], frames[depth, OWN] = end, own
    frames[depth, TRY], frames[depth, STAGE] = 0, ENTERED


@kernel
def play_try(room, other, tables, player, depth, bit, fails):
    """Let a try stay or fail in the worlds where it does, and the opponent answer; returns the new top, or -1.

    The worlds of the one outcome are done with when those of the other take their place.
    """
    everywhere = (1 << tables.cells) - 1
    own, top = room.frames[depth, OWN], room.frames[depth, TOP]
    after = own if fails else own | bit
    wins = not fails and tables.wins[player, own] & bit != 0
    room.gains[ENDED] = 0.0
    for w in range(room.frames[depth, BEGIN], room.frames[depth, END]):
        if (room.stones[w] & bit != 0) != fails:
            continue
        if wins:
            room.gains[ENDED] += room.weight[w] if player == 0 else -room.weight[w]
        elif room.stones[w] | after != everywhere:
            top = opponent_turn(room, other, tables, player, w, after, top)
            if top < 0:
                return -1
    return top


@kernel
def walk(room, mine, other, tables, player):
    """One player's update by a walk through all it may do; returns whether there was room.

    Worth is what Black gets above a draw, in halves.
    """
    sign = 1.0 - 2.0 * player
    frames, values, totals, gains = room.frames, room.values, room.totals, room.gains
    room.who[0], room.twist[0], room.stones[0], room.weight[0] = 0, 0, 0, 1.0
    gains[ENDED] = 0.0
    enter(room, 0, 0, player, opponent_turn(room, other, tables, player, 0, 0, 1) if player == 1 else 1, 0)
    depth = 0
    while True:
        node, k = frames[depth, NODE], frames[depth, TRY]
        if k == mine.nodes[node, COUNT]:
            update_node(room, mine, node, depth, sign)
            if depth == 0:
                gains[RESPONSE] = totals[0, BEST]
                return True
            depth -= 1
            for kind in range(3):
                values[depth, frames[depth, TRY], kind] += totals[depth + 1, kind]
            continue
        if frames[depth, STAGE] == FAILED:
            frames[depth, TRY], frames[depth, STAGE] = k + 1, ENTERED
            continue
        attempt, fails = mine.nodes[node, FIRST] + k, frames[depth, STAGE] == STAYED
        bit = 1 << mine.tries[attempt, CELL]
        top = play_try(room, other, tables, player, depth, bit, fails)
        if top < 0:
            return False
        for kind in range(3):
            values[depth, k, kind] = (values[depth, k, kind] if fails else 0.0) + gains[ENDED]
        frames[depth, STAGE] = FAILED if fails else STAYED
        if top > frames[depth, TOP]:
            following = next_node(mine, tables, player, node, attempt, fails)
            if following == NOT_MET:
                return False
            own = frames[depth, OWN] if fails else frames[depth, OWN] | bit
            enter(room, depth + 1, following, frames[depth, TOP], top, own)
            depth += 1


class AbruptRegrets:
    """A run of PCFR+ on the abrupt version of a board game, which can be saved, restored and continued.

    The bounds are the best so far, up to rounding: `lower` is what a strategy of Black's guarantees, `upper` what one
    of White's concedes.
    """

    def __init__(self, name: str):
        self.tables = geometry(name)
        cells, worlds = self.tables.cells, MOST_WORLDS
        self.iterations = 0
        self.lower, self.upper = 0.0, 1.0
        self._room = Workspace(
            who=np.empty(worlds, np.int32),
            twist=np.empty(worlds, np.int32),
            stones=np.empty(worlds, np.int32),
            weight=np.empty(worlds),
            frames=np.zeros((cells + 2, 7), np.int64),
            values=np.zeros((cells + 2, cells, 3)),
            totals=np.zeros((cells + 2, 3)),
            gains=np.zeros(2),
        )
        self.memories = _blank(), _blank()
        for player, memory in enumerate(self.memories):
            add_node(memory, self.tables, player, 0, 0, (1 << len(self.tables.image)) - 1)

    def advance(self, iterations: int) -> None:
        """Go on for some iterations: each updates Black against White's latest strategy, then White against Black's."""
        for _ in range(iterations):
            proved = [0.0, 0.0]
            for player in (0, 1):
                mine, other = self.memories[player], self.memories[1 - player]
                if not walk(self._room, mine, other, self.tables, player):
                    raise ValueError("the abrupt game needs more room than there is; stop after fewer iterations")
                proved[player] = float(1 + self._room.gains[RESPONSE]) / 2
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
        return 100 * len(self.tables.image) + self.tables.cells


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
    regrets = AbruptRegrets(name)
    if state is not None:
        regrets.restore(state)
    while regrets.upper - regrets.lower > close and regrets.iterations < most:
        regrets.advance(1)
        saved = regrets.state if regrets.iterations % SAVED_EVERY == 0 else None
        yield Progress(f"PCFR+ by walks, {regrets.iterations} iterations", regrets.lower, regrets.upper, state=saved)
    return regrets.lower, regrets.upper


def _blank() -> Memory:
    """A player that has met nothing yet."""
    tries = 3 * MOST_NODES
    return Memory(
        np.empty((MOST_NODES, 5), np.int32), np.empty((tries, 3), np.int32), np.empty(tries), np.empty(tries),
        np.zeros(2, np.int64),
    )  # fmt: skip
