"""The linear program of the spies with plans of the resistance generated on demand.

    minimise q(root) over the spies' realisation plan y and a value q(I) for each infoset I of the resistance:
        q(I) >= q(J) + q(K)       for each mission at I, after which success leads to J and sabotage to K
        q(T) >= sum of y over the spy sets a plan wins against        for each plan generated so far at tail T

(Koller, Megiddo and von Stengel 1994, with lazy rows.) Each step solves the program, which is a lower bound as plans
are missing, and queries the oracle for the best plans against y, which give an upper bound and the plans to add. Only
the resistance grows, so the restricted game is valid at every step and the lower bound cannot fall. The resistance's
strategy is read from the multipliers of the rows. When the bounds meet, the last basis is made exact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import process_time

import numpy as np

from ..core.untrusted_input import JsonRecord
from ..solving.methods.double_oracle import oracle_rounds
from ..solving.solution import Record
from .certificate import SKIPPED, Oracle, answers, at_tails, exact_pair, make_certificate, oracle, payoff
from .checkers.resistance import ResistanceCertificate
from .game.setups import Setup
from .linear_program import SpyProgram
from .variants import ForcedOpening, Plan, opening, row

WORTHWHILE = 1e-7  # a plan is added if it wins this many spy sets more than the program's value
CLOSED = 1e-6  # when the bounds are this many spy sets apart, the exact solution may be in sight
MAX_PLANS = 10  # most plans that a step adds at one tail

Found = list[tuple[int, Plan]]  # plans, each with the number of its tail


@dataclass(frozen=True)
class SolverStep(JsonRecord):
    """Result of one step of the solver; bounds are payoffs of the resistance."""

    KEYS = ("number", "rows", "lower", "upper", "seconds", "plans", "certificate")

    number: int
    rows: int  # plans in the program that gave these bounds
    lower: float
    upper: float  # the best upper bound so far
    seconds: float  # CPU seconds since the solver was started or resumed
    # The plans added for the next step: the number of the tail, then the missions as masks of players.
    plans: list[list[int]]
    certificate: ResistanceCertificate | None = None  # the exact solution, in the last step

    @property
    def record(self) -> dict[str, object]:
        return self.to_json()


def steps(setup: Setup, stored: Sequence[Record] = ()) -> Iterator[SolverStep]:
    """Solve a set-up step by step, resuming from the stored steps.

    Only new steps are yielded. The stored plans are added and solved again in the same order, so that the solver
    follows the same trajectory to the same solution.
    """
    if stored and stored[-1]["certificate"] is not None:
        return
    started = process_time()
    game = opening(setup)
    judge, program = oracle(game), SpyProgram(game)
    _, found = best_plans(judge, even_spies(game), np.full(len(game.tails), -1.0), most=1)
    program.add(found)
    for record in stored:
        program.solve()
        program.add([(tail, tuple(plan)) for tail, *plan in record["plans"]])

    def respond() -> tuple[float, float, tuple[float, int, Found, ResistanceCertificate | None]]:
        answer = program.solve()
        values, found = best_plans(judge, answer.spies, answer.values[program.tails])
        best = fold(game, answer.values, values)
        close = best - answer.values[0] <= CLOSED
        exact = exact_pair(judge, program, answer) if close else None
        lower, upper = payoff(game, answer.values[0]), payoff(game, best)
        if not (exact or found):
            raise RuntimeError(f"nothing is left to add at {lower}, but the exact bounds do not meet")
        proof = make_certificate(game, exact) if exact else None
        return lower, upper, (lower, len(program.plans), [] if exact else found, proof)

    def add(found: tuple[float, int, Found, ResistanceCertificate | None]) -> bool:
        if found[-1] is None:
            program.add(found[2])
        return found[-1] is None

    bounds = (stored[-1]["lower"], stored[-1]["upper"]) if stored else (-1.0, 1.0)
    for number, lower, upper, (now, rows, found, proof) in oracle_rounds(respond, add, len(stored), *bounds):
        assert lower <= now + CLOSED, "the lower bound has fallen"
        yield SolverStep(
            number, rows, lower, upper, process_time() - started, [[tail, *plan] for tail, plan in found], proof
        )


def solve(setup: Setup) -> ResistanceCertificate:
    """Return the certificate of a set-up: its exact value and an optimal strategy for each team."""
    *_, last = steps(setup)
    assert last.certificate is not None
    return last.certificate


def even_spies(game: ForcedOpening) -> np.ndarray:
    """Return the realisation plan of spies who toss a coin at every decision."""
    plan = np.ones(1 + 2 * len(game.spy_parent))
    for i, parent in enumerate(game.spy_parent):
        plan[1 + 2 * i] = plan[2 + 2 * i] = plan[parent] / 2
    return plan


def best_plans(judge: Oracle, spies: np.ndarray, bars: np.ndarray, most: int = MAX_PLANS) -> tuple[np.ndarray, Found]:
    """Return the resistance's win at each tail, at least the bar, and a few better plans per tail."""
    game, values, found = judge.game, bars.copy(), []
    worth, chosen = answers(judge, at_tails(game, spies), bars)
    for tail in range(len(game.tails)):
        ways = np.arange(judge.first[tail], judge.first[tail + 1])
        better = ways[(chosen[ways] != SKIPPED) & (worth[ways] > bars[tail] + WORTHWHILE)]
        rows = set()
        for way in better[np.argsort(-worth[better], kind="stable")]:
            plan = (*judge.ways[way], judge.last[chosen[way]])
            key = tuple(part.tobytes() for part in row(game, game.tails[tail], plan))
            if key not in rows:
                rows.add(key)
                found.append((tail, plan))
                values[tail] = max(values[tail], worth[way])
            if len(rows) == most:
                break
    return values, found


def fold(game: ForcedOpening, values: np.ndarray, at_the_tails: np.ndarray) -> float:
    """Return the best missions' win from the start on, given the best plans' wins at the tails."""
    values = values.copy()
    values[[tail.number for tail in game.tails]] = at_the_tails
    for infoset in reversed(game.infosets):
        values[infoset.number] = max(values[won.number] + values[lost.number] for _, won, lost in infoset.options)
    return float(values[0])
