"""The coach: the cost of a move against an opponent whose probabilities are known, and the better move.

The coach uses only the player's information and the opponent's strategy, never the hidden state. The opponent is the
certified solution of the game, where one is shipped with the package, else the actual opponent.

A best response is found from the rules, without a tree. A situation of the player is the set of worlds that fit its
knowledge: states with the opponent's own actions, each with the probability that the opponent and chance contribute. An
action is applied to every world, the worlds are followed to the player's next views, and the best value of each of
these situations is added up. Situations with the same worlds have the same value, however they came about: after the
failed tries 3, 5 and 5, 3 at phantom tic-tac-toe, for example.
"""

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...core.agents import Agent, PlayerAgent
from ...core.behaviour_policy import BehaviourPolicy, InformationState, MissingState, uniform_probabilities
from ...core.game import CHANCE, OVER, Game, known_game, new_cells
from ...core.rng import random_below, stream_of
from ...core.session import Session, actions_in, view_of
from ..known_values import shipped_solution
from ..proofs import certificate_agent, read_certificate
from .exploitability import behaviour_mixture

MAX_STEPS = 500_000  # actions applied for one decision: two to three seconds
QUERY_STEPS = 20  # a query of the opponent's policy takes as long as this many
MAX_DEPTH = 150  # own decisions from now to the end of a game; each is two calls of Python
MAX_KNOWN = 1 << 16  # reviews that are kept
CERTIFIED = "the certified solution"
NOTICED = 1e-9  # losses below this are rounding
PROBES, HOPELESS = 16, 1000  # random games that estimate the own decisions, and how many more than steps are too many
DIGITS = 12  # to which probabilities of equal situations agree
SLIP = 1e-3  # share of uniform play in the opponent's past, where its policy never leads to a view


class World(NamedTuple):
    """A state that fits the player's knowledge, and what the opponent's policy needs to know."""

    state: np.ndarray
    member: int  # the policy that the opponent has drawn, if it is a mixture
    history: tuple[int, ...]  # the opponent's own actions


Place = tuple[bytes, int, tuple[int, ...]]  # a world as a key
Situation = dict[Place, tuple[World, float]]  # the worlds of a player at a decision, each with its probability


class TooManySteps(Exception):
    """The game from a situation on is too large to be searched."""


class Costs(NamedTuple):
    """Mean costs of the actions at a decision, and their values; `erred` if only an opponent's error leads there."""

    by_action: dict[int, float]
    erred: bool
    worths: dict[int, float]  # the player's mean payoffs, with a best response after the action


class MoveReview(NamedTuple):
    """Mean cost of one decision, given the player's knowledge, and the best alternative; None if not computed."""

    state: InformationState
    action: int
    best: int | None
    cost: float | None
    erred: bool  # true if only an error of the opponent leads there
    followed: bool = True  # true if all worlds that fit could be listed

    @property
    def sentence(self) -> str:
        label = self.state.game.label
        if self.cost is None or self.best is None:
            return f"{label(self.action)}: too much of the game lies ahead for an exact cost"
        after = " after an error of the opponent" if self.erred else ""
        if self.cost <= NOTICED:
            return f"{label(self.action)} was as good as anything{after}"
        return f"{label(self.action)} cost {self.cost:.3g} on average{after}; better was {label(self.best)}"

    def to_json(self) -> dict[str, Any]:
        label = self.state.game.label
        words = {"seen": self.state.line, "action": label(self.action)}
        best = None if self.best is None else label(self.best)
        return words | {"best": best, "cost": self.cost, "sentence": self.sentence}


