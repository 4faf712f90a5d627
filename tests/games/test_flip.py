"""Flip: rules and strategy against a second implementation from the rule book, card by card."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.core.agents import find_policy, fixed_baseline, redrawn_baseline, vector_policy
from fogspiel.core.game import CHANCE, OVER, known_game
from fogspiel.core.session import record_game, replay, view_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games.flip import rules

FLIP = known_game("flip")
seeds = st.integers(0, 2**32 - 1)


class Table:
    """A game of Flip with lists of cards, after the rule book."""

    def __init__(self, deal):
        cards = [rank for rank in range(8) for _ in range(4)]
        dealt = []
        for place, which in enumerate([*deal, 0]):
            cards[place], cards[place + which] = cards[place + which], cards[place]
            dealt.append(cards[place])
        self.piles, self.turn, self.passes, self.over = dealt[:2], 0, 0, False
        self.open = [dealt[2:7], dealt[7:12]]
        self.stack = [dealt[12:22], dealt[22:]]

    def plays(self):
        """What the mover may play, lowest rank first, then lowest pile."""
        ranks = sorted(set(self.open[self.turn]))
        return [(rank, pile) for rank in ranks for pile in (0, 1) if (rank - self.piles[pile]) % 8 in (1, 7)]

    def left(self, player):
        return len(self.open[player]) + len(self.stack[player])

    def play(self, rank, pile):
        mover, self.turn, self.passes = self.turn, 1 - self.turn, 0
        self.open[mover].remove(rank)
        self.piles[pile] = rank
        if self.stack[mover]:
            self.open[mover].append(self.stack[mover].pop(0))
        self.over = not self.open[mover]

    def pass_on(self):
        self.turn, self.passes = 1 - self.turn, self.passes + 1
        if self.passes == 2:
            self.passes = 0
            if self.stack[0] and self.stack[1]:
                self.piles = [self.stack[0].pop(0), self.stack[1].pop(0)]
            else:
                self.over = True

    def features(self, rank, pile):
        """The specification's twenty numbers after a play and before a card is opened."""
        own, other = list(self.open[self.turn]), self.open[1 - self.turn]
        own.remove(rank)
        low, high = sorted([rank, self.piles[1 - pile]])
        found = [len(own) / 5, len(other) / 5, (self.left(self.turn) - 1) / 15, self.left(1 - self.turn) / 15]
        found.append(min((high - low) % 8, (low - high) % 8) / 4)
        found += [
            hand.count((top + offset) % 8) / 4 for hand in (own, other) for top in (low, high) for offset in (-1, 0, 1)
        ]
        plays = [sum((card - top) % 8 in (1, 7) for card in hand for top in (low, high)) for hand in (own, other)]
        return np.array([*found, plays[0] / 10, plays[1] / 10, float(plays[0] > 0)])


def value(theta, x):
    return float(theta[:20] @ x + x @ theta[20:].reshape(20, 20) @ x)


