"""Report of a match or round robin of Kriegspiel engines: lines and tables for the terminal, and pages."""

from collections.abc import Iterator, Mapping, Sequence

from ..runs import standings
from ..runs.formatting import with_interval
from ..runs.jobs import Row
from ..runs.report import Cell, Chart, Part, Report, Series, Table
from ..runs.store import Json
from ..stats.elo import INTERVALS_NOTE
from .game.rule_sets import ICC, RULE_SETS
from .match import EngineMatch
from .requests import EngineRequest

PAIRS = (
    "first", "second", "games", "wins", "draws", "losses", "score", "score from", "score to", "Elo", "Elo from",
    "Elo to", "plies", "refused a move, first", "refused a move, second", "nodes a move, first",
    "nodes a move, second",
)  # fmt: skip
PAIRS_NOTE = (
    f"Wins, draws and losses are the first engine's. {INTERVALS_NOTE} Nothing stands where Elo is infinite or an "
    "engine does not count its nodes."
)


Rows = Sequence[Sequence[Row]]  # the pairs of games of every two engines
Pair = tuple[str, str, Json]  # two engines, and the figures of their games


# In the terminal


def tally(figures: Mapping[str, object]) -> str:
    """Wins, draws and losses in the shortest form."""
    return f"+{figures['wins']} ={figures['draws']} -{figures['losses']}"


def _normalised(figures: Json) -> str:
    """The same in normalised Elo, where the pairs of games did not all end alike."""
    if figures["normalised_elo"] is None:
        return ""
    low, high = figures["normalised_elo_interval"]
    return f"; normalised Elo {figures['normalised_elo']:+.0f} [{low:+.0f}, {high:+.0f}]"


def _elo(figures: Json) -> str:
    """A difference in Elo with its interval; what is beyond all limits is infinite."""
    low, high = figures["elo_interval"]
    shown = [f"{limit:+.0f}" if limit is not None else sign for limit, sign in ((low, "-inf"), (high, "+inf"))]
    middle = figures["elo"]
    if middle is None:
        return f"{'+' if figures['score'] > 0.5 else '-'}inf [{', '.join(shown)}]"
    return f"{middle:+.0f} [{', '.join(shown)}]"


def match_lines(request: EngineMatch, rows: Rows) -> Iterator[str]:
    """Describe the score of two engines and the statistics of their games."""
    figures, (first, second) = request.outcome(rows), request.names
    score = with_interval(figures["score"], figures["interval"]) + " (95 %, valid at any time)"
    kind = "valid at any time" if figures["elo_interval_of"] == "anytime" else "from the spread of the pairs"
    yield f"{first} against {second}: {tally(figures)} in {figures['games']} games, score {score}"
    pairs, ratio = " ".join(map(str, figures["pairs"])), figures["wins_per_loss"]
    wins = "" if ratio is None else f"; {ratio:.2f} wins for a loss"
    yield f"Elo {_elo(figures)}{_normalised(figures)} (95 %, {kind}); pairs by half points 0 to 4: {pairs}{wins}"
    if request.stop:
        proved = {1: f"{first} is proved to be better", -1: f"{second} is proved to be better", 0: "nothing is proved"}
        yield proved[figures["decision"]]
    refused = " and ".join(f"{share:.2f}" for share in figures["refused_per_move"])
    nodes = " and ".join("?" if count is None else f"{count:,.0f}" for count in figures["nodes_per_move"])
    yield f"{figures['plies']:.0f} plies a game; refused attempts a move: {refused}; nodes a move: {nodes}"
    yield "; ".join(f"{count} {ending}" for ending, count in figures["endings"].items())


