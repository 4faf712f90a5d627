"""Contract check of a game: the uncompiled rules first, then the compiled ones, then sizes and speed."""

import hashlib
import inspect
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from ...core.agents import Player, find_policy, fixed_baseline, named_policy
from ...core.compile.kernel import COMPILED, Kernel, compiled
from ...core.find import load_game, spec_of
from ...core.game import CHOOSE, PREPARE, RULE_SIGNATURES, UNIFORM, Game, Strategy, known_game
from ...core.rng import stream_of
from ...core.session import Session, finish_game, record_game, replay, view_of
from ...core.simulate import PolicyMatch
from ...core.untrusted_input import JsonRecord
from ..bounds.any_game import powers_words
from ..tree import NOT_ONE_LIST, WRONG, build_tree, session_at

ARGUMENTS = {
    "start": "state",
    "mover": "state",
    "legal": "state, out",
    "apply": "state, action",
    "view": "state, player, out",
    "score": "state",
    "weights": "state, out",
    "prepare": "theta, plan",
    "choose": "seen, actions, plan, stream",
}
PROCESS_SECONDS = 120.0  # time limit of the process for the uncompiled rules
MAX_ACTIONS, PLAY_SECONDS = 1_000_000, 20.0  # a longer game is taken for one that does not end
SPEED_SECONDS = 0.3
LOOPED = 8  # games of the compiled loop that are compared with games move by move
SHOWN_ACTIONS = 20  # of a record that is not minimal
TREE_MEMORY = 0.1  # GiB for the tree, of which only the size is reported
MAX_VIEWS = 20_000  # infosets whose views are compared
GAMES, SEED = 40, 11  # whole games that are examined, and the seed of all games
FIXED = "fixed"


@dataclass(frozen=True)
class Finding(JsonRecord):
    KEYS = ("rule", "sentence", "change", "record", "place")

    rule: str  # the rule, or the part of the game, at fault
    sentence: str
    change: str  # the remedy
    # The actions that lead there, as few as were found; None if it does not depend on a position.
    record: list[int] | None = None
    place: str | None = None  # file and line


@dataclass(frozen=True)
class Examination(JsonRecord):
    KEYS = ("findings", "positions", "longest", "mean", "unfinished", "traces")

    findings: list[Finding]
    positions: int
    longest: int  # actions of the longest finished game
    mean: float | None
    # The strategies whose games against uniform players exceeded the limit.
    unfinished: list[str]
    # Of some games: the record, the score, and a digest of all results of the rules.
    traces: list[tuple[list[int], int, str]]


@dataclass(frozen=True, repr=False)
class GameCheck:
    game: str
    findings: list[Finding]
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        return not self.findings

    def __repr__(self) -> str:
        found = "sound" if self.sound else f"{len(self.findings)} findings, the first: {self.findings[0].sentence}"
        return f"Check of {self.game}: {found}"

    def to_dict(self) -> dict[str, Any]:
        return {"game": self.game, "sound": self.sound, "findings": self.findings, **self.facts}

    def to_json(self) -> dict[str, Any]:
        return self.to_dict() | {"findings": [one.to_json() for one in self.findings]}


def check_game(game: Game | str) -> GameCheck:
    """Check a game against the contract; it is a game, or named as on the command line.

    Where the uncompiled rules are wrong, the compiled ones are not run: they could write anywhere.
    """
    chosen = game if isinstance(game, Game) else load_game(game)
    words = _words_of(chosen)
    findings = list(_declarations(chosen))
    if findings:
        return GameCheck(chosen.name, findings)
    examined = _examine(words)
    facts: dict[str, Any] = {"positions": examined.positions, "longest": examined.longest, "mean_length": examined.mean}
    if not examined.findings:
        findings = _compiled(chosen, examined, facts)
    return GameCheck(chosen.name, examined.findings + findings, facts)


def _words_of(game: Game) -> str:
    words = spec_of(game.name)
    if game is known_game(game.name):
        return game.name if words is None else words.absolute
    raise ValueError(f"{game.name} is checked in a process of its own, which must find it: give check_game its file")


def players_of(game: Game, name: str, number: int) -> tuple[Player, Player]:
    """Return the players of a strategy against a uniform player; the strategy moves first in even-numbered games."""
    chosen = named_policy(game, name, SEED)
    uniform = find_policy(game, UNIFORM.name)
    first, second = (uniform, chosen) if number % 2 else (chosen, uniform)
    return first.new_player(stream_of(SEED, number, 1)), second.new_player(stream_of(SEED, number, 2))


def trace_of(game: Game, number: int) -> tuple[list[int], int, str]:
    """Play a game of uniform players; return its record, its score, and a digest of all results of the rules."""
    uniform = find_policy(game, UNIFORM.name)
    record, score = record_game(game, uniform, uniform, SEED, number)
    digest = hashlib.blake2b(digest_size=16)
    for position in replay(game, record):
        views = [view_of(game, position.state, player).tolist() for player in (0, 1)]
        digest.update(repr((position.state.tolist(), position.mover, position.actions, views)).encode())
    return [int(action) for action in record], int(score), digest.hexdigest()


