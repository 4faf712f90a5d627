"""Methods of solving, with the solutions, options and progress reports that they share.

The package's own methods are in METHODS, those of slices and plug-ins in METHODS of their files. A method imports what
it needs when it is used, so that all of them can be listed at little cost.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from html import escape
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from ...core import NotFound
from ...core.plugins import ROOT, collect, former_names
from ...core.untrusted_input import JsonRecord
from ..proofs.checkers import permutation, phantom, phantom_bounds, pure_strategies
from ..proofs.checkers.primitives import TABLE_BOUNDS, Certificate, SolutionCertificate

if TYPE_CHECKING:
    from ...core.agents import Agent, PlayerAgent
    from ...core.behaviour_policy import InformationState, Probabilities
    from ...core.game import Game
    from ..policies import PolicyTable
    from ..policies.exploitability import ExploitResult, Watch
    from ..refinement import Behaviours
    from ..sources import GameSource
    from ..tree import Tree
    from .tree import Find

Size = int | list[int] | Mapping[str, int | list[int]]
LONGEST_NUMBER = 60  # longest fraction that is shown in full, in characters


@former_names(as_json="to_json", solver="description")
@dataclass(frozen=True, eq=False, repr=False)
class Solution(JsonRecord):
    """The result of a solve; payoffs are the first player's."""

    KEYS = ("value", "lower", "upper", "exact", "solver", "sizes", "certificate", "score", "interval")

    value: str | float  # a fraction as text where the value is known exactly, else the midpoint of the bounds
    lower: str | float
    upper: str | float
    exact: bool
    description: str  # the method, as text
    sizes: Mapping[str, Size]
    certificate: Certificate | None
    score: float  # the value as a number
    interval: tuple[float, float]  # the bounds as numbers

    @classmethod
    def proved(cls, solver: str, sizes: Mapping[str, Size], proof: SolutionCertificate) -> Self:
        """Return the solution of a certificate: fractions where the bounds meet, else the bounds as numbers."""
        lower, upper = Fraction(proof["lower"]), Fraction(proof["upper"])
        score, interval = float(Fraction(proof["value"])), (float(lower), float(upper))
        if lower == upper:
            return cls(proof["value"], proof["lower"], proof["upper"], True, solver, sizes, proof, score, interval)
        return cls(score, *interval, False, solver, sizes, proof, score, interval)

    @classmethod
    def bounded(cls, solver: str, sizes: Mapping[str, Size], lower: float, upper: float) -> Self:
        value = (lower + upper) / 2
        return cls(value, lower, upper, False, solver, sizes, None, value, (lower, upper))

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        return super().from_json({**body, "interval": tuple(body["interval"])})

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"interval": list(self.interval)}

    @property
    def words(self) -> str:
        if not self.exact:
            return f"{self.score:.9g}, certainly between {self.interval[0]:.9g} and {self.interval[1]:.9g}"
        text = str(self.value)
        number = text if len(text) < LONGEST_NUMBER else f"{text[: LONGEST_NUMBER - 3]}.. "
        return f"exactly {number}" + (f" = {self.score:.12g}" if "/" in number else "")

    @property
    def unproved(self) -> str:
        """The reason why there is no certificate."""
        reason = (
            "it would be too large to check" if self.exact else "the strategies were checked in floating point only"
        )
        return f"there is no certificate: {reason}"

    def __repr__(self) -> str:
        proved = "with a certificate" if self.certificate else "without a certificate"
        return f"<Solution: the first player gets {self.words}; by {self.description}, {proved}>"

    def _repr_html_(self) -> str:
        game = f" of {self.certificate['game']}" if self.certificate else ""
        lines = {
            f"value{game}": self.words,
            "bounds": f"{self.lower} to {self.upper}",
            "solver": self.description,
            "certificate": "yes" if self.certificate else self.unproved,
        }
        cells = (f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in lines.items())
        return f"<table>{''.join(cells)}</table>"


# Progress reports of a solver, and its state for resumption.

# The stored record of one round of a solver, as JSON; each solver with rounds defines its content.
Record = Mapping[str, Any]


class SolverProgress(NamedTuple):
    """Progress of a solver: bounds where there are some, and the state to resume from."""

    remark: str
    lower: float | None = None
    upper: float | None = None
    row: Record | None = None  # a round to be stored permanently
    state: bytes | None = None  # the complete state, which replaces the previous one


