"""Competitions: a round robin of the entries of a folder at any game, stored block by block."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ...core.find import absolute_spec
from ...core.game import Game, known_game
from ...core.session import replay
from ...process.heartbeat import SilenceLimits
from ...solving.policies.exploitability import measure_policies
from ...stats.race import interval
from ..entries import (
    AGENT,
    FUNCTION,
    PROGRAM,
    TABLE,
    Entry,
    agent_entry,
    entry_of,
    play_block,
    read_folder,
    register,
)
from ..kind import Context, Job, Outputs, Recorder, Row, StoredGame, finished_facts, game_of_job
from ..report import Part, Report, Table
from ..request import StoredAgent, check_players
from ..requests import CompeteRequest
from ..standings import RISK, Meetings, charts, rating_charts, sentences, tables, unit_of
from ..store import Json, Run, canonical, default_path
from .round_robin import MeetingsKind

BLOCK = 10  # game pairs of a job, which a program plays one after the other
MEMORY = 1.0  # GiB for the tree of a game whose tables are measured
SORTS = {PROGRAM: "program", FUNCTION: "Python function", TABLE: "table", AGENT: "agent of the package"}
ENTRIES = {
    "entry": "name", "type": "type", "games": "games", "forfeits": "forfeits", "exploitability": "exploitability",
    "exact": "exact",
}  # fmt: skip
ENTRIES_NOTE = (
    "A forfeit loses the game with the lowest payoff. Exploitability is exact: half of what best responses in both "
    "seats gain against a table; it is empty where the probabilities are not known or the game is too large."
)


class EntryMeetings(Meetings):
    """Pairings of the entries of a folder; a job is a block of game pairs."""

    def __init__(self, request: CompeteRequest, store: Path) -> None:
        self.request, self.store, self.seed, self.stop = request, store, request.seed, request.stop
        self.job_games, self.seconds = min(2 * BLOCK, 2 * self.pairs), request.seconds
        self.rounds = self.stop or self.seconds is not None  # so that time runs out for all pairs alike

    @property
    def pairs(self) -> int:
        return -(-self.request.games // 2)

    @property
    def names(self) -> list[str]:
        return self.request.names

    @property
    def patience(self) -> SilenceLimits:
        usual = SilenceLimits()
        return usual._replace(going_on=usual.going_on + 3 * self.request.clock)

    def jobs(self, meeting: tuple[int, int]) -> list[Job]:
        request = self.request
        stored = [request.players[place] for place in meeting]
        entries = [entry_of(one, request.folder) for one in stored]
        asked = {
            "game": request.game, "rules": known_game(request.game).version, "first": stored[0]["name"],
            "second": stored[1]["name"], "digests": [one["digest"] for one in stored], "clock": request.clock,
            "seed": request.seed,
        }  # fmt: skip
        given = {"entries": entries, "store": self.store, "source": absolute_spec(request.game)}
        repeatable = all(entry.agent is not None for entry in entries)
        return [
            Job("block", play_entries, asked | {"number": number, "pairs": count}, given, repeatable)
            for number in range(0, self.pairs, BLOCK)
            for count in [min(BLOCK, self.pairs - number)]
        ]

    def observed(self, rows: Sequence[Row]) -> tuple[int, ...]:
        counts = [0] * (2 * known_game(self.request.game).max_score + 1)
        for row in rows:
            scores = [game["score"] for game in row["games"]]
            for one, other in zip(scores[::2], scores[1::2], strict=True):
                counts[one + other] += 1
        return tuple(counts)

    def proved_winner(self, rows: Sequence[Row]) -> int:
        """Return the winner by the interval that the report shows, one of all that hold together."""
        low, high = interval(np.array(self.observed(rows), np.int64), RISK / len(self.meetings))
        return int(low > 0.5) - int(high < 0.5)

    def outcome(self, rows: Sequence[Sequence[Row]]) -> Json:
        return super().outcome(rows) | {"ranking": [self.names[i] for i in self.standings(rows).order()]}


def play_entries(
    game: str, rules: int | str, first: str, second: str, digests: Sequence[str], clock: float, seed: int,
    number: int, pairs: int, entries: Sequence[Entry], store: Path, source: str | None = None,
) -> Row:  # fmt: skip
    """Play a block of game pairs; `source` lets a worker load user-supplied rules."""
    chosen = game_of_job(game, rules, source)
    pair = canonical({"pair": [[first, second], list(digests)]})
    stream = int(hashlib.blake2b(pair.encode(), digest_size=7).hexdigest(), 16)
    return {"games": play_block(chosen, entries, seed, stream, number, pairs, clock, store)}


def exact_losses(request: CompeteRequest, store: Path) -> dict[str, Json]:
    """Return the exact exploitability of every entry whose probabilities are known, if the game's tree fits."""
    found: dict[str, Json] = {}
    game = known_game(request.game)
    for stored in request.players:
        if stored["sort"] in (TABLE, AGENT):
            entry = entry_of(stored, request.folder)
            assert entry.agent is not None
            with suppress(ValueError):
                loss = measure_policies(
                    game, entry.agent.agent(game, store, request.seed), memory=MEMORY
                ).exploitability
                exact = str(loss) if isinstance(loss, Fraction) else None
                found[entry.name] = {"exploitability": float(loss), "exact": exact}
    return found


