"""Python API: the commands of the command line as functions.

A game is its name, its file (`FILE.py`, `FILE.efg`, `.nfg`, `.game`, `.txt`, `openspiel:NAME`) or a `Game`. An agent is
any agent text of the command line (a name, `solved`, a run, a file, numbers with commas), a list of numbers, a policy,
a solution, or a function of information states. Nothing is stored unless a store is named. Every error is a
`FogspielError`.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import wraps
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar

import numpy as np

from .cli.terminal import GameEnding, Terminal, ask_person, parse_seat, seat_names
from .core import BadInput, FogspielError, NotFound, TooLarge, agents, find
from .core.agents import Agent, ParametricPolicy
from .core.game import UNIFORM, USER_GAMES, Game, Strategy, list_games
from .core.session import PersonSession
from .core.untrusted_input import shorten
from .results import (
    ExploitOutcome,
    FunctionOutcome,
    GameValue,
    MatchOutcome,
    ReportOutcome,
    SampledOutcome,
    Trail,
    TuneOutcome,
    VerifyResult,
)
from .runs import store
from .runs.agent_parser import find_agent
from .runs.kind import Context, Outputs, find_or_create_run, keep_answer, kind_of_request, undone_if_empty
from .runs.kinds.exploit import measure, respond_by_search
from .runs.kinds.match import play_match
from .runs.kinds.program import tune_function as tuned
from .runs.kinds.solve import task_of
from .runs.request import Request, StoredAgent, check_seed, seconds_for
from .runs.requests import (
    BoundsRequest,
    ConstantsRequest,
    ExploitRequest,
    GameReportRequest,
    MatchRequest,
    Refine,
    SampledExploitRequest,
    SolveRequest,
    TuneRequest,
    VerifyRequest,
    default_games,
)
from .runs.store import Json, Run, Store, UnstoredRun
from .solving import proofs
from .solving.contract import GameCheck, check_game
from .solving.methods import Solution
from .solving.policies.exploitability import exact_tree_score
from .solving.reduce import presolve_tree
from .solving.sources import KernelSource, find_source
from .solving.tree import sequence_form as tree_form
from .solving.tree.sequence_form import SequenceForm
from .stats.race import Race
from .tuning.programs.parameters import Parameters

GameLike = Game | str | Path
AgentLike = Any  # the forms in the module's docstring; anything else is a BadInput
StorePath = str | Path | None
RENAMED = {"time": "seconds", "as": "seat"}  # options whose parameter has another name

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def _at_the_door(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Convert all errors of a call to FogspielError, and allow integers of any length during the call."""

    @wraps(function)
    def call(*args: Arguments.args, **options: Arguments.kwargs) -> Answer:
        digits = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(0)
        try:
            return function(*args, **options)
        except FogspielError as error:
            error.args = (_plain(str(error)),)
            raise
        except MemoryError as error:
            raise TooLarge(str(error) or "there is not enough memory: give less to do") from error
        except FileNotFoundError as error:
            raise NotFound(f"there is no file {error.filename}") from error
        except (ValueError, OSError) as error:
            raise BadInput(_plain(str(error))) from error
        finally:
            sys.set_int_max_str_digits(digits)

    return call


def _plain(sentence: str) -> str:
    """Return a message with option names as in Python, unless it quotes a command."""
    if "`fogspiel" in sentence:
        return sentence
    return re.sub(r"(?<![\w-])--([a-z]+)", lambda option: RENAMED.get(option[1], option[1]), sentence)


def _demand(sort: type | UnionType, wanted: str, **given: Any) -> None:
    """Raise a BadInput for arguments of another type, and for numbers that are not positive."""
    for name, value in given.items():
        fits = isinstance(value, sort) and (sort is bool or not isinstance(value, bool))
        if not fits or (not isinstance(value, bool) and isinstance(value, int | float) and value <= 0):
            raise BadInput(f"{name} is {shorten(value)}: it must be {wanted}")


# Games and agents in all accepted forms


@_at_the_door
def load_game(game: GameLike) -> Game:
    """Find a game; a Python file is run.

    Parameters:
        game: A name, a file, `openspiel:NAME`, or a `Game`, which is returned as it is.

    Returns:
        The record of the game: its rules, its named strategies, its payoffs.

    >>> load_game("kuhn").title
    'Kuhn poker, three cards'
    """
    if isinstance(game, Game):
        return game
    if not isinstance(game, str | Path):
        raise BadInput(f"{type(game).__name__} is not a game: give a name, a file or a Game")
    return find.load_game(game)


