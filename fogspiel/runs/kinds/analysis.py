"""Analyses of whole Kriegspiel games, stored turn by turn.

The game is in a file or in another run, so only who names it once more can go on: the same command does.
"""

from collections.abc import Iterator, Sequence

from ...games.chess.fen import SIDES
from ...kriegspiel.analysis import GameAnalysis, PositionAnalysis, analyse_turns
from ...kriegspiel.engine import SearchLimit
from ..engine_requests import AnalysisRequest
from ..kind import Interruption, Kind, Outputs
from ..report import Cell
from ..request import asks
from ..store import Json, Run
from ..work import Context, Progress, Recorder

GAME = "kriegspiel"


class AnalysisKind(Kind):
    """Analyse a game of Kriegspiel."""

    name = method = "analysis"
    asked = asks(
        decisions=(str,), side=int, names=[str], engine=str, code=(str,), seed=int,
        effort={"seconds": (float,), "nodes": (int,), "threads": int, "outside": (bool,)},
    )  # fmt: skip
    title = "Kriegspiel analysis"
    request = AnalysisRequest

    def check_source(self, run: Run, source: str | None) -> None:
        """Refuse to go on without the game."""
        raise ValueError(
            f"run {run.name} analyses a game that it does not keep: give the command that began it once more, which "
            "goes on with this run"
        )

    def find(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Analyse the turns that are left."""
        request = context.prepared
        if not isinstance(request, AnalysisRequest):
            self.check_source(run, None)
        assert isinstance(request, AnalysisRequest)
        known = [step["stream"] for step in run.steps]
        last = max(request.decisions[-1].ply, 1)
        turns = analyse_turns(request.decisions, request.engine, request.effort, request.seed, known)
        for number, turn in enumerate(turns, len(known) + 1):
            positions = [position.to_json() for position in turn.positions]
            recorder.step({"positions": positions, "stream": turn.stream}, number)
            for position in turn.positions[-1:]:
                context.watch(Progress(f"turn {position.turn} {position.tried}", position.ply / last))
        analysis = analysis_of(run)
        return {"attempts": len(analysis.positions), "mean_cost": analysis.mean_cost}

    def processes(self, run: Run, cores: int) -> int:
        return 1

    def headline(self, run: Run) -> str:
        return f"{SIDES[run.ask['side']]}'s game in {' - '.join(run.ask['names'])}, seen by {run.ask['engine']}"

    def summary(self, run: Run) -> list[str]:
        analysis = analysis_of(run)
        cost = "" if analysis.mean_cost is None else f"; a move cost {analysis.mean_cost:.2f} pawns on average"
        return [f"{len(analysis.positions)} attempts are analysed{cost}."]

    def lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
        """What was looked at, and what it cost."""
        yield f"{run.name}: {self.headline(run)}"
        yield from self.summary(run)

    def interruption(self, run: Run, again: str) -> Interruption:
        told = super().interruption(run, again)
        return told._replace(lines=[f"{run.name}: {' '.join(self.summary(run))}"])

    def request_lines(self, ask: Json) -> list[tuple[str, str]]:
        asked = [("players", " - ".join(ask["names"])), ("seen by", ask["engine"])]
        return [*super().request_lines(ask), *asked]

    def command(self, ask: Json) -> str:
        return f"fogspiel kriegspiel analyse FILE.pgn --side {SIDES[ask['side']].lower()} --engine {ask['engine']}"

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        rows = [(one.ply, one.tried, one.accepted, one.cost, one.best) for one in analysis_of(run).positions]
        return [("ply", "tried", "accepted", "cost", "engine's first"), *rows]


def analysis_of(run: Run) -> GameAnalysis:
    """What was found so far."""
    ask = run.ask
    positions = tuple(PositionAnalysis.from_json(kept) for step in run.steps for kept in step["positions"])
    names: tuple[str, str] = (ask["names"][0], ask["names"][1])
    return GameAnalysis(ask["engine"], SearchLimit.from_json(ask["effort"]), ask["seed"], ask["side"], names, positions)


KIND = AnalysisKind()
KINDS = (KIND,)
