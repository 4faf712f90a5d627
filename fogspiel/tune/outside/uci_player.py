"""A chess engine at the board: its options, what it is asked, and how long it took."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass

from ...core.process_guard import Guard
from ...games.chess.search import MATE
from ...games.chess.uci_engine import UciEngine
from .uci_limits import Limit
from .uci_options import engine_options

SCORE = re.compile(r"\bscore (cp|mate) (-?\d{1,9})\b")
OTHER_LINE = re.compile(r"\bmultipv (?!1\b)\d+")
UNKNOWN_LIMIT = "give it another limit if it does not know this one: --nodes, --depth, --movetime or --clock"


@dataclass(frozen=True)
class Thought:
    """Reply of an engine: its move in UCI, its evaluation, and the seconds it took."""

    move: str
    score: int | None
    seconds: float


class UciPlayer:
    """An engine process that is configured for every game anew."""

    def __init__(self, command: str, fixed: Mapping[str, str], patience: float, guard: Guard):
        self.engine, self.patience = UciEngine(command, patience, guard), patience
        try:
            self.options = engine_options(self.engine)
            self._fixed = self.options.texts(fixed)
        except ValueError:
            self.close()
            raise
        self._now: dict[str, str] = {}

    @property
    def name(self) -> str:
        """Name that the engine reports."""
        return self.options.name

    def close(self) -> None:
        """End the engine."""
        self.engine.close()

    def begin(self, values: Mapping[str, object]) -> None:
        """Begin a game with these options; those of earlier games that are not among them get their default."""
        wanted = self._fixed | self.options.texts(values)
        for name in self._now.keys() - wanted.keys():
            wanted[name] = self.options[name].default
        for name, text in wanted.items():
            if self._now.get(name) != text:
                self.engine.say(f"setoption name {name} value {text}")
        self._now = wanted
        self.engine.say("ucinewgame")
        self.engine.ready()

    def think(self, position: str, limit: Limit, left: tuple[float, float], own: float = 0.0) -> Thought:
        """Ask for a move, and wait for as long as it may take, be it by the limit or by its `own` time left."""
        asked, score, move = limit.go(left), None, ""
        self.engine.say(position, asked)
        began, patience = time.monotonic(), limit.seconds + own + self.patience
        for line in self.engine.answer(asked, "bestmove", patience, UNKNOWN_LIMIT):
            found = SCORE.search(line) if not OTHER_LINE.search(line) else None
            if found:
                number = int(found[2])
                score = number if found[1] == "cp" else MATE - number if number > 0 else -MATE - number
            elif line.startswith("bestmove"):
                move = " ".join(line.split()[1:2])
        return Thought(move, score, time.monotonic() - began)