# Static checks


def _kernels(game: Game) -> Iterator[tuple[str, str, Kernel, Any]]:
    """Yield the rule or strategy, the name and the signature of each kernel of a game."""
    for name, kernel in game.rules._asdict().items():
        if kernel is not None:
            yield name, name, kernel, RULE_SIGNATURES[name]
    named = [player for player in game.policies.values() if isinstance(player, Strategy)]
    for strategy in [*([game.strategy] if game.strategy else []), *named]:
        yield f"strategy {strategy.name}", "prepare", strategy.prepare, PREPARE
        yield f"strategy {strategy.name}", "choose", strategy.choose, CHOOSE


def _declarations(game: Game) -> Iterator[Finding]:
    for name, size in game.sizes._asdict().items():
        if not isinstance(size, int) or size < 1:
            yield Finding("sizes", f"sizes.{name} is {size!r}", "give a whole number of 1 or more")
    if game.uneven:
        yield Finding("payoffs", game.uneven, "list all steps between them, too")
    for rule, name, kernel, _ in _kernels(game):
        function = getattr(kernel, "py_func", kernel)
        wanted, given = ARGUMENTS[name], list(inspect.signature(function).parameters)
        if COMPILED and function is kernel:
            yield Finding(rule, f"{name} is not a kernel", "put @kernel above it", None, _line_of(function))
        elif len(given) != len(wanted.split(", ")):
            told, change = f"{name} takes ({', '.join(given)})", f"declare it as {name}({wanted})"
            yield Finding(rule, told, change, None, _line_of(function))


def _line_of(function: Any) -> str | None:
    code = getattr(getattr(function, "py_func", function), "__code__", None)
    return f"{Path(code.co_filename).name}, line {code.co_firstlineno}" if code else None


# Uncompiled


def _examine(words: str) -> Examination:
    """Return the findings of a separate process, in which nothing is compiled."""

    def failed(sentence: str, change: str) -> Examination:
        return Examination([Finding("rules", sentence, change)], 0, 0, None, [], [])

    command = [sys.executable, "-m", "fogspiel.solving.contract.examiner", words]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONUTF8": "1"}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, encoding="utf-8", errors="replace", timeout=PROCESS_SECONDS
        )
    except subprocess.TimeoutExpired:
        return failed(f"the rules do not end within {PROCESS_SECONDS:.0f} s", "see that every loop ends")
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        why = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return failed(f"the rules cannot be run without the compiler: {why}", "correct what it names")
    body = json.loads(lines[-1])
    return Examination.from_json(body | {"findings": [Finding.from_json(one) for one in body["findings"]]})


# Compiled


def _compiled(game: Game, examined: Examination, facts: dict[str, Any]) -> list[Finding]:
    """Return the findings of the first step that has any."""
    played = (finding for name in examined.unfinished for finding in _play_on(game, name))
    steps = _compile_all(game), chain(played, _compare(game, examined)), _loop(game), _tree(game, facts)
    return next(filter(None, map(list, steps)), [])


def _compile_all(game: Game) -> Iterator[Finding]:
    for rule, name, kernel, signature in _kernels(game):
        try:
            compiled(kernel, signature)
        except Exception as error:
            place, told, change = compiler_words(error)
            told = f"{name} cannot be compiled: {told}"
            yield Finding(rule, told, change, None, place or _line_of(kernel))


KINDS = {
    "int": "a whole number",
    "float": "a real number",
    "bool": "a truth value",
    "none": "nothing",
    "array": "an array",
}  # plain names of the compiler's types, by how their names begin
COMPLAINTS = (
    (
        r"Untyped global name '(?P<a>\w+)'",
        "`{a}` is something that compiled code cannot use",
        "use numbers, tuples of numbers, arrays and other kernels only: put @kernel above a function that is called",
    ),
    (
        r"name '(?P<a>\w+)' is not defined",
        "the name `{a}` is not known",
        "define it at the top of the file, or correct its spelling",
    ),
    (
        r"[Cc]annot unify (?P<a>.+?) and (?P<b>.+?) for '(?P<c>\w+)",
        "the variable `{c}` is {a} in one place and {b} in another",
        "let it be the same in all places",
    ),
    (
        r"[Cc]an't unify return type from the following types: (?P<a>.+)",
        "it does not return the same kind of thing everywhere ({a})",
        "return a whole number in every case",
    ),
    (r"Variable '(?P<a>\w+)' is not defined", "`{a}` may be used before it has a value", "give it one before"),
    (
        r"Unknown attribute '(?P<a>\w+)' of type (?P<b>\S+)",
        "`.{a}` cannot be compiled for {b}",
        "write it out with plain loops and arithmetic",
    ),
    (
        r"No implementation of function Function\((?P<a>.+?)\) found for signature",
        "{a} cannot be compiled for what it is given here",
        "use arithmetic on numbers and arrays only",
    ),
)


