"""Page about fogspiel and its documents, and the examples of the design."""

from fastapi import Request
from fastapi.responses import HTMLResponse

from ..app import Site

PATH, TITLE = "/about", "Docs"


def register(site: Site) -> None:
    @site.routes.get(PATH, include_in_schema=False)
    def about(request: Request) -> HTMLResponse:
        return site.page(request, "about.html")

    @site.routes.get("/design", include_in_schema=False)
    def design(request: Request) -> HTMLResponse:
        return site.page(request, "design.html")
