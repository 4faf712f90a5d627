"""Lemma 2 as an algorithm: play unseen for some turns, then let the opponent see the board and start again.

A relaxed game is a zero-sum game in which a player (the planner) has a belief (own, worlds). The opponent first chooses
the world, knowing it and the planner's stones. Then both play `turns` turns without seeing each other: a window. At its
next turn the planner assumes that the world is in a set A. It gets the guarantee of the belief (own, A) if that is
true, and nothing otherwise. The value of a relaxed game is a guarantee in the phantom game by Lemma 2 of Teytaud and
Teytaud 2011: more information, and freedom to rearrange what the planner cannot know, never weaken the opponent.

Beliefs that are sure wins (`and_or_search`) have value 1. Worlds in which the opponent, once it has seen the board,
wins for sure have value 0; assumptions leave such worlds out. The planner may be restricted to its most promising tries
at each decision, which can only lower the guarantee; the opponent never is.
"""

from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, TypeVar

import numpy as np

from ...games.boards.board import Board
from ..exact import ExactBounds, exact_bounds
from ..methods import run_to_end
from ..methods.lp import equilibrium
from ..tree.sequence_form import SequenceForm, Treeplex, merge, plan_of
from .and_or_search import FAILS, SURVIVES, AndOrSearch
from .beliefs import LOST, Beliefs, dominating_try

# Guarantees are rounded down to multiples of 1 / GRID, which keeps all fractions with denominators up to 16.
GRID = 720720
LOOK = 1000  # histories of a relaxed game between two checks of the time limit
NOISE = 1e-9  # differences up to this are rounding errors of the linear program
WIN = -1
PLANNER, OPPONENT = 0, 1

Failed = tuple[int, ...]
# Number of tries the planner chooses from: (worlds at most, tries), for growing numbers of worlds.
Widths = tuple[tuple[int, int], ...]
MANY = 1 << 30
ALL: Widths = ((MANY, MANY),)


@dataclass(eq=False)
class PrivateTurn:
    """A player's private history up to the start of one of its turns."""

    own: int
    worlds: np.ndarray
    depth: int
    next: dict[tuple[Failed, int], "PrivateTurn"] = field(default_factory=dict)
    left: dict[Failed, np.ndarray] = field(default_factory=dict)  # the worlds that remain after some failed tries
    sure: dict[Failed, bool] = field(default_factory=dict)


Infoset = tuple[PrivateTurn, Failed]
# The player to move, the turns of planner and opponent, the tries failed in this turn, and both sequences.
History = tuple[int, tuple[PrivateTurn, PrivateTurn], Failed, tuple[int, int]]
Tries = Callable[[PrivateTurn, Failed], list[int]]
Assumptions = Callable[[PrivateTurn], list[np.ndarray]]


@dataclass(frozen=True, eq=False)
class RelaxedGame:
    """A relaxed game as a sequence form whose payoffs are numbers of assumptions, or WIN."""

    infosets: dict[Infoset, int]  # the planner's, by number
    choices: list[list[int]]  # the planner's at each infoset: tries, or at the end of the window numbers of assumptions
    turns: int
    treeplexes: tuple[Treeplex, Treeplex]
    payoffs: np.ndarray  # the planner's and the opponent's sequence, and the payoff
    assumed: list[tuple[int, np.ndarray]]  # the beliefs that the planner may assume
    histories: int

    def form(self, worths: Sequence[Fraction | float]) -> SequenceForm:
        """Return the game in which the assumptions have these values, rounded down."""
        values = np.array([int(worth * GRID + NOISE) for worth in worths] + [GRID], np.int64)
        rows, columns, payoffs = self.payoffs.T
        return merge(self.treeplexes, rows, columns, values[payoffs], GRID)

    def is_end(self, turn: PrivateTurn) -> bool:
        return turn.depth >= self.turns

    def used_assumptions(self, behaviour: np.ndarray) -> list[int]:
        plan, found = plan_of(self.treeplexes[PLANNER], behaviour), []
        for (turn, _), choices, first in zip(self.infosets, self.choices, self.treeplexes[PLANNER].first, strict=True):
            if self.is_end(turn):
                found += [a for k, a in enumerate(choices) if plan[first + k] > NOISE]
        return found


