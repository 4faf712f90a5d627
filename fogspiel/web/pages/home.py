"""The first page: what there is, and every game with a picture."""

from fastapi import Request
from fastapi.responses import HTMLResponse

from ...core.game import list_games
from ..catalogue import tiles_by_kind
from ..site import Site

PATH, TITLE = "/", "Home"


def add_to(site: Site) -> None:
    """The first page."""

    @site.routes.get(PATH, include_in_schema=False)
    def home(request: Request) -> HTMLResponse:
        return site.page(request, "home.html", kinds=tiles_by_kind(), count=len(list_games()))
