"""Bossle's own linear programs, each solved in a process of its own, and the small normal forms of the thesis."""

import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from ..games.resistance.setups import SETUPS
from ..runs.store import Json
from ..solve.lemke_howson import Matrix, is_equilibrium, lemke_howson
from ..solve.lp import equilibrium
from ..solve.resistance.full_sequence_form import full_form

TEAMS = ("resistance", "spies")
STATUS = Path("/proc/self/status")


def measured(players: int, team: str, method: str) -> Json:
    """Measure the solution of the paper's LP with a team as the first player, in a separate process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as worker:
        return worker.submit(solve_program, players, team, method).result()


def solve_program(players: int, team: str, method: str) -> Json:
    """Solve the paper's program; what it took, the building included."""
    began = time.process_time()
    form = full_form(SETUPS[players])
    found = equilibrium(form, TEAMS.index(team), method)
    spent = round(time.process_time() - began, 2)
    facts = {"value": found.value, "gap": found.gap, "iterations": found.point.iterations}
    return facts | {"cpu_seconds": spent, "megabytes": peak_megabytes()}


def peak_megabytes() -> int | None:
    """The most memory that this process has had so far, imports included, where the system tells."""
    if not STATUS.exists():
        return None
    peak = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
    return round(int(peak.split()[1]) / 1024)


NORMAL_FORMS: dict[str, tuple[Matrix, Matrix]] = {
    "rock-paper-scissors (table 2.1)": (
        [[0, -1, 1], [1, 0, -1], [-1, 1, 0]],
        [[0, 1, -1], [-1, 0, 1], [1, -1, 0]],
    ),
    "the modified one (table 2.2), payoffs doubled": (
        [[0, -1, 2], [1, 0, -2], [-2, 2, 0]],
        [[0, 1, -2], [-1, 0, 2], [2, -2, 0]],
    ),
    "prisoner's dilemma (table 3.1), not zero-sum": ([[1, -1], [2, 0]], [[1, 2], [-1, 0]]),
}  # payoffs of both players, the first one's strategies as rows: rock, paper, scissors; cooperate, defect


def normal_forms() -> Iterator[Json]:
    """The normal forms of the thesis by the algorithm of its section 3.5."""
    for name, (first, second) in NORMAL_FORMS.items():
        found = lemke_howson(first, second)
        yield {
            "game": name,
            "size": f"{len(first)} x {len(first[0])}",
            "first": " ".join(map(str, found.rows)),
            "second": " ".join(map(str, found.columns)),
            "pivots": found.pivots,
            "equilibrium": is_equilibrium(first, second, found),
        }
