"""Methods are found by themselves, checkers know no solver, and a solution can be read by people and by programs."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import fogspiel
from fogspiel import solve_game
from fogspiel.core import plugins
from fogspiel.core.game import known_game
from fogspiel.games.boards.board import BOARDS, GOES_ON, WINS
from fogspiel.games.phantom.look import GAMES as PHANTOM
from fogspiel.runs.kinds.solve import solve_unstored
from fogspiel.runs.requests import SolveRequest
from fogspiel.solving.methods import Solution, choose_solve_method, find_solve_method, solve_methods
from fogspiel.solving.proofs.checkers import permutation, phantom
from fogspiel.solving.sources import find_source

PACKAGE = Path(fogspiel.__file__).parent
CHECKERS = {
    f"{room.replace('/', '.')}.{path.stem}": path
    for room in ("solving/proofs/checkers", "resistance/checkers")
    for path in sorted((PACKAGE / room).glob("[!_]*.py"))
}
EVEN = '''"""Both play any action with the same probability."""

import numpy as np

from . import tree_method
from .tree import TreeEquilibrium


def search(reduced, saved):
    yield from ()
    shares = [np.r_[1.0, np.repeat(1 / treeplex.count, treeplex.count)] for treeplex in reduced.form.treeplexes]
    return TreeEquilibrium("no thought", reduced.lift(*shares))


METHODS = (tree_method("even", lambda tree, options: search, __doc__, exact=False),)
'''


@pytest.fixture
def dropped(tmp_path, monkeypatch):
    """A plug-in folder with a method in it."""
    (tmp_path / "solving" / "methods").mkdir(parents=True)
    (tmp_path / "solving" / "methods" / "even.py").write_text(EVEN)
    monkeypatch.setenv(plugins.VARIABLE, str(tmp_path))
    return tmp_path


def test_a_method_that_is_dropped_into_a_folder_solves_and_is_certified(dropped):
    found = solve_unstored(SolveRequest("rps-half", "even"))
    assert found.description == "no thought" and not found.exact and found.lower < 0 < found.upper
    assert found.certificate is not None and "even" in [method.name for method in solve_methods()]
    with pytest.raises(ValueError, match="--exact needs a vertex"):
        SolveRequest("rps-half", "even", exact=True)


def test_help_lists_a_method_that_is_dropped_into_a_folder(dropped):
    lines = [sys.executable, "-m", "fogspiel.cli", "solve", "--help"]
    text = subprocess.run(lines, capture_output=True, text=True, check=True).stdout
    assert "even: Both play any action" in text and "orders: Permutation tic-tac-toe" in text


@pytest.mark.parametrize(
    ("game", "method"),
    [
        ("kuhn", "auto"),
        ("resistance7", "knowledge-trees"),
        ("phantom-ttt", "private-histories"),
        ("phantom-ttt-abrupt", "plans"),
        ("dark-hex-3x3-abrupt", "plans"),
        ("phantom-ttt-numturns", "plans"),
        ("dark-hex-3x4", "plans"),
        ("phantom-ponnuki-2x2", "auto"),
        ("permutation-ttt", "orders"),
    ],
)
def test_auto_takes_the_method_that_was_made_for_the_game(game, method):
    assert choose_solve_method("auto", find_source(game)).name == method
    assert choose_solve_method("lp", find_source(game)).name == "lp"


def test_an_unknown_method_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match=r"it is auto, lp, cfr\+, .*, orders for .*, or knowledge-trees for The Res"):
        find_solve_method("guess")


def test_a_solution_has_words_and_comes_back_from_json():
    found = solve_game("kuhn")
    assert found.words == "exactly -1/18 = -0.0555555555556" and found.exact
    assert repr(found).startswith("<Solution: the first player gets exactly -1/18")
    assert "<th>value of kuhn</th><td>exactly -1/18" in found._repr_html_()
    body = json.loads(json.dumps(found.to_json()))
    keys = ["value", "lower", "upper", "exact", "solver", "sizes", "certificate", "score", "interval"]
    assert list(body) == keys and Solution.from_json(body).to_json() == body
    rough = solve_game("kuhn", solver="cfr+", gap=0.1)
    assert rough.words.count(" and ") == 1 and rough.interval[0] <= rough.score <= rough.interval[1]


# The checkers


COMPILED = "solving.proofs.checkers.table_bounds"  # it follows up to 10^9 histories of any game
PLAIN = [name for name in CHECKERS if name != COMPILED and not name.endswith(("tree", "refined", "quasi_perfect"))]


@pytest.mark.parametrize("name", CHECKERS)
def test_a_checker_knows_no_solver(name):
    """It may import the rules of games and what checkers share, and no solver; numpy only if its walk is compiled.

    The two checkers of The Resistance share the outline of a strategy, those of trees rows, rules and best responses.
    """
    parts = [f"solving.proofs.checkers.{part}" for part in ("tree", "quasi_perfect")]
    own = {"lone_spies": ["resistance.checkers.resistance"], "quasi_perfect": parts[:1], "refined": parts}
    shared = {"solving.proofs.checkers.primitives", *own.get(name.rpartition(".")[2], ())}
    rooms = ("core.", "games.", "resistance.game")
    for node in ast.walk(ast.parse(CHECKERS[name].read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            module = ".".join([*name.split(".")[: -node.level], node.module])
            assert module.startswith(rooms) or module in shared
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            foreign = {"numba", "highspy"} if name == COMPILED else {"numpy", "numba", "highspy"}
            assert not foreign & {name.split(".")[0] for name in names}


def test_only_checkers_use_their_best_response():
    users = {path.parent.name for path in PACKAGE.rglob("*.py") if "Responder" in path.read_text(encoding="utf-8")}
    assert users == {"checkers"}


@pytest.mark.parametrize("name", PLAIN)
def test_a_checker_with_rules_of_its_own_loads_neither_numpy_nor_numba(name):
    code = (
        f"import sys, fogspiel.{name}\n"
        "bad = [m for m in sys.modules if m.split('.')[0] in ('numpy', 'numba', 'highspy')]\n"
        "sys.exit(str(bad[:3]) if bad else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("game", ["phantom-ttt", "dark-hex-3x3"])
def test_the_rules_of_the_checker_of_phantom_games_are_those_of_the_games(game):
    mine = phantom.board_of(game)
    board = BOARDS[mine.name]
    assert [list(moved) for moved in mine.symmetries] == board.symmetries.tolist()
    assert mine.names == [board.cell_name(cell) for cell in range(board.cells)]
    for player in (0, 1):
        for stones in range(1 << 9):
            for cell in range(9):
                fate = board.fate(player, stones, 0, cell)
                if fate in (WINS, GOES_ON) and not mine.won[player][stones]:
                    assert mine.won[player][stones | 1 << cell] == (fate == WINS)
    assert {record.version for record in PHANTOM if record.name == game} == {phantom.RULES}


def test_the_version_of_the_checker_of_permutations_is_that_of_the_game():
    assert known_game("permutation-ttt").version == permutation.RULES
