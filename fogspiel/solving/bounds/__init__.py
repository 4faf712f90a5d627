"""Bounds on the value of phantom games of boards for Black, as exact fractions with checkable proof objects.

On any board both players' sure wins are searched for, then what they get at least where draws count as won; where the
board has no draws, opponents who are informed now and then bound the value. The rest is about phantom ponnuki.

2x2 is one relaxed game played to the end. On 3x3 Black has a sure win from the centre. On 4x4 Black's bound follows
Teytaud and Teytaud 2011, section IV-C: a central stone C3 on a board turned at random, then B2. If B2 is legal Black
wins for sure; if not, Black plays B3 and continues by relaxed games. White's bound comes from a point-based search for
vectors, which starts with White on B2 against a black stone on C3 and continues to the whole game. On other boards
`sure_win` decides whether Black wins for sure. On 5x5 it does not, against the paper's conjecture in that reading; the
refutation and Lemma 4 bound the value.

Lemma 2 is a bound, too: more information never weakens the opponent, so the value of the game in which it is shown the
board now and then is a guarantee in the phantom game. White informed gives the lower bound, Black informed the upper
one. The more seldom the opponent is informed, the better the bound and the larger the games to be solved.
"""

import json
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from time import monotonic, process_time
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from ...core.compile.kernel import kernel
from ...core.rng import random_below, stream_of
from ...games.boards.board import BOARDS, DRAWS, LOSES, WINS, Board
from ...games.phantom.look import OWN, classical_board
from ..methods import Solution, SolveOptions, SolverProgress, SolverState, Work
from ..proofs.checkers.phantom_bounds import BoundsCertificate, is_bounded
from ..proofs.checkers.refutation import RefutationCertificate
from ..sources import GameSource
from .and_or_search import REFUTED, AndOrSearch
from .certificate import NodeJson, Prover, Row, make_certificate
from .information_relaxation import MANY, Failed, PrivateTurn, Relaxation, RelaxedGame, Widths
from .point_based import PointSearch, Saved, proved_worth, vector_proof
from .sure_win import find_sure_win, make_refutation, random_play_bounds

BOUNDED = "classical phantom games: phantom-ponnuki-ROWSxCOLUMNS up to 25 cells, tic-tac-toe and hex up to 16"
SMALL = 6  # cells of a board that is solved to the end
TO_THE_END = 25  # turns that no game on these boards exceeds
WIDTHS: Widths = ((MANY, 3),)  # widths of the relaxed games of 4x4
SURE = "sure"  # key of the AND-OR search in the saved state; the other keys are stages of 4x4
VISITS_PER_SECOND = 2_000_000  # positions of perfect information that count as a CPU second

# A belief (own stones, worlds as hexadecimal bytes), and its winning try or guarantee.
Finding = list[int | str | float]
SavedBounds = dict[str, Any]  # the state to resume from, as JSON: the fields of a `Ledger`
SAVED = ("game", "lower", "upper", "done", "black", "white", "known", "points", "seconds")


class BoundsStep(NamedTuple):
    remark: str
    lower: Fraction
    upper: Fraction
    saved: SavedBounds


class OutOfBudget(Exception):
    """The budget of CPU time or memory is exhausted."""


