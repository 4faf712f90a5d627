"""Claims of Teytaud and Teytaud 2011, section III, on phantom tic-tac-toe (classical variant), checked exactly.

Their Black strategy is a few moves; `strategy` solves the game that these leave. Scores are Black's: win 1, draw
1/2.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations

from ...games.boards import board
from ...games.boards.board import GOES_ON, WINS
from ...solving.bounds.beliefs import DRAWN, LOST, WON, PerfectInformation
from ..claims import Claim, Clause, exact, fact
from .strategy import A2, A3, B2, B3, C1, C2, TTT, Ending, Prescription, family, outcome, prescribe

HALF = Fraction(1, 2)
BOUND = Fraction(3, 4)  # the guarantee of Black's strategy according to the paper
UPPER = 1 - HALF / 384
FAMILIES = {
    "A": ("contiguous", Fraction(3, 4)),
    "B": ("adjacent corners", Fraction(1)),
    "C": ("a knight's move apart", Fraction(3, 4)),
    "D": ("opposite corners", Fraction(1)),
    "E": ("kosumi", Fraction(13, 16)),
    "F": ("opposite, not in corners", Fraction(7, 8)),
}  # white's first two stones in each family, and the guarantee of Black's strategy against it according to the paper
FALLBACKS = {"A3": A3, "C1, as printed": C1}
# White's number of continuations after none, one, .. of its stones: 8 x 6 x 4 x 2 in all.
SEQUENCES_LEFT = (384, 48, 8, 2, 1)
SECTION, GAME = "III", "phantom-ttt"


# Claims in the common frame


def judge(section: str, sentence: str, game: str, paper: object, ours: object, holds: bool, note: str = "") -> Claim:
    """Return a claim that a computation decides; the note is for a claim that does not hold."""
    clause = fact(sentence, holds, str(ours))
    return Claim(section, sentence, game, (clause,), str(paper), "" if holds else note)


def check(section: str, sentence: str, game: str, paper: object, ours: object, note: str = "") -> Claim:
    """Return a claim that holds if the paper's finding is ours."""
    return judge(section, sentence, game, paper, ours, paper == ours, note)


def check_number(section: str, sentence: str, game: str, paper: Fraction, ours: Fraction) -> Claim:
    return check(section, sentence, game, paper, ours, f"wrong by {abs(paper - ours)}")


def at_least(section: str, sentence: str, game: str, paper: Fraction, ours: Fraction, note: str = "") -> Claim:
    """Return a claim of a lower bound."""
    return Claim(section, sentence, game, (Clause(sentence, exact(ours), least=paper),), f"at least {paper}", note)


def finding(section: str, sentence: str, game: str, ours: object, note: str = "") -> Claim:
    """Return a finding that is not a claim of the paper."""
    return Claim(section, sentence, game, (fact(sentence, True, str(ours)),), note=note, ours=True)


def section_three_claims() -> list[Claim]:
    return [*strategy_claims(), *case_claims(), *bound_claims()]


def strategy_claims() -> list[Claim]:
    """Return the strategy's guarantee against each family and against all, by either reading of the fallback."""
    found = []
    for name, fallback in FALLBACKS.items():
        reading = f"if C3 is illegal, {name}"
        for letter, (stones, rate) in FAMILIES.items():
            ours = guarantee(Prescription(fallback, family=letter))
            found.append(
                check_number(SECTION, f"Black's score against {letter} ({stones}); {reading}", GAME, rate, ours)
            )
        ours = guarantee(Prescription(fallback))
        sentence = f"Black's score against all of White's strategies; {reading}"
        found.append(check_number(SECTION, sentence, GAME, BOUND, ours))
    return found


def case_claims() -> list[Claim]:
    """Check the intermediate claims: one strategy for all families, the two cases of B1, and the counts."""
    shortfall = value(Prescription(), lambda ending: ending.score - FAMILIES[ending.family][1])
    pairs = list(combinations([cell for cell in range(TTT.cells) if cell != B2], 2))
    covered = sum(family(*pair) in FAMILIES for pair in pairs)
    rates = {letter: rate for letter, (_, rate) in FAMILIES.items()}
    wins = {x: value(Prescription(family=x), lambda ending: Fraction(ending.score == 1)) for x in FAMILIES}
    after_illegal = {name: when_illegal(cell) for name, cell in (("B3", B3), ("C2", C2), ("A2", A2), ("C1", C1))}
    legal = {letter: when_legal(letter) for letter in "BDF"}
    return [
        judge(
            SECTION,
            "the families A to F cover all strategies of White",
            GAME,
            "all",
            f"{covered} of {len(pairs)} pairs of first two stones",
            covered == len(pairs),
        ),
        check(
            SECTION,
            "one strategy of Black reaches the rates against all six families; if C3 is illegal, A3",
            GAME,
            "yes",
            "yes" if shortfall == 0 else f"it falls short by {-shortfall}",
        ),
        check(
            SECTION,
            "the rates are probabilities of winning",
            GAME,
            listing(rates),
            listing(wins),
            "in the scores draws count",
        ),
        judge(
            SECTION,
            "if B1 is illegal, Black wins by C1 (in the proof) or plays one of B3, C2, A2 (in the strategy)",
            GAME,
            "1",
            listing(after_illegal),
            min(after_illegal.values()) == 1,
            "right but for B3, which gives half of it away",
        ),
        judge(
            SECTION,
            "if B1 is legal, Black wins against B, D and F in all cases",
            GAME,
            "1",
            listing(legal),
            min(legal.values()) == 1,
            "wrong for F, whose second try may find B1 illegal; the rate of F is right",
        ),
        check_number(SECTION, "Black's score against E if B1 is legal", GAME, BOUND, when_legal("E")),
    ]


