"""Certificate checks by the rules of a game alone, and questions that start no run."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from ...core.explain import Table
from ...core.find import spec_of
from ...runs.kind import kind_of, title_of
from ...runs.store import Json, Run
from ...solving.proofs.checkers.primitives import fraction
from .. import JsonObject
from ..app import WRONG, Site, attachment, form_route
from ..job_queue import FILE, Job, Question
from ..requests import AnyQuestion, question_of
from ..run_reader import Name

# Commands that start no run: certificate checks, the exploitability of a policy, the diagnosis of tuned players.

UPLOAD = "/api/certificates"
Key = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The key of a check or a question.")]
SECONDS, MEBIBYTES, GIBIBYTES = 120, 64, 2  # limits of a check: CPU time, file size, memory
LIMITS = ("--seconds", str(SECONDS), "--max-mib", str(MEBIBYTES), "--memory", str(GIBIBYTES))
VERIFY = ("verify", "--json", *LIMITS)
LONG = 40  # fractions of at least this many characters are shown as decimal numbers
SEATS = ("first", "second")


def register(site: Site) -> None:
    _add_certificates(site)
    _add_questions(site)


def certificate_of(run: Run) -> Json | None:
    return kind_of(run).certificate(run) if run.finished else None


def check_question(content: bytes, game: str | None = None) -> Question:
    """Return the question that checks a certificate; only the rules of a game that the user has added are named."""
    words = spec_of(game) if game is not None else None
    rules = () if words is None else ("--source", words.absolute)
    return Question((*VERIFY, *rules, "--", FILE), content)


def shipped_question(game: str) -> Question:
    """Return the question that checks the certificate of a game in the package."""
    return Question((*VERIFY, "--", game))


def check_words(answer: Job) -> str:
    if answer.state == "refused":
        return f"Refused: {answer.sentence}"
    if answer.facts is None:
        return "The certificate is being checked by the rules of the game alone .."
    facts = answer.facts
    lower, upper = number_words(facts["lower"]), number_words(facts["upper"])
    value = f"is exactly {lower}" if facts["exact"] else f"is between {lower} and {upper}"
    spent = f"{facts['cpu_seconds']:.2f} CPU seconds"
    return f"Valid: the value of {facts['game']} {value}, proved by its two strategies (checked in {spent})."


def number_words(text: str) -> str:
    """Format a fraction for people: the first digits of a long one."""
    number = fraction(text, "a bound")
    if len(text) > LONG:
        return f"{float(number):.9g}.."
    return text if number.denominator == 1 else f"{text} = {float(number):.9g}"


def check_json(site: Site, key: str) -> JsonObject:
    """Return the state of a check; `valid` is null until it is known."""
    answer = site.jobs.answer(key)
    valid = None if not answer.ended else answer.facts is not None
    return {"check": key, "valid": valid, "words": check_words(answer), **answer.to_json()}


def _add_certificates(site: Site) -> None:
    router = APIRouter(tags=["certificates"])

    def content_of(name: str) -> tuple[str, str]:
        run = site.reader.run(name)
        body = certificate_of(run)
        if body is None:
            raise HTTPException(404, f"run {name} has no certificate: it must be a finished solution or proof")
        return run.request["game"], json.dumps(body, separators=(",", ":")) + "\n"

    @router.post(UPLOAD, status_code=202)
    async def upload(request: Request) -> JSONResponse:
        """Check the certificate in the request body; poll with the returned key for the result."""
        content = await request.body()
        if not content.strip():
            raise ValueError("the file is empty: choose a certificate, a JSON file that `fogspiel solve` has written")
        return JSONResponse(check_json(site, site.jobs.ask(check_question(content))), 202)

    @router.get(UPLOAD + "/{key}")
    def check(key: Key) -> JsonObject:
        """Return the state and the result of a check."""
        return check_json(site, key)

    @router.get("/api/runs/{name}/certificate")
    def certificate(name: Name) -> Response:
        """Return a run's certificate in the format that `fogspiel verify` reads."""
        headers = attachment(f"{name}.json")
        return Response(content_of(name)[1], media_type="application/json", headers=headers)

    @router.post("/api/runs/{name}/verify", status_code=202)
    def verify(name: Name) -> JSONResponse:
        """Check a run's certificate; poll with the returned key for the result."""
        game, content = content_of(name)
        return JSONResponse(check_json(site, site.jobs.ask(check_question(content.encode(), game))), 202)

    site.routes.include_router(router)


