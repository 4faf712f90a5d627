"""The double oracle over pure strategies: small games against their whole trees, certificates, tampering, play."""

from fractions import Fraction

import pytest
from support.plan_replies import Hex, bounds_of

from fogspiel.games.phantom.words import phantom
from fogspiel.games.shared.boards import BOARDS, Board, half_turn, hex_fate
from fogspiel.phantom.generators import run_to_end
from fogspiel.phantom.pure_strategies.double_oracle import SOLVABLE, solve_in_steps
from fogspiel.runs.kinds.solve import solution
from fogspiel.solve.checkers import plans_certificate
from fogspiel.solve.checkers.plans_certificate import GAMES, verify

SMALL = [
    ("hex-2x2", "abrupt", Fraction(3, 4)),
    ("hex-2x2", "numturns", Fraction(1)),
    ("hex-2x3", "abrupt", Fraction(10, 11)),
    ("hex-3x2", "classical", Fraction(0)),
]


@pytest.fixture
def small(monkeypatch):
    """A function that makes a small game known to the solver and to the checker."""

    def make(name, variant):
        rows, columns = int(name[-3]), int(name[-1])
        game = f"{name}-{variant}"
        monkeypatch.setitem(BOARDS, name, Board(name, rows, columns, hex_fate(rows, columns), half_turn(rows, columns)))
        monkeypatch.setitem(SOLVABLE, game, (name, variant))
        monkeypatch.setitem(GAMES, game, lambda: plans_certificate._hex(rows, columns, variant))
        return game

    return make


@pytest.mark.parametrize(("name", "variant", "value"), SMALL)
def test_a_small_game_has_the_value_of_its_whole_tree(small, name, variant, value):
    game = small(name, variant)
    found = run_to_end(solve_in_steps(game)).certificate
    abrupt, counted = variant == "abrupt", variant == "numturns"
    whole = solution(phantom(game, game, BOARDS[name], "a test", abrupt, counted), solver="lp", exact=True)
    assert Fraction(found["value"]) == Fraction(whole.value) == value
    assert verify(found) == (value, value)
    assert bounds_of(found, Hex(BOARDS[name].rows, BOARDS[name].columns), variant) == (value, value)
