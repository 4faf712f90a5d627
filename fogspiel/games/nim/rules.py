"""Nim with heaps of 1, 3, 5 and 7, misère: who takes the last object loses.

Data sheet of a state (int64 cells)
    0 MOVER     whose move it is
    1 HEAP      objects in each of the four heaps
Data sheet of a view: 1 if the move is one's own (else 0), then the heaps: nothing is hidden.

Action 8 * heap + taken: take 1 or more objects from one heap; actions are listed by heap, then by number.
A position has the index h1 + 2 h2 + 8 h3 + 48 h4, a number for each way the heaps can be filled; 0 is the end.
"""

import numpy as np

from ...core.game import LOSS, OVER, WIN, Game, Rules, Sizes, Strategy, Vector, nothing_hidden, nothing_to_prepare
from ...core.kernel import inlined, kernel

MOVER, HEAP = 0, 1
SEEN_MINE, SEEN_HEAP = 0, 1
FULL = (1, 3, 5, 7)
HEAPS = len(FULL)
STEP = (1, 2, 8, 48)  # what one object of each heap counts in the index of a position
POSITIONS = 383  # the positions in which a player is to move, 1..383


# The six rules


@kernel
def start(state):
    state[MOVER] = 0
    for heap in range(HEAPS):
        state[HEAP + heap] = FULL[heap]


@inlined
def index(cells, first):
    """The index of the position whose heaps stand in `cells` from `first` on."""
    return cells[first] + 2 * cells[first + 1] + 8 * cells[first + 2] + 48 * cells[first + 3]


@kernel
def mover(state):
    return OVER if index(state, HEAP) == 0 else state[MOVER]


@kernel
def legal(state, out):
    count = 0
    for heap in range(HEAPS):
        for taken in range(1, state[HEAP + heap] + 1):
            out[count] = 8 * heap + taken
            count += 1
    return count


@kernel
def apply(state, action):
    state[HEAP + action // 8] -= action % 8
    state[MOVER] = 1 - state[MOVER]


@kernel
def view(state, player, out):
    out[SEEN_MINE] = 1 if state[MOVER] == player else 0
    for heap in range(HEAPS):
        out[SEEN_HEAP + heap] = state[HEAP + heap]


@kernel
def score(state):
    return WIN if state[MOVER] == 0 else LOSS  # the other one took the last object


# The strategy: a value for every position; leave the opponent the one with the smallest


@kernel
def prepare(theta, plan):
    """Write the values by index; the end has an infinite one, so that the last object is taken only when it must be."""
    plan[0] = np.inf
    for position in range(1, len(plan)):
        plan[position] = theta[position - 1]


@inlined
def best_move(plan, cells, first):
    """The action with the smallest value behind it, the first one of equals."""
    position = index(cells, first)
    best, least = -1, np.inf
    for heap in range(HEAPS):
        for taken in range(1, cells[first + heap] + 1):
            value = plan[position - STEP[heap] * taken]
            if value < least or best < 0:
                best, least = 8 * heap + taken, value
    return best


@kernel
def choose(seen, actions, plan, stream):
    return best_move(plan, seen, SEEN_HEAP)


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    """The same game in one kernel, without views and lists of actions."""
    start(state)
    while index(state, HEAP) > 0:
        apply(state, best_move(plan_0 if state[MOVER] == 0 else plan_1, state, HEAP))
    return score(state)


# Perfect play: Bouton 1901, misère


def lost(a: int, b: int, c: int, d: int) -> bool:
    """True if the player to move loses against perfect play: as in normal Nim while there is a heap of two or more."""
    if max(a, b, c, d) > 1:
        return a ^ b ^ c ^ d == 0
    return (a + b + c + d) % 2 == 1


lost_in_kernels = inlined(lost)


@kernel
def choose_perfect(seen, actions, plan, stream):
    """The first move that leaves a lost position, or the first move of all."""
    heaps = seen[SEEN_HEAP:].copy()
    for i in range(len(actions)):
        heap, taken = actions[i] // 8, actions[i] % 8
        heaps[heap] -= taken
        if lost_in_kernels(heaps[0], heaps[1], heaps[2], heaps[3]):
            return actions[i]
        heaps[heap] += taken
    return actions[0]


# Words


def heaps_of(position: int) -> tuple[int, ...]:
    """The heaps of the position with that index."""
    return tuple(position // step % (full + 1) for step, full in zip(STEP, FULL, strict=True))


def label(action: int) -> str:
    return f"take {action % 8} from heap {action // 8 + 1}"


def heaps_text(heaps: np.ndarray) -> str:
    """The heaps as rows of bars."""
    return "\n".join(f"heap {number}: {'|' * int(objects)}" for number, objects in enumerate(heaps, 1))


def show(seen: np.ndarray) -> str:
    return heaps_text(seen[SEEN_HEAP:]) + ("\nyour move" if seen[SEEN_MINE] else "\nthe other's move")


def reveal(state: np.ndarray) -> str:
    return f"{heaps_text(state[HEAP:])}\nplayer {state[MOVER] + 1} to move"


def words(theta: np.ndarray) -> str:
    """Describe the strength of a vector."""
    plan, stream, actions = np.zeros(POSITIONS + 1), np.zeros(1, np.uint64), np.zeros(sum(FULL), np.int64)
    prepare(theta, plan)
    won, kept = 0, 0
    for position in range(1, POSITIONS + 1):
        heaps = heaps_of(position)
        if not lost(*heaps):
            action = choose(np.array([1, *heaps]), actions, plan, stream)
            won += 1
            kept += lost(*heaps_of(position - STEP[action // 8] * (action % 8)))
    return f"keeps the win in {kept} of {won} won positions"


EXACT: Vector = tuple(0.0 if lost(*heaps_of(position)) else 1.0 for position in range(1, POSITIONS + 1))

SOURCE = (
    "Cauwet & Teytaud 2018 give the number of parameters, 383, which is that of the positions of Nim with heaps of 1, "
    "3, 5 and 7. Ours: misère play, the order of the positions, moving to the smallest value, and ties (lowest heap, "
    "then fewest objects). perfect plays by Bouton's rule; exact is the same player as a value function, 0 for a "
    "position that is lost for the player to move and 1 for the others."
)

GAMES = (
    Game(
        name="nim",
        title="Nim 1-3-5-7, misère",
        family="nim",
        kind="Dice and heaps",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        resample=nothing_hidden,
        sizes=Sizes(HEAP + HEAPS, SEEN_HEAP + HEAPS, sum(FULL)),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        strategy=Strategy(
            "value of every position",
            tuple("-".join(map(str, heaps_of(position))) for position in range(1, POSITIONS + 1)),
            POSITIONS + 1,
            prepare,
            choose,
            words=words,
        ),
        named={"exact": EXACT, "perfect": Strategy("perfect", (), 1, nothing_to_prepare, choose_perfect)},
        about={"perfect": "never errs"},
        play=play,
    ),
)
