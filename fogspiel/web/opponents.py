"""Whom a person can play against: named strategies, engines, and what the runs of the store have found."""

from pathlib import Path
from typing import TypedDict

import numpy as np

from ..core.agents import policy_names
from ..core.compile.kernel import interpreted
from ..core.game import Game
from ..kriegspiel.engine import USUAL, parse_engine
from ..kriegspiel.engines.simple import ENGINES as SIMPLE
from ..runs.agent_texts import SOLVED, engines_of
from ..runs.kind import kind_of_method
from ..runs.store import Store, StoreError, Summary
from ..solving.known_values import shipped_solution
from .page_agents import demand_page_agent

STRATEGY, ENGINE, SOLUTION = "strategy", "engine", "solution"
LEVELS = ("perfect", "strong", "fair", "plays by a rule", "at random")
"""How well opponents play, the best first."""
LONGEST, MOST_NODES = 60.0, 50_000_000
"""Seconds and nodes that an engine may be given for each move."""
ABOUT = {
    "fog": "weighs every board that explains all messages, and expects an opponent as blind as itself: the strongest",
    "A": "searches random boards to their end (approach A)",
    "C": "searches what the referee might say and weighs it at once (approach C)",
    "minimax": "searches what may still stand where",
    "los": "samples boards that explain the last message",
    "aosp": "samples boards that explain all messages",
    "hs": "samples both kinds of boards",
    "random": "tries anything",
    "greedy": "takes what it can, else tries anything",
    **{f"B{k}": f"simulates the referee's messages, {k} moves deep (approach B)" for k in (1, 3, 7, 10)},
    "uniform": "tries anything with equal probability",
    "fixed": "one random parameter vector, drawn for this game",
    "redrawn": "a random parameter vector, drawn anew for every game",
}


PERFECT = ("optimal", "perfect", "exact", "equilibrium", "God")
"""Names of strategies that are proved to be best, by the exact answers of their games."""
AIMLESS = ("uniform", "random", "fixed", "redrawn", "lowest", "plain")
"""Names of strategies that weigh nothing, or something at random."""
BY_STRENGTH = ("fog", "hs", "C", "aosp", "minimax", "B1", "B3", "B7", "B10", "los", "A")
"""The engines of Kriegspiel, the strongest first, by the matches in docs/results/kriegspiel.md."""
FAIR = BY_STRENGTH[BY_STRENGTH.index("minimax") + 1 :]
"""Those that lose to the minimax program."""
EXACT = "exact solution"
NARROW = 1e-5
"""Bounds so close prove a solution that nobody tells from a perfect one."""


class Opponent(TypedDict):
    """Whom a person can play against: the words that name the opponent, its kind, what it does, and how well."""

    words: str
    title: str
    """What people are shown in place of the words."""
    kind: str
    about: str
    level: str


def opponents(game: Game, store: Path) -> list[Opponent]:
    """The opponents that can be named in this game, the strongest first, as far as that is known."""
    found = [(name, ENGINE, ABOUT.get(name, "an engine")) for name in engines_of(game)]
    found += [(name, STRATEGY, _about(game, name)) for name in policy_names(game)]
    if shipped_solution(game.name) is not None:
        found.append((SOLVED, SOLUTION, "plays the certified solution: nobody beats it in the long run"))
    offers = [_offer(name, kind, about) for name, kind, about in found]
    offers += _of_runs(game, store)
    return sorted(offers, key=_rank)


def _rank(offer: Opponent) -> tuple[int, int]:
    """The place of an opponent in the list: by its level and, of engines, by what matches have shown."""
    engines = [*BY_STRENGTH, offer["words"]]
    return LEVELS.index(offer["level"]), engines.index(offer["words"])


def _offer(name: str, kind: str, about: str) -> Opponent:
    """An opponent that comes with the package."""
    title = EXACT if name == SOLVED else name
    return Opponent(words=name, title=title, kind=kind, about=about, level=level_of(name, kind))


def level_of(name: str, kind: str) -> str:
    """How well an opponent plays, in a word of LEVELS."""
    if kind == SOLUTION or name in PERFECT:
        return LEVELS[0]
    if name in AIMLESS:
        return LEVELS[4]
    if kind == ENGINE and name in FAIR:
        return LEVELS[2]
    return LEVELS[3] if kind == STRATEGY or name in SIMPLE else LEVELS[1]


def _of_runs(game: Game, store: Path) -> list[Opponent]:
    """What the runs of the store have found; a store that cannot be read hides no other opponent."""
    try:
        with Store.open(store, write=False) as runs:
            summaries = [run for run in reversed(runs.summaries()) if run.game == game.name]
            return [offer for run in summaries if (offer := _of_run(run, runs)) is not None]
    except StoreError:
        return []


def _of_run(run: Summary, runs: Store) -> Opponent | None:
    """What a run has found, if that can be played."""
    kind = kind_of_method(run.method)
    offer = kind.opponent(run)
    if offer is None or (offer[0] == SOLUTION and not kind.playable(runs.read(run.name))):
        return None
    low, high = run.interval or (0.0, 1.0)
    perfect = offer[0] == SOLUTION and high - low <= NARROW
    title = f"{EXACT if low == high else 'solution'} ({run.name})" if perfect else run.name
    return Opponent(words=run.name, title=title, kind=offer[0], about=offer[1], level=LEVELS[0 if perfect else 1])


def _about(game: Game, name: str) -> str:
    """What a strategy does, in a sentence."""
    numbers, family = game.named.get(name), game.strategy
    if isinstance(numbers, tuple) and family and family.words:
        with interpreted():  # a sentence is not worth compiling anything
            words = family.words(np.array(numbers, np.float64))
        if "\n" not in words:
            return words
    return game.about.get(name) or ABOUT.get(name, "a strategy of the game")


def demand_opponent(game: Game, words: str) -> None:
    """Refuse words that cannot name an opponent here, and an engine that would think for ever."""
    demand_page_agent(game, words)
    effort = parse_engine(words)[1] if words.partition("@")[0] in engines_of(game) else USUAL
    if (effort.seconds or 0) > LONGEST or (effort.nodes or 0) > MOST_NODES:
        raise ValueError(f"an engine may think {LONGEST:g} seconds or {MOST_NODES} nodes for each move, not more")
