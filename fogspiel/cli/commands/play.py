"""fogspiel play."""

import sys
from typing import Annotated

import typer

from ..app import INTERRUPTED, AsJson, StorePath, announce_compilation, app, print_json, read_lines, store_path

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

    from ...core.agents import policy_names
    from ...core.game import find_game
    from ...core.person_session import PersonSession
    from ...runs.agent_texts import KRIEGSPIEL, agent_from_text
    from ..terminal import epilogue, parse_seat, play_in_terminal

    chosen, side = find_game(game), parse_seat(seat)
    seed = secrets.randbits(32) if seed is None else seed
    if chosen.name == KRIEGSPIEL and (against is None or against not in policy_names(chosen)):
        from .kriegspiel_games import play_game

        return play_game(("white", "black")[side], against or USUAL_ENGINE, seed=seed, as_json=as_json)
    against = against or policy_names(chosen)[0]
    stage = sys.stderr if as_json else sys.stdout

    def tell(words: str) -> None:
        stage.write(words + "\n")
        stage.flush()

    announce_compilation()
    opponent = agent_from_text(chosen, against, store_path(store), seed)
    sitting = PersonSession(chosen, opponent, side, seed)
    played = play_in_terminal(sitting, read_lines(stage), tell)
    tell(f"The game is over: {played.how}.")
    tell(epilogue(chosen, side, sitting.record))
    if as_json:
        facts = {"game": game, "against": against, "as": ("first", "second")[side], "seed": seed}
        print_json(facts | {"how": played.how, "score": played.score, "actions": len(sitting.decisions)})
    if played.interrupted:
        raise typer.Exit(INTERRUPTED)
