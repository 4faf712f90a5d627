"""Answers to questions that are no runs: the exploitability of a policy, the diagnosis of tuned players."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse

from ...runs.kind import title_of
from .. import JsonObject
from ..requests import AnyQuestion, InvalidRequest, question_of, refusal
from ..site import Site, form_route

Key = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The key of a question.")]
SEATS = ("first", "second")
LONG = 40  # letters of a fraction that are shown


class SheetTable(NamedTuple):
    """A table with a title; which columns are figures follows from its heads."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


class AnswerSheet(NamedTuple):
    """Texts of a page about an answer."""

    title: str
    sentences: Sequence[str]
    tables: Sequence[SheetTable]


def sheet_of(facts: Mapping[str, Any]) -> AnswerSheet:
    """Return the texts about an answer."""
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
    """Describe the weaknesses of each tuned player."""
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


def add_to(site: Site) -> None:
    """Questions over the API, and the page of an answer."""
    router = APIRouter(prefix="/api/questions", tags=["questions"])

    def question_json(key: str) -> JsonObject:
        return {"question": key, **site.jobs.answer(key).to_json()}

    def ask(order: AnyQuestion) -> JSONResponse:
        """Have a question worked on; ask again by its key until it is answered or refused."""
        try:
            key = site.jobs.ask(question_of(order, site.reader))
        except InvalidRequest as invalid:
            return refusal(invalid)
        return JSONResponse(question_json(key), 202)

    router.add_api_route(
        "",
        ask,
        methods=["POST"],
        status_code=202,
        responses={422: {"description": "What is wrong: a sentence, and one for each field."}},
        route_class_override=form_route(site.reader),
    )

    @router.get("/{key}")
    def one_answer(key: Key) -> JsonObject:
        """Return the state of a question, and the output of its command."""
        return question_json(key)

    site.routes.include_router(router)

    @site.routes.get("/questions/{key}", include_in_schema=False)
    def page(request: Request, key: Key) -> HTMLResponse:
        answer = site.jobs.answer(key)
        sheet: Any = None if answer.facts is None else sheet_of(answer.facts)
        return site.page(request, "question.html", key=key, answer=answer, sheet=sheet)
