"""Walk through a solved game decision by decision, and train on it: every answer is scored exactly.

A solution is a policy whose certificate lists both strategies of a game tree: one that ships with the package, or that
of a run. Decisions are grouped into grids of hands by histories, read from the drawings of the game.
"""

import secrets
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, Field

from ...core.behaviour_policy import BehaviourPolicy, MissingState
from ...core.game import Game, draw_view, game_or_none, known_game, news_between
from ...core.picture import Cards, Cell, picture_json
from ...runs.agent_parser import SOLVED, parse_agent
from ...runs.request import RUN_NAME
from ...solving.known_values import shipped_solution
from ...solving.policies.coach import NOTICED
from ...solving.policies.solved_tree import SolvedTree
from .. import JsonObject
from ..app import Site
from ..knowledge import hidden_json, in_unit, unit_of
from ..opponents import demand_opponent
from ..session_json import scene_of
from .certificates import number_words
from .play import client_of
from .values import card_of, is_explored

SEED = 1  # of a solution's agent, which draws nothing here
MOST_COLUMNS = 12  # histories of one grid, the likeliest
SHORT = 24  # letters of a group's name that lists its actions
SELDOM = 0.002  # a decision this much rarer than the likeliest of its grid is hardly ever met
RANKS = "AKQJT"
Player = Annotated[str, Query(max_length=200)]
Side = Annotated[int, Query(ge=0, le=1)]
Place = Annotated[int, Path(ge=0, le=2**31)]


@dataclass(frozen=True, eq=False)
class Decision:
    """A decision as a cell of a grid: own cards, cards for all, and the actions so far."""

    place: int
    own: tuple[Cell, ...]
    shared: tuple[Cell, ...]
    history: tuple[str, ...]
    labels: tuple[str, ...]
    words: str  # of the view, where it has no own cards

    @property
    def row(self) -> tuple[str, ...]:
        return (
            (*(cell.text for cell in self.own), "/", *(cell.text for cell in self.shared))
            if self.own
            else (self.words,)
        )


