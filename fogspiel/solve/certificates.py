"""Certificate files: written, read, checked by the checker that fits, and put into words."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.foreign_data import parse_json, read_bytes, shorten
from ..core.plugins import load, sources
from .checkers.primitives import MOST_SECONDS, Body, Bounds, demand, fraction, limit_work, quoted

if TYPE_CHECKING:
    from ..core.agents import Agent
    from ..core.game import Game
    from ..core.state_policy import Probabilities
    from .game_sources import Problem
    from .routes import Proofs

CHECKERS, FOR_TREES = "solve.checkers", ("tree_certificate", "large_tree_certificate")
# The largest certificate that is read unless the user grants more; those that we ship have 0.2 at most.
MOST_MEBIBYTES = 64.0


def write_certificate(body: Body, path: Path) -> None:
    """Write a certificate, with a sentence if that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(body, separators=(",", ":")) + "\n", encoding="utf-8")
    except OSError as error:
        raise ValueError(f"the certificate {path} cannot be written: {error.strerror or error}") from None


def read_certificate(path: Path, mebibytes: float = MOST_MEBIBYTES) -> Body:
    """The certificate in a file of at most that size, as far as it is one: an object that names a game."""
    content = read_bytes(path, "the certificate", int(mebibytes * 2**20), "grant more by `fogspiel verify --size MIB`")
    try:
        body = parse_json(content)
    except ValueError as error:
        raise ValueError(f"the certificate {path} is damaged or not complete: {error}") from None
    if not isinstance(body, dict) or not isinstance(body.get("game"), str):
        raise ValueError(f"the certificate {path} is not valid: it does not say which game it is for")
    found: Body = body
    return found


def verify(body: Body, source: str | None = None, seconds: float = MOST_SECONDS) -> Bounds:
    """The bounds that a certificate proves, by the rules that `source` names or else the game of its name.

    Games whose trees are too large to be walked have formats of their own, each with its independent checker. A
    certificate that takes more than so many CPU seconds is refused.
    """
    with limit_work(seconds):
        for name, folder in sources(CHECKERS).items():
            if name not in FOR_TREES:
                checker = load(CHECKERS, name, folder)
                if body.get("format") in getattr(checker, "FORMATS", (getattr(checker, "FORMAT", ""),)):
                    bounds: Bounds = checker.verify(body)
                    return bounds
        from .checkers import large_tree_certificate, tree_certificate

        demand(isinstance(body.get("game"), str), "it does not say which game it is for")
        large = body.get("format") == large_tree_certificate.FORMAT
        check = large_tree_certificate.verify if large else tree_certificate.verify
        return check(body, problem_of(body, source).positions())


def problem_of(body: Body, source: str | None) -> "Problem":
    """The rules that a certificate is for: a game of the package, or those that the user names by `source`."""
    from .game_sources import find_problem, problem_of_package

    if source is not None:
        return find_problem(source)
    try:
        return problem_of_package(body["game"])
    except ValueError as error:
        raise ValueError(f"{error}; say where the rules of {shorten(body['game'])} are with --game FILE") from None


def certificate_agent(name: str, body: Body, game: "Game") -> "Agent":
    """An agent that plays the two strategies of a certificate; it tells its probabilities, where that can be done."""
    from .routes import proofs_of

    if body.get("game") != game.name:
        raise ValueError(f"the certificate {name} is for {shorten(body.get('game'))}, not for {game.name}")
    if body.get("rules", game.version) != game.version:
        raise ValueError(
            f"the certificate {name} is for version {shorten(body['rules'])} of {game.name}, not {game.version}"
        )
    own = proofs_of(body.get("format"))
    with limit_work(MOST_SECONDS):
        return _agent_of(name, body, game, own)


