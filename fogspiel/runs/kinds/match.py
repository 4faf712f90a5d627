"""Matches of two agents: what was asked and what was counted, so that a match goes on where it stopped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ...core.agents import Agent
from ...core.find import command_spec
from ...core.game import Game, known_game
from ...core.simulate import SEATS
from ...stats.evaluate import MatchResult, evaluate, report_key
from ..agent_texts import engines_of
from ..checks import check_option, check_seed
from ..formatting import with_interval
from ..kind import Interruption, Kind, Outputs
from ..report import Cell
from ..request import NUMBERS, StoredAgent, asks, game_of_run, versions
from ..store import Json, Run
from ..trail import Curve, CurvePoint
from ..work import Context, Progress, Recorder

SIDES = ("first", "second")


@dataclass(frozen=True)
class Request:
    """Everything the score depends on."""

    game: str
    first: StoredAgent
    second: StoredAgent
    seed: int = 1
    games: int = 20_000
    seats: str = "swapped"

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        check_seed(self.seed)
        check_option("games", self.games)
        if self.seats not in SEATS:
            raise ValueError(f"--seats is {self.seats!r}: it must be {', '.join(SEATS[:-1])} or {SEATS[-1]}")

    @classmethod
    def of(cls, game: Game, words: Sequence[str], store: Path, seed: int, games: int, seats: str) -> Self:
        """The match of the two agents that these words stand for."""
        first, second = (StoredAgent.of(game, side, store, seed) for side in words)
        return cls(game.name, first, second, seed, games, seats)

    def agents(self, store: Path) -> tuple[Agent, Agent]:
        """The two agents; solved runs are in the store."""
        game = known_game(self.game)
        return self.first.agent(game, store, self.seed), self.second.agent(game, store, self.seed)

    def to_json(self) -> Json:
        """The first row of the run; `theta` is null where the words of a side say it all."""
        body: Json = {"game": self.game, "method": KIND.method}
        for side, agent in zip(SIDES, (self.first, self.second), strict=True):
            numbers = {f"{side}_{key}": value for key, value in agent.numbers.items()}
            body |= {side: agent.words, f"{side}_theta": None} | numbers
        return body | {"seed": self.seed, "games": self.games, "seats": self.seats} | versions(self.game)

    @classmethod
    def from_json(cls, ask: Json) -> Self:
        """The request that a first row keeps."""
        first, second = (
            StoredAgent.from_json(
                ask[side],
                {key.removeprefix(f"{side}_"): value for key, value in ask.items() if key.startswith(f"{side}_")},
            )
            for side in SIDES
        )
        return cls(ask["game"], first, second, ask["seed"], ask["games"], ask["seats"])


class ScoreTrail(Curve):
    """The score so far."""

    title, x, y = "The score so far", "games", "score"

    def step(self, body: Json) -> CurvePoint:
        self.done = body["games"]
        return CurvePoint(self.done, body["score"], *body["interval"])

    def under_way(self, partial: Json) -> CurvePoint | None:
        return self.step(partial)

    def end(self, result: Json) -> CurvePoint | None:
        return self.step(result)


class Match(Kind):
    """Play two agents against each other."""

    name = title = method = "match"
    asked = asks(first=str, second=str, seed=int, games=int, seats=str) | {
        f"{side}_{key}": shape for side in SIDES for key, shape in NUMBERS.items()
    }
    heading = "Match"
    has_report = state_is_step = True
    form = ("game", "first", "second", "games", "seed", "seats")

    def check(self, run: Run) -> Request:
        """The request, if the rules are still the same."""
        rules, version = run.ask["rules"], game_of_run(run).version
        if rules != version:
            raise ValueError(f"the match was played by version {rules} of the rules, which now are at {version}")
        return Request.from_json(run.ask)

    def find(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Play what is left of the match."""
        request = self.check(run)

        def watch(so_far: MatchResult) -> None:
            recorder.keep(so_far.as_json)
            words = with_interval(so_far.mean, so_far.interval)
            context.watch(Progress(words, so_far.games / request.games, so_far.games))

        game, counted = known_game(request.game), counted_so_far(run)
        words = (request.first.words, request.second.words)
        if request.seats == SEATS[0] and all(side.partition("@")[0] in engines_of(game) for side in words):
            from ...kriegspiel.engine import parse_engine
            from ...kriegspiel.match import EngineMatch, EngineSpec, play_engines

            seats = tuple(EngineSpec(*parse_engine(side)) for side in words)
            match = EngineMatch(seats, request.games, request.seed)  # whose games `fogspiel kriegspiel match` plays
            return play_engines(match, tuple(map(float, game.payoffs)), counted, watch).as_json()
        return evaluate(
            game,
            *request.agents(context.store),
            report_key(request.seed),
            request.games,
            request.seats,
            context.threads or 1,
            watch,
            counted,
        ).as_json()

    def headline(self, run: Run) -> str:
        return f"{run.ask['first']} - {run.ask['second']}"

    def summary(self, run: Run) -> list[str]:
        counted = run.result or counted_so_far(run)
        if counted is None:
            return []
        said = [f"{_meeting(run.ask, counted)} in {counted['games']:,} games."]
        if "wins" in counted:
            said.append(f"{counted['wins']:,} wins, {counted['draws']:,} draws, {counted['losses']:,} losses.")
        return said

    def lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
        """The score, and how it was counted."""
        ask, counted = run.ask, run.result or run.steps[-1]
        yield f"{ask['game']}: {_meeting(ask, counted)}"
        if "wins" in counted:
            yield f"{counted['wins']} wins, {counted['draws']} draws, {counted['losses']} losses"
        yield f"{counted['games']} games, seats {ask['seats']}, seed {ask['seed']}; 95 % interval, valid at any time"

    def outcome(self, run: Run, delivered: Outputs) -> Json:
        counted = run.result or run.steps[-1]
        return facts_of(run.ask) | counted | {"seats": run.ask["seats"], "exact": False, "state": "finished"}

    def interruption(self, run: Run, again: str) -> Interruption:
        if not run.steps:
            return super().interruption(run, again)
        facts = self.outcome(run, Outputs()) | {"state": "interrupted", "run": run.name, "resume": again}
        played = f"{run.steps[-1]['games']} of {run.ask['games']} games"
        lines = list(self.lines(run, Outputs()))
        return Interruption(facts, f"interrupted after {played}. Go on with: {again}", lines)

    def trail(self, ask: Json) -> Curve:
        return ScoreTrail(ask["games"], "games")

    def command(self, ask: Json) -> str:
        return f"fogspiel match {command_spec(ask['game'])} {ask.get('first')} {ask.get('second')}"

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        lines: list[Sequence[Cell]] = [("first", "second", "games", "score", "low", "high")]
        for body in (*run.steps, *([run.result] if run.result else [])):
            lines.append((run.ask["first"], run.ask["second"], body["games"], body["score"], *body["interval"]))
        return lines


def counted_so_far(run: Run) -> Json | None:
    """The figures of what was played of an unfinished match."""
    return run.partial() or (run.steps[-1] if run.steps else None)


def facts_of(ask: Json) -> Json:
    """What was asked, as `--json` repeats it."""
    return {key: ask[key] for key in ("game", "first", "second", "seed", "rules")}


def _meeting(ask: Json, counted: Json) -> str:
    score = with_interval(counted["score"], counted["interval"])
    return f"{ask['first']} against {ask['second']} scores {score}"


KIND = Match()
KINDS = (KIND,)
