"""Battleship: the other's sea to shoot at, the own sea to fear for."""

import numpy as np

from ...core.game import Game
from ...core.picture import Board, Cell, Facts, Parts, Words
from . import rules
from .strategy import COLUMNS, square_name

TARGETS = {
    rules.UNKNOWN: ("", "unknown", "not shot at"),
    rules.MISS: ("·", "", "a miss"),
    rules.HIT: ("×", "other", "a hit"),
}
SQUARES = {
    rules.WATER: ("", "", "water"),
    rules.AFLOAT: ("■", "own ship", "your ship"),
    rules.SPLASH: ("·", "", "water, shot at"),
    rules.WRECK: ("×", "own refused", "your ship, hit"),
}
SEAS = SQUARES | {rules.AFLOAT: ("■", "own ship", "a ship"), rules.WRECK: ("×", "own refused", "a ship, hit")}


def draw_sea(cells: np.ndarray, looks: dict[int, tuple[str, str, str]], title: str, actions: dict[int, int]) -> Board:
    """Squares by what is there, some with an action, A1 in the top left corner."""
    found = []
    for square, there in enumerate(cells.tolist()):
        text, look, words = looks[there]
        found.append(Cell(text, look, actions.get(square), f"{square_name(square)}, {words}"))
    rows = tuple(tuple(found[row * rules.SIDE : (row + 1) * rules.SIDE]) for row in range(rules.SIDE))
    return Board(rows, title, row_names=tuple(map(str, range(1, rules.SIDE + 1))), column_names=tuple(COLUMNS))


def placings(seen: np.ndarray, ship: int) -> tuple[dict[int, int], dict[int, int]]:
    """The actions that place the next ship across and down, by its top left end, where the sea is free."""
    sea = seen[rules.SEEN_SEA : rules.SEEN_SEA + rules.SQUARES]
    across: dict[int, int] = {}
    down: dict[int, int] = {}
    for placement in range(rules.FIRST[ship], rules.FIRST[ship + 1]):
        squares = rules.PLACEMENTS[placement]
        if not sea[squares].any():
            (across if squares[1] - squares[0] == 1 else down)[squares[0]] = rules.SQUARES + placement
    return across, down


def draw_view(game: Game, seen: np.ndarray) -> Parts:
    """Both seas; while ships are placed the own one twice, for ships that lie across and down."""
    own = seen[rules.SEEN_SEA : rules.SEEN_SEA + rules.SQUARES]
    target = seen[rules.SEEN_TARGET : rules.SEEN_TARGET + rules.SQUARES]
    ship, mine = int(seen[rules.SEEN_PLACED]), bool(seen[rules.SEEN_MINE])
    hits, lost = (int(cell) for cell in seen[rules.SEEN_HITS : rules.SEEN_HITS + 2])
    if ship < rules.SHIPS:
        across, down = placings(seen, ship)
        length = rules.LENGTHS[ship]
        words = f"Place the ship of {length}." if mine else "The other is placing ships."
        return (
            Words((words,)),
            draw_sea(own, SQUARES, f"Your sea: a ship of {length} across, from its left end", across),
            draw_sea(own, SQUARES, f"Your sea: a ship of {length} down, from its top end", down),
        )
    over = rules.FLEET in (hits, lost)
    end = "You have won." if hits == rules.FLEET else "You have lost."
    words = end if over else "Your shot." if mine else "The other's turn."
    shots = {} if over else {square: square for square in range(rules.SQUARES) if target[square] == rules.UNKNOWN}
    facts = (("your hits", f"{hits} of {rules.FLEET}"), ("the other's hits", f"{lost} of {rules.FLEET}"))
    return (
        Words((words,)),
        draw_sea(target, TARGETS, "The other's sea", shots),
        draw_sea(own, SQUARES, "Your sea", {}),
        Facts(facts),
    )


def draw_state(game: Game, state: np.ndarray) -> Parts:
    """Both seas as they are."""
    seas = tuple(
        draw_sea(state[rules.SEA + rules.SQUARES * player :][: rules.SQUARES], SEAS, f"Player {player + 1}'s sea", {})
        for player in range(2)
    )
    hits = [(f"hits of player {player + 1}", f"{state[rules.HITS + player]} of {rules.FLEET}") for player in range(2)]
    return *seas, Facts(tuple(hits))