@contextmanager
def _known(game: GameLike) -> Iterator[Game]:
    """Register a `Game` object by its name inside the context, so that lookups by name find it."""
    chosen = load_game(game)
    before = USER_GAMES.get(chosen.name)
    if isinstance(game, Game):
        USER_GAMES[chosen.name] = chosen
    try:
        yield chosen
    finally:
        if isinstance(game, Game) and before is None:
            del USER_GAMES[chosen.name]
        elif before is not None:
            USER_GAMES[chosen.name] = before


@dataclass(frozen=True)
class _GivenAgent(StoredAgent):
    """An agent given as a Python object, which cannot be stored."""

    given: AgentLike = None

    def agent(self, game: Game, store: Path, seed: int) -> Agent:
        return find_agent(game, self.given)


def _agent(game: Game, given: AgentLike, path: StorePath = None, seed: int = 1) -> Agent:
    """Return the agent of a text or an object; reject a strategy of another game, whose views differ."""
    if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str):
        return agents.vector_policy(game, _numbers(given))
    if isinstance(given, Mapping) and "strategies" in given:
        return proofs.certificate_agent("given", dict(given), game)
    agent = find_agent(game, given, _path(path), seed)
    strategy = getattr(agent, "strategy", UNIFORM)
    if strategy is not UNIFORM and strategy not in _strategies(game):
        for other in list_games().values():
            if strategy in _strategies(other):
                raise BadInput(f"{agent.name} is a strategy of {other.name}, not of {game.name}: give one of its own")
    return agent


def _strategies(game: Game) -> list[Strategy]:
    return [each for each in (game.strategy, *game.policies.values()) if isinstance(each, Strategy)]


def _player(game: Game, given: AgentLike, path: StorePath, seed: int) -> StoredAgent:
    """Return an agent as requests have it; raise a BadInput for one that would have to be stored but cannot."""
    if isinstance(given, str | Path):
        return StoredAgent.of(game, str(given), _path(path), seed)
    agent = _agent(game, given)
    if isinstance(given, Sequence | np.ndarray):  # named by its numbers, as the command line would
        agent = replace(agent, name=",".join(map(repr, agents.encode_policy(game, agent)["theta"])))
    numbers = agents.encode_policy(game, agent)
    if "theta" in numbers:
        return StoredAgent(agent.name, numbers)
    if path is not None:
        raise BadInput(f"{agent.name} is an object of this program: a run that is stored needs a name or a file")
    return _GivenAgent(agent.name, given=agent)


def _numbers(given: Any) -> np.ndarray:
    try:
        numbers = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        numbers = np.asarray(np.nan)
    if numbers.ndim == 0:
        raise BadInput(f"{shorten(given)} is not a vector: give a list of numbers")
    return numbers


def _path(path: StorePath) -> Path:
    _demand(str | Path | None, "the name of a file", store=path)
    return store.default_path() if path is None else Path(path)


class _Finished(NamedTuple):
    """Outcome of a run: its result, the points of its steps, its name where it is stored, and its report if wanted."""

    result: Json
    trail: Trail
    name: str
    report: ReportOutcome | None


def _work(
    ask: Json, path: StorePath, threads: int | None = None, prepared: object = None, reported: bool = False
) -> _Finished:
    kind, context = kind_of_request("", ask), Context(_path(path), threads, prepared=prepared)

    def finish(run: Run, name: str = "") -> _Finished:
        result = kind.execute(run, context)
        report = ReportOutcome(kind.result_json(run, Outputs()), kind.report(run), name) if reported else None
        return _Finished(result, Trail(kind.curve(ask), kind.points(run)), name, report)

    if path is None:
        return finish(UnstoredRun(ask))
    with Store.open(_path(path), write=True) as runs:
        once = kind.request is not None and kind.request.once
        run = find_or_create_run(runs, ask) if once else runs.create(ask)
        with undone_if_empty(runs, run):
            return finish(run, run.name)


def _report(request: Request, path: StorePath, processes: int) -> ReportOutcome:
    _demand(int, "a positive whole number", processes=processes)
    found = _work(request.to_json(), path, processes, reported=True).report
    assert found is not None
    return found


