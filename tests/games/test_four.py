"""Four in a row: the rules, the Monte-Carlo strategy word for word, and the solver against plain search."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.played_games import aligned

from fogspiel.core.agents import exact_score, find_policy, fixed_baseline, redrawn_baseline, vector_policy
from fogspiel.core.game import known_game, new_cells
from fogspiel.core.rng import random_unit, stream_of
from fogspiel.core.session import replay, view_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games import four_in_a_row
from fogspiel.games import four_in_a_row as truth

FULL, SMALL, WIDE = (known_game(name) for name in ("four-in-a-row", "four-in-a-row-4x4", "four-in-a-row-4x7"))
HALF = Fraction(1, 2)
seeds = st.integers(0, 2**32 - 1)


def size_of(game):
    return (6, 7) if game is FULL else (4, len(game.strategy.parameters) // 2)


def board_after(record):
    """The heights of the columns and both players' stones, in the words of the rules."""
    heights, stones = [0] * 7, [set(), set()]
    for turn, column in enumerate(record):
        stones[turn % 2].add((column, heights[column]))
        heights[column] += 1
    return heights, stones


@given(seeds, st.sampled_from([FULL, SMALL, WIDE]))
@settings(max_examples=60, deadline=None)
def test_games_end_with_the_first_line_of_four_or_a_full_board(seed, game):
    rng, record = np.random.default_rng(seed), []
    rows, columns = size_of(game)
    while (last := list(replay(game, record))[-1]).mover != -2:
        heights, stones = board_after(record)
        assert last.mover == len(record) % 2 and not aligned(stones[0]) and not aligned(stones[1])
        assert last.actions == [column for column in range(columns) if heights[column] < rows]
        record.append(int(rng.choice(last.actions)))
    _, stones = board_after(record)
    wins = [aligned(side) for side in stones]
    assert GAME_SCORE[tuple(wins)] == game.rules.score(last.state)
    assert any(wins) or len(record) == rows * columns


GAME_SCORE = {(True, False): 2, (False, False): 1, (False, True): 0}


def test_there_are_as_many_positions_as_the_encyclopedia_of_integer_sequences_says():
    states = {tuple(next(replay(FULL, [])).state.tolist())}
    for expected in (7, 49, 238, 1120, 4263):  # A212693
        following = set()
        for cells in states:
            out = new_cells(7)
            for column in out[: FULL.rules.legal(np.array(cells), out)].tolist():
                state = np.array(cells)
                FULL.rules.apply(state, column)
                following.add(tuple(state.tolist()))
        states = following
        assert len(states) == expected


@pytest.mark.thorough
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.floats(-3, 3), min_size=8, max_size=8))
@settings(max_examples=60, deadline=None)
def test_a_playout_draws_open_columns_by_their_softmax(theta):
    plan = np.zeros(SMALL.strategy.plan_size)
    SMALL.strategy.prepare(np.array(theta), plan)
    for side in (0, 1):
        weights = np.array(theta[4 * side : 4 * side + 4])
        for opened in range(1, 16):
            open_ones = np.array([column for column in range(4) if opened >> column & 1])
            with np.errstate(under="ignore", over="ignore"):
                chances = np.exp(weights[open_ones] - weights[open_ones].max())
            expected = np.zeros(4)
            expected[open_ones] = chances / chances.sum()
            limits = plan[((side << 4) + opened) * 4 :][:4]
            assert np.diff(limits, prepend=0.0) == pytest.approx(expected, abs=1e-14)
            assert (np.diff(limits, prepend=0.0) >= 0).all() and limits[-1] == 1.0


def specified_choice(record, theta, rows, columns, stream):
    """The strategy of the specification, word for word, on sets of stones."""
    theta = np.array(theta)

    def drawn(heights, side):
        weights, free = theta[columns * side : columns * (side + 1)], [c for c in range(columns) if heights[c] < rows]
        chances = np.exp(weights[free] - weights[free].max())
        return free[int(np.searchsorted(np.cumsum(chances / chances.sum())[:-1], random_unit(stream), "right"))]

    def playout(heights, own, other):
        heights, stones, side = list(heights), [set(own), set(other)], 1
        while any(h < rows for h in heights[:columns]):
            column = drawn(heights, side)
            stones[side].add((column, heights[column]))
            heights[column] += 1
            if aligned(stones[side]):
                return 1.0 - side
            side = 1 - side
        return 0.5

    heights, stones = board_after(record)
    own, other = stones[len(record) % 2], stones[1 - len(record) % 2]
    values = {}
    for column in range(columns):
        if heights[column] < rows:
            after = own | {(column, heights[column])}
            higher = [h + (c == column) for c, h in enumerate(heights)]
            values[column] = 1.0 if aligned(after) else np.mean([playout(higher, after, other) for _ in range(20)])
    return max(values, key=lambda column: (values[column], -abs(column - (columns - 1) / 2), -column))


@given(seeds, st.integers(0, 12))
@settings(max_examples=25, deadline=None)
def test_the_strategy_chooses_as_the_specification_says(seed, turns):
    rng, record = np.random.default_rng(seed), []
    for _ in range(turns):
        last = list(replay(SMALL, record))[-1]
        if last.mover != -2:
            record.append(int(rng.choice(last.actions)))
    last = list(replay(SMALL, record))[-1]
    if last.mover == -2:
        return
    theta, plan = rng.normal(size=8), np.zeros(SMALL.strategy.plan_size)
    SMALL.strategy.prepare(theta, plan)
    stream = stream_of(seed, 5)
    chosen = SMALL.strategy.choose(view_of(SMALL, last.state, last.mover), np.array(last.actions), plan, stream)
    again = stream_of(seed, 5)
    assert chosen == specified_choice(record, theta, 4, 4, again)
    assert (stream == again).all()


