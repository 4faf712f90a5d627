"""Mixtures against exact best responses, and the seed family against each other."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from fogspiel.core.agents import (
    best_response_scores,
    decode_policy,
    find_policy,
    mixture_policy,
    redrawn_baseline,
    vector_policy,
)
from fogspiel.core.game import known_game
from fogspiel.games import morra as morra
from fogspiel.games.guess_who import exact as guesswho
from fogspiel.games.permutation_tictactoe import exact as permutation
from fogspiel.stats.evaluate import evaluate
from fogspiel.stats.linear_programs import equilibrium
from fogspiel.stats.race import Race
from fogspiel.tuning.arena import Arena, Budget, BudgetSpent, hashed_parameters
from fogspiel.tuning.best_response import find_exploiter
from fogspiel.tuning.methods import find_tune_method
from fogspiel.tuning.methods.psro import begin_ways
from fogspiel.tuning.population import LARGE, Archive, draw_members, is_certain, renew_doubles

MORRA, BATAWAF, ORDERS, SEEDS = map(known_game, ("morra", "batawaf", "permutation-ttt", "permutation-four"))
WHO = known_game("guesswho24")


def arena(game, games, seed=1):
    return Arena(game, seed, Race("count-mixture"), budget=Budget(games))


def found(method, game, games, seed=1):
    """The player that a method answers when its budget is spent."""
    steps = []
    with pytest.raises(BudgetSpent):
        for step in find_tune_method(method)(arena(game, games, seed)):
            steps[:] = [step]
    return decode_policy(game, steps[0].recommendation)


@pytest.mark.thorough
def test_psro_plays_morra_so_that_nobody_gains_two_points_in_a_hundred():
    assert morra.exploitability_of(found("psro", MORRA, 250_000)) < 0.02


@pytest.mark.thorough
def test_more_games_make_a_mixture_of_orders_harder_to_exploit():
    few, more = (float(permutation.exploitability_of(found("psro", ORDERS, games))) for games in (20_000, 300_000))
    assert more < 0.3 < few


def test_psro_finds_what_dominates_and_plays_little_else():
    player = found("psro", BATAWAF, 60_000)
    assert evaluate(BATAWAF, player, find_policy(BATAWAF, "random"), 5, 40_000).mean > 0.67


@pytest.mark.slow
def test_a_portfolio_of_methods_plays_morra_as_well():
    player = found("portfolio", MORRA, 600_000)
    assert morra.exploitability_of(player) < 0.02


def test_the_best_of_many_random_players_is_found():
    player = found("halving", BATAWAF, 40_000)
    assert evaluate(BATAWAF, player, redrawn_baseline(BATAWAF), 5, 40_000).mean > 0.58  # the best there is has 0.65


def test_halves_are_chosen_for_each_seat_by_itself():
    player = found("halving", ORDERS, 60_000)
    assert float(permutation.exact_score(ORDERS, player, redrawn_baseline(ORDERS))) > 0.68


def test_no_player_of_the_table_beats_the_mixture_of_the_table():
    place = arena(ORDERS, 10**6)
    archive = Archive(place)
    assert is_certain(place) and not is_certain(arena(BATAWAF, 10**6))
    archive.enrol(place.gaussians(30), 1)
    player = decode_policy(ORDERS, archive.step(archive.nash(), True).recommendation)
    for theta in archive.thetas:
        assert permutation.exact_score(ORDERS, vector_policy(ORDERS, theta), player) <= 0.5 + 1e-9
    means = archive.means
    for i, j in ((0, 1), (4, 4), (29, 3)):
        first, second = (permutation.orders_of(archive.thetas[k])[seat] for k, seat in ((i, 0), (j, 1)))
        assert means[i, j] == float(permutation._first_scores({first: Fraction(1)}, {second: Fraction(1)}))


def test_a_large_table_solved_by_parts_has_the_value_of_the_whole():
    place = arena(SEEDS, 10**6)
    archive = Archive(place)
    archive.enrol(place.gaussians(LARGE + 60), 1)
    whole = equilibrium(archive.means)
    for _ in range(2):  # the second time from the part that was played the first time
        nash = archive.nash()
        assert nash.value == pytest.approx(whole.value, abs=1e-6)
        assert (archive.means @ nash.weights[1]).max() <= whole.value + 1e-6
        assert (nash.weights[0] @ archive.means).min() >= whole.value - 1e-6


def test_seeds_of_children_are_their_own_and_other_entries_may_be_inherited():
    place = arena(SEEDS, 10**6)
    parents = place.gaussians(8)
    assert not np.isin(renew_doubles(place, parents.copy(), parents), parents).any()
    orders = arena(ORDERS, 10**6).gaussians(8)
    assert (renew_doubles(arena(ORDERS, 10**6), orders.copy(), orders) == orders).all()


def test_the_exploiter_of_seeds_finds_a_better_half_for_each_seat():
    frozen = mixture_policy(SEEDS, arena(SEEDS, 10, 3).gaussians(12), [1.0] * 12)
    found, _ = find_exploiter(SEEDS, frozen, 60_000, 4)
    best = max(
        evaluate(SEEDS, vector_policy(SEEDS, theta), frozen, 5, 400).mean for theta in arena(SEEDS, 10).gaussians(400)
    )
    assert evaluate(SEEDS, found, frozen, 5, 4000).mean > best + 0.05


@pytest.mark.parametrize(("which", "least"), [(0, 0.56), (1, 0.502)])
def test_ways_that_last_find_who_beats_a_mixture(which, least):
    """A climb is slower than an evolution, but goes on where it was."""
    place = arena(MORRA, 10**6)
    archive = Archive(place)
    archive.enrol(place.start[None], 4)
    way = begin_ways(archive, np.ones(1))[which]
    for _ in range(4):
        *_, theta = way.go_on(8192)
    player, start = (vector_policy(MORRA, vector) for vector in (theta, place.start))
    assert evaluate(MORRA, player, start, 5, 20_000).mean > least


@pytest.mark.thorough
def test_a_budget_with_lasting_searches_gives_the_same_mixture_twice():
    one, other = (found("psro", MORRA, 300_000) for _ in range(2))
    assert (one.thetas == other.thetas).all() and one.weights == other.weights


def test_luck_that_seldom_matters_is_not_overlooked():
    assert not any(is_certain(arena(known_game("cheat"), 10**6, seed)) for seed in range(1, 5))


def test_members_are_drawn_in_proportion_to_their_weights():
    place, weights = arena(BATAWAF, 10), np.array([0.5, 0.0, 0.2, 0.3, 0.0])
    assert np.bincount(draw_members(place, weights, 1000), minlength=5).tolist() == pytest.approx(
        [500, 0, 200, 300, 0], abs=1
    )
    assert not hashed_parameters(place).any()


# Best replies at Guess Who


def questions(theta):
    plan = np.zeros(WHO.strategy.plan_size)
    WHO.strategy.prepare(np.array(theta), plan)
    return cache(lambda own, other: int(guesswho.question(plan, own, other, 0.0)))


def reply_by_recursion(thetas, weights):
    """The best reply's score by plain recursion over pools and the members who may still be the opponent."""
    asks = [questions(theta) for theta in thetas]

    @cache
    def mine(own, other, these):
        def after(left):
            return 1.0 if left == 1 else theirs(other, left, these)

        return max((c * after(c) + (own - c) * after(own - c)) / own for c in range(1, own))

    @cache
    def theirs(own, other, these):
        won = 0.0
        for i in these:
            c = asks[i](own, other)
            group = tuple(j for j in these if asks[j](own, other) == c)
            for left in (c, own - c):
                if left > 1:
                    won += weights[i] * left / own * mine(other, left, group)
        return won / sum(weights[i] for i in these)

    everyone = tuple(range(len(thetas)))
    return (mine(24, 24, everyone) + theirs(24, 24, everyone)) / 2


def test_the_best_reply_to_a_mixture_that_reveals_itself_agrees_with_plain_recursion():
    numbers = np.random.default_rng(4)
    thetas, weights = numbers.normal(size=(4, 4)), [0.4, 0.1, 0.3, 0.2]
    (reply,) = best_response_scores(WHO, mixture_policy(WHO, thetas, weights))
    whole = reply.score
    assert reply.exact
    assert whole == pytest.approx(reply_by_recursion(thetas, weights), abs=1e-12)
    alone = [best_response_scores(WHO, vector_policy(WHO, theta))[0].score for theta in thetas]
    assert whole <= np.dot(weights, alone) + 1e-12
    assert whole >= float(guesswho.exact_score(WHO, find_policy(WHO, "God"), mixture_policy(WHO, thetas, weights)))


def test_the_best_reply_to_too_many_members_is_an_upper_limit():
    crowd = mixture_policy(WHO, np.random.default_rng(4).normal(size=(9, 4)), [1.0] * 9)
    assert not best_response_scores(WHO, crowd)[0].exact
