"""The boards of the phantom games: against a slow second implementation, known values, and by examples."""

import random
from functools import cache
from itertools import product

import pytest

from fogspiel.games.boards.board import BOARDS, DRAWS, GOES_ON, ILLEGAL, WINS, ponnuki

every_board = pytest.mark.parametrize("board", BOARDS.values(), ids=lambda board: board.name)


# The boards, written once more with sets and without bits


def around(board, cell):
    """The neighbours of a cell; a hex cell has two more."""
    row, column = divmod(cell, board.columns)
    steps = [(1, 0), (-1, 0), (0, 1), (0, -1)] + [(1, -1), (-1, 1)] * board.name.startswith("hex")
    places = [(row + down, column + right) for down, right in steps]
    return {r * board.columns + c for r, c in places if 0 <= r < board.rows and 0 <= c < board.columns}


def chain(board, stones, cell):
    """The connected stones around one of them."""
    found, ahead = {cell}, [cell]
    while ahead:
        new = (around(board, ahead.pop()) & stones) - found
        found |= new
        ahead += new
    return found


def free(board, stones, cell, taken):
    return any(around(board, stone) - taken for stone in chain(board, stones, cell))


def placed(board, own, other, cell):
    """Ponnuki: capture, suicide or neither, for a cell that is empty."""
    mine = own | {cell}
    if any(not free(board, other, stone, mine | other) for stone in around(board, cell) & other):
        return WINS
    return GOES_ON if free(board, mine, cell, mine | other) else ILLEGAL


def second_fate(board, player, own, other, cell):
    cells = set(range(board.cells))
    if cell in own | other:
        return ILLEGAL
    mine = own | {cell}
    if board.name == "ttt":
        lines = ("012", "345", "678", "036", "147", "258", "048", "246")
        won = any({int(c) for c in line} <= mine for line in lines)
        return WINS if won else (DRAWS if len(mine | other) == 9 else GOES_ON)
    if board.name.startswith("hex"):
        place = [divmod(stone, board.columns)[player] for stone in sorted(mine)]
        last = (board.rows, board.columns)[player] - 1
        ends = [{s for s, p in zip(sorted(mine), place, strict=True) if p == edge} for edge in (0, last)]
        return WINS if any(chain(board, mine, stone) & ends[1] for stone in ends[0]) else GOES_ON
    outcome = placed(board, own, other, cell)
    if outcome != GOES_ON:
        return outcome
    replies = cells - mine - other
    return GOES_ON if any(placed(board, other, mine, reply) != ILLEGAL for reply in replies) else WINS


def cells_of(bits):
    return {cell for cell in range(bits.bit_length()) if bits >> cell & 1}


def random_positions(board, count, seed):
    """Positions of random play in which the game goes on: the mover, his stones, the other's."""
    rng = random.Random(seed)
    for _ in range(count):
        player, own, other, outcome = 0, 0, 0, GOES_ON
        while outcome == GOES_ON:
            yield player, own, other
            cell = rng.choice([c for c in range(board.cells) if board.fate(player, own, other, c) != ILLEGAL])
            outcome = board.fate(player, own, other, cell)
            player, own, other = 1 - player, other, own | 1 << cell


@pytest.mark.thorough
@pytest.mark.parametrize("board", [*BOARDS.values(), ponnuki(2, 3), ponnuki(1, 4)], ids=lambda board: board.name)
def test_a_second_implementation_agrees_on_every_cell(board):
    outcomes = set()
    for player, own, other in random_positions(board, 60, 4):
        for cell in range(board.cells):
            outcome = board.fate(player, own, other, cell)
            assert outcome == second_fate(board, player, cells_of(own), cells_of(other), cell)
            outcomes.add(outcome)
    assert {ILLEGAL, GOES_ON, WINS} <= outcomes


@every_board
def test_a_game_that_goes_on_has_a_legal_cell(board):
    for player, own, other in random_positions(board, 200, 6):
        assert any(board.fate(player, own, other, cell) != ILLEGAL for cell in range(board.cells))


