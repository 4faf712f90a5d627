"""Entries of a competition: programs, Python functions and tables of a folder, and how they play any game.

A program is sent lines, each of which follows from its own views, its actions, the limits and its seed
(docs/game-protocol.md). A program or function is run only if the user has named its folder in this process; runs store
a digest of the files, so that nothing in a store can start a program.
"""

import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..core.agents import Agent, Forfeit, Player, seed_of
from ..core.behaviour_policy import InformationState
from ..core.game import Game
from ..core.rng import child, stream_of
from ..core.session import Session, finish_game
from ..process import entry_server
from ..process.line_process import ProgramFault, ProgramTimeout, ProtocolProgram, digest_of_command
from ..stats.evaluate import report_key
from .request import StoredAgent
from .store import Json

VERSION = 1
HELLO, READY = f"fogspiel {VERSION}", f"{entry_server.READY} {VERSION}"
HELLO_SECONDS = 30.0  # time limit for a program to be ready: it may have to compile itself
MOST_FAULTS = 3  # faults after which a program is not started again for the rest of a block
MIN_PATIENCE = 1e-3  # time limit of an action whose clock is nearly at zero
TABLES = (".csv", ".json", ".jsonl")
PROGRAM, FUNCTION, TABLE, AGENT = "program", "function", "table", "agent"
MAX_ENTRIES = 100
ANSWER = re.compile(r"play +(-?[0-9]{1,18})")


@dataclass(frozen=True)
class Entry:
    """A player of a competition: the command of a program, or an agent that plays in this process."""

    name: str
    sort: str
    digest: str = ""
    command: tuple[str, ...] = ()
    agent: StoredAgent | None = None

    def to_json(self) -> Json:
        """Return what a run stores: never a command or a path."""
        return {"name": self.name, "sort": self.sort, "digest": self.digest}


# Reading a folder


def read_folder(game: Game, folder: Path, store: Path, seed: int) -> tuple[list[Entry], list[Json]]:
    """Return the entries of a folder, each tried once, and the files that are none, with the reasons."""
    files = sorted(file for file in folder.iterdir() if not file.name.startswith(".") and file.is_file())
    if len(files) > MAX_ENTRIES:
        raise ValueError(f"{folder} has {len(files)} files: a competition has at most {MAX_ENTRIES}")
    found, skipped = list[Entry](), list[Json]()
    for file in files:
        words = _command(file)
        try:
            found.append(_read_entry(game, file, words, store, seed))
        except (ValueError, OSError) as error:
            problem = str(error).replace(shlex.join(words), file.name).replace(str(file), file.name)
            skipped.append({"file": file.name, "problem": problem})
    return found, skipped


def _command(file: Path) -> list[str]:
    """Return the command that runs a file; empty for a table and for what cannot be run."""
    path = str(file.absolute())
    if file.suffix not in TABLES and os.access(file, os.X_OK):
        return [path]
    return [sys.executable, entry_server.__file__, path] if file.suffix == ".py" else []


def _read_entry(game: Game, file: Path, words: Sequence[str], store: Path, seed: int) -> Entry:
    if file.suffix in TABLES:
        agent = StoredAgent.of(game, str(file), store, seed)
        return Entry(file.stem, TABLE, agent.numbers.get("digest", ""), agent=agent)
    if not words:
        raise ValueError("it is no entry: make it executable, or write FILE.py, a table or answers")
    GameProgram(words).dismiss("quit")
    return Entry(file.stem, PROGRAM if len(words) == 1 else FUNCTION, digest_of_command(words[-1:]), tuple(words))


def agent_entry(name: str, agent: StoredAgent) -> Entry:
    return Entry(name, AGENT, agent.numbers.get("digest", ""), agent=agent)


# The protocol


class GameProgram(ProtocolProgram):
    """A program in a separate process that plays by the game protocol."""

    what, language = "entry", "the game protocol"

    def __init__(self, words: Sequence[str]):
        super().__init__(words, HELLO, READY, HELLO_SECONDS)


def new_line(game: Game, side: int, clock: float, seed: int) -> str:
    return f"new game {game.name} side {side} clock {round(1000 * clock)} seed {seed}"


def view_line(view: np.ndarray) -> str:
    return " ".join(["view", *map(str, view.tolist())])


def turn_lines(state: InformationState) -> list[str]:
    """Return the view in words and the actions; the views as numbers were sent before."""
    pairs = zip(state.actions, state.labels, strict=True)
    return [f"see {state.line}", *(" ".join(f"action {number} {label}".split()) for number, label in pairs)]


