"""Round robins: cyclic energy of published tables, Nash averaging, claims, Elo and resampling."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.stats.linear_programs import equilibrium
from fogspiel.stats.race import interval
from fogspiel.stats.round_robin import (
    claims,
    counts_of,
    cycle,
    cyclic_share,
    elo,
    error_bars,
    holm,
    nash_average,
    p_value,
    resample,
    scores_of,
    share_of_luck,
    undefeated,
)

ROCK_PAPER_SCISSORS = np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]])
PUBLISHED = {
    "Pig": 62, "Phantom-tic-tac-toe": 61, "Cheat": 54, "Phantom-4-in-a-row": 50, "Cheat-Special": 49, "Nim": 38,
    "War4": 29, "War": 24, "Flip": 19, "4-in-a-row": 18, "Morra": 17,
}  # fmt: skip
TRANSITIVE = ("Batawaf", "Batawaf4", "Guess who", "Guess who-deter")


def antisymmetric(players):
    numbers = st.lists(st.integers(-4, 4), min_size=players * players, max_size=players * players)
    return numbers.map(lambda found: np.triu(np.array(found, float).reshape(players, players), 1)).map(
        lambda upper: 0.5 + (upper - upper.T) / 8
    )


matrices = st.integers(2, 7).flatmap(antisymmetric)


@pytest.mark.parametrize("title", [*PUBLISHED, *TRANSITIVE])
@pytest.mark.slice("papers")
def test_the_cyclic_energy_of_table_iii_is_what_was_measured_elsewhere(title):
    from fogspiel.papers.cauwet2018.printed_tables import LINES

    lines = {line.title: line for line in LINES if line.crossed}
    assert lines.keys() == {*PUBLISHED, *TRANSITIVE}
    line = lines[title]
    share = 100 * cyclic_share(np.array(line.crossed))
    if line.title in TRANSITIVE:
        assert 0 <= share <= 3.5
    else:
        assert round(share) == PUBLISHED[line.title]


def test_a_circle_is_all_cyclic_and_strengths_are_not_cyclic_at_all():
    strengths = np.array([0.1, 0.3, 0.35, 0.0])
    assert cyclic_share(ROCK_PAPER_SCISSORS) == pytest.approx(1)
    assert cyclic_share(0.5 + strengths[:, None] - strengths) == pytest.approx(0, abs=1e-12)
    assert cyclic_share(np.full((3, 3), 0.5)) == 0


def test_players_in_strict_order_have_a_cyclic_share_without_any_circle():
    better = np.sign(np.subtract.outer(range(12), range(12)))
    assert cyclic_share(0.5 + better / 2) == pytest.approx((12 - 2) / (3 * 12), abs=1e-9)
    assert cycle(better > 0) == ()


def test_a_shortest_circle_is_found():
    beats = np.zeros((5, 5), bool)
    for one, other in ((0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 1)):
        beats[one, other] = True
    found = cycle(beats)
    assert sorted(found) == [1, 2, 4]
    assert all(beats[one, other] for one, other in zip(found, (*found[1:], found[0]), strict=True))


@settings(deadline=None, max_examples=60)
@given(matrices)
def test_nobody_beats_the_nash_average_and_no_equilibrium_is_more_even(scores):
    found = nash_average(scores)
    assert found.weights.sum() == pytest.approx(1) and found.weights.min() >= 0
    assert found.scores.max() <= 0.5 + 1e-7
    other = equilibrium(scores).columns
    assert entropy(found.weights) >= entropy(other) - 1e-4


def entropy(weights):
    kept = weights[weights > 0]
    return -float(kept @ np.log(kept))


def test_copies_of_a_player_share_his_weight_and_change_nothing_else():
    copied = [0, 0, 0, 1, 2]
    found = nash_average(ROCK_PAPER_SCISSORS[np.ix_(copied, copied)])
    assert found.weights == pytest.approx([1 / 9, 1 / 9, 1 / 9, 1 / 3, 1 / 3], abs=1e-6)
    assert nash_average(np.full((4, 4), 0.5)).weights == pytest.approx([0.25] * 4)


def test_a_matrix_that_is_not_square_is_refused():
    with pytest.raises(ValueError, match="square matrix"):
        cyclic_share(np.zeros((2, 3)))


def test_holm_corrects_as_in_a_worked_example():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_a_p_value_agrees_with_the_interval():
    for wins in (50, 60, 65, 70, 80):
        counts = np.array([100 - wins, 0, wins])
        assert (p_value(counts) <= 0.025) == (interval(counts, 0.05)[0] >= 0.5)
    assert p_value(np.array([10, 0, 10])) == 1
    assert p_value(np.array([0, 0, 10**8])) == 0


def test_claims_between_equal_players_are_rarely_wrong_even_if_watched():
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(300):
        walk = np.cumsum(rng.integers(0, 2, 400))
        wrong += any(p_value(np.array([n - walk[n - 1], 0, walk[n - 1]])) <= 0.05 for n in range(10, 401, 10))
    assert wrong / 300 <= 0.05


def test_claims_go_both_ways_and_the_diagonal_claims_nothing():
    counts = counts_of(3, {(0, 1): [0, 0, 400], (1, 2): [200, 0, 200], (0, 2): [100, 200, 100]})
    found = claims(counts)
    assert [pair for pair in permutations(range(3), 2) if found[pair] <= 0.05] == [(0, 1)]
    assert found.diagonal() == pytest.approx(1)
    assert undefeated(scores_of(counts)) == [0, 2]


def test_elo_finds_the_ratings_that_the_games_came_from():
    truth = np.array([200.0, 50.0, -250.0])
    games = 10**6
    pairs = {}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        wins = round(games / (1 + 10 ** ((truth[j] - truth[i]) / 400)))
        pairs[i, j] = [games - wins, 0, wins]
    assert elo(counts_of(3, pairs)) == pytest.approx(truth, abs=0.1)
    everything = elo(counts_of(2, {(0, 1): [0, 0, 99]}))
    assert everything[0] - everything[1] == pytest.approx(400 * math.log10(99.5 / 0.5), abs=1e-6)


def test_luck_alone_explains_the_cyclic_share_of_equal_players():
    rng = np.random.default_rng(2)
    shares, lucks = [], []
    for _ in range(200):
        drawn = {(i, j): rng.multinomial(1000, [0.3, 0.4, 0.3]) for i in range(5) for j in range(i + 1, 5)}
        counts = counts_of(5, drawn)
        shares.append(cyclic_share(scores_of(counts)))
        lucks.append(share_of_luck(counts))
    assert np.mean(shares) == pytest.approx(1 - 2 / 5, abs=0.05)
    assert np.median(lucks) == pytest.approx(np.median(shares), abs=0.1)


def test_resampled_round_robins_spread_like_new_ones():
    counts = counts_of(2, {(0, 1): [300, 100, 600]})
    again = [scores_of(drawn)[0, 1] for drawn in resample(counts, 3, 2000)]
    low, high = error_bars(again)
    deviation = math.sqrt((0.6 + 0.025 - 0.65**2) / 1000)
    assert (low, high) == pytest.approx((0.65 - 1.96 * deviation, 0.65 + 1.96 * deviation), abs=0.003)
    assert all(np.array_equal(drawn[0, 1], drawn[1, 0][::-1]) for drawn in resample(counts, 3, 5))
    assert [d.tolist() for d in resample(counts, 3, 2)] == [d.tolist() for d in resample(counts, 3, 2)]


def test_a_single_game_counts_whole_and_no_game_is_a_half():
    assert scores_of(counts_of(3, {(0, 1): [0, 0, 1], (1, 2): [1, 3, 0]})).tolist() == [
        [0.5, 1.0, 0.5],
        [0.0, 0.5, 0.375],
        [0.5, 0.625, 0.5],
    ]


def test_elo_is_where_expected_and_actual_scores_agree():
    """The condition of the maximum likelihood, with a draw more in every pair, whether it was played or not."""
    counts = counts_of(3, {(0, 1): [5, 10, 85], (1, 2): [20, 20, 60], (0, 2): [0, 0, 0]})
    rating, games = elo(counts), counts.sum(axis=2) + 1
    assert rating.sum() == pytest.approx(0, abs=1e-9)
    for one in range(3):
        others = [other for other in range(3) if other != one]
        expected = sum(games[one, other] / (1 + 10 ** ((rating[other] - rating[one]) / 400)) for other in others)
        actual = sum(counts[one, other] @ (0, 0.5, 1) + 0.5 for other in others)
        assert expected == pytest.approx(actual, abs=1e-6)


def test_the_nash_average_is_the_most_even_of_all_equilibria():
    """Equilibria by symmetry, and on a fine line of all of them."""
    beats = np.zeros((4, 4))
    for one, other in ((0, 1), (1, 2), (2, 3), (3, 0)):
        beats[one, other], beats[other, one] = 1, -1
    found = nash_average(0.5 + beats / 2).weights
    assert found == pytest.approx([0.25] * 4, abs=1e-6)
    # Equilibria are (t, u, t, u) with t + u = 1/2; a fifth player, who loses to 0 and beats 1, limits u.
    weak = np.zeros((5, 5))
    weak[:4, :4] = beats
    weak[0, 4], weak[4, 0], weak[1, 4], weak[4, 1] = 1, -1, -0.5, 0.5
    wanted = max(
        ((t, 0.5 - t, t, 0.5 - t, 0.0) for t in np.linspace(0, 0.5, 5001)[1:-1] if -t + 0.5 * (0.5 - t) <= 0),
        key=lambda row: -sum(x * math.log(x) for x in row if x),
    )
    assert nash_average(0.5 + weak / 2).weights == pytest.approx(wanted, abs=1e-3)
