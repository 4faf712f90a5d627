"""Beliefs of a player at any game: weighted states that reproduce every view it has had, from the rules alone.

While the states that fit are few, all of them are enumerated with exact probabilities. Beyond that they are particles:
hidden actions are drawn one view ahead (`particles`), weights are watched by their effective sample size, systematic
resampling (Kitagawa 1996) follows where it is low, and where few states are left they are rejuvenated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..core.agents import ALONE, MIXED, Agent, ParametricPolicy
from ..core.behaviour_policy import BehaviourPolicy, InformationState
from ..core.compile.kernel import Kernel, compiled
from ..core.game import CHOOSE, UNIFORM, Game, new_cells
from ..core.rng import child, random_unit, split
from ..core.session import Session, view_of
from ..core.simulate import compile_rules
from . import particles
from .particles import DRAWN, LEARNED, PAST, SLIP, TABLE_ONLY, TREMBLE, WAITS, Nodes

MAX_EXACT = 20_000  # states that are enumerated at most
EXACT_CELLS = 1 << 22  # cells of their arrays
LEAST = 0.5  # share of the particles below which the effective sample size calls for resampling
FEW = 1 / 8  # share of distinct states below which they are rejuvenated
REDRAWN = 64  # states redrawn by the game's `resample` in one rejuvenation: each is a call of Python
# States that are mended at once where none fits, swaps of hidden cells of each, and rounds.
MENDED, SWAPS, CLIMBS = 128, 4000, 4
SHUFFLES = 16  # redrawn states that show which cells are hidden
ATTEMPTS, MORE = 2, 4  # replays in vain after which a belief stays lost, and the factor of particles in each
REPLAY_WORK = 50_000_000  # actions tried by a replay: some ten seconds; a longer one is not begun
LONGEST_PAST = 256  # own actions of an opponent whose policy is a table


def new_nodes(rows: int, entries: int) -> Nodes:
    """Return an empty table of information states; the number of rows is a power of two."""
    counters, places = np.array([0, 0, -1], np.int64), np.full(2 * rows, -1, np.int64)
    return Nodes(counters, places, np.zeros((rows, 4), np.int64), np.zeros((entries, 4)))


def clear(nodes: Nodes) -> None:
    nodes.counters[:2] = 0
    nodes.places[:] = -1


class Known(NamedTuple):
    """A known opponent: a compiled strategy with its plans, or the table of a policy, filled on demand."""

    kind: int
    choose: Kernel
    plans: np.ndarray
    weights: tuple[float, ...]
    policy: BehaviourPolicy | None


def known_opponent(agent: Agent) -> Known | None:
    """Return the model of an agent whose action probabilities can be asked for; None for any other."""
    if isinstance(agent, ParametricPolicy) and agent.selection in (ALONE, MIXED):
        plans = np.array([agent.strategy.plan_for(theta) for theta in agent.thetas])
        return Known(DRAWN, agent.strategy.choose, plans, agent.weights or (1.0,), None)
    if isinstance(agent, BehaviourPolicy):
        return Known(TABLE_ONLY, UNIFORM.choose, np.zeros((1, 1)), (1.0,), agent)
    return None


class Opponent:
    """The opponent's model in a belief or a search: known, or learned by the search of the player."""

    def __init__(self, game: Game, side: int, known: Known | None, nodes: Nodes | None = None):
        self.game, self.side, self.known = game, side, known
        kind = LEARNED if known is None else known.kind
        tremble = TREMBLE if known is None else SLIP
        self.choose = compiled(known.choose if known else UNIFORM.choose, CHOOSE)
        plans = known.plans if known else np.zeros((1, 1))
        self.members = known.weights if known else (1.0,)
        weighted = int(game.rules.weights is not None)
        self.model = particles.Model(kind, 1 - side, weighted, tremble, particles.DRAWS, plans)
        self.nodes = nodes or new_nodes(1 << 16 if kind == TABLE_ONLY else 1, 1 << 20 if kind == TABLE_ONLY else 1)
        self.past_cells = LONGEST_PAST + PAST if kind == TABLE_ONLY else PAST

    def answer(self, room: particles.Room) -> None:
        """Write the probabilities of the information state that the table lacks."""
        assert self.known is not None and self.known.policy is not None
        cells, who = self.game.sizes.view, 1 - self.side
        view, past = room.missing[:cells].copy(), room.missing[cells:].copy()
        actions = room.actions[: self.nodes.counters[particles.ASKED]].tolist()
        own = tuple(past[PAST : PAST + int(past[0])].tolist())
        shares = self.known.policy.action_probabilities(InformationState(self.game, who, view, actions, own))
        if self.nodes.counters[particles.USED] + 1 >= len(self.nodes.rows):
            clear(self.nodes)
        row = particles.find_row(self.nodes, particles.past_key(view, who, past), len(actions), True)
        first = self.nodes.rows[row, particles.FIRST]
        self.nodes.numbers[first : first + len(actions), particles.AVERAGE] = [float(share) for share in shares]


