"""The methods: as the algorithms say, within the budget, and the same whatever the threads and batches."""

import sys
from itertools import islice

import numpy as np
import pytest
from support.levels import default_cases

import fogspiel.tuning.arena
from fogspiel.core.agents import find_policy, named_policy, vector_policy
from fogspiel.core.game import known_game
from fogspiel.core.simulate import PolicyMatch
from fogspiel.stats.evaluate import evaluate, report_key
from fogspiel.stats.race import Race
from fogspiel.tuning.arena import MAX_SIGMA, MIN_SIGMA, Arena, Budget, BudgetSpent, next_sigma
from fogspiel.tuning.methods import find_tune_method, tune_methods

BATAWAF = known_game("batawaf")
SOME = ["auto", "duel", "iterative", "psro", "seeds"]
every_method = pytest.mark.parametrize("name", tune_methods())
some_methods = pytest.mark.parametrize("name", default_cases(SOME, tune_methods()))


def arena(seed=1, games=20_000, race="count-mixture", **more):
    return Arena(BATAWAF, seed, Race(race), budget=Budget(games), **more)


def walked(name, place):
    """All steps of a method until the budget ends it."""
    steps = []
    with pytest.raises(BudgetSpent):
        for step in find_tune_method(name)(place):
            steps.append(step)
    return steps


def described(place, steps):
    return place.events, place.games, [(s.theta.tolist(), s.accepted, s.sigma, s.population) for s in steps]


@some_methods
def test_no_game_is_played_beyond_the_budget(name):
    for games in (1, 2, 501, 4000):
        place = arena(games=games)
        walked(name, place)
        assert 0 <= place.games <= games
        assert sum(event["games"] for event in place.events) <= place.games


@pytest.mark.thorough
@some_methods
def test_threads_and_batches_do_not_change_a_run(name, monkeypatch):
    place = arena(games=8000)
    expected = described(place, walked(name, place))
    other = arena(games=8000, threads=2)
    assert described(other, walked(name, other)) == expected
    monkeypatch.setattr(fogspiel.tuning.arena, "MIN_BATCH", 7)
    monkeypatch.setattr(fogspiel.tuning.arena, "MAX_BATCH", 11)
    other = arena(games=8000)
    assert described(other, walked(name, other)) == expected


