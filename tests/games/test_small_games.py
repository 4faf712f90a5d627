"""The small card and dice games: whole trees against OpenSpiel, and hands that read like examples in a rule book."""

from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from support.levels import default_cases

from fogspiel.core.game import CHANCE, OVER, known_game
from fogspiel.core.session import replay, view_of
from fogspiel.games import goofspiel as goofspiel
from fogspiel.games import leduc as leduc
from fogspiel.games import liars_dice as liars_dice
from fogspiel.games import one_card_poker
from fogspiel.games import rock_paper_scissors as rps
from fogspiel.solving.tree import build_tree

TREES = {
    "rps": (13, 1, 4),
    "rps-half": (13, 1, 4),
    "binary-poker": (21, 2, 5),
    "kuhn": (55, 6, 13),
    "leduc": (9451, 144, 337),
    "leduc-labelled": (9451, 468, 1093),
    "liars-dice-4": (8177, 512, 1021),
    "liars-dice-6": (294877, 12288, 24571),
    "goofspiel-4": (1077, 81, 175),
    "goofspiel-5": (26931, 1062, 2284),
}
"""Nodes, and infosets and sequences of either player.

OpenSpiel 2.0.2 but for rps-half and binary-poker, which it lacks. It deals in two steps: its trees have 3 (Kuhn), 6
(Leduc), 4 and 6 (liar's dice) nodes more, in which only one player has been dealt. Leduc: suit_isomorphism=true for the
infosets, without it for the nodes and for leduc-labelled. Goofspiel and rps: turn_based_simultaneous_game.
"""
LEDUC_LAW = (
    "-13 1/160, -11 1/80, -9 17/480, -7 11/240, -5 11/160, -3 31/240, -1 31/240, 0 5/64, "
    "1 7/30, 3 13/120, 5 11/160, 7 17/480, 9 29/960, 11 1/80, 13 1/160"
)
LAWS = {
    "rps": "-1 1/3, 0 1/3, 1 1/3",
    "rps-half": "-1 2/9, -1/2 1/9, 0 1/3, 1/2 1/9, 1 2/9",
    "binary-poker": "-2 1/16, -1 1/8, 0 3/8, 1 3/8, 2 1/16",
    "kuhn": "-2 3/16, -1 1/4, 1 3/8, 2 3/16",
    "leduc": LEDUC_LAW,
    "leduc-labelled": LEDUC_LAW,
    "liars-dice-4": "-1 65/128, 1 63/128",
    "liars-dice-6": "-1 223/432, 1 209/432",
    "goofspiel-4": "-1 29/72, 0 7/36, 1 29/72",
    "goofspiel-5": "-1 41/90, 0 4/45, 1 41/90",
}
"""Payoffs and their probabilities when both try any action: OpenSpiel 2.0.2; rps-half and binary-poker by hand."""
OPENSPIEL = {
    "rps": "turn_based_simultaneous_game(game=matrix_rps())",
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker",
    "leduc-labelled": "leduc_poker",
    "liars-dice-4": "liars_dice(numdice=1,dice_sides=4)",
    "liars-dice-6": "liars_dice(numdice=1,dice_sides=6)",
    "goofspiel-4": "turn_based_simultaneous_game(game=goofspiel(imp_info=true,num_cards=4,points_order=descending))",
    "goofspiel-5": "turn_based_simultaneous_game(game=goofspiel(imp_info=true,num_cards=5,points_order=descending))",
}
every_small_game = pytest.mark.parametrize("name", default_cases(TREES.keys() - {"liars-dice-6"}, TREES))


@cache
def explored(name):
    """Nodes, infosets of both players (with the actions there and the owner's last move before), law of payoffs."""
    game = known_game(name)
    rules, out = game.rules, np.zeros(game.sizes.actions, np.int64)
    root = np.zeros(game.sizes.state, np.int64)
    rules.start(root)
    nodes, infosets, law = 0, ({}, {}), Counter()
    stack = [(root, Fraction(1), (None, None))]
    while stack:
        state, probability, before = stack.pop()
        nodes += 1
        who = rules.mover(state)
        if who == OVER:
            law[game.payoffs[rules.score(state)]] += probability
            continue
        actions = out[: rules.legal(state, out)].tolist()
        after, seen = list(before), b""
        if who != CHANCE:
            seen = view_of(game, state, who).tobytes()
            # The view alone must tell what its owner did before: perfect recall.
            assert infosets[who].setdefault(seen, (actions, before[who])) == (actions, before[who])
        for action in actions:
            child = state.copy()
            rules.apply(child, action)
            if who != CHANCE:
                after[who] = (seen, action)
            stack.append((child, probability / len(actions), tuple(after)))
    return nodes, infosets, law