@dataclass
class Ledger:
    """The best proofs so far, and the state of the unfinished work."""

    game: str
    lower: Fraction = Fraction(0)
    upper: Fraction = Fraction(1)
    done: list[str] = field(default_factory=list)  # finished stages
    black: list[NodeJson] = field(default_factory=list)
    white: list[NodeJson] = field(default_factory=list)
    # Results of the relaxed games or the search of the current stage.
    known: dict[str, list[Finding]] = field(default_factory=dict)
    points: Saved | None = None  # state of White's point-based search
    seconds: float = 0.0  # total CPU time
    refutation: RefutationCertificate | None = None  # of a sure win, instead of nodes

    def take(self, prover: Prover, player: int, rows: list[Row]) -> None:
        """Finish a proof, and store it if it is better than the current one."""
        worth = prover.finish(rows)
        if player == 0 and worth > self.lower:
            self.lower, self.black = worth, prover.nodes
        if player == 1 and 1 - worth < self.upper:
            self.upper, self.white = 1 - worth, prover.nodes

    @property
    def upper_found(self) -> Fraction:
        """The upper bound of White's vectors, or of the stored proof if that is better."""
        return min(self.upper, 1 - proved_worth(self.points)) if self.points else self.upper

    def settle(self, board: Board) -> None:
        """Write the proof of White's vectors, if it is better than the current one."""
        if self.points and self.upper_found < self.upper:
            search = PointSearch(board, 1)
            search.go_on_from(self.points)
            self.upper, self.white = self.upper_found, vector_proof(search)

    def to_json(self) -> SavedBounds:
        saved = {key: getattr(self, key) for key in SAVED}
        found = {} if self.refutation is None else {"refutation": self.refutation}
        return saved | {"lower": str(self.lower), "upper": str(self.upper)} | found

    @classmethod
    def from_json(cls, game: str, saved: SavedBounds) -> "Ledger":
        if saved.get("game") != game:
            raise ValueError(f"the saved bounds are of {saved.get('game')!r}: give those of {game}, or none")
        return cls(**saved | {"lower": Fraction(saved["lower"]), "upper": Fraction(saved["upper"])})


@dataclass
class CpuBudget:
    """A CPU and memory budget with a report schedule; CPU time, so that proofs do not depend on the machine's load."""

    seconds: float
    memory: float
    every: float = 5.0
    begun: float = field(default_factory=lambda: process_time())
    reported: float = field(default_factory=lambda: monotonic())

    @property
    def seconds_taken(self) -> float:
        return process_time() - self.begun

    def demand(self, used: int = 0) -> None:
        """Raise if time is up, or if more bytes are used than granted."""
        if self.seconds_taken > self.seconds or used > self.memory * 2**30:
            raise OutOfBudget


BOUNDS: tuple[Literal["lower"], Literal["upper"]] = ("lower", "upper")
Remarks = Generator[str, None, None]
Stages = Callable[[Board, Ledger, CpuBudget], Remarks]  # a generator that proves bounds step by step
Result = TypeVar("Result")
# The relaxed games behind a player's first moves, solved step by step, and the first rows of the proof.
Opening = tuple[Generator[None, None, float], Callable[[Prover], list[Row]]]


def search_bounds(
    name: str,
    seconds: float = 300.0,
    memory: float = 1.0,
    saved: SavedBounds | None = None,
    stages: Stages | None = None,
) -> Generator[BoundsStep, None, BoundsCertificate | RefutationCertificate]:
    """Bound the value of a phantom ponnuki step by step, and return the certificate.

    `saved` is the state of an earlier step. The search stops when `seconds` of CPU time, or about `memory` GiB, are
    used, earlier steps included. `stages` replaces the default stages for the size of the board.
    """
    board = board_of(name)
    ledger = Ledger(name) if saved is None else Ledger.from_json(name, saved)
    before = ledger.seconds
    if is_four(board):
        PointSearch(BOARDS["ponnuki-2x2"], 1).sweep()  # compile before the budget starts
    budget = CpuBudget(seconds - before, memory)
    try:
        for remark in (stages or stages_of(board))(board, ledger, budget):
            ledger.seconds = before + budget.seconds_taken
            yield BoundsStep(remark, ledger.lower, ledger.upper_found, ledger.to_json())
    except OutOfBudget:
        pass
    if ledger.refutation is not None:
        return ledger.refutation
    ledger.settle(board)
    return make_certificate(name, ledger.lower, ledger.black, ledger.upper, ledger.white)


def has_bounds(name: str) -> bool:
    """True if a game is classical and has a board of a size that the checker takes."""
    with suppress(ValueError):
        board = classical_board(name)
        return is_bounded(name) or name in OWN or (board.kind != "ponnuki" and board.cells <= LARGEST)
    return False


def board_of(name: str) -> Board:
    """Return the board of a game that can be bounded, by name."""
    if not has_bounds(name):
        raise ValueError(f"there are no bounds for {name}: they are for {BOUNDED}")
    return classical_board(name)


def is_four(board: Board) -> bool:
    return board.kind == "ponnuki" and board.rows == board.columns == 4


