"""Explanations of solutions: the resistance's plan as a table, the spies' sabotage, and Bossle's example game."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NoReturn

from .checkers.lone_spies import LoneCertificate, setup_of
from .checkers.resistance import Resistance, ResistanceCertificate, Spies
from .game import SETUPS, Setup, find_setup
from .linear_program import LETTERS, letters, missions_after, players, strategy_of, team_table
from .orbits import Groups, everyone, split, spy_rule, taken, team_rule
from .player import Situation, offers, sabotage_chance


def odds(share: Fraction) -> str:
    return f"{share} ({float(share):.1%})"


def named(mask: int) -> str:
    return " ".join(letters(mask))


def explain(solution: ResistanceCertificate, everything: bool = False) -> list[str]:
    """Explain a solution: the table of the resistance, the sabotage of the spies, and the example for five players."""
    setup, wins = find_setup(solution["game"]), (Fraction(solution["value"]) + 1) / 2
    lines = ["THE RESISTANCE", *plan_lines(setup, wins), ""]
    lines += ["THE SPIES", *rule_lines(setup, wins), *spies_lines(solution, everything)]
    if setup == SETUPS[EXAMPLE_PLAYERS]:
        lines += ["", "THE EXAMPLE OF BOSSLE (2018), SECTION 4.1", *example_lines(solution)]
    return lines


# The resistance


def plan_lines(setup: Setup, wins: Fraction) -> list[str]:
    """Return the resistance's plan without dice, line by line; it is optimal if it attains the value."""
    teams = team_rule(setup).teams
    table = team_table(setup, list(map(letters, teams)))
    worth = (Resistance(setup, strategy_of(setup, table)).payoff() + 1) / 2
    best = "no plan can do better" if worth == wins else f"the strategy that was found, with dice, wins {odds(wins)}"
    return [
        f"The Resistance with {setup.players} players, {setup.spies} of them spies: a plan that wins with probability "
        f"{odds(worth)}, whatever the spies do; {best}.",
        f"Shuffle the players and call them {LETTERS[0]} to {LETTERS[setup.players - 1]}. Everybody may know the plan.",
        teams_line(setup, teams),
        *_branch(setup, table, "", ""),
    ]


def teams_line(setup: Setup, teams: Sequence[int]) -> str:
    starred = [(number, needed) for number, needed in enumerate(setup.needed, 1) if needed > 1]
    rooms = [f"mission {number}, which takes {needed} sabotages, with {needed - 1} more" for number, needed in starred]
    more = f" ({'; '.join(rooms)} if need be)" if rooms else ""
    return (
        f"The rule: the teams are {_listed([named(team) for team in teams])}; send the first of them that is large "
        f"enough and of which no mission was sabotaged, or a part of it{more}. It wins if one of the teams has no spy."
    )


def _branch(setup: Setup, table: dict[str, str], outcomes: str, indent: str) -> list[str]:
    missions = enumerate(missions_after(setup, table, outcomes), len(outcomes) + 1)
    rounds = [f"round {number}: {' '.join(mission)}" for number, mission in missions]
    if outcomes.count("+") == setup.points - 1:
        return [f"{indent}{'; if it is sabotaged, '.join(rounds)}"]
    if outcomes.count("-") == setup.points - 1:
        return [f"{indent}{', then '.join(rounds)} (all must succeed)"]
    lines = [f"{indent}{rounds[0]}"]
    for outcome, word in (("+", "if it succeeds:"), ("-", "if it is sabotaged:")):
        lines.append(f"{indent}  {word}")
        lines += _branch(setup, table, outcomes + outcome, indent + "    ")
    return lines


# The spies

LONE_SPIES = "Spies need not know each other for it, if only the outcomes of missions are announced."


def rule_lines(setup: Setup, wins: Fraction) -> list[str]:
    """Return the spies' rule in one sentence with its reason; it is optimal if it attains the value."""
    rule = spy_rule(setup)
    others = [number for number in range(1, setup.rounds + 1) if number not in rule.passed]
    best = ", and less is not possible" if rule.wins == wins else f"; the strategy that was found: {odds(wins)}"
    alone = all(setup.needed[number - 1] == 1 for number in others)
    which = f"mission{'s' if len(rule.passed) > 1 else ''} {_listed(rule.passed)}"
    return [
        f"The rule: let {which} pass, sabotage the others whenever possible, without dice.",
        f"The resistance then wins only if mission {_listed(others, 'or')} is clean, and sees nothing before that "
        f"helps: at most with probability {odds(rule.wins)}{best}.",
        *([LONE_SPIES] if alone else []),
        "The solution that was found, mission by mission:",
    ]