class Solution:
    """One side of a solved game: every decision with its probabilities, values and reach."""

    def __init__(self, game: Game, side: int, agent: BehaviourPolicy):
        self.game, self.side, self.agent = game, side, agent
        self.tree = SolvedTree(game, side, agent)
        self.places: list[int] = self.tree.tree.numbers(side).tolist()

    def shares(self, place: int) -> list[Any] | None:
        """Return the exact probability of each action; None where the solution never leads and leaves it open."""
        try:
            return self.agent.action_probabilities(self.tree.states[place])
        except MissingState:
            return None

    @cached_property
    def reach(self) -> dict[int, float]:
        """Probability of each decision: of chance, the opponent and the own earlier actions."""
        own: dict[int, float] = {}
        for place in self.places:
            path = self.tree.path(place)
            if not path:
                own[place] = 1.0
                continue
            before, action = path[-1]
            shares = self.shares(before)
            index = list(self.tree.states[before].actions).index(action)
            own[place] = own[before] * (float(shares[index]) if shares else 0.0)
        return {place: share * float(self.tree.likely[place]) for place, share in own.items()}

    @cached_property
    def practice(self) -> tuple[list[int], np.ndarray]:
        """Decisions to train, with their probabilities if the own actions are drawn uniformly."""
        own: dict[int, float] = {}
        for place in self.places:
            path = self.tree.path(place)
            own[place] = own[path[-1][0]] / len(self.tree.states[path[-1][0]].actions) if path else 1.0
        open_places = [place for place in self.places if len(self.tree.states[place].actions) > 1]
        weights = np.array([own[place] * float(self.tree.likely[place]) for place in open_places])
        return open_places, np.cumsum(weights)

    @cached_property
    def decisions(self) -> dict[int, Decision]:
        return {place: self._decision(place) for place in self.places}

    def _decision(self, place: int) -> Decision:
        state = self.tree.states[place]
        cards = [part for part in draw_view(self.game, state.view) if isinstance(part, Cards)]
        own = tuple(cell for part in cards if part.seat == "own" for cell in part.cards)
        shared = tuple(c for part in cards if part.seat == "shared" for c in part.cards if "face-down" not in c.look)
        history = tuple(self.game.label(action) for _, action in self.tree.public_actions(place))
        return Decision(place, own, shared, history, tuple(state.labels), state.line)

    @cached_property
    def groups(self) -> dict[tuple[int, tuple[str, ...]], list[Decision]]:
        """Decisions with as many cards for all and the same actions, in the order of play."""
        found: dict[tuple[int, tuple[str, ...]], list[Decision]] = {}
        for decision in self.decisions.values():
            found.setdefault((len(decision.shared), decision.labels), []).append(decision)
        return dict(sorted(found.items(), key=lambda item: (item[0][0], min(len(one.history) for one in item[1]))))

    def group_names(self) -> list[str]:
        several = len({shared for shared, _ in self.groups}) > 1
        names = []
        for (shared, labels), members in self.groups.items():
            latest = {one.history[-1:] for one in members}
            told = ", ".join(labels)
            if len(told) > SHORT:
                told = f"after {members[0].history[-1]}" if len(latest) == 1 and members[0].history else "to open"
            names.append(f"Round {shared + 1}: {told}" if several else told)
        return names

    def group_of(self, place: int) -> int:
        decision = self.decisions[place]
        return list(self.groups).index((len(decision.shared), decision.labels))

    def grid_json(self, number: int) -> JsonObject:
        """Return a group as a grid; of many histories the likeliest."""
        members = list(self.groups.values())[number]
        likely: dict[tuple[str, ...], float] = {}
        for one in members:
            likely[one.history] = likely.get(one.history, 0.0) + self.reach[one.place]
        columns = sorted(
            sorted(likely, key=lambda key: (-likely[key], key))[:MOST_COLUMNS], key=lambda key: (len(key), key)
        )
        rows = sorted({one.row: one for one in members}.values(), key=_hand_order)
        cells = {(one.row, one.history): one for one in members}
        most = max(self.reach[one.place] for one in members)
        return {
            "actions": members[0].labels,
            "rows": [_hand_json(row) for row in rows],
            "columns": [list(column) for column in columns],
            "hidden_columns": len(likely) - len(columns),
            "cells": [[self._cell(cells.get((row.row, column)), most) for column in columns] for row in rows],
        }

    def _cell(self, decision: Decision | None, most: float) -> JsonObject | None:
        if decision is None:
            return None
        shares = self.shares(decision.place)
        seldom = self.reach[decision.place] <= SELDOM * most
        return {"place": decision.place, "shares": shares and [float(share) for share in shares], "seldom": seldom}

    def state_json(self, place: int) -> JsonObject:
        """Return one decision with the way to it, its choices, and what follows each."""
        state, decision, unit = self.tree.states[place], self.decisions[place], unit_of(self.game)
        shares, worths = self.shares(place), self.tree.worths(place)
        possible = bool(self.tree.likely[place] > 0)
        choices = []
        for number, worth in enumerate(worths):
            share = shares[number] if shares else None
            choices.append(
                {
                    "action": worth.action,
                    "label": self.game.label(worth.action),
                    "share": None if share is None else float(share),
                    "exact": None if share is None else str(share),
                    "worth": in_unit(self.game, self.side, worth.worth) if possible else None,
                    "cost": self._cost(worth.cost) if possible else None,
                    "next": self._next(place, worth.action),
                }
            )
        states = [(session.state, share) for session, share in self.tree.histories(place)]
        return {
            "place": place,
            "side": self.side,
            "group": self.group_of(place),
            "unit": unit,
            "possible": possible,
            "reach": self.reach[place],
            "picture": picture_json(draw_view(self.game, state.view)),
            **_hand_json(decision),
            "history": decision.history,
            "path": self._path(place),
            "choices": choices,
            "hidden": hidden_json(self.game, self.side, state.view, states)["hidden"],
        }

    def _cost(self, cost: float) -> float:
        span = float(self.game.payoffs[-1] - self.game.payoffs[0])
        return (cost / span if unit_of(self.game) == "wins" else cost) if cost > NOTICED else 0.0

    def _path(self, place: int) -> list[JsonObject]:
        steps: list[JsonObject] = []
        view, before = None, None
        for at, action in [*self.tree.path(place), (place, None)]:
            state = self.tree.states[at]
            steps += [{"words": words, "share": None, "place": None} for words in self._news(view, before, state.view)]
            if action is not None:
                shares = self.shares(at)
                share = float(shares[list(state.actions).index(action)]) if shares else None
                steps.append({"words": f"You: {self.game.label(action)}", "share": share, "place": at})
            view, before = state.view, action
        return steps

    def _news(self, view: np.ndarray | None, action: int | None, now: np.ndarray) -> list[str]:
        return news_between(self.game, view, action, now) or []

    def _next(self, place: int, action: int) -> list[dict[str, Any]]:
        view = self.tree.states[place].view
        found: list[dict[str, Any]] = []
        for after, share in self.tree.next_places(place, action):
            words = "; ".join(self._news(view, action, self.tree.states[after].view)) or self.decisions[after].words
            found.append({"place": after, "share": share, "words": words})
        return sorted(found, key=lambda one: -one["share"])

    def spot(self) -> int:
        places, sums = self.practice
        drawn = secrets.SystemRandom().random() * float(sums[-1])
        return places[min(int(np.searchsorted(sums, drawn, side="right")), len(places) - 1)]

    def record_to(self, place: int) -> list[int]:
        """Return the record of a game that leads to a decision, drawn from those that fit it."""
        sessions, weights = zip(*self.tree.histories(place), strict=True)
        return list(secrets.SystemRandom().choices(sessions, weights)[0].record)


