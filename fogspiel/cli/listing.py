"""Things found by discovery, for the help of commands."""

import sys

from ..core.plugins import collect, help_of


def listing(title: str, room: str, attribute: str) -> str | None:
    """List the names in a room with a line of help each; None unless help is asked for, since all are imported."""
    if "--help" not in sys.argv[1:]:
        return None
    lines = (
        f"{name}: {getattr(thing, 'help', '') or help_of(thing)}" for name, thing in collect(room, attribute).items()
    )
    return "\n\n".join([title, *lines])
