"""The last sentence of Teytaud and Teytaud 2011: is 5x5 phantom ponnuki a win for Black? Refuted as a sure win.

An AND-OR search over beliefs looks for a sure win from every opening, up to symmetry, and after C3 for every first
stone of White that Black knows. Where there is none, a certificate of refutation is written and checked by a checker
that shares no code with the search.
"""

import json
import time
from collections.abc import Iterator
from fractions import Fraction

from ...games.boards.board import BOARDS
from ...runs.report import Cell, Report, Table
from ...solving.bounds.sure_win import find_sure_win, make_refutation, random_play_bounds
from ...solving.proofs import write_certificate
from ...solving.proofs.checkers.refutation import upper_bound, verify
from ..claims import Claim, Clause, Evidence, Number, fact, missing
from ..kinds import Computation, Options, Say
from .tictactoe_claims import check, finding

FIVE, GAME_5, CENTRE, START = BOARDS["ponnuki-5x5"], "phantom-ponnuki-5x5", 12, "C3"
COMMAND = "fogspiel bounds phantom-ponnuki-5x5"


def bounded(low: Number, high: Number) -> Evidence:
    """Return exact bounds as evidence."""
    return Evidence(lambda error: (low, high), str(low) if low == high else f"between {low} and {high}", False)


def conjecture_claims() -> list[Claim]:
    """Return the winner with open eyes, the conjecture in two readings, and Black's sure wins with C3."""
    opening, (lower, _) = random_play_bounds(FIVE)
    whole = find_sure_win(FIVE)
    sure = missing("undecided") if whole.won is None else fact("", whole.won, whole.verdict).evidence
    upper = upper_bound(FIVE.cells, whole.refutation[-1]) if whole.refutation else Fraction(1)
    value, conjecture = bounded(lower, upper), "5x5 is a win for Black (a conjecture)"
    winner = "White" if opening is None else "Black"
    return [
        check("IV", "who wins with open eyes", "ponnuki-5x5", "Black", winner),
        Claim("V", f"{conjecture}: a sure win", GAME_5, (Clause("", sure, least=1),), command=COMMAND),
        Claim(
            "V",
            f"{conjecture}: a win on average, as the paper says of 4x4, a value above 1/2",
            GAME_5,
            (Clause("", value, least=Fraction(1, 2), strict=True),),
            note="both bounds are those of random play",
            command=COMMAND,
        ),
        finding("V", "Black's C3 wins for sure if White's first stone is known and on", GAME_5, known_first_stones()),
    ]


def known_first_stones() -> str:
    """Return the first stones of White, up to symmetry, against which C3 wins for sure if they are known, and not."""
    firsts = [orbit[0] for orbit in FIVE.orbits if CENTRE not in orbit]
    won = {FIVE.cell_name(first): find_sure_win(FIVE, CENTRE, first).won for first in firsts}
    return f"{', '.join(c for c in won if won[c])}; not on {', '.join(c for c in won if won[c] is False)}"


# `paper refutation`: the certificates, opening by opening, and the known first stones


def refutations(options: Options, say: Say, questions: list[tuple[int, int | None]]) -> Iterator[tuple[Cell, ...]]:
    """Decide questions (Black's opening, White's known first stone), and check the certificate of each refutation."""
    for opening, first in questions:
        names = [FIVE.cell_name(cell) for cell in (opening, first) if cell is not None]
        say(f"sure wins after {' '.join(names)}")
        found = find_sure_win(FIVE, opening, first)
        line: tuple[Cell, ...] = (*names, found.verdict, found.nodes, found.visits)
        if found.won is not False:
            yield (*line, *[None] * 4)
            continue
        body = make_refutation(FIVE, found)
        if options.certificates is not None:
            write_certificate(body, options.certificates / f"{GAME_5}-{'-'.join(names)}.json")
        size, began = len(json.dumps(body, separators=(",", ":"))), time.process_time()
        upper = verify(body)[1]
        yield (*line, len(body["beliefs"]), size, str(upper), f"{time.process_time() - began:.1f}")


def board_table(won: dict[int, str]) -> Table:
    """Return the board of White's known first stones, each cell with its verdict, as symmetric as the game."""
    verdicts = {cell: won[orbit[0]] for orbit in FIVE.orbits for cell in orbit if orbit[0] in won} | {CENTRE: START}
    rows: list[tuple[Cell, ...]] = [
        (row + 1, *(verdicts[FIVE.columns * row + column] for column in range(FIVE.columns)))
        for row in reversed(range(FIVE.rows))
    ]
    columns = "", *"ABCDE"[: FIVE.columns]
    return Table("board", f"White's known first stone after {START}: Black's sure win", columns, rows)


def compute(options: Options, say: Say) -> Report:
    verify(make_refutation(board := BOARDS["ponnuki-2x2"], find_sure_win(board)))  # compile before anything is timed
    openings = [orbit[0] for orbit in FIVE.orbits]
    told = ("verdict", "beliefs searched", "positions with open eyes", "beliefs of the certificate", "bytes",
            "Black's value at most", "check, CPU s")  # fmt: skip
    blind = list(refutations(options, say, [(opening, None) for opening in openings]))
    firsts = [opening for opening in openings if opening != CENTRE]
    known = list(refutations(options, say, [(CENTRE, first) for first in firsts]))
    return Report(
        "refutation",
        "5x5 phantom ponnuki is no sure win for Black",
        "fogspiel paper refutation",
        (
            "Teytaud & Teytaud 2011 conjecture that 5x5 phantom ponnuki is a win for Black. As a sure win that is "
            "false: for every opening, up to symmetry, and every strategy of Black there are stones of White that "
            "survive it. A certificate lists beliefs of Black and is checked by rules of its own "
            "(`fogspiel verify FILE`). Whether the value exceeds 1/2 is another question (phantom.md).",
        ),
        (
            Table("openings", "Every opening of Black", ("opening", *told), blind),
            Table(
                "first-stones", f"{START}, if Black knows White's first stone", ("opening", "first stone", *told), known
            ),
            board_table({first: str(line[2]) for first, line in zip(firsts, known, strict=True)}),
        ),
    )


EXPERIMENTS = (Computation("refutation", "Teytaud & Teytaud 2011", compute, place=9),)
