"""The claims of Teytaud and Teytaud (2011) about phantom tic-tac-toe and phantom ponnuki, checked by machine."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np

from ...core.rng import random_unit, stream_of
from ...games.boards.board import BOARDS, GOES_ON, WINS, Board, ponnuki_fate, rectangle_symmetries
from ...runs.report import Report, Table
from ...solving.bounds import search_bounds
from ...solving.bounds.and_or_search import AndOrSearch
from ...solving.bounds.beliefs import WON, Beliefs, PerfectInformation
from ...solving.bounds.information_relaxation import WIN, Failed, PrivateTurn, Relaxation, solve_informed_once
from ...solving.bounds.sure_win import find_sure_win
from ...solving.methods import run_to_end
from ...solving.methods.normal_form import EXP3, FIRST_STEPS, KHACHIYAN, BanditRun, trials
from ...solving.methods.phantom import opening_values, solution
from ...solving.tree.sequence_form import SequenceForm, Treeplex, merge
from ..claims import NOTE, Claim, Clause, claim_lines, claim_table, claims_json
from ..kinds import Computation, Computed, Options, Say
from .five import bounded, conjecture_claims
from .lemmas import information_claims, random_play_claims, reduction_claims
from .tictactoe_claims import at_least, check, check_number, finding, judge, section_three_claims, slips, solve_exactly

# Claims of Teytaud and Teytaud 2011 alongside their proofs: bandits, Lemmas 2 and 4, Table I, the 1x1 board.
#
# Table I is a matrix game: Black plays one of two strategies, White places its two hidden stones by one of two
# families. The paper fills the diagonal with lower bounds on Black's payoff. Here each entry is Black's exact payoff if
# it makes the tries of the strategy, both play the rest optimally, and White places its stones by that family alone.

# Black's first try in each strategy of Table I, and the next one if that is illegal.
STRATEGIES = {"A4": ("A4", "A2"), "D4": ("D4", "C4")}
# White's hidden stones, by the columns of Table I.
FAMILIES = ("no stone in C4/D4 or none in D1", "a stone in C4/D4 and one in D1")
PRINTED = {("A4", FAMILIES[0]): Fraction(1, 2), ("D4", FAMILIES[1]): Fraction(1)}  # the diagonal
# The size of the random game of the bandit algorithms, their accuracy in it, and its origin.
RANDOM, PRECISION, SEED = 64, 0.02, 2011
TIGHT = range(2, 9)  # the numbers N for which Lemma 4's example is solved


# Section I: bandit algorithms


def bandit_claims() -> list[Claim]:
    """Compare the steps of section I's bandit algorithms in a random game with their proven rates."""
    stream = stream_of(SEED)
    payoffs = np.array([[random_unit(stream) for _ in range(RANDOM)] for _ in range(RANDOM)])
    found = []
    for method in (KHACHIYAN, EXP3):
        for trial in trials(method, payoffs, PRECISION):
            first, second = run_to_end(trial.play())
            gap = float((payoffs @ second).max() - (first @ payoffs).min())
            if gap <= PRECISION:
                break
        enough = FIRST_STEPS * (BanditRun(method, payoffs, FIRST_STEPS).rate / PRECISION) ** 2
        found.append(
            judge(
                "I",
                f"{method}: steps to a gap of {PRECISION} within the proven mean",
                f"a random {RANDOM} x {RANDOM} matrix game",
                f"O(log K / gap^2), by the rate {enough:.2g}",
                f"{trial.steps}: gap {gap:.4f}, proven {trial.rate:.4f}",
                gap <= trial.rate,
                "more than the proven mean",
            )
        )
    return found


# Lemma 4: the winner with perfect information wins a random phantom game once in N


def tightness_claim() -> Claim:
    """Check the paper's example: i is chosen, then j; the second player wins if they are equal."""
    with_open_eyes = {n: min(max(row) for row in np.eye(n, dtype=int).tolist()) for n in TIGHT}
    unseen = {n: 1 - solve_exactly(guessing_game(n)).value for n in TIGHT}
    sure = all(won == 1 for won in with_open_eyes.values())
    return judge(
        "Lemma 4",
        "the bound is tight: who guesses the number i of N, chosen unseen, wins so often",
        f"guessing games, N = {TIGHT[0]} .. {TIGHT[-1]}",
        "1/N",
        ", ".join(map(str, unseen.values())),
        sure and all(share == Fraction(1, n) for n, share in unseen.items()),
    )


