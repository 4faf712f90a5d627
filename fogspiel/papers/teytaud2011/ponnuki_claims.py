"""Claims of Teytaud and Teytaud 2011, section IV, on phantom ponnuki (classical variant), checked exactly.

Cells are named as in the paper, column and row. Every step of the proof for 4x4 is a try of Black with two beliefs,
where it is legal and where it is not; a step that the paper calls a win is a sure win of the AND-OR search.
"""

from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np

from ...games.boards.board import BOARDS, Board
from ...solving.bounds import run_to_end
from ...solving.bounds.and_or_search import AndOrSearch
from ...solving.bounds.beliefs import WON, Beliefs, PerfectInformation
from ...solving.bounds.information_relaxation import solve_informed_once
from ...solving.bounds.ponnuki import search_bounds
from .tictactoe_claims import RIGHT, Claim, check, check_number, verdict

FOUR = BOARDS["ponnuki-4x4"]
Belief = tuple[int, np.ndarray]

WINS, NO_WORLD, ZERO_WORLDS = "wins", "no world is left", "0 worlds"
# The positions that sections IV-C1 and IV-C2 start from: Black's tries after C3, + for a legal one and - for an illegal
# one.
SQUARE, BLOCKED = "+B2 +B3", "-B2 +B3 -C2"
STEPS = (
    ("+B2", WINS, "C3, then B2 is legal"),
    (SQUARE, WINS, "then B3 is legal"),
    ("+B2 -B3 +C2", WINS, "or B3 is illegal and C2 is legal"),
    ("+B2 -B3 -C2 +B4", WINS, "or both are illegal: B4"),
    (f"{SQUARE} +C2", WINS, "IV-C1: C2 is legal"),
    (f"{SQUARE} -C2 +B1", WINS, "IV-C1: C2 is illegal, B1 is legal"),
    (f"{SQUARE} -C2 -B1 +D3", WINS, "IV-C1: B1 is illegal, D3 (printed: C3, which is Black's own) is legal"),
    (f"{SQUARE} -C2 -B1 -D3", WINS, "IV-C1: D3 is illegal too: the board is known"),
    (f"{SQUARE} -C2 +B1 +D3", WINS, "IV-C1 after B1: D3 is legal"),
    (f"{SQUARE} -C2 +B1 -D3 +C1", WINS, "IV-C1 after B1: C1 is legal"),
    (f"{SQUARE} -C2 +B1 -D3 -C1 +C4", WINS, "IV-C1 after B1: C4 is legal"),
    (f"{SQUARE} -C2 +B1 -D3 -C1 -C4 +B4", WINS, "IV-C1 after B1: B4 is legal"),
    (f"{SQUARE} -C2 +B1 -D3 -C1 -C4 -B4", NO_WORLD, "IV-C1 after B1: B4 is necessarily legal"),
    ("-B2 +B3 +C2", WINS, "IV-C2: C3 and B3, C2 is legal"),
    (f"{BLOCKED} -D2", ZERO_WORLDS, "IV-C2: D2 is necessarily legal"),
    (f"{BLOCKED} +D2 -D3", WINS, "IV-C2: D3 is illegal"),
    (f"{BLOCKED} +D2 +D3 +A3", WINS, "IV-C2: A3 is legal"),
    (f"{BLOCKED} +D2 +D3 -A3 -B4", WINS, "IV-C2: A3 and B4 are illegal: C4"),
)  # the steps of the proof for 4x4: Black's tries, their consequence according to the paper, and its section
MATRIX_GAME = f"{BLOCKED} +D2 +D3 -A3 +B4"


def cells(*names: str) -> int:
    """Return a set of cells of the 4x4 board."""
    return sum(1 << (ord(name[0]) - ord("A") + 4 * (int(name[1]) - 1)) for name in names)


def belief_after(beliefs: Beliefs, tries: str) -> Belief:
    """Return Black's belief after C3 and some tries, each legal (+) or illegal (-)."""
    own = cells("C3")
    worlds = np.array([1 << cell for cell in range(16) if not own >> cell & 1], np.int64)
    for attempt in tries.split():
        bit = cells(attempt[1:])
        split = beliefs.split(own, worlds, bit.bit_length() - 1)
        if attempt[0] == "-":
            worlds = split.illegal
        else:
            own |= bit
            worlds = beliefs.after_answer(own, split.going)[0]
    return own, worlds


