"""Figure 4 of the paper for the generic opponent model: habits of men by move number."""

from typing import Annotated, Literal

from fastapi import Query, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from ...core.page_contract import JsonObject, PageSite
from ..model_figure import MAN_KINDS, Boards, chosen_boards, figure_json, figure_svg, kind_of
from ..parameters import GENERIC_NAME, LATEST, read_generic

PATH = "/kriegspiel-model"
Piece = Annotated[Literal["pawn", "knight", "bishop", "rook", "queen", "king"], Query(description="Kind of men.")]
Move = Annotated[int, Query(ge=1, le=LATEST, description="Move number, the first being 1.")]


def drawn(piece: str, move: int) -> tuple[list[Boards], int]:
    kind = kind_of(piece)
    return chosen_boards(read_generic(), kind, [move]), kind


def register(site: PageSite) -> None:
    @site.routes.get("/api" + PATH, tags=["play"])
    def model_numbers(piece: Piece = "knight", move: Move = 10) -> JsonObject:
        """D, its change and f of the generic opponent model, by square from a1 on."""
        return {"model": GENERIC_NAME} | figure_json(*drawn(piece, move))

    @site.routes.get(PATH, include_in_schema=False)
    def model_page(request: Request, piece: Piece = "knight", move: Move = 10) -> HTMLResponse:
        return site.page(
            request,
            "kriegspiel_model.html",
            kinds=MAN_KINDS,
            piece=piece,
            move=move,
            latest=LATEST,
            figure=Markup(figure_svg(*drawn(piece, move))),  # numbers of ours: nothing in it is a request's
        )