def _hand_json(decision: Decision) -> dict[str, Any]:
    own, shared = ([cell.to_json() for cell in cells] for cells in (decision.own, decision.shared))
    return {"own": own, "shared": shared, "words": "" if own else decision.words}


def _hand_order(decision: Decision) -> list[tuple[int, Any]]:
    """Court cards from the highest, then numbers upwards, then words."""

    def order(text: str) -> tuple[int, Any]:
        return (
            (0, RANKS.index(text[0])) if text[:1] in RANKS and text else (1, int(text)) if text.isdigit() else (2, text)
        )

    return [order(text) for text in decision.row]


class Practice(BaseModel):
    """A decision from which a game against the solution begins."""

    place: Annotated[int, Field(ge=0, le=2**31)]
    side: Annotated[int, Field(ge=0, le=1)] = 0
    player: Annotated[str, Field(max_length=200)] = SOLVED


def register(site: Site) -> None:
    router = APIRouter(prefix="/api/explore/{game}", tags=["strategies"])

    def solution(name: str, player: str, side: int) -> Solution:
        """Return a solution, computed once; one that is too large or no tree is a ValueError."""
        game = known_game(name)
        demand_opponent(game, player)
        run = player if RUN_NAME.fullmatch(player) and player != SOLVED and game_or_none(player) is None else ""
        digest = site.reader.follow(run).digest if run else b""

        def work() -> Solution:
            agent = parse_agent(game, player, site.reader.path, SEED)
            if not isinstance(agent, BehaviourPolicy) or not is_explored(game, agent.certificate):
                raise ValueError(
                    f"{player} of {name} is no solution with a strategy for every decision: choose another"
                )
            return Solution(game, side, agent)

        return site.jobs.compute(("explore", name, player, side, digest), work)

    def place_of(found: Solution, place: int) -> int:
        if place not in found.decisions:
            raise HTTPException(404, f"there is no decision {place} of this player: begin with one of a grid")
        return place

    @router.get("")
    def outline(game: str, player: Player = SOLVED, side: Side = 0) -> JsonObject:
        """Return the groups of decisions of one side of a solved game, and its likeliest decision."""
        found = solution(game, player, side)
        first = max(found.places, key=lambda place: (found.reach[place], -place))
        return {"game": game, "side": side, "groups": found.group_names(), "first": first, "unit": unit_of(found.game)}

    @router.get("/grids/{group}")
    def grid(game: str, group: Place, player: Player = SOLVED, side: Side = 0) -> JsonObject:
        """Return decisions as a grid of hands by histories."""
        found = solution(game, player, side)
        if group >= len(found.groups):
            raise HTTPException(404, f"there are {len(found.groups)} groups of decisions, from 0")
        return found.grid_json(group)

    @router.get("/decisions/{place}")
    def decision(game: str, place: Place, player: Player = SOLVED, side: Side = 0) -> JsonObject:
        """Return a decision: exact probabilities, values and costs, what may be hidden, and what follows."""
        found = solution(game, player, side)
        return found.state_json(place_of(found, place))

    @router.get("/spot")
    def spot(game: str, player: Player = SOLVED) -> JsonObject:
        """Draw a decision to train: either side, as often as a player meets it whose own actions are drawn."""
        side = secrets.randbelow(2)
        found = solution(game, player, side)
        return {"side": side, "place": found.spot()}

    @router.post("/play", status_code=201)
    def play_on(request: Request, game: str, asked: Practice) -> JSONResponse:
        """Begin a game against the solution at a decision."""
        found = solution(game, asked.player, asked.side)
        record = found.record_to(place_of(found, asked.place))
        return JSONResponse(site.sessions.begin(game, asked.player, asked.side, client_of(request), record=record), 201)

    site.routes.include_router(router)

    @site.routes.get("/explore/{game}", include_in_schema=False)
    def page(request: Request, game: str, player: Player = SOLVED) -> Response:
        def make() -> HTMLResponse:
            found = solution(game, player, 0)
            body: Any = found.agent.certificate
            exact = Fraction(body["lower"]) == Fraction(body["upper"])
            value = number_words(body["lower"]), number_words(body["upper"])
            return site.page(
                request,
                "explore.html",
                game=found.game,
                player=player,
                scene=scene_of(found.game),
                card=card_of(found.game) if player == SOLVED and shipped_solution(game) else None,
                value=f"exactly {value[0]}" if exact else f"between {value[0]} and {value[1]}",
            )

        return site.page_in_time(request, make)