class Coach:
    """Values of every action of one seat against one opponent."""

    def __init__(self, game: Game, side: int, opponent: Agent, against: str):
        self.game, self.side, self.against = game, side, against
        self._law = behaviour_mixture(game, opponent)
        self._reviews: dict[tuple[Any, ...], MoveReview] = {}

    def advise(self, decisions: Sequence[tuple[np.ndarray, int]]) -> list[MoveReview]:
        """Return a review of each decision of a game so far: the view, and the action taken there."""
        path, found = tuple((seen.tobytes(), action) for seen, action in decisions), list[MoveReview]()
        followed = True
        for count, (seen, action) in enumerate(decisions, 1):
            if path[:count] not in self._reviews:
                if len(self._reviews) == MAX_KNOWN:
                    self._reviews.clear()
                self._reviews[path[:count]] = self._review(decisions[: count - 1], seen, action, followed)
            found.append(self._reviews[path[:count]])
            followed = found[-1].followed
        return found

    def costs(
        self, decisions: Sequence[tuple[np.ndarray, int]], seen: np.ndarray, most: int = MAX_STEPS
    ) -> Costs | None:
        """Return the mean cost of each action at a view after these decisions; None if too much lies ahead."""
        search = BestResponse(self.game, self.side, self._law, most)
        try:
            return search.costs(*search.situation(decisions, seen))
        except TooManySteps:
            return None

    def _review(
        self, decisions: Sequence[tuple[np.ndarray, int]], seen: np.ndarray, action: int, followed: bool
    ) -> MoveReview:
        """Review a decision; if an earlier one could not be `followed` from the start, no later one can."""
        search, costs, found = BestResponse(self.game, self.side, self._law, MAX_STEPS), None, None
        try:
            found = search.situation(decisions, seen) if followed else None
        except TooManySteps:
            followed = False
        if found is not None:
            with suppress(TooManySteps):
                costs = search.costs(*found)
        own = tuple(action for _, action in decisions)
        if costs is None:
            state = InformationState(self.game, self.side, seen, (action,), own)
            return MoveReview(state, action, None, None, False, followed)
        state = InformationState(self.game, self.side, seen, list(costs.by_action), own)
        best = min(costs.by_action, key=costs.by_action.__getitem__)
        return MoveReview(state, action, best, costs.by_action[action], costs.erred, followed)


