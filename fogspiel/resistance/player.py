"""Play by a solution: strategies on groups of players, applied to individual players.

The certificate gives the number of members from each group; these are drawn by lot. A plan for a tail is drawn again in
every round among those consistent with the history, with weights that make the whole as likely as drawing it once.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import comb, prod
from operator import or_

import numpy as np

from ..core.agents import PlayerAgent, draw_index
from ..core.behaviour_policy import InformationState, Probabilities
from ..core.rng import random_below, random_unit
from .checkers.resistance import ResistanceCertificate
from .game import Setup, rules
from .orbits import counts, everyone, numbered, split


class Situation:
    """Public history: the missions and outcomes so far, in certificate format."""

    def __init__(self, setup: Setup, rounds: list[tuple[int, bool]]) -> None:
        """Store the finished rounds: the mission as a mask, and whether it succeeded."""
        self.setup, self.history, self.groups = setup, "", everyone(setup)
        self.score, self.tail_missions, self.tail_words = (0, 0), list[int](), list[str]()
        after = self.groups
        for mission, success in rounds:
            word = numbered(counts(after, mission))
            after = split(after, mission)
            if self.tail:
                self.tail_missions.append(mission)
                self.tail_words.append(word)
            else:
                self.history = f"{self.history} {word}{'+' if success else '-'}".strip()
                self.groups = after
            self.score = (self.score[0] + success, self.score[1] + (not success))
        self.now = after  # the groups after all the missions; `groups` and `history` stop where the tail starts

    @property
    def tail(self) -> bool:
        """True if a team lacks only one point."""
        return max(self.score) >= self.setup.points - 1

    @property
    def listed(self) -> bool:
        """True if the strategy lists the mission of this round; otherwise it is drawn from the last one."""
        return not self.tail or self.ahead or not self.setup.nested

    @property
    def ahead(self) -> bool:
        """True if the resistance came to lack one point first."""
        return self.history.count("+") == self.setup.points - 1


def situation(seen: np.ndarray) -> Situation:
    rounds = [
        (int(mission), outcome == rules.SUCCESS)
        for mission, outcome in zip(
            seen[rules.SEEN_MISSION : rules.SEEN_OUTCOME], seen[rules.SEEN_OUTCOME : rules.SEEN_SECRET], strict=True
        )
        if outcome in (rules.SUCCESS, rules.FAILURE)
    ]
    return Situation(setup_of(seen), rounds)


def setup_of(seen: np.ndarray) -> Setup:
    """Return the set-up, which every view contains."""
    sizes, needed = (
        seen[rules.SIZE : rules.SIZE + rules.ROUNDS].tolist(),
        seen[rules.NEEDED : rules.NEEDED + rules.ROUNDS].tolist(),
    )
    return Setup(int(seen[rules.PLAYERS]), int(seen[rules.SPIES]), tuple(sizes), tuple(needed), rules.POINTS)


def offers(body: ResistanceCertificate, here: Situation) -> dict[tuple[int, ...], Fraction]:
    """Return the weights of the missions that the resistance may send now, as numbers of the groups, not normalised.

    In a tail in which the spies lack one point the numbers are those of the last mission, in the groups with which the
    tail began; all missions of the tail are drawn from it.
    """
    found: dict[tuple[int, ...], Fraction] = {}
    for text, share in body["resistance"].get(here.history, {}).items():
        words = text.split(" ")
        played = len(here.tail_words)
        weight = Fraction(share)
        if here.listed:
            if words[:played] != here.tail_words:
                continue
            numbers = tuple(map(int, words[played].split(",")))
        else:
            numbers = tuple(map(int, words[-1].split(",")))
            gone = counts(here.groups, unite(here.tail_missions))
            weight *= prod(comb(most, number) for most, number in zip(numbers, gone, strict=True))
        if weight:
            found[numbers] = found.get(numbers, Fraction(0)) + weight
    return found


def unite(missions: list[int]) -> int:
    return reduce(or_, missions, 0)


def draw_from(players: int, number: int, stream: np.ndarray) -> int:
    left, mask = [player for player in range(players.bit_length()) if players >> player & 1], 0
    for _ in range(number):
        mask |= 1 << left.pop(int(random_below(stream, len(left))))
    return mask


def resistance_choice(body: ResistanceCertificate, seen: np.ndarray, actions: np.ndarray, stream: np.ndarray) -> int:
    """Return the mission of the resistance's strategy, or any if the history deviates from it."""
    here = situation(seen)
    shares = offers(body, here)
    if not shares:
        return int(actions[random_below(stream, len(actions))])
    chosen = list(shares)[draw_index([float(share) for share in shares.values()], stream)]
    if here.listed:
        crews = [draw_from(group, number, stream) for group, number in zip(here.now, chosen, strict=True)]
        return unite(crews)
    # The spies lack one point: previous members go again, and the last mission has space for them all.
    gone, size = unite(here.tail_missions), here.setup.sizes[sum(here.score)]
    new = [
        draw_from(group & ~gone, number - (group & gone).bit_count(), stream)
        for group, number in zip(here.groups, chosen, strict=True)
    ]
    again = draw_from(gone, min(size, gone.bit_count()), stream)
    return again | draw_from(unite(new), size - again.bit_count(), stream)