def round_robin_lines(request: EngineMatch, rows: Rows) -> Iterator[str | Table]:
    """The standings, and every two engines."""
    found = request.standings(rows)
    yield from (f"{sentence}\n" for sentence in standings.sentences(found))
    yield from standings.tables(found)[:2]
    cells = []
    for *names, figures in request.pairs(rows):
        score, plies = with_interval(figures["score"], figures["interval"]), f"{figures['plies']:.0f}"
        cells.append((*names, str(figures["games"]), tally(figures), score, _elo(figures), plies))
    columns = ("first", "second", "games", "+ = -", "score [interval]", "Elo [interval]", "plies")
    yield Table("all", "All pairs", columns, cells)
    yield INTERVALS_NOTE


# The report


def engine_report(request: EngineMatch, rows: Rows) -> Report:
    """Cross-table with wins, draws and losses, Elo with intervals, and how the games went."""
    command = EngineRequest.of(request).command
    games, names, pairs = 2 * sum(len(part) for part in rows), request.names, request.pairs(rows)
    endings = [(*two, ending, count) for *two, figures in pairs for ending, count in figures["endings"].items()]
    paragraphs = [f"{', '.join(names)}: {games:,} games, in pairs with the colours swapped, seed {request.seed}."]
    if request.switches.rules != ICC:
        house = RULE_SETS[request.switches.rules]
        paragraphs.append(f"{house.title} rules: {house.about}.")
    parts: list[Part] = [
        _cross_table(names, pairs),
        Table("meetings", "Every two engines", PAIRS, [_pair_row(*pair) for pair in pairs], note=PAIRS_NOTE),
        _differences(pairs),
        Table("endings", "How games ended", ("first", "second", "ending", "games"), endings),
    ]
    if len(rows) == 1:
        return Report(
            "kriegspiel-match",
            f"Kriegspiel: {' against '.join(names)}",
            EngineRequest.of(request).command,
            paragraphs,
            parts,
        )
    found = request.standings(rows)
    paragraphs += standings.sentences(found)
    parts = [*_ratings(found), *parts, *standings.tables(found, "standings-"), *standings.charts(found, "standings-")]
    return Report("kriegspiel-round-robin", "Kriegspiel: round robin", command, paragraphs, parts)


def _cross_table(names: Sequence[str], pairs: Sequence[Pair]) -> Table:
    """Wins, draws and losses of the row against the column, and the score."""
    cells: dict[tuple[str, str], str] = {}
    for first, second, found in pairs:
        cells[first, second] = f"{tally(found)} ({found['score']:.3f})"
        mirrored = f"+{found['losses']} ={found['draws']} -{found['wins']}"
        cells[second, first] = f"{mirrored} ({1 - found['score']:.3f})"
    rows = [(name, *(cells.get((name, other), "") for other in names)) for name in names]
    return Table("wins", "Wins, draws and losses", ("engine", *(f"v {name}" for name in names)), rows)


def _pair_row(first: str, second: str, found: Json) -> tuple[Cell, ...]:
    """A row of PAIRS."""
    counts = (found[key] for key in ("games", "wins", "draws", "losses", "score"))
    strength = (*found["interval"], found["elo"], *found["elo_interval"])
    return (first, second, *counts, *strength, found["plies"], *found["refused_per_move"], *found["nodes_per_move"])


def _differences(pairs: Sequence[Pair]) -> Chart:
    """Elo of the first engine of each two over the second; what is infinite is not drawn."""
    points = [(f"{first} v {second}", found["elo"], *found["elo_interval"]) for first, second, found in pairs]
    title = "Elo of the first over the second, with 95 % intervals"
    return Chart("elo", title, "", "Elo", [Series.of("Elo", points)], kind="dots", note=INTERVALS_NOTE)


def _ratings(found: standings.Standings) -> list[Chart]:
    """Elo of every engine, where one number for each makes sense."""
    if found.elo is None or found.elo_bars is None:
        return []
    points = sorted(zip(found.players, found.elo, *found.elo_bars, strict=True), key=lambda point: -float(point[1]))
    title, note = "Elo of each engine, with 95 % intervals", "Intervals are the middle 95 % of resampled games."
    return [Chart("rating", title, "", "Elo", [Series.of("rating", points)], kind="dots", note=note)]
