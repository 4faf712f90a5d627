"""Claims of Teytaud and Teytaud 2011, section III, on phantom tic-tac-toe (classical variant), checked exactly.

Their Black strategy is a few moves; `prescribe` makes the game that these leave. Scores are Black's: win 1, draw 1/2.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import combinations
from math import lcm
from typing import NamedTuple

import numpy as np

from ...games.boards import board
from ...games.boards.board import BOARDS, GOES_ON, ILLEGAL, WINS
from ...solving.bounds.beliefs import DRAWN, LOST, WON, PerfectInformation
from ...solving.bounds.information_relaxation import TreeplexBuilder, with_entry
from ...solving.exact import ExactBounds, exact_bounds
from ...solving.methods.lp import equilibrium
from ...solving.tree.sequence_form import SequenceForm, merge
from ..claims import Claim, Clause, exact, fact

# Phantom tic-tac-toe in which Black follows the strategy of Teytaud and Teytaud 2011, section III, as far as it goes.
#
# The paper fixes Black's first moves, in a frame that is one of the eight symmetries of the board, drawn at random:
#
#     turn 1   B2
#     turn 2   B1, or if it is illegal one of B3, C2, A2
#     turn 3   (after B1) C3, or if it is illegal a fallback: "C1" in the paper, by symmetry it should be A3
#
# and lets Black test whatever wins or is illegal before anything else (Lemma 3). All other choices are left free here,
# and White may do anything. So the game is small and solved exactly; its value is what Black's moves ensure when the
# rest is played as well as possible. White acts in a frame of its own: it does not know which symmetry was drawn, Black
# need not. Three things lose White nothing and are taken for granted: it never tries the centre, it too tests first
# what wins or is illegal, and its first stone is A1 or B1, as their images come to the same.

A1, B1, C1, A2, B2, C2, A3, B3, C3 = range(9)
TTT = BOARDS["ttt"]
FULL = (1 << TTT.cells) - 1
BLACK, WHITE = 0, 1
LOSS, DRAW, WIN = Fraction(0), Fraction(1, 2), Fraction(1)

# A player's actions, turn by turn: the tries that failed, then the stone.
History = tuple[tuple[tuple[int, ...], int], ...]
# A player's information: its history, and the tries that failed in this turn.
Knowledge = tuple[History, tuple[int, ...]]


class Prescription(NamedTuple):
    """Black's instructions where the paper is open or contradicts itself."""

    fallback: int = A3  # black's third stone if C3 is illegal
    detour: tuple[int, ...] = (B3, C2, A2)  # Black's stones at the second turn if B1 is illegal
    family: str = ""  # the family of White's strategies (A to F) that Black plays against; empty for all of them


class Ending(NamedTuple):
    """End of a game: Black's score, White's family, and the legality of Black's B1."""

    score: Fraction
    family: str
    smooth: bool


@dataclass(frozen=True, eq=False)
class PrescribedGame:
    """The game that a prescription leaves: each player's information and choices at each infoset, and the payoffs."""

    knowledge: tuple[list[Knowledge], list[Knowledge]]
    choices: tuple[list[list[int]], list[list[int]]]
    form: SequenceForm

    @cached_property
    def exact(self) -> ExactBounds:
        """Optimal strategies of both, with the value proved in integers."""
        exact = solve_exactly(self.form)
        assert exact.proved
        return exact


def solve_exactly(form: SequenceForm) -> ExactBounds:
    found = equilibrium(form)
    return exact_bounds(form, found.primal_player, found.point)


def family(one: int, other: int) -> str:
    """Return the family of a White strategy by its first two stones, both off the centre."""
    (row, column), (other_row, other_column) = divmod(one, 3), divmod(other, 3)
    squared = (row - other_row) ** 2 + (column - other_column) ** 2
    if squared == 4:
        return "B" if one % 2 == 0 else "F"
    return {1: "A", 5: "C", 8: "D", 2: "E"}[squared]


@cache
def outcome(own: int, other: int, cell: int) -> int:
    """Return the effect of a stone on that cell; tic-tac-toe has the same rule for both."""
    return int(TTT.fate(BLACK, own, other, cell))


def black_choices(prescription: Prescription, known: Knowledge) -> list[int]:
    """List Black's attempts: dominating moves first, then the prescription, then anything."""
    history, failed = known
    forced, free = options(known, 0)
    if forced:
        return forced
    match len(history):
        case 0:
            return [B2]
        case 1:
            return list(prescription.detour) if failed else [B1]
        case 2 if history[1][1] == B1:
            return [C3] if C3 in free else [prescription.fallback]
    return free


