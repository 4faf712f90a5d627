"""Strategies in words and pictures: named ones, numbers, results of runs, and exact solutions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from ...core.agents import ParametricPolicy, policy_names
from ...core.explain import Explanation, Table, TextChart, explain
from ...core.game import Game, game_or_none, known_game, list_games, parameters_of
from ...core.page_contract import play_support
from ...runs.agent_parser import SOLVED, engines_of, is_general, parse_agent
from ...runs.kind import kind_of_method
from ...runs.kinds.solve import KIND as SOLVE
from ...runs.report import FIGURES
from ...runs.request import RUN_NAME
from ...solving import proofs
from ...solving.known_values import shipped_solution
from ...solving.proofs import problem_of
from ...solving.proofs.checkers.primitives import MAX_SECONDS, demand, limit_work
from ...solving.proofs.checkers.refined import FORMAT as REFINED_FORMAT
from ...solving.proofs.checkers.tree import FORMAT, SIDES, plan_of
from .. import JsonObject
from ..app import Site
from ..opponents import NOTES, demand_opponent
from ..run_reader import RunReader
from .certificates import number_words
from .home import games_by_kind

PATH, TITLE = "/strategies", "Strategies"
MAX_ROWS = 300  # rows of a solution that are shown; a certificate may have many thousands
SHADES = 10
COARSE = 0.2  # if the largest probability is at least this, percentages have no decimals
SOLUTION = "The certified solution"
ROWS_PER_PAGE = 40  # decisions on one page of a solution
LONG_FRACTION = 12  # fractions of at least this many characters are shown as decimal numbers
SEED = 1  # random seed where something is sampled
ORDERS = {"tree": "in the order of play", "reach": "likeliest first", "mixed": "only where chance has a part"}
Text = Annotated[str, Query(max_length=4000)]
Side = Annotated[int, Query(ge=0, le=1)]
PageNumber = Annotated[int, Query(ge=1, le=10**6)]


@dataclass(frozen=True)
class Sheet(Explanation):
    """Texts of a page about a strategy: an explanation, or the lines of a solution verbatim."""

    KEYS = (*Explanation.KEYS, "lines")

    lines: tuple[str, ...] = ()


def describe(game: Game, text: str, reader: RunReader) -> Sheet:
    demand_opponent(game, text)
    name = text.partition("@")[0]
    if is_general(game, text):
        return Sheet((f"{text} {NOTES[text.partition(':')[0]]}.",))
    if name in engines_of(game):
        notes = {**NOTES, **play_support(game).notes}
        return Sheet((f"{name} {notes.get(name, 'is an engine')}.",))
    agent = parse_agent(game, text, reader.path, SEED)
    if isinstance(agent, ParametricPolicy):
        found = explain(game, agent, SEED)
        return Sheet(found.sentences, found.tables, found.pictures)
    return _describe_solution(agent.certificate or {})


def _describe_solution(certificate: Mapping[str, Any]) -> Sheet:
    lower, upper = number_words(certificate["lower"]), number_words(certificate["upper"])
    value = f"exactly {lower}" if lower == upper else f"between {lower} and {upper}"
    sentences = [f"The first player gets {value}; the certificate proves it."]
    lines = proofs.own_words(certificate, False)
    if lines is not None:
        return Sheet(tuple(sentences), lines=tuple(lines))
    tables = []
    for side, name in enumerate(("first", "second")):
        rows = tuple(islice(proofs.strategy_rows(certificate, side), MAX_ROWS))
        columns = ("sees", "plays", "reached if both play well")[: 2 + any(when for _, _, when in rows)]
        cut = tuple(row[: len(columns)] for row in rows)
        tables.append(Table(f"The {name} player", columns, cut))
        left = len(proofs.strategies_of(certificate)[side]) - len(rows)
        if left:
            sentences.append(f"Of the {name} player {left:,} rows more are in the certificate.")
    return Sheet(tuple(sentences), tuple(tables))


class HeatMap(NamedTuple):
    """Chart as a table: the text and shade of every cell, by row; `shares` marks percentages."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, list[tuple[str, int]]]]
    shares: bool


