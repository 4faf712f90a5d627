"""The permutation version: against brute force over all permutations of tiny boards, and its certificate."""

import json
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from support.played_games import referee

from fogspiel.core.compile.kernel import COMPILED, kernel
from fogspiel.games.boards.board import BOARDS, DRAWS, GOES_ON, ILLEGAL, WINS, Board, rectangle_symmetries
from fogspiel.games.permutation_tictactoe.scores import best_response, payoffs
from fogspiel.solving.exact import exact_bounds
from fogspiel.solving.methods.lp import equilibrium
from fogspiel.solving.methods.permutation import make_certificate, rounds, solve
from fogspiel.solving.proofs.checkers.permutation import TTT, Grid, verify
from fogspiel.solving.proofs.checkers.primitives import digest_of
from fogspiel.solving.tree.sequence_form import SequenceForm, Treeplex

HALF = Fraction(1, 2)
DIAGONALS = Grid("permutation-diagonals", 2, 2, ((0, 3), (1, 2)))
STRIP = Grid("permutation-strip", 1, 5, ((0, 1, 2), (0, 1, 3), (1, 3, 4), (2, 3, 4)))


@kernel
def diagonals_fate(player, own, other, cell):
    if (own | other) >> cell & 1:
        return ILLEGAL
    own |= 1 << cell
    if own & 0b1001 == 0b1001 or own & 0b0110 == 0b0110:
        return WINS
    return DRAWS if own | other == 0b1111 else GOES_ON


@kernel
def strip_fate(player, own, other, cell):
    if (own | other) >> cell & 1:
        return ILLEGAL
    own |= 1 << cell
    if (own & 0b00011 == 0b00011 and own & 0b01100) or (own & 0b11000 == 0b11000 and own & 0b00110):
        return WINS
    return DRAWS if own | other == 0b11111 else GOES_ON


TINY = [
    (DIAGONALS, Board("diagonals", 2, 2, diagonals_fate, rectangle_symmetries(2, 2))),
    (STRIP, Board("strip", 1, 5, strip_fate, rectangle_symmetries(1, 5))),
]


def score(first, second):
    board = BOARDS["ttt"]
    return Fraction(int(payoffs(board, np.array([first]), np.array([second]), board.symmetries[:1])[0, 0]), 2)


def all_scores(grid):
    """The score of every permutation against every other one."""
    orders = list(permutations(range(grid.cells)))
    return orders, [[referee(grid, p, q) for q in orders] for p in orders]


@pytest.fixture(scope="module")
def history():
    """All rounds of tic-tac-toe as records."""
    if not COMPILED:
        pytest.skip("millions of games take too long without compilation")
    return [step.record for step in rounds()]


def test_scores_are_those_of_a_referee_who_knows_only_the_winning_lines():
    shuffled = np.random.default_rng(1)
    for _ in range(300):
        p, q = shuffled.permutation(9), shuffled.permutation(9)
        assert score(p, q) == referee(TTT, p, q)


def test_random_permutations_score_like_random_play_of_tic_tac_toe():
    # Random play is known to end in 737/1260 wins of the first player and 8/63 draws
    exact, shuffled, games = Fraction(737, 1260) + Fraction(4, 63), np.random.default_rng(2), 4000
    scores = [float(score(shuffled.permutation(9), shuffled.permutation(9))) for _ in range(games)]
    assert abs(np.mean(scores) - float(exact)) < 4 * np.std(scores) / games**0.5


@pytest.mark.interpreted
@pytest.mark.parametrize(("grid", "board"), TINY)
@pytest.mark.parametrize("length", [1, 2**100])
def test_a_best_response_scores_what_brute_force_over_all_permutations_finds(grid, board, length):
    orders, scores = all_scores(grid)
    drawn = np.random.default_rng(3)
    for _ in range(10):
        chosen = drawn.choice(len(orders), 4, replace=False)
        weights = [int(w) * length + int(v) for w, v in drawn.integers(1, 1000, (4, 2))]
        mixture = {orders[k]: w for k, w in zip(chosen, weights, strict=True)}
        for seat in (0, 1):
            against = [
                sum(w * (scores[i][k] if seat == 0 else 1 - scores[k][i]) for k, w in zip(chosen, weights, strict=True))
                for i in range(len(orders))
            ]
            found = best_response(mixture, seat, board)
            assert found.score == max(against) / sum(weights)
            assert against[orders.index(found.cells)] == max(against)


