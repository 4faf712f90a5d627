"""Boards of the user's: their phantom versions get what those of the package have, asked by what they are."""

import json
from fractions import Fraction

import pytest

from fogspiel.core.find import forget_games, load_game
from fogspiel.core.game import DRAW, LOSS, WIN, known_game
from fogspiel.core.session import Session
from fogspiel.games.boards.board import BOARDS, Board, check_symmetries, line_fate
from fogspiel.games.phantom.look import OWN, phantom
from fogspiel.runs.kinds.solve import solve_game
from fogspiel.solving.methods import choose_solve_method
from fogspiel.solving.proofs import verify
from fogspiel.solving.proofs.checkers.primitives import digest_of
from fogspiel.solving.sources import KernelSource

pytestmark = pytest.mark.interpreted
LINES = '''
"""Phantom tic-tac-toe by another name: three in a line win."""

from fogspiel import DRAWS, GOES_ON, ILLEGAL, WINS, Board, kernel, phantom


@kernel
def fate(stones, enemy, cell):
    bit = 1 << cell
    if (stones | enemy) & bit:
        return ILLEGAL
    stones |= bit
    for line in ROWS:
        if stones & line == line:
            return WINS
    return DRAWS if stones | enemy == FULL else GOES_ON


GAMES = phantom(Board("mine", HEIGHT, WIDTH, fate, symmetries="square", goal="A line wins."))
'''
SQUARE = "ROWS, FULL, HEIGHT, WIDTH = (7, 56, 448, 73, 146, 292, 273, 84), 511, 3, 3\n"
STRIP = "ROWS, FULL, HEIGHT, WIDTH = (3, 6, 12, 24), 31, 1, 5\n"


@pytest.fixture
def own(tmp_path):
    """Write a file with a board; return its path."""

    def write(text):
        file = tmp_path / "own.py"
        head, end, body = LINES.partition("\n\n@kernel")
        file.write_text(f"{head}\n\n{text}{end}{body}" if text else LINES)
        return file

    yield write
    forget_games()
    OWN.clear()
    for name in [name for name in BOARDS if name.startswith("mine")]:
        del BOARDS[name]


def test_a_file_with_a_board_has_three_games(own):
    names = [load_game(f"{own(STRIP)}:phantom-mine{end}").name for end in ("", "-abrupt", "-numturns")]
    assert names == ["phantom-mine", "phantom-mine-abrupt", "phantom-mine-numturns"]
    game = known_game("phantom-mine")
    session = Session(game)
    for cell in (2, 2, 0, 1):  # White is refused once, then puts a stone on the edge, and Black wins
        session.apply(cell)
    assert session.payoff_index == WIN
    assert "A line wins." in " ".join(game.look.how_to_play(game))


def test_small_boards_are_solved_by_their_tree(own):
    mine = load_game(f"{own(STRIP)}:phantom-mine")
    built_in = known_game("phantom-ttt-1x5-2")
    assert solve_game(mine).value == solve_game(built_in).value


@pytest.mark.thorough
def test_a_board_of_nine_cells_has_the_methods_of_phantom_tic_tac_toe(own):
    file = own(SQUARE)
    for variant, method in (("", "private-histories"), ("-abrupt", "plans"), ("-numturns", "plans")):
        game = load_game(f"{file}:phantom-mine{variant}")
        assert choose_solve_method("auto", KernelSource(game, str(file))).name == method
    found = solve_game(load_game(f"{file}:phantom-mine"), exact=True)
    assert found.value == "5/6" and verify(found.certificate, f"{file}:phantom-mine") == (Fraction(5, 6),) * 2
    body = json.loads(json.dumps(found.certificate))
    with pytest.raises(ValueError, match="version"):
        verify((changed := body | {"rules": 1}) | {"digest": digest_of(changed)}, f"{file}:phantom-mine")


def test_the_solvers_ask_whether_only_own_stones_decide(own):
    """A board on which a line of three loses: no method for it, but it is played and bounded as any game."""
    text = own(SQUARE).read_text().replace("return WINS", "return LOSES").replace("import DRAWS", "import LOSES, DRAWS")
    file = own(SQUARE)
    file.write_text(text)
    game = load_game(f"{file}:phantom-mine")
    assert choose_solve_method("auto", KernelSource(game, str(file))).name == "auto"
    session = Session(game)
    for cell in (0, 4, 1, 5, 2):
        session.apply(cell)
    assert session.payoff_index == LOSS


def test_full_boards_are_drawn():
    game = phantom(Board("mine-drawn", 1, 3, line_fate(1, 3, 3), "square"))[0]
    session = Session(game)
    for cell in (0, 1, 2):
        session.apply(cell)
    assert session.payoff_index == DRAW


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({"name": "ttt"}, "name of a board of the package"),
        ({"symmetries": "cube"}, "none, half-turn, square"),
        ({"symmetries": [[1, 0, 2]]}, "group"),
        ({"symmetries": [[0, 1, 1]]}, "once"),
        ({"rows": 6, "columns": 6, "symmetries": "none"}, "2 to 25 cells"),
        ({"fate": line_fate(1, 3, 2), "symmetries": [[0, 1, 2], [1, 0, 2]]}, "not mapped to itself"),
        ({"fate": line_fate(1, 2, 2), "symmetries": "none"}, "no cell"),
    ],
)
def test_wrong_boards_are_refused_in_a_sentence(change, because):
    fields = {"name": "mine-wrong", "rows": 1, "columns": 3, "fate": line_fate(1, 3, 3), "symmetries": "square"}
    with pytest.raises(ValueError, match=because):
        phantom(Board(**fields | change))


def test_symmetries_are_sorted_with_the_identity_first():
    assert check_symmetries([[2, 1, 0], [0, 1, 2]], 3).tolist() == [[0, 1, 2], [2, 1, 0]]
