"""The first page: what there is, and every game with a picture."""

import random
import threading
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, Field

from ...core.agents import find_policy, policy_names
from ...core.compile.kernel import interpreted
from ...core.game import Game, draw_view, how_to_play, known_game, list_games, parameters_of
from ...core.page_contract import play_support
from ...core.picture import picture_json
from ...core.session import PersonSession
from ...runs.agent_parser import engines_of
from ...runs.kinds.solve import KIND as SOLVE
from ...runs.requests import SolveRequest
from ...runs.store import Summary
from ...solving.bounds.any_game import powers_words
from ...solving.known_values import KnownValue, short
from ...solving.sources import estimate_histories
from .. import JsonObject
from ..app import Site
from ..opponents import LEVELS, levels_of_play, opponents, ratings_of
from ..requests import row_of
from ..session_json import PictureJson, Standing, scene_of, standing
from ..session_runner import PreparationStatus, prepare
from .runs import RunState
from .values import PROVED, card_of, gallery, variants_of

PATH, TITLE = "/", "Play"

# Games as pages list them: by kind, with their players and a picture.

TILES = ("felt", "sea", "room")  # scenes whose first games have a large picture
SAMPLE_SEED = 7
SAMPLE_ACTIONS = 12  # own actions before the picture in the catalogue, if the game is that long
_samples: dict[str, PictureJson] = {}
_drawing = threading.Lock()


# Families of the home page, by the scene on which they are drawn; without a title here it is that of the first game.
SCENES = {
    "chess": "", "tiles": "Phantom boards, rows", "hex": "Dark hex", "go": "Ponnuki", "sea": "",
    "felt": "Poker and hands", "dice": "Dice and heaps", "cards": "Cards", "faces": "Guess Who", "room": "",
}  # fmt: skip
TOGETHER = {"frame": "tiles"}


@dataclass(frozen=True)
class Family:
    """Games that share a scene, the usual ones first."""

    title: str
    scene: str
    games: tuple[tuple[str, str], ...]  # names and titles


def families() -> list[Family]:
    """Return the families of the home page, in the order of their scenes."""
    members: dict[str, list[Game]] = {}
    for game in list_games().values():
        members.setdefault(TOGETHER.get(scene_of(game), scene_of(game)), []).append(game)
    order = [*SCENES, *(scene for scene in members if scene not in SCENES)]
    found = []
    for scene in order:
        games = members.get(scene, [])
        titles = tuple((game.name, game.size or game.title) for game in games)
        if games:
            title = SCENES.get(scene) or games[0].series or games[0].title.partition(" (")[0]
            found.append(Family(title, scene, titles))
    return found


VALUES = 3  # values on the home page


