"""Lemma 2 as an algorithm: play two-sided for some turns, then let the opponent see the board and start again.

A window is a zero-sum game in which a player (the planner) has a belief (own, worlds). The opponent first chooses the
world; he knows it and the planner's stones. Then both play `turns` turns without seeing each other. At his next turn
the planner assumes that the world is one of a set A, and gets what the belief (own, A) guarantees him if it is, and
nothing if it is not. The value of a window is a guarantee in the phantom game by Lemma 2 of Teytaud and Teytaud 2011:
an opponent who sees more, and may rearrange what the planner cannot know, is no weaker.

Beliefs that are sure wins are worth 1 (`surewin`), and so are worlds in which the opponent, once he has seen the
board, wins for sure worth 0; assumptions leave such worlds out. The planner may be restricted to his most promising
tries at each decision, which can only lower the guarantee; the opponent never is.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ..games.shared.boards import Board
from ..solve.lp import equilibrium
from ..solve.sequence_form import SequenceForm, Treeplex, merge, plan_of
from .and_or_search import SureWin
from .beliefs import LOST, Beliefs

GRID = 720720
"""Guarantees are rounded down to multiples of 1 / GRID, which keeps all fractions with denominators up to 16."""
NEVER = 1e-9
WIN = -1
PLANNER, OPPONENT = 0, 1

Failed = tuple[int, ...]
Widths = tuple[tuple[int, int], ...]
"""How many tries the planner chooses from: (worlds at most, tries), for growing numbers of worlds."""
MANY = 1 << 30
ALL: Widths = ((MANY, MANY),)


@dataclass(eq=False)
class Turn:
    """A player's private history up to the start of one of his turns."""

    own: int
    worlds: np.ndarray
    depth: int
    next: dict[tuple[Failed, int], "Turn"] = field(default_factory=dict)
    left: dict[Failed, np.ndarray] = field(default_factory=dict)
    """The worlds that are left after some failed tries."""
    won: dict[Failed, bool] = field(default_factory=dict)


@dataclass(eq=False)
class Decision:
    """What the planner may do at one of his infosets: tries, or assumptions (numbers of `Window.assumed`)."""

    turn: Turn
    failed: Failed
    tries: list[int]
    assumptions: bool = False


@dataclass(eq=False)
class Window:
    """A window as a sequence form whose payoffs are numbers of assumptions, or WIN."""

    decisions: list[Decision]
    plexes: tuple[Treeplex, Treeplex]
    rows: np.ndarray
    columns: np.ndarray
    payoffs: np.ndarray
    assumed: list[tuple[int, np.ndarray]]
    histories: int

    def form(self, worths: Sequence[Fraction | float]) -> SequenceForm:
        """The game when the assumptions have these values, rounded down."""
        values = np.array([int(worth * GRID + NEVER) for worth in worths] + [GRID], np.int64)
        return merge(self.plexes, self.rows, self.columns, values[self.payoffs], GRID)

    def used(self, behaviour: np.ndarray) -> list[int]:
        """The assumptions that the planner makes with positive probability."""
        plan, found = plan_of(self.plexes[0], behaviour), []
        for decision, first in zip(self.decisions, self.plexes[0].first.tolist(), strict=True):
            if decision.assumptions:
                found += [a for k, a in enumerate(decision.tries) if plan[first + k] > NEVER]
        return found


