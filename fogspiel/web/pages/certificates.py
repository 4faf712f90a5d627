"""Certificates: upload one, and have it checked by the rules of its game alone."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from ...runs.kinds import bounds, solve
from .. import JsonObject
from ..certificate_checks import certificate_of, certificate_text, check_question, check_words
from ..run_reader import Name
from ..security import LARGE
from ..site import Site, attachment

PATH, TITLE = "/certificates", "Certificates"
UPLOAD = "/api/certificates"
PROVING = (solve.KIND.method, bounds.KIND.method)
"""The methods of runs that may have a certificate."""
Key = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The key of a check.")]


def check_json(site: Site, key: str) -> JsonObject:
    """How far a check is; whether the certificate is valid is null until that is known."""
    answer = site.questions.answer(key)
    valid = None if not answer.ended else answer.facts is not None
    return {"check": key, "valid": valid, "words": check_words(answer)} | answer.to_json()


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
        return JSONResponse(check_json(site, site.questions.begin(check_question(content))), 202)

    @router.get(UPLOAD + "/{key}")
    def check(key: Key) -> JsonObject:
        """How far a check is, and what came of it."""
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
        return JSONResponse(check_json(site, site.questions.begin(check_question(content.encode(), game))), 202)

    site.routes.include_router(router)

    @site.routes.get(PATH, include_in_schema=False)
    def page(request: Request) -> HTMLResponse:
        proofs = [line for line in site.reader.summaries() if line.method in PROVING and line.state == "finished"]
        return site.page(request, "certificates.html", runs=proofs, megabytes=LARGE[UPLOAD] // 1_000_000)
