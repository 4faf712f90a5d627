"""Reports of games for designers: length, choices, hidden information, fairness, draws and skill, stored job by job."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ...belief import Belief, Opponent, known_opponent
from ...core.agents import Agent, find_policy
from ...core.find import absolute_spec
from ...core.game import CHANCE, UNIFORM, WIN_DRAW_LOSS, Game, known_game
from ...core.rng import child
from ...core.session import Session, record_game, replay
from ...solving.methods import Solution
from ...solving.proofs import certificate_agent
from ...solving.sources import estimate_histories
from ...stats.evaluate import MatchResult, elo_of, evaluate, report_key
from ...stats.race import interval
from ..agent_parser import parse_agent
from ..kind import Context, Job, JobRunner, Kind, Outputs, Progress, Recorder, Row, finished_facts, game_of_job
from ..report import Chart, Part, Report, Series, Table
from ..request import with_interval
from ..requests import GameReportRequest
from ..store import Json, Run
from .solve import solve_game

MOST_HISTORIES = 200_000  # of a game that is solved on the way
MEMORY = 1.0  # GiB for its tree
BLOCK = 20  # games of a job
HIDDEN_GAMES, MOST_STATES = 10, 20_000  # games whose beliefs are counted, and the states of one that are enumerated
SOLVED = "solved"
ENDINGS = 8  # last actions that are listed
STREAMS = {"mirror": 1, "ladder": 2, "hidden": 3}
STRENGTHS = ("players", "first seat", "from", "to", "draws", "mean length", "shortest", "longest", "choices")
STRENGTHS_NOTE = (
    "Both seats are played by the same players. The first seat's payoff has a 95 % interval that is valid at any time; "
    "the length counts decisions, the choices are the mean number of legal actions at a decision."
)
LADDER, HIDDEN = ("players", "below", "score", "from", "to"), ("decision", "median", "most")
LENGTHS = "Decisions in a game, strongest players"
HIDDEN_NOTE = f"Counted in {HIDDEN_GAMES} random games, up to {MOST_STATES:,} states."


# Jobs, which balancing uses too


_solved: dict[tuple[str, int | str], Solution | None] = {}  # the latest game, with the version of its rules


def solution_of(game: Game) -> Solution | None:
    """Return the solution of a small game; None if its tree is too large to be solved on the way."""
    key = game.name, game.version
    if key not in _solved:
        _solved.clear()
        _solved[key] = None
        if estimate_histories(game, MOST_HISTORIES) is not None:
            with suppress(ValueError):
                _solved[key] = solve_game(game, memory=MEMORY)
    return _solved[key]


def value_of(game: Game) -> Json:
    """Return the value of a game, exact where the solution is, and its bounds; None for a game that is too large."""
    found = solution_of(game)
    if found is None:
        return {"value": None}
    exact = Fraction(found.value) if found.exact else None
    return {"value": found.score, "exact": None if exact is None else str(exact)}


def agent_of(game: Game, text: str, store: Path, seed: int) -> Agent:
    if text != SOLVED:
        return parse_agent(game, text, store, seed)
    found = solution_of(game)
    assert found is not None and found.certificate is not None
    return certificate_agent(SOLVED, found.certificate, game)


def play_mirror(game: Game, agent: Agent, key: int, first: int, count: int) -> Json:
    """Play games of an agent against itself; count payoffs, decisions, choices and last actions."""
    outcomes, lengths, last = [0] * len(game.payoffs), list[int](), Counter[str]()
    choices = 0
    for number in range(first, first + count):
        played = record_game(game, agent, agent, key, number)
        outcomes[played.score] += 1
        decisions, label = 0, ""
        for position, action in zip(replay(game, played.record), played.record, strict=False):
            if position.mover != CHANCE:
                decisions, choices, label = decisions + 1, choices + len(position.actions), game.label(action)
        lengths.append(decisions)
        last[label] += 1
    return {"outcomes": outcomes, "lengths": lengths, "choices": choices, "last": dict(sorted(last.items()))}


def mirror_score(game: Game, rows: Sequence[Mapping[str, Any]], risk: float = 0.05) -> tuple[int, float, float, float]:
    """Return the games of mirror rows, and the first seat's mean payoff with an interval valid at any time."""
    counts = np.sum([row["outcomes"] for row in rows], axis=0)
    found = MatchResult(tuple(map(float, game.payoffs)), tuple(counts.tolist()), tuple(counts.tolist()))
    low, high = (found.payoffs[0] + (found.payoffs[-1] - found.payoffs[0]) * end for end in interval(counts, risk))
    return found.games, found.mean, low, high


