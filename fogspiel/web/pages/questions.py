"""Answers to questions that are no runs: the exploitability of a policy, the diagnosis of tuned players."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse

from .. import JsonObject
from ..form_route import form_route
from ..question_requests import AnyQuestion, question_of
from ..question_sheet import sheet_of
from ..requests import InvalidRequest, refusal
from ..site import Site

Key = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The key of a question.")]


def add_to(site: Site) -> None:
    """Questions over the API, and the page of an answer."""
    router = APIRouter(prefix="/api/questions", tags=["questions"])

    def question_json(key: str) -> JsonObject:
        return {"question": key} | asdict(site.questions.answer(key))

    def ask(order: AnyQuestion) -> JSONResponse:
        """Have a question worked on; ask again by its key until it is answered or refused."""
        try:
            key = site.questions.begin(question_of(order, site.reader))
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
        """How far a question is, and what its command has printed."""
        return question_json(key)

    site.routes.include_router(router)

    @site.routes.get("/questions/{key}", include_in_schema=False)
    def page(request: Request, key: Key) -> HTMLResponse:
        answer = site.questions.answer(key)
        sheet: Any = None if answer.facts is None else sheet_of(answer.facts)
        return site.page(request, "question.html", key=key, answer=answer, sheet=sheet)