@_at_the_door
def find_policy(game: GameLike, name: str) -> ParametricPolicy:
    """Find a named strategy of a game.

    Parameters:
        game: A name, a file or a `Game`.
        name: One of the game's strategies, or `uniform`, which tries any action.

    Returns:
        The policy, which the compiled loop can play.

    >>> find_policy("batawaf", "descending")
    Policy descending
    """
    return agents.find_policy(load_game(game), name)


@_at_the_door
def vector_policy(game: GameLike, theta: Sequence[float] | np.ndarray, name: str | None = None) -> ParametricPolicy:
    """Return the parametric strategy of a game with these parameters.

    Parameters:
        game: A name, a file or a `Game`.
        theta: A number for each parameter.
        name: The policy's name (default: its first numbers).

    >>> vector_policy("batawaf", [1, 0.5, 0], name="mine")
    Policy mine
    """
    return agents.vector_policy(load_game(game), _numbers(theta), name)


@_at_the_door
def mixture_policy(
    game: GameLike, thetas: Sequence[Sequence[float]] | np.ndarray, weights: Sequence[float], name: str = "mixture"
) -> ParametricPolicy:
    """Return a mixed strategy: one of several vectors, drawn by weight before every game (pair of games).

    Parameters:
        game: A name, a file or a `Game`.
        thetas: A vector of parameters for each member.
        weights: A weight for each member.
        name: The policy's name.

    >>> mixture_policy("batawaf", [[1, 0, 0], [0, 1, 0]], [3, 1]).weights
    (0.75, 0.25)
    """
    return agents.mixture_policy(load_game(game), _numbers(thetas), _numbers(weights).tolist(), name)


# Playing


@_at_the_door
def play(
    game: GameLike,
    against: AgentLike = None,
    seat: str = "first",
    *,
    seed: int | None = None,
    store: StorePath = None,
) -> GameEnding:
    """Play a game in the terminal, as `fogspiel play` does.

    Parameters:
        game: A name, a file or a `Game`.
        against: The opponent (default: the first named strategy).
        seat: Your seat: `first` or `second`.
        seed: Same seed, same deal (default: a random deal).
        store: The store in which runs that play are looked up.

    Returns:
        The text for the end, and the index of the first player's payoff; None if you left the game.
    """
    from secrets import randbits

    chosen, seed = load_game(game), randbits(32) if seed is None else seed
    check_seed(seed)
    opponent = _agent(chosen, agents.policy_names(chosen)[0] if against is None else against, store, seed)
    lines, tell = ask_person(False)
    terminal = Terminal(PersonSession(chosen, opponent, parse_seat(str(seat), seat_names(chosen)), seed), lines, tell)
    ending = terminal.play()
    tell(f"The game is over: {ending.how}.")
    tell(terminal.epilogue())
    return ending


@_at_the_door
def match(
    game: GameLike,
    first: AgentLike,
    second: AgentLike,
    *,
    seed: int = 1,
    games: int | None = None,
    seats: Literal["swapped", "alternating", "coin"] = "swapped",
    until: float | None = None,
    until_elo: float | None = None,
    threads: int = 1,
    store: StorePath = None,
) -> MatchOutcome:
    """Play two agents against each other: the same games as `fogspiel match`.

    Parameters:
        game: A name, a file or a `Game`.
        first: The agent that is scored.
        second: Its opponent.
        seed: Same seed, same games.
        games: The number of games, by default 20,000, or 10 million where a rule stops them; pairs are never cut.
        seats: `swapped` (every deal twice), `alternating`, or `coin`.
        until: Stop when the score is known within this: half the width of its interval.
        until_elo: The same in Elo.
        threads: Number of threads; the games do not depend on it.
        store: A store of runs, to save the match.

    Returns:
        The score of the first agent, an anytime-valid 95 % interval, and all counts.

    >>> match("batawaf", "descending", "random", seed=1, games=200)
    Score 0.710 (95 %: 0.615 to 0.803) in 200 games
    """
    check_seed(seed)
    games = default_games(until, until_elo) if games is None else games
    _demand(int, "a positive whole number", games=games, threads=threads)
    with _known(game) as chosen:
        one, two = (_player(chosen, given, store, seed) for given in (first, second))
        request = MatchRequest(
            game=chosen.name, first=one, second=two, seed=seed, games=games, seats=seats, until=until,
            until_elo=until_elo,
        )  # fmt: skip
        if isinstance(one, _GivenAgent) or isinstance(two, _GivenAgent):
            left, right = (player.agent(chosen, _path(store), seed) for player in (one, two))
            found = play_match(request, chosen, (left, right), threads)
        else:
            found = _work(request.to_json(), store, threads).result
        counts = tuple(found["outcomes"]), tuple(found["observed"])
        split = tuple(tuple(seat["outcomes"]) for seat in found.get("by_seat", ()))
        return MatchOutcome(tuple(map(float, chosen.payoffs)), *counts, split)


