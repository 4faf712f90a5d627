"""Search at any game by its rules: the agent, its levels for people, and how to name an opponent that it knows."""

import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from ..belief import Known
from ..core.agents import ParametricPolicy, PlayerAgent
from ..core.game import Game
from .player import Effort, Learned, Search, SearchPlayer

DEFAULT = Effort(nodes=200_000)  # some 50 ms for each decision of a board game
RATINGS = Path(__file__).with_name("ratings.json")  # written by `benchmarks/search.py ratings`
LEARNING = 0.7  # exploration in a preparation, which is long enough to look further than a decision does


class Level(NamedTuple):
    """A strength for people: an effort, a phrase, and its place among the four strengths of a page (0 the best)."""

    effort: Effort
    about: str
    strength: int


def _level(nodes: int, particles: int, blunders: float, strength: int) -> Level:
    random = f", one move in {1 / blunders:.0f} at random" if blunders else ""
    about = f"looks at {nodes:,} positions before each move{random}"
    return Level(Effort(nodes=nodes, particles=particles, blunders=blunders), about, strength)


# Each level has about three times the positions of the one below; moves at random make the lower ones fallible.
LEVELS = (
    _level(200, 50, 1 / 2, 3),
    _level(500, 100, 1 / 3, 3),
    _level(1_500, 150, 1 / 6, 2),
    _level(5_000, 300, 1 / 15, 2),
    _level(15_000, 500, 0.0, 1),
    _level(60_000, 1_000, 0.0, 1),
    _level(250_000, 1_500, 0.0, 0),
    _level(1_000_000, 2_000, 0.0, 0),
)


class Rating(NamedTuple):
    """The Elo of a level above `uniform`, with a 95 % interval, from a round robin at one game of a family."""

    game: str
    games: int  # of each pair of levels
    elo: float
    low: float
    high: float


@cache
def ratings(family: str, file: Path = RATINGS) -> tuple[Rating, ...]:
    """Return the rating of each level at a family of games; nothing for a family without a round robin."""
    found = json.loads(file.read_text(encoding="utf-8")).get(family)
    return tuple(Rating(found["game"], found["games"], *row) for row in found["levels"]) if found else ()


def search_agent(
    name: str,
    game: Game,
    effort: Effort = DEFAULT,
    known: Known | None = None,
    roll: ParametricPolicy | None = None,
    learned: Sequence[Learned | None] = (None, None),
) -> PlayerAgent:
    """Return the agent that searches; `known` is the opponent that it expects, `roll` the strategy of playouts.

    `learned` has what preparation has found for each seat (`prepare`).
    """
    return PlayerAgent(name, partial(SearchPlayer, game, effort, known, roll, learned=learned))


def prepare(
    game: Game, effort: Effort, known: Known, seed: int, watch: Callable[[float], None] = lambda share: None
) -> tuple[Learned, Learned]:
    """Search from the start of the game against a known opponent, half of the effort for each seat."""
    nodes, seconds = effort.nodes, effort.seconds
    half = Effort(nodes and nodes // 2 + 1, seconds and seconds / 2, constant=LEARNING, trees=False)
    first = Search(game, 0, half, known, None, seed).learn(lambda share: watch(share / 2))
    return first, Search(game, 1, half, known, None, seed).learn(lambda share: watch((1 + share) / 2))


__all__ = [
    "DEFAULT", "LEVELS", "RATINGS", "Effort", "Learned", "Level", "Rating", "Search", "SearchPlayer", "prepare",
    "ratings", "search_agent",
]  # fmt: skip
