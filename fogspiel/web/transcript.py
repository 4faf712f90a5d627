"""What was done and said in a game so far, as its person knows it.

Each line is an own action, with what came of it, or something that the person's view said when the person was to act,
or at the end; so a game that is taken up again from its record tells the same.
"""

from dataclasses import dataclass, field

from ..core.drawing import draw_view
from ..core.game import Game
from ..core.picture import Board, Cell, Chess, Parts, Words
from .session_store import StoredSession

YOU, REFEREE = "you", "referee"
REFUSED = ": refused"
PHANTOM = ("phantom", "dark")
"""How the names of the games begin whose cells tell what was refused."""
Line = dict[str, str]


@dataclass
class Telling:
    """How far a game has been told: up to an own action, of which nothing is told yet."""

    lines: list[Line] = field(default_factory=list)
    before: Parts = ()
    """What was seen before the own action."""
    action: int | None = None
    decisions: int = 0


def transcript_of(kept: StoredSession, thinking: bool) -> list[Line]:
    """The lines so far; while the opponent thinks they end with the own action alone."""
    if kept.told is None:
        kept.told = Telling()
    telling, game = kept.told, kept.sitting.game
    for view, action in kept.sitting.decisions[telling.decisions :]:
        parts = draw_view(game, view)
        telling.lines += _news(telling, game, parts)
        telling.before, telling.action = parts, action
        telling.decisions += 1
    if not thinking:
        return telling.lines + _news(telling, game, draw_view(game, kept.sitting.seen()))
    return telling.lines + ([] if telling.action is None else [_own(game.label(telling.action))])


def _own(words: str) -> Line:
    return {"who": YOU, "words": words}


def _news(telling: Telling, game: Game, now: Parts) -> list[Line]:
    """The own action and what came of it, then what is said now that was not said before."""
    own, action = [], telling.action
    news = _after(_said(telling.before), _said(now))
    if action is not None:
        label = game.label(action)
        if news and news[0].endswith(f": {label}"):  # the view repeats the own action
            news = news[1:]
        own = [_own(label + _outcome(telling.before, now, action, label))]
    for part in now:
        if isinstance(part, Chess) and not (own and own[0]["words"].endswith(REFUSED)):
            news += part.words
    return own + [{"who": REFEREE, "words": words} for words in news]


def _outcome(before: Parts, now: Parts, action: int, label: str) -> str:
    """What a chessboard says of the action, or the cell that was chosen, if the action is named after it."""
    for part in now:
        if isinstance(part, Chess):
            return REFUSED if label in part.refused else ""
    chosen, after = _chosen(before, now, action)
    if chosen is None or after is None or after.name == chosen.name:
        return ""
    where, _, what = after.name.partition(", ")
    return f" ({what})" if what and label.endswith(where) else ""


def refused(game: Game, before: Parts, now: Parts, action: int) -> bool:
    """Whether an attempt was refused, as its player saw it before and after."""
    if game.name.startswith(PHANTOM):
        after = _chosen(before, now, action)[1]
        return after is not None and bool({"refused", "other"} & set(after.look.split()))
    return any(isinstance(part, Chess) and game.label(action) in part.refused for part in now)


def _chosen(before: Parts, now: Parts, action: int) -> tuple[Cell | None, Cell | None]:
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


def _said(parts: Parts) -> list[str]:
    """All that a picture says in words."""
    return [line for part in parts if isinstance(part, Words) for line in part.lines]


def _after(before: list[str], now: list[str]) -> list[str]:
    """The lines of `now` that come after those of `before`, of which the first may have been dropped."""
    for dropped in range(len(before) + 1):
        kept = before[dropped:]
        if now[: len(kept)] == kept:
            return now[len(kept) :]
    return now
