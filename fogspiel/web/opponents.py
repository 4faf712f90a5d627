"""Opponents of a person: named strategies, engines, and results of runs in the store.

A page may name strategies, numbers, runs, and engines with plain options, but never a program or a file. Access to a
page must not imply the right to run programs or to read the disk; that takes the command line.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from ..core.agents import policy_names
from ..core.compile.kernel import interpreted
from ..core.find import spec_of
from ..core.game import Game, game_or_none, known_game, parameters_of
from ..core.page_contract import PlaySupport, play_support
from ..runs.agent_parser import SOLVED, engines_of, plug_ins, sources
from ..runs.kind import kind_of_method
from ..runs.kinds.solve import KIND as SOLVE
from ..runs.store import Store, StoreError
from ..solving.known_values import shipped_solution

STRATEGY, ENGINE, SOLUTION = "strategy", "engine", "solution"
LEVELS = ("perfect", "strong", "fair", "plays by a rule", "at random")  # strengths of opponents, the best first
LONGEST, MAX_NODES = 60.0, 50_000_000  # limits on an engine's seconds and nodes per move
TRUNCATION = ",..)"  # end of the name of an agent with many numbers
NOTES = {
    "random": "tries anything",
    "greedy": "takes what it can, else tries anything",
    "uniform": "tries anything with equal probability",
    "fixed": "one random parameter vector, drawn for this game",
    "search": "searches by the rules, from all states that fit its views",
    "redrawn": "a random parameter vector, drawn again for every game",
}


# Names of strategies that are proved optimal by the exact results of their games.
PERFECT = ("optimal", "perfect", "exact", "equilibrium", "God")
# Names of strategies that use no evaluation, or a random one.
AIMLESS = ("uniform", "random", "fixed", "redrawn", "lowest", "plain")
EXACT = "exact solution"
NARROW = 1e-5  # a solution with bounds this close is indistinguishable from a perfect one


class Opponent(TypedDict):
    """Opponent of a person: the text that names it, its category, its description, and its strength."""

    words: str
    title: str  # label shown to people in place of the text
    kind: str
    about: str
    level: str


def opponents(game: Game, store: Path) -> list[Opponent]:
    """List the opponents that can be named in this game, the strongest first, as far as that is known."""
    support = play_support(game)
    found = [(name, ENGINE, {**NOTES, **support.notes}.get(name, "an engine")) for name in engines_of(game)]
    found += [(name, STRATEGY, _about(game, name)) for name in policy_names(game)]
    if shipped_solution(game.name) is not None:
        found.append((SOLVED, SOLUTION, "plays the certified solution: nobody beats it in the long run"))
    offers = [
        Opponent(
            words=name,
            title=EXACT if name == SOLVED else name,
            kind=kind,
            about=about,
            level=_level(support, name, kind),
        )
        for name, kind, about in found
    ]
    found_offers = (offer for source in plug_ins() for offer in source.offers(game))
    offers += [
        Opponent(words=words, title=title, kind=ENGINE, about=about, level=LEVELS[1 + strength])
        for words, title, about, strength, _ in found_offers
    ]
    offers += _of_runs(game, store)

    def rank(offer: Opponent) -> tuple[int, int, bool]:
        words = offer["words"]
        return LEVELS.index(offer["level"]), [*support.strongest, words].index(words), words in AIMLESS

    return sorted(offers, key=rank)


# Levels of play for people, by level of `search`; a perfect opponent is offered where one is known.
SEARCH_LEVELS = {"Novice": "search:level=1", "Club": "search:level=3", "Expert": "search:level=6"}
PERFECT_LEVEL = "Perfect"


def levels_of_play(game: Game, store: Path) -> dict[str, str]:
    """Return the opponent of each level of play, the weakest first."""
    found = dict(play_support(game).levels) or {
        title: words
        for title, words in SEARCH_LEVELS.items()
        if any(source.on_page(game, words) for source in sources())
    }
    best = opponents(game, store)[0]
    if best["level"] == LEVELS[0]:
        found[PERFECT_LEVEL] = best["words"]
    return found


def ratings_of(game: Game) -> dict[str, int]:
    """Return the Elo of the rated opponents of a game, by their text; each game has a scale of its own."""
    offers = (offer for source in plug_ins() for offer in source.offers(game))
    rated = {offer.words: offer.rating for offer in offers if offer.rating is not None}
    return {**rated, **play_support(game).ratings}


def level_name(game: Game, store: Path, words: str) -> str:
    """Return the level of play of an opponent, or "Opponent" for one between the levels."""
    titles = {of_level: title for title, of_level in levels_of_play(game, store).items()}
    return titles.get(words, "Opponent")


def _level(support: PlaySupport, name: str, kind: str) -> str:
    if kind == SOLUTION or name in PERFECT:
        return LEVELS[0]
    if name in AIMLESS:
        return LEVELS[4]
    if kind == ENGINE and name in support.fair:
        return LEVELS[2]
    return LEVELS[3] if kind == STRATEGY or name in support.simple else LEVELS[1]


def _of_runs(game: Game, store: Path) -> list[Opponent]:
    """List the opponents of the store's runs; an unreadable store yields none."""
    found: list[Opponent] = []
    with suppress(StoreError), Store.open(store, write=False) as runs:
        for run in reversed(runs.summaries()):
            kind = kind_of_method(run.method)
            offer = kind.opponent(run) if run.game == game.name else None
            if offer is None or (offer[0] == SOLUTION and not kind.playable(runs.read(run.name))):
                continue
            low, high = run.interval or (0.0, 1.0)
            perfect = offer[0] == SOLUTION and high - low <= NARROW
            title = f"{EXACT if low == high else 'solution'} ({run.name})" if perfect else run.name
            level = LEVELS[0 if perfect else 1]
            found.append(Opponent(words=run.name, title=title, kind=offer[0], about=offer[1], level=level))
        return found
    return []


