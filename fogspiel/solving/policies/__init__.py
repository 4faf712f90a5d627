"""Policies from files: tables (JSON or CSV), answers to questions (JSON lines), Python functions, certificates.

A table has a row for each information state. JSON:

    {"format": "fogspiel policy 1", "game": "kuhn",
     "rows": [{"player": 1, "state": "your card: J", "probabilities": {"bet": "1/3", "check": "2/3"}}, ..]}

CSV has a line for each information state and action: `player,state,action,probability`. A state is named by its id
(`id`, see `fogspiel states`) or by the player's view (`state`, in one line or in several, as `fogspiel states` prints
it; then the player's own past actions do not matter). Players are 1 and 2; without `player` a row is for both. Actions
are named by their labels or numbers. Answers are JSON lines, `{"id": .., "probabilities": {..}}` or
`{"id": .., "action": ..}`; several answers to one question are averaged.
"""

import csv
import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...core.agents import Agent, ParametricPolicy, PlayerAgent, names_function
from ...core.behaviour_policy import (
    ActionProbabilities,
    BehaviourPolicy,
    InformationState,
    MissingState,
    behaviour_policy,
    check_probabilities,
    one_line,
)
from ...core.game import Game
from ...core.plugins import extras
from ...core.untrusted_input import parse_json, read_bytes, read_head, shorten
from ...core.user_code import code_content, line_of, load_user_module
from ..methods import method_with
from ..proofs import certificate_agent, read_certificate

FORMAT = "fogspiel policy 1"
POLICY_FILE = "the policy file"
MAX_BYTES, LONGEST_HEAD = 1 << 28, 1000
NAMED_FAULTS = 8  # faults of a table that one error message names
Key = tuple[int | None, str]  # the player (None for both), and the id or the text of a state


@dataclass
class PolicyTable:
    file: Path
    # By state: the location in the file and the probabilities, one or more times.
    rows: dict[Key, list[tuple[str, ActionProbabilities]]] = field(default_factory=dict)

    def answers(self, state: InformationState) -> list[tuple[str, ActionProbabilities]]:
        """Return the file's probabilities at a state, or raise MissingState."""
        for name in (state.id, state.line):
            for player in (state.player, None):
                if (player, name) in self.rows:
                    return self.rows[player, name]
        raise MissingState(f"{self.file} has no row for {state.line!r} (state {state.id}) of player {state.player + 1}")

    def probabilities(self, state: InformationState) -> ActionProbabilities:
        answers = self.answers(state)
        laws = [check_probabilities(state, answer, f"{self.file}, {place}") for place, answer in answers]
        return [sum(column[1:], column[0]) / len(laws) for column in zip(*laws, strict=True)]


def table_behind(policy: object) -> PolicyTable | None:
    table = getattr(getattr(policy, "probabilities", None), "__self__", None)
    return table if isinstance(table, PolicyTable) else None


def refuse_faulty(policy: object, states: Sequence[InformationState]) -> None:
    """Reject a table with rows for states that the game does not have or with wrong probabilities; name them all."""
    table = table_behind(policy)
    if table is None:
        return
    known: dict[Key, InformationState] = {}
    for state in states:
        for player in (state.player, None):
            known |= {(player, name): state for name in (state.id, state.line)}
    faults = Faults(table.file)
    for key, rows in table.rows.items():
        for place, answer in rows:
            with faults.noted(place):
                if key not in known:
                    raise ValueError(f"the game has no information state {shorten(key[1], 200)} of that player")
                check_probabilities(known[key], answer, "")
    faults.refuse()


class Faults:
    """The faults of a file, so that one error message names all of them."""

    def __init__(self, file: Path):
        self.file, self.found = file, list[str]()

    @contextmanager
    def noted(self, place: str) -> Iterator[None]:
        """Note a fault of the block with its place in the file, and go on behind the block."""
        try:
            yield
        except ValueError as error:
            self.found.append(f"{place}: {str(error).removeprefix(' at ')}")

    def refuse(self) -> None:
        if self.found:
            more = len(self.found) - NAMED_FAULTS
            told = "; ".join(self.found[:NAMED_FAULTS]) + (f"; and {more} more" if more > 0 else "")
            raise ValueError(f"{self.file}, {told}")


