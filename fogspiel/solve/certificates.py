"""Certificate files: written, read, checked by the checker that fits, and put into words."""

import json
from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

from ..core.agents import PlayerAgent, table_agent
from .checkers.tree_certificate import check
from .game_sources import Problem, find_problem, problem_of_package

MOST_BYTES = 1 << 30
OWN_CHECKERS = {
    "fogspiel resistance certificate 1": "solve.checkers.resistance_certificate",
    "fogspiel phantom certificate 1": "solve.checkers.phantom_solution",
    "fogspiel phantom bounds 1": "solve.checkers.phantom_bounds",
    "fogspiel permutation certificate 1": "solve.checkers.permutation_certificate",
}
"""Games whose trees are too large to be walked have formats of their own, each with its independent checker."""
OWN_PLAYERS = {
    "fogspiel resistance certificate 1": "solve.resistance.play",
    "fogspiel phantom certificate 1": "phantom.play",
    "fogspiel permutation certificate 1": "phantom.permutation.play",
}
OWN_WORDS = {
    "fogspiel resistance certificate 1": "solve.resistance.words",
    "fogspiel phantom certificate 1": "phantom.words",
    "fogspiel permutation certificate 1": "phantom.permutation.words",
}


def write_certificate(body: dict[str, Any], path: Path) -> None:
    """Write a certificate, with a sentence if that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(body, separators=(",", ":")) + "\n")
    except OSError as error:
        raise ValueError(f"the certificate {path} cannot be written: {error.strerror or error}") from None


def read_certificate(path: Path) -> dict[str, Any]:
    """The certificate in a file, as far as it is one."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"the certificate {path} is larger than a GiB: that is no certificate of ours")
        body = json.loads(path.read_bytes())
    except OSError as error:
        raise ValueError(f"the certificate {path} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the certificate {path} is damaged or not complete: it is not JSON ({error})") from None
    if not isinstance(body, dict) or not isinstance(body.get("game"), str):
        raise ValueError(f"the certificate {path} is not valid: it does not say which game it is for")
    return body


def verify(body: dict[str, Any], source: str | None) -> tuple[Fraction, Fraction]:
    """The bounds that a certificate proves, by the rules that `source` names or else the game of its name."""
    if checker := _module(OWN_CHECKERS, body):
        found = checker.verify(body)
        return found if isinstance(found, tuple) else (found, found)
    problem = problem_of(body, source)
    return check(body, problem.positions(), problem.name, problem.version)


def problem_of(body: dict[str, Any], source: str | None) -> Problem:
    """The rules that a certificate is for: a game of the package, or those that the user names by `source`."""
    if source is not None:
        return find_problem(source)
    try:
        return problem_of_package(body["game"])
    except ValueError as error:
        raise ValueError(f"{error}; say where the rules of {body['game']!r} are with --game FILE") from None


def certificate_agent(name: str, body: dict[str, Any]) -> PlayerAgent:
    """Somebody who plays the two strategies of a certificate."""
    if module := _module(OWN_PLAYERS, body):
        return module.follower(name, body)
    return table_agent(name, body["strategies"])


def own_words(body: dict[str, Any], everything: bool) -> list[str] | None:
    """A solution in the words of its game, where the game has some."""
    module = _module(OWN_WORDS, body)
    return module.explain(body, everything) if module else None


def _module(homes: dict[str, str], body: dict[str, Any]) -> Any:
    """The module that is responsible for the format of a certificate, or None."""
    home = homes.get(str(body.get("format")))
    return import_module(f"{__package__.removesuffix('solve')}{home}") if home else None


def strategy_rows(body: dict[str, Any], side: int, source: str | None = None) -> Iterator[tuple[str, str]]:
    """What a player sees, and what he does then, row by row."""
    problem = problem_of(body, source)
    for row in body["strategies"][side]:
        seen, names = problem.words(row["view"], row["actions"])
        shares = zip(names, row["probabilities"], strict=True)
        played = [name if share == "1" else f"{name} {_short(share)}" for name, share in shares if share != "0"]
        yield " | ".join(line.strip() for line in seen.splitlines() if line.strip()), ", ".join(played)


def _short(share: str) -> str:
    """A probability as people read it."""
    return share if len(share) < 12 else f"{float(Fraction(share)):.6f}"
