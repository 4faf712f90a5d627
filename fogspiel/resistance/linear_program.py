"""The spies' linear program: rows are added as plans are found, and each solve starts from the last basis."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np

from ..solving.exact import vertex
from ..solving.methods.lp import LinearProgram
from ..solving.tree.sequence_form import sparse
from ..stats.linear_programs import Columns, LpFailure, Rows, add_rows, model_of, run, solver_of, statuses
from .game import SETUPS, Setup
from .orbits import everyone, fitting_team, plan_text, split
from .variants import ForcedOpening, Plan, row

Row = tuple[list[int], list[int]]  # the columns and the coefficients of a row


class Optimum(NamedTuple):
    spies: np.ndarray  # the realisation plan of the spies
    values: np.ndarray  # the value of each infoset of the resistance, in spy sets


class SpyProgram:
    """min q(0) over (y, q), where y is the spies' realisation plan and q the values of the resistance's infosets.

    Rows are those of the realisation plan (equal to 0), then those of the missions and of the plans (0 or more).
    """

    def __init__(self, game: ForcedOpening) -> None:
        self.game = game
        self.sequences = 1 + 2 * len(game.spy_parent)
        self.tails = np.array([tail.number for tail in game.tails])
        self.plans: list[tuple[int, Plan]] = []
        self.rows: list[Row] = [
            ([1 + 2 * i, 2 + 2 * i, parent], [1, 1, -1]) for i, parent in enumerate(game.spy_parent)
        ]
        self.decisions = len(self.rows)  # the first row of a mission; those of the plans follow after the missions
        for infoset in game.infosets:
            for _, won, lost in infoset.options:
                values = [self.sequences + place.number for place in (infoset, won, lost)]
                self.rows.append((values, [1, -1, -1]))
        width = self.sequences + len(game.infosets) + len(game.tails)
        cost, lower, upper = np.zeros(width), np.zeros(width), np.full(width, inf)
        cost[self.sequences] = 1
        lower[0] = upper[0] = 1
        lower[self.sequences :] = -inf
        self._columns = Columns(cost, lower, upper)
        self._added: set[tuple[int, bytes, bytes]] = set()
        self._solver = solver_of(model_of(self._columns, self._constraints(0)), presolve="off")

    def _constraints(self, first: int) -> Rows:
        """Return the rows from number `first` on."""
        rows = self.rows[first:]
        start = np.cumsum([0, *(len(columns) for columns, _ in rows)])
        columns = np.concatenate([columns for columns, _ in rows])
        values = np.concatenate([values for _, values in rows]).astype(np.float64)
        upper = np.where(np.arange(first, len(self.rows)) < self.decisions, 0.0, inf)
        return Rows(start, columns, values, np.zeros(len(rows)), upper)

    def add(self, plans: Sequence[tuple[int, Plan]]) -> None:
        """Add a row for each plan, given with the number of its tail."""
        first = len(self.rows)
        for number, plan in plans:
            tail = self.game.tails[number]
            sequences, counts = row(self.game, tail, plan)
            key = number, sequences.tobytes(), counts.tobytes()
            assert key not in self._added, "a plan was added twice"
            self._added.add(key)
            self.rows.append(([*sequences.tolist(), self.sequences + tail.number], [*(-counts).tolist(), 1]))
        self.plans += plans
        add_rows(self._solver, self._constraints(first))

    def solve(self) -> Optimum:
        if not run(self._solver):
            raise LpFailure("the program of the spies was not solved within the iterations that HiGHS allows")
        columns = np.array(self._solver.getSolution().col_value)
        return Optimum(columns[: self.sequences], columns[self.sequences :])

    def vertex(self) -> tuple[list[Fraction], list[Fraction]] | None:
        """Return the last solution in fractions: all columns, and the multipliers of all rows."""
        rows, (cost, lower, upper) = self._constraints(0), self._columns
        numbers = np.repeat(np.arange(len(self.rows)), np.diff(rows.start))
        matrix = sparse(numbers, rows.column, rows.value, len(self.rows))
        whole = matrix.value.astype(np.int64)
        program = LinearProgram(cost, matrix, whole, rows.lower, rows.upper, lower, upper, unit=Fraction(1))
        return vertex(program, statuses(self._solver), np.arange(program.width), np.arange(program.height))


# Optimal plans of the resistance that people can follow: one mission for each situation, players named by letters.
#
# The situation is the outcomes so far, + for a success and - for a sabotage. When a team lacks one point, the plan for
# the rest is given at once. If it is the resistance, these are missions to send in sequence until one of them succeeds.
# If it is the spies, it is the last mission, from which the rest are drawn, or all of them where it is too small for
# that.

LETTERS = "ABCDEFGHIJKLMN"
Table = dict[str, str]

TEAMS = {
    5: "ABC ABD ABE",
    6: "ABC ABDE ABDF",
    7: "ABC ADE ABDF",
    8: "ABCD ABEF ABCEG",
    9: "ABCD AEFG ABEHI",
    10: "ABCD AEFG ABEHI",
    11: "ABCD EFGH AEIJK",
    12: "ABCD EFGH AIJKL",
    13: "ABCD EFGH IJKLM",
}  # the teams of `simple_rules.team_rule` for each number of players, which are optimal


def team_table(setup: Setup, teams: list[str]) -> Table:
    """Return the rule of these teams, small ones first: each mission comes from the first remaining team that fits."""
    table = {}

    def crew(number: int, team: str) -> str:
        others = "".join(letter for letter in LETTERS[: setup.players] if letter not in team)
        return "".join(sorted((team + others)[: setup.sizes[number]]))

    def send(number: int, left: list[str]) -> tuple[str, list[str]]:
        """Return the mission of a round, and the teams that are left if it is sabotaged."""
        team = fitting_team(setup, number, tuple(map(len, left)))
        assert team is not None, "the rule is sound"
        return crew(number, left[team]), left[:team] + left[team + 1 :]

    def write(outcomes: str, left: list[str]) -> None:
        if outcomes.count("-") == setup.points - 1:
            first = setup.rounds - 1 if setup.nested else len(outcomes)
            table[outcomes] = " ".join(crew(number, left[0]) for number in range(first, setup.rounds))
            return
        mission, rest = send(len(outcomes), left)
        table[outcomes] = mission
        if outcomes.count("+") == setup.points - 1:
            for number in range(len(outcomes) + 1, setup.rounds):
                mission, rest = send(number, rest)
                table[outcomes] += f" {mission}"
        else:
            write(outcomes + "+", left)
            write(outcomes + "-", rest)

    write("", teams)
    return table


TABLES = {players: team_table(SETUPS[players], teams.split()) for players, teams in TEAMS.items()}


def plan_steps(setup: Setup, table: Table) -> list[tuple[str, str]]:
    """Return every reachable situation, earlier rounds first: the outcomes so far, the mission to send."""
    found, reached = [], [""]
    for outcomes in reached:
        found.append((outcomes, missions_after(setup, table, outcomes)[0]))
        following = (outcomes + outcome for outcome in "+-")
        reached += [after for after in following if max(after.count("+"), after.count("-")) < setup.points]
    return found


def missions_after(setup: Setup, table: Table, outcomes: str) -> list[str]:
    """Return the mission to send now and the next ones, as long as these do not depend on outcomes."""
    entry = outcomes
    while entry not in table:
        entry = entry[:-1]
    missions = table[entry].split()
    if entry.count("-") == setup.points - 1 and setup.nested:
        missions = [missions[-1][:size] for size in setup.sizes[len(entry) :]]
    return missions[len(outcomes) - len(entry) :]


def players(text: str) -> int:
    return sum(1 << LETTERS.index(letter) for letter in text)


def letters(mask: int) -> str:
    return "".join(letter for player, letter in enumerate(LETTERS) if mask >> player & 1)


def strategy_of(setup: Setup, table: Table) -> dict[str, dict[str, str]]:
    """Return the table in certificate format: the number of members from each group, drawn by lot."""
    found = {}
    reached = [("", "", everyone(setup))]
    for outcomes, history, groups in reached:
        plan = tuple(map(players, table[outcomes].split()))
        text = plan_text(groups, plan)
        found[history] = {text: "1"}
        if max(outcomes.count("+"), outcomes.count("-")) < setup.points - 1:
            for outcome in "+-":
                reached.append((outcomes + outcome, f"{history} {text}".strip() + outcome, split(groups, plan[0])))
    return found
