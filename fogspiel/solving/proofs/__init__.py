"""Certificate files: writing, reading, checking by the matching checker, and explaining as text."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.find import load_game
from ...core.plugins import load, sources
from ...core.untrusted_input import parse_json, read_bytes, read_head, shorten
from .checkers.primitives import MAX_SECONDS, Body, Bounds, demand, digest_of, fraction, limit_work, quoted

if TYPE_CHECKING:
    from ...core.agents import PlayerAgent
    from ...core.behaviour_policy import Probabilities
    from ...core.game import Game
    from ..sources import GameSource

CHECKERS = "solving.proofs.checkers"
# The largest certificate that is read by default; those that we ship have 0.2 at most.
MAX_MEBIBYTES = 64.0
MORE = "grant more by `fogspiel verify --max-mib MIB`"


def write_certificate(body: Body, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            json.dump(body, file, separators=(",", ":"))
            file.write("\n")
    except OSError as error:
        raise ValueError(f"the certificate {path} cannot be written: {error.strerror or error}") from None


def solution_certificate(
    form: str, game: str, rules: int | str, value: Fraction, lower: Fraction, upper: Fraction, **strategies: Any
) -> Any:
    """Return the certificate of a solution, with its digest; the checker of the format defines the strategies."""
    body: Body = {"format": form, "game": game, "rules": rules, "value": str(value)}
    body = {**body, "lower": str(lower), "upper": str(upper), **strategies}
    return {**body, "digest": digest_of(body)}


def read_certificate(path: Path, mebibytes: float = MAX_MEBIBYTES) -> Body:
    """Return the certificate in a file of at most that size: a JSON object that names a game."""
    most = int(mebibytes * 2**20)
    try:
        head = read_head(path, "the certificate", CHUNK)
        if head.startswith(LARGE) and LINES in head:
            body = _read_lines(path, most)
        else:
            body = parse_json(read_bytes(path, "the certificate", most, MORE))
    except ValueError as error:
        raise ValueError(f"the certificate {path} is damaged or not complete: {error}") from None
    if not isinstance(body, dict) or not isinstance(body.get("game"), str):
        raise ValueError(f"the certificate {path} is not valid: it does not say which game it is for")
    found: Body = body
    return found


# Certificates of large trees are long lists of lines, which are read one after the other.

LARGE, LINES = b'{"format":"fogspiel large tree certificate', b'"strategies":[['
NEXT_LINE = re.compile(rb'"([0-9 |-]+)"(,|\],\[|\]\])')  # a line, and what follows it
CHUNK = 1 << 16


def _read_lines(path: Path, most: int) -> Any:
    """Return the JSON value of a large certificate; the text of its file is never in memory as a whole."""
    from .checkers.tree import LONGEST_LINE

    with path.open("rb") as file:
        head, _, text = file.read(CHUNK).partition(LINES)
        sides: list[list[str]] = [[]]
        at, last = 0, b","
        while last != b"]]":
            match = NEXT_LINE.match(text, at)
            if match is None:
                chunk = file.read(CHUNK)
                if not chunk or len(text) - at > LONGEST_LINE:
                    raise ValueError(f"line {len(sides[-1])} of strategy {len(sides)} is not in whole numbers")
                if file.tell() > most:
                    raise ValueError(f"it is larger than {most:,} bytes: {MORE}")
                text, at = text[at:] + chunk, 0
                continue
            line, last, at = match[1], match[2], match.end()
            sides[-1].append(line.decode())
            if last == b"],[":
                sides.append([])
        body = parse_json(head + LINES[:-2] + b"0" + text[at:] + file.read(CHUNK))
    return {**body, "strategies": sides}


def verify(body: Body, source: str | None = None, seconds: float = MAX_SECONDS) -> Bounds:
    """Return the bounds that a certificate proves, by the rules that `source` names or else the game of its name.

    Games whose trees are too large to be traversed have separate formats, each with its independent checker. A
    certificate that takes more than `seconds` of CPU time is rejected.
    """
    from .checkers import refined, tree

    of_trees = {tree.FORMAT: tree.verify, refined.FORMAT: refined.verify}
    of_trees |= dict.fromkeys(tree.LARGE_FORMATS, tree.verify_large)
    if source is not None and body.get("format") not in of_trees:
        load_game(source)  # then the game is known by its name
    with limit_work(seconds):
        own = body.get("format")
        own = own if isinstance(own, str) else None
        for place in sources(CHECKERS).values() if own and own not in of_trees else ():
            checker = load(place)
            if checker not in (tree, refined) and own in getattr(checker, "FORMATS", (getattr(checker, "FORMAT", ""),)):
                bounds: Bounds = checker.verify(body)
                return bounds
        demand(isinstance(body.get("game"), str), "it does not say which game it is for")
        check = of_trees.get(own or "", tree.verify)
        named = source is not None
        return check(body, problem_of(body, source).positions() if named else tree.GamePositions(_game_of(body)))


def problem_of(body: Body, source: str | None) -> "GameSource":
    """Return the rules of a certificate: a game of the package, or those that the user names by `source`."""
    from ..sources import KernelSource, find_source

    return find_source(source) if source is not None else KernelSource(_game_of(body), body["game"])


def _game_of(body: Body) -> "Game":
    from ...core.game import known_game

    try:
        return known_game(body["game"])
    except ValueError as error:
        raise ValueError(f"{error}; say where the rules of {shorten(body['game'])} are with --source FILE") from None


def certificate_agent(name: str, body: Body, game: "Game") -> "PlayerAgent":
    """Return an agent that plays the two strategies of a certificate; it has probabilities, where available."""
    from ...core.behaviour_policy import BehaviourPolicy, behaviour_policy
    from ...core.find import is_tree, spec_of
    from ..methods import proofs_of
    from ..sources import tree_strategies

    if body.get("game") != game.name:
        raise ValueError(f"the certificate {name} is for {shorten(body.get('game'))}, not for {game.name}")
    if body.get("rules", game.version) != game.version:
        raise ValueError(
            f"the certificate {name} is for version {shorten(body['rules'])} of {game.name}, not {game.version}"
        )
    own = proofs_of(body.get("format"))
    with limit_work(MAX_SECONDS):
        if own is None:
            demand("strategies" in body, f"it has none for {game.name}")
            words, rows, lock = spec_of(game.name), strategies_of(body), body.get("lock")
            if words is not None and is_tree(words.absolute):
                rows, lock = tree_strategies(words.absolute, rows, lock)
            agent: PlayerAgent = behaviour_policy(name, game, table_probabilities(rows, name, lock, game.sizes.view))
        else:
            agent = own.agent(name, body)
            if own.probabilities:
                agent = BehaviourPolicy(name, agent.new_player, game, own.probabilities(body))
        return replace(agent, certificate=body)


def strategies_of(body: Body) -> Any:
    from .checkers import refined, tree

    if body.get("format") == refined.FORMAT:
        refined.check_parts(body)
        return body.get("refinement", body).get("strategies", body["strategies"])
    if body.get("format") not in tree.LARGE_FORMATS:
        return body.get("strategies", ())
    tree.check_form(body)
    return [list(tree.rows_of(body, player)) for player in (0, 1)]


def table_probabilities(strategies: Any, name: str, lock: Any = None, width: int = 0) -> "Probabilities":
    """Return the rows of both strategies by the player's actions and view; `after` links to earlier decisions.

    The owner of a lock follows it; in its rows the view, of that width, is followed by its own actions so far.
    """
    from ...core.behaviour_policy import ActionProbabilities, InformationState, MissingState
    from .checkers.refined import locks_of
    from .checkers.tree import SIDES, plan_of

    demand(isinstance(strategies, list) and len(strategies) == len(SIDES), "it must hold two strategies")
    known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], dict[int, Fraction]] = {}
    locks, weight = locks_of(lock) if lock is not None else ({}, Fraction(1))
    owners, coin = {player for player, _, _ in locks}, int(weight < 1)
    for player, (rows, side) in enumerate(zip(strategies, SIDES, strict=True)):
        histories: list[tuple[int, ...]] = []
        for (after, view), (number, shares) in plan_of(rows, side).items():
            place = f"row {number} of the {side} player"
            demand(after is None or (len(after) == 2 and 0 <= after[0] < number), f"{place} comes after no earlier row")
            histories.append((*histories[after[0]], after[1]) if after else ())
            if player not in owners:
                known[player, histories[-1], view] = shares
            elif not coin or view[-1]:
                known[player, view[width : len(view) - coin], view[:width]] = shares
    known |= {key: dict(zip(*row, strict=True)) for key, row in locks.items()}

    def probabilities(state: InformationState) -> ActionProbabilities:
        found = known.get((state.player, state.history, tuple(state.view.tolist())))
        if found is None:
            raise MissingState(f"{name} never comes to {state.line!r} by its own play, so it has no answer there")
        return found

    return probabilities


def own_words(body: Body, everything: bool) -> list[str] | None:
    """Explain a solution by the game's own method, or return None."""
    from ..methods import proofs_of

    own = proofs_of(body.get("format"))
    with limit_work(MAX_SECONDS):
        return own.explain(body, everything) if own else None


