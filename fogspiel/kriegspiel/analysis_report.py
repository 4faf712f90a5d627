"""Report of a Kriegspiel game analysis: the cost of each move, the worst turns, and the knowledge there."""

from collections.abc import Sequence

from ..games.chess.fen import FILES, SIDES
from ..runs.report import Chart, Part, Report, Series, Table
from .analysis import HONESTY, GameAnalysis, Phase, PositionAnalysis

SHOWN = 6  # attempts listed per turn
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
