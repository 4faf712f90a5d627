"""Chess engines that speak UCI: their options as parameters, and games with limits, adjudication and PGN."""

import json
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from ...games.chess.fen import SIDES, START, parse_move
from ...games.chess.game import RESULTS, ROSTER, ChessGame, UciEngine, fill_movetext, numbered_moves, tag_lines
from ...games.chess.search import MATE
from ...process.guard import own_guard
from .parameters import LOG, Parameters

# Options: the report of an engine, checks of values and parameters, and a parameter file

OPTION = re.compile(r"option name (.+?) type (spin|check|combo|string|button)\b(.*)")
FIELD = re.compile(r"\b(default|min|max|var)\b((?:(?!\b(?:default|min|max|var)\b).)*)")
SWITCH = {True: "true", False: "false"}
MAX_LISTED = 12
EMPTY = "<empty>"  # UCI's empty string


@dataclass(frozen=True)
class Option:
    name: str
    type: str
    default: str = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        if self.type == "spin":
            limits = (str(end) if end is not None else "any" for end in (self.low, self.high))
            return f"a whole number, {' .. '.join(limits)}"
        return {"check": "true or false", "combo": f"one of {', '.join(self.choices)}", "string": "a text"}.get(
            self.type, "a button, which has no value"
        )

    def text(self, value: object) -> str:
        found = self._text(value)
        if found is None:
            raise ValueError(f"the option {self.name} cannot be set to {value!r}: it is {self.words}")
        return found

    def _text(self, value: object) -> str | None:
        if self.type == "check":
            return SWITCH[value] if isinstance(value, bool) else value if value in SWITCH.values() else None  # type: ignore[return-value]
        if self.type == "spin":
            return self._number_text(value)
        if self.type == "combo":
            same = [choice for choice in self.choices if choice.lower() == str(value).lower()]
            return same[0] if same else None
        if self.type != "string":
            return None
        plain = f"{value:.10g}" if isinstance(value, float) else str(value)
        words = SWITCH[value] if isinstance(value, bool) else plain
        return (words or EMPTY) if words.isprintable() else None  # a line end would start another command

    def _number_text(self, value: object) -> str | None:
        try:
            number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
        except (ValueError, OverflowError):
            return None
        if number is None or not number.is_integer():
            return None
        fits = (self.low is None or number >= self.low) and (self.high is None or number <= self.high)
        return str(int(number)) if fits else None

    @property
    def can_be_tuned(self) -> bool:
        fixed = self.low is not None and self.low == self.high
        number = self.type == "spin" and _whole(self.default) is not None and not fixed
        return number or self.type == "check" or (self.type == "combo" and len(self.choices) > 1)

    def table(self) -> dict[str, Any]:
        """Return a table of a parameter file that starts at the default, or raise a ValueError."""
        if self.type == "spin":
            start = _whole(self.default)
            known = {key: value for key, value in (("low", self.low), ("high", self.high)) if value is not None}
            if start is None:
                raise ValueError(f"the option {self.name} has no default: write its table by hand, with start")
            wide = min(start, known.get("low", 0)) > 0 and known.get("high", 0) >= WIDE * known["low"]
            return {"start": start, **known, "whole": True} | ({"scale": LOG} if wide else {})
        if self.type == "check":
            return {"start": self.default == "true", "choices": [False, True]}
        if self.type == "combo" and len(self.choices) > 1:
            return {"start": self.default, "choices": list(self.choices)}
        raise ValueError(f"the option {self.name} is {self.words}: only numbers, switches and choices can be tuned")


WIDE = 1000  # ratio of the limits from which a scale is proposed on which ratios matter


def _whole(words: str | None) -> int | None:
    try:
        return int(words) if words else None
    except ValueError:
        return None


def parse_option(line: str) -> Option | None:
    found = OPTION.fullmatch(" ".join(line.split()))
    if found is None:
        return None
    name, kind, rest = found.groups()
    fields = FIELD.findall(rest)
    single = {key: value.strip() for key, value in fields}
    choices = tuple(value.strip() for key, value in fields if key == "var")
    return Option(name, kind, single.get("default", ""), _whole(single.get("min")), _whole(single.get("max")), choices)