@_at_the_door
def exact_score(game: GameLike, first: AgentLike, second: AgentLike, *, seed: int = 1) -> Fraction | float:
    """Compute the score of one agent against another, averaged over both seats, without playing.

    Parameters:
        game: A name, a file or a `Game`.
        first: The agent that is scored.
        second: Its opponent.
        seed: Seed of an agent that is drawn at random, such as `fixed`.

    Returns:
        A fraction; a float where an agent's probabilities are floats.

    >>> exact_score("kuhn", "solved", "solved")
    Fraction(0, 1)
    """
    check_seed(seed)
    chosen = load_game(game)
    one, two = (_agent(chosen, given, seed=seed) for given in (first, second))
    return agents.exact_score(chosen, one, two) if chosen.exact.score else exact_tree_score(chosen, one, two)


# Solving


@_at_the_door
def solve(
    game: GameLike,
    *,
    method: str = "auto",
    exact: bool = False,
    gap: float = 1e-6,
    memory: float = 4.0,
    seed: int = 0,
    iterations: int | None = None,
    seconds: float | None = None,
    refine: Refine = "auto",
    lock: AgentLike = None,
    seat: int | None = None,
    lock_weight: str | Fraction | None = None,
    against: AgentLike = None,
    safety: str | Fraction | None = None,
    store: StorePath = None,
) -> GameValue:
    """Solve a two-player zero-sum game: its value, a strategy for each side, and a certificate that proves them.

    Parameters:
        game: A name, a file or a `Game`.
        method: The solver; `fogspiel solve --help` lists them.
        exact: Require the exact value.
        gap: Regret minimisation stops when the certified bounds are this close.
        memory: The memory limit of the game, in GiB.
        seed: Random seed of sampling methods.
        iterations: Number of iterations of sampling methods.
        seconds: CPU seconds of sampling methods (default 60).
        refine: Of the optimal strategies take those that score most against uniform play ("auto": in small games), or
            quasi-perfect ones.
        lock: A policy that is fixed at the information states where it has probabilities; the rest is solved.
        seat: The seat whose states are locked, 1 or 2 (default: both).
        lock_weight: The probability with which the lock holds (default 1), as in "9/10".
        against: A policy; of the optimal strategies take those that score most against it.
        safety: How much less than the value the strategies may secure, to score more against it.
        store: A store of runs, to save the solution.

    Returns:
        The value with its bounds; a solution is also an agent of `match` and `exploit`.

    >>> solution = solve("kuhn", method="lp", exact=True)
    >>> solution.value, solution.exact
    (Fraction(-1, 18), True)
    """
    _demand(str, "a name", method=method)
    _demand(bool, "True or False", exact=exact)
    problem, words = _source(game), _words(game)
    policies: dict[str, Any] = {}
    for name, given in (("lock", lock), ("against", against)):
        if given is not None:
            policies[name] = _player(problem.as_game(memory), given, store, seed)
    request = SolveRequest(
        game=words, solver=method, exact=exact, gap=gap, memory=memory, seed=seed, iterations=iterations,
        seconds=seconds, refine=refine, seat=seat, lock_weight=_text(lock_weight), safety=_text(safety), **policies,
    )  # fmt: skip
    task = task_of(request, problem=problem, store=_path(store))
    result, trail, run, _ = _work(task.ask, store, prepared=task)
    found = Solution.from_json(result)
    value, lower, upper = (
        Fraction(number) if isinstance(number, str) else number for number in (found.value, found.lower, found.upper)
    )
    return GameValue(problem.name, value, lower, upper, found.description, found.certificate, found.sizes, run, trail)


def _text(number: str | Fraction | None) -> str | None:
    return None if number is None else str(number)


def _words(game: GameLike) -> str:
    return str(game) if isinstance(game, str | Path) else load_game(game).name