def count_hidden(game: Game, key: int, number: int) -> list[int]:
    """Return the number of states in each information state of a random game, until one has more than are counted."""
    uniform, session, counts = find_policy(game, UNIFORM.name), Session(game), list[int]()
    record = record_game(game, uniform, uniform, key, number).record
    known, size = known_opponent(uniform), MOST_STATES // 16
    beliefs = [Belief(game, side, Opponent(game, side, known), size, number) for side in (0, 1)]
    for action in record:
        if session.mover >= 0:
            belief = beliefs[session.mover]
            belief.settle(session.view(session.mover))
            if belief.lost or not belief.exact:
                return [*counts, MOST_STATES]
            counts.append(len(belief.distribution))
            belief.act(action)
        session.apply(action)
        for side, belief in enumerate(beliefs):
            belief.hear(session.view(side))
    return counts


def measure_value(game: str, rules: int | str, source: str | None = None) -> Row:
    return value_of(game_of_job(game, rules, source))


def measure_mirror(
    game: str, rules: int | str, players: str, seed: int, first: int, count: int, store: Path, source: str | None = None
) -> Row:
    chosen = game_of_job(game, rules, source)
    key = int(child(report_key(seed), STREAMS["mirror"]))
    return play_mirror(chosen, agent_of(chosen, players, store, seed), key, first, count)


def measure_ladder(
    game: str, rules: int | str, first: str, second: str, seed: int, games: int, store: Path, source: str | None = None
) -> Row:
    chosen = game_of_job(game, rules, source)
    key = int(child(report_key(seed), STREAMS["ladder"]))
    one, other = (agent_of(chosen, text, store, seed) for text in (first, second))
    return evaluate(chosen, one, other, key, games).to_json()


def measure_hidden(game: str, rules: int | str, seed: int, number: int, source: str | None = None) -> Row:
    key = int(child(report_key(seed), STREAMS["hidden"]))
    return {"states": count_hidden(game_of_job(game, rules, source), key, number)}


# The kind


class GameReportKind(Kind):
    """Report what a game is like."""

    name = method = "report"
    title, heading = "report of a game", "Report"
    has_report = True
    request = GameReportRequest

    def check(self, run: Run) -> GameReportRequest:
        self.demand_versions(run)
        return GameReportRequest.from_json(run.request)

    def jobs(self, request: GameReportRequest, players: Sequence[str], store: Path) -> list[Job]:
        """Return the games of the players against themselves and against the players below."""
        game = known_game(request.game)
        shared: Json = {"game": request.game, "rules": game.version, "seed": request.seed}
        source = {"source": absolute_spec(request.game)}
        given = source | {"store": store}
        jobs = [Job("hidden", measure_hidden, shared | {"number": number}, source) for number in range(HIDDEN_GAMES)]
        for one in players:
            for first in range(0, request.games, BLOCK):
                block = {"players": one, "first": first, "count": min(BLOCK, request.games - first)}
                jobs.append(Job("mirror", measure_mirror, shared | block, given))
        for below, one in pairwise(players):
            pair = {"first": one, "second": below, "games": request.games}
            jobs.append(Job("ladder", measure_ladder, shared | pair, given))
        return jobs

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        request, runner = self.check(run), JobRunner(run, recorder, context)
        game = known_game(request.game)
        asked = {"game": request.game, "rules": game.version}
        context.on_progress(Progress("value"))
        source = {"source": absolute_spec(request.game)}
        (value,) = runner.rows([Job("value", measure_value, asked, source)])
        players = [*request.players, *([SOLVED] if value["value"] is not None else [])]
        jobs, rows = self.jobs(request, players, context.store), [value]
        with closing(runner.rows(jobs)) as found:
            for done, row in enumerate(found, 1):
                rows.append(row)
                context.on_progress(Progress(row["job"], done / len(jobs)))
        return result_of(game, players, rows)

    def headline(self, run: Run) -> str:
        return f"report of {run.request['game']}"

    def summary(self, run: Run) -> list[str]:
        return [] if run.result is None else list(paragraphs(known_game(run.request["game"]), run.result))

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        report = self.report(run)
        yield f"{run.request['game']}: {report.title}"
        yield from report.paragraphs
        yield from report.tables

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        return finished_facts(run) | (run.result or {})

    def report(self, run: Run) -> Report:
        game, found = known_game(run.request["game"]), run.result or {}
        rows = [
            (one["players"], one["score"], *one["interval"], one["draws"], *one["length"], one["choices"])
            for one in found["strengths"]
        ]
        steps = [(one["first"], one["second"], one["score"], *one["interval"]) for one in found["ladder"]]
        ends = [(one["payoff"], one["share"]) for one in found["endings"]]
        last = [(one["action"] or "chance", one["share"]) for one in found["last"]]
        hidden = [(one["decision"], one["median"], one["most"]) for one in found["hidden"]]
        scores = Series.of("first seat", [row[:4] for row in rows])
        skill = Series.of("score", [(one, *figures) for one, _, *figures in steps])
        parts: list[Part] = [
            Table("strengths", "By strength", STRENGTHS, rows, note=STRENGTHS_NOTE),
            Chart("seats", "Payoff of the first seat", "", "payoff", [scores], kind="dots"),
            Table("ladder", "Skill: each strength against the one below", LADDER, steps),
            Chart("skill", "Score against the strength below", "", "score", [skill], kind="dots"),
            Table("endings", "Payoffs of the first seat, strongest players", ("payoff", "share"), ends),
            Table("last", "Last actions, strongest players", ("action", "share"), last),
            Chart("lengths", LENGTHS, "decisions", "games", [Series.of("games", found["lengths"])], kind="bars"),
            Table("hidden", "States in an information state", HIDDEN, hidden, note=HIDDEN_NOTE),
        ]
        title = f"Report: {game.title}"
        return Report(f"report-{game.name}", title, self.command(run.request), self.summary(run), parts)


