"""Cheat: the rules, the value function word for word, and the strategy that never loses."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.levels import default_cases

from fogspiel.core.agents import ParametricPolicy, find_policy, fixed_baseline, redrawn_baseline, vector_policy
from fogspiel.core.compile.kernel import kernel
from fogspiel.core.game import Strategy, known_game, new_cells, nothing_to_prepare
from fogspiel.core.rng import normal, random_below, seed_of, split, stream_of
from fogspiel.core.session import record_game, replay, view_of
from fogspiel.core.simulate import PolicyMatch
from fogspiel.games.cheat import rules
from fogspiel.games.cheat.rules import NOISE, noisy_best

CHEAT, SPECIAL, CHALLENGE = (known_game(name) for name in ("cheat", "cheat-special", "cheat-challenge-last"))
ALL = (CHEAT, SPECIAL, CHALLENGE)
CALL = rules.CALL
seeds = st.integers(0, 2**32 - 1)


def dealt(game, first, second):
    """The state after a deal of these hands, cards of each colour."""
    state = new_cells(game.sizes.state)
    game.rules.start(state)
    state[rules.DEALT] = rules.HALF
    state[rules.HAND : rules.HAND + 8] = [*first, *second]
    return state


def after(game, state, *actions):
    for action in actions:
        out = new_cells(game.sizes.actions)
        assert action in out[: game.rules.legal(state, out)].tolist()
        game.rules.apply(state, action)
    return state


def hands(state):
    return state[rules.HAND : rules.HAND + 8].reshape(2, 4).tolist()


# Rules


@given(seeds, st.sampled_from(ALL))
@settings(max_examples=20, deadline=None)
def test_no_card_is_lost_and_an_empty_table_hides_nothing(seed, game):
    record, score = record_game(game, fixed_baseline(game, seed), find_policy(game, "uniform"), seed, 0)
    played = list(replay(game, record))
    assert len(record) <= rules.HALF + rules.MAX_ACTIONS
    somebody_won = min(map(sum, hands(played[-1].state))) == 0
    assert somebody_won == (score != 1) and (somebody_won or len(record) == rules.HALF + rules.MAX_ACTIONS)
    for position in played[rules.HALF :]:
        state = position.state
        assert state[rules.HAND :].min() >= 0
        assert (state[rules.HAND :].reshape(4, 4).sum(axis=0) == 13).all()
        if state[rules.COLOUR] < 0:
            assert state[rules.LAID :].sum() == 0 and CALL not in position.actions


def test_hands_are_dealt_as_cards_are_drawn_without_replacement():
    firsts = []
    for number in range(400):
        record, _ = record_game(CHEAT, fixed_baseline(CHEAT, 1), fixed_baseline(CHEAT, 2), 5, number)
        state = list(replay(CHEAT, record[: rules.HALF]))[-1].state
        assert [sum(hand) for hand in hands(state)] == [26, 26]
        firsts.append(hands(state)[0])
    # the number of one colour among 26 of 52 cards: mean 6.5, variance 26 * 1/4 * 3/4 * 26/51
    assert np.mean(firsts, axis=0) == pytest.approx([6.5] * 4, abs=0.35)
    assert np.var(firsts) == pytest.approx(26 * 3 / 16 * 26 / 51, rel=0.15)


def test_a_false_accusation_costs_the_pile_and_so_does_a_lie_that_is_called():
    state = after(CHEAT, dealt(CHEAT, [13, 13, 0, 0], [0, 0, 13, 13]), 0, 2)  # the second player lies
    assert state[rules.COLOUR] == 0
    after(CHEAT, state, CALL)
    assert hands(state) == [[12, 13, 0, 0], [1, 0, 13, 13]] and state[rules.TURN] == 1
    after(CHEAT, state, 0, CALL)  # the opening card is never a lie
    assert hands(state) == [[13, 13, 0, 0], [0, 0, 13, 13]] and state[rules.TURN] == 0
    after(CHEAT, state, 1, 3, 1, 2, CALL)  # two lies, the last of which is called
    assert hands(state) == [[13, 11, 0, 0], [0, 2, 13, 13]] and state[rules.TURN] == 1


def test_who_lays_his_last_card_wins_unless_it_may_be_called():
    for game in (CHEAT, CHALLENGE):
        state = after(game, dealt(game, [0, 13, 13, 13], [2, 0, 0, 0]), 1, 0, 1)
        state[rules.HAND] = 11
        after(game, state, 0)
        if game is CHEAT:
            assert game.rules.mover(state) == -2 and game.rules.score(state) == 0
            continue
        assert game.rules.mover(state) == 0
        let_go = after(game, state.copy(), 2)
        assert game.rules.score(let_go) == 0
        after(game, state, CALL)  # the last card was a lie
        assert game.rules.mover(state) == 1 and sum(hands(state)[1]) == 4
    honest = after(CHALLENGE, dealt(CHALLENGE, [13, 13, 13, 12], [0, 0, 0, 1]), 3, 3, CALL)
    assert CHALLENGE.rules.score(honest) == 0


# The strategy


def specified_choice(game, state, theta, stream):
    """The strategy of the specification, word for word, from the mover's side of a state."""
    me = int(state[rules.TURN])
    hand, other = hands(state)[me], hands(state)[1 - me]
    piles = state[rules.LAID :].reshape(2, 4).tolist()
    current, pile = int(state[rules.COLOUR]), sum(map(sum, piles))
    best = (-math.inf, None)
    for action in [*(c for c in range(4) if hand[c]), *([CALL] if current >= 0 else [])]:
        colour = action if current < 0 else current
        x = [1.0, sum(hand) / 26, sum(other) / 26, pile / 26, hand[colour] / 13, 0.0, 0.0]
        if action == CALL:
            u = 13 - hand[colour] - piles[me][colour]
            x[5], x[6] = 1 - u / (sum(other) + sum(piles[1 - me])), 1.0
        else:
            x[1], x[3] = (sum(hand) - 1) / 26, (pile + 1) / 26
            x[4] = (hand[colour] - (action == colour)) / 13
            x[5] = float(action != colour)
        pairs = [(i, j) for i in range(7) for j in range(i, 7)]
        value = sum(theta[k] * x[i] * x[j] for k, (i, j) in enumerate(pairs))
        if game is SPECIAL:
            sizes = (pile * 53 + sum(hand)) * 53 + sum(other)
            hashed = np.array([split(np.uint64(seed_of(theta[28], 0)), sizes * 5 + action)], np.uint64)
            value += 0.5 * normal(hashed)
        value += 0.1 * normal(stream)
        if value > best[0]:
            best = (value, action)
    return best[1]