@_at_the_door
def bounds(
    game: GameLike,
    *,
    seconds: float = 300.0,
    memory: float = 1.0,
    iterations: int | None = None,
    seed: int | None = None,
    informed: str | None = None,
    store: StorePath = None,
) -> GameValue:
    """Prove bounds on the value of any game, exact ones if it can be solved; they narrow until the time is used up.

    Parameters:
        game: A name, a file or a `Game`.
        seconds: The budget of CPU time.
        memory: The memory limit, in GiB.
        iterations: The iterations of each learning method, instead of CPU time.
        seed: Random seed of sampling methods (default 0).
        informed: Lemma 2 alone: the opponent is shown the board `every` turn, `every:K`, `once`, `once:K`, or `never`.
        store: A store of runs, to save the bounds.

    Returns:
        The bounds as fractions, with their certificate.

    >>> found = bounds("phantom-ponnuki-2x2", seconds=10)
    >>> found.lower <= found.upper
    True
    """
    _demand(str | None, "every, every:K, once, once:K or never", informed=informed)
    with _known(game) as chosen:
        request = BoundsRequest(
            game=chosen.name, seconds=seconds, memory=memory, iterations=iterations, seed=seed, informed=informed
        )
        found, trail, run, _ = _work(request.to_json(), store)
    lower, upper = Fraction(found["lower"]), Fraction(found["upper"])
    value = lower if lower == upper else float((lower + upper) / 2)
    method, sizes = found.get("solver", "bounds"), found.get("sizes", {})
    return GameValue(chosen.name, value, lower, upper, method, found["certificate"], sizes, run, trail)


@_at_the_door
def exploit(
    game: GameLike,
    first: AgentLike,
    second: AgentLike = None,
    *,
    missing: Literal["refuse", "uniform"] = "refuse",
    memory: float = 4.0,
    seed: int = 1,
    sampled: bool = False,
    games: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    store: StorePath = None,
) -> ExploitOutcome | SampledOutcome:
    """Measure a policy in both seats exactly, or two policies, one in each: their score against best responses.

    With `sampled`, bound any agent of any game from below by fresh games of a best responder that searches.

    Parameters:
        game: A name, a file or a `Game`.
        first: The policy.
        second: The policy of the second seat, if it differs.
        missing: At states without probabilities: `refuse` (raise an error), or play `uniform`.
        memory: The memory limit of the game tree, in GiB.
        seed: Seed of a policy that is drawn at random, such as `fixed`; of `sampled`, also that of its games.
        sampled: Play a searching responder against the policy in both seats, instead of measuring it exactly.
        games: The number of games of `sampled`.
        seconds: The CPU seconds of `sampled`, instead (default 60).
        nodes: The positions of each decision of the responder (default 100,000).
        store: A store of runs, to save the result.

    Returns:
        The value, the best responses, NashConv and exploitability, and the decisions that cost most; of `sampled` the
            lower bound with the games that prove it.

    >>> exploit("kuhn", "solved").nash_conv
    Fraction(0, 1)
    >>> exploit("kuhn", "uniform", sampled=True, games=20, nodes=500).games
    20
    """
    check_seed(seed)
    _demand(bool, "True or False", sampled=sampled)
    _demand(int | None, "a positive whole number", games=games, nodes=nodes)
    budget = {"games": games, "seconds": seconds, "nodes": nodes}
    asked = {name: number for name, number in budget.items() if number is not None}
    if sampled:
        if second is not None or missing != "refuse":
            raise BadInput("sampled takes one policy, for both seats: leave out second and missing")
        return _exploit_sampled(game, first, asked, seed, store)
    if asked:
        raise BadInput(f"{' and '.join(asked)}: only for a sampled bound: give sampled=True, too, or leave it out")
    with _known(game) as chosen:
        policy = _player(chosen, first, store, seed)
        other = None if second is None else _player(chosen, second, store, seed)
        request = ExploitRequest(
            game=chosen.name, policy=policy, second=other, missing=missing, memory=memory, seed=seed
        )
        found, body = measure(request, _path(store), lambda done, total: None)
        keep_answer(request.to_json() if store else {}, body, None if store is None else _path(store))
    return ExploitOutcome.of(found)