def _listed(words: Sequence[object], last: str = "and") -> str:
    *most, final = map(str, words)
    return f"{', '.join(most)} {last} {final}" if most else final


LATE_SABOTAGE = "As soon as a team lacks only one point: sabotage whenever possible. Before that:"


# A mission with the ones before it, and the spies' action there: their identity, and whether they sabotage, as text.
SpyMission = tuple[str, list[tuple[str, str]]]


def spy_missions(solution: ResistanceCertificate, everything: bool = False) -> Iterator[SpyMission]:
    """Describe the spies' sabotages: against the plan of `plan_lines`, or in every possible situation.

    Players are called A, B, .. so that the first mission is A B .. and every mission takes the first letters of each
    group of players who went on the same missions.
    """
    setup = find_setup(solution["game"])
    table = team_table(setup, list(map(letters, team_rule(setup).teams)))
    expected = None if everything else strategy_of(setup, table)
    for way, row in solution["spies"].items():
        history, _, mission = way.rpartition(" ")
        if expected is not None and mission not in expected.get(history, {}):
            continue
        story, groups = _story(setup, way)
        yield story, [(_members(kind, groups), often(Fraction(share))) for kind, share in row.items()]


def spies_lines(solution: ResistanceCertificate, everything: bool = False) -> list[str]:
    lines = [LATE_SABOTAGE]
    for mission, decisions in spy_missions(solution, everything):
        lines += [mission, *(f"  spies: {where}: {does}" for where, does in decisions)]
    return lines


def _members(kind: str, groups: Groups) -> str:
    numbers = zip(map(int, kind.split(",")), groups, strict=True)
    return ", ".join(f"{spies} of {named(group)}" for spies, group in numbers if spies)


def often(share: Fraction) -> str:
    return {Fraction(0): "let it pass", Fraction(1): "sabotage"}.get(share, f"sabotage with probability {odds(share)}")


def _story(setup: Setup, way: str) -> tuple[str, Groups]:
    """Return the missions of a history in letters, and the groups after them."""
    groups, words = everyone(setup), []
    for word in way.split(" "):
        mission = taken(groups, tuple(map(int, word.rstrip("+-").split(","))))
        groups = split(groups, mission)
        outcome = {"+": " succeeded", "-": " was sabotaged"}.get(word[-1], "")
        words.append(f"{named(mission)}{outcome}")
    return f"round {len(words)}, " + ", ".join([*words[:-1], f"mission {words[-1]}"]), groups


# The example of section 4.1

EXAMPLE_PLAYERS = 5
EXAMPLE_SPIES = players("BD")
EXAMPLE = ((players("AB"), True), (players("ABC"), False), (players("AB"), False), (players("ACD"), False))


def example_lines(solution: ResistanceCertificate) -> list[str]:
    """Explain Bossle's example game of five players: the optimal actions and the odds.

    The odds are the resistance's at that point, given its information, if the spies follow the solution throughout and
    the resistance plays on optimally.
    """
    lines = ["Players 1 to 5 are A to E; the spies are B and D."]
    rounds: list[tuple[int, bool]] = []
    for mission, success in EXAMPLE:
        here = Situation(SETUPS[EXAMPLE_PLAYERS], rounds)
        chance = sabotage_chance(solution, here, EXAMPLE_SPIES, mission)
        lines += [
            f"round {len(rounds) + 1}, {here.score[0]}:{here.score[1]}. {_chance_to_win(solution, rounds)}",
            f"  the strategy of the resistance: {_intention(solution, here)}",
            f"  in the game {named(mission)} went; the strategy of the spies: {often(chance)}",
            f"  in the game the mission {'succeeded' if success else 'was sabotaged'}",
        ]
        rounds.append((mission, success))
    return [*lines, "the spies have three points and win"]