@every_small_game
def test_the_whole_tree_has_the_known_size(name):
    nodes, infosets, _ = explored(name)
    found = [(len(one), 1 + sum(len(actions) for actions, _ in one.values())) for one in infosets]
    assert nodes == TREES[name][0]
    assert found == [TREES[name][1:]] * 2


@every_small_game
def test_uniform_players_share_the_payoffs_as_outside(name):
    expected = dict(pair.split() for pair in LAWS[name].split(", "))
    law = explored(name)[2]
    assert law == {Fraction(payoff): Fraction(probability) for payoff, probability in expected.items()}
    assert sum(law.values()) == 1


# Move by move against OpenSpiel, where it is installed


def dealt(state):
    """OpenSpiel deals in steps: every state after the last of them."""
    if not state.is_chance_node():
        return [state]
    return [after for outcome, _ in state.chance_outcomes() for after in dealt(state.child(outcome))]


@pytest.mark.parametrize("name", default_cases(OPENSPIEL.keys() - {"liars-dice-6"}, OPENSPIEL))
def test_openspiel_plays_the_same_game(name):
    """Actions in the same order, infosets cut the same way, the same payoffs everywhere."""
    pyspiel = pytest.importorskip("pyspiel")
    game, outside = known_game(name), pyspiel.load_game(OPENSPIEL[name])
    rules, out = game.rules, np.zeros(game.sizes.actions, np.int64)
    root = np.zeros(game.sizes.state, np.int64)
    rules.start(root)
    there, here = ({}, {}), ({}, {})
    stack = [(root, outside.new_initial_state())]
    while stack:
        state, theirs = stack.pop()
        who = rules.mover(state)
        assert (who == OVER) == theirs.is_terminal()
        if who == OVER:
            assert float(game.payoffs[rules.score(state)]) == theirs.returns()[0]
            continue
        actions = out[: rules.legal(state, out)].tolist()
        if who == CHANCE:
            children = dealt(theirs)
        else:
            assert who == theirs.current_player()
            seen, their_seen = view_of(game, state, who).tobytes(), theirs.information_state_string(who)
            assert there[who].setdefault(their_seen, seen) == seen
            if name != "leduc":  # on this tree OpenSpiel's players see suits: their infosets are finer
                assert here[who].setdefault(seen, their_seen) == their_seen
            children = [theirs.child(action) for action in theirs.legal_actions()]
        assert len(children) == len(actions)
        for action, child in zip(actions, children, strict=True):
            after = state.copy()
            rules.apply(after, action)
            stack.append((after, child))


# Examples


def end_of(name, record):
    """The last state of a record, and the first player's payoff."""
    game = known_game(name)
    state = list(replay(game, record))[-1].state
    assert game.rules.mover(state) == OVER
    return state, game.payoffs[game.rules.score(state)]


def tries(name, record):
    """The names of what the mover may try after a record."""
    game = known_game(name)
    return [game.label(action) for action in list(replay(game, record))[-1].actions]


def refuses(name, record):
    """Whether a record is impossible at its last move, and only there."""
    list(replay(known_game(name), record[:-1]))
    with pytest.raises(ValueError, match=f"move {len(record)} of the record"):
        list(replay(known_game(name), record))
    return True


def shown_to(name, record, player):
    game = known_game(name)
    return game.show(view_of(game, list(replay(game, record))[-1].state, player))


def test_paper_wins_only_half_in_the_modified_game():
    for name, paper in (("rps", 1), ("rps-half", Fraction(1, 2))):
        for first, second, payoff in (
            (rps.ROCK, rps.SCISSORS, 1),
            (rps.SCISSORS, rps.PAPER, 1),
            (rps.PAPER, rps.ROCK, paper),
        ):
            assert end_of(name, [first, second])[1] == payoff
            assert end_of(name, [second, first])[1] == -payoff
            assert end_of(name, [first, first])[1] == 0


def test_the_second_player_chooses_without_seeing_the_first_choice():
    assert len({shown_to("rps", [choice], 1) for choice in range(3)}) == 1
    assert shown_to("rps", [rps.ROCK], 0) == "your choice: rock; the other's: hidden"
    assert shown_to("rps", [rps.ROCK, rps.PAPER], 0) == "your choice: rock; the other's: paper"