class SolverState(NamedTuple):
    rows: Sequence[Record] = ()
    state: bytes | None = None


NO_STATE = SolverState()
DEFAULT_MEMORY = 4.0  # default GiB for a game
# Nodes of a tree up to which its strategies are evaluated in fractions; those of a larger one are certified in units.
EASY_TO_CHECK = 1_000_000


class SolveOptions(NamedTuple):
    exact: bool = False  # insist on the exact value, as a fraction
    gap: float = 1e-6  # regret minimisation stops when the bounds are this close
    memory: float = DEFAULT_MEMORY
    seed: int = 0  # of methods that sample, like the budgets
    iterations: int | None = None
    seconds: float | None = None  # CPU time
    # Refine the strategies of an exact value, against a given opponent or the uniform one; auto: where that is quick.
    refine: str = "auto"
    against: "Callable[[Tree], Behaviours] | None" = None
    safety: Fraction = Fraction(0)  # how much less than the value they may secure


Work = Generator[SolverProgress, None, Solution]
Result = TypeVar("Result")


def run_to_end(steps: Generator[object, None, Result]) -> Result:
    """Return the result of a generator and discard what it yields."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


# The methods.

ROOM = "solving.methods"
AUTO = "auto"


@dataclass(frozen=True)
class CertificateFormat:
    """Operations on certificates of a separate format."""

    format: str
    agent: Callable[[str, Any], "PlayerAgent"]  # a player of that name that follows a certificate
    explain: Callable[[Any, bool], list[str]]  # a certificate as text, in full or the most important part
    # Probabilities of a certificate at every information state, where its strategies are more than plans to draw from.
    probabilities: Callable[[Any], "Probabilities"] | None = None
    # Those of the game's infosets in the order of its tree, where views alone do not tell them.
    on_tree: "Callable[[Any, Tree, Sequence[InformationState]], list[list[Fraction]]] | None" = None


@dataclass(frozen=True)
class SolveMethod:
    name: str
    solve: Callable[["GameSource", SolveOptions, SolverState], Work]  # solve step by step, resuming from a saved state
    help: str = ""  # its line in `fogspiel solve --help`
    exact: bool = False  # true if it can reach the exact value
    # The games that it was made for, as text, for which `auto` selects it; if empty, any game, by its whole tree.
    made_for: str = ""
    iterates: bool = False  # true if a number of iterations may end it
    samples: bool = False  # true if it draws at random, within budgets of iterations and CPU time, and builds no tree
    fits: Callable[["GameSource"], bool] = lambda source: True  # true if it can solve this game
    suits: Callable[["GameSource"], bool] | None = None  # true where `auto` selects it, if that is not `fits`
    proofs: CertificateFormat | None = None  # for certificates that are not those of whole trees
    proofs_elsewhere: tuple[CertificateFormat, ...] = ()  # for certificates of external programs
    # Evaluation of policies where the tree is too large.
    exploit: "Callable[[Game, tuple[Agent, Agent], str, Watch], ExploitResult] | None" = None
    exploit_cost: str = ""  # cost of that, as text
    # The information states of `fogspiel states` where the tree has too many.
    questions: "Callable[[Game], list[InformationState]] | None" = None
    answers: "Callable[[Game, PolicyTable], Probabilities] | None" = None  # the policy of answers to these questions


class NamedGames(NamedTuple):
    """Games of a slice that are solved by name alone; a method of the slice lists them in SOURCES."""

    fit: Callable[[str], bool]  # true if the argument names one of them
    find: Callable[[str], "GameSource | None"]  # None for the name of another game; ValueError rejects it


def lazy_function(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a module of the package, which is imported when the function is called."""
    return lambda *given: getattr(import_module(f"{ROOT}.{module}"), name)(*given)


def tree_method(
    name: str, find: Callable[[ModuleType, SolveOptions], "Find"], help: str, exact: bool, iterates: bool = False
) -> SolveMethod:
    """Return a method for any game, by its whole tree: `find` returns the search of the reduced game."""

    def solve(source: "GameSource", options: SolveOptions, saved: SolverState) -> Work:
        from . import tree

        return tree.solve_tree(source, options, find(tree, options), saved)

    return SolveMethod(name, solve, help, exact, iterates=iterates)


