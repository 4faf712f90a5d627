"""A run of Monte Carlo regret minimisation: the driver of the kernels, with bounds, saving and restoring."""

import json
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from math import inf
from time import process_time
from typing import NamedTuple

import numpy as np

from ....core.game import Game
from ....core.rng import child
from ....core.simulate import compile_rules
from ....core.untrusted_input import JsonRecord
from ...proofs.checkers.table_bounds import HIDDEN
from ...sources import GameSource
from ...tree import MAX_DEPTH, TOO_DEEP, rehash
from ...tree import WRONG as FAULTS
from .. import Record, Solution, SolveOptions, SolverProgress, SolverState, Work
from ..tables import Proof, prove_side, round_weights, side_of, table_certificate
from . import best_response, traversal
from .traversal import ENTRIES, FAULT, ITERATIONS, NODES, ROWS, UNKNOWN, Known

SALTS = 2009  # the seed of the salts of view hashes
FIRST_ROWS, ENTRIES_EACH = 1 << 14, 8  # initial rows, and entries for each row
ROW_BYTES = 8 * (4 + 4 + 2 * ENTRIES_EACH)  # of a row, its places in the hash table and its entries
# Initial histories of a best-response traversal, and the maximum bytes of their states.
FIRST_HISTORIES, HISTORY_BYTES = 1 << 10, 1 << 28
WALK_SLICE = 1 << 22  # positions of a best-response traversal between two chances to interrupt it
# The pruning probability of the first traversal of a large game, the refinement factor of the next one, and the value
# that stands for a traversal that pruned nothing but ran out of space.
FIRST_CUT, FINER, FINEST = 1.0 / 64, 8, 2.0**-60
MIN_WALK = 1 << 24  # positions that a traversal may always visit; or as many as sampling has visited, if that is more
ROUNDING = 2.0**-50  # maximum rounding error per position of a traversal, in units of the highest payoff

MAX_CERTIFIED = 1 << 22  # rows of a table from which a certificate is made

WRONG = FAULTS | {TOO_DEEP: f"a player moves more than {MAX_DEPTH - 2} times in a game"}
METHODS = {"external-sampling": traversal.sample_external, "outcome-sampling": traversal.sample_outcomes}


@dataclass
class SampledBounds(JsonRecord):
    """Bounds by the average strategies so far, and the schedule of the next evaluation."""

    KEYS = ("lower", "upper", "cuts", "looks", "iterations", "next_look")

    lower: float = -inf
    upper: float = inf  # the first player's maximum against the second player's strategy at some evaluation
    # The finest affordable cut of a traversal against each player; 0 if nothing was pruned.
    cuts: list[float] = field(default_factory=lambda: [0.0, 0.0])
    looks: int = 0
    iterations: int = -1  # those before the last evaluation
    next_look: int = 1 << 16  # the positions to be visited by sampling before the next evaluation

    @property
    def gap(self) -> float:
        return self.upper - self.lower


class Walk(NamedTuple):
    """Result of a best-response traversal, and whether it is complete."""

    complete: bool
    worth: float
    visited: int
    skipped: int


def _histories(rows: int, cells: int, past: int) -> best_response.Histories:
    return best_response.Histories(np.zeros((rows, cells), np.int64), np.zeros((rows, past), np.int64), np.zeros(rows))