def holds_policy(words: str) -> bool:
    """True if the argument names a policy, by a function or in a file: JSON and CSV may hold parameters as well."""
    if names_function(words):
        return True
    try:
        if words.endswith(".json"):
            body = demand_json(words)
            return isinstance(body, dict) and ("rows" in body or "strategies" in body)
        if words.endswith(".csv"):
            return b"probability" in read_head(Path(words), POLICY_FILE, LONGEST_HEAD).partition(b"\n")[0]
    except ValueError:
        return False
    return words.endswith(".jsonl")


def demand_json(words: str) -> Any:
    return _parsed(Path(words), _content(Path(words)))


def as_agent(game: Game, policy: Any) -> Agent:
    """Return the agent of a Python object: an agent, a solution, a function, or a policy of OpenSpiel."""
    if isinstance(policy, ParametricPolicy | PlayerAgent):
        return policy
    if isinstance(getattr(policy, "certificate", None), Mapping):
        return certificate_agent(repr(policy), policy.certificate, game)
    for read in extras("interop", "POLICY_READERS").values():
        agent: Agent | None = read(game, policy)
        if agent is not None:
            return agent
    if callable(policy):
        return function_policy(game, policy, getattr(policy, "__name__", type(policy).__name__))
    raise ValueError(
        f"{type(policy).__name__} is not a policy: give an agent, a name, a file, a solution, or a function that takes "
        "an information state and returns probabilities"
    )


def read_policy(game: Game, words: str) -> BehaviourPolicy:
    """Return the policy of a file or function that the user names; the Python file of a function is executed."""
    path, _, name = words.rpartition(":") if names_function(words) else (words, "", "")
    file = Path(path)
    content = code_content(file, POLICY_FILE) if name else _content(file)
    digest = hashlib.sha256(content).hexdigest()
    if name:
        function = getattr(load_user_module(file, f"fogspiel_policy_{file.stem}", POLICY_FILE), name, None)
        if not callable(function):
            raise ValueError(f"{path} has no function {name!r}: give FILE.py:FUNCTION")
        return replace(function_policy(game, function, words), digest=digest)
    if file.suffix == ".json":
        body = _parsed(file, content)
        if not isinstance(body, dict):
            raise ValueError(f"{POLICY_FILE} {file} is not an object with `rows`, nor a certificate")
        if "strategies" in body:
            agent = certificate_agent(words, read_certificate(file), game)
            if not isinstance(agent, BehaviourPolicy):
                why = "it holds plans, no table"
                raise ValueError(f"the certificate {words} can be played only as a solved run: {why}")
            return replace(agent, digest=digest)
        rows = _rows_of_json(game, file, body)
    else:
        read = _rows_of_csv if file.suffix == ".csv" else _rows_of_answers
        rows = read(file, content.decode(errors="replace"))
    table = PolicyTable(file)
    for place, key, answer in rows:
        table.rows.setdefault(key, []).append((place, answer))
    method = method_with("answers", game) if file.suffix == ".jsonl" else None
    probabilities = method.answers(game, table) if method and method.answers else table.probabilities
    return behaviour_policy(words, game, probabilities, digest)


def function_policy(
    game: Game, function: Callable[[InformationState], ActionProbabilities], name: str
) -> BehaviourPolicy:
    def probabilities(state: InformationState) -> ActionProbabilities:
        try:
            return function(state)
        except Exception as error:  # report any error in a user's function as an error message
            told = f"{name} fails at {state.line!r} (state {state.id})"
            path = Path(getattr(getattr(function, "__code__", None), "co_filename", ""))
            raise ValueError(f"{told}: {type(error).__name__}: {error}{line_of(error, path)}") from error

    return behaviour_policy(name, game, probabilities, batch=getattr(function, "batch", None))


# Reading


