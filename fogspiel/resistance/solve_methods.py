"""Methods of solving The Resistance."""

from typing import TYPE_CHECKING

from ..solving.methods import (
    CertificateFormat,
    NamedGames,
    Solution,
    SolveMethod,
    SolveOptions,
    SolverProgress,
    SolverState,
    Work,
    lazy_function,
)
from .checkers.lone_spies import FORMAT as LONE_FORMAT
from .checkers.resistance import FORMAT
from .game import VERSION, find_setup, is_variant, name_of

# The Resistance: knowledge trees up to relabelling, plans generated on demand.

if TYPE_CHECKING:
    from ..solving.sources import GameSource

LONE = "lone-resistance"


def solve(problem: "GameSource", options: SolveOptions, saved: SolverState) -> Work:
    """Solve The Resistance round by round; every round is a row."""
    from .certificate import steps
    from .variants import opening

    setup = find_setup(problem.name)
    rows = list(saved.rows)
    for step in steps(setup, saved.rows):
        rows.append({key: value for key, value in step.to_json().items() if key != "seconds"})
        yield SolverProgress(f"round {step.number}, {step.rows} plans", step.lower, step.upper, rows[-1])
    game = opening(setup)
    infosets = [len(game.infosets) + len(game.tails), len(game.spy_parent)]
    sizes = {"spy_sets": game.total, "infosets": infosets, "rounds": len(rows), "plans": rows[-1]["rows"]}
    return Solution.proved("lazy plans on knowledge trees", sizes, rows[-1]["certificate"])


def find_variant(words: str) -> "GameSource | None":
    """Return the variant of this name; variants with lone spies are rejected."""
    if words.startswith(LONE):
        raise ValueError(
            f"{words} is solved by benchmarks/lone_spies.py of fogspiel's repository; `verify` and `explain` take its "
            "certificates"
        )
    if not is_variant(words):
        return None
    from ..solving.sources import NamedSource

    # Only its numbers: no kernels play it, and only the method for knowledge trees can solve it.
    return NamedSource(name_of(find_setup(words)), VERSION, "resistance", "a variant of The Resistance")


METHODS = (
    SolveMethod(
        "knowledge-trees",
        solve,
        __doc__ or "",
        exact=True,
        made_for="The Resistance",
        proofs_elsewhere=(
            CertificateFormat(
                LONE_FORMAT,
                lazy_function("resistance.explain", "follower"),
                lazy_function("resistance.explain", "explain_lone_spies"),
            ),
        ),
        fits=lambda source: source.family == "resistance",
        proofs=CertificateFormat(
            FORMAT, lazy_function("resistance.player", "follower"), lazy_function("resistance.explain", "explain")
        ),
    ),
)
SOURCES = {"variants of The Resistance": NamedGames(is_variant, find_variant)}
