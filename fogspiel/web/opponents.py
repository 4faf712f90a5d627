"""Whom a person can play against: named strategies, engines, and what the runs of the store have found."""

from pathlib import Path
from typing import Any

import numpy as np

from ..core.agents import policy_names
from ..core.game import Game
from ..kriegspiel.engine import USUAL, parse_engine
from ..runs.agent_texts import engines_of
from ..runs.kinds.solve import METHOD as SOLVE
from ..runs.store import Store, StoreError
from ..tune.methods import methods
from .page_agents import demand_page_player

STRATEGY, ENGINE, RUN, SOLUTION = "strategy", "engine", "run", "solution"
LONGEST, MOST_NODES = 60.0, 50_000_000
"""Seconds and nodes that an engine may be given for each move."""
ABOUT = {
    "A": "searches random boards to their end (approach A)",
    "C": "searches what the referee might say and weighs it at once (approach C)",
    "minimax": "searches what may still stand where",
    "los": "samples boards that explain the last message",
    "aosp": "samples boards that explain all messages",
    "hs": "samples both kinds of boards",
    "random": "tries anything",
    "greedy": "takes what it can, else tries anything",
    **{f"B{k}": f"simulates the referee's messages, {k} moves deep (approach B)" for k in (1, 3, 7, 10)},
    "optimal": "cannot be improved",
    "perfect": "never errs",
    "equilibrium": "cannot be beaten in the long run",
    "dichotomy": "asks about half of those that are left",
    "uniform": "tries anything with equal probability",
    "fixed": "one random parameter vector, drawn for this game",
    "redrawn": "a random parameter vector, drawn anew for every game",
}


def opponents(game: Game, store: Path) -> list[dict[str, Any]]:
    """The opponents that can be named in this game, engines first, runs last."""
    return _by_name(game) + _by_run(game, store)


def _by_name(game: Game) -> list[dict[str, Any]]:
    found = [{"words": name, "kind": ENGINE, "about": ABOUT.get(name, "an engine")} for name in engines_of(game)]
    found += [{"words": name, "kind": STRATEGY, "about": _about(game, name)} for name in policy_names(game)]
    return found


def _by_run(game: Game, store: Path) -> list[dict[str, Any]]:
    """What the runs of the store have found; a store that cannot be read hides nobody else."""
    try:
        with Store.open(store, write=False) as runs:
            summaries = runs.summaries()
    except StoreError:
        return []
    found = []
    for run in reversed(summaries):
        if run.game != game.name:
            continue
        if run.method == SOLVE and run.state == "finished":
            found.append({"words": run.name, "kind": SOLUTION, "about": "plays the exact solution that it found"})
        elif run.method in methods() and (run.steps or run.state == "finished"):
            so_far = "the best it found" if run.state == "finished" else f"{run.state}: the best so far"
            found.append({"words": run.name, "kind": RUN, "about": f"{run.method}, {so_far}"})
    return found


def _about(game: Game, name: str) -> str:
    """What a strategy does, in a sentence."""
    numbers, family = game.named.get(name), game.strategy
    if isinstance(numbers, tuple) and family and family.words:
        words = family.words(np.array(numbers, np.float64))
        if "\n" not in words:
            return words
    return ABOUT.get(name, "a strategy of the game")


def demand_opponent(game: Game, words: str) -> None:
    """Refuse words that cannot name an opponent here, and an engine that would think for ever."""
    demand_page_player(game, words)
    effort = parse_engine(words)[1] if words.partition("@")[0] in engines_of(game) else USUAL
    if (effort.seconds or 0) > LONGEST or (effort.nodes or 0) > MOST_NODES:
        raise ValueError(f"an engine may think {LONGEST:g} seconds or {MOST_NODES} nodes for each move, not more")
