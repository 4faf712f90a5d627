"""Bounds on the value of phantom ponnuki for Black, as exact fractions with proof objects that `proof` accepts.

2x2 is one window played to the end. On 3x3 Black has a sure win from the centre. On 4x4 Black's bound follows Teytaud
and Teytaud 2011, section IV-C: a central stone C3 on a board turned at random, then B2. If B2 is legal Black wins for
sure; if not, he plays B3 and goes on by windows. White's bound: he tries B2 on a board turned at random; if it is
illegal he knows Black's first stone and plays C3 opposite to it, else he assumes that Black has C3; then windows.
On 5x5 the AND-OR search tries to prove the paper's conjecture that Black wins for sure.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from time import monotonic
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..games.shared.boards import BOARDS, Board
from ..solve.checkers.phantom_bounds import GAMES
from .and_or_search import SureWin
from .bounds_certificate import Prover, document
from .information_relaxation import MANY, Failed, Turn, Widths, Windows

TO_THE_END = 25
WIDTHS: dict[int, tuple[Widths, ...]] = {0: (((MANY, 3),),), 1: (((MANY, 3),), ((2, MANY), (12, 6), (MANY, 4)))}
"""How wide the windows of 4x4 are, by player; wider ones come later and take longer."""
Rows = list[Any]


class Step(NamedTuple):
    """How far the bounds are, and what it takes to go on from here."""

    remark: str
    lower: Fraction
    upper: Fraction
    saved: dict[str, Any]


class OutOfBudget(Exception):
    """The time or the memory that was granted is used up."""


@dataclass
class Ledger:
    """The best proofs so far, and what the unfinished work knows."""

    game: str
    lower: Fraction = Fraction(0)
    upper: Fraction = Fraction(1)
    black: Rows = field(default_factory=list)
    white: Rows = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    """Stages that need not be done again."""
    known: dict[str, list[Any]] = field(default_factory=dict)
    """What the windows or the search of the stage at work have found."""

    def take(self, prover: Prover, player: int, worth: Fraction) -> None:
        """Keep a proof if it is better than the one there is."""
        if player == 0 and worth > self.lower:
            self.lower, self.black = worth, prover.bodies
        if player == 1 and 1 - worth < self.upper:
            self.upper, self.white = 1 - worth, prover.bodies

    @property
    def saved(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        fields = {"game": self.game, "lower": str(self.lower), "upper": str(self.upper), "done": self.done}
        return fields | {"black": self.black, "white": self.white, "known": self.known}

    @property
    def result(self) -> dict[str, Any]:
        """The bounds with their proof."""
        proof = document(self.game, self.lower, self.black, self.upper, self.white)
        return {"game": self.game, "lower": str(self.lower), "upper": str(self.upper), "certificate": proof}


@dataclass
class Budget:
    """Seconds and bytes that may be used, and when the next report is due."""

    seconds: float
    memory: float
    every: float = 5.0
    begun: float = field(default_factory=monotonic)
    reported: float = 0.0

    @property
    def taken(self) -> float:
        """Seconds since the beginning."""
        return monotonic() - self.begun

    def spent(self, used: int) -> bool:
        """Whether time is up, or more bytes are used than there are."""
        return self.taken > self.seconds or used > self.memory * 2**30

    def due(self) -> bool:
        """Whether it is time for a report."""
        late = self.taken > self.reported + self.every
        if late:
            self.reported = self.taken
        return late


Stages = Generator[Step, None, dict[str, Any]]


def bounds_of(name: str, seconds: float = 300.0, memory: float = 1.0, saved: dict[str, Any] | None = None) -> Stages:
    """Bounds on the value of a phantom ponnuki, step by step: it returns lower, upper and the certificate.

    `saved` is what an earlier step carried. It stops after `seconds`, or when about `memory` GiB are used.
    """
    if name not in GAMES:
        raise ValueError(f"there are no bounds for {name!r}: the games are {', '.join(GAMES)}")
    ledger = Ledger(name) if saved is None else _restored(name, saved)
    board = BOARDS[name.removeprefix("phantom-")]
    budget = Budget(seconds, memory)
    try:
        for remark in STAGES[board.rows](board, ledger, budget):
            yield Step(remark, ledger.lower, ledger.upper, ledger.saved)
    except OutOfBudget:
        pass
    return ledger.result


def _restored(name: str, saved: dict[str, Any]) -> Ledger:
    if saved.get("game") != name:
        raise ValueError(f"the saved bounds are of {saved.get('game')!r}: give those of {name}, or none")
    bounds = (Fraction(saved["lower"]), Fraction(saved["upper"]))
    return Ledger(name, *bounds, saved["black"], saved["white"], saved["done"], saved["known"])


def smallest(board: Board, ledger: Ledger, budget: Budget) -> Generator[str, None, None]:
    """The whole game as one window for each player."""
    for player in (0, 1):
        windows = Windows(board, player, turns=TO_THE_END)
        prover = Prover(windows)
        window = windows.window(0, windows.beliefs.start)
        ledger.take(prover, player, prover.finish(prover.window_rows(window)[1]))
        yield f"{'White' if player else 'Black'} solved to the end, {window.histories} histories"


def by_sure_win(board: Board, ledger: Ledger, budget: Budget) -> Generator[str, None, None]:
    """A sure win for Black from the centre, by AND-OR search."""
    search = SureWin(board, 0)
    centre = board.cells // 2
    own = 1 << centre
    worlds, _ = search.beliefs.answered(own, np.array([0], np.int64))
    for stones, possible, found in ledger.known.get("sure", []):
        search.table[stones, bytes.fromhex(possible)] = found
    running = search.search(own, worlds, budget.seconds - budget.taken, budget.memory)
    verdict: bool | None = None
    while True:
        try:
            progress = next(running)
        except StopIteration as end:
            verdict = end.value
            break
        if budget.due():
            ledger.known["sure"] = _table(search)
            yield (
                f"{progress.nodes} beliefs, {progress.decided} decided, up to {progress.depth} stones, "
                f"{progress.bytes >> 20} MiB, {progress.seconds:.0f} s"
            )
    ledger.known["sure"] = _table(search)
    if verdict:
        prover = Prover(Windows(board, 0))
        prover.take_over(search)
        rows = [[[centre, "1", None, prover.jump(own, worlds)]]]
        ledger.take(prover, 0, prover.finish(rows))
    words = {None: "not decided", True: "Black wins for sure", False: "Black has no sure win from the centre"}
    yield f"{words[verdict]} after {search.nodes} beliefs"


def _table(search: SureWin) -> list[Any]:
    return [[own, stones.hex(), found] for (own, stones), found in search.table.items()]


def central(board: Board, ledger: Ledger, budget: Budget) -> Generator[str, None, None]:
    """The bounds for 4x4 by windows of growing width."""
    for player, levels in WIDTHS.items():
        for level, widths in enumerate(levels, 1):
            stage = f"{'White' if player else 'Black'}, level {level}"
            if stage not in ledger.done:
                opening = (BlackOpening, WhiteOpening)[player](Windows(board, player, widths))
                yield from _stage(stage, opening, ledger, budget)


def _stage(stage: str, opening: "Opening", ledger: Ledger, budget: Budget) -> Generator[str, None, None]:
    """The windows behind an opening, then its proof."""
    windows = opening.windows
    for own, stones, worth in ledger.known.get(stage, []):
        windows.learn(own, np.frombuffer(bytes.fromhex(stones), np.int64), worth)
    try:
        for _ in opening.steps():
            if budget.spent(sum(search.bytes for search in windows.searches)):
                raise OutOfBudget
            if budget.due():
                ledger.known[stage] = _written(windows)
                yield f"{stage}: {len(windows.known)} beliefs, windows of up to {windows.largest} histories"
    finally:
        ledger.known[stage] = _written(windows)
    prover = Prover(windows)
    ledger.take(prover, windows.player, prover.finish(opening.rows(prover)))
    ledger.known.pop(stage)
    ledger.done.append(stage)
    yield f"{stage}: done, {len(windows.known)} beliefs, {len(prover.bodies)} nodes in the proof"


def _written(windows: Windows) -> list[Any]:
    return [[own, stones.hex(), worth] for (own, stones), worth in windows.known.items()]


C3, B2, B3, C2 = 10, 5, 9, 6
OPPOSITE = {C3: B2, B2: C3, B3: C2, C2: B3}


class Opening(Protocol):
    """The first moves of a player on 4x4, and the windows that he goes on with."""

    windows: Windows

    def steps(self) -> Iterator[None]: ...
    def rows(self, prover: Prover) -> Rows: ...


class BlackOpening:
    """C3, then B2, then B3 if B2 is illegal."""

    def __init__(self, windows: Windows) -> None:
        self.windows = windows
        beliefs, straight, bent = windows.beliefs, 1 << C3 | 1 << B2, 1 << C3 | 1 << B3
        free = np.array([1 << cell for cell in range(16) if not straight >> cell & 1], np.int64)
        self.won = straight, beliefs.answered(straight, free)[0]
        self.hard = bent, beliefs.answered(bent, np.array([1 << B2], np.int64))[0]

    def steps(self) -> Iterator[None]:
        """Look into the hard case; the other one is a sure win."""
        yield from self.windows.steps(*self.hard)

    def rows(self, prover: Prover) -> Rows:
        """The rows of the opening."""
        last = [[B3, "1", None, prover.jump(*self.hard)]]
        return [[[C3, "1", None, 1]], [[B2, "1", 2, prover.jump(*self.won)]], last]


class WhiteOpening:
    """A central stone; opposite to Black's if that is where Black is, else with one of a few assumptions."""

    def __init__(self, windows: Windows) -> None:
        self.windows = windows
        self.window = windows.window(0, windows.beliefs.start, 1, self.tries, self.assumptions)

    def tries(self, turn: Turn, failed: Failed) -> list[int]:
        """Any central cell first, then the one opposite to it."""
        return [OPPOSITE[failed[0]]] if failed else list(OPPOSITE)

    def assumptions(self, turn: Turn) -> list[np.ndarray]:
        """Black has the opposite cell; or he has anything that is not hopeless for White."""
        opposite = turn.worlds & 1 << OPPOSITE[turn.own.bit_length() - 1] != 0
        if opposite.all():
            return [turn.worlds]
        return [turn.worlds[opposite], self.windows.hopeful(turn.own, turn.worlds)]

    def steps(self) -> Iterator[None]:
        """Look into the assumptions that are worth making."""
        yield from self.windows.solved(self.window)

    def rows(self, prover: Prover) -> Rows:
        """The rows of the opening."""
        return prover.window_rows(self.window)[1]


STAGES: dict[int, Callable[[Board, Ledger, Budget], Generator[str, None, None]]] = {
    2: smallest,
    3: by_sure_win,
    4: central,
    5: by_sure_win,
}
"""What is done, by the size of the board."""
