"""Permutation four in a row: at every turn an order of the columns, without seeing anything of the board.

The board has 4 rows and 7 columns. On each turn a player writes an order of all columns, one by one (the last follows
by itself); the stone goes to the first column of it that is not full. Four in a column, a row or a diagonal win. No
player is told where a stone went.

Data sheet of a state (int64 cells)
    0 RESULT    the first player's score, -1 as long as the game goes on
    1 TURNS     orders completed; the first player moves when it is even
    2 STONES    each player's stones, as bits (see `shared/columns.py`)
    4 ORDER     the orders of all 28 turns: an octal digit 1..7 for each column written so far, the first one leading
Data sheet of a view: which seat one has (0 moves first), RESULT, one's own orders of 14 turns, then both players'
stones, first the first player's, once the game is over, before that 0.

Action: the column that comes next in the order, 0 on the left.
"""

import numpy as np

from ...core.game import DRAW, LOSS, OVER, WIN, Game, Rules, Sizes, Strategy, blank
from ...core.kernel import inlined, kernel, trailing_zeros
from ...core.rng import seed_of, shuffle
from ..shared.bits import list_bits
from ..shared.columns import columns_text, drop_row, four_aligned, is_full, outcome_of, stones_in
from ..shared.hidden import permute

ROWS, COLUMNS = 4, 7
TRIES = 100  # sets of orders that are drawn at most for another state
PLACES, TURNS_EACH = ROWS * COLUMNS, ROWS * COLUMNS // 2
RESULT, TURNS, STONES, ORDER = 0, 1, 2, 4
SEEN_SEAT, SEEN_RESULT, SEEN_ORDER = range(3)
SEEN_STONES = SEEN_ORDER + TURNS_EACH


# The six rules


@kernel
def start(state):
    for cell in range(ORDER + PLACES):
        state[cell] = 0
    state[RESULT] = -1


@kernel
def mover(state):
    return OVER if state[RESULT] >= 0 else state[TURNS] % 2


@inlined
def left_to_write(order):
    """The set of the columns that an order does not have yet, as bits."""
    left = (1 << COLUMNS) - 1
    while order > 0:
        left ^= 1 << ((order & 7) - 1)
        order >>= 3
    return left


@kernel
def legal(state, out):
    return list_bits(left_to_write(state[ORDER + state[TURNS]]), out)


@kernel
def apply(state, action):
    order = 8 * state[ORDER + state[TURNS]] + action + 1
    left = left_to_write(order)
    if left & (left - 1) != 0:
        state[ORDER + state[TURNS]] = order
        return
    order = 8 * order + trailing_zeros(left) + 1
    state[ORDER + state[TURNS]] = order
    player, taken, place = state[TURNS] % 2, state[STONES] | state[STONES + 1], COLUMNS - 1
    while is_full(ROWS, taken, (order >> (3 * place) & 7) - 1):
        place -= 1
    state[STONES + player] |= drop_row(ROWS, taken, (order >> (3 * place) & 7) - 1)
    state[TURNS] += 1
    state[RESULT] = outcome_of(ROWS, player, state[STONES + player], state[TURNS] == PLACES)


@kernel
def view(state, player, out):
    over = state[RESULT] >= 0
    out[SEEN_SEAT] = player
    out[SEEN_RESULT] = state[RESULT]
    for turn in range(TURNS_EACH):
        out[SEEN_ORDER + turn] = state[ORDER + 2 * turn + player]
    for seat in range(2):
        out[SEEN_STONES + seat] = state[STONES + seat] if over else 0


@kernel
def score(state):
    return state[RESULT]