def _exploit_sampled(
    game: GameLike, policy: AgentLike, asked: dict[str, Any], seed: int, path: StorePath
) -> SampledOutcome:
    limit = seconds_for(asked.get("games"), None, asked.get("seconds"))
    with _known(game) as chosen:
        player = _player(chosen, policy, path, seed)
        request = SampledExploitRequest(game=chosen.name, policy=player, seed=seed, **asked | {"seconds": limit})
        if isinstance(player, _GivenAgent):
            found = respond_by_search(chosen, player.agent(chosen, _path(path), seed), request)
        else:
            found = _work(request.resolved(_path(path)).to_json(), path).result
        counts = tuple(found["outcomes"]), tuple(found["observed"])
        bound = found["exploitability"], found["gain"], found["known"]
        return SampledOutcome(tuple(map(float, chosen.payoffs)), *counts, (), *bound)


@_at_the_door
def verify(
    certificate: str | Path | Mapping[str, Any] | GameValue,
    game: GameLike | None = None,
    seconds: float = 600.0,
    *,
    size: float = 64.0,
    store: StorePath = None,
) -> VerifyResult:
    """Check a certificate by the rules of the game alone, in exact arithmetic.

    Parameters:
        certificate: Its file, a solved run, the name of a game whose solution comes with the package, the certificate
            itself, or a solution.
        game: The rules, if they are not in the package.
        seconds: Limit of the check in CPU seconds.
        size: Limit of the file size, in MiB.
        store: The store in which runs are looked up.

    Returns:
        The proved bounds; an invalid certificate raises a FogspielError.

    >>> verify("kuhn").lower
    Fraction(-1, 18)
    """
    _demand(int | float, "a positive number", seconds=seconds, size=size)
    body = getattr(certificate, "certificate", certificate)
    if isinstance(body, str | Path):
        body = VerifyRequest(what=str(body), seconds=seconds, size=size).find_certificate(_path(store))
    if not isinstance(body, Mapping):
        raise BadInput(f"{type(certificate).__name__} is not a certificate: give a file, a run or a dictionary")
    rules = None if game is None else _words(game)
    return VerifyResult(*proofs.verify(dict(body), rules, seconds))


@_at_the_door
def check(game: GameLike) -> GameCheck:
    """Check a game against the contract of rules: positions, views, chance, strategies, sizes and speed.

    Parameters:
        game: A name, a file or a `Game`, which another process must be able to find.

    Returns:
        The findings; none if the game is valid.

    >>> check("kuhn").sound
    True
    """
    return check_game(load_game(game))


# Tuning


@_at_the_door
def tune(
    game: GameLike,
    *,
    method: str = "auto",
    games: int | None = None,
    seconds: float | None = None,
    race: str = "count-mixture",
    delta: float = 0.05,
    epsilon: float = 0.01,
    observation: Literal["pair", "game"] = "pair",
    baseline: str = "redrawn",
    seed: int = 1,
    seeds: int | None = None,
    report_games: int = 20_000,
    threads: int = 1,
    store: StorePath = None,
) -> TuneOutcome:
    """Tune the parametric strategy of a game: the same games as `fogspiel tune`.

    Parameters:
        game: A name, a file or a `Game` that has a parametric strategy.
        method: The search method; `fogspiel tune --help` lists them.
        games: The budget in games: the same result on every machine.
        seconds: The budget in seconds of run time (default 60 if there is no budget in games).
        race: The sequential test by which the method decides.
        delta: The error probability of each race.
        epsilon: The precision at which a race stops.
        observation: The observations of a race: `pair` (seats swapped) or `game`.
        baseline: The opponent for evaluation: `redrawn`, `fixed`, or a named strategy.
        seed: Same seed, same games.
        seeds: Tune from this many seeds and choose the best; requires a store.
        report_games: Held-out games for the final score.
        threads: Threads or, with several seeds, processes; results do not depend on the number.
        store: A store of runs: the tuning is saved step by step and can be resumed.

    Returns:
        The policy, its score in held-out games, and the test of its gain over the initial parameters.

    >>> tune("batawaf", games=4000, report_games=200).policy.strategy.parameters
    ('A', 'B', 'C')
    """
    seconds = seconds_for(games, None, seconds)
    _demand(int, "a positive whole number", threads=threads)
    _demand(str, "a name", method=method, race=race, baseline=baseline)
    if seeds is not None and store is None:
        raise BadInput("several seeds are tuned by processes that meet in a store: give store=FILE")
    with _known(game) as chosen:
        request = TuneRequest(
            game=chosen.name, method=method, race=race, delta=delta, epsilon=epsilon, observation=observation,
            baseline=baseline, seed=seed, games=games, seconds=seconds, report_games=report_games, seeds=seeds,
        )  # fmt: skip
        found, trail, run, _ = _work(request.resolved(_path(store)).to_json(), store, threads)
        policy = agents.decode_policy(chosen, agents.policy_json_in(found))
    low, high = found["interval"]
    return TuneOutcome(
        chosen.name, policy, found["score"], (low, high), found["against"], found["games"], found.get("proof"), run,
        trail,
    )  # fmt: skip


