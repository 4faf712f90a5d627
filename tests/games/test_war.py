"""War and Batawaf: the paper's figures, the rules by hand, and loops that cost nothing but change nothing."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.core.agents import find_policy, vector_policy
from fogspiel.core.game import DRAW, LOSS, WIN, known_game
from fogspiel.core.rng import seed_of
from fogspiel.core.session import record_game, replay
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games.war import rules
from fogspiel.games.war.strategy import PLAN, in_order, prepare
from fogspiel.stats.evaluate import evaluate


def score(game, first, second, games=40_000):
    game = known_game(game)
    return evaluate(game, find_policy(game, first), find_policy(game, second), 4711, games)


PUBLISHED = [
    ("batawaf", "descending", "random", 0.689, 0.006),
    ("batawaf", "descending", "ascending", 0.578, 0.006),
    ("batawaf", "ascending", "random", 0.574, 0.006),
    ("war56", "descending", "random", 0.700, 0.006),
    ("war56", "descending", "ascending", 0.533, 0.006),
    ("war", "descending", "random", 0.698, 0.008),
    ("war", "descending", "ascending", 0.561, 0.008),
    ("war-shared", "descending", "random", 0.694, 0.008),
    ("batawaf-shared", "descending", "random", 0.695, 0.008),
]
OTHERS = [pytest.param(*case, marks=pytest.mark.thorough) for case in PUBLISHED[3:]]


@pytest.mark.parametrize(("game", "first", "second", "figure", "tolerance"), [*PUBLISHED[:3], *OTHERS])
def test_the_published_figures_come_out(game, first, second, figure, tolerance):
    assert abs(score(game, first, second).mean - figure) < tolerance


def test_any_order_against_itself_is_even():
    for name in ("random", "ascending", "descending"):
        assert score("batawaf", name, name, 2000).mean == 0.5


def decided(decks, shared=False):
    """The state after one trick with these decks (top card first), values 0..12."""
    state = np.zeros(rules.DECK + 2 * rules.RING, np.int64)
    rules.lay_out(state, 13, 4, int(shared))
    state[rules.PACKET] = 0
    for player, deck in enumerate(decks):
        for i, card in enumerate(deck):
            state[rules.slot(state, player, i)] = card
        state[rules.HELD + player] = len(deck)
    rules.play_trick(state)
    return state


def packet(state):
    return state[rules.WON : rules.WON + state[rules.PACKET]].tolist()


def test_the_higher_card_wins_the_trick():
    state = decided(([5, 1], [3, 2]))
    assert state[rules.WINNER] == 0 and packet(state) == [3, 5] and state[rules.MOVES] == 1
    assert (state[rules.HELD], state[rules.HELD + 1]) == (1, 1)


def test_a_battle_adds_one_card_face_down_and_one_face_up():
    state = decided(([5, 9, 1, 7], [5, 0, 8, 7]))
    assert state[rules.WINNER] == 1 and packet(state) == [0, 1, 5, 5, 8, 9] and state[rules.MOVES] == 2


@pytest.mark.parametrize(
    ("decks", "shared", "result"),
    [
        (([5, 9], [5, 9, 9]), False, LOSS),
        (([5, 9, 9], [5, 9]), False, WIN),
        (([5, 9], [5, 9]), False, DRAW),
        (([5], [5, 1]), True, LOSS),
        (([5], [5]), True, DRAW),
        (([5, 4, 4], []), False, WIN),
    ],
)
def test_who_cannot_go_on_with_a_battle_loses(decks, shared, result):
    state = decided(decks, shared)
    assert state[rules.PHASE] == rules.FINISHED and state[rules.RESULT] == result


def test_with_shared_shortening_both_skip_the_card_face_down():
    state = decided(([5, 9], [5, 2, 12]), shared=True)
    assert state[rules.PHASE] == rules.ORDERING and state[rules.WINNER] == 0 and packet(state) == [2, 5, 5, 9]


def test_a_deal_is_51_chance_moves_and_deals_every_card():
    game = known_game("war")
    record, _ = record_game(game, find_policy(game, "random"), find_policy(game, "random"), 1, 0)
    dealt = next(p for p in replay(game, record) if p.mover >= 0)
    assert [p.mover for p in replay(game, record)].index(dealt.mover) == 51
    cards = [
        int(dealt.state[rules.slot(dealt.state, p, i)]) for p in (0, 1) for i in range(dealt.state[rules.HELD + p])
    ]
    assert sorted([*cards, *packet(dealt.state)]) == sorted([*range(13)] * 4)


def held_after(game, theta):
    """The packet of the first trick and the cards below the deck, for a player with these parameters."""
    game = known_game(game)
    player = vector_policy(game, theta)
    record, _ = record_game(game, player, player, 3, 0)
    steps = list(replay(game, record))
    first = next(i for i, p in enumerate(steps) if p.mover >= 0)
    winner = steps[first].mover
    later = next(p for p in steps[first:] if p.state[rules.HELD + winner] > steps[first].state[rules.HELD + winner])
    size = int(steps[first].state[rules.PACKET])
    # The next trick has taken cards off the top; the packet lies at the bottom.
    held = int(later.state[rules.HELD + winner])
    return packet(steps[first].state), [
        int(later.state[rules.slot(later.state, winner, held - size + i)]) for i in range(size)
    ]


def test_ascending_and_descending_put_cards_back_in_that_order():
    won, below = held_after("war", (0, 60, 0))
    assert below == won
    won, below = held_after("war", (0, 0, 60))
    assert below == won[::-1]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-700, 700), min_size=4, max_size=4))
def test_probabilities_are_the_softmax_and_orders_are_permutations(theta):
    plan = np.zeros(PLAN)
    prepare(np.array(theta), plan)
    weights = np.exp(np.array(theta[:3]) - max(theta[:3]))
    shares = weights / weights.sum()
    assert plan[0] == pytest.approx(shares[0], abs=1e-11)
    assert plan[1] == pytest.approx(shares[0] + shares[1], abs=1e-11)
    for size in (1, 2, 7, 52):
        assert sorted(in_order(plan, size, i) for i in range(size)) == list(range(size))


def test_the_fourth_parameter_is_a_hash():
    assert seed_of(0.0, 3) == seed_of(-0.0, 3) != seed_of(0.0, 4)
    plans = [np.zeros(PLAN) for _ in range(2)]
    for plan, d in zip(plans, (1.0, 1.0 + 2**-52), strict=True):
        prepare(np.array([0.0, 0, 0, d]), plan)
    assert (plans[0] != plans[1]).any()


@pytest.mark.parametrize("gap", [7.5, 10, 13])
def test_rounds_that_are_skipped_would_have_changed_nothing(gap):
    """Players who nearly never vary run in circles for long; skipping the circles gives the same scores."""
    game = known_game("batawaf")
    match = partial(PolicyMatch, game, vector_policy(game, (0, 0, gap)), vector_policy(game, (0, gap, 0)))
    assert (match(fused=True).scores(7, 0, 30) == match(fused=False).scores(7, 0, 30)).all()


@pytest.mark.slow
def test_a_circle_between_certain_players_is_the_draw_of_a_million_moves():
    game = known_game("batawaf")
    match = partial(PolicyMatch, game, find_policy(game, "descending"), find_policy(game, "ascending"))
    fused = match(fused=True).scores(7, 0, 40)
    assert (fused == DRAW).any()
    assert (fused == match(fused=False).scores(7, 0, 40)).all()
