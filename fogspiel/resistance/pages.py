"""Page of The Resistance."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

from fastapi import Path, Request
from fastapi.responses import HTMLResponse, Response

from ..core.game import Game
from ..core.page_contract import JsonObject, PageSite, PlaySupport
from .certificate import solve
from .checkers.resistance import Resistance
from .explain import LATE_SABOTAGE, spy_missions
from .game import SETUPS
from .linear_program import LETTERS, TABLES, plan_steps, strategy_of

# The Resistance: the solved plan as a table to follow in a real game, and the spies' strategy against it.

PATH = "/resistance"
# Link on pages about strategies: its title, and the text after it.
ASIDE = "a plan for The Resistance", "that one can follow at a real table"
OUTCOMES = {"+": "succeeded", "-": "sabotaged"}
Players = Annotated[int, Path(ge=min(TABLES), le=max(TABLES), description="How many play.")]


class ResistancePlay(PlaySupport):
    """The names of the two teams, and the link from a game to its plan."""

    seats = ("the resistance", "the spies")

    def links(self, game: Game) -> Sequence[tuple[str, str]]:
        return ((f"{PATH}/{game.size}", "The proved plan, to follow at a real table"),)


PLAY = {f"resistance{number}": ResistancePlay() for number in TABLES}


def plan_json(number: int) -> JsonObject:
    setup, table = SETUPS[number], TABLES[number]
    value = Resistance(setup, strategy_of(setup, table)).payoff()
    wins = (value + 1) / 2
    return {
        "players": number,
        "spies": setup.spies,
        "letters": list(LETTERS[:number]),
        "sizes": list(setup.sizes),
        "sabotages_needed": list(setup.needed),
        "value": str(value),
        "wins": str(wins),
        "chance": float(wins),
        "lots": False,  # one shuffle before the game is enough; earlier plans for some numbers of players drew more
        "steps": [
            {
                "outcomes": outcomes,
                "so_far": [OUTCOMES[outcome] for outcome in outcomes],
                "round": len(outcomes) + 1,
                "score": [outcomes.count("+"), outcomes.count("-")],
                "send": list(mission),
                "sabotages_needed": setup.needed[len(outcomes)],
            }
            for outcomes, mission in plan_steps(setup, table)
        ],
    }


def spies_json(number: int) -> JsonObject:
    """Return the spies' strategy against the plan for that many players; solves the game for it."""
    certificate = solve(SETUPS[number])
    missions = [
        {"mission": mission, "spies": [{"where": where, "does": does} for where, does in decisions]}
        for mission, decisions in spy_missions(certificate)
    ]
    value = str(Fraction(certificate["value"]))
    return {"players": number, "value": value, "always": LATE_SABOTAGE, "missions": missions}


def register(site: PageSite) -> None:
    @site.routes.get("/api/resistance/{players}", tags=["resistance"])
    def plan(players: Players) -> JsonObject:
        """The optimal plan of the resistance."""
        return plan_json(players)

    @site.routes.get("/api/resistance/{players}/spies", tags=["resistance"])
    def spies(players: Players) -> JsonObject:
        """The optimal sabotage of the spies; the game is solved for it."""
        return site.jobs.compute(("spies", players), lambda: spies_json(players))

    @site.routes.get(PATH, include_in_schema=False)
    def first_page(request: Request) -> Response:
        return plan_page(request, min(TABLES))

    @site.routes.get(PATH + "/{players}", include_in_schema=False)
    def plan_page(request: Request, players: Players, side: str = "resistance") -> Response:
        def make() -> HTMLResponse:
            sabotage = spies(players) if side == "spies" else None
            return site.page(request, "resistance.html", plan=plan_json(players), spies=sabotage, numbers=list(TABLES))

        return site.page_in_time(request, make)