def guessing_game(n: int) -> SequenceForm:
    """Return a game that pays the first player 1 unless the second player guesses its number."""
    choice = Treeplex(np.array([0]), np.array([1]), np.array([n]))
    rows, columns = (index.reshape(-1) + 1 for index in np.indices((n, n)))
    return merge((choice, choice), rows, columns, (rows != columns).astype(np.int64), 1)


# The board of one cell


def one_cell_claim() -> Claim:
    """Determine the winner on 1x1 by the rules of the larger boards: Black's only cell is suicide."""
    board = Board("ponnuki-1x1", 1, 1, ponnuki_fate(1, 1), rectangle_symmetries(1, 1))
    outcome = PerfectInformation(board).outcome(0, 0, 0)
    return check(
        "IV",
        "who wins with open eyes",
        "ponnuki-1x1",
        "Black",
        "Black" if outcome == WON else "White",
        "by the rules of the other boards: the only cell is suicide, and who has no legal cell loses",
    )


# Table I


def table_claims() -> list[Claim]:
    """Check all four entries, and the value of the two strategies together."""
    found = []
    for family in FAMILIES:
        for strategy in STRATEGIES:
            words = f"Black {strategy} (..) against {family}"
            ours, printed = table_value((strategy,), family), PRINTED.get((strategy, family))
            if printed is None:
                found.append(finding("Table I", words, GAME_4, ours, "off the diagonal, which the paper does not need"))
            else:
                found.append(at_least("Table I", words, GAME_4, printed, ours))
    both = table_value(tuple(STRATEGIES), None)
    value = check_number("Table I", "its value, Black drawing one of its strategies", GAME_4, Fraction(1, 3), both)
    return [*found, value]


def table_value(strategies: tuple[str, ...], family: str | None) -> Fraction:
    """Return Black's value for these openings against White's stones of one family, or of any.

    Black does not know the family. Stones of the wrong family pay Black 1 at once, which is no less than the value
    that White can hold it to, so White has no reason to choose them.
    """
    relaxation, (own, worlds) = Relaxation(FOUR, 0), matrix_node()

    def tries(turn: PrivateTurn, failed: Failed) -> list[int]:
        named = [STRATEGIES[strategy] for strategy in strategies]
        following = [
            cell(line[len(failed)])
            for line in named
            if turn.depth == 0 and len(failed) < len(line) and failed == tuple(map(cell, line[: len(failed)]))
        ]
        return following or relaxation.promising_tries(turn, failed)

    game = relaxation.relaxed_game(own, worlds, FOUR.cells, tries)
    if family is not None:
        first = int(game.treeplexes[1].first[0])
        barred = [(0, first + k, WIN) for k, world in enumerate(worlds.tolist()) if family_of(world) != family]
        game = replace(game, payoffs=np.vstack([game.payoffs, np.array(barred, np.int64)]))
    return solve_exactly(game.form([])).value


def cell(name: str) -> int:
    return cells(name).bit_length() - 1


def family_of(world: int) -> str:
    return FAMILIES[bool(world & cells("C4", "D4")) and bool(world & cells("D1"))]


def value_claims() -> Iterator[Claim]:
    """Yield the value of phantom tic-tac-toe, which the paper could only bound, and that of each opening."""
    found = solution("phantom-ttt")
    between = Clause("the value", bounded(found.lower, found.upper), Fraction(3, 4), Fraction(767, 768))
    yield Claim("III", "the value is between the bounds", "phantom-ttt", (between,), "[3/4, 1 - 0.5/384]")
    for cell, value in opening_values("phantom-ttt").items():
        words = f"the value if Black opens at {cell} or a cell symmetric to it, drawn in secret"
        yield finding("III", words, "phantom-ttt", value)


def claims() -> Iterator[Claim]:
    yield from section_three_claims()
    yield from value_claims()
    yield from ponnuki_claims()
    yield from conjecture_claims()
    yield from (*bandit_claims(), *reduction_claims(), *information_claims(), *random_play_claims())
    yield from (tightness_claim(), one_cell_claim(), *table_claims(), *slips())


def all_claims(options: Options, say: Say) -> list[Claim]:
    found = []
    for claim in claims():
        say(claim.sentence)
        found.append(claim)
    return found