def sabotage_chance(body: ResistanceCertificate, here: Situation, spies: int, mission: int) -> Fraction:
    """Return the spies' probability of sabotaging a mission, 0 where they cannot."""
    if (spies & mission).bit_count() < here.setup.needed[sum(here.score)]:
        return Fraction(0)
    if here.tail:
        return Fraction(1)
    way = f"{here.history} {numbered(counts(here.groups, mission))}".strip()
    return Fraction(body["spies"][way][numbered(counts(split(here.groups, mission), spies))])


def spies_choice(body: ResistanceCertificate, seen: np.ndarray, actions: np.ndarray, stream: np.ndarray) -> int:
    here = situation(seen)
    mission = int(seen[rules.SEEN_MISSION + sum(here.score)])
    chance = sabotage_chance(body, here, int(seen[rules.SEEN_SECRET]), mission)
    return rules.SABOTAGE if len(actions) > 1 and random_unit(stream) < float(chance) else rules.PASS


def mission_shares(body: ResistanceCertificate, seen: np.ndarray, actions: Sequence[int]) -> dict[int, Fraction]:
    """Return the probability of each mission that `resistance_choice` draws."""
    here = situation(seen)
    shares = offers(body, here)
    if not shares:
        return dict.fromkeys(actions, Fraction(1, len(actions)))
    total, found = sum(shares.values()), dict[int, Fraction]()
    gone, size = unite(here.tail_missions), here.setup.sizes[sum(here.score)]
    again = min(size, gone.bit_count())
    fresh = tuple(group & ~gone for group in here.groups)
    for mission in actions:
        if here.listed:
            numbers = counts(here.now, mission)
            share = shares.get(numbers, Fraction(0))
            ways = prod(comb(group.bit_count(), number) for group, number in zip(here.now, numbers, strict=True))
        elif (mission & gone).bit_count() != again:
            continue
        else:  # the new members of the last mission are drawn from each group, then those that go now from these
            ways = comb(gone.bit_count(), again)
            taken = counts(fresh, mission)
            share = Fraction(0)
            for numbers, weight in shares.items():
                new = [number - (group & gone).bit_count() for number, group in zip(numbers, here.groups, strict=True)]
                drawn = prod(comb(most, number) for most, number in zip(new, taken, strict=True))
                share += weight * Fraction(drawn, comb(sum(new), size - again))
            ways *= prod(comb(group.bit_count(), number) for group, number in zip(fresh, taken, strict=True))
        if share:
            found[mission] = share / total / ways
    return found


def probabilities_of(body: ResistanceCertificate) -> Probabilities:
    """Return the probabilities of both strategies; uniform after a history that the resistance never lets happen."""

    def probabilities(state: InformationState) -> dict[int, Fraction]:
        if state.player == 0:
            return mission_shares(body, state.view, state.actions)
        here = situation(state.view)
        mission, spies = int(state.view[rules.SEEN_MISSION + sum(here.score)]), int(state.view[rules.SEEN_SECRET])
        share = sabotage_chance(body, here, spies, mission)
        return {rules.PASS: 1 - share} | ({rules.SABOTAGE: share} if len(state.actions) > 1 else {})

    return probabilities


class Follower:
    """Player of a solution, as either team."""

    def __init__(self, body: ResistanceCertificate, stream: np.ndarray) -> None:
        self.body, self.stream = body, stream

    def begin(self, side: int) -> None:
        self.choice = spies_choice if side else resistance_choice

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        return self.choice(self.body, seen, np.array(actions, np.int64), self.stream)


def follower(name: str, body: ResistanceCertificate) -> PlayerAgent:
    return PlayerAgent(name, lambda stream: Follower(body, stream))
