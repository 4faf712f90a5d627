"""What solves and bounds have in common: the value of a game between a lower and an upper bound."""

from collections.abc import Sequence

from .kind import Kind, Outputs
from .report import Cell
from .store import Json, Run
from .trail import BoundsCurve, Curve

LONG = 60
"""Letters of a fraction that are shown."""


class ValueKind(Kind):
    """A run that finds the value of a game, with a certificate."""

    has_report = True

    def trail(self, ask: Json) -> Curve:
        return BoundsCurve()

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        lines: list[Sequence[Cell]] = [("round", "lower", "upper")]
        lines += [(step["number"], step["lower"], step["upper"]) for step in run.steps]
        if run.result:
            lines.append(("result", run.result["lower"], run.result["upper"]))
        return lines

    def certificate(self, run: Run) -> Json | None:
        return run.result and run.result["certificate"]

    def solution(self, run: Run) -> Json:
        found = self.certificate(run)
        if found is None:
            raise ValueError(f"run {run.name} has no certificate: it must be finished, and small enough to have one")
        return found

    def summary(self, run: Run) -> list[str]:
        result = run.result
        if result is None:
            return []
        if result["exact"]:
            value = str(result.get("value", result["lower"]))
            number = value if len(value) < LONG else value[: LONG - 3] + ".."
            decimal = f" = {result['score']:.9g}" if "/" in value else ""
            said = f"The first player gets exactly {number}{decimal}."
        else:
            low, high = result["interval"]
            said = f"The first player gets {result['score']:.9g}, certainly between {low:.9g} and {high:.9g}."
        proof = (
            "Both strategies are proved by a certificate."
            if result["certificate"] is not None
            else "There is no certificate: the strategies were checked in floating point only."
        )
        return [said, *([f"Found by {result['solver']}."] if "solver" in result else []), proof]


def facts_of(run: Run, keys: Sequence[str], delivered: Outputs) -> Json:
    """What `--json` prints first: the run, these keys of its result, and the time that was spent."""
    result, seconds = run.result or {}, delivered.seconds
    found = {key: result[key] for key in keys}
    spent = {"cpu_seconds": None if seconds is None else round(seconds, 3)}
    proof = {"certificate": None if delivered.certificate is None else str(delivered.certificate)}
    return {"run": run.name, "state": "finished", "game": run.ask["game"], **found, **spent, **proof}
