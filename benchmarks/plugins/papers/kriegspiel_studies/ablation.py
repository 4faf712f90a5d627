"""Knowledge ablation of approach C, and the three faults of approach A removed one by one.

Section 6.1 of Ciancarini & Favini (2010) credits UCT selection for the strength of C, which "only knows that the more
pieces it has, the better". From the printed program to our C, one kind of knowledge is added at a time. Section 5.1
names three reasons why A fails: boards on which men do not protect each other, random replies, and playouts without
progress. Each is removed alone.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from fogspiel.kriegspiel.engine import SearchLimit
from fogspiel.kriegspiel.match import EngineMatch, EngineSpec, elo_of_pairs, results_of
from fogspiel.papers.ciancarini2010.figure10 import (
    OVER,
    POINTS,
    SELDOM,
    SELDOM_WINS,
    THREE_WINS,
    A,
    check_engine,
    games_of,
    is_chosen,
    match_line,
)
from fogspiel.papers.claims import Claim, Clause, claim_table, elo, mean_of, wins_per_loss
from fogspiel.papers.kinds import Batches, PaperPart, any_number
from fogspiel.runs.kind import Row, rows_by
from fogspiel.runs.report import Chart, Report, Series, Table
from fogspiel.runs.requests import PaperRequest

from .engines import KNOWLEDGE

NODES = 10_000  # of C, as of the minimax program
PER_ITERATION = 100  # nodes for an iteration of A, which is a whole game
GAMES, QUICK_GAMES = 400, 24
LONGEST = 600  # plies after which a game counts as drawn: a counter of men need not finish it
READINGS = {
    "C:paper": "as printed",
    "C:exposure": "as printed, every man of ours may be captured (second reading of 5.2)",
    "C:allied": "as printed, our men alone count (5.3)",
}
LADDER = {
    **READINGS,
    **{f"C:step{step}": knowledge.title for step, knowledge in KNOWLEDGE.items()},
    "C": "+ endgames: our C",
}
REMEDIES = {
    "A:boards": "boards of a belief that follows all messages",
    "A:replies": "simulated players capture what they can",
    "A:progress": "short playouts that end with a count of men",
}
ANYWHERE = "A:anywhere"  # random boards without the paper's limits on the pawns of a file
FAULTY = {ANYWHERE: "pawns on any file of a random board", A: "as printed"}
APPROACHES_A = {**FAULTY, **REMEDIES}


def nodes_of(request: PaperRequest) -> int:
    return request.nodes or NODES


def spec(request: PaperRequest, engine: str) -> EngineSpec:
    nodes = nodes_of(request)
    return EngineSpec(engine, SearchLimit(nodes=max(1, nodes // PER_ITERATION) if engine in APPROACHES_A else nodes))


def matches(request: PaperRequest) -> Iterator[EngineMatch]:
    games = games_of(request, GAMES, QUICK_GAMES)
    fewer = max(2, games // 2)  # of the approaches A, which take twice as many matches
    for engine in filter(partial(is_chosen, request), [*LADDER, *APPROACHES_A]):
        for opponent in ("minimax", A) if engine in APPROACHES_A and engine != A else ("minimax",):
            seats = spec(request, engine), spec(request, opponent)
            yield EngineMatch(seats, fewer if engine in APPROACHES_A else games, request.seed, LONGEST)


def batches(request: PaperRequest) -> Batches:
    yield [job for match in matches(request) for job in match.jobs((0, 1))]


Played = dict[tuple[str, str], Sequence[Row]]  # rows of a match by its two engines


def played_matches(rows: Sequence[Row]) -> Played:
    found = rows_by(rows, "first", "second").values()
    return {(part[0]["seats"][0]["engine"], part[0]["seats"][1]["engine"]): part for part in found}


def claims(request: PaperRequest, rows: Sequence[Row]) -> list[Claim]:
    """Return the paper's claims on C and A by nodes, and the other steps as findings."""
    played, found = played_matches(rows), list[Claim]()
    for engine, title in LADDER.items():
        part = played.get((engine, "minimax"), [])
        above = Clause("Elo", elo(elo_of_pairs(part).pairs), least=OVER)
        subject = spec(request, engine).name
        if engine in READINGS:
            often = Clause("wins per loss", wins_per_loss(THREE_WINS, results_of(part)), least=0)
            sentence = f"C, which counts men alone, is over 100 Elo above the minimax program ({title})"
            found.append(Claim("6.1", sentence, subject, (above, often), "100 Elo, 3 wins per loss"))
        else:
            found.append(Claim("6.1", f"C, {title}, against the minimax program", subject, (above,), ours=True))
    for engine, title in APPROACHES_A.items():
        wins = [sum(result == 2 for result in pair) for pair in results_of(played.get((engine, "minimax"), []))]
        seldom = Clause("share of games won", mean_of([wins.count(number) for number in range(3)]), most=SELDOM)
        subject = spec(request, engine).name
        if engine == A:
            found.append(Claim("5.1, figure 5", SELDOM_WINS, subject, (seldom,), "below 2 %"))
            continue
        better = Clause("Elo", elo(elo_of_pairs(played.get((engine, A), [])).pairs), least=0, strict=True)
        ours = engine in FAULTY
        held = "A" if ours else "A is held back by this fault: better than as printed"
        against = f"{subject} against {A}"
        found.append(Claim("5.1", f"{held} with {title}", against, (better,), ours=ours))
        found.append(Claim("5.1", f"A with {title} wins against the minimax program", subject, (seldom,), ours=True))
    return found


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    played = played_matches(rows)
    strengths = {engine: elo_of_pairs(played[engine, "minimax"]) for engine in LADDER if (engine, "minimax") in played}
    points = [(engine, one.elo, *one.elo_interval()) for engine, one in strengths.items() if 0 < one.score < 1]
    lines = [
        ((LADDER | APPROACHES_A)[first],
         *match_line(EngineSpec.from_json(part[0]["seats"][0]), EngineSpec.from_json(part[0]["seats"][1]), part))
        for (first, _), part in played.items()
    ]  # fmt: skip
    return Report(
        name=request.name,
        title="Approach C by its knowledge, approach A by its faults",
        command=request.command,
        paragraphs=(
            f"C and the minimax program have {nodes_of(request):,} nodes a move each, A a hundredth of it as "
            "iterations. Colours are swapped in every pair of games; intervals are 95 %, from the spread of pairs. "
            "C as printed has constants fitted by `tune`, our C those of its file; the steps between have the "
            "constants of our C, unfitted.",
        ),
        parts=(
            Table("steps", "Matches", ("changed", *POINTS), lines),
            Chart("ablation", "Elo above the minimax program", "engine", "Elo", [Series.of("C", points)], kind="dots"),
            claim_table(claims(request, rows), "The paper's claims"),
        ),
    )


EXPERIMENTS = (
    PaperPart(
        "ablation", "Ciancarini & Favini 2010", batches, report, place=6, claims=claims,
        selects={
            "only": partial(check_engine, engines=(*LADDER, *APPROACHES_A)), "games": any_number, "nodes": any_number
        },
    ),
)  # fmt: skip
