"""The first page: what there is, and every game with a picture."""

import random
import threading
from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import HTMLResponse

from ...core.agents import find_policy, policy_names
from ...core.compile.kernel import interpreted
from ...core.game import Game, draw_view, how_to_play, known_game, list_games, parameters_of
from ...core.picture import picture_json
from ...core.session import PersonSession
from ...runs.agent_parser import engines_of
from .. import JsonObject
from ..app import Site
from ..session_json import PictureJson

# Games as pages list them: by kind, with their players and a picture.

SAMPLE_SEED = 7
SAMPLE_ACTIONS = 12  # own actions before the picture in the catalogue, if the game is that long
_samples: dict[str, PictureJson] = {}
_drawing = threading.Lock()


@dataclass(frozen=True)
class Tile:
    """Entry of one game, or of a game in several sizes, on the home page."""

    name: str
    title: str
    sizes: tuple[tuple[str, str], ...] = ()  # names of games and labels of their sizes, where there are several


def tiles_by_kind() -> dict[str, list[Tile]]:
    """Return the tiles of the home page by kind; the games of a series share one tile, after the others."""
    found: dict[str, list[Tile]] = {}
    for kind, members in games_by_kind().items():
        found[kind] = [Tile(game.name, game.title) for game in members if not game.series]
        for series in dict.fromkeys(game.series for game in members if game.series):
            sizes = tuple((game.name, game.size) for game in members if game.series == series)
            found[kind].append(Tile(sizes[0][0], series, sizes))
    return found


def game_json(game: Game) -> JsonObject:
    return {
        "name": game.name,
        "title": game.title,
        "kind": game.category,
        "rules": game.version,
        "parameters": len(parameters_of(game)),
        "players": [*policy_names(game), *engines_of(game)],
        "symmetric": game.symmetric,
        "payoffs": [str(payoff) for payoff in game.payoffs],
        "source": game.source,
        "how_to_play": list(how_to_play(game)),
    }


def games_by_kind() -> dict[str, list[Game]]:
    found: dict[str, list[Game]] = {kind: [] for kind in sorted({game.category for game in list_games().values()})}
    for game in list_games().values():
        found[game.category].append(game)
    return found


def first_picture(game: Game) -> PictureJson:
    """Draw the first player's view at its first decision, after a fixed deal."""
    with interpreted():  # a few moves do not justify compiling
        session = PersonSession(game, find_policy(game, "uniform"), 0, SAMPLE_SEED)
        while session.go_on():
            pass
        return picture_json(draw_view(game, session.seen()))


def sample_picture(name: str) -> PictureJson:
    """Draw a player's view after a few random moves, always the same; drawn once, one at a time."""
    if name not in _samples:
        with _drawing, interpreted():
            if name not in _samples:
                _samples[name] = _draw_sample(known_game(name))
    return _samples[name]


def _draw_sample(game: Game) -> PictureJson:
    draws = random.Random(SAMPLE_SEED)
    session = PersonSession(game, find_policy(game, "uniform"), 0, SAMPLE_SEED)
    view = session.seen()
    for _ in range(SAMPLE_ACTIONS):
        while session.go_on():
            pass
        if session.over:
            break
        view = session.seen()
        session.act(draws.choice(session.choices()))
    return picture_json(draw_view(game, view))


PATH, TITLE = "/", "Home"


def register(site: Site) -> None:
    @site.routes.get(PATH, include_in_schema=False)
    def home(request: Request) -> HTMLResponse:
        return site.page(request, "home.html", kinds=tiles_by_kind(), count=len(list_games()))
