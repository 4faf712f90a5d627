"""Measurements of `scaling.py`, each in a separate process: CPU seconds after a first run, and memory."""

import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

CARDS = (3, 10, 32, 100, 316, 560)
FACES = (2, 3, 4, 5, 6)
CLOSE = 1e-4
"""Gap at which regret minimisation stops, in units of the payoff span."""
ROOM = 16.0
"""Memory limit of the tree builder in GiB: it reserves lists of all deals at any depth, and hardly touches them."""
PAIRS, JOBS = 20_000, 24
"""Game pairs per job of `throughput`, and number of jobs."""

cpu = time.process_time
Row = dict[str, Any]


def megabytes() -> float:
    """Return this process's peak memory so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(work: Callable[[], Any]) -> tuple[Any, Row]:
    """Return the result of the work, its CPU seconds, and the growth of peak memory in MB."""
    before, began = megabytes(), cpu()
    found = work()
    return found, {"cpu_seconds": cpu() - began, "megabytes": megabytes() - before}


def tree_game(family: str, size: int) -> Any:
    from fogspiel.core.game import USER_GAMES
    from fogspiel.games.liars_dice import die
    from fogspiel.games.one_card_poker import poker

    name = f"{family}-of-{size}"
    game = poker(name, name, "", "?" * size, openers=2, twins=0) if family == "kuhn" else die(name, name, size)
    USER_GAMES[name] = game
    return game


def run_method(game: Any, tree: Any, method: str, proof: Path) -> Callable[[], Any]:
    from fogspiel.runs.kinds.solve import solve_game
    from fogspiel.solving.methods import NO_STATE
    from fogspiel.solving.methods.cfr import TreeRegrets
    from fogspiel.solving.methods.tree import by_simplex
    from fogspiel.solving.proofs import read_certificate, verify, write_certificate
    from fogspiel.solving.reduce import presolve_tree
    from fogspiel.solving.tree import sequence_form

    def program() -> None:
        for _ in by_simplex(presolve_tree(tree), NO_STATE):
            pass

    def regrets() -> int:
        minimiser = TreeRegrets(sequence_form(tree), "cfr+")
        span = float(max(game.payoffs) - min(game.payoffs))
        minimiser.advance(8)
        while minimiser.gap().gap > CLOSE * span:
            minimiser.advance(minimiser.iterations)
        return minimiser.iterations

    def exact() -> None:
        found = solve_game(game, exact=True, memory=ROOM)
        if found.certificate:
            write_certificate(found.certificate, proof)

    def checker() -> None:
        verify(read_certificate(proof), seconds=600.0)

    return {"lp": program, "cfr+": regrets, "exact": exact, "checker": checker}[method]


def measure_tree(family: str, size: str, method: str, proof: str) -> Row:
    """Measure one method on one game, after a first run on a small game of its family."""
    from fogspiel.solving.tree import build_tree

    sizes = CARDS if family == "kuhn" else FACES
    small, game = tree_game(family, sizes[1]), tree_game(family, int(size))
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "proof.json"
        for warming in ("exact", "checker") if method == "checker" else (method,):
            run_method(small, build_tree(small), warming, first)()
    build_tree(game, ROOM)  # compiles the rules
    tree, built = timed(lambda: build_tree(game, ROOM))
    found, row = timed(run_method(game, tree, method, Path(proof)))
    row |= {"nodes": tree.nodes, "infosets": len(tree.owner), "build_seconds": built["cpu_seconds"]}
    return row | ({"iterations": found} if found else {})


def measure_resistance(players: str) -> Row:
    from fogspiel.runs.kinds.solve import solve_game

    solve_game("resistance5", exact=True)
    found, row = timed(lambda: solve_game(f"resistance{players}", exact=True))
    return row | {"value": found.value, "spy_sets": found.sizes["spy_sets"], "plans": found.sizes["plans"]}


def measure_search(size: str) -> Row:
    """Find the winner of perfect-information ponnuki, and Black's first stones that surely win the phantom game."""
    from fogspiel.games.boards.board import BOARDS
    from fogspiel.solving.bounds.beliefs import PerfectInformation
    from fogspiel.solving.bounds.sure_win import find_sure_win

    small, board = BOARDS["ponnuki-2x2"], BOARDS[f"ponnuki-{size}x{size}"]
    PerfectInformation(small).outcome(0, 0, 0), find_sure_win(small)
    perfect = PerfectInformation(board)
    _, open_eyes = timed(lambda: perfect.outcome(0, 0, 0))
    _, beliefs = timed(lambda: find_sure_win(board))
    return {
        "positions": perfect.positions,
        "perfect_seconds": open_eyes["cpu_seconds"],
        "belief_seconds": beliefs["cpu_seconds"],
    }


