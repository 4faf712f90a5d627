"""Strategies in words and pictures: a named one, numbers, what a run has found, or an exact solution."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from ..core.agents import Policy, policy_names
from ..core.explain import Explanation, Picture, explain
from ..core.game import Game, find_game, games, parameters_of
from ..runs.agent_texts import RUN_NAME, agent_from_text, engines_of
from ..runs.kind import kind_of_method
from ..runs.report.parts import FIGURES
from ..solve import certificates
from .background import Bench, in_time
from .catalogue import by_kind
from .opponents import ABOUT, demand_opponent
from .pages import page
from .run_reader import Shelf

MOST_ROWS = 300
"""Rows of a solution that are shown; a certificate may have many thousands."""
SHADES = 10
COARSE = 0.2
"""From this largest share on, shares are shown without decimals."""
SEED = 1
"""What is drawn where something has to be sampled."""
Words = Annotated[str, Query(max_length=4000)]


@dataclass(frozen=True)
class Sheet:
    """What a page says of a strategy: sentences, tables, pictures, and lines to be read as they stand."""

    sentences: tuple[str, ...]
    tables: tuple[Any, ...] = ()
    pictures: tuple[Picture, ...] = ()
    lines: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The sheet over the API."""
        return Explanation(self.sentences, self.tables, self.pictures).as_json() | {"lines": list(self.lines)}


@dataclass(frozen=True)
class Listing:
    """A table of a page, as the explanations have them."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def sheet_of(game: Game, words: str, shelf: Shelf) -> Sheet:
    """What there is to say about a player of a game."""
    demand_opponent(game, words)
    name = words.partition("@")[0]
    if name in engines_of(game):
        return Sheet((f"{name} {ABOUT.get(name, 'is an engine')}.",))
    found = agent_from_text(game, words, shelf.path, SEED)
    if isinstance(found, Policy):
        said = explain(game, found, SEED)
        return Sheet(said.sentences, said.tables, said.pictures)
    return _solution((shelf.run(words).result or {})["certificate"])


def _solution(body: dict[str, Any]) -> Sheet:
    """What each side of a certificate does, by what it sees."""
    worth = f"The first player gets {_bounds(body)}; the certificate proves it."
    lines = certificates.own_words(body, False)
    if lines is not None:
        return Sheet((worth,), lines=tuple(lines))
    tables, said = [], [worth]
    for side, name in enumerate(("first", "second")):
        rows = tuple(islice(certificates.strategy_rows(body, side), MOST_ROWS))
        tables.append(Listing(f"The {name} player", ("sees", "plays"), rows))
        left = len(body["strategies"][side]) - len(rows)
        if left:
            said.append(f"Of the {name} player {left:,} rows more are in the certificate.")
    return Sheet(tuple(said), tuple(tables))


def _bounds(body: dict[str, Any]) -> str:
    lower, upper = str(body["lower"]), str(body["upper"])
    return f"exactly {lower}" if lower == upper else f"between {lower} and {upper}"


def heat_of(picture: Picture) -> list[tuple[str, list[tuple[str, int]]]]:
    """The rows of a picture as a heat map: the words of every cell, and its shade."""
    known = [cell for row in picture.grid for cell in row if cell is not None]
    whole = all(cell == int(cell) for cell in known) and max(known, default=0) > 1
    least, most = (min(known, default=0), max(known, default=1)) if whole else (0.0, max(known, default=1))
    span = (most - least) or 1.0

    def cell_of(cell: float | None) -> tuple[str, int]:
        if cell is None:
            return "", 0
        words = f"{cell:.0f}" if whole else f"{100 * cell:.{0 if most >= COARSE else 1}f}"
        return words, min(int((cell - least) / span * SHADES), SHADES - 1)

    return [(name, [cell_of(cell) for cell in row]) for name, row in zip(picture.rows, picture.grid, strict=True)]


def looks_of(table: Any) -> list[str]:
    """Which columns of a table hold figures, and so align to the right."""
    columns = zip(*table.rows, strict=True)
    return ["number" if all(_is_figure(str(cell)) for cell in cells) else "" for cells in columns]


def _is_figure(words: str) -> bool:
    return FIGURES.fullmatch(words) is not None and ", " not in words


def is_share(picture: Picture) -> bool:
    """Whether the cells of a picture are shares, which are shown as percentages."""
    known: Sequence[float] = [cell for row in picture.grid for cell in row if cell is not None]
    return not (all(cell == int(cell) for cell in known) and max(known, default=0) > 1)


def worth_explaining(game: Game) -> bool:
    """Whether there is more to say about the players of a game than that they try anything."""
    return bool(game.named or parameters_of(game) or engines_of(game))


def routes(shelf: Shelf, bench: Bench) -> APIRouter:
    """Strategies over the API, and their pages."""
    router = APIRouter()

    def sheet(game: Game, words: str) -> Sheet:
        rows = shelf.follow(words).length if RUN_NAME.fullmatch(words) and words not in games() else 0
        return bench.worked(("strategy", game.name, words, rows), lambda: sheet_of(game, words, shelf))

    def found_by_runs() -> list[dict[str, str]]:
        kept = [run for run in shelf.summaries() if run.game in games()]
        found = [run for run in kept if kind_of_method(run.method).opponent(run) is not None]
        return [
            {"game": run.game, "title": games()[run.game].title, "run": run.name, "how": run.method or ""}
            for run in found
        ]

    @router.get("/api/strategies", tags=["strategies"])
    def every_strategy() -> dict[str, Any]:
        """Games with their named players, and runs that have found a strategy."""
        known = [game for game in games().values() if worth_explaining(game)]
        listed = [{"game": game.name, "players": [*policy_names(game), *engines_of(game)]} for game in known]
        return {"games": listed, "runs": found_by_runs()}

    @router.get("/api/strategies/{game}", tags=["strategies"])
    def one_strategy(game: str, player: Words) -> dict[str, Any]:
        """What a player of a game does, in sentences, tables and pictures."""
        return {"game": game, "player": player, **sheet(find_game(game), player).as_json()}

    @router.get("/strategies", include_in_schema=False)
    def list_page(request: Request) -> HTMLResponse:
        """All strategies that have something to tell."""
        kinds = {kind: [game for game in known if worth_explaining(game)] for kind, known in by_kind().items()}
        players = {game.name: [*engines_of(game), *policy_names(game)] for known in kinds.values() for game in known}
        shown = {kind: known for kind, known in kinds.items() if known}
        return page(request, "strategies.html", kinds=shown, players=players, runs=found_by_runs())

    @router.get("/strategies/{game}", include_in_schema=False)
    def strategy_page(request: Request, game: str, player: Words = "") -> HTMLResponse:
        """What a player of a game does."""
        chosen = find_game(game)
        players = [*engines_of(chosen), *policy_names(chosen)]
        runs = [run["run"] for run in found_by_runs() if run["game"] == game]
        context: dict[str, Any] = {
            "game": chosen,
            "players": players,
            "runs": runs,
            "count": len(parameters_of(chosen)),
        }
        words = player.strip() or players[0]

        def made() -> HTMLResponse:
            found = sheet(chosen, words)
            maps = [(picture, heat_of(picture), is_share(picture)) for picture in found.pictures]
            tables = [(table, looks_of(table)) for table in found.tables]
            return page(request, "strategy.html", player=words, sheet=found, maps=maps, tables=tables, **context)

        return in_time(request, made)

    return router
