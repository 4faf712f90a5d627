"""Behaviour policies: action probabilities by information state.

A table of probabilities, a Python function and the strategies of a certificate are all a `BehaviourPolicy`. It plays
like any other agent. Its exploitability can be computed, since its probabilities are known.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from numbers import Rational, Real
from typing import Any, NamedTuple

import numpy as np

from .agents import PlayerAgent, draw_index
from .game import Game, Strategy
from .plugins import former_names
from .rng import GOLDEN, bits, stream_of
from .untrusted_input import parse_fraction, shorten

ExactOrFloat = float | Fraction
MAX_KNOWN = 1 << 17  # states whose probabilities a player remembers
ROUNDING = 1e-9  # how far floats may be from 1 in sum


@dataclass(frozen=True, eq=False)
class InformationState:
    """Knowledge of a player at a decision: its view, and its own past actions."""

    game: Game
    player: int  # 0 moves first, 1 second
    view: np.ndarray
    actions: Sequence[int]  # legal actions
    history: tuple[int, ...]  # the player's own actions so far

    @property
    def text(self) -> str:
        return self.game.show(self.view)

    @property
    def line(self) -> str:
        return one_line(self.text)

    @property
    def labels(self) -> list[str]:
        return [self.game.label(action) for action in self.actions]

    @property
    def id(self) -> str:
        """A short name that depends only on the player's knowledge."""
        knowledge = f"{self.game.name} {self.player} {self.history} {self.view.tolist()}"
        return f"p{self.player + 1}-{hashlib.blake2b(knowledge.encode(), digest_size=8).hexdigest()}"


class InformationStates(NamedTuple):
    """Many information states of a player as arrays, one row each, for policies that are evaluated in batches."""

    player: int
    views: np.ndarray  # the player's view, as the rules write it
    legal: np.ndarray  # mask of legal actions, by number
    history: np.ndarray  # the player's own actions so far, in their order; -1 where there are no more

    def state(self, game: Game, row: int) -> InformationState:
        history = tuple(action for action in self.history[row].tolist() if action >= 0)
        return InformationState(game, self.player, self.views[row], np.flatnonzero(self.legal[row]).tolist(), history)


# Probabilities by action (its number or its label), or one for each legal action, in their order.
ActionProbabilities = Mapping[Any, Any] | Sequence[Any] | np.ndarray
Probabilities = Callable[[InformationState], ActionProbabilities]
# The probability of each action, by its number, at each of many states.
Batch = Callable[[InformationStates], np.ndarray]


class MissingState(ValueError):
    """Information state for which a policy has no probabilities."""


@former_names(shares="action_probabilities")
@dataclass(frozen=True)
class BehaviourPolicy(PlayerAgent):
    """An agent with known probabilities at every information state; made by `behaviour_policy`."""

    game: Game
    probabilities: Probabilities
    digest: str | None = None  # of its file, which may change
    batch: Batch | None = None  # the same probabilities for many states at once, where that is faster

    def action_probabilities(self, state: InformationState) -> list[ExactOrFloat]:
        """Return the checked probability of each action: fractions if all were given as such, else floats."""
        return check_probabilities(state, self.probabilities(state), self.name)


def behaviour_policy(
    name: str, game: Game, probabilities: Probabilities, digest: str | None = None, batch: Batch | None = None
) -> BehaviourPolicy:
    known: dict[tuple[int, tuple[int, ...], bytes], list[float]] = {}

    def odds(state: InformationState) -> list[float]:
        key = state.player, state.history, state.view.tobytes()
        if key not in known:
            if len(known) == MAX_KNOWN:
                known.clear()
            known[key] = [float(share) for share in check_probabilities(state, probabilities(state), name)]
        return known[key]

    return BehaviourPolicy(name, partial(StatePlayer, game, odds), game, probabilities, digest, batch)


class StatePlayer:
    """Player that draws its actions from a policy and remembers its own actions."""

    def __init__(self, game: Game, odds: Callable[[InformationState], list[float]], stream: np.ndarray):
        self.game, self.odds, self.stream = game, odds, stream

    def begin(self, side: int) -> None:
        self.side = side
        self.history: tuple[int, ...] = ()

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        state = InformationState(self.game, self.side, seen, actions, self.history)
        action = int(actions[draw_index(self.odds(state), self.stream)])
        self.follow(seen, action)
        return action

    def follow(self, seen: np.ndarray, action: int) -> None:
        """Remember an action, its own or one of a resumed game."""
        self.history += (action,)


def one_line(text: str) -> str:
    return " | ".join(part.strip() for part in text.splitlines() if part.strip())


def check_probabilities(state: InformationState, answer: ActionProbabilities, name: str) -> list[ExactOrFloat]:
    """Return a policy's probabilities, one for each action, or raise a ValueError that describes the problem."""

    def wrong(what: str) -> ValueError:
        return ValueError(f"{name} at {state.line!r} (state {state.id}): {what}")

    if isinstance(answer, Mapping):
        listed = _by_action(state, answer, wrong)
    elif isinstance(answer, Sequence | np.ndarray) and not isinstance(answer, str):
        listed = list(answer)
        if len(listed) != len(state.actions):
            raise wrong(f"there are {len(listed)} probabilities for {len(state.actions)} actions")
    else:
        raise wrong(f"the answer is {shorten(answer)}: it must be probabilities by action, or a list of them")
    shares = [_share(value, label, wrong) for value, label in zip(listed, state.labels, strict=True)]
    if all(isinstance(share, Fraction) for share in shares):
        if sum(shares) != 1:
            raise wrong(f"the probabilities add up to {sum(shares)}, not to 1")
        return shares
    total = sum(map(float, shares))
    if abs(total - 1) > ROUNDING:
        raise wrong(f"the probabilities add up to {total:.12g}, not to 1")
    return [float(share) / total for share in shares]