class PrivateBeliefs:
    def __init__(self, search: AndOrSearch) -> None:
        self.search, self.beliefs, self.player = search, search.beliefs, search.player

    def worlds_left(self, turn: PrivateTurn, failed: Failed) -> np.ndarray:
        if not failed:
            return turn.worlds
        found = turn.left.get(failed)
        if found is None:
            found = self.beliefs.split(turn.own, self.worlds_left(turn, failed[:-1]), failed[-1]).illegal
            turn.left[failed] = found
        return found

    def is_sure_win(self, turn: PrivateTurn, failed: Failed) -> bool:
        if failed not in turn.sure:
            turn.sure[failed] = self.search.is_sure_win(turn.own, self.worlds_left(turn, failed))
        return turn.sure[failed]

    def after(self, turn: PrivateTurn, failed: Failed, cell: int) -> PrivateTurn:
        found = turn.next.get((failed, cell))
        if found is None:
            going = self.beliefs.split(turn.own, self.worlds_left(turn, failed), cell).going
            worlds, _ = self.beliefs.after_answer(turn.own | 1 << cell, going)
            found = turn.next[failed, cell] = PrivateTurn(turn.own | 1 << cell, worlds, turn.depth + 1)
        return found

    def tries(self, turn: PrivateTurn, failed: Failed) -> list[int]:
        """Return the tries to consider: a dominating one alone (Lemma 3), else all that may be legal."""
        tally = self.beliefs.tally(turn.own, self.worlds_left(turn, failed))
        dominating = dominating_try(tally)
        if dominating is not None:
            return [dominating]
        return [cell for cell, (_, going, wins, _) in enumerate(tally) if going + wins]


