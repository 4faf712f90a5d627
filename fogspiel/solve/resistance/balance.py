"""The balance of The Resistance: which tables of five missions give both teams nearly the same chance.

For most tables the two rules of `simple_rules` secure the same for both teams, which is the value. The others are
solved, those first that may be fairest, as long as one of them may be nearer to one half than those that are known.
"""

from bisect import insort
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, NamedTuple

from ...games.resistance.setups import SETUPS, Setup, check_setup, name_of
from .row_generation import solve
from .simple_rules import spy_rule, team_rule

FAIR = Fraction(1, 2)
STARS = ((1, 1, 1, 1, 1), (1, 1, 1, 2, 1))
"""No mission takes two sabotages, or the fourth one does."""
Watch = Callable[[float, str], None]
"""Is told the share of the work that is done, and what is being done."""


@dataclass(frozen=True)
class TableSpace:
    """All tables of five missions of some sizes, in any order, with and without a star on the fourth."""

    players: int
    spies: int
    smallest: int
    largest: int

    def __post_init__(self) -> None:
        if self.smallest > self.largest:
            raise ValueError(f"missions have {self.smallest} to {self.largest} players: the larger number comes last")
        for size in (self.smallest, self.largest):
            check_setup(Setup(self.players, self.spies, (size,) * 5, STARS[0]))

    def __iter__(self) -> Iterator[Setup]:
        for sizes in product(range(self.smallest, self.largest + 1), repeat=5):
            for needed in STARS:
                yield Setup(self.players, self.spies, sizes, needed)

    @property
    def size(self) -> int:
        """How many tables there are."""
        return len(STARS) * (self.largest - self.smallest + 1) ** 5

    @property
    def words(self) -> str:
        """What is looked through, in a sentence."""
        return (
            f"all {self.size:,} tables of five missions of {self.smallest} to {self.largest} of {self.players} "
            f"players, {self.spies} of them spies, in any order, with and without a star (two sabotages) on the fourth"
        )


class FairTable(NamedTuple):
    """A table with its value; the nearer to one half, the smaller, and among equals those that grow come first."""

    distance: Fraction
    drops: int
    """How often a mission is smaller than the one before."""
    setup: Setup
    wins: Fraction

    @property
    def name(self) -> str:
        return name_of(self.setup)

    @property
    def missions(self) -> str:
        """The sizes of the missions, with stars."""
        missions = zip(self.setup.sizes, self.setup.needed, strict=True)
        return " ".join(f"{size}{'*' if needed > 1 else ''}" for size, needed in missions)

    def to_json(self) -> dict[str, Any]:
        setup, value = self.setup, 2 * self.wins - 1
        numbers = {"missions": list(setup.sizes), "sabotages_needed": list(setup.needed)}
        return {"game": self.name} | numbers | {"wins": str(self.wins), "value": str(value)}


@dataclass(frozen=True)
class Sweep:
    """What was found, and how many tables were settled in which way."""

    space: TableSpace
    nearest: list[FairTable]
    ties: int
    """Tables that are as near as the nearest one, which is one of them."""
    by_rules: int
    by_program: int
    too_far: int
    """Tables whose bounds were enough to know that they are not among the nearest."""

    @property
    def official(self) -> Fraction | None:
        """What the resistance wins with the missions of the game in the box, whose rules are optimal for both teams."""
        setup = SETUPS.get(self.space.players)
        return None if setup is None or setup.spies != self.space.spies else spy_rule(setup).wins

    def to_json(self, files: Mapping[str, str]) -> dict[str, Any]:
        """The sweep as the command line prints it, with the certificates that were written, by the names of tables."""
        space = self.space
        looked = {"players": space.players, "spies": space.spies, "sizes": [space.smallest, space.largest]}
        settled = {"by_rules": self.by_rules, "by_program": self.by_program, "too_far": self.too_far}
        rows = [table.to_json() | {"certificate": files.get(table.name)} for table in self.nearest]
        official = None if self.official is None else str(self.official)
        return (
            looked
            | {"space": space.words, "tables": space.size, "ties": self.ties}
            | settled
            | {"official": official, "nearest": rows}
        )


def nearest_tables(space: TableSpace, count: int, watch: Watch = lambda share, words: None) -> Sweep:
    """So many tables whose values are nearest to one half."""
    known: list[FairTable] = []
    open_: list[tuple[Fraction, Setup]] = []
    for number, setup in enumerate(space):
        least, most = team_rule(setup).wins, spy_rule(setup).wins
        if least == most:
            known.append(fair_table(setup, most))
        else:
            open_.append((max(least - FAIR, FAIR - most, Fraction(0)), setup))
        watch(number / space.size, f"table {number + 1:,} of {space.size:,}")
    known.sort()
    by_rules, by_program = len(known), 0
    for distance, setup in sorted(open_):
        if len(known) >= count and distance > known[count - 1].distance:
            break
        watch(by_program / len(open_), f"solving {name_of(setup)}")
        insort(known, fair_table(setup, (Fraction(solve(setup)["value"]) + 1) / 2))
        by_program += 1
    ties = sum(table.distance == known[0].distance for table in known)
    return Sweep(space, known[:count], ties, by_rules, by_program, len(open_) - by_program)


def fair_table(setup: Setup, wins: Fraction) -> FairTable:
    """A table with its value."""
    drops = sum(later < earlier for earlier, later in pairwise(setup.sizes))
    return FairTable(abs(wins - FAIR), drops, setup, wins)
