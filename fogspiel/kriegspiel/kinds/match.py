"""Matches and round robins of Kriegspiel engines, stored pair of games by pair of games."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from ...games.chess.san import RESULTS
from ...runs import standings
from ...runs.curve import Curve, CurvePoint
from ...runs.execute import Context, JobRunner, Progress, Recorder, Row
from ...runs.formatting import with_interval
from ...runs.kind import Kind, Outputs
from ...runs.kinds.round_robin import best_of
from ...runs.report import Cell, Chart, Part, Report, Series, Table
from ...runs.request import asks
from ...runs.store import Json, Run, StoreError
from ...stats.elo import INTERVALS_NOTE
from ...stats.race import interval, mean
from ..engine import asks_program
from ..game.rule_sets import ICC, RULE_SETS
from ..match import GAME, METHOD, EngineMatch, elo_of_pairs, proved_winner
from ..pgn import write_pgn
from ..referee import HouseRules
from ..requests import EngineRequest

# Report of a match or round robin of Kriegspiel engines: lines and tables for the terminal, and pages.

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


class EngineTrail(Curve):
    """Two engines: the score after every two games."""

    title, x, y = "The first engine's score so far", "games", "score"

    def __init__(self, games: int):
        super().__init__(games, "games")
        self.pairs = np.zeros(5, np.int64)

    def step(self, body: Json) -> CurvePoint:
        self.done += 2
        self.pairs += elo_of_pairs([body["row"]]).pairs
        return CurvePoint(self.done, mean(self.pairs), *interval(self.pairs))


class KriegspielKind(Kind):
    """Let Kriegspiel engines meet each other."""

    name, title, method = "kriegspiel", "Kriegspiel match", METHOD
    asked = asks(
        players=[{"engine": str, "seconds": (float,), "nodes": (int,), "threads": int}], codes=([str],),
        games=int, seed=int, longest=(int,), stop=bool,
        switches={"rules": (str,), "promotion_tries": (str,), "passant_square": (str,), "fifty": (bool,),
                  "repetition": (bool,), "material": (bool,)},
    )  # fmt: skip
    has_report = True
    request = EngineRequest

    def check(self, run: Run) -> EngineMatch:
        """The request, if the engines are still those that have played it."""
        request = EngineMatch.from_json(run.ask)
        if not run.finished and run.ask != request.to_json():
            raise ValueError(
                f"run {run.name} was played by fogspiel {run.ask['fogspiel']} or by engines whose code has changed "
                "since: start it anew"
            )
        return request

    def check_source(self, run: Run, source: str | None) -> None:
        """Refuse to start a program because a stored run names it."""
        super().check_source(run, source)
        if any(asks_program(seat.engine) for seat in EngineMatch.from_json(run.ask).seats):
            raise ValueError(
                f"run {run.name} asks a chess engine, a program that is run only if you name it: give the command that "
                "began it once more, which goes on with this run"
            )

    def find(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Play on until all engines have met."""
        request = self.check(run)
        runner = JobRunner(run, recorder, context, request.patience)
        try:
            return request.outcome(self._play(request, runner))
        except StoreError:
            raise
        except ValueError as error:  # as when an engine asks a program that has ended
            raise ValueError(f"{error}; what was played is kept, go on with: {context.again}") from error

    def _play(self, request: EngineMatch, runner: JobRunner) -> list[list[Row]]:
        """The rows of every two engines."""
        found: list[list[Row]] = [[] for _ in request.meetings]
        done, total = 0, len(found) * request.pairs_of_games
        # Without a race all jobs are one batch, so that no process waits for the last game of each two engines.
        for batch in [[place] for place in range(len(found))] if request.stop else [list(range(len(found)))]:
            jobs = [(place, job) for place in batch for job in request.jobs(request.meetings[place])]
            with closing(runner.rows([job for _, job in jobs])) as rows:
                for (place, _), row in zip(jobs, rows, strict=True):
                    found[place].append(row)
                    done += 1
                    strength = elo_of_pairs(found[place])
                    score = f"{row['first']} - {row['second']} {tally(strength.to_json())}"
                    words = f"{2 * done} of {2 * total} games: {score}"
                    runner.context.watch(Progress(words, done / total, 2 * done))
                    if request.stop and proved_winner(strength):
                        break
        return found

    def processes(self, run: Run, cores: int) -> int:
        return max(1, cores // max(seat.effort.threads for seat in EngineMatch.from_json(run.ask).seats))

    # Telling

    def request_lines(self, ask: Json) -> list[tuple[str, str]]:
        rules = EngineMatch.from_json(ask).switches.rules
        return super().request_lines(ask) + ([] if rules == ICC else [("rules", RULE_SETS[rules].title)])

    def headline(self, run: Run) -> str:
        return " - ".join(EngineMatch.from_json(run.ask).names)

    def summary(self, run: Run) -> list[str]:
        result = run.result
        if result is None:
            return []
        if "best" in result:
            return [best_of(result["best"])]
        first, second = EngineMatch.from_json(run.ask).names
        score = with_interval(result["score"], result["interval"])
        played = f"{result['games']:,} games ({tally(result)}); the interval is valid at any time"
        return [f"{first} against {second} scores {score} in {played}."]

    def lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        """The figures of a match, or the tables of a round robin."""
        request = EngineMatch.from_json(run.ask)
        rows = request.rows(run)
        if request.switches.rules != ICC:
            yield f"{RULE_SETS[request.switches.rules].title} rules"
        yield from match_lines(request, rows) if len(rows) == 1 else round_robin_lines(request, rows)
        yield f"the games: fogspiel kriegspiel export {run.name}"

    def outcome(self, run: Run, delivered: Outputs) -> Json:
        request = EngineMatch.from_json(run.ask)
        rows = request.rows(run)
        facts: Json = {"run": run.name, "state": "finished", "game": GAME, "seed": request.seed}
        facts |= {"longest": request.longest, "stop": request.stop, "switches": request.switches.to_json()}
        if len(rows) == 1:
            first, second = (seat.to_json() for seat in request.seats)
            return facts | {"first": first, "second": second} | request.outcome(rows)
        met = [{"first": first, "second": second} | figures for first, second, figures in request.pairs(rows)]
        return facts | request.standings(rows).as_json() | {"meetings": met}

    def players(self, ask: Json) -> list[str]:
        return EngineMatch.from_json(ask).names

    # Drawing and exporting

    def trail(self, ask: Json) -> Curve:
        many, pairs = len(ask["players"]), -(-ask["games"] // 2)
        return EngineTrail(2 * pairs) if many == 2 else Curve(many * (many - 1) // 2 * pairs, "bouts")

    def report(self, run: Run) -> Report:
        request = EngineMatch.from_json(run.ask)
        return engine_report(request, request.rows(run))

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        raise ValueError(f"run {run.name} is a match of Kriegspiel engines: see fogspiel kriegspiel export {run.name}")


KIND = KriegspielKind()
KINDS = (KIND,)


def match_of(run: Run) -> EngineMatch:
    """The match that a run is, or a ValueError."""
    if not KIND.made(run.ask["method"]):
        raise ValueError(f"run {run.name} is no match of Kriegspiel engines: its method is {run.ask['method']}")
    return EngineMatch.from_json(run.ask)


@dataclass(frozen=True)
class StoredGame:
    """One game of a run: who played it by which rules, and everything that was tried."""

    names: tuple[str, str]  # white's first
    switches: HouseRules
    record: list[int]


def stored_game(run: Run, number: int) -> StoredGame:
    """A game of a run by its number, in the order of `kriegspiel export`."""
    request = match_of(run)
    games = [(row, game) for rows in request.rows(run) for row in rows for game in row["games"]]
    if not 1 <= number <= len(games):
        raise ValueError(f"run {run.name} has games 1 to {len(games)}, not {number}")
    row, game = games[number - 1]
    first, second = row["first"], row["second"]
    return StoredGame((second, first) if game["white"] else (first, second), request.switches, game["record"])


def games_as_pgn(run: Run, viewer: str) -> Iterator[str]:
    """Every game of a run, with the engines, the number of its pair and the seed in its tags."""
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
