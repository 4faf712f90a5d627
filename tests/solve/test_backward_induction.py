"""Backward induction: published values, a second evaluation on the tree, and games that it does not take."""

from fractions import Fraction

import numpy as np
import pytest

from fogspiel.core.game import known_game
from fogspiel.games.boards.board import BOARDS
from fogspiel.games.nim import HEAP, MOVER, lost
from fogspiel.games.tic_tac_toe import open_game
from fogspiel.interop import from_efg
from fogspiel.runs.kinds.solve import solve_game
from fogspiel.solving.methods import SolveOptions, backward_induction, choose_solve_method, run_to_end
from fogspiel.solving.methods.backward_induction import evaluate, key_of
from fogspiel.solving.proofs import verify
from fogspiel.solving.proofs.checkers.tree import GamePositions
from fogspiel.solving.sources import KernelSource, TreeSource, find_source

DICE_EFG = """EFG 2 R "a die, then a choice" { "A" "B" }
c "" 1 "" { "low" 1/3 "high" 2/3 } 0
p "" 1 1 "low" { "stop" "go" } 0
t "" 1 "" { 1, -1 }
p "" 2 1 "gone" { "punish" "pay" } 0
t "" 2 "" { -5, 5 }
t "" 3 "" { 4, -4 }
p "" 1 2 "high" { "stop" "go" } 0
t "" 4 "" { 2, -2 }
t "" 5 "" { 7, -7 }
"""


def table_of(game):
    return run_to_end(evaluate(game, 10**6))


@pytest.mark.interpreted
def test_tic_tac_toe_is_a_draw_over_its_5478_positions():
    solution = solve_game("tic-tac-toe")
    assert (solution.value, solution.exact, solution.sizes) == ("1/2", True, {"positions": 5478})
    assert verify(solution.certificate) == (Fraction(1, 2), Fraction(1, 2))


@pytest.mark.interpreted
def test_auto_takes_backward_induction_where_nothing_is_hidden_and_only_there():
    chosen = {name: choose_solve_method("auto", find_source(name)).name for name in ("nim", "tic-tac-toe", "kuhn")}
    assert chosen == {"nim": "backward-induction", "tic-tac-toe": "backward-induction", "kuhn": "auto"}


@pytest.mark.interpreted
def test_every_position_of_nim_has_the_value_of_boutons_theorem():
    game = GamePositions(known_game("nim"))
    for key, entry in table_of(game).items():
        state = np.frombuffer(key, np.int64)
        if state[HEAP:].any():
            loses = lost(*state[HEAP:].tolist())
            assert entry.value == (loses if state[MOVER] else not loses)


@pytest.mark.parametrize(("size", "value"), [(2, 0), pytest.param(3, 1, marks=pytest.mark.thorough)])
@pytest.mark.interpreted
def test_ponnuki_with_open_eyes_has_the_winner_that_teytaud_and_teytaud_print(size, value):
    game = open_game("open", "open ponnuki", BOARDS[f"ponnuki-{size}x{size}"], "")
    positions = GamePositions(game)
    assert table_of(positions)[key_of(positions.root())].value == value


def test_chance_nodes_of_a_file_are_averaged_in_fractions_and_the_certificate_holds():
    source = TreeSource("die", "1", "die.efg", lambda most, watch: from_efg(DICE_EFG, most=most))
    found = run_to_end(backward_induction.solve(source, SolveOptions(), None))
    assert found.value == str(Fraction(1, 3) + Fraction(2, 3) * 7)
    assert found.sizes == {"positions": 9}


@pytest.mark.interpreted
def test_hidden_information_and_cycles_are_rejected_in_a_sentence():
    with pytest.raises(ValueError, match=r"kuhn has imperfect information: player 1 .* --method lp"):
        solve_game("kuhn", solver="backward-induction")
    with pytest.raises(ValueError, match="pig can return to an earlier position"):
        solve_game("pig")


@pytest.mark.interpreted
def test_the_memory_limit_is_a_number_of_positions():
    with pytest.raises(ValueError, match=r"tic-tac-toe has more than 1,533 positions.* raise --memory"):
        solve_game("tic-tac-toe", memory=0.001)


@pytest.mark.interpreted
def test_a_strategy_that_takes_long_to_check_has_no_certificate(monkeypatch):
    monkeypatch.setattr(backward_induction, "MAX_CHECKED", 100)
    found = solve_game("tic-tac-toe")
    assert found.exact and found.certificate is None and "too large to check" in found.unproved


@pytest.mark.thorough
def test_many_decisions_are_written_as_lines_which_the_large_checker_accepts(monkeypatch):
    monkeypatch.setattr(backward_induction, "MAX_ROWS", 10)
    found = solve_game("tic-tac-toe")
    assert verify(found.certificate) == (Fraction(1, 2), Fraction(1, 2))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["nim", "four-in-a-row-4x4", "guesswho24"])
def test_values_agree_with_the_index_and_with_the_games_own_solvers(name):
    from fogspiel.solving.known_values import find_known

    found = run_to_end(backward_induction.solve(KernelSource(known_game(name), name), SolveOptions(), None))
    assert Fraction(found.value) == Fraction(find_known(name).lower)
