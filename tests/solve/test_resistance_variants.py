"""Variants of The Resistance: named by their numbers, solved, and proved by certificates that name nothing else."""

import json
from fractions import Fraction

import pytest
from support.certificates import reseal

from fogspiel.core.session import Session, record_game
from fogspiel.resistance.certificate import solve
from fogspiel.resistance.checkers.resistance import Resistance, verify
from fogspiel.resistance.explain import explain
from fogspiel.resistance.game import SETUPS, Setup, find_setup, name_of, named_game
from fogspiel.resistance.linear_program import letters, strategy_of, team_table
from fogspiel.resistance.orbits import spy_rule, team_rule
from fogspiel.resistance.player import follower, setup_of
from fogspiel.resistance.solve_methods import METHODS
from fogspiel.solving import proofs
from fogspiel.solving.methods import SolveOptions, SolverState
from fogspiel.solving.sources import find_source

VARIANTS = {
    "resistance5-3-3-3-2-2-2spies": "-2/5",
    "resistance6-2-3-4-3x2-4-2spies": "-1/3",
    "resistance7-2-2-3-4x2-3-3spies": "-1/35",
    "resistance7-2-3-3-4-4-3spies": None,
    "resistance4-2-1-2-1spies": None,
}
"""Values, or None where the two rules of one sentence agree on it."""


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_solved_and_its_certificate_holds(name):
    document, setup = json.loads(json.dumps(solve(find_setup(name)))), find_setup(name)
    value = Fraction(VARIANTS[name] or 2 * spy_rule(setup).wins - 1)
    assert document["game"] == name
    assert proofs.verify(document) == (value, value)
    assert 2 * team_rule(setup).wins - 1 <= value <= 2 * spy_rule(setup).wins - 1


def test_a_star_on_a_mission_no_larger_than_those_that_count_changes_nothing():
    plain, starred = (Fraction(solve(find_setup(f"resistance7-2-3-3-{m}-4-2spies"))["value"]) for m in ("3", "3x2"))
    assert plain == starred


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"), [("resistance5-2-2-3-2-3-3-3-2spies", "-1/5"), ("resistance6-2-3-3-3-4-3-4-2spies", "1/15")]
)
def test_the_best_of_seven_is_solved_and_proved(name, value):
    setup = find_setup(name)
    assert verify(solve(setup)) == (Fraction(value),) * 2
    assert 2 * spy_rule(setup).wins - 1 == 2 * team_rule(setup).wins - 1 == Fraction(value)


@pytest.mark.parametrize("name", ["resistance5-3-3-3-2-2-2spies", "resistance7-2-2-3-4x2-3-3spies"])
def test_the_rule_of_the_resistance_wins_what_it_says_by_the_checker(name):
    """Also where the last mission is too small to draw the others from it."""
    setup = find_setup(name)
    rule = team_rule(setup)
    table = strategy_of(setup, team_table(setup, list(map(letters, rule.teams))))
    assert (Resistance(setup, table).payoff() + 1) / 2 >= rule.wins


def test_a_variant_is_explained():
    lines = explain(solve(find_setup("resistance7-2-2-3-4x2-3-3spies")))
    assert any(line.startswith("The rule: let missions") for line in lines)
    assert not any("BOSSLE" in line for line in lines)


# Names


def test_every_name_is_read_as_it_is_written():
    for setup in (*SETUPS.values(), Setup(14, 5, (2, 3, 10, 3, 3, 4, 14), (1, 2, 1, 1, 1, 1, 9), points=4)):
        assert find_setup(name_of(setup)) == setup
    assert find_source("resistance5-2-3-2-3-3-2spies").name == "resistance5"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("resistance7-2-3-3-4-3spies", "the number of missions is 4: it must be 3, 5 or 7"),
        ("resistance7-2-3-3-8-4-3spies", "missions have 2 to 8 players: it must be from 1 to 7"),
        ("resistance7-2-3-3-4-4-7spies", "7 of 7 players are spies"),
        ("resistance15-2-3-3-4-4-3spies", "of 14 at most"),
        ("resistance7-2-3-3-4x0-4-3spies", "is no variant"),
        ("resistance7-02-3-3-4-4-3spies", "is no variant"),
        ("resistance-spies", "is no variant"),
        ("resistance7-2-3-3-4-4-3spies\n", "is no variant"),
        ("resistance٧-2-3-3-4-4-3spies", "is no variant"),
    ],
)
def test_a_wrong_name_is_refused_in_a_sentence(name, why):
    with pytest.raises(ValueError, match=why):
        find_setup(name)


