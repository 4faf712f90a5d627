"""Phantom games by number, solved and bounded; 2x3 ponnuki against a linear program on a tree written here."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

from fogspiel.core.agents import find_policy
from fogspiel.core.game import known_game
from fogspiel.core.session import record_game
from fogspiel.runs.kinds.solve import solve_game
from fogspiel.solving.bounds import search_bounds
from fogspiel.solving.methods import run_to_end
from fogspiel.solving.proofs import certificate_agent, verify
from fogspiel.solving.proofs.checkers import phantom, pure_strategies
from fogspiel.solving.proofs.checkers.phantom_bounds import size_of
from fogspiel.solving.proofs.checkers.primitives import digest_of


def neighbours(rows, columns, cell):
    row, column = divmod(cell, columns)
    for r, c in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
        if 0 <= r < rows and 0 <= c < columns:
            yield r * columns + c


def has_liberty(rows, columns, stones, others, cell):
    chain, waiting = {cell}, [cell]
    while waiting:
        for beside in neighbours(rows, columns, waiting.pop()):
            if beside not in stones and beside not in others:
                return True
            if beside in stones and beside not in chain:
                chain.add(beside)
                waiting.append(beside)
    return False


def effect(rows, columns, own, other, cell):
    """What a stone does: None is illegal, True captures, False neither."""
    if cell in own or cell in other:
        return None
    more = own | {cell}
    near = [c for c in neighbours(rows, columns, cell) if c in other]
    if any(not has_liberty(rows, columns, other, more, c) for c in near):
        return True
    return False if has_liberty(rows, columns, more, other, cell) else None


def value_by_linear_program(rows, columns):
    """Black's value: a tree of histories, infosets by all that a player has heard, and the sequence form."""
    cells = range(rows * columns)
    payoffs, sequences, infosets = {}, ({(): 0}, {(): 0}), ({}, {})

    def effects(own, other):
        return {cell: effect(rows, columns, own, other, cell) for cell in cells}

    def visit(player, stones, heard, tried):
        own, other = stones[player], stones[1 - player]
        known, last = heard[player], heard[1 - player]
        infosets[player].setdefault(known, known)
        for cell in cells:
            if cell in own or cell in tried:
                continue
            done = (*known, cell)
            sequences[player].setdefault(done, len(sequences[player]))
            found = effect(rows, columns, own, other, cell)
            if found is None:
                told = list(heard)
                told[player] = (*done, "failed")
                visit(player, stones, tuple(told), tried | {cell})
                continue
            more = list(stones)
            more[player] = own | {cell}
            if found or all(one is None for one in effects(other, more[player]).values()):
                pair = (done, last[:-1] if last else ()) if player == 0 else (last[:-1] if last else (), done)
                payoffs[pair] = payoffs.get(pair, 0) + (player == 0)
                continue
            told = list(heard)
            told[player] = (*done, "stayed")
            visit(1 - player, tuple(more), tuple(told), frozenset())

    visit(0, (frozenset(), frozenset()), ((), ()), frozenset())
    black, white = sequences
    places = [{known: number for number, known in enumerate(one, 1)} for one in infosets]

    def flow(player):
        rows_, columns_, values = [0], [0], [1.0]
        for known, number in places[player].items():
            before = known[:-1] if known else ()
            rows_.append(number), columns_.append(sequences[player][before]), values.append(-1.0)
        for done, column in sequences[player].items():
            if done:
                rows_.append(places[player][done[:-1]]), columns_.append(column), values.append(1.0)
        return coo_matrix((values, (rows_, columns_)), (1 + len(places[player]), len(sequences[player])))

    gains = coo_matrix(
        (list(payoffs.values()), ([black[b] for b, _ in payoffs], [white[w] for _, w in payoffs])),
        (len(black), len(white)),
        dtype=float,
    )
    ours, theirs = flow(0).tocsr(), flow(1).tocsr()
    # max v_0 over plans x: E x = e, and F' v <= A' x, where v_0 is the value
    width = len(black) + theirs.shape[0]
    cost = np.zeros(width)
    cost[len(black)] = -1.0
    from scipy.sparse import csr_matrix, hstack

    upper = hstack([-gains.T.tocsr(), theirs.T.tocsr()]).tocsr()
    equal = hstack([ours, csr_matrix((ours.shape[0], theirs.shape[0]))]).tocsr()
    right = np.zeros(ours.shape[0])
    right[0] = 1.0
    limits = [(0, None)] * len(black) + [(None, None)] * theirs.shape[0]
    found = linprog(cost, upper, np.zeros(len(white)), equal, right, limits, method="highs")
    assert found.status == 0
    return -found.fun


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), pytest.param(2, 3, marks=pytest.mark.thorough)])
def test_small_ponnuki_is_worth_a_half_by_an_independent_linear_program(rows, columns):
    assert abs(value_by_linear_program(rows, columns) - 0.5) < 1e-7