@dataclass(frozen=True)
class EngineOptions:
    name: str
    options: tuple[Option, ...]

    def __getitem__(self, name: str) -> Option:
        """Return the option of a name, ignoring case, or raise a ValueError with similar names."""
        for option in self.options:
            if option.name.lower() == name.lower():
                return option
        names = [option.name for option in self.options]
        near = get_close_matches(name.lower(), {known.lower(): known for known in names}, n=3)
        like = [known for known in names if known.lower() in near]
        meant = f"did you mean {' or '.join(like)}? " if like else ""
        listed = ", ".join(names[:MAX_LISTED]) + (", .." if len(names) > MAX_LISTED else "")
        raise ValueError(
            f"the engine {self.name} has no option {name[:60]!r}: {meant}it has {listed or 'no options at all'}"
        )

    @property
    def tunable(self) -> list[str]:
        """The names of those that a parameter file can have: numbers, switches and choices."""
        return [option.name for option in self.options if option.can_be_tuned]

    def texts(self, values: Mapping[str, object]) -> dict[str, str]:
        return {self[name].name: self[name].text(value) for name, value in values.items()}

    def demand(self, parameters: Parameters) -> None:
        """Raise a ValueError for parameters that the engine lacks, or whose values it may reject."""
        for member in parameters.members:
            option, what = self[member.name], f"the parameter {member.name}"
            for choice in member.choices:
                option.text(choice)
            if member.choices or option.type == "string":
                continue
            if option.type != "spin":
                raise ValueError(f"{what} is a number, but the option is {option.words}: give its choices")
            if not member.whole:
                raise ValueError(f"{what} sets an option that is {option.words}: add whole = true")
            for key, mine, theirs in (("low", member.low, option.low), ("high", member.high, option.high)):
                if theirs is not None and (mine is None or (mine < theirs if key == "low" else mine > theirs)):
                    has = "no" if mine is None else f"{mine:g} as its"
                    raise ValueError(f"{what} has {has} {key}, but the option is {option.words}")


def engine_options(engine: UciEngine) -> EngineOptions:
    names = [line.removeprefix("id name ") for line in engine.handshake if line.startswith("id name ")]
    found = (parse_option(line) for line in engine.handshake if line.startswith("option "))
    return EngineOptions(names[0] if names else engine.name, tuple(option for option in found if option))


def options_of(command: str | Sequence[str], patience: float = 10.0) -> EngineOptions:
    """Start an engine, read its identity and options, and end it."""
    engine = UciEngine(command, patience)
    try:
        return engine_options(engine)
    finally:
        engine.close()


def parameter_table(options: EngineOptions, names: Iterable[str]) -> str:
    """Return a parameter file for these options of an engine, with its defaults as `start`."""
    tables = []
    for name in names:
        option = options[name]
        # Strings, numbers, switches and lists of them are written alike in JSON and TOML.
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in option.table().items()]
        tables.append("\n".join([f"[{json.dumps(option.name, ensure_ascii=False)}]", *lines]))
    return "\n\n".join(tables) + "\n"


# Limits per move

CLOCK = re.compile(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")
MAX = 1_000_000_000


@dataclass(frozen=True)
class Opening:
    """A position, and the moves that are made before the engines play."""

    fen: str = START
    moves: tuple[int, ...] = ()

    def game(self) -> ChessGame:
        game = ChessGame(self.fen)
        for move in self.moves:
            game.make(move)
        return game


@dataclass(frozen=True)
class UciLimit:
    """A limit per move, or a clock: milliseconds for the game, and more for each move."""

    kind: str = "nodes"
    amount: int = 10_000
    increment: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.amount <= MAX or not 0 <= self.increment <= MAX:
            raise ValueError(f"the limit of a chess engine is {self.amount}: it must be 1 to {MAX:,}")

    @classmethod
    def clock(cls, text: str) -> "UciLimit":
        """Return the clock of a text: seconds for the game, and for each move, as 8+0.08."""
        found = CLOCK.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text[:20]!r} is not a clock: write seconds for the game and for each move, as 8+0.08")
        return cls("clock", round(1000 * float(found[1])), round(1000 * float(found[2] or 0)))

    @property
    def seconds(self) -> float:
        """The duration of a move without grace; 0 if unknown."""
        return self.amount / 1000 if self.kind == "movetime" else 0.0

    def go(self, left: tuple[float, float]) -> str:
        """Return the `go` command of UCI, with the seconds that White and Black have left."""
        if self.kind != "clock":
            return f"go {self.kind} {self.amount}"
        white, black = (max(round(1000 * seconds), 1) for seconds in left)
        return f"go wtime {white} btime {black} winc {self.increment} binc {self.increment}"


# A chess engine in a game: its options, its requests, and its time.

SCORE = re.compile(r"\bscore (cp|mate) (-?\d{1,9})\b")
OTHER_LINE = re.compile(r"\bmultipv (?!1\b)\d+")
UNKNOWN_LIMIT = "give it another limit if it does not know this one: --nodes, --depth, --movetime or --clock"


