"""Permutation four in a row: at every turn an order of the columns, without any view of the board.

The board has 4 rows and 7 columns. On each turn a player writes an order of all columns, one by one (the last is
implied); the stone goes to its first column that is not full. Four in a column, a row or a diagonal win. No player is
notified of the column of a stone.

Data sheet of a state (int64 cells)
    0 RESULT    the first player's score, -1 before the end
    1 TURNS     orders completed; the first player moves when it is even
    2 STONES    each player's stones, as bits (see `boards/board.py`)
    4 ORDER     the orders of all 28 turns: an octal digit 1..7 for each column written so far, the first one leading
Data sheet of a view: one's seat (0 moves first), RESULT, one's own orders of 14 turns, then the stones of the first
and of the second player once the game is over, 0 before that.

Action: the column that comes next in the order, 0 on the left.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..core.agents import REDRAWN, ParametricPolicy, members_of
from ..core.compile.kernel import inlined, kernel, trailing_zeros
from ..core.explain import Explanation, Table
from ..core.game import DRAW, LOSS, OVER, WIN, Game, Rules, Sizes, Strategy, check_vector, new_cells
from ..core.picture import BoardPicture, Cell, Facts, Messages, Parts
from ..core.rng import child, fill_normal, seed_of, shuffle
from ..stats.evaluate import MatchResult
from .boards import board as boards
from .boards.board import drop_row, four_aligned, is_full, list_bits, outcome_of, permute

ROWS, COLUMNS = 4, 7
TRIES = 100  # maximum number of sets of orders drawn in resampling
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
    """Return the set of columns missing in an order, as bits."""
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
    """Redraw the opponent's orders and replay all orders, until the game does not end early."""
    written = [f"{order:o}" if order else "" for order in state[ORDER:].tolist()]
    for _ in range(TRIES if state[RESULT] < 0 else 0):
        for turn in range(1 - player, PLACES, 2):
            columns = np.arange(1, COLUMNS + 1)
            permute(columns, range(COLUMNS), stream)
            written[turn] = "".join(map(str, columns))[: len(written[turn])]
        other = new_cells(ORDER + PLACES)
        start(other)
        for digit in "".join(order[: COLUMNS - 1] for order in written):
            if other[RESULT] < 0:
                apply(other, int(digit) - 1)
        if other[RESULT] < 0:
            return other
    return state.copy()


# The strategy: a seed for moving first and one for moving second, each of which generates 14 orders


@kernel
def prepare(theta, plan):
    """Write the 14 orders of each seed, one after the other from one stream."""
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


# Text


def label(action: int) -> str:
    return f"next column {action + 1}"


def show(seen: np.ndarray) -> str:
    orders = [f"{int(order):o}" for order in seen[SEEN_ORDER:SEEN_STONES] if order]
    lines = [f"you move {'second' if seen[SEEN_SEAT] else 'first'}; your orders: {' '.join(orders) or 'none yet'}"]
    if seen[SEEN_RESULT] >= 0:
        lines.append(boards.columns_text(ROWS, COLUMNS, *boards.stones_in(seen, SEEN_STONES)))
    return "\n".join(lines)


def reveal(state: np.ndarray) -> str:
    order = int(state[ORDER + min(int(state[TURNS]), PLACES - 1)])
    writing = f"\nplayer {state[TURNS] % 2 + 1} writes {order:o}" if state[RESULT] < 0 and order else ""
    return boards.columns_text(ROWS, COLUMNS, *boards.stones_in(state, STONES)) + writing


def describe(theta: np.ndarray) -> str:
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
        category="Boards",
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
            unordered=("first", "second"),
            per_seat=True,
            describe=describe,
        ),
        play=play,
    ),
)


# Exact score matrices: players are deterministic, so any set of them has one.
#
# No equilibrium of the whole game is known; that of a given set of seeds is the equilibrium of their matrix.

FOUR = GAMES[0]


@kernel
def fill_scores(state, plans_0, plans_1, out):
    unused = np.zeros(1, np.uint64)
    for i in range(len(plans_0)):
        for j in range(len(plans_1)):
            out[i, j] = play(state, plans_0[i], plans_1[j], unused, unused, unused)


def _plans(thetas: Sequence[Sequence[float]] | np.ndarray) -> np.ndarray:
    assert FOUR.strategy is not None
    return np.array([FOUR.strategy.plan_for(check_vector(FOUR, theta)) for theta in thetas])


def first_player_matrix(firsts: Sequence[float], seconds: Sequence[float]) -> np.ndarray:
    """Return the first player's half points (0, 1, 2) for each seed moving first against each moving second."""
    out = np.zeros((len(firsts), len(seconds)), np.int64)
    plans_0, plans_1 = _plans([(seed, 0.0) for seed in firsts]), _plans([(0.0, seed) for seed in seconds])
    fill_scores(np.zeros(FOUR.sizes.state, np.int64), plans_0, plans_1, out)
    return out


def _members(player: ParametricPolicy) -> list[tuple[Fraction, np.ndarray]]:
    members = members_of(player, Fraction)
    if player.selection == REDRAWN or player.strategy is not FOUR.strategy:
        raise ValueError(f"the exact score of {player.name} at permutation-four is not known: play games instead")
    return members


