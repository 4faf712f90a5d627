"""Transcript of a session so far, as its person knows it.

Each line is an own action, with what came of it, or something that the person's view said when the person was to act,
or at the end; so a session that is taken up again from its record has the same lines.
"""

from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from ..core.game import CHANCE, Game, NewsMemory, chance_words, draw_view, memory_of, news_between, nothing_hidden
from ..core.picture import BoardPicture, Cell, Messages, Parts, refereed_board
from ..core.session import PersonSession, Session

YOU, OTHER, REFEREE = "you", "other", "referee"
OTHERS = "the other: "  # how news of what the other has done begin
REFUSED = ": refused"
PHANTOM = "phantom"  # the family of games whose cells show what was refused


Place = tuple[int, int, int]  # a cell of a picture: the number of its part, its row and its column


class TranscriptLine(TypedDict):
    """A line of a transcript."""

    who: str
    words: str


@dataclass
class Transcript:
    """The lines up to an own action whose outcome is not yet known."""

    settled: list[TranscriptLine] = field(default_factory=list)
    decisions: int = 0  # how many own actions have been looked at
    before: Parts = ()  # what was seen before the last of them
    view: np.ndarray | None = None  # the view of that moment
    action: int | None = None
    memory: NewsMemory | None = None

    def lines(self, session: PersonSession, thinking: bool) -> list[TranscriptLine]:
        """The lines so far; while the opponent thinks they end with the own action alone."""
        game = session.game
        if game.resample is nothing_hidden:
            return _open_lines(session)
        if not self.decisions:
            self.memory = memory_of(game)
        for view, action in session.decisions[self.decisions :]:
            parts = draw_view(game, view)
            self.settled += self._news(session, view, parts)
            self.before, self.view, self.action = parts, view, action
            if self.memory is not None:
                self.memory.note(view, action)
            self.decisions += 1
        if not thinking:
            view = session.seen()
            return self.settled + self._news(session, view, draw_view(game, view))
        return self.settled + ([] if self.action is None else [TranscriptLine(who=YOU, words=game.label(self.action))])

    def _news(self, session: PersonSession, view: np.ndarray, now: Parts) -> list[TranscriptLine]:
        """The own action and what came of it, then what is said now that was not said before."""
        game, own = session.game, list[TranscriptLine]()
        if self.memory is not None:
            told: list[str] | None = self.memory.news(view)
        else:
            told = news_between(game, self.view, self.action, view)
        heard = [part for part in now if not isinstance(part, Messages) or part.title or self.action is not None]
        news = (
            _new_words(_words(self.before), _words(tuple(heard))) if told is None else []
        )  # not how it stands at first
        if self.action is not None:
            label = game.label(self.action)
            if news and news[0].endswith(f": {label}"):  # the view repeats the own action
                news = news[1:]
            own = [TranscriptLine(who=YOU, words=label + _outcome(self.before, now, self.action, label))]
        return own + [_line(session.side, words) for words in [*news, *(told or ())]]


def _line(side: int, words: str) -> TranscriptLine:
    """Return a line of the transcript: by a player, if it begins so, or neutral."""
    starts = ((YOU, f"player {side + 1}: "), (OTHER, f"player {2 - side}: "), (OTHER, OTHERS))
    for who, start in starts:
        if words.startswith(start):
            return TranscriptLine(who=who, words=words.removeprefix(start))
    return TranscriptLine(who=REFEREE, words=words)


def _open_lines(session: PersonSession) -> list[TranscriptLine]:
    """All that was done in a game in which nothing is hidden, chance included."""
    game, again, lines = session.game, Session(session.game), list[TranscriptLine]()
    for action in list(session.record):
        mover = again.mover
        if mover == CHANCE:
            words = chance_words(game, again.state, action, session.side)
            lines += [TranscriptLine(who=REFEREE, words=words)] if words else []
        else:
            lines.append(TranscriptLine(who=YOU if mover == session.side else OTHER, words=game.label(action)))
        again.apply(action)
    return lines


def changed_places(before: Parts, now: Parts) -> list[Place]:
    """The cells of boards that look different now."""
    old = _cells(before)
    return [
        place
        for place, cell in _cells(now).items()
        if place in old and (cell.text, cell.look) != (old[place].text, old[place].look) and cell.text
    ]


def _outcome(before: Parts, now: Parts, action: int, label: str) -> str:
    """Describe the referee's answer to the action, or the chosen cell, if the action is named after it."""
    if (board := refereed_board(now)) is not None:
        return board.outcome(label)
    chosen, after = _chosen_cell(before, now, action)
    if chosen is None or after is None or after.name == chosen.name:
        return ""
    where, _, what = after.name.partition(", ")
    return f" ({what})" if what and label.endswith(where) else ""


def is_refused(game: Game, before: Parts, now: Parts, action: int) -> bool:
    """True if an attempt was refused, as its player saw it before and after."""
    if game.family == PHANTOM:
        after = _chosen_cell(before, now, action)[1]
        return after is not None and bool({"refused", "other"} & set(after.look.split()))
    board = refereed_board(now)
    return board is not None and game.label(action) in board.refused


def _chosen_cell(before: Parts, now: Parts, action: int) -> tuple[Cell | None, Cell | None]:
    """The cell that stood for an action, and what became of it."""
    for place, cell in _cells(before).items():
        if cell.action == action:
            return cell, _cells(now).get(place)
    return None, None


def _cells(parts: Parts) -> dict[Place, Cell]:
    """The cells of all boards by their places."""
    return {
        (number, row, column): cell
        for number, part in enumerate(parts)
        if isinstance(part, BoardPicture)
        for row, cells in enumerate(part.rows)
        for column, cell in enumerate(cells)
    }


def _words(parts: Parts) -> list[str]:
    """All that a picture says in words."""
    return [line for part in parts if isinstance(part, Messages) for line in part.lines]


def _new_words(before: list[str], now: list[str]) -> list[str]:
    """The lines of `now` that come after those of `before`, of which the first may have been dropped."""
    for dropped in range(len(before) + 1):
        rest = before[dropped:]
        if now[: len(rest)] == rest:
            return now[len(rest) :]
    return now
