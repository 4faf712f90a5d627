"""What the forms ask that is no run: how far a policy can be exploited, and what is wrong with tuned players."""

from abc import ABC, abstractmethod
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..core.find import spec_of
from ..runs.agent_texts import parse_agent
from ..runs.kinds.tune import tuned_game
from .job_queue import Question
from .opponents import demand_opponent, demand_page_run
from .requests import Seed, Text, demand_all, find_page_game
from .run_reader import RunReader

WORST = 10
"""Costly decisions that are listed."""
Memory = Annotated[float, Field(gt=0, le=16)]
Games = Annotated[int, Field(ge=1000, le=10**7)]


class QuestionRequest(BaseModel, ABC):
    """What all questions have in common."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @abstractmethod
    def question(self, reader: RunReader) -> Question:
        """The command, or InvalidRequest."""


class Exploit(QuestionRequest):
    """How good a policy is, exactly."""

    kind: Literal["exploit"]
    game: Text
    policy: Text
    second: Text | None = None
    missing: Literal["refuse", "uniform"] = "refuse"
    memory: Memory = 2.0
    seed: Seed = 1

    def question(self, reader: RunReader) -> Question:
        """Policies are named as everywhere on the page: by names, runs or numbers, never by files or programs."""
        game = find_page_game(self.game)

        def demand(text: str) -> None:
            demand_opponent(game, text)
            parse_agent(game, text, reader.path, self.seed)

        policies = {"policy": self.policy} | ({"second": self.second} if self.second else {})
        demand_all({field: lambda text=text: demand(text) for field, text in policies.items()})  # type: ignore[misc]
        words = spec_of(game.name)
        named = game.name if words is None else words.absolute
        options = ["--worst", str(WORST), "--missing", self.missing, "--memory", str(self.memory)]
        options += ("--seed", str(self.seed), "--store", str(reader.path.resolve()))
        return Question(("exploit", "--json", *options, "--", named, *policies.values()))


class Diagnose(QuestionRequest):
    """What is wrong with tuned players."""

    kind: Literal["diagnose"]
    runs: Annotated[list[Text], Field(min_length=1, max_length=8)]
    games: Games = 100_000
    report_games: Games = 20_000
    pair_games: Games = 2_000
    seed: Seed = 1

    def question(self, reader: RunReader) -> Question:
        """Runs of the store that tune a game of the package, or one that the user has brought."""
        known = {line.name for line in reader.summaries()}

        def demand() -> None:
            for name in self.runs:
                if name not in known:
                    raise ValueError(f"there is no run named {name[:60]!r} in this store")
                run = reader.run(name)
                tuned_game(run, "only tuning runs can be diagnosed")
                demand_page_run(name, run.ask)

        demand_all({"runs": demand})
        words = [found for name in self.runs if (found := spec_of(reader.run(name).ask["game"]))]
        options = ["--games", str(self.games), "--report-games", str(self.report_games), "--processes", "1"]
        options += ("--pair-games", str(self.pair_games), "--seed", str(self.seed))
        options += ("--store", str(reader.path.resolve()), *(("--game", words[0].absolute) if words else ()))
        return Question(("diagnose", "--json", *options, "--", *self.runs))


AnyQuestion = Annotated[Exploit | Diagnose, Field(discriminator="kind")]