def compute(options: Options, say: Say) -> Computed:
    found = all_claims(options, say)
    title = "Teytaud & Teytaud 2011, checked (classical phantom games; scores of Black, a draw counts 1/2)"
    judged = [
        {"claim": row["claim"], "paper": row["the_paper"], "ours": row["found"], "verdict": row["verdict"]} | row
        for row in claims_json(found)
    ]
    facts = {"paper": "phantom", "variant": "classical", "claims": judged}
    report = Report(
        "phantom", title, "fogspiel paper phantom", (NOTE,), [claim_table(found, "Claims"), *board_tables()]
    )
    return Computed(facts, [*figure_lines(), "", title, *claim_lines(found)], report)


EXPERIMENTS = (Computation("phantom", "Teytaud & Teytaud 2011", compute, place=8, claims=all_claims),)


# Claims of Teytaud and Teytaud 2011, section IV, on phantom ponnuki (classical variant), checked exactly.
#
# Cells are named as in the paper, column and row. Every step of the proof for 4x4 is a try of Black with two beliefs,
# where it is legal and where it is not; a step that the paper calls a win is a sure win of the AND-OR search.

FOUR, GAME_4 = BOARDS["ponnuki-4x4"], "phantom-ponnuki-4x4"
Belief = tuple[int, np.ndarray]

SURE_WIN, NO_WORLD, ZERO_WORLDS = "wins", "no world is left", "0 worlds"
# The positions that sections IV-C1 and IV-C2 start from: Black's tries after C3, + for a legal one and - for an illegal
# one.
SQUARE, BLOCKED = "+B2 +B3", "-B2 +B3 -C2"
STEPS = (
    ("+B2", SURE_WIN, "C3, then B2 is legal"),
    (SQUARE, SURE_WIN, "then B3 is legal"),
    ("+B2 -B3 +C2", SURE_WIN, "or B3 is illegal and C2 is legal"),
    ("+B2 -B3 -C2 +B4", SURE_WIN, "or both are illegal: B4"),
    (f"{SQUARE} +C2", SURE_WIN, "IV-C1: C2 is legal"),
    (f"{SQUARE} -C2 +B1", SURE_WIN, "IV-C1: C2 is illegal, B1 is legal"),
    (f"{SQUARE} -C2 -B1 +D3", SURE_WIN, "IV-C1: B1 is illegal, D3 (printed: C3, which is Black's own) is legal"),
    (f"{SQUARE} -C2 -B1 -D3", SURE_WIN, "IV-C1: D3 is illegal too: the board is known"),
    (f"{SQUARE} -C2 +B1 +D3", SURE_WIN, "IV-C1 after B1: D3 is legal"),
    (f"{SQUARE} -C2 +B1 -D3 +C1", SURE_WIN, "IV-C1 after B1: C1 is legal"),
    (f"{SQUARE} -C2 +B1 -D3 -C1 +C4", SURE_WIN, "IV-C1 after B1: C4 is legal"),
    (f"{SQUARE} -C2 +B1 -D3 -C1 -C4 +B4", SURE_WIN, "IV-C1 after B1: B4 is legal"),
    (f"{SQUARE} -C2 +B1 -D3 -C1 -C4 -B4", NO_WORLD, "IV-C1 after B1: B4 is necessarily legal"),
    ("-B2 +B3 +C2", SURE_WIN, "IV-C2: C3 and B3, C2 is legal"),
    (f"{BLOCKED} -D2", ZERO_WORLDS, "IV-C2: D2 is necessarily legal"),
    (f"{BLOCKED} +D2 -D3", SURE_WIN, "IV-C2: D3 is illegal"),
    (f"{BLOCKED} +D2 +D3 +A3", SURE_WIN, "IV-C2: A3 is legal"),
    (f"{BLOCKED} +D2 +D3 -A3 -B4", SURE_WIN, "IV-C2: A3 and B4 are illegal: C4"),
)  # the steps of the proof for 4x4: Black's tries, their consequence according to the paper, and its section
MATRIX_GAME = f"{BLOCKED} +D2 +D3 -A3 +B4"


def cells(*names: str) -> int:
    return sum(1 << (ord(name[0]) - ord("A") + 4 * (int(name[1]) - 1)) for name in names)


