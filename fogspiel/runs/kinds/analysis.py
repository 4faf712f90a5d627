"""Analyses of whole Kriegspiel games, stored turn by turn.

The game is in a file or in another run, so only who names it once more can go on: the same command does.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...games.chess.fen import SIDES
from ...kriegspiel.analysis import GameAnalysis, PositionAnalysis, analyse_turns
from ...kriegspiel.decisions import Decision
from ...kriegspiel.engine import SearchLimit
from ...kriegspiel.match import code_of
from ..checks import check_seed
from ..kind import Interruption, Kind, Outputs
from ..report import Cell
from ..request import asks, versions
from ..store import Json, Run
from ..work import Context, Progress, Recorder

GAME = "kriegspiel"


@dataclass(frozen=True)
class Request:
    """What a user asks: the decisions of a player, and who looks at them for how long."""

    decisions: Sequence[Decision]
    side: int
    names: tuple[str, str]
    engine: str
    effort: SearchLimit
    seed: int

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        check_seed(self.seed)

    @property
    def digest(self) -> str:
        """Stands for what was seen and tried."""
        whole = hashlib.sha256()
        for decision in self.decisions:
            whole.update(f"{decision.action} ".encode() + decision.seen.tobytes())
        return whole.hexdigest()

    def to_json(self) -> Json:
        """The first row of the run."""
        asked: dict[str, Any] = {"game": GAME, "method": KIND.method, "decisions": self.digest, "side": self.side}
        asked |= {"names": list(self.names), "engine": self.engine, "code": code_of(self.engine)}
        return asked | {"effort": asdict(self.effort), "seed": self.seed} | versions(GAME)


class Analysis(Kind):
    """Analyse a game of Kriegspiel."""

    name = method = "analysis"
    asked = asks(
        decisions=(str,), side=int, names=[str], engine=str, code=(str,), seed=int,
        effort={"seconds": (float,), "nodes": (int,), "threads": int, "outside": (bool,)},
    )  # fmt: skip
    title = "Kriegspiel analysis"

    def check_source(self, run: Run, source: str | None) -> None:
        """Refuse to go on without the game."""
        raise ValueError(
            f"run {run.name} analyses a game that it does not keep: give the command that began it once more, which "
            "goes on with this run"
        )

    def find(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Analyse the turns that are left."""
        request = context.prepared
        if not isinstance(request, Request):
            self.check_source(run, None)
        assert isinstance(request, Request)
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
    return GameAnalysis(ask["engine"], SearchLimit(**ask["effort"]), ask["seed"], ask["side"], names, positions)


KIND = Analysis()
KINDS = (KIND,)