def test_two_fifths_two_fifths_and_a_fifth_cannot_be_beaten_when_paper_wins_half():
    mix = (Fraction(2, 5), Fraction(2, 5), Fraction(1, 5))
    for second in range(3):
        assert sum(mix[first] * end_of("rps-half", [first, second])[1] for first in range(3)) == 0


def test_binary_poker_hands():
    play, bet, fold, call = one_card_poker.PASS, one_card_poker.BET, one_card_poker.FOLD, one_card_poker.CALL
    assert end_of("binary-poker", [0b10, play])[1] == 1
    assert end_of("binary-poker", [0b01, play])[1] == -1
    assert end_of("binary-poker", [0b11, play])[1] == 0
    assert end_of("binary-poker", [0b01, bet, fold])[1] == 1
    assert end_of("binary-poker", [0b01, bet, call])[1] == -2
    assert end_of("binary-poker", [0b10, bet, call])[1] == 2
    assert end_of("binary-poker", [0b00, bet, call])[1] == 0
    assert shown_to("binary-poker", [0b01, bet], 0) == "your card: 0; the other's: hidden\nbet"


def test_at_binary_poker_nobody_gains_by_doing_more_than_bet_and_call_the_one():
    def value(bets, calls):
        """The first player's mean payoff: which cards he bets, which cards the second player calls."""
        total = Fraction(0)
        for deal in range(4):
            first, second = divmod(deal, 2)
            answer = [one_card_poker.CALL if second in calls else one_card_poker.FOLD]
            total += end_of("binary-poker", [deal, one_card_poker.BET, *answer] if first in bets else [deal, 0])[1] / 4
        return total

    hands = [(), (0,), (1,), (0, 1)]
    assert max(value(bets, (1,)) for bets in hands) == 0 == value((1,), (1,))
    assert min(value((1,), calls) for calls in hands) == 0


def test_kuhn_hands():
    king_jack, jack_queen = 3 * 2 + 0, 3 * 0 + 1
    assert end_of("kuhn", [king_jack, one_card_poker.PASS, one_card_poker.PASS])[1] == 1
    assert end_of("kuhn", [king_jack, one_card_poker.BET, one_card_poker.CALL])[1] == 2
    assert end_of("kuhn", [king_jack, one_card_poker.PASS, one_card_poker.BET, one_card_poker.FOLD])[1] == -1
    assert end_of("kuhn", [jack_queen, one_card_poker.BET, one_card_poker.FOLD])[1] == 1
    assert end_of("kuhn", [jack_queen, one_card_poker.PASS, one_card_poker.BET, one_card_poker.CALL])[1] == -2
    assert refuses("kuhn", [3 * 1 + 1])
    assert refuses("kuhn", [king_jack, one_card_poker.FOLD])
    assert refuses("kuhn", [king_jack, one_card_poker.BET, one_card_poker.PASS])
    assert refuses("kuhn", [king_jack, one_card_poker.BET, one_card_poker.CALL, one_card_poker.BET])


def test_a_folded_card_stays_hidden_and_a_called_one_is_shown():
    king_jack = 3 * 2 + 0
    assert (
        shown_to("kuhn", [king_jack, one_card_poker.BET, one_card_poker.FOLD], 1)
        == "your card: J; the other's: hidden\nbet, fold"
    )
    assert (
        shown_to("kuhn", [king_jack, one_card_poker.BET, one_card_poker.CALL], 1)
        == "your card: J; the other's: K\nbet, call"
    )


def test_a_hand_of_leduc():
    queen_spades, king_hearts, queen_hearts = 2, 5, 3
    record = [6 * queen_spades + king_hearts]
    assert tries("leduc", record) == ["check", "bet"]
    record += [leduc.BET]
    assert tries("leduc", record) == ["fold", "call", "raise"]
    record += [leduc.RAISE]
    assert tries("leduc", record) == ["fold", "call"]
    record += [leduc.CALL]
    assert list(replay(known_game("leduc"), record))[-1].actions == [0, 1, 3, 4]
    record += [queen_hearts]
    assert tries("leduc", record) == ["check", "bet"]
    assert shown_to("leduc", record, 0).splitlines() == [
        "your card: Q; the other's: face down; the public one: Q",
        "paid: you 5, the other 5",
        "bet, raise, call",
    ]
    assert "your card: Q♠; the other's: face down; the public one: Q♥" in shown_to("leduc-labelled", record, 0)
    record += [leduc.CHECK, leduc.BET, leduc.RAISE, leduc.CALL]
    state, payoff = end_of("leduc", record)
    assert payoff == 13  # the pair of queens beats the king: 1 + 2 x 2 + 2 x 4
    assert state[leduc.PAID : leduc.PAID + 2].tolist() == [13, 13]
    assert "the other's: K" in shown_to("leduc", record, 0)


