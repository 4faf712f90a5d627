"""The balance of The Resistance: mission tables that give both teams nearly the same chance.

For most tables two simple rules (`orbits`) secure the same for both teams, which is the value. The remaining tables
are solved, the potentially fairest first, until none can be nearer to one half than those already known. A sweep runs
in steps, so an interrupted sweep resumes from its stored rows.
"""

from bisect import insort
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise, product
from typing import Any, NamedTuple

from .certificate import solve
from .game import SETUPS, Setup, find_setup, make_setup, name_of
from .orbits import spy_rule, team_rule

FAIR = Fraction(1, 2)
STARS = ((1, 1, 1, 1, 1), (1, 1, 1, 2, 1))  # all missions take one sabotage, or the fourth one takes two
BATCH = 100  # tables per step of bounds
Row = Mapping[str, Any]  # result of a step: the bounds of the next tables, or the value of one that was solved


@dataclass(frozen=True)
class TableSpace:
    """All mission tables with sizes in a range, in any order, each with some choices of stars."""

    players: int
    spies: int
    smallest: int
    largest: int
    stars: tuple[tuple[int, ...], ...] = STARS  # the sabotages that missions take, one of these for each table

    def __post_init__(self) -> None:
        if self.smallest > self.largest:
            raise ValueError(f"missions have {self.smallest} to {self.largest} players: the larger number comes last")
        for size in (self.smallest, self.largest):
            for needed in self.stars:
                make_setup(self.players, self.spies, (size,) * len(needed), needed)

    def __iter__(self) -> Iterator[Setup]:
        for sizes in product(range(self.smallest, self.largest + 1), repeat=self.missions):
            for needed in self.stars:
                yield make_setup(self.players, self.spies, sizes, needed)

    @property
    def missions(self) -> int:
        return len(self.stars[0])

    @property
    def size(self) -> int:
        return int(len(self.stars) * (self.largest - self.smallest + 1) ** self.missions)

    @property
    def words(self) -> str:
        starred = "with and without a star (two sabotages) on the fourth"
        if self.stars != STARS:
            starred = f"that take {', '.join(map(str, self.stars[0]))} sabotages"
        return (
            f"all {self.size:,} tables of {NUMBERS[self.missions]} missions of {self.smallest} to {self.largest} of "
            f"{self.players} players, {self.spies} of them spies, in any order, {starred}"
        )

    def to_json(self) -> dict[str, Any]:
        sizes = {"smallest": self.smallest, "largest": self.largest}
        return {"players": self.players, "spies": self.spies, **sizes, "stars": [list(needed) for needed in self.stars]}


NUMBERS = {3: "three", 5: "five", 7: "seven"}


class FairTable(NamedTuple):
    """A table with its value; sorted by distance from one half, then by the number of drops in size."""

    distance: Fraction
    drops: int  # number of missions smaller than the one before
    setup: Setup
    wins: Fraction

    @property
    def name(self) -> str:
        return name_of(self.setup)

    @property
    def missions(self) -> str:
        missions = zip(self.setup.sizes, self.setup.needed, strict=True)
        return " ".join(f"{size}{'*' if needed > 1 else ''}" for size, needed in missions)

    def to_json(self) -> dict[str, Any]:
        setup, value = self.setup, 2 * self.wins - 1
        numbers = {"missions": list(setup.sizes), "sabotages_needed": list(setup.needed)}
        return {"game": self.name} | numbers | {"wins": str(self.wins), "value": str(value)}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "FairTable":
        return fair_table(find_setup(body["game"]), Fraction(body["wins"]))


@dataclass(frozen=True)
class Sweep:
    """Results of a sweep, with the number of tables settled by each method."""

    space: TableSpace
    nearest: list[FairTable]
    ties: int  # tables as near as the nearest one, including it
    by_rules: int
    by_program: int
    too_far: int  # tables excluded from the nearest ones by their bounds

    def to_json(self) -> dict[str, Any]:
        space = self.space
        looked: dict[str, Any] = {"players": space.players, "spies": space.spies}
        settled = {"by_rules": self.by_rules, "by_program": self.by_program, "too_far": self.too_far}
        rows = [table.to_json() for table in self.nearest]
        setup = SETUPS.get(space.players)  # the official missions, under optimal play of both teams
        official = str(spy_rule(setup).wins) if setup is not None and setup.spies == space.spies else None
        looked |= {"sizes": [space.smallest, space.largest], "space": space.words, "tables": space.size}
        return looked | {"ties": self.ties} | settled | {"official": official, "nearest": rows}


class SweepStep(NamedTuple):
    """A step of a sweep: its row, the completed share of the work, and a description."""

    row: dict[str, Any]
    share: float
    words: str


def sweep(space: TableSpace, count: int, stored: Sequence[Row] = ()) -> Generator[SweepStep, None, Sweep]:
    """Find the `count` tables with values nearest to one half, resuming from stored rows.

    Only new steps are yielded: the bounds of some tables each, then the values of tables that had to be solved.
    """
    known: list[FairTable] = []
    open_: list[tuple[Fraction, Setup]] = []
    number, every = 0, iter(space)
    while tables := list(islice(every, BATCH)):
        number += 1
        if number <= len(stored):
            bounds = stored[number - 1]["bounds"]
        else:
            bounds = [[str(team_rule(setup).wins), str(spy_rule(setup).wins)] for setup in tables]
            share = min(1.0, number * BATCH / space.size)
            yield SweepStep({"number": number, "bounds": bounds}, share, f"bounds of {space.size:,} tables")
        for setup, (least, most) in zip(tables, bounds, strict=True):
            if least == most:
                known.append(fair_table(setup, Fraction(most)))
            else:
                open_.append((max(Fraction(least) - FAIR, FAIR - Fraction(most), Fraction(0)), setup))
    known.sort()
    by_rules, by_program = len(known), 0
    for distance, setup in sorted(open_):
        if len(known) >= count and distance > known[count - 1].distance:
            break
        number, by_program = number + 1, by_program + 1
        if number <= len(stored):
            wins = stored[number - 1]["wins"]
        else:
            wins = str((Fraction(solve(setup)["value"]) + 1) / 2)
            row = {"number": number, "game": name_of(setup), "wins": wins}
            yield SweepStep(row, by_program / len(open_), f"solved {name_of(setup)}")
        insort(known, fair_table(setup, Fraction(wins)))
    ties = sum(table.distance == known[0].distance for table in known)
    return Sweep(space, known[:count], ties, by_rules, by_program, len(open_) - by_program)


def fair_table(setup: Setup, wins: Fraction) -> FairTable:
    drops = sum(later < earlier for earlier, later in pairwise(setup.sizes))
    return FairTable(abs(wins - FAIR), drops, setup, wins)
