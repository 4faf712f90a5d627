"""Phantom versions of games of perfect information: trees and values are those of the phantom games of the package."""

import numpy as np
import pytest

from fogspiel.core.compile.kernel import kernel
from fogspiel.core.game import LOSS, OVER, WIN, Game, Rules, Sizes, known_game
from fogspiel.core.rng import random_below, stream_of
from fogspiel.core.session import Session
from fogspiel.games.boards.board import BOARDS, GOES_ON, ILLEGAL, WINS
from fogspiel.games.phantom_of import habits_of, phantom_of
from fogspiel.runs.kinds.solve import solve_game
from fogspiel.solving.tree import build_tree

pytestmark = pytest.mark.interpreted


def open_game(board):
    """The game of a board with open eyes: both sets of stones, whose turn it is, and the result."""
    fate, cells = board.fate, board.cells

    @kernel
    def start(state):
        state[:] = 0
        state[3] = -1

    @kernel
    def mover(state):
        return OVER if state[3] >= 0 else state[2]

    @kernel
    def legal(state, out):
        count = 0
        for cell in range(cells):
            if fate(state[2], state[state[2]], state[1 - state[2]], cell) != ILLEGAL:
                out[count] = cell
                count += 1
        return count

    @kernel
    def apply(state, cell):
        player = state[2]
        outcome = fate(player, state[player], state[1 - player], cell)
        state[player] |= 1 << cell
        state[2] = 1 - player
        if outcome == WINS:
            state[3] = WIN if player == 0 else LOSS
        elif outcome != GOES_ON:
            state[3] = 1

    @kernel
    def view(state, player, out):
        for cell in range(4):
            out[cell] = state[cell]

    @kernel
    def score(state):
        return state[3]

    rules = Rules(start, mover, legal, apply, view, score)
    return Game(f"open-{board.name}", rules, Sizes(4, 4, cells), label=board.cell_name)


def sizes_of(game):
    tree = build_tree(game)
    return tree.nodes, [len(tree.numbers(player)) for player in (0, 1)]


@pytest.mark.parametrize(
    ("board", "name"),
    [
        ("hex-2x2", "dark-hex-2x2"),
        pytest.param("ttt-2x3-2", "phantom-ttt-2x3-2", marks=pytest.mark.thorough),
        pytest.param("hex-2x3", "dark-hex-2x3", marks=pytest.mark.thorough),
    ],
)
def test_small_boards_have_the_trees_and_values_of_the_phantom_games(board, name):
    made, built_in = phantom_of(open_game(BOARDS[board])), known_game(name)
    assert sizes_of(made) == sizes_of(built_in)
    values = [solve_game(game, solver="lp", exact=True).value for game in (made, built_in)]
    assert values[0] == values[1]


def traces(game, number, actions):
    """What both players see and may do in a game, as far as all phantom versions of it say alike."""
    session, seen = Session(game), []
    stream = stream_of(3, number)
    while session.actions:
        seen.append((session.mover, sorted(session.actions)))
        session.apply(actions(session.actions, stream))
    return seen, session.payoff_index


@pytest.mark.parametrize(("open_board", "name"), [("ttt", "phantom-ttt"), ("hex-3x3", "dark-hex-3x3")])
def test_whole_games_of_3x3_go_as_those_of_the_package(open_board, name):
    """Any sequence of tries: the same player to move, the same cells, the same end."""
    made, built_in = phantom_of(open_game(BOARDS[open_board])), known_game(name)

    def drawn(actions, stream):
        return sorted(actions)[int(random_below(stream, len(actions)))]

    for number in range(60):
        assert traces(made, number, drawn) == traces(built_in, number, drawn)


@pytest.mark.slow
def test_the_tree_of_phantom_tic_tac_toe_begins_alike():
    """Histories of up to seven tries of the game of the catalogue and of the phantom version of tic-tac-toe."""
    counts = []
    for game in (known_game("phantom-ttt"), known_game("phantom-of-tic-tac-toe")):
        level, sizes = [Session(game)], []
        for _ in range(5):
            below = []
            for session in level:
                for action in session.actions:
                    after = Session(game)
                    after.state[:] = session.state
                    after.apply(action)
                    below.append(after)
            sizes.append((len(below), len({one.view(player).tobytes() for one in below for player in (0, 1)})))
            level = below
        counts.append(sizes)
    assert counts[0] == counts[1]


def test_habits_are_read_off_the_game():
    columns = habits_of(known_game("four-in-a-row-4x4"))
    assert columns.actions == ((0, 1, 2, 3), (0, 1, 2, 3))
    assert (columns.done_stays, columns.refused_stays) == (False, True)
    cells = habits_of(known_game("tic-tac-toe"))
    assert cells.done_stays and cells.refused_stays and cells.moves == 9


def test_a_column_is_refused_only_when_it_is_full_and_then_for_good():
    session = Session(known_game("phantom-of-four-in-a-row-4x4"))
    for column in (0, 0, 0, 0):
        session.apply(column)
    assert session.mover == 0 and session.actions == [0, 1, 2, 3]
    session.apply(0)  # full: refused, and the turn goes on
    assert session.mover == 0 and session.actions == [1, 2, 3]
    session.apply(1)
    assert session.mover == 1 and session.actions == [0, 1, 2, 3]
    session.apply(2)
    assert session.actions == [1, 2, 3]
    assert "refused" in session.game.show(session.view(0))


def test_games_of_chance_have_no_phantom_version():
    with pytest.raises(ValueError, match="moves of chance"):
        known_game("phantom-of-pig")
    with pytest.raises(ValueError, match="no game"):
        known_game("phantom-of-nothing")


def test_resampling_changes_nothing_that_the_player_sees():
    game = known_game("phantom-of-tic-tac-toe")
    session = Session(game)
    for cell in (4, 0, 8):
        session.apply(cell)
    others = {game.resample(session.state, 0, stream_of(number)).tobytes() for number in range(30)}
    assert len(others) > 3
    for state in others:
        seen = np.zeros(game.sizes.view, np.int64)
        game.rules.view(np.frombuffer(state, np.int64), 0, seen)
        assert seen.tolist() == session.view(0).tolist()
