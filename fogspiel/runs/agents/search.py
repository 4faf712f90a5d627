"""Text forms of the agent `search`, which plays any game by its rules: `search`, `search:nodes=5000`, `search:level=3`.

Options stand behind a colon, with commas between them: `nodes=N` (positions for each decision), `time=SECONDS` (CPU
time instead), `level=1` to `8`, `opponent=NAME|RUN` (the strategy that it expects), `rollout=NAME|RUN` (of playouts).
"""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.agents import ParametricPolicy
from ...core.game import Game
from ...core.untrusted_input import shorten
from ..agent_parser import AgentSource, Offer, engines_of, parse_agent, sources

if TYPE_CHECKING:
    from ...core.agents import Agent
    from ...search import Effort

NAME = "search"
OPTIONS = ("nodes", "time", "level", "opponent", "rollout")
MAX_NODES, MAX_SECONDS = 10**9, 3600.0
PAGE_NODES, PAGE_SECONDS = 5_000_000, 10.0  # of a page, which others use at the same time
HELP = "write search, search:nodes=5000, search:time=0.1, search:level=1 to 8, with opponent=NAME or rollout=NAME"


def options_of(text: str) -> dict[str, str] | None:
    """Return the options of a text by name; None for another agent, ValueError for options that do not exist."""
    name, mark, words = text.partition(":")
    if name != NAME or text.rpartition(":")[0].endswith(".py"):
        return None
    parts: list[str] = []
    for piece in words.split(",") if mark else ():
        if piece.partition("=")[0] in OPTIONS or not parts:
            parts.append(piece)
        else:  # a vector of numbers has commas, too
            parts[-1] += f",{piece}"
    found: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if key not in OPTIONS or not equals or not value or key in found:
            raise ValueError(f"{shorten(text)} has the option {shorten(part)}: {HELP}")
        found[key] = value
    if len(found.keys() & {"nodes", "time", "level"}) > 1:
        raise ValueError(f"{shorten(text)} limits the search twice: give nodes, time or level")
    return found


def effort_of(options: dict[str, str]) -> "Effort":
    from ...search import DEFAULT, LEVELS, Effort

    if "level" in options:
        level = _number("level", options["level"], len(LEVELS), whole=True)
        return LEVELS[int(level) - 1].effort
    if "nodes" in options:
        return Effort(nodes=int(_number("nodes", options["nodes"], MAX_NODES, whole=True)))
    if "time" in options:
        return Effort(seconds=_number("time", options["time"], MAX_SECONDS))
    return DEFAULT


def _number(name: str, text: str, most: float, whole: bool = False) -> float:
    try:
        number = float(int(text)) if whole else float(text)
    except (ValueError, OverflowError):
        number = 0.0
    if not isfinite(number) or not 0 < number <= most:
        kind = "a whole number" if whole else "a number of seconds"
        raise ValueError(f"the {name} of search is {shorten(text)}: it must be {kind} above 0, at most {most:g}")
    return number


def find(game: Game, text: str, store: Path, seed: int) -> "Agent | None":
    options = options_of(text)
    if options is None:
        return None
    from ...belief import known_opponent
    from ...search import search_agent

    effort, known = effort_of(options), None
    roll: ParametricPolicy | None = None
    if "opponent" in options:
        known = known_opponent(parse_agent(game, options["opponent"], store, seed))
        if known is None:
            raise ValueError(
                f"the probabilities of {shorten(options['opponent'])} are not known: name a strategy, a solution or "
                "a table as the opponent, or leave it out"
            )
    if "rollout" in options:
        named = parse_agent(game, options["rollout"], store, seed)
        roll = named if isinstance(named, ParametricPolicy) and len(named.thetas) == 1 else None
        if roll is None:
            raise ValueError(f"{shorten(options['rollout'])} cannot play out games: name one strategy or one vector")
    return search_agent(text, game, effort, known, roll)


def names(game: Game) -> tuple[str, ...]:
    """Name the search where no engine is made for the game."""
    return () if engines_of(game) else (NAME,)


def on_page(game: Game, text: str) -> bool:
    """True if a page may name this search: within its limits, with opponents that it may name, too."""
    options = options_of(text)
    if options is None or not names(game):
        return False
    effort = effort_of(options)
    if (effort.nodes or 0) > PAGE_NODES or (effort.seconds or 0.0) > PAGE_SECONDS:
        raise ValueError(f"a page searches {PAGE_SECONDS:g} seconds or {PAGE_NODES} nodes for each move, not more")
    named = [options[key] for key in ("opponent", "rollout") if key in options]
    return all(any(source.on_page(game, name) for source in sources() if source.name != NAME) for name in named)


def offers(game: Game) -> tuple[Offer, ...]:
    """Offer the levels of the search to people, the strongest first, with their ratings where they have any."""
    from ...search import LEVELS, ratings

    if not names(game):
        return ()
    found = []
    measured = ratings(game.family) or (None,) * len(LEVELS)
    for number, (level, one) in enumerate(zip(LEVELS, measured, strict=True), 1):
        elo = f"; Elo {one.elo:+.0f} [{one.low:+.0f}, {one.high:+.0f}] above uniform at {one.game}" if one else ""
        rating = None if one is None else round(one.elo)
        about = level.about + elo
        found.append(Offer(f"{NAME}:level={number}", f"search, level {number}", about, level.strength, rating))
    return tuple(reversed(found))


SOURCES = (AgentSource(NAME, find, names, on_page, offers=offers, general=True),)
