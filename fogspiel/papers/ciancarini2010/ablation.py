"""Knowledge ablation of approach C, and the three faults of approach A removed one by one.

Section 6.1 of Ciancarini & Favini (2010) credits UCT selection for the strength of C, which "only knows that the more
pieces it has, the better". From the printed program to our C, one kind of knowledge is added at a time. Section 5.1
names three reasons why A fails: boards on which men do not protect each other, random replies, and playouts without
progress. Each is removed alone.
"""

from collections.abc import Iterator, Sequence

from ...kriegspiel.engine import SearchLimit
from ...kriegspiel.match import EngineMatch, EngineSpec, elo_of_pairs, results_of
from ...runs.kind import Row, rows_by
from ...runs.report import Chart, Report, Series, Table
from ...runs.requests import PaperRequest
from ..claims import Claim, Clause, claim_table, elo, mean_of, wins_per_loss
from ..kinds import Batches, PaperPart
from .engines import KNOWLEDGE
from .figure10 import MINIMAX, OVER, POINTS, SELDOM, THREE_WINS, match_line

NODES, A_NODES = 10_000, 100  # of C, as of the minimax program; of A, whose iterations are whole games
GAMES, QUICK_GAMES = 400, 24
LONGEST = 600  # plies after which a game counts as drawn: a counter of men need not finish it
READINGS = {
    "C:paper": "as printed",
    "C:exposure": "as printed, every man of ours may be captured (second reading of 5.2)",
}
LADDER = {
    **READINGS,
    **{f"C:step{step}": knowledge.title for step, knowledge in KNOWLEDGE.items()},
    "C": "+ endgames: our C",
}
PRINTED_A = EngineSpec("A:paper", SearchLimit(nodes=A_NODES))
REMEDIES = {
    "A:boards": "boards of a belief that follows all messages",
    "A:replies": "simulated players capture what they can",
    "A:progress": "short playouts that end with a count of men",
}


def matches(request: PaperRequest) -> Iterator[EngineMatch]:
    games = max(2, round(request.scale * (QUICK_GAMES if request.quick else GAMES)))
    for engine in LADDER:
        yield EngineMatch((EngineSpec(engine, SearchLimit(nodes=NODES)), MINIMAX), games, request.seed, LONGEST)
    yield EngineMatch((PRINTED_A, MINIMAX), games, request.seed, LONGEST)
    for engine in REMEDIES:
        for opponent in (MINIMAX, PRINTED_A):
            yield EngineMatch((EngineSpec(engine, PRINTED_A.effort), opponent), games, request.seed, LONGEST)


def batches(request: PaperRequest) -> Batches:
    yield [job for match in matches(request) for job in match.jobs((0, 1))]


Played = dict[tuple[str, str], Sequence[Row]]  # rows of a match by its two engines


def played_matches(rows: Sequence[Row]) -> Played:
    found = rows_by(rows, "first", "second").values()
    return {(part[0]["seats"][0]["engine"], part[0]["seats"][1]["engine"]): part for part in found}


def claims(request: PaperRequest, rows: Sequence[Row]) -> list[Claim]:
    """Return the paper's claims on C and A by nodes, and the other steps as findings."""
    played, found = played_matches(rows), []
    for engine, title in LADDER.items():
        part = played.get((engine, "minimax"), [])
        above = Clause("Elo", elo(elo_of_pairs(part).pairs), least=OVER)
        subject = f"{engine}, {NODES:,} nodes"
        if engine in READINGS:
            often = Clause("wins per loss", wins_per_loss(THREE_WINS, results_of(part)), least=0)
            sentence = f"C, which counts men alone, is over 100 Elo above the minimax program ({title})"
            found.append(Claim("6.1", sentence, subject, (above, often), "100 Elo, 3 wins per loss"))
        else:
            found.append(Claim("6.1", f"C, {title}, against the minimax program", subject, (above,), ours=True))
    for engine in (PRINTED_A.engine, *REMEDIES):
        wins = [sum(result == 2 for result in pair) for pair in results_of(played.get((engine, "minimax"), []))]
        seldom = Clause("share of games won", mean_of([wins.count(number) for number in range(3)]), most=SELDOM)
        subject = f"{engine}, {A_NODES} iterations"
        if engine not in REMEDIES:
            found.append(Claim("5.1", "A seldom wins against the minimax program", subject, (seldom,), "below 2 %"))
            continue
        better = Clause(
            "Elo", elo(elo_of_pairs(played.get((engine, PRINTED_A.engine), [])).pairs), least=0, strict=True
        )
        sentence = f"A is held back by this fault: better than as printed with {REMEDIES[engine]}"
        found.append(Claim("5.1", sentence, f"{engine} against {PRINTED_A.engine}", (better,)))
        found.append(Claim("5.1", f"A with {REMEDIES[engine]} wins against the minimax", subject, (seldom,), ours=True))
    return found


def report(request: PaperRequest, rows: Sequence[Row]) -> Report:
    played = played_matches(rows)
    strengths = {engine: elo_of_pairs(played[engine, "minimax"]) for engine in LADDER if (engine, "minimax") in played}
    points = [(engine, one.elo, *one.elo_interval()) for engine, one in strengths.items() if 0 < one.score < 1]
    lines = [
        (LADDER.get(first) or REMEDIES.get(first, "as printed"),
         *match_line(EngineSpec.from_json(part[0]["seats"][0]), EngineSpec.from_json(part[0]["seats"][1]), part))
        for (first, _), part in played.items()
    ]  # fmt: skip
    return Report(
        name=request.name,
        title="Approach C by its knowledge, approach A by its faults",
        command=request.command,
        paragraphs=(
            f"C and the minimax program have {NODES:,} nodes a move each, A {A_NODES} iterations. Colours are swapped "
            "in every pair of games; intervals are 95 %, from the spread of pairs. C as printed has constants "
            "fitted by `tune`, our C those of its file; the steps between have the constants of our C, unfitted.",
        ),
        parts=(
            Table("steps", "Matches", ("changed", *POINTS), lines),
            Chart("ablation", "Elo above the minimax program", "engine", "Elo", [Series.of("C", points)], kind="dots"),
            claim_table(claims(request, rows), "The paper's claims"),
        ),
    )


EXPERIMENTS = (PaperPart("ablation", "Ciancarini & Favini 2010", batches, report, place=6, claims=claims),)
