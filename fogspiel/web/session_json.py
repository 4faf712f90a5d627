"""Session as JSON: the person's knowledge as text, picture and data, and the available actions.

Everything here is derived from the person's view and the game's labels. Progress is counted in the person's own
moments (own actions, and whether it is the own turn), because the length of the record would reveal the number of the
opponent's illegal attempts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

import numpy as np
from pydantic import BaseModel

from ..core.compile.kernel import interpreted
from ..core.game import (
    CHANCE,
    OVER,
    Game,
    NewsMemory,
    chance_words,
    draw_state,
    draw_view,
    memory_of,
    news_between,
    nothing_hidden,
    routine_action,
)
from ..core.page_contract import PlaySupport, play_support
from ..core.picture import BoardPicture, Cell, Messages, Parts, picture_json, refereed_board
from ..core.rng import child
from ..core.session import Moment, PersonSession, Session
from ..runs.agent_parser import engines_of
from ..stats.race import interval, mean
from . import JsonObject
from .opponents import ratings_of

if TYPE_CHECKING:
    from .session_store import SessionStore, SessionSummary, StoredSession

SEATS = ("the first player", "the second player")
MAX_KEYS = 200  # games of a list, and the latest games of a series that count
MAX_LETTERS = 60  # length of an opponent's name in a list
NOTICE_SECONDS = 0.3  # how long a response waits to learn whether the engine must be compiled
PictureJson = Sequence[JsonObject]  # the parts of a picture, each with its kind


# Transcript of a session so far, from the person's knowledge.
#
# A line is an own action with its outcome, or a message in the person's view when the person was to act, or at the end.
# A session that is resumed from its record therefore has the same lines.

YOU, OTHER, REFEREE = "you", "other", "referee"
OTHERS = "the other: "  # prefix of news about the opponent's actions
DICE = "dice"  # scene of games in which chance rolls a die
PHANTOM = "phantom"  # family of games whose cells show illegal attempts


Place = tuple[int, int, int]  # a cell of a picture: the number of its part, its row and its column


class TranscriptLine(TypedDict):
    who: str
    words: str
    die: NotRequired[int]  # the face of a die that was rolled


@dataclass
class Transcript:
    """Transcript up to an own action whose outcome is not yet known."""

    settled: list[TranscriptLine] = field(default_factory=list)
    decisions: int = 0  # own actions processed so far
    before: Parts = ()  # the picture before the last of them
    view: np.ndarray | None = None  # the view at that moment
    action: int | None = None
    memory: NewsMemory | None = None

    def lines(self, session: PersonSession, thinking: bool) -> list[TranscriptLine]:
        """Return the lines so far; while the opponent is thinking they end with the own action alone."""
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
        """Return the own action with its outcome, then the messages that are new."""
        game, own = session.game, list[TranscriptLine]()
        if self.memory is not None:
            told: list[str] | None = self.memory.news(view)
        else:
            told = news_between(game, self.view, self.action, view)
        heard = [part for part in now if not isinstance(part, Messages) or part.title or self.action is not None]
        news = (
            _new_words(_words(self.before), _words(tuple(heard))) if told is None else []
        )  # without the initial messages
        if self.action is not None:
            label = game.label(self.action)
            if news and news[0].endswith(f": {label}"):  # the view repeats the own action
                news = news[1:]
            own = [TranscriptLine(who=YOU, words=label + _outcome(self.before, now, self.action, label))]
        return own + [_line(session.side, words) for words in [*news, *(told or ())]]


def _line(side: int, words: str) -> TranscriptLine:
    """Return a transcript line, attributed to the player that its prefix names, if any."""
    starts = ((YOU, f"player {side + 1}: "), (OTHER, f"player {2 - side}: "), (OTHER, OTHERS))
    for who, start in starts:
        if words.startswith(start):
            return TranscriptLine(who=who, words=words.removeprefix(start))
    return TranscriptLine(who=REFEREE, words=words)


def _open_lines(session: PersonSession) -> list[TranscriptLine]:
    """List all actions of a game without hidden information, chance included."""
    game, again, lines = session.game, Session(session.game), list[TranscriptLine]()
    for action in list(session.record):
        mover = again.mover
        if mover == CHANCE:
            words = chance_words(game, again.state, action, session.side)
            if words:
                line = TranscriptLine(who=REFEREE, words=words)
                lines.append(line | {"die": action} if game.look.scene == DICE else line)
        else:
            lines.append(TranscriptLine(who=YOU if mover == session.side else OTHER, words=game.label(action)))
        again.apply(action)
    return lines


def changed_places(before: Parts, now: Parts) -> list[Place]:
    old = _cells(before)
    return [
        place
        for place, cell in _cells(now).items()
        if place in old and (cell.text, cell.look) != (old[place].text, old[place].look) and cell.text
    ]


def _outcome(before: Parts, now: Parts, action: int, label: str) -> str:
    """Describe the referee's response to the action, or the chosen cell, if the action is named after it."""
    if (board := refereed_board(now)) is not None:
        return board.outcome(label)
    chosen, after = _chosen_cell(before, now, action)
    if chosen is None or after is None or after.name == chosen.name:
        return ""
    where, _, what = after.name.partition(", ")
    return f" ({what})" if what and label.endswith(where) else ""