@given(seeds, st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_whole_games_follow_rule_book_and_value_function(seed, number):
    rng = np.random.default_rng(seed)
    thetas = [rng.normal(size=420), rng.normal(size=420) * (rng.random(420) < 0.02)]
    record, score = record_game(FLIP, *(vector_policy(FLIP, theta) for theta in thetas), 7, number)
    table = Table(record[:31])
    for action in record[31:]:
        plays = table.plays()
        if not plays:
            assert action == rules.PASS
            table.pass_on()
            continue
        worth = [value(thetas[table.turn], table.features(*play)) for play in plays]
        # Equal values come out equal in both ways to add them up only if the features are the same.
        best = plays.index((action // 2, action % 2))
        assert worth[best] >= max(worth) - 1e-9
        same = [play for play, w in zip(plays, worth, strict=True) if w == worth[best]]
        assert same[0] == plays[best] or abs(max(worth) - worth[best]) < 1e-9
        table.play(*plays[best])
    assert table.over
    left = table.left(0), table.left(1)
    assert score == 1 + (left[0] < left[1]) - (left[0] > left[1])


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_the_view_shows_the_table_and_counts_the_stacks(number):
    uniform = find_policy(FLIP, "uniform")
    record, _ = record_game(FLIP, uniform, uniform, 11, number)
    table = Table(record[:31])
    played = list(replay(FLIP, record))
    for position, action in zip(played[31:], [*record[31:], None], strict=True):
        assert (position.mover == OVER) == table.over
        for player in (0, 1):
            seen = view_of(FLIP, position.state, player)
            assert seen[rules.SEEN_PILE : rules.SEEN_PILE + 2].tolist() == table.piles
            for i, who in enumerate((player, 1 - player)):
                assert seen[rules.SEEN_HELD + i] == table.left(who)
                shown = seen[rules.SEEN_OPEN + 8 * i : rules.SEEN_OPEN + 8 * i + 8].tolist()
                assert shown == [table.open[who].count(rank) for rank in range(8)]
            hidden = Counter(table.stack[0] + table.stack[1])
            assert seen[rules.SEEN_STACKED :].tolist() == [hidden[rank] for rank in range(8)]
        if action is None:
            continue
        assert position.mover == table.turn
        listed = [2 * rank + pile for rank, pile in table.plays()] or [rules.PASS]
        assert position.actions == listed
        if action == rules.PASS:
            table.pass_on()
        else:
            table.play(action // 2, action % 2)


def test_the_deal_is_thirty_one_moves_of_chance_and_shows_nothing():
    record, _ = record_game(FLIP, fixed_baseline(FLIP, 1), fixed_baseline(FLIP, 2), 5, 0)
    dealing = list(replay(FLIP, record))[:31]
    assert all(position.mover == CHANCE for position in dealing)
    assert [len(position.actions) for position in dealing] == list(range(32, 1, -1))
    assert len({view_of(FLIP, position.state, 1).tobytes() for position in dealing}) == 1


def ended_by_passes(number):
    uniform = find_policy(FLIP, "uniform")
    record, score = record_game(FLIP, uniform, uniform, 2, number)
    return record[-1] == rules.PASS, record, score


def test_games_end_by_the_last_card_or_by_two_passes_and_then_may_be_drawn():
    scores = {True: set(), False: set()}
    for number in range(200):
        passed, _, score = ended_by_passes(number)
        scores[passed].add(score)
    assert scores == {True: {0, 1, 2}, False: {0, 2}}


def test_parameters_have_names_and_the_counts_of_the_paper():
    assert len(FLIP.strategy.parameters) == len(set(FLIP.strategy.parameters)) == 420
    assert FLIP.strategy.parameters[18] == "other plays"
    assert FLIP.strategy.parameters[20 + 20 * 18 + 4] == "other plays * gap"


def test_a_vector_of_zeros_plays_its_lowest_card_on_the_lowest_pile():
    lowest = find_policy(FLIP, "lowest")
    record, _ = record_game(FLIP, lowest, lowest, 5, 3)
    for position, action in zip(replay(FLIP, record), record, strict=False):
        if position.mover in (0, 1):
            assert action == position.actions[0]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "least"), [("blocking", 0.66), ("mobile", 0.51)])
def test_named_players_beat_the_baseline(name, least):
    assert PolicyMatch(FLIP, find_policy(FLIP, name), redrawn_baseline(FLIP)).scores(3, 0, 10_000).mean() / 2 > least


def test_moving_second_is_no_better_than_first_for_equal_players():
    first = (
        PolicyMatch(FLIP, find_policy(FLIP, "blocking"), find_policy(FLIP, "blocking")).scores(3, 0, 20_000)[:, 0] / 2
    )
    assert first.mean() > 0.5 - 4 * first.std() / len(first) ** 0.5


def test_words_name_the_heaviest_terms_each_product_once():
    assert FLIP.strategy.describe(np.zeros(420)) == "values nothing"
    assert FLIP.strategy.describe(np.array(FLIP.policies["blocking"])) == "values -1 other plays"
    theta = np.zeros(420)
    theta[20 + 20 * 18 + 4], theta[20 + 20 * 4 + 18], theta[20 + 20 * 2 + 2], theta[0] = 1.0, 2.0, -4.0, 0.5
    assert FLIP.strategy.describe(theta) == "values -4 own left * own left, +3 gap * other plays, +0.5 own open"
