"""fogspiel questions."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ..app import AsJson, GameWords, Remember, app, load_and_announce, print_json, write_text


@app.command("questions")
def questions(
    game: GameWords,
    seat: Annotated[str, typer.Option("--as", help="first, second, or both.")] = "both",
    output: Annotated[Path | None, typer.Option(help="Write to this file, not to stdout.")] = None,
    memory: Annotated[float, typer.Option(help="The most memory that the game may take, in GiB.")] = 4.0,
    remember: Remember = False,
    as_json: AsJson = False,
) -> None:
    """Ask every decision of a game in words, one JSON line each; `fogspiel exploit GAME ANSWERS.jsonl` grades them."""
    from ...solving.policies import state_sheets as asked

    seats = {"first": (0,), "second": (1,), "both": (0, 1)}
    if seat not in seats:
        raise ValueError(f"--as is {seat!r}: it must be {', '.join(seats)}")
    chosen = load_and_announce(game, remember)
    states = [state for state in asked.information_states(chosen, memory) if state.player in seats[seat]]
    lines = [asked.head_json(chosen, len(states)), *map(asked.question_json, states)]
    if output is not None or not as_json:
        write_text("".join(json.dumps(line) + "\n" for line in lines), output)
    if as_json:
        place = {"lines": lines} if output is None else {"output": str(output)}
        print_json({"game": chosen.name, "questions": len(states), **place})
