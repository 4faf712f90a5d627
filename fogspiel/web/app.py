"""FastAPI application: the JSON API, the pages built on it, and the request guard in front of both."""

import hashlib
import mimetypes
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from starlette.templating import Jinja2Templates

from .. import __version__
from ..core.page_contract import PageSite
from ..core.plugins import help_of, modules, slice_folders
from ..runs.store import StoreError
from .cache import AnswerCache, Memory, VersionCache
from .job_queue import JobQueue, StillWorking
from .requests import InvalidRequest, all_faults, fault_place, fault_words
from .run_list import RunNotes
from .run_processes import RunProcesses
from .run_reader import RunReader
from .security import App, RequestGuard, is_for_programs
from .session_runner import SessionRunner
from .session_store import SessionFileError, SessionStore, Slots, UnknownSession, slot_seconds

# Context of all pages: runs and games, the job queue, static files, and the page frame.
#
# Pages refer to scripts, styles and pictures by addresses with a digest of all of them (`/static/0123456789ab/run.js`).
# Scripts import their neighbours by relative address, so those addresses contain the digest too. The content at such an
# address never changes. The plain address, `/static/run.js`, serves the same file, and browsers revalidate it every
# time. Only these files are compressed: the length of a compressed page would depend on secrets in it.

PACKAGE = Path(__file__).parents[1]
SUFFIXES = (".js", ".css", ".svg")
FOR_EVER, ASK = "private, max-age=31536000, immutable", "private, no-cache"
LEVEL = 6  # of compression; the highest level takes twice the time to save a hundredth of the size
mimetypes.add_type("text/javascript", ".js")  # some systems register text/plain, which browsers do not execute


class PageFiles(StaticFiles):
    """Static files of several folders; any other name is not found."""

    def __init__(self, folders: Sequence[Path], cache_control: str):
        super().__init__(directory=folders[0])
        self._cache_control = cache_control
        self._files = {path.name: path for folder in folders for path in folder.iterdir() if path.suffix in SUFFIXES}

    @property
    def digest(self) -> str:
        """Digest of all files."""
        whole = hashlib.sha256()
        for name, path in sorted(self._files.items()):
            whole.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
        return whole.hexdigest()[:12]

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        found = self._files.get(path)
        return ("", None) if found is None else (str(found), found.stat())

    def file_response(self, *given: Any, **options: Any) -> Response:
        response = super().file_response(*given, **options)
        response.headers["cache-control"] = self._cache_control
        return response


class Link(NamedTuple):
    """Link in the page header (`about` is its tooltip) or in running text (`about` is the text after it)."""

    path: str
    title: str
    about: str


