"""Text forms of Kriegspiel agents."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.agents import Agent
from ..core.game import Game
from ..runs.agent_parser import AgentSource, Offer
from ..runs.programs import GAME_SECONDS, ProgramSpec, ProgramType, digest_of, limit_words
from ..runs.store import Json
from .game import GAMES

# Kriegspiel engines as agents (`fog`, `C@0.4s`), in their own matches, and as programs to tune.

if TYPE_CHECKING:
    from ..runs.requests import MatchRequest
    from ..stats.evaluate import MatchResult
    from ..tuning.programs.contest import Scale
    from ..tuning.programs.parameters import Parameters

RATINGS = Path(__file__).with_name("ratings.json")  # of the levels, in the form of those of `search`
FACTS = ("nodes", "time", "longest")


def names(game: Game) -> list[str]:
    if game.name != GAMES[0].name:
        return []
    from .engine import engines

    return list(engines())


def is_engine(game: Game, text: str) -> bool:
    """True if the text names an engine or a level; raise ValueError for a level that does not exist."""
    listed = names(game)
    if not listed:
        return False
    from .engine import find_level

    return text.partition("@")[0] in listed or find_level(text) is not None


def levels() -> list[tuple[str, str, str]]:
    """Return the text of each level, its description, and its rating by the games of a round robin."""
    from ..search import ratings
    from .engine import LEVELS

    rated = [f"{one.elo:+.0f} [{one.low:+.0f}, {one.high:+.0f}]" for one in ratings(GAMES[0].family, RATINGS)]
    told = zip(LEVELS, rated, strict=True)
    return [(f"fog:level={number}", level.about, elo) for number, (level, elo) in enumerate(told, 1)]


def offers(game: Game) -> tuple[Offer, ...]:
    """Offer the levels to people, the strongest first."""
    if not names(game):
        return ()
    strengths = (3, 3, 2, 2, 2, 1, 1, 0)  # from 0, the best, as the four strengths of a page
    return tuple(
        Offer(words, f"fog, level {words[-1]}", f"{about}; Elo {elo} above random", strength)
        for (words, about, elo), strength in reversed([*zip(levels(), strengths, strict=True)])
    )


def find(game: Game, text: str, store: Path, seed: int) -> Agent | None:
    """Return the engine that the text names, with the search limit behind its name."""
    if not is_engine(game, text):
        return None
    from .engine import engine_agent, parse_engine

    return engine_agent(*parse_engine(text))


def on_page(game: Game, text: str) -> bool:
    """True if the text is an engine with a plain search limit; raise ValueError with the syntax if it is malformed."""
    _, mark, effort = text.partition("@")
    if not is_engine(game, text):
        return False
    from .engine import EFFORT, parse_engine

    parse_engine(text)
    return not mark or EFFORT.fullmatch(effort) is not None


def match(
    game: Game, request: "MatchRequest", counted: Json | None, watch: "Callable[[MatchResult], None]"
) -> "MatchResult":
    """Play the games of `fogspiel kriegspiel match`, continuing after those already counted."""
    from .engine import parse_engine
    from .match import EngineMatch, EngineSpec, play_engines

    seats = tuple(EngineSpec(*parse_engine(side.spec)) for side in (request.first, request.second))
    engines = EngineMatch(seats, request.games, request.seed)
    return play_engines(engines, tuple(map(float, game.payoffs)), counted, watch)


def find_program(words: str, scale: "Scale", facts: Mapping[str, Any], more: Sequence[str]) -> ProgramSpec:
    from . import training

    constants(words)  # raises for an engine without constants
    if facts.get("movetime") is not None:  # as the user sets it, in milliseconds
        facts = {**facts, "time": facts["movetime"] / 1000}

    def check(parameters: "Parameters") -> None:
        training.demand_constants(words, {member.name: member.to_json() for member in parameters.members})

    return ProgramSpec(
        GAMES[0].name,
        words,
        digest_of([words]),
        (sys.executable, "-m", training.__name__, f"--engine={words}", *limit_words(facts, FACTS)),
        {key: facts[key] for key in FACTS if facts.get(key) is not None},
        fixed=True,
        seconds=GAME_SECONDS,
        check=check,
    )


def constants(engine: str) -> dict[str, dict[str, Any]]:
    from .training import parameters_of_engine

    return parameters_of_engine(engine)


def parameter_file(engine: str) -> str:
    from .training import parameter_text

    return parameter_text(engine)


SOURCES = (AgentSource("engines", find, names, on_page, match, offers=offers),)
PROGRAMS = {
    GAMES[0].name: ProgramType(
        find_program, "Kriegspiel engine", "ENGINE", constants, parameter_file, limits=("nodes", "movetime")
    )
}
