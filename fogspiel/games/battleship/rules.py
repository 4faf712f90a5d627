"""The rules of Battleship: four ships of 5, 4, 3 and 2 squares on a sea of 9 x 9, shot at one square at a time.

Ships lie across or down, do not share a square and may touch. A shot is answered by hit or miss and nothing more. The
first to hit all 14 squares wins at once.

Data sheet of a state (int64 cells)
    0 PLACED    ships on the two seas: all of player 1's are placed before those of player 2
    1 MOVER     the player to shoot
    2 HITS      hits of each player
    4 SHIP      placements of each player's ships, longest first, 4 cells each; -1 before placement
   12 SEA       81 squares for each player, row by row: water or ship, and whether it has been shot at
Data sheet of a view: own ships placed, 1 if the move is one's own (else 0), own and opponent's HITS, own SHIPs, the
opponent's sea as far as it is known, the own SEA.

Actions: 0..80 shoot at a square; 81 + placement places the next ship. Placements are numbered by ship, across first,
then by row and column of the top left end.
"""

from itertools import pairwise

import numpy as np

from ...core.compile.kernel import inlined, kernel
from ...core.game import LOSS, OVER, WIN, Game
from ...core.picture import BoardPicture, Cell, Facts, Messages, Parts, Race
from ..boards.board import pick

PLACED, MOVER, HITS, SHIP, SEA = 0, 1, 2, 4, 12
SEEN_PLACED, SEEN_MINE, SEEN_HITS, SEEN_SHIP, SEEN_TARGET = 0, 1, 2, 4, 8
SIDE = 9
SQUARES = SIDE * SIDE
SEEN_SEA = SEEN_TARGET + SQUARES
LENGTHS = (5, 4, 3, 2)
SHIPS, FLEET = len(LENGTHS), sum(LENGTHS)
WATER, AFLOAT, SPLASH, WRECK = range(4)  # a square of a sea: 1 if there is a ship, plus 2 if it has been shot at
UNKNOWN, MISS, HIT = range(3)


# All placements of ships


def placements() -> list[list[int]]:
    """List the squares of every placement: ships of 5 first, across before down, by row and column."""
    found = []
    for length in LENGTHS:
        for down in (False, True):
            for row in range(SIDE - (length - 1) * down):
                for column in range(SIDE - (length - 1) * (not down)):
                    step = SIDE if down else 1
                    found.append([row * SIDE + column + step * i for i in range(length)])
    return found


PLACEMENTS = placements()
FIRST = (0, 90, 198, 324, 468)  # the first placement of each ship, then the number of placements
# The squares of each placement, one row each.
LYING = np.array([squares + [-1] * (LENGTHS[0] - len(squares)) for squares in PLACEMENTS])
MAX_ACTIONS = max(SQUARES, *(after - before for before, after in pairwise(FIRST)))


# The six rules


@kernel
def start(state):
    for i in range(SEA + 2 * SQUARES):
        state[i] = 0
    for i in range(2 * SHIPS):
        state[SHIP + i] = -1


@kernel
def mover(state):
    if state[PLACED] < 2 * SHIPS:
        return state[PLACED] // SHIPS
    return OVER if state[HITS] == FLEET or state[HITS + 1] == FLEET else state[MOVER]


@inlined
def free(state, sea, placement, length):
    for i in range(length):  # noqa: SIM110 (kernels are plain loops)
        if state[sea + LYING[placement, i]] != WATER:
            return False
    return True


