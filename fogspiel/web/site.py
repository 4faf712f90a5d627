"""What the pages of a site share: its runs and games, work in the background, and the frame that pages are drawn in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from starlette.templating import Jinja2Templates

from .. import __version__
from ..core.plugins import folders
from .analyses import Analyses
from .background import Background, StillWorking
from .cache import VersionCache
from .questions import Questions
from .release import Slots
from .run_notes import RunNotes
from .run_processes import RunProcesses
from .run_reader import RunReader
from .security import CHARTS_POLICY
from .session_runner import SessionRunner
from .session_store import SessionStore
from .static_files import StaticFiles

HERE = Path(__file__).parent
STATIC = HERE / "static"


class Link(NamedTuple):
    """A link in the header of every page, with its hint."""

    path: str
    title: str
    about: str


class Site:
    """What a page module adds its routes to; runs are read from the store, games of people are kept in another file."""

    def __init__(self, store: Path, games: Path, slots: Slots):
        self.store = store
        self.routes = APIRouter()
        self.links: list[Link] = []
        self.sessions = SessionRunner(SessionStore(games, store, slots))
        self.reader = RunReader(store)
        self.processes = RunProcesses(self.reader)
        self.notes = RunNotes(store)
        self.background = Background()
        self.questions = Questions()
        self.analyses = Analyses()
        self.versions = VersionCache()
        self._templates = Jinja2Templates([HERE / "templates", *(folder / "web/templates" for folder in folders())])
        self.static = StaticFiles(STATIC)
        self._templates.env.globals |= {"links": self.links, "version": __version__, "static": self.static.prefix}
        self._templates.env.trim_blocks = self._templates.env.lstrip_blocks = True

    def page(
        self, request: Request, template: str, status: int = 200, *, charts: bool = False, **context: Any
    ) -> HTMLResponse:
        """A page from a template; plotly may set styles on a page with charts."""
        path = request.url.path
        above = [link.path for link in self.links if path == link.path or path.startswith(f"{link.path}/")]
        headers = {"content-security-policy": CHARTS_POLICY} if charts else None
        context["here"] = max(above, key=len, default="")
        return self._templates.TemplateResponse(request, template, context, status, headers)

    def plain_page(self, request: Request, title: str, body: str) -> HTMLResponse:
        """A page without a template of its own: text, or HTML if it is wrapped in `markupsafe.Markup`."""
        return self.page(request, "plain.html", title=title, body=body)

    def page_in_time(self, request: Request, make: Callable[[], Response]) -> Response:
        """The page, or one that looks again by itself until what it needs is worked out."""
        try:
            return make()
        except StillWorking:
            return self.page(request, "working.html", 202)

    def refusal(self, request: Request, status: int, sentence: str) -> HTMLResponse:
        """A page that says in one sentence why there is nothing to see."""
        heading = "There is no such page" if status == 404 else "That does not work"
        return self.page(request, "refused.html", status, heading=heading, sentence=sentence)

    def close(self) -> None:
        """Begin no more work."""
        self.sessions.close()
        self.background.close()
        self.analyses.close()
        self.processes.close()
        self.questions.close()


def attachment(file: str) -> dict[str, str]:
    """The headers of an answer that is saved as a file."""
    return {"content-disposition": f'attachment; filename="{file}"'}
