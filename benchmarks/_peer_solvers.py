"""Measurement of a peer in the peer's environment: a job as JSON in, a line of JSON out.

`solvers.py` and `sampling.py` call it. OpenSpiel needs `open_spiel cvxpy ecos`, LiteEFG `LiteEFG`; this script imports
nothing of fogspiel. The jobs are `lp`, a solve by OpenSpiel's linear programme; `cfr`, an iteration of CFR+; `reach`,
CFR+ to an exploitability; `sampling`, external sampling for some time; `versions`.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

CHECKPOINT = 1.3
"""Growth factor of iterations between two evaluations of the exploitability, which are not timed."""


class Minimiser(NamedTuple):
    step: Callable[[], Any]
    exploitability: Callable[[], float]
    """Of the average strategies, the mean over both players."""
    infosets: Callable[[], list[int]]
    """Number per player."""


def game_of(name: str) -> Any:
    """Return an OpenSpiel game, with simultaneous moves made sequential."""
    import pyspiel

    game = pyspiel.load_game(name)
    simultaneous = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return pyspiel.convert_to_turn_based(game) if simultaneous else game


def infosets_of(game: Any) -> list[int]:
    from open_spiel.python.policy import TabularPolicy

    return [len(states) for states in TabularPolicy(game).states_per_player]


def openspiel(name: str) -> Minimiser:
    import pyspiel

    game = game_of(name)
    solver = pyspiel.CFRPlusSolver(game)
    return Minimiser(
        solver.evaluate_and_update_policy,
        lambda: pyspiel.exploitability(game, solver.average_policy()),
        lambda: infosets_of(game),
    )


def liteefg(name: str) -> Minimiser:
    import LiteEFG
    import LiteEFG.baselines

    LiteEFG.set_threads(1)
    env = LiteEFG.OpenSpielEnv(game_of(name), traverse_type="Enumerate", regenerate=True)
    graph = LiteEFG.baselines.CFRplus.graph()
    env.set_graph(graph)
    strategy = graph.current_strategy()

    def step() -> None:
        graph.update_graph(env)
        env.update_strategy(strategy)

    def exploitability() -> float:
        return sum(env.exploitability(strategy, "linear-avg-iterate")) / 2

    def infosets() -> list[int]:
        return [len(LiteEFG.FileEnv.get_strategy(env, player, strategy)) for player in (1, 2)]

    return Minimiser(step, exploitability, infosets)


MINIMISERS = {"OpenSpiel": openspiel, "LiteEFG": liteefg}


def cfr(game: str, peer: str, seconds: float, repeats: int, same: int) -> dict[str, Any]:
    """Return milliseconds per iteration, the best of some repeats after the first `same` iterations."""
    minimiser = MINIMISERS[peer](game)
    began = time.process_time()
    for _ in range(same):
        minimiser.step()
    spent = time.process_time() - began
    reached = minimiser.exploitability()
    count, best = max(10, int(same * seconds / spent)), spent / same
    for _ in range(repeats):
        began = time.process_time()
        for _ in range(count):
            minimiser.step()
        best = min(best, (time.process_time() - began) / count)
    return {"ms": 1000 * best, "infosets": minimiser.infosets(), "exploitability": reached}


def minimised(game: str, peer: str, target: float, limit: float) -> dict[str, Any]:
    """Return CPU seconds to an exploitability, with the solver's preparation, without the evaluations."""
    began = time.process_time()
    minimiser = MINIMISERS[peer](game)
    spent, iterations, checkpoint, reached = time.process_time() - began, 0, 10.0, float("inf")
    while reached > target and spent < limit:
        began = time.process_time()
        while iterations < checkpoint:
            minimiser.step()
            iterations += 1
        spent += time.process_time() - began
        reached, checkpoint = minimiser.exploitability(), checkpoint * CHECKPOINT
    return {"seconds": spent, "reached": reached <= target, "exploitability": reached}


def reach(game: str, peer: str, target: float, limit: float, repeats: int, quick: float) -> dict[str, Any]:
    """Return the best of some runs to an exploitability; slow runs are not repeated."""
    MINIMISERS[peer]("kuhn_poker")  # import everything before timing
    runs = [minimised(game, peer, target, limit)]
    while len(runs) < repeats and runs[0]["seconds"] < quick:
        runs.append(minimised(game, peer, target, limit))
    return min(runs, key=lambda run: run["seconds"])


def sampling(game: str, seconds: float, seed: int, first: int) -> dict[str, Any]:
    """Return OpenSpiel's C++ external sampling at doubling iterations: CPU seconds, iterations, exploitability."""
    import pyspiel

    played = game_of(game)
    solver = pyspiel.ExternalSamplingMCCFRSolver(played, seed)
    spent, iterations, points = 0.0, 0, []
    while spent < seconds:
        began, until = time.process_time(), 2 * iterations or first
        while iterations < until:
            solver.run_iteration()
            iterations += 1
        spent += time.process_time() - began
        points.append([spent, iterations, pyspiel.exploitability(played, solver.average_policy())])
    return {"points": points}


def lp(game: str, repeats: int, memory: float | None = None) -> dict[str, Any]:
    """Time OpenSpiel's linear programme from the game to the strategies, and measure the errors of these."""
    import numpy as np
    from open_spiel.python.algorithms import exploitability, sequence_form_lp

    if memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (int(memory * 2**30), int(memory * 2**30)))
    played, best = game_of(game), float("inf")
    sequence_form_lp.solve_zero_sum_game(game_of("kuhn_poker"), solver="ECOS")  # import everything before timing
    for _ in range(repeats):
        began = time.process_time()
        value, _, first, second = sequence_form_lp.solve_zero_sum_game(played, solver="ECOS")
        best = min(best, time.process_time() - began)
    mine = [first.state_lookup[state] for state in first.states_per_player[0]]
    joint, legal = second, np.asarray(second.legal_actions_mask, bool)
    table = joint.action_probability_array
    table[mine] = first.action_probability_array[mine]
    least, uneven = float(table[legal].min()), float(np.abs(table.sum(axis=1) - 1).max())
    table[:] = np.where(legal, np.maximum(table, 0), 0)
    totals = table.sum(axis=1, keepdims=True)
    table[:] = np.where(totals > 0, table / np.where(totals > 0, totals, 1), legal / legal.sum(axis=1, keepdims=True))
    return {
        "seconds": best,
        "infosets": infosets_of(played),
        "value": float(value),
        "least": least,
        "uneven": uneven,
        "exploitability": exploitability.exploitability(played, joint),
    }


def versions() -> dict[str, str]:
    found = {}
    for name in ("open_spiel", "cvxpy", "ecos", "LiteEFG"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    "cfr": cfr,
    "reach": reach,
    "lp": lp,
    "sampling": sampling,
    "versions": versions,
}

if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    print(json.dumps(JOBS[job.pop("job")](**job)))
