"""One of our engines as a program that speaks the engine protocol."""

from collections.abc import Callable, Iterable

import numpy as np

from ..core.agents import Player
from ..games.kriegspiel.words import attempt_name
from .engine import Effort, Maker
from .preparation import play_trial
from .protocol_lines import HELLO, READY, SIDE_WORDS, Listener, house_in, pairs_in


def serve(name: str, maker: Maker, lines: Iterable[str], say: Callable[[str], None]) -> None:
    """Answer a referee until it says `quit` or nothing more; a line that cannot be read is a ValueError."""
    player: Player | None = None
    listener = Listener(0)
    for line in lines:
        word, *rest = line.split() or [""]
        try:
            if word == "quit":
                return
            if word == "kriegspiel":
                play_trial(maker)
                say(f"id name fogspiel {name}")
                say(READY)
            elif word == "new":
                player, listener = _begin(maker, pairs_in(rest))
            elif word == "go":
                if player is None:
                    raise ValueError("no game has begun")
                say(f"attempt {attempt_name(player.choose(listener.seen.copy(), list(listener.actions)))}")
            else:
                listener.hear(word, rest)
        except (ValueError, LookupError) as error:
            reason = f"there is no {error.args[0]!r}" if isinstance(error, KeyError) else error
            raise ValueError(
                f"the referee has said {line.strip()[:80]!r}, which cannot be followed ({reason}): "
                f"it must speak the protocol {HELLO}"
            ) from None


def _begin(maker: Maker, given: dict[str, str]) -> tuple[Player, Listener]:
    """A player for the game that a `new` line describes."""
    house = house_in(given)
    side, threads = SIDE_WORDS.index(given["side"]), int(given.get("threads", 1))
    if "nodes" in given:
        effort = Effort(nodes=int(given["nodes"]), threads=threads)
    else:
        effort = Effort(seconds=int(given["movetime"]) / 1000, threads=threads)
    player = maker(effort, np.array([int(given.get("seed", 1))], np.uint64))
    player.begin(side)
    return player, Listener(side, house.bits)