def strategy_rows(body: Body, side: int, source: str | None = None) -> Iterator[tuple[str, str, str]]:
    return ((seen, choices_text(choices), when) for seen, choices, when in strategy_choices(body, side, source))


def choices_text(choices: Sequence[tuple[str, str]]) -> str:
    """Format a player's action probabilities; a probability of 1 is omitted."""

    def text(share: str) -> str:
        return share if len(share) < 12 else f"{float(fraction(share, 'a probability')):.6f}"

    return ", ".join(name if share == "1" else f"{name} {text(share)}" for name, share in choices)


REACHED, LATER, ERRED, LOCKED = "yes", "if the opponent errs", "after its own mistake", "locked"
Choices = tuple[str, list[tuple[str, str]], str]  # a view, the possible actions with their probabilities, and when


def strategy_choices(body: Body, side: int, source: str | None = None) -> Iterator[Choices]:
    """List the views of a player with its choices, row by row, and whether they are reached if both play well."""
    from .checkers import refined
    from .checkers.tree import FORMAT, LARGE_FORMATS, SIDES, plan_of

    known = body.get("format") in (FORMAT, *LARGE_FORMATS, refined.FORMAT)
    demand(known, f"its format is {quoted(body.get('format'))}, which has no rows to explain")
    problem, strategies = problem_of(body, source), strategies_of(body)
    demand(isinstance(strategies, list) and len(strategies) == len(SIDES), "it must hold two strategies")
    positions, lock = problem.positions(), body.get("lock")
    with limit_work(MAX_SECONDS):
        plans = [plan_of(rows, owner) for rows, owner in zip(strategies, SIDES, strict=True)]
        own = {number for number, _ in refined.reached(plans[side]).values()}
        visited: list[set[int]] = [set(), set()]
        if body["format"] not in LARGE_FORMATS:
            game = positions if lock is None else refined.locked_game(positions, lock)
            refined.expected_value(game, 0, refined.reached(plans[0]), refined.reached(plans[1]), visited)
    for row in lock["rows"][side] if lock else ():
        yield (*_words(problem, row), LOCKED)
    for number, row in enumerate(strategies[side]):
        when = REACHED if number in visited[side] else LATER if number in own else ERRED
        yield (*_words(problem, row), "" if body["format"] in LARGE_FORMATS else when)


