"""The routes to a solution: each is listed in ROUTES by a file of this folder, of `phantom.routes`, or of a plug-in.

The docstring of the file is the help text. A file imports what its routes need when they are used, so that all of them
can be looked through at little cost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...core.plugins import collect
from ..solution import SolveOptions, SolverState, Work

if TYPE_CHECKING:
    from ...core.agents import Agent, PlayerAgent
    from ...core.behaviour_policy import InformationState, Probabilities
    from ...core.game import Game
    from ..policies.exploitability import ExploitResult, Watch
    from ..policies.policy_files import PolicyTable
    from ..sources import GameSource
    from .tree import Find

ROOMS = ("solve.routes", "phantom.routes")
AUTO = "auto"
FIRST = (
    AUTO,
    "lp",
    "cfr+",
    "dcfr",
    "pcfr+",
    "double-oracle",
    "lemke-howson",
    "external-sampling",
    "outcome-sampling",
    "knowledge-trees",
    "plans",
    "private-histories",
)  # the order of listings, in which `auto` looks for a route; any other route comes last


@dataclass(frozen=True)
class CertificateFormat:
    """Operations on certificates of a separate format."""

    format: str
    agent: Callable[[str, Any], "PlayerAgent"]  # an agent of that name that plays by a certificate
    explain: Callable[[Any, bool], list[str]]  # a certificate in words, with everything in it or the most important
    # What a certificate says at every information state, where its strategies are not only plans to be drawn from.
    probabilities: Callable[[Any], "Probabilities"] | None = None


@dataclass(frozen=True)
class SolveMethod:
    """A way to solve games."""

    name: str
    solve: Callable[["GameSource", SolveOptions, SolverState], Work]  # solve step by step, going on from what was saved
    exact: bool = False  # true if it can come to the exact value
    # The games that it was made for, in words, and `auto` takes it for; if empty, any game, by its whole tree.
    made_for: str = ""
    """The games that it was made for, in words, and `auto` takes it for; if empty, any game, by its whole tree."""
    samples: bool = False
    """Whether it draws at random, within budgets of iterations and CPU time, and builds no tree."""
    fits: Callable[["GameSource"], bool] = lambda problem: True
    """Whether it can solve this game."""
    proofs: CertificateFormat | None = None
    """For certificates that are not those of whole trees."""
    proofs_elsewhere: tuple[CertificateFormat, ...] = ()
    """For certificates that programs outside the package make."""
    exploit: "Callable[[Game, tuple[Agent, Agent], str, Watch], ExploitResult] | None" = None
    exploit_cost: str = ""  # what that takes, in words
    # The information states that `fogspiel questions` asks for where the tree has too many.
    questions: "Callable[[Game], list[InformationState]] | None" = None
    answers: "Callable[[Game, PolicyTable], Probabilities] | None" = None  # how answers to these questions are followed


def trees() -> ModuleType:
    """Return the tree searches, imported on demand."""
    from . import tree

    return tree


def lazy_function(module: str, name: str) -> Callable[..., Any]:
    """A function of a module of the package, which is imported when the function is called."""
    return lambda *given: getattr(import_module(f"fogspiel.{module}"), name)(*given)


def tree_route(name: str, find: Callable[[SolveOptions], "Find"], exact: bool = False) -> SolveMethod:
    """A route for any game, by its whole tree: `find` says, given the options, how to search the reduced game."""

    def solve(problem: "GameSource", options: SolveOptions, saved: SolverState) -> Work:
        from .tree import solve_tree

        return solve_tree(problem, options, find(options), saved)

    return SolveMethod(name, solve, exact)


def solve_methods() -> list[SolveMethod]:
    """Every route, in the order in which they are listed."""
    found: dict[str, SolveMethod] = {}
    for room in ROOMS:
        found |= collect(room, "ROUTES")
    return [found[name] for name in dict.fromkeys([*FIRST, *found]) if name in found]


def find_solve_method(name: str) -> SolveMethod:
    """The route of that name, or a ValueError that lists them."""
    for route in solve_methods():
        if route.name == name:
            return route
    plain = [route.name for route in solve_methods() if not route.made_for]
    *special, last = [f"{route.name} for {route.made_for}" for route in solve_methods() if route.made_for]
    raise ValueError(f"there is no method {name!r}: it is {', '.join([*plain, *special])}, or {last}")


def choose_solve_method(name: str, problem: "GameSource") -> SolveMethod:
    """The route of that name for this game; `auto` is the one that was made for the game, if there is one."""
    route = find_solve_method(name)
    if name == AUTO:
        return next((special for special in solve_methods() if special.made_for and special.fits(problem)), route)
    if not route.fits(problem):
        raise ValueError(f"--method {name} is for {route.made_for}, not for {problem.name}")
    return route


def proofs_of(wanted: str | None) -> CertificateFormat | None:
    """What there is to do with certificates of this format, if it is not that of whole trees."""
    found = (proofs for route in solve_methods() for proofs in (route.proofs, *route.proofs_elsewhere) if proofs)
    return next((proofs for proofs in found if proofs.format == wanted), None)
