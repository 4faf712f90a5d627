"""Tables 6.1 to 6.3 and the tree sizes of Bossle (2018), "Finding Optimal Strategies for Group Deception Games"."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..games.resistance.setups import SETUPS
from ..solve.lp import equilibrium
from ..solve.resistance.full_sequence_form import full_form
from ..solve.resistance.opening import opening
from ..solve.resistance.row_generation import steps
from ..solve.resistance.sizes import full_sizes, labelled_sizes

PAPER_PAYOFF = {5: "-0.4", 6: "-0.333", 7: "-0.486", 8: "-0.679"}
"""Table 6.1."""
PAPER_SECONDS = {
    "resistance": {5: 2.820, 6: 13.620, 7: 441.2, 8: 35_252.0},
    "spies": {5: 1.910, 6: 10.080, 7: 178.65, 8: 4_074.0},
}
"""Tables 6.2 and 6.3: wall-clock time of CPLEX on 8 cores, by the team that the first player controls."""
PAPER_MEGABYTES = {
    "resistance": {5: 311, 6: 1057, 7: 7491, 8: 31_720},
    "spies": {5: 214, 6: 691, 7: 5352, 8: 31_748},
}
TEAMS = ("resistance", "spies")
LABELLED_IN_THE_PAPER = {8: 8.5e11}
"""Knowledge nodes without symmetry reduction, from the abstract."""


@dataclass(frozen=True)
class Row:
    """One line of a table, as JSON can store it."""

    table: str
    players: int
    facts: dict[str, Any]
    certificate: dict[str, Any] | None = None


def payoffs(most: int = 10) -> Iterator[Row]:
    """Table 6.1 with the cases that were open: exact values by lazy plans on knowledge trees."""
    for players in range(5, most + 1):
        began = time.process_time()
        *_, last = steps(SETUPS[players])
        assert last.certificate is not None
        value = Fraction(last.certificate["value"])
        facts = {"payoff": str(value), "wins": str((value + 1) / 2), "paper": PAPER_PAYOFF.get(players)}
        seconds = round(time.process_time() - began, 3)
        yield Row("payoffs", players, facts | {"cpu_seconds": seconds}, last.certificate)


def resources(most: int = 7) -> Iterator[Row]:
    """Tables 6.2 and 6.3: the paper's own linear program, all rounds and all decisions, by an interior-point method.

    With 7 players only the better orientation is solved.
    """
    for players in range(5, most + 1):
        began = time.process_time()
        form = full_form(SETUPS[players])
        built = time.process_time() - began
        for planner, team in enumerate(TEAMS):
            if players >= 7 and team == "resistance":
                continue
            began = time.process_time()
            found = equilibrium(form, planner, "ipm")
            facts = {
                "first": team,
                "value": found.value,
                "gap": found.gap,
                "cpu_seconds": round(built + time.process_time() - began, 2),
                "paper_seconds": PAPER_SECONDS[team][players],
                "paper_megabytes": PAPER_MEGABYTES[team][players],
            }
            yield Row("resources", players, facts)


def tree_sizes(most: int = 10) -> Iterator[Row]:
    """Figures 4.1, 5.1 and 5.2: knowledge nodes with labelled players, up to relabelling, and what is left to solve."""
    for players in range(5, most + 1):
        setup = SETUPS[players]
        rounds = [sum(part) for part in labelled_sizes(setup)]
        reduced, left = full_sizes(setup), opening(setup)
        facts = {
            "labelled_by_round": rounds,
            "labelled": sum(rounds),
            "paper": LABELLED_IN_THE_PAPER.get(players),
            "up_to_relabelling": [reduced.resistance_infosets, reduced.spy_infosets],
            "left": [len(left.infosets) + len(left.tails), len(left.spy_parent)],
        }
        yield Row("sizes", players, facts)
