"""Kriegspiel against a person: engines by strength, rule sets, draw offers, beliefs; analyses and games as PGN."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from ...core.agents import Agent, Player, PlayerAgent
from ...core.game import Game
from ...core.page_contract import JsonObject, Key, PageSite, PlaySupport
from ...core.session import PersonSession, Session
from ...games.chess.fen import SIDES
from ..analysis import DEFAULT, DEFAULT_ENGINE, MAN_KINDS, PositionAnalysis, analyse, keep_best
from ..decisions import Decision, replayed_decisions
from ..engine import (
    EFFORT,
    STRAY,
    Engine,
    SearchLimit,
    engine_variants,
    engines,
    find_engine,
    find_level,
    parse_engine,
    plain_name,
)
from ..engines.mcts import ENGINES as MODELLED
from ..engines.sampling import SIMPLE
from ..game import ICC, RULE_SETS, RuleSet, find_rule_set
from ..inferences import beliefs
from ..parameters import GENERIC_NAME, NO_MODEL
from ..pgn import write_pgn
from ..referee import GAME, HouseRules, accepts_draw, kriegspiel_from, switches_in
from ..warm_up import Preparation, prepare

CARD = "kriegspiel_card.html"  # invitation on the home page
# Engines, the strongest first, by the matches in docs/results/kriegspiel.md.
STRONGEST = ("fog", "hs", "C", "aosp", "minimax", "B1", "B3", "B7", "B10", "los", "A")

NOTES = {
    "fog": "weighs every board that explains all messages, and expects an opponent as blind as itself: the strongest",
    "A": "searches random boards to their end (approach A)",
    "C": "searches what the referee might say and weighs it at once (approach C)",
    "minimax": "searches what may still stand where",
    "los": "samples boards that explain the last message",
    "aosp": "samples boards that explain all messages",
    "hs": "samples both kinds of boards",
    **{f"B{k}": f"simulates the referee's messages, {k} moves deep (approach B)" for k in (1, 3, 7, 10)},
}


class KriegspielPlay(PlaySupport):
    """Kriegspiel's additions to play."""

    rule_sets = tuple(RULE_SETS.values())
    seats = (SIDES[0], SIDES[1])
    notes = NOTES
    strongest = STRONGEST
    fair = STRONGEST[STRONGEST.index("minimax") + 1 :]
    simple = SIMPLE
    levels = MappingProxyType({"Novice": "minimax@0.1s", "Club": "hs@0.1s", "Expert": "fog@0.5s"})
    # hs over minimax: 131 [41, 243] in 50 games; fog over hs: 66 [8, 129] in 106; minimax is set to 1,200.
    ratings = MappingProxyType({"minimax@0.1s": 1200, "hs@0.1s": 1331, "fog@0.1s": 1397})
    accepts_draw = staticmethod(accepts_draw)
    coach, coach_script = "kriegspiel_coach.html", "./analysis.js"
    replay_panel, replay_script = "kriegspiel_analysis.html", "./analysis.js"
    downloads = (("pgn", "PGN"),)

    def find_rules(self, name: str) -> RuleSet:
        return find_rule_set(name or ICC)

    def by_rules(self, rules: str) -> Game:
        chosen = self.find_rules(rules).name
        return GAME if chosen == ICC else kriegspiel_from(switches=HouseRules.usual(chosen))

    def rules_of(self, session: Session) -> str:
        name = switches_in(session.state).rules
        return "" if name == ICC else name

    def effort_of(self, words: str) -> SearchLimit:
        return parse_engine(words)[1]

    def names_engine(self, text: str, *, options: bool) -> bool:
        if find_level(text):
            return True
        engine, mark, effort = text.partition("@")
        known: list[str] = list(engines())
        if options:
            if plain_name(engine) not in (*known, *engine_variants()):
                find_engine(plain_name(engine))  # raises an error with similar names
            known += [f"{name}:{model}" for name in MODELLED for model in (NO_MODEL, GENERIC_NAME)]
            known += [STRAY + words for words in known]
        if engine not in known:
            return False
        parse_engine(text)  # raises an error with the syntax of a search limit
        return not mark or EFFORT.fullmatch(effort) is not None

    def option_help(self) -> str:
        listed = ", ".join([*engines(), *(f"{name}:{GENERIC_NAME}" for name in MODELLED)])
        return f"({listed}), with {STRAY} before it or an effort (@0.4s, @20000n) behind it"

    def prepare(self, words: str) -> Preparation:
        return prepare(*parse_engine(words))

    def in_wall_time(self, words: str, agent: Agent) -> Agent:
        if words.partition("@")[0] not in engines():
            return agent

        def player(stream: np.ndarray) -> Player:
            made = agent.new_player(stream)
            if isinstance(made, Engine):
                made.effort = replace(made.effort, outside=True)
            return made

        return PlayerAgent(agent.name, player)

    def beliefs(self, words: str, session: PersonSession) -> Sequence[Any]:
        return beliefs(words, 1 - session.side, session.record, switches_in(session.state))


PLAY = {GAME.name: KriegspielPlay()}


def demand_kriegspiel(game: Game, done: str = "analysed") -> None:
    if game.name != GAME.name:
        raise HTTPException(404, f"only games of Kriegspiel are {done}")


def register(site: PageSite) -> None:
    _add_analysis(site)

    @site.routes.get("/api/play/{key}/pgn", tags=["play"], response_class=PlainTextResponse)
    def pgn(key: Key) -> PlainTextResponse:
        """A game of Kriegspiel that is over, as PGN with refused attempts and the umpire's words in comments."""
        stored = site.sessions.find_finished(key)
        session = stored.session
        demand_kriegspiel(session.game, "written as PGN")
        white, black = ("a person", stored.against)[:: -1 if session.side else 1]
        given_up = ("0-1", "1-0")[session.side]
        result = given_up if session.resigned else "1/2-1/2" if session.agreed else None
        names = {"White": white, "Black": black}
        text = write_pgn(session.record, names, result=result, switches=switches_in(session.state))
        return PlainTextResponse(text, headers={"content-disposition": 'attachment; filename="kriegspiel.pgn"'})


# Engine analysis of a game: of each turn after the game, of the own view during it.

Side = Annotated[int | None, Query(ge=0, le=1, description="Whose view; the person's if nothing is said.")]
After = Annotated[int, Query(ge=0, le=2**31, description="How many positions are known already.")]

SHOWN = 8  # attempts sent per turn, besides the one made


def position_json(position: PositionAnalysis) -> JsonObject:
    """Return a position for the web interface: the best attempts, and the three maps of the belief."""
    found = keep_best(position, SHOWN).to_json()
    belief = [position.belief[kind] for kind in MAN_KINDS] if position.boards else None
    return {**found, "turn": position.turn, "best": position.best, "belief": belief}


def _add_analysis(site: PageSite) -> None:
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
        begin = partial(analyse, decisions, DEFAULT_ENGINE, DEFAULT, last=True)
        return progress((key, "advice", len(decisions)), 1, begin, 0)

    @router.post("/{key}/analysis/stop", status_code=204)
    def stop(key: Key) -> Response:
        """Nobody looks at the analyses of this game any more."""
        site.jobs.stop(lambda known: isinstance(known, tuple) and known[0] == key)
        return Response(status_code=204)

    site.routes.include_router(router)
