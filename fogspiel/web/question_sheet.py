"""The answers of `fogspiel exploit` and `diagnose` as a page shows them: a title, sentences and tables."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..runs.kind import title_of

SEATS = ("first", "second")
LONG = 40
"""Letters of a fraction that are shown."""


class SheetTable(NamedTuple):
    """A table with a title; which columns are figures follows from its heads."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


class AnswerSheet(NamedTuple):
    """What a page says of an answer."""

    title: str
    sentences: Sequence[str]
    tables: Sequence[SheetTable]


def sheet_of(facts: Mapping[str, Any]) -> AnswerSheet:
    """What there is to say about an answer."""
    return _exploit_sheet(facts) if "exploitability" in facts else _diagnosis_sheet(facts)


def _exploit_sheet(facts: Mapping[str, Any]) -> AnswerSheet:
    """The exploitability of a policy, seat by seat, and the decisions that cost most."""
    exact = facts.get("fractions") or {}

    def number(key: str, seat: int | None = None) -> str:
        value, fraction = facts[key], exact.get(key)
        if seat is not None:
            value, fraction = value[seat], fraction and fraction[seat]
        short = fraction and "/" in fraction and len(fraction) < LONG
        return f"{value:.6f} = {fraction}" if short else f"{value:.6f}"

    sentences = [
        f"Exploitability {number('exploitability')}: so much does a best reply gain on average over both seats.",
        f"Against itself it scores {number('value')} in the first seat; NashConv is {number('nash_conv')}.",
    ]
    if facts.get("known_value") is not None:
        sentences.append(f"The value of the game is {facts['known_value'][:LONG]}.")
    how = "exact fractions" if facts["exact"] else f"floating point, off by {facts['rounding']:.0e} at most"
    states = " and ".join(f"{count:,}" for count in facts["states"])
    sentences.append(f"Computed in {how} over {states} information states.")
    replies = [[f"the {seat} seat", number("best_replies", i), number("gains", i)] for i, seat in enumerate(SEATS)]
    tables = [SheetTable("Best replies", ("best reply in", "its score", "gain"), replies)]
    worst = [
        [SEATS[one["player"] - 1], f"{one['loss']:.6f}", one["state"], _shares(one["probabilities"]), one["best"]]
        for one in facts.get("worst", ())
    ]
    if worst:
        tables.append(SheetTable("What costs most", ("seat", "loss", "state", "plays", "better"), worst))
    return AnswerSheet(f"Exploitability: {title_of(facts['game'])}", sentences, tables)


def _diagnosis_sheet(facts: Mapping[str, Any]) -> AnswerSheet:
    """What is wrong with each tuned player."""
    rows = []
    for one in facts["runs"]:
        found, (low, high) = one["exploiter"], one["exploiter"]["interval"]
        forgotten = ", ".join(one["forgotten"]) or "none"
        rows.append(
            [one["run"], f"{found['score']:.4f} [{low:.4f}, {high:.4f}]", f"{found['training_games']:,}", forgotten]
        )
    columns = ("run", "score of its exploiter", "training games", "older answers that it loses to")
    sentences = [one["conclusion"] for one in facts["runs"]]
    sentences.append(f"Made by: {facts['command']}")
    return AnswerSheet("Diagnosis", sentences, [SheetTable("Exploiters", columns, rows)])


def _shares(probabilities: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {share:.3g}" for name, share in probabilities.items() if share)
