"""Schedule of replies: their times reveal nothing about how they were found.

An opponent whose attempts were refused thinks longer, so the time of its reply would tell what its person must not
know. Every reply is therefore held back to the end of a slot that is fixed by the opponent, counted from the moment at
which the turn began; one that takes longer is held back to twice the slot, four times, eight times, and so on.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from fastapi import HTTPException

from ..core.game import Game, nothing_hidden
from ..core.page_contract import play_support
from ..runs.agent_parser import engines_of

Slots = Callable[[Game, str], float]  # the slot, in seconds, of the opponent of a game that some words stand for
QUICK_SECONDS = 0.1  # the slot of a strategy, whose turn takes some milliseconds with all its attempts
# The slot of an engine: what beliefs and the last attempt may take, and the time for its turn with some to spare.
ENGINE_SECONDS, ENGINE_SHARE = 0.4, 1.25
# From so many slots on the time grows by this factor only: a kernel that is compiled takes long enough as it is.
LONG, LONGER = 8, 1.25
# Turns of a game that decide on its slot, and how many do not at its beginning, when kernels may be compiled.
LATEST, FIRST = 16, 2


def is_thinker(game: Game, words: str) -> bool:
    """True if an opponent is an engine that searches: it thinks for a while and takes memory."""
    name = words.partition("@")[0]
    return name in engines_of(game) and name not in play_support(game).simple


def slot_seconds(game: Game, words: str) -> float:
    """The slot of an opponent; none where both sides see everything."""
    if game.resample is nothing_hidden:
        return 0.0
    if not is_thinker(game, words):
        return QUICK_SECONDS
    return ENGINE_SECONDS + ENGINE_SHARE * (play_support(game).effort_of(words).seconds or 0)


@dataclass
class ReplySchedule:
    """The slots of one game: longer ones are kept to where turns are long again and again, as with many nodes."""

    slot: float
    # The slots that the latest turns needed.
    _latest: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))
    _turns: int = 0

    def wait_seconds(self, seconds: float, usual: bool = True) -> float:
        """Return the delay of a reply that took this many seconds; a turn is remembered, but for one that is not usual
        because kernels are compiled, which has a long slot of its own."""
        if self.slot == 0:
            return 0.0
        needed = self.slot if usual else LONG * self.slot
        while needed < seconds:
            needed *= 2 if needed < LONG * self.slot else LONGER
        # the second longest, so that one slow turn on a busy machine slows no others down
        before = sorted(self._latest)[-2] if len(self._latest) > 1 else self.slot
        self._turns += 1
        if self._turns > FIRST and usual:
            self._latest.append(needed)
        return max(needed, before) - seconds


# Threads for opponents that think, shared fairly: quick ones have their own, and every client has its turn.

Work = Callable[[], None]
# How many opponents may wait for a thread; who comes later is asked to try again.
MAX_WAITING, MAX_OF_A_CLIENT = 64, 32


class FairThreadPool:
    """A few threads that take work from each client in turn."""

    def __init__(self, name: str, threads: int):
        self._pool = ThreadPoolExecutor(threads, name)
        self._waiting: OrderedDict[str, deque[tuple[Work, Future[None]]]] = OrderedDict()
        self._lock = threading.Lock()

    def submit(self, client: str, work: Work) -> Future[None]:
        """Work for a client, which may have to wait, or 429."""
        done: Future[None] = Future()
        with self._lock:
            own = self._waiting.get(client, deque())
            if len(own) >= MAX_OF_A_CLIENT or sum(map(len, self._waiting.values())) >= MAX_WAITING:
                raise HTTPException(429, "too many opponents are thinking: try again in a moment")
            own.append((work, done))
            self._waiting[client] = own
        self._pool.submit(self._work_on_next)
        return done

    def _work_on_next(self) -> None:
        """Do what has waited longest of the client whose turn it is."""
        with self._lock:
            client, own = self._waiting.popitem(last=False)
            work, done = own.popleft()
            if own:
                self._waiting[client] = own
        try:
            work()
        finally:
            done.set_result(None)

    def close(self) -> None:
        """Begin no more work, and wait for what has begun."""
        self._pool.shutdown(cancel_futures=True)
