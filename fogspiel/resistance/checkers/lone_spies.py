"""The checker of The Resistance with spies who do not know each other, sabotages being counted in public.

A certificate is a dict of

    format, game, rules     its format, its game ("lone-" and a set-up), and the version of the rules
    value, lower, upper     payoffs of the resistance as fractions: its guarantee, and the bound the spies hold it to
    resistance              {history: {mission: probability}} wherever the strategy can come
    spies                   {situation: {orders: probability}} wherever the strategy can come
    digest                  of all the rest

For the resistance the players fall into groups that went on the same missions. A mission is written as the number of
members from each group, "2,1", drawn by lot. It splits each group into those who go and those who stay, in this order,
empty ones dropped. A history is a list of missions with the numbers of sabotages, "2:0 2,1:1". When the spies lack one
point, only the last mission is written, from which the rest are drawn; it must be clean, as all spies sabotage whatever
they can.

The spies agree before the roles are dealt. Orders are for all players of a mission, to sabotage it if they are spies.
For the spies, a group splits into those who go with the order to sabotage, those who go without, and those who stay. A
situation is the list of missions, orders and numbers of sabotages so far, "2/1:0 1,0,2/1,0,1:1", and the mission of the
round, all by these groups. When the resistance lacks one point, some player must be ordered to sabotage.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

from ...solving.proofs.checkers.primitives import (
    Bounds,
    check_digest,
    check_head,
    check_rules,
    demand,
    go_on,
    probability,
    prove_bounds,
    quoted,
    refusal,
    total,
)
from ..game import VERSION, Setup, find_setup, name_of
from .resistance import OWNERS, Groups, ResistanceCertificate, Score, TeamStrategy, lowest, split

FORMAT = "fogspiel lone spies certificate 1"
VERIFY_FIRST = {FORMAT: True}  # explanations trust the certificate's content
PREFIX = "lone-"
MAX_PLAYERS = 6


class LoneCertificate(ResistanceCertificate):
    """The strategies of both teams."""


def verify(body: Any) -> Bounds:
    """Return the bounds that a certificate proves, or raise a ValueError with the flaw."""
    check_head(body, LoneCertificate.__required_keys__, FORMAT)
    check_rules(body, VERSION)
    setup = setup_of(body["game"])
    check_digest(body)
    resistance, spies = Resistance(setup, body["resistance"]), Spies(setup, body["spies"])
    return prove_bounds(body, OWNERS, resistance.payoff, spies.payoff, exact=False)


def setup_of(game: Any) -> Setup:
    """Return the set-up that a certificate names in canonical form."""
    name = game if isinstance(game, str) else ""
    demand(name.startswith(PREFIX), f"it is for {quoted(game)}, which does not begin with {PREFIX!r}")
    try:
        setup = find_setup(name.removeprefix(PREFIX))
    except ValueError as error:
        raise refusal(str(error)) from None
    demand(name == PREFIX + name_of(setup), f"it is for {quoted(game)}, which is written {PREFIX}{name_of(setup)}")
    try:
        check_lone(name, setup)
    except ValueError as error:
        raise refusal(str(error)) from None
    return setup


def check_lone(name: str, setup: Setup) -> None:
    """Raise a ValueError for a table that is not solved with spies who do not know each other."""
    if setup.players > MAX_PLAYERS or not setup.nested:
        raise ValueError(
            f"{name} is not solved here: spies who do not know each other need {MAX_PLAYERS} players at most, and a "
            "last mission that takes one sabotage and is the largest of the late ones"
        )


def text_of(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


def chosen(groups: Groups, numbers: tuple[int, ...]) -> int:
    return sum(lowest(group, number) for group, number in zip(groups, numbers, strict=True))


def numbers_of(groups: Groups, players: int) -> tuple[int, ...]:
    return tuple((group & players).bit_count() for group in groups)


def choices(groups: Groups, size: int) -> list[tuple[int, ...]]:
    """Return all choices of `size` players, as numbers for the groups."""
    ranges = [range(min(group.bit_count(), size) + 1) for group in groups]
    return [numbers for numbers in product(*ranges) if sum(numbers) == size]


def lots(groups: Groups, finer: Groups, mission: tuple[int, ...]) -> Iterator[tuple[int, Fraction]]:
    """Yield the possible draws, as the spies see them, for this many members of each resistance group; and chances."""
    for numbers in choices(finer, sum(mission)):
        players = chosen(finer, numbers)
        if numbers_of(groups, players) == mission:
            yield players, Fraction(draws(finer, numbers), draws(groups, mission))


def draws(groups: Groups, numbers: tuple[int, ...]) -> int:
    """Return the number of ways to draw this many players of each group."""
    return prod(comb(group.bit_count(), number) for group, number in zip(groups, numbers, strict=True))


class LoneStrategy(TeamStrategy):
    """A strategy of a team, where spies follow orders that all players of a mission were given."""

    def shares(self, place: str, known: list[str]) -> dict[str, Fraction]:
        """Return the probabilities at a place, after checking that the options are legal there."""
        go_on()
        found = {name: probability(share, "a probability") for name, share in self.row(place).items()}
        strange = [name for name in found if name not in known]
        demand(not strange, f"{quoted(''.join(strange[:1]))} cannot be done in the situation {place!r}")
        demand(total(found.values()) == 1, f"the probabilities in the situation {place!r} do not add up to 1")
        return found

    def is_last(self, score: Score) -> bool:
        """True if the spies lack one point, so that the resistance picks the last mission."""
        return score[1] == self.setup.points - 1

    def size(self, score: Score) -> int:
        """Return the size of this round's mission, or of the last one where that is picked."""
        return self.setup.sizes[-1 if self.is_last(score) else sum(score)]

    def all_orders(self, score: Score, finer: Groups, mission: int) -> list[tuple[int, ...]]:
        sent = numbers_of(finer, mission)
        every = list(product(*(range(number + 1) for number in sent)))
        return [orders for orders in every if any(orders)] if score[0] == self.setup.points - 1 else every

    def outcomes(self, score: Score, alive: list[int], told: int) -> Iterator[tuple[int, Score, list[int]]]:
        """Yield every number of sabotages with the score and the spy sets after it."""
        for sabotages in range(self.setup.spies + 1):
            left = [spies for spies in alive if (spies & told).bit_count() == sabotages]
            failed = sabotages >= self.setup.needed[sum(score)]
            if left:
                yield sabotages, (score[0] + (not failed), score[1] + failed), left