def exact_score(game: Game, first: ParametricPolicy, second: ParametricPolicy) -> Fraction:
    """Return the exact score of `first` against `second`, seeds or mixtures, averaged over both starting orders."""
    one, other = _members(first), _members(second)
    starting = first_player_matrix([float(t[0]) for _, t in one], [float(t[1]) for _, t in other])
    following = first_player_matrix([float(t[0]) for _, t in other], [float(t[1]) for _, t in one])
    total = Fraction(0)
    for i, (weight, _) in enumerate(one):
        for j, (weight_other, _) in enumerate(other):
            total += weight * weight_other * (2 + int(starting[i, j]) - int(following[j, i])) / 4
    return total


# Drawings: the order being written, and the earlier ones.


def columns_of(order: int) -> list[int]:
    """Return the columns written in an order so far, 1 to 7."""
    return [int(digit) for digit in f"{order:o}"] if order else []


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    result = int(seen[SEEN_RESULT])
    second = int(seen[SEEN_SEAT])
    orders = [columns_of(int(cell)) for cell in seen[SEEN_ORDER:SEEN_STONES]]
    done = [order for order in orders if len(order) == COLUMNS]
    rows = tuple((f"turn {turn}", " ".join(map(str, order))) for turn, order in enumerate(done, 1))
    before = (Facts(rows, "Your orders"),) if rows else ()
    seat = f"You move {'second' if second else 'first'} and have {'O' if second else 'X'}."
    if result >= 0:
        stones = boards.stones_in(seen, SEEN_STONES)
        board = boards.stones_on(ROWS, COLUMNS, stones, second)
        return Messages((f"{seat} {boards.ENDS[result]}",)), board, *before
    now = next((order for order in orders if len(order) < COLUMNS), [])
    cells = tuple(
        Cell(str(now.index(column) + 1), "own", None, f"column {column}, place {now.index(column) + 1} of the order")
        if column in now
        else Cell("", "", column - 1, f"column {column}, not in the order yet")
        for column in range(1, COLUMNS + 1)
    )
    names = tuple(str(column) for column in range(1, COLUMNS + 1))
    title = f"The order of the columns in turn {min(len(done) + 1, len(orders))}"
    board = BoardPicture((cells,), title, column_names=names)
    return Messages((f"{seat} You see nothing of the board before the end.",)), board, *before


def draw_state(game: Game, state: np.ndarray) -> Parts:
    result, turns = int(state[RESULT]), int(state[TURNS])
    stones = boards.stones_in(state, STONES)
    board = boards.stones_on(ROWS, COLUMNS, stones, 0)
    rows = []
    for turn, cell in enumerate(state[ORDER:].tolist()):
        if cell:
            rows.append((f"{'XO'[turn % 2]}, turn {turn // 2 + 1}", " ".join(map(str, columns_of(cell)))))
    return Messages((boards.ENDS.get(result, f"{'XO'[turns % 2]} writes."),)), board, Facts(tuple(rows), "Orders")


# Explanation: the columns turn by turn, and the scores against random players.

OPPONENTS = 2000  # random opponents in each seat
STREAM = 0xF042
SEATS = ("moving first", "moving second")


def explain(game: Game, player: ParametricPolicy, seed: int) -> Explanation:
    theta = player.thetas[0]
    first, second = (player.plan.astype(int) + 1).reshape(2, TURNS_EACH, COLUMNS).tolist()
    rows = tuple(
        (turn, one[0], " ".join(map(str, one)), other[0], " ".join(map(str, other)))
        for turn, (one, other) in enumerate(zip(first, second, strict=True), 1)
    )
    columns = ("turn", "first tries", "moving first, the whole order", "second tries", "moving second, the whole order")
    orders = Table(f"The columns of {player.name}, turn by turn: a full one is passed over for the next", columns, rows)
    scores = _scores(game, theta, seed)
    shown = tuple(
        (seat, f"{score.mean:.4f}", f"{score.interval[0]:.4f} to {score.interval[1]:.4f}", score.games)
        for seat, score in zip(SEATS, scores, strict=True)
    )
    title = f"What {player.name} scores against {OPPONENTS} random players in each seat"
    table = Table(title, ("seat", "score", "95 % interval", "games"), shown)
    beginnings = [" ".join(str(order[0]) for order in role) for role in (first, second)]
    said = (
        f"{player.name} sees nothing, so it tries the same columns in every game: moving first it begins its turns "
        f"with columns {beginnings[0]}, moving second with {beginnings[1]}."
    )
    return Explanation((said,), (orders, table))


def _scores(game: Game, theta: np.ndarray, seed: int) -> list[MatchResult]:
    """Return the scores in both seats; players are deterministic, so one game against each opponent suffices."""
    others, found = np.zeros((OPPONENTS, 2)), []
    fill_normal(np.array([child(seed, STREAM)], np.uint64), others.reshape(-1))
    points_first = first_player_matrix([float(theta[0])], others[:, 1].tolist())
    points_second = 2 - first_player_matrix(others[:, 0].tolist(), [float(theta[1])])
    for points in (points_first, points_second):
        outcomes = tuple(np.bincount(points.reshape(-1), minlength=3).tolist())
        found.append(MatchResult(tuple(map(float, game.payoffs)), outcomes, outcomes))
    return found


SCENE = "frame"
HOW_TO_PLAY = (
    "Four in a row on 4 rows and 7 columns, and nobody sees any stone before the end.",
    "On each turn write an order of all seven columns.",
    "Your stone falls into the first column of your order that is not full.",
    "You are not told where it went.",
    "Four in a column, a row or a diagonal win; a full board is a draw.",
)
