"""The balance of The Resistance: the sweep finds the tables that solving all of them finds."""

from fractions import Fraction

import pytest

from fogspiel.resistance.balance import FAIR, TableSpace, fair_table, sweep
from fogspiel.resistance.certificate import solve


def nearest_tables(space, count, stored=(), steps=None):
    """What a sweep finds, going on from stored rows; new rows are appended to `steps`."""
    work = sweep(space, count, stored)
    while True:
        try:
            step = next(work)
        except StopIteration as end:
            return end.value
        if steps is not None:
            steps.append(step.row)


def test_the_space_has_every_table_once():
    space = TableSpace(7, 3, 2, 4)
    assert len(set(space)) == space.size == 486
    assert space.words.startswith("all 486 tables of five missions of 2 to 4 of 7 players")


def test_five_players_have_fair_tables():
    found = nearest_tables(TableSpace(5, 2, 2, 3), 3)
    assert [table.wins for table in found.nearest] == [FAIR] * 3
    assert found.nearest[0].setup.sizes == (2, 2, 2, 3, 3)
    assert (found.by_rules, found.by_program, found.too_far) == (64, 0, 0)
    assert found.to_json()["official"] == "3/10"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "space",
    [TableSpace(4, 2, 1, 2), pytest.param(TableSpace(6, 2, 2, 4), marks=pytest.mark.slow)],
    ids=lambda space: space.players,
)
def test_the_nearest_tables_are_those_of_solving_all_of_them(space):
    everything = sorted(fair_table(setup, (Fraction(solve(setup)["value"]) + 1) / 2) for setup in space)
    for count in (1, 5, 40):
        found = nearest_tables(space, count)
        assert found.nearest == everything[:count]
        assert found.ties == sum(table.distance == everything[0].distance for table in everything)
        assert found.by_rules + found.by_program + found.too_far == space.size


def test_tables_that_the_rules_leave_open_are_solved_if_they_may_be_near():
    found = nearest_tables(TableSpace(7, 3, 3, 4), 1)
    assert found.by_rules + found.by_program + found.too_far == 64
    assert Fraction(solve(found.nearest[0].setup)["value"]) == 2 * found.nearest[0].wins - 1


@pytest.mark.thorough
def test_a_sweep_that_was_interrupted_anywhere_comes_to_the_same_rows_and_tables(monkeypatch):
    space, rows = TableSpace(7, 3, 2, 4, stars=((1, 1, 1, 2, 1),)), []
    monkeypatch.setattr("fogspiel.resistance.balance.BATCH", 60)
    whole = nearest_tables(space, 3, steps=rows)
    assert len(rows) == 5 + whole.by_program > 6
    for done in (1, 6, len(rows)):
        later = []
        assert nearest_tables(space, 3, rows[:done], later) == whole
        assert rows[:done] + later == rows


def test_the_tables_of_the_best_of_seven_are_swept():
    found = nearest_tables(TableSpace(5, 2, 2, 3, stars=((1,) * 7,)), 1)
    assert found.space.words.startswith("all 128 tables of seven missions")
    assert (found.by_rules, found.nearest[0].wins) == (128, Fraction(3, 5))


def test_impossible_sizes_are_refused():
    for numbers in ((7, 3, 4, 3), (7, 3, 0, 3), (7, 3, 2, 8), (7, 7, 2, 3), (15, 3, 2, 3)):
        with pytest.raises(ValueError, match=r"it must be|comes last"):
            TableSpace(*numbers)
