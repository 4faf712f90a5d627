"""Solve The Resistance with spies who do not know each other, sabotages being counted in public, as a two-player game.

    python benchmarks/lone_spies.py lone-resistance5 [--certificate lone-resistance5.json]

`fogspiel verify` checks the certificate, `fogspiel explain` describes it.

The spies may agree before the roles are dealt, by dice that the resistance does not see, on each player's actions as a
spy. That is a coordinator who orders some players of each mission to sabotage it if they are spies. The coordinator
sees the public information: the missions and the numbers of sabotages, never the identities of the spies. A spy knows
in addition only that it is one, and orders are for spies only; its past actions follow from its orders. So mixtures of
joint plans are mixed strategies of the coordinator, which has perfect recall: the solution is a team-maxmin equilibrium
with correlation (Celli and Gatti 2018), and orders are those of a public team (Carminati et al. 2022).

For the resistance, players fall into groups that went on the same missions, and it draws the members of a mission from
each group by lot. For the coordinator they fall into finer groups with the same orders too. When the spies lack one
point, all spies sabotage whatever they can, and the resistance picks one last mission from which it draws the rest.

A double oracle finds the sequences that matter. Its final restricted game is small and is solved in fractions. Best
responses in the whole game, in fractions too, show whether both strategies are optimal there.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, lcm, prod
from pathlib import Path

import numpy as np

from fogspiel.resistance.checkers.lone_spies import FORMAT, PREFIX, LoneCertificate, check_lone
from fogspiel.resistance.game import VERSION, Setup, find_setup, name_of
from fogspiel.resistance.orbits import Groups, counts, everyone, numbered, shares, split, spy_sets, taken
from fogspiel.solving.exact import ExactBounds, exact_bounds, exact_from
from fogspiel.solving.methods import Record
from fogspiel.solving.methods.double_oracle import TOLERANCE, Side, double_oracle, restricted_game
from fogspiel.solving.methods.lp import Simplex, primal_player_of, program_of
from fogspiel.solving.proofs import write_certificate
from fogspiel.solving.proofs.checkers.primitives import digest_of
from fogspiel.solving.tree.sequence_form import SequenceForm, Treeplex, exact_plan_of, merge

Behaviour = list[Fraction]
"""Probability of each sequence of a player, given its infoset."""


@dataclass(frozen=True)
class LoneGame:
    """The sequence form (the resistance is the first player, payoffs are 1 for its win, else 0) and names for it."""

    setup: Setup
    form: SequenceForm
    # Observations of the resistance before each of its infosets: missions, each with the number of sabotages.
    histories: list[str]
    missions: list[list[str]]  # the missions it may choose there
    # Observations and orders of the coordinator before each of its infosets, and the mission of the round.
    situations: list[str]
    orders: list[list[str]]  # how many of each of its groups it may order to sabotage there


def lone_game(setup: Setup) -> LoneGame:
    check_lone(PREFIX + name_of(setup), setup)
    growth = _Growth(setup)
    start = _State("", 0, everyone(setup), "", 0, everyone(setup), (0, 0), tuple(spy_sets(setup).tolist()), 1, 1)
    growth.add(start)
    resistance, coordinator = growth.resistance, growth.coordinator
    whole = lcm(*growth.lists)
    rows, columns, ways = (np.array(part, np.int64) for part in zip(*growth.leaves, strict=True))
    weights = ways * (whole // np.array(growth.lists, np.int64))[rows]
    form = merge((resistance.treeplex, coordinator.treeplex), rows, columns, weights, whole * len(start.alive))
    return LoneGame(setup, form, resistance.names, resistance.options, coordinator.names, coordinator.options)


@dataclass
class _Side:
    """Infosets of a player under construction."""

    parents: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    options: list[list[str]] = field(default_factory=list)
    sequences: int = 1

    def add(self, name: str, parent: int, options: list[str]) -> int:
        """Add an infoset; return its first sequence."""
        first = self.sequences
        self.parents.append(parent)
        self.firsts.append(first)
        self.names.append(name)
        self.options.append(options)
        self.sequences += len(options)
        return first

    @property
    def treeplex(self) -> Treeplex:
        sizes = [len(options) for options in self.options]
        return Treeplex(*(np.array(part, np.int64) for part in (self.parents, self.firsts, sizes)))


@dataclass(frozen=True)
class _State:
    """History for both: text, last sequence and groups of the resistance, then those of the coordinator."""

    history: str
    chosen: int
    groups: Groups
    orders: str
    told: int
    finer: Groups
    score: tuple[int, int]
    alive: tuple[int, ...]  # the spy sets consistent with the numbers of sabotages
    lists: int  # number of draws of the missions, given the choices of the resistance
    ways: int  # number of these consistent with the coordinator's observations


class _Growth:
    """Infosets and payoffs under construction."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.resistance, self.coordinator = _Side(), _Side()
        self.known: dict[str, int] = {}
        self.lists: list[int] = [1]  # for each sequence of the resistance, the number of draws of its missions
        self.leaves: list[tuple[int, int, int]] = []

    def add(self, here: _State) -> None:
        setup, number = self.setup, sum(here.score)
        last = here.score[1] == setup.points - 1
        sizes = tuple(group.bit_count() for group in here.groups)
        kinds = _kinds(sizes, setup.sizes[-1 if last else number])
        if here.history not in self.known:
            names = [numbered(kind) for kind in kinds]
            self.known[here.history] = self.resistance.add(here.history, here.chosen, names)
            self.lists += [here.lists * draws for draws in kinds.values()]
        first = self.known[here.history]
        if last:
            places = {kind: first + place for place, kind in enumerate(kinds)}
            for spies in here.alive:
                for kind, draws in _kinds(counts(here.groups, ~spies), setup.sizes[-1]).items():
                    self.leaves.append((places[kind], here.told, here.ways * draws))
            return
        for chosen, (kind, draws) in enumerate(kinds.items(), first):
            word = f"{here.history} {numbered(kind)}".strip()
            for mission, ways in self.lots(here, kind):
                self.add_orders(here, word, chosen, mission, here.lists * draws, here.ways * ways)

    def lots(self, here: _State, kind: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Yield the missions of a kind that the coordinator distinguishes, each with its number of draws."""
        parts = []
        for group, number in zip(here.groups, kind, strict=True):
            finer = tuple(part for part in here.finer if part & group)
            sizes = tuple(part.bit_count() for part in finer)
            parts.append([(taken(finer, sent), draws) for sent, draws in _kinds(sizes, number).items()])
        for lot in product(*parts):
            mission, ways = 0, 1
            for sent, many in lot:
                mission, ways = mission | sent, ways * many
            yield mission, ways

    def add_orders(self, here: _State, word: str, chosen: int, mission: int, lists: int, ways: int) -> None:
        setup, number = self.setup, sum(here.score)
        sent = counts(here.finer, mission)
        all_orders = list(product(*(range(many + 1) for many in sent)))
        if here.score[0] == setup.points - 1:
            all_orders = [orders for orders in all_orders if any(orders)]  # else the resistance wins at once
        place = f"{here.orders} {numbered(sent)}".strip()
        names = [numbered(orders) for orders in all_orders]
        first = self.coordinator.add(place, here.told, names)
        going = tuple(group & mission for group in here.finer)
        for told, (orders, name) in enumerate(zip(all_orders, names, strict=True), first):
            saboteurs = taken(going, orders)
            seen: dict[int, list[int]] = {}
            for spies in here.alive:
                seen.setdefault((spies & saboteurs).bit_count(), []).append(spies)
            for sabotages, alive in seen.items():
                failed = sabotages >= setup.needed[number]
                score = here.score[0] + (not failed), here.score[1] + failed
                if score[0] == setup.points:
                    self.leaves.append((chosen, told, ways * len(alive)))
                elif score[1] < setup.points:
                    groups, finer = split(here.groups, mission), split(split(here.finer, mission), saboteurs)
                    self.add(
                        _State(
                            f"{word}:{sabotages}", chosen, groups, f"{place}/{name}:{sabotages}", told, finer,
                            score, tuple(alive), lists, ways,
                        )
                    )  # fmt: skip


@cache
def _kinds(sizes: tuple[int, ...], size: int) -> dict[tuple[int, ...], int]:
    """Return the choices of this many players from groups of these sizes, each with its number of draws."""
    return {kind: prod(map(comb, sizes, kind)) for kind in shares(sizes, size)}


def exact_solution(game: LoneGame, records: Sequence[Record]) -> ExactBounds:
    """Solve the game of all generated sequences in fractions."""
    form = game.form
    sides = Side(form, 0, TOLERANCE), Side(form, 1, TOLERANCE)
    for record in records:
        for side in sides:
            side.add(record["added"][side.player])
    small = restricted_game(form, sides)
    primal_player = primal_player_of(small)
    simplex = Simplex(program_of(small, primal_player))
    found = exact_bounds(small, primal_player, simplex.optimum())
    plans = [
        exact_plan_of(side.treeplex, _whole(side, behaviour))
        for side, behaviour in zip(sides, found.behaviours, strict=True)
    ]
    return exact_from(form, *plans)


def _whole(side: Side, behaviour: Behaviour) -> Behaviour:
    """Extend behaviour to the whole game: the default where nothing was generated."""
    whole = [Fraction(int(allowed)) for allowed in side.allowed]
    for sequence, share in zip(np.flatnonzero(side.generated).tolist(), behaviour, strict=True):
        whole[sequence] = share
    return whole


def certificate(game: LoneGame, solution: ExactBounds) -> LoneCertificate:
    """Return the solution as JSON; the checker documents the keys."""
    resistance, spies = game.form.treeplexes
    lower, upper = 2 * solution.lower - 1, 2 * solution.upper - 1
    body: LoneCertificate = {
        "format": FORMAT,
        "game": PREFIX + name_of(game.setup),
        "rules": VERSION,
        "value": str((lower + upper) / 2),
        "lower": str(lower),
        "upper": str(upper),
        "resistance": _table(resistance, solution.behaviours[0], game.histories, game.missions),
        "spies": _table(spies, solution.behaviours[1], game.situations, game.orders),
        "digest": "",
    }
    body["digest"] = digest_of(body)
    return body


def _table(
    treeplex: Treeplex, behaviour: Behaviour, names: list[str], options: list[list[str]]
) -> dict[str, dict[str, str]]:
    """Return the reachable strategy: names of infosets, and the probabilities of options chosen there."""
    reach = exact_plan_of(treeplex, behaviour)
    found = {}
    infosets = zip(names, options, treeplex.parent.tolist(), treeplex.first.tolist(), strict=True)
    for name, words, parent, first in infosets:
        if reach[parent]:
            shares = zip(words, behaviour[first : first + len(words)], strict=True)
            found[name] = {word: str(share) for word, share in shares if share}
    return found


def solve(game: LoneGame) -> LoneCertificate:
    rows: list[Record] = []
    for growth in double_oracle(game.form):
        rows.append(growth.record)
        print(
            f"round {growth.number}, {growth.generated[0]} and {growth.generated[1]} sequences: "
            f"{2 * growth.lower - 1:.6f} to {2 * growth.upper - 1:.6f}",
            flush=True,
        )
    return certificate(game, exact_solution(game, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="such as lone-resistance5; `lone-` before the name of a variant")
    parser.add_argument("--certificate", type=Path)
    asked = parser.parse_args()
    try:
        game = lone_game(find_setup(asked.game.removeprefix(PREFIX)))
    except ValueError as error:
        parser.error(str(error))
    proof = solve(game)
    path = asked.certificate or Path(f"{asked.game}.json")
    write_certificate(proof, path)
    print(f"{asked.game}: the resistance gets exactly {proof['value']}; certificate: {path}")


if __name__ == "__main__":
    main()
