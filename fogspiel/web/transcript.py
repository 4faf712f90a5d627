"""What was done and said in a session so far, as its person knows it.

Each line is an own action, with what came of it, or something that the person's view said when the person was to act,
or at the end; so a session that is taken up again from its record has the same lines.
"""

from dataclasses import dataclass, field
from typing import TypedDict

from ..core.drawing import draw_view
from ..core.game import Game
from ..core.person_session import PersonSession
from ..core.picture import Board, Cell, Chess, Parts, Words
from ..games.kriegspiel.words import QUESTION

YOU, REFEREE = "you", "referee"
REFUSED, ANSWERED = ": refused", (": yes", ": no")
PHANTOM = "phantom"
"""The family of games whose cells show what was refused."""


class Line(TypedDict):
    """A line of a transcript."""

    who: str
    words: str


@dataclass
class Transcript:
    """The lines up to an own action whose outcome is not yet known."""

    settled: list[Line] = field(default_factory=list)
    decisions: int = 0
    """How many own actions have been looked at."""
    before: Parts = ()
    """What was seen before the last of them."""
    action: int | None = None

    def lines(self, session: PersonSession, thinking: bool) -> list[Line]:
        """The lines so far; while the opponent thinks they end with the own action alone."""
        game = session.game
        for view, action in session.decisions[self.decisions :]:
            parts = draw_view(game, view)
            self.settled += self._news(game, parts)
            self.before, self.action = parts, action
            self.decisions += 1
        if not thinking:
            return self.settled + self._news(game, draw_view(game, session.seen()))
        return self.settled + ([] if self.action is None else [Line(who=YOU, words=game.label(self.action))])

    def _news(self, game: Game, now: Parts) -> list[Line]:
        """The own action and what came of it, then what is said now that was not said before."""
        own: str | None = None
        news = _new_words(_words(self.before), _words(now))
        if self.action is not None:
            label = game.label(self.action)
            if news and news[0].endswith(f": {label}"):  # the view repeats the own action
                news = news[1:]
            own = label + _outcome(self.before, now, self.action, label)
        if own is None or not own.endswith((REFUSED, *ANSWERED)):
            news += [words for part in now if isinstance(part, Chess) for words in part.words]
        lines = [Line(who=REFEREE, words=words) for words in news]
        return [Line(who=YOU, words=own), *lines] if own is not None else lines


def _outcome(before: Parts, now: Parts, action: int, label: str) -> str:
    """What a chessboard says of the action, or the cell that was chosen, if the action is named after it."""
    for part in now:
        if isinstance(part, Chess):
            if label == QUESTION:
                return f": {part.answer}"
            return REFUSED if label in part.refused else ""
    chosen, after = _chosen_cell(before, now, action)
    if chosen is None or after is None or after.name == chosen.name:
        return ""
    where, _, what = after.name.partition(", ")
    return f" ({what})" if what and label.endswith(where) else ""


def is_refused(game: Game, before: Parts, now: Parts, action: int) -> bool:
    """Whether an attempt was refused, as its player saw it before and after."""
    if game.family == PHANTOM:
        after = _chosen_cell(before, now, action)[1]
        return after is not None and bool({"refused", "other"} & set(after.look.split()))
    return any(isinstance(part, Chess) and game.label(action) in part.refused for part in now)


def _chosen_cell(before: Parts, now: Parts, action: int) -> tuple[Cell | None, Cell | None]:
    """The cell that stood for an action, and what became of it."""
    for place, cell in _cells(before).items():
        if cell.action == action:
            return cell, _cells(now).get(place)
    return None, None


def _cells(parts: Parts) -> dict[tuple[int, int, int], Cell]:
    """The cells of all boards by their places."""
    return {
        (number, row, column): cell
        for number, part in enumerate(parts)
        if isinstance(part, Board)
        for row, cells in enumerate(part.rows)
        for column, cell in enumerate(cells)
    }


def _words(parts: Parts) -> list[str]:
    """All that a picture says in words."""
    return [line for part in parts if isinstance(part, Words) for line in part.lines]


def _new_words(before: list[str], now: list[str]) -> list[str]:
    """The lines of `now` that come after those of `before`, of which the first may have been dropped."""
    for dropped in range(len(before) + 1):
        rest = before[dropped:]
        if now[: len(rest)] == rest:
            return now[len(rest) :]
    return now
