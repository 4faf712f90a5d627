"""Engine analysis of a game of Kriegspiel: of each turn after the game, of the own view during it."""

from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import JSONResponse, Response

from ...core.game import Game
from ...core.page_contract import JsonObject, Key, PageSite
from ..analysis import DEFAULT, DEFAULT_ENGINE, PositionAnalysis, analyse, analyse_last, keep_best
from ..decisions import Decision, replayed_decisions
from ..referee import GAME, switches_in

Side = Annotated[int | None, Query(ge=0, le=1, description="Whose view; the person's if nothing is said.")]
After = Annotated[int, Query(ge=0, le=2**31, description="How many positions are known already.")]

SHOWN = 8  # attempts sent per turn, besides the one made
MAPS = ("king", "pawn", "piece")


def position_json(position: PositionAnalysis) -> JsonObject:
    """Return a position for the web interface: the best attempts, and the three maps of the belief."""
    found = keep_best(position, SHOWN).to_json()
    belief = [position.belief[kind] for kind in MAPS] if position.boards else None
    return {**found, "turn": position.turn, "best": position.best, "belief": belief}


def demand_kriegspiel(game: Game) -> None:
    if game.name != GAME.name:
        raise HTTPException(404, "only games of Kriegspiel are analysed")


def register(site: PageSite) -> None:
    router, sessions = APIRouter(prefix="/api/play", tags=["play"]), site.sessions

    def progress(
        key: Hashable, total: int, begin: Callable[[], Iterator[PositionAnalysis]], after: int
    ) -> JSONResponse:
        """Return the positions found so far, from a position on; the analysis continues while requests arrive."""
        job = site.jobs.watch(key, lambda: map(position_json, begin()))
        done = len(job.found)
        facts = {"done": done, "total": max(total, done), "finished": job.ended, "trouble": job.sentence or None}
        return JSONResponse({"engine": DEFAULT_ENGINE, **facts, "positions": job.found[after:done]})

    @router.get("/{key}/analysis")
    def analysis(key: Key, side: Side = None, after: After = 0) -> JSONResponse:
        """Each turn of a game of Kriegspiel that is over, from one side's view, as far as it is worked out."""
        demand_kriegspiel(sessions.find(key).session.game)
        session = sessions.find_finished(key).session
        whose = session.side if side is None else side
        decisions, _ = replayed_decisions(session.record, whose, switches=switches_in(session.state))
        begin = partial(analyse, decisions, DEFAULT_ENGINE, DEFAULT)
        return progress((key, whose), len(decisions), begin, after)

    @router.get("/{key}/advice")
    def advice(key: Key) -> JSONResponse:
        """Return an engine's analysis of the person's own view at the person's turn."""
        stored = sessions.find(key)
        demand_kriegspiel(stored.session.game)
        with stored.lock:
            session = stored.session
            if stored.thinking.is_set() or session.over or not session.waits_for_person:
                raise HTTPException(409, "the coach has something to say when it is your turn")
            decisions = [Decision(view, action) for view, action in session.decisions]
            decisions.append(Decision(session.seen(), None))
        begin = partial(analyse_last, decisions, DEFAULT_ENGINE, DEFAULT)
        return progress((key, "advice", len(decisions)), 1, begin, 0)

    @router.post("/{key}/analysis/stop", status_code=204)
    def stop(key: Key) -> Response:
        """Nobody looks at the analyses of this game any more."""
        site.jobs.stop(lambda known: isinstance(known, tuple) and known[0] == key)
        return Response(status_code=204)

    site.routes.include_router(router)