def heat_map(picture: TextChart) -> HeatMap:
    """Shade a chart; its cells are probabilities, unless all are integers and one exceeds 1."""
    known = [cell for row in picture.grid for cell in row if cell is not None]
    most = max(known, default=1)
    shares = max(known, default=0) <= 1 or any(cell != int(cell) for cell in known)
    least = 0.0 if shares else min(known)
    span = (most - least) or 1.0

    def shade(cell: float | None) -> tuple[str, int]:
        if cell is None:
            return "", 0
        words = f"{100 * cell:.{0 if most >= COARSE else 1}f}" if shares else f"{cell:.0f}"
        return words, min(int((cell - least) / span * SHADES), SHADES - 1)

    rows = [(name, [shade(cell) for cell in row]) for name, row in zip(picture.rows, picture.grid, strict=True)]
    return HeatMap(picture.title, picture.columns, rows, shares)


def column_classes(table: Table) -> list[str]:
    def is_figure(text: str) -> bool:
        return FIGURES.fullmatch(text) is not None and ", " not in text

    columns = zip(*table.rows, strict=True)
    return ["number" if all(is_figure(str(cell)) for cell in cells) else "" for cells in columns]


class Share(NamedTuple):
    action: str
    words: str
    number: float


class StrategyRow(NamedTuple):
    """Decision of a certificate: the view, the previous own action, the action probabilities, and the reach.

    Reach is the player's own reach probability: the product of its action probabilities on the path.
    """

    number: int
    before: int | None  # number of the player's previous decision
    did: str  # its action there
    sees: str
    shares: tuple[Share, ...]
    reach: float

    @property
    def mixed(self) -> bool:
        """True if more than one action has positive probability."""
        return sum(share.number > 0 for share in self.shares) > 1


class DecisionPage(NamedTuple):
    """Page of one player's decisions, and the totals."""

    side: int
    decisions: Sequence[StrategyRow]
    found: int
    total: int
    number: int
    pages: int


def decisions_of(certificate: Mapping[str, Any], side: int) -> list[StrategyRow]:
    """List every decision of one player; each comes after the decisions that it follows from."""
    problem, rows = problem_of(certificate, None), proofs.strategies_of(certificate)[side]
    found: list[StrategyRow] = []
    with limit_work(MAX_SECONDS):
        plans = plan_of(rows, SIDES[side]).values()
    for number, (row, (_, plan)) in enumerate(zip(rows, plans, strict=True)):
        seen, names = problem.words(row["view"], row["actions"])
        after, before, reach = row["after"], None, 1.0
        if after is not None:
            place = after[0]
            demand(0 <= place < number, f"row {number} of the {SIDES[side]} player comes after no earlier row")
            before = found[place]
            earlier = rows[place]["actions"].index(after[1])
            reach = before.reach * before.shares[earlier].number
        shares = []
        for name, share in zip(names, (plan[act] for act in row["actions"]), strict=True):
            words = str(share) if len(str(share)) < LONG_FRACTION else f"{float(share):.6f}"
            shares.append(Share(name, words, float(share)))
        did = before.shares[earlier].action if before is not None else ""
        lines = "\n".join(line.rstrip() for line in seen.splitlines() if line.strip())
        found.append(StrategyRow(number + 1, before and before.number, did, lines, tuple(shares), reach))
    return found


