"""Optimal plans of the resistance that people can follow: one mission for each situation, players named by letters.

The situation is the outcomes so far, + for a success and - for a sabotage. When a team lacks one point, the plan for
the rest is given at once: if it is the resistance, missions to send one after the other until one of them succeeds;
if it is the spies, the last mission, from which the others are taken, or all of them where it is too small for that.
"""

from ...games.resistance.setups import SETUPS, Setup
from .orbits import everyone, plan_text, split
from .simple_rules import fitting_team

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
    """The rule of these teams, small ones first, as a table: each mission from the first team that fits and is left."""
    table = {}

    def crew(number: int, team: str) -> str:
        others = "".join(letter for letter in LETTERS[: setup.players] if letter not in team)
        return "".join(sorted((team + others)[: setup.sizes[number]]))

    def send(number: int, left: list[str]) -> tuple[str, list[str]]:
        """The mission of a round, and the teams that are left if it is sabotaged."""
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
    """Every situation that the plan can meet, the earlier rounds first: the outcomes so far, the mission to send."""
    found, reached = [], [""]
    for outcomes in reached:
        found.append((outcomes, missions_after(setup, table, outcomes)[0]))
        following = (outcomes + outcome for outcome in "+-")
        reached += [after for after in following if max(after.count("+"), after.count("-")) < setup.points]
    return found


def missions_after(setup: Setup, table: Table, outcomes: str) -> list[str]:
    """The mission to send now and those to send next, as long as the plan does not depend on their outcomes."""
    entry = outcomes
    while entry not in table:
        entry = entry[:-1]
    missions = table[entry].split()
    if entry.count("-") == setup.points - 1 and setup.nested:
        missions = [missions[-1][:size] for size in setup.sizes[len(entry) :]]
    return missions[len(outcomes) - len(entry) :]


def players(text: str) -> int:
    """The mask of players given by letters."""
    return sum(1 << LETTERS.index(letter) for letter in text)


def letters(mask: int) -> str:
    """The letters of the players of a mask."""
    return "".join(letter for player, letter in enumerate(LETTERS) if mask >> player & 1)


def strategy_of(setup: Setup, table: Table) -> dict[str, dict[str, str]]:
    """The table as a certificate writes strategies: how many of each group go, drawn by lot."""
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