def _by_action(state: InformationState, answer: Mapping[Any, Any], wrong: Callable[[str], ValueError]) -> list[Any]:
    """Return the values by action, 0 where none is given; keys are labels or numbers of actions."""
    places = {str(action): place for place, action in enumerate(state.actions)}
    places |= {label: place for place, label in enumerate(state.labels)}
    listed: list[Any] = [0] * len(state.actions)
    given: set[int] = set()
    for key, value in answer.items():
        place = places.get(str(key))
        if place is None:
            raise wrong(f"{shorten(key)} is not an action there; there are {', '.join(state.labels[:12])}")
        if place in given:
            raise wrong(f"the action {state.labels[place]} is given twice, once by its words and once by its number")
        given.add(place)
        listed[place] = value
    return listed


def _share(value: Any, label: str, wrong: Callable[[str], ValueError]) -> ExactOrFloat:
    try:
        if isinstance(value, str):
            value = parse_fraction(value)
        if isinstance(value, np.integer):
            value = int(value)
        share: ExactOrFloat = Fraction(value) if isinstance(value, Rational) else float(value)
    except (TypeError, ValueError, ZeroDivisionError):
        raise wrong(f"the probability of {label} is {shorten(value)}, which is not a number") from None
    if isinstance(value, bool) or not isinstance(value, Real | np.number):
        raise wrong(f"the probability of {label} is {shorten(value)}, which is not a number")
    if not 0 <= share <= 1 + ROUNDING:  # an integer may be too large for a float
        raise wrong(f"the probability of {label} is {shorten(value)}: it must be between 0 and 1")
    return share


def uniform_probabilities(state: InformationState) -> list[ExactOrFloat]:
    return [Fraction(1, len(state.actions))] * len(state.actions)


# Action probabilities of a compiled strategy, found from its `choose` kernel alone.
#
# A kernel that makes one draw is a function of 64 random bits, and the streams of `rng` can be set to give any bits:
# the finaliser of splitmix64 is a bijection. Each action takes an interval of the bits, as it does wherever the draw is
# compared with cumulated probabilities or selects an index; its ends are found by bisection, to the last bit.

WORD = 1 << 64
INVERSE_1, INVERSE_2 = pow(0xBF58476D1CE4E5B9, -1, WORD), pow(0x94D049BB133111EB, -1, WORD)
SAMPLES = 64  # random bits at which the intervals are tried
ASIDE = 1 << 33
# A probability within NEAR of a fraction with a denominator up to SIMPLE is read as it: indices are drawn by 32 bits.
SIMPLE, NEAR = 64, Fraction(1, 1 << 28)


def undo_shift(z: int, shift: int) -> int:
    """Return the number whose exclusive or with itself, shifted right, is z."""
    found = z
    for _ in range(64 // shift):
        found = z ^ (found >> shift)
    return found


def seed_before(bits: int) -> int:
    """Return the state of a stream whose next 64 bits are these."""
    z = undo_shift(bits, 31)
    z = undo_shift(z * INVERSE_2 % WORD, 27)
    z = undo_shift(z * INVERSE_1 % WORD, 30)
    return (z - int(GOLDEN)) % WORD


def choice_probabilities(
    strategy: Strategy, plan: np.ndarray, seen: np.ndarray, actions: Sequence[int]
) -> list[Fraction] | None:
    """Return the probability of each action; None where the kernel makes several draws or has no such intervals."""
    listed, stream = np.array(actions, np.int64), np.zeros(1, np.uint64)

    def choose(word: int) -> int | None:
        stream[0] = seed_before(word)
        action = int(strategy.choose(seen, listed, plan, stream))
        drawn = (int(stream[0]) - seed_before(word)) % WORD
        return action if drawn in (0, int(GOLDEN)) else None

    def choose_near(word: int) -> int | None:
        """Return the action at these bits, or near bits that `random_below` rejects to avoid bias."""
        near = (min(max(word + step * ASIDE, 0), WORD - 1) for step in (0, 1, -1, 2, -2, 3, -3))
        return next((action for action in map(choose, near) if action is not None), None)

    source = stream_of(SAMPLES)
    samples = sorted(int(bits(source)) for _ in range(SAMPLES))
    if any(choose(word) is None for word in samples):
        return None
    runs = [(choose_near(0), 0)]  # the actions in the order of the bits, each with the start of its interval
    for word in (*samples, WORD - 1):
        while runs[-1][0] != choose_near(word):
            action, low, high = runs[-1][0], runs[-1][1], word
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if choose_near(middle) == action else (low, middle)
            runs.append((choose_near(high), high))
    order = [action for action, _ in runs]
    if len(set(order)) < len(order) or not set(order) <= set(actions):
        return None
    ends = [begin for _, begin in runs[1:]] + [WORD]
    lengths = {action: end - begin for (action, begin), end in zip(runs, ends, strict=True)}
    found = [Fraction(lengths.get(action, 0), WORD) for action in actions]
    simple = [share.limit_denominator(SIMPLE) for share in found]
    near = all(abs(share - other) < NEAR for share, other in zip(found, simple, strict=True))
    return simple if near and sum(simple) == 1 else found
