"""Merlin of Avalon with a secret ballot: how often the good team of The Resistance wins then.

A plug-in: `fogspiel --plugins benchmarks/plugins paper merlin`.
"""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from fogspiel.papers.kinds import Computation, Options, Say
from fogspiel.resistance.game import SETUPS, Setup
from fogspiel.resistance.orbits import Groups, everyone, missions, split
from fogspiel.runs.report import Cell, Report, Table

# Merlin of Avalon: one good player knows the spies, who win after all if they name that player at the end.
#
# The spies can always let three missions pass and name a good player by lot, so the good team wins at most 1 - 1 /
# (good players). It wins as much if it can surely win three missions without revealing Merlin. Whispering suffices for
# that (Christiano 2018). Here there is only a secret ballot: everybody puts in a blank paper or a set of spies, Merlin
# the true one, other good players a blank. The papers are read to all: one set of spies is true, and the spies can have
# added one false set each. If the missions depend on the sets alone, spies who know what they wrote learn nothing about
# Merlin. A sabotaged mission refutes the sets with too few spies on it.

Claims = frozenset[int]  # spy sets as masks of players, one of which is the true one


class Ballot(NamedTuple):
    """Value of a secret ballot to the good team."""

    most: Fraction  # upper bound on the good team's probability of winning
    claims: int  # number of kinds of sets of claims, up to relabelling
    # Those of them with which the good team cannot surely win three missions; with none of them, `most` is won.
    lost: int


def ballot(setup: Setup) -> Ballot:
    """Return the value of a secret ballot, by a search through all claims and sabotages of the spies."""
    every = claim_sets(setup)
    lost = sum(not wins_for_sure(setup, claims) for claims in every)
    return Ballot(1 - Fraction(1, setup.players - setup.spies), len(every), lost)


def claim_sets(setup: Setup) -> list[Claims]:
    """Return the true set and as many false ones as there are spies, up to relabelling; fewer are no harder."""
    found: list[tuple[int, ...]] = [((1 << setup.spies) - 1,)]
    for _ in range(setup.spies):
        longer: dict[tuple[tuple[bool, ...], ...], tuple[int, ...]] = {}
        for claims in found:
            for claim in missions(_groups(setup, claims), setup.spies):
                if claim not in claims:
                    more = (*claims, claim)
                    players = (tuple(bool(c >> p & 1) for c in more) for p in range(setup.players))
                    longer.setdefault(tuple(sorted(players)), more)
        found = list(longer.values())
    return list(map(frozenset, found))


def wins_for_sure(setup: Setup, claims: Claims) -> bool:
    """True if some missions win whichever claim is true and whatever the spies sabotage."""
    groups = _groups(setup, tuple(sorted(claims)))

    @cache
    def wins(left: Claims, won: int, lost: int) -> bool:
        if setup.points in (won, lost):
            return won == setup.points
        number = won + lost
        for mission in missions(groups, setup.sizes[number]):
            able = frozenset(spies for spies in left if (spies & mission).bit_count() >= setup.needed[number])
            if (not able or wins(able, won, lost + 1)) and wins(left, won + 1, lost):
                return True
        return False

    return wins(claims, 0, 0)


def _groups(setup: Setup, claims: tuple[int, ...]) -> Groups:
    groups = everyone(setup)
    for claim in claims:
        groups = split(groups, claim)
    return groups


# The report

MAX_PLAYERS = 9  # with ten players there are too many claims of the spies to search
COLUMNS = ("players", "wins at most", "kinds of claims", "not sure", "wins")


def compute(options: Options, say: Say) -> Report:
    rows: list[tuple[Cell, ...]] = []
    for players in range(5, min(options.players, MAX_PLAYERS) + 1):
        say(f"Merlin, {players} players")
        found = ballot(SETUPS[players])
        most = str(found.most)
        rows.append((players, most, found.claims, found.lost, f"at most {most}" if found.lost else most))
    title = "Merlin of Avalon with a secret ballot"
    return Report("merlin", title, "fogspiel paper merlin", (), [Table("merlin", title, COLUMNS, rows)])


EXPERIMENTS = (Computation("merlin", "Christiano 2018", compute),)