def solve_to_the_end(board: Board, ledger: Ledger, budget: CpuBudget) -> Remarks:
    for player, name in enumerate(PLAYERS):
        relaxation = Relaxation(board, player, turns=TO_THE_END, check=budget.demand)
        prover = Prover(ledger.game, relaxation)
        game = relaxation.relaxed_game(0, relaxation.beliefs.start)
        ledger.take(prover, player, prover.relaxed_rows(game)[1])
        yield f"{name} solved to the end, {game.histories} histories"


def search_sure_win(board: Board, ledger: Ledger, budget: CpuBudget) -> Remarks:
    """Search for a sure win of Black by AND-OR search: from the centre, then from other first cells."""
    search = AndOrSearch(board, 0)
    for stones, possible, decided in ledger.known.get(SURE, []):
        search.table[int(stones), bytes.fromhex(str(possible))] = int(decided)

    def used() -> int:
        return search.bytes + search.perfect.bytes

    def remark() -> str:
        found = f"{search.nodes} beliefs, {len(search.table)} decided, up to {search.depth} stones"
        return f"{found}, {used() >> 20} MiB, {budget.seconds_taken:.0f} CPU s"

    for first in central_first(board):
        own = 1 << first
        worlds, _ = search.beliefs.after_answer(own, np.array([0], np.int64))
        try:
            found = yield from watched(search.steps(own, worlds), SURE, search.table, used, remark, ledger, budget)
        except OutOfBudget:
            yield f"not decided after {search.nodes} beliefs"
            return
        if found != REFUTED:
            prover = Prover(ledger.game, Relaxation(board, 0, check=budget.demand), search)
            ledger.take(prover, 0, [[[first, "1", None, prover.jump(own, worlds)]]])
            yield f"Black wins for sure after {search.nodes} beliefs"
            return
        yield f"Black has no sure win from {board.cell_name(first)} after {search.nodes} beliefs"


def search_all(board: Board, ledger: Ledger, budget: CpuBudget) -> Remarks:
    """Search for what each player gets for sure, a win or at least a draw, then bound the value as in ponnuki."""
    for drawn in (False, True):
        for player, name in enumerate(PLAYERS):
            if ledger.lower < ledger.upper and not (drawn and never_drawn(board)):
                yield from search_sure(board, ledger, budget, player, name, drawn)
    if never_drawn(board):
        yield from search_schedules(board, ledger, budget)


def search_sure(board: Board, ledger: Ledger, budget: CpuBudget, player: int, name: str, drawn: bool) -> Remarks:
    """Search for a player's sure win, or for what is never worse than a draw."""
    stage = f"{name} {'never loses' if drawn else 'wins'} for sure"
    if stage in ledger.done:
        return
    search = AndOrSearch(with_draws_won(board, player) if drawn else board, player)
    for stones, possible, decided in ledger.known.get(stage, []):
        search.table[int(stones), bytes.fromhex(str(possible))] = int(decided)
    start = search.beliefs.start

    def used() -> int:
        return search.bytes + search.perfect.bytes

    def remark() -> str:
        return f"{stage}? {search.nodes} beliefs, {len(search.table)} decided, {budget.seconds_taken:.0f} CPU s"

    found = REFUTED
    if len(start):
        found = yield from watched(search.steps(0, start), stage, search.table, used, remark, ledger, budget)
    if found != REFUTED:
        prover = Prover(ledger.game, Relaxation(board, player), search, Fraction(1, 1 + drawn))
        ledger.take(prover, player, prover.sure_rows(0, start))
    ledger.known.pop(stage, None)
    ledger.done.append(stage)
    yield f"{'' if found != REFUTED else 'not so: '}{stage}, after {search.nodes} beliefs"


def with_draws_won(board: Board, player: int) -> Board:
    """Return a board on which a player wins what was drawn."""
    fate = board.fate

    @kernel
    def generous(mover, own, other, cell):
        found = fate(mover, own, other, cell)
        if found == DRAWS:
            return WINS if mover == player else LOSES
        return found

    return replace(board, fate=generous)


PLAYOUTS, SEED = 200, 31