class Relaxation:
    """The guarantees of one player on a board without draws, by relaxed games; cached by belief."""

    def __init__(
        self, board: Board, player: int, widths: Widths = ALL, turns: int = 1, check: Callable[[], None] = lambda: None
    ) -> None:
        """Set up the search; `check` is called repeatedly, and raises when no time is left."""
        self.board, self.player, self.widths, self.turns, self.check = board, player, widths, turns, check
        self.searches = [AndOrSearch(board, 0), AndOrSearch(board, 1)]
        self.search = self.searches[player]
        self.beliefs: Beliefs = self.search.beliefs
        self.sides = (PrivateBeliefs(self.search), PrivateBeliefs(self.searches[1 - player]))
        self.known: dict[tuple[int, bytes], float] = {}
        # The same by own stones, to search for beliefs with more worlds.
        self.larger: dict[int, dict[frozenset[int], float]] = {}
        self.largest = 0  # the histories of the largest relaxed game so far
        self._exposed: dict[tuple[int, int], bool] = {}

    def is_exposed(self, own: int, world: int) -> bool:
        """True if the opponent wins for sure by seeing the board now, before the planner's unseen move."""
        found = self._exposed.get((own, world))
        if found is None:
            illegal, wins = self.beliefs.look(self.player, own, world)
            moves = unseen_moves(own, illegal, self.board.cells)
            found = self._exposed[own, world] = not wins and self.searches[1 - self.player].is_sure_win(world, moves)
        return found

    def hopeful_worlds(self, own: int, worlds: np.ndarray) -> np.ndarray:
        return worlds[[not self.is_exposed(own, world) for world in worlds.tolist()]]

    def guarantee(self, own: int, worlds: np.ndarray) -> float:
        return run_to_end(self.steps(own, worlds))

    def steps(self, own: int, worlds: np.ndarray) -> Generator[None, None, float]:
        """Return the guarantee of a belief; yield before every relaxed game, whose result stays cached."""
        if not len(worlds) or self.search.is_sure_win(own, worlds):
            return 1.0
        own, worlds, _ = self.search.canonical(own, worlds)
        if (own, worlds.tobytes()) not in self.known:
            yield
            hopeless = len(self.hopeful_worlds(own, worlds)) < len(worlds)
            worth = 0.0 if hopeless else (yield from self.solve(self.relaxed_game(own, worlds)))
            self.learn(own, worlds, worth)
        return self.worth(own, worlds)

    def learn(self, own: int, worlds: np.ndarray, worth: float) -> None:
        self.known[own, worlds.tobytes()] = worth
        if worth:
            self.larger.setdefault(own, {})[frozenset(worlds.tolist())] = worth

    def best(self, own: int, worlds: np.ndarray) -> np.ndarray:
        """Return the worlds of the best known belief that contains this one, both in canonical form.

        A guarantee in more worlds holds in fewer; a restricted planner may find a better one for the larger belief.
        """
        worth, chosen, mine = self.known.get((own, worlds.tobytes()), 0.0), worlds, None
        for more, found in self.larger.get(own, {}).items():
            if found > worth + NOISE and len(more) > len(worlds):
                mine = mine or frozenset(worlds.tolist())
                if mine < more:
                    worth, chosen = found, np.array(sorted(more), np.int64)
        return chosen

    def worth(self, own: int, worlds: np.ndarray) -> float:
        """Return the known guarantee of a belief in canonical form, or of a larger one."""
        return self.known.get((own, self.best(own, worlds).tobytes()), 0.0)

    def solve(self, game: RelaxedGame) -> Generator[None, None, float]:
        """Return the value of a relaxed game; assumptions are evaluated when the planner would make them."""
        worths: list[float | None] = [None] * len(game.assumed)
        self.largest = max(self.largest, game.histories)
        while len(game.payoffs):
            self.check()
            found = equilibrium(game.form([1.0 if worth is None else worth for worth in worths]))
            unknown = [a for a in game.used_assumptions(found.behaviours[0]) if worths[a] is None]
            if found.value < NOISE or not unknown:
                return min(max(found.lower, 0.0), 1.0)
            for a in unknown:
                worths[a] = yield from self.steps(*game.assumed[a])
        return 0.0

    def worths(self, game: RelaxedGame) -> list[float]:
        return [
            1.0 if self.search.is_sure_win(*belief) else self.worth(*self.search.canonical(*belief)[:2])
            for belief in game.assumed
        ]

    def promising_tries(self, turn: PrivateTurn, failed: Failed) -> list[int]:
        """Return the planner's tries: those that keep most worlds won with perfect information, limited by `widths`."""
        side = self.sides[PLANNER]
        tries, worlds = side.tries(turn, failed), side.worlds_left(turn, failed)
        width = next(width for most, width in self.widths if len(worlds) <= most)
        if len(tries) <= width:
            return tries
        score = dict.fromkeys(tries, 0.0)
        outcome, look, opponent = self.search.perfect.outcome, self.beliefs.look, 1 - self.player
        for world in worlds.tolist():
            illegal, wins = look(self.player, turn.own, world)
            for cell in tries:
                if (wins >> cell) & 1:
                    score[cell] += 1
                elif (illegal >> cell) & 1:
                    score[cell] += FAILS
                elif outcome(opponent, world, turn.own | 1 << cell) == LOST:
                    score[cell] += 1
                elif not look(opponent, world, turn.own | 1 << cell)[1]:
                    score[cell] += SURVIVES
        return sorted(sorted(tries, key=lambda cell: -score[cell])[:width])

    def relaxed_game(
        self,
        own: int,
        worlds: np.ndarray,
        turns: int | None = None,
        tries: Tries | None = None,
        assumptions: Assumptions | None = None,
    ) -> RelaxedGame:
        """Return the relaxed game from a belief on: all histories of `turns` turns with the planner's chosen tries."""

        def assume_hopeful(turn: PrivateTurn) -> list[np.ndarray]:
            return [self.hopeful_worlds(turn.own, turn.worlds)]

        walk = _Walk(self, turns or self.turns, tries or self.promising_tries, assumptions or assume_hopeful)
        return walk.build(own, worlds)


def solve_informed_once(board: Board, player: int, own: int, worlds: np.ndarray) -> tuple[ExactBounds, RelaxedGame]:
    """Return the exact value for the player if the opponent sees the board now and never again; and the game."""
    game = Relaxation(board, player).relaxed_game(own, worlds, board.cells)
    form = game.form([])
    found = equilibrium(form)
    return exact_bounds(form, found.primal_player, found.point), game


def unseen_moves(own: int, barred: int, cells: int) -> np.ndarray:
    """Return the sets of stones that a player may have after one more stone, not on a barred cell."""
    return np.array(sorted(own | 1 << cell for cell in range(cells) if not (barred >> cell) & 1), np.int64)


# Treeplexes numbered by a traversal of the histories of a small game, as it reaches their infosets.

Key = TypeVar("Key", bound=Hashable)
Entry = TypeVar("Entry")