def bound_claims() -> list[Claim]:
    """Check the upper bound: tic-tac-toe is a draw, and a random White may happen to play perfectly."""
    random, seen = against_random(), PerfectInformation(TTT).outcome(0, 0, 0)
    perfect = {LOST: Fraction(0), DRAWN: HALF, WON: Fraction(1)}[seen or LOST]
    return [
        check_number(SECTION, "the value of tic-tac-toe when both see everything", "ttt", HALF, perfect),
        judge(SECTION, "what White's random play concedes at most", GAME, UPPER, random, random <= UPPER),
    ]


def slips() -> list[Claim]:
    """Return misprints of the paper, each with the reading that its own arguments need."""
    printed, mended = (guarantee(Prescription(fallback)) for fallback in (C1, A3))
    mirrored = f"misprint: the mirror image of C3 is A3, which ensures {mended}; C1 ensures {printed} only"
    four = board.BOARDS["ponnuki-4x4"]
    names = [four.cell_name(cell) for cell in range(four.cells)]
    return [
        judge(
            SECTION, "if C3 is illegal, its symmetry C1 ensures 3/4", GAME, BOUND, printed, printed >= BOUND, mirrored
        ),
        judge(
            "IV-C2",
            "footnote 3: Black wins with E4, a cell of the board",
            "phantom-ponnuki-4x4",
            "E4",
            f"{names[0]} .. {names[-1]}",
            "E4" in names,
            "misprint for C4",
        ),
    ]


def listing(values: Mapping[str, Fraction]) -> str:
    return ", ".join(f"{name} {number}" for name, number in values.items())


@cache
def guarantee(prescription: Prescription) -> Fraction:
    """Return the score that Black's prescribed moves ensure with optimal play of the rest."""
    return prescribe(prescription).exact.value


def value(prescription: Prescription, worth: Callable[[Ending], Fraction]) -> Fraction:
    """Return the value of the game that the prescription leaves, with payoffs `worth(ending)` instead of the score."""
    return prescribe(prescription, worth).exact.value


def when_legal(letter: str) -> Fraction:
    """Return Black's score against a family, given that B1 is legal; White cannot influence that probability."""
    prescription = Prescription(family=letter)
    likely = value(prescription, lambda ending: Fraction(ending.smooth))
    return value(prescription, lambda ending: ending.score * ending.smooth) / likely


def when_illegal(cell: int) -> Fraction:
    """Return Black's score given that B1 is illegal (one in four frames) and Black then plays that cell."""
    prescription = Prescription(detour=(cell,))
    lost = 1 - value(prescription, lambda ending: Fraction(1) if ending.smooth else ending.score)
    return 1 - 4 * lost


def against_random() -> Fraction:
    """Return Black's best mean score against stones that White puts on random free cells."""
    best = max(after_stone(0, 0, orbit[0], {0: 1}) for orbit in TTT.orbits)
    return Fraction(best, 2 * SEQUENCES_LEFT[0])


def best_on_average(own: int, occupied: int, belief: dict[int, int]) -> int:
    """Return Black's half points, summed over all sequences of White's stones, which are equally likely.

    Black has the stones `own` and knows some White ones; `belief` counts White's sequences to each of its possible sets
    of stones.
    """
    cells = [cell for cell in range(TTT.cells) if not (own | occupied) >> cell & 1]
    dominating = [cell for cell in cells if outcome(own, 0, cell) == WINS]
    return max(after_stone(own, occupied, cell, belief) for cell in dominating[:1] or cells)


def after_stone(own: int, occupied: int, cell: int, belief: dict[int, int]) -> int:
    """`best_on_average` when Black tries that cell."""
    ways, mine = SEQUENCES_LEFT[own.bit_count()], own | 1 << cell
    failed, after, points = {}, dict[int, int](), 0
    for stones, count in belief.items():
        match outcome(own, stones, cell):
            case board.ILLEGAL:
                failed[stones] = count
            case board.WINS:
                points += 2 * ways * count
            case board.DRAWS:
                points += ways * count
            case board.GOES_ON:
                for reply in range(TTT.cells):
                    if outcome(stones, mine, reply) == GOES_ON:
                        after[stones | 1 << reply] = after.get(stones | 1 << reply, 0) + count
    points += best_on_average(own, occupied | 1 << cell, failed) if failed else 0
    return points + (best_on_average(mine, occupied, after) if after else 0)
