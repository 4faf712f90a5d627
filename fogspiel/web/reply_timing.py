"""Schedule of replies: their times reveal nothing about how they were found.

An opponent whose attempts were refused thinks longer, so the time of its reply would tell what its person must not
know. Every reply is therefore held back to the end of a slot that is fixed by the opponent, counted from the moment at
which the turn began; one that takes longer is held back to twice the slot, four times, eight times, and so on.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

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
