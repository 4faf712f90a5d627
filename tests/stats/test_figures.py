"""Figures of the statistics to many digits, against short computations of their own, and at their boundaries."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fogspiel.core.agents import PlayerAgent, find_policy
from fogspiel.core.game import known_game
from fogspiel.stats import evaluate as module
from fogspiel.stats.evaluate import (
    MatchResult,
    Strength,
    elo_of,
    evaluate,
    median_interval,
    moments,
    normalised_elo,
    pentanomial_interval,
    report_key,
    score_of,
    spread_of,
    strength_of,
)
from fogspiel.stats.linear_programs import (
    LpFailure,
    _clean,
    add_rows,
    couple,
    equilibrium,
    matrix_program,
    model_of,
    prune,
    rows_of_table,
    run,
    set_basis,
    solve,
    solver_of,
    statuses,
    symmetric_equilibrium,
    write_program,
)
from fogspiel.stats.race import LOG_WEIGHTS, STAKES, GainTest, Race, Verdict, decision, form, interval
from fogspiel.stats.round_robin import (
    RESAMPLES,
    NashAverage,
    claims,
    counts_of,
    cycle,
    cyclic_share,
    elo,
    elo_errors,
    error_bars,
    holm,
    nash_average,
    p_value,
    resample,
    scores_of,
    share_of_luck,
    undefeated,
)
from fogspiel.stats.sprt import Gsprt, likeliest_law, log_ratio, multiplier, root_of

CLOSE = {"rel": 1e-12, "abs": 1e-13}

# Matches


def test_the_figures_of_a_match_are_those_of_its_counts():
    found = MatchResult((-2.0, 0.0, 2.0), (3, 4, 9), (1, 0, 3, 2, 2))
    assert found.games == 16 and found.mean == found.score == 0.75
    low, high = interval(np.array([1, 0, 3, 2, 2]))
    assert found.interval == pytest.approx((4 * low - 2, 4 * high - 2), **CLOSE)
    figures = {"score": 0.75, "interval": [*found.interval], "games": 16, "outcomes": [3, 4, 9],
               "observed": [1, 0, 3, 2, 2]}  # fmt: skip
    assert found.to_json() == {**figures, "wins": 9, "draws": 4, "losses": 3}
    assert found.to_dict() == {"score": 0.75, "interval": found.interval, "games": 16, "payoffs": (-2.0, 0.0, 2.0),
                               "outcomes": (3, 4, 9), "observed": (1, 0, 3, 2, 2)}  # fmt: skip
    assert repr(found) == f"Score 0.750 (95 %: {4 * low - 2:.3f} to {4 * high - 2:.3f}) in 16 games"
    assert "games at payoff -2" in found._repr_html_() and ">9<" in found._repr_html_()
    four = MatchResult((-2.0, -1.0, 1.0, 2.0), (1, 1, 1, 1), (0, 0, 0, 2, 0, 0, 0))
    assert set(four.to_json()) == set(figures) and four.mean == 0


def test_elo_and_scores_are_each_others_inverse():
    for elo_points, score in ((0, 0.5), (400, 10 / 11), (-400, 1 / 11), (200, 0.7597469266479578)):
        assert score_of(elo_points) == pytest.approx(score, **CLOSE)
        assert elo_of(score) == pytest.approx(elo_points, rel=1e-10, abs=1e-10)
    assert elo_of(0) == elo_of(-0.1) == -math.inf and elo_of(1) == elo_of(1.5) == math.inf
    assert math.isfinite(elo_of(1e-300)) and elo_of(math.nextafter(1, 0)) > 6000


@pytest.mark.parametrize("pairs", [(1, 4, 10, 6, 2), (0, 0, 1, 0, 1), (3, 1, 0, 0, 0), (2, 5, 9), (7, 1)])
def test_moments_are_those_of_the_sample(pairs):
    values = [Fraction(v, len(pairs) - 1) for v, times in enumerate(pairs) for _ in range(times)]
    mean = sum(values) / len(values)
    squares = sum((value - mean) ** 2 for value in values)
    assert moments(pairs) == pytest.approx((len(values), float(mean), float(squares)), **CLOSE)
    spread = math.sqrt(2 * squares / len(values))
    assert spread_of(pairs) == pytest.approx(spread, **CLOSE)
    points = (0.6 - 0.5) / spread * 347.43558552260146
    assert normalised_elo(pairs, 0.6) == pytest.approx(points, **CLOSE)
    half = 1.959963984540054 * math.sqrt(squares / (len(values) - 1) / len(values))
    expected = max(float(mean) - half, 0), min(float(mean) + half, 1)
    assert pentanomial_interval(pairs) == pytest.approx(expected, **CLOSE)


def test_matches_without_a_game_or_with_one_pair_have_figures():
    assert moments((0, 0, 0, 0, 0)) == (0, 0.5, 0) and spread_of((0,) * 5) == 0
    assert math.isnan(normalised_elo((0, 0, 5, 0, 0), 0.5))
    for pairs in ((0, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 0, 0, 3)):
        assert pentanomial_interval(pairs) == interval(np.array(pairs))
    nothing = Strength(0, 0, 0, (0,) * 5)
    assert nothing.score == 0.5 and nothing.games == 0 and nothing.elo == 0 and math.isnan(nothing.ratio)
    figures = nothing.to_json()
    assert (
        figures["wins_per_loss"] is None and figures["elo_interval_of"] == "anytime" and figures["interval"] == [0, 1]
    )
    sure = Strength(4, 0, 0, (0, 0, 0, 0, 2))
    assert sure.elo == sure.ratio == math.inf and sure.to_json()["elo"] is None


def test_the_figures_of_a_strength_are_those_of_its_counts():
    found = Strength(9, 4, 3, (1, 0, 3, 2, 2))
    assert (found.games, found.score, found.ratio, found.elo) == (16, 0.6875, 3, elo_of(0.6875))
    anytime, fixed = interval(np.array(found.pairs)), pentanomial_interval(found.pairs)
    assert (found.anytime_interval, found.pentanomial_interval) == (anytime, fixed)
    for stopped, limits in ((False, fixed), (True, anytime)):
        assert found.elo_interval(stopped) == tuple(map(elo_of, limits))
        assert found.normalised_elo_interval(stopped) == tuple(normalised_elo(found.pairs, one) for one in limits)
        figures = found.to_json(stopped)
        assert figures["elo_interval_of"] == ("anytime" if stopped else "pentanomial")
        assert figures["elo_interval"] == [elo_of(one) for one in limits]
        shown = [normalised_elo(found.pairs, one) for one in limits]
        assert figures["normalised_elo_interval"] == shown
    assert found.elo_interval() == found.elo_interval(False)
    assert found.normalised_elo == figures["normalised_elo"] == normalised_elo(found.pairs, 0.6875)
    names = ("games", "wins", "draws", "losses", "pairs", "score", "wins_per_loss")
    assert {name: figures[name] for name in names} == {
        "games": 16, "wins": 9, "draws": 4, "losses": 3, "pairs": [1, 0, 3, 2, 2], "score": 0.6875, "wins_per_loss": 3,
    }  # fmt: skip
    assert figures["interval"] == [*anytime] and figures["elo"] == found.elo


def test_results_of_pairs_are_counted():
    found = strength_of([(2, 2), (2, 0), (0, 2), (1, 0), (0, 0)])
    assert found == Strength(4, 1, 5, (1, 1, 2, 0, 1)) and strength_of([]) == Strength(0, 0, 0, (0,) * 5)


def test_an_interval_of_a_median_takes_a_risk_that_it_just_meets():
    for count in range(1, 15):
        misses = [sum(2 * math.comb(count, k) for k in range(rank)) / 2**count for rank in range(1, (count + 1) // 2)]
        for rank, miss in enumerate(misses, 1):
            found = median_interval([*range(count, 0, -1)], miss)
            assert (found.low, found.high, found.confidence) == (rank, count + 1 - rank, 1 - miss)
    found = median_interval([3.0, 1.0, 2.0, 10.0])
    assert found.to_json() == {"median": 2.5, "low": 1.0, "high": 10.0, "confidence": 1 - 1 / 8}
    assert median_interval(range(6)).confidence == 1 - 1 / 32 and median_interval(range(9)).low == 1


@pytest.mark.parametrize(("games", "seats", "rounds"), [(5, "swapped", 3), (6, "swapped", 3), (5, "alternating", 5)])
def test_a_game_of_five_payoffs_is_counted_by_its_scores(monkeypatch, games, seats, rounds):
    game = known_game("kuhn")
    uniform, other = find_policy(game, "uniform"), PlayerAgent("other", find_policy(game, "uniform").new_player)
    for first, second in ((uniform, uniform), (uniform, other)):
        found = evaluate(game, first, second, 11, games, seats)
        scores = module.make_match(game, first, second).scores(11, 0, rounds, seats)
        columns = 2 if seats == "swapped" else 1
        assert scores.shape == (rounds, columns) and found.games == rounds * columns and len(found.outcomes) == 5
        assert found.observed == tuple((scores.sum(axis=1) == sum_).sum() for sum_ in range(4 * columns + 1))
        assert found.outcomes == tuple((scores == value).sum() for value in range(5))
        assert found.payoffs == (-2, -1, 0, 1, 2)


def test_a_match_of_many_blocks_is_told_after_each(monkeypatch):
    game, told, beats = known_game("rps"), [], []
    first = find_policy(game, "uniform")
    monkeypatch.setattr(module, "need_no_compiler", lambda *given: False)
    monkeypatch.setattr(module, "MIN_BLOCK", 4)
    monkeypatch.setattr(module, "MAX_BLOCK", 16)
    monkeypatch.setattr(module, "beat", lambda: beats.append(len(told)))
    whole = evaluate(game, first, first, 3, 100, watch=told.append)
    assert [sum(one.observed) for one in told] == [4, 12, 28, 44, 50] and told[-1] == whole
    assert beats == [0, 1, 2, 3, 4]
    assert evaluate(game, first, first, 3, 100, counted=told[2].to_json()) == whole
    assert evaluate(game, first, first, 3, 100, counted=whole.to_json()) == whole
    monkeypatch.setattr(module, "BLOCK_SECONDS", -1.0)
    told.clear()
    evaluate(game, first, first, 3, 24, watch=told.append)
    assert [sum(one.observed) for one in told] == [4, 8, 12]


def test_a_report_has_a_stream_of_its_own():
    from fogspiel.core.rng import child

    assert report_key(5) == int(child(5, 3)) != report_key(6)


# The test of engine testing


def free_multiplier(counts, score):
    """The multiplier by bisection between its poles."""
    values = np.arange(len(counts)) / (len(counts) - 1)
    low, high = -1 / (1 - score), 1 / score
    for _ in range(200):
        x = (low + high) / 2
        lead = sum(n * (v - score) / (1 + x * (v - score)) for n, v in zip(counts, values, strict=True))
        low, high = (x, high) if lead > 0 else (low, x)
    return x


@pytest.mark.parametrize("counts", [(13, 37, 50, 25, 3), (1, 1, 1), (0.001, 5, 0.001, 9, 0.001), (90, 1, 2, 3, 900)])
@pytest.mark.parametrize("score", [0.02, 0.5, 0.6, 0.97])
def test_the_ratio_is_that_of_laws_found_by_bisection(counts, score):
    seen = np.array(counts, float)
    x = free_multiplier(counts, score)
    assert multiplier(seen, float(seen.sum()), score) == pytest.approx(x, rel=1e-9, abs=1e-9)
    values = np.arange(len(counts)) / (len(counts) - 1)
    law = seen / seen.sum() / (1 + x * (values - score))
    other = seen / seen.sum() / (1 + free_multiplier(counts, 0.4) * (values - 0.4))
    assert law.sum() == pytest.approx(1, abs=1e-9) and float(law @ values) == pytest.approx(score, abs=1e-9)
    assert log_ratio(seen, 0.4, score) == pytest.approx(float(seen @ np.log(law / other)), rel=1e-8, abs=1e-8)


def test_a_count_of_zero_is_a_thousandth():
    plain = log_ratio(np.array([0.001, 4, 0.001, 6, 0.001]), 0.5, 0.52)
    assert log_ratio(np.array([0.0, 4, 0, 6, 0]), 0.5, 0.52) == plain
    nothing = Gsprt(0, 5).ratio((0, 0, 0, 0, 0))
    assert abs(nothing) < 1e-5 and nothing == pytest.approx(Gsprt(0, 5).ratio([0.001] * 5), **CLOSE)


def test_bounds_and_limits_of_the_test_are_walds():
    test = Gsprt(-1, 2, 0.01, 0.2)
    assert test.bounds == pytest.approx((math.log(0.2 / 0.99), math.log(0.8 / 0.01)), **CLOSE)
    assert not Gsprt().normalised and (Gsprt().alpha, Gsprt().beta) == (0.05, 0.05)
    for right in ({"alpha": 0.499, "beta": 1e-9}, {"elo0": -5, "elo1": -4.9}):
        Gsprt(**right)
    for wrong in ({"elo0": 5}, {"alpha": 0}, {"beta": 0}, {"beta": 0.5}, {"alpha": 0.5}, {"elo0": 6}):
        with pytest.raises(ValueError, match=r"must be the larger one|both lie between"):
            Gsprt(**wrong)


@pytest.mark.parametrize("counts", [(13, 37, 50, 25, 3), (2, 30, 60, 40, 4), (0, 3, 9, 5, 0)])
@pytest.mark.parametrize("elos", [(0, 5), (-10, 3)])
def test_the_normalised_ratio_is_that_of_laws_on_two_curves(counts, elos):
    """Each law keeps its mean at so many of its own deviations above 1/2, and no near law that does is likelier."""
    seen, values = np.maximum(np.array(counts, float), 0.001), np.arange(5) / 4
    logs = []
    for points in elos:
        goal = math.sqrt(2) * points / (800 / math.log(10))
        law = likeliest_law(seen / seen.sum(), goal)
        logs.append(float(seen @ np.log(law)))
        mean = float(law @ values)
        spread = math.sqrt(float(law @ (values - mean) ** 2))
        assert law.sum() == pytest.approx(1, abs=1e-9) and law.min() > 0
        assert (mean - 0.5) / spread == pytest.approx(goal, abs=1e-8)
        slopes = np.stack([np.ones(5), values - goal * ((values - mean) ** 2 - spread**2) / (2 * spread)])
        _, _, directions = np.linalg.svd(slopes)
        assert np.abs(directions[2:] @ (seen / law)).max() < 1e-4 * float((seen / law).max())
    assert Gsprt(*elos, normalised=True).ratio(counts) == pytest.approx(logs[1] - logs[0], rel=1e-9, abs=1e-9)


def test_a_root_lies_between_the_poles():
    steps, seen = np.array([-0.5, 0.0, 0.5]), np.array([0.2, 0.3, 0.5])
    x = root_of(seen, steps)
    assert float(seen @ (steps / (1 + x * steps))) == pytest.approx(0, abs=1e-12) and x == pytest.approx(6 / 7)


def test_the_test_decides_at_its_bounds():
    low, high = Gsprt().bounds
    for ratio, sign in ((high, 1), (math.nextafter(high, 0), 0), (low, -1), (math.nextafter(low, 0), 0), (0, 0)):
        test = Gsprt()
        object.__setattr__(test, "ratio", lambda counts, ratio=ratio: ratio)
        assert test.decision(()) == sign


# Linear programs


def test_a_program_has_the_optimum_and_the_duals_of_a_worked_example():
    """Maximise 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18 (Hillier and Lieberman): 36 at (2, 6), duals 0, 3/2, 1."""
    from fogspiel.stats.linear_programs import Columns

    table = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]])
    rows = rows_of_table(table, np.full(3, -np.inf), np.array([4.0, 12.0, 18.0]))
    assert rows.start.tolist() == [0, 1, 2, 4] and rows.column.tolist() == [0, 1, 0, 1]
    columns = Columns(np.array([-3.0, -5.0]), np.zeros(2), np.full(2, np.inf))
    values, duals = solve(columns, rows)
    assert values == pytest.approx([2, 6]) and np.abs(duals) == pytest.approx([0, 1.5, 1])
    solver = solver_of(model_of(columns, rows))
    assert run(solver)
    basis = statuses(solver)
    add_rows(solver, rows_of_table(np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([-np.inf, 1.5]), np.array([7.0, 1.75])))
    assert run(solver) and [*solver.getSolution().col_value] == pytest.approx([1.5, 5.5])
    again = solver_of(model_of(columns, rows))
    set_basis(again, bytes(basis[0]), bytes(basis[1]))
    assert run(again) and again.getInfo().simplex_iteration_count == 0
    assert not run(solver_of(model_of(columns, rows), simplex_iteration_limit=0, presolve="off"))
    with pytest.raises(LpFailure, match="limit of iterations"):
        solve(columns, rows, simplex_iteration_limit=0, presolve="off")
    for most, word in ((math.inf, "unbounded"), (-1.0, "infeas")):
        with pytest.raises(LpFailure, match=word):
            solve(columns, rows._replace(upper=np.full(3, most)), presolve="off")


@pytest.mark.parametrize("matrix", [[[3, 0], [1, 2]], [[-7, 5], [4, -2]], [[0.5, 0.1], [0.2, 0.4]]])
def test_a_matrix_of_two_rows_and_columns_has_the_mixtures_of_the_formula(matrix):
    (a, b), (c, d) = matrix
    whole = a + d - b - c
    found = equilibrium(np.array(matrix))
    assert found.rows == pytest.approx([(d - c) / whole, (a - b) / whole])
    assert found.columns == pytest.approx([(d - b) / whole, (a - c) / whole])
    assert (found.value, found.lower, found.upper) == pytest.approx([(a * d - b * c) / whole] * 3)
    assert found.gap == found.upper - found.lower


def test_a_program_that_makes_no_sense_is_refused():
    columns, rows = matrix_program(np.eye(2), 0)
    with pytest.raises(LpFailure, match="HiGHS: the program was refused"):
        solve(columns, rows._replace(column=rows.column + 7))
    for part in (bytes(2), bytes(7)):
        with pytest.raises(LpFailure, match="HiGHS: the basis was refused"):
            set_basis(solver_of(model_of(columns, rows)), part, part)
    with pytest.raises(LpFailure, match="HiGHS: the rows were refused"):
        add_rows(solver_of(model_of(columns, rows)), rows._replace(column=rows.column + 7))
    with pytest.raises(LpFailure, match=r"no/such\.mps cannot be written"):
        write_program(model_of(columns, rows), "no/such.mps")


def test_tiny_and_huge_payoffs_have_the_mixtures_of_others():
    circle = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    for scale in (1e-12, 1e-7, 1e9):
        assert equilibrium(scale * circle + scale).rows == pytest.approx([1 / 3] * 3)
    with np.errstate(all="raise"):
        for level in (0.0, -7.0, 1e300):
            assert equilibrium(np.full((3, 2), level)).value == level


def test_programs_of_a_matrix_have_the_sum_where_it_is_wanted():
    columns, rows = matrix_program(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), 1)
    dense = np.zeros((4, 3))
    for row in range(4):
        part = slice(rows.start[row], rows.start[row + 1])
        dense[row, rows.column[part]] = rows.value[part]
    assert dense.tolist() == [[1, 4, -1], [1, 1, 0], [2, 5, -1], [3, 6, -1]]
    assert rows.lower.tolist() == [0, 1, 0, 0] and rows.upper.tolist() == [math.inf, 1, math.inf, math.inf]
    assert columns.cost.tolist() == [0, 0, -1] and columns.lower.tolist() == [0, 0, -math.inf]
    assert columns.upper.tolist() == [math.inf] * 3


def test_light_and_equal_weights_are_pruned_to_the_limit():
    weights = np.array([0.25, 0.25, 0.5])
    assert prune(weights, 0.25).tolist() == [0.25, 0.25, 0.5] and prune(weights, 0.26).tolist() == [0, 0, 1]
    assert prune(weights, 2.0).tolist() == [0, 0, 1]
    assert _clean(np.array([2e-12, 0.5, -1e-9, 0.5])).tolist() == [
        2e-12 / (1 + 2e-12),
        0.5 / (1 + 2e-12),
        0,
        0.5 / (1 + 2e-12),
    ]
    assert couple(np.array([0.5, 0.5]), np.array([0.5, 0.25, 0.25])) == [(0, 0, 0.5), (1, 1, 0.25), (1, 2, 0.25)]
    assert couple(np.array([0.25, 0.75]), np.array([1.0])) == [(0, 0, 0.25), (1, 0, 0.75)]
    assert couple(np.array([1.0]), np.array([0.0, 1.0])) == [(0, 1, 1.0)]
    assert equilibrium(np.array([[2.0, 0.0], [0.0, 1.0]]), least=0.5).rows == pytest.approx([0, 1])


def test_what_is_no_symmetric_game_is_refused():
    for wrong in (np.zeros((2, 3)), np.zeros(3), np.array([[0.0, 1.0], [-1.0, 0.1]])):
        with pytest.raises(ValueError, match="constant sum"):
            symmetric_equilibrium(wrong)
    found = symmetric_equilibrium(np.array([[2.0, 5.0], [-1.0, 2.0]]))
    assert (found.value, found.lower, found.upper) == (2, 2, 2) and found.columns.tolist() == [1, 0]
    assert symmetric_equilibrium(np.array([[0.0, 2, -1], [-2, 0, 1], [1, -1, 0]]), least=0.3).rows == pytest.approx(
        [0, 0, 1]
    )


# Round robins


def test_scores_and_p_values_are_those_of_their_definitions():
    counts = counts_of(3, {(0, 1): [2, 1, 0, 5], (2, 1): [0, 1, 1, 0]})
    assert counts[1, 0].tolist() == [5, 0, 1, 2] and counts[1, 2].tolist() == [0, 1, 1, 0]
    assert scores_of(counts)[0] == pytest.approx([0.5, (1 / 3 + 5) / 8, 0.5], **CLOSE)
    for seen in ([2, 1, 0, 5], [0, 9], [1, 2, 30]):
        values = np.linspace(0, 1, len(seen))
        wealth = sum(
            math.exp(w) * math.prod((1 + 2 * s * (v - 0.5)) ** n for n, v in zip(seen, values, strict=True))
            for w, s in zip(LOG_WEIGHTS, STAKES, strict=True)
        )
        assert p_value(np.array(seen)) == pytest.approx(min(1, 1 / wealth), rel=1e-10)


def test_holm_multiplies_by_what_is_left():
    assert holm([0.02, 0.5, 0.001]) == pytest.approx([0.04, 0.5, 0.003], **CLOSE)
    assert holm([0.3, 0.3, 0.4]) == pytest.approx([0.9, 0.9, 0.9], **CLOSE) and holm([0.9, 0.8]) == [1, 1]
    counts = counts_of(2, {(0, 1): [5, 0, 40]})
    single = p_value(counts[0, 1])
    assert claims(counts) == pytest.approx(np.array([[1, 2 * single], [1, 1]]), rel=1e-12)


def test_two_players_have_the_elo_of_their_odds():
    for lost, drawn, won in ((0, 0, 9), (3, 2, 1), (0, 1, 0), (0, 0, 10**6)):
        first, second = elo(counts_of(2, {(0, 1): [lost, drawn, won]}))
        odds = (won + drawn / 2 + 0.5) / (lost + drawn / 2 + 0.5)
        assert first == -second == pytest.approx(200 * math.log10(odds), rel=1e-9, abs=1e-9)
    circle = counts_of(3, {(0, 1): [0, 0, 4], (1, 2): [0, 0, 4], (2, 0): [0, 0, 4]})
    assert elo(circle) == pytest.approx([0, 0, 0], abs=1e-9)


def test_luck_is_the_variance_that_cycles_keep():
    counts = counts_of(3, {(0, 1): [3, 0, 7], (1, 2): [5, 0, 5], (0, 2): [1, 0, 1]})
    means = [0.7, 0.5, 0.5]
    variance = sum(2 * mean * (1 - mean) / games for mean, games in zip(means, (10, 10, 2), strict=True))
    energy = 2 * sum((mean - 0.5) ** 2 for mean in means)
    assert share_of_luck(counts) == min(1, variance / 3 / energy) == 1
    many = counts * 1000
    assert share_of_luck(many) == pytest.approx(variance / 3000 / energy, rel=1e-12)
    assert share_of_luck(counts_of(3, {(0, 1): [1, 0, 1]})) == 1
    single = counts_of(3, {(0, 1): [0, 0, 1], (1, 2): [500, 0, 500]})
    assert share_of_luck(single) == pytest.approx(2 * 0.25 / 1000 / 3 / 0.5, rel=1e-12)
    partly = counts_of(4, {(0, 1): [0, 0, 0], (2, 3): [300, 0, 700]})
    assert share_of_luck(partly) == pytest.approx(0.5 * 2 * 0.21 / 1000 / (2 * 0.04), rel=1e-12)


def test_bootstraps_keep_the_number_of_games_and_pairs_without_any():
    assert [again[0, 1].tolist() for again in resample(counts_of(2, {(0, 1): [0, 0, 1]}), 1, 3)] == [[0, 0, 1]] * 3
    counts = counts_of(3, {(0, 1): [3, 4, 5], (0, 2): [0, 0, 6]})
    drawn = [*resample(counts, 1)]
    assert len(drawn) == RESAMPLES == 200 and len([*resample(counts, 1, 3)]) == 3
    for again in drawn:
        assert again.sum(axis=2).tolist() == counts.sum(axis=2).tolist()
        assert again[0, 2].tolist() == [0, 0, 6] and not again[1, 2].any() and not again.diagonal().any()
        assert again[1, 0].tolist() == again[0, 1][::-1].tolist()
    assert len({again.tobytes() for again in drawn}) > 20
    low, high = error_bars([*range(1001)])
    assert (low, high) == (25, 975)
    assert np.array(error_bars([[0, 5], [40, 5]])).tolist() == [[1, 5], [39, 5]]


@pytest.mark.parametrize(("strengths", "support"), [((3, 1, 0), 1), ((2, 2, 0), 2), ((0, 0, 0, 0), 4)])
def test_the_strongest_share_the_nash_average(strengths, support):
    scores = 0.5 + 0.1 * np.subtract.outer(strengths, strengths)
    found = nash_average(scores)
    assert found.support == support
    assert found.weights == pytest.approx([(s == max(strengths)) / support for s in strengths], abs=1e-9)
    assert found.scores == pytest.approx([0.5 + 0.1 * (s - max(strengths)) for s in strengths], abs=1e-9)
    assert NashAverage(np.array([1e-9, 2e-9, 1.0]), np.zeros(3)).support == 2


def test_a_limit_of_a_weak_player_is_met_to_many_digits():
    """Equilibria (t, u, t, u) with t + u = 1/2, of which a fifth player allows those with u <= 2 t."""
    beats = np.zeros((5, 5))
    for one, other in ((0, 1), (1, 2), (2, 3), (3, 0)):
        beats[one, other], beats[other, one] = 1, -1
    beats[4, 1], beats[1, 4], beats[0, 4], beats[4, 0] = 3, -3, 1, -1
    t = 0.375  # 3 u <= t: the most even one that the fifth allows
    assert nash_average(0.5 + beats / 8).weights == pytest.approx([t, 0.125, t, 0.125, 0], abs=1e-9)


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 3)), np.full((2, 2), np.nan), np.zeros((2, 2, 2))])
def test_a_round_robin_is_a_square_of_finite_scores(wrong):
    for statistic in (nash_average, undefeated, cyclic_share):
        with pytest.raises(ValueError, match="square matrix of finite scores"):
            statistic(wrong)


def test_the_best_players_lose_to_nobody():
    scores = np.array([[0.5, 0.5, 0.7], [0.5, 0.5, 0.5], [0.3, 0.5, 0.5]])
    assert undefeated(scores) == [0, 1] and undefeated(np.array([[0.5, 0.0], [1.0, 0.5]])) == [1]
    assert cyclic_share(scores) == pytest.approx(1 / 3) and cyclic_share(np.zeros((2, 2))) == 0


def test_nash_averages_far_from_scores_are_refused():
    with pytest.raises(ValueError, match="check that its scores lie between 0 and 1"):
        nash_average(np.array([[0.5, -1e30], [1e30, 0.5]]))


def test_cycles_of_every_length_are_found():
    for length in range(2, 6):
        beats = np.zeros((6, 6), bool)
        for one in range(length):
            beats[one, (one + 1) % length] = True
        assert sorted(cycle(beats)) == [*range(length)]
        beats[length - 1, 0] = False
        assert cycle(beats) == ()
    assert cycle(np.eye(3, dtype=bool)) == ()


# Races


@pytest.mark.parametrize("name", ["paper", "ebgstop"])
def test_a_tie_at_the_limit_keeps_the_incumbent(name):
    race = Race(name)
    for counts, sign in (([10**6, 0, 10**6], -1), ([0, 10**6, 0], -1), ([10**3, 0, 10**3], 0), ([0, 10, 0], 0)):
        assert decision(race, np.array(counts)) == sign
    assert decision(race, np.array([10**6, 0, 10**6 + 1])) == 1 and decision(race, np.array([0, 0, 0])) == 0


def test_a_test_of_a_gain_is_made_for_a_number_of_pairs():
    gains = {16_000: 0.7 / math.sqrt(16_000), 100: 0.07, 13: 0.7 / math.sqrt(13), 12: 0.2, 1: 0.2, 0: 0.2}
    for pairs, gain in gains.items():
        test = GainTest.for_pairs(pairs)
        assert (test.low, test.fails, test.delta) == (0.5, False, 0.05) and test.high == pytest.approx(
            0.5 + gain, **CLOSE
        )
    assert GainTest.for_pairs(100, 0.01).delta == 0.01


def test_a_test_that_does_not_fail_has_the_same_bets_on_a_gain():
    both = [form(GainTest(0.5, 0.55, fails=fails), 4)[1] for fails in (True, False)]
    assert (both[0][:, :6] == both[1][:, :6]).all() and (both[0][:, 11:] == both[1][:, 11:]).all()
    assert both[0][:, 6:11].any() and not both[1][:, 6:11].any()
    good, bad = np.array([0, 0, 50, 100, 50]), np.array([50, 100, 50, 0, 0])
    assert [decision(GainTest(0.5, 0.55, fails=fails), good) for fails in (True, False)] == [1, 1]
    assert [decision(GainTest(0.5, 0.55, fails=fails), bad) for fails in (True, False)] == [-1, 0]


@pytest.mark.parametrize("counts", [(1, 2, 3), (0, 0, 40), (5, 1, 0, 7, 9), (0, 0, 0)])
def test_the_capital_of_a_gain_is_the_mean_of_three_bets(counts):
    test = GainTest(0.5, 0.52)
    values = [v / (len(counts) - 1) for v in range(len(counts))]
    bets = [min(0.02 / variance, 0.95 / 0.52) for variance in (0.03, 0.06, 0.12)]
    wealth = [math.prod((1 + bet * (v - 0.5)) ** n for v, n in zip(values, counts, strict=True)) for bet in bets]
    assert test.bets == pytest.approx(bets, **CLOSE)
    assert test.capital(np.array(counts)) == pytest.approx(math.log(sum(wealth) / 3), rel=1e-10, abs=1e-12)
    assert GainTest(0.1, 0.9).bets == pytest.approx([0.95 / 0.9] * 3, **CLOSE)


def test_the_figures_of_a_verdict_are_those_of_its_counts():
    found = Verdict(1, (2, 0, 6), 16)
    assert (found.observations, found.mean, found.interval) == (8, 0.75, interval(np.array([2, 0, 6])))
    assert Verdict(0, (0, 0, 0), 0).mean == 0.5 and Verdict(0, (0, 0, 0), 0).interval == (0, 1)
    assert Race("paper", 0.1, 0.02).for_differences() == Race("paper", 0.1, 0.01)


def test_errors_of_elo_cover_true_ratings():
    """95 % intervals of the difference of two of three players cover the truth in about 95 of 100 round robins."""
    dice, covered = np.random.default_rng(1), 0
    for _ in range(200):
        pairs = {}
        for i, j in ((0, 1), (0, 2), (1, 2)):
            games = dice.random((40, 2)) < 1 / (1 + 10 ** ((j - i) / 4))  # 100 Elo from each to the next
            pairs[i, j] = np.bincount(2 * games.sum(axis=1), minlength=5).tolist()
        counts = counts_of(3, pairs)
        found = elo(counts)
        covered += abs(found[2] - found[0] - 200) < 1.96 * elo_errors(counts, found)[2]
    assert 180 <= covered <= 198


def test_a_pair_that_did_not_meet_adds_nothing():
    counts = counts_of(3, {(0, 1): [0, 0, 0, 0, 10], (1, 2): [0, 0, 0, 0, 10]})
    found = elo(counts, everywhere=False)
    assert found[0] - found[1] == pytest.approx(found[1] - found[2]) and np.isfinite(elo_errors(counts, found)).all()