def is_refused(game: Game, before: Parts, now: Parts, action: int) -> bool:
    """True if an attempt was illegal, as its player saw it before and after."""
    if game.family == PHANTOM:
        after = _chosen_cell(before, now, action)[1]
        return after is not None and bool({"refused", "other"} & set(after.look.split()))
    board = refereed_board(now)
    return board is not None and game.label(action) in board.refused


def _chosen_cell(before: Parts, now: Parts, action: int) -> tuple[Cell | None, Cell | None]:
    for place, cell in _cells(before).items():
        if cell.action == action:
            return cell, _cells(now).get(place)
    return None, None


def _cells(parts: Parts) -> dict[Place, Cell]:
    return {
        (number, row, column): cell
        for number, part in enumerate(parts)
        if isinstance(part, BoardPicture)
        for row, cells in enumerate(part.rows)
        for column, cell in enumerate(cells)
    }


def _words(parts: Parts) -> list[str]:
    return [line for part in parts if isinstance(part, Messages) for line in part.lines]


def _new_words(before: list[str], now: list[str]) -> list[str]:
    """Return the lines of `now` after those of `before`, whose first ones may have been dropped."""
    for dropped in range(len(before) + 1):
        rest = before[dropped:]
        if now[: len(rest)] == rest:
            return now[len(rest) :]
    return now


# Session and replay as JSON.


def session_json(stored: "StoredSession", thinking: bool) -> JsonObject:
    """Return a session as its person may see it."""
    session, game = stored.session, stored.session.game
    view, mark = session.seen(), session.mark
    parts, choices = draw_view(game, view), [] if thinking else session.choices()
    routine = routine_action(game, view) if choices else None
    transcript, hides = stored.transcript.lines(session, thinking), game.resample is not nothing_hidden
    draws = {"accepted": session.agreed, "offered": session.offers_draw, "declined": session.declined}
    return {
        "key": stored.key,
        "game": game.name,
        "title": game.title,
        "scene": scene_of(game),
        "against": stored.against,
        "side": session.side,
        "seat": seat_of(game, stored.support, session.side),
        "moment": 2 * len(session.decisions) + (not thinking),
        "thinking": thinking,
        "over": session.over,
        "score": None if mark is None else float(game.payoffs[mark]),
        "share": None if mark is None else mark / game.max_score,  # of what can be won
        "rating": ratings_of(game).get(stored.against),
        "mark": mark,  # the index of the score among the game's payoffs
        "result": _result(session),
        "seen": game.show(view),
        "picture": picture_json(parts),
        # board squares whose appearance has changed since the person's last action
        "latest": changed_places(draw_view(game, session.decisions[-1][0]), parts) if session.decisions else [],
        # the full state, once the game is over, where anything was hidden
        "truth": picture_json(draw_state(game, session.state)) if session.over and hides else None,
        "routine": routine if routine in choices else None,  # default action, where there is little to decide
        "draw": next((words for words, happened in draws.items() if happened), None),
        "transcript": transcript,
        "told": transcript,  # its name before 1.0
        "notice": stored.preparation.notice(NOTICE_SECONDS) if stored.preparation else None,
        "trouble": None,
        "choices": [_choice(game, view, action) for action in choices],
    }


