"""The agent `search` beside OpenSpiel: `python benchmarks/search.py PART [--games N] [--output FILE]`.

`curves` measures NashConv exactly at every information state of solved games, against CPU seconds per move, beside
OpenSpiel's ISMCTS (asked at every information state) and its external sampling MCCFR (a table for the whole game, which
gets all its seconds at once). ISMCTS needs a resampler of hidden information, which OpenSpiel has for poker only.
`matches` plays both systems' rules of the same game side by side, `search` against OpenSpiel's ISMCTS in Python with
the resampler written here (the one in C++ takes none), at equal CPU time. `strategies` plays `search` against named
strategies. `ratings` turns stored round robins of `uniform search:level=1 .. search:level=8` into the ratings that the
package ships. One process, one core.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import _results
import numpy as np

from fogspiel.core.behaviour_policy import BehaviourPolicy, behaviour_policy
from fogspiel.core.game import OVER, Game, known_game
from fogspiel.core.rng import random_below, stream_of
from fogspiel.core.session import Session
from fogspiel.runs.agent_parser import find_agent
from fogspiel.runs.kinds.round_robin import KIND as ROUND_ROBIN
from fogspiel.runs.store import Store
from fogspiel.search import LEVELS, RATINGS, Effort, Search, SearchPlayer
from fogspiel.solving.policies.exploitability import measure_policies
from fogspiel.stats import round_robin
from fogspiel.stats.evaluate import evaluate, report_key

SEED = 31
SECONDS = (0.001, 0.003, 0.01, 0.03)
MCCFR_SECONDS = (0.1, 1.0, 10.0)
IN_TURN = "turn_based_simultaneous_game(game=goofspiel(imp_info=true,num_cards={},points_order=descending))"
CURVES = {
    "kuhn": "kuhn_poker",
    "binary-poker": None,
    "leduc": "leduc_poker",
    "goofspiel-4": None,
    "rps-half": None,
    "phantom-ponnuki-2x2": None,
    "dark-hex-2x2": None,
    "phantom-ttt-2x3-2": None,
}
ISMCTS_CONSTANT = 2.0  # exploration of the ISMCTS of OpenSpiel's examples
FIRST_SIMULATIONS = 500  # to measure the speed of ISMCTS


# NashConv of a search: one game per information state leads there, searching at every decision.


def records_of(game: Game) -> dict[tuple[int, bytes], tuple[int, ...]]:
    """Return a record that leads to each information state."""
    found: dict[tuple[int, bytes], tuple[int, ...]] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        record, session = waiting.pop(), Session(game)
        for action in record:
            session.apply(action)
        if session.mover >= 0:
            found.setdefault((session.mover, session.view(session.mover).tobytes()), record)
        waiting += [(*record, action) for action in session.actions]
    return found


def searched(game: Game, effort: Effort) -> tuple[BehaviourPolicy, float]:
    """Return the strategy of a search at all information states, and its CPU seconds per move."""
    table, moves, began = {}, 0, time.process_time()
    for (side, view), record in records_of(game).items():
        search, session = Search(game, side, effort, None, None, SEED), Session(game)
        for action in record:
            if session.mover == side:
                if len(session.actions) > 1:
                    search.strategy(session.view(side), len(session.actions))
                    moves += 1
                search.belief.act(action)
            session.apply(action)
            search.belief.hear(session.view(side))
        count, shares = len(session.actions), None
        if count > 1:
            shares, moves = search.strategy(session.view(side), count), moves + 1
        table[side, view] = np.full(count, 1 / count).tolist() if shares is None else (shares / shares.sum()).tolist()
    seconds = (time.process_time() - began) / max(moves, 1)
    return behaviour_policy("search", game, lambda state: table[state.player, state.view.tobytes()]), seconds


def openspiel_policy(name: str, answer: Callable[[Any], list[tuple[int, float]]]) -> tuple[float, int]:
    """Return the NashConv of a policy asked at every information state of an OpenSpiel game, and the questions."""
    import pyspiel

    game = pyspiel.load_game(name)
    table: dict[str, list[tuple[int, float]]] = {}
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node() and state.information_state_string() not in table:
            table[state.information_state_string()] = answer(state)
        waiting += [state.child(action) for action in state.legal_actions()]
    return pyspiel.nash_conv(game, pyspiel.TabularPolicy(table)), len(table)


def ismcts(game: Any, simulations: int, seed: int) -> Any:
    import pyspiel

    return pyspiel.ISMCTSBot(
        seed, pyspiel.RandomRolloutEvaluator(1, seed), ISMCTS_CONSTANT, simulations, 10_000,
        pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT, False, False,
    )  # fmt: skip


def ismcts_curve(name: str, seconds: float) -> dict[str, float]:
    import pyspiel

    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    began = time.process_time()
    ismcts(game, FIRST_SIMULATIONS, SEED).step_with_policy(state)
    each = (time.process_time() - began) / FIRST_SIMULATIONS
    simulations = max(2, int(seconds / each))
    began = time.process_time()
    found, asked = openspiel_policy(name, lambda state: ismcts(game, simulations, SEED).step_with_policy(state)[0])
    return {"seconds": (time.process_time() - began) / asked, "nash_conv": found}


def mccfr_curve(name: str, seconds: float) -> dict[str, float]:
    import pyspiel

    game, began = pyspiel.load_game(name), time.process_time()
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, SEED)
    while time.process_time() - began < seconds:
        solver.run_iteration()
    return {"seconds": seconds, "nash_conv": pyspiel.nash_conv(game, solver.average_policy(), True)}


def curves(limits: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for name, peer in CURVES.items():
        if limits.only and name not in limits.only:
            continue
        game = known_game(name)
        searched(game, Effort(nodes=200))  # compiles
        for seconds in limits.seconds:
            policy, spent = searched(game, Effort(seconds=seconds))
            found = float(measure_policies(game, policy).nash_conv)
            yield {"game": name, "agent": "search", "limit": seconds, "seconds": spent, "nash_conv": found}
            if peer:
                yield {"game": name, "agent": "ISMCTS", "limit": seconds} | ismcts_curve(peer, seconds)
        for seconds in MCCFR_SECONDS if peer else ():
            yield {"game": name, "agent": "MCCFR", "limit": seconds} | mccfr_curve(peer, seconds)


# Matches on two systems' rules at once: each action is applied to both, and both must agree on who moves and who wins.


class Bridge(NamedTuple):
    """A game of both systems: names, our action in theirs, and all states that a player cannot tell apart."""

    ours: str
    theirs: str
    action: Callable[[int], int]
    alike: Callable[[Any, int], list[list[int]]]  # their histories, of a state for a player


def other_dice(state: Any, player: int) -> list[list[int]]:
    history = state.history()
    return [[history[0], die, *history[2:]] if player == 0 else [die, *history[1:]] for die in range(6)]


def other_bids(state: Any, player: int) -> list[list[int]]:
    """Return all histories with the same results of the rounds, by the bids of the other hand."""
    history, cards = state.history(), 6
    own, bids = history[player::2], history[1 - player :: 2]
    rounds = min(len(own), len(bids))
    signs = [(own[i] > bids[i]) - (own[i] < bids[i]) for i in range(rounds)]
    found = []
    for hand in permutations(range(cards), len(bids)):
        if all((own[i] > hand[i]) - (own[i] < hand[i]) == signs[i] for i in range(rounds)):
            pairs = [own, list(hand)] if player == 0 else [list(hand), own]
            found.append([pairs[i % 2][i // 2] for i in range(len(history))])
    return found


BRIDGES = (
    Bridge(
        "liars-dice-6",
        "liars_dice(numdice=1,dice_sides=6)",
        lambda action: 12 if action == 0 else (action // 10 - 1) * 6 + action % 10 - 1,
        other_dice,
    ),
    Bridge("goofspiel-6", IN_TURN.format(6), lambda action: action - 1, other_bids),
)


class Resampler:
    """Resampler of a bridge; the states alike are listed once per move, and not in the time of the search."""

    def __init__(self, bridge: Bridge, game: Any, number: int) -> None:
        self.bridge, self.game, self.stream = bridge, game, stream_of(SEED, number, 3)
        self.listed: list[Any] = []

    def prepare(self, state: Any) -> None:
        self.listed = []
        for history in self.bridge.alike(state, state.current_player()):
            other = self.game.new_initial_state()
            for action in history:
                other.apply_action(action)
            if other.information_state_string(state.current_player()) != state.information_state_string():
                raise ValueError(f"{self.bridge.ours}: a resampled state is not alike")
            self.listed.append(other)

    def __call__(self, state: Any, player: int) -> Any:
        return self.listed[random_below(self.stream, len(self.listed))].clone()


def python_ismcts(game: Any, simulations: int, number: int, resampler: Resampler) -> Any:
    from open_spiel.python.algorithms import ismcts as algorithm
    from open_spiel.python.algorithms import mcts

    random = np.random.RandomState(SEED + number)
    bot = algorithm.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, random), ISMCTS_CONSTANT, simulations,
        final_policy_type=algorithm.ISMCTSFinalPolicyType.NORMALIZED_VISITED_COUNT, random_state=random,
    )  # fmt: skip
    bot.set_resampler(resampler)
    return bot


def play_bridged(bridge: Bridge, seat: int, seconds: float, simulations: int, number: int) -> tuple[float, list[float]]:
    """Return the result of `search` in one game against ISMCTS, and both players' CPU seconds."""
    import pyspiel

    session, state = Session(known_game(bridge.ours)), pyspiel.load_game(bridge.theirs).new_initial_state()
    player = SearchPlayer(session.game, Effort(seconds=seconds), None, None, stream_of(SEED, number, seat))
    session.seat(player, seat)
    resampler = Resampler(bridge, state.get_game(), number)
    bot = python_ismcts(state.get_game(), simulations, number, resampler)
    chance, spent = stream_of(SEED, number), [0.0, 0.0]
    while session.mover != OVER:
        began = time.process_time()
        if session.mover < 0:
            action = session.actions[random_below(chance, len(session.actions))]
            session.apply(action)
            for die in divmod(action, 10):
                state.apply_action(die - 1)
            continue
        if session.mover == seat:
            action = player.choose(session.view(seat), session.actions)
            spent[0] += time.process_time() - began
        else:
            resampler.prepare(state)
            began = time.process_time()
            theirs = bot.step(state)
            spent[1] += time.process_time() - began
            action = next(one for one in session.actions if bridge.action(one) == theirs)
        session.apply(action)
        state.apply_action(bridge.action(action))
        # Goofspiel: the last cards are played automatically by our rules.
        while session.mover == OVER and not state.is_terminal():
            state.apply_action(state.legal_actions()[0])
        if session.mover != OVER and session.mover != state.current_player():
            raise ValueError(f"{bridge.ours}: the systems disagree about the player to move")
    payoffs = session.game.payoffs
    first = float(payoffs[session.payoff_index])
    middle = float(payoffs[0] + payoffs[-1]) / 2
    theirs = state.returns()[0]
    if (first > middle) - (first < middle) != (theirs > 0) - (theirs < 0):
        raise ValueError(f"{bridge.ours}: the systems disagree about the winner")
    score = 0.5 + 0.5 * ((first > middle) - (first < middle))
    return (score if seat == 0 else 1 - score), spent


