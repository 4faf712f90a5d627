"""Which agents a page may name: names, numbers, runs, and engines with plain options; never a program or a file.

Whoever may open a page may not therefore run programs or read the disk: that takes the command line.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.agents import policy_names
from ..core.find import spec_of
from ..core.game import Game, known_game, list_games, parameters_of
from ..kriegspiel.engine import EFFORT, STRAY, engine_variants, engines, find_engine, parse_engine, plain_name
from ..kriegspiel.engines.mcts import ENGINES as MODELLED
from ..kriegspiel.opponent_model import GENERIC_NAME, NO_MODEL
from ..runs.agent_texts import engines_of, sources
from ..runs.kind import kind_of_method
from ..runs.kinds.solve import KIND as SOLVE

TRUNCATION = ",..)"
"""How the name of an agent with many numbers ends."""


def demand_page_agent(game: Game, text: str, *, options: bool = False) -> None:
    """Refuse a text that is not an agent that a page may name, with a ValueError that says what it could be.

    The text alone decides, never what is on the disk. Engines may have options (`stray-C:none`) where these are known.
    """
    engine, mark, effort = text.partition("@")
    if options and plain_name(engine) not in (*engines(), *engine_variants()):
        find_engine(plain_name(engine))  # knows similar names
    if options and engine in _engine_texts():
        parse_engine(text)  # says how an effort is written
        if not mark or EFFORT.fullmatch(effort):
            return
    elif any(source.on_page(game, text) for source in sources()):
        return
    listed, count = ", ".join([*engines_of(game), *policy_names(game)]), len(parameters_of(game))
    if options:
        listed = ", ".join([*engines(), *(f"{name}:{GENERIC_NAME}" for name in MODELLED)])
        more = f", with {STRAY} before it or an effort (@0.4s, @20000n) behind it"
    else:
        more = f", a run, or {count} numbers with commas between them" if count else " or a solved run"
    raise ValueError(
        f"{text[:60]!r} is not a player of {game.name}: give a name ({listed}){more}; "
        "programs and files can be named on the command line only"
    )


def _engine_texts() -> list[str]:
    """The engines that can be named, with each of their options."""
    texts = [*engines(), *(f"{name}:{model}" for name in MODELLED for model in (NO_MODEL, GENERIC_NAME))]
    return [*texts, *(STRAY + text for text in texts)]


def demand_page_run(name: str, ask: Mapping[str, Any]) -> None:
    """Refuse work on a stored run, wanted by a page, if its request names a program or a file.

    A game that the user has brought to the server is none of these: its file is the one that the user named.
    """
    try:
        solves = kind_of_method(ask["method"]) is SOLVE or "source" in ask
        if solves and ask["source"] not in list_games() and spec_of(ask["game"]) is None:
            raise ValueError("its rules are in a file")
        for text, options in _agent_texts(ask):
            demand_page_agent(known_game(ask["game"]), text, options=options)
    except (ValueError, TypeError, KeyError, AttributeError):  # a malformed request is not worked on either
        raise ValueError(
            f"run {name} names a program or a file, which a page may not use: go on with it on the command line, "
            f"`fogspiel resume {name}`"
        ) from None


def _agent_texts(ask: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The texts of all agents in a request, and whether they are engines that may have options."""
    for player in ask.get("players", ()):
        yield (player["engine"], True) if "engine" in player else (player["name"], False)
    for side in ("first", "second", "baseline"):
        if side in ask:
            text = ask[side]
            yield (text.removesuffix(TRUNCATION) if ask.get(f"{side}_theta") is not None else text), False
