"""The last sentence of Teytaud and Teytaud 2011: is 5x5 phantom ponnuki a win for Black? Refuted as a sure win."""

from fractions import Fraction

from ...games.boards.board import BOARDS
from ...solving.bounds.sure_win import find_sure_win, random_play_bounds
from ...solving.proofs.checkers.refutation import upper_bound
from ..claims import Claim, Clause, Evidence, Number, fact, missing
from .tictactoe_claims import check, finding

FIVE, GAME_5, CENTRE = BOARDS["ponnuki-5x5"], "phantom-ponnuki-5x5", 12
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
