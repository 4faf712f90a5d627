"""Bandit algorithms of section I of Teytaud & Teytaud (2011): precision against the number K of strategies.

The paper says that they find the value of a K x K matrix game to a precision e in time O(K log K / e^2), sublinear in
the K^2 entries. Random games of five sizes are played for as many steps as the proven rate needs for a precision:
ln(K^2) / e^2 steps of Grigoriadis and Khachiyan's method, each of which reads a row and a column, and 8 K ln K / e^2
steps of EXP3, each of which reads one entry. The gap is that of the mean mixtures against best responses.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from statistics import mean

import numpy as np

from fogspiel.core.rng import random_unit, stream_of
from fogspiel.papers.claims import Claim, Clause, claim_table, exact, mean_of
from fogspiel.papers.kinds import Batches, PaperPart
from fogspiel.runs.kind import Job, Row, rows_by
from fogspiel.runs.report import Chart, Report, Series, Table
from fogspiel.runs.requests import PaperRequest
from fogspiel.solving.methods import run_to_end
from fogspiel.solving.methods.normal_form import EXP3, KHACHIYAN, BanditRun

SIZES, QUICK_SIZES = (8, 16, 64, 256, 1024), (8, 16, 64)
PRECISIONS = {KHACHIYAN: (0.5, 0.25, 0.1), EXP3: (0.5, 0.25)}  # finer ones take EXP3 minutes at K = 1024
SEEDS, QUICK_SEEDS = 12, 4
LIKELY = Fraction(1, 2)  # the paper's probability p is not printed: more often than not


def random_game(size: int, seed: int) -> np.ndarray:
    """Return payoffs drawn evenly from 0 to 1."""
    stream = stream_of(seed, size)
    return np.array([[random_unit(stream) for _ in range(size)] for _ in range(size)])


def steps_for(method: str, payoffs: np.ndarray, precision: float) -> int:
    """Return the steps after which the proven mean gap is at most the precision."""
    return ceil((BanditRun(method, payoffs, 1).rate / precision) ** 2)


def cells_read(method: str, size: int, steps: int) -> int:
    return steps * (2 * size if method == KHACHIYAN else 1)


def measure_gap(method: str, size: int, precision: float, seed: int) -> Row:
    """Play one random game for the proven number of steps and return the gap of the mean mixtures."""
    payoffs = random_game(size, seed)
    steps = steps_for(method, payoffs, precision)
    first, second = run_to_end(BanditRun(method, payoffs, steps, seed).play())
    return {"steps": steps, "gap": float((payoffs @ second).max() - (first @ payoffs).min())}


def batches(request: PaperRequest) -> Batches:
    count = request.seeds or (QUICK_SEEDS if request.quick else SEEDS)
    yield [
        Job("bandit", measure_gap, {"method": method, "size": size, "precision": precision, "seed": request.seed + k})
        for size in (QUICK_SIZES if request.quick else SIZES)
        for method, precisions in PRECISIONS.items()
        for precision in precisions
        for k in range(count)
    ]


def claims(request: PaperRequest, rows: Sequence[Row]) -> list[Claim]:
    """Judge the precision by the share of runs that reach it, and sublinearity by the entries that are read."""
    found = []
    for method, precisions in PRECISIONS.items():
        played = rows_by([row for row in rows if row["method"] == method], "size", "precision")
        reached, read = [], []
        for size in SIZES:
            within = [row["gap"] <= precisions[-1] for row in played.get((size, precisions[-1]), [])]
            share = mean_of([within.count(False), within.count(True)])
            reached.append(Clause(f"K = {size}", share, least=LIKELY))
            if part := played.get((size, precisions[0]), []):
                entries = Fraction(cells_read(method, size, part[0]["steps"]), size**2)
                read.append(Clause(f"K = {size}", exact(entries, f"K = {size}: {float(entries):.3g}")))
        printed = "O(K log K / e^2)"
        sentence = f"a gap of at most {precisions[-1]} after the proven number of steps, more often than not"
        found.append(Claim("I", sentence, f"{method}, random K x K games", tuple(reached), printed))
        sentence = f"entries read, in multiples of the matrix, for a precision of {precisions[0]}"
        note = "sublinear means below 1: only where K exceeds a multiple of log K / e^2"
        found.append(Claim("I", sentence, f"{method}, random K x K games", tuple(read), "sublinear", note, ours=True))
    return found


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    lines, points = [], dict[str, list[tuple[str, float, float, float]]]()
    for (method, size, precision), runs in sorted(rows_by(rows, "method", "size", "precision").items()):
        gaps, steps = [row["gap"] for row in runs], runs[0]["steps"]
        read, within = cells_read(method, size, steps), sum(gap <= precision for gap in gaps)
        shown = f"{within} of {len(gaps)}"
        lines.append((method, size, precision, steps, mean(gaps), max(gaps), shown, read, read / size**2))
        dots = points.setdefault(f"{method}, proven {precision}", [])
        dots.append((str(size), mean(gaps), min(gaps), max(gaps)))
    series = [Series.of(name, dots) for name, dots in points.items()]
    columns = ("method", "K", "proven mean gap", "steps", "mean gap", "largest", "within", "entries read", "per entry")
    return Report(
        name=request.name,
        title="Bandit algorithms: precision against the number of strategies",
        command=request.command,
        paragraphs=(
            "Random K x K games with payoffs drawn evenly from 0 to 1. The steps are those after which the proven mean "
            "gap has the precision, so a method as good as its rate has a gap of at most that at every K.",
        ),
        parts=(
            Table("gaps", "Gap against K at the proven number of steps", columns, lines),
            Chart("bandits", "Mean gap, least to largest", "K", "gap", series, kind="dots"),
            claim_table(claims(request, rows), "The paper's claims"),
        ),
    )


EXPERIMENTS = (PaperPart("bandits", "Teytaud & Teytaud 2011", batches, report, place=9, claims=claims),)
