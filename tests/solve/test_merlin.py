"""Merlin with a secret ballot, and votes: what is claimed, by brute force over labelled players."""

from fractions import Fraction
from itertools import combinations, product

import pytest
from plugins.papers import merlin
from plugins.papers.merlin import ballot, claim_sets, wins_for_sure

from fogspiel.papers.kinds import Options
from fogspiel.resistance.game import SETUPS, Setup
from fogspiel.resistance.variants import MAX_REJECTIONS, voting


def always_wins(setup, truth, claims, outcomes=""):
    """Whether the plan wins whatever the spies sabotage: send the first players whom the first claim left clears."""
    if setup.points in (outcomes.count("+"), outcomes.count("-")):
        return outcomes.count("+") == setup.points
    claim = claims[outcomes.count("-")]  # every sabotage has refuted one
    cleared = [player for player in range(setup.players) if player not in claim]
    spies = set(cleared[: setup.sizes[len(outcomes)]]) & set(truth)
    choices = "+-" if spies else "+"
    return all(always_wins(setup, truth, claims, outcomes + outcome) for outcome in choices)


@pytest.mark.parametrize("players", [5, 6])
def test_with_two_spies_a_simple_plan_wins_three_missions_whatever_is_claimed(players):
    setup = SETUPS[players]
    every = list(combinations(range(players), 2))
    truth = every[0]
    for lies in product(every, repeat=2):
        claims = sorted({truth, *lies})  # an order that says nothing about who claimed what
        assert always_wins(setup, truth, claims)


@pytest.mark.parametrize(("players", "most", "claims", "lost"), [(5, "2/3", 8, 0), (6, "3/4", 9, 0)])
def test_merlin_is_worth_all_but_a_guess(players, most, claims, lost):
    assert ballot(SETUPS[players]) == (Fraction(most), claims, lost)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "most", "claims", "lost"), [(7, "3/4", 405, 11), (8, "4/5", 559, 38), (9, "5/6", 634, 0)]
)
def test_with_three_spies_a_ballot_is_enough_with_nine_players_only(players, most, claims, lost):
    assert ballot(SETUPS[players]) == (Fraction(most), claims, lost)


def test_kinds_of_claims_cover_all_labelled_ones():
    setup = SETUPS[5]
    every = list(combinations([sum(1 << p for p in pair) for pair in combinations(range(5), 2)], 3))
    assert all(wins_for_sure(setup, frozenset(claims)) for claims in every)
    assert len(claim_sets(setup)) == 8


def test_claims_can_be_too_many():
    setup = Setup(5, 2, (3, 3, 3, 3, 3), (1,) * 5)
    every = [sum(1 << p for p in pair) for pair in combinations(range(5), 2)]
    assert wins_for_sure(setup, frozenset(every[:3])) and not wins_for_sure(setup, frozenset(every[:4]))


@pytest.mark.parametrize("players", range(5, 11))
def test_votes_change_nothing_in_the_official_games(players):
    found = voting(SETUPS[players])
    assert found.irrelevant and found.rejections == SETUPS[players].spies <= MAX_REJECTIONS


def test_votes_matter_where_the_good_are_no_majority():
    found = voting(Setup(4, 2, (2, 2, 3), (1,) * 3, points=2))
    assert (found.passes, found.blocked, found.irrelevant) == (False, True, False)
    assert not voting(Setup(5, 3, (2, 2, 2), (1,) * 3, points=2)).blocked


def test_the_table_has_the_values_that_the_ballot_wins():
    (table,) = merlin.compute(Options(players=5), lambda text: None).tables
    assert [*table.rows] == [(5, "2/3", ballot(SETUPS[5]).claims, 0, "2/3")]
