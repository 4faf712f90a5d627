"""The names of what the package lists in its rooms, known without importing any of it.

They stand in `names.json`, which `python -m support.golden_records` (in `tests`) writes and a test compares with what
is listed. They serve refusals and the completion of words in a shell; whatever is found is found by `plugins`.
"""

import json
from collections.abc import Collection
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from .foreign_data import SHOWN, shorten
from .plugins import package_modules, takes_more

FILE = Path(__file__).with_name("names.json")


@cache
def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def listed(room: str) -> list[str] | None:
    """The names in a room, in the order of listings; None where files or packages that were added may list others."""
    recorded = _recorded()[room]
    if takes_more(room) or package_modules(room) != recorded["modules"]:
        return None
    return list(recorded["names"])


def listed_players(game: str) -> list[str] | None:
    """The names of a game's strategies; None where files or packages that were added may list others."""
    if listed("games") is None:
        return None
    players: dict[str, str] = _recorded()["games"]["players"]
    return players.get(game, "").split()


def unknown(what: str, name: str, known: Collection[str]) -> ValueError:
    """What is said of a name that is not known, with those that look like it."""
    near = get_close_matches(name[:SHOWN], known, n=3)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return ValueError(f"there is no {what} {shorten(name)}: {meant}there are {', '.join(known)}")


def check_listed(room: str, what: str, name: str) -> None:
    """Refuse a name that surely nothing in a room has."""
    known = listed(room)
    if known is not None and name not in known:
        raise unknown(what, name, known)