def white_choices(prescription: Prescription, known: Knowledge) -> list[int]:
    """List White's attempts: dominating moves first, then its family's, then anything but the centre."""
    history, failed = known
    forced, free = options(known, 1 << B2)
    if forced:
        return forced
    if not history:
        return [cell for cell in (A1, B1) if any(belongs(prescription, cell, other) for other in free if other != cell)]
    if len(history) == 1 and not failed:
        return [cell for cell in free if belongs(prescription, history[0][1], cell)]
    return free


def belongs(prescription: Prescription, one: int, other: int) -> bool:
    return prescription.family in ("", family(one, other))


def options(known: Knowledge, taken: int) -> tuple[list[int], list[int]]:
    """Return one dominating move (illegal or winning, Lemma 3) if any, and all cells not known to be occupied."""
    history, failed = known
    own = sum(1 << stone for _, stone in history)
    tried = {*failed, *(cell for fails, _ in history for cell in fails)}
    free = [cell for cell in range(TTT.cells) if not (own | taken) >> cell & 1 and cell not in tried]
    return [cell for cell in free if outcome(own, 0, cell) == WINS][:1], free


class Position(NamedTuple):
    """A history: White's frame, then pairs for Black and White, in this order; stones are in Black's frame."""

    frame: list[int]
    mover: int
    stones: tuple[int, int]
    histories: tuple[History, History]
    failed: tuple[int, ...]
    sequences: tuple[int, int]


def ending(at: Position, score: Fraction) -> Ending:
    """Return the record of a finished game; no game ends before White's second turn is over."""
    (_, one), (failed, stone) = at.histories[WHITE][:2]
    return Ending(score, family(one, failed[0] if failed else stone), not at.histories[BLACK][1][0])


def prescribe(
    prescription: Prescription, worth: Callable[[Ending], Fraction] = lambda ending: ending.score
) -> PrescribedGame:
    """Return the game in which Black follows the prescription, with payoffs `worth(ending)` for Black."""
    sides = TreeplexBuilder[Knowledge](), TreeplexBuilder[Knowledge]()
    leaves: list[tuple[int, int, Ending]] = []
    waiting = [Position(frame, BLACK, (0, 0), ((), ()), (), (0, 0)) for frame in TTT.symmetries.tolist()]
    while waiting:
        at = waiting.pop()
        mover, occupied = at.mover, at.stones[0] | at.stones[1]
        if occupied.bit_count() == TTT.cells - 1:
            # Black's last stone has only one cell left, so it is no choice
            last = outcome(*at.stones, (FULL ^ occupied).bit_length() - 1)
            leaves.append((*at.sequences, ending(at, WIN if last == WINS else DRAW)))
            continue
        known = at.histories[mover], at.failed
        choices = partial((black_choices, white_choices)[mover], prescription, known)
        infoset = sides[mover].infoset(known, at.sequences[mover], choices)
        for sequence, choice in enumerate(sides[mover].choices[infoset], sides[mover].first[infoset]):
            cell = at.frame[choice] if mover == WHITE else choice
            sequences = with_entry(at.sequences, mover, sequence)
            result = outcome(at.stones[mover], at.stones[1 - mover], cell)
            if result == ILLEGAL:
                waiting.append(Position(*at[:4], (*at.failed, choice), sequences))
            elif result == WINS:
                leaves.append((*sequences, ending(at, WIN if mover == BLACK else LOSS)))
            else:
                stones = with_entry(at.stones, mover, at.stones[mover] | 1 << cell)
                histories = with_entry(at.histories, mover, (*at.histories[mover], (at.failed, choice)))
                waiting.append(Position(at.frame, 1 - mover, stones, histories, (), sequences))
    rows, columns, endings = zip(*leaves, strict=True)
    worths = {ending: worth(ending) for ending in set(endings)}
    unit = lcm(*(payoff.denominator for payoff in worths.values()))
    whole = {ending: int(payoff * unit) for ending, payoff in worths.items()}
    payoffs = np.array([whole[ending] for ending in endings], np.int64)
    treeplexes = (sides[0].treeplex, sides[1].treeplex)
    form = merge(treeplexes, np.array(rows), np.array(columns), payoffs, unit * len(TTT.symmetries))
    return PrescribedGame((list(sides[0].numbers), list(sides[1].numbers)), (sides[0].choices, sides[1].choices), form)


# The claims

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


def at_least(section: str, sentence: str, game: str, paper: Fraction, ours: Fraction) -> Claim:
    """Return a claim of a lower bound."""
    return Claim(section, sentence, game, (Clause(sentence, exact(ours), least=paper),), f"at least {paper}")


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
