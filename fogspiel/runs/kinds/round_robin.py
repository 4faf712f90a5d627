"""Round robins of fixed players, stored job by job.

Each pair of agents has a separate stream of report games, which depends only on the two agents, the seed and the
number of games. A round robin with one more agent therefore reuses the stored games of the others.
"""

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import closing
from math import inf
from pathlib import Path

from ...core.find import absolute_spec
from ...core.game import known_game
from ...core.rng import child
from ...stats.evaluate import evaluate, report_key
from ..kind import Context, Job, JobRunner, Kind, Outputs, Progress, Recorder, Row, finished_facts, game_of_job
from ..report import Curve, Report
from ..request import StoredAgent
from ..requests import RoundRobinRequest
from ..standings import Meetings, best_sentence, charts, sentences, tables, unit_of
from ..store import Json, Run, canonical, default_path


class MeetingsKind(Kind, ABC):
    """Base of round robins; a slice adds a kind for its players by overriding `meetings`."""

    has_report = True

    @abstractmethod
    def meetings(self, run: Run, store: Path) -> Meetings:
        """Return the players and their jobs; raise ValueError if this version cannot resume the run."""

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        played = self.meetings(run, context.store)
        runner = JobRunner(run, recorder, context, played.patience)
        jobs = [played.jobs(meeting) for meeting in played.meetings]
        found: list[list[Row]] = [[] for _ in jobs]
        done, total, stored = 0, sum(map(len, jobs)), len(run.steps)
        end, late = inf if played.seconds is None else time.monotonic() + played.seconds - run.seconds_worked, False
        for round_, asked in enumerate(played.batches(jobs, found)):
            with closing(runner.rows([job for _, job in asked])) as rows:
                for place, _ in asked:
                    if late := round_ > 0 and done >= stored and time.monotonic() >= end:
                        break
                    row = next(rows)
                    found[place].append(row)
                    done += 1
                    games, of = played.job_games * done, played.job_games * total
                    words = f"{games} of {of} games: {row['first']} - {row['second']}{played.tally(found[place])}"
                    context.on_progress(Progress(words, done / total, games))
                    if played.stop and not played.rounds and played.proved_winner(found[place]):
                        break
            if late:
                break
        return played.outcome(found) | ({"out_of_time": True} if late else {})

    def summary(self, run: Run) -> list[str]:
        return [] if run.result is None else [best_sentence(run.result["best"])]

    def curve(self, ask: Json) -> Curve:
        many = len(ask["players"])
        return Curve(many * (many - 1) // 2, "pairs")

    def standings_json(self, run: Run) -> Json:
        played = self.meetings(run, default_path())
        return played.standings(played.rows(run)).to_json()


class AgentMeetings(Meetings):
    """Pairings of a game's agents; one job plays all games of a pair."""

    def __init__(self, request: RoundRobinRequest, store: Path) -> None:
        self.request, self.store, self.seed, self.job_games = request, store, request.seed, request.pair_games

    @property
    def names(self) -> list[str]:
        return self.request.names

    def jobs(self, meeting: tuple[int, int]) -> list[Job]:
        request = self.request
        one, other = (request.players[place] for place in meeting)
        pair = canonical({"pair": [{"name": player.spec, **player.numbers} for player in (one, other)]})
        asked = {
            "game": request.game,
            "rules": known_game(request.game).version,
            "first": one.spec,
            "second": other.spec,
            "digest": hashlib.blake2b(pair.encode(), digest_size=7).hexdigest(),
            "seed": request.seed,
            "games": request.games,
        }
        given = {"players": (one, other), "store": self.store, "source": absolute_spec(request.game)}
        return [Job("met", play_pair, asked, given)]

    def observed(self, rows: Sequence[Row]) -> tuple[int, ...]:
        (row,) = rows
        return tuple(row["observed"])


def play_pair(
    game: str, rules: int | str, first: str, second: str, digest: str, seed: int, games: int,
    players: tuple[StoredAgent, StoredAgent], store: Path, source: str | None = None,
) -> Row:  # fmt: skip
    """Play the games of one pair; `source` lets a worker load user-supplied rules."""
    chosen, key = game_of_job(game, rules, source), int(child(report_key(seed), int(digest, 16)))
    one, other = (player.agent(chosen, store, seed) for player in players)
    score = evaluate(chosen, one, other, key, games)
    return {"outcomes": list(score.outcomes), "observed": list(score.observed)}


class RoundRobinKind(MeetingsKind):
    name, title, method = "round_robin", "tournament", "tournament"
    writes_report = True
    request = RoundRobinRequest

    def check(self, run: Run) -> RoundRobinRequest:
        self.demand_versions(run)
        return RoundRobinRequest.from_json(run.request)

    def meetings(self, run: Run, store: Path) -> AgentMeetings:
        return AgentMeetings(self.check(run), store)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        if context.cluster is not None:
            self.check(run).demand_portable()
        return super().compute(run, recorder, context)

    def headline(self, run: Run) -> str:
        return self.title

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        request = self.check(run)
        return (
            finished_facts(run)
            | self.standings_json(run)
            | {"games_a_pair": request.pair_games, "command": request.command}
        )

    def report(self, run: Run) -> Report:
        played = self.meetings(run, default_path())
        request, found = played.request, played.standings(played.rows(run))
        game = known_game(request.game)
        intro = (
            f"{len(request.players)} players of {game.title}, {found.pairs} pairs, {request.pair_games:,} fresh games "
            f"for each pair, every deal twice with the seats swapped; {unit_of(game)}."
        )
        name, title = f"tournament-{request.game}", f"Tournament: {game.title}"
        texts = [intro, *sentences(found)]
        return Report(name, title, request.command, texts, (*tables(found), *charts(found)))


KIND = RoundRobinKind()
KINDS = (KIND,)
