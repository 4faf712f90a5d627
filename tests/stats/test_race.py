"""Races and intervals: each rule against an independent reading of its definition, and against its promise."""

import dataclasses
import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from race_tables import kl_bound

from fogspiel.core.compile.kernel import COMPILED
from fogspiel.stats.race import (
    BETS,
    GRID,
    PAPER,
    RACES,
    SAFE,
    STAKES,
    GainTest,
    Race,
    Verdict,
    decision,
    form,
    grid,
    interval,
    looks,
    mean,
    scan,
)

MIXTURES = [name for name in RACES if name.startswith("count-mixture")]
TOLERANT = ["count-mixture", "count-mixture-symmetric"]
compiled_only = pytest.mark.skipif(not COMPILED, reason="many thousand games take too long without compilation")


def array(counts):
    return np.array(counts, np.int64)


# An independent reading of the rules, straight from the formulas, on lists of scores.


def bernstein_says(scores, x, epsilon):
    t = len(scores)
    average = sum(scores) / t
    variance = sum((score - average) ** 2 for score in scores) / t
    radius = math.sqrt(2 * variance * x / t) + 3 * x / t
    assume(abs(abs(average - 0.5) - radius) > 1e-9 and abs(radius - epsilon) > 1e-9)
    if abs(average - 0.5) > radius or radius <= epsilon:
        return 1 if sum(scores) > t / 2 else -1
    return 0


def paper_says(scores, delta, epsilon):
    return bernstein_says(scores, math.log(3 / (delta * 0.1 / (1.1 * len(scores) ** 1.1))), epsilon)


def ebgstop_says(scores, delta, epsilon):
    k, start, following = 1, 1, 2
    while len(scores) >= following:
        k, start = k + 1, following
        following = max(start + 1, int(1.1 * start))
    return bernstein_says(scores, following / start * math.log(3 / (delta * 0.1 / (1.1 * k**1.1))), epsilon)


def log_e_value(scores, weights, bets, m, sign):
    logs = [
        math.log(w) + math.fsum(math.log(1 + sign * bet * (v - m)) for v in scores)
        for w, bet in zip(weights, bets, strict=True)
    ]
    return max(logs) + math.log(sum(math.exp(each - max(logs)) for each in logs))


def mixture_says(name):
    def says(scores, delta, epsilon):
        assert epsilon == 0.01, "the prototype give the bets for this tolerance only"
        bets = (0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.2, 1.9)
        safe = (0.20, 0.22, 0.16, 0.12, 0.10, 0.08, 0.06, 0.06)
        weights = (0.5, 1.0, 0.10, 0.07, 0.05, 0.04, 0.03, 0.03) if name == "count-mixture-symmetric" else safe
        worse, better = (0.5, 0.52) if name == "count-mixture-asymmetric" else (0.49, 0.51)
        up = log_e_value(scores, weights, bets, worse, +1) - math.log(1 / delta)
        down = log_e_value(scores, weights, bets, better, -1) - math.log(1 / delta)
        assume(abs(up) > 1e-9 and abs(down) > 1e-9)
        if up > 0 and down > 0:
            return 1 if sum(scores) > len(scores) / 2 else -1
        return 1 if up > 0 else -1 if down > 0 else 0

    return says


SAYS = {"paper": paper_says, "ebgstop": ebgstop_says} | {name: mixture_says(name) for name in MIXTURES}

some_counts = st.sampled_from([2, 4, 8]).flatmap(
    lambda top: st.lists(st.integers(0, 12) | st.integers(0, 400), min_size=top + 1, max_size=top + 1)
)
some_observations = st.tuples(
    st.sampled_from([2, 4, 8]), st.floats(0.05, 0.95), st.integers(0, 2**32), st.integers(1, 1500)
)


def observations(top, lean, seed, length):
    """Outcomes that lean towards 0 or towards `top`, many draws in between."""
    return np.random.default_rng(seed).binomial(top, lean, length).astype(np.int64)


@pytest.mark.parametrize("name", RACES)
@settings(deadline=None, max_examples=60)
@given(counts=some_counts, delta=st.sampled_from([0.05, 0.01, 0.3]))
def test_a_race_decides_what_its_formula_says(name, counts, delta):
    top = len(counts) - 1
    scores = [v / top for v, times in enumerate(counts) for _ in range(times)]
    assume(scores)
    assert decision(Race(name, delta), array(counts)) == SAYS[name](scores, delta, 0.01)


