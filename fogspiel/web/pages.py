"""Pages: templates filled in on the server, with scripts and one style sheet of our own."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse
from starlette.templating import Jinja2Templates

from .. import __version__
from ..core.game import find_game
from .catalogue import by_kind
from .play import Key, Table, finished, found
from .session_json import seat_of

HERE = Path(__file__).parent
STATIC = HERE / "static"
PLACES = (("/", "Home"), ("/play", "Play"), ("/runs", "Runs"), ("/results", "Results"), ("/strategies", "Strategies"))
"""What the header links to."""

_templates = Jinja2Templates(HERE / "templates")
_templates.env.globals |= {"places": PLACES, "version": __version__}
_templates.env.trim_blocks = _templates.env.lstrip_blocks = True


def page(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A page from a template of the folder."""
    under = [path for path, _ in PLACES[1:] if (request.url.path + "/").startswith(path + "/")]
    here = under[0] if under else request.url.path
    return _templates.TemplateResponse(request, template, {"here": here} | context, status_code=status)


def refusal(request: Request, status: int, sentence: str) -> HTMLResponse:
    """A page that says in one sentence why there is nothing to see."""
    heading = "There is no such page" if status == 404 else "That does not work"
    return page(request, "refused.html", status, heading=heading, sentence=sentence)


def routes(table: Table) -> APIRouter:
    """The first page and the pages to play at."""
    router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    @router.get("/")
    def home(request: Request) -> HTMLResponse:
        return page(request, "home.html", kinds=by_kind())

    @router.get("/play")
    def new(request: Request, game: str = "kriegspiel", against: str = "", side: str = "0") -> HTMLResponse:
        chosen = find_game(game)
        wished = {"game": chosen.name, "against": against[:16_000], "side": "1" if side == "1" else "0"}
        return page(request, "new.html", kinds=by_kind(), wished=wished)

    @router.get("/play/{key}")
    async def play(request: Request, key: Key) -> HTMLResponse:
        kept = table.parlour.live(key)
        if kept is None:
            kept = await run_in_threadpool(found, table, key)
        game, seat = kept.sitting.game, seat_of(kept.sitting.game, kept.sitting.side)
        return page(request, "play.html", key=kept.key, game=game, against=kept.against, seat=seat)

    @router.get("/play/{key}/replay")
    def replay(request: Request, key: Key) -> HTMLResponse:
        kept = finished(table, key)
        game, side = kept.sitting.game, kept.sitting.side
        whose = ["You" if seat == side else kept.against for seat in (0, 1)]
        seats = [", ".join(filter(None, (who, seat_of(game, seat)))) for seat, who in enumerate(whose)]
        return page(request, "replay.html", key=kept.key, game=game, against=kept.against, seats=seats)

    return router
