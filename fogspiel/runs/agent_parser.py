"""Parser of agents from text: names, numbers, runs, files and plug-in sources.

Sources are tried in order. A file in `runs/agents`, of the package or of a plug-in folder, adds sources by listing
them in SOURCES.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core import NotFound, agents
from ..core.agents import Agent, ParametricPolicy, named_policy, names_function, policy_names, vector_policy
from ..core.find import load_game
from ..core.game import Game, check_vector, parameters_of
from ..core.plugins import collect
from ..core.untrusted_input import SHOWN, parse_json, read_bytes, shorten
from .kind import kind_of, kind_of_method
from .request import RUN_NAME
from .requests import DEFAULT_MEMORY
from .store import Store, StoreError, default_path
from .tuning_run import UNPROVED, unproved_of

if TYPE_CHECKING:
    from ..solving.policies.exploitability import ExploitResult
    from ..stats.evaluate import MatchResult
    from .requests import MatchRequest
    from .store import Json

SOLVED = "solved"  # player of the certified solution shipped with the package
MAX_BYTES = 16_000_000
ROUNDING = 1e-9  # tolerance for the sum of a mixture's weights


class Offer(NamedTuple):
    """An agent offered to a person: its text, label and description, and its strength from 0 (the best) to 3."""

    words: str
    title: str
    about: str
    strength: int
    rating: int | None = None  # Elo at its game's family, where a round robin has measured it


@dataclass(frozen=True)
class AgentSource:
    """A syntax for agents of a game."""

    name: str
    # The agent of a text, given a store for runs and a seed for random draws; None if the text has another syntax.
    find: Callable[[Game, str, Path, int], Agent | None]
    names: Callable[[Game], Sequence[str]] = lambda game: ()  # texts that can be listed
    # True if a web client may name this agent: never a file or a program, whatever is on the disk.
    on_page: Callable[[Game, str], bool] = lambda game, text: False
    # Plays a match of two agents of this source, resuming from the counts, if `evaluate` does not.
    match: "Callable[[Game, MatchRequest, Json | None, Callable[[MatchResult], None]], MatchResult] | None" = None
    offers: Callable[[Game], Sequence[Offer]] = lambda game: ()  # to people, in addition to `names`
    general: bool = False  # true if it serves every game: its texts are no engines of the game itself


def parse_agent(game: Game, text: str, store: Path, seed: int) -> Agent:
    """Return the agent named by a text; raise NotFound, which lists the alternatives."""
    for source in sources():
        agent = source.find(game, text, store, seed)
        if agent is not None:
            return agent
    from ..solving.known_values import shipped_solution

    names, count = agent_names(game), len(parameters_of(game))
    names += [SOLVED] if shipped_solution(game.name) else []
    near = get_close_matches(text[:SHOWN], names, n=2)
    meant = f"did you mean {' or '.join(near)}? Give" if near else "give"
    more = f", a run, a parameter file, or {count} numbers with commas between them" if count else " or a solved run"
    raise NotFound(f"{shorten(text)} is not a player of {game.name}: {meant} a name ({', '.join(names)}){more}")


def find_agent(game: Game, given: Any, store: Path | None = None, seed: int = 1) -> Agent:
    """Return the agent of a text, a path or a Python object: agent, solution, function or OpenSpiel policy."""
    if isinstance(given, str | Path):
        return parse_agent(game, str(given), store or default_path(), seed)
    from ..solving.policies import as_agent

    return as_agent(game, given)


def exploitability(
    game: Game | str,
    first: Any,
    second: Any = None,
    missing: str = "refuse",
    watch: Callable[[int, int], None] = lambda done, total: None,
    memory: float = DEFAULT_MEMORY,
    seed: int = 1,
) -> "ExploitResult":
    """Measure a policy in both seats exactly, or two policies, one in each.

    A policy is a text as on the command line (a name, `solved`, a run, a file, numbers), a path, an agent, a solution,
    or a function from information states to probabilities. Information states without an entry raise an error, or are
    played at random with `missing="uniform"`. `watch` receives the number of states queried and their total. The game
    tree must fit into `memory` (GiB); `seed` draws the policy `fixed`.

    >>> exploitability("kuhn", "solved").nash_conv
    Fraction(0, 1)
    """
    from ..solving.policies import exploitability

    chosen = load_game(game) if isinstance(game, str) else game
    other = None if second is None else find_agent(chosen, second, seed=seed)
    return exploitability.measure_policies(chosen, find_agent(chosen, first, seed=seed), other, missing, watch, memory)


def sources() -> Iterator[AgentSource]:
    """Yield all sources in order of precedence: runs come before files, which could shadow them."""
    yield from (NAMED, SHIPPED)
    yield from plug_ins()
    yield from (RUNS, POLICY_FILES, PARAMETERS)


def plug_ins() -> Iterable[AgentSource]:
    found: dict[str, AgentSource] = collect("runs.agents", "SOURCES")
    return found.values()


def agent_names(game: Game) -> list[str]:
    return [name for source in sources() for name in source.names(game)]


def engines_of(game: Game) -> list[str]:
    """Return the names of agents from plug-in sources that are made for the game, but not its own strategies."""
    return [name for source in plug_ins() if not source.general for name in source.names(game)]


def is_general(game: Game, text: str) -> bool:
    """True if a text names an agent that plays any game by its rules, with or without options."""
    name = text.partition(":")[0]
    return any(source.general and name in source.names(game) for source in plug_ins())


def _named(game: Game, text: str, store: Path, seed: int) -> Agent | None:
    return named_policy(game, text, seed) if text in (*policy_names(game), *agents.BASELINES) else None


def _shipped(game: Game, text: str, store: Path, seed: int) -> Agent | None:
    if text != SOLVED:
        return None
    from ..solving.known_values import shipped_solution
    from ..solving.proofs import certificate_agent, read_certificate

    path = shipped_solution(game.name)
    body = _latest_solution(game, store) if path is None else read_certificate(path)
    if body is None:
        told = "in the package or among your runs: solve it with `fogspiel solve`"
        raise ValueError(f"there is no solution of {game.name} by these rules {told}")
    return certificate_agent(SOLVED, body, game)


def _latest_solution(game: Game, store: Path) -> "Json | None":
    """Return the certificate of the latest run that has solved these rules as they are; None if there is none."""
    with suppress(StoreError), Store.open(store, write=False) as runs:
        for summary in reversed(runs.summaries()):
            kind = kind_of_method(summary.method)
            if summary.game == game.name and (kind.opponent(summary) or ("",))[0] == "solution":
                body = kind.certificate(runs.read(summary.name)) or {}
                optimal = "lock" not in body and body.get("refinement", {}).get("safety", "0") == "0"
                if optimal and body.get("lower") == body.get("upper") and body.get("rules") == game.version:
                    return body
    return None


def _of_run(game: Game, text: str, store: Path, seed: int) -> Agent | None:
    name, _, part = text.partition(":")
    if not RUN_NAME.fullmatch(name) or part not in ("", UNPROVED):
        return None
    with Store.open(store, write=False) as runs:
        run = runs.read(name)
    agent = kind_of(run).agent(run, game)
    return agents.decode_policy(game, unproved_of(run), text) if part else agent


def _of_policy_file(game: Game, text: str, store: Path, seed: int) -> Agent | None:
    """Return the policy of a table, of sampled answers, of a certificate, or of a user-named Python function."""
    if not (text.endswith((".json", ".jsonl", ".csv")) or names_function(text)):
        return None
    from ..solving.policies import holds_policy, read_policy

    if not names_function(text) and not Path(text).exists():
        raise NotFound(f"there is no file {shorten(text)}")
    return read_policy(game, text) if holds_policy(text) else None


def _of_parameters(game: Game, text: str, store: Path, seed: int) -> Agent | None:
    """Return the parametric strategy of an inline vector or a parameter file."""
    numbers = numbers_in(text)
    if numbers is None and not _is_file(text):
        return None
    if not parameters_of(game):
        if text.endswith(".json"):
            from ..solving.policies import demand_json

            demand_json(text)
        if numbers is None:
            ways = "a table or a certificate ends with .json, .jsonl or .csv, a function is FILE.py:NAME"
            raise ValueError(f"{shorten(text)} is not a policy of {game.name}: {ways}")
        raise ValueError(f"{game.name} has no parametric strategy: it can be played by name only")
    if numbers is not None:
        return vector_policy(game, numbers)
    return replace(_from_file(game, Path(text)), name=text)


def numbers_in(words: str) -> list[float] | None:
    """Parse an inline vector; return None for any other text."""
    try:
        return [float(word) for word in words.strip("()[] ").split(",")]
    except ValueError:
        return None


def _is_file(words: str) -> bool:
    """True if the text is an existing path or has a file suffix."""
    try:
        return Path(words).exists() or bool(Path(words).suffix)
    except OSError:  # too long for a file name
        return False


def _from_file(game: Game, path: Path) -> ParametricPolicy:
    """Read a parameter file: JSON (a list, or an object with `theta` or with `thetas`), or plain numbers."""
    content = read_bytes(path, "the parameter file", MAX_BYTES, "that is no parameter vector")
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
    if not isinstance(found, list):
        raise ValueError(f"the parameter file {path} has no list of numbers (as a list, or {where})")
    for number in found:
        if not isinstance(number, float):
            raise ValueError(f"the parameter file {path} has {shorten(number)} in its vector, which is not a number")
    return check_vector(game, found)


def _mixture(game: Game, path: Path, thetas: Any, weights: Any) -> ParametricPolicy:
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
    return agents.mixture_policy(game, members, weights)


NAMED = AgentSource("names", _named, policy_names, lambda game, text: text in policy_names(game))
SHIPPED = AgentSource("shipped solution", _shipped, on_page=lambda game, text: text == SOLVED)
RUNS = AgentSource("runs", _of_run, on_page=lambda game, text: RUN_NAME.fullmatch(text) is not None)
POLICY_FILES = AgentSource("policy files", _of_policy_file)
PARAMETERS = AgentSource("parameters", _of_parameters, on_page=lambda game, text: numbers_in(text) is not None)