def never_drawn(board: Board) -> bool:
    """True if no random game is drawn, or lost by its last stone; a proof would fail if another game were."""
    for number in range(PLAYOUTS):
        stones, player, stream = [0, 0], 0, stream_of(SEED, number)
        while True:
            cells = [c for c in range(board.cells) if board.fate(player, stones[player], stones[1 - player], c) >= 0]
            cell = cells[random_below(stream, len(cells))] if cells else 0
            found = board.fate(player, stones[player], stones[1 - player], cell)
            if found in (DRAWS, LOSES):
                return False
            if found == WINS or not cells:
                break
            stones[player] |= 1 << cell
            player = 1 - player
    return True


def search_windows(board: Board, ledger: Ledger, budget: CpuBudget) -> Remarks:
    """Search for a sure win of Black, then bound the value by informed opponents."""
    yield from search_sure_win(board, ledger, budget)
    yield from search_schedules(board, ledger, budget)


def search_schedules(board: Board, ledger: Ledger, budget: CpuBudget) -> Remarks:
    """Bound the value by opponents who are informed more and more seldom."""
    for turns in range(1, board.cells // 2 if board.cells <= LARGEST else 0):
        if ledger.lower < ledger.upper:
            yield from Schedule(turns, turns).stages(board, ledger, budget)


def central_first(board: Board) -> list[int]:
    """Return a first cell of each orbit, the most central one first."""

    def distance(cell: int) -> int:
        row, column = divmod(cell, board.columns)
        return abs(2 * row + 1 - board.rows) + abs(2 * column + 1 - board.columns)

    return sorted((orbit[0] for orbit in board.orbits), key=distance)


def refute_sure_win(board: Board, ledger: Ledger, budget: CpuBudget) -> Remarks:
    """Prove a sure win of Black, or refute it and bound the value by the refutation and by Lemma 4.

    The budget is counted in positions, so that the result does not depend on the machine.
    """
    if ledger.refutation is not None:
        return
    limit = max(1, int(VISITS_PER_SECOND * budget.seconds))
    found = find_sure_win(board, limit=limit)
    if found.won:
        search = AndOrSearch(board, 0)
        opening = next(orbit[0] for orbit in board.orbits if find_sure_win(board, orbit[0]).won)
        worlds, _ = search.beliefs.after_answer(1 << opening, np.array([0], np.int64))
        prover = Prover(ledger.game, Relaxation(board, 0, check=budget.demand), search)
        ledger.take(prover, 0, [[[opening, "1", None, prover.jump(1 << opening, worlds)]]])
    elif found.won is False:
        ledger.refutation = make_refutation(board, found, random_play_bounds(board, limit)[0])
        ledger.lower, ledger.upper = (Fraction(ledger.refutation[bound]) for bound in BOUNDS)
    words = {None: "not decided", True: "Black wins for sure", False: "Black has no sure win"}
    yield f"{words[found.won]} after {found.nodes} beliefs, {found.visits} positions with open eyes"


def watched(
    steps: Generator[None, None, Result],
    stage: str,
    table: Mapping[tuple[int, bytes], int | float],
    used: Callable[[], int],
    remark: Callable[[], str],
    ledger: Ledger,
    budget: CpuBudget,
) -> Generator[str, None, Result]:
    """Return the result of the steps of a stage within the budget, with a remark whenever one is due.

    The ledger receives the table's beliefs as JSON, even after an exception.
    """

    def note() -> None:
        ledger.known[stage] = [[own, stones.hex(), found] for (own, stones), found in table.items()]

    try:
        while True:
            next(steps)
            budget.demand(used())
            if monotonic() > budget.reported + budget.every:
                budget.reported = monotonic()
                note()
                yield remark()
    except StopIteration as end:
        result: Result = end.value
        return result
    finally:
        note()


def prove_relaxed(
    stage: str, relaxation: Relaxation, opening: Opening, ledger: Ledger, budget: CpuBudget
) -> Generator[str, None, str]:
    """Prove a guarantee by an opening and the relaxed games behind it, and return the size of the proof."""

    def used() -> int:
        return sum(search.bytes for search in relaxation.searches)

    def remark() -> str:
        return f"{stage}: {len(relaxation.known)} beliefs, windows of up to {relaxation.largest} histories"

    for own, stones, worth in ledger.known.get(stage, []):
        relaxation.learn(int(own), np.frombuffer(bytes.fromhex(str(stones)), np.int64), float(worth))
    steps, rows = opening
    yield from watched(steps, stage, relaxation.known, used, remark, ledger, budget)
    prover = Prover(ledger.game, relaxation)
    ledger.take(prover, relaxation.player, rows(prover))
    ledger.known.pop(stage)
    return f"{len(relaxation.known)} beliefs, {len(prover.nodes)} nodes in the proof"


def search_openings(board: Board, ledger: Ledger, budget: CpuBudget) -> Remarks:
    """Bound 4x4: Black's relaxed games, then White's vectors as long as the budget lasts."""
    stage = "Black's relaxed games"
    if stage not in ledger.done:
        relaxation = Relaxation(board, 0, WIDTHS, check=budget.demand)
        yield from prove_opening(stage, relaxation, ledger, budget)
    white = PointSearch(board, 1, budget.demand)
    white.begin_at(1 << B2, 1 << C3)
    if ledger.points:
        white.go_on_from(ledger.points)
    while white.sweeps < MANY:
        white.sweep()
        ledger.points = white.to_json()  # result of the last complete sweep
        yield f"White's vectors, sweep {white.sweeps}: {len(white.library.nodes)} vectors"


def prove_opening(stage: str, relaxation: Relaxation, ledger: Ledger, budget: CpuBudget) -> Remarks:
    """Prove a player's guarantee on 4x4 by its first moves, and the relaxed games behind them."""
    opening = (white_opening if relaxation.player else black_opening)(relaxation)
    size = yield from prove_relaxed(stage, relaxation, opening, ledger, budget)
    ledger.done.append(stage)
    yield f"{stage}: done, {size}"


PLAYERS = ("Black", "White")
C3, B2, B3, C2 = 10, 5, 9, 6
OPPOSITE = {C3: B2, B2: C3, B3: C2, C2: B3}  # the central cells of 4x4


def black_opening(relaxation: Relaxation) -> Opening:
    """C3, then B2, then B3 if B2 is illegal."""
    beliefs, straight, bent = relaxation.beliefs, 1 << C3 | 1 << B2, 1 << C3 | 1 << B3
    free = np.array([1 << cell for cell in range(16) if not straight >> cell & 1], np.int64)
    won = straight, beliefs.after_answer(straight, free)[0]
    hard = bent, beliefs.after_answer(bent, np.array([1 << B2], np.int64))[0]

    def rows(prover: Prover) -> list[Row]:
        last: Row = [[B3, "1", None, prover.jump(*hard)]]
        return [[[C3, "1", None, 1]], [[B2, "1", 2, prover.jump(*won)]], last]

    return relaxation.steps(*hard), rows


def white_opening(relaxation: Relaxation) -> Opening:
    """A central stone; opposite to Black's if Black is central, else with one of a few assumptions."""

    def tries(turn: PrivateTurn, failed: Failed) -> list[int]:
        return [OPPOSITE[failed[0]]] if failed else list(OPPOSITE)

    def assumptions(turn: PrivateTurn) -> list[np.ndarray]:
        """Return the assumptions: Black has the opposite cell; or Black has anything that is not hopeless for White."""
        opposite = turn.worlds & 1 << OPPOSITE[turn.own.bit_length() - 1] != 0
        if opposite.all():
            return [turn.worlds]
        return [turn.worlds[opposite], relaxation.hopeful_worlds(turn.own, turn.worlds)]

    return first_game(relaxation, relaxation.relaxed_game(0, relaxation.beliefs.start, 1, tries, assumptions))


def first_game(relaxation: Relaxation, game: RelaxedGame) -> Opening:
    return relaxation.solve(game), lambda prover: prover.relaxed_rows(game)[1]


def stages_of(board: Board) -> Stages:
    """Return the stages for a board, in ponnuki by its size."""
    if board.kind != "ponnuki":
        return search_all
    if board.cells <= SMALL:
        return solve_to_the_end
    if board.cells > LARGEST:
        return refute_sure_win
    return search_openings if is_four(board) else search_windows


LARGEST = 16  # cells for an informed opponent, and for proofs made of tries
WORDS = re.compile(r"(every|once)(?::([1-9]\d?))?|never")


class Schedule(NamedTuple):
    """Turns of the player after which the opponent is shown the board: the first, then the interval."""

    first: int
    later: int

    @classmethod
    def parse(cls, words: str) -> "Schedule":
        """Parse `every` turn, `every:3` turns, `once` (after the first turn), `once:3` (after three), or `never`."""
        found = WORDS.fullmatch(words)
        if not found:
            raise ValueError(f"the opponent is informed {words!r}: it must be every, every:K, once, once:K or never")
        turns = min(int(found[2] or 1), TO_THE_END)
        return cls(turns if found[1] else TO_THE_END, turns if found[1] == "every" else TO_THE_END)

    def stages(self, board: Board, ledger: Ledger, budget: CpuBudget) -> Remarks:
        for player, name in enumerate(PLAYERS):
            stage = f"{name}, the other informed after {self.first} and {self.later} turns"
            if stage in ledger.done:
                continue
            if is_four(board):
                yield from prove_opening(
                    stage, Relaxation(board, player, WIDTHS, self.later, budget.demand), ledger, budget
                )
                continue
            relaxation = Relaxation(board, player, turns=self.later, check=budget.demand)
            start = relaxation.beliefs.start
            if relaxation.search.is_sure_win(0, start):
                prover = Prover(ledger.game, relaxation)
                ledger.take(prover, player, prover.sure_rows(0, start))
                yield f"{stage}: a sure win"
            else:
                opening = first_game(relaxation, relaxation.relaxed_game(0, start, self.first))
                yield f"{stage}: {(yield from prove_relaxed(stage, relaxation, opening, ledger, budget))}"
            ledger.done.append(stage)


def demand_size(name: str) -> None:
    board = board_of(name)
    if board.cells > LARGEST:
        raise ValueError(f"{name} is too large for an informed opponent: boards up to 4x4 can be solved")
    if not never_drawn(board):
        raise ValueError(f"{name} can be drawn: informed opponents bound boards without draws, so leave out --informed")


def informed_bounds(
    name: str, schedule: Schedule, seconds: float = 300.0, memory: float = 1.0, saved: SavedBounds | None = None
) -> Generator[BoundsStep, None, BoundsCertificate | RefutationCertificate]:
    """Bound the value of a phantom ponnuki by the players' guarantees against an informed opponent."""
    demand_size(name)
    return search_bounds(name, seconds, memory, saved, schedule.stages)


SETTLE_SECONDS = 60.0  # CPU seconds of `solve`, which refuses a game that is not settled by then


def solve(source: GameSource, options: SolveOptions, saved: SolverState) -> Work:
    """Settle a game by a sure win or by relaxed games, or raise a ValueError that names `bounds`."""
    found = yield from solve_bounds(source, options._replace(seconds=options.seconds or SETTLE_SECONDS), saved)
    if not found.exact:
        raise ValueError(
            f"{source.name} has no sure win that a short search finds, and its whole tree is too large: `fogspiel "
            f"bounds {source.name}` proves an interval, and narrows it as long as time lasts"
        )
    return found


def solve_bounds(source: GameSource, options: SolveOptions, saved: SolverState) -> Work:
    """Bound a game as `search_bounds` does, as a method of solving."""
    name, board = source.name, board_of(source.name)
    stages = search_sure_win if is_four(board) else stages_of(board)
    state = json.loads(saved.state) if saved.state else None
    steps = search_bounds(name, options.seconds or SETTLE_SECONDS, options.memory, state, stages)
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            proof: BoundsCertificate = end.value
            break
        bounds = float(step.lower), float(step.upper)
        yield SolverProgress(step.remark, *bounds, state=json.dumps(step.saved).encode())
    lower, upper = Fraction(proof["lower"]), Fraction(proof["upper"])
    value, interval = (lower + upper) / 2, (float(lower), float(upper))
    sizes = {"proof": [len(proof.get("black", ())), len(proof.get("white", ()))]}
    certificate = proof if upper - lower < 1 else None
    words = "sure wins and relaxed games"
    if lower == upper:
        return Solution(str(value), str(lower), str(upper), True, words, sizes, proof, float(value), interval)
    return Solution(float(value), *interval, False, words, sizes, certificate, float(value), interval)