@given(seeds, st.sampled_from(ALL), st.sampled_from([0.05, 1.0, 30.0]))
@settings(max_examples=40, deadline=None)
def test_the_strategy_chooses_as_the_specification_says(seed, game, scale):
    rng = np.random.default_rng(seed)
    record, _ = record_game(game, fixed_baseline(game, seed), fixed_baseline(game, seed + 1), seed, 0)
    theta, plan = rng.normal(size=len(game.strategy.parameters)) * scale, np.zeros(game.strategy.plan_size)
    game.strategy.prepare(theta, plan)
    played = list(replay(game, record))[rules.HALF : -1]
    for number in rng.integers(len(played), size=10).tolist():
        state, who, actions = played[number]
        stream, again = stream_of(seed, number), stream_of(seed, number)
        chosen = game.strategy.choose(view_of(game, state, who), np.array(actions), plan, stream)
        assert chosen == specified_choice(game, state, theta, again)
        assert (stream == again).all()


@given(seeds, st.lists(st.sampled_from([-math.inf, -0.3, 0.0, 0.05, 0.1, 1e15, 1e280]), min_size=5, max_size=5))
@settings(max_examples=300, deadline=None)
def test_the_best_after_noise_is_that_of_the_numbers_themselves(seed, values):
    stream, again, best = stream_of(seed), stream_of(seed), (-math.inf, -1)
    for place, value in enumerate(values):
        if value > -math.inf and (noisy := value + NOISE * normal(again)) > best[0]:
            best = (noisy, place)
    assert noisy_best(np.array(values), stream, np.empty(5)) == best[1]
    assert (stream == again).all()


def test_the_29th_parameter_is_a_seed_and_changes_the_choices():
    theta = fixed_baseline(SPECIAL, 1).thetas[0]
    other = [*theta[:28], np.nextafter(theta[28], 2.0)]
    records = [
        record_game(SPECIAL, vector_policy(SPECIAL, v), fixed_baseline(SPECIAL, 2), 1, 0)[0] for v in (theta, other)
    ]
    assert records[0] != records[1] and SPECIAL.strategy.unordered == ("seed",)


# Never to lose


