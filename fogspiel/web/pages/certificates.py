"""Certificates: upload one, and have it checked by the rules of its game alone."""

import json
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from ...core.find import spec_of
from ...runs.kind import kind_of
from ...runs.kinds import bounds, solve
from ...runs.store import Json, Run
from ...solving.proofs.checkers.primitives import fraction
from .. import JsonObject
from ..app import Site, attachment
from ..job_queue import FILE, Job, Question
from ..run_reader import Name
from ..security import LARGE

PATH, TITLE = "/certificates", "Certificates"
UPLOAD = "/api/certificates"
PROVING = (solve.KIND.method, bounds.KIND.method)  # the methods of runs that may have a certificate
Key = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The key of a check.")]
SECONDS, MEBIBYTES, GIBIBYTES = 120, 64, 2  # the limits of a check: CPU time, the size of the file, memory
LONG = 40  # letters of a fraction from which on it is shown as a decimal number


def certificate_of(run: Run) -> Json | None:
    """The certificate of a run, if it has one."""
    return kind_of(run).certificate(run) if run.finished else None


def certificate_text(body: Json) -> str:
    """A certificate as its file has it."""
    return json.dumps(body, separators=(",", ":")) + "\n"


def check_question(content: bytes, game: str | None = None) -> Question:
    """The question whether a certificate holds; only the rules of a game that the user has brought are named."""
    words = spec_of(game) if game is not None else None
    rules = () if words is None else ("--source", words.absolute)
    limits = ("--seconds", str(SECONDS), "--max-mib", str(MEBIBYTES), "--memory", str(GIBIBYTES))
    return Question(("verify", "--json", *limits, *rules, "--", FILE), content)


def check_words(answer: Job) -> str:
    """Describe the progress or the result of a check in a sentence."""
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
    """A fraction as people read it: the first digits of a long one."""
    number = fraction(text, "a bound")
    if len(text) > LONG:
        return f"{float(number):.9g}.."
    return text if number.denominator == 1 else f"{text} = {float(number):.9g}"


def check_json(site: Site, key: str) -> JsonObject:
    """Return the state of a check; `valid` is null until it is known."""
    answer = site.jobs.answer(key)
    valid = None if not answer.ended else answer.facts is not None
    return {"check": key, "valid": valid, "words": check_words(answer), **answer.to_json()}


def add_to(site: Site) -> None:
    """Certificates over the API, and the page where one is uploaded."""
    router = APIRouter(tags=["certificates"])

    def content_of(name: str) -> tuple[str, str]:
        """The game and the certificate of a run."""
        run = site.reader.run(name)
        body = certificate_of(run)
        if body is None:
            raise HTTPException(404, f"run {name} has no certificate: it must be a finished solution or proof")
        return run.ask["game"], certificate_text(body)

    @router.post(UPLOAD, status_code=202)
    async def upload(request: Request) -> JSONResponse:
        """Check a certificate, which is the body of the request; ask again by the key until it is known."""
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
        """The certificate of a run, as `fogspiel verify` reads it."""
        headers = attachment(f"{name}.json")
        return Response(content_of(name)[1], media_type="application/json", headers=headers)

    @router.post("/api/runs/{name}/verify", status_code=202)
    def verify(name: Name) -> JSONResponse:
        """Check the certificate of a run; ask again by the key until it is known."""
        game, content = content_of(name)
        return JSONResponse(check_json(site, site.jobs.ask(check_question(content.encode(), game))), 202)

    site.routes.include_router(router)

    @site.routes.get(PATH, include_in_schema=False)
    def page(request: Request) -> HTMLResponse:
        proofs = [line for line in site.reader.summaries() if line.method in PROVING and line.state == "finished"]
        return site.page(request, "certificates.html", runs=proofs, megabytes=LARGE[UPLOAD] // 1_000_000)