@pytest.mark.parametrize(("grid", "board"), TINY)
def test_a_tiny_game_has_the_value_of_the_matrix_of_all_permutations(grid, board):
    orders, scores = all_scores(grid)
    points = np.array([[int(2 * s) for s in row] for row in scores])
    rows, columns = np.nonzero(points)
    one = np.ones(1, np.int64)
    treeplex = Treeplex(0 * one, one, one * len(orders))
    game = SequenceForm((treeplex, treeplex), 1 + rows, 1 + columns, points[rows, columns], 2)
    solution = equilibrium(game)
    exact = exact_bounds(game, solution.primal_player, solution.point)
    assert exact.proved
    assert verify(solve(board), grid) == (exact.value, exact.value)


@pytest.mark.slow
def test_the_certificate_of_tic_tac_toe_convinces_the_checker(history):
    body = json.loads(json.dumps(history[-1]["certificate"]))
    value, _ = verify(body)
    assert value == Fraction(362878308578215799, 470440608901857200)
    assert history[-1]["lower"] == pytest.approx(float(value), abs=1e-9)
    assert history[-1]["upper"] == pytest.approx(float(value), abs=1e-9)


@pytest.mark.thorough
def test_the_bounds_close_in_round_by_round(history):
    for before, after in pairwise(history):
        assert before["lower"] <= after["lower"] <= after["upper"] <= before["upper"]
        assert after["sizes"] == [n + len(a) for n, a in zip(before["sizes"], before["added"], strict=True)]


@pytest.mark.thorough
def test_an_interrupted_run_goes_on_to_the_same_bytes(history):
    for done in (len(history) - 6, len(history) - 1):
        stored = json.loads(json.dumps(history[:done]))
        rest = [step.record for step in rounds(stored=stored)]
        assert json.dumps(stored + rest) == json.dumps(history)
    assert list(rounds(stored=history)) == []


def altered(body, **changes):
    changed = {**body, **changes}
    return {**changed, "digest": digest_of(changed)}


def test_the_checker_refuses_whatever_is_not_proved():
    body = solve(TINY[1][1])
    assert verify(body, STRIP) == (Fraction(body["value"]),) * 2
    some = next(iter(body["first"]))
    faults = {
        "exactly the keys": {key: body[key] for key in body if key != "upper"},
        "digest": {**body, "value": "1"},
        "version 1 of the rules": altered(body, rules=True),
        "is not a permutation": altered(body, first={"01234 ": "1"}),
        "add up to": altered(body, first={**body["first"], some: "1/1000"}),
        "lowest terms": altered(body, second={some: "2/2"}),
        "must be positive": altered(body, second={some: "-1"}),
        "must map": altered(body, second=[]),
        "secures": altered(body, first={"01234": "1"}),
        "concedes": altered(body, second={"01234": "1"}),
        "is proved only if": altered(body, value="3/7"),
    }
    for sentence, faulty in faults.items():
        with pytest.raises(ValueError, match=sentence):
            verify(faulty, STRIP)


def test_the_checker_refuses_a_board_whose_lines_do_not_keep_their_shape():
    with pytest.raises(ValueError, match="turned or reflected"):
        verify(
            make_certificate(TINY[0][1], ({(0, 1, 2, 3): 1}, {(0, 1, 2, 3): 1}), HALF),
            DIAGONALS._replace(lines=((0, 1),)),
        )


def test_what_is_no_permutation_or_no_mixture_is_refused():
    faults = {
        "not a permutation of the cells 0 to 8": lambda: best_response({tuple(range(8)): 1}, 0),
        "weights that are not negative": lambda: best_response({tuple(range(9)): -1}, 0),
        "and one of them positive": lambda: best_response({}, 1),
        "is not a player": lambda: best_response({tuple(range(9)): 1}, 2),
        "no permutation version": lambda: solve(BOARDS["ponnuki-3x3"]),
    }
    for sentence, fault in faults.items():
        with pytest.raises(ValueError, match=sentence):
            fault()


@pytest.mark.slow
def test_permutation_hex_has_an_exact_value_too():
    assert solve(BOARDS["hex-3x3"])["value"] == "3/4"
