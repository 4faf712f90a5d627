"""The checker of solutions of The Resistance: plain integers, the rules, and no solver.

A certificate is a dict of

    format, game, rules     its format, its game, and the version of the rules
    value, lower, upper     payoffs of the resistance as fractions: its guarantee, and the bound the spies hold it to
    resistance              {history: {mission or plan: probability}} wherever the strategy can come
    spies                   {history and mission: {type: probability of sabotage}} while both teams lack two points
    digest                  of all the rest

After a history the players fall into groups that went on the same missions. A mission is written as the number of
members from each group, "2,1"; it splits each group into those who go and those who stay, in this order, empty ones
dropped. A history is a list of missions with outcomes, "2+ 2,1-", where - is sabotage. The members are drawn from each
group by lot. A type is the number of spies in each group after the mission.

When a team lacks one point, the resistance follows a plan: the missions that are left, "2,0,0 1,1,1 1,0,1,0,1". One of
them must be clean if the resistance lacks the point, and all otherwise. In the second case only the last one is
written, from which the rest are drawn, where it is the largest of the late ones and falls by one sabotage. The spies
sabotage whenever they can.

A game that is not official is named by its numbers: resistance7-2-3-3-4x2-4-2spies has 7 players, 2 spies and 5
missions, the fourth of 4 players, which takes 2 sabotages.
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from itertools import combinations
from typing import Any

from ...solving.proofs.checkers.primitives import (
    Bounds,
    SolutionCertificate,
    check_digest,
    check_head,
    check_rules,
    common_denominator,
    demand,
    go_on,
    probability,
    prove_bounds,
    quoted,
    refusal,
    total,
)
from ..game import SETUPS, VERSION, Setup, find_setup, name_of

FORMAT = "fogspiel resistance certificate 1"
OWNERS = "the resistance's", "the spies'"
VERIFY_FIRST = {FORMAT: True}  # explanations trust the certificate's content
Groups = tuple[int, ...]  # masks of players; player i is bit i
Score = tuple[int, int]  # the points of the resistance and of the spies


class ResistanceCertificate(SolutionCertificate):
    """The strategies of both teams."""

    resistance: dict[str, dict[str, str]]
    spies: dict[str, dict[str, str]]


def verify(body: Any) -> Bounds:
    """Return the value, as two equal bounds, that a certificate proves, or raise a ValueError with the flaw."""
    check_head(body, ResistanceCertificate.__required_keys__, FORMAT)
    check_rules(body, VERSION)
    setup = setup_of(body["game"])
    check_digest(body)
    resistance, spies = Resistance(setup, body["resistance"]), Spies(setup, body["spies"])
    return prove_bounds(body, OWNERS, resistance.payoff, spies.payoff)


def setup_of(game: Any) -> Setup:
    """Return the set-up that a certificate names in canonical form."""
    try:
        setup = find_setup(str(game))
    except ValueError as error:
        names = ", ".join(f"resistance{players}" for players in SETUPS)
        raise refusal(f"it must be for one of {names}, or for a variant: {error}") from None
    demand(game == name_of(setup), f"it is for {quoted(game)}, which is written {name_of(setup)}")
    return setup


def lowest(group: int, number: int) -> int:
    """Return the lowest `number` players of a group."""
    return sum(1 << player for player in [p for p in range(16) if group >> p & 1][:number])


def split(groups: Groups, mission: int) -> Groups:
    return tuple(half for group in groups for half in (group & mission, group & ~mission) if half)


def crews(groups: Groups, size: int) -> list[int]:
    """Return one mission of that size of each kind."""
    if not groups:
        return [0] if size == 0 else []
    most = range(min(groups[0].bit_count(), size) + 1)
    return [lowest(groups[0], number) | rest for number in most for rest in crews(groups[1:], size - number)]


def numbers(groups: Groups, players: int) -> str:
    return ",".join(str((group & players).bit_count()) for group in groups)


class TeamStrategy(ABC):
    """A strategy, of which every entry must be used in the end."""

    def __init__(self, setup: Setup, table: Any) -> None:
        tables = isinstance(table, dict) and all(isinstance(row, dict) for row in table.values())
        demand(tables, "a strategy must be a table of tables")
        self.setup, self.table, self.used = setup, table, set[str]()
        self.everyone: Groups = ((1 << setup.players) - 1,)
        self.spies = [sum(1 << p for p in spies) for spies in combinations(range(setup.players), setup.spies)]

    def row(self, history: str) -> dict[str, str]:
        demand(history in self.table, f"the strategy says nothing about the situation {history!r}")
        self.used.add(history)
        row: dict[str, str] = self.table[history]
        return row

    def payoff(self) -> Fraction:
        won = self.won()
        extra = sorted(set(self.table) - self.used)
        demand(not extra, f"the strategy speaks of the situation {quoted(''.join(extra[:1]))}, which cannot come up")
        return 2 * won / len(self.spies) - 1

    @abstractmethod
    def won(self) -> Fraction:
        """Return the sum over the spy sets of the probability that the resistance wins."""


class GroupStrategy(TeamStrategy):
    """A strategy of a team with plans for groups of players who went on the same missions."""

    def clean(self, number: int, mission: int, spies: int) -> bool:
        """True if these spies are too few on the mission of a round to sabotage it."""
        return (mission & spies).bit_count() < self.setup.needed[number]

    def behind(self, score: Score) -> bool:
        """True if the spies lack only one point, so that all the missions of a plan must be clean."""
        return score[1] == self.setup.points - 1

    def first_of_plan(self, score: Score) -> int:
        """Return the round of the first mission that a plan writes."""
        return self.setup.rounds - 1 if self.behind(score) and self.setup.nested else sum(score)


class Resistance(GroupStrategy):
    """The resistance's strategy against the best spies."""

    def won(self) -> Fraction:
        return sum(self.against("", self.everyone, (0, 0)).values(), Fraction(0))

    def against(self, history: str, groups: Groups, score: Score) -> dict[int, Fraction]:
        """Return the probability to win against each spy set, where spies of one type act alike."""
        won = dict.fromkeys(self.spies, Fraction(0))
        shares = {text: probability(share, f"the share of {quoted(text)}") for text, share in self.row(history).items()}
        right = total(shares.values()) == 1 and 0 not in shares.values()
        demand(right, f"the probabilities at {history!r} must be positive and sum to 1")
        round_, tail = sum(score), max(score) == self.setup.points - 1
        for text, share in shares.items():
            if tail:
                for spies in self.planned(text, groups, score):
                    won[spies] += share
                continue
            mission = self.read(text, groups, self.setup.sizes[round_])
            after, way = split(groups, mission), f"{history} {text}".strip()
            passed = self.against(way + "+", after, (score[0] + 1, score[1]))
            failed = self.against(way + "-", after, (score[0], score[1] + 1))
            kinds: dict[str, list[int]] = {}
            for spies in self.spies:
                kinds.setdefault(numbers(after, spies), []).append(spies)
            for kind in kinds.values():
                able = not self.clean(round_, mission, kind[0])
                fails = able and sum(failed[spies] for spies in kind) < sum(passed[spies] for spies in kind)
                for spies in kind:
                    go_on()
                    won[spies] += share * (failed if fails else passed)[spies]
        return won

    def read(self, text: str, groups: Groups, size: int) -> int:
        for mission in crews(groups, size):
            if numbers(groups, mission) == text:
                return mission
        raise refusal(f"{quoted(text)} is no mission of {size} players from groups of {numbers(groups, -1)}")

    def planned(self, text: str, groups: Groups, score: Score) -> list[int]:
        """Return the spy sets that a plan wins against."""
        words, first = text.split(" "), self.first_of_plan(score)
        left = self.setup.rounds - first
        demand(len(words) == left, f"the plan {quoted(text)} must list {left} missions")
        missions = []
        for number, word in enumerate(words, first):
            missions.append((number, self.read(word, groups, self.setup.sizes[number])))
            groups = split(groups, missions[-1][1])
        enough = all if self.behind(score) else any
        return [spies for spies in self.spies if enough(self.clean(*mission, spies) for mission in missions)]