@_at_the_door
def tune_function(
    function: Callable[..., Any],
    parameters: Mapping[str, Mapping[str, Any]] | Parameters | str | Path,
    games: int = 20_000,
    seed: int = 1,
    method: str = "auto",
    race: Race | str | None = None,
    score_range: tuple[float, float] | None = None,
    alone: bool = False,
) -> FunctionOutcome:
    """Tune the parameters of a Python function, which is called in this process, one game at a time.

    Parameters:
        function: `function(a, b, seed)` returns the score of the values `a` against the values `b`.
        parameters: A table for each name, with `start`, `low` and `high`, or a TOML file of them.
        games: The budget in calls.
        seed: Same seed, same games.
        method: The search method; `fogspiel tune --help` lists them.
        race: The sequential test by which the method decides (default `count-mixture`).
        score_range: The lowest and highest score (default: only 0, 1/2 and 1).
        alone: The function is `function(a, seed)`, which scores `a` without an opponent.

    Returns:
        The values found, and the test of their gain over the initial values.

    >>> peak = {"x": {"start": 0.5, "low": 0, "high": 1}}
    >>> tune_function(lambda a, b, seed: 0.5, peak, games=200).parameters
    {'x': 0.5}
    """
    if not callable(function):
        raise BadInput(f"{type(function).__name__} is not a function: give one that returns the score of a game")
    _demand(int, "a positive whole number", games=games)
    _demand(str, "a name", method=method)
    if score_range is not None and np.shape(score_range) != (2,):
        raise BadInput(f"score_range is {score_range!r}: it must be the lowest and the highest score")
    judge = Race(race) if isinstance(race, str) else race
    return FunctionOutcome.of(tuned(function, parameters, games, seed, method, judge, score_range, alone))


# Design and competitions


@_at_the_door
def report(
    game: GameLike,
    *,
    levels: Sequence[int] = (1, 3, 5),
    games: int = 100,
    seed: int = 1,
    processes: int = 1,
    store: StorePath = None,
) -> ReportOutcome:
    """Report fairness, length, choices, hidden information, draws and skill of a game, as `fogspiel report` does.

    Parameters:
        game: A name, a file or a `Game`; several processes need a name or a file.
        levels: Levels of the search that play, ascending; uniform and, if the game is small, solved play too.
        games: The number of games of each strength, and between each two of them.
        seed: Same seed, same games.
        processes: Number of processes; the games do not depend on it.
        store: A store of runs, to save the report.

    Returns:
        The figures and the report, which `write(folder)` saves as HTML, Markdown, JSON and CSV.

    >>> report("kuhn", levels=[], games=2).figures["exact"]
    '-1/18'
    """
    _demand(list | tuple | range, "a list of numbers", levels=levels)
    with _known(game) as chosen:
        listed = ",".join(map(str, levels))
        return _report(GameReportRequest(game=chosen.name, levels=listed, games=games, seed=seed), store, processes)


@_at_the_door
def balance(
    game: str | Path,
    *,
    nearest: int = 5,
    level: int = 5,
    games: int = 400,
    seed: int = 1,
    processes: int = 1,
    store: StorePath = None,
) -> ReportOutcome:
    """Look for the constants that make a game fair, as `fogspiel balance` does.

    Parameters:
        game: A file with `FREE = {"BONUS": range(4)}`, or names with braces, as in `goofspiel-{4,5}`.
        nearest: How many of the nearest to find.
        level: The level of the search that plays where a game is not solved.
        games: The most games of each variant that is not solved.
        seed: Same seed, same games.
        processes: Number of processes; the result does not depend on it.
        store: A store of runs, to save the search, which can be resumed.

    Returns:
        The figures and the report: the constants nearest to fair, with exact values or intervals.

    >>> [table["score"] for table in balance("goofspiel-{4,5}").figures["tables"]]
    [0.0, 0.0]
    """
    _demand(str | Path, "a file, or names with braces", game=game)
    request = ConstantsRequest.of(str(game), nearest=nearest, level=level, games=games, seed=seed)
    return _report(request, store, processes)


