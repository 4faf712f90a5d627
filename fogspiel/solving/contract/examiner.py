"""The contract of a game, checked on its uncompiled rules by `python -m fogspiel.solving.contract.examiner GAME`.

Compiled code that writes outside of its arrays destroys something else, and code that does not end cannot be stopped.
So a game is examined in a separate process, in which the rules are plain Python on bounds-checked arrays. All short
histories come first, so that the record of a finding is as short as possible, then some whole games.
"""

import json
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from typing import Any, TypeVar

import numpy as np

from ...core.agents import policy_names
from ...core.find import load_game
from ...core.game import CHANCE, OVER, Game
from ...core.rng import random_below, stream_of
from . import GAMES, SEED, Examination, Finding, players_of, trace_of

Found = TypeVar("Found")
MAX_POSITIONS, WALK_SECONDS = 4000, 6.0  # of the short histories
MAX_ACTIONS, GAMES_SECONDS = 3000, 6.0  # actions of a whole game that are examined, and the time for all games
# Time limit of the rules in one position; a strategy that takes longer uncompiled is not examined.
RULE_SECONDS = 5.0
RECORDS = 5  # games that are compared with those of the compiled rules
SHOWN_CELLS = 12
MARKS = (0, 7)  # initial contents of arrays that a rule must overwrite
ARRAYS = {"state": "a state", "view": "a view", "actions": "the list of actions"}  # by the name of their size


class OutOfCells(IndexError):
    """Access to a cell out of bounds."""

    def __init__(self, role: str, index: int, cells: int):
        super().__init__(f"cell {index} of {cells}")
        self.role, self.index, self.cells = role, index, cells


class NotWhole(TypeError):
    """A value other than an integer was written into a cell."""


class FrozenCell(TypeError):
    """A write to a read-only cell."""


