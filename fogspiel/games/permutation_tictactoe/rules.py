"""Permutation tic-tac-toe: each player fixes an order of the nine cells, and the orders play a game of tic-tac-toe.

On each turn a player's stone goes to the next free cell of its order; occupied ones are skipped for good. A player gets
no information during the game and cannot react. Both write their orders before the game, cell by cell, the second
player without seeing the first one's; the last cell is implied.

Data sheet of a state (int64 cells)
    0 RESULT    the first player's score once both orders are written, -1 before
    1 WRITTEN   number of cells each player has written
    3 ORDER     nine cells for each player's order, -1 where nothing is written yet
Data sheet of a view: one's seat (0 moves first), RESULT, the own order, and once the game is over the opponent's.

Action: the cell 0..8 that comes next in the own order, rows from the top.
"""

import numpy as np

from ...core.compile.kernel import inlined, kernel, trailing_zeros
from ...core.game import DRAW, LOSS, OVER, WIN, Game, Rules, Sizes, Strategy, Vector, nothing_to_prepare
from ...core.picture import BoardPicture, Cell, Facts, Messages, Parts
from ...core.rng import random_unit
from ..boards.board import BOARDS, DRAWS, ILLEGAL, WINS, cells_in_lines, list_bits, permute, tic_tac_toe
from .scores import half_points

RESULT, WRITTEN, ORDER = 0, 1, 3
CELLS = 9
SEEN_SEAT, SEEN_RESULT, SEEN_OWN = range(3)
SEEN_OTHER = SEEN_OWN + CELLS


# The six rules


@kernel
def start(state):
    state[RESULT] = -1
    for i in range(2):
        state[WRITTEN + i] = 0
    for i in range(2 * CELLS):
        state[ORDER + i] = -1


@kernel
def mover(state):
    if state[RESULT] >= 0:
        return OVER
    return 0 if state[WRITTEN] < CELLS else 1


@inlined
def left_to_write(state, player):
    left = (1 << CELLS) - 1
    for i in range(state[WRITTEN + player]):
        left ^= 1 << state[ORDER + CELLS * player + i]
    return left


@kernel
def legal(state, out):
    return list_bits(left_to_write(state, mover(state)), out)


@kernel
def apply(state, action):
    player = mover(state)
    order = ORDER + CELLS * player
    state[order + state[WRITTEN + player]] = action
    state[WRITTEN + player] += 1
    if state[WRITTEN + player] < CELLS - 1:
        return
    state[order + CELLS - 1] = trailing_zeros(left_to_write(state, player))
    state[WRITTEN + player] = CELLS
    if player == 1:
        state[RESULT] = half_points(tic_tac_toe, state[ORDER : ORDER + CELLS], state[ORDER + CELLS :])


@kernel
def view(state, player, out):
    out[SEEN_SEAT] = player
    out[SEEN_RESULT] = state[RESULT]
    for i in range(CELLS):
        out[SEEN_OWN + i] = state[ORDER + CELLS * player + i]
        out[SEEN_OTHER + i] = state[ORDER + CELLS * (1 - player) + i] if state[RESULT] >= 0 else -1


@kernel
def score(state):
    return state[RESULT]


def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Redraw the opponent's order, as far as it is written, until both are complete."""
    other, at = state.copy(), ORDER + CELLS * (1 - player)
    if state[RESULT] < 0:
        order, written = np.arange(CELLS), state[WRITTEN + 1 - player]
        permute(order, range(CELLS), stream)
        other[at : at + written] = order[:written]
    return other


# The strategy: nine parameters for moving first and nine for moving second, whose ranks are the orders


@kernel
def prepare(theta, plan):
    """Write both orders: cells by ascending parameter, equal ones by number."""
    for role in range(2):
        at = CELLS * role
        for cell in range(CELLS):
            i = cell
            while i > 0 and theta[at + int(plan[at + i - 1])] > theta[at + cell]:
                plan[at + i] = plan[at + i - 1]
                i -= 1
            plan[at + i] = cell


@kernel
def choose(seen, actions, plan, stream):
    return int(plan[CELLS * seen[SEEN_SEAT] + CELLS - len(actions)])