def result_of(game: Game, players: Sequence[str], rows: Sequence[Row]) -> Json:
    """Return the figures of a report from the rows of its jobs."""
    middle = len(game.payoffs) // 2 if len(game.payoffs) % 2 else None
    strengths = list[Json]()
    for one in players:
        mine = [row for row in rows if row["job"] == "mirror" and row["players"] == one]
        games, score, low, high = mirror_score(game, mine)
        lengths = [length for row in mine for length in row["lengths"]]
        draws = sum(row["outcomes"][middle] for row in mine) / games if middle is not None else 0.0
        length = [sum(lengths) / games, min(lengths), max(lengths)]
        choices = sum(row["choices"] for row in mine) / max(sum(lengths), 1)
        strengths.append(
            {"players": one, "games": games, "score": score, "interval": [low, high], "draws": draws}
            | {"length": length, "choices": choices}
        )
    last = Counter[str]()
    for row in mine:
        last.update(row["last"])
    outcomes = [sum(column) for column in zip(*(row["outcomes"] for row in mine), strict=True)]
    span = float(game.payoffs[-1] - game.payoffs[0])
    ladder = [
        {key: row[key] for key in ("first", "second", "games")}
        | {"score": (row["score"] - float(game.payoffs[0])) / span}
        | {"interval": [(end - float(game.payoffs[0])) / span for end in row["interval"]]}
        for row in rows
        if row["job"] == "ladder"
    ]
    (value,) = (row for row in rows if row["job"] == "value")
    beliefs = [row["states"] for row in rows if row["job"] == "hidden"]
    reached = [[states[at] for states in beliefs if at < len(states)] for at in range(max(map(len, beliefs)))]
    return {
        "value": value["value"], "exact": value.get("exact"), "strengths": strengths, "ladder": ladder,
        "endings": [
            {"payoff": str(payoff), "share": count / games}
            for payoff, count in zip(game.payoffs, outcomes, strict=True)
            if count
        ],
        "last": [{"action": label, "share": count / games} for label, count in last.most_common(ENDINGS)],
        "lengths": sorted(Counter(lengths).items()),
        "hidden": [
            {"decision": at, "median": median(counts), "most": max(counts)} for at, counts in enumerate(reached, 1)
        ],
    }  # fmt: skip


def paragraphs(game: Game, found: Json) -> Iterator[str]:
    """Yield the findings as sentences: fairness, length, hidden information, skill."""
    middle, best = float(game.payoffs[0] + game.payoffs[-1]) / 2, found["strengths"][-1]
    (low, high), told = best["interval"], with_interval(best["score"], best["interval"])
    if found["value"] is None:
        yield f"Too large to solve on the way, over {MOST_HISTORIES:,} histories; `fogspiel bounds` takes any game."
        better = "first" if low > middle else "second"
        fair = "no seat is shown to be better" if low <= middle <= high else f"the {better} seat is better"
        yield f"Between {best['players']} players the first seat gets {told}, and an even game has {middle:g}: {fair}."
    else:
        better = "first" if found["value"] > middle else "second"
        fair = "the game is fair" if found["value"] == middle else f"the {better} seat is better"
        exact = f"exactly {found['exact']} = " if found["exact"] else ""
        yield f"Under optimal play the first seat gets {exact}{found['value']:.6g}, even is {middle:g}: {fair}."
    least, most = best["length"][1:]
    yield (
        f"Games last {best['length'][0]:.1f} decisions on average ({least} to {most}), with {best['choices']:.1f} "
        f"legal actions each; {best['draws']:.1%} end with the middle payoff."
    )
    most_hidden = max(one["most"] for one in found["hidden"])
    if most_hidden == 1:
        yield "Nothing was hidden: each information state met had one state."
    else:
        shown = f"more than {MOST_STATES:,}" if most_hidden >= MOST_STATES else f"up to {most_hidden:,}"
        yield f"Information states met in random games have {shown} states."
    for step in found["ladder"]:
        low, high = step["interval"]
        shows = "which shows skill" if low > 0.5 else "which shows no gain"
        elo = f" ({elo_of(step['score']):+.0f} Elo)" if game.payoffs == WIN_DRAW_LOSS and 0 < step["score"] < 1 else ""
        score = f"{with_interval(step['score'], (low, high))}{elo}"
        yield f"{step['first']} scores {score} against {step['second']}, {shows}."


KIND = GameReportKind()
KINDS = (KIND,)