def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Draw other orders of the other player and play all orders again, until the game has not ended before its time."""
    written = [f"{order:o}" if order else "" for order in state[ORDER:].tolist()]
    for _ in range(TRIES if state[RESULT] < 0 else 0):
        for turn in range(1 - player, PLACES, 2):
            columns = np.arange(1, COLUMNS + 1)
            permute(columns, range(COLUMNS), stream)
            written[turn] = "".join(map(str, columns))[: len(written[turn])]
        other = blank(ORDER + PLACES)
        start(other)
        for digit in "".join(order[: COLUMNS - 1] for order in written):
            if other[RESULT] < 0:
                apply(other, int(digit) - 1)
        if other[RESULT] < 0:
            return other
    return state.copy()


# The strategy: a seed for moving first and one for moving second, each of which stands for 14 orders


@kernel
def prepare(theta, plan):
    """The 14 orders of each seed, one after the other from one stream."""
    stream, order = np.empty(1, np.uint64), np.empty(COLUMNS, np.int64)
    for role in range(2):
        stream[0] = seed_of(theta[role], 0)
        for turn in range(TURNS_EACH):
            shuffle(stream, order)
            for i in range(COLUMNS):
                plan[(TURNS_EACH * role + turn) * COLUMNS + i] = order[i]


@kernel
def choose(seen, actions, plan, stream):
    turn, written = 0, COLUMNS - len(actions)
    while turn + 1 < TURNS_EACH and seen[SEEN_ORDER + turn] >> (3 * (COLUMNS - 1)) > 0:  # a complete order
        turn += 1
    return int(plan[(TURNS_EACH * seen[SEEN_SEAT] + turn) * COLUMNS + written])


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    """The same game in one kernel, straight from the plans."""
    first, second = 0, 0
    for turn in range(TURNS_EACH):
        at, taken = turn * COLUMNS, first | second
        while is_full(ROWS, taken, int(plan_0[at])):
            at += 1
        first |= drop_row(ROWS, taken, int(plan_0[at]))
        if four_aligned(ROWS, first):
            return WIN
        at, taken = (TURNS_EACH + turn) * COLUMNS, first | second
        while is_full(ROWS, taken, int(plan_1[at])):
            at += 1
        second |= drop_row(ROWS, taken, int(plan_1[at]))
        if four_aligned(ROWS, second):
            return LOSS
    return DRAW


# Words


def label(action: int) -> str:
    return f"next column {action + 1}"


def show(seen: np.ndarray) -> str:
    orders = [f"{int(order):o}" for order in seen[SEEN_ORDER:SEEN_STONES] if order]
    lines = [f"you move {'second' if seen[SEEN_SEAT] else 'first'}; your orders: {' '.join(orders) or 'none yet'}"]
    if seen[SEEN_RESULT] >= 0:
        lines.append(columns_text(ROWS, COLUMNS, *stones_in(seen, SEEN_STONES)))
    return "\n".join(lines)


def reveal(state: np.ndarray) -> str:
    order = int(state[ORDER + min(int(state[TURNS]), PLACES - 1)])
    writing = f"\nplayer {state[TURNS] % 2 + 1} writes {order:o}" if state[RESULT] < 0 and order else ""
    return columns_text(ROWS, COLUMNS, *stones_in(state, STONES)) + writing


def words(theta: np.ndarray) -> str:
    """Describe the first turns of a vector."""
    plan = np.zeros(2 * TURNS_EACH * COLUMNS)
    prepare(theta, plan)
    orders = plan.astype(int).reshape(2, TURNS_EACH, COLUMNS)[:, :3] + 1
    first, second = (" ".join("".join(map(str, order)) for order in role) for role in orders.tolist())
    return f"moving first {first} ..; moving second {second} .."


SOURCE = (
    "Cauwet & Teytaud 2018 describe the game as phantom 4 in a row (4 x 7; at each turn a permutation of the 7 columns "
    "and no observation; a stone that finds its column full goes on to the next one in the permutation) and give it 2 "
    "parameters: the index of a list of moves for each role. Ours: the hash that turns a parameter into 14 "
    "permutations."
)
GAMES = (
    Game(
        name="permutation-four",
        title="Phantom four in a row by permutations, 4 rows by 7 columns",
        family="permutation_four",
        kind="Boards",
        version=1,
        rules=Rules(start, mover, legal, apply, view, score),
        resample=resample,
        sizes=Sizes(ORDER + PLACES, SEEN_STONES + 2, COLUMNS),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        strategy=Strategy(
            "seeds of the orders",
            ("first", "second"),
            2 * TURNS_EACH * COLUMNS,
            prepare,
            choose,
            hashed=("first", "second"),
            halves=True,
            words=words,
        ),
        play=play,
    ),
)