@kernel
def play(state, plan_0, plan_1, chance, stream_0, stream_1):
    return half_points(tic_tac_toe, plan_0, plan_1[CELLS:])


# The equilibrium: one of 280 or 272 orders, drawn cell by cell
#
# Found and proved by `fogspiel.solving.methods.permutation.solve()`. An order stands for itself and its seven images
# under the symmetries of the board, all equally likely; the numbers are their common weights. A test solves the game
# again and compares.

FIRST_WEIGHTS = {
    "012564378": 8159778727280466, "012567834": 6320718714509580, "012568734": 2664121154312888,
    "012637458": 2743576889103800, "012843657": 661167219658968, "012846735": 6631618086452468,
    "021463857": 1761487571193782, "021468357": 1799229385137742, "021475368": 10489947463900915,
    "021476835": 10880842271173982, "021478635": 23669590632133979, "021637458": 2266900909400412,
    "021643578": 9395268332774950, "021745368": 3250969919544937, "021748635": 11532848749217467,
    "021753468": 5472748208248488, "021758634": 476675979703388, "084536217": 777552012887082,
    "102564387": 393804578648122, "102638457": 6135286170996176, "102843567": 1322334439317936,
    "102845367": 100267250669168, "102854637": 8769211587375528, "147382506": 2983802192121194,
    "147602358": 941841812623294, "147625803": 1716139017966058, "147628503": 1186357821770250,
    "147680325": 9520122402085251, "174382506": 2349970605043626, "174682503": 11213874434152304,
    "408256713": 21839294926406424, "417653028": 4051302541584656, "417680325": 18217164005616979,
    "417682503": 23963178634251418, "417685203": 11561309803664922,
}  # fmt: skip
SECOND_WEIGHTS = {
    "012364857": 2623601564230896, "012638745": 30040281103751410, "021456873": 588399354180354,
    "021457386": 1668975702119594, "021485637": 23171696735598612, "021487563": 32495204552362596,
    "021487653": 7695188722705762, "021845673": 250741619342360, "025814673": 250741619342360,
    "026138457": 8640292739568612, "041726358": 6746935893823890, "041732685": 3092281733671512,
    "041762358": 272857940061166, "042138756": 2503882379491158, "045312867": 4414146225263820,
    "102476538": 24653557211399667, "102476583": 21283778870431827, "104726538": 19124860782290026,
    "104726583": 500236820030766, "140726583": 9027965123129066, "160324875": 2998626966714050,
    "160382475": 1453620251861372, "160382745": 1873075181916464, "160382754": 1194194420745202,
    "168704235": 13735039962417416, "168740235": 12958901392136766, "174026358": 3529156548100594,
    "410235867": 1876613696172172, "410256387": 399656928653376, "417023586": 33181625685847364,
    "417062358": 4623565350242154, "417062538": 1109327706922549, "417062583": 15522707124648531,
    "417086235": 523642654487286,
}  # fmt: skip
EQUILIBRIUM_VALUE = "362878308578215799/470440608901857200"  # the first player's score if both play it


