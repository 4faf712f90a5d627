"""Scripts, styles and pictures of the pages, and plotly's own script for pages with charts."""

from fastapi import Request
from fastapi.responses import Response

from ..site import Site


def add_to(site: Site) -> None:
    """Every file by its plain address, and by the one with the digest that pages name."""

    @site.routes.get("/static/{name}", include_in_schema=False)
    def plain(request: Request, name: str) -> Response:
        return site.static.respond(request, name)

    @site.routes.get("/static/{digest}/{name}", include_in_schema=False)
    def digested(request: Request, digest: str, name: str) -> Response:
        return site.static.respond(request, name, digest)
