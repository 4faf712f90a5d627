"""Runs of Kriegspiel: matches and round robins of engines, analyses of games, and searches for problems."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from ..core.compile.cache import digest_of
from ..core.game import known_game
from ..games.chess.fen import SIDES
from ..games.chess.game import RESULTS
from ..runs.kind import (
    Context,
    Interruption,
    Job,
    JobRunner,
    Kind,
    Outputs,
    Progress,
    Recorder,
    Row,
    StoredGame,
    rows_of,
)
from ..runs.kinds.round_robin import MeetingsKind
from ..runs.report import Cell, Curve, CurvePoint, Part, Report, Table
from ..runs.request import score_sentence, with_interval
from ..runs.standings import (
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
from ..runs.store import Json, Run, StoreError
from ..stats.evaluate import INTERVALS_NOTE
from ..stats.race import interval, mean
from .analysis import GameAnalysis, PositionAnalysis, analyse_turns
from .engine import SearchLimit, asks_program
from .game import ICC, RULE_SETS
from .match import GAME, METHOD, EngineMatch, elo_of_pairs
from .pgn import write_pgn
from .problems import generator
from .problems.generator import Candidate, find_candidate
from .referee import HouseRules, kriegspiel_from
from .requests import AnalysisRequest, EngineRequest, ProblemsRequest

# Matches and round robins: additions to the score (rules, nodes, records, PGN).

PAIRS = (
    "first", "second", *STRENGTH, "plies", "refused a move, first", "refused a move, second", "nodes a move, first",
    "nodes a move, second",
)  # fmt: skip
PAIRS_NOTE = (
    f"Wins, draws and losses are the first engine's. {INTERVALS_NOTE} Nothing stands where Elo is infinite or an "
    "engine does not count its nodes."
)
TIMES = ("first", "second", "seconds a move, first", "seconds a move, second")
TIMES_NOTE = "CPU seconds of an engine's thread; wall-clock time of programs and of engines with several threads."
Rows = Sequence[Sequence[Row]]  # game pairs of every two engines


def match_lines(request: EngineMatch, rows: Rows) -> Iterator[str]:
    figures, (first, second) = request.outcome(rows), request.names
    yield from strength_lines(first, second, figures, request.stop)
    refused = " and ".join(f"{share:.2f}" for share in figures["refused_per_move"])
    nodes = " and ".join("?" if count is None else f"{count:,.0f}" for count in figures["nodes_per_move"])
    yield f"{figures['plies']:.0f} plies a game; refused attempts a move: {refused}; nodes a move: {nodes}"
    if seconds := figures.get("seconds_per_move"):
        yield f"seconds a move: {' and '.join(f'{spent:.3f}' for spent in seconds)}"
    yield "; ".join(f"{count} {ending}" for ending, count in figures["endings"].items())


def round_robin_lines(request: EngineMatch, rows: Rows) -> Iterator[str | Table]:
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
    if times := [(*two, *found["seconds_per_move"]) for *two, found in pairs if "seconds_per_move" in found]:
        parts.append(Table("times", "Time a move", TIMES, times, note=TIMES_NOTE))
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

    def games(self, run: Run) -> list[StoredGame]:
        request, found = match_of(run), []
        game = known_game(GAME) if request.switches.rules == ICC else kriegspiel_from(switches=request.switches)
        for row in (row for rows in request.rows(run) for row in rows):
            for played in row["games"]:
                names, white = (row["first"], row["second"]), played["white"]
                found.append(StoredGame(game, (names[white], names[1 - white]), played["record"], played["ending"]))
        return found

    def pgn(self, run: Run) -> Iterator[str]:
        return games_as_pgn(run, "umpire")

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        raise ValueError(f"run {run.name} is a match of Kriegspiel engines: see fogspiel kriegspiel export {run.name}")


def match_of(run: Run) -> EngineMatch:
    """Return the match of a run; raise ValueError if it is another kind."""
    if not KIND.handles(run.request["method"]):
        raise ValueError(f"run {run.name} is no match of Kriegspiel engines: its method is {run.request['method']}")
    return EngineMatch.from_json(run.request)


def stored_game(run: Run, number: int) -> tuple[tuple[str, str], HouseRules, list[int]]:
    """Return the names, White's first, the rules and the record of a game, in the order of `kriegspiel export`."""
    request = match_of(run)
    games = [(row, game) for rows in request.rows(run) for row in rows for game in row["games"]]
    if not 1 <= number <= len(games):
        raise ValueError(f"run {run.name} has games 1 to {len(games)}, not {number}")
    row, game = games[number - 1]
    first, second = row["first"], row["second"]
    return (second, first) if game["white"] else (first, second), request.switches, game["record"]


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
            if clock := request.seats[0].clock:
                tags["TimeControl"] = f"{clock.seconds:g}+{clock.increment:g}"
            yield write_pgn(game["record"], tags, viewer, switches=request.switches, result=RESULTS[score])


