"""One tuning from its first step to the end of its budget, without a store."""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from ..core.agents import Policy, policy_of
from ..core.game import Game
from ..core.heartbeat import beat
from ..core.own_games import bring_game
from ..stats.race import Race
from .arena import Arena, Budget, BudgetSpent
from .methods import find_method
from .step import Step

USUAL_GAMES = 500_000


class Tuned(NamedTuple):
    """What was found, and what it cost."""

    policy: Policy
    games: int
    steps: int


def steps_of(method: str, arena: Arena) -> Iterator[Step]:
    """What the method does until its budget is spent."""
    with suppress(BudgetSpent):
        yield from find_method(method)(arena)


def tune_strategy(
    game: Game | str,
    method: str = "iterative",
    games: int = USUAL_GAMES,
    seed: int = 1,
    race: Race | None = None,
    baseline: str = "fixed",
    observation: str = "pair",
) -> Tuned:
    """What the method finds for its budget of games; nothing is stored, and no other games measure it."""
    arena = Arena(
        game=bring_game(game) if isinstance(game, str) else game,
        seed=seed,
        race_rule=race or Race(),
        baseline_name=baseline,
        budget=Budget(games),
        observation=observation,
        on_batch=lambda arena, event: beat(),
    )
    answer, steps = Step(arena.start, accepted=False).answer, 0
    for step in steps_of(method, arena):
        beat()
        answer, steps = step.answer, steps + 1
    return Tuned(policy_of(arena.game, answer), arena.games, steps)