@dataclass(frozen=True)
class PlayResult:
    """Reply of an engine: its move in UCI, its evaluation, and the seconds it took."""

    move: str
    score: int | None
    seconds: float


class UciPlayer:
    """An engine process that is configured again for every game."""

    def __init__(self, command: str, fixed: Mapping[str, str], patience: float):
        self.engine, self.patience = UciEngine(command, patience, own_guard()), patience
        try:
            self.options = engine_options(self.engine)
            self._fixed = self.options.texts(fixed)
        except ValueError:
            self.close()
            raise
        self._now: dict[str, str] = {}

    @property
    def name(self) -> str:
        return self.options.name

    def close(self) -> None:
        self.engine.close()

    def begin(self, values: Mapping[str, object]) -> None:
        """Start a game with these options; those of earlier games that are not among them get their default."""
        wanted = self._fixed | self.options.texts(values)
        for name in self._now.keys() - wanted.keys():
            wanted[name] = self.options[name].default
        for name, text in wanted.items():
            if self._now.get(name) != text:
                self.engine.say(f"setoption name {name} value {text}")
        self._now = wanted
        self.engine.say("ucinewgame")
        self.engine.ready()

    def think(self, position: str, limit: UciLimit, left: tuple[float, float], own: float = 0.0) -> PlayResult:
        """Request a move, and wait for it up to the limit or its `own` time left."""
        asked, score, move = limit.go(left), None, ""
        self.engine.say(position, asked)
        began, patience = self.engine.own_clock(), limit.seconds + own + self.patience
        for line in self.engine.answer(asked, "bestmove", patience, UNKNOWN_LIMIT):
            found = SCORE.search(line) if not OTHER_LINE.search(line) else None
            if found:
                number = int(found[2])
                score = number if found[1] == "cp" else MATE - number if number > 0 else -MATE - number
            elif line.startswith("bestmove"):
                move = " ".join(line.split()[1:2])
        return PlayResult(move, score, self.engine.own_clock() - began)


# Adjudication of a game of two chess engines: by both engines' evaluations, and by a maximum length.
#
# The common rules of testers: fishtest lets an engine resign at an evaluation of -600 hundredths of a pawn for three
# moves, and ends a game as drawn after move 34 if both see at most 20 for eight plies. The rules here are stricter, as
# a tuned engine may have another scale: both must agree, on 1000 and 10, and draws wait for move 40.

RESIGN, DRAW, LONGEST = (
    re.compile(r"resign=(\d{1,6})x(\d{1,3})"),
    re.compile(r"draw=(\d{1,6})x(\d{1,3})@(\d{1,4})"),
    re.compile(r"longest=(\d{1,5})"),
)
NEVER = "none"
USAGE = "write none, or some of resign=1000x3, draw=10x8@40 and longest=600, with commas"


@dataclass(frozen=True)
class AdjudicationRules:
    """The rules by which games end early; 0 moves or plies switch one off."""

    resign_score: int = 1000
    resign_moves: int = 3  # both agree on the score, each in this many moves in a row
    draw_score: int = 10
    draw_plies: int = 8
    # Both see at most this score in this many plies in a row, without a capture or a pawn move, after this move.
    draw_after: int = 40
    longest: int = 600  # plies after which a game is drawn

    @classmethod
    def parse(cls, text: str) -> "AdjudicationRules":
        """Return the rules of a text; those that are not named are off, except the greatest length."""
        chosen = {"resign_moves": 0, "draw_plies": 0}
        for part in text.split(",") if text != NEVER else ():
            if found := RESIGN.fullmatch(part):
                chosen |= {"resign_score": int(found[1]), "resign_moves": int(found[2])}
            elif found := DRAW.fullmatch(part):
                chosen |= {"draw_score": int(found[1]), "draw_plies": int(found[2]), "draw_after": int(found[3])}
            elif (found := LONGEST.fullmatch(part)) and int(found[1]):
                chosen |= {"longest": int(found[1])}
            else:
                raise ValueError(f"{part[:40]!r} is not a rule by which games end early: {USAGE}")
        return cls(**chosen)


@dataclass(frozen=True)
class Ending:
    score: float  # white's: 0, 1/2 or 1
    termination: str  # value of the PGN tag
    reason: str


