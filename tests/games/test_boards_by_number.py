"""Phantom games by number: names of any size, their limits, and rules against brute force."""

import random
from itertools import product

import pytest

from fogspiel.core.find import check_game_spec
from fogspiel.core.game import known_game, list_games
from fogspiel.core.session import Session
from fogspiel.games.boards.board import BOARDS, tic_tac_toe, tic_tac_toe_board
from fogspiel.games.phantom.rules import RECORD, RESULT
from fogspiel.solving.contract import check_game

pytestmark = pytest.mark.interpreted

NAMES = [
    "phantom-ponnuki-2x3", "phantom-ponnuki-1x7-numturns", "phantom-ponnuki-2x2-abrupt", "phantom-ponnuki-3x3-abrupt",
    "phantom-ponnuki-5x6", "phantom-ttt-4x4-3", "phantom-ttt-2x5-2-abrupt", "phantom-ttt-3x4-4-numturns",
    "dark-hex-2x2", "dark-hex-5x2-numturns", "dark-hex-5x5-abrupt",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_with_numbers_is_a_game_that_every_uniform_player_finishes(name):
    game, draws = known_game(name), random.Random(name)
    check_game_spec(name)
    assert game.name == name and name not in list_games()
    assert known_game(name) is game
    for _ in range(5):
        session = Session(game)
        while session.actions:
            session.apply(draws.choice(session.actions))
        assert session.payoff_index in range(3)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("phantom-ponnuki-9x10", "sides of 9 at most"),
        ("phantom-ponnuki-6x6-abrupt", "2 to 25 cells"),
        ("phantom-ponnuki-1x1", "2 to 25 cells"),
        ("phantom-ponnuki-9999x9999", "sides of 9 at most"),
        ("phantom-ponnuki-99999x2", "there is no board"),
        ("phantom-ponnuki-03x3", "there is no board"),
        ("phantom-ttt-4x4", "ttt-ROWSxCOLUMNS-LENGTH"),
        ("phantom-ttt-4x4-5", "from 2 to 4 stones"),
        ("phantom-ttt-6x6-4", "2 to 25 cells"),
        ("dark-hex-1x5", "both sides of hex are 2 or more"),
        ("dark-hex-3x3-3", "there is no board"),
        ("dark-hex-6x5", "2 to 25 cells"),
        ("dark-hex", "did you mean"),
        ("phantom-ponnuki-2x3-loud", "did you mean"),
    ],
)
def test_a_size_that_does_not_exist_is_refused_in_a_sentence(name, reason):
    with pytest.raises(ValueError, match=reason):
        known_game(name)


def test_a_command_refuses_a_board_that_is_too_large_in_one_sentence(refused):
    refused("solve", "dark-hex-9x9", because="2 to 25 cells")


def test_three_in_a_line_by_number_is_tic_tac_toe():
    board = tic_tac_toe_board(3, 3, 3)
    assert (board.symmetries == BOARDS["ttt"].symmetries).all()
    for own, other in product(range(512), repeat=2):
        if not own & other and (own + other) % 7 == 0:
            for cell in range(9):
                assert board.fate(0, own, other, cell) == tic_tac_toe(0, own, other, cell)


@pytest.mark.parametrize(("rows", "columns", "length"), [(4, 5, 3), (2, 5, 4), (5, 3, 5), (1, 6, 2)])
def test_lines_win_as_counted_from_the_last_stone(rows, columns, length):
    board, draws = tic_tac_toe_board(rows, columns, length), random.Random(1)

    def wins(stones, cell):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            run = 1
            for sign in (1, -1):
                row, column = divmod(cell, columns)
                while True:
                    row, column = row + sign * down, column + sign * right
                    inside = 0 <= row < rows and 0 <= column < columns
                    if not inside or not stones >> row * columns + column & 1:
                        break
                    run += 1
            if run >= length:
                return True
        return False

    for _ in range(400):
        stones = [draws.choice((0, 0, 1, 2)) for _ in range(board.cells)]
        own, other = (sum(1 << cell for cell, stone in enumerate(stones) if stone == who) for who in (1, 2))
        before = any(wins(own, cell) for cell in range(board.cells) if own >> cell & 1)
        for cell in range(board.cells):
            if stones[cell] == 0 and not before:
                assert (board.fate(0, own, other, cell) == 1) == wins(own, cell)


def test_abrupt_ponnuki_ends_within_its_record_and_names_no_cell_twice():
    game, draws = known_game("phantom-ponnuki-3x3-abrupt"), random.Random(3)
    exhausted = 0
    for _ in range(150):
        session, named = Session(game), (set(), set())
        while session.actions:
            cell, player = draws.choice(session.actions), session.mover
            assert cell not in named[player]
            named[player].add(cell)
            session.apply(cell)
        exhausted += len(named[1]) == 9
        assert len(named[0]) <= 9 and session.state[RESULT] in (0, 2)
        assert len(session.state) == RECORD + 4 * 9
    assert exhausted < 150


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["phantom-ponnuki-2x2-abrupt", "phantom-ttt-2x4-3", "dark-hex-2x2-numturns"])
def test_games_by_number_keep_the_contract(name):
    assert not check_game(name).findings
