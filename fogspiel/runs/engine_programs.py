"""Engines as outside programs: a chess engine that speaks UCI.

What a run keeps are limits and rules of the games, all of them numbers and words of ours. Whatever names a file or a
program, or is handed to one (another engine, openings, fixed options), the user names again; the run keeps a digest.
"""

import hashlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..process.line_process import demand_program, split_command
from ..tuning.programs import uci_worker
from ..tuning.programs.openings import book_content
from ..tuning.programs.parameters import Parameters
from ..tuning.programs.uci_options import options_of
from .programs import ProgramSpec

UCI = "uci"
UCI_FACTS = ("nodes", "movetime", "depth", "clock", "opening_plies", "random_plies", "adjudicate", "seed_option")
CONDITIONS = "conditions"  # the fact that is the digest of what the user names beside the engine
GAME_SECONDS = 600.0  # how long a game of engines may take if the user says nothing


def name_uci(words: str, facts: Mapping[str, Any], more: Sequence[str]) -> ProgramSpec:
    """A chess engine, whose options are its parameters."""
    engine = demand_program(split_command(words))
    asked = [f"--engine={words}", *limit_words(facts, UCI_FACTS), *(word.replace("--uci-", "--", 1) for word in more)]
    uci_worker.table_from(asked)  # refuses what is wrong, and starts nothing
    conditions = _conditions(more)
    if facts.get(CONDITIONS, conditions) != conditions:
        raise ValueError(
            "the run began with another --uci-opponent, other --openings or other fixed options: name them as before"
        )

    def check(parameters: Parameters) -> None:
        options_of(words).demand(parameters)

    return ProgramSpec(
        UCI,
        words,
        digest_of(engine),
        (sys.executable, "-m", uci_worker.__name__, *asked),
        {key: facts[key] for key in UCI_FACTS if facts.get(key) is not None} | {CONDITIONS: conditions},
        seconds=GAME_SECONDS,
        more=tuple(more),
        check=check,
    )


def limit_words(facts: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """Facts as words for a worker; each is one word, so that no value can be taken for an option."""
    return [f"--{key.replace('_', '-')}={facts[key]}" for key in known if facts.get(key) is not None]


def _conditions(more: Sequence[str]) -> str:
    """The digest of what the user names beside the engine; of a file its content counts."""
    parts = []
    for word in more:
        option, _, value = word.partition("=")
        if option == "--openings":
            value = hashlib.sha256(book_content(Path(value))).hexdigest()
        parts.append(f"{option}={value}")
    return digest_of(parts)


def digest_of(words: Sequence[str]) -> str:
    """Return the digest of words."""
    return hashlib.sha256("\0".join(words).encode()).hexdigest()
