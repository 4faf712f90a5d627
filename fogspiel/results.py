"""Results of the Python API, with conversions to text, dictionaries, JSON, tables and charts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from .core import BadInput, agents
from .core.agents import ParametricPolicy
from .core.find import load_game
from .runs.kinds.program import FunctionTuneResult
from .runs.report import Chart, Curve, CurvePoint, Report, Series, trail_chart, write_report
from .runs.store import Json
from .solving.policies.exploitability import ExploitResult
from .stats.evaluate import MatchResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

SHOWN_BITS = 200  # of the largest denominator that is shown in full
SEATS = ("first seat", "second seat")


class Result:
    """Conversions and the chart that results share; a result defines its rows and its chart."""

    def rows(self) -> list[dict[str, Any]]:
        """Return the lines of the table that `to_pandas` makes."""
        return [self.to_dict()]

    def chart(self) -> Chart | None:
        """Return the chart that `plot` draws; None where there is nothing to draw."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dictionary; exact numbers are fractions, a policy is an object."""
        return {name: getattr(self, name) for name in self._keys}

    _keys: tuple[str, ...] = ()  # of the dictionary

    def to_json(self) -> dict[str, Any]:
        """Return the result as a dictionary for JSON: exact numbers are texts."""
        return {key: _plain(value) for key, value in self.to_dict().items()}

    def to_pandas(self) -> "DataFrame":
        """Return the result as a pandas table; requires pandas."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise BadInput("pandas is not installed: pip install 'fogspiel[tables]'") from None
        return DataFrame(self.rows())

    def plot(self, file: str | Path | None = None) -> "Figure":
        """Draw the result with matplotlib, the extra `paper`.

        Parameters:
            file: Where to save the picture, as .png, .svg or .pdf; not saved by default.

        Returns:
            The figure.
        """
        if not isinstance(file, str | Path | None):
            raise BadInput(f"{file!r} is not a file: give its name, such as result.png")
        try:
            from matplotlib import style
        except ImportError:
            raise BadInput("matplotlib is not installed: pip install 'fogspiel[paper]'") from None
        from .runs.report.html_page import COLOURS, LOOK, draw_figure

        chart = self.chart()
        if chart is None:
            raise BadInput("there is nothing to draw: no step of this run has a number of its own")
        names = [series.name for series in chart.series]
        with style.context(["default", LOOK]):
            figure: Figure = draw_figure([chart], dict(zip(names, COLOURS, strict=False)))
            if file is not None:
                try:
                    figure.savefig(file, dpi=150)
                except (ValueError, OSError) as error:  # a suffix that matplotlib does not support, or no such folder
                    raise BadInput(f"{file} cannot be written: {error}") from None
        return figure

    @classmethod
    def of(cls, found: Any) -> Self:
        """Convert a record of an inner package, from which this class inherits, to a result."""
        return cls(**{each.name: getattr(found, each.name) for each in fields(found)})


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def show_number(value: Fraction | float) -> str:
    """Return a number as text: a fraction and its decimals, if it is short enough."""
    if not isinstance(value, Fraction) or value.denominator.bit_length() > SHOWN_BITS:
        return f"{float(value):.9g}"
    return str(value) if value.denominator == 1 else f"{value} = {float(value):.9g}"


class Trail(NamedTuple):
    """The points of a run, a point per step, with the labels of their axes."""

    curve: Curve
    points: Sequence[CurvePoint]

    def rows(self) -> list[dict[str, Any]]:
        return [point.to_json() for point in self.points]

    def chart(self) -> Chart | None:
        return trail_chart(self.curve, self.points)


NO_TRAIL = Trail(Curve(), ())


class MatchOutcome(Result, MatchResult):
    """Counts of a match: games by payoff, and observations (pairs of games, or single ones) by their sum."""

    to_dict, to_json = MatchResult.to_dict, MatchResult.to_json

    def rows(self) -> list[dict[str, Any]]:
        counted = zip(self.payoffs, self.outcomes, strict=True)
        return [{"payoff": payoff, "games": count, "share": count / self.games} for payoff, count in counted]

    def chart(self) -> Chart:
        bars = Series.of("games", [(f"{row['payoff']:g}", row["games"]) for row in self.rows()])
        return Chart("match", repr(self), "payoff of the first agent", "games", [bars], "bars")


class ExploitOutcome(Result, ExploitResult):
    """Two policies of a game, measured against best responses; each seat's scores are its own payoffs."""

    to_dict, to_json, __repr__ = ExploitResult.to_dict, ExploitResult.to_json, ExploitResult.__repr__

    def rows(self) -> list[dict[str, Any]]:
        """Return a line per decision that gives something away, the most costly of each seat first."""
        return [one.to_json() for seat in (0, 1) for one in self.decisions(seat, None)]

    def chart(self) -> Chart:
        """Return bars: each seat's score, and that of its best response to the opponent's policy."""
        scores = (float(self.value), float(self.total - self.value))
        bars = [
            Series.of("policy", list(zip(SEATS, scores, strict=True))),
            Series.of("best response", list(zip(SEATS, map(float, self.best_replies), strict=True))),
        ]
        title = f"{self.game}: exploitability {float(self.exploitability):.6g}"
        return Chart("exploit", title, "", "score", bars, "bars")