class TreeplexBuilder(Generic[Key]):
    """The infosets of one player, by the player's knowledge, in the order of their first visit."""

    def __init__(self) -> None:
        self.numbers: dict[Key, int] = {}
        self.choices: list[list[int]] = []
        self.first: list[int] = []
        self._parent: list[int] = []
        self._sequences = 1

    def infoset(self, known: Key, sequence: int, choices: Callable[[], list[int]]) -> int:
        """Return the number of an infoset; a new one continues the sequence, and has an action even without choices."""
        number = self.numbers.setdefault(known, len(self._parent))
        if number == len(self._parent):
            self._parent.append(sequence)
            self.first.append(self._sequences)
            self.choices.append(choices())
            self._sequences += max(len(self.choices[-1]), 1)
        return number

    @property
    def treeplex(self) -> Treeplex:
        count = [max(len(choices), 1) for choices in self.choices]
        return Treeplex(*(np.array(column, np.int64) for column in (self._parent, self.first, count)))


def with_entry(pair: tuple[Entry, Entry], player: int, entry: Entry) -> tuple[Entry, Entry]:
    return (entry, pair[1]) if player == 0 else (pair[0], entry)


class _Walk:
    """A traversal of the histories of a relaxed game that numbers infosets and sequences at the first visit."""

    def __init__(self, owner: Relaxation, turns: int, tries: Tries, assumptions: Assumptions) -> None:
        self.owner, self.turns, self.tries, self.assumptions = owner, turns, tries, assumptions
        self.treeplexes = TreeplexBuilder[Infoset](), TreeplexBuilder[Infoset]()
        self.assumed: list[tuple[int, np.ndarray]] = []
        self.members: list[frozenset[int]] = []
        self.payoffs: list[tuple[int, int, int]] = []

    def build(self, own: int, worlds: np.ndarray) -> RelaxedGame:
        root = PrivateTurn(own, worlds, 0)

        def informed(world: int) -> PrivateTurn:
            """Return the opponent's first turn: it saw the planner's stones, but not the planner's next move."""
            illegal, wins = self.owner.beliefs.look(self.owner.player, own, world)
            return PrivateTurn(world, unseen_moves(own, illegal | wins, self.owner.board.cells), 0)

        primal_player, opponent = self.treeplexes
        chooses_world = opponent.infoset((root, ()), 0, lambda: list(range(len(worlds))))
        waiting: list[History] = [
            (PLANNER, (root, informed(world)), (), (0, sequence))
            for sequence, world in enumerate(worlds.tolist(), opponent.first[chooses_world])
        ]
        histories = 0
        while waiting:
            if histories % LOOK == 0:
                self.owner.check()
            histories += 1
            waiting += self._continuations(*waiting.pop())
        payoffs = np.array(self.payoffs, np.int64).reshape(-1, 3)
        treeplexes = primal_player.treeplex, opponent.treeplex
        return RelaxedGame(
            primal_player.numbers, primal_player.choices, self.turns, treeplexes, payoffs, self.assumed, histories
        )

    def _continuations(
        self, who: int, turns: tuple[PrivateTurn, PrivateTurn], failed: Failed, sequences: tuple[int, int]
    ) -> list[History]:
        """Return the histories after any try of the player to move; record the payoffs of those that end."""
        side, turn, other = self.owner.sides[who], turns[who], turns[1 - who].own
        if side.is_sure_win(turn, failed):
            if who == PLANNER:
                self.payoffs.append((*sequences, WIN))
            return []
        at_end = who == PLANNER and turn.depth >= self.turns
        treeplex = self.treeplexes[who]
        infoset = treeplex.infoset((turn, failed), sequences[who], lambda: self._choices(who, turn, failed, at_end))
        illegal, wins = (0, 0) if at_end else self.owner.beliefs.look(side.player, turn.own, other)
        found: list[History] = []
        for sequence, choice in enumerate(treeplex.choices[infoset], treeplex.first[infoset]):
            chosen = with_entry(sequences, who, sequence)
            if at_end:
                if other in self.members[choice]:
                    self.payoffs.append((*chosen, choice))
            elif (wins >> choice) & 1:
                if who == PLANNER:
                    self.payoffs.append((*chosen, WIN))
            elif (illegal >> choice) & 1:
                found.append((who, turns, (*failed, choice), chosen))
            else:
                found.append((1 - who, with_entry(turns, who, side.after(turn, failed, choice)), (), chosen))
        return found

    def _choices(self, who: int, turn: PrivateTurn, failed: Failed, at_end: bool) -> list[int]:
        if who == OPPONENT:
            return self.owner.sides[OPPONENT].tries(turn, failed)
        if not at_end:
            return self.tries(turn, failed)
        first = len(self.assumed)
        for worlds in self.assumptions(turn):
            if len(worlds):
                self.assumed.append((turn.own, worlds))
                self.members.append(frozenset(worlds.tolist()))
        return list(range(first, len(self.assumed)))
