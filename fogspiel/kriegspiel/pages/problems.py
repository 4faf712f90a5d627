"""Problems: mate a king whose square you do not know, against the worst answers the referee can give."""

from collections.abc import Callable
from functools import cache
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from ...core.compile.kernel import interpreted
from ...core.page_contract import JsonObject, PageSite
from ...core.picture import Chess, picture_json
from ..problems import Problem, find_problem, shipped_problems
from ..problems.solution import (
    MAX_ATTEMPTS,
    KnownMen,
    WhiteKnowledge,
    hint,
    known_men,
    scene_after,
    solve,
    standing,
    tree_lines,
)
from ..problems.solver import Solver

PATH, TITLE = "/problems", "Problems"
MAX_REMEMBERED = 300_000  # nodes after which a solver is replaced to free memory
Number = Annotated[int, Path(ge=1, le=10**6, description="The number of a problem.")]
Attempt = Annotated[str, Field(max_length=5)]


class Line(BaseModel):
    """Attempts so far; they determine the referee's answers, so the server keeps nothing."""

    attempts: Annotated[list[Attempt], Field(max_length=MAX_ATTEMPTS)] = []


def known_problem(number: int) -> Problem:
    try:
        return find_problem(number)
    except ValueError as error:
        raise HTTPException(404, str(error)) from None


def scene_json(number: int, scene: WhiteKnowledge) -> JsonObject:
    """Return the person's knowledge; neither the solution nor whether one still exists."""
    men, last = known_men(scene.boards), scene.heard[-1:]
    words = [f"{said[0].upper()}{said[1:]}." for heard in last for said in (heard.answer, heard.reply) if said]
    part = Chess(
        men=men.certain,
        side=0,
        turn=not scene.over,
        refused=tuple(attempt[:4] for attempt in scene.refused),
        words=tuple(words or [f"White mates in {scene.moves_left}."]),
        over=scene.over,
    )
    return {
        "number": number,
        "picture": picture_json((part,))[0],
        "possible": dict(men.possible),
        "choices": [{"action": place, "label": label} for place, label in enumerate(scene.attempts())],
        "moves_left": scene.moves_left,
        "state": standing(scene),
        "over": scene.over,
        "solved": scene.solved,
        "heard": [{"attempt": h.attempt, "answer": h.answer, "reply": h.reply} for h in scene.heard],
    }


@cache
def _pictured() -> list[tuple[Problem, KnownMen]]:
    """Return the problems with the men that stand on their boards, computed once."""
    with interpreted():  # a few pictures do not justify compilation
        return [(problem, known_men(problem.positions)) for problem in shipped_problems()]


def register(site: PageSite) -> None:
    router, solvers = APIRouter(prefix="/api/problems", tags=["problems"]), dict[int, Solver]()
    pages = APIRouter(prefix=PATH, include_in_schema=False)

    def compute(
        number: int, what: str, attempts: list[str], work: Callable[[Problem, Solver], JsonObject]
    ) -> JsonObject:
        """Compute on the background thread, the only one that uses the solvers."""
        problem = known_problem(number)

        def answer() -> JsonObject:
            if number not in solvers or solvers[number].nodes > MAX_REMEMBERED:
                solvers[number] = Solver()
            return work(problem, solvers[number])

        return site.jobs.compute(("problem", number, what, tuple(attempts)), answer)

    @router.get("")
    def list_problems() -> JsonObject:
        """Every problem, without its solution."""
        return {"problems": [{"number": n} | problem.to_json() for n, problem in enumerate(shipped_problems(), 1)]}

    @router.post("/{number}")
    def attempt(number: Number, asked: Line) -> JsonObject:
        """Return the knowledge after these attempts under the worst answers of the referee."""
        line = asked.attempts
        return compute(number, "scene", line, lambda p, solver: scene_json(number, scene_after(solver, p, line)))

    @router.post("/{number}/hint")
    def next_attempt(number: Number, asked: Line) -> JsonObject:
        """An attempt that begins the shortest mate after these attempts, or null if there is none in time."""

        def work(problem: Problem, solver: Solver) -> JsonObject:
            return {"number": number, "attempt": hint(solver, scene_after(solver, problem, asked.attempts))}

        return compute(number, "hint", asked.attempts, work)

    @router.get("/{number}/solution")
    def solution(number: Number) -> JsonObject:
        """The whole solution as a tree and in words."""

        def work(problem: Problem, solver: Solver) -> JsonObject:
            tree = solve(problem, solver).tree
            return {"number": number, "tree": tree and tree.to_json(), "lines": list(tree_lines(tree)) if tree else []}

        return compute(number, "solution", [], work)

    @pages.get("")
    def list_page(request: Request) -> HTMLResponse:
        return site.page(request, "problems.html", problems=_pictured())

    @pages.get("/{number}")
    def problem_page(request: Request, number: Number) -> HTMLResponse:
        with interpreted():
            problem, many = known_problem(number), len(shipped_problems())
        return site.page(request, "problem.html", number=number, many=many, problem=problem)

    site.routes.include_router(router)
    site.routes.include_router(pages)
