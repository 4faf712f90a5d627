"""The double oracle over pure strategies: small games against their whole trees, resumption, the solved games, play."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from support.plan_replies import Hex, bounds_of, bounds_of_game

from fogspiel.core.agents import find_policy
from fogspiel.core.game import known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.session import record_game
from fogspiel.games.boards.board import BOARDS
from fogspiel.runs.kinds.solve import solve_game
from fogspiel.solving.known_values import shipped_certificate
from fogspiel.solving.methods import pure_oracle, run_to_end
from fogspiel.solving.methods.pure_oracle import DoubleOracle, Follower, explain, follower, solve_in_steps, text_of
from fogspiel.solving.methods.pure_oracle.tables import VARIANTS, build_tables, courses_of, half_points, least_image
from fogspiel.solving.proofs import certificate_agent, read_certificate
from fogspiel.solving.proofs.checkers.pure_strategies import plan_of, rules_of, verify

pytestmark = pytest.mark.interpreted

SMALL = [
    ("hex-2x2", "classical"), ("hex-2x2", "abrupt"), ("hex-2x2", "numturns"),
    ("hex-3x2", "abrupt"), ("hex-2x3", "abrupt"), ("hex-2x3", "classical"), ("hex-3x2", "numturns"),
]  # fmt: skip
SOLVED = ["phantom-ttt-abrupt", "phantom-ttt-numturns", "dark-hex-3x3-abrupt", "dark-hex-4x3", "dark-hex-3x4"]
LONG = {"phantom-ttt-abrupt", "phantom-ttt-numturns", "dark-hex-3x4"}
QUICK = "dark-hex-4x3"
CHECKED = [pytest.param(game, marks=pytest.mark.slow if game in LONG else ()) for game in SOLVED]
"""The second checker takes four to ten seconds for the long ones."""


def shipped(game):
    return read_certificate(shipped_certificate(game))


# The solver


@pytest.mark.parametrize(
    ("name", "variant"),
    [pytest.param(*one, marks=() if one[0] == "hex-2x2" else pytest.mark.thorough) for one in SMALL],
)
def test_a_small_game_has_the_value_of_its_whole_tree(name, variant):
    game = f"dark-{name}" + ("" if variant == "classical" else f"-{variant}")
    found = run_to_end(solve_in_steps(game)).certificate
    whole = solve_game(game, solver="lp", exact=True)
    value = Fraction(found["value"])
    assert value == Fraction(whole.value)
    assert verify(found) == (value, value)
    assert bounds_of(found, Hex(BOARDS[name].rows, BOARDS[name].columns), variant) == (value, value)


def test_a_basis_that_is_optimal_in_floats_only_is_replaced_by_pivoting_in_fractions(monkeypatch):
    monkeypatch.setattr(pure_oracle, "weights_of", lambda *_: None)
    assert run_to_end(solve_in_steps("dark-hex-2x3-abrupt")).certificate["value"] == "7/16"


def test_an_interrupted_solve_ends_with_the_same_certificate():
    game = "dark-hex-3x2-abrupt"
    states = [step.state for step in itertools.islice(solve_in_steps(game), 8)]
    whole = run_to_end(solve_in_steps(game))
    for state in (states[0], states[6]):
        again = run_to_end(solve_in_steps(game, state))
        assert again.certificate == whole.certificate and again.sizes["rounds"] == whole.sizes["rounds"]


def test_plans_that_are_not_used_are_forgotten_and_change_no_value(monkeypatch):
    game = "dark-hex-3x2-abrupt"
    whole = run_to_end(solve_in_steps(game))
    monkeypatch.setattr(pure_oracle, "PATIENCE", 2)
    short = run_to_end(solve_in_steps(game))
    assert short.certificate["value"] == whole.certificate["value"] and sum(short.sizes["plans"]) < sum(
        whole.sizes["plans"]
    )


def test_a_damaged_state_is_refused():
    games = ["dark-hex-2x2-abrupt", "dark-hex-3x2-abrupt"]
    state = next(solve_in_steps(games[0])).state
    with pytest.raises(ValueError, match="another game"):
        next(solve_in_steps(games[1], state))
    for wrong in (b"", b"nothing", state[:-30], state[:100]):
        with pytest.raises(ValueError, match="no saved state"):
            next(solve_in_steps(games[0], wrong))


def test_a_variant_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="classical, abrupt, numturns"):
        build_tables("ttt", "loud")


@pytest.mark.parametrize("variant", VARIANTS)
def test_courses_that_begin_alike_are_next_to_each_other(variant):
    for player in (0, 1):
        follow, end = courses_of(6, player, variant)
        for course, row in enumerate(follow.tolist()):
            assert all(following == -1 or course < following < end[course] for following in row)
            assert max(end[following] for following in [course, *row] if following >= 0) == end[course]
    assert len(courses_of(9, 0, "abrupt").follow) == 511


def test_a_plan_scores_the_same_against_an_image_as_its_image_against_it():
    oracle = DoubleOracle(build_tables("hex-3x2", "abrupt"))
    for _ in range(5):
        oracle.advance()
    setting = oracle.setting
    for black, white in itertools.product(*oracle.plans):
        turned = [np.where(plan >= 0, setting.images[1][plan], plan).astype(np.int8) for plan in (black, white)]
        assert half_points(setting, black, white, 1) == half_points(setting, turned[0], white, 0)
        assert (least_image(setting, turned[1]) == white).all()
    points = sum(half_points(setting, oracle.plans[0][-1], oracle.plans[1][-1], image) for image in (0, 1))
    assert points == oracle.points[-1, -1]


# The solved games


def test_games_that_others_solved_have_their_values():
    """hexanna1/dark-hex on GitHub, by certificates of its own, the second one called classic 3x4 there, too."""
    assert shipped("dark-hex-3x3-abrupt")["value"] == "207579464761/299876201866"
    assert shipped("dark-hex-3x4")["value"] == "14279/67484"


def test_bounds_by_regret_matching_hold_the_value():
    """Those of PCFR+ on private histories, 3000 iterations, and of walks by PCFR+, 120 iterations."""
    assert 0.8451364 < Fraction(shipped("phantom-ttt-numturns")["value"]) < 0.8451371
    assert 0.77162 < Fraction(shipped("phantom-ttt-abrupt")["value"]) < 0.77811


@pytest.mark.thorough
@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=pytest.mark.slow if game in LONG else () if game == QUICK else pytest.mark.thorough)
        for game in SOLVED
    ],
)
def test_a_second_checker_agrees(game):
    body = shipped(game)
    assert bounds_of_game(body) == (Fraction(body["value"]), Fraction(body["value"]))


@pytest.mark.slow
@pytest.mark.parametrize("game", SOLVED)
def test_a_game_that_is_solved_again_has_the_same_value(game):
    assert run_to_end(solve_in_steps(game)).certificate["value"] == shipped(game)["value"]


# Play and words


@pytest.mark.thorough
@pytest.mark.parametrize("game", SOLVED)
def test_the_solution_plays_legal_moves_in_both_seats(game):
    record = known_game(game)
    solved, uniform = certificate_agent("solved", shipped(game), record), find_policy(record, "uniform")
    for pair in ((solved, uniform), (uniform, solved), (solved, solved)):
        assert all(record_game(record, *pair, 7, number)[1] in (0, 1, 2) for number in range(5))


def test_a_follower_does_what_its_plan_says():
    """In numturns what comes next depends on how many tries the other one took."""
    rules = rules_of("phantom-ttt-numturns")
    text = max(shipped("phantom-ttt-numturns")["black"], key=len)
    plan = plan_of(rules, 0, text)
    player = Follower(rules, (([plan], [1.0]), ([], [])), stream_of(1, 2))
    player.begin(0)
    player.moved = rules.board.symmetries[0]
    game = known_game("phantom-ttt-numturns")
    seen, state = np.zeros(game.sizes.view, np.int64), np.zeros(game.sizes.state, np.int64)
    game.rules.start(state)
    game.rules.view(state, 0, seen)
    assert player.choose(seen, range(9)) == plan.cell
    for tries in (1, 2):
        after = state.copy()
        game.rules.apply(after, plan.cell)
        free = [cell for cell in range(9) if cell not in (plan.cell, plan.after[tries].cell)]
        for cell in [plan.cell, free[0]][2 - tries :]:
            game.rules.apply(after, cell)
        game.rules.view(after, 0, seen)
        assert player.choose(seen, range(9)) == plan.after[tries].cell


def test_plans_are_written_as_they_are_read():
    game = "dark-hex-2x2-numturns"
    oracle = DoubleOracle(build_tables("hex-2x2", "numturns"))
    for player in (0, 1):
        text = text_of(oracle.plans[player][0])
        assert plan_of(rules_of(game), player, text).cell == ord(text[0]) - ord("a")


def test_the_solution_is_explained_in_words():
    lines = explain(shipped("dark-hex-4x3"))
    assert lines[0].startswith("dark-hex-4x3 (classical): Black gets 1 = 1.000000") and "all 2 ways alike" in lines[1]
    assert "Black, 1 plans; the heaviest 1, their first 3 tries:" in lines
    assert len(explain(shipped("dark-hex-4x3"), everything=True)[-1]) > len(lines[-1])
    assert follower("solved", shipped("dark-hex-4x3")).name == "solved"
