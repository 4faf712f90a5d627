"""Matches and round robins of Kriegspiel engines: additions to the score (rules, nodes, records, PGN)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...games.chess.san import RESULTS
from ...runs.execute import Row
from ...runs.kind import Context, Outputs, Recorder
from ...runs.kinds.round_robin import MeetingsKind
from ...runs.report import Cell, Part, Report, Table
from ...runs.report.model import Curve, CurvePoint
from ...runs.request import score_sentence, with_interval
from ...runs.standings import (
    STRENGTH,
    charts,
    elo_chart,
    elo_text,
    rating_charts,
    sentences,
    strength_cells,
    strength_lines,
    tables,
    tally,
    wins_table,
)
from ...runs.store import Json, Run, StoreError
from ...stats.elo import INTERVALS_NOTE
from ...stats.race import interval, mean
from ..engine import asks_program
from ..game import ICC, RULE_SETS
from ..match import GAME, METHOD, EngineMatch, elo_of_pairs
from ..pgn import write_pgn
from ..referee import HouseRules
from ..requests import EngineRequest

PAIRS = (
    "first", "second", *STRENGTH, "plies", "refused a move, first", "refused a move, second", "nodes a move, first",
    "nodes a move, second",
)  # fmt: skip
PAIRS_NOTE = (
    f"Wins, draws and losses are the first engine's. {INTERVALS_NOTE} Nothing stands where Elo is infinite or an "
    "engine does not count its nodes."
)
Rows = Sequence[Sequence[Row]]  # game pairs of every two engines


def match_lines(request: EngineMatch, rows: Rows) -> Iterator[str]:
    figures, (first, second) = request.outcome(rows), request.names
    yield from strength_lines(first, second, figures, request.stop)
    refused = " and ".join(f"{share:.2f}" for share in figures["refused_per_move"])
    nodes = " and ".join("?" if count is None else f"{count:,.0f}" for count in figures["nodes_per_move"])
    yield f"{figures['plies']:.0f} plies a game; refused attempts a move: {refused}; nodes a move: {nodes}"
    yield "; ".join(f"{count} {ending}" for ending, count in figures["endings"].items())


def round_robin_lines(request: EngineMatch, rows: Rows) -> Iterator[str | Table]:
    """Yield the standings, and a table of all pairings."""
    found = request.standings(rows)
    yield from (f"{sentence}\n" for sentence in sentences(found))
    yield from tables(found)[:2]
    cells = []
    for *names, figures in request.pairs(rows):
        score, plies = with_interval(figures["score"], figures["interval"]), f"{figures['plies']:.0f}"
        cells.append((*names, str(figures["games"]), tally(figures), score, elo_text(figures), plies))
    columns = ("first", "second", "games", "+ = -", "score [interval]", "Elo [interval]", "plies")
    yield Table("all", "All pairs", columns, cells)
    yield INTERVALS_NOTE


def engine_report(request: EngineMatch, rows: Rows) -> Report:
    """Report wins, draws and losses, Elo with intervals, and how the games went."""
    command, names, pairs = EngineRequest.of(request).command, request.names, request.pairs(rows)
    games = 2 * sum(len(part) for part in rows)
    endings = [(*two, ending, count) for *two, figures in pairs for ending, count in figures["endings"].items()]
    paragraphs = [f"{', '.join(names)}: {games:,} games, in pairs with the colours swapped, seed {request.seed}."]
    if request.switches.rules != ICC:
        house = RULE_SETS[request.switches.rules]
        paragraphs.append(f"{house.title} rules: {house.about}.")
    cells: list[Sequence[Cell]] = [
        (*two, *strength_cells(found), found["plies"], *found["refused_per_move"], *found["nodes_per_move"])
        for *two, found in pairs
    ]
    parts: list[Part] = [
        wins_table("engine", names, pairs),
        Table("meetings", "Every two engines", PAIRS, cells, note=PAIRS_NOTE),
        elo_chart(pairs),
        Table("endings", "How games ended", ("first", "second", "ending", "games"), endings),
    ]
    if len(rows) == 1:
        return Report("kriegspiel-match", f"Kriegspiel: {' against '.join(names)}", command, paragraphs, parts)
    found = request.standings(rows)
    paragraphs += sentences(found)
    parts = [*rating_charts("engine", found), *parts, *tables(found, "standings-"), *charts(found, "standings-")]
    return Report("kriegspiel-round-robin", "Kriegspiel: round robin", command, paragraphs, parts)


class EngineTrail(Curve):
    """Score of two engines after every game pair."""

    title, x, y = "The first engine's score so far", "games", "score"

    def __init__(self, games: int):
        super().__init__(games, "games")
        self.pairs = np.zeros(5, np.int64)

    def step(self, body: Json) -> CurvePoint:
        self.done += 2
        self.pairs += elo_of_pairs([body["row"]]).pairs
        return CurvePoint(self.done, mean(self.pairs), *interval(self.pairs))


class KriegspielKind(MeetingsKind):
    """Let Kriegspiel engines meet each other."""

    name, title, method = "kriegspiel", "Kriegspiel match", METHOD
    request = EngineRequest

    def check(self, run: Run) -> EngineMatch:
        """Return the request; raise if the engines have changed since it was played."""
        request = EngineMatch.from_json(run.request)
        if not run.finished and run.request != request.to_json():
            raise ValueError(
                f"run {run.name} was played by fogspiel {run.request['fogspiel']} or by engines whose code has changed "
                "since: start it anew"
            )
        return request

    def check_source(self, run: Run, source: str | None) -> None:
        """Raise rather than start a program because a stored run names it."""
        super().check_source(run, source)
        if any(asks_program(seat.engine) for seat in EngineMatch.from_json(run.request).seats):
            raise ValueError(
                f"run {run.name} asks a chess engine, a program that is run only if you name it: give the command that "
                "began it once more, which goes on with this run"
            )

    def meetings(self, run: Run, store: Path) -> EngineMatch:
        return self.check(run)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        self.check(run)
        try:
            return super().compute(run, recorder, context)
        except StoreError:
            raise
        except ValueError as error:  # for example, an engine's program has ended
            raise ValueError(f"{error}; what was played is kept, go on with: {context.resume_command}") from error

    def processes(self, run: Run, cores: int) -> int:
        return max(1, cores // max(seat.effort.threads for seat in EngineMatch.from_json(run.request).seats))

    # Text output

    def request_lines(self, ask: Json) -> list[tuple[str, str]]:
        rules = EngineMatch.from_json(ask).switches.rules
        return super().request_lines(ask) + ([] if rules == ICC else [("rules", RULE_SETS[rules].title)])

    def headline(self, run: Run) -> str:
        return " - ".join(self.players(run.request))

    def summary(self, run: Run) -> list[str]:
        result = run.result
        if result is None or "best" in result:
            return super().summary(run)
        played = f"{result['games']:,} games ({tally(result)}); the interval is valid at any time"
        first, second = self.players(run.request)
        return [f"{score_sentence(first, second, result)} in {played}."]

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        """Yield the figures of a match, or the tables of a round robin."""
        request = EngineMatch.from_json(run.request)
        rows = request.rows(run)
        if request.switches.rules != ICC:
            yield f"{RULE_SETS[request.switches.rules].title} rules"
        yield from match_lines(request, rows) if len(rows) == 1 else round_robin_lines(request, rows)
        yield f"the games: fogspiel kriegspiel export {run.name}"

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        request = EngineMatch.from_json(run.request)
        rows = request.rows(run)
        facts: Json = {"run": run.name, "state": "finished", "game": GAME, "seed": request.seed}
        facts |= {"longest": request.longest, "stop": request.stop, "switches": request.switches.to_json()}
        if len(rows) == 1:
            first, second = (seat.to_json() for seat in request.seats)
            return facts | {"first": first, "second": second} | request.outcome(rows)
        met = [{"first": first, "second": second} | figures for first, second, figures in request.pairs(rows)]
        return facts | self.standings_json(run) | {"meetings": met}

    def players(self, ask: Json) -> list[str]:
        return EngineMatch.from_json(ask).names

    # Charts and export

    def curve(self, ask: Json) -> Curve:
        many, pairs = len(ask["players"]), -(-ask["games"] // 2)
        return EngineTrail(2 * pairs) if many == 2 else Curve(many * (many - 1) // 2 * pairs, "bouts")

    def report(self, run: Run) -> Report:
        request = EngineMatch.from_json(run.request)
        return engine_report(request, request.rows(run))

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        raise ValueError(f"run {run.name} is a match of Kriegspiel engines: see fogspiel kriegspiel export {run.name}")


KIND = KriegspielKind()
KINDS = (KIND,)


def match_of(run: Run) -> EngineMatch:
    """Return the match of a run; raise ValueError if it is another kind."""
    if not KIND.handles(run.request["method"]):
        raise ValueError(f"run {run.name} is no match of Kriegspiel engines: its method is {run.request['method']}")
    return EngineMatch.from_json(run.request)


@dataclass(frozen=True)
class StoredGame:
    """One game of a run: its players, rules and attempts."""

    names: tuple[str, str]  # White's first
    switches: HouseRules
    record: list[int]


def stored_game(run: Run, number: int) -> StoredGame:
    """Return a game of a run by its number, in the order of `kriegspiel export`."""
    request = match_of(run)
    games = [(row, game) for rows in request.rows(run) for row in rows for game in row["games"]]
    if not 1 <= number <= len(games):
        raise ValueError(f"run {run.name} has games 1 to {len(games)}, not {number}")
    row, game = games[number - 1]
    first, second = row["first"], row["second"]
    return StoredGame((second, first) if game["white"] else (first, second), request.switches, game["record"])


def games_as_pgn(run: Run, viewer: str) -> Iterator[str]:
    """Yield every game of a run as PGN, with the engines, the pair number and the seed in its tags."""
    request = match_of(run)
    for row in (row for rows in request.rows(run) for row in rows):
        for game in row["games"]:
            names, white = [row["first"], row["second"]], game["white"]
            score = game["result"] if white == 0 else 2 - game["result"]
            tags = {
                "Event": run.name,
                "Round": f"{row['number'] + 1}.{white + 1}",
                "White": names[white],
                "Black": names[1 - white],
                "Seed": str(request.seed),
                "PlyCount": str(game["plies"]),
                "Termination": game["ending"],
            }
            yield write_pgn(game["record"], tags, viewer, switches=request.switches, result=RESULTS[score])