@_at_the_door
def compete(
    folder: str | Path,
    game: GameLike,
    *,
    agents: Sequence[str] = (),
    games: int = 1_000,
    seconds: float | None = None,
    clock: float = 10.0,
    stop: bool = True,
    seed: int = 1,
    processes: int = 1,
    store: StorePath = None,
) -> ReportOutcome:
    """Run a competition of the programs, functions and tables of a folder, as `fogspiel compete` does.

    Parameters:
        folder: The entries, a file each; its programs and functions are run.
        game: A name, a file or a `Game`; several processes need a name or a file.
        agents: Agents of the package that take part: names, runs, files.
        games: The most games of each pair.
        seconds: End the competition after so much work, all first rounds at the earliest.
        clock: Seconds that a program has for a whole game.
        stop: Stop the games of a pair as soon as the better one is proved.
        seed: Same seed, same games.
        processes: Number of processes; the games do not depend on it.
        store: A store of runs, to save the competition, which can be resumed.

    Returns:
        The figures and the report: standings, all pairs, forfeits, exact exploitability of tables.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     compete(folder, "kuhn", agents=["uniform", "solved"], games=20).figures["games"]
    20
    """
    from .runs.kinds.compete import request_of

    _demand(str | Path, "the name of a folder", folder=folder)
    _demand(list | tuple, "a list of texts", agents=agents)
    asked = {"folder": str(folder), "agents": agents, "games": games, "seconds": seconds, "clock": clock}
    with _known(game) as chosen:
        request = request_of(chosen, asked | {"stop": stop, "seed": seed}, _path(store), lambda sentence: None)
        return _report(request, store, processes)


# Stores


@_at_the_door
def open_store(path: StorePath = None, *, write: bool = False) -> Store:
    """Open a store of runs, to be used in a `with` statement.

    Parameters:
        path: Its file (default: that of the command line).
        write: Create it if it does not exist, and allow changes.

    Returns:
        The store: `names()`, `summaries()`, `read(name)`.
    """
    return Store.open(_path(path), write=write)


# Other programs


@_at_the_door
def to_efg(game: GameLike, *, memory: float = 4.0) -> str:
    """Return a game as a file of Gambit's extensive form, `.efg`.

    Parameters:
        game: A name, a file or a `Game`.
        memory: The most memory that its tree may take, in GiB.

    >>> to_efg("kuhn")[:7]
    'EFG 2 R'
    """
    from .interop import to_efg as write

    return write(*_source(game).describe(memory))


@_at_the_door
def to_nfg(game: GameLike, *, memory: float = 4.0) -> str:
    """Return a game as a file of Gambit's strategic form, `.nfg`, if it is small.

    Parameters:
        game: A name, a file or a `Game`.
        memory: The most memory that its tree may take, in GiB.

    >>> to_nfg("kuhn")[:7]
    'NFG 1 R'
    """
    from .interop import to_nfg as write

    return write(*_source(game).describe(memory))


@_at_the_door
def sequence_form(game: GameLike, *, reduced: bool = False, memory: float = 4.0) -> SequenceForm:
    """Return the sequence form of a game, for linear programs of your own.

    A realisation plan has a weight for each sequence of a player; sequence 0 is empty and has weight 1. The weights of
    the sequences `first[i]` to `first[i] + count[i] - 1` of infoset i sum to the weight of sequence `parent[i]`.

    Parameters:
        game: A name, a file or a `Game`.
        reduced: Presolve it: a smaller form with the same value.
        memory: The most memory that its tree may take, in GiB.

    Returns:
        `treeplexes`, with the arrays `parent`, `first` and `count` of each player; and the first player's payoffs as
            triplets: `rows`, `columns` (sequences of the first and second player) and `payoffs`, integers over
            `denominator`. For plans x and y the first player gets x' A y / denominator.

    >>> form = sequence_form("kuhn")
    >>> [treeplex.sequences for treeplex in form.treeplexes], len(form.payoffs), form.denominator
    ([13, 13], 30, 6)
    """
    tree = _source(game).tree(memory)
    return presolve_tree(tree).form if reduced else tree_form(tree)


def _source(game: GameLike) -> Any:
    return KernelSource(game, game.name) if isinstance(game, Game) else find_source(_words(game))