def measure_playouts(size: str) -> Row:
    """Measure uniform games, and attempts of the playout player, per CPU second."""
    from fogspiel.core.agents import find_policy
    from fogspiel.core.game import known_game
    from fogspiel.core.rng import stream_of
    from fogspiel.core.session import record_game
    from fogspiel.core.simulate import PolicyMatch

    game = known_game(f"phantom-ponnuki-{size}x{size}")
    uniform, player = find_policy(game, "uniform"), find_policy(game, "monte-carlo").new_player(stream_of(1))
    match = PolicyMatch(game, uniform, uniform)
    match.scores(1, 0, 4)
    count, games = 2000, match.scores
    _, played = timed(lambda: games(1, 0, count))
    player.begin(0)
    first, cells = blank_view(game), list(range(game.sizes.actions))
    player.choose(first, cells)
    _, chosen = timed(lambda: player.choose(first, cells))
    tries = sum(len(record_game(game, uniform, uniform, 1, number)[0]) for number in range(20)) / 20
    return {
        "cells": len(cells),
        "uniform_games_per_second": 2 * count / played["cpu_seconds"],
        "tries_per_game": tries,
        "first_try_seconds": chosen["cpu_seconds"],
        "playouts": 60 * len(cells),
    }


def blank_view(game: Any) -> Any:
    from fogspiel.core.game import new_cells
    from fogspiel.core.session import view_of

    state = new_cells(game.sizes.state)
    game.rules.start(state)
    return view_of(game, state, 0)


def measure_hex(rows: str, columns: str) -> Row:
    """Measure dark hex: the merged form of private histories, and PCFR+ to the same gap."""
    from fogspiel.games.boards.board import BOARDS, Board, half_turn, hex_fate
    from fogspiel.solving.methods.phantom import PhantomRegrets
    from fogspiel.solving.methods.phantom.bilinear_form import build_form

    for height, width in ((2, 2), (int(rows), int(columns))):
        name = f"hex-{height}x{width}"
        BOARDS.setdefault(name, Board(name, height, width, hex_fate(height, width), half_turn(height, width)))
        form, built = timed(partial(build_form, name))
        regrets = PhantomRegrets(form)
        _, solved = timed(lambda regrets=regrets: advance_to(regrets, CLOSE))
    sizes = [side.sequences for side in form.sides]
    return {
        "cells": int(rows) * int(columns),
        "sequences": sizes,
        "build_seconds": built["cpu_seconds"],
        "solve_seconds": solved["cpu_seconds"],
        "megabytes": megabytes(),
    }


def advance_to(regrets: Any, gap: float) -> None:
    regrets.advance(8)
    while regrets.bounds().gap > gap:
        regrets.advance(8)


def measure_belief(boards: str) -> Row:
    """Measure the error of fog's belief with `boards` boards, in two games of other engines."""
    import kriegspiel_belief as benchmark

    import fogspiel.kriegspiel.engines.fog as fog

    fog.belief_size = lambda effort, parameters: fog.BeliefSize(int(boards), parameters.floor, parameters.variants)
    found = benchmark.measure("fog@0.1s", list(benchmark.play_games(2, 7)), 7)[-1]
    return {"boards": found.boards, "loss": found.loss, "king": found.king, "there": found.there, "ms": found.ms}


def measure_store(rows: str) -> Row:
    """Append rows of a run one by one, then read them with all their checksums."""
    from fogspiel.runs.store import Store

    body = {"accepted": True, "games": 100, "sigma": 0.5, "population": 4, "theta": [0.1, 0.2, 0.3], "events": []}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        with Store.open(path, write=True) as store, store.create({"game": "war", "method": "duel"}) as run:
            began = time.monotonic()
            _, appended = timed(lambda: [run.append("step", body) for _ in range(int(rows))])
            wall = time.monotonic() - began
        with Store.open(path, write=False) as store:
            _, read = timed(lambda: store.read("war-1").rows)
        size = path.stat().st_size
    return {
        "append_seconds": appended["cpu_seconds"],
        "append_wall_seconds": wall,
        "read_seconds": read["cpu_seconds"],
        "bytes": size,
    }


def play_pairs(number: int) -> int:
    from fogspiel.core.agents import find_policy
    from fogspiel.core.game import known_game
    from fogspiel.core.simulate import PolicyMatch

    game = known_game("guesswho24")
    policy = find_policy(game, "uniform")
    return int(PolicyMatch(game, policy, policy).scores(1, number * PAIRS, PAIRS).sum())


def measure_throughput(kind: str, workers: str) -> Row:
    """Measure games per wall-clock second of threads, processes or local Dask workers."""
    from fogspiel.core.agents import find_policy
    from fogspiel.core.game import known_game
    from fogspiel.core.simulate import PolicyMatch
    from fogspiel.process.jobs import run_jobs

    count, jobs = int(workers), [partial(play_pairs, number) for number in range(JOBS)]
    play_pairs(0)
    if kind == "threads":
        game = known_game("guesswho24")
        policy = find_policy(game, "uniform")
        began = time.monotonic()
        PolicyMatch(game, policy, policy).scores(1, 0, PAIRS * JOBS, threads=count)
        return rate_of(JOBS, began)
    if kind == "processes":
        return rate_after_first(run_jobs(jobs, count))
    from distributed import LocalCluster

    with LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster:
        return rate_after_first(run_jobs(jobs, 0, cluster.scheduler_address))


def rate_after_first(results: Iterator[int]) -> Row:
    """Return games per second from the first result on, which excludes starting the workers."""
    next(results)
    began = time.monotonic()
    return rate_of(sum(1 for _ in results), began)


def rate_of(jobs: int, began: float) -> Row:
    """Return games per second of this many jobs, and the load of the machine."""
    return {"games_per_second": 2 * PAIRS * jobs / (time.monotonic() - began), "load": os.getloadavg()[0]}
