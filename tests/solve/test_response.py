"""The judge against naive recursion, brute force, OpenSpiel and hand-made trees."""

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from support.nested_games import PENNIES, Choice, Luck, random_trees, tree_from

from fogspiel.games import goofspiel as goofspiel
from fogspiel.games import leduc as leduc
from fogspiel.games import liars_dice as liars_dice
from fogspiel.games import one_card_poker as kuhn
from fogspiel.solving.policies.best_response import exact_exploitability, exploitability
from fogspiel.solving.tree import Tree, build_tree, sequence_form


def poker_by_hand() -> Luck:
    """Kuhn poker as nested tuples."""

    def showdown(cards, stake):
        return Fraction(stake if cards[0] > cards[1] else -stake)

    def deal(a, b):
        cards = (a, b)
        answered = Choice(1, (b, "b"), [Fraction(1), showdown(cards, 2)])
        raised = Choice(0, (a, "pb"), [Fraction(-1), showdown(cards, 2)])
        return Choice(0, (a, ""), [Choice(1, (b, "p"), [showdown(cards, 1), raised]), answered])

    return Luck([(Fraction(1, 6), deal(a, b)) for a in range(3) for b in range(3) if a != b])


def random_strategy(rng: Random, tree: Tree, player: int) -> list[Fraction]:
    """Random probabilities, zeros among them."""
    row = [Fraction(1)] * (1 + int(tree.count[tree.owner == player].sum()))
    for i in np.flatnonzero(tree.owner == player).tolist():
        weights = [rng.randint(0, 3) for _ in range(tree.count[i])]
        weights[rng.randrange(len(weights))] += 1
        for k, weight in enumerate(weights):
            row[tree.first[i] + k] = Fraction(weight, sum(weights))
    return row


