"""fogspiel play."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..app import INTERRUPTED, AsJson, GameWords, Remember, StorePath, app, load_and_announce, print_json, store_path
from ..completion import complete_players

if TYPE_CHECKING:
    from ...core.session import PersonSession
    from ...solving.policies.state_sheets import MoveReview


@app.command("play")
def play(
    game: GameWords,
    against: Annotated[
        str | None,
        typer.Option(
            autocompletion=complete_players,
            help="A named strategy, a run, a parameter file, numbers, or an engine; else the first that is named.",
        ),
    ] = None,
    seat: Annotated[
        str, typer.Option("--as", help="Your seat: first or second (Kriegspiel: white or black).")
    ] = "first",
    seed: Annotated[int | None, typer.Option(help="Same seed, same deal; else another one each time.")] = None,
    remember: Remember = False,
    coach: Annotated[
        str | None, typer.Option(help="What your moves cost: `each` after every move, `after` at the end.")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Play a game in the terminal: you see what you may know, and the whole truth afterwards."""
    import secrets

    from ...core.agents import policy_names
    from ...core.plugins import extras
    from ...core.session import PersonSession
    from ...runs.agent_parser import parse_agent
    from ..terminal import Terminal, ask_person, parse_seat, payoff_of

    chosen, side = load_and_announce(game, remember), parse_seat(seat)
    seed = secrets.randbits(32) if seed is None else seed
    own = extras("cli.commands", "PLAY").get(chosen.name)  # a terminal that its slice has for the game
    if own and (against is None or against not in policy_names(chosen)):
        own(side, against, seed, as_json)
        return
    against = against or policy_names(chosen)[0]
    lines, tell = ask_person(as_json)
    session = PersonSession(chosen, parse_agent(chosen, against, store_path(store), seed), side, seed)
    advice = _advice(session, coach)
    terminal = Terminal(session, lines, tell, advice if coach == "each" else None)
    played = terminal.play()
    tell(f"The game is over: {played.how}.")
    tell(terminal.epilogue())
    costs = advice() if advice else []
    if coach == "after":
        tell("\n".join(["What your moves cost:", *(found.sentence for found in costs)]))
    if as_json:
        score = None if played.score is None else payoff_of(session, played.score)
        facts: dict[str, Any] = {"game": chosen.name, "against": against, "as": ("first", "second")[side], "seed": seed}
        facts |= {"how": played.how, "score": score, "actions": len(session.decisions)}
        print_json(facts | ({"coach": [found.as_json() for found in costs]} if coach else {}))
    if played.interrupted or played.failed:
        raise typer.Exit(INTERRUPTED if played.interrupted else 2)


def _advice(session: "PersonSession", coach: str | None) -> "Callable[[], list[MoveReview]] | None":
    """Return the function that prints the cost of all moves so far, if a coach is wanted."""
    if coach is None:
        return None
    if coach not in ("each", "after"):
        raise ValueError(f"--coach is {coach!r}: it must be each or after")
    from ...solving.policies.state_sheets import find_coach

    found = find_coach(session.game, session.side, session.opponent)
    return lambda: found.advise(session.decisions)