def _content(file: Path) -> bytes:
    return read_bytes(file, POLICY_FILE, MAX_BYTES, "that is no table of ours")


def _parsed(file: Path, content: bytes) -> Any:
    try:
        return parse_json(content)
    except ValueError as error:
        raise ValueError(f"{POLICY_FILE} {file} is of no use: {error}") from None


TableRows = Iterator[tuple[str, Key, ActionProbabilities]]  # the location in the file, the state, the probabilities


def _rows_of_json(game: Game, file: Path, body: Mapping[str, Any]) -> TableRows:
    rows, given, faults = body.get("rows"), dict[Key, str](), Faults(file)
    if body.get("format", FORMAT) != FORMAT or not isinstance(rows, list):
        raise ValueError(f"{POLICY_FILE} {file} is not a table: it must have the format {FORMAT!r} and `rows`")
    if body.get("game", game.name) != game.name:
        raise ValueError(f"{POLICY_FILE} {file} is for {shorten(body['game'])}, not for {game.name}")
    for number, row in enumerate(rows, 1):
        with faults.noted(place := f"row {number}"):
            if not isinstance(row, dict) or not isinstance(row.get("probabilities"), dict | list):
                raise ValueError("it must be an object with `state` or `id`, and `probabilities`")
            key = _key(row.get("player"), row.get("id") or row.get("state"))
            if key in given:
                raise ValueError(f"{shorten(key[1])} was given before, in {given[key]}")
            given[key] = place
            yield place, key, row["probabilities"]
    faults.refuse()


def _key(player: Any, name: Any) -> Key:
    if not isinstance(name, str) or not name:
        raise ValueError("there is no `id` or `state` to tell which information state is meant")
    if player is not None and str(player) not in ("1", "2"):
        raise ValueError(f"the player is {shorten(player)}, but must be 1 or 2")
    return None if player is None else int(player) - 1, one_line(name)


def _rows_of_csv(file: Path, text: str) -> TableRows:
    reader, faults = csv.DictReader(io.StringIO(text)), Faults(file)
    columns = set(reader.fieldnames or ())
    if not {"action", "probability"} <= columns or not columns & {"id", "state"}:
        raise ValueError(f"{file}, line 1: the columns must be player, state (or id), action and probability")
    found: dict[Key, tuple[str, dict[str, str]]] = {}
    for row in reader:
        with faults.noted(place := f"line {reader.line_num}"):
            if None in row or None in row.values():
                raise ValueError("it has not as many fields as line 1")
            key = _key(row.get("player") or None, row.get("id") or row.get("state"))
            _, shares = found.setdefault(key, (place, {}))
            if row["action"] in shares:
                raise ValueError(f"{shorten(row['action'])} at {shorten(key[1])} was given before")
            shares[row["action"]] = row["probability"]
    faults.refuse()
    yield from ((place, key, shares) for key, (place, shares) in found.items())


def _rows_of_answers(file: Path, text: str) -> TableRows:
    faults = Faults(file)
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        with faults.noted(place := f"line {number}"):
            answer = parse_json(line)
            if not isinstance(answer, dict) or ("probabilities" in answer) == ("action" in answer):
                raise ValueError("it must be an object with `id` and either `probabilities` or `action`")
            key = _key(None, answer.get("id"))
            shares = answer["probabilities"] if "probabilities" in answer else {answer["action"]: 1}
            if not isinstance(shares, dict):
                raise ValueError("the probabilities must be an object, an entry for each action")
            yield place, key, shares
    faults.refuse()


def table_json(game: Game, rows: Sequence[tuple[InformationState, Sequence[float | Fraction]]]) -> dict[str, Any]:
    listed = []
    for state, shares in rows:
        named = zip(state.labels, shares, strict=True)  # fractions are written as text
        law = {label: str(share) if isinstance(share, Fraction) else share for label, share in named if share}
        listed.append({"player": state.player + 1, "id": state.id, "state": state.line, "probabilities": law})
    return {"format": FORMAT, "game": game.name, "rules": game.version, "rows": listed}