def uniform(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Both players choose blindly."""
    rows = []
    for player in (0, 1):
        counts = tree.count[tree.owner == player]
        rows.append(np.r_[1.0, np.repeat(1.0 / counts, counts)])
    return rows[0], rows[1]


def exact(strategy: np.ndarray) -> list[Fraction]:
    """A strategy with simple probabilities as fractions."""
    return [Fraction(p).limit_denominator(1000) for p in strategy.tolist()]


class Naive:
    """Expected payoffs and best responses by recursion over nested tuples, without any numbering but the tree's."""

    def __init__(self, game: Any, tree: Tree):
        self.game, self.first = game, {}
        self._number(game, tree, 0, (0, 0))

    def _number(self, game, tree, node, last):
        children = np.flatnonzero(tree.parent == node).tolist()
        if isinstance(game, Luck):
            for (_, below), child in zip(game.outcomes, children, strict=True):
                self._number(below, tree, child, last)
        elif isinstance(game, Choice):
            first = self.first[game.player, last[game.player], game.seen] = int(tree.first[tree.label[node]])
            for k, (below, child) in enumerate(zip(game.actions, children, strict=True)):
                moved = [first + k if player == game.player else last[player] for player in (0, 1)]
                self._number(below, tree, child, tuple(moved))

    def value(self, strategies) -> Fraction:
        def worth(game, last):
            if isinstance(game, Luck):
                return sum(p * worth(below, last) for p, below in game.outcomes)
            if isinstance(game, Choice):
                first, total = self.first[game.player, last[game.player], game.seen], Fraction(0)
                for k, below in enumerate(game.actions):
                    moved = [first + k if player == game.player else last[player] for player in (0, 1)]
                    total += strategies[game.player][first + k] * worth(below, moved)
                return total
            return game

        return worth(self.game, (0, 0))

    def best(self, player: int, opponent) -> Fraction:
        """What the best response of the player gets (in his own payoffs)."""
        sign = 1 if player == 0 else -1

        def best(situations, mine):
            """The most he gets where he has played `mine` and may be in any of the (weight, game, other's) given."""
            total, infosets = Fraction(0), {}
            while situations:
                weight, game, theirs = situations.pop()
                if isinstance(game, Luck):
                    situations += [(weight * p, below, theirs) for p, below in game.outcomes]
                elif not isinstance(game, Choice):
                    total += sign * weight * game
                elif game.player == player:
                    infosets.setdefault(game.seen, []).append((weight, game.actions, theirs))
                else:
                    first = self.first[1 - player, theirs, game.seen]
                    for k, below in enumerate(game.actions):
                        situations.append((weight * opponent[first + k], below, first + k))
            for seen, places in infosets.items():
                first = self.first[player, mine, seen]
                total += max(
                    best([(weight, actions[k], theirs) for weight, actions, theirs in places], first + k)
                    for k in range(len(places[0][1]))
                )
            return total

        return best([(Fraction(1), self.game, 0)], 0)


@pytest.mark.thorough
def test_the_judge_agrees_with_naive_recursion_on_random_trees():
    rng = Random(7)
    for game, tree in random_trees(1, 150, 6):
        naive = Naive(game, tree)
        x, y = random_strategy(rng, tree, 0), random_strategy(rng, tree, 1)
        verdict = exact_exploitability(tree, x, y)
        assert verdict == (naive.value((x, y)), -naive.best(1, x), naive.best(0, y))
        assert exploitability(tree, np.array(x, float), np.array(y, float)) == pytest.approx(
            [float(v) for v in verdict], abs=1e-12
        )
        assert verdict.lower <= verdict.value <= verdict.upper
        assert verdict.gap == verdict.upper - verdict.lower == 2 * verdict.exploitability >= 0


def test_no_pure_strategy_does_better_than_the_best_response():
    rng = Random(8)
    for game, tree in random_trees(2, 40, 4):
        naive = Naive(game, tree)
        for player in (0, 1):
            mine = np.flatnonzero(tree.owner == player).tolist()
            if np.prod(tree.count[mine]) > 300:
                continue
            other, scores = random_strategy(rng, tree, 1 - player), []
            for slots in product(*(range(tree.count[i]) for i in mine)):
                row = [Fraction(0)] * (1 + int(tree.count[mine].sum()))
                for i, slot in zip(mine, slots, strict=True):
                    row[tree.first[i] + slot] = Fraction(1)
                scores.append(naive.value((row, other) if player == 0 else (other, row)))
            bounds = exact_exploitability(tree, *((row, other) if player == 0 else (other, row)))
            assert (bounds.upper == max(scores)) if player == 0 else (bounds.lower == min(scores))


def test_matching_pennies_is_fair_and_a_known_penny_is_lost():
    tree = tree_from(PENNIES)
    half = np.array([1.0, 0.5, 0.5])
    assert exploitability(tree, half, half) == (0, 0, 0)
    verdict = exploitability(tree, np.array([1.0, 1.0, 0.0]), half)
    assert verdict == (0, -1, 0)
    assert (verdict.gap, verdict.exploitability) == (1, 0.5)


@pytest.mark.parametrize(
    ("game", "value", "nash_conv"),
    [  # OpenSpiel 2.0.2: expected_game_score.policy_value and nash_conv of the uniform policy (the sum of both players)
        (kuhn.GAMES[0], 0.125, 0.9166666666666666),
        (leduc.GAMES[0], -0.078125, 4.747222222222222),
        (liars_dice.GAMES[0], -0.015625, 1.3101190476190476),
        (goofspiel.GAMES[0], 0.0, 1.4166666666666665),
    ],
    ids=lambda given: given.name if hasattr(given, "name") else "",
)
def test_uniform_play_is_as_exploitable_as_openspiel_says(game, value, nash_conv):
    tree = build_tree(game)
    x, y = uniform(tree)
    for verdict in (exploitability(tree, x, y), exact_exploitability(tree, exact(x), exact(y))):
        assert float(verdict.value) == pytest.approx(value, abs=1e-9)
        assert float(verdict.gap) == pytest.approx(nash_conv, abs=1e-9)


def test_kuhn_by_hand_is_the_kuhn_of_the_rules():
    by_hand, by_rules = tree_from(poker_by_hand()), build_tree(kuhn.GAMES[0])
    assert by_hand.nodes == by_rules.nodes == 55
    assert sequence_form(by_hand).sizes == sequence_form(by_rules).sizes
    assert exact_exploitability(by_hand, *map(exact, uniform(by_hand))) == exact_exploitability(
        by_rules, *map(exact, uniform(by_rules))
    )


def test_the_known_equilibrium_of_kuhn_is_exact():
    tree = tree_from(poker_by_hand())
    # Kuhn 1950: the first player bluffs with the jack as often as he likes up to 1/3; here he never bets first
    plays = {(0, ""): 0, (1, ""): 0, (2, ""): 0, (0, "pb"): 0, (1, "pb"): Fraction(1, 3), (2, "pb"): 1}
    plays |= {(0, "b"): 0, (1, "b"): Fraction(1, 3), (2, "b"): 1, (0, "p"): Fraction(1, 3), (1, "p"): 0, (2, "p"): 1}
    rows = [[Fraction(1)] * 13, [Fraction(1)] * 13]

    def fill(game, last):
        if isinstance(game, Luck):
            for _, below in game.outcomes:
                fill(below, last)
        elif isinstance(game, Choice):
            first = numbers[game.player, last[game.player], game.seen]
            rows[game.player][first + 1] = Fraction(plays[game.seen])
            rows[game.player][first] = 1 - rows[game.player][first + 1]
            for k, below in enumerate(game.actions):
                fill(below, [first + k if player == game.player else last[player] for player in (0, 1)])

    numbers = Naive(poker_by_hand(), tree).first
    fill(poker_by_hand(), [0, 0])
    verdict = exact_exploitability(tree, *rows)
    assert verdict == (Fraction(-1, 18),) * 3
    assert verdict.gap == verdict.exploitability == 0


@pytest.mark.parametrize("row", [[1, 1.5, -0.5], [1, 0.5, 0.4], [1, float("nan"), 1], [1, 0.5, 0.5 + 1e-8]])
def test_a_row_that_is_no_law_is_refused(row):
    tree = tree_from(PENNIES)
    half = np.array([1.0, 0.5, 0.5])
    for call in (
        lambda: exploitability(tree, np.array(row), half),
        lambda: exploitability(tree, half, np.array(row)),
    ):
        with pytest.raises(ValueError, match="must not be negative and must add up to 1"):
            call()


def test_the_exact_judge_refuses_floats_and_rows_that_miss_1_by_a_hair():
    tree, half = tree_from(PENNIES), [Fraction(1), Fraction(1, 2), Fraction(1, 2)]
    for row in (
        [1, 0.5, 0.5],
        [1, Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**30)],
        [1, Fraction(3, 2), -half[1]],
    ):
        with pytest.raises(ValueError, match="must not be negative and must add up to 1"):
            exact_exploitability(tree, half, row)
    with pytest.raises(ValueError, match="has 3 numbers"):
        exact_exploitability(tree, half, half + half)
    with pytest.raises(ValueError, match="has 3 numbers"):
        exploitability(tree, np.ones(2), np.ones(3))


def test_a_tree_whose_infosets_forget_or_whose_chance_leaks_is_refused():
    # The first player moves twice; in the last infoset he no longer knows his first move
    forgetful = tree_from(Choice(0, "", [Choice(0, "", [Fraction(0), Fraction(1)]), Choice(1, "", [Fraction(0)])]))
    forgetful.before[1] = 2
    leaking = tree_from(Luck([(Fraction(1, 2), PENNIES), (Fraction(1, 3), PENNIES)]))
    for tree, sentence in ((forgetful, "does not fit its infoset"), (leaking, "add up to 0.83")):
        x, y = uniform(tree)
        with pytest.raises(ValueError, match=sentence):
            exploitability(tree, x, y)
        with pytest.raises(ValueError, match=sentence):
            exact_exploitability(tree, exact(x), exact(y))