@pytest.mark.parametrize(
    ("name", "games"),
    # Paper: 6 ln(660 t^1.1) < t. EBGStop: epoch 34 starts at 66, a = 72/66, 6 a ln(660 34^1.1) = 67.9.
    # Bets: .06 1.969^n + .06 1.612^n + .08 1.326^n + ... >= 20, for the symmetric weights .03 1.969^n + ... >= 20.
    [("paper", 67), ("ebgstop", 68), ("count-mixture", 9), ("count-mixture-symmetric", 10)],
)
def test_a_player_who_wins_every_game_wins_after_the_number_found_by_hand(name, games):
    counts = array([0, 0, 0])
    assert scan(Race(name), counts, np.full(1000, 2, np.int64)) == (games, 1)
    assert counts.tolist() == [0, 0, games]


def test_drawing_for_ever_ends_the_paper_race_at_the_limit_and_keeps_the_incumbent():
    counts = array([0, 0, 0])  # no variance: the limit stop is 3 x_t / t <= 0.01
    assert scan(Race("paper"), counts, np.full(10_000, 1, np.int64)) == (4741, -1)
    assert decision(Race("paper"), array([0, 6000, 1])) == 1
    assert decision(Race("paper"), array([30_000, 60_000, 30_000])) == -1
    assert decision(Race("paper"), array([30_000, 60_000, 30_001])) == 1


@pytest.mark.parametrize("name", TOLERANT)
def test_two_equal_players_without_variance_end_at_once_and_keep_the_incumbent(name):
    used, sign = scan(Race(name), array([0] * 5), np.full(100_000, 2, np.int64))
    assert sign == -1
    assert used < 1000


@pytest.mark.parametrize("name", RACES)
@settings(deadline=None, max_examples=30)
@given(outcomes=some_observations, cuts=st.lists(st.integers(0, 1500), max_size=6))
def test_cutting_a_sequence_into_batches_changes_nothing(name, outcomes, cuts):
    race, observed = Race(name, 0.05, 0.05), observations(*outcomes)
    whole = np.zeros(outcomes[0] + 1, np.int64)
    expected = scan(race, whole, observed)
    counts, used, sign = np.zeros_like(whole), 0, 0
    for batch in np.split(observed, sorted(min(cut, len(observed)) for cut in cuts)):
        if sign == 0:
            more, sign = scan(race, counts, batch)
            used += more
    assert (used, sign) == expected
    assert counts.tolist() == whole.tolist()


@pytest.mark.parametrize("name", RACES)
@settings(deadline=None, max_examples=15)
@given(outcomes=some_observations)
def test_a_scan_stops_at_the_first_look_that_decides(name, outcomes):
    race, observed = Race(name, 0.05, 0.05), observations(*outcomes)
    expected = (len(observed), 0)
    counts = np.zeros(outcomes[0] + 1, np.int64)
    for i, outcome in enumerate(observed):
        counts[outcome] += 1
        due = name not in MIXTURES or i + 1 < 4096 or (i + 1) % 2 ** (math.floor(math.log2(i + 1)) - 11) == 0
        if due and decision(race, counts):
            expected = (i + 1, decision(race, counts))
            break
    assert scan(race, np.zeros_like(counts), observed) == expected


@pytest.mark.parametrize("name", RACES)
@settings(deadline=None, max_examples=30)
@given(outcomes=some_observations, cut=st.integers(0, 1500), seed=st.integers(0, 2**32))
def test_order_does_not_matter_and_counts_of_two_halves_add_up(name, outcomes, cut, seed):
    race, observed = Race(name), observations(*outcomes)
    top = outcomes[0]
    together = decision(race, np.bincount(observed, minlength=top + 1))
    shuffled = np.random.default_rng(seed).permutation(observed)
    halves = [np.bincount(half, minlength=top + 1) for half in (shuffled[:cut], shuffled[cut:])]
    assert decision(race, halves[0] + halves[1]) == together


def test_bets_look_at_every_observation_below_4096_and_then_2048_times_per_doubling():
    for n in range(1, 20_000):
        assert looks(BETS, n) == (n < 4096 or n % 2 ** (n.bit_length() - 12) == 0)
        assert looks(PAPER, n)
    assert sum(looks(BETS, n) for n in range(2**15, 2**16)) == 2048


@pytest.mark.parametrize("name", ["paper", "ebgstop", *TOLERANT])
@settings(deadline=None, max_examples=60)
@given(counts=some_counts)
def test_swapping_the_players_mirrors_the_decision_unless_they_are_level(name, counts):
    race, here, there = Race(name), array(counts), array(counts[::-1])
    if mean(here) == 0.5:
        assert decision(race, here) == decision(race, there) != 1
    else:
        assert decision(race, here) == -decision(race, there)


