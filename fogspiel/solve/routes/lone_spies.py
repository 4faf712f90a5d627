"""The Resistance with spies who do not know each other: orders of a coordinator, a double oracle, exact fractions."""

from typing import TYPE_CHECKING

from ..checkers.lone_spies import FORMAT
from ..progress import Options, Progress, Saved, Work
from ..solution import Solution
from . import Proofs, Route, later

if TYPE_CHECKING:
    from ..game_sources import Problem


def solve(problem: "Problem", options: Options, saved: Saved) -> Work:
    """Solve it round by round; every round is a row."""
    from ..checkers.lone_spies import setup_of
    from ..resistance.lone_solution import certificate, exact_solution, rounds
    from ..resistance.lone_spies import lone_game

    yield Progress("listing what the spies can be told")
    game = lone_game(setup_of(problem.name))
    rows = list(saved.rows)
    for growth in rounds(game, saved.rows):
        rows.append(growth.record)
        remark = f"round {growth.number}, {growth.generated[0]} and {growth.generated[1]} sequences"
        yield Progress(remark, 2 * growth.lower - 1, 2 * growth.upper - 1, rows[-1])
    sizes = game.form.sizes | {"rounds": len(rows), "generated": list(rows[-1]["generated"])}
    return Solution.proved("double oracle on orders", sizes, certificate(game, exact_solution(game, rows)))


ROUTES = (
    Route(
        "lone-spies",
        solve,
        exact=True,
        made_for="The Resistance with spies who do not know each other",
        fits=lambda problem: problem.family == "lone-resistance",
        proofs=Proofs(
            FORMAT, later("solve.resistance.lone_words", "follower"), later("solve.resistance.lone_words", "explain")
        ),
    ),
)