def game_json(game: Game) -> JsonObject:
    return {
        "scene": scene_of(game),
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


def picture_after(game: Game, actions: int) -> PictureJson:
    """Draw the first player's view at its last decision of these, after a fixed deal and random moves."""
    draws = random.Random(SAMPLE_SEED)
    with interpreted():  # a few moves do not justify compiling
        session = PersonSession(game, find_policy(game, "uniform"), 0, SAMPLE_SEED)
        view = session.seen()
        for _ in range(actions):
            while session.go_on():
                pass
            if session.over:
                break
            view = session.seen()
            session.act(draws.choice(session.choices()))
        return picture_json(draw_view(game, view))


def sample_picture(name: str) -> PictureJson:
    """Draw a player's view after a few random moves, always the same; drawn once, one at a time."""
    if name not in _samples:
        with _drawing:
            if name not in _samples:
                _samples[name] = picture_after(known_game(name), SAMPLE_ACTIONS)
    return _samples[name]


MAX_MARKS = 4000  # characters of a list of results
# Limit on trees that two cores solve within minutes: 1.2 million histories took 25 CPU seconds, 970 thousand
# took 10.
MAX_HISTORIES = 5_000_000
MEMORY = 2.0  # memory limit of such a solution, in GiB
AT_WORK = ("queued", "starting", "running")


def value_json(known: KnownValue) -> JsonObject:
    """Return the known value of a game, abbreviated for a page and in full."""
    bounds = [known.lower, known.upper]
    return {
        "value": None if known.value is None else short(known.value),
        "lower": short(known.lower),
        "upper": short(known.upper),
        "full": [str(bound) for bound in bounds],
        "payoffs": known.payoffs,
        "published": known.published,
        "ours": known.ours,
        "certificate": known.shipped is not None,
    }


class Against(BaseModel):
    """Opponent of a game that is to begin."""

    against: Annotated[str, Field(max_length=16_000)] = "uniform"


class SolveStatus(BaseModel):
    """Status of the solution of a game."""

    game: str
    solved: bool = False
    """True if it is among the opponents."""
    offered: bool = False
    """True if it can be requested now."""
    run: str | None = None
    """Run that computes it."""
    words: str = ""


def solving_of(game: Game, site: Site) -> SolveStatus:
    if opponents(game, site.store)[0]["level"] == LEVELS[0]:
        return SolveStatus(game=game.name, solved=True)
    runs = (run for run in site.reader.summaries() if run.game == game.name and run.method == SOLVE.method)
    run = next(runs, None)  # the latest
    if run is not None:
        run = replace(run, state=site.processes.state(run.name, run.state))
    if run is not None and run.state in AT_WORK:
        return SolveStatus(game=game.name, run=run.name, words=_progress_words(run, site))
    most, key = MAX_HISTORIES, ("histories", game.name, game.version)
    histories = site.jobs.compute(key, lambda: estimate_histories(game, most))
    if histories is None:
        words = f"Its tree has more than {most:,} histories: that is too many to be solved here within minutes."
        return SolveStatus(game=game.name, words=words)
    words = f"Its tree has about {float(f'{histories:.2g}'):,.0f} histories: it can be solved here within minutes."
    if run is not None and (trouble := site.processes.trouble(run.name, run.state)):
        words = f"Run {run.name} could not go on: {trouble}."
    return SolveStatus(game=game.name, offered=True, run=run.name if run else None, words=words)


def _progress_words(run: Summary, site: Site) -> str:
    """Describe the progress of a run: the CPU time and, where known, the solver's stage and bounds."""
    if run.state == "queued":
        return f"Run {run.name} waits for one of those at work to end."
    spent = f" for {run.seconds:.0f} CPU seconds" if run.seconds and run.seconds >= 1 else ""
    points, now = (followed := site.reader.follow(run.name)).points, followed.now
    last = now or next(iter(points.part(len(points) - 1, len(points)) if len(points) else []), None)
    if last is None:
        return f"Run {run.name} is at work{spent}."
    far = f": {last.text}" if last.text else ""
    if last.low is not None and last.high is not None:
        far += f"; the value lies between {last.low:.6g} and {last.high:.6g}, a gap of {last.high - last.low:.2g}"
    return f"Run {run.name} is at work{spent}{far}."


def register(site: Site) -> None:
    router = APIRouter(prefix="/api/games", tags=["games"])

    @router.get("")
    def catalogue() -> JsonObject:
        """List every game."""
        return {"games": [game_json(game) for game in list_games().values()]}

    @router.get("/{name}")
    def one_game(name: str) -> JsonObject:
        """Return one game, with its rules as text."""
        return game_json(known_game(name))

    @router.get("/{name}/opponents")
    def list_opponents(name: str) -> JsonObject:
        """List the opponents in this game, the strongest first."""
        return {"game": name, "opponents": opponents(known_game(name), site.store)}

    @router.get("/{name}/picture")
    def picture(name: str, first: bool = False) -> JSONResponse:
        """Return a picture of a player's view after a few random moves, or at the first decision."""
        game = known_game(name)
        parts = picture_after(game, 1) if first else sample_picture(game.name)
        return JSONResponse({"game": name, "scene": scene_of(game), "picture": parts})

    @router.get("/{name}/levels")
    def levels(name: str) -> JsonObject:
        """Return the opponent of each level of play, the weakest first, and what is known of it."""
        game = known_game(name)
        found, about = levels_of_play(game, site.store), {o["words"]: o["about"] for o in opponents(game, site.store)}
        about = {title: about.get(words, "") for title, words in found.items()}
        return {"game": name, "levels": found, "about": about, "ratings": ratings_of(game)}

    @router.post("/{name}/prepare")
    def prepare_game(name: str, asked: Against) -> PreparationStatus:
        """Compile a game for this machine, if that was never done; report whether it can begin."""
        return prepare(name, asked.against)

    @router.get("/{name}/standing")
    def running_score(
        name: str, marks: Annotated[str, Query(max_length=MAX_MARKS, pattern=r"^\d{1,3}(,\d{1,3})*$")]
    ) -> Standing:
        """Return the running score of a series of games, given as indices of the game's payoffs."""
        game, numbers = known_game(name), [int(mark) for mark in marks.split(",")]
        if max(numbers) > game.max_score:
            raise HTTPException(422, f"give the results of some games as numbers from 0 to {game.max_score}")
        return standing(game, numbers)

    @router.get("/{name}/solving")
    def solving(name: str) -> SolveStatus:
        """Report whether the game is solved, can be solved here, or is being solved."""
        return solving_of(known_game(name), site)

    @router.get("/{name}/powers")
    def powers(name: str) -> JsonObject:
        """List what the size of the game allows, as `check` and `show` do."""
        game = known_game(name)
        found = site.jobs.compute(("powers", game.name, game.version), lambda: powers_words(game))
        return {"game": name, "powers": found}

    @router.post("/{name}/solving", status_code=201)
    def solve(name: str) -> RunState:
        """Solve the game, if its tree is small; the solution then becomes an opponent."""
        game = known_game(name)
        found = solving_of(game, site)
        if found.offered:
            row = row_of(SolveRequest(game=game.name, memory=MEMORY), site.reader)
            run = site.processes.begin(row, once=True)
        elif found.run is None:
            raise ValueError(found.words or f"the solution of {game.name} is among its opponents already")
        else:
            run = found.run
        return RunState(run=run, state=site.processes.current_state(run))

    site.routes.include_router(router)

    @site.routes.get(PATH, include_in_schema=False)
    def home(request: Request) -> HTMLResponse:
        found = families()
        tiles = [known_game(family.games[0][0]) for family in found if family.scene in TILES]
        tiles.sort(key=lambda game: TILES.index(scene_of(game)))
        proved = [card for card in gallery() if card.proof == PROVED]
        return site.page(
            request,
            "home.html",
            families=found,
            count=len(list_games()),
            proved=[card for card in proved if card.telling][:VALUES],
            known=len(proved),
            tiles=tiles,
            lines={game.name: how_to_play(game)[0] for game in tiles},
        )

    @site.routes.get("/games", include_in_schema=False)
    def catalogue_page(request: Request) -> HTMLResponse:
        return site.page(request, "catalogue.html", kinds=games_by_kind(), count=len(list_games()))

    @site.routes.get("/games/{name}", include_in_schema=False)
    def game_page(request: Request, name: str) -> HTMLResponse:
        game = known_game(name)
        card, support = card_of(game), play_support(game)
        ranked = opponents(game, site.store)
        sizes = [other for other in games_by_kind()[game.category] if game.series and other.series == game.series]
        return site.page(
            request,
            "game.html",
            game=game,
            lines=how_to_play(game),
            scene=scene_of(game),
            known=value_json(card.known) if card else None,
            card=card,
            variants=[] if sizes else variants_of(game),
            levels=levels_of_play(game, site.store),
            ratings=ratings_of(game),
            seats=support.seats or ("First", "Second"),
            opponents=ranked,
            perfect=ranked[0]["level"] == LEVELS[0],
            sizes=sizes,
            pages=support.links(game),
        )