class BestResponse:
    """Search for a best response from one situation; it starts with nothing known, so its result depends on that alone.

    `most` limits the actions that are applied.
    """

    def __init__(self, game: Game, side: int, law: Sequence[tuple[Fraction, BehaviourPolicy]], most: int):
        self.game, self.side, self._law = game, side, law
        sign = 1 if side == 0 else -1
        self._payoffs = [sign * float(payoff) for payoff in game.payoffs]
        self._shares: dict[tuple[int, tuple[int, ...], bytes], list[tuple[int, float]]] = {}
        self._values: dict[frozenset[tuple[Place, float]], float] = {}
        self._left = most

    def situation(self, decisions: Sequence[tuple[np.ndarray, int]], seen: np.ndarray) -> tuple[Situation, bool]:
        """Return the worlds at a view after these decisions, and whether only an error of the opponent leads there."""
        found = self._worlds(decisions, seen, 0.0)
        if found is not None:
            return found, False
        found = self._worlds(decisions, seen, SLIP)
        if found is None:
            raise MissingState(f"no state of {self.game.name} gives this view after these decisions")
        return found, True

    def costs(self, situation: Situation, erred: bool) -> Costs:
        """Return the costs of all actions in a situation."""
        if self._is_hopeless(situation):
            raise TooManySteps
        values = {action: self._after(situation, action, 0) for action in self._actions(situation)}
        likely, best = sum(weight for _, weight in situation.values()), max(values.values())
        costs = {action: (best - value) / likely for action, value in values.items()}
        return Costs(costs, erred, {action: value / likely for action, value in values.items()})

    def _is_hopeless(self, situation: Situation) -> bool:
        """True if random play estimates far more own decisions than can be searched (Knuth 1975)."""
        stream, worlds, total = stream_of(PROBES), list(situation.values()), 0.0
        for probe in range(PROBES):
            world, paths, depth = worlds[probe * len(worlds) // PROBES][0], 1.0, 0
            while (mover := int(self.game.rules.mover(world.state))) != OVER:
                if mover == self.side:
                    listed = [int(action) for action in actions_in(self.game, world.state)]
                    paths, depth = paths * len(listed), depth + 1
                else:
                    replies = self._outcomes(world.state) if mover == CHANCE else self._replies(world, 0.0)
                    listed = [action for action, _ in replies]
                if depth > MAX_DEPTH or paths > PROBES * HOPELESS * MAX_STEPS:
                    return True
                action = listed[int(random_below(stream, len(listed)))]
                history = (*world.history, action) if mover == 1 - self.side else world.history
                world = world._replace(state=self._next(world.state, action), history=history)
            total += paths / PROBES
        return total > HOPELESS * MAX_STEPS

    def _worlds(self, decisions: Sequence[tuple[np.ndarray, int]], seen: np.ndarray, slip: float) -> Situation | None:
        """Return the worlds at a view after these decisions, weighted by the opponent and chance alone.

        With a probability of `slip` the opponent has made each of its choices at random. None if no world fits.
        """
        start = Session(self.game).state
        worlds = [(World(start.copy(), member, ()), float(weight)) for member, (weight, _) in enumerate(self._law)]
        for before, action in decisions:
            situation = self._settled(worlds, slip)[1].get(before.tobytes())
            if situation is None:
                return None
            worlds = self._applied(situation, action)
        return self._settled(worlds, slip)[1].get(seen.tobytes())

    def _actions(self, situation: Situation) -> list[int]:
        world, _ = next(iter(situation.values()))
        return [int(action) for action in actions_in(self.game, world.state)]

    def _best(self, situation: Situation, depth: int) -> float:
        """Return the value of a best response from a situation on, weighted as the situation is."""
        likely = sum(weight for _, weight in situation.values())
        key = frozenset((place, round(weight / likely, DIGITS)) for place, (_, weight) in situation.items())
        if key not in self._values:
            if depth > MAX_DEPTH:
                raise TooManySteps
            best = max(self._after(situation, action, depth) for action in self._actions(situation))
            self._values[key] = best / likely
        return self._values[key] * likely

    def _after(self, situation: Situation, action: int, depth: int) -> float:
        ended, following = self._settled(self._applied(situation, action))
        return ended + sum(self._best(after, depth + 1) for after in following.values())

    def _applied(self, situation: Situation, action: int) -> list[tuple[World, float]]:
        found = []
        for world, weight in situation.values():
            found.append((world._replace(state=self._next(world.state, action)), weight))
        return found

    def _count(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise TooManySteps

    def _next(self, state: np.ndarray, action: int) -> np.ndarray:
        self._count(1)
        after = state.copy()
        self.game.rules.apply(after, action)
        return after

    def _settled(self, worlds: list[tuple[World, float]], slip: float = 0.0) -> tuple[float, dict[bytes, Situation]]:
        """Follow worlds to the player's next decision: the payoff of those that end, the others by the view."""
        rules, ended, situations = self.game.rules, 0.0, dict[bytes, Situation]()
        while worlds:
            world, weight = worlds.pop()
            mover = int(rules.mover(world.state))
            if mover == OVER:
                ended += weight * self._payoffs[int(rules.score(world.state))]
            elif mover == self.side:
                situation = situations.setdefault(view_of(self.game, world.state, self.side).tobytes(), {})
                place = world.state.tobytes(), world.member, world.history
                before = situation[place][1] if place in situation else 0.0
                situation[place] = world, before + weight
            else:
                chance = mover == CHANCE
                for action, share in self._outcomes(world.state) if chance else self._replies(world, slip):
                    history = world.history if chance else (*world.history, action)
                    after = world._replace(state=self._next(world.state, action), history=history)
                    worlds.append((after, weight * share))
        return ended, situations

    def _outcomes(self, state: np.ndarray) -> list[tuple[int, float]]:
        actions, weights = actions_in(self.game, state), None
        if self.game.rules.weights is not None:
            weights = new_cells(self.game.sizes.actions)
            self.game.rules.weights(state, weights)
            weights = weights[: len(actions)]
        shares = np.full(len(actions), 1 / len(actions)) if weights is None else weights / weights.sum()
        return [(int(action), float(share)) for action, share in zip(actions, shares, strict=True) if share > 0]

    def _replies(self, world: World, slip: float) -> list[tuple[int, float]]:
        """Return the opponent's possible actions; uniform where its policy has no answer after its own error."""
        view = view_of(self.game, world.state, 1 - self.side)
        key = world.member, world.history, view.tobytes()
        if key not in self._shares:
            self._count(QUERY_STEPS)
            actions = [int(action) for action in actions_in(self.game, world.state)]
            state = InformationState(self.game, 1 - self.side, view, actions, world.history)
            try:
                listed = self._law[world.member][1].action_probabilities(state)
            except MissingState:
                listed = uniform_probabilities(state)
            self._shares[key] = [(action, float(share)) for action, share in zip(actions, listed, strict=True)]
        found = self._shares[key]
        even = slip / len(found)
        return [(action, (1 - slip) * share + even) for action, share in found if share + even > 0]


def find_coach(game: Game, side: int, opponent: Agent) -> Coach:
    """Return the coach of a seat, or raise ValueError with the reason why there is none."""
    solution = _certified_coach(game.name, side) if shipped_solution(game.name) else None
    return solution or Coach(game, side, opponent, opponent.name)


@lru_cache(maxsize=8)
def _certified_coach(name: str, side: int) -> Coach | None:
    """Return the coach by the shipped solution; None where its strategies are plans without probabilities."""
    solution = certified_agent(name)
    known = isinstance(solution, BehaviourPolicy)
    return Coach(known_game(name), side, solution, CERTIFIED) if solution and known else None


@lru_cache(maxsize=8)
def certified_agent(name: str) -> PlayerAgent | None:
    """Return the player of the shipped solution of a game, or None."""
    path = shipped_solution(name)
    return None if path is None else certificate_agent("the solution", read_certificate(path), known_game(name))