class Resistance(LoneStrategy):
    """The resistance's strategy against the best orders."""

    def won(self) -> Fraction:
        return self.least("", self.everyone, self.everyone, (0, 0), self.spies)

    def least(self, history: str, groups: Groups, finer: Groups, score: Score, alive: list[int]) -> Fraction:
        """Return the resistance's least win from here: the remaining spy sets, each by its winning probability."""
        missions = {text_of(numbers): numbers for numbers in choices(groups, self.size(score))}
        found = Fraction(0)
        for name, share in self.shares(history, list(missions)).items():
            if not share:
                continue
            for mission, chance in lots(groups, finer, missions[name]):
                if self.is_last(score):
                    found += share * chance * sum(not spies & mission for spies in alive)
                else:
                    way = f"{history} {name}".strip()
                    found += share * chance * self.least_after(way, groups, finer, score, alive, mission)
        return found

    def least_after(
        self, way: str, groups: Groups, finer: Groups, score: Score, alive: list[int], mission: int
    ) -> Fraction:
        """Return the resistance's least win once the mission is known."""
        worst = Fraction(len(alive))
        going = tuple(group & mission for group in finer)
        for orders in self.all_orders(score, finer, mission):
            go_on()
            told, found = chosen(going, orders), Fraction(0)
            for sabotages, after, left in self.outcomes(score, alive, told):
                if after[0] == self.setup.points:
                    found += len(left)
                elif after[1] < self.setup.points:
                    parts = split(split(finer, mission), told)
                    found += self.least(f"{way}:{sabotages}", split(groups, mission), parts, after, left)
            worst = min(worst, found)
        return worst


# The spies' information: the situation as text, the groups of the resistance and their own, spy sets, probability.
Known = tuple[str, Groups, Groups, list[int], Fraction]


class Spies(LoneStrategy):
    """The spies' strategy against the best resistance."""

    def won(self) -> Fraction:
        return self.most((0, 0), [("", self.everyone, self.everyone, self.spies, Fraction(1))])

    def most(self, score: Score, known: list[Known]) -> Fraction:
        """Return the resistance's greatest win from here, given every possible knowledge of the spies."""
        groups = known[0][1]  # its groups have the same sizes in all of these
        found = self.at_last if self.is_last(score) else self.after_mission
        return max(found(score, known, mission) for mission in choices(groups, self.size(score)))

    def at_last(self, score: Score, known: list[Known], mission: tuple[int, ...]) -> Fraction:
        found = Fraction(0)
        for _, groups, finer, alive, weight in known:
            go_on()
            for players, chance in lots(groups, finer, mission):
                found += weight * chance * sum(not spies & players for spies in alive)
        return found

    def after_mission(self, score: Score, known: list[Known], mission: tuple[int, ...]) -> Fraction:
        """Return the greatest win if this many of each group are sent."""
        won, later = Fraction(0), dict[tuple[int, Score], list[Known]]()
        for place, groups, finer, alive, weight in known:
            for players, chance in lots(groups, finer, mission):
                here = f"{place} {text_of(numbers_of(finer, players))}".strip()
                names = {text_of(orders): orders for orders in self.all_orders(score, finer, players)}
                going = tuple(group & players for group in finer)
                for name, share in self.shares(here, list(names)).items():
                    told, likely = chosen(going, names[name]), weight * chance * share
                    for sabotages, after, left in self.outcomes(score, alive, told) if share else ():
                        parts = split(split(finer, players), told)
                        if after[0] == self.setup.points:
                            won += likely * len(left)
                        elif after[1] < self.setup.points:
                            state = f"{here}/{name}:{sabotages}", split(groups, players), parts, left, likely
                            later.setdefault((sabotages, after), []).append(state)
        return won + total(self.most(after, states) for (_, after), states in later.items())