def test_leduc_without_a_pair_goes_to_the_higher_rank_and_equal_ranks_split():
    checks = [leduc.CHECK, leduc.CHECK]
    assert end_of("leduc", [6 * 4 + 0, *checks, 2, *checks])[1] == 1
    assert end_of("leduc", [6 * 0 + 4, *checks, 2, *checks])[1] == -1
    assert end_of("leduc", [6 * 0 + 1, *checks, 2, leduc.BET, leduc.CALL])[1] == 0
    assert end_of("leduc", [6 * 4 + 0, *checks, 1, leduc.BET, leduc.CALL])[1] == -5


def test_who_folds_at_leduc_loses_what_he_has_paid():
    assert end_of("leduc", [6 * 4 + 0, leduc.BET, leduc.FOLD])[1] == 1
    assert end_of("leduc", [6 * 4 + 0, leduc.BET, leduc.RAISE, leduc.FOLD])[1] == -3
    opened = [6 * 4 + 0, leduc.BET, leduc.CALL, 5]
    assert end_of("leduc", [*opened, leduc.BET, leduc.RAISE, leduc.FOLD])[1] == -7
    assert end_of("leduc", [*opened, leduc.CHECK, leduc.BET, leduc.RAISE, leduc.FOLD])[1] == 7


def test_leduc_has_no_third_raise_no_fold_without_a_bet_and_no_card_twice():
    for name in ("leduc", "leduc-labelled"):
        assert refuses(name, [6 * 4 + 4])
        assert refuses(name, [6 * 4 + 0, leduc.FOLD])
        assert refuses(name, [6 * 4 + 0, leduc.BET, leduc.RAISE, leduc.RAISE])
        assert refuses(name, [6 * 4 + 0, leduc.BET, leduc.CHECK])
        assert refuses(name, [6 * 4 + 0, leduc.CHECK, leduc.CHECK, 4])


def test_only_leduc_with_labels_shows_suits():
    assert shown_to("leduc", [6 * 4 + 0], 0) == shown_to("leduc", [6 * 5 + 1], 0)
    assert shown_to("leduc-labelled", [6 * 4 + 0], 0) != shown_to("leduc-labelled", [6 * 5 + 0], 0)


def test_the_highest_face_is_wild_when_somebody_is_called_a_liar():
    liar = liars_dice.LIAR
    for name, wild in (("liars-dice-4", 4), ("liars-dice-6", 6)):
        assert end_of(name, [10 * 3 + wild, 23, liar])[1] == 1  # two threes: a three and a wild die
        assert end_of(name, [10 * 3 + 2, 23, liar])[1] == -1
        assert end_of(name, [10 * wild + wild, 21, liar])[1] == 1
        assert end_of(name, [10 * 3 + 3, 20 + wild, liar])[1] == -1  # a three is no wild die
        assert end_of(name, [10 * 1 + 1, 12, 13, liar])[1] == 1  # the second player's bid, called by the first
        assert end_of(name, [10 * 1 + 1, 12, 21, liar])[1] == -1
    assert end_of("liars-dice-6", [10 * 3 + 4, 23, liar])[1] == -1  # a four is wild only where it is the highest face


def test_bids_only_rise_and_nobody_calls_before_the_first():
    assert tries("liars-dice-4", [11]) == [f"{number} x {face}" for number in (1, 2) for face in (1, 2, 3, 4)]
    assert tries("liars-dice-4", [11, 22]) == ["2 x 3", "2 x 4", "liar!"]
    assert tries("liars-dice-4", [11, 24]) == ["liar!"]
    assert refuses("liars-dice-4", [11, liars_dice.LIAR])
    assert refuses("liars-dice-4", [11, 14, 13])
    assert refuses("liars-dice-4", [11, 15])
    assert refuses("liars-dice-4", [51])
    assert refuses("liars-dice-4", [11, 14, liars_dice.LIAR, 21])