@pytest.mark.thorough
def test_ponnuki_on_2x3_is_a_half_by_the_tree_and_by_bounds():
    solved = solve_game("phantom-ponnuki-2x3", exact=True)
    assert solved.value == "1/2" and verify(solved.certificate) == (Fraction(1, 2), Fraction(1, 2))
    proof = run_to_end(search_bounds("phantom-ponnuki-2x3"))
    assert verify(proof) == (Fraction(1, 2), Fraction(1, 2))


@pytest.mark.thorough
def test_solve_settles_3x3_by_a_sure_win_that_can_be_played():
    solved = solve_game("phantom-ponnuki-3x3")
    assert solved.value == "1" and solved.exact and verify(solved.certificate) == (1, 1)
    game = known_game("phantom-ponnuki-3x3")
    winner, uniform = certificate_agent("sure", solved.certificate, game), find_policy(game, "uniform")
    assert all(record_game(game, winner, uniform, 1, number).score == 2 for number in range(60))


@pytest.mark.thorough
def test_solve_refuses_4x4_with_the_command_that_works():
    with pytest.raises(ValueError, match="`fogspiel bounds phantom-ponnuki-4x4` proves an interval"):
        solve_game("phantom-ponnuki-4x4")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", ["phantom-ttt-2x4-3", "dark-hex-4x2", "dark-hex-2x4-abrupt", "phantom-ttt-1x7-3-numturns"]
)
def test_the_methods_for_phantom_games_take_any_board_that_fits(name):
    solved = solve_game(name, exact=True)
    assert solved.exact and verify(solved.certificate) == (Fraction(solved.value),) * 2


def test_a_rectangle_is_never_turned_on_its_side_in_a_proof():
    proof = run_to_end(search_bounds("phantom-ponnuki-2x3"))
    jumps = [t for node in proof["white"] for row in node["rows"] for t in row if isinstance(t[3], list)]
    node = dict(proof["black"][-1], rows=[[[0, "1", None, [[0, 1, "1"]]]]])
    forged = {**proof, "black": [*proof["black"][:-1], proof["black"][-1], node]}
    forged["digest"] = digest_of(forged)
    with pytest.raises(ValueError, match="turns a board"):
        verify(forged)
    assert all(jump[1] in (0, 2, 5, 7) for t in jumps for jump in t[3])


@pytest.mark.parametrize(
    "game",
    ["phantom-ponnuki-1x4", "phantom-ponnuki-6x6", "phantom-ponnuki-2x13", "phantom-ponnuki-02x3", "kuhn", 3, None],
)
def test_the_checker_of_bounds_builds_no_other_board(game):
    with pytest.raises(ValueError, match="not phantom-ponnuki-ROWSxCOLUMNS"):
        size_of(game)


@pytest.mark.parametrize(
    "game",
    [
        "dark-hex-4x4",
        "dark-hex-99x99",
        "dark-hex-1x3",
        "dark-hex",
        "phantom-ttt-4x4-3",
        "phantom-ttt-3x3",
        "ttt",
        3,
        None,
    ],
)
def test_the_checkers_of_solutions_build_no_board_that_is_too_large(game):
    with pytest.raises(ValueError, match="up to 12 cells"):
        pure_strategies.rules_of(game)
    if isinstance(game, str):
        with pytest.raises(ValueError, match="up to 9 cells"):
            phantom.board_of(game)