class CheckedCells(np.ndarray):
    role = "state"
    frozen = False

    def __array_finalize__(self, source: object) -> None:
        self.role, self.frozen = getattr(source, "role", "state"), getattr(source, "frozen", False)

    def _check(self, key: Any) -> None:
        if isinstance(key, int | np.integer) and not -len(self) <= key < len(self):
            raise OutOfCells(self.role, int(key), len(self))

    def __getitem__(self, key: Any) -> Any:
        self._check(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check(key)
        if self.frozen:
            raise FrozenCell(self.role)
        if np.asarray(value).dtype.kind not in "iub":
            raise NotWhole(f"{value}")
        super().__setitem__(key, value)


def cells_of(role: str, values: np.ndarray, *, frozen: bool = False) -> CheckedCells:
    found = np.array(values, np.int64).view(CheckedCells)
    found.role, found.frozen = role, frozen
    return found


def plain(cells: np.ndarray) -> np.ndarray:
    return np.array(cells, np.int64)


def differences(cells: np.ndarray, before: np.ndarray, what: str) -> str:
    cell = int(np.flatnonzero(cells != before)[0])
    return f"{what}: cell {cell} is {cells[cell]} instead of {before[cell]}"


class Broken(Exception):
    """A violation of the contract, with the fields of its `Finding` but for the record."""

    def __init__(self, rule: str, sentence: str, change: str, place: str | None = None):
        super().__init__(rule, sentence, change, place)


class Hang(Exception):
    """A rule exceeds its time limit."""


@dataclass(frozen=True)
class ExaminedPosition:
    state: np.ndarray
    record: tuple[int, ...]
    mover: int
    actions: list[int]


class Examiner:
    """Examiner of the positions of one game; it stores the first finding of every sort."""

    def __init__(self, game: Game):
        self.game, self.rules, self.sizes = game, game.rules, game.sizes
        self.found: dict[tuple[str, str], Finding] = {}
        self.seen: set[bytes] = set()
        self.lists: dict[tuple[int, bytes], ExaminedPosition] = {}
        self.longest, self.lengths, self.unfinished = 0, list[int](), list[str]()

    # The whole examination

    def examine(self) -> Examination:
        self._walk()
        if not self.found:
            self._play()
        traces = [] if self.found or self.unfinished else [trace_of(self.game, number) for number in range(RECORDS)]
        mean = sum(self.lengths) / len(self.lengths) if self.lengths else None
        findings = list(self.found.values())
        return Examination(findings, len(self.seen), self.longest, mean, self.unfinished, traces)

    def _walk(self) -> None:
        first = self._guard((), self._start)
        waiting: deque[tuple[tuple[int, ...], np.ndarray]] = deque([] if first is None else [((), first)])
        give_up = time.monotonic() + WALK_SECONDS
        while waiting and len(self.seen) < MAX_POSITIONS and time.monotonic() < give_up:
            record, state = waiting.popleft()
            position = self._look(record, state)
            for action in position.actions if position else ():
                after = self._guard(record, self._apply, position, action)
                if after is not None and after.tobytes() not in self.seen:
                    waiting.append(((*record, action), after))

    def _play(self) -> None:
        names = [name for name in policy_names(self.game) if name != "redrawn"]
        give_up = time.monotonic() + GAMES_SECONDS
        for number in range(max(GAMES, 2 * len(names))):
            if time.monotonic() > give_up or self.found or self.unfinished:
                return
            self._play_game(number, names[number // 2 % len(names)])

    def _play_game(self, number: int, name: str) -> None:
        players, chance, record = players_of(self.game, name, number), stream_of(SEED, number, 0), list[int]()
        state = self._guard((), self._start)
        for side, player in enumerate(players):
            self._guard((), self._choosing, name, player.begin, side)
        while state is not None and len(record) <= MAX_ACTIONS:
            position = self._look(tuple(record), state, again=True)
            if position is None:
                return
            if position.mover == OVER:
                self.longest = max(self.longest, len(record))
                self.lengths.append(len(record))
                return
            chosen = self._guard(record, self._choose, players, position, chance, name)
            if chosen is None:
                return
            record.append(chosen)
            state = self._guard(record, self._apply, position, chosen)
        self.unfinished.append(name)

    def _choose(self, players: Sequence[Any], at: ExaminedPosition, chance: np.ndarray, name: str) -> int:
        if at.mover == CHANCE:
            return at.actions[random_below(chance, len(at.actions))]
        seen = plain(self._view(at.state, at.mover))
        chosen = self._choosing(name, players[at.mover].choose, seen, list(at.actions))
        if chosen not in at.actions:
            told = f"the strategy {name} chooses {chosen}, which is not among {at.actions[:SHOWN_CELLS]}"
            raise Broken(f"strategy {name}", told, "let choose return one of `actions`")
        return int(chosen)

    def _choosing(self, name: str, act: Callable[..., Any], *arguments: Any) -> Any:
        """Return a strategy's action; every error in it is attributed to the strategy."""
        try:
            return act(*arguments)
        except (Hang, Broken):
            raise
        except Exception as error:
            raise self._fault(f"strategy {name}", error) from error

    # One position

    def _guard(self, record: Sequence[int], act: Callable[..., Found], *arguments: Any) -> Found | None:
        """Return a computed fact; None, and a finding, where a rule breaks the contract."""
        self._alarm(RULE_SECONDS)
        try:
            return act(*arguments)
        except Broken as broken:
            rule, sentence, change, place = broken.args
            self.found.setdefault((rule, change), Finding(rule, sentence, change, list(record), place))
        except Hang:
            pass
        finally:
            self._alarm(0)
        return None

    @staticmethod
    def _alarm(seconds: float) -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, seconds)

    def _look(self, record: tuple[int, ...], state: np.ndarray, again: bool = False) -> ExaminedPosition | None:
        """Return the position, examined unless it was before; None if a rule breaks the contract there."""
        key = state.tobytes()
        if key in self.seen:
            return self._guard(record, self._position, record, state) if again else None
        self.seen.add(key)
        return self._guard(record, self._check_position, record, state)

    def _position(self, record: tuple[int, ...], state: np.ndarray) -> ExaminedPosition:
        mover = self._ask("mover", state)
        if mover not in (0, 1, CHANCE, OVER):
            raise Broken("mover", f"mover returns {mover}", "return 0, 1, CHANCE or OVER")
        actions = [] if mover == OVER else self._legal(state, mover)
        if mover == CHANCE and self.rules.weights is not None:
            weights = self._weights(state, len(actions))
            actions = [action for action, weight in zip(actions, weights, strict=True) if weight]
        return ExaminedPosition(state, record, mover, actions)

    def _check_position(self, record: tuple[int, ...], state: np.ndarray) -> ExaminedPosition:
        position = self._position(record, state)
        views = [self._view(state, player) for player in (0, 1)]
        if position.mover == OVER:
            score = self._ask("score", state)
            if not 0 <= score < len(self.game.payoffs):
                told = f"score returns {score}, but the payoffs are numbered 0 to {self.game.max_score}"
                raise Broken("score", told, "return an index into `payoffs`, not a payoff, or list more payoffs")
        elif position.mover != CHANCE:
            # The action list must follow from the view
            other = self.lists.setdefault((position.mover, views[position.mover].tobytes()), position)
            if other.actions != position.actions:
                raise Broken(
                    "legal",
                    f"player {position.mover + 1} sees the same here and after {said(other.record)}, but may try "
                    f"{position.actions[:SHOWN_CELLS]} here and {other.actions[:SHOWN_CELLS]} there",
                    "let legal depend on nothing that the view of the mover does not show, or show it in the view",
                )
        self._check_resample(position, views)
        self._check_words(position, views)
        return position

    def _check_resample(self, position: ExaminedPosition, views: list[np.ndarray]) -> None:
        resample = self.game.resample
        if resample is None or position.mover == OVER:
            return
        for player in (0, 1):
            state, stream = position.state.copy(), stream_of(SEED, len(self.seen), player)
            other = self._try("resample", lambda *given: plain(resample(*given)), state, player, stream)
            if not np.array_equal(state, position.state):
                raise Broken("resample", "resample changes the state that it is given", "work on state.copy()")
            seen = self._view(other, player)
            if not np.array_equal(seen, views[player]):
                told = f"after resample player {player + 1} sees {differences(seen, views[player], 'the view')}"
                change = "let view show nothing that is hidden from the player"
                raise Broken("resample", told, f"{change}, or let resample keep what the player knows")
            mover = self._ask("mover", other)
            if mover != position.mover or (mover == player and self._legal(other, mover) != position.actions):
                told = f"after resample player {player + 1} sees the same, but not the same player may try the same"
                change = "let mover and legal depend on what the player sees, or let resample keep it"
                raise Broken("resample", told, change)

    def _check_words(self, position: ExaminedPosition, views: list[np.ndarray]) -> None:
        self._text("reveal", self.game.reveal, position.state.copy())
        for view in views:
            self._text("show", self.game.show, view.copy())
        if position.mover in (0, 1):
            twice = first_double([self._text("label", self.game.label, action) for action in position.actions])
            if twice is not None:
                raise Broken("label", f"two actions are called {twice!r}", "give every action that is listed its name")

    def _text(self, name: str, words: Callable[[Any], str], of: Any) -> str:
        text = self._try(name, words, of)
        if not isinstance(text, str) or not text:
            raise Broken(name, f"{name} gives {text!r}", "return a text that is not empty")
        return text

    # The rules, each called twice

    def _start(self) -> np.ndarray:
        size, change = self.sizes.state, "write every cell: the array holds the end of another game"
        return self._filled("start", lambda mark: self._write("start", np.full(size, mark)), "state", change)

    def _filled(self, name: str, fill: Callable[[int], np.ndarray], what: str, change: str) -> np.ndarray:
        """Return the array that a rule writes whatever is in it before."""
        first, other = map(fill, MARKS)
        if np.array_equal(first, other):
            return first
        if not np.array_equal(first, fill(MARKS[0])):
            raise self._unsteady(name)
        cell = int(np.flatnonzero(first != other)[0])
        raise Broken(name, f"{name} leaves cell {cell} of the {what} as it was", change)

    def _apply(self, at: ExaminedPosition, action: int) -> np.ndarray:
        first, other = (self._write("apply", at.state, action) for _ in range(2))
        if not np.array_equal(first, other):
            raise self._unsteady("apply")
        return first

    def _legal(self, state: np.ndarray, mover: int) -> list[int]:
        most, lists = self.sizes.actions, list[list[int]]()
        for mark in MARKS:
            out = cells_of("actions", np.full(most, mark))
            count = self._ask("legal", state, out)
            who = "chance" if mover == CHANCE else f"player {mover + 1}"
            if count < 1:
                change = "list at least one action, such as passing, or let mover return OVER there"
                raise Broken("legal", f"legal lists no action although {who} is to move", change)
            if count > most:
                change = f"raise sizes.actions to {count} at least"
                raise Broken("legal", f"legal returns {count}, but sizes.actions is {most}", change)
            lists.append(plain(out)[:count].tolist())
        if lists[0] != lists[1]:
            raise self._unsteady("legal")
        if (twice := first_double(lists[0])) is not None:
            raise Broken("legal", f"legal lists action {twice} twice", "list every action once")
        return lists[0]

    def _weights(self, state: np.ndarray, count: int) -> list[int]:
        lists = list[list[int]]()
        for mark in MARKS:
            out = cells_of("actions", np.full(self.sizes.actions, mark))
            self._call("weights", state, out)
            lists.append(plain(out)[:count].tolist())
        weights, again = lists
        if weights != again:
            change = "write the weight of every outcome that legal lists, and draw nothing at random"
            told = f"weights does not write the same {count} weights when it is called twice"
            raise Broken("weights", told, change)
        if min(weights) < 0 or not 1 <= sum(weights) < 2**31:
            change = "write whole numbers from 0, with a sum from 1 to 2^31 - 1"
            raise Broken("weights", f"the weights of chance are {weights[:SHOWN_CELLS]}", change)
        return weights

    def _view(self, state: np.ndarray, player: int) -> np.ndarray:
        def seen(mark: int) -> np.ndarray:
            out = cells_of("view", np.full(self.sizes.view, mark))
            self._call("view", state, player, out)
            return plain(out)

        change = "write every cell of `out`: it holds what was seen before"
        return self._filled("view", seen, f"view of player {player + 1}", change)

    def _ask(self, name: str, state: np.ndarray, *rest: Any) -> int:
        """Return the integer result of a rule, which must be the same twice."""
        answers = [self._call(name, state, *rest) for _ in range(2)]
        for answer in answers:
            if not isinstance(answer, int | np.integer):
                raise Broken(name, f"{name} returns {answer}", "return a whole number in every case")
        if answers[0] != answers[1]:
            raise self._unsteady(name)
        return int(answers[0])

    def _call(self, name: str, state: np.ndarray, *rest: Any) -> Any:
        """Call a rule that may not change the state."""
        given = cells_of("state", state)
        answer = self._run(name, given, *rest)
        if not np.array_equal(plain(given), state):
            place = None
            try:
                self._run(name, cells_of("state", state, frozen=True), *rest)
            except Broken as broken:
                place = broken.args[-1]
            changed = differences(plain(given), state, "the state")
            raise Broken(name, f"{name} changes {changed}", "only start and apply may write the state", place)
        return answer

    def _write(self, name: str, values: np.ndarray, *rest: Any) -> np.ndarray:
        given = cells_of("state", values)
        self._run(name, given, *rest)
        return plain(given)

    def _run(self, name: str, *arguments: Any) -> Any:
        return self._try(name, getattr(self.rules, name), *arguments)

    def _try(self, name: str, act: Callable[..., Found], *arguments: Any) -> Found:
        """Return the result of a function of the game, whose errors are attributed to `name`."""
        try:
            return act(*arguments)
        except Exception as error:
            raise self._fault(name, error) from error

    # Texts

    def _fault(self, name: str, error: Exception) -> Broken:
        place = place_of(error)
        if isinstance(error, OutOfCells):
            told = f"{name} uses cell {error.index} of {ARRAYS[error.role]}, which has {error.cells}"
            larger = f", or raise sizes.{error.role} to {error.index + 1}" if error.index > 0 else ""
            return Broken(name, told, f"correct the index{larger}", place)
        if isinstance(error, NotWhole):
            told = f"{name} writes {error} into a cell; cells are whole numbers (int64), which would cut it off"
            return Broken(name, told, "count in smaller units, or divide by // instead of /", place)
        if isinstance(error, FrozenCell):
            return Broken(name, f"{name} writes the state", "only start and apply may write the state", place)
        if isinstance(error, Hang):
            told = f"{name} does not end within {RULE_SECONDS:.0f} s"
            return Broken(name, told, "see that every loop in it ends", place)
        return Broken(name, f"{name} fails: {type(error).__name__}: {error}", "correct this line", place)

    def _unsteady(self, name: str) -> Broken:
        return Broken(
            name,
            f"{name} does not do the same when it is called twice in the same position",
            "draw nothing at random in the rules: let mover return CHANCE, and legal list the outcomes",
        )


def place_of(error: BaseException) -> str | None:
    """Return the innermost line outside of this package at which an error was raised."""
    for frame in reversed(extract_tb(error.__traceback__)):
        if not frame.filename.startswith((__file__, str(Path(np.__file__).parent))):
            return f"{Path(frame.filename).name}, line {frame.lineno}"
    return None


def first_double(items: list[Found]) -> Found | None:
    return next((item for item in items if items.count(item) > 1), None)


def said(record: Sequence[int]) -> str:
    return f"the actions {' '.join(map(str, record))}" if record else "no action"


def main(words: str) -> None:
    def ring(number: int, frame: object) -> None:
        raise Hang

    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, ring)
    sys.stdout.write(json.dumps(Examiner(load_game(words)).examine().to_json()) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
