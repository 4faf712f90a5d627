"""Tuning of a Python function in this process, without a store."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..stats.race import Race
from ..tuning.programs.contest import SHARE, FunctionBackend, ProgramContest, Scale
from ..tuning.programs.parameters import Parameters, Value, read_parameters
from ..tuning.tune import DEFAULT_METHOD, search
from .kinds.program import program_proof
from .request import check_seed
from .store import Json
from .tuning_run import validation_json

DEFAULT_GAMES = 20_000


@dataclass(frozen=True)
class FunctionTuneResult:
    """The values that were found, in the user's units, and what is proved about them."""

    parameters: dict[str, Value]
    proof: Json  # score, interval, Elo and counts of pairs against the start, on games that had no part in the search
    games: int
    steps: int
    scale: Scale

    @property
    def proved(self) -> bool:
        """True if the values are proved to be better than the start; otherwise they are the start."""
        return bool(self.proof["proved"])

    def __str__(self) -> str:
        return program_proof(self.proof, self.scale)


def tune_function(
    function: Callable[..., Any],
    parameters: Mapping[str, Mapping[str, Any]] | Parameters | str | Path,
    games: int = DEFAULT_GAMES,
    seed: int = 1,
    method: str = DEFAULT_METHOD,
    race: Race | None = None,
    score_range: tuple[float, float] | None = None,
    alone: bool = False,
) -> FunctionTuneResult:
    """The values for which `function(a, b, seed)`, the score of a against b, is best: called here, one game at a time.

    Parameters are tables by name (`{"margin": {"start": 5, "low": 0, "high": 20}}`) or a file of them. Scores are 0,
    1/2 and 1, or any number in `score_range`; with `alone` the function is `function(a, seed)`.
    """
    space = _space(parameters)
    check_seed(seed)
    if games < 2:
        raise ValueError(f"the budget is {games} games: give two or more")
    scale = Scale(*(score_range or (0.0, 1.0)), graded=score_range is not None, alone=alone)
    program = ProgramContest("the function", space, FunctionBackend(function, scale), scale)
    found = search(program, method, games, seed, race, share=SHARE)
    assert found.final is not None
    proof = validation_json(found.final, scale.payoffs)
    return FunctionTuneResult(space.values(found.answer["theta"]), proof, found.games, found.steps, scale)


def _space(parameters: Mapping[str, Mapping[str, Any]] | Parameters | str | Path) -> Parameters:
    if isinstance(parameters, Parameters):
        return parameters
    return read_parameters(parameters) if isinstance(parameters, str | Path) else Parameters.of(parameters)
