"""Round robins of any agents with the seats swapped, stored pair by pair.

Pairs play games of their own, below the stream that only ever measures; they depend on the two agents, the seed and
the number of games alone, so a round robin with one agent more recalls what the others have played.
"""

import hashlib
from collections.abc import Sequence
from contextlib import closing
from itertools import combinations
from pathlib import Path

from ... import __version__
from ...core.find import load_game, spec_of
from ...core.game import known_game
from ...core.rng import child
from ...stats.evaluate import evaluate, report_key
from ..curve import Curve
from ..execute import Context, Job, JobRunner, Progress, Recorder, Row, rows_of
from ..kind import Kind, Outputs
from ..report import Report
from ..request import NUMBERS, StoredAgent, asks, game_of_run
from ..requests import RoundRobinRequest
from ..standings import Standings, charts, sentences, standings_of_pairs, tables, unit_of
from ..store import Json, Run, canonical


def standings(request: RoundRobinRequest, rows: Sequence[Row]) -> Standings:
    """Return the standings when all pairs have met."""
    return standings_of_pairs(tuple(request.names), tuple(tuple(row["observed"]) for row in rows), request.seed)


def _agent_json(player: StoredAgent) -> Json:
    """An agent as a request and the digest of a pair have it."""
    return {"name": player.words, **player.numbers}


def play_pair(
    game: str, rules: int | str, first: str, second: str, digest: str, seed: int, games: int,
    players: tuple[StoredAgent, StoredAgent], store: Path, source: str | None = None,
) -> Row:  # fmt: skip
    """The games of one pair; a worker brings the game from the source that the user has named."""
    chosen, key = load_game(source) if source else known_game(game), int(child(report_key(seed), int(digest, 16)))
    if chosen.version != rules:
        raise ValueError(f"the rules of {game} have changed while the tournament was played: start it anew")
    one, other = (player.agent(chosen, store, seed) for player in players)
    score = evaluate(chosen, one, other, key, games)
    return {"outcomes": list(score.outcomes), "observed": list(score.observed)}


def jobs_of(request: RoundRobinRequest, store: Path) -> list[Job]:
    """A job for every pair."""
    shared = {"game": request.game, "rules": known_game(request.game).version}
    words = spec_of(request.game)
    return [
        Job(
            "met",
            play_pair,
            shared
            | {"first": one.words, "second": other.words, "digest": _digest(one, other)}
            | {"seed": request.seed, "games": request.games},
            {"players": (one, other), "store": store, "source": words.absolute if words else None},
        )
        for one, other in combinations(request.players, 2)
    ]


def _digest(one: StoredAgent, other: StoredAgent) -> str:
    pair = canonical({"pair": [_agent_json(one), _agent_json(other)]})
    return hashlib.blake2b(pair.encode(), digest_size=7).hexdigest()


class RoundRobinKind(Kind):
    """Let agents meet each other."""

    name, title, method = "round_robin", "tournament", "tournament"
    asked = asks(players=[NUMBERS | {"name": str}], games=int, seed=int)
    has_report = writes_report = True
    request = RoundRobinRequest

    def check(self, run: Run) -> RoundRobinRequest:
        """The request, if this version of the package can still play it."""
        ask, version = run.ask, game_of_run(run).version
        if not run.finished and (ask["fogspiel"], ask["rules"]) != (__version__, version):
            raise ValueError(
                f"run {run.name} was played by fogspiel {ask['fogspiel']} and version {ask['rules']} of the rules of "
                f"{ask['game']}, not {__version__} and version {version}: start it anew"
            )
        return RoundRobinRequest.from_json(ask)

    def find(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Play every pair that has not yet met."""
        request, rows = self.check(run), list[Row]()
        if context.cluster is not None:
            request.demand_portable()
        pairs = jobs_of(request, context.store)
        with closing(JobRunner(run, recorder, context).rows(pairs)) as found:
            for row in found:
                rows.append(row)
                done, total = len(rows), len(pairs)
                words = f"{done} of {total} pairs: {row['first']} - {row['second']}"
                context.watch(Progress(words, done / total, done * request.games))
        return {"games": sum(sum(row["outcomes"]) for row in rows), "best": standings(request, rows).best}

    def headline(self, run: Run) -> str:
        return self.title

    def summary(self, run: Run) -> list[str]:
        return [] if run.result is None else [best_of(run.result["best"])]

    def outcome(self, run: Run, delivered: Outputs) -> Json:
        request = self.check(run)
        facts = {"run": run.name, "state": "finished", "game": request.game, "seed": request.seed}
        more = {"games_a_pair": request.pair_games, "command": request.command}
        return facts | standings(request, rows_of(run)).as_json() | more

    def trail(self, ask: Json) -> Curve:
        many = len(ask["players"])
        return Curve(many * (many - 1) // 2, "pairs")

    def report(self, run: Run) -> Report:
        request = self.check(run)
        found, game = standings(request, rows_of(run)), known_game(request.game)
        intro = (
            f"{len(request.players)} players of {game.title}, {found.pairs} pairs, {request.pair_games:,} fresh games "
            f"for each pair, every deal twice with the seats swapped; {unit_of(game)}."
        )
        return Report(
            name=f"tournament-{request.game}",
            title=f"Tournament: {game.title}",
            command=request.command,
            paragraphs=(intro, *sentences(found)),
            parts=(*tables(found), *charts(found)),
        )


def best_of(names: Sequence[str]) -> str:
    """Name the best player in a sentence."""
    return f"At least one half against each of the others: {', '.join(names) or 'nobody'}."


KIND = RoundRobinKind()
KINDS = (KIND,)