def after_tries(beliefs: Beliefs, tries: str) -> Belief:
    """Return Black's belief after its tries, each legal (+) or illegal (-), and White's unseen answers."""
    board, own, worlds = beliefs.board, 0, beliefs.start
    cells = {board.cell_name(cell): cell for cell in range(board.cells)}
    for attempt in tries.split():
        split = beliefs.split(own, worlds, cells[attempt[1:]])
        if attempt[0] == "-":
            worlds = split.illegal
        else:
            own |= 1 << cells[attempt[1:]]
            worlds = beliefs.after_answer(own, split.going)[0]
    return own, worlds


def matrix_node() -> Belief:
    """Return the belief of section IV-C2: five black stones, three white stones known to Black, two unknown ones."""
    own, known = cells("C3", "B3", "D2", "D3", "B4"), cells("B2", "C2", "A3")
    free = [cell for cell in range(16) if not (own | known) >> cell & 1]
    worlds = [known | 1 << a | 1 << b for a, b in combinations(free, 2) if 1 << a | 1 << b != cells("C4", "D4")]
    return own, np.array(sorted(worlds), np.int64)


def ponnuki_claims() -> list[Claim]:
    return [*small_claims(), *step_claims(), *bound_claims()]


def small_claims() -> list[Claim]:
    """Check the perfect-information winners, Lemma 4, and the boards up to 3x3."""
    found = []
    for size, winner in ((2, "White"), (3, "Black"), (4, "White")):
        outcome = PerfectInformation(BOARDS[f"ponnuki-{size}x{size}"]).outcome(0, 0, 0)
        ours = "Black" if outcome == WON else "White"
        found.append(check("IV", "who wins with open eyes", f"ponnuki-{size}x{size}", winner, ours))
    three, value = BOARDS["ponnuki-3x3"], Fraction(run_to_end(search_bounds("phantom-ponnuki-2x2"))["lower"])
    sure = [cell for orbit in three.orbits for cell in orbit if find_sure_win(three, orbit[0]).won]
    return [
        *found,
        check_number("IV-A", "the value", "phantom-ponnuki-2x2", Fraction(1, 2), value),
        check("IV-B", "Black wins for sure, from", "phantom-ponnuki-3x3", "B2", ", ".join(map(three.cell_name, sure))),
    ]


def step_claims() -> list[Claim]:
    """Check the steps of the proof for 4x4: sure wins, necessarily legal tries, and open cases."""
    search, found = AndOrSearch(FOUR, 0), []
    for tries, paper, words in STEPS:
        own, worlds = after_tries(search.beliefs, f"+C3 {tries}")
        if paper == SURE_WIN:
            ours = SURE_WIN if search.is_sure_win(own, worlds) else "no sure win"
        else:
            ours = f"{len(worlds)} worlds" if len(worlds) else paper
        place, _, rest = words.partition(": ") if words.startswith("IV") else ("IV-C", "", words)
        section, _, after = place.partition(" ")
        found.append(check(section, f"{after}: {rest}" if after else rest, GAME_4, paper, ours))
    (own, worlds), (paper_own, paper_worlds) = after_tries(search.beliefs, f"+C3 {MATRIX_GAME}"), matrix_node()
    same = own == paper_own and worlds.tolist() == paper_worlds.tolist()
    return [*found, judge("IV-C2", "B4 is legal: worlds of the matrix game", GAME_4, 27, len(worlds), same)]


def bound_claims() -> list[Claim]:
    """Solve the matrix game of section IV-C2 to the end, and check the lower bound that follows."""
    exact, _ = solve_informed_once(FOUR, 0, *matrix_node())
    lower = Fraction(1, 2) + exact.lower / 2
    return [
        at_least("IV-C2", "Black's value in the matrix game", GAME_4, Fraction(1, 3), exact.lower),
        at_least("IV-C", "Black's value", GAME_4, Fraction(2, 3), lower),
    ]


# Figure 1 and the boards of section IV of Teytaud and Teytaud 2011, drawn from Black's tries by the rules.
#
# The paper's text names the tries; a board shows Black's stones, White's stones that Black knows, and `?` where a white
# stone is possible.

