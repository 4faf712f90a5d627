"""Future work of section 7, compared with the plain programs by nodes: the hybrid of B and C, progressive strategies.

Calibration of the simulated messages is `paper calibration`; constants are adapted by `tune --kriegspiel C:paper` and
used as `C:paper:run=NAME`.
"""

from collections.abc import Iterator, Sequence

from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.match import EngineMatch, EngineSpec, elo_of_pairs
from fogspiel.papers.ciancarini2010.figure10 import POINTS, games_of, match_line
from fogspiel.papers.claims import Claim, Clause, claim_table, elo
from fogspiel.papers.kinds import Batches, PaperPart, any_number
from fogspiel.runs.kind import Row, rows_by
from fogspiel.runs.report import Report, Table
from fogspiel.runs.requests import PaperRequest

NODES, B_NODES = 1000, 200  # moves explored by C and the hybrid (about 30 per simulation); simulations of B
GAMES, QUICK_GAMES, LONGEST = 200, 8, 300
HYBRID, B, C = "BC3:paper", "B3:paper", "C:paper"
PAIRINGS = {
    (HYBRID, C): "the hybrid of B and C is better than C",
    (HYBRID, B): "the hybrid of B and C is better than B",
    ("C:bias", C): "progressive bias improves C",
    ("C:unprune", C): "progressive unpruning improves C",
}


def spec(engine: str) -> EngineSpec:
    return EngineSpec(engine, SearchLimit(nodes=B_NODES if engine == B else NODES))


def matches(request: PaperRequest) -> Iterator[EngineMatch]:
    games = games_of(request, GAMES, QUICK_GAMES)
    for first, second in PAIRINGS:
        yield EngineMatch((spec(first), spec(second)), games, request.seed, LONGEST)


def batches(request: PaperRequest) -> Batches:
    yield [job for match in matches(request) for job in match.jobs((0, 1))]


def claims(request: PaperRequest, rows: Sequence[Row]) -> list[Claim]:
    """Return what section 7 hopes for; the clauses test a gain, not its size."""
    played = rows_by(rows, "first", "second")
    found = []
    for (first, second), sentence in PAIRINGS.items():
        part = played.get((spec(first).name, spec(second).name), [])
        clause = Clause("Elo", elo(elo_of_pairs(part).pairs), least=0, strict=True)
        found.append(Claim("7", sentence, f"{spec(first).name} against {spec(second).name}", (clause,)))
    return found


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    lines = [
        match_line(EngineSpec.from_json(part[0]["seats"][0]), EngineSpec.from_json(part[0]["seats"][1]), part)
        for part in rows_by(rows, "first", "second").values()
    ]
    return Report(
        request.name,
        "Future work of section 7",
        request.command,
        (
            "Colours are swapped in every pair of games; intervals are 95 %, from the spread of pairs. The constants "
            "of the new engines are those of the plain ones, and their own are set by hand.",
        ),
        (Table("matches", "Matches", POINTS, lines), claim_table(claims(request, rows), "The paper's suggestions")),
    )


EXPERIMENTS = (
    PaperPart(
        "future-work", "Ciancarini & Favini 2010", batches, report, place=6, claims=claims,
        selects={"games": any_number},
    ),
)  # fmt: skip