def matches(limits: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for bridge in BRIDGES:
        if limits.only and bridge.ours not in limits.only:
            continue
        speed = play_bridged(bridge, 0, 0.01, 50, 1 << 20)[1]  # compiles, and measures ISMCTS for a guess
        simulations, spent, scores = max(2, int(50 * limits.seconds[-1] / max(speed[1], 1e-3))), np.zeros(2), []
        for number in range(limits.games):
            score, seconds = play_bridged(bridge, number % 2, limits.seconds[-1], simulations, number)
            scores.append(score)
            spent += seconds
            if number % 10 == 9:  # equal CPU time, by what both have used so far
                simulations = max(2, int(simulations * min(2.0, spent[0] / max(spent[1], 1e-6))))
        error = 1.96 * float(np.std(scores)) / len(scores) ** 0.5
        yield {
            "game": bridge.ours, "games": len(scores), "score": float(np.mean(scores)), "error": error,
            "seconds": spent.tolist(), "simulations": simulations,
        }  # fmt: skip


# Matches against named strategies, by our rules.

STRATEGIES = (
    ("phantom-ponnuki-5x5", "monte-carlo", "search:time=0.1"),
    ("guesswho24", "God", "search:nodes=100000"),
    ("pig", "optimal", "search:nodes=100000"),
    ("four-in-a-row", "even", "search:nodes=100000"),
    ("battleship", "hunter", "search:nodes=50000"),
    ("cheat", "never_lose", "search:nodes=50000"),
)


def strategies(limits: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for name, other, text in STRATEGIES:
        if limits.only and name not in limits.only:
            continue
        game, began = known_game(name), time.process_time()
        found = evaluate(game, find_agent(game, text), find_agent(game, other), report_key(SEED), limits.games)
        yield {"game": name, "agent": text, "against": other, **found.to_json(), "seconds": time.process_time() - began}


# Ratings of the levels, from stored round robins of `uniform` and all levels.


def ratings(limits: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Write the ratings that the package ships; `uniform` has 0."""
    players = ["uniform", *(f"search:level={number}" for number in range(1, len(LEVELS) + 1))]
    with Store.open(limits.store, write=False) as store:
        for run in map(store.read, [one.name for one in store.summaries()]):
            if run.request["method"] != ROUND_ROBIN.method or not run.finished:
                continue
            request, played = ROUND_ROBIN.check(run), ROUND_ROBIN.meetings(run, limits.store)
            if request.names != players:
                continue
            counts = played.standings(played.rows(run)).counts
            drawn = [round_robin.elo(again) for again in round_robin.resample(counts, request.seed)]
            low, high = round_robin.error_bars([found - found[0] for found in drawn])
            found = round_robin.elo(counts)
            levels = np.round(np.column_stack([found - found[0], low, high]), 1)[1:].tolist()
            yield {
                "family": known_game(request.game).family, "game": request.game, "games": request.pair_games,
                "seed": request.seed, "levels": levels,
            }  # fmt: skip


def ship(rows: list[dict[str, Any]]) -> None:
    """Write one line per family, in the order of their names."""
    kept = json.loads(RATINGS.read_text()) if RATINGS.exists() else {}
    kept |= {row["family"]: {key: row[key] for key in ("game", "games", "seed", "levels")} for row in rows}
    lines = (f"{json.dumps(family)}: {json.dumps(kept[family])}" for family in sorted(kept))
    RATINGS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def draw(rows: list[dict[str, Any]], file: Path) -> None:
    """Draw NashConv against CPU seconds per move, a panel per game."""
    from matplotlib import pyplot

    pyplot.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "search"}

    games = list(dict.fromkeys(row["game"] for row in rows))
    figure, panels = pyplot.subplots(
        1, len(games), figsize=(2.2 * len(games), 2.8), sharex=True, sharey=True, layout="constrained"
    )
    for panel, game in zip(np.atleast_1d(panels), games, strict=True):
        for agent in ("search", "ISMCTS", "MCCFR"):
            points = sorted((r["seconds"], r["nash_conv"]) for r in rows if (r["game"], r["agent"]) == (game, agent))
            if points:
                panel.loglog(*zip(*points, strict=True), marker="o", markersize=3, label=agent)
        panel.set_title(game, fontsize=9)
        panel.set_xlabel("CPU s per move", fontsize=8)
        panel.tick_params(labelsize=7)
    np.atleast_1d(panels)[0].set_ylabel("NashConv", fontsize=8)
    np.atleast_1d(panels)[0].legend(fontsize=7)
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", choices=("curves", "matches", "strategies", "ratings"))
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, nargs="+", default=list(SECONDS))
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--store", type=Path, help="the runs of `fogspiel round-robin` that rate the levels")
    parser.add_argument("--figure", type=Path, help="draw the rows of --output's file of an earlier run, here")
    limits = parser.parse_args()
    if limits.figure:
        return draw(json.loads(limits.output.read_text())["results"]["rows"], limits.figure)
    rows = []
    parts = {"curves": curves, "matches": matches, "strategies": strategies, "ratings": ratings}
    for row in parts[limits.part](limits):
        print(json.dumps(row), flush=True)
        rows.append(row)
    if limits.part == "ratings":
        ship(rows)
    if limits.output:
        _results.write(limits.output, {"part": limits.part, "rows": rows})


if __name__ == "__main__":
    main()
