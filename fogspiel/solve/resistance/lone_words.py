"""The solution for spies who do not know each other in words."""

from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

from ...games.resistance.setups import Setup
from ..checkers.lone_spies import LoneCertificate, setup_of
from .orbits import Groups, everyone, split, taken
from .words import named, odds

if TYPE_CHECKING:
    from ...core.agents import PlayerAgent

SHOWN = 30  # lines of each strategy, unless everything is wanted


def follower(name: str, proof: LoneCertificate) -> "PlayerAgent":
    """Refuse to play: no kernels play this game."""
    _refuse(name)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} solves a game that cannot be played here: its strategies can be read with `explain`")


def explain(solution: LoneCertificate, everything: bool = False) -> list[str]:
    """A solution in words: what it is worth, the missions of the resistance, the orders of the spies."""
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
    """The first lines, or all."""
    if everything or len(lines) <= SHOWN:
        return lines
    return [*lines[:SHOWN], f"and {len(lines) - SHOWN} more: add --all"]


def _shares(row: dict[str, str]) -> str:
    """Options with their probabilities."""
    return ", ".join(f"{name} ({share})" if share != "1" else name for name, share in row.items())


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def public_story(setup: Setup, history: str) -> str:
    """Describe the resistance's observations."""
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
