"""What requests have in common: the game and its version, and agents that are kept as numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from .. import __version__
from ..core.agents import Agent, PolicyJson, decode_policy_or_none, encode_policy, policy_json_in
from ..core.game import Game, known_game
from .store import Json, Run

Shape = Mapping[str, Any]
"""Types of JSON values by key: `int`, `[int]` for a list, a dictionary for an object, `(int,)` where None will do."""
MOST_INTEGER = 2**63
NUMBERS = {"theta": ([float],), "thetas": ([[float]],), "weights": ([float],), "digest": (str,)}
"""Of an agent that is kept as numbers."""


def asks(**shapes: Any) -> dict[str, Any]:
    """Return the shape of a request with these keys, and with the versions that every request has."""
    return {"rules": int | str, "fogspiel": str} | shapes


def fits(value: object, shape: Any) -> bool:
    """True if a JSON value has the types that a shape demands."""
    if isinstance(shape, tuple):
        return value is None or fits(value, shape[0])
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(member, shape[0]) for member in value)
    if isinstance(shape, Mapping):
        return isinstance(value, dict) and value.keys() <= shape.keys() and all(
            fits(value.get(key), inner) for key, inner in shape.items()
        )  # fmt: skip
    if isinstance(value, bool):
        return shape is bool
    if isinstance(value, int):
        return isinstance(0, int if shape is float else shape) and abs(value) < MOST_INTEGER
    return isinstance(value, shape)


def versions(game: str) -> Json:
    """What the rows of a run depend on beside what was asked."""
    return {"rules": known_game(game).version, "fogspiel": __version__}


def game_of_run(run: Run) -> Game:
    """The game of a stored run, whose rules may be in a file that the user has to name."""
    try:
        return known_game(run.ask["game"])
    except ValueError:
        if isinstance(run.ask.get("rules"), int):
            raise
        raise ValueError(
            f"the rules of run {run.name} ({run.ask['game']}) are in a file, which is used only if you name it: "
            "add --game FILE"
        ) from None


_functions: set[str] = set()
"""The functions of Python files that the user has named in this process."""


@dataclass(frozen=True)
class StoredAgent:
    """An agent as a request keeps it: its words, and its numbers where it has some, for a file or a run may change."""

    words: str
    numbers: PolicyJson
    named: bool = field(default=False, compare=False)
    """Whether the words are the user's own in this command, so that a function that they name may be run."""

    @classmethod
    def of(cls, game: Game, words: str, store: Path, seed: int) -> Self:
        """The agent that the words stand for, or a ValueError that says what they could have been."""
        from .agent_texts import parse_agent

        _functions.add(words)
        return cls(words, encode_policy(game, parse_agent(game, words, store, seed)), True)

    @classmethod
    def from_json(cls, words: str, numbers: Mapping[str, Any]) -> Self:
        """The agent of these words whose numbers a request keeps, perhaps among other things."""
        return cls(words, policy_json_in(numbers), words in _functions)

    def agent(self, game: Game, store: Path, seed: int) -> Agent:
        """The agent itself; solved runs and names have no numbers and are looked up again."""
        from .agent_texts import names_function, parse_agent

        if names_function(self.words) and not self.named:
            raise ValueError(
                f"{self.words} is a function of a Python file, which is run only where you name it: begin anew with it"
            )
        agent = decode_policy_or_none(game, self.numbers, self.words) or parse_agent(game, self.words, store, seed)
        if self.numbers.get("digest") != encode_policy(game, agent).get("digest"):
            raise ValueError(f"{self.words} has changed since the run began: put the old file back, or begin a new run")
        return agent
