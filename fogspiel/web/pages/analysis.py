"""What an engine makes of a game of Kriegspiel: of each turn when it is over, of the own view while it goes on."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import JSONResponse, Response

from ...core.game import Game
from ...kriegspiel.analysis import USUAL, USUAL_ENGINE, analyse, analyse_last
from ...kriegspiel.decisions import Decision, replayed_decisions
from ...kriegspiel.referee import switches_in
from ...runs.agent_texts import KRIEGSPIEL
from ..site import Site
from .play import Key

Side = Annotated[int | None, Query(ge=0, le=1, description="Whose view; the person's if nothing is said.")]
After = Annotated[int, Query(ge=0, le=2**31, description="How many positions are known already.")]


def demand_kriegspiel(game: Game) -> None:
    """Refuse games that no engine can analyse."""
    if game.name != KRIEGSPIEL:
        raise HTTPException(404, "only games of Kriegspiel are analysed")


def add_to(site: Site) -> None:
    """The part of the API that analyses."""
    router, sessions, analyses = APIRouter(prefix="/api/play", tags=["play"]), site.sessions, site.analyses

    @router.get("/{key}/analysis")
    def analysis(key: Key, side: Side = None, after: After = 0) -> JSONResponse:
        """Each turn of a game of Kriegspiel that is over, from one side's view, as far as it is worked out."""
        demand_kriegspiel(sessions.store.find(key).session.game)
        session = sessions.find_finished(key).session
        whose = session.side if side is None else side
        decisions, _ = replayed_decisions(session.record, whose, switches=switches_in(session.state))
        begin = partial(analyse, decisions, USUAL_ENGINE, USUAL)
        return JSONResponse(analyses.look((key, whose), USUAL_ENGINE, len(decisions), begin, after))

    @router.get("/{key}/advice")
    def advice(key: Key) -> JSONResponse:
        """What an engine makes of the person's own view at the person's turn: it follows from that view alone."""
        stored = sessions.store.find(key)
        demand_kriegspiel(stored.session.game)
        with stored.lock:
            session = stored.session
            if stored.thinking.is_set() or session.over or not session.waits_for_person:
                raise HTTPException(409, "the coach has something to say when it is your turn")
            decisions = [Decision(view, action) for view, action in session.decisions]
            decisions.append(Decision(session.seen(), None))
        begin = partial(analyse_last, decisions, USUAL_ENGINE, USUAL)
        return JSONResponse(analyses.look((key, "advice", len(decisions)), USUAL_ENGINE, 1, begin))

    @router.post("/{key}/analysis/stop", status_code=204)
    def stop(key: Key) -> Response:
        """Nobody looks at the analyses of this game any more."""
        analyses.stop(lambda known: isinstance(known, tuple) and known[0] == key)
        return Response(status_code=204)

    site.routes.include_router(router)