def _intention(solution: ResistanceCertificate, here: Situation) -> str:
    shares = offers(solution, here)
    if not shares:
        return "it would not have come here"
    total, words = sum(shares.values()), []
    groups = here.now if not here.tail or here.ahead else here.groups
    for numbers, share in shares.items():
        crew = [f"{number} of {named(group)}" for number, group in zip(numbers, groups, strict=True) if number]
        words.append(("" if share == total else f"with probability {share / total} ") + ", ".join(crew))
    last = "" if groups is here.now else " for all missions that are left"
    return "; or ".join(words) + last


def _chance_to_win(solution: ResistanceCertificate, rounds: list[tuple[int, bool]]) -> str:
    setup = SETUPS[EXAMPLE_PLAYERS]
    judge = Spies(setup, solution["spies"])
    weights = dict.fromkeys(judge.spies, Fraction(1))
    for number, (mission, success) in enumerate(rounds):
        here = Situation(setup, rounds[:number])
        chances = {spies: sabotage_chance(solution, here, spies, mission) for spies in weights}
        weights = {
            spies: weight * (1 - chances[spies] if success else chances[spies])
            for spies, weight in weights.items()
            if success or (spies & mission).bit_count() >= setup.needed[number]
        }
    here = Situation(setup, rounds)
    total = sum(weights.values())
    if not total:
        return "Spies who play by the solution never come here."
    won = judge.best(here.history, here.groups, here.score, weights)
    return f"The resistance wins with probability {odds(won / total)}."


# Explanation of the solution for spies who do not know each other.

SHOWN = 30  # lines of each strategy, unless everything is requested


def follower(name: str, proof: LoneCertificate) -> NoReturn:
    """Raise: no kernels play this game."""
    raise ValueError(f"{name} solves a game that cannot be played here: its strategies can be read with `explain`")


def explain_lone_spies(solution: LoneCertificate, everything: bool = False) -> list[str]:
    """Explain a solution: its value, the missions of the resistance, the orders of the spies."""
    setup, wins = setup_of(solution["game"]), (Fraction(solution["value"]) + 1) / 2
    missions = [f"{public_story(setup, way)}: {_shares(row)}" for way, row in solution["resistance"].items()]
    orders = [f"{spies_story(setup, way)}: {_shares(row)}" for way, row in solution["spies"].items()]
    return [
        f"The Resistance with {setup.players} players, {setup.spies} of them spies, who do not know each other; the "
        f"sabotages of a mission are counted in public. The resistance wins with probability {odds(wins)}.",
        "Players are called A, B, .. so that missions and orders take the first letters of each group of players who "
        "are alike; who of a group goes is drawn by lot.",
        "",
        "THE RESISTANCE (a mission as numbers of each group that it can tell apart, with its probability)",
        *_some(missions, everything),
        "",
        "THE SPIES (orders as numbers of each group that they can tell apart: who sabotages if it is a spy)",
        *_some(orders, everything),
    ]


def _some(lines: list[str], everything: bool) -> list[str]:
    if everything or len(lines) <= SHOWN:
        return lines
    return [*lines[:SHOWN], f"and {len(lines) - SHOWN} more: add --all"]


def _shares(row: dict[str, str]) -> str:
    return ", ".join(f"{name} ({share})" if share != "1" else name for name, share in row.items())


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def public_story(setup: Setup, history: str) -> str:
    groups, words = everyone(setup), []
    for word in history.split():
        sent, _, sabotages = word.partition(":")
        mission = taken(groups, _numbers(sent))
        groups = split(groups, mission)
        words.append(f"{named(mission)} had {sabotages}")
    return f"round {len(words) + 1}, {_groups(groups)}" + (f", sabotages: {', '.join(words)}" if words else "")


def spies_story(setup: Setup, situation: str) -> str:
    """Describe the spies' observations and statements, and the mission under discussion."""
    groups, words = everyone(setup), []
    *past, now = situation.split()
    for word in past:
        sent, _, rest = word.partition("/")
        orders, _, sabotages = rest.partition(":")
        mission = taken(groups, _numbers(sent))
        told = taken(tuple(group & mission for group in groups), _numbers(orders))
        groups = split(split(groups, mission), told)
        words.append(f"{named(mission)} (told {named(told) or 'nobody'}) had {sabotages}")
    mission = taken(groups, _numbers(now))
    story = f", sabotages: {', '.join(words)}" if words else ""
    return f"round {len(words) + 1}, {_groups(groups)}, mission {named(mission)}{story}"


def _groups(groups: Groups) -> str:
    return "groups " + " | ".join(map(named, groups))
