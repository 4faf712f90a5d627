"""Optimal plans of the resistance that people can follow: one mission for each situation, players named by letters.

The situation is the outcomes so far, + for a success and - for a sabotage. When a team lacks one point, the plan for
the rest is given at once: if it is the resistance, missions to send one after the other until one of them succeeds;
if it is the spies, the last mission, from which the others are taken.
"""

from fractions import Fraction
from itertools import combinations

from ...games.resistance.setups import Setup
from .orbits import everyone, plan_text, split

LETTERS = "ABCDEFGHIJKLM"
Table = dict[str, str]

START = "start"
PLANS = """
    players  start  +     -     ++                +-    -+    --     +-+          +--    -++          -+-
    5        AB     ABC   ACD   AC/ABE/ABD        AE    AC    ACE    ABE/ACE      ACD    ACE/BCE      BDE
    6        AB     ABC   DEF   ABCD/ABE/ABCF     ABEF  ADEF  ABCE   ABD/ABEF     ABDE   BDE/ABEF     ACDE
    7        AB     CDE   CDE   CDE/ABCF/ACDF     ABF   CDE   ABCE   ABFG/ADFG    ABCG   CDEF/DEFG    AEFG
    8        ABC    ABDE  ABDE  ABFG/ABCDE/ABCFH  ABCF  ABDE  ABDFH  ABCDF/ACEFH  ABCDG  ABDEG/BCEFH  BDEFG
    9        ABC    ABCD  DEFG  ABCD/DEFGH/ABCDE  EFGH  DEFG  ADEHI  EFGHI/ABDEI  ADEFI  ADEFG/ABDHI  ADEHI
    10       ABC    ABCD  ADEF  ABCD/ADEFG/DEHIJ  AEFG  ADEF  ADGHI  AEFGH/BDEFH  BDEFH  ADEFG/ADHIJ  ADGHI
    11       ABC    ABCD  DEFG  ABCD/DEFGH/DEIJK  EFGH  DEFG  DHIJK  DEFGH/DEIJK  DEIJK  DEFGH/DHIJK  DHIJK
    12       ABC    DEFG  DEFG  DEFG/ABCHI/HIJKL  ABCH  DEFG  HIJKL  ABCHI/HIJKL  HIJKL  ADEFG/HIJKL  HIJKL
    13       ABC    DEFG  DEFG  ABCH/DEFGH/IJKLM  ABCH  DEFG  HIJKL  ABCHI/IJKLM  IJKLM  DEFGH/IJKLM  HIJKL
"""


def _tables(text: str) -> dict[int, Table]:
    """The tables by the number of players: what to send in each situation, several missions one after the other."""
    (_, *situations), *rows = [line.split() for line in text.strip().splitlines()]
    outcomes = ["" if situation == START else situation for situation in situations]
    plans = ([entry.replace("/", " ") for entry in entries] for _, *entries in rows)
    return {int(row[0]): dict(zip(outcomes, plan, strict=True)) for row, plan in zip(rows, plans, strict=True)}


TABLES = _tables(PLANS)
"""With 5, 6, 7, 8 and 12 players one deal of the letters will do; with the others lots are drawn (see `explain`)."""


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
    if entry.count("-") == setup.points - 1:
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


def certain_share(setup: Setup, table: Table) -> Fraction:
    """The share of the spy sets that the table beats even if the spies know it and no lots are drawn."""
    sets = [sum(1 << spy for spy in spies) for spies in combinations(range(setup.players), setup.spies)]

    def clean(mission: int, number: int) -> set[int]:
        return {spies for spies in sets if (spies & mission).bit_count() < setup.needed[number]}

    def beaten(outcomes: str) -> set[int]:
        plan = list(map(players, table[outcomes].split()))
        ahead, behind = outcomes.count("+"), outcomes.count("-")
        if max(ahead, behind) == setup.points - 1:
            return set().union(*map(clean, plan, range(setup.rounds - len(plan), setup.rounds)))
        return beaten(outcomes + "+") & (beaten(outcomes + "-") | clean(plan[0], ahead + behind))

    return Fraction(len(beaten("")), len(sets))
