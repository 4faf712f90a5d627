"""Nim solved: who wins from every position, how well a value function plays, and exact scores.

Positions are analysed backwards from the end by the rules alone, without Bouton's theorem.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from ...core.agents import IN_TURN, MIXED, REDRAWN, Policy, find_policy, vector_policy
from ...core.game import UNIFORM, Game
from .rules import FULL, GAMES, POSITIONS, SEEN_HEAP, STEP, heaps_of

NIM = GAMES[0]
ALL_POSITIONS = range(1, POSITIONS + 1)


@cache
def moves(position: int) -> dict[int, int]:
    """The actions in a position, each with the index of the position it leads to."""
    return {
        8 * heap + taken: position - STEP[heap] * taken
        for heap, objects in enumerate(heaps_of(position))
        for taken in range(1, objects + 1)
    }


@cache
def lost_indices() -> frozenset[int]:
    """The indices of the positions that are lost for the player to move: every move leaves a won one.

    The end is won for the player to move, as the other has just taken the last object.
    """
    lost: set[int] = set()
    for position in ALL_POSITIONS:
        if not any(after in lost for after in moves(position).values()):
            lost.add(position)
    return frozenset(lost)


def lost_positions() -> set[tuple[int, ...]]:
    """The positions that are lost for the player to move, as heaps."""
    return {heaps_of(position) for position in lost_indices()}


def actions_of(player: Policy, row: int = 0) -> list[int]:
    """What a player who never draws lots does in each position, by its index (nothing at the end, 0)."""
    strategy = player.strategy
    plan, stream, seen = np.zeros(strategy.plan), np.zeros(1, np.uint64), np.ones(SEEN_HEAP + len(FULL), np.int64)
    strategy.prepare(player.thetas[row], plan)
    chosen = [0]
    for position in ALL_POSITIONS:
        seen[SEEN_HEAP:] = heaps_of(position)
        chosen.append(int(strategy.choose(seen, np.array(list(moves(position))), plan, stream)))
    return chosen


def kept_wins(theta: Sequence[float] | np.ndarray) -> tuple[int, int]:
    """In how many of the won positions the strategy leaves a lost one, and how many won positions there are."""
    chosen, lost = actions_of(vector_policy(NIM, theta)), lost_indices()
    won = [position for position in ALL_POSITIONS if position not in lost]
    return sum(moves(position)[chosen[position]] in lost for position in won), len(won)


def against_perfect(theta: Sequence[float] | np.ndarray) -> Fraction:
    """The score against the perfect player: he always wins when he moves second, so it is 1/2 at best."""
    return score(NIM, vector_policy(NIM, theta), find_policy(NIM, "perfect"))


Play = list[dict[int, Fraction]]
"""For each position the chances of the positions a player leaves."""


def _plays(player: Policy) -> list[tuple[Fraction, Play]]:
    """The ways a contender plays, with their weights."""
    if player.how == IN_TURN:
        raise ValueError(f"{player.name}: players in turn have no single exact score; ask for each of them alone")
    if player.how == REDRAWN:
        raise ValueError("the exact score of a redrawn value function at nim is not known: play games instead")
    if player.strategy is UNIFORM:
        equal = [{after: Fraction(1, len(moves(p))) for after in moves(p).values()} for p in (0, *ALL_POSITIONS)]
        return [(Fraction(1), equal)]
    if player.strategy not in (NIM.strategy, NIM.named["perfect"]):
        raise ValueError(f"{player.name} is not a player of nim whose moves are known")
    weights = [Fraction(weight) for weight in player.weights] if player.how == MIXED else [Fraction(1)]
    found = []
    for row, weight in enumerate(weights):
        chosen = actions_of(player, row)
        play: Play = [{}, *({moves(position)[chosen[position]]: Fraction(1)} for position in ALL_POSITIONS)]
        found.append((weight / sum(weights), play))
    return found


def _wins(first: Play, second: Play) -> tuple[Fraction, Fraction]:
    """The chances to win when moving first from the start, of the one and of the other."""
    wins, others = [Fraction(1)], [Fraction(1)]  # at the end the player to move has won
    for position in ALL_POSITIONS:
        wins.append(sum((chance * (1 - others[after]) for after, chance in first[position].items()), Fraction(0)))
        others.append(sum((chance * (1 - wins[after]) for after, chance in second[position].items()), Fraction(0)))
    return wins[-1], others[-1]


def score(game: Game, first: Policy, second: Policy) -> Fraction:
    """The exact score of `first` against `second`, the mean of both starting orders."""
    total, others = Fraction(0), _plays(second)
    for weight, play in _plays(first):
        for weight_other, other in others:
            wins, wins_other = _wins(play, other)
            total += weight * weight_other * (1 + wins - wins_other) / 2
    return total