def regret_method(name: str) -> SolveMethod:
    def find(tree: ModuleType, options: SolveOptions) -> "Find":
        most: int | None = options.iterations
        found: Find = tree.by_regrets([name], options.gap) if most is None else tree.by_iterations(name, most)
        return found

    return tree_method(name, find, REGRETS, exact=False, iterates=True)


def learning_method(name: str, find: Callable[[str, float], "Find"], help: str) -> SolveMethod:
    """Return a method that comes nearer to the value until the gap is small enough."""
    return tree_method(name, lambda _, options: find(name, options.gap), help, exact=False)


def fits_plans(source: "GameSource") -> bool:
    """True if the board is small enough for the double oracle over plans, and too large for private histories."""
    if source.family != "phantom":
        return False
    from .pure_oracle import fits

    return fits(source.name)


def fits_private_histories(source: "GameSource") -> bool:
    """True if the form of the game fits into memory."""
    if source.family != "phantom":
        return False
    from .phantom.bilinear_form import solvable_parts

    return solvable_parts(source.name) is not None


def fits_bounds(source: "GameSource") -> bool:
    """True if the game has bounds, and its board is too large for the whole tree."""
    from ..bounds import SMALL, board_of, has_bounds

    return source.family == "phantom" and has_bounds(source.name) and board_of(source.name).cells > SMALL


def suits_bounds(source: "GameSource") -> bool:
    """True if no whole tree of the game fits, so that its bounds are what `auto` should try."""
    from ..bounds import board_of

    return fits_bounds(source) and (phantom_bounds.is_bounded(source.name) or board_of(source.name).cells > WHOLE_TREES)


WHOLE_TREES = 9  # cells of a board whose whole tree may fit


BANDITS = "Matrix games by two players that learn, to compare with: a --gap of 0.001 may take millions of steps."
REGRETS = (
    "Regret minimisation by the method of that name, until the certified gap is small enough; with --iterations so "
    "many of the whole tree, with the bounds after 1, 2, 4, .. of them."
)
SAMPLING = (
    "Monte Carlo regret minimisation straight on the rules, for trees too large to be built; bounds by best responses."
)
by_bandit = lazy_function("solving.methods.normal_form", "by_bandit")
METHODS = (
    tree_method(
        AUTO,
        lambda tree, options: tree.by_whatever_suits(options.gap),
        "The method made for the game if there is one; else lp if the reduced game is small, else regret minimisers.",
        exact=True,
    ),
    tree_method(
        "lp",
        lambda tree, options: tree.by_simplex,
        "Presolve, colour refinement, then the simplex method; a vertex, so exact values can follow.",
        exact=True,
    ),
    *map(regret_method, ("cfr+", "dcfr", "pcfr+")),
    tree_method(
        "double-oracle",
        lambda tree, options: tree.by_growth,
        "Both players' sequences generated when they are needed.",
        exact=False,
    ),
    tree_method(
        "lemke-howson",
        lambda _, options: lazy_function("solving.methods.normal_form", "by_lemke_howson"),
        "Lemke and Howson's algorithm on the normal form, exactly; for games with a few hundred pure strategies each.",
        exact=True,
    ),
    *(
        SolveMethod(name, partial(lazy_function("solving.methods.mccfr", "solve"), name), SAMPLING, samples=True)
        for name in ("external-sampling", "outcome-sampling")
    ),
    SolveMethod(
        "informed-opponent",
        lazy_function("solving.methods.informed_opponent", "solve"),
        "Bounds by an opponent who sees the whole state, where the states can be enumerated and histories cannot.",
        samples=True,
        proofs=CertificateFormat(
            TABLE_BOUNDS,
            lazy_function("solving.methods.tables", "follower"),
            lazy_function("solving.methods.tables", "explain"),
            on_tree=lazy_function("solving.methods.tables", "shares_on_tree"),
        ),
    ),
    SolveMethod(
        "plans",
        lazy_function("solving.methods.pure_oracle", "solve_plans"),
        "Phantom games with many histories: a double oracle over pure strategies up to symmetry, then exactly.",
        exact=True,
        made_for="abrupt and numturns phantom tic-tac-toe and dark hex on 7 to 9 cells, classical on 10 to 12",
        fits=fits_plans,
        proofs=CertificateFormat(
            pure_strategies.FORMAT,
            lazy_function("solving.methods.pure_oracle", "follower"),
            lazy_function("solving.methods.pure_oracle", "explain"),
        ),
    ),
    SolveMethod(
        "private-histories",
        lazy_function("solving.methods.phantom", "solve"),
        "Phantom games: private histories without order, symmetric copies and dominated tries; PCFR+, then exactly.",
        exact=True,
        made_for="phantom tic-tac-toe and dark hex on 7 to 9 cells",
        fits=fits_private_histories,
        proofs=CertificateFormat(
            phantom.FORMAT,
            lazy_function("solving.methods.phantom.policies", "follower"),
            lazy_function("solving.methods.phantom", "explain"),
            lazy_function("solving.methods.phantom.policies", "probabilities_of"),
        ),
        exploit=lazy_function("solving.methods.phantom.policies", "exploit"),
        exploit_cost="about 0.8 GB, and the policy is asked at up to six million information states",
        questions=lazy_function("solving.methods.phantom.policies", "questions"),
        answers=lazy_function("solving.methods.phantom.policies", "answered"),
    ),
    SolveMethod(
        "sure-win",
        lazy_function("solving.bounds", "solve"),
        "Phantom boards: a search for a sure win, then relaxed games, as in `fogspiel bounds`; exactly or not at all.",
        exact=True,
        made_for="classical phantom games on 7 to 16 cells, phantom ponnuki and boards of files up to 25",
        fits=fits_bounds,
        suits=suits_bounds,
        proofs=CertificateFormat(
            phantom_bounds.FORMAT,
            lazy_function("solving.bounds.certificate", "follower"),
            lazy_function("solving.bounds.certificate", "explain"),
        ),
    ),
    SolveMethod(
        "orders",
        lazy_function("solving.methods.permutation", "solve_permutation"),
        "Permutation tic-tac-toe: orders of the cells up to symmetry, found by best responses when they are needed.",
        exact=True,
        made_for="permutation tic-tac-toe",
        fits=lambda source: source.family == "permutation",
        proofs=CertificateFormat(
            permutation.FORMAT,
            lazy_function("solving.methods.permutation", "follower"),
            lazy_function("solving.methods.permutation", "explain"),
        ),
    ),
    SolveMethod(
        "backward-induction",
        lazy_function("solving.methods.backward_induction", "solve"),
        "Games of perfect information: the exact value of every position, on the rules, with a transposition table.",
        exact=True,
        made_for="games of perfect information",
        suits=lazy_function("solving.methods.backward_induction", "suits"),
    ),
    *(learning_method(name, by_bandit, BANDITS) for name in ("grigoriadis-khachiyan", "exp3")),
)