def _enlarged(array: np.ndarray, rows: int) -> np.ndarray:
    larger = np.zeros((rows, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


class Sampling:
    """A sampling run; the result is bit-identical whatever the sizes of slices and the interruptions."""

    def __init__(self, game: Game, method: str, seed: int, memory: float) -> None:
        """Set up a run within a memory limit in GiB, half of which the table may take."""
        self.game, self.method, self.seed = game, method, seed
        self._rules, self._weighted = compile_rules(game), int(game.rules.weights is not None)
        self._payoffs = np.array([float(payoff) for payoff in game.payoffs])
        self._most_rows = max(2 * traversal.RESERVE, int(memory * 2**29 / ROW_BYTES))
        self._closed = 0
        self._counters = np.zeros(6, np.int64)
        none = np.zeros(0)
        self._known = Known(self._counters, np.full(2, -1, np.int64), np.zeros((0, 4), np.int64), none, none)
        self._grow(FIRST_ROWS)
        sizes, depth = game.sizes, MAX_DEPTH
        salts = [[int(child(SALTS, half, cell)) | 1 for cell in range(sizes.view + 2)] for half in range(2)]
        self._hashing = traversal.Hashing(
            np.zeros(sizes.view, np.int64), np.zeros(sizes.actions, np.int64), np.array(salts, np.uint64).view(np.int64)
        )
        widths = sizes.state, sizes.actions, 3, traversal.CHAINS + 2
        states, choices, frames, chains = (np.zeros((depth, width), np.int64) for width in widths)
        shares, worths = np.zeros((2, depth, sizes.actions))
        self._path = traversal.Path(states, choices, frames, chains, shares, worths, np.zeros(sizes.actions))
        self.bounds = SampledBounds()
        self.seconds = 0.0  # CPU time so far, maintained by the caller

    @property
    def iterations(self) -> int:
        return int(self._counters[ITERATIONS])

    @property
    def visited(self) -> int:
        return int(self._counters[NODES])

    @property
    def sizes(self) -> dict[str, int]:
        return {
            "information_states": int(self._counters[ROWS]),
            "iterations": self.iterations,
            "visited": self.visited,
            "not_stored": int(self._counters[UNKNOWN]),
        }

    def advance(self, until: int, most: int) -> None:
        """Run to an iteration, or for about `most` positions."""
        goal = self.visited + most
        while self.iterations < until and self.visited < goal:
            seed = np.uint64(child(self.seed, 1))
            task = traversal.Task(seed, until, goal - self.visited, self._closed, self._weighted)
            known = self._known
            full = METHODS[self.method](*self._rules, task, self._payoffs, known, self._path, self._hashing)
            self._check()
            if full:
                self._grow(2 * len(self._known.rows))

    def _check(self) -> None:
        fault = int(self._counters[FAULT])
        if fault:
            raise ValueError(f"{self.game.name} cannot be solved: {WRONG[fault]}")

    def _grow(self, rows: int) -> None:
        if rows >= self._most_rows:
            rows, self._closed = self._most_rows, 1
        counters, _, known, regret, average = self._known
        hashed = np.full(1 << (2 * rows).bit_length(), -1, np.int64)
        reals = (_enlarged(part, rows * ENTRIES_EACH) for part in (regret, average))
        self._known = Known(counters, hashed, _enlarged(known, rows), *reals)
        rehash(self._known.rows, int(counters[ROWS]), hashed, False)

    # Bounds

    def look(self) -> Iterator[None]:
        """Tighten the bounds by best responses to both average strategies; interruptible wherever it yields."""
        bounds, walked = self.bounds, 0
        budget = max(MIN_WALK, self.visited)
        for primal_player in (0, 1):
            worth, visited = yield from self._respond(primal_player, budget)
            walked += visited
            if primal_player == 0:
                bounds.lower = max(bounds.lower, -worth)
            else:
                bounds.upper = min(bounds.upper, worth)
        bounds.looks += 1
        bounds.iterations = self.iterations
        bounds.next_look = self.visited + max(self.visited, walked)

    def _respond(self, primal_player: int, budget: int) -> Generator[None, None, tuple[float, int]]:
        """Return the upper bound of a best response to a planner within this many positions, and their number.

        Where the exact traversal is too long, a coarse one is tried, and after an affordable one a finer one.
        """
        cuts, top = self.bounds.cuts, float(np.abs(self._payoffs).max())
        worth, walked, cut, refined = top, 0, cuts[primal_player], False
        while True:
            found = yield from self._walk(primal_player, cut, budget)
            walked += found.visited
            if not found.complete:
                if refined or cut > 1:
                    return worth, walked
                cut = FINER * cut or FIRST_CUT
                continue
            refined = True
            worth = min(worth, found.worth + ROUNDING * found.visited * top)
            cuts[primal_player] = max(cut, FINEST) if found.skipped else 0.0
            if not found.skipped or found.visited * FINER > budget or cut <= FINEST:
                return worth, walked
            cut /= FINER

    def _walk(self, primal_player: int, cut: float, budget: int) -> Generator[None, None, "Walk"]:
        """Respond to a planner, pruning what has at most the probability `cut`."""
        sizes, histories = self.game.sizes, FIRST_HISTORIES
        most = max(4 * histories, HISTORY_BYTES // (8 * sizes.state))
        payoffs = self._payoffs if primal_player == 1 else -self._payoffs
        task = best_response.Task(primal_player, min(WALK_SLICE, budget), cut, self._weighted)
        given = *self._rules, task, payoffs, self._known, self._hashing
        outcome = best_response.NO_ROOM
        while True:
            if outcome == best_response.NO_ROOM:
                histories *= 2
                walk, sums = np.array([-1, 0, 0, 0, budget, histories >= most], np.int64), np.zeros((MAX_DEPTH, 3))
                levels, order = np.zeros((MAX_DEPTH, 6), np.int64), np.zeros(histories, np.int64)
                choices = np.zeros((MAX_DEPTH, sizes.actions), np.int64)
                descent = best_response.Descent(walk, levels, sums, order, choices)
                held, pending = (_histories(histories, sizes.state, cells) for cells in (3, 2))
            outcome = best_response.respond(*given, descent, held, pending)
            self._check()
            visited = int(walk[best_response.VISITED])
            if outcome == best_response.DONE or (outcome == best_response.GOING_ON and visited >= budget):
                complete = outcome == best_response.DONE
                return Walk(complete, float(sums[0, best_response.WORTH]), visited, int(walk[best_response.SKIPPED]))
            yield

    def settle(self) -> Generator[None, None, list[Proof | None]]:
        """Round the averages to the weights of a certificate, and bound them; return what each side proves."""
        rows, entries = int(self._counters[ROWS]), int(self._counters[ENTRIES])
        keys, count = self._known.rows[:rows, traversal.KEY], self._known.rows[:rows, traversal.COUNT]
        first = self._known.rows[:rows, traversal.FIRST]
        weights = self._known.average[:entries]
        round_weights(first.copy(), count.copy(), weights)
        before, self.bounds = self.bounds, replace(self.bounds, lower=-inf, upper=inf, cuts=list(self.bounds.cuts))
        yield from self.look()
        proofs: list[Proof | None] = []
        for owner, cut in enumerate(self.bounds.cuts):
            yield
            side = side_of(keys, count, weights, HIDDEN, cut)
            proofs.append(prove_side(self.game, owner, side))
        self.bounds = before
        return proofs

    @property
    def certifiable(self) -> bool:
        """True if a certificate can hold the table."""
        return int(self._counters[ROWS]) <= MAX_CERTIFIED

    # Saving

    @property
    def state(self) -> bytes | None:
        """The state to resume from, unless it is too large: a line of JSON, then rows, regrets and averages."""
        rows, entries = int(self._counters[ROWS]), int(self._counters[ENTRIES])
        if 8 * (4 * rows + 2 * entries) > LARGEST_STATE:
            return None
        head = {
            "game": self.game.name,
            "method": self.method,
            "seed": self.seed,
            "counters": self._counters.tolist(),
            "room": len(self._known.rows),
            "bounds": self.bounds.to_json(),
            "seconds": self.seconds,
        }
        cells = (
            self._known.rows[:rows].astype("<i8"),
            *(part[:entries].astype("<f8") for part in (self._known.regret, self._known.average)),
        )
        return json.dumps(head).encode() + b"\n" + b"".join(part.tobytes() for part in cells)

    def restore(self, state: bytes) -> None:
        line, _, rest = state.partition(b"\n")
        head = json.loads(line)
        if (head["game"], head["method"], head["seed"]) != (self.game.name, self.method, self.seed):
            raise ValueError(f"the saved state is one of {head['game']} by {head['method']} with seed {head['seed']}")
        counters = np.array(head["counters"], np.int64)
        rows, entries = int(counters[ROWS]), int(counters[ENTRIES])
        if len(rest) != 8 * (4 * rows + 2 * entries) or not rows <= head["room"] <= self._most_rows:
            raise ValueError("the saved state is damaged: it has not as many information states as it says")
        cells = np.frombuffer(rest, "<i8", 4 * rows).reshape(-1, 4)
        first, count = cells[:, traversal.FIRST], cells[:, traversal.COUNT]
        reals = np.frombuffer(rest, "<f8", 2 * entries, 32 * rows)
        ends = np.append(first, entries)
        if ends[0] != 0 or (np.diff(ends) != count).any() or (rows and count.min() < 1) or not np.isfinite(reals).all():
            raise ValueError("the saved state is damaged: its numbers must be finite and its rows follow each other")
        self._known.rows[:] = 0
        self._counters[:] = 0
        self._grow(head["room"])
        self._counters[:] = counters
        known = self._known
        known.rows[:rows] = cells
        known.regret[:entries], known.average[:entries] = reals[:entries], reals[entries:]
        rehash(known.rows, rows, known.table, False)
        self.bounds, self.seconds = SampledBounds.from_json(head["bounds"]), float(head["seconds"])


# The value of a game by sampling: slices of iterations, with evaluations of the averages at doubling intervals.
#
# Evaluations are scheduled by positions visited, not by time, so resumed runs are byte-identical.

DEFAULT_SECONDS = 60.0  # default CPU time if no iterations are given
SLICE = 1 << 20  # positions between two chances to interrupt
SAVING_SECONDS = 5.0
# Maximum bytes of a saved state; with a larger one an interrupted run restarts from scratch, with the same result.
LARGEST_STATE = 64 * 2**20
ENDLESS = 2**62


def solve(method: str, problem: GameSource, options: SolveOptions, saved: SolverState) -> Work:
    """Sample until the bounds are close enough or the budget is spent."""
    sampling = Sampling(problem.as_game(options.memory), method, options.seed, options.memory)
    if saved.state is not None:
        sampling.restore(saved.state)
    limit = options.seconds or (float("inf") if options.iterations else DEFAULT_SECONDS)
    last = options.iterations or ENDLESS
    began, kept, look_seconds = process_time() - sampling.seconds, 0.0, 0.0
    bounds = sampling.bounds

    def seconds() -> float:
        """Return the CPU time of the run, including the time before an interruption."""
        return process_time() - began

    def state() -> bytes | None:
        sampling.seconds = seconds()
        return sampling.state

    def remark(what: str = "", row: Record | None = None, state: bytes | None = None) -> SolverProgress:
        iterations = f"{method}, {sampling.iterations:,} iterations, {sampling.sizes['information_states']:,} states"
        lower, upper = (bounds.lower, bounds.upper) if bounds.looks else (None, None)
        return SolverProgress(f"{iterations}{what}, {seconds():.0f} CPU s", lower, upper, row, state)

    while bounds.gap > options.gap:
        while sampling.visited < bounds.next_look and sampling.iterations < last and seconds() + look_seconds < limit:
            sampling.advance(last, min(SLICE, bounds.next_look - sampling.visited))
            keeps = seconds() - kept >= SAVING_SECONDS
            yield remark(state=state() if keeps else None)
            kept = seconds() if keeps else kept
        if sampling.iterations == bounds.iterations:
            break
        look_began = seconds()
        for _ in sampling.look():
            yield remark(", best responses")
        look_seconds = seconds() - look_began
        work = {"number": bounds.looks, "iterations": bounds.iterations, "visited": sampling.visited}
        yield remark("", {**work, "lower": bounds.lower, "upper": bounds.upper}, state())
    proof = None
    if sampling.certifiable:
        steps = sampling.settle()
        while True:
            try:
                next(steps)
            except StopIteration as end:
                proof = table_certificate(sampling.game, end.value)
                break
            yield remark(", certificate")
    cut = max(bounds.cuts)
    how = "exact best responses" if cut == 0 else f"best responses above the probability {cut:.1g}"
    words = f"{method} ({sampling.iterations} iterations), bounds by {how}"
    if proof is not None:
        return Solution.proved(words, sampling.sizes, proof)
    return Solution.bounded(words, sampling.sizes, bounds.lower, bounds.upper)