def compiler_words(error: Exception) -> tuple[str | None, str, str]:
    """Return the file and line of a compiler error, the error in plain English, and its remedy."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    places = re.findall(r'File "([^"]+)", line (\d+)', text) or re.findall(r" at (\S+) \((\d+)\)", text)
    place = f"{Path(places[-1][0]).name}, line {places[-1][1]}" if places else None
    for pattern, sentence, change in COMPLAINTS:
        if told := re.search(pattern, text):
            return place, sentence.format(**{key: _kind(part) for key, part in told.groupdict().items()}), change
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told_lines = [line for line in lines if not line.startswith(("Failed in", "File ", "During:", "^", "<source"))]
    return place, (told_lines or lines or [type(error).__name__])[0], "write it with plain loops and arithmetic"


def _kind(words: str) -> str:
    name = re.sub(r"^Literal\[(\w+)\].*", r"\1", words).strip()
    if built := re.match(r"<(?:built-in function|function|intrinsic|class) '?([\w.]+)", name):
        return f"`{built[1]}`"
    return next((kind for begin, kind in KINDS.items() if name.startswith(begin)), words)


def _play_on(game: Game, name: str) -> Iterator[Finding]:
    """Play games of a strategy of which one was long; report one that does not end."""
    for number in range(GAMES):
        session = _played(game, name, number)
        if not session.over:
            told = f"a game of {name} against uniform is not over after {len(session.record):,} actions"
            change = (
                "let mover return OVER at last: count the moves in a cell of the state, and end the game at a limit"
            )
            yield Finding("mover", told, change, session.record[:SHOWN_ACTIONS])
            return


def _played(game: Game, name: str, number: int) -> Session:
    session, give_up = Session(game), time.monotonic() + PLAY_SECONDS

    def go_on() -> bool:
        return len(session.record) < MAX_ACTIONS and time.monotonic() < give_up

    finish_game(session, players_of(game, name, number), stream_of(SEED, number, 0), go_on)
    return session


def _compare(game: Game, examined: Examination) -> Iterator[Finding]:
    """Check that the compiled rules play the games of the uncompiled ones, and the same again."""
    for number, (record, score, digest) in enumerate(examined.traces):
        if trace_of(game, number) != (record, score, digest):
            yield Finding(
                "rules",
                f"game {number} of seed {SEED} is another one when the rules are compiled",
                "do not rely on numbers beyond 64 bits, on division by zero, or on anything that changes between calls",
                record[:SHOWN_ACTIONS],
            )
            return


def _loop(game: Game) -> Iterator[Finding]:
    """Check that the compiled loop plays the same games as single moves; it is used only if these end."""
    if game.strategy is None:
        return
    first, second = fixed_baseline(game, SEED), find_policy(game, UNIFORM.name)
    for number in range(LOOPED):
        session = _played(game, FIXED, number)
        if not session.over:
            return
        score = int(PolicyMatch(game, first, second).scores(SEED, number, 1, "alternating")[0, 0])
        score = game.max_score - score if number % 2 else score
        if score != session.payoff_index:
            told = f"game {number} of seed {SEED} scores {score} in the compiled loop"
            told = f"{told} and {session.payoff_index} move by move"
            change = "let choose and prepare depend on their arguments only"
            yield Finding(f"strategy {game.strategy.name}", told, change, session.record[:SHOWN_ACTIONS])
            return


def _speed(game: Game) -> float:
    """Return games of uniform players per CPU second, after a first pair of games that compiles the kernels."""
    uniform, count = find_policy(game, UNIFORM.name), 1
    match = PolicyMatch(game, uniform, uniform)
    match.scores(1, 0, count)
    while True:
        began = time.process_time()
        match.scores(1, 0, count)
        seconds = time.process_time() - began
        if seconds > SPEED_SECONDS or count >= 1 << 22:
            return float(f"{2 * count / seconds:.3g}")
        count *= 4


def _tree(game: Game, facts: dict[str, Any]) -> Iterator[Finding]:
    """Record the speed, the size of the tree if it is not too large, and whether views reveal the own actions."""
    facts |= {"games_per_second": _speed(game), "powers": powers_words(game)}
    try:
        tree = build_tree(game, TREE_MEMORY)
    except ValueError as error:
        facts |= {"tree": None, "perfect_recall": None}
        if WRONG[NOT_ONE_LIST] in str(error):
            yield Finding("legal", str(error), "let legal depend on nothing that the view of the mover does not show")
        return
    infosets = [len(tree.numbers(player)) for player in (0, 1)]
    facts |= {"tree": {"nodes": tree.nodes, "infosets": infosets}, "perfect_recall": None}
    if sum(infosets) <= MAX_VIEWS:
        samples = zip(tree.owner.tolist(), tree.samples.tolist(), strict=True)
        views = {(player, session_at(game, tree, node).view(player).tobytes()) for player, node in samples}
        facts["perfect_recall"] = len(views) == sum(infosets)