def spread(weights: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return all images of the orders of a solution, a row each, and their probabilities."""
    orders = np.array([[int(digit) for digit in order] for order in weights])
    images = BOARDS["ttt"].symmetries[:, orders].reshape(-1, CELLS)
    chances = [weight / sum(weights.values()) / len(BOARDS["ttt"].symmetries) for weight in weights.values()]
    return images, np.tile(chances, len(BOARDS["ttt"].symmetries))


FIRST_ORDERS, FIRST_CHANCES = spread(FIRST_WEIGHTS)
SECOND_ORDERS, SECOND_CHANCES = spread(SECOND_WEIGHTS)


@inlined
def weight_of(orders, chances, row, seen, written):
    """Return the probability of an order if it starts with the cells written so far, else 0."""
    for i in range(written):
        if orders[row, i] != seen[SEEN_OWN + i]:
            return 0.0
    return chances[row]


@kernel
def next_cell(orders, chances, seen, written, stream):
    """Draw the next cell from the orders that start with the cells written so far."""
    total, last = 0.0, 0
    for row in range(len(orders)):
        weight = weight_of(orders, chances, row, seen, written)
        total += weight
        last = row if weight > 0 else last
    left = total * random_unit(stream)
    for row in range(last):
        left -= weight_of(orders, chances, row, seen, written)
        if left < 0:
            return orders[row, written]
    return orders[last, written]


@kernel
def choose_equilibrium(seen, actions, plan, stream):
    written = CELLS - len(actions)
    if seen[SEEN_SEAT] == 0:
        return next_cell(FIRST_ORDERS, FIRST_CHANCES, seen, written, stream)
    return next_cell(SECOND_ORDERS, SECOND_CHANCES, seen, written, stream)


# Text

name_of = BOARDS["ttt"].cell_name
SIGNS = {0: "X", 1: "O"}


def label(action: int) -> str:
    return f"next {name_of(action)}"


def order_text(order: np.ndarray) -> str:
    return " ".join(name_of(int(cell)) for cell in order if cell >= 0) or "nothing"


def board_text(first: np.ndarray, second: np.ndarray) -> str:
    """Return the final board of two orders: X moved first."""
    board, rest, mover = ["."] * CELLS, [list(first), list(second)], 0
    stones, fate = [0, 0], 0
    while fate not in (WINS, DRAWS):
        cell = int(rest[mover].pop(0))
        fate = int(tic_tac_toe(mover, stones[mover], stones[1 - mover], cell))
        if fate != ILLEGAL:
            board[cell] = SIGNS[mover]
            stones[mover] |= 1 << cell
            mover = 1 - mover
    return "\n".join("".join(board[row : row + 3]) for row in range(0, CELLS, 3))


def show(seen: np.ndarray) -> str:
    own, other, seat = seen[SEEN_OWN:SEEN_OTHER], seen[SEEN_OTHER:], int(seen[SEEN_SEAT])
    lines = [f"your order, moving {'second' if seat else 'first'}: {order_text(own)}"]
    if seen[SEEN_RESULT] >= 0:
        lines += [f"the other's order: {order_text(other)}", board_text(*((other, own) if seat else (own, other)))]
    return "\n".join(lines)


def reveal(state: np.ndarray) -> str:
    first, second = state[ORDER : ORDER + CELLS], state[ORDER + CELLS :]
    lines = [f"player 1 (X): {order_text(first)}", f"player 2 (O): {order_text(second)}"]
    return "\n".join([*lines, board_text(first, second)] if state[RESULT] >= 0 else lines)


def orders_of(theta: np.ndarray) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the orders of a vector: moving first and moving second."""
    plan = np.zeros(2 * CELLS)
    prepare(theta, plan)
    first, second = plan.astype(int).reshape(2, CELLS).tolist()
    return tuple(first), tuple(second)


def describe(theta: np.ndarray) -> str:
    first, second = (order_text(np.array(order)) for order in orders_of(theta))
    return f"moving first {first}; moving second {second}"


def ranks(first: tuple[int, ...], second: tuple[int, ...]) -> Vector:
    """Return the simplest vector whose ranks are these two orders."""
    return tuple(float(order.index(cell)) for order in (first, second) for cell in range(CELLS))


PARAMETERS = tuple(f"{role} {name_of(cell)}" for role in ("first", "second") for cell in range(CELLS))
EQUILIBRIUM = Strategy("equilibrium", (), 1, nothing_to_prepare, choose_equilibrium)
FAMILY = Strategy("two orders of the cells", PARAMETERS, 2 * CELLS, prepare, choose, per_seat=True, describe=describe)

SOURCE = (
    "Cauwet & Teytaud 2018 describe the game as phantom tic-tac-toe (a permutation of the nine cells; an occupied cell "
    "is passed over for the next one in it) and give it 18 parameters, a complete pure strategy. Derived: nine "
    "parameters for moving first and nine for moving second. Ours: cells in the order of ascending parameters. "
    "best-vs-random has, for either role, the order that scores most against a random one; found by search. "
    "equilibrium is a mixture that nobody beats; found and proved exactly. The game "
    "in which players notice failed tries and may change their plans is phantom-ttt."
)

GAMES = (
    Game(
        name="permutation-ttt",
        title="Phantom tic-tac-toe by permutations",
        family="permutation",
        category="Boards",
        rules=Rules(start, mover, legal, apply, view, score),
        resample=resample,
        sizes=Sizes(ORDER + 2 * CELLS, SEEN_OTHER + CELLS, CELLS),
        show=show,
        reveal=reveal,
        label=label,
        source=SOURCE,
        strategy=FAMILY,
        policies={
            "best-vs-random": ranks((4, 1, 7, 6, 2, 8, 5, 0, 3), (4, 0, 8, 2, 6, 1, 7, 3, 5)),
            "equilibrium": EQUILIBRIUM,
        },
        policy_notes={"equilibrium": "cannot be beaten in the long run"},
        play=play,
    ),
)


# Drawings: the rank of each cell in an order, and the final board.

SIDE = 3
ENDS = {LOSS: "O has won.", DRAW: "A draw.", WIN: "X has won."}


def board_of(cells: list[Cell], title: str) -> BoardPicture:
    rows = tuple(tuple(cells[row : row + SIDE]) for row in range(0, CELLS, SIDE))
    return BoardPicture(rows, title, row_names=("1", "2", "3"), column_names=("A", "B", "C"))


def order_on(order: np.ndarray, look: str, title: str, can_write: bool) -> BoardPicture:
    places = {int(cell): place for place, cell in enumerate(order.tolist(), 1) if cell >= 0}
    cells = [
        Cell(str(places[cell]), look, None, f"{name_of(cell)}, place {places[cell]} of the order")
        if cell in places
        else Cell("", "", cell if can_write else None, f"{name_of(cell)}, not in the order yet")
        for cell in range(CELLS)
    ]
    return board_of(cells, title)


def outcome_on(first: np.ndarray, second: np.ndarray, own: int) -> BoardPicture:
    signs = board_text(first, second).replace("\n", "")
    looks = {SIGNS[own]: "own", SIGNS[1 - own]: "other", ".": ""}
    winning = 0
    for mark in SIGNS.values():
        winning |= cells_in_lines(3, 3, 3, sum(1 << cell for cell, sign in enumerate(signs) if sign == mark))
    cells = [
        Cell(
            sign.strip("."),
            looks[sign] + (" winning" if winning >> cell & 1 else ""),
            None,
            f"{name_of(cell)}, {'empty' if sign == '.' else sign}",
        )
        for cell, sign in enumerate(signs)
    ]
    return board_of(cells, "How the orders played")


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    own, other, seat = seen[SEEN_OWN:SEEN_OTHER], seen[SEEN_OTHER:], int(seen[SEEN_SEAT])
    result = int(seen[SEEN_RESULT])
    words = f"You move {'second' if seat else 'first'} and have {SIGNS[seat]}."
    complete = bool((own >= 0).all())
    mine = order_on(own, "own", "Your order", result < 0)
    if result < 0:
        todo = "Your order is complete." if complete else "Choose the cell that comes next in your order."
        return Messages((f"{words} {todo}",)), mine
    first, second = (other, own) if seat else (own, other)
    orders = Facts((("your order", order_text(own)), ("the other's order", order_text(other))))
    theirs = order_on(other, "other", "The other's order", False)
    return Messages((f"{words} {ENDS[result]}",)), outcome_on(first, second, seat), mine, theirs, orders


def draw_state(game: Game, state: np.ndarray) -> Parts:
    orders = [state[ORDER + CELLS * player :][:CELLS] for player in range(2)]
    parts = tuple(
        order_on(order, ("own", "other")[player], f"The order of {SIGNS[player]}", False)
        for player, order in enumerate(orders)
    )
    if state[RESULT] < 0:
        return parts
    return Messages((ENDS[int(state[RESULT])],)), outcome_on(orders[0], orders[1], 0), *parts


SCENE = "tiles"
HOW_TO_PLAY = (
    "Tic-tac-toe in which nobody sees the other's stones and nobody changes the own plan.",
    "Before the game each player writes down an order of all nine cells.",
    "Then the orders play: on each turn a player's stone goes to the next free cell of its order.",
    "Cells that are taken are passed over for good, and the player learns nothing.",
    "Three in a row, a column or a diagonal win; a full board is a draw.",
    "Write your order cell by cell; the board is shown when both orders have played.",
)