class Spies(GroupStrategy):
    """The spies' strategy against the best resistance."""

    def won(self) -> Fraction:
        return self.best("", self.everyone, (0, 0), dict.fromkeys(self.spies, Fraction(1)))

    def best(self, history: str, groups: Groups, score: Score, weights: dict[int, Fraction]) -> Fraction:
        """Return the most that the resistance wins, where each spy set comes here with its weight."""
        if max(score) == self.setup.points - 1:
            scale = common_denominator(weights.values())
            whole = [(spies, int(weight * scale)) for spies, weight in weights.items() if weight]
            return Fraction(self.plan(groups, self.first_of_plan(score), whole, 0, self.behind(score)), scale)
        found = []
        for mission in crews(groups, self.setup.sizes[sum(score)]):
            go_on()
            after, way = split(groups, mission), f"{history} {numbers(groups, mission)}".strip()
            able = [spies for spies in weights if not self.clean(sum(score), mission, spies)]
            kinds = {spies: numbers(after, spies) for spies in able}
            row = self.row(way) if able else {}
            needed = sorted(set(kinds.values()))
            demand(sorted(row) == needed, f"the spies' types at {way!r} must be {needed}")
            often = {kind: probability(text, f"the sabotage of {kind!r} at {way!r}") for kind, text in row.items()}
            failed = {spies: weights[spies] * often[kinds[spies]] for spies in able}
            passed = {spies: weight - failed.get(spies, 0) for spies, weight in weights.items()}
            found.append(
                self.best(way + "+", after, (score[0] + 1, score[1]), passed)
                + self.best(way + "-", after, (score[0], score[1] + 1), failed)
            )
        return max(found)

    def plan(self, groups: Groups, round_: int, alive: list[tuple[int, int]], best: int, behind: bool) -> int:
        """Return the most that the missions from this round on win if spies always sabotage, or `best` if larger."""
        size = self.setup.sizes[round_]
        if round_ == self.setup.rounds - 1:
            return self.last(groups, size, alive, best)
        everything = sum(weight for _, weight in alive)
        for mission in crews(groups, size) if everything > best else []:
            # If all must be clean, only the spy sets that this one is clean of remain; otherwise these are won already.
            left = [(spies, weight) for spies, weight in alive if self.clean(round_, mission, spies) == behind]
            start = 0 if behind else everything - sum(weight for _, weight in left)
            rest = self.plan(split(groups, mission), round_ + 1, left, max(best - start, 0), behind)
            best = max(best, start + rest)
        return best

    def last(self, groups: Groups, size: int, alive: list[tuple[int, int]], best: int, crew: int = 0) -> int:
        """Return the most that a last mission wins, or `best` if larger: spy sets drop out as players are sent."""
        go_on()
        everything, needed = sum(weight for _, weight in alive), self.setup.needed[-1]
        if everything <= best:
            return best
        if size == 0:
            return everything
        for number in range(min(groups[0].bit_count(), size) + 1) if groups else ():
            sent = crew | lowest(groups[0], number)
            left = [(spies, weight) for spies, weight in alive if (spies & sent).bit_count() < needed]
            best = self.last(groups[1:], size - number, left, best, sent)
        return best