def solve_methods() -> list[SolveMethod]:
    """Return every method, in the order of listings: the package's own, those of slices, then plug-ins."""
    return list(collect(ROOM, "METHODS").values())


def find_solve_method(name: str) -> SolveMethod:
    """Return the method of that name, or raise NotFound with the valid names."""
    for method in solve_methods():
        if method.name == name:
            return method
    plain = [method.name for method in solve_methods() if not method.made_for]
    *special, last = [f"{method.name} for {method.made_for}" for method in solve_methods() if method.made_for]
    raise NotFound(f"there is no method {name!r}: it is {', '.join([*plain, *special])}, or {last}")


def choose_solve_method(name: str, source: "GameSource") -> SolveMethod:
    """Return the method of that name for this game; `auto` is the one made for the game, if there is one."""
    method = find_solve_method(name)
    if name == AUTO:
        special = (one for one in solve_methods() if one.made_for and (one.suits or one.fits)(source))
        return next(special, method)
    if not method.fits(source):
        raise ValueError(f"--method {name} is for {method.made_for}, not for {source.name}")
    return method


def method_with(operation: str, game: "Game") -> SolveMethod | None:
    """Return the method for a game that has this operation of its own, if there is one."""
    from ..sources import KernelSource

    source = KernelSource(game, game.name)
    return next((method for method in solve_methods() if getattr(method, operation) and method.fits(source)), None)


def proofs_of(wanted: str | None) -> CertificateFormat | None:
    """Return the operations on certificates of this format, if it is not that of whole trees."""
    found = (proofs for method in solve_methods() for proofs in (method.proofs, *method.proofs_elsewhere) if proofs)
    return next((proofs for proofs in found if proofs.format == wanted), None)