BLACK, WHITE, POSSIBLE, EMPTY = "X", "O", "?", "."
# Boards of section IV: section, caption, board, Black's tries from the first on, legal (+) or illegal (-).
SHOWN = (
    ("IV-B", "a line, which wins", "3x3", "+B2 +A2 +C2"),
    ("IV-B", "A2 is illegal: B2, B3, C2", "3x3", "+B2 -A2 +C2 +B3"),
    ("IV-C", "B2 and B3 are legal, a win", "4x4", "+C3 +B2 +B3"),
    ("IV-C", "B3 and C2 are illegal: an atari in B4", "4x4", "+C3 +B2 -B3 -C2 +B4"),
    ("IV-C", "B2 is illegal, then B3 and C2", "4x4", "+C3 -B2 +B3 -C2"),
    ("IV-C1", "C2 is illegal, B1 is legal", "4x4", "+C3 +B2 +B3 -C2 +B1"),
    ("IV-C1", "after D3 and C1 are illegal: C4", "4x4", "+C3 +B2 +B3 -C2 +B1 -D3 -C1 +C4"),
    ("IV-C2", "A3 is legal", "4x4", "+C3 -B2 +B3 -C2 +D2 +D3 +A3"),
    ("IV-C2", "A3 and B4 are illegal: Black knows the board", "4x4", "+C3 -B2 +B3 -C2 +D2 +D3 -A3 -B4"),
    ("IV-C2", "the matrix game: two white stones are unknown", "4x4", "+C3 -B2 +B3 -C2 +D2 +D3 -A3 +B4"),
)


def draw(board: Board, own: int, worlds: np.ndarray) -> list[str]:
    """Return the lines of a board, the highest row first."""
    certain, possible = np.bitwise_and.reduce(worlds), np.bitwise_or.reduce(worlds)

    def mark(cell: int) -> str:
        stones = ((own, BLACK), (int(certain), WHITE), (int(possible), POSSIBLE))
        return next((sign for mask, sign in stones if mask >> cell & 1), EMPTY)

    rows = range(board.rows - 1, -1, -1)
    lines = [f"{row + 1} " + " ".join(mark(row * board.columns + c) for c in range(board.columns)) for row in rows]
    return [*lines, "  " + " ".join(chr(ord("A") + c) for c in range(board.columns))]


def figure_one() -> list[tuple[str, int, int]]:
    """Return the winner and the stones of both situations on 2x2 after a stone each: opposite, and beside each other.

    A player captures if it can; all other moves are alike by symmetry.
    """
    board = BOARDS["ponnuki-2x2"]
    found: dict[str, tuple[str, int, int]] = {}
    for black, white in permutations(range(board.cells), 2):
        stones = [1 << black, 1 << white]
        opposite = white == board.cells - 1 - black
        winner, mover = "", 0
        while not winner:
            own, other = stones[mover], stones[1 - mover]
            outcomes = {cell: int(board.fate(mover, own, other, cell)) for cell in range(board.cells)}
            winning = [cell for cell, outcome in outcomes.items() if outcome == WINS]
            going = [cell for cell, outcome in outcomes.items() if outcome == GOES_ON]
            stones[mover] |= 1 << (winning or going)[0]
            winner, mover = ("Black", "White")[mover] if winning else "", 1 - mover
        found.setdefault("opposite" if opposite else "beside", (winner, 1 << black, 1 << white))
    return [found["opposite"], found["beside"]]


def pictures() -> Iterator[tuple[str, str, list[str]]]:
    """Yield the section, the caption and the lines of each board."""
    for winner, black, white in figure_one():
        lines = draw(BOARDS["ponnuki-2x2"], black, np.array([white], np.int64))
        yield "Figure 1", f"{winner} wins", lines
    for section, caption, size, tries in SHOWN:
        board = BOARDS[f"ponnuki-{size}"]
        own, worlds = after_tries(Beliefs(board, 0), tries)
        yield section, f"{caption} ({len(worlds)} possible positions)", draw(board, own, worlds)


def figure_lines() -> list[str]:
    lines = [f"Figure 1 and boards of section IV: {BLACK} Black, {WHITE} known to be White, {POSSIBLE} possibly White"]
    for section, caption, board in pictures():
        lines += ["", f"{section}: {caption}", *board]
    return lines


def board_tables() -> list[Table]:
    """Return the boards as a table for the report."""
    rows = [(section, caption, " / ".join(lines)) for section, caption, lines in pictures()]
    return [Table("boards", figure_lines()[0], ("section", "position", "board, rows from the top"), rows)]
