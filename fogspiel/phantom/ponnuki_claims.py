"""What Teytaud and Teytaud 2011, section IV, say about phantom ponnuki (the classical variant), checked exactly.

Cells are named as in the paper, column and row. Every step of the proof for 4x4 is a try of Black with two beliefs,
where it is legal and where it is not; a step that the paper calls a win is a sure win of the AND-OR search.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np

from ..games.shared.boards import BOARDS, Board
from .and_or_search import SureWin
from .beliefs import WON, Beliefs, OpenEyes
from .bounds import bounds_of
from .lemmas import informed_once, random_play
from .paper_claims import RIGHT, Claim, compare_claim, judge_claims

FOUR = BOARDS["ponnuki-4x4"]
Belief = tuple[int, np.ndarray]


def cells(*names: str) -> int:
    """A set of cells of the 4x4 board."""
    return sum(1 << (ord(name[0]) - ord("A") + 4 * (int(name[1]) - 1)) for name in names)


def check_claim(beliefs: Beliefs, belief: Belief, name: str) -> tuple[Belief, Belief]:
    """The beliefs of Black after a try: where it is illegal, and at his next turn where it is legal."""
    own, worlds = belief
    bit = cells(name)
    split = beliefs.split(own, worlds, bit.bit_length() - 1)
    return (own, split.illegal), (own | bit, beliefs.answered(own | bit, split.going)[0])


def matrix_node() -> Belief:
    """The belief of section IV-C2: Black's five stones, three white stones that he knows, two that he does not."""
    own, known = cells("C3", "B3", "D2", "D3", "B4"), cells("B2", "C2", "A3")
    free = [cell for cell in range(16) if not (own | known) >> cell & 1]
    worlds = [known | 1 << a | 1 << b for a, b in combinations(free, 2) if 1 << a | 1 << b != cells("C4", "D4")]
    return own, np.array(sorted(worlds), np.int64)


def openings(board: Board) -> list[int]:
    """The first stones after which Black wins for sure."""
    search = SureWin(board, 0)
    found = []
    for cell in range(board.cells):
        worlds, losses = search.beliefs.answered(1 << cell, np.array([0], np.int64))
        if not losses and search.sure(1 << cell, worlds):
            found.append(cell)
    return found


def ponnuki_claims() -> list[Claim]:
    """The claims of section IV in the order in which the paper makes them."""
    return [*small_claims(), *step_claims(), *bound_claims()]


def small_claims() -> list[Claim]:
    """Who wins with open eyes, Lemma 4, and the boards up to 3x3."""
    found = []
    for size, winner in ((2, "White"), (3, "Black"), (4, "White")):
        ours = "Black" if OpenEyes(BOARDS[f"ponnuki-{size}x{size}"]).outcome(0, 0, 0) == WON else "White"
        found.append(
            Claim(f"{size}x{size} with open eyes: who wins", winner, ours, judge_claims(winner == ours, "wrong"))
        )
    value = Fraction(_drained("phantom-ponnuki-2x2")["lower"])
    found.append(compare_claim("phantom 2x2: the value", Fraction(1, 2), value))
    names = ", ".join(BOARDS["ponnuki-3x3"].cell_name(cell) for cell in openings(BOARDS["ponnuki-3x3"]))
    found.append(Claim("phantom 3x3: Black wins for sure, from", "B2", names, judge_claims(names == "B2", "wrong")))
    found.append(
        compare_claim("phantom 4x4: White wins at least so often (Lemma 4)", Fraction(1, 2027025), random_play(FOUR, 1))
    )
    return found