def _about(game: Game, name: str) -> str:
    numbers, family = game.policies.get(name), game.strategy
    if isinstance(numbers, tuple) and family and family.describe:
        with interpreted():  # one description does not justify compiling
            words = family.describe(np.array(numbers, np.float64))
        if "\n" not in words:
            return words
    return game.policy_notes.get(name) or NOTES.get(name, "a strategy of the game")


def demand_opponent(game: Game, words: str) -> None:
    """Raise a ValueError if the text cannot name an opponent here, or names an engine with too large a budget."""
    demand_page_agent(game, words)
    if words.partition("@")[0] not in engines_of(game):
        return
    effort = play_support(game).effort_of(words)
    if (effort.seconds or 0) > LONGEST or (effort.nodes or 0) > MAX_NODES:
        raise ValueError(f"an engine may think {LONGEST:g} seconds or {MAX_NODES} nodes for each move, not more")


def demand_page_agent(game: Game, text: str, *, options: bool = False) -> None:
    """Raise a ValueError, with the valid alternatives, unless `text` is an agent that a page may name.

    Only the text decides, never the content of the disk. Engines may have options (`stray-C:none`) where known.
    """
    support = play_support(game)
    if support.names_engine(text, options=options):
        return
    if any(source.on_page(game, text) for source in sources()):
        return
    if options:
        ways = support.option_help()
    else:
        count = len(parameters_of(game))
        more = f", a run, or {count} numbers with commas between them" if count else " or a solved run"
        ways = f"({', '.join([*engines_of(game), *policy_names(game)])}){more}"
    raise ValueError(
        f"{text[:60]!r} is not a player of {game.name}: give a name {ways}; "
        "programs and files can be named on the command line only"
    )


def demand_page_run(name: str, ask: Mapping[str, Any]) -> None:
    """Raise a ValueError if a page requests work on a stored run whose request names a program or a file.

    A game that the user has added to the server is allowed: the user named its file.
    """
    try:
        solves = kind_of_method(ask["method"]) is SOLVE or "source" in ask
        if solves and game_or_none(ask["source"]) is None and spec_of(ask["game"]) is None:
            raise ValueError("its rules are in a file")
        for text, options in _agent_texts(ask):
            demand_page_agent(known_game(ask["game"]), text, options=options)
    except (ValueError, TypeError, KeyError, AttributeError):  # a malformed request is rejected too
        raise ValueError(
            f"run {name} names a program or a file, which a page may not use: resume it on the command line, "
            f"`fogspiel resume {name}`"
        ) from None


def _agent_texts(ask: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the text of every agent in a request, and whether it is an engine that may have options."""
    for player in ask.get("players", ()):
        yield (player["engine"], True) if "engine" in player else (player["name"], False)
    for side in ("first", "second", "baseline"):
        if side in ask:
            text = ask[side]
            yield (text.removesuffix(TRUNCATION) if ask.get(f"{side}_theta") is not None else text), False