@kernel
def legal(state, out):
    count = 0
    if state[PLACED] < 2 * SHIPS:
        ship, sea = state[PLACED] % SHIPS, SEA + SQUARES * (state[PLACED] // SHIPS)
        for placement in range(FIRST[ship], FIRST[ship + 1]):
            if free(state, sea, placement, LENGTHS[ship]):
                out[count] = SQUARES + placement
                count += 1
        return count
    sea = SEA + SQUARES * (1 - state[MOVER])
    for square in range(SQUARES):
        if state[sea + square] < SPLASH:
            out[count] = square
            count += 1
    return count


@kernel
def apply(state, action):
    if state[PLACED] < 2 * SHIPS:
        ship, sea = state[PLACED] % SHIPS, SEA + SQUARES * (state[PLACED] // SHIPS)
        state[SHIP + state[PLACED]] = action - SQUARES
        for i in range(LENGTHS[ship]):
            state[sea + LYING[action - SQUARES, i]] = AFLOAT
        state[PLACED] += 1
        return
    square = SEA + SQUARES * (1 - state[MOVER]) + action
    if state[square] == AFLOAT:
        state[HITS + state[MOVER]] += 1
    state[square] += SPLASH
    state[MOVER] = 1 - state[MOVER]


@kernel
def view(state, player, out):
    placed = min(max(state[PLACED] - SHIPS * player, 0), SHIPS)
    placing = state[PLACED] < 2 * SHIPS
    out[SEEN_PLACED] = placed
    out[SEEN_MINE] = 1 if (state[PLACED] // SHIPS if placing else state[MOVER]) == player else 0
    out[SEEN_HITS] = state[HITS + player]
    out[SEEN_HITS + 1] = state[HITS + 1 - player]
    for ship in range(SHIPS):
        out[SEEN_SHIP + ship] = state[SHIP + SHIPS * player + ship]
    own, other = SEA + SQUARES * player, SEA + SQUARES * (1 - player)
    for square in range(SQUARES):
        there = state[other + square]
        out[SEEN_TARGET + square] = UNKNOWN if there < SPLASH else MISS + there - SPLASH
        out[SEEN_SEA + square] = state[own + square]


@kernel
def score(state):
    return WIN if state[HITS] == FLEET else LOSS


def resample(state: np.ndarray, player: int, stream: np.ndarray) -> np.ndarray:
    """Move each of the opponent's ships in turn to a random placement that gives the same hits and misses."""
    other = state.copy()
    sea = other[SEA + SQUARES * (1 - player) :][:SQUARES]
    ships = other[SHIP + SHIPS * (1 - player) :][:SHIPS]
    for ship in range(np.count_nonzero(ships >= 0)):
        here = PLACEMENTS[ships[ship]]
        hits = {square for square in here if sea[square] == WRECK}
        sea[here] -= AFLOAT
        places = [
            placement
            for placement in range(FIRST[ship], FIRST[ship + 1])
            if {square for square in PLACEMENTS[placement] if sea[square] >= SPLASH} == hits
            and not any(sea[square] & AFLOAT for square in PLACEMENTS[placement])
        ]
        ships[ship] = pick(places, stream)
        sea[PLACEMENTS[ships[ship]]] += AFLOAT
    return other


# Drawings: the opponent's sea to shoot at, and the player's own sea.

COLUMNS = "ABCDEFGHJ"


def square_name(square: int) -> str:
    """Return the name of a square: A1 is the top left corner."""
    return f"{COLUMNS[square % SIDE]}{square // SIDE + 1}"


TARGETS = {
    UNKNOWN: ("", "unknown", "not shot at"),
    MISS: ("·", "", "a miss"),
    HIT: ("×", "other", "a hit"),
}
DRAWN_SQUARES = {
    WATER: ("", "", "water"),
    AFLOAT: ("■", "own ship", "your ship"),
    SPLASH: ("·", "", "water, shot at"),
    WRECK: ("×", "own refused", "your ship, hit"),
}
SEAS = DRAWN_SQUARES | {AFLOAT: ("■", "own ship", "a ship"), WRECK: ("×", "own refused", "a ship, hit")}


Fleet = tuple[tuple[int, int, int, bool], ...]  # as in `BoardPicture.ships`


def fleet_of(placements: np.ndarray) -> Fleet:
    """Return row, column and length of each ship that is placed, and true if it lies down the sea."""
    squares = [PLACEMENTS[int(placement)] for placement in placements if placement >= 0]
    return tuple((*divmod(int(one[0]), SIDE), len(one), int(one[1] - one[0]) == SIDE) for one in squares)


def draw_sea(
    cells: np.ndarray,
    looks: dict[int, tuple[str, str, str]],
    title: str,
    actions: dict[int, int],
    ships: Fleet = (),
    turned: bool | None = None,
    in_hand: int = 0,
    seat: str = "",
) -> BoardPicture:
    """Draw a sea by the content of its squares, some with an action, A1 in the top left corner."""
    found = []
    for square, there in enumerate(cells.tolist()):
        text, look, words = looks[there]
        found.append(Cell(text, look, actions.get(square), f"{square_name(square)}, {words}"))
    rows = tuple(tuple(found[row * SIDE : (row + 1) * SIDE]) for row in range(SIDE))
    names = tuple(map(str, range(1, SIDE + 1))), tuple(COLUMNS)
    return BoardPicture(rows, title, "squares", *names, ships, turned, in_hand, seat, LENGTHS if in_hand else ())


def placings(seen: np.ndarray, ship: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return the actions that place the next ship across and down, by its top left end, where the sea is free."""
    sea = seen[SEEN_SEA : SEEN_SEA + SQUARES]
    across: dict[int, int] = {}
    down: dict[int, int] = {}
    for placement in range(FIRST[ship], FIRST[ship + 1]):
        squares = PLACEMENTS[placement]
        if not sea[squares].any():
            (across if squares[1] - squares[0] == 1 else down)[squares[0]] = SQUARES + placement
    return across, down


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """Draw both seas; during placement the player's own one twice, for ships across and down."""
    own = seen[SEEN_SEA : SEEN_SEA + SQUARES]
    target = seen[SEEN_TARGET : SEEN_TARGET + SQUARES]
    ship, mine = int(seen[SEEN_PLACED]), bool(seen[SEEN_MINE])
    hits, lost = (int(cell) for cell in seen[SEEN_HITS : SEEN_HITS + 2])
    fleet = fleet_of(seen[SEEN_SHIP : SEEN_SHIP + SHIPS])
    if ship < SHIPS:
        across, down = placings(seen, ship)
        length = LENGTHS[ship]
        words = f"Place the ship of {length}." if mine else "The other is placing ships."
        return (
            Messages((words,)),
            draw_sea(
                own,
                DRAWN_SQUARES,
                f"Your sea: a ship of {length} across, from its left end",
                across,
                fleet,
                False,
                length,
            ),
            draw_sea(
                own, DRAWN_SQUARES, f"Your sea: a ship of {length} down, from its top end", down, fleet, True, length
            ),
        )
    over = FLEET in (hits, lost)
    end = "You have won." if hits == FLEET else "You have lost."
    words = end if over else "Your shot." if mine else "The other's turn."
    shots = {} if over else {square: square for square in range(SQUARES) if target[square] == UNKNOWN}
    race = Race((("Your hits", hits, 0, FLEET), ("Theirs", lost, 0, FLEET)))
    return (
        Messages((words,)),
        draw_sea(target, TARGETS, "The opponent's sea", shots, seat="other"),
        draw_sea(own, DRAWN_SQUARES, "Your sea", {}, fleet, seat="own"),
        race,
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    fleets = [fleet_of(state[SHIP + SHIPS * player :][:SHIPS]) for player in range(2)]
    seas = tuple(
        draw_sea(state[SEA + SQUARES * player :][:SQUARES], SEAS, f"Player {player + 1}'s sea", {}, fleets[player])
        for player in range(2)
    )
    hits = [(f"hits of player {player + 1}", f"{state[HITS + player]} of {FLEET}") for player in range(2)]
    return *seas, Facts(tuple(hits))


SCENE = "sea"
HOW_TO_PLAY = (
    "Each player hides four ships of 5, 4, 3 and 2 squares in an own sea of 9 by 9 squares.",
    "Ships lie across or down, share no square and may touch each other.",
    "In turn each player shoots at one square of the other's sea.",
    "The answer is hit or miss and nothing more: nobody says which ship was hit, or that it has sunk.",
    "Nobody shoots at the same square twice.",
    "Who has hit all 14 squares of the other's ships first wins.",
)


def news_between(game: Game, before: np.ndarray, action: int, now: np.ndarray) -> list[str]:
    old, new = (seen[SEEN_SEA : SEEN_SEA + SQUARES] for seen in (before, now))
    hit = {SPLASH: "a miss", WRECK: "a hit"}
    shots = [int(square) for square in np.flatnonzero(old != new) if int(new[square]) in hit]
    news = [f"the other: {square_name(square)} ({hit[int(new[square])]})" for square in shots]
    hits, lost = (int(cell) for cell in now[SEEN_HITS : SEEN_HITS + 2])
    if hits == FLEET:
        news.append("All ships of the other are sunk.")
    return [*news, "All your ships are sunk."] if lost == FLEET else news