@every_board
def test_symmetries_are_a_group_that_keeps_every_fate(board):
    images = {tuple(image) for image in board.symmetries.tolist()}
    assert len(images) == (2 if board.name.startswith("hex") else 8)
    assert tuple(range(board.cells)) == tuple(board.symmetries[0])
    assert {tuple(a[c] for c in b) for a, b in product(images, images)} == images
    for player, own, other in random_positions(board, 5, 8):
        for image in images:
            mine, others = (sum(1 << image[cell] for cell in cells_of(bits)) for bits in (own, other))
            for cell in range(board.cells):
                assert board.fate(player, mine, others, image[cell]) == board.fate(player, own, other, cell)


def test_a_rectangle_has_four_symmetries_and_a_row_two():
    assert len(ponnuki(2, 3).symmetries) == 4
    assert len(ponnuki(1, 4).symmetries) == 2


@pytest.mark.parametrize("rows, columns", [(1, 1), (0, 4), (6, 5), (-2, -2)])
def test_a_board_of_no_use_is_refused(rows, columns):
    with pytest.raises(ValueError, match="2 to 25 cells"):
        ponnuki(rows, columns)


@cache
def open_value(name, player, own, other):
    """What the mover gets when both see the board: 1, 0 or -1."""
    board, best = BOARDS[name], -2
    for cell in range(board.cells):
        outcome = board.fate(player, own, other, cell)
        if outcome == WINS:
            return 1
        if outcome == DRAWS:
            best = max(best, 0)
        elif outcome == GOES_ON:
            best = max(best, -open_value(name, 1 - player, other, own | 1 << cell))
    return best


@pytest.mark.parametrize("name, value", [("ttt", 0), ("ponnuki-2x2", -1), ("ponnuki-3x3", 1), ("hex-3x3", 1)])
def test_the_open_games_have_their_known_values(name, value):
    """Folklore; ponnuki: van der Werf, Uiterwijk & van den Herik 2002."""
    assert open_value(name, 0, 0, 0) == value


# Ponnuki by examples


def bits(board, names):
    return sum(1 << cell for cell in range(board.cells) if board.cell_name(cell) in names.split())


def fate(name, own, other, cell):
    board = BOARDS[name]
    return board.fate(0, bits(board, own), bits(board, other), bits(board, cell).bit_length() - 1)


def test_a_capture_is_legal_even_on_the_own_last_liberty():
    assert fate("ponnuki-2x2", "B1", "A1 B2", "A2") == WINS
    assert fate("ponnuki-3x3", "A2", "A1 C1 B2", "B1") == WINS
    assert fate("ponnuki-3x3", "A3", "A1 C1 B2", "B1") == ILLEGAL


def test_suicide_is_illegal_on_an_empty_cell():
    assert fate("ponnuki-3x3", "C3", "A2 B1", "A1") == ILLEGAL
    assert fate("ponnuki-3x3", "A1 C3", "A2 B2 C1", "B1") == ILLEGAL
    assert fate("ponnuki-3x3", "A1", "A2 B2", "B1") == GOES_ON


def test_a_stone_that_leaves_the_opponent_no_legal_cell_wins():
    """Black holds a column; each of the three empty cells would be suicide."""
    assert fate("ponnuki-3x3", "B1 A2", "C1 C2 C3", "B3") == WINS
    for cell in ("A1", "A3", "B2"):
        assert fate("ponnuki-3x3", "C1 C2 C3", "B1 A2 B3", cell) == ILLEGAL


def test_the_last_diagram_of_the_paper_is_a_win_because_it_is_whites_turn():
    black, white = "B2 B3 C2 C3", "A1 B1 A2"
    assert fate("ponnuki-3x3", "B2 B3 C2", white, "C3") == GOES_ON
    for reply, answer in (("A3", "C1"), ("C1", "A3")):
        assert fate("ponnuki-3x3", white, black, reply) == GOES_ON
        assert fate("ponnuki-3x3", black, f"{white} {reply}", answer) == WINS
    assert fate("ponnuki-3x3", "B2 A2", "A1 B1", "C2") == GOES_ON