def step_claims() -> list[Claim]:
    """The steps of the proof for 4x4 that are sure wins."""
    search = SureWin(FOUR, 0)
    beliefs = search.beliefs
    found: list[Claim] = []

    def claim(words: str, belief: Belief) -> None:
        holds = search.sure(*belief)
        found.append(Claim(words, "wins", "wins" if holds else "no sure win", judge_claims(holds, "wrong")))

    start = cells("C3"), np.array([1 << cell for cell in range(16) if not cells("C3") >> cell & 1], np.int64)
    illegal, legal = check_claim(beliefs, start, "B2")
    claim("C3, then B2 is legal", legal)
    other, corner = check_claim(beliefs, legal, "B3")
    claim("then B3 is legal", corner)
    last, mirrored = check_claim(beliefs, other, "C2")
    claim("or B3 is illegal and C2 is legal", mirrored)
    claim("or both are illegal: B4", check_claim(beliefs, last, "B4")[1])
    # Section IV-C1: Black has B2, B3 and C3
    there, square = check_claim(beliefs, corner, "C2")
    claim("IV-C1: C2 is legal", square)
    both, arm = check_claim(beliefs, there, "B1")
    claim("IV-C1: C2 is illegal, B1 is legal", arm)
    known, mirror = check_claim(beliefs, both, "D3")
    claim("IV-C1: B1 is illegal, D3 (printed: C3, which is Black's own) is legal", mirror)
    claim("IV-C1: D3 is illegal too: the board is known", known)
    rest = arm
    for name in ("D3", "C1", "C4", "B4"):
        rest, legal = check_claim(beliefs, rest, name)
        claim(f"IV-C1 after B1: {name} is legal", legal)
    never = "no world is left" if not len(rest[1]) else f"{len(rest[1])} worlds are left"
    found.append(
        Claim(
            "IV-C1 after B1: B4 is necessarily legal",
            "no world is left",
            never,
            judge_claims(not len(rest[1]), "wrong"),
        )
    )
    # Section IV-C2: B2 is illegal, so Black plays B3, and then C2 is illegal too
    bent = check_claim(beliefs, illegal, "B3")[1]
    blocked, open_ = check_claim(beliefs, bent, "C2")
    claim("IV-C2: C3 and B3, C2 is legal", open_)
    shut, third = check_claim(beliefs, blocked, "D2")
    sure = judge_claims(not len(shut[1]), "wrong")
    found.append(Claim("IV-C2: D2 is necessarily legal", "0 worlds", f"{len(shut[1])} worlds", sure))
    quick, fourth = check_claim(beliefs, third, "D3")
    claim("IV-C2: D3 is illegal", quick)
    seen, line = check_claim(beliefs, fourth, "A3")
    claim("IV-C2: A3 is legal", line)
    atari, node = check_claim(beliefs, seen, "B4")
    claim("IV-C2: A3 and B4 are illegal: C4", atari)
    same = node[0] == matrix_node()[0] and node[1].tolist() == matrix_node()[1].tolist()
    found.append(
        Claim("IV-C2: B4 is legal: worlds of the matrix game", "27", str(len(node[1])), judge_claims(same, "wrong"))
    )
    return found


def bound_claims() -> list[Claim]:
    """The matrix game of section IV-C2 solved to the end, and the lower bound that follows."""
    exact, _ = informed_once(FOUR, 0, *matrix_node())
    third, words = Fraction(1, 3), "right, and better"
    lower = Fraction(1, 2) + exact.lower / 2
    return [
        Claim("IV-C2: Black's value in the matrix game, at least", "1/3", _between(exact.lower, exact.upper),
              words if exact.lower > third else judge_claims(exact.lower == third, "wrong")),
        Claim("phantom 4x4: Black's value, at least", "2/3", str(lower), words if lower > Fraction(2, 3) else RIGHT),
        Claim("phantom 5x5: Black's value (a conjecture)", "1", "not decided", "open"),
    ]  # fmt: skip


def _between(lower: Fraction, upper: Fraction) -> str:
    return str(lower) if lower == upper else f"{lower} .. {upper}"


def _drained(game: str) -> dict[str, str]:
    """The bounds of a game without waiting for the steps."""
    steps = bounds_of(game)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return dict(end.value)