class Knowledge:
    """The beliefs of one player along his private histories."""

    def __init__(self, search: SureWin) -> None:
        self.search, self.beliefs, self.player = search, search.beliefs, search.player

    def left(self, turn: Turn, failed: Failed) -> np.ndarray:
        """The worlds after some failed tries."""
        if not failed:
            return turn.worlds
        found = turn.left.get(failed)
        if found is None:
            found = self.beliefs.split(turn.own, self.left(turn, failed[:-1]), failed[-1]).illegal
            turn.left[failed] = found
        return found

    def sure(self, turn: Turn, failed: Failed) -> bool:
        """Whether the player wins for sure from here."""
        if failed not in turn.won:
            turn.won[failed] = self.search.sure(turn.own, self.left(turn, failed))
        return turn.won[failed]

    def after(self, turn: Turn, failed: Failed, cell: int) -> Turn:
        """The player's next turn after a stone."""
        found = turn.next.get((failed, cell))
        if found is None:
            going = self.beliefs.split(turn.own, self.left(turn, failed), cell).going
            worlds, _ = self.beliefs.answered(turn.own | 1 << cell, going)
            found = turn.next[failed, cell] = Turn(turn.own | 1 << cell, worlds, turn.depth + 1)
        return found

    def tries(self, turn: Turn, failed: Failed) -> list[int]:
        """The tries worth a thought: a dominating one alone (Lemma 3), else all that may be legal."""
        tally = self.beliefs.tally(turn.own, self.left(turn, failed))
        for cell, (_, going, wins, _) in enumerate(tally):
            if wins and not going:
                return [cell]
        return [cell for cell, (_, going, wins, _) in enumerate(tally) if going + wins]


class Windows:
    """The guarantees of one player on a board without draws, by windows; remembered by belief."""

    def __init__(self, board: Board, player: int, widths: Widths = ALL, turns: int = 1) -> None:
        self.board, self.player, self.widths, self.turns = board, player, widths, turns
        self.searches = [SureWin(board, 0), SureWin(board, 1)]
        self.search = self.searches[player]
        self.beliefs: Beliefs = self.search.beliefs
        self.sides = (Knowledge(self.search), Knowledge(self.searches[1 - player]))
        self.known: dict[tuple[int, bytes], float] = {}
        self.larger: dict[int, dict[frozenset[int], float]] = {}
        """The same by own stones, to be looked through for beliefs with more worlds."""
        self.windows = self.largest = 0
        self._seen_through: dict[tuple[int, int], bool] = {}

    def seen_through(self, own: int, world: int) -> bool:
        """Whether the opponent wins for sure if he sees the board now, before the planner's unseen move."""
        found = self._seen_through.get((own, world))
        if found is None:
            illegal, wins = self.beliefs.look(self.player, own, world)
            moves = [own | 1 << cell for cell in range(self.board.cells) if not (illegal >> cell) & 1]
            found = not wins and self.searches[1 - self.player].sure(world, np.array(sorted(moves), np.int64))
            self._seen_through[own, world] = found
        return found

    def hopeful(self, own: int, worlds: np.ndarray) -> np.ndarray:
        """The worlds in which there is something to hope for."""
        return worlds[[not self.seen_through(own, world) for world in worlds.tolist()]]

    def guarantee(self, own: int, worlds: np.ndarray) -> float:
        """What the planner can guarantee himself by windows, in floating point."""
        return run_to_end(self.steps(own, worlds))

    def steps(self, own: int, worlds: np.ndarray) -> Generator[None, None, float]:
        """The guarantee of a belief, with a pause before every window; what is known by then stays known."""
        if not len(worlds) or self.search.sure(own, worlds):
            return 1.0
        own, worlds, _ = self.search.canonical(own, worlds)
        key = own, worlds.tobytes()
        if key not in self.known:
            yield
            hopeless = len(self.hopeful(own, worlds)) < len(worlds)
            worth = 0.0 if hopeless else (yield from self.solved(self.window(own, worlds)))
            self.learn(own, worlds, worth)
        return self.worth(own, worlds)

    def learn(self, own: int, worlds: np.ndarray, worth: float) -> None:
        """Remember what the window of a belief, in canonical form, is worth."""
        self.known[own, worlds.tobytes()] = worth
        if worth:
            self.larger.setdefault(own, {})[frozenset(worlds.tolist())] = worth

    def best(self, own: int, worlds: np.ndarray) -> np.ndarray:
        """The worlds of the best known belief that contains this one, both in canonical form.

        What is guaranteed in more worlds is guaranteed in fewer; a restricted planner may find the larger easier.
        """
        worth, chosen, mine = self.known.get((own, worlds.tobytes()), 0.0), worlds, None
        for more, found in self.larger.get(own, {}).items():
            if found > worth + NEVER and len(more) > len(worlds):
                mine = mine or frozenset(worlds.tolist())
                if mine < more:
                    worth, chosen = found, np.array(sorted(more), np.int64)
        return chosen

    def worth(self, own: int, worlds: np.ndarray) -> float:
        """What is known about a belief in canonical form: what it or a larger one guarantees."""
        return self.known.get((own, self.best(own, worlds).tobytes()), 0.0)

    def solved(self, window: Window) -> Generator[None, None, float]:
        """The value of a window; the assumptions are looked into when the planner would make them."""
        worths: list[float | None] = [None] * len(window.assumed)
        self.windows += 1
        self.largest = max(self.largest, window.histories)
        while len(window.rows):
            found = equilibrium(window.form([1.0 if worth is None else worth for worth in worths]))
            unknown = [a for a in window.used(found.behaviours[0]) if worths[a] is None]
            if found.value < NEVER or not unknown:
                return min(max(found.lower, 0.0), 1.0)
            for a in unknown:
                worths[a] = yield from self.steps(*window.assumed[a])
        return 0.0

    def worths(self, window: Window) -> list[float]:
        """What the assumptions of a window are worth, as far as they have been looked into."""
        worths = []
        for own, worlds in window.assumed:
            sure, image = self.search.sure(own, worlds), self.search.canonical(own, worlds)
            worths.append(1.0 if sure else self.worth(image[0], image[1]))
        return worths

    def promising(self, turn: Turn, failed: Failed) -> list[int]:
        """The planner's tries: those that keep most worlds won with open eyes, as many as `widths` allows."""
        side = self.sides[PLANNER]
        tries, worlds = side.tries(turn, failed), side.left(turn, failed)
        width = next(width for most, width in self.widths if len(worlds) <= most)
        if len(tries) <= width:
            return tries
        score = dict.fromkeys(tries, 0.0)
        outcome, look, opponent = self.search.eyes.outcome, self.beliefs.look, 1 - self.player
        for world in worlds.tolist():
            illegal, wins = look(self.player, turn.own, world)
            for cell in tries:
                if (wins >> cell) & 1:
                    score[cell] += 1
                elif (illegal >> cell) & 1:
                    score[cell] += 0.5
                elif outcome(opponent, world, turn.own | 1 << cell) == LOST:
                    score[cell] += 1
                elif not look(opponent, world, turn.own | 1 << cell)[1]:
                    score[cell] += 0.3
        return sorted(sorted(tries, key=lambda cell: -score[cell])[:width])

    def window(
        self,
        own: int,
        worlds: np.ndarray,
        turns: int | None = None,
        tries: Callable[[Turn, Failed], list[int]] | None = None,
        assumptions: Callable[[Turn], list[np.ndarray]] | None = None,
    ) -> Window:
        """The window that starts with a belief: all histories of `turns` turns, but for the planner's other tries."""
        builder = Builder(self, own, worlds, turns or self.turns)
        builder.tries, builder.assumptions = tries or self.promising, assumptions or builder.assumptions
        return builder.built()


