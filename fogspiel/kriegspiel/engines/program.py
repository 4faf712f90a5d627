"""External programs that use the engine protocol, as players (docs/kriegspiel-protocol.md).

A program is run only if the user has named it in this process. Runs store a digest of its command and of the files that
the command names, so that nothing in a store can start a program.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ...core.agents import Forfeit, seed_of
from ...games.chess.game import UciEngine
from ...process.line_process import ProgramFault, ProgramTimeout, ProtocolProgram, digest_of_command
from ..engine import PROGRAM, Choice, EngineFactory, MoveBudget, SearchLimit, asks_program, find_engine
from ..game import attempt_name, parse_attempt, refused_in, rules
from ..protocol import HELLO, READY, ProtocolWriter, limit_words, new_line
from ..referee import TIME_UP, WILD_16, HouseRules

HELLO_SECONDS = 60.0  # time limit for a program to be ready: it may have to compile itself
GRACE_SECONDS = 1.0  # tolerance above its time limit for an attempt, without a clock: pipes and busy machines take time
NODES_SECONDS = 60.0  # time limit of an attempt whose limit is a number of nodes
MIN_PATIENCE = 1e-3  # time limit of an attempt whose clock is nearly at zero


class KriegspielProgram(ProtocolProgram):
    """A program in a separate process that has confirmed the protocol."""

    what, language = "Kriegspiel program", "the Kriegspiel engine protocol"

    def __init__(self, words: Sequence[str]):
        super().__init__(words, HELLO, READY, HELLO_SECONDS)


class ProgramPlayer(MoveBudget):
    """Player for a program; any fault in a game is a `Forfeit`, and the program is killed."""

    def __init__(self, words: Sequence[str], effort: SearchLimit, stream: np.ndarray):
        super().__init__(replace(effort, outside=True))
        self.seed, self.switches = seed_of(stream), WILD_16
        self.reporter = ProtocolWriter()
        self.program = KriegspielProgram(words)
        self.own_clock = self.program.own_clock  # a machine that is busy with others takes nothing from its time

    def hear_rules(self, switches: HouseRules) -> None:
        self.switches = switches

    def begin(self, side: int) -> None:
        self.renew()
        self.reporter = ProtocolWriter()
        self.program.say(new_line(side, self.switches, self.effort, self.seed, self.clock))

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        self.start_attempt(int(seen[rules.SEEN_PLY]))
        limit = self.limit
        go = f"go {limit_words(limit, self.clock)}"
        self.program.say(*self.reporter.turn(seen, actions), go)
        try:
            line = self.program.last_line(go, "attempt", self._patience(limit))
        except ProgramTimeout as fault:
            raise Forfeit(str(fault), TIME_UP if self.clock else "no attempt in time") from None
        except ProgramFault as fault:
            raise Forfeit(str(fault), "the program has ended") from None
        try:
            action = parse_attempt(line.partition(" ")[2])
        except ValueError:
            raise self._forfeit(f"has said {line[:60]!r}, which is no move", "an attempt that is no move") from None
        if action not in actions:
            name = attempt_name(action)
            if name[:4] in refused_in(seen):
                raise self._forfeit(f"has tried {name} again, which was refused", "a refused attempt again")
            raise self._forfeit(f"has tried {name}, which was not on its list", "an impossible attempt")
        self.reporter.last = action
        self.end_attempt()
        return action

    def _patience(self, limit: SearchLimit) -> float:
        if self.clock:
            return max(self.clock[0], MIN_PATIENCE)
        return NODES_SECONDS if limit.seconds is None else limit.seconds + GRACE_SECONDS

    def hear_end(self, seen: np.ndarray, result: str, ending: str) -> None:
        """Send the result of the game; then tell the program to quit."""
        self.program.dismiss(*self.reporter.news(seen), f"end {result} {ending}", "quit")

    def _forfeit(self, what: str, reason: str) -> Forfeit:
        return Forfeit(str(self.program.failure(what)), reason)


# Registered programs

_named: dict[str, tuple[str, ...]] = {}  # programs named by the user in this process, by digest


def name_engine(engine: str) -> str:
    """Return an engine named by the user as runs store it: a program, after a trial, by its digest; others as is."""
    head, mark, command = engine.partition(":")
    if asks_program(engine):
        find_engine(engine)
        UciEngine(UciEngine.demand_program(command.removeprefix("uci="))).dismiss("quit")
    if head != PROGRAM or not mark:
        return engine
    words = KriegspielProgram.demand_program(command)
    KriegspielProgram(words).dismiss("quit")
    digest = digest_of_command(words)
    _named[digest] = tuple(words)
    return f"{PROGRAM}:{digest}"


def commands_of(engines: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the commands of the engines that are programs, for processes that play their games."""
    digests = [digest for head, _, digest in (engine.partition(":") for engine in engines) if head == PROGRAM]
    return {digest: _named[digest] for digest in digests if digest in _named}


def bring_programs(commands: Mapping[str, tuple[str, ...]]) -> None:
    _named.update(commands)


def parse_program(digest: str) -> EngineFactory:
    if digest not in _named:
        raise ValueError(
            f"{PROGRAM}:{digest[:40]} is a program, which is run only if you name it: write {PROGRAM}:COMMAND in "
            "`fogspiel kriegspiel match`, `round-robin` or `play`; a run goes on by the command that began it"
        )
    return partial(ProgramPlayer, _named[digest])


ENGINES: dict[str, EngineFactory] = {}
CHOICES: dict[str, Choice] = {PROGRAM: parse_program}
