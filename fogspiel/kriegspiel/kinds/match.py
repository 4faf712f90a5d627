"""Matches and round robins of Kriegspiel engines, stored pair of games by pair of games."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from ...games.chess.san import RESULTS
from ...runs.curve import Curve, CurvePoint
from ...runs.execute import Context, Progress, Recorder
from ...runs.formatting import with_interval
from ...runs.jobs import JobRunner, Row
from ...runs.kind import Kind, Outputs
from ...runs.kinds.round_robin import best_of
from ...runs.report import Cell, Report, Table
from ...runs.request import asks
from ...runs.store import Json, Run, StoreError
from ...stats.race import interval, mean
from ..engine import asks_program
from ..game.rule_sets import ICC, RULE_SETS
from ..match import GAME, METHOD, EngineMatch, elo_of_pairs, proved_winner
from ..match_report import engine_report, match_lines, round_robin_lines, tally
from ..pgn import write_pgn
from ..referee import HouseRules
from ..requests import EngineRequest


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