class Site:
    """Registry of page routes; runs come from the store, people's games from a separate file."""

    def __init__(self, store: Path, games: Path, slots: Slots):
        self.store = store
        self.routes = APIRouter()
        self.links: list[Link] = []
        self.asides: list[Link] = []  # links in running text to pages of slices
        self.cards: list[str] = []  # templates of cards on the home page
        self.sessions = SessionRunner(SessionStore(games, store, slots))
        self.reader = RunReader(store)
        self.processes = RunProcesses(self.reader)
        self.notes = RunNotes(store)
        self.jobs = self.background = JobQueue()  # `background` is its name in pages of earlier plug-ins
        self.versions = VersionCache()
        self.games_lock = threading.Lock()
        self.games: Memory[str, tuple[Any, Any]] = Memory(4)  # latest games of runs, by name, with their version
        static = slice_folders("static")
        self._templates = Jinja2Templates(slice_folders("templates"))
        self.files = PageFiles(static, FOR_EVER), PageFiles(static, ASK)
        self.static = f"/static/{self.files[0].digest}"
        sheets = [path.name for folder in static[1:] for path in sorted(folder.glob("*.css"))]
        self._templates.env.globals |= {"links": self.links, "asides": self.asides, "cards": self.cards}
        self._templates.env.globals |= {
            "main_links": MAIN_LINKS,
            "version": __version__,
            "static": self.static,
            "sheets": sheets,
        }
        self._templates.env.trim_blocks = self._templates.env.lstrip_blocks = True

    def page(self, request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
        """Render a template."""
        path = request.url.path
        above = [link.path for link in self.links if path == link.path or path.startswith(f"{link.path}/")]
        context["here"] = max(above, key=len, default="")
        return self._templates.TemplateResponse(request, template, context, status)

    def plain_page(self, request: Request, title: str, body: str) -> HTMLResponse:
        """Render a page without a separate template, from text or from HTML in `markupsafe.Markup`."""
        return self.page(request, "plain.html", title=title, body=body)

    def page_in_time(self, request: Request, make: Callable[[], Response]) -> Response:
        """Return the page, or a placeholder that reloads itself until the data is computed."""
        try:
            return make()
        except StillWorking:
            return self.page(request, "working.html", 202)

    def close(self) -> None:
        self.sessions.close()
        self.processes.close()
        self.jobs.close()


def attachment(file: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{file}"'}


DESCRIPTION = "Play games with hidden information, watch runs, look at results. Nothing leaves this machine."
# Header links, in this order; other pages with a title follow.
FIRST_LINKS = ("/", "/problems", "/certificates", "/runs", "/about", "/play", "/strategies")
MAIN_LINKS = 5  # those always in sight; the others fold


def application(store: Path, games: Path, slots: Slots = slot_seconds) -> FastAPI:
    """Build the application without its guard; runs are read from `store`, people's games are saved in `games`."""
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
    app.include_router(site.routes)
    for address, files in zip((site.static, "/static"), site.files, strict=True):
        app.mount(address, GZipMiddleware(files, compresslevel=LEVEL))
    return app


def add_pages(site: Site) -> None:
    """Discover the pages of the package, its slices and plug-in folders, and register their routes and links."""
    context: PageSite = site
    for module in modules("web.pages"):
        register = getattr(module, "register", None) or getattr(module, "add_to", None)  # its name until 1.0
        if register is None:
            raise ValueError(f"{module.__file__} is no page: it has no function `register(site)` that adds its routes")
        register(context)
        if hasattr(module, "TITLE"):
            site.links.append(Link(module.PATH, module.TITLE, help_of(module)))
        if hasattr(module, "ASIDE"):
            site.asides.append(Link(module.PATH, *module.ASIDE))
        if hasattr(module, "CARD"):
            site.cards.append(module.CARD)
    order = {path: place for place, path in enumerate(FIRST_LINKS)}
    site.links.sort(key=lambda link: order.get(link.path, len(order)))


def answer_in_sentences(app: FastAPI, site: Site) -> None:
    """Report every error as one message: JSON to programs, a page to people."""

    def answer(request: Request, status: int, sentence: str, **more: Any) -> Response:
        if is_for_programs(request.url.path):
            return JSONResponse({"error": sentence} | more, status)
        heading = "There is no such page" if status == 404 else "That does not work"
        return site.page(request, "refused.html", status, heading=heading, sentence=sentence)

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
    return RequestGuard(AnswerCache(app), hosts, token)


# Routes of forms: one response reports all faults of a request, with a message per field.


WRONG: dict[int | str, dict[str, Any]] = {422: {"description": "What is wrong: a sentence, and one for each field."}}


def form_route(reader: RunReader) -> type[APIRoute]:
    """Return the route class of forms; requests are validated against the runs that can be read."""

    class Form(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def handle_form(request: Request) -> Response:
                try:
                    return await handle(request)
                except RequestValidationError as error:
                    invalid = await run_in_threadpool(all_faults, error, reader)
                except InvalidRequest as error:
                    invalid = error
                return JSONResponse({"error": str(invalid), "fields": invalid.fields}, 422)

            return handle_form

    return Form