def test_a_win_is_taken_and_ties_go_to_the_centre():
    plan, stream = np.zeros(FULL.strategy.plan_size), stream_of(1)
    FULL.strategy.prepare(np.zeros(14), plan)
    for record, expected in (([2, 0, 3, 0, 4, 1], 5), ([0, 6, 0, 6, 0, 6], 0)):
        last = list(replay(FULL, record))[-1]
        assert FULL.strategy.choose(view_of(FULL, last.state, 0), np.array(last.actions), plan, stream) == expected
    last = list(replay(SMALL, [0, 1, 0, 1, 1, 0, 1, 0, 2, 3, 2, 3, 3, 2]))[-1]  # two places left and no line
    plan = np.zeros(SMALL.strategy.plan_size)
    SMALL.strategy.prepare(np.zeros(8), plan)
    assert last.actions == [2, 3]
    assert SMALL.strategy.choose(view_of(SMALL, last.state, 0), np.array(last.actions), plan, stream) == 2


@pytest.mark.thorough
def test_playouts_beat_uniform_players_and_more_playouts_beat_fewer():
    for game in (SMALL, WIDE, FULL):
        assert (
            PolicyMatch(game, find_policy(game, "even"), find_policy(game, "uniform")).scores(1, 0, 100).mean() / 2
            > 0.75
        )
    many = four_in_a_row.board("four-in-a-row-4x7-many", 4, 7, 200)
    contender = vector_policy(many, (0.0,) * 14)
    assert PolicyMatch(WIDE, contender, find_policy(WIDE, "even")).scores(1, 0, 60).mean() / 2 > 0.6


def test_boards_that_do_not_fit_are_refused():
    for size in ((3, 7), (7, 9), (6, 7, 0)):
        with pytest.raises(ValueError, match="boards from 4 x 4 on"):
            four_in_a_row.board("too-much", *size)


# The solver


def plain_value(game):
    """The first player's score from any position by plain search."""
    rows, columns = size_of(game)

    @cache
    def value(own, other, heights):
        results = [Fraction(0)] if min(heights) < rows else [HALF]
        for column in range(columns):
            if heights[column] < rows:
                after = own | {(column, heights[column])}
                if aligned(after):
                    return Fraction(1)
                higher = (*heights[:column], heights[column] + 1, *heights[column + 1 :])
                results.append(1 - value(other, after, higher))
        return max(results)

    def of_record(record):
        heights, stones = board_after(record)
        mover = len(record) % 2
        if aligned(stones[1 - mover]):
            return Fraction(mover)
        mine = value(frozenset(stones[mover]), frozenset(stones[1 - mover]), tuple(heights[:columns]))
        return mine if mover == 0 else 1 - mine

    return of_record


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "stones"), [(SMALL, 7), pytest.param(WIDE, 18, marks=pytest.mark.thorough), (FULL, 32)]
)
def test_the_solver_agrees_with_plain_search(game, stones):
    solver, plain, rng = truth.Solver(game), plain_value(game), np.random.default_rng(1)
    found = set()
    for _ in range(25):
        record: list[int] = []
        while len(record) < stones and (last := list(replay(game, record))[-1]).mover != -2:
            record.append(int(rng.choice(last.actions)))
        assert solver.value(record) == plain(record)
        found.add(solver.value(record))
    assert {0, 1} <= found


@pytest.mark.parametrize(
    "openings",
    ["====", "-===-", *(pytest.param(openings, marks=pytest.mark.thorough) for openings in ("------", "---=---"))],
    ids=len,
)
def test_the_boards_with_four_rows_are_draws_but_for_six_columns_where_the_second_player_wins(openings):
    # 4 x 4 to 4 x 7, compared once with a search in C that shares nothing with this one
    columns = len(openings)
    solver = truth.Solver(known_game(f"four-in-a-row-4x{columns}"))
    values = solver.values()
    assert "".join({0: "-", HALF: "=", 1: "+"}[values[column]] for column in range(columns)) == openings
    assert solver.value() == max(values.values())


def test_a_winner_is_known_and_a_board_too_large_is_refused():
    solver = truth.Solver(FULL)
    assert solver.value([0, 1, 0, 1, 0, 1, 0]) == 1
    with pytest.raises(ValueError, match="42 empty places after 0 moves"):
        solver.value()
    with pytest.raises(ValueError, match="is not possible"):
        solver.value([7])
    with pytest.raises(ValueError, match="not four in a row"):
        truth.Solver(known_game("nim"))


def test_only_players_of_the_same_kind_have_an_exact_score():
    assert exact_score(FULL, redrawn_baseline(FULL), redrawn_baseline(FULL)) == HALF
    assert exact_score(FULL, fixed_baseline(FULL, 1), fixed_baseline(FULL, 1)) == HALF
    assert exact_score(FULL, find_policy(FULL, "uniform"), find_policy(FULL, "uniform")) == HALF
    with pytest.raises(ValueError, match="is not known"):
        exact_score(FULL, fixed_baseline(FULL, 1), fixed_baseline(FULL, 2))


def test_views_show_the_same_board_to_both():
    last = list(replay(FULL, [3, 3, 4]))[-1].state
    assert FULL.show(view_of(FULL, last, 0)).splitlines()[4:8] == ["...O...", "...XX..", "1234567", "you have X"]
    assert FULL.show(view_of(FULL, last, 1)).splitlines()[:7] == FULL.show(view_of(FULL, last, 0)).splitlines()[:7]
    assert FULL.strategy.describe(np.zeros(14)).startswith("plays out with columns 14% 14%")
