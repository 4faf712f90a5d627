"""Kinds of run of The Resistance."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from ..runs.kind import Context, Kind, Outputs, Progress, Recorder, run_generator
from ..runs.report import Cell, Table
from ..runs.store import Json, Run
from .balance import FairTable, SweepStep, sweep
from .game import VERSION
from .requests import BalanceRequest

# Sweeps of the mission tables of The Resistance for fair ones.

COLUMNS = ("missions, * takes two sabotages", "the resistance wins", "", "game")


class BalanceKind(Kind):
    """Look for the mission tables of The Resistance that are nearest to fair."""

    name = title = method = "balance"
    heading = "Balance"
    request = BalanceRequest

    def check(self, run: Run) -> BalanceRequest:
        """Return the request, if the rules are still the same."""
        if run.request["rules"] != VERSION:
            raise ValueError(
                f"run {run.name} is of version {run.request['rules']} of the rules, not {VERSION}: begin anew"
            )
        return BalanceRequest.from_json(run.request)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        request = self.check(run)

        def watch(step: SweepStep) -> None:
            recorder.step(step.row, step.row["number"])
            context.on_progress(Progress(step.words, step.share))

        return run_generator(sweep(request.space, request.nearest, run.steps), watch).to_json()

    def processes(self, run: Run, cores: int) -> int:
        return 1

    def headline(self, run: Run) -> str:
        return "the fairest mission tables of The Resistance"

    def summary(self, run: Run) -> list[str]:
        if run.result is None:
            return []
        best = tables_of(run.result)[0]
        return [f"With missions of {best.missions} players the resistance wins {best.wins}; none is nearer to 1/2."]

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        return outcome_of(run, {}, delivered.seconds)

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        found: Json = run.result or {}
        yield f"balance: looked through {found['space']}"
        yield (
            f"values: {found['by_rules']:,} by the rules of both teams, {found['by_program']:,} by the linear program; "
            f"{found['too_far']:,} are too far from 1/2 by their bounds"
        )
        tables = tables_of(found)
        rows = [(table.missions, str(table.wins), f"{float(table.wins):.1%}", table.name) for table in tables]
        title = f"The {len(rows)} tables nearest to 1/2; {found['ties']} are as near as the first"
        yield Table("nearest", title, COLUMNS, rows)
        if found["official"] is not None:
            wins = Fraction(found["official"])
            yield f"with the missions of resistance{found['players']}: {wins} ({float(wins):.1%})"

    def request_lines(self, ask: Json) -> list[tuple[str, str]]:
        request = BalanceRequest.from_json(ask)
        return [("tables", request.space.words), ("nearest", str(request.nearest))]

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        rows = [(table.name, str(table.wins)) for table in tables_of(run.result or {"nearest": []})]
        return [("game", "wins"), *rows]


def tables_of(found: Json) -> list[FairTable]:
    return [FairTable.from_json(row) for row in found["nearest"]]


def outcome_of(run: Run, files: dict[str, str], seconds: float | None) -> dict[str, Any]:
    """Return the `--json` output of a finished sweep, with the certificate files by table name."""
    found: Json = run.result or {}
    rows = [row | {"certificate": files.get(row["game"])} for row in found["nearest"]]
    spent = {"cpu_seconds": None if seconds is None else round(seconds, 3)}
    return {"run": run.name, "state": "finished", "game": run.request["game"]} | found | {"nearest": rows} | spent


KIND = BalanceKind()
KINDS = (KIND,)
