"""The stored game of the first page, as White saw it: `fog` against `hs` with 3,000 nodes per turn, seed 2026."""

import json
from functools import cache
from pathlib import Path

from fastapi.responses import JSONResponse

from ...core.compile.kernel import interpreted
from ...core.game import draw_view
from ...core.page_contract import JsonObject, PageSite
from ...core.picture import picture_json, refereed_board
from ...core.session import replay, view_of
from ..referee import GAME

RECORD = Path(__file__).parents[1] / "example_game.json"
WHITE = 0


@cache
def frames() -> list[JsonObject]:
    """Return White's picture at each of its turns, the referee's last message, and the move that led there."""
    record, found = json.loads(RECORD.read_text(encoding="utf-8")), []
    tried = ""
    with interpreted():  # one replay does not justify compiling
        for (state, mover, _), action in zip(replay(GAME, record), [*record, None], strict=True):
            board = refereed_board(draw_view(GAME, view_of(GAME, state, WHITE)))
            if mover != WHITE or board is None or action is None:
                continue
            if not board.refused:
                found.append({"picture": picture_json((board,))[0], "words": board.words[-1:], "tried": tried})
            tried = GAME.label(action)[:4]
    return [{**frame, "words": " ".join(frame["words"]) or "White begins."} for frame in found]


def register(site: PageSite) -> None:
    @site.routes.get("/api/kriegspiel/example", tags=["play"])
    def example() -> JSONResponse:
        """Return a stored game, as one side saw it, turn by turn."""
        return JSONResponse({"frames": site.jobs.compute("example", frames)})
