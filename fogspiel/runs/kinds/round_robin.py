"""A round robin of any players with the seats swapped, stored pair by pair, and resumed where it was left.

Pairs play games of their own, below the stream that only ever measures; they depend on the two players, the seed and
the number of games alone, so a tournament with one player more recalls what the others have played.
"""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, cast

from ... import __version__
from ...core.agents import Frozen, PlayerAgent, Policy, freeze, thaw
from ...core.game import Game, find_game
from ...core.rng import child
from ...stats.evaluate import evaluate
from ...stats.round_robin import counts_of
from ...tune.arena import report_key
from ..agent_texts import agent_from_text
from ..jobs import Job, Row
from ..report import Report
from ..standings import Standings, charts, sentences, standings, tables, unit_of
from ..store import Run, canonical
from ..workers import run_jobs
from .tune import check_seed

METHOD = "tournament"
"""What stands for the method in the request of a tournament."""
FEWEST, MOST = 2, 100


@dataclass(frozen=True)
class Tournament:
    """What was asked: players are kept as numbers where they have them, for a file or a run may change."""

    game: str
    players: tuple[Row, ...]
    """For each its `name`, and its `theta`, or `thetas` and `weights`."""
    games: int
    seed: int

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        check_seed(self.seed)
        names = [player["name"] for player in self.players]
        if not FEWEST <= len(names) <= MOST:
            raise ValueError(f"a tournament has {FEWEST} to {MOST} players, not {len(names)}")
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name} is there {names.count(name)} times: the players must be different")
        if self.games <= 0:
            raise ValueError(f"--games is {self.games}: it must be a positive number")

    @property
    def names(self) -> list[str]:
        """The players' names."""
        return [player["name"] for player in self.players]

    def as_ask(self) -> Row:
        """The first row of the run."""
        rest = {"players": list(self.players), "games": self.games, "seed": self.seed}
        versions = {"rules": find_game(self.game).version, "fogspiel": __version__}
        return {"game": self.game, "method": METHOD, **rest, **versions}


def parse_tournament(game: Game, words: Sequence[str], games: int, seed: int, store: Path) -> Tournament:
    """The tournament of the players that these words stand for."""
    players = tuple({"name": name, **freeze(game, agent_from_text(game, name, store, seed))} for name in words)
    return Tournament(game.name, players, games, seed)


def request_of(run: Run) -> Tournament:
    """The tournament that a stored run plays, if this version of the package can still play it."""
    ask, version = run.ask, find_game(run.ask["game"]).version
    if (ask["fogspiel"], ask["rules"]) != (__version__, version):
        raise ValueError(
            f"run {run.name} was played by fogspiel {ask['fogspiel']} and version {ask['rules']} of the rules of "
            f"{ask['game']}, not {__version__} and version {version}: start it anew"
        )
    return Tournament(ask["game"], tuple(ask["players"]), ask["games"], ask["seed"])


# Playing


def met(
    game: str, rules: int, first: str, second: str, digest: str, seed: int, games: int, players: list[Row], store: str
) -> Row:
    """The games of one pair."""
    chosen, key = find_game(game), int(child(report_key(seed), int(digest, 16)))

    def player(kept: Row) -> Policy | PlayerAgent:
        return thaw(chosen, cast(Frozen, kept), kept["name"]) or agent_from_text(
            chosen, kept["name"], Path(store), seed
        )

    score = evaluate(chosen, player(players[0]), player(players[1]), key, games)
    return {"outcomes": list(score.outcomes), "observed": list(score.observed)}


def jobs(request: Tournament, store: Path) -> list[Job]:
    """A job for every pair."""
    version = find_game(request.game).version
    return [
        Job(
            met,
            {
                "game": request.game,
                "rules": version,
                "first": one["name"],
                "second": other["name"],
                "digest": hashlib.blake2b(canonical({"pair": [one, other]}).encode(), digest_size=7).hexdigest(),
                "seed": request.seed,
                "games": request.games,
            },
            {"players": [one, other], "store": str(store)},
        )
        for one, other in combinations(request.players, 2)
    ]


def carry_on(
    run: Run,
    store: Path,
    processes: int,
    known: dict[str, Row],
    watch: Callable[[int, int, Row], None] = lambda done, total, row: None,
) -> Standings:
    """Play on until every pair has met, each stored as a step; returns the standings."""
    request = request_of(run)
    meetings, rows = jobs(request, store), []
    known = known | {body["key"]: body["row"] for body in run.steps}
    with closing(run_jobs([job for job in meetings if job.key not in known], processes)) as fresh:
        for job in meetings:
            rows.append(known[job.key] if job.key in known else next(fresh))
            if len(rows) > len(run.steps):
                run.append("step", {"key": job.key, "row": rows[-1]})
            watch(len(rows), len(meetings), rows[-1])
    found = standing_of(request, rows)
    if not run.finished:
        run.append("result", {"games": sum(sum(row["outcomes"]) for row in rows), "best": found.best})
    return found


def standing_of(request: Tournament, rows: Sequence[Row]) -> Standings:
    """The standings when all pairs have met."""
    pairs = combinations(range(len(request.players)), 2)
    met_so = {pair: row["observed"] for pair, row in zip(pairs, rows, strict=True)}
    return standings(request.names, counts_of(len(request.players), met_so), request.seed)


# Reporting


def report(request: Tournament, found: Standings) -> Report:
    """The tournament's report."""
    game, pairs = find_game(request.game), len(request.players) * (len(request.players) - 1) // 2
    intro = (
        f"{len(request.players)} players of {game.title}, {pairs} pairs, {2 * -(-request.games // 2):,} fresh games "
        f"for each pair, every deal twice with the seats swapped; {unit_of(game)}."
    )
    return Report(
        name=f"tournament-{request.game}",
        title=f"Tournament: {game.title}",
        command=command(request),
        paragraphs=(intro, *sentences(found)),
        parts=(*tables(found), *charts(found)),
    )


def command(request: Tournament) -> str:
    """The command that plays the tournament."""
    players = " ".join(name if " " not in name else repr(name) for name in request.names)
    return f"fogspiel tournament {request.game} {players} --games {request.games} --seed {request.seed}"


def as_json(run: str, request: Tournament, found: Standings) -> dict[str, Any]:
    """What `--json` prints, but for the files."""
    facts = {"run": run, "state": "finished", "game": request.game, "seed": request.seed}
    return facts | found.as_json() | {"games_a_pair": 2 * -(-request.games // 2), "command": command(request)}