def matrix_node() -> Belief:
    """Return the belief of section IV-C2: five black stones, three white stones known to Black, two unknown ones."""
    own, known = cells("C3", "B3", "D2", "D3", "B4"), cells("B2", "C2", "A3")
    free = [cell for cell in range(16) if not (own | known) >> cell & 1]
    worlds = [known | 1 << a | 1 << b for a, b in combinations(free, 2) if 1 << a | 1 << b != cells("C4", "D4")]
    return own, np.array(sorted(worlds), np.int64)


def openings(board: Board) -> list[int]:
    search = AndOrSearch(board, 0)
    found = []
    for cell in range(board.cells):
        worlds, losses = search.beliefs.after_answer(1 << cell, np.array([0], np.int64))
        if not losses and search.is_sure_win(1 << cell, worlds):
            found.append(cell)
    return found


def random_play(board: Board, player: int) -> Fraction:
    """Return Lemma 4's guarantee of random play, 1 / (the number of the player's sequences of moves), or 0.

    The player must win the game with perfect information. Black makes a perfect first move, which needs no luck.
    """
    black_wins = PerfectInformation(board).outcome(0, 0, 0) == WON
    if black_wins != (player == 0):
        return Fraction(0)
    return Fraction(1, prod(range(board.cells - 2 if player == 0 else board.cells - 1, 0, -2)))


def ponnuki_claims() -> list[Claim]:
    return [*small_claims(), *step_claims(), *bound_claims()]


def small_claims() -> list[Claim]:
    """Check the perfect-information winners, Lemma 4, and the boards up to 3x3."""
    found = []
    for size, winner in ((2, "White"), (3, "Black"), (4, "White")):
        outcome = PerfectInformation(BOARDS[f"ponnuki-{size}x{size}"]).outcome(0, 0, 0)
        found.append(check(f"{size}x{size} with open eyes: who wins", winner, "Black" if outcome == WON else "White"))
    three, value = BOARDS["ponnuki-3x3"], Fraction(run_to_end(search_bounds("phantom-ponnuki-2x2"))["lower"])
    return [
        *found,
        check_number("phantom 2x2: the value", Fraction(1, 2), value),
        check("phantom 3x3: Black wins for sure, from", "B2", ", ".join(map(three.cell_name, openings(three)))),
        check_number("phantom 4x4: White wins at least so often (Lemma 4)", Fraction(1, 2027025), random_play(FOUR, 1)),
    ]


def step_claims() -> list[Claim]:
    """Check the steps of the proof for 4x4: sure wins, necessarily legal tries, and open cases."""
    search, found = AndOrSearch(FOUR, 0), []
    for tries, paper, words in STEPS:
        own, worlds = belief_after(search.beliefs, tries)
        if paper == WINS:
            ours = WINS if search.is_sure_win(own, worlds) else "no sure win"
        else:
            ours = f"{len(worlds)} worlds" if len(worlds) else paper
        found.append(check(words, paper, ours))
    (own, worlds), (paper_own, paper_worlds) = belief_after(search.beliefs, MATRIX_GAME), matrix_node()
    same = own == paper_own and worlds.tolist() == paper_worlds.tolist()
    words = "IV-C2: B4 is legal: worlds of the matrix game"
    return [*found, Claim(words, "27", str(len(worlds)), verdict(same))]


def bound_claims() -> list[Claim]:
    """Solve the matrix game of section IV-C2 to the end, and check the lower bound that follows."""
    exact, _ = solve_informed_once(FOUR, 0, *matrix_node())
    third, better = Fraction(1, 3), "right, and better"
    lower = Fraction(1, 2) + exact.lower / 2
    between = str(exact.lower) if exact.proved else f"{exact.lower} .. {exact.upper}"
    return [
        Claim("IV-C2: Black's value in the matrix game, at least", "1/3", between,
              better if exact.lower > third else verdict(exact.lower == third)),
        Claim("phantom 4x4: Black's value, at least", "2/3", str(lower), better if lower > Fraction(2, 3) else RIGHT),
        Claim("phantom 5x5: Black's value (a conjecture)", "1", "not decided", "open"),
    ]  # fmt: skip
