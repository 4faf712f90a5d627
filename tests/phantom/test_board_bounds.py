"""Bounds on classical phantom games of any board: sure wins and draws, with certificates by the board's own rule."""

import copy
import json
from fractions import Fraction

import pytest
from support.certificates import reseal

from fogspiel.core.compile.kernel import kernel
from fogspiel.core.game import USER_GAMES, known_game
from fogspiel.games.boards.board import BOARDS, DRAWS, GOES_ON, ILLEGAL, LOSES, Board
from fogspiel.games.phantom.look import phantom
from fogspiel.solving.bounds import Schedule, has_bounds, informed_bounds, never_drawn, search_bounds
from fogspiel.solving.bounds.any_game import bound
from fogspiel.solving.known_values import known_values
from fogspiel.solving.methods import SolveOptions, SolverState, run_to_end
from fogspiel.solving.methods.tables import payoff_certificate
from fogspiel.solving.proofs import verify
from fogspiel.solving.sources import KernelSource


def bounded(name, seconds=60.0):
    return json.loads(json.dumps(run_to_end(search_bounds(name, seconds))))


def misere(rows, columns):
    """A board on which two stones side by side lose, and a full board is drawn."""
    pairs = [(c, c + step) for c in range(rows * columns) for step in (1, columns)]
    lines = tuple(1 << c | 1 << d for c, d in pairs if d < rows * columns and (d != c + 1 or c % columns < columns - 1))
    full = (1 << rows * columns) - 1

    @kernel
    def fate(stones, enemy, cell):
        bit = 1 << cell
        if (stones | enemy) & bit:
            return ILLEGAL
        stones |= bit
        for line in lines:
            if stones & line == line:
                return LOSES
        return DRAWS if stones | enemy == full else GOES_ON

    return Board(f"misere-{rows}x{columns}", rows, columns, fate, "square")


@pytest.mark.parametrize(
    "name",
    [
        "dark-hex-4x3", "dark-hex-2x5",
        *(
            pytest.param(name, marks=pytest.mark.thorough)
            for name in ("dark-hex-3x3", "dark-hex-5x2", "phantom-ttt", "phantom-ttt-2x4-3")
        ),
    ],
)  # fmt: skip
def test_the_bounds_contain_values_known_by_other_methods_and_meet_where_a_win_is_sure(name):
    found, value = bounded(name, 4.0), known_values()[name].value
    lower, upper = verify(found)[:2]
    assert lower <= value <= upper and (lower == upper or value not in (0, 1))


@pytest.mark.parametrize("name", ["phantom-ttt-3x4-3", "phantom-ttt-3x5-3", "phantom-ttt-4x4-3"])
def test_black_wins_three_in_a_line_for_sure_on_larger_boards(name):
    assert verify(bounded(name))[:2] == (1, 1)


@pytest.mark.parametrize(
    "size", [(2, 2), *(pytest.param(size, marks=pytest.mark.thorough) for size in ((1, 4), (2, 3)))]
)
def test_the_bounds_of_a_board_of_ones_own_contain_its_value_by_the_whole_tree(size):
    """Draws and lost stones: what no board of the package has together."""
    game = phantom(misere(*size))[0]
    assert not never_drawn(BOARDS[game.name.removeprefix("phantom-")])
    USER_GAMES[game.name] = game
    try:
        lower, upper = verify(bounded(game.name))[:2]
        options = SolveOptions(memory=1.0, seed=0, iterations=None, seconds=20.0)
        exact = run_to_end(bound(KernelSource(game, game.name), options, SolverState((), None)))
        assert exact.exact and lower <= Fraction(exact.value) <= upper
    finally:
        del USER_GAMES[game.name]


@pytest.mark.thorough
def test_forty_tamperings_of_a_sure_win_are_refused():
    proof = bounded("phantom-ttt-3x4-3")
    changes = [lambda p: p.update(game="phantom-ttt-4x3-3"), lambda p: p.update(game="dark-hex-3x4")]
    changes += [lambda p: p.update(lower="0"), lambda p: p.update(upper="1/2")]
    for number, node in enumerate(proof["black"]):
        for row, (cell, _, *places) in enumerate(each[0] for each in node["rows"]):
            changes += [
                lambda p, n=number, r=row, k=k: p["black"][n]["rows"][r][0].__setitem__(2 + k, None)
                for k, place in enumerate(places)
                if place is not None
            ]
            changes.append(lambda p, n=number, r=row, c=cell: p["black"][n]["rows"][r][0].__setitem__(0, (c + 1) % 12))
    assert len(changes) >= 40
    for change in changes[:60]:
        broken = copy.deepcopy(proof)
        change(broken)
        with pytest.raises(ValueError, match="the certificate is not valid: "):
            verify(reseal(broken))


def test_hex_and_ponnuki_are_never_drawn_and_tic_tac_toe_is():
    assert never_drawn(BOARDS["hex-3x4"]) and never_drawn(BOARDS["ponnuki-3x3"]) and not never_drawn(BOARDS["ttt"])


@pytest.mark.parametrize(
    ("name", "has"),
    [("dark-hex-4x4", True), ("phantom-ttt-5x5-4", False), ("dark-hex-3x3-abrupt", False), ("leduc", False)],
)
def test_classical_games_have_bounds_up_to_a_size(name, has):
    assert has_bounds(name) == has


@pytest.mark.thorough
def test_informed_opponents_bound_boards_without_draws_alone():
    """The values of dark hex 2x3 and 3x2 are those of their whole trees."""
    for name, value in (("dark-hex-2x3", 0), ("dark-hex-3x2", 1)):
        proof = run_to_end(informed_bounds(name, Schedule.parse("every"), 30.0))
        lower, upper = verify(json.loads(json.dumps(proof)))[:2]
        assert lower <= value <= upper
    with pytest.raises(ValueError, match="can be drawn: "):
        next(informed_bounds("phantom-ttt-2x4-3", Schedule.parse("every")))


def test_the_payoffs_of_a_game_that_is_too_large_have_a_certificate():
    proof = payoff_certificate(known_game("phantom-ponnuki-6x6"))
    assert verify(json.loads(json.dumps(proof)))[:2] == (0, 1)
    for change in ({"lower": "1/2"}, {"upper": "1/2"}, {"rules": 9}, {"game": "kuhn"}):
        with pytest.raises(ValueError, match="the certificate is not valid: "):
            verify(reseal(proof | change))