@kernel
def choose_honest(seen, actions, plan, stream):
    """The current colour if possible, otherwise a call; opens with anything."""
    if seen[rules.SEEN_COLOUR] < 0:
        return actions[random_below(stream, len(actions))]
    return seen[rules.SEEN_COLOUR] if seen[rules.SEEN_HAND + seen[rules.SEEN_COLOUR]] > 0 else CALL


@kernel
def choose_silent(seen, actions, plan, stream):
    """Any card, never a call."""
    cards = len(actions) - (1 if seen[rules.SEEN_COLOUR] >= 0 else 0)
    return actions[random_below(stream, cards)]


@kernel
def choose_often_true(seen, actions, plan, stream):
    """A call now and then, otherwise mostly the current colour."""
    colour = seen[rules.SEEN_COLOUR]
    if colour >= 0 and random_below(stream, 6) == 0:
        return CALL
    if colour >= 0 and seen[rules.SEEN_HAND + colour] > 0 and random_below(stream, 4) > 0:
        return colour
    return choose_silent(seen, actions, plan, stream)


SCRIPTED = [
    ParametricPolicy(choose.__name__, Strategy(choose.__name__, (), 1, nothing_to_prepare, choose), np.zeros((1, 0)))
    for choose in (choose_honest, choose_silent, choose_often_true)
]


@pytest.mark.parametrize("game", default_cases([CHEAT], ALL), ids=lambda game: game.name)
def test_never_lose_does_not_lose_a_single_game(game):
    safe = find_policy(game, "never_lose")
    vectors = [fixed_baseline(game, seed) for seed in range(8)]
    for opponent in (*SCRIPTED, find_policy(game, "uniform"), redrawn_baseline(game), *vectors, safe):
        scores = PolicyMatch(game, safe, opponent).scores(11, 0, 300)
        assert scores.min() >= 1, f"lost against {opponent.name}"
    assert (PolicyMatch(game, safe, safe).scores(12, 0, 100) == 1).all()


@given(st.lists(st.floats(-1e6, 1e6), min_size=28, max_size=28), seeds)
@settings(max_examples=40, deadline=None)
def test_never_lose_does_not_lose_against_any_vector(theta, seed):
    for game in (CHEAT, CHALLENGE):
        match = PolicyMatch(game, find_policy(game, "never_lose"), vector_policy(game, theta))
        assert match.scores(seed, 0, 5).min() >= 1


def test_never_lose_never_leaves_fewer_than_two_cards_even_to_one_who_peeks():
    fewest, safe = 52, find_policy(CHEAT, "never_lose").strategy
    for number in range(40):
        chance, stream, rng = stream_of(3, number), stream_of(4, number), np.random.default_rng(number)
        state, out, seat = new_cells(CHEAT.sizes.state), new_cells(CHEAT.sizes.actions), number % 2
        CHEAT.rules.start(state)
        while (who := CHEAT.rules.mover(state)) != -2:
            actions = out[: CHEAT.rules.legal(state, out)].copy()
            if who == -1:
                action = actions[random_below(chance, len(actions))]
            elif who == seat:
                action = safe.choose(view_of(CHEAT, state, who), actions, np.zeros(1), stream)
            else:  # calls every lie, and never wrongly; is honest as long as possible
                colour, hand = state[rules.COLOUR], hands(state)[who]
                if colour >= 0 and state[rules.LAST] != colour:
                    action = CALL
                elif colour >= 0 and hand[colour] > 0:
                    action = colour
                else:
                    action = rng.choice([c for c in range(4) if hand[c]])
            CHEAT.rules.apply(state, int(action))
            if state[rules.DEALT] == rules.HALF:
                fewest = min(fewest, sum(hands(state)[1 - seat]))
        assert CHEAT.rules.score(state) != (0 if seat == 0 else 2)
    assert fewest == 2


def test_views_have_words():
    state = dealt(CHEAT, [13, 13, 0, 0], [0, 0, 13, 13])
    assert CHEAT.show(view_of(CHEAT, state, 0)).splitlines() == [
        "your hand: 13 clubs, 13 diamonds",
        "the other has 26 cards: 13 hearts, 13 spades",
        "the table is empty",
    ]
    after(CHEAT, state, 1, 2)
    assert CHEAT.show(view_of(CHEAT, state, 0)).splitlines()[1:] == [
        "the other has 25 cards",
        "current colour diamonds; in the pile: yours 1 diamonds; 1 of the other's",
    ]
