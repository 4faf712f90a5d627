"""Contract between the web interface and slices: the site that pages are added to, and a game's additions to play.

The folder of a slice may have `pages/`, `templates/` and `static/`, found like those of `web/`. A page module has
`register(site)`; the site is a `PageSite`, so that a slice imports nothing of the web interface. Under `PLAY` it may
list a `PlaySupport` for each of its games by name.
"""

import threading
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse, Response

from .agents import Agent, Player
from .game import Game
from .plugins import extras
from .session import PersonSession, Session

# A response of the API that Python never reads again; data that it reads is a TypedDict or a dataclass.
JsonObject = Mapping[str, object]
KEY = r"^[A-Za-z0-9_-]{24}$"
Key = Annotated[str, Path(pattern=KEY, description="The secret key of a game.")]
Result = TypeVar("Result")


class RunningJob(Protocol):
    """A job of the queue with its results so far."""

    found: list[Any]

    @property
    def ended(self) -> bool: ...

    @property
    def sentence(self) -> str:
        """Error message, if any."""


class Jobs(Protocol):
    """The queue of a site."""

    def compute(self, key: Hashable, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, cached by key, or respond with 429 after some seconds."""

    def watch(self, key: Hashable, begin: Callable[[], Iterable[Any]]) -> RunningJob:
        """Return the job that yields results one by one for as long as they are requested."""

    def stop(self, keys: Callable[[Hashable], bool]) -> None:
        """Pause the watched jobs with such keys."""


class PlayedSession(Protocol):
    """A session of a person; hold the lock to read it during the game."""

    session: PersonSession
    against: str
    lock: threading.RLock
    thinking: threading.Event


class Sessions(Protocol):
    def find(self, key: str) -> PlayedSession:
        """Return the session with this key, or respond with 404."""

    def find_finished(self, key: str) -> PlayedSession:
        """Return the session with this key if its game is over, or respond with 409."""


class PageSite(Protocol):
    """The context of pages."""

    routes: APIRouter

    @property
    def jobs(self) -> Jobs: ...

    @property
    def sessions(self) -> Sessions: ...

    def page(self, request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
        """Draw a template of the web interface, of a slice or of a plug-in folder."""

    def plain_page(self, request: Request, title: str, body: str) -> HTMLResponse:
        """Draw text, or HTML wrapped in `markupsafe.Markup`, in the frame of the site."""

    def page_in_time(self, request: Request, make: Callable[[], Response]) -> Response:
        """Draw a page, or one that reloads until its data is computed."""


class RuleSet(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def about(self) -> str: ...


class Effort(Protocol):
    """The time or the nodes that an engine has for each move."""

    @property
    def seconds(self) -> float | None: ...

    @property
    def nodes(self) -> int | None: ...


class NoLimit(NamedTuple):
    """The effort of an agent whose text has no limit that a page must know."""

    seconds: float | None = None
    nodes: int | None = None


class Preparation(Protocol):
    """The compilation of a game or an engine while a person already plays."""

    began: float  # by the monotonic clock

    def is_compiling(self, patience: float) -> bool:
        """True if kernels are being compiled; wait so long to find out."""

    def notice(self, patience: float) -> str | None:
        """Return the line for a person whose engine is being compiled."""

    def is_ready(self, patience: float) -> bool:
        """True if all is compiled and loaded; wait so long for it."""

    def meanwhile(self) -> AbstractContextManager[None]:
        """Let the session not wait for kernels inside this context."""


class PlaySupport:
    """A game's additions to play against a person; the defaults serve games without engines and with one rule set."""

    rule_sets: Sequence[RuleSet] = ()  # the default first
    seats: tuple[str, str] | None = None
    notes: Mapping[str, str] = {}  # phrases about engines
    strongest: Sequence[str] = ()  # engines, the strongest first
    fair: Container[str] = ()  # engines that are fair rather than strong
    simple: Container[str] = ()  # engines that do not search
    # Opponents by level of play, where engines of the game are better than `search`.
    levels: Mapping[str, str] = {}
    ratings: Mapping[str, int] = {}  # Elo of engines, from a round robin
    # The opponent's response to the offer of a draw, where one can be offered.
    accepts_draw: Callable[[Player], bool] | None = None
    coach, coach_script = "", ""  # template and script of the game's coach
    replay_panel, replay_script = "", ""  # template and script of a panel next to the replay
    downloads: Sequence[tuple[str, str]] = ()  # last part of the address and title of files made of a finished game

    def links(self, game: Game) -> Sequence[tuple[str, str]]:
        return ()

    def find_rules(self, name: str) -> RuleSet:
        raise NotImplementedError

    def by_rules(self, rules: str) -> Game:
        raise NotImplementedError

    def rules_of(self, session: Session) -> str:
        """Return the name of the rule set of a session; empty for the default."""
        return ""

    def effort_of(self, words: str) -> Effort:
        """Return the effort in the text for an engine, or raise a ValueError."""
        return NoLimit()

    def names_engine(self, text: str, *, options: bool) -> bool:
        """True if a text is an engine that a web request may name, with plain options if allowed."""
        return False

    def option_help(self) -> str:
        return ""

    def prepare(self, words: str) -> Preparation | None:
        """Start to compile the opponent, if that takes a while."""
        return None

    def in_wall_time(self, words: str, agent: Agent) -> Agent:
        """Return the agent with its time limit in wall-clock time, which the person waits."""
        return agent

    def beliefs(self, words: str, session: PersonSession) -> Sequence[Any]:
        """Return the opponent's belief at every moment of a finished game; None where it has none."""
        return [None] * (len(session.record) + 1)


_DEFAULT = PlaySupport()


def play_supports() -> Mapping[str, PlaySupport]:
    return extras("web.pages", "PLAY")


def play_support(game: Game) -> PlaySupport:
    return play_supports().get(game.name, _DEFAULT)