class Adjudicator:
    """Adjudicator that receives both engines' evaluations and ends the game."""

    def __init__(self, rules: AdjudicationRules):
        self.rules = rules
        self._scores = [deque[int | None](maxlen=max(rules.resign_moves, 1)) for _ in SIDES]
        self._level = 0

    def hear(self, colour: int, score: int | None, ply: int, quiet: int) -> Ending | None:
        """Record the score (for its own side) with which an engine made the move that led to this ply."""
        rules = self.rules
        self._scores[colour].append(score)
        if quiet == 0 or score is None or abs(score) > rules.draw_score or (ply - 1) // 2 < rules.draw_after:
            self._level = 0
        else:
            self._level += 1
        if rules.resign_moves:
            for loser in (0, 1):
                if self._all(loser, -1) and self._all(1 - loser, 1):
                    reason = f"{SIDES[loser]} is lost, as both say"
                    return Ending(float(loser), "adjudication", reason)
        if rules.draw_plies and self._level >= rules.draw_plies:
            return Ending(0.5, "adjudication", "a draw, as both say")
        return Ending(0.5, "adjudication", f"a draw after {ply} plies") if ply >= rules.longest else None

    def _all(self, colour: int, sign: int) -> bool:
        """True if a side has seen itself ahead (1) or behind (-1) by enough for long enough."""
        scores = self._scores[colour]
        enough = self.rules.resign_score
        return len(scores) == self.rules.resign_moves and all(s is not None and sign * s >= enough for s in scores)


# One game of two chess engines with the package's referee, and its PGN.
#
# An engine that plays an illegal move, or none, loses, as does one whose clock has run out. An engine that does not
# answer at all, or exits, is a fault, not a result.

NORMAL, INFRACTION, FORFEIT = "normal", "rules infraction", "time forfeit"


@dataclass(frozen=True)
class Conditions:
    limit: UciLimit = field(default_factory=UciLimit)
    rules: AdjudicationRules = field(default_factory=AdjudicationRules)
    grace: float = 0.1  # seconds that a clock may be overrun, for communication


@dataclass(frozen=True)
class GameOutcome:
    opening: Opening
    moves: tuple[int, ...]  # those of the opening too
    ending: Ending


def play_game(players: Sequence[UciPlayer], opening: Opening, conditions: Conditions) -> GameOutcome:
    """Play a game of White and Black, whose new game was announced to them."""
    game, judge, limit = opening.game(), Adjudicator(conditions.rules), conditions.limit
    has_clock = limit.kind == "clock"
    left = [limit.amount / 1000 if has_clock else 0.0] * 2
    ending: Ending | None = None
    while game.ending is None and ending is None:
        colour = game.turn
        thought = players[colour].think(game.uci_position, limit, (left[0], left[1]), left[colour])
        left[colour] -= thought.seconds
        if has_clock and left[colour] < -conditions.grace:
            ending = Ending(float(colour), FORFEIT, f"the time of {SIDES[colour]} is over")
        else:
            left[colour] = max(left[colour], 0.0) + limit.increment / 1000
            ending = _move(game, thought) or judge.hear(colour, thought.score, game.ply, game.quiet)
    if game.ending is not None:
        ending = Ending(game.score, NORMAL, game.ending)
    assert ending is not None
    return GameOutcome(opening, tuple(game.moves), ending)


def _move(game: ChessGame, thought: PlayResult) -> Ending | None:
    """Make the move of an engine; an illegal one loses the game."""
    side = SIDES[game.turn]
    try:
        move = parse_move(thought.move)
    except ValueError:
        said = f"{thought.move[:20]!r} as its move" if thought.move else "no move"
        return Ending(float(game.turn), INFRACTION, f"{side} gives {said}")
    if move not in game.legal:
        return Ending(float(game.turn), INFRACTION, f"{side} plays {thought.move}, which is illegal")
    game.make(move)
    return None


def write_game(outcome: GameOutcome, names: Sequence[str], values: Sequence[Mapping[str, object]], number: int) -> str:
    """Return a game as PGN; names and parameters are those of White and Black, the number is its seed."""
    ending = outcome.ending
    result = RESULTS[round(2 * ending.score)]
    tags = ROSTER | {"Event": "fogspiel tune", "Round": str(number), "White": names[0], "Black": names[1]}
    tags |= {"Result": result, "PlyCount": str(len(outcome.moves)), "Termination": ending.termination}
    if outcome.opening.fen != START:
        tags |= {"SetUp": "1", "FEN": outcome.opening.fen}
    settings = [", ".join(f"{name} = {value}" for name, value in own.items()) for own in values]
    told = "; ".join(f"{side}: {words}" for side, words in zip(SIDES, settings, strict=True) if words)
    words = [comment(told)] if told else []
    words += [*numbered_moves(outcome.opening.fen, outcome.moves), comment(ending.reason), result]
    return "\n".join(tag_lines(tags)) + "\n\n" + fill_movetext(words) + "\n"


def comment(text: str) -> str:
    return "{" + text.replace("{", "(").replace("}", ")") + "}"
