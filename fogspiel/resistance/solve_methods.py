"""Methods of solving The Resistance."""

from dataclasses import replace
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
from .checkers.lone_spies import PREFIX, check_lone
from .checkers.resistance import FORMAT
from .game import VERSION, find_setup, is_playable, is_unofficial, is_variant, name_of, named_game

# The Resistance: knowledge trees up to relabelling, plans generated on demand.

if TYPE_CHECKING:
    from ..solving.sources import GameSource

LONE = "lone-resistance"


def solve(problem: "GameSource", options: SolveOptions, saved: SolverState) -> Work:
    """Solve The Resistance round by round; every round is a row. Openings that are too large get the rules' bounds."""
    from .certificate import steps
    from .orbits import spy_rule, team_rule
    from .variants import TooManyDecisions, opening

    setup = find_setup(problem.name)
    try:
        game = opening(setup)
    except TooManyDecisions:
        lower, upper = (2 * rule(setup).wins - 1 for rule in (team_rule, spy_rule))
        yield SolverProgress("the rules of both teams", float(lower), float(upper))
        found = Solution.bounded(
            "the rules of both teams, as the linear program is too large", {}, float(lower), float(upper)
        )
        return (
            replace(found, value=str(lower), lower=str(lower), upper=str(upper), exact=True)
            if lower == upper
            else found
        )
    rows = list(saved.rows)
    for step in steps(setup, saved.rows):
        rows.append({key: value for key, value in step.to_json().items() if key != "seconds"})
        yield SolverProgress(f"round {step.number}, {step.rows} plans", step.lower, step.upper, rows[-1])
    infosets = [len(game.infosets) + len(game.tails), len(game.spy_parent)]
    sizes = {"spy_sets": game.total, "infosets": infosets, "rounds": len(rows), "plans": rows[-1]["rows"]}
    return Solution.proved("lazy plans on knowledge trees", sizes, rows[-1]["certificate"])


def find_variant(words: str) -> "GameSource | None":
    """Return the variant of this name, as a game with a tree if it can be played; lone spies are rejected."""
    if words.startswith(LONE):
        check_lone(words, find_setup(words.removeprefix(PREFIX)))
        raise ValueError(
            f"{words} is solved by benchmarks/lone_spies.py of fogspiel's repository; `verify` and `explain` take its "
            "certificates"
        )
    if not is_variant(words) and not is_unofficial(words):
        return None
    from ..solving.sources import KernelSource, NamedSource

    name = name_of(find_setup(words))
    game = named_game(name) if is_playable(find_setup(name)) else None
    # Otherwise only its numbers: no kernels play it, and only the method for knowledge trees can solve it.
    return KernelSource(game, name) if game else NamedSource(name, VERSION, "resistance", "a variant of this size")


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
            FORMAT,
            lazy_function("resistance.player", "follower"),
            lazy_function("resistance.explain", "explain"),
            lazy_function("resistance.player", "probabilities_of"),
        ),
    ),
)
SOURCES = {"variants of The Resistance": NamedGames(lambda name: is_variant(name) or is_unofficial(name), find_variant)}