def page_of(decisions: Sequence[StrategyRow], side: int, words: str, order: str, number: int) -> DecisionPage:
    """Return one page of the decisions whose view or actions contain all of the text's terms."""
    wanted = words.casefold().split()

    def passes(decision: StrategyRow) -> bool:
        text = " ".join((decision.sees, decision.did, *(share.action for share in decision.shares if share.number)))
        return all(word in text.casefold() for word in wanted)

    found = [decision for decision in decisions if passes(decision) and (order != "mixed" or decision.mixed)]
    if order == "reach":
        found.sort(key=lambda decision: -decision.reach)
    pages = max(1, -(-len(found) // ROWS_PER_PAGE))
    number = min(number, pages)
    shown = found[(number - 1) * ROWS_PER_PAGE : number * ROWS_PER_PAGE]
    return DecisionPage(side, shown, len(found), len(decisions), number, pages)


def is_explained(game: Game) -> bool:
    """True if the players of a game can be described beyond uniform random play."""
    return bool(game.policies or parameters_of(game) or engines_of(game))


def found_by_runs(reader: RunReader) -> list[dict[str, str]]:
    return [
        {"game": run.game, "title": game.title, "run": run.name, "how": run.method or ""}
        for run in reader.summaries()
        if (game := game_or_none(run.game)) is not None and kind_of_method(run.method).opponent(run) is not None
    ]


def register(site: Site) -> None:
    reader, router = site.reader, APIRouter(prefix="/api/strategies", tags=["strategies"])

    def sheet(game: Game, text: str) -> Sheet:
        """Return the texts, computed once per row of a run."""
        last = reader.follow(text).digest if RUN_NAME.fullmatch(text) and game_or_none(text) is None else b""
        return site.jobs.compute(("strategy", game.name, text, last), lambda: describe(game, text, reader))

    def rows(game: Game, text: str, side: int) -> list[StrategyRow] | None:
        """Return the decisions of a solution, computed once per row of its run; None for any other player."""
        last = reader.follow(text).digest if text != SOLVED else b""

        def work() -> list[StrategyRow] | None:
            agent = parse_agent(game, text, reader.path, SEED)
            certificate = None if isinstance(agent, ParametricPolicy) else agent.certificate
            small = certificate and certificate.get("format") in (FORMAT, REFINED_FORMAT)
            return decisions_of(certificate, side) if certificate and small else None

        return site.jobs.compute(("decisions", game.name, text, side, last), work)

    def is_solution(game: Game, text: str) -> bool:
        if text == SOLVED:
            return shipped_solution(game.name) is not None
        finished = [run for run in reader.summaries() if run.state == "finished" and run.method == SOLVE.method]
        return any(run.name == text and run.game == game.name for run in finished)

    @router.get("")
    def every_strategy() -> JsonObject:
        """List games with their named players, and runs that have found a strategy."""
        known = [game for game in list_games().values() if is_explained(game)]
        listed = [{"game": game.name, "players": [*policy_names(game), *engines_of(game)]} for game in known]
        return {"games": listed, "runs": found_by_runs(reader)}

    @router.get("/{game}")
    def one_strategy(game: str, player: Text) -> JsonObject:
        """Describe a player of a game in sentences, tables and pictures."""
        return {"game": game, "player": player, **sheet(known_game(game), player).to_json()}

    site.routes.include_router(router)

    @site.routes.get(PATH, include_in_schema=False)
    def list_page(request: Request) -> HTMLResponse:
        known = {kind: [game for game in listed if is_explained(game)] for kind, listed in games_by_kind().items()}
        kinds = {kind: listed for kind, listed in known.items() if listed}
        players = {game.name: [*engines_of(game), *policy_names(game)] for listed in kinds.values() for game in listed}
        return site.page(request, "strategies.html", kinds=kinds, players=players, runs=found_by_runs(reader))

    @site.routes.get(PATH + "/{game}", include_in_schema=False)
    def strategy_page(
        request: Request,
        game: str,
        player: Text = "",
        side: Side = 0,
        q: Annotated[str, Query(max_length=200)] = "",
        order: Annotated[str, Query(max_length=20)] = "tree",
        page: PageNumber = 1,
    ) -> Response:
        chosen = known_game(game)
        players = [*engines_of(chosen), *policy_names(chosen)]
        runs = [run["run"] for run in found_by_runs(reader) if run["game"] == game]
        text = player.strip() or players[0]

        def make() -> HTMLResponse:
            found = sheet(chosen, text)
            listed = rows(chosen, text, side) if is_solution(chosen, text) else None
            browser: DecisionPage | None = None if listed is None else page_of(listed, side, q, order, page)
            return site.page(
                request,
                "strategy.html",
                game=chosen,
                player=text,
                heading=SOLUTION if text == SOLVED else text,
                sheet=found,
                maps=[heat_map(picture) for picture in found.pictures],
                tables=[] if browser else [(table, column_classes(table)) for table in found.tables],
                browser=browser,
                words=q,
                order=order,
                orders=ORDERS,
                known=[*runs, *players],
                count=len(parameters_of(chosen)),
            )

        return site.page_in_time(request, make)
