"""Phantom tic-tac-toe, phantom ponnuki and dark hex: texts and drawings for boards of any size, and the small games."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...core import NotFound
from ...core.compile.kernel import interpreted
from ...core.game import DRAW, LOSS, WIN, Game, Kernel, Look, Rules, Sizes, Strategy
from ...core.picture import BoardPicture, Cell, Facts, Messages, Parts
from ...core.rng import random_below, stream_of
from ..boards import board as boards
from ..boards.ponnuki import ABOUT, monte_carlo
from . import rules
from .rules import cells_of, resample_by, view_in

# Phantom tic-tac-toe, phantom ponnuki and dark hex: board games whose players do not see each other's stones.
#
# The rules and the layout of states and views are in `rules.py`, the boards in `boards/board.py`. Black, who moves
# first, is drawn as X, White as O, a cell that was illegal but may have been empty as ?; the first row is the lowest.

MARKS = "XO"
SCENES = {"ponnuki": "go", "hex": "hex"}  # other boards are of tiles


class Shape(NamedTuple):
    """A board for people: its kind (ttt, ponnuki or hex), its size, and the length of a line of tic-tac-toe."""

    kind: str
    rows: int
    columns: int
    length: int = 0
    goal: str = ""

    def cell_name(self, cell: int) -> str:
        return f"{boards.LETTERS[cell % self.columns]}{cell // self.columns + 1}"

    def names(self, cells: Sequence[int]) -> str:
        return " ".join(map(self.cell_name, cells))


class Knowledge(NamedTuple):
    """A player's view, cell by cell."""

    player: int
    finished: int  # turns of both players together
    result: int  # the player's own
    put: np.ndarray  # 1 + the own turn in which the own stone was put; 0 where there is none
    failed: np.ndarray  # the own turns in which the cell was illegal, as bits
    known: np.ndarray  # positive where an enemy stone is known
    tries: Sequence[int] | None = None  # the opponent's in each turn, where they are announced

    @property
    def to_move(self) -> bool:
        return self.result < 0 and self.finished % 2 == self.player

    @property
    def status(self) -> str:
        now = "your turn" if self.finished % 2 == self.player else "the other's turn"
        return {LOSS: "you have lost", DRAW: "a draw", WIN: "you have won"}.get(self.result, now)

    def turns(self, shape: Shape) -> list[tuple[str, str]]:
        """List the turns begun by name: the cell of the stone, and the failed tries before it."""
        rows = []
        for turn in range((self.finished - (self.result >= 0) + 2 - self.player) // 2):
            words = [shape.cell_name(cell) for cell in np.flatnonzero(self.put == turn + 1).tolist()]
            if refused := np.flatnonzero(self.failed >> turn & 1).tolist():
                words.append(f"illegal: {shape.names(refused)}")
            rows.append((f"turn {turn + 1}", ", ".join(words) or "nothing yet"))
        return rows

    def others_tries(self) -> list[tuple[str, str]]:
        if self.tries is None:
            return []
        return [(f"tries of {MARKS[1 - self.player]}", " ".join(str(n) for n in self.tries if n) or "none")]


Both = tuple[Knowledge, Knowledge]  # of the two players: a whole state


def read_both(read: Callable[[np.ndarray], Knowledge], view: Kernel, state: np.ndarray) -> Both:
    return read(view_in(view, state, 0)), read(view_in(view, state, 1))


def end_of(both: Both) -> str:
    now = f"{MARKS[both[0].finished % 2]} to move"
    return {LOSS: "O has won", DRAW: "a draw", WIN: "X has won"}.get(both[0].result, now)


def turns_of(shape: Shape, both: Both, comma: str = ",", nothing: str = "nothing") -> list[tuple[str, str]]:
    """List the turns of both players, and the enemy stones that each of them knows."""
    rows = []
    for mark, one in zip(MARKS, both, strict=True):
        rows += [(f"{mark}{comma} {turn}", tried) for turn, tried in one.turns(shape)]
        rows.append((f"{mark} knows", shape.names(np.flatnonzero(one.known).tolist()) or nothing))
    return rows


# Text


def board_text(shape: Shape, marks: np.ndarray) -> list[str]:
    """Draw the board as text, the last row on top; hex leans to the right."""
    lean = int(shape.kind == "hex")
    rows = marks.reshape(shape.rows, shape.columns).tolist()
    lines = [f"{row + 1:>2} {' ' * row * lean}{' '.join(rows[row])}" for row in reversed(range(shape.rows))]
    return [*lines, f"   {' '.join(boards.LETTERS[: shape.columns])}"]


def view_text(shape: Shape, own: Knowledge) -> str:
    mark, other = MARKS[own.player], MARKS[1 - own.player]
    marks = np.where(own.put > 0, mark, np.where(own.known > 0, other, np.where(own.failed > 0, "?", ".")))
    lines = [f"you are {mark}: {own.status}", *board_text(shape, marks)]
    return "\n".join([*lines, *map(": ".join, (*own.turns(shape), *own.others_tries()))])


def state_text(shape: Shape, both: Both, comma: str = ",", nothing: str = "nothing") -> str:
    marks = np.where(both[0].put > 0, MARKS[0], np.where(both[1].put > 0, MARKS[1], "."))
    return "\n".join([end_of(both), *board_text(shape, marks), *map(": ".join, turns_of(shape, both, comma, nothing))])


# Drawings


def sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def board_of(shape: Shape, cell: Callable[[int], Cell]) -> BoardPicture:
    """Draw the board; the first row is the lowest one, but on top on a board of hexagons."""
    is_hex, columns = shape.kind == "hex", shape.columns
    order = range(shape.rows) if is_hex else range(shape.rows - 1, -1, -1)
    return BoardPicture(
        rows=tuple(tuple(map(cell, range(row * columns, (row + 1) * columns))) for row in order),
        shape="hexagons" if is_hex else "squares",
        row_names=tuple(str(row + 1) for row in order),
        column_names=tuple(boards.LETTERS[:columns]),
    )


def draw_knowledge(shape: Shape, own: Knowledge) -> Parts:
    def picture(cell: int) -> Cell:
        name, action = shape.cell_name(cell), cell if own.result < 0 else None
        if own.put[cell]:
            return Cell(MARKS[own.player], "own", None, f"{name}, your stone")
        if own.known[cell]:
            return Cell(MARKS[1 - own.player], "other", None, f"{name}, a stone of the other")
        if own.to_move and own.failed[cell] >> own.finished // 2 & 1:
            return Cell("×", "refused", None, f"{name}, refused in this turn")
        if own.failed[cell]:
            return Cell("?", "unknown", action, f"{name}, was refused earlier")
        return Cell("", "fog", action, f"{name}, nothing known")

    goal = ""
    if shape.kind == "hex":
        ends = f"column A to column {boards.LETTERS[shape.columns - 1]}" if own.player else f"row 1 to row {shape.rows}"
        goal = f" and join {ends}"
    words = f"You are {MARKS[own.player]}{goal}. {sentence(own.status)}"
    facts = Facts((*own.turns(shape), *own.others_tries()), "Your turns")
    return Messages((words,)), board_of(shape, picture), facts


def winning_cells(shape: Shape, player: int, cells: Sequence[int]) -> list[int]:
    """Return the cells of a player's lines of tic-tac-toe, or of its path from edge to edge of hex; none in ponnuki."""
    stones = sum(1 << cell for cell in cells)
    if shape.kind == "ttt":
        return cells_of(boards.cells_in_lines(shape.rows, shape.columns, shape.length, stones))
    return cells_of(boards.hex_path(shape.rows, shape.columns, player, stones)) if shape.kind == "hex" else []


def draw_both(shape: Shape, both: Both) -> Parts:
    stones = [np.flatnonzero(one.put).tolist() for one in both]
    winning = [winning_cells(shape, player, own) for player, own in enumerate(stones)]
    captured = set[int]()
    if shape.kind == "ponnuki":  # the stones of the loser without liberties, which ended the game
        loser = int(both[0].result == WIN)
        captured = boards.captured_cells(shape.rows, shape.columns, stones[loser], stones[1 - loser])

    def picture(cell: int) -> Cell:
        player = next((player for player, own in enumerate(stones) if cell in own), None)
        if player is None:
            return Cell("", "", None, f"{shape.cell_name(cell)}, empty")
        look = ("own", "other")[player] + (" winning" if cell in winning[player] else "")
        words = f"{shape.cell_name(cell)}, {MARKS[player]}"
        if cell in captured:
            return Cell(MARKS[player], f"{look} captured", None, f"{words}, captured")
        return Cell(MARKS[player], look, None, words)

    return Messages((sentence(end_of(both)),)), board_of(shape, picture), Facts(tuple(turns_of(shape, both)))


# Rules for a first-time player

GOALS = {
    "ttt": "Tic-tac-toe, but you do not see the other's stones. {} in a row, a column or a diagonal win.",
    "ponnuki": "Go without passing, and you do not see the other's stones. Who captures first wins.",
    "hex": "Hex, but you do not see the other's stones. X joins row 1 to the last row, O the first column to the last.",
}
OWN_GOAL = "A board game, but you do not see the other's stones."
LENGTHS = {2: "Two", 3: "Three", 4: "Four", 5: "Five"}
MORE = {
    "ttt": ("A full board without a line is a draw.",),
    "ponnuki": (
        "Stones are captured when all free cells next to their group are taken.",
        "A cell may also be refused because your stone would have no free cell (suicide).",
        "Who has no legal cell left loses.",
    ),
    "hex": ("Each cell has up to six neighbours. There is no draw.",),
}
TRIES = {
    "": ("If it is not possible the umpire tells you alone, and you try another one in the same turn.",),
    "abrupt": ("If it is not possible the umpire tells you alone, and your turn is over.",),
    "numturns": (
        "If it is not possible the umpire tells you alone, and you try another one in the same turn.",
        "The other hears how often you tried, not where.",
    ),
}
ONCE = "You try no cell twice, and who has tried all of them loses."


def lines_of(shape: Shape, variant: str) -> tuple[str, ...]:
    board = f"The board has {shape.rows} rows of {shape.columns} cells. X, the first player, begins."
    told = "A refusal tells you something, and your opponent does not hear of it."
    known = (told,) if variant != "numturns" else ()
    goal = GOALS.get(shape.kind, f"{OWN_GOAL} {shape.goal}".strip()).format(LENGTHS.get(shape.length, shape.length))
    tries = (*TRIES[variant], ONCE) if variant == "abrupt" and shape.kind == "ponnuki" else TRIES[variant]
    return goal, board, "In turn try a cell.", *tries, *known, *MORE.get(shape.kind, ())


def look_of(shape: Shape, read: Callable[[np.ndarray], Knowledge], view: Kernel, variant: str = "") -> Look:
    return Look(
        draw_view=lambda game, seen: draw_knowledge(shape, read(seen)),
        draw_state=lambda game, state: draw_both(shape, read_both(read, view, state)),
        how_to_play=lambda game: lines_of(shape, variant),
        scene=SCENES.get(shape.kind, "tiles"),
    )


# The small boards


def shape_of(board: boards.Board) -> Shape:
    return Shape(board.kind, board.rows, board.columns, board.length, board.goal)


def read(seen: np.ndarray) -> Knowledge:
    cells, turns = int(seen[rules.ROWS] * seen[rules.COLUMNS]), int(seen[rules.TURNS])
    put, failed = np.zeros((2, cells), np.int64)
    record = seen[rules.SEEN_RECORD : rules.SEEN_RECORD + 2 * turns].reshape(turns, 2)
    for turn, (stone, refused) in enumerate(record.tolist()):
        if stone >= 0:
            put[stone] = turn + 1
        failed[cells_of(refused)] |= 1 << turn
    player, finished, result = (int(seen[cell]) for cell in (rules.SEEN_PLAYER, rules.SEEN_TURN, rules.SEEN_RESULT))
    known = seen[rules.SEEN_KNOWN] >> np.arange(cells) & 1
    tries = seen[rules.SEEN_RECORD + 2 * turns :].tolist() if seen[rules.COUNTED] else None
    return Knowledge(player, finished, result, put, failed, known, tries)


CLASSICAL = "classical: a failed try is announced to the mover only, who tries again in the same turn"
ABRUPT = "abrupt: a failed try is announced to the mover only and ends the turn"
NUMTURNS = "numturns: as classical, but the other player is told of every try, not of its cell or outcome"
TTT = "Phantom tic-tac-toe as in Teytaud & Teytaud 2011 and in OpenSpiel's phantom_ttt. Variant "
PONNUKI = (
    "Phantom ponnuki of Teytaud & Teytaud 2011. Our reading: suicide is illegal unless it captures and is announced "
    "like an occupied cell; nobody passes, who has no legal cell loses; a cell is not named again in the same turn, "
    "nor where the enemy's number of stones proves that one of them is there. Variant "
)
HEX = "Dark hex as in OpenSpiel's dark_hex: X joins row 1 to the last row, O column A to the last. Variant "


SOURCES = {"ttt": TTT, "ponnuki": PONNUKI, "hex": HEX}
NUMBERED_TTT = "Phantom tic-tac-toe on other boards than 3x3: our generalisation. Variant "
VARIANTS = {"classical": CLASSICAL, "abrupt": ABRUPT, "numturns": NUMTURNS}


def version_of(name: str, title: str, board: boards.Board, source: str, variant: str) -> Game:
    """Make a phantom version of a board game."""
    abrupt, counted = variant == "abrupt", variant == "numturns"
    named: dict[str, Strategy] = {}
    if board.kind == "ponnuki" and not abrupt:  # the playout player assumes a stone in every turn
        named = {"monte-carlo": monte_carlo(rules.choose)}
    turns, shape = board.cells if abrupt else (board.cells + 1) // 2, shape_of(board)
    start, apply = rules.start_of(board, turns, counted), rules.apply_of(board, abrupt)
    legal = rules.legal_once if board.suicide and abrupt else rules.legal
    return Game(
        name=name,
        title=title,
        family="phantom",
        category="Boards",
        rules=Rules(start, rules.mover, legal, apply, rules.view, rules.score),
        resample=resample_by(start, apply),
        sizes=Sizes(rules.RECORD + 4 * turns, rules.SEEN_RECORD + (3 if counted else 2) * turns, board.cells),
        look=look_of(shape, read, rules.view, "abrupt" if abrupt else "numturns" if counted else ""),
        show=lambda seen: view_text(shape, read(seen)),
        reveal=lambda state: state_text(shape, read_both(read, rules.view, state), "", "-"),
        label=board.cell_name,
        source=source,
        policies=named,
        policy_notes=ABOUT if named else {},
        play=None if board.suicide else rules.uniform_play(board, abrupt),
    )


# Games by name: those of the catalogue, and by number every board of `boards/board.py` in every variant

KINDS = {"phantom-ttt": "ttt", "phantom-ponnuki": "ponnuki", "dark-hex": "hex"}
TITLES = {"ttt": "Phantom tic-tac-toe", "ponnuki": "Phantom ponnuki", "hex": "Dark hex"}
NAME = re.compile(rf"({'|'.join(KINDS)})((?:-[0-9]+x[0-9]+(?:-[0-9]+)?)?)(?:-(abrupt|numturns))?")


class PhantomName(NamedTuple):
    """The parts of a game's name."""

    board: str  # of `BOARDS`
    variant: str

    @classmethod
    def parse(cls, name: str) -> "PhantomName | None":
        found = NAME.fullmatch(name)
        if found is None and name in OWN:
            return OWN[name]
        return cls(KINDS[found[1]] + found[2], found[3] or "classical") if found else None

    @property
    def is_large(self) -> bool:
        """True if `phantom_ponnuki` has the game: classical ponnuki on more cells than the bits of these rules."""
        size = boards.BY_NUMBER.fullmatch(self.board)
        if size is None or (size[1], size[4], self.variant) != ("ponnuki", None, "classical"):
            return False
        return int(size[2]) * int(size[3]) > boards.MAX_CELLS


def classical_board(name: str) -> boards.Board:
    """Return the board of a classical phantom game; raise NotFound for other games and larger boards."""
    parts = PhantomName.parse(name)
    if parts is None or parts.variant != "classical" or parts.is_large:
        raise NotFound(f"{name} has no board here: classical phantom games of up to {boards.MAX_CELLS} cells have one")
    return boards.BOARDS[parts.board]


OWN: dict[str, PhantomName] = {}  # the games of boards that are not of the package, by name
PLAYOUTS, SEED = 10, 7  # random games that test the symmetries of a board


def phantom(board: boards.Board) -> tuple[Game, ...]:
    """Return the phantom versions of a board game: classical, abrupt and numturns, with all that is made for these.

    The classical one is called phantom-NAME. Raise ValueError if the board breaks what its solvers rely on.
    """
    boards.demand_size(board.name, board.rows, board.columns)
    if NAME.fullmatch(f"phantom-{board.name}") or NAME.fullmatch(board.name):
        raise ValueError(f"the board {board.name} has the name of a board of the package: choose another one")
    check_board(board)
    key = board.name
    while boards.BOARDS.get(key) not in (None, board):  # tables are kept by this name: another board needs another one
        key += "'"
    boards.BOARDS[key] = board
    games = []
    for variant, rule in VARIANTS.items():
        name = f"phantom-{board.name}" + ("" if variant == "classical" else f"-{variant}")
        OWN[name] = PhantomName(key, variant)
        title = f"Phantom {board.name.replace('-', ' ')} ({variant})"
        source = f"Phantom version of the board {board.name}. Variant {rule}"
        games.append(version_of(name, title, board, source, variant))
    return tuple(games)


def check_board(board: boards.Board) -> None:
    """Play random games with open eyes; raise ValueError where the rule or the symmetries of the board are wrong."""
    stream, moved = stream_of(SEED), board.symmetries.tolist()

    def image(row: Sequence[int], stones: int) -> int:
        return sum(1 << row[cell] for cell in rules.cells_of(stones))

    with interpreted():
        for _ in range(PLAYOUTS):
            player, own, other = 0, 0, 0
            while True:
                fates = [int(board.fate(player, own, other, cell)) for cell in range(board.cells)]
                where = f"the board {board.name}, {own:b} against {other:b},"
                for cell, fate in enumerate(fates):
                    taken = (own | other) >> cell & 1 == 1
                    if (
                        not boards.ILLEGAL <= fate <= boards.LOSES
                        or taken > (fate == boards.ILLEGAL)
                        or (not board.suicide and not taken and fate == boards.ILLEGAL)
                    ):
                        raise ValueError(f"{where} has the fate {fate} for cell {board.cell_name(cell)}: {FATES}")
                    for row in moved:
                        if board.fate(player, image(row, own), image(row, other), row[cell]) != fate:
                            raise ValueError(f"{where} is not mapped to itself by the symmetry {row}: leave it out")
                open_cells = [cell for cell, fate in enumerate(fates) if fate != boards.ILLEGAL]
                if not open_cells:
                    raise ValueError(f"{where} leaves the player no cell: let the stone before it end the game")
                cell = open_cells[random_below(stream, len(open_cells))]
                if fates[cell] != boards.GOES_ON:
                    break
                player, own, other = 1 - player, other, own | 1 << cell


FATES = (
    "it must be ILLEGAL (a taken cell always, an empty one if the board says `suicide=True`), GOES_ON, WINS, DRAWS "
    "or LOSES"
)


def title_of(board: boards.Board, variant: str) -> str:
    size = "" if board.name == "ttt" else f" {board.name.split('-')[1]}"
    line = f", {board.length} in a line" if size and board.length else ""
    sides = (
        f"; {board.columns} columns, {board.rows} rows" if board.kind == "hex" and board.rows != board.columns else ""
    )
    return f"{TITLES[board.kind]}{size}{line} ({variant}{sides})"


def game_of(name: str) -> Game:
    """Make the game of a name that `PhantomName` parses, or raise NotFound with the reason."""
    parsed = PhantomName.parse(name)
    if parsed is None:
        raise NotFound(f"there is no game {name[:40]}: it is one of {', '.join(KINDS)}, with a size and a variant")
    board, variant = boards.BOARDS[parsed.board], parsed.variant
    source = (NUMBERED_TTT if board.kind == "ttt" and board.name != "ttt" else SOURCES[board.kind]) + VARIANTS[variant]
    return version_of(name, title_of(board, variant), board, source, variant)


def named_game(name: str) -> Game | None:
    """Make the game of a board by number; None for a name of another family."""
    parsed = PhantomName.parse(name)
    return None if parsed is None or "-" not in parsed.board or parsed.is_large else game_of(name)


GAMES = tuple(
    map(
        game_of,
        (
            *("phantom-ttt", "phantom-ttt-abrupt", "phantom-ttt-numturns"),
            *(f"phantom-ponnuki-{size}x{size}" for size in (2, 3, 4, 5)),
            *("dark-hex-3x3", "dark-hex-3x3-abrupt", "dark-hex-4x3", "dark-hex-3x4"),
        ),
    )
)
