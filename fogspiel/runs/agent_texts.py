"""From words to agents: a named strategy, a baseline, numbers, an engine, a parameter file or a run."""

import re
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from ..core.agents import (
    Agent,
    ParametricPolicy,
    find_policy,
    fixed_baseline,
    mixture_policy,
    policy_names,
    redrawn_baseline,
    vector_policy,
)
from ..core.game import Game, check_vector, parameters_of
from ..core.untrusted_input import parse_json, read_bytes, shorten
from .checks import RUN_NAME
from .kind import kind_of
from .store import Store

SOLVED = "solved"
"""Who plays the certified solution of a game, where one comes with the package."""
KRIEGSPIEL = "kriegspiel"
"""The game that has engines."""
MOST_BYTES = 16_000_000
ROUNDING = 1e-9
"""How far the weights of a mixture may be from 1 in sum."""


def parse_agent(game: Game, words: str, store: Path, seed: int) -> Agent:
    """The agent that `words` stand for, or a ValueError that says what they could have been."""
    if words == "fixed":
        return fixed_baseline(game, seed)
    if words == "redrawn":
        return redrawn_baseline(game)
    if words in policy_names(game):
        return find_policy(game, words)
    if words == SOLVED:
        return solved_agent(game)
    if words.partition("@")[0] in engines_of(game):
        from ..kriegspiel.engine import engine_agent, parse_engine

        return engine_agent(*parse_engine(words))
    numbers = numbers_in(words)
    if RUN_NAME.fullmatch(words):  # before files, which could otherwise take the place of a run
        with Store.open(store, write=False) as runs:
            run = runs.read(words)
        return kind_of(run).agent(run, game)
    if may_hold_policy(words):
        from ..solving.policies.policy_files import demand_json, holds_policy, read_policy

        if holds_policy(words):
            return read_policy(game, words)
    if not parameters_of(game) and (numbers is not None or _is_file(words)):
        if words.endswith(".json"):
            demand_json(words)
        raise ValueError(f"{game.name} has no parametric strategy: it can be played by name only")
    if numbers is not None:
        return vector_policy(game, numbers)
    if _is_file(words):
        return replace(_from_file(game, Path(words)), name=words)
    ways, count = f"a name ({', '.join([*policy_names(game), *engines_of(game)])})", len(parameters_of(game))
    more = f", a run, a parameter file, or {count} numbers with commas between them" if count else " or a solved run"
    raise ValueError(f"{shorten(words)} is not a player of {game.name}: give {ways}{more}")


def solved_agent(game: Game) -> Agent:
    """The agent that plays the certified solution that comes with the package."""
    from ..solving.known_values import shipped_solution
    from ..solving.proofs.certificate_files import certificate_agent, read_certificate

    path = shipped_solution(game.name)
    if path is None:
        raise ValueError(f"no solution of {game.name} comes with the package: solve it with `fogspiel solve`")
    return certificate_agent(SOLVED, read_certificate(path), game)


def may_hold_policy(words: str) -> bool:
    """Whether words may name a policy of a file: a table, answers, a certificate, or a function of Python."""
    return words.endswith((".json", ".jsonl", ".csv")) or names_function(words)


def names_function(words: str) -> bool:
    """Whether words name a function of a Python file: only the user's own words may do so."""
    return words.rpartition(":")[0].endswith(".py")


def engines_of(game: Game) -> list[str]:
    """The names of the engines that play this game."""
    if game.name != KRIEGSPIEL:
        return []
    from ..kriegspiel.engine import engines

    return list(engines())


def numbers_in(words: str) -> list[float] | None:
    """The numbers of an inline vector, or None where the words are something else."""
    try:
        return [float(word) for word in words.strip("()[] ").split(",")]
    except ValueError:
        return None


def _is_file(words: str) -> bool:
    """Whether the words look like a file: there is one, or they end like one."""
    try:
        return Path(words).exists() or bool(Path(words).suffix)
    except OSError:  # too long for a name
        return False


def _from_file(game: Game, path: Path) -> ParametricPolicy:
    """The player of a parameter file: JSON (a list, or an object with `theta` or with `thetas`), or plain numbers."""
    content = read_bytes(path, "the parameter file", MOST_BYTES, "that is no parameter vector")
    if content.lstrip()[:1] in (b"{", b"["):
        try:
            found = parse_json(content, floats=True)
        except ValueError as error:
            raise ValueError(f"the parameter file {path} is neither JSON nor plain numbers: {error}") from None
    else:
        try:
            found = [float(word) for word in re.split(r"[\s,;]+", content.decode().strip())]
        except ValueError:
            raise ValueError(f"the parameter file {path} is neither JSON nor plain numbers") from None
    if isinstance(found, dict):
        if found.get("game", game.name) != game.name:
            raise ValueError(f"the parameter file {path} is for {shorten(found['game'])}, not for {game.name}")
        if found.get("thetas") is not None:
            return _mixture(game, path, found["thetas"], found.get("weights"))
        found = found.get("theta")
    return vector_policy(game, _vector(game, path, found, "under `theta`"))


def _vector(game: Game, path: Path, found: Any, where: str) -> np.ndarray:
    """A parameter vector of a file."""
    if not isinstance(found, list):
        raise ValueError(f"the parameter file {path} has no list of numbers (as a list, or {where})")
    for number in found:
        if not isinstance(number, float):
            raise ValueError(f"the parameter file {path} has {shorten(number)} in its vector, which is not a number")
    return check_vector(game, found)


def _mixture(game: Game, path: Path, thetas: Any, weights: Any) -> ParametricPolicy:
    """The mixture of a parameter file."""
    if not isinstance(thetas, list) or not thetas:
        raise ValueError(f"the parameter file {path} has no members: `thetas` is a list of one vector or more")
    members = np.array([_vector(game, path, theta, "one for each member under `thetas`") for theta in thetas])
    if not isinstance(weights, list) or len(weights) != len(members):
        many = len(weights) if isinstance(weights, list) else "no"
        raise ValueError(f"the parameter file {path} has {len(members)} members but {many} weights: give one for each")
    for weight in weights:
        if not isinstance(weight, float) or not isfinite(weight) or weight < 0:
            raise ValueError(f"the parameter file {path} has a weight {shorten(weight)}: it must be a number from 0 up")
    if abs(sum(weights) - 1) > ROUNDING:
        raise ValueError(f"the weights of the parameter file {path} add up to {sum(weights):.12g}: it must be 1")
    return mixture_policy(game, members, weights)
