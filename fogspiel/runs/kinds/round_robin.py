"""Round robins of any agents with the seats swapped, stored pair by pair.

Pairs play games of their own, below the stream that only ever measures; they depend on the two agents, the seed and
the number of games alone, so a round robin with one agent more recalls what the others have played.
"""

import hashlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Self

from ... import __version__
from ...core.agents import policy_names
from ...core.find import command_spec, load_game, spec_of
from ...core.game import Game, known_game
from ...core.rng import child
from ...stats.evaluate import evaluate, report_key
from ..checks import check_option, check_players, check_seed
from ..jobs import Job, JobRunner, Row, rows_of
from ..kind import Kind, Outputs
from ..report import Report
from ..request import NUMBERS, StoredAgent, asks, game_of_run, versions
from ..standings import Standings, charts, sentences, standings_of_pairs, tables, unit_of
from ..store import Json, Run, canonical
from ..trail import Curve
from ..work import Context, Progress, Recorder


@dataclass(frozen=True)
class Request:
    """What was asked: who plays, and how many games each two of them play."""

    game: str
    players: tuple[StoredAgent, ...]
    games: int
    seed: int

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        check_seed(self.seed)
        check_players(self.names, "a tournament", "players")
        check_option("games", self.games)

    @classmethod
    def of(cls, game: Game, words: Sequence[str], games: int, seed: int, store: Path) -> Self:
        """The round robin of the agents that these words stand for."""
        return cls(game.name, tuple(StoredAgent.of(game, name, store, seed) for name in words), games, seed)

    @property
    def names(self) -> list[str]:
        """The players' names."""
        return [player.words for player in self.players]

    @property
    def pair_games(self) -> int:
        """The games of each pair, of which there is an even number."""
        return 2 * -(-self.games // 2)

    @property
    def command(self) -> str:
        """The command that plays the round robin."""
        players = " ".join(name if " " not in name else repr(name) for name in self.names)
        return f"fogspiel tournament {command_spec(self.game)} {players} --games {self.games} --seed {self.seed}"

    def demand_portable(self) -> None:
        """Refuse players whom the workers of a cluster could not find: those that are a file or a solution here."""
        known = policy_names(known_game(self.game))
        for player in self.players:
            if "theta" not in player.numbers and player.words not in known:
                raise ValueError(
                    f"{player.words} is known on this machine only: a tournament on a cluster takes names, numbers, "
                    "parameter files and tuning runs"
                )

    def to_json(self) -> Json:
        """The first row of the run."""
        rest = {"players": [_agent_json(player) for player in self.players], "games": self.games, "seed": self.seed}
        return {"game": self.game, "method": KIND.method, **rest, **versions(self.game)}

    @classmethod
    def from_json(cls, ask: Json) -> Self:
        """The request that a first row keeps."""
        players = tuple(StoredAgent.from_json(player["name"], player) for player in ask["players"])
        return cls(ask["game"], players, ask["games"], ask["seed"])

    def standings(self, rows: Sequence[Row]) -> Standings:
        """The standings when all pairs have met."""
        return standings_of_pairs(tuple(self.names), tuple(tuple(row["observed"]) for row in rows), self.seed)


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


def jobs_of(request: Request, store: Path) -> list[Job]:
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


class RoundRobin(Kind):
    """Let agents meet each other."""

    name, title, method = "round_robin", "tournament", "tournament"
    asked = asks(players=[NUMBERS | {"name": str}], games=int, seed=int)
    has_report = writes_report = True
    form = ("game", "games", "seed")

    def check(self, run: Run) -> Request:
        """The request, if this version of the package can still play it."""
        ask, version = run.ask, game_of_run(run).version
        if not run.finished and (ask["fogspiel"], ask["rules"]) != (__version__, version):
            raise ValueError(
                f"run {run.name} was played by fogspiel {ask['fogspiel']} and version {ask['rules']} of the rules of "
                f"{ask['game']}, not {__version__} and version {version}: start it anew"
            )
        return Request.from_json(ask)

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
        return {"games": sum(sum(row["outcomes"]) for row in rows), "best": request.standings(rows).best}

    def headline(self, run: Run) -> str:
        return self.title

    def summary(self, run: Run) -> list[str]:
        return [] if run.result is None else [best_of(run.result["best"])]

    def outcome(self, run: Run, delivered: Outputs) -> Json:
        request = self.check(run)
        facts = {"run": run.name, "state": "finished", "game": request.game, "seed": request.seed}
        more = {"games_a_pair": request.pair_games, "command": request.command}
        return facts | request.standings(rows_of(run)).as_json() | more

    def trail(self, ask: Json) -> Curve:
        many = len(ask["players"])
        return Curve(many * (many - 1) // 2, "pairs")

    def report(self, run: Run) -> Report:
        request = self.check(run)
        found, game = request.standings(rows_of(run)), known_game(request.game)
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
    """Who is best, in a sentence."""
    return f"At least one half against each of the others: {', '.join(names) or 'nobody'}."


KIND = RoundRobin()
KINDS = (KIND,)