# Questions


class AnswerSheet(NamedTuple):
    title: str
    sentences: Sequence[str]
    tables: Sequence[Table]


def _exploit_sheet(facts: Mapping[str, Any]) -> AnswerSheet:
    exact = facts.get("fractions") or {}

    def number(key: str, seat: int | None = None) -> str:
        value, fraction = facts[key], exact.get(key)
        if seat is not None:
            value, fraction = value[seat], fraction and fraction[seat]
        short = fraction and "/" in fraction and len(fraction) < LONG
        return f"{value:.6f} = {fraction}" if short else f"{value:.6f}"

    sentences = [
        f"Exploitability {number('exploitability')}: the mean gain of a best response over both seats.",
        f"Against itself it scores {number('value')} in the first seat; NashConv is {number('nash_conv')}.",
    ]
    if facts.get("known_value") is not None:
        sentences.append(f"The value of the game is {facts['known_value'][:LONG]}.")
    how = "exact fractions" if facts["exact"] else f"floating point, off by {facts['rounding']:.0e} at most"
    states = " and ".join(f"{count:,}" for count in facts["states"])
    sentences.append(f"Computed in {how} over {states} information states.")
    replies = [(f"the {seat} seat", number("best_replies", i), number("gains", i)) for i, seat in enumerate(SEATS)]
    tables = [Table("Best responses", ("best response in", "score", "gain"), tuple(replies))]
    worst = tuple(
        (SEATS[one["player"] - 1], f"{one['loss']:.6f}", one["state"], _shares(one["probabilities"]), one["best"])
        for one in facts.get("worst", ())
    )
    if worst:
        tables.append(Table("Most costly decisions", ("seat", "loss", "state", "plays", "better"), worst))
    return AnswerSheet(f"Exploitability: {title_of(facts['game'])}", sentences, tables)


def _diagnosis_sheet(facts: Mapping[str, Any]) -> AnswerSheet:
    rows = []
    for one in facts["runs"]:
        found, (low, high) = one["exploiter"], one["exploiter"]["interval"]
        forgotten = ", ".join(one["forgotten"]) or "none"
        rows.append(
            (one["run"], f"{found['score']:.4f} [{low:.4f}, {high:.4f}]", f"{found['training_games']:,}", forgotten)
        )
    columns = ("run", "score of its exploiter", "training games", "older answers that it loses to")
    sentences = [one["conclusion"] for one in facts["runs"]]
    sentences.append(f"Made by: {facts['command']}")
    return AnswerSheet("Diagnosis", sentences, [Table("Exploiters", columns, tuple(rows))])


def _shares(probabilities: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {share:.3g}" for name, share in probabilities.items() if share)


def _add_questions(site: Site) -> None:
    forms = APIRouter(prefix="/api/questions", tags=["questions"], route_class=form_route(site.reader))
    router = APIRouter(prefix="/api/questions", tags=["questions"])

    def question_json(key: str) -> JsonObject:
        return {"question": key, **site.jobs.answer(key).to_json()}

    @forms.post("", status_code=202, responses=WRONG)
    def ask(order: AnyQuestion) -> JSONResponse:
        """Submit a question; poll with the returned key until it is answered or rejected."""
        return JSONResponse(question_json(site.jobs.ask(question_of(order, site.reader))), 202)

    @router.get("/{key}")
    def one_answer(key: Key) -> JsonObject:
        """Return the state of a question, and the output of its command."""
        return question_json(key)

    site.routes.include_router(forms)
    site.routes.include_router(router)

    @site.routes.get("/questions/{key}", include_in_schema=False)
    def page(request: Request, key: Key) -> HTMLResponse:
        answer = site.jobs.answer(key)
        sheet: Any = None
        if answer.facts is not None:
            sheet = (_exploit_sheet if "exploitability" in answer.facts else _diagnosis_sheet)(answer.facts)
        return site.page(request, "question.html", key=key, answer=answer, sheet=sheet)
