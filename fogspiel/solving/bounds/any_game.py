"""Bounds on the value of any game: exactly where it can be solved, else by tables, else its payoffs alone.

1. **Exactly**, as `solve` does, by the method made for the game or by its whole tree.
2. **Boards**: for a classical phantom game, what each player gets for sure, by AND-OR search over beliefs, and where
   the board has no draws, what it gets against an opponent who is informed now and then (`sure-win`).
3. **Tables**: a strategy of each side that is learned, and the best response to it, found by an opponent who sees the
   whole state (`informed-opponent`, where the states can be enumerated) and by one who does not (`external-sampling`,
   where the histories can be followed). Each side takes the better of both.
4. **Nothing fits**: the lowest and the highest payoff.

A step before the budget is spent comes to the same bounds on every machine; the state to resume from holds the
finished steps and that of the current one.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from fractions import Fraction
from time import process_time
from typing import Any, NamedTuple

from ...core.game import Game
from ..methods import AUTO, Solution, SolveOptions, SolverProgress, SolverState, Work, choose_solve_method, run_to_end
from ..methods import find_solve_method as method_named
from ..methods.informed_opponent import enumerate_states
from ..methods.tables import join_tables, payoff_certificate
from ..sources import GameSource, KernelSource, estimate_histories
from ..tree import TooLarge
from . import has_bounds, solve_bounds

SOLVABLE = 12_000_000  # histories of a tree that is solved: larger ones have no certificate
FOLLOWED = 1e13  # histories of a game, by estimate, above which no best response is tried
SHARE = 4  # the informed opponent has one SHARE-th of the CPU time and of the memory, the rest is for sampling
CLOSE = 1e-4  # of the range of payoffs: bounds this close are good enough


class Powers(NamedTuple):
    """Ways to bound or solve a game, in the order in which they are tried."""

    method: str  # of `solve`, if the game can be solved; else empty
    histories: float | None  # by estimate; None if they are more than can be followed


def powers_of(source: GameSource) -> Powers:
    """Return what a game's size allows; nothing is built yet."""
    method = choose_solve_method(AUTO, source)
    if method.made_for and method.name != BOARDS:
        return Powers(method.name, None)
    if method.made_for:
        return Powers(method.name, estimate_histories(source.as_game(), FOLLOWED))
    game = source.game
    histories = SOLVABLE if game is None else estimate_histories(game, FOLLOWED)
    return Powers(AUTO if histories is not None and histories <= SOLVABLE else "", histories)


FEW_STATES = 0.02  # GiB for a quick look at the number of states


def powers_words(game: Game) -> list[str]:
    """Describe what a game's size allows, from an estimate of its histories and a quick count of its states."""
    powers, found = powers_of(KernelSource(game, game.name)), []
    histories = powers.histories
    if powers.method and powers.method != AUTO:
        found.append(f"`solve` by the method {powers.method}, made for such games")
        histories = estimate_histories(game, SOLVABLE)
    if histories is not None and histories <= SOLVABLE:
        found.append("`solve`, `exploit` and exact `bounds` by its tree")
    if found:
        return found
    if powers.histories is not None:
        found.append(f"about {powers.histories:.2g} histories: `bounds` by sampled tables and best responses to them")
    try:
        graph = run_to_end(enumerate_states(game, FEW_STATES))
        found.append(f"{len(graph.who):,} states: `bounds` by an opponent who sees them")
    except TooLarge:
        found.append("too many states for a quick count: `bounds` by them needs --memory")
    return found


class OutOfTime(Exception):
    """The CPU time of the run is spent within a step that has no budget of its own."""


def bound(source: GameSource, options: SolveOptions, saved: SolverState) -> Work:
    """Bound a game by the best methods for it, step by step; without a certificate nothing is proved."""
    kept: dict[str, Any] = json.loads(saved.state) if saved.state else {"found": {}, "tried": [], "seconds": 0.0}
    began, powers = process_time() - kept["seconds"], powers_of(source)
    low, high = map(float, limits_of(source))
    options = options._replace(gap=CLOSE * (high - low))
    for name, share in steps_of(source, powers):
        if name in kept["tried"]:
            continue
        inner = b64decode(kept["state"]) if "state" in kept else None
        asked = options._replace(seconds=options.seconds and options.seconds * share)
        method = solve_bounds if name == BOARDS else method_named(name).solve
        work = method(source, asked, SolverState((), inner))
        try:
            while True:
                try:
                    progress = next(work)
                except StopIteration as end:
                    kept["found"][name] = end.value.to_json()
                    break
                spent = process_time() - began
                if name not in TABLES and options.seconds is not None and spent > options.seconds:
                    raise OutOfTime
                if progress.state is not None:
                    kept |= {"state": b64encode(progress.state).decode(), "seconds": spent}
                lower, upper = _best(source, kept, progress)
                yield SolverProgress(progress.remark, lower, upper, None, json.dumps(kept).encode())
        except (TooLarge, OutOfTime, MemoryError) as error:
            yield SolverProgress(f"{name}: {error}" if str(error) else f"{name}: not done in time")
        except ValueError as error:
            yield SolverProgress(f"{name}: {error}")
        kept["tried"].append(name)
        kept.pop("state", None)
        found = result_of(source, kept["found"])
        if found.interval[1] - found.interval[0] <= options.gap:
            break
    return result_of(source, kept["found"])


TABLES, BOARDS = ("informed-opponent", "external-sampling"), "sure-win"


def steps_of(source: GameSource, powers: Powers) -> Iterator[tuple[str, float]]:
    """Yield the methods to be tried, with the share of the CPU time of each."""
    if powers.method and powers.method != BOARDS:
        yield powers.method, 1.0
    if has_bounds(source.name):
        yield BOARDS, 1 / 2
    yield TABLES[0], 1 / SHARE
    if powers.histories is not None:
        yield TABLES[1], 1 - 1 / SHARE


def limits_of(source: GameSource) -> tuple[Fraction, Fraction]:
    game = source.as_game()
    return game.payoffs[0], game.payoffs[-1]


def _best(source: GameSource, kept: dict[str, Any], progress: SolverProgress) -> tuple[float, float]:
    """Return the bounds of the finished steps and of the current one."""
    lower, upper = result_of(source, kept["found"]).interval
    return max(lower, progress.lower or lower), min(upper, upper if progress.upper is None else progress.upper)


def result_of(source: GameSource, found: dict[str, Any]) -> Solution:
    """Return the best solution of the finished steps: an exact one, or the better table of each side."""
    solutions = {name: Solution.from_json(body) for name, body in found.items()}
    for name, solution in solutions.items():
        if name not in (*TABLES, BOARDS) or solution.exact:
            return solution
    board = solutions.pop(BOARDS, None)
    proofs = [one.certificate for one in solutions.values() if one.certificate is not None]
    sizes = {
        name.replace("-", "_"): one.sizes.get("states", one.sizes.get("iterations", 0))
        for name, one in solutions.items()
    }
    words = "; ".join(one.description for one in solutions.values()) or "no method"
    joined = join_tables(proofs)
    if (
        board is not None
        and board.certificate is not None
        and (joined is None or _width(board.certificate) <= _width(joined))
    ):
        return board
    if joined is not None:
        return Solution.proved(words, sizes, joined)
    return Solution.proved(words, sizes, payoff_certificate(source.as_game()))


def _width(proof: Any) -> Fraction:
    return Fraction(proof["upper"]) - Fraction(proof["lower"])
