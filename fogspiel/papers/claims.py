"""Claims of papers and their verdicts: every clause of a claim is decided by an interval, and open by default.

A claim is split into clauses. A clause names a quantity, the range in which the paper puts it, and the evidence: an
exact value, or counts from which an interval with any error probability follows. A clause holds if the whole interval
lies in the range, does not hold if they are disjoint, and is open otherwise. A claim holds only if every clause does,
and does not hold as soon as one clause does not. The error probability of 5 % is divided among the sampled clauses of
a table (Bonferroni), so that all its verdicts are right together with probability 95 %.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from statistics import median
from typing import NamedTuple

import numpy as np

from ..runs.report import Report, Table
from ..runs.store import Json
from ..stats.evaluate import elo_of, median_interval
from ..stats.race import interval, mean

ERROR = 0.05  # error probability of all verdicts of one table together
DEVIATIONS = 3.0  # printed deviations from a figure within which it counts as the same
Number = float | Fraction
Limits = tuple[Number, Number]


class Verdict(StrEnum):
    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "open"
    NEW = "not in the paper"  # a finding of ours beside the claims


class Evidence(NamedTuple):
    """Quantity that a clause speaks of: its interval for an error probability, and its estimate as text."""

    limits: Callable[[float], Limits]
    estimate: str
    sampled: bool = True
    unit: Callable[[Number], str] = lambda number: f"{float(number):.4g}"

    def text(self, error: float) -> str:
        if not self.sampled:
            return self.estimate
        low, high = self.limits(error)
        return f"{self.estimate} [{self.unit(low)}, {self.unit(high)}]"


def exact(value: Number, text: str | None = None) -> Evidence:
    return Evidence(lambda error: (value, value), str(value) if text is None else text, False)


def missing(text: str = "not run") -> Evidence:
    """Return the absence of evidence, which leaves a clause open."""
    return Evidence(lambda error: (-math.inf, math.inf), text, False)


def mean_of(counts: Sequence[int], low: float = 0.0, high: float = 1.0, unit: str = "") -> Evidence:
    """Return an anytime-valid interval of the mean of observations on a grid from `low` to `high`."""
    observed = np.asarray(counts, np.int64)

    def scaled(share: float) -> float:
        return low + (high - low) * share

    def limits(error: float) -> Limits:
        first, last = interval(observed, error)
        return scaled(first), scaled(last)

    return Evidence(limits, f"{unit}{scaled(mean(observed)):.4g}") if observed.any() else missing("no games")


def share_of(facts: Iterable[bool]) -> Evidence:
    """Return the mean probability of independent events, from those that happened.

    The events may have different probabilities: a capital that multiplies by 1 + bet (x - m) is expected to grow by at
    most what equal ones would give it, since the geometric mean is at most the arithmetic one.
    """
    happened = [bool(one) for one in facts]
    found = mean_of([happened.count(False), happened.count(True)])
    return found._replace(estimate=f"{sum(happened)} of {len(happened)}") if happened else missing("no results")


def median_of(scores: Sequence[float]) -> Evidence:
    """Return the median of scores from 0 to 1 over training seeds, with an interval between order statistics.

    Where the seeds are too few for the error probability, the interval is that of all possible scores.
    """

    def limits(error: float) -> Limits:
        found = median_interval(scores, error)
        return (found.low, found.high) if 1 - found.confidence <= error else (0.0, 1.0)

    return Evidence(limits, f"{median(scores):.4f} of {len(scores)} seeds") if scores else missing("no results")


def elo(pairs: Sequence[int]) -> Evidence:
    """Return the Elo difference of a match, from the counts of its game pairs by half points."""
    share = mean_of(pairs)
    if not share.sampled:
        return share

    def limits(error: float) -> Limits:
        low, high = share.limits(error)
        return elo_of(float(low)), elo_of(float(high))

    score = mean(np.asarray(pairs, np.int64))
    return Evidence(limits, f"{elo_of(score):+.0f} Elo", unit=lambda number: f"{float(number):+.0f}")


def contrast(terms: Sequence[tuple[int, Sequence[int]]], top: int, unit: str) -> Evidence:
    """Return the mean of a weighted sum of scores, observation by observation, in units of a whole score.

    `terms` has a weight and the scores in 0 .. top of every match. Example: the weights 1 and -1 compare two engines
    against a common opponent. Matches of different length are compared as far as the shortest one goes.
    """
    least = sum(weight * top for weight, _ in terms if weight < 0)
    most = sum(weight * top for weight, _ in terms if weight > 0)
    counts = np.zeros(most - least + 1, np.int64)
    for scores in zip(*(scores for _, scores in terms), strict=False):
        counts[sum(weight * score for (weight, _), score in zip(terms, scores, strict=True)) - least] += 1
    return mean_of(counts.tolist(), least / top, most / top, f"{unit} ")


def wins_per_loss(ratio: Fraction, results: Iterable[Sequence[int]]) -> Evidence:
    """Return the mean of wins - ratio * losses per game pair, which is positive with more than `ratio` wins per loss.

    A pair has two results, 0 loss, 1 draw, 2 win.
    """
    lost, won = ratio.numerator, ratio.denominator
    worth = (0, lost, lost + won)  # of a loss, a draw and a win, shifted to start at 0
    pairs = [sum(worth[result] for result in pair) for pair in results]
    counts = np.bincount(np.array(pairs, np.int64), minlength=2 * worth[2] + 1)
    return mean_of(counts.tolist(), -2.0 * lost / won, 2.0, f"wins - {ratio} losses per pair ")


@dataclass(frozen=True)
class Clause:
    """A quantity and the range in which the claim puts it, both limits included unless `strict`."""

    text: str
    evidence: Evidence
    least: Number = -math.inf
    most: Number = math.inf
    strict: bool = False

    @property
    def is_tested(self) -> bool:
        """True if there is evidence."""
        return self.evidence.limits(ERROR) != (-math.inf, math.inf)

    def verdict(self, error: float) -> Verdict:
        low, high = self.evidence.limits(error)
        if not self.is_tested:
            return Verdict.OPEN  # even where the clause sets no limit
        if self.strict:
            inside = (self.least < low or math.isinf(self.least)) and (high < self.most or math.isinf(self.most))
            outside = high <= self.least or low >= self.most
        else:
            inside, outside = self.least <= low and high <= self.most, high < self.least or low > self.most
        return Verdict.HOLDS if inside else Verdict.FAILS if outside else Verdict.OPEN


def fact(text: str, true: bool, found: str) -> Clause:
    return Clause(text, exact(int(true), found), least=1)


def printed(text: str, evidence: Evidence, figure: float, deviation: float, rounding: float = 0.0) -> Clause:
    """Return the clause that a quantity is a printed figure, within three deviations and half of its last digit."""
    margin = DEVIATIONS * deviation + rounding / 2
    return Clause(text, evidence, least=figure - margin, most=figure + margin)


@dataclass(frozen=True)
class Claim:
    """A statement of a paper in our words, the program, method or game it was tested on, and its clauses."""

    section: str
    sentence: str
    subject: str
    clauses: tuple[Clause, ...]
    printed: str = ""  # the paper's figure
    note: str = ""
    ours: bool = False  # a finding that is not a claim of the paper
    command: str = ""  # that produces the evidence

    @property
    def is_tested(self) -> bool:
        return any(clause.is_tested for clause in self.clauses)

    def verdict(self, error: float) -> Verdict:
        if self.ours:
            return Verdict.NEW
        found = [clause.verdict(error) for clause in self.clauses]
        if Verdict.FAILS in found:
            return Verdict.FAILS
        return Verdict.HOLDS if found and all(one is Verdict.HOLDS for one in found) else Verdict.OPEN

    def found(self, error: float) -> str:
        """Return the evidence of every clause, with its own verdict where there are several."""
        texts = []
        for clause in self.clauses:
            evidence = clause.evidence.text(error)
            if len(self.clauses) > 1 and not self.ours:
                evidence = f"{clause.text}: {evidence} ({clause.verdict(error)})"
            texts.append(evidence)
        return "; ".join(texts)


def facts(section: str, subject: str, rows: Iterable[Sequence[str]]) -> list[Claim]:
    """Return the claims of rows of exact computations: sentence, finding, verdict, and a note where there is one."""
    return [
        Claim(section, text, subject, (fact(text, judged == Verdict.HOLDS, found),), note="; ".join(note))
        for text, found, judged, *note in rows
    ]


def error_per_clause(claims: Iterable[Claim]) -> float:
    sampled = sum(clause.evidence.sampled for claim in claims if not claim.ours for clause in claim.clauses)
    return ERROR / max(1, sampled)


COLUMNS = ("section", "claim", "tested on", "the paper", "found", "verdict", "note", "command")
NOTE = (
    "A claim holds only if every clause of it does; a clause is decided by an interval, and open where the interval "
    "does not decide. Intervals are anytime-valid and hold together with 95 % over the table. Exact values have none."
)


def claim_row(claim: Claim, error: float) -> tuple[str, ...]:
    found, verdict = claim.found(error), str(claim.verdict(error))
    return claim.section, claim.sentence, claim.subject, claim.printed, found, verdict, claim.note, claim.command


def claim_table(claims: Sequence[Claim], title: str, name: str = "claims") -> Table:
    error = error_per_clause(claims)
    return Table(name, title, COLUMNS, [claim_row(claim, error) for claim in claims])


def claims_json(claims: Sequence[Claim]) -> list[Json]:
    error = error_per_clause(claims)
    keys = [column.replace(" ", "_") for column in COLUMNS]
    return [
        dict(zip(keys, claim_row(claim, error), strict=True))
        | {"clauses": [_clause_json(clause, error, claim.ours) for clause in claim.clauses]}
        for claim in claims
    ]


def claims_report(name: str, papers: Mapping[str, Sequence[Claim]]) -> Report:
    tables = [
        claim_table(claims, f"{citation}: {tally(claims)}", f"claims-{number}")
        for number, (citation, claims) in enumerate(papers.items(), 1)
    ]
    title, command = "Claims of the papers and their verdicts", f"fogspiel paper {name} --claims"
    return Report("claims" if len(papers) > 1 else f"claims-{name}", title, command, (NOTE,), tables)


def tally(claims: Sequence[Claim]) -> str:
    error = error_per_clause(claims)
    counts = Counter(claim.verdict(error) for claim in claims)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])


def claim_lines(claims: Sequence[Claim]) -> Iterator[str]:
    """Yield the claims as text: the verdict with the sentence, and below it the paper's figure and the evidence."""
    error = error_per_clause(claims)
    for claim in claims:
        yield f"{str(claim.verdict(error)).upper()}  {claim.section}: {claim.sentence} ({claim.subject})"
        printed = f"paper: {claim.printed}; " if claim.printed else ""
        yield f"    {printed}found: {claim.found(error)}" + (f"; {claim.note}" if claim.note else "")
    yield tally(claims)
    yield "evidence: " + ", ".join(dict.fromkeys(claim.command for claim in claims if claim.command))


def _clause_json(clause: Clause, error: float, ours: bool) -> Json:
    evidence = clause.evidence
    limits = [float(limit) if math.isfinite(limit) else None for limit in evidence.limits(error)]
    found = {"text": clause.text, "found": evidence.text(error), "interval": limits, "sampled": evidence.sampled}
    return found if ours else found | {"verdict": str(clause.verdict(error))}


def verdict(holds: bool) -> str:
    """Return the verdict on a single fact that a computation decides."""
    return str(Verdict.HOLDS if holds else Verdict.FAILS)
