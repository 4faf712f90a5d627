"""The application: the API, the pages on top of it, and the guard in front of both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from .. import __version__
from ..core.page_contract import PageSite
from ..core.plugins import help_of, modules
from ..runs.store import StoreError
from .cache import AnswerCache
from .reply_timing import Slots, slot_seconds
from .requests import fault_place, fault_words
from .security import App, RequestGuard, is_for_programs
from .session_store import SessionFileError, UnknownSession
from .site import Link, Site

DESCRIPTION = "Play games with hidden information, watch runs, look at results. Nothing leaves this machine."
# What the header links to first, in this order; other pages with a title follow.
FIRST_LINKS = ("/", "/play", "/runs", "/results", "/strategies")


def application(store: Path, games: Path, slots: Slots = slot_seconds) -> FastAPI:
    """The application without its guard; runs are read from the store, games of people are kept in the other file."""
    site = Site(store, games, slots)
    add_pages(site)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        site.close()

    app = FastAPI(
        title="fogspiel", version=__version__, description=DESCRIPTION, lifespan=lifespan, docs_url=None, redoc_url=None
    )
    answer_in_sentences(app, site)
    site.add_to(app)
    return app


def add_pages(site: Site) -> None:
    """Find the pages of the package, its slices and plug-in folders, and add their routes and links."""
    context: PageSite = site
    for module in modules("web.pages"):
        if not hasattr(module, "add_to"):
            raise ValueError(f"{module.__file__} is no page: it has no function `add_to(site)` that adds its routes")
        module.add_to(context)
        if hasattr(module, "TITLE"):
            site.links.append(Link(module.PATH, module.TITLE, help_of(module)))
        if hasattr(module, "ASIDE"):
            site.asides.append(Link(module.PATH, *module.ASIDE))
        if hasattr(module, "CARD"):
            site.cards.append(module.CARD)
    order = {path: place for place, path in enumerate(FIRST_LINKS)}
    site.links.sort(key=lambda link: order.get(link.path, len(order)))


def answer_in_sentences(app: FastAPI, site: Site) -> None:
    """Report every error in one sentence: to programs as JSON, to people as a page."""

    def answer(request: Request, status: int, sentence: str, **more: Any) -> Response:
        if is_for_programs(request.url.path):
            return JSONResponse({"error": sentence} | more, status)
        return site.refusal(request, status, sentence)

    @app.exception_handler(ValueError)
    def refuse(request: Request, error: ValueError) -> Response:
        return answer(request, 404 if isinstance(error, UnknownSession) else 422, str(error))

    @app.exception_handler(SessionFileError)
    @app.exception_handler(StoreError)
    def report_damage(request: Request, error: Exception) -> Response:
        return answer(request, 409, str(error))

    @app.exception_handler(HTTPException)
    def pass_on(request: Request, error: HTTPException) -> Response:
        sentence = "there is nothing at this address" if error.detail == "Not Found" else error.detail
        return answer(request, error.status_code, sentence)

    @app.exception_handler(RequestValidationError)
    def name_fields(request: Request, error: RequestValidationError) -> Response:
        wrong = [{key: fault[key] for key in ("loc", "msg", "type")} for fault in error.errors()]
        faults = dict.fromkeys(f"{fault_place(fault)} {fault_words(fault)}" for fault in error.errors())
        return answer(request, 422, "; ".join(faults), detail=wrong)


def guard(app: FastAPI, hosts: frozenset[str], token: str | None = None) -> App:
    """The application as it is served."""
    return RequestGuard(AnswerCache(app), hosts, token)