def test_a_variant_of_five_missions_is_a_game_with_a_tree_and_a_view_of_its_numbers():
    name = "resistance4-2-1-2-1-2-1spies"
    source, game = find_source(name), named_game(name)
    assert source.name == game.name == name and source.tree(1.0).nodes > 1000
    session = Session(game)
    session.apply(session.actions[0])
    assert setup_of(session.view(0)) == find_setup(name)
    assert any("4 players, 1 of them spies" in line for line in game.look.how_to_play(game))


def test_a_variant_of_other_sizes_has_no_tree_and_says_so():
    with pytest.raises(ValueError, match="is solved by --method auto only"):
        find_source("resistance7-2-3-3-3spies").tree(1.0)
    with pytest.raises(ValueError, match="cannot be played: take 5 missions and 13 players at most"):
        named_game("resistance7-2-3-3-3spies")


@pytest.mark.parametrize("name", ["resistance14", "resistance4"])
def test_a_number_of_players_without_a_set_up_names_what_would_make_it(name):
    with pytest.raises(ValueError, match=f"{name} is not an official game: name its missions and spies"):
        find_source(name)


def test_an_opening_that_is_too_large_gets_the_bounds_of_both_rules():
    source = find_source("resistance7-2-3-3-4-4-4-4-3spies")
    found = solved(METHODS[0].solve(source, SolveOptions(), SolverState()))
    assert found.exact and found.value == "-27/35" and found.certificate is None


def solved(work):
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


@pytest.mark.parametrize("name", ["lone-resistance7", "lone-resistance4-2-3-2-2spies"])
def test_tables_with_lone_spies_that_are_not_solved_say_why(name):
    with pytest.raises(ValueError, match=f"^{name} is not solved here: .* 6 players at most"):
        find_source(name)


def test_a_solution_of_a_variant_is_followed_where_the_last_mission_does_not_hold_all():
    """Both sides of the solution against each other, over many games, win about as often as the value says."""
    name = "resistance5-3-3-3-2-2-2spies"
    game, body = named_game(name), solve(find_setup(name))
    team = follower("solution", body)
    won = sum(record_game(game, team, team, 7, number).score for number in range(300))
    assert abs(won / 300 - 0.3) < 0.1  # the value is -2/5


# Certificates


NAMES = {
    "the official set-up": "resistance7",
    "another star": "resistance7-2-2-3-4-3-3spies",
    "another order": "resistance7-2-3-2-4x2-3-3spies",
    "other spies": "resistance7-2-2-3-4x2-3-2spies",
    "more players": "resistance8-2-2-3-4x2-3-3spies",
    "three missions": "resistance7-2-2-3-3spies",
    "a last mission that holds all": "resistance7-2-2-3-4x2-4-3spies",
    "written otherwise": "resistance7-2x1-2-3-4x2-3-3spies",
    "no variant": "resistance7-2-2-3-4x2-3-3",
    "an impossible one": "resistance7-2-2-3-4x2-9-3spies",
    "a number": 7,
    "nothing": None,
}


@pytest.mark.thorough
@pytest.mark.parametrize("fault", NAMES)
def test_a_certificate_proves_nothing_about_another_variant(fault):
    document = solve(find_setup("resistance7-2-2-3-4x2-3-3spies"))
    with pytest.raises(ValueError, match="the certificate is not valid"):
        verify(reseal(document | {"game": NAMES[fault]}))


def test_a_plan_of_one_mission_is_refused_where_the_last_one_does_not_hold_all():
    document = solve(find_setup("resistance7-2-2-3-4x2-3-3spies"))
    behind = next(history for history in document["resistance"] if history.count("-") == 2)
    last = next(iter(document["resistance"][behind])).split(" ")[-1]
    document["resistance"][behind] = {last: "1"}
    with pytest.raises(ValueError, match="must list"):
        verify(reseal(document))
