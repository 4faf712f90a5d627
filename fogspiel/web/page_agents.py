"""Which players a page may name: names, numbers, runs, and engines with plain options; never a program or a file.

Whoever may open a page may not therefore run programs or read the disk: that takes the command line.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.agents import policy_names
from ..core.game import Game, find_game, games, parameters_of
from ..kriegspiel.engine import EFFORT, STRAY, engines, find_engine, parse_engine, plain_name
from ..kriegspiel.engines.mcts import ENGINES as MODELLED
from ..kriegspiel.opponent_model import GENERIC_NAME, NO_MODEL
from ..runs.agent_texts import RUN_NAME, engines_of, numbers_in

CUT = ",..)"
"""How the name of a player with many numbers ends."""


def demand_page_player(game: Game, words: str, *, options: bool = False) -> None:
    """Refuse words that are not a player that a page may name, with a ValueError that says what they could be.

    The words alone decide, never what is on the disk. Engines may have options (`stray-C:none`) where these are known.
    """
    engine, mark, effort = words.partition("@")
    if options and plain_name(engine) not in engines():
        find_engine(plain_name(engine))  # knows similar names
    if engine in _engines(game, options):
        parse_engine(words)  # says how an effort is written
        if not mark or EFFORT.fullmatch(effort):
            return
    elif words in policy_names(game) or RUN_NAME.fullmatch(words) or numbers_in(words) is not None:
        return
    listed, count = ", ".join([*engines_of(game), *policy_names(game)]), len(parameters_of(game))
    if options:
        listed = ", ".join([*engines(), *(f"{name}:{GENERIC_NAME}" for name in MODELLED)])
        more = f", with {STRAY} before it or an effort (@0.4s, @20000n) behind it"
    else:
        more = f", a run, or {count} numbers with commas between them" if count else " or a solved run"
    raise ValueError(
        f"{words[:60]!r} is not a player of {game.name}: give a name ({listed}){more}; "
        "programs and files can be named on the command line only"
    )


def demand_page_run(name: str, ask: Mapping[str, Any]) -> None:
    """Refuse work on a stored run, wanted by a page, if its request names a program or a file."""
    try:
        if "source" in ask and ask["source"] not in games():
            raise ValueError("its rules are in a file")
        for words, options in _players_of(ask):
            demand_page_player(find_game(ask["game"]), words, options=options)
    except (ValueError, TypeError, KeyError, AttributeError):  # a request that is none is not worked on either
        raise ValueError(
            f"run {name} names a program or a file, which a page may not use: go on with it on the command line, "
            f"`fogspiel resume {name}`"
        ) from None


def _engines(game: Game, options: bool) -> list[str]:
    """The engines that can be named, in all their ways if options are known."""
    if not options:
        return engines_of(game)
    ways = [*engines(), *(f"{name}:{model}" for name in MODELLED for model in (NO_MODEL, GENERIC_NAME))]
    return [*ways, *(STRAY + way for way in ways)]


def _players_of(ask: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The words of all players in a request, and whether they are engines that may have options."""
    for player in ask.get("players", ()):
        yield (player["engine"], True) if "engine" in player else (player["name"], False)
    for side in ("first", "second", "baseline"):
        if side in ask:
            words = ask[side]
            yield (words.removesuffix(CUT) if ask.get(f"{side}_theta") is not None else words), False