def test_dice_are_shown_after_the_call():
    assert shown_to("liars-dice-6", [53, 15], 1) == "your die: 3; the other's: hidden; 6 is wild\n1 x 5"
    assert shown_to("liars-dice-6", [53, 15, 0], 1) == "your die: 3; the other's: 5; 6 is wild\n1 x 5, liar!"


def test_two_dice_each_are_counted_together_and_rolled_as_often_as_dice_are():
    name, liar = "liars-dice-2x6", liars_dice.LIAR
    game, root = known_game(name), np.zeros(known_game(name).sizes.state, np.int64)
    room, odds = (np.zeros(game.sizes.actions, np.int64) for _ in range(2))
    game.rules.start(root)
    count = game.rules.legal(root, room)
    game.rules.weights(root, odds)
    chances = dict(zip(room[:count].tolist(), odds[:count].tolist(), strict=True))
    assert (count, sum(chances.values())) == (441, 36 * 36)
    assert (chances[1111], chances[2111], chances[2143]) == (1, 2, 4)
    assert end_of(name, [6352, 33, liar])[1] == -1  # 6 3 and 5 2: two threes, with the wild six, are not three
    assert end_of(name, [6352, 23, liar])[1] == 1
    assert end_of(name, [6633, 43, liar])[1] == 1
    assert end_of(name, [6633, 11, 45, liar])[1] == 1  # the second player's bid, called by the first
    assert len(tries(name, [6633])) == 24 and tries(name, [6633, 46]) == ["liar!"]
    assert shown_to(name, [6321, 15], 1) == "your dice: 2 1; the other's: hidden; 6 is wild\n1 x 5"


def test_the_large_games_have_trees_of_known_size_and_the_small_ones_as_before():
    for name, nodes, infosets in (("goofspiel-6", 969_523, 17_241), ("leduc-13", 1_179_751, 2_574)):
        tree = build_tree(known_game(name))
        assert (tree.nodes, np.bincount(tree.owner).tolist()) == (nodes, [infosets, infosets])


def test_thirteen_ranks_have_their_names_and_pairs_still_win():
    pair, single = 26 * 0 + 25, 26 * 2 + 25  # a two against an ace, a three against an ace
    deal = [leduc.CHECK, leduc.CHECK]
    assert end_of("leduc-13", [pair, *deal, 1, *deal])[1] == 1  # the other two is turned up
    assert end_of("leduc-13", [single, *deal, 1, *deal])[1] == -1
    assert "your card: 2; the other's: face down; the public one: 2" in shown_to("leduc-13", [pair, *deal, 1], 0)
    assert "your card: A" in shown_to("leduc-13", [pair], 1)


def test_equal_bids_discard_the_prize():
    state, payoff = end_of("goofspiel-4", [4, 4, 3, 2, 1, 3])
    # 4 discarded, 3 to the first player, 2 to the second, and the last cards, 2 against 1, give 1 to the first
    assert state[goofspiel.results_of(4) :][:4].tolist() == [1, 2, 0, 2]
    assert payoff == 1
    assert end_of("goofspiel-4", [4, 4, 3, 3, 2, 2])[1] == 0
    assert end_of("goofspiel-4", [1, 4, 4, 3, 3, 2])[1] == 1  # 4 points against 3 + 2 + 1
    assert shown_to("goofspiel-4", [4, 4, 3, 2, 1, 3], 1).splitlines() == [
        "prize 4: you bid 4, discarded",
        "prize 3: you bid 2, lost",
        "prize 2: you bid 3, won",
        "prize 1: you bid 1, lost",
    ]


def test_who_wins_a_prize_never_learns_against_what():
    assert shown_to("goofspiel-5", [5, 1], 0) == shown_to("goofspiel-5", [5, 4], 0)
    assert len({shown_to("goofspiel-5", [bid], 1) for bid in range(1, 6)}) == 1


def test_a_goofspiel_card_is_bid_once_and_the_last_one_goes_by_itself():
    assert tries("goofspiel-5", [5, 1]) == ["bid 1", "bid 2", "bid 3", "bid 4"]
    assert refuses("goofspiel-5", [5, 1, 5])
    assert refuses("goofspiel-5", [5, 1, 4, 1])
    assert refuses("goofspiel-4", [5])
    state, _ = end_of("goofspiel-5", [1, 2, 2, 3, 3, 4, 4, 5])
    assert state[goofspiel.bids_of(5, 0) + 4] == 5 and state[goofspiel.bids_of(5, 1) + 4] == 1