def since(answer: JsonObject, heard: int) -> JsonObject:
    """Return an answer without the lines of the log that a page has already, and without their former name."""
    lines = cast("list[TranscriptLine]", answer["transcript"])
    start = min(heard, len(lines))
    rest = {key: value for key, value in answer.items() if key != "told"}
    return answer if heard == 0 else {**rest, "transcript": lines[start:], "heard": start}


def _choice(game: Game, view: np.ndarray, action: int) -> JsonObject:
    note = game.look.action_note
    return {"action": action, "label": game.label(action), "note": note(game, view, action) if note else ""}


def with_notice(stored: "StoredSession") -> JsonObject:
    """Return the latest answer with the notice as it is now: an engine may have been compiled since."""
    answer = stored.answer or {}
    if not answer.get("notice") or stored.preparation is None:
        return answer
    return {**answer, "notice": stored.preparation.notice(0.0)}


def scene_of(game: Game) -> str:
    """Return the table on which pages draw a game: that of its look, or tiles if it is drawn on a board."""
    if game.look.scene:
        return game.look.scene
    state, view = np.zeros(game.sizes.state, np.int64), np.zeros(game.sizes.view, np.int64)
    with interpreted():
        game.rules.start(state)
        game.rules.view(state, 0, view)
    return "tiles" if any(isinstance(part, BoardPicture) for part in draw_view(game, view)) else "felt"


def seat_of(game: Game, support: PlaySupport, side: int) -> str | None:
    """Return the name of a side; None if both are the same."""
    return None if game.symmetric else (support.seats or SEATS)[side]


def result_words(game: Game, mark: int | None, resigned: bool) -> str | None:
    if mark is None:
        return None
    if resigned:
        return "You resigned."
    score, least, most = (float(game.payoffs[index]) for index in (mark, 0, -1))
    even = (least + most) / 2
    words = "You won" if score > even else "You lost" if score < even else "A draw"
    if len(game.payoffs) <= 3:
        return f"{words}."
    return f"{words}: you got {score:+g}, where {least:+g} is the least and {most:+g} the most."


def _result(session: PersonSession) -> str | None:
    if session.agreed:
        return "A draw by agreement."
    return result_words(session.game, session.mark, session.resigned)


def replay_json(stored: "StoredSession") -> JsonObject:
    """Return the full record of a finished game, move by move; a `mover` is a side, `chance` or `over`."""
    session, game = stored.session, stored.session.game
    beliefs = stored.support.beliefs(stored.against, session)
    return {
        "key": stored.key,
        "game": game.name,
        "title": game.title,
        "side": session.side,
        "against": stored.against,
        "seed": str(session.seed),
        "result": _result(session),
        "resigned": session.resigned,
        "agreed": session.agreed,
        "moments": moments_json(game, list(session.moments()), beliefs),
    }


def moments_json(game: Game, moments: list[Moment], beliefs: Sequence[object]) -> PictureJson:
    """Return the moments of a finished game, with the truth and both views as text."""
    return [
        {
            "mover": {CHANCE: "chance", OVER: "over"}.get(moment.mover, moment.mover),
            "action": moment.action
            if moment.action is None
            else game.label(moment.action)
            if moment.mover in (0, 1)
            else str(moment.action),
            "truth": moment.reveal,
            "views": [game.show(view) for view in moment.views],
            "refused": refused,
            "belief": belief,
        }
        for moment, refused, belief in zip(moments, _refusals(game, moments), beliefs, strict=True)
    ]


