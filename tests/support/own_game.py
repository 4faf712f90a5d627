"""A game file of a user: rock-paper-scissors of the package, importing from the package by its name."""

from pathlib import Path

import fogspiel

OWN_RPS = (
    (Path(fogspiel.__file__).parent / "games" / "rps" / "rules.py")
    .read_text()
    .replace("from ...core", "from fogspiel.core")
    .replace("from ..shared", "from fogspiel.games.shared")
)