# Analyses of whole Kriegspiel games, stored turn by turn.
#
# The game is in a file or in another run, so resuming requires naming it again, as the same command does.


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


# Searches for problems: candidates are examined block by block, each block stored when it is done.
#
# A block depends only on the code, the seed and its numbers, so a longer search reuses the blocks of a shorter one.

BLOCK = 10  # candidates of a step: five seconds at most


def find_block(code: str, seed: int, first: int, count: int) -> Json:
    """Return the good candidates of a block; `code` is part of its identity only."""
    found = (find_candidate(seed, number) for number in range(first, first + count))
    return {"found": [candidate.to_json() for candidate in found if candidate is not None]}


def code() -> str:
    """Return a digest of the problem-finding code: other code may find other problems."""
    return digest_of(Path(generator.__file__))


def jobs_of(request: ProblemsRequest) -> list[Job]:
    shared = {"code": code(), "seed": request.seed}
    blocks = [(first, min(BLOCK, request.candidates - first)) for first in range(0, request.candidates, BLOCK)]
    return [Job("candidates", find_block, shared | {"first": first, "count": count}) for first, count in blocks]


class ProblemsKind(Kind):
    """Look for problems of Kriegspiel."""

    name = method = "problems"
    title = "Kriegspiel problems"
    request = ProblemsRequest

    def check(self, run: Run) -> ProblemsRequest:
        """Return the request; raise if the code has changed since the other blocks were searched."""
        request = ProblemsRequest.from_json(run.request)
        if not run.finished and run.request != request.to_json():
            raise ValueError(
                f"run {run.name} was made by fogspiel {run.request['fogspiel']} or by code that has changed since: "
                "start it anew"
            )
        return request

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        request, found, done = self.check(run), 0, 0
        with closing(JobRunner(run, recorder, context).rows(jobs_of(request))) as rows:
            for row in rows:
                found, done = found + len(row["found"]), done + row["count"]
                words = f"{found} found among {done:,} of {request.candidates:,} candidates"
                context.on_progress(Progress(words, done / request.candidates))
        return {"candidates": done, "found": found}

    def headline(self, run: Run) -> str:
        return f"problems among {run.request['candidates']:,} random positions, seed {run.request['seed']}"

    def summary(self, run: Run) -> list[str]:
        return [f"{len(candidates_of(run))} problems were found among {self._done(run):,} candidates."]

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
        yield f"{run.name}: {len(candidates_of(run))} problems among {self._done(run):,} candidates"
        yield f"the best dozen is written by: {self.command(run.request)}"

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        found = [(one.problem.title, one.problem.mate_in, one.worth, one.problem.source) for one in candidates_of(run)]
        return [("problem", "mate in", "worth", "source"), *found]

    def _done(self, run: Run) -> int:
        return sum(row["count"] for row in rows_of(run))


def candidates_of(run: Run) -> list[Candidate]:
    return [Candidate.from_json(kept) for row in rows_of(run) for kept in row["found"]]


KIND, PROBLEMS = KriegspielKind(), ProblemsKind()
KINDS = (AnalysisKind(), KIND, PROBLEMS)
