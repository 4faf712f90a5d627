"""From words to contenders: a named strategy, a baseline, numbers, a parameter file or a run."""

import json
import re
from pathlib import Path

from .contender import Contender, fixed, named, names, redrawn, with_parameters
from .game import Game, parameters_of
from .players import Entrant
from .proofs import follower_of_certificate
from .runs import Run, Store
from .solving import METHOD as SOLVE

MOST_BYTES = 1_000_000
RUN_NAME = re.compile(r"(?P<game>[a-z0-9-]+)-\d+")


def entrant(game: Game, words: str, store: Path, seed: int) -> Contender | Entrant:
    """The contender or solution that `words` stand for, or a ValueError that says what they could have been."""
    if words == "fixed":
        return fixed(game, seed)
    if words == "redrawn":
        return redrawn(game)
    if words in names(game):
        return named(game, words)
    numbers = _numbers(words)
    if numbers is not None:
        return with_parameters(game, numbers)
    if _is_file(words):
        return with_parameters(game, _from_file(game, Path(words)), words)
    if RUN_NAME.fullmatch(words):
        with Store.open(store, write=False) as runs:
            run = runs.read(words)
        if run.ask["method"] == SOLVE:
            return solution_of_run(game, run)
        return with_parameters(game, vector_of_run(game, run), words)
    shown = words if len(words) <= 60 else words[:57] + "..."
    raise ValueError(
        f"{shown!r} is not a player of {game.name}: give a name ({', '.join(names(game))}), a run, "
        f"a parameter file, or {len(parameters_of(game))} numbers with commas between them"
    )


def vector_of_run(game: Game, run: Run) -> list[float]:
    """What a run has found so far."""
    if "first" in run.ask:
        raise ValueError(f"run {run.name} is a match, not a player")
    if run.ask["game"] != game.name:
        raise ValueError(f"run {run.name} tuned {run.ask['game']}, not {game.name}")
    for row in reversed(run.rows):
        if "theta" in row.body:
            return row.body["theta"]
    raise ValueError(f"run {run.name} has not found anything yet: resume it with `fogspiel resume {run.name}`")


def solution_of_run(game: Game, run: Run) -> Entrant:
    """Somebody who plays the strategies that a solve found."""
    if run.ask["game"] != game.name or run.ask["rules"] != game.version:
        raise ValueError(f"run {run.name} solved version {run.ask['rules']} of {run.ask['game']}, not {game.name}")
    if run.result is None or run.result["certificate"] is None:
        raise ValueError(f"run {run.name} has no strategies yet: finish it with `fogspiel resume {run.name}`")
    return follower_of_certificate(run.name, run.result["certificate"])


def _numbers(words: str) -> list[float] | None:
    """The numbers of an inline vector, or None where the words are something else."""
    try:
        return [float(word) for word in words.strip("()[] ").split(",")]
    except ValueError:
        return None


def _is_file(words: str) -> bool:
    """Whether the words look like a file: there is one, or they end like one."""
    try:
        return Path(words).exists() or bool(Path(words).suffix)
    except OSError:  # too long for a name
        return False


def _from_file(game: Game, path: Path) -> list[float]:
    """The numbers of a parameter file: JSON (a list, or an object with `theta` and `game`), or plain numbers."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ValueError(f"the parameter file {path} cannot be read: {error.strerror or error}") from None
    if len(content) > MOST_BYTES:
        raise ValueError(f"the parameter file {path} is larger than {MOST_BYTES} bytes: that is no parameter vector")
    try:
        text = content.decode()
        found = json.loads(text) if text.lstrip()[:1] in ("{", "[") else re.split(r"[\s,;]+", text.strip())
    except ValueError:
        raise ValueError(f"the parameter file {path} is neither JSON nor plain numbers") from None
    if isinstance(found, dict):
        if found.get("game", game.name) != game.name:
            raise ValueError(f"the parameter file {path} is for {found['game']}, not for {game.name}")
        found = found.get("theta")
    if not isinstance(found, list):
        raise ValueError(f"the parameter file {path} has no list of numbers (as a list, or under `theta`)")
    try:
        return [float(number) for number in found]
    except (TypeError, ValueError):
        raise ValueError(f"the parameter file {path} has something that is not a number in its vector") from None
