"""fogspiel play."""

from typing import Annotated

import typer

from ..app import (
    INTERRUPTED,
    AsJson,
    GameWords,
    Remember,
    StorePath,
    announce_compilation,
    app,
    print_json,
    remembering,
    store_path,
)  # fmt: skip

USUAL_ENGINE = "greedy"
"""Who plays Kriegspiel if no other opponent is named."""


@app.command()
def play(
    game: GameWords,
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
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Play a game in the terminal: you see what you may know, and the whole truth afterwards."""
    import secrets

    from ...core.agents import policy_names
    from ...core.own_games import bring_game
    from ...core.person_session import PersonSession
    from ...runs.agent_texts import KRIEGSPIEL, agent_from_text
    from ..terminal import Terminal, ask_person, parse_seat, payoff_of

    chosen, side = bring_game(remembering(game, remember)), parse_seat(seat)
    seed = secrets.randbits(32) if seed is None else seed
    if chosen.name == KRIEGSPIEL and (against is None or against not in policy_names(chosen)):
        from .kriegspiel_games import play_game

        return play_game(("white", "black")[side], against or USUAL_ENGINE, seed=seed, as_json=as_json)
    against = against or policy_names(chosen)[0]
    announce_compilation()
    lines, tell = ask_person(as_json)
    session = PersonSession(chosen, agent_from_text(chosen, against, store_path(store), seed), side, seed)
    terminal = Terminal(session, lines, tell)
    played = terminal.play()
    tell(f"The game is over: {played.how}.")
    tell(terminal.epilogue())
    if as_json:
        score = None if played.score is None else payoff_of(session, played.score)
        facts = {"game": chosen.name, "against": against, "as": ("first", "second")[side], "seed": seed}
        print_json(facts | {"how": played.how, "score": score, "actions": len(session.decisions)})
    if played.interrupted or played.failed:
        raise typer.Exit(INTERRUPTED if played.interrupted else 2)
