"""The rules of one sentence of The Resistance: worth the value, which a best reply by brute force confirms."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest
from support.pure_plans import certain_share

from fogspiel.resistance.certificate import solve
from fogspiel.resistance.explain import plan_lines, rule_lines
from fogspiel.resistance.game import LARGE, SETUPS, TWO_IN_THE_FOURTH, Setup
from fogspiel.resistance.linear_program import TABLES, TEAMS, letters
from fogspiel.resistance.orbits import spy_rule, team_rule
from fogspiel.solving.known_values import known_value

FOURTEEN = Setup(14, 5, LARGE, TWO_IN_THE_FOURTH)
EVERY = [*SETUPS.values(), FOURTEEN]
SMALL = [
    Setup(3, 1, (1, 2, 2), (1, 1, 1), points=2),
    Setup(4, 2, (2, 2, 3), (1, 2, 1), points=2),
    Setup(4, 1, (2, 1, 2, 3, 2), (1, 1, 1, 1, 1)),
    Setup(5, 2, (3, 2, 3, 3, 2), (1, 2, 1, 1, 1)),
    Setup(4, 1, (1, 2, 2, 1, 2, 3, 2), (1, 1, 1, 1, 1, 2, 1), points=4),
]


def best_reply(setup, passed, cards=False):
    """What the best resistance wins against the rule, with labelled players, every mission and every outcome.

    Every spy follows the rule alone; with `cards` all see how many have sabotaged a mission, otherwise the outcome.
    """
    crews = {size: [frozenset(crew) for crew in combinations(range(setup.players), size)] for size in setup.sizes}

    @cache
    def best(won, lost, alive):
        """The spy sets of those that are possible now that it wins against."""
        if setup.points in (won, lost) or not alive:
            return len(alive) if won == setup.points else 0
        number, found = won + lost, []
        for crew in crews[setup.sizes[number]]:
            seen = {}
            for spies in alive:
                sabotages = 0 if number + 1 in passed else len(spies & crew)
                failed = sabotages >= setup.needed[number]
                seen.setdefault((failed, sabotages if cards else 0), set()).add(spies)
            found.append(sum(best(won + (not f), lost + f, frozenset(left)) for (f, _), left in seen.items()))
        return max(found)

    sets = frozenset(map(frozenset, combinations(range(setup.players), setup.spies)))
    return Fraction(best(0, 0, sets), len(sets))


@pytest.mark.parametrize("setup", EVERY, ids=lambda setup: setup.players)
def test_both_rules_are_worth_the_value_so_that_none_can_be_better(setup):
    rule, teams = spy_rule(setup), team_rule(setup)
    assert rule.passed == {5: (1, 3), 6: (1, 2)}.get(setup.players, (1, 4))
    assert rule.wins == teams.wins
    if setup is not FOURTEEN:
        assert 2 * rule.wins - 1 == known_value(f"resistance{setup.players}")


@pytest.mark.slow
def test_fourteen_players_have_the_value_of_the_rules():
    value = 2 * spy_rule(FOURTEEN).wins - 1
    assert value == Fraction(-379, 1001)
    assert Fraction(solve(FOURTEEN)["value"]) == value


@pytest.mark.parametrize("setup", [*SMALL, SETUPS[5], SETUPS[6], SETUPS[7]], ids=str)
def test_a_best_reply_by_brute_force_wins_as_much_as_the_rule_of_the_spies_says(setup):
    rule = spy_rule(setup)
    assert best_reply(setup, rule.passed) == rule.wins


@pytest.mark.parametrize(
    ("players", "passed", "wins"),
    [(5, (1, 3), "3/5"), (6, (1, 4), "8/15"), pytest.param(7, (1, 4), "2/5", marks=pytest.mark.thorough)],
)
def test_spies_who_do_not_know_each_other_lose_by_the_rule_only_if_cards_are_counted(players, passed, wins):
    assert best_reply(SETUPS[players], passed) == spy_rule(SETUPS[players]).wins
    assert best_reply(SETUPS[players], passed, cards=True) == Fraction(wins)


@pytest.mark.slow
def test_a_best_reply_of_eight_players_wins_as_much_as_the_rule_says():
    assert best_reply(SETUPS[8], (1, 4)) == Fraction(9, 56)


@pytest.mark.parametrize(
    "players", [5, pytest.param(6, marks=pytest.mark.thorough), pytest.param(7, marks=pytest.mark.slow)]
)
def test_no_other_pair_of_missions_is_better_to_let_pass(players):
    setup = SETUPS[players]
    assert min(best_reply(setup, passed) for passed in combinations(range(1, 6), 2)) == spy_rule(setup).wins


@pytest.mark.parametrize("players", SETUPS)
def test_the_teams_win_whatever_the_spies_know_and_do(players):
    setup, rule = SETUPS[players], team_rule(SETUPS[players])
    assert " ".join(map(letters, rule.teams)) == TEAMS[players]
    assert certain_share(setup, TABLES[players]) == rule.wins


@pytest.mark.parametrize("players", [5, 6])
def test_without_a_starred_mission_both_rules_agree_in_any_order(players):
    for sizes in product(range(2, 4), repeat=5):
        setup = Setup(players, 2, sizes, (1,) * 5)
        assert spy_rule(setup).wins == team_rule(setup).wins


def test_teams_of_everybody_never_win():
    assert team_rule(Setup(5, 2, (5,) * 5, (1,) * 5)).wins == 0


def test_the_rules_can_be_read():
    setup, wins = SETUPS[7], Fraction(9, 35)
    rule, reason, *_ = rule_lines(setup, wins)
    assert rule == "The rule: let missions 1 and 4 pass, sabotage the others whenever possible, without dice."
    assert "mission 2, 3 or 5 is clean" in reason
    assert reason.endswith("with probability 9/35 (25.7%), and less is not possible.")
    first, _, teams, *_ = plan_lines(setup, wins)
    assert first.endswith("no plan can do better.") and "the teams are A B C, A D E and A B D F" in teams


def test_a_rule_that_is_not_optimal_says_so():
    setup, wins = Setup(7, 3, (2, 2, 3, 4, 3), TWO_IN_THE_FOURTH), Fraction(17, 35)
    assert plan_lines(setup, wins)[0].endswith("the strategy that was found, with dice, wins 17/35 (48.6%).")
    assert rule_lines(setup, wins)[1].endswith("18/35 (51.4%); the strategy that was found: 17/35 (48.6%).")
