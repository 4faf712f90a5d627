"""The Resistance. Its set-ups are read without its rules, which need Numba, by the checker of its certificates."""

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "GAMES":
        raise AttributeError(f"the folder of The Resistance has no {name!r}")
    from ...core.game import equip
    from . import look
    from .rules import GAMES

    equip(GAMES, look)
    return GAMES