def _words(problem: "GameSource", row: Mapping[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    seen, names = problem.words(row["view"], row["actions"])
    shares = [(name, share) for name, share in zip(names, row["probabilities"], strict=True) if share != "0"]
    return " | ".join(line.strip() for line in seen.splitlines() if line.strip()), shares


def claims_of(body: Body) -> dict[str, Any]:
    """Return what a checked certificate of a tree says beyond the value: its locks, and what it is refined against."""
    lock, refinement = body.get("lock"), body.get("refinement")
    found: dict[str, Any] = {"quasi_perfect": True} if "quasi_perfect" in body else {}
    if isinstance(lock, dict):
        found["locked"] = sum(map(len, lock["rows"]))
    if isinstance(refinement, dict):
        found["refined"] = "uniform" if refinement["opponent"] == "uniform" else "a given policy"
        found |= {key: refinement[key] for key in ("scores", "safety")}
    return found


def verified_sentence(answer: Mapping[str, Any]) -> str:
    lower, upper = answer["lower"], answer["upper"]
    value = f"is exactly {lower}" if answer["exact"] else f"is between {lower} and {upper}"
    spent, locked = f"{answer['cpu_seconds']} CPU s", answer.get("locked")
    game = answer["game"] + (f" with {locked} locked information states" if locked else "")
    said = f"valid: the value of {game} {value}, proved by its two strategies ({spent})"
    if answer.get("quasi_perfect"):
        said += "; quasi-perfect"
    if "refined" in answer:
        who = "uniform play" if answer["refined"] == "uniform" else answer["refined"]
        said += f"; best against {who}" + ("" if answer["safety"] == "0" else f" with a safety of {answer['safety']}")
    return said