def run_to_end(steps: Generator[None, None, float]) -> float:
    """The result of a generator whose steps nobody waits for."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return float(end.value)


class Builder:
    """A walk over the histories of a window that numbers infosets and sequences as it meets them."""

    def __init__(self, owner: Windows, own: int, worlds: np.ndarray, turns: int) -> None:
        self.owner, self.own, self.worlds, self.turns = owner, own, worlds, turns
        self.tries: Callable[[Turn, Failed], list[int]] = owner.promising
        self.assumptions: Callable[[Turn], list[np.ndarray]] = lambda turn: [owner.hopeful(turn.own, turn.worlds)]
        self.index: list[dict[Any, int]] = [{}, {}]
        self.parent: list[list[int]] = [[], [0]]
        self.first: list[list[int]] = [[], [1]]
        self.count: list[list[int]] = [[], [len(worlds)]]
        self.sequences = [1, 1 + len(worlds)]
        self.decisions: list[list[Decision]] = [[], []]
        self.assumed: list[tuple[int, np.ndarray]] = []
        self.members: list[frozenset[int]] = []
        self.payoffs: list[tuple[int, int, int]] = []

    def built(self) -> Window:
        """The whole window."""
        look, sides = self.owner.beliefs.look, self.owner.sides
        root = Turn(self.own, self.worlds, 0)
        starts = [self._informed(world) for world in self.worlds.tolist()]
        waiting: list[tuple[int, Turn, Failed, Turn, Failed, int, int]] = [
            (PLANNER, root, (), start, (), 0, 1 + k) for k, start in enumerate(starts)
        ]
        self.decisions[OPPONENT].append(Decision(root, (), []))  # his choice of the world
        histories = 0
        while waiting:
            who, mine, failed, theirs, his_failed, row, column = waiting.pop()
            histories += 1
            turn, tried, other = (mine, failed, theirs.own) if who == PLANNER else (theirs, his_failed, mine.own)
            if sides[who].sure(turn, tried):
                if who == PLANNER:
                    self.payoffs.append((row, column, WIN))
                continue
            number = self._infoset(who, turn, tried, row if who == PLANNER else column)
            decision, first = self.decisions[who][number], self.first[who][number]
            if decision.assumptions:
                for k, a in enumerate(decision.tries):
                    if other in self.members[a]:
                        self.payoffs.append((first + k, column, a))
                continue
            illegal, wins = look(sides[who].player, turn.own, other)
            for k, cell in enumerate(decision.tries):
                if (wins >> cell) & 1:
                    if who == PLANNER:
                        self.payoffs.append((first + k, column, WIN))
                elif who == PLANNER and (illegal >> cell) & 1:
                    waiting.append((PLANNER, mine, (*failed, cell), theirs, (), first + k, column))
                elif who == PLANNER:
                    after = sides[PLANNER].after(mine, failed, cell)
                    waiting.append((OPPONENT, after, (), theirs, (), first + k, column))
                elif (illegal >> cell) & 1:
                    waiting.append((OPPONENT, mine, (), theirs, (*his_failed, cell), row, first + k))
                else:
                    after = sides[OPPONENT].after(theirs, his_failed, cell)
                    waiting.append((PLANNER, mine, (), after, (), row, first + k))
        table = np.array(self.payoffs, np.int64).reshape(-1, 3)
        plexes = (self._plex(PLANNER), self._plex(OPPONENT))
        return Window(self.decisions[0], plexes, table[:, 0], table[:, 1], table[:, 2], self.assumed, histories)

    def _informed(self, world: int) -> Turn:
        """The opponent's first turn: he saw the planner's stones, but not the move that the planner then made."""
        illegal, wins = self.owner.beliefs.look(self.owner.player, self.own, world)
        moves = [self.own | 1 << cell for cell in range(self.owner.board.cells) if not ((illegal | wins) >> cell) & 1]
        return Turn(world, np.array(sorted(moves), np.int64), 0)

    def _infoset(self, who: int, turn: Turn, failed: Failed, sequence: int) -> int:
        """The number of an infoset; a new one is listed with its tries or assumptions."""
        key = id(turn), failed
        number = self.index[who].get(key)
        if number is None:
            number = self.index[who][key] = len(self.parent[who])
            decision = Decision(turn, failed, [])
            if who == OPPONENT:
                decision.tries = self.owner.sides[OPPONENT].tries(turn, failed)
            elif turn.depth < self.turns:
                decision.tries = self.tries(turn, failed)
            else:
                decision.assumptions = True
                for worlds in self.assumptions(turn):
                    if len(worlds):
                        decision.tries.append(len(self.assumed))
                        self.assumed.append((turn.own, worlds))
                        self.members.append(frozenset(worlds.tolist()))
            self.decisions[who].append(decision)
            self.parent[who].append(sequence)
            self.first[who].append(self.sequences[who])
            self.count[who].append(max(len(decision.tries), 1))
            self.sequences[who] += self.count[who][-1]
        return number

    def _plex(self, who: int) -> Treeplex:
        parts = (self.parent[who], self.first[who], self.count[who])
        return Treeplex(*(np.array(part, np.int64) for part in parts))
