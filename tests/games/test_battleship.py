"""Battleship: placements, the law of the fleets drawn, and shots, against enumerations that share nothing with them."""

from collections import Counter
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.core.agents import find_policy, fixed_baseline, redrawn_baseline, vector_policy
from fogspiel.core.game import known_game
from fogspiel.core.rng import stream_of
from fogspiel.core.session import record_game, replay, view_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games.battleship import fleets, rules
from fogspiel.games.battleship import strategy as battleship

pytestmark = pytest.mark.thorough

SEA = known_game("battleship")
LENGTHS = (5, 4, 3, 2)
seeds = st.integers(0, 2**32 - 1)


def every_placement():
    """For each ship, the sets of squares where it can lie."""
    found = []
    for length in LENGTHS:
        across = {frozenset(9 * r + c + i for i in range(length)) for r in range(9) for c in range(10 - length)}
        down = {frozenset(9 * (r + i) + c for i in range(length)) for r in range(10 - length) for c in range(9)}
        found.append(across | down)
    return found


def neighbours(squares):
    """The squares at distance 1 of one of these."""
    return {
        other
        for other in range(81)
        for square in squares
        if abs(other // 9 - square // 9) + abs(other % 9 - square % 9) == 1
    }


def test_placements_are_all_there_are_ship_after_ship():
    for ship, expected in enumerate(every_placement()):
        listed = [frozenset(squares) for squares in rules.PLACEMENTS[rules.FIRST[ship] : rules.FIRST[ship + 1]]]
        assert len(listed) == len(expected) == 18 * (10 - LENGTHS[ship]) and set(listed) == expected
    assert rules.FIRST[-1] == len(rules.PLACEMENTS) == 468


def test_symmetric_squares_have_the_same_one_of_fifteen_classes():
    board = fleets.CLASS.reshape(9, 9)
    assert sorted(set(fleets.CLASS.tolist())) == list(range(15))
    for image in (board.T, board[::-1], board[:, ::-1]):
        assert (image == board).all()
    assert board[0, 0] == 0 and board[4, 4] == 14 and board[0, 4] == 10 and board[1, 1] == 2


def test_the_words_of_a_mask_never_collide_and_know_what_is_near():
    assert not (fleets.LOW & fleets.HIGH).any()
    for placement, squares in enumerate(rules.PLACEMENTS):
        mask = int(fleets.LOW[placement]) | int(fleets.HIGH[placement]) << 45
        assert mask == sum(1 << square for square in squares)
        near = int(fleets.NEAR_LOW[placement]) | int(fleets.NEAR_HIGH[placement]) << 45
        outside = neighbours(squares) - set(squares)
        assert {square for square in range(81) if near >> square & 1} - set(squares) == outside


@given(st.lists(st.floats(-12, 12), min_size=1, max_size=90))
@settings(deadline=None)
def test_alias_tables_give_back_the_weights(logits):
    book, desk = np.zeros(fleets.INTEGERS, np.int64), np.zeros(fleets.REALS)
    count = len(logits)
    book[fleets.LISTS + 2] = count
    desk[:count] = np.exp(logits)
    fleets.fill_alias_table(book, desk, 0)
    law = np.zeros(count)
    for column in range(count):
        share = min(desk[fleets.SHARE + column], 1)
        law[column] += share / count
        law[book[fleets.OTHER + column]] += (1 - share) / count
    assert law == pytest.approx(np.exp(logits) / np.exp(logits).sum(), abs=1e-12)


def law_of_three_ships(weights, contact, target):
    """The chances of every placement of the first three ships, by the specification and complete enumeration.

    A softmax for each ship over its placements without a miss that cross no ship before: mean class weight, contact
    times the share of its squares that touch a ship before, 3 for each hit.
    """
    lying = np.zeros((468, 81))
    for placement, squares in enumerate(rules.PLACEMENTS):
        lying[placement, squares] = 1
    near = np.zeros((468, 81), bool)
    for placement, squares in enumerate(rules.PLACEMENTS):
        near[placement, list(neighbours(squares))] = True
    length = lying.sum(axis=1)
    logits = lying @ weights[fleets.CLASS] / length + 3 * (lying @ (target == rules.HIT))
    logits[lying @ (target == rules.MISS) > 0] = -np.inf

    def softmax(ship, taken, close):
        """Rows of chances for rows of taken and close squares."""
        part = slice(rules.FIRST[ship], rules.FIRST[ship + 1])
        here = lying[part]
        value = logits[part] + contact * (close @ here.T) / LENGTHS[ship]
        value = np.where(taken @ here.T > 0, -np.inf, value)
        chances = np.exp(value - value.max(axis=1, keepdims=True))
        return chances / chances.sum(axis=1, keepdims=True)

    first = softmax(0, np.zeros((1, 81)), np.zeros((1, 81)))[0]
    law = [first, np.zeros(108), np.zeros(126)]
    for placement in np.flatnonzero(first > 1e-9):
        second = softmax(1, lying[[placement]], near[[placement]])[0] * first[placement]
        law[1] += second
        taken, close = lying[placement] + lying[90:198], near[placement] | near[90:198]
        alive = second > 0
        law[2] += second[alive] @ softmax(2, taken[alive], close[alive])
    return law


def frequencies(plan, seen, count, stream):
    book, desk = np.zeros(fleets.INTEGERS, np.int64), np.zeros(fleets.REALS)
    fleets.list_placements(plan, battleship.PLAN_BELIEF, seen, book, desk)
    for ship in range(4):
        fleets.fill_alias_table(book, desk, ship)
    found = np.zeros(468)
    for _ in range(count):
        laid = fleets.draw_fleet(plan, battleship.PLAN_BELIEF, book, desk, stream)
        assert laid == 4
        np.add.at(found, book[fleets.LAID : fleets.LAID + 4], 1)
    return found


def distance(found, law):
    """Pearson's sum over the placements that are expected often enough, and its degrees of freedom."""
    expected = law * found.sum() / law.sum()
    often = expected > 5
    rest = found[~often].sum(), expected[~often].sum()
    total = ((found[often] - expected[often]) ** 2 / expected[often]).sum()
    return total + (rest[0] - rest[1]) ** 2 / max(rest[1], 5), often.sum()


@pytest.mark.parametrize("contact", [-2.0, 1.5, 6.0])
def test_fleets_follow_their_law(contact):
    rng = np.random.default_rng(int(10 * contact) % 7)
    theta = rng.normal(size=33)
    theta[31] = contact
    target = np.zeros(81, np.int64)
    target[[10, 30, 44, 50, 66, 77, 3]] = rules.MISS
    target[[40, 41, 21]] = rules.HIT
    seen, plan = np.zeros(SEA.sizes.view, np.int64), np.zeros(battleship.PLAN)
    seen[rules.SEEN_TARGET : rules.SEEN_TARGET + 81] = target
    SEA.strategy.prepare(theta, plan)
    law = law_of_three_ships(theta[15:30], contact, target)
    found = frequencies(plan, seen, 10_000, stream_of(5))
    for ship in range(3):
        total, freedom = distance(found[rules.FIRST[ship] : rules.FIRST[ship + 1]], law[ship])
        assert total < freedom + 5 * (2 * freedom) ** 0.5 + 10, ship


def test_own_fleets_follow_their_law_too():
    theta = np.random.default_rng(3).normal(size=33)
    theta[30] = 2.0
    player = vector_policy(SEA, theta)
    law = law_of_three_ships(theta[:15], 2.0, np.zeros(81, np.int64))
    plan, stream, found = np.zeros(battleship.PLAN), stream_of(8), np.zeros(468)
    player.strategy.prepare(theta, plan)
    for _ in range(2500):
        seen = np.zeros(SEA.sizes.view, np.int64)
        for ship in range(4):
            seen[rules.SEEN_PLACED] = ship
            placement = player.strategy.choose(seen, np.zeros(1, np.int64), plan, stream) - 81
            seen[rules.SEEN_SHIP + ship] = placement
            found[placement] += 1
    for ship in range(3):
        total, freedom = distance(found[rules.FIRST[ship] : rules.FIRST[ship + 1]], law[ship])
        assert total < freedom + 5 * (2 * freedom) ** 0.5 + 10, ship


@given(seeds)
@settings(max_examples=12, deadline=None)
def test_whole_games_follow_the_rules(seed):
    rng = np.random.default_rng(seed)
    players = [vector_policy(SEA, rng.normal(size=33) * rng.choice([0.3, 1, 4])) for _ in range(2)]
    record, score = record_game(SEA, *players, 3, seed)
    fleet = [[set(rules.PLACEMENTS[action - 81]) for action in record[4 * i : 4 * i + 4]] for i in range(2)]
    for ships in fleet:
        assert [len(ship) for ship in ships] == list(LENGTHS)
        assert len(set().union(*ships)) == 14
    shots = [record[8::2], record[9::2]]
    hits = [[square in set().union(*fleet[1 - i]) for square in shots[i]] for i in range(2)]
    winner = (len(record) - 9) % 2
    assert score == (2 if winner == 0 else 0)
    assert sum(hits[winner]) == 14 and hits[winner][-1] and sum(hits[1 - winner]) < 14
    assert all(len(set(fired)) == len(fired) for fired in shots)
    last = view_of(SEA, list(replay(SEA, record))[-1].state, winner)
    seen = last[rules.SEEN_TARGET : rules.SEEN_TARGET + 81]
    assert {int(square) for square in np.flatnonzero(seen == rules.HIT)} == set().union(*fleet[1 - winner])
    missed = {square for square, hit in zip(shots[winner], hits[winner], strict=True) if not hit}
    assert {int(square) for square in np.flatnonzero(seen == rules.MISS)} == missed


def first_of_two_uniform_players():
    """The first player's chance: the t-th shot is the last hit with chance C(t-1, 13) / C(81, 14)."""
    last = [comb(t - 1, 13) / comb(81, 14) for t in range(1, 82)]
    return sum(chance * sum(last[t:]) for t, chance in enumerate(last))


@pytest.mark.thorough
def test_uniform_players_win_as_often_as_combinatorics_says():
    uniform = find_policy(SEA, "uniform")
    wins = PolicyMatch(SEA, uniform, uniform).scores(7, 0, 8_000)[:, 0] / 2
    assert abs(wins.mean() - first_of_two_uniform_players()) < 4 * wins.std() / len(wins) ** 0.5


def view_with(hits, misses):
    seen = np.zeros(SEA.sizes.view, np.int64)
    seen[rules.SEEN_PLACED], seen[rules.SEEN_HITS] = 4, len(hits)
    for squares, mark in ((hits, rules.HIT), (misses, rules.MISS)):
        seen[[rules.SEEN_TARGET + square for square in squares]] = mark
    actions = [square for square in range(81) if square not in {*hits, *misses}]
    return seen, np.array(actions)


def shots_at(theta, hits, misses, count, game=SEA):
    seen, actions = view_with(hits, misses)
    plan, stream = np.zeros(battleship.PLAN), stream_of(9)
    game.strategy.prepare(np.asarray(theta, float), plan)
    return Counter(int(game.strategy.choose(seen, actions, plan, stream)) for _ in range(count))


def test_the_greedy_player_goes_on_where_it_hit():
    greedy = SEA.policies["greedy"]
    beside = shots_at(greedy, [40], [0, 8], 100)
    assert sum(beside[square] for square in (31, 39, 41, 49)) > 85
    after = shots_at(greedy, [39, 40, 41], [38], 100)  # most often it is the ship of five, which comes first
    assert after[42] + after[43] > 95


def test_shots_are_as_likely_as_a_power_of_the_share_of_fleets():
    theta = np.zeros(33)
    theta[32] = np.log(2.0)
    seen, _ = view_with([], [])
    plan, tally = np.zeros(battleship.PLAN), np.zeros(162, np.int64)
    SEA.strategy.prepare(theta, plan)
    fleets.tally_fleets(plan, battleship.PLAN_BELIEF, seen, 20_000, tally, stream_of(2))
    many = battleship.sea("battleship-many", "many fleets", 2000)
    found = shots_at(theta, [], [], 1500, many)
    by_class = np.bincount(fleets.CLASS, (tally[:81] / tally[:81].sum()) ** 2)
    fired = np.bincount(fleets.CLASS, [found[square] for square in range(81)])
    expected = by_class / by_class.sum() * 1500
    assert ((fired - expected) ** 2 / expected).sum() < 14 + 5 * 28**0.5 + 5


def test_hits_that_no_fleet_explains_leave_the_fleets_that_explain_some():
    apart = [0, 2, 4, 18, 20, 22, 36, 38, 40, 54, 56, 58, 72]
    few = battleship.sea("battleship-few", "few fleets", 2)
    seen, _ = view_with(apart, [])
    plan, tally = np.zeros(battleship.PLAN), np.zeros(162, np.int64)
    few.strategy.prepare(np.zeros(33), plan)
    assert fleets.tally_fleets(plan, battleship.PLAN_BELIEF, seen, 2, tally, stream_of(1)) == 0
    assert not tally[:81].any() and tally[81:].sum() == 14 * fleets.TRIES * 2
    assert shots_at(np.zeros(33), apart, [], 20, few).total() == 20


def test_where_no_ship_has_room_any_square_is_shot_at():
    misses = [square for square in range(81) if square % 2]
    assert len(shots_at(np.zeros(33), [], misses, 600)) == 41


@pytest.mark.thorough
def test_named_players_are_as_strong_as_they_should_be():
    plain, greedy, hunter = (find_policy(SEA, name) for name in ("plain", "greedy", "hunter"))
    assert PolicyMatch(SEA, greedy, plain).scores(3, 0, 100).mean() / 2 > 0.53  # 0.655 in 2000 games
    assert PolicyMatch(SEA, greedy, hunter).scores(3, 0, 100).mean() / 2 > 0.7  # 0.810
    assert PolicyMatch(SEA, greedy, redrawn_baseline(SEA)).scores(3, 0, 100).mean() / 2 > 0.53  # 0.645
    assert PolicyMatch(SEA, hunter, find_policy(SEA, "uniform")).scores(3, 0, 500).mean() / 2 > 0.98  # 0.9995


def test_heat_maps_are_symmetric_and_add_up_to_a_fleet():
    theta = fixed_baseline(SEA, 4).thetas[0]
    for classes, contact in ((battleship.PLACING, 30), (battleship.BELIEF, 31)):
        heat = battleship.heat(theta, classes, contact)
        assert heat.sum() == pytest.approx(1400) and (heat == heat.T).all() and (heat == heat[::-1]).all()
    border = np.array(SEA.policies["border"])
    heat = battleship.heat(border, battleship.PLACING, battleship.CONTACT_PLACING)
    assert heat[0].mean() > 2 * heat[1:8, 1:8].mean()
    lines = SEA.strategy.describe(border).splitlines()
    assert len(lines) == 12 and all(len(row.split()) == 18 for row in lines[1:10])
    assert lines[-1] == "shoots by the power 20.1 of the chance to hit"


def test_words_show_both_seas():
    record, _ = record_game(SEA, find_policy(SEA, "greedy"), find_policy(SEA, "hunter"), 1, 1)
    last = list(replay(SEA, record))[-1].state
    assert SEA.reveal(last).count("x") == last[rules.HITS] + last[rules.HITS + 1]
    assert SEA.label(0) == "shoot A1" and SEA.label(80) == "shoot J9" and SEA.label(81) == "ship A1-E1"
