"""The Resistance. Its set-ups are read without its rules, which need Numba, by the checker of its certificates."""

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "GAMES":
        raise AttributeError(f"the folder of The Resistance has no {name!r}")
    from .rules import GAMES

    return GAMES
