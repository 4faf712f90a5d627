"""Report of a Kriegspiel game analysis: the cost of each move, the worst turns, and the knowledge there."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...games.chess.fen import SIDES
from ...runs.kind import Context, Interruption, Kind, Outputs, Progress, Recorder
from ...runs.report import Cell, Chart, Part, Report, Series, Table, as_markdown
from ...runs.report.html_page import as_html
from ...runs.store import Json, Run
from ..analysis import HONESTY, GameAnalysis, Phase, PositionAnalysis, analyse_turns
from ..engine import SearchLimit
from ..requests import AnalysisRequest

SHOWN = 6  # attempts listed per turn
MARKDOWN, PAGES = ".md", (".html", ".htm")
MAPS = ("king", "pawn", "piece")
FILES = "abcdefgh"
ENDING = "An ending against a lone king, played by exact sets of squares without values of attempts"


def with_error(value: float | None, error: float | None) -> str:
    """Format a figure with its standard error: `+0.52 ± 0.07`."""
    if value is None:
        return "-"
    return f"{value:+.2f}" + ("" if error is None else f" ± {error:.2f}")


def share(chance: float) -> str:
    return f"{100 * chance:.0f} %"


def attempt_rows(position: PositionAnalysis, count: int) -> list[tuple[str, str, str, str]]:
    return [
        (
            one.move + (" (tried)" if one.move == position.tried else ""),
            share(one.legal),
            with_error(one.value, one.error),
            with_error(one.gain, None),
        )
        for place, one in enumerate(position.attempts)
        if place < count or one.move == position.tried
    ]


ATTEMPT_COLUMNS = ("attempt", "legal", "value", "gain")
TURN_COLUMNS = ("turn", "tried", "answer", "cost", "engine's first", "legal", "boards")
PHASE_COLUMNS = ("plies", "decisions", "log-loss", "evenly spread", "king's rank", "king's chance")


def turn_rows(positions: Sequence[PositionAnalysis]) -> list[tuple[str, str, str, str, str, str, int]]:
    found = []
    for one in positions:
        best = one.attempts[0] if one.attempts else None
        answer = "" if one.accepted is None else "made" if one.accepted else "refused"
        legal = share(best.legal) if best and best.value is not None else "-"
        cost = with_error(one.cost, one.cost_error)
        found.append((one.turn, one.tried or "-", answer, cost, one.best, legal, one.boards))
    return found


def phase_rows(phases: Sequence[Phase]) -> list[tuple[str, int, float, float, float, float]]:
    return [
        (one.plies, one.decisions, one.log_loss, one.even_log_loss, one.king_rank, one.king_chance) for one in phases
    ]


def map_lines(position: PositionAnalysis, kind: str) -> list[str]:
    """Return the probabilities of a kind of man as a board in per cent; dots for what rounds to 0."""
    chances = position.belief[kind]
    lines = []
    for rank in range(7, -1, -1):
        cells = [round(100 * chance) for chance in chances[8 * rank : 8 * rank + 8]]
        lines.append(f"{rank + 1} " + "".join(f"{cell or '.':>4}" for cell in cells))
    return [*lines, "  " + "".join(f"{name:>4}" for name in FILES)]


def worst_sentence(position: PositionAnalysis) -> str:
    """Describe one of the worst turns in one sentence."""
    cost = with_error(position.cost, position.cost_error).lstrip("+")
    return f"{position.turn} {position.tried} cost {cost} pawns; the engine would first have tried {position.best}"


def _worst_parts(position: PositionAnalysis) -> list[Part]:
    """Describe the knowledge at one of the worst turns, and the best attempts there."""
    heard = [f"The referee: {position.heard}."] if position.heard else []
    refused = [f"Refused before: {', '.join(position.refused)}."] if position.refused else []
    implied = " ".join(f"{sentence}." for sentence in position.implied)
    opening = [
        f"## {worst_sentence(position)}" if position.cost is not None else f"## {position.turn}",
        *heard,
        *refused,
    ]
    if not position.attempts:
        return [*opening, implied, f"{ENDING}: the engine would try {position.choice}."]
    table = Table(
        f"turn-{position.ply}-{len(position.refused)}",
        f"The best attempts ({position.boards:,} different boards in mind, {position.evaluated:,} evaluated)",
        ATTEMPT_COLUMNS,
        attempt_rows(position, SHOWN),
    )
    return [*opening, implied, table]


def analysis_report(analysis: GameAnalysis, phases: Sequence[Phase], command: str, charts: bool) -> Report:
    """Return the report of a game, with charts for the web interface."""
    side = SIDES[analysis.side]
    effort = f"{analysis.effort.nodes:,} nodes" if analysis.effort.nodes else f"{analysis.effort.seconds:g} s"
    paragraphs = [
        f"From {side}'s own view, by {analysis.engine} with {effort} per attempt (seed {analysis.seed}).",
        "Value: pawns that an attempt gains more than the mean attempt on the boards where it is legal. Cost: what the "
        "engine's own order of attempts would gain more on the boards where the attempt is legal.",
        HONESTY,
    ]
    if analysis.mean_cost is not None:
        paragraphs.append(f"A move cost {analysis.mean_cost:.2f} pawns on average.")
    parts: list[Part] = []
    costs = [(one.ply, one.cost) for one in analysis.positions if one.accepted and one.cost is not None]
    if charts and costs:
        series = [Series.of("cost", costs)]
        parts.append(Chart("costs", "What the moves cost", "ply", "pawns", series, "dots"))
    parts.append(Table("turns", "Every attempt", TURN_COLUMNS, turn_rows(analysis.positions)))
    if phases:
        note = "Log-loss of `a man stands here` in nats per square; evenly spread is that of knowing only how many."
        parts.append(Table("hindsight", "Was the belief right?", PHASE_COLUMNS, phase_rows(phases), note))
    for position in analysis.worst or analysis.positions[:1]:
        parts += _worst_parts(position)
    title = f"Analysis of {analysis.names[0]} - {analysis.names[1]}, {side}"
    return Report("analysis", title, command, paragraphs, parts)


def report_text(analysis: GameAnalysis, phases: Sequence[Phase], command: str, output: Path) -> str:
    if output.suffix == MARKDOWN:
        return as_markdown(analysis_report(analysis, phases, command, charts=False), drawn=False)
    return as_html(analysis_report(analysis, phases, command, charts=True))


def check_output(output: Path) -> None:
    if output.suffix not in (MARKDOWN, *PAGES):
        raise ValueError(f"the report is to be {output}: its name must end in .md or .html")


# Analyses of whole Kriegspiel games, stored turn by turn.
#
# The game is in a file or in another run, so resuming requires naming it again, as the same command does.

GAME = "kriegspiel"


class AnalysisKind(Kind):
    """Analyse a game of Kriegspiel."""

    name = method = "analysis"
    title = "Kriegspiel analysis"
    request = AnalysisRequest

    def check_source(self, run: Run, source: str | None) -> None:
        """Raise unless the game is available to resume."""
        raise ValueError(
            f"run {run.name} analyses a game that it does not keep: give the command that began it once more, which "
            "goes on with this run"
        )

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Analyse the remaining turns."""
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
                context.on_progress(Progress(f"turn {position.turn} {position.tried}", position.ply / last))
        analysis = analysis_of(run)
        return {"attempts": len(analysis.positions), "mean_cost": analysis.mean_cost}

    def processes(self, run: Run, cores: int) -> int:
        return 1

    def headline(self, run: Run) -> str:
        asked = run.request
        return f"{SIDES[asked['side']]}'s game in {' - '.join(asked['names'])}, seen by {asked['engine']}"

    def summary(self, run: Run) -> list[str]:
        analysis = analysis_of(run)
        cost = "" if analysis.mean_cost is None else f"; a move cost {analysis.mean_cost:.2f} pawns on average"
        return [f"{len(analysis.positions)} attempts are analysed{cost}."]

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
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
    ask = run.request
    positions = tuple(PositionAnalysis.from_json(kept) for step in run.steps for kept in step["positions"])
    names: tuple[str, str] = (ask["names"][0], ask["names"][1])
    return GameAnalysis(ask["engine"], SearchLimit.from_json(ask["effort"]), ask["seed"], ask["side"], names, positions)


KIND = AnalysisKind()
KINDS = (KIND,)
