"""Nim solved: who wins from every position, how well a value function plays, and exact scores.

Positions are analysed backwards from the end by the rules alone, without Bouton's theorem.
"""

from fractions import Fraction
from functools import cache

import numpy as np

from ...core.agents import REDRAWN, Policy
from ...core.exact import BestReply, members_of, reply_to_members
from ...core.game import UNIFORM, Game, Strategy
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


def actions_of(strategy: Strategy, theta: np.ndarray) -> list[int]:
    """Return a deterministic player's action in each position, by its index (0 at the end)."""
    plan, stream, seen = np.zeros(strategy.plan), np.zeros(1, np.uint64), np.ones(SEEN_HEAP + len(FULL), np.int64)
    strategy.prepare(theta, plan)
    chosen = [0]
    for position in ALL_POSITIONS:
        seen[SEEN_HEAP:] = heaps_of(position)
        chosen.append(int(strategy.choose(seen, np.array(list(moves(position))), plan, stream)))
    return chosen


Play = list[dict[int, Fraction]]  # for each position the chances of the positions a player leaves


def _plays(player: Policy) -> list[tuple[Fraction, Play]]:
    """The ways a policy plays, with their probabilities."""
    members = members_of(player, Fraction)
    if player.how == REDRAWN:
        raise ValueError("the exact score of a redrawn value function at nim is not known: play games instead")
    if player.strategy is UNIFORM:
        equal = [{after: Fraction(1, len(moves(p))) for after in moves(p).values()} for p in (0, *ALL_POSITIONS)]
        return [(Fraction(1), equal)]
    if player.strategy not in (NIM.strategy, NIM.named["perfect"]):
        raise ValueError(f"{player.name} is not a player of nim whose moves are known")
    found = []
    for weight, theta in members:
        chosen = actions_of(player.strategy, theta)
        play: Play = [{}, *({moves(position)[chosen[position]]: Fraction(1)} for position in ALL_POSITIONS)]
        found.append((weight, play))
    return found


def _wins(first: Play, second: Play) -> tuple[Fraction, Fraction]:
    """The chances to win when moving first from the start, of the one and of the other."""
    wins, others = [Fraction(1)], [Fraction(1)]  # at the end the player to move has won
    for position in ALL_POSITIONS:
        wins.append(sum((chance * (1 - others[after]) for after, chance in first[position].items()), Fraction(0)))
        others.append(sum((chance * (1 - wins[after]) for after, chance in second[position].items()), Fraction(0)))
    return wins[-1], others[-1]


def exact_score(game: Game, first: Policy, second: Policy) -> Fraction:
    """The exact score of `first` against `second`, the mean of both starting orders."""
    total, others = Fraction(0), _plays(second)
    for weight, play in _plays(first):
        for weight_other, other in others:
            wins, wins_other = _wins(play, other)
            total += weight * weight_other * (1 + wins - wins_other) / 2
    return total


def best_replies(game: Game, player: Policy) -> list[BestReply]:
    """The best reply, to one member at a time: it would have to guess the member of a mixture from the moves."""
    return [reply_to_members(player, lambda theta: _reply_score(player.strategy, theta))]


def _reply_score(strategy: Strategy, theta: np.ndarray) -> float:
    """Backwards from the end: the reply needs one move that wins, the player has just the one it makes."""
    chosen = actions_of(strategy, theta)
    own, other = [1.0], [0.0]  # what the reply scores when it is to move, and when the player is
    for position in ALL_POSITIONS:
        after = moves(position)
        own.append(max(other[left] for left in after.values()))
        other.append(own[after[chosen[position]]])
    return (own[-1] + other[-1]) / 2