def _agent_of(name: str, body: Body, game: "Game", own: "Proofs | None") -> "Agent":
    """An agent that plays a certificate whose head fits the game."""
    from ..core.game_words import is_tree
    from ..core.own_games import words_of
    from ..core.state_policy import StatePolicy, state_policy
    from .game_sources import tree_strategies

    if own is None:
        demand("strategies" in body, f"it has none for {game.name}")
        words, rows = words_of(game.name), strategies_of(body)
        if words is not None and is_tree(words.absolute):
            rows = tree_strategies(words.absolute, rows)
        return state_policy(name, game, table_probabilities(rows, name))
    agent = own.agent(name, body)
    return StatePolicy(name, agent.player, game, own.probabilities(body)) if own.probabilities else agent


def strategies_of(body: Body) -> Any:
    """The rows of both strategies of a certificate of a tree, of a small one or a large one."""
    from .checkers import large_tree_certificate

    if body.get("format") != large_tree_certificate.FORMAT:
        return body.get("strategies", ())
    large_tree_certificate.check_form(body)
    return [list(large_tree_certificate.rows_of(body, player)) for player in (0, 1)]


def table_probabilities(strategies: Any, name: str) -> "Probabilities":
    """The rows of both strategies by what the player has done and sees; `after` leads back to earlier decisions."""
    from ..core.state_policy import Answer, InformationState, MissingState
    from .checkers.tree_certificate import SIDES, plan_of

    demand(isinstance(strategies, list) and len(strategies) == len(SIDES), "it must hold two strategies")
    known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], dict[int, Fraction]] = {}
    for player, (rows, side) in enumerate(zip(strategies, SIDES, strict=True)):
        histories: list[tuple[int, ...]] = []
        for (after, view), (number, shares) in plan_of(rows, side).items():
            place = f"row {number} of the {side} player"
            demand(after is None or (len(after) == 2 and 0 <= after[0] < number), f"{place} comes after no earlier row")
            histories.append((*histories[after[0]], after[1]) if after else ())
            known[player, histories[-1], view] = shares

    def probabilities(state: InformationState) -> Answer:
        found = known.get((state.player, state.history, tuple(state.view.tolist())))
        if found is None:
            raise MissingState(f"{name} never comes to {state.line!r} by its own play, so it has no answer there")
        return found

    return probabilities


def own_words(body: Body, everything: bool) -> list[str] | None:
    """A solution in the words of its game, where the game has some."""
    from .routes import proofs_of

    own = proofs_of(body.get("format"))
    with limit_work(MOST_SECONDS):
        return own.explain(body, everything) if own else None


def strategy_rows(body: Body, side: int, source: str | None = None) -> Iterator[tuple[str, str]]:
    """List the views and actions of a player as text, row by row."""
    for seen, choices in strategy_choices(body, side, source):
        chosen = [name if share == "1" else f"{name} {_short(share)}" for name, share in choices]
        yield seen, ", ".join(chosen)


def strategy_choices(body: Body, side: int, source: str | None = None) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """List the views of a player and the possible actions with their probabilities, row by row."""
    from .checkers import large_tree_certificate
    from .checkers.tree_certificate import FORMAT, SIDES, plan_of

    known = body.get("format") in (FORMAT, large_tree_certificate.FORMAT)
    demand(known, f"its format is {quoted(body.get('format'))}, which has no rows to explain")
    problem, strategies = problem_of(body, source), strategies_of(body)
    demand(isinstance(strategies, list) and len(strategies) == len(SIDES), "it must hold two strategies")
    with limit_work(MOST_SECONDS):
        plan_of(strategies[side], SIDES[side])
    for row in strategies[side]:
        seen, names = problem.words(row["view"], row["actions"])
        shares = [(name, share) for name, share in zip(names, row["probabilities"], strict=True) if share != "0"]
        yield " | ".join(line.strip() for line in seen.splitlines() if line.strip()), shares


def _short(share: str) -> str:
    """A probability as people read it."""
    return share if len(share) < 12 else f"{float(fraction(share, 'a probability')):.6f}"
