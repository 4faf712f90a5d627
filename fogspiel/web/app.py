"""The application: the API, the pages on top of it, and the guard in front of both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from .. import __version__
from ..runs.sqlite_file import StoreError
from . import catalogue, charts, pages, play, resistance, results, runs, strategies
from .background import Bench
from .cache import Recent
from .pages import STATIC, refusal
from .run_reader import Shelf
from .security import App, Guard
from .session_store import SessionStore

DESCRIPTION = "Play games with hidden information, watch runs, look at results. Nothing leaves this machine."


def application(store: Path, parlour: Path) -> FastAPI:
    """The application without its guard; runs are read from the store, games are kept in the parlour."""
    table, shelf, bench = play.Table(SessionStore(parlour, store)), Shelf(store), Bench()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        table.close()
        bench.close()

    app = FastAPI(title="fogspiel", version=__version__, description=DESCRIPTION, lifespan=lifespan, docs_url=None)
    answer_in_sentences(app)

    app.include_router(catalogue.routes(store))
    app.include_router(play.routes(table))
    app.include_router(pages.routes(table))
    app.include_router(runs.routes(shelf, bench))
    app.include_router(results.routes(shelf, bench))
    app.include_router(strategies.routes(shelf, bench))
    app.include_router(resistance.routes(bench))
    app.include_router(charts.routes())
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


def answer_in_sentences(app: FastAPI) -> None:
    """Whatever cannot be done is said in one sentence: to programs as JSON, to people as a page."""

    def answer(request: Request, status: int, sentence: str, **more: Any) -> Response:
        if request.url.path.startswith(("/api/", "/static/")):
            return JSONResponse({"error": sentence} | more, status)
        return refusal(request, status, sentence)

    @app.exception_handler(ValueError)
    def refused(request: Request, error: ValueError) -> Response:
        return answer(request, 422, str(error))

    @app.exception_handler(StoreError)
    def broken(request: Request, error: StoreError) -> Response:
        return answer(request, 409, str(error))

    @app.exception_handler(HTTPException)
    def answered(request: Request, error: HTTPException) -> Response:
        sentence = "there is nothing at this address" if error.detail == "Not Found" else error.detail
        return answer(request, error.status_code, sentence)

    @app.exception_handler(RequestValidationError)
    def misunderstood(request: Request, error: RequestValidationError) -> Response:
        wrong = [{key: fault[key] for key in ("loc", "msg", "type")} for fault in error.errors()]
        faults = [f"{fault['loc'][-1]}: {fault['msg'][:1].lower()}{fault['msg'][1:]}" for fault in wrong]
        return answer(request, 422, "; ".join(faults), detail=wrong)


def guard(app: FastAPI, hosts: frozenset[str], token: str | None = None) -> App:
    """The application as it is served."""
    return Guard(Recent(app), hosts, token)
