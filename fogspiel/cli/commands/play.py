"""fogspiel play."""

import sys
from typing import Annotated

import typer

from ..app import INTERRUPTED, AsJson, StorePath, announce_compilation, app, print_json, spoken_lines, store_path

USUAL_ENGINE = "greedy"
"""Who plays Kriegspiel if nobody else is named."""


@app.command()
def play(
    game: str,
    against: Annotated[
        str | None,
        typer.Option(
            help="A named strategy, a run, a parameter file, numbers, or an engine; else the first that is named."
        ),
    ] = None,
    seat: Annotated[
        str, typer.Option("--as", help="Your seat: first or second (Kriegspiel: white or black).")
    ] = "first",
    seed: Annotated[int | None, typer.Option(help="Same seed, same deal; else another one each time.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Play a game in the terminal: you see what you may know, and the whole truth afterwards."""
    import secrets

    from ...core.agents import Contender, names
    from ...core.game import game_named
    from ...core.players import entrant_of
    from ...core.session import Sitting
    from ...runs.agent_texts import KRIEGSPIEL, entrant
    from ..terminal import conversation, epilogue, side_named

    chosen, side = game_named(game), side_named(seat)
    seed = secrets.randbits(32) if seed is None else seed
    if chosen.name == KRIEGSPIEL and (against is None or against not in names(chosen)):
        from .kriegspiel_games import play_game

        return play_game(("white", "black")[side], against or USUAL_ENGINE, seed=seed, as_json=as_json)
    against = against or names(chosen)[0]
    stage = sys.stderr if as_json else sys.stdout

    def tell(words: str) -> None:
        stage.write(words + "\n")
        stage.flush()

    announce_compilation()
    opponent = entrant(chosen, against, store_path(store), seed)
    sitting = Sitting(chosen, entrant_of(opponent) if isinstance(opponent, Contender) else opponent, side, seed)
    played = conversation(sitting, spoken_lines(stage), tell)
    tell(f"The game is over: {played.how}.")
    tell(epilogue(chosen, side, sitting.record))
    if as_json:
        facts = {"game": game, "against": against, "as": ("first", "second")[side], "seed": seed}
        print_json(facts | {"how": played.how, "score": played.score, "actions": sitting.own})
    if played.interrupted:
        raise typer.Exit(INTERRUPTED)