def _refusals(game: Game, moments: list[Moment]) -> list[bool]:
    """Return for each action whether it was an illegal attempt, as its player saw it."""
    found = []
    for moment, after in pairwise(moments):
        mover, action = moment.mover, moment.action
        if mover in (0, 1) and action is not None:
            before, now = (draw_view(game, then.views[mover]) for then in (moment, after))
            found.append(is_refused(game, before, now, action))
        else:
            found.append(False)
    return [*found, False]


def moment_pictures(stored: "StoredSession", number: int) -> JsonObject:
    return pictures_json(stored.session.game, number, stored.session.moment(number))


def pictures_json(game: Game, number: int, moment: Moment) -> JsonObject:
    return {
        "moment": number,
        "truth": picture_json(draw_state(game, moment.state)),
        "views": [picture_json(draw_view(game, view)) for view in moment.views],
    }


BELIEVED, DRAWN = 300, 6  # particles of the belief of a finished game, and the most probable states that are drawn


def belief_json(stored: "StoredSession", number: int) -> JsonObject:
    """Return what the person could know at one of its own decisions of a finished game, from its views alone."""
    from ..belief import Belief, Opponent, follow_game

    session = stored.session
    game, moment = session.game, session.moment(number)
    if moment.mover != session.side or engines_of(game):
        raise ValueError(f"moment {number} has no belief: choose one at which you moved, in a game without engines")
    seed = int(child(session.seed, number))
    belief = Belief(game, session.side, Opponent(game, session.side, None), BELIEVED, seed)
    follow_game(game, session.record[:number], session.side, belief)
    found = [] if belief.lost else belief.distribution
    states = [
        {"probability": share, "picture": picture_json(draw_state(game, state))} for state, share in found[:DRAWN]
    ]
    return {"moment": number, "lost": belief.lost, "exact": belief.exact, "count": len(found), "states": states}


class PlayedGame(BaseModel):
    """Game of a list."""

    key: str
    game: str
    title: str
    against: str
    seat: str | None
    began: float
    """Unix time in seconds."""
    over: bool
    result: str | None


class Standing(BaseModel):
    """Score of some games: the mean payoff, and the interval in which the true one lies."""

    game: str
    title: str
    games: int
    mean: float
    interval: tuple[float, float]


class History(BaseModel):
    """Some games, newest first, and the score of the finished ones, per game."""

    games: list[PlayedGame]
    standings: list[Standing]


def history_of(keys: Sequence[str], only: str, store: "SessionStore") -> History:
    """Return the games with these keys, or only those of one game; unknown keys are left out."""
    told = [(key, outline) for key in dict.fromkeys(keys) if (outline := store.outline(key)) is not None]
    told = sorted((one for one in told if only in ("", one[1].game.name)), key=lambda one: -one[1].began)
    marks: dict[str, tuple[Game, list[int]]] = {}
    for _, outline in reversed(told):
        if outline.mark is not None:
            marks.setdefault(outline.game.name, (outline.game, []))[1].append(outline.mark)
    return History(games=[_played(*one) for one in told], standings=[standing(*series) for series in marks.values()])


def _played(key: str, outline: "SessionSummary") -> PlayedGame:
    """Return an entry of the list; a game in progress has no result."""
    game = outline.game
    return PlayedGame(
        key=key,
        game=game.name,
        title=game.title,
        against=outline.against[:MAX_LETTERS],
        seat=seat_of(game, play_support(game), outline.side),
        began=outline.began,
        over=outline.mark is not None,
        result=result_words(game, outline.mark, outline.resigned),
    )


def standing(game: Game, marks: list[int]) -> Standing:
    """Return the score of at least one game, given as indices of the payoffs."""
    counts = np.bincount(marks[-MAX_KEYS:], minlength=game.max_score + 1).astype(np.int64)
    least, most = float(game.payoffs[0]), float(game.payoffs[-1])
    low, high = interval(counts)
    score, lower, upper = (least + share * (most - least) for share in (mean(counts), low, high))
    return Standing(game=game.name, title=game.title, games=int(counts.sum()), mean=score, interval=(lower, upper))
