"""A match that can be interrupted: what was asked and what was counted, so that it goes on where it stopped."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from ... import __version__
from ...core.agents import Frozen, PlayerAgent, Policy, freeze, thaw
from ...core.game import Game, find_game
from ...core.simulate import SEATS
from ...stats.evaluate import Score, evaluate
from ...tune.arena import report_key
from ..agent_texts import agent_from_text
from .tune import check_seed

METHOD = "match"
"""What stands for the method in the request of a match that was stored."""


Side = Policy | PlayerAgent


def ask_of(game: Game, first: Side, second: Side, seed: int, games: int, seats: str) -> dict[str, Any]:
    """Everything the score depends on; parameters are kept as numbers, for a file or a run may change."""
    check_seed(seed)
    if games <= 0:
        raise ValueError(f"--games is {games}: it must be a positive number")
    if seats not in SEATS:
        raise ValueError(f"--seats is {seats!r}: it must be {', '.join(SEATS[:-1])} or {SEATS[-1]}")
    return {
        "game": game.name,
        "method": METHOD,
        "first": first.name,
        "second": second.name,
        **_kept(game, "first", first),
        **_kept(game, "second", second),
        "seed": seed,
        "games": games,
        "seats": seats,
        "rules": game.version,
        "fogspiel": __version__,
    }


def _kept(game: Game, side: str, player: Side) -> dict[str, Any]:
    """The numbers of a side as the request keeps them; `theta` is null where its name says it all."""
    return {f"{side}_theta": None} | {f"{side}_{key}": value for key, value in freeze(game, player).items()}


def _frozen(ask: dict[str, Any], side: str) -> Frozen:
    """The numbers that a request keeps of a side."""
    found = {key: ask.get(f"{side}_{key}") for key in Frozen.__annotations__}
    return cast(Frozen, {key: value for key, value in found.items() if value is not None})


def play_match(
    ask: dict[str, Any],
    counted: dict[str, Any] | None,
    threads: int,
    watch: Callable[[Score], None],
    store: Path,
) -> Score:
    """Play the match that was asked, or what is left of it after what was counted; solved runs are in the store."""
    game = find_game(ask["game"])
    if ask["rules"] != game.version:
        raise ValueError(
            f"the match was played by version {ask['rules']} of the rules, which now are at {game.version}"
        )

    def player(side: str) -> Side:
        return thaw(game, _frozen(ask, side), ask[side]) or agent_from_text(game, ask[side], store, ask["seed"])

    first, second, key = player("first"), player("second"), report_key(ask["seed"])
    return evaluate(game, first, second, key, ask["games"], ask["seats"], threads, watch, counted)
