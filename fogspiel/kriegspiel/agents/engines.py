"""Engines of Kriegspiel as agents: `fog`, `C@0.4s`."""

from pathlib import Path

from ...core.agents import Agent
from ...core.game import Game
from ...runs.agent_parser import AgentSource
from ..game.look import GAMES


def names(game: Game) -> list[str]:
    """Return the names of the engines that play this game."""
    if game.name != GAMES[0].name:
        return []
    from ..engine import engines

    return list(engines())


def find(game: Game, text: str, store: Path, seed: int) -> Agent | None:
    """Return the engine of a text, with the effort behind its name."""
    if text.partition("@")[0] not in names(game):
        return None
    from ..engine import engine_agent, parse_engine

    return engine_agent(*parse_engine(text))


def on_page(game: Game, text: str) -> bool:
    """True if the text is an engine with a plain effort; a ValueError says how an effort is written."""
    engine, mark, effort = text.partition("@")
    if engine not in names(game):
        return False
    from ..engine import EFFORT, parse_engine

    parse_engine(text)
    return not mark or EFFORT.fullmatch(effort) is not None


SOURCES = (AgentSource("engines", find, names, on_page),)
