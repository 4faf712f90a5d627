"""fogspiel games, fogspiel show."""

from typing import TYPE_CHECKING, Any

from ..app import AsJson, GameWords, Remember, Seed, app, load_and_announce, print_json

if TYPE_CHECKING:
    from ...core.game import Game


@app.command("games")
def list_games(as_json: AsJson = False) -> None:
    """List the games, their parameters and their named strategies."""
    from ...core import agents
    from ...core.game import list_games, parameters_of
    from .. import console

    found = list_games().values()
    if as_json:
        return print_json({"games": [_words_of(game) for game in found]})
    rows = [(g.name, g.title, len(parameters_of(g)), ", ".join(agents.policy_names(g))) for g in found]
    console.table("Games", ("name", "title", "parameters", "players by name"), rows)


def _words_of(game: "Game") -> dict[str, Any]:
    from ...core.agents import policy_names
    from ...core.game import parameters_of

    hashed = list(game.strategy.hashed) if game.strategy else []
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
    from ...core.game import UNIFORM
    from ...core.session import record_game, replay, view_of
    from .. import console

    chosen = load_and_announce(game, remember)
    uniform = find_policy(chosen, UNIFORM.name)
    with interpreted():  # one game is not worth compiling anything
        record, _ = record_game(chosen, uniform, uniform, seed, 0)
        moment = next(position for position in replay(chosen, record) if position.mover in (0, 1))
        view = chosen.show(view_of(chosen, moment.state, moment.mover))
    tries = [chosen.label(action) for action in moment.actions]
    if as_json:
        return print_json(_words_of(chosen) | {"view": view, "actions": tries})
    words = _words_of(chosen)
    names = words["parameter_names"]
    listed = ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:4])}, .. {names[-1]}"
    console.out.print(console.bold(chosen.name) + f": {chosen.title} (rules version {chosen.version})")
    console.out.print(f"parameters ({len(names)}): {listed}")
    if words["hashed_parameters"]:
        console.out.print(
            f"seeds of something random, nearby values unrelated: {', '.join(words['hashed_parameters'])}"
        )
    console.out.print(f"players by name: {', '.join(words['players'])}")
    if chosen.source:
        console.out.print(f"source: {chosen.source}")
    moved = f"the first decision of a game (seed {seed}), as player {moment.mover + 1} sees it"
    console.out.print("\n", console.bold(moved), sep="")
    console.out.print(view)
    most = 12
    more = f" and {len(tries) - most} more" if len(tries) > most else ""
    console.out.print(f"may try: {', '.join(tries[:most])}{more}")