@pytest.mark.thorough
@some_methods
def test_a_recorded_run_is_recalled_without_playing(name, monkeypatch):
    place = arena()
    expected = described(place, walked(name, place))
    recorded = place.events[: len(place.events) // 2]
    other = arena(recorded=recorded)
    monkeypatch.setattr(Arena, "_sums", lambda *_: pytest.fail("a recorded event was played again"))
    monkeypatch.setattr(Arena, "_key", lambda *_: pytest.fail("a recorded event was played again"))
    steps = find_tune_method(name)(other)
    while len(other.events) < len(recorded) - 10:
        next(steps)
    monkeypatch.undo()
    other = arena(recorded=recorded)
    assert described(other, walked(name, other)) == expected


def test_a_race_goes_on_from_the_counts_that_were_kept():
    kept = []
    place = arena(race="paper", games=200_000, on_batch=lambda _, event: kept.append(event))
    first = place.race(np.array([0.0, 0, 0]), np.array([0.0, 0, 0.4]))
    for event in (kept[0], kept[len(kept) // 2], kept[-1]):
        again = arena(race="paper", games=200_000, partial=event)
        assert again.race(np.array([0.0, 0, 0]), np.array([0.0, 0, 0.4])) == first


def test_equal_players_tie_every_pair_and_the_incumbent_stays():
    place, x = arena(), np.array([0.3, -0.2, 1.0])
    verdict = place.race(x, x.copy())
    assert verdict.decision == -1 and verdict.mean == 0.5 and verdict.counts[2] == verdict.observations
    verdict = place.compare(x, x.copy())
    assert verdict.decision == -1 and verdict.counts[4] == verdict.observations


def test_games_are_counted_as_they_are_played():
    place = arena(race="paper")
    descending, random = np.array([0.0, 0, 50]), np.array([50.0, 0, 0])
    verdict = place.race(descending, random)
    assert verdict.decision == 1 and verdict.games == 2 * verdict.observations == place.games
    verdict = place.compare(descending, random)
    assert verdict.decision == 1 and verdict.games == 4 * verdict.observations
    single = arena(race="paper", observation="game")
    assert (verdict := single.race(descending, random)).games == verdict.observations
    assert (verdict := single.compare(descending, random)).games == 2 * verdict.observations


def test_the_step_size_doubles_on_success_and_shrinks_on_failure():
    place = arena(games=10**6)
    sigma = 1.0
    for step in islice(find_tune_method("iterative")(place), 30):
        sigma *= 2 if step.accepted else 0.84
        assert step.sigma == pytest.approx(sigma)
    assert next_sigma(MAX_SIGMA, True) == MAX_SIGMA and next_sigma(MIN_SIGMA, False) == MIN_SIGMA


def test_iterative_accepts_exactly_what_wins_its_race():
    place = arena(games=10**6)
    for step in islice(find_tune_method("iterative")(place), 40):
        assert step.accepted == (place.events[-1]["decision"] == 1)


def test_real_coevolution_accepts_exactly_what_beats_the_whole_population():
    place = arena(games=10**6)
    population, told, grown = 1, 0, 0
    for step in islice(find_tune_method("real-coevolution")(place), 40):
        decisions = [event["decision"] for event in place.events[told:]]
        told = len(place.events)
        assert decisions[:-1] == [1] * (len(decisions) - 1)
        assert step.accepted == (decisions == [1] * population)
        population += step.accepted
        grown += step.accepted
        assert step.population == population
    assert grown


def test_approximate_coevolution_meets_one_member_and_grows_on_success():
    place = arena(games=10**6)
    population = 1
    for number, step in enumerate(islice(find_tune_method("approximate-coevolution")(place), 40), 1):
        assert len(place.events) == number
        population += step.accepted
        assert step.population == population


def test_seeds_keeps_the_best_average_of_the_round_robin():
    place = arena()
    steps = walked("seeds", place)
    players = len(steps)
    points = np.zeros((players, players))
    for newcomer, event in enumerate(place.events, 1):
        rows = np.array([int(digit) for digit in event["scores"]]).reshape(-1, 2)
        for other, row in enumerate(rows):
            points[newcomer, other] = row.sum()
            points[other, newcomer] = 4 - row.sum()
    assert place.games == players * (players - 1)
    fresh = arena()
    drawn = [fresh.gaussian() for _ in range(players)]
    assert steps[-1].theta.tolist() == drawn[int(points.sum(axis=1).argmax())].tolist()


def test_batawaf_is_solved_from_scratch():
    theta = walked("iterative", arena(games=60_000))[-1].theta
    score = evaluate(BATAWAF, vector_policy(BATAWAF, theta), find_policy(BATAWAF, "random"), 99, 40_000)
    assert score.mean > 0.67


@pytest.mark.slow
@pytest.mark.parametrize(("race", "games"), [("count-mixture", 500_000), ("paper", 3_000_000)])
def test_batawaf_is_solved_for_19_of_20_seeds(race, games):
    found = 0
    for seed in range(1, 21):
        theta = walked("iterative", arena(seed=seed, games=games, race=race))[-1].theta
        score = evaluate(BATAWAF, vector_policy(BATAWAF, theta), find_policy(BATAWAF, "random"), 98, 100_000)
        found += score.mean >= 0.68
    assert found >= 19


def test_meetings_are_the_games_of_their_rows_whatever_the_batches(monkeypatch):
    place = arena()
    firsts, seconds = place.gaussians(40), place.gaussians(40)
    own, same = place.play_pairs(firsts, seconds, pairs=3), place.play_pairs(firsts, seconds, pairs=3, same_deals=True)
    assert own.shape == same.shape == (40, 3, 2) and place.games == 480
    for row in (0, 17, 39):
        match = PolicyMatch(BATAWAF, vector_policy(BATAWAF, firsts[row]), vector_policy(BATAWAF, seconds[row]))
        assert same[row].tolist() == match.scores(place._key(1), 0, 3).tolist()
        for pair in range(3):
            assert own[row, pair].tolist() == match.scores(place._key(0), row + 40 * pair, 1)[0].tolist()
    assert [len(event["pairs"]) for event in place.events] == [120, 120]
    monkeypatch.setattr(fogspiel.tuning.arena, "MIN_BATCH", 7)
    monkeypatch.setattr(fogspiel.tuning.arena, "MAX_BATCH", 11)
    kept = []
    other = arena(threads=2, on_batch=lambda _, event: kept.append(event))
    assert (other.play_pairs(firsts, seconds, pairs=3) == own).all()
    assert (other.play_pairs(firsts, seconds, pairs=3, same_deals=True) == same).all()
    for event in (kept[0], kept[5]):
        again = arena(partial=event)
        assert (again.play_pairs(firsts, seconds, pairs=3) == own).all()
    recalled = arena(recorded=place.events)
    assert (recalled.play_pairs(firsts, seconds, pairs=3) == own).all()
    assert (recalled.play_pairs(firsts, seconds, pairs=3, same_deals=True) == same).all()


def test_meetings_that_the_budget_cannot_pay_are_not_begun():
    place = arena(games=79)
    x = place.gaussians(40)
    with pytest.raises(BudgetSpent):
        place.play_pairs(x, x)
    assert place.games == 0 and not place.events


def test_a_reply_is_good_against_whom_it_was_made_for():
    ttt, scores = known_game("permutation-ttt"), {}
    for name in ("fixed", "redrawn"):
        place = Arena(ttt, 3, Race("count-mixture"), name, Budget(40_000))
        theta = walked("reply", place)[-1].theta
        for other in ("fixed", "redrawn"):
            player, opponent = vector_policy(ttt, theta), named_policy(ttt, other, 3)
            scores[name, other] = evaluate(ttt, player, opponent, report_key(3), 10_000)
    assert scores["fixed", "fixed"].mean == 1
    assert scores["redrawn", "redrawn"].interval[0] > scores["fixed", "redrawn"].interval[1]


def test_a_reply_without_a_budget_in_games_begins_again_with_twice_as_many(monkeypatch):
    monkeypatch.setattr(sys.modules["fogspiel.tuning.methods.auto"], "FIRST_GAMES", 2_000)
    place, ends = arena(games=None, baseline_name="redrawn"), []
    for step in find_tune_method("reply")(place):
        if step.accepted and step.population == 1 and (not ends or place.games > ends[-1]):
            ends.append(place.games)
        if len(ends) == 2:
            break
    assert 1_800 < ends[0] <= 2_000 and 3_600 < ends[1] - ends[0] <= 4_000


def test_a_reply_to_somebody_without_parameters_is_refused():
    with pytest.raises(ValueError, match="needs a baseline with parameters, and uniform has none"):
        next(find_tune_method("reply")(arena(baseline_name="uniform")))


def test_an_unknown_method_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match=r"no method 'magic'.*seeds"):
        find_tune_method("magic")


def test_more_vectors_than_a_batch_meet_in_the_same_games(monkeypatch):
    place = arena()
    firsts, seconds = place.gaussians(40), place.gaussians(40)
    whole = place.play_pairs(firsts, seconds, pairs=3)
    monkeypatch.setattr("fogspiel.tuning.arena.MAX_BATCH", 16)
    again = arena()
    assert (again.play_pairs(firsts, seconds, pairs=3) == whole).all()
