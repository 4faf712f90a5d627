"""fogspiel match."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...core.find import load_game
from ...runs.requests import MatchRequest, RoundRobinRequest
from ...runs.store import DeferredRun
from .. import console
from ..app import (
    AsJson,
    Cluster,
    Processes,
    Remember,
    StorePath,
    Threads,
    app,
    asking,
    load_and_announce,
    print_json,
    remembering,
    store_path,
)
from ..execute import RunOptions, begin_and_show, execute_run, print_run

if TYPE_CHECKING:
    from ...core.behaviour_policy import ExactOrFloat


@app.command("match", context_settings={"ignore_unknown_options": True})  # a vector may begin with a minus sign
@asking(MatchRequest)
def match(
    asked: dict[str, Any],
    exact: Annotated[bool, typer.Option("--exact", help="Compute the rate instead, where that is possible.")] = False,
    threads: Threads = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Play FIRST against SECOND: a named strategy, `fixed` or `redrawn`, a run, a parameter file, or numbers."""
    path = store_path(store)
    request = MatchRequest(**asked | {"game": load_and_announce(asked["game"], remember).name}).resolved(path)
    if exact:
        return _compute(request, path, as_json)

    def tell(sentence: str) -> None:
        console.err.print(sentence)

    options = RunOptions(store, as_json, threads)
    with DeferredRun(path, request.to_json(), tell) as run:
        execute_run(run, options)
    return print_run(run, options)


def _compute(request: MatchRequest, store: Path, as_json: bool) -> None:
    from ...core.agents import exact_score
    from ...core.game import known_game
    from ...runs.kinds.match import agents_of, facts_of

    sys.set_int_max_str_digits(0)  # exact rates may have thousands of digits
    ask, game, agents = request.to_json(), known_game(request.game), agents_of(request, store)
    if game.exact.score:
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


# fogspiel round-robin.


@app.command("round-robin", context_settings={"ignore_unknown_options": True})  # a vector may begin with a minus sign
@asking(RoundRobinRequest)
def round_robin(
    asked: dict[str, Any],
    processes: Processes = None,
    cluster: Cluster = None,
    output: Annotated[
        Path | None, typer.Option(help="The folder for the report (fogspiel-tournament-GAME, here).")
    ] = None,
    remember: Remember = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Let players meet each other: cross-table, proved claims, Nash ranking, cyclic share, Elo if it makes sense."""
    chosen = load_game(remembering(asked["game"], remember)).name
    request = RoundRobinRequest(**asked | {"game": chosen}).resolved(store_path(store))
    if cluster is not None:
        request.demand_portable()
    begin_and_show(request.to_json(), RunOptions(store, as_json, processes, cluster, output), once=True)