class CompeteKind(MeetingsKind):
    """Let the entries of a folder play each other."""

    name = method = "compete"
    title, heading = "competition", "Competition"
    writes_report = True
    request = CompeteRequest

    def check(self, run: Run) -> CompeteRequest:
        self.demand_versions(run)
        return CompeteRequest.from_json(run.request)

    def check_source(self, run: Run, source: str | None) -> None:
        """Raise rather than start programs because a stored run names their folder."""
        super().check_source(run, source)
        request = CompeteRequest.from_json(run.request)
        for stored in request.players:
            entry_of(stored, request.folder)

    def resume_command(self, run: Run, resume: str) -> str:
        _, option, store = resume.partition(" --store ")
        return self.command(run.request) + option + store

    def meetings(self, run: Run, store: Path) -> EntryMeetings:
        return EntryMeetings(self.check(run), store)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        losses = exact_losses(self.check(run), context.store)
        return super().compute(run, recorder, context) | {"exact": losses}

    def headline(self, run: Run) -> str:
        return f"competition of {len(run.request['players'])} entries at {run.request['game']}"

    def _games(self, run: Run) -> list[tuple[Row, Json]]:
        """Return the games of a run in the order of their numbers, each with the row of its block."""
        parts = self.meetings(run, default_path()).rows(run)
        return [(row, game) for part in parts for row in part for game in row["games"]]

    def _forfeits(self, run: Run) -> Counter[tuple[str, str]]:
        """Count the forfeited games by entry and reason."""
        lost = ((loser_of(row, game), game["ending"]) for row, game in self._games(run) if game["ending"])
        return Counter((name, ending.removeprefix("forfeit: ")) for name, ending in lost)

    def _out_of_time(self, run: Run) -> bool:
        return bool((run.result or {}).get("out_of_time"))

    def _entries(self, run: Run) -> list[Json]:
        """Return the figures of each entry."""
        counted = Counter(name for row, _ in self._games(run) for name in (row["first"], row["second"]))
        faults, losses = self._forfeits(run), (run.result or {}).get("exact", {})
        return [
            {"name": name, "type": SORTS[entry["sort"]], "digest": entry["digest"], "games": counted[name]}
            | {"forfeits": sum(count for (who, _), count in faults.items() if who == name)}
            | losses.get(name, {"exploitability": None, "exact": None})
            for entry in run.request["players"]
            for name in [entry["name"]]
        ]

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        request = self.check(run)
        found = {"entries": self._entries(run), "skipped": list(request.skipped), "games": len(self._games(run))}
        found |= {"out_of_time": self._out_of_time(run)}
        return finished_facts(run) | self.standings_json(run) | found | {"command": request.command}

    def report(self, run: Run) -> Report:
        request, game = self.check(run), known_game(run.request["game"])
        played = EntryMeetings(request, default_path())
        found, entries, faults = played.standings(played.rows(run)), self._entries(run), self._forfeits(run)
        listed = [tuple(entry[key] for key in ENTRIES.values()) for entry in entries]
        parts: list[Part] = [Table("entries", "Entries", tuple(ENTRIES), listed, note=ENTRIES_NOTE)]
        if faults:
            cells = [(who, reason, count) for (who, reason), count in sorted(faults.items())]
            parts.append(Table("forfeits", "Forfeits", ("entry", "reason", "games"), cells))
        if request.skipped:
            rows = [(one["file"], one["problem"]) for one in request.skipped]
            parts.append(Table("skipped", "Files that are no entries", ("file", "problem"), rows))
        games = len(self._games(run))
        intro = (
            f"{len(entries)} entries at {game.title}, {games:,} games, at most {2 * played.pairs:,} for each pair, "
            f"every game with a deal of its own; {unit_of(game)}."
        )
        if self._out_of_time(run):
            intro += f" The games ended after {request.seconds:g} seconds of work, before every pair was decided."
        parts = [*parts, *rating_charts("entry", found), *tables(found), *charts(found)]
        title = f"Competition: {game.title}"
        return Report(f"competition-{request.game}", title, request.command, [intro, *sentences(found)], parts)

    def games(self, run: Run) -> list[StoredGame]:
        found, game = [], known_game(run.request["game"])
        for row, played in self._games(run):
            names = (row["first"], row["second"])
            seated = names[::-1] if played["seat"] else names
            found.append(StoredGame(game, seated, played["record"], played["ending"] or ""))
        return found

    def replay_lines(self, run: Run, number: int) -> list[str]:
        """Return a game move by move: the full state and the action, as labels show them."""
        game, games = known_game(run.request["game"]), self._games(run)
        if not 1 <= number <= len(games):
            raise ValueError(f"run {run.name} has games 1 to {len(games)}, not {number}")
        row, played = games[number - 1]
        names = [row["first"], row["second"]]
        lines = [f"game {number}: {' - '.join(names[::-1] if played['seat'] else names)}"]
        moves = [*played["record"], None]
        for position, action in zip(replay(game, played["record"]), moves, strict=True):
            lines.append(game.reveal(position.state))
            if action is not None:
                who = "chance" if position.mover < 0 else names[position.mover ^ played["seat"]]
                lines.append(f"{who}: {action if position.mover < 0 else game.label(action)}")
        payoff = game.payoffs[game.max_score - played["score"] if played["seat"] else played["score"]]
        return [*lines, f"payoff of the first seat {payoff}: {played['ending'] or 'the end of the game'}"]


def loser_of(row: Row, game: Mapping[str, Any]) -> str:
    """Return the name of the entry that has forfeited a game: the one with the lowest score."""
    return str(row["first"] if game["score"] == 0 else row["second"])


def request_of(game: Game, asked: Json, store: Path, tell: Callable[[str], None]) -> CompeteRequest:
    """Read the folder that the user has named, whose programs this process may then run, and the agents' texts."""
    folder, seed = Path(asked["folder"]), asked["seed"]
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}: name one with the entries of the competition")
    found, skipped = read_folder(game, folder, store, seed)
    agents = [StoredAgent.of(game, text, store, seed) for text in asked["agents"] or ()]
    found += [agent_entry(agent.spec, agent) for agent in agents]
    for one in skipped:
        tell(f"{one['file']} is no entry: {one['problem']}")
    check_players([entry.name for entry in found], f"the competition of {folder}", "entries")
    register(found)
    asked = asked | {"game": game.name, "agents": tuple(agents), "skipped": tuple(skipped)}
    return CompeteRequest(**asked, players=tuple(entry.to_json() for entry in found))


KIND = CompeteKind()
KINDS = (KIND,)