class ProgramPlayer:
    """Player for a program in one game; any fault is a `Forfeit`, and the program is killed."""

    def __init__(self, game: Game, program: ProtocolProgram, clock: float, seed: int):
        self.game, self.program, self.clock, self.seed = game, program, clock, seed

    def begin(self, side: int) -> None:
        self.side, self.heard, self.history = side, list[np.ndarray](), tuple[int, ...]()
        self.program.say(new_line(self.game, side, self.clock, self.seed))

    def observe(self, seen: np.ndarray) -> None:
        """Keep a new view until the next turn: nothing is sent while the opponent thinks."""
        self.heard.append(seen)

    def _news(self) -> list[str]:
        lines = [view_line(seen) for seen in self.heard]
        self.heard = []
        return lines

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        first = [] if self.heard or self.history else [view_line(seen)]
        state = InformationState(self.game, self.side, seen, actions, self.history)
        go = f"go clock {max(round(1000 * self.clock), 1)}"
        self.program.say(*first, *self._news(), *turn_lines(state), go)
        began = time.monotonic()
        try:
            line = self.program.last_line(go, "play", max(self.clock, MIN_PATIENCE))
        except ProgramTimeout as fault:
            raise Forfeit(str(fault), "no action in time") from None
        except ProgramFault as fault:
            raise Forfeit(str(fault), "the program has ended") from None
        self.clock -= time.monotonic() - began
        told = ANSWER.fullmatch(line)
        if told is None:
            raise self._forfeit(f"has said {line[:60]!r}, which is no action", "a line that is no action")
        action = int(told[1])
        if action not in actions:
            raise self._forfeit(f"has tried {action}, which was not on its list", "an impossible action")
        self.history += (action,)
        return action

    def end(self, payoff: str, ending: str) -> None:
        self.program.say(*self._news(), f"end {payoff} {ending}")

    def _forfeit(self, what: str, reason: str) -> Forfeit:
        return Forfeit(str(self.program.failure(what)), reason)


class AbsentPlayer:
    """Player of a program that cannot be started, or had too many faults: it forfeits its first turn."""

    def __init__(self, sentence: str, reason: str):
        self.fault = sentence, reason

    def begin(self, side: int) -> None:
        """Nobody is there to be told."""

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        raise Forfeit(*self.fault)


# Games of two entries


class Seat(Protocol):
    """An entry during a block of games."""

    def new_player(self, stream: np.ndarray) -> Player: ...

    def note_fault(self) -> None: ...

    def close(self) -> None: ...


@dataclass
class ProgramSeat:
    """A program that plays the games of a block one after the other, and is started again after a fault."""

    game: Game
    entry: Entry
    clock: float
    program: GameProgram | None = None
    faults: int = 0

    def new_player(self, stream: np.ndarray) -> Player:
        if self.faults >= MOST_FAULTS:
            return AbsentPlayer(f"{self.entry.name} had {self.faults} faults", "too many faults before")
        try:
            self.program = self.program or GameProgram(self.entry.command)
        except ValueError as error:
            return AbsentPlayer(str(error), "the program does not start")
        return ProgramPlayer(self.game, self.program, self.clock, seed_of(stream))

    def note_fault(self) -> None:
        self.faults += 1
        self.close()

    def close(self) -> None:
        if self.program is not None:
            self.program.dismiss("quit")
        self.program = None


@dataclass
class AgentSeat:
    """A table or an agent of the package."""

    agent: Agent
    new_player: Callable[[np.ndarray], Player] = field(init=False)

    def __post_init__(self) -> None:
        self.new_player = self.agent.new_player

    def note_fault(self) -> None:
        """A table stays as it is."""

    def close(self) -> None:
        """Nothing was opened."""


def seat_of(game: Game, entry: Entry, clock: float, store: Path, seed: int) -> Seat:
    if entry.agent is not None:
        return AgentSeat(entry.agent.agent(game, store, seed))
    return ProgramSeat(game, entry, clock)


def play_block(
    game: Game, entries: Sequence[Entry], seed: int, pair: int, first: int, count: int, clock: float, store: Path
) -> list[Json]:
    """Play pairs of games of two entries, each entry in the first seat of one; every game has its own deal.

    A program would see the same deal twice in a pair of equal deals, and from both seats.
    """
    seats = [seat_of(game, entry, clock, store, seed) for entry in entries]
    key, games = int(child(report_key(seed), pair)), list[Json]()
    try:
        for number in range(2 * first, 2 * (first + count)):
            swapped = number % 2
            played = _play_game(game, seats[::-1] if swapped else seats, key, number)
            score = played["score"]
            games.append(played | {"seat": swapped, "score": game.max_score - score if swapped else score})
    finally:
        for seat in seats:
            seat.close()
    return games


def _play_game(game: Game, seats: Sequence[Seat], key: int, number: int) -> Json:
    """Play one game; a fault of the player to move loses it with the lowest payoff."""
    session, ending = Session(game), None
    one, other = (seat.new_player(stream_of(key, number, 1 + side)) for side, seat in enumerate(seats))
    try:
        finish_game(session, (one, other), stream_of(key, number, 0))
        score = int(game.rules.score(session.state))
    except ValueError as fault:
        loser = session.mover
        expected = isinstance(fault, Forfeit) or isinstance(seats[loser], AgentSeat) if loser in (0, 1) else False
        if not expected:
            raise
        ending = f"forfeit: {fault.reason if isinstance(fault, Forfeit) else 'it has no answer'}"
        score = 0 if loser == 0 else game.max_score
        seats[loser].note_fault()
    for side, player in enumerate((one, other)):
        if isinstance(player, ProgramPlayer):
            own = game.payoffs[score if side == 0 else game.max_score - score]
            player.end(str(own), ending or "the end of the game")
    return {"score": score, "record": session.record, "ending": ending}


# Entries named by the user in this process, by name and digest

_named: dict[str, Entry] = {}


def register(entries: Sequence[Entry]) -> None:
    _named.update({f"{entry.name} {entry.digest}": entry for entry in entries})


def entry_of(stored: Mapping[str, Any], folder: str) -> Entry:
    """Return the entry of a stored request; raise ValueError if the user has not named its folder in this process."""
    found = _named.get(f"{stored['name']} {stored['digest']}")
    if found is None:
        raise ValueError(
            f"{stored['name']} is an entry of a folder, which is read only if you name it: give the command that "
            f"began the run once more, `fogspiel compete {folder} ..`, which goes on with it"
        )
    return found