@dataclass(frozen=True, repr=False)
class SampledOutcome(MatchOutcome):
    """Fresh games of a searching responder against a policy: a lower bound on how much it can be exploited."""

    exploitability: float = 0.0  # the lower bound at 95 % confidence, valid at any time
    gain: float = 0.0  # its estimate
    known: bool = False  # true if the responder knew the policy's probabilities

    def __repr__(self) -> str:
        return f"Exploitable by at least {self.exploitability:.4f}: the responder's {super().__repr__().lower()}"

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {name: getattr(self, name) for name in ("exploitability", "gain", "known")}

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {name: getattr(self, name) for name in ("exploitability", "gain", "known")}


@dataclass(frozen=True, repr=False)
class GameValue(Result):
    """The value of a game to its first player, or bounds on it, and their certificate."""

    game: str
    value: Fraction | float  # a fraction where the value is known exactly, else the middle of the bounds
    lower: Fraction | float
    upper: Fraction | float
    method: str
    certificate: Mapping[str, Any] | None
    sizes: Mapping[str, Any]
    run: str = ""  # the name of the run, where a store was named
    trail: Trail = field(default=NO_TRAIL, repr=False, compare=False)

    _keys = ("game", "value", "lower", "upper", "method", "certificate", "sizes", "run", "exact")

    @property
    def exact(self) -> bool:
        return isinstance(self.value, Fraction)

    def __repr__(self) -> str:
        bounds = "" if self.exact else f" in [{float(self.lower):.9g}, {float(self.upper):.9g}]"
        proof = f"by {self.method}, {'with' if self.certificate else 'without'} a certificate"
        return f"{self.game}: the first player gets {show_number(self.value)}{bounds}; {proof}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a line per round of an iterative method; one line, if there are no rounds."""
        numbers = (float(self.value), float(self.lower), float(self.upper))
        return self.trail.rows() or [dict(zip(("value", "low", "high"), numbers, strict=True)) | {"at": 1}]

    def chart(self) -> Chart:
        """Return the bounds round by round, or the value alone where the method has no rounds."""
        alone = Series.of("value", [(self.game, float(self.value), float(self.lower), float(self.upper))])
        return self.trail.chart() or Chart("value", repr(self), "", "value of the game", [alone], "dots")


class VerifyResult(NamedTuple):
    """The bounds that a certificate proves."""

    lower: Fraction
    upper: Fraction

    @property
    def exact(self) -> bool:
        return self.lower == self.upper

    def __repr__(self) -> str:
        upper = "" if self.exact else f" to {show_number(self.upper)}"
        return f"The certificate proves that the first player gets {show_number(self.lower)}{upper}"

    def to_dict(self) -> dict[str, Any]:
        return {"lower": self.lower, "upper": self.upper, "exact": self.exact}

    def to_json(self) -> dict[str, Any]:
        return {key: _plain(value) for key, value in self.to_dict().items()}


@dataclass(frozen=True, repr=False)
class TuneOutcome(Result):
    """The policy that a tuning found, and the evidence for it."""

    game: str
    policy: ParametricPolicy
    score: float  # against the baseline, in fresh games
    interval: tuple[float, float]
    against: str
    games: int
    proof: Mapping[str, Any] | None  # the last races against the initial parameters
    run: str = ""  # the name of the run, where a store was named
    trail: Trail = field(default=NO_TRAIL, repr=False, compare=False)

    _keys = ("game", "policy", "score", "interval", "against", "games", "proof", "run", "proved")

    @property
    def proved(self) -> bool:
        """True if the policy is shown at 95 % confidence to be better than the initial parameters."""
        return bool(self.proof and self.proof["proved"])

    def __repr__(self) -> str:
        low, high = self.interval
        start = "" if self.proved else "not "
        score = f"scores {self.score:.4f} (95 %: {low:.4f} to {high:.4f}) against {self.against}"
        return f"{self.game}: {self.policy.name} {score} after {self.games} games; {start}proved better than its start"

    def to_json(self) -> Json:
        whole = super().to_json() | agents.encode_policy(load_game(self.game), self.policy)
        return {key: value for key, value in whole.items() if key != "policy"}

    def rows(self) -> list[dict[str, Any]]:
        """Return a line per step: the newcomer's score in its last race."""
        return self.trail.rows()

    def chart(self) -> Chart | None:
        return self.trail.chart()


class FunctionOutcome(Result, FunctionTuneResult):
    """The values that a tuning of a function found, in the user's units, and the evidence for them."""

    _keys = ("parameters", "proof", "games", "steps", "proved")

    def __repr__(self) -> str:
        return f"{self.parameters}: {self}"

    def rows(self) -> list[dict[str, Any]]:
        return [dict(self.parameters)]


@dataclass(frozen=True, repr=False)
class ReportOutcome(Result):
    """The figures of a report, a balance or a competition, as text, tables, charts and files."""

    figures: Mapping[str, Any]  # as `--json` prints them
    report: Report
    run: str = ""  # the name of the run, where a store was named

    def __repr__(self) -> str:
        return "\n".join([self.report.title, *self.report.paragraphs])

    def to_dict(self) -> dict[str, Any]:
        return dict(self.figures)

    def rows(self) -> list[dict[str, Any]]:
        """Return the lines of the first table of the report."""
        tables: dict[str, list[dict[str, Any]]] = self.report.facts(None)["tables"]
        return next(iter(tables.values()))

    def chart(self) -> Chart | None:
        return next((part for part in self.report.parts if isinstance(part, Chart)), None)

    def write(self, folder: str | Path) -> list[Path]:
        """Write the report to a folder, as HTML, Markdown, JSON, CSV and figures.

        Parameters:
            folder: It is created if it does not exist.

        Returns:
            The files.
        """
        try:
            return write_report(self.report, Path(folder))
        except (ValueError, TypeError) as error:
            raise BadInput(f"{folder!r} cannot be written: {error}") from None