def new_room(game: Game, past_cells: int, seed: int) -> particles.Room:
    sizes = game.sizes
    view, actions, odds = (new_cells(count) for count in (sizes.view, sizes.actions, sizes.actions))
    missing = new_cells(sizes.view + past_cells)
    stream = np.array([child(seed)], np.uint64)
    return particles.Room(view, actions, odds, np.zeros(sizes.actions), new_cells(sizes.state), stream, missing)


@dataclass
class Heard:
    """A step between two views of a player: its own action there, or WAITS, and the next view."""

    action: int
    before: np.ndarray
    after: np.ndarray


@dataclass(eq=False)
class Belief:
    """The belief of one seat in one game; `hear` its actions and views, then `settle` before it is read.

    `lost` is true if no state reproduces the views: the player must not act as if there were one. `redrawn` counts
    states that `resample` of the game has replaced, whose distribution is that of the game's own resampler.
    """

    game: Game
    side: int
    opponent: Opponent
    size: int
    seed: int
    exact: bool = True
    lost: bool = False
    redrawn: int = 0
    log_evidence: float = 0.0  # log of the probability of all views, given the own actions; -inf once redrawn
    heard: list[Heard] = field(default_factory=list)
    done: int = 0  # steps of `heard` that the states have followed

    def __post_init__(self) -> None:
        self._rules = compile_rules(self.game)
        self.room = new_room(self.game, self.opponent.past_cells, self.seed)
        self.most_exact = max(min(MAX_EXACT, 16 * self.size, EXACT_CELLS // self.game.sizes.state), 64)
        self._due, self._draws = WAITS, 0
        self.view = view_of(self.game, Session(self.game).state, self.side)
        self._replays = 0
        self._restart(self.seed, self.size)

    def _restart(self, seed: int, count: int) -> None:
        """Put the states at the start of the game, one for each plan of the opponent; `count` of them later."""
        self._count = count
        plans = len(self.opponent.members)
        self.states = np.repeat(Session(self.game).state[None], plans, axis=0)
        self.pasts = np.zeros((plans, self.opponent.past_cells), np.int64)
        self.members = np.arange(plans)
        self.masses = np.array(self.opponent.members, np.float64)
        self._stream = np.array([child(seed)], np.uint64)
        self.exact, self.lost, self.done, self.log_evidence = True, False, 0, 0.0

    def act(self, action: int) -> None:
        """Note the player's own action, whose effect on its view follows by `hear`."""
        if self._due != WAITS:  # the last action has left the view as it was
            self.heard.append(Heard(self._due, self.view, self.view))
        self._due = action

    def hear(self, seen: np.ndarray) -> None:
        """Note a new view of the player."""
        if not np.array_equal(seen, self.view):
            self.heard.append(Heard(self._due, self.view, seen.copy()))
            self.view, self._due = self.heard[-1].after, WAITS

    def settle(self, seen: np.ndarray) -> None:
        """Lead all states to the present view, where the player must move; rejuvenate or replay a lost belief."""
        self.hear(seen)
        if self._due != WAITS:
            self.heard.append(Heard(self._due, self.view, self.view))
            self._due = WAITS
        self._catch_up()
        while self.lost and self._replays < ATTEMPTS:
            self._replays += 1
            size = self.size * MORE**self._replays
            if size * len(self.heard) * self.game.sizes.actions > REPLAY_WORK:
                self._replays = ATTEMPTS
                break
            self._restart(int(child(self.seed, self._replays, len(self.heard))), size)
            self._catch_up()
        if not self.lost:
            self._replays = 0

    def _catch_up(self) -> None:
        while self.done < len(self.heard) and not self.lost:
            step = self.heard[self.done]
            if step.action != WAITS:  # hidden actions come first, until it is the player's turn
                self._advance(WAITS, step.before, step.before, True)
            if self.lost:
                return
            # An action that changes no view ends where the player must move again.
            self._advance(step.action, step.before, step.after, np.array_equal(step.before, step.after))
            self.done += 1
        if not self.lost:
            self._advance(WAITS, self.view, self.view, True)

    def _advance(self, action: int, before: np.ndarray, after: np.ndarray, settles: bool) -> None:
        self._draws += 1
        seed = np.uint64(split(self._stream[0], self._draws))
        step = particles.Step(self.side, action, seed, before, after, int(settles))
        old = float(self.masses.sum())
        if not (self.exact and self._branch(step)):
            if self.exact:
                self.exact = False
                self._resample(self._count)
            old_states = self.states.copy(), self.pasts.copy(), self.members.copy(), self.masses.copy()
            self._draw(step)
            if not self.masses.any():
                self._mend(step, old_states)
        total = float(self.masses.sum())
        self.lost = not total > 0
        if self.lost:
            return
        self.log_evidence += float(np.log(total / old))
        self.masses /= total
        if not self.exact:
            left = self.masses > 0
            if int(left.sum()) < FEW * self._count:
                self._resample(self._count)
                self._redraw()
            elif 1.0 / float((self.masses**2).sum()) < LEAST * len(self.masses):
                self._resample(self._count)

    def _arguments(self, step: particles.Step) -> tuple[object, ...]:
        model = self.opponent
        return (*self._rules, model.choose, model.model, model.nodes, step, self.room)

    def _branch(self, step: particles.Step) -> bool:
        """Enumerate the successors of all states; False if they are too many."""
        count, most = len(self.masses), self.most_exact
        old = self.states, self.pasts, self.members, self.masses
        rows = max(64, 4 * count)
        while True:
            rows = min(rows, most)
            if count >= rows:
                return False
            new = [np.empty((rows, *array.shape[1:]), array.dtype) for array in old]
            for array, whole in zip(old, new, strict=True):
                whole[:count] = array
            found = particles.branch(*self._arguments(step), *new, count)
            if found >= 0:
                self.states, self.pasts, self.members, self.masses = (array[:found].copy() for array in new)
                self._merge()
                return True
            if found == -2:
                self.opponent.answer(self.room)
            elif rows == most:
                return False
            else:
                rows *= 8

    def _merge(self) -> None:
        """Add up the masses of equal states, which different orders of hidden actions lead to."""
        if len(self.masses) < 2:
            return
        rows = np.column_stack([self.states, self.pasts, self.members])
        keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).reshape(-1)
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        if len(first) < len(rows):
            self.masses = np.bincount(place.reshape(-1), self.masses, len(first)).astype(np.float64)
            self.states, self.pasts, self.members = self.states[first], self.pasts[first], self.members[first]

    def _draw(self, step: particles.Step) -> None:
        before = (self.states.copy(), self.pasts.copy()) if self.opponent.known else None
        at = 0
        while True:
            arrays = self.states, self.pasts, self.members, self.masses
            at = particles.draw_steps(*self._arguments(step), *arrays, at)
            if at < 0:
                return
            assert before is not None
            self.states[at], self.pasts[at] = before[0][at], before[1][at]
            self.opponent.answer(self.room)

    def _resample(self, count: int) -> None:
        """Draw states in proportion to their weights, systematically: each as often as expected, up to rounding."""
        points = (np.arange(count) + random_unit(self._stream)) / count * self.masses.sum()
        chosen = np.minimum(np.searchsorted(np.cumsum(self.masses), points, side="right"), len(self.masses) - 1)
        while (wrong := self.masses[chosen] <= 0).any():  # rounding at the end of the sums
            chosen[wrong] -= 1
        self.states, self.pasts, self.members = (a[chosen].copy() for a in (self.states, self.pasts, self.members))
        self.masses = np.full(count, 1.0 / count)

    def _redraw(self) -> None:
        """Replace duplicates by states of the game's own resampler, which knows the structure of what is hidden."""
        if self.game.resample is None or self.opponent.model.kind == TABLE_ONLY:
            return
        _, first = np.unique(self.states, axis=0, return_index=True)
        copies = np.setdiff1d(np.arange(len(self.states)), first)
        for at in copies[:: max(1, len(copies) // REDRAWN)][:REDRAWN]:
            self.states[at] = self.game.resample(self.states[at], self.side, self._stream)
            self.redrawn += 1

    def _mend(self, step: particles.Step, before: tuple[np.ndarray, ...]) -> None:
        """Replace the states before a step, none of which fits the next view, by others with the same views.

        The game's own `resample` draws them. If none of these fits either, and what is hidden is the order of some
        cells (cards face down), cells are swapped until the step leads to the view.
        """
        game = self.game
        if game.resample is None or self.opponent.model.kind == TABLE_ONLY:
            return
        alive = before[3] > 0
        rows = np.resize(np.flatnonzero(alive), MENDED)
        self.states, self.pasts, self.members = (array[rows] for array in before[:3])
        for at in range(MENDED):
            self.states[at] = game.resample(self.states[at], self.side, self._stream)
        drawn, self.masses = self.states.copy(), np.full(MENDED, 1.0 / MENDED)
        self._draw(step)
        if not self.masses.any():
            shuffled = np.array([game.resample(drawn[0], self.side, self._stream) for _ in range(SHUFFLES)])
            hidden = np.flatnonzero((shuffled != drawn[0]).any(axis=0))
            if not len(hidden) or (np.sort(shuffled[:, hidden]) != np.sort(drawn[0, hidden])).any():
                return
            for round_ in range(CLIMBS):
                self.states, self.pasts = drawn.copy(), before[1][rows]
                arrays = self.states, self.pasts, self.members, self.masses
                again = step._replace(seed=np.uint64(split(step.seed, round_)))
                if particles.climb(*self._arguments(again), *arrays, hidden, SWAPS):
                    break
        self.redrawn += int((self.masses > 0).sum())
        self.log_evidence = -np.inf  # the resampler does not give the probability of the views

    @property
    def distribution(self) -> list[tuple[np.ndarray, float]]:
        """The distinct states with their probabilities, the most probable first."""
        rows, at = np.unique(self.states, axis=0, return_inverse=True)
        shares = np.bincount(at.reshape(-1), self.masses, len(rows))
        order = np.argsort(-shares, kind="stable")
        return [(rows[i], float(shares[i])) for i in order if shares[i] > 0]


def follow_game(game: Game, record: Sequence[int], side: int, belief: Belief) -> Belief:
    """Let a belief hear a recorded game up to a decision of its player, and settle there."""
    session = Session(game)
    for action in record:
        if session.mover == side:
            belief.act(action)
        session.apply(action)
        belief.hear(session.view(side))
    belief.settle(session.view(side))
    return belief
