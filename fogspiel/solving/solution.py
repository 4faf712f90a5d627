"""Result of solving a game: its value or bounds, the method, and the certificate."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ..core.plugins import former_names
from ..core.untrusted_input import JsonRecord
from .proofs.checkers.primitives import SolutionCertificate

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
    certificate: SolutionCertificate | None
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

    def __repr__(self) -> str:
        proved = "with a certificate" if self.certificate else "without a certificate"
        return f"<Solution: the first player gets {self.words}; by {self.description}, {proved}>"

    def _repr_html_(self) -> str:
        game = f" of {self.certificate['game']}" if self.certificate else ""
        lines = {
            f"value{game}": self.words,
            "bounds": f"{self.lower} to {self.upper}",
            "solver": self.description,
            "certificate": "yes" if self.certificate else "none: the strategies were checked in floating point only",
        }
        cells = (f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in lines.items())
        return f"<table>{''.join(cells)}</table>"


# Progress reports of a solver, and its state for resumption.

if TYPE_CHECKING:
    pass

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


class SolveOptions(NamedTuple):
    """User options of any method."""

    exact: bool = False  # insist on the exact value, as a fraction
    gap: float = 1e-6  # regret minimisation stops when the bounds are this close
    memory: float = DEFAULT_MEMORY
    seed: int = 0  # of methods that sample, like the budgets
    iterations: int | None = None
    seconds: float | None = None  # CPU time


Work = Generator[SolverProgress, None, "Solution"]