@given(epsilon=st.floats(1e-6, 0.2499))
@settings(deadline=None, max_examples=60)
def test_bets_start_at_twice_epsilon_grow_and_never_risk_everything(epsilon):
    bets = grid(epsilon)
    assert bets[0] == pytest.approx(2 * epsilon)
    assert bets[1] == pytest.approx(4 * epsilon)
    assert bets == sorted(bets)
    for name in MIXTURES:
        assert np.isfinite(form(Race(name, 0.05, epsilon), 8)[1]).all()


def test_bets_for_the_tolerance_of_the_prototype_are_those_of_the_prototype_and_their_weights_sum_to_one():
    assert grid(0.01) == list(GRID)
    assert sum(SAFE) == pytest.approx(1)


@pytest.mark.parametrize("name", MIXTURES)
def test_millions_of_games_overflow_nothing(name):
    assert decision(Race(name), array([10**7, 0, 10**8])) == 1
    assert decision(Race(name), array([10**9, 10**9, 0, 0, 0])) == -1


def test_a_race_for_differences_halves_the_tolerance():
    assert Race("ebgstop", 0.01, 0.02).for_differences() == Race("ebgstop", 0.01, 0.01)


# Promises, by simulation with fixed seeds.


def wrong_picks(race, law, sign, repetitions, seed):
    """How many of the repetitions under this law end with the decision `sign`, looking whenever the race looks."""
    rng = np.random.default_rng(seed)
    wrong = 0
    for _ in range(repetitions):
        counts, verdict = np.zeros(len(law), np.int64), 0
        while verdict == 0:
            drawn = np.searchsorted(np.cumsum(law[:-1]), rng.random(2048), side="right")
            verdict = scan(race, counts, drawn.astype(np.int64))[1]
        wrong += verdict == sign
    return wrong


def law_of(rate, draws):
    return [1 - rate - draws / 2, draws, rate - draws / 2]


def upper_limit(wrong, repetitions, confidence=0.99):
    """The exact (Clopper-Pearson) upper confidence limit of an error rate."""
    low, high = wrong / repetitions, 1.0
    for _ in range(50):
        p = (low + high) / 2
        log_terms = (
            math.lgamma(repetitions + 1)
            - math.lgamma(k + 1)
            - math.lgamma(repetitions - k + 1)
            + k * math.log(p)
            + (repetitions - k) * math.log1p(-p)
            for k in range(wrong + 1)
        )
        low, high = (p, high) if sum(math.exp(term) for term in log_terms) > 1 - confidence else (low, p)
    return high


