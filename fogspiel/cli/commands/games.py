"""fogspiel games, fogspiel show."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.find import write_template
from .. import console
from ..app import (
    INTERRUPTED,
    AsJson,
    GameWords,
    Remember,
    Seed,
    StorePath,
    app,
    complete_players,
    load_and_announce,
    store_path,
)
from ..console import print_json

if TYPE_CHECKING:
    from ...core.game import Game


@app.command("games")
def list_games(as_json: AsJson = False) -> None:
    """List the games, their parameters and their named strategies."""
    from ...core import agents
    from ...core.game import list_games, parameters_of

    found = list_games().values()
    if as_json:
        return print_json({"games": [_words_of(game) for game in found]})
    rows = [(g.name, g.title, len(parameters_of(g)), ", ".join(agents.policy_names(g))) for g in found]
    console.table("Games", ("name", "title", "parameters", "players by name"), rows)


def _words_of(game: "Game") -> dict[str, Any]:
    from ...core.agents import policy_names
    from ...core.game import parameters_of

    hashed = list(game.strategy.unordered) if game.strategy else []
    return {
        "name": game.name,
        "title": game.title,
        "rules": game.version,
        "parameters": len(parameters_of(game)),
        "parameter_names": list(parameters_of(game)),
        "hashed_parameters": hashed,
        "players": policy_names(game),
        "symmetric": game.symmetric,
        "payoffs": [str(payoff) for payoff in game.payoffs],
        "source": game.source,
    }


@app.command("show")
def show(game: GameWords, seed: Seed = 1, remember: Remember = False, as_json: AsJson = False) -> None:
    """Show one game: its strategy, who plays it, where it comes from, and a position as a player sees it."""
    from ...core.agents import find_policy
    from ...core.compile.kernel import interpreted
    from ...core.game import UNIFORM, how_to_play
    from ...core.session import record_game, replay, view_of
    from ...solving.bounds.any_game import powers_words

    chosen = load_and_announce(game, remember)
    uniform = find_policy(chosen, UNIFORM.name)
    with interpreted():  # one game does not justify compiling
        record, _ = record_game(chosen, uniform, uniform, seed, 0)
        moment = next(position for position in replay(chosen, record) if position.mover in (0, 1))
        view = chosen.show(view_of(chosen, moment.state, moment.mover))
    tries = [chosen.label(action) for action in moment.actions]
    words, powers = _words_of(chosen), powers_words(chosen)
    if as_json:
        rules = list(how_to_play(chosen))
        return print_json(words | {"how_to_play": rules, "view": view, "actions": tries, "powers": powers})
    names = words["parameter_names"]
    listed = ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:4])}, .. {names[-1]}"
    console.out.print(console.bold(chosen.name) + f": {chosen.title} (rules version {chosen.version})")
    for line in how_to_play(chosen):
        console.out.print(line)
    console.out.print(f"parameters ({len(names)}): {listed}")
    if words["hashed_parameters"]:
        console.out.print(
            f"seeds of something random, nearby values unrelated: {', '.join(words['hashed_parameters'])}"
        )
    console.out.print(f"players by name: {', '.join(words['players'])}")
    console.out.print(_powers_line(powers))
    if chosen.source:
        console.out.print(f"source: {chosen.source}")
    moved = f"the first decision of a game (seed {seed}), as player {moment.mover + 1} sees it"
    console.out.print("\n", console.bold(moved), sep="")
    console.out.print(view)
    most = 12
    more = f" and {len(tries) - most} more" if len(tries) > most else ""
    console.out.print(f"may try: {', '.join(tries[:most])}{more}")


# fogspiel check, fogspiel new.

if TYPE_CHECKING:
    from ...solving.contract import GameCheck

SHOWN_ACTIONS = 30


@app.command("check")
def check(game: GameWords, remember: Remember = False, as_json: AsJson = False) -> None:
    """Check that a game keeps the contract: a sentence for everything that is wrong, and then exit code 1."""
    from ...solving.contract import check_game

    chosen = load_and_announce(game, remember)
    with console.status(chosen.name) as say:
        say("playing it")
        found = check_game(chosen)
    if as_json:
        print_json(found.to_json())
    elif found.sound:
        console.out.print(f"{found.game} is sound: {_facts(found)}")
    for one in () if as_json else found.findings:
        console.out.print(one.sentence + (f" ({one.place})" if one.place else ""))
        if one.record:
            shown = " ".join(map(str, one.record[:SHOWN_ACTIONS]))
            more = f" .. ({len(one.record)} in all)" if len(one.record) > SHOWN_ACTIONS else ""
            console.out.print(f"    after the actions: {shown}{more}")
        elif one.record is not None:
            console.out.print("    at the start of the game")
        console.out.print(f"    to do: {one.change}")
    if not found.sound:
        raise typer.Exit(1)


def _facts(found: "GameCheck") -> str:
    facts, tree = found.facts, found.facts.get("tree")
    said = [f"{facts['positions']:,} positions looked at"]
    if facts["mean_length"] is not None:
        said.append(f"games of {facts['mean_length']:.1f} actions on average and {facts['longest']:,} at most")
    speed = facts["games_per_second"]
    said.append(f"{speed:,.0f} games per second and core" if speed >= 1 else f"{1 / speed:,.1f} s for a game")
    if tree is None:
        said.append("a tree too large for a quick look: `search` plays it, `exploit AGENT --sampled` bounds an agent")
    else:
        first, second = tree["infosets"]
        said.append(f"a tree of {tree['nodes']:,} histories with {first:,} and {second:,} infosets")
    if facts.get("perfect_recall") is False:
        said.append("views that do not tell players all that they did (solving keeps it in mind for them)")
    return "\n".join(["; ".join(said), _powers_line(facts["powers"])])


def _powers_line(powers: list[str]) -> str:
    return f"it gets: {'; '.join(powers)}"


@app.command("new")
def new_game(file: Annotated[Path, typer.Argument(metavar="FILE.py")], as_json: AsJson = False) -> None:
    """Write a small working game to start from."""
    name = write_template(file)
    if as_json:
        return print_json({"file": str(file), "game": name})
    console.out.print(f"wrote {file}, the game {name}: change it, then")
    for command in (f"check {file}", f"play {file}", f"match {file} bold uniform", f"solve {file}", f"tune {file}"):
        console.out.print(f"    fogspiel {command}")


# fogspiel play.

if TYPE_CHECKING:
    from ...core.session import PersonSession
    from ...solving.policies.coach import MoveReview


@app.command("play")
def play(
    game: GameWords,
    against: Annotated[
        str | None,
        typer.Option(
            autocompletion=complete_players,
            help="A named strategy, a run, a parameter file, numbers, or an engine (default: the strongest known).",
        ),
    ] = None,
    seat: Annotated[
        str, typer.Option("--seat", help="Your seat: first or second, or its name: white, black, resistance, spies.")
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
    from ...web.opponents import opponents
    from ..terminal import Terminal, ask_person, parse_seat, payoff_of, seat_names

    chosen = load_and_announce(game, remember)
    side = parse_seat(seat, seat_names(chosen))
    seed = secrets.randbits(32) if seed is None else seed
    own = extras("cli.commands", "PLAY").get(chosen.name)  # a terminal that its slice has for the game
    if own and (against is None or against not in policy_names(chosen)):
        own(side, against, seed, as_json)
        return
    lines, tell = ask_person(as_json)
    if against is None:
        strongest = opponents(chosen, store_path(store))[0]
        against = strongest["words"]
        tell(f"Your opponent is `{against}` ({strongest['level']}): {strongest['about']}. Choose another by --against.")
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
        print_json(facts | ({"coach": [found.to_json() for found in costs]} if coach else {}))
    if played.interrupted or played.failed:
        raise typer.Exit(INTERRUPTED if played.interrupted else 2)


def _advice(session: "PersonSession", coach: str | None) -> "Callable[[], list[MoveReview]] | None":
    """Return the function that prints the cost of all moves so far, if a coach is wanted."""
    if coach is None:
        return None
    if coach not in ("each", "after"):
        raise ValueError(f"--coach is {coach!r}: it must be each or after")
    from ...solving.policies.coach import find_coach

    found = find_coach(session.game, session.side, session.opponent)
    return lambda: found.advise(session.decisions)
