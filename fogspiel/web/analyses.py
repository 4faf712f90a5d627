"""Analyses of Kriegspiel in the background: one at a time, turn by turn, as long as somebody asks for them.

An analysis whose page has gone away stops after the turn that is under way; if it is asked for again, it goes on from
there. All of them use nodes and one seed, so that an answer follows from the views that it is made of and from nothing
else.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypedDict

from fastapi import HTTPException

from ..kriegspiel.analysis import PositionAnalysis, keep_best
from . import JsonObject

LOG = logging.getLogger(__name__)
MOST_KEPT, MOST_WAITING = 16, 8
"""Analyses that are remembered, and how many of them may be under way."""
PATIENCE = 6.0
"""Seconds after which an analysis that nobody asks for stops."""
SHOWN = 8
"""Attempts per turn that are sent, besides what was tried."""
MAPS = ("king", "pawn", "piece")
Beginning = Callable[[], Iterator[PositionAnalysis]]


class AnalysisJson(TypedDict):
    """How far an analysis has come, with the positions that were asked for."""

    engine: str
    done: int
    total: int
    finished: bool
    trouble: str | None
    positions: list[JsonObject]


@dataclass
class AnalysisJob:
    """An analysis under way."""

    positions: Iterator[PositionAnalysis]
    engine: str
    total: int
    found: list[JsonObject] = field(default_factory=list)
    finished: bool = False
    trouble: str | None = None
    running: bool = False
    asked: float = 0.0
    """When somebody last asked for it."""

    @property
    def wanted(self) -> bool:
        """Whether somebody still waits for it."""
        return time.monotonic() < self.asked + PATIENCE


class Analyses:
    """One thread that analyses, and the latest analyses by key."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "analysis")
        self._lock = threading.Lock()
        self._works: OrderedDict[Hashable, AnalysisJob] = OrderedDict()
        self._closed = False

    def look(self, key: Hashable, engine: str, total: int, begin: Beginning, after: int = 0) -> AnalysisJson:
        """How far the analysis with this key has come, from a position on; it is begun or taken up if need be."""
        with self._lock:
            work = self._works.get(key)
            if work is None:
                work = self._works[key] = AnalysisJob(begin(), engine, total)
            self._works.move_to_end(key)
            work.asked = time.monotonic()
            if not work.finished and not work.running:
                if sum(other.running for other in self._works.values()) >= MOST_WAITING:
                    raise HTTPException(429, "too many games are being analysed: try again in a moment")
                work.running = True
                self._pool.submit(self._go_on, work)
            for old in list(self._works)[: max(len(self._works) - MOST_KEPT, 0)]:
                if not self._works[old].running:
                    del self._works[old]
            found = work.found[after:]
            return AnalysisJson(
                engine=work.engine,
                done=len(work.found),
                total=max(work.total, len(work.found)),
                finished=work.finished,
                trouble=work.trouble,
                positions=found,
            )

    def stop(self, keys: Callable[[Hashable], bool]) -> None:
        """Nobody waits any more for analyses with such keys."""
        with self._lock:
            for key, work in self._works.items():
                if keys(key):
                    work.asked = -PATIENCE

    def _go_on(self, work: AnalysisJob) -> None:
        """Analyse one position after the other while somebody waits."""
        try:
            while work.wanted and not self._closed:
                position = next(work.positions, None)
                if position is None:
                    work.finished = True
                    return
                work.found.append(position_json(position))
        except Exception:  # the page hears that much and no more, and the server goes on
            LOG.exception("an analysis cannot go on")
            work.finished, work.trouble = True, "this game cannot be analysed any further"
        finally:
            work.running = False

    def close(self) -> None:
        """Analyse nothing more."""
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)


def position_json(position: PositionAnalysis) -> JsonObject:
    """A position as the page shows it: the best attempts, and the three maps of the belief."""
    found = keep_best(position, SHOWN).to_json()
    belief = [position.belief[kind] for kind in MAPS] if position.boards else None
    return {**found, "turn": position.turn, "best": position.best, "belief": belief}