@pytest.mark.thorough
@compiled_only
@pytest.mark.parametrize("draws", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("name", TOLERANT)
def test_the_weaker_player_at_the_edge_of_the_zone_is_rarely_picked(name, draws):
    for rate, wrong in ((0.49, 1), (0.51, -1)):
        assert wrong_picks(Race(name), law_of(rate, draws), wrong, 500, 1) / 500 <= 0.05 + 2.6 * 0.0097


@compiled_only
def test_a_challenger_who_is_only_equal_rarely_passes_the_asymmetric_race():
    race = Race("count-mixture-asymmetric", 0.05, 0.02)
    assert wrong_picks(race, law_of(0.5, 0.3), 1, 400, 2) / 400 <= 0.05
    assert wrong_picks(race, law_of(0.54, 0.3), -1, 400, 2) / 400 <= 0.05


@compiled_only
@pytest.mark.parametrize("name", ["paper", "ebgstop"])
def test_the_bernstein_races_never_err_in_a_hundred_runs(name):
    assert wrong_picks(Race(name, 0.05, 0.05), law_of(0.45, 0.5), 1, 100, 3) == 0


EDGES = [
    (name, rate, *rest) for name in TOLERANT for rate in (0.49, 0.51) for rest in product((0.0, 0.5, 0.9), (0.05, 0.01))
]
# The symmetric weights err in 0.76 % of races here: below 1 %, but too near for 10 000 repetitions to show it reliably.
# A test of its own shows it with 100 000.
EDGES.remove(("count-mixture-symmetric", 0.49, 0.0, 0.01))


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize(("name", "rate", "draws", "delta"), EDGES)
def test_ten_thousand_races_at_the_edge_of_the_zone_keep_the_promise(name, rate, draws, delta):
    wrong = wrong_picks(Race(name, delta), law_of(rate, draws), 1 if rate < 0.5 else -1, 10_000, 4)
    print(f"{name} at {rate}, draws {draws}, delta {delta}: {wrong / 1e4} <= {upper_limit(wrong, 10_000):.4f}")
    assert upper_limit(wrong, 10_000) <= delta


@compiled_only
@pytest.mark.slow
def test_a_hundred_thousand_races_without_draws_show_that_the_symmetric_weights_keep_the_promise():
    wrong = wrong_picks(Race("count-mixture-symmetric", 0.01), law_of(0.49, 0.0), 1, 100_000, 5)
    print(f"symmetric at 0.49, no draws, delta 0.01: {wrong / 1e5} <= {upper_limit(wrong, 100_000):.4f}")
    assert upper_limit(wrong, 100_000) <= 0.01


# Intervals.


def e_values(values, m, sign):
    """E-values of the interval's bets against the mean m after each of the values, computed the long way."""
    side = m if sign > 0 else 1 - m
    weights = 1 / np.arange(3, 3 + len(STAKES))
    bets = STAKES / side
    logs = np.cumsum(np.log1p(sign * np.outer(values - m, bets)), axis=0)
    return np.exp(logs) @ (weights / weights.sum())


@pytest.mark.thorough
@compiled_only
@pytest.mark.parametrize("law", [law_of(0.5, 0), law_of(0.5, 0.5), law_of(0.7, 0), law_of(0.9, 0.1)])
def test_the_interval_ever_excludes_the_truth_in_at_most_five_percent_of_runs(law):
    rng = np.random.default_rng(5)
    truth, excluded = law[2] + law[1] / 2, 0
    for _ in range(200):
        outcomes = rng.choice(3, 2000, p=law)
        out = np.maximum(e_values(outcomes / 2, truth, +1), e_values(outcomes / 2, truth, -1)) >= 2 / 0.05
        excluded += out.any()
        # The interval must say the same as the long way: at the first exclusion, just before it, and at the end.
        first = int(out.argmax()) if out.any() else 1000
        for n in {max(first, 1), first + 1, 2000}:
            low, high = interval(np.bincount(outcomes[:n], minlength=3))
            assert (low <= truth <= high) != out[n - 1]
    assert excluded / 200 <= 0.05


@pytest.mark.interpreted
def test_each_limit_of_the_interval_has_half_of_the_error_probability():
    outcomes = np.array([2, 0, 2, 2, 1] * 8)
    low, high = interval(np.bincount(outcomes))
    for limit, inwards in ((low, 1e-4), (high, -1e-4)):
        for mean_, excluded in ((limit - inwards, True), (limit + inwards, False)):
            evidence = max(e_values(outcomes / 2, mean_, sign)[-1] for sign in (+1, -1))
            assert (evidence >= 2 / 0.05) == excluded


@pytest.mark.thorough
@settings(deadline=None, max_examples=100)
@given(counts=some_counts, delta=st.floats(0.001, 0.5))
def test_the_interval_holds_the_mean_and_lies_between_0_and_1(counts, delta):
    low, high = interval(array(counts), delta)
    assert 0 <= low <= mean(array(counts)) <= high <= 1


@pytest.mark.thorough
@settings(deadline=None, max_examples=60)
@given(counts=some_counts, better=st.integers(1, 8))
def test_the_interval_mirrors_shrinks_and_moves_with_the_evidence(counts, better):
    assume(sum(counts) > 20)
    low, high = interval(array(counts))
    assert interval(array(counts[::-1])) == pytest.approx((1 - high, 1 - low), abs=1e-11)
    narrower = interval(array(counts) * 4)
    assert narrower[1] - narrower[0] <= high - low + 1e-11
    wider = interval(array(counts), 0.01)
    assert wider[0] <= low <= high <= wider[1]
    better = min(better, len(counts) - 1)
    moved = array(counts)
    if moved[better - 1]:
        moved[better - 1 : better + 1] += (-1, 1)
    assert interval(moved)[0] >= low - 1e-11
    assert interval(moved)[1] >= high - 1e-11


def test_no_observation_gives_no_knowledge():
    assert interval(array([0, 0, 0])) == (0.0, 1.0)
    assert mean(array([0, 0, 0])) == 0.5
    assert all(decision(Race(name), array([0, 0, 0])) == 0 for name in RACES)


@pytest.mark.parametrize(("games", "times"), [(100, 1.75), (10**4, 1.9), (10**6, 1.95), (10**8, 2.0)])
def test_the_interval_is_at_most_twice_as_wide_as_one_for_a_fixed_number_of_games(games, times):
    low, high = interval(array([games // 2, 0, games // 2]))
    assert high - low <= times * 2 * 1.96 * 0.5 / math.sqrt(games)


# The lower bound, the record and the errors.


@pytest.mark.parametrize(
    ("law", "delta", "games"),
    [
        (law_of(0.5, 0), 0.05, 4151),
        (law_of(0.51, 0), 0.05, 3312),
        (law_of(0.3, 0), 0.05, 29),
        (law_of(0.5, 0.5), 0.05, 2076),
        (law_of(0.9, 0.15), 0.05, 5),
        (law_of(0.505, 0.5), 0.01, 3672),
    ],
)
def test_the_lower_bound_is_that_of_the_prototype(law, delta, games):
    assert kl_bound(law, delta, 0.01) == pytest.approx(games, abs=1)


def test_the_lower_bound_of_win_or_lose_games_is_a_ratio_of_two_divergences():
    error = 0.99 * math.log(0.99 / 0.01) + 0.01 * math.log(0.01 / 0.99)
    game = 0.7 * math.log(0.7 / 0.49) + 0.3 * math.log(0.3 / 0.51)
    assert kl_bound([0.3, 0.7], 0.01, 0.01) == pytest.approx(error / game)


def test_a_verdict_is_plain_numbers_and_tells_its_mean_and_interval():
    verdict = Verdict(1, (10, 20, 40), 70)
    assert json.loads(json.dumps(dataclasses.asdict(verdict))) == {"decision": 1, "counts": [10, 20, 40], "games": 70}
    assert verdict.observations == 70
    assert verdict.mean == pytest.approx(50 / 70)
    assert verdict.interval == interval(array([10, 20, 40]))


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: Race("papper"),
        lambda: Race(delta=0.5),
        lambda: Race(delta=0),
        lambda: Race(delta=math.nan),
        lambda: Race(epsilon=0.25),
        lambda: Race(epsilon=-0.01),
        lambda: decision(Race(), array([3, -1, 2])),
        lambda: decision(Race(), array([3])),
        lambda: decision(Race(), np.array([1.0, 2.0])),
        lambda: scan(Race(), array([0, 0, 0]), array([0, 3])),
        lambda: scan(Race(), array([0, 0, 0]), array([-1])),
        lambda: scan(Race(), array([0, 0, 0]), np.array([0.5])),
        lambda: interval(array([1, 2]), 1.0),
    ],
)
def test_a_mistake_is_answered_by_one_sentence(mistake):
    with pytest.raises(ValueError, match=r"^[A-Za-z][^\n]*\.$"):
        mistake()


def test_an_unknown_race_is_answered_by_the_known_ones():
    with pytest.raises(ValueError, match=r"'papper'.*paper, ebgstop, count-mixture"):
        Race("papper")


@pytest.mark.parametrize("given", [(0.5, 0.5), (0.6, 0.5), (0.0, 0.5), (0.5, 1.0), (0.5, 0.6, 0.0), (0.5, 0.6, 0.5)])
def test_a_test_for_a_gain_needs_two_scores_in_order_and_a_probability_of_error(given):
    with pytest.raises(ValueError, match=r"The scores of a test|delta is"):
        GainTest(*given)


def test_the_bets_on_a_gain_grow_fastest_for_three_variances_and_never_lose_everything():
    assert GainTest(0.5, 0.51).bets == pytest.approx([0.01 / 0.03, 0.01 / 0.06, 0.01 / 0.12])
    assert GainTest(0.5, 0.7).bets == pytest.approx([0.95 / 0.7] * 3)
    assert GainTest(0.2, 0.3).bets == pytest.approx([0.95 / 0.8] * 2 + [0.1 / 0.12])


@pytest.mark.parametrize("counts", [[3, 10, 7], [0, 40, 12], [30, 1, 60], [5, 5, 5, 5, 20]])
def test_the_capital_of_a_gain_is_the_mean_of_its_bets_products(counts):
    """The definition: each bet multiplies its capital by 1 + bet (value - low); a gain is shown at 1/delta."""
    test, top = GainTest(0.5, 0.55, 0.05), len(counts) - 1
    products = [
        math.prod((1 + bet * (value / top - test.low)) ** count for value, count in enumerate(counts))
        for bet in test.bets
    ]
    capital = sum(products) / 3
    assert test.capital(array(counts)) == pytest.approx(math.log(capital))
    assert (decision(test, array(counts)) == 1) == (capital >= 1 / test.delta)
