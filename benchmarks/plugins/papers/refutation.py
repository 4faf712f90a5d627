"""Sure wins on 5x5 phantom ponnuki (Teytaud & Teytaud 2011, last sentence), opening by opening, with certificates.

An AND-OR search over beliefs looks for a sure win from every opening, up to symmetry, and after C3 for every first
stone of White that Black knows. Where there is none, a certificate of refutation is written and checked by a checker
that shares no code with the search.

A plug-in: `fogspiel --plugins benchmarks/plugins paper refutation`.
"""

import json
import time
from collections.abc import Iterator

from fogspiel.games.boards.board import BOARDS
from fogspiel.papers.kinds import Computation, Options, Say
from fogspiel.papers.teytaud2011.five import CENTRE, FIVE, GAME_5
from fogspiel.runs.report import Cell, Report, Table
from fogspiel.solving.bounds.sure_win import find_sure_win, make_refutation
from fogspiel.solving.proofs import write_certificate
from fogspiel.solving.proofs.checkers.refutation import verify

START = FIVE.cell_name(CENTRE)


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
