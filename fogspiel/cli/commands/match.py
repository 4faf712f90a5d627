"""fogspiel match."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..app import AsJson, GameWords, Remember, Seed, StorePath, Threads, app, load_and_announce, print_json, store_path
from ..completion import complete_players
from ..early_checks import positive
from ..work import RunOptions, execute_run, print_run

if TYPE_CHECKING:
    from ...core.behaviour_policy import ExactOrFloat
    from ...runs.kinds.match import Request


@app.command(context_settings={"ignore_unknown_options": True})  # a vector may begin with a minus sign
def match(
    game: GameWords,
    first: Annotated[str, typer.Argument(autocompletion=complete_players)],
    second: Annotated[str, typer.Argument(autocompletion=complete_players)],
    games: Annotated[
        int, typer.Option(callback=positive(), help="How many games, in pairs with the seats swapped.")
    ] = 20_000,
    seed: Seed = 1,
    seats: Annotated[str, typer.Option(help="swapped (same deal twice), alternating, or coin.")] = "swapped",
    exact: Annotated[bool, typer.Option("--exact", help="Compute the rate instead, where that is possible.")] = False,
    threads: Threads = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Play FIRST against SECOND: a named strategy, `fixed` or `redrawn`, a run, a parameter file, or numbers."""
    from ...runs.kinds.match import Request
    from ...runs.store import DeferredRun
    from .. import console

    chosen, path = load_and_announce(game, remember), store_path(store)
    request = Request.of(chosen, (first, second), path, seed, games, seats)
    if exact:
        return _compute(request, path, as_json)

    def tell(sentence: str) -> None:
        console.err.print(sentence)

    options = RunOptions(store, as_json, threads)
    with DeferredRun(path, request.to_json(), tell) as run:
        execute_run(run, options)
    return print_run(run, options)


def _compute(request: "Request", store: Path, as_json: bool) -> None:
    """Print the exact rate."""
    from ...core.exact_scores import exact_score
    from ...core.game import known_game, part_of
    from ...runs.kinds.match import facts_of
    from .. import console

    sys.set_int_max_str_digits(0)  # exact rates may have thousands of digits
    ask, game, agents = request.to_json(), known_game(request.game), request.agents(store)
    if part_of(game, "exact", "exact_score"):
        rate: ExactOrFloat = exact_score(game, *agents)
    else:
        from ...solving.policies.exploitability import exact_tree_score

        rate = exact_tree_score(game, *agents)
    value, fraction = float(rate), str(rate)
    if as_json:
        figures = {"score": value, "interval": [value, value], "fraction": fraction, "games": 0, "exact": True}
        return print_json(facts_of(ask) | figures | {"wins": None, "draws": None, "losses": None})
    short = (
        fraction if len(fraction) < 60 else f"a fraction with {len(fraction.partition('/')[2])} digits below the line"
    )
    return console.out.print(
        f"{ask['game']}: {ask['first']} against {ask['second']} scores exactly {value:.6f} ({short})"
    )
