"""The Resistance: the solved plan as a table that one can follow at a real table, and what the spies do against it."""

from fractions import Fraction
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse

from ..games.resistance.setups import SETUPS, Setup
from ..runs.kinds.solve import Request as Solve
from ..runs.kinds.solve import solve_unstored
from ..solve.checkers.resistance_certificate import Resistance
from ..solve.resistance.plan_tables import LETTERS, TABLES, certain_share, strategy_of
from ..solve.resistance.words import spies_lines
from .background import Bench, in_time
from .pages import page

OUTCOMES = {"+": "succeeded", "-": "sabotaged"}
Players = Annotated[int, Path(ge=min(TABLES), le=max(TABLES), description="How many play.")]


def missions_of(setup: Setup, outcomes: str) -> list[str]:
    """Whom the plan sends now and next, as long as the missions do not change its course."""
    table, entered = TABLES[setup.players], outcomes
    while entered not in table:
        entered = entered[:-1]
    plan, gone = table[entered].split(), len(outcomes) - len(entered)
    if entered.count("-") == setup.points - 1 and entered.count("+") < setup.points - 1:
        plan = [plan[-1][:size] for size in setup.sizes[len(entered) :]]
    return plan[gone:]


def steps_of(setup: Setup) -> list[dict[str, Any]]:
    """Every situation that the plan can meet, with the mission to send."""
    found, reached = [], [""]
    for outcomes in reached:
        number, won = len(outcomes), outcomes.count("+")
        found.append(
            {
                "outcomes": outcomes,
                "so_far": [OUTCOMES[outcome] for outcome in outcomes],
                "round": number + 1,
                "score": [won, number - won],
                "send": list(missions_of(setup, outcomes)[0]),
                "sabotages_needed": setup.needed[number],
            }
        )
        for outcome in "+-":
            after = outcomes + outcome
            if max(after.count("+"), after.count("-")) < setup.points:
                reached.append(after)
    return found


def plan_of(number: int) -> dict[str, Any]:
    """The plan of the resistance for that many players, with what it is worth."""
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
        "lots": certain_share(setup, table) < wins,
        "steps": steps_of(setup),
    }


def spies_of(number: int) -> dict[str, Any]:
    """What the spies do against that plan: for every mission, by where they sit."""
    body = solve_unstored(Solve(f"resistance{number}"))["certificate"]
    always, *lines = spies_lines(body)
    missions: list[dict[str, Any]] = []
    for line in lines:
        if not line.startswith("  "):
            missions.append({"mission": line, "spies": []})
            continue
        where, _, does = line.strip().removeprefix("spies: ").rpartition(": ")
        missions[-1]["spies"].append({"where": where, "does": does})
    return {"players": number, "value": str(Fraction(body["value"])), "always": always, "missions": missions}


def routes(bench: Bench) -> APIRouter:
    """The plans over the API, and their page."""
    router = APIRouter()

    @router.get("/api/resistance/{players}", tags=["resistance"])
    def plan(players: Players) -> dict[str, Any]:
        """The optimal plan of the resistance."""
        return plan_of(players)

    @router.get("/api/resistance/{players}/spies", tags=["resistance"])
    def spies(players: Players) -> dict[str, Any]:
        """The optimal sabotage of the spies; the game is solved for it."""
        return bench.worked(("spies", players), lambda: spies_of(players))

    @router.get("/resistance", include_in_schema=False)
    def choose_page(request: Request) -> HTMLResponse:
        return show_page(request, min(TABLES))

    @router.get("/resistance/{players}", include_in_schema=False)
    def show_page(request: Request, players: Players, side: str = "resistance") -> HTMLResponse:
        """The plan for one side."""

        def made() -> HTMLResponse:
            other = bench.worked(("spies", players), lambda: spies_of(players)) if side == "spies" else None
            return page(request, "resistance.html", plan=plan_of(players), spies=other, numbers=list(TABLES))

        return in_time(request, made)

    return router
