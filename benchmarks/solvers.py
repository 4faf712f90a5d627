"""Solving on one core, compared with peers: `python benchmarks/solvers.py [--peers PYTHON] [--lite PYTHON] [part ..]`.

The parts are `lp`, `cfr`, `reach` and `resistance`. PYTHON is the interpreter of an environment that has OpenSpiel with
cvxpy and ECOS, or LiteEFG; an environment that has both them and fogspiel needs no options. All times are CPU seconds
of processes bound to one core and to one thread, after a first solve that compiles the kernels. Ours and the peers' are
measured in turn, game by game, and the best of some repeats counts.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from importlib.util import find_spec
from math import isnan, nan
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

import _results

OPENSPIEL = {
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker(suit_isomorphism=true)",
    "leduc-labelled": "leduc_poker",
    "goofspiel-4": "goofspiel(imp_info=true,num_cards=4,points_order=descending)",
    "goofspiel-5": "goofspiel(imp_info=true,num_cards=5,points_order=descending)",
    "liars-dice-4": "liars_dice(numdice=1,dice_sides=4)",
    "liars-dice-6": "liars_dice(numdice=1,dice_sides=6)",
}
OURS, PEERS = "ours", ("OpenSpiel", "LiteEFG")
LEDUC = ("leduc", "leduc-labelled")
LARGE = "liars-dice-6"
MINIMISED = (*LEDUC, "liars-dice-4", "goofspiel-4", "goofspiel-5")
REACHED = (*LEDUC, "goofspiel-5", "liars-dice-4")
TARGETS = (1e-3, 1e-6)
LP_GOAL, OPENSPIEL_GOAL, LITEEFG_GOAL = 5, 20, 10
RESISTANCE_SECONDS, RESISTANCE_MEMORY = 10, 500
MEMORY_LIMIT = 10  # GiB of address space for OpenSpiel's linear programme
LIMIT = 60.0  # CPU seconds after which a regret minimiser is given up
SAME = 100
"""Iterations after which the exploitability shows that both sides run the same algorithm on the same game."""
PLAYERS = range(5, 11)
PAPER = {5: (1.9, 214), 6: (10, 691), 7: (179, 5_352), 8: (4_074, 31_748)}
"""Bossle (2018), table 6.3: seconds on eight cores and MB."""
SOUND = {"least": "smallest probability", "uneven": "worst row sum - 1", "exploitability": "exploitability"}
QUICK = 3.0  # CPU seconds above which a run is not repeated
MISSING = "–"
ABSENT = "not installed"

cpu = time.process_time
Answer = dict[str, Any]


# Our side of a measurement, in a separate process


def tree_named(game: str) -> Any:
    from fogspiel.core.game import known_game
    from fogspiel.solving.tree import build_tree

    return build_tree(known_game(game))


def in_parts(game: str) -> tuple[list[float], Any, Any]:
    """Return CPU seconds for the tree, for presolve and for the programme, with the tree and the solution."""
    from fogspiel.solving.methods import NO_STATE
    from fogspiel.solving.methods.tree import by_simplex
    from fogspiel.solving.reduce import presolve_tree

    began = cpu()
    tree = tree_named(game)
    built = cpu()
    reduced = presolve_tree(tree)
    smaller, work = cpu(), by_simplex(reduced, NO_STATE)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return [built - began, smaller - built, cpu() - smaller], tree, end.value


def plain(game: str) -> float:
    """Return CPU seconds for the tree and its linear programme without our reductions."""
    from fogspiel.solving.methods.lp import equilibrium
    from fogspiel.solving.tree import sequence_form

    began = cpu()
    equilibrium(sequence_form(tree_named(game)))
    return cpu() - began


def certified(game: str) -> tuple[float, Answer]:
    """Return CPU seconds from the rules to the certificate of the exact value, with the result."""
    from fogspiel.runs.kinds.solve import solve_unstored
    from fogspiel.runs.requests import SolveRequest

    began = cpu()
    result = solve_unstored(SolveRequest(game, exact=True))
    return cpu() - began, result


def lp(game: str, repeats: int) -> Answer:
    """Measure the linear programme in parts, plain, and with the certificate; and the errors of the strategies."""
    import numpy as np

    from fogspiel.solving.policies.best_response import exploitability

    in_parts(game), plain(game), certified(game)
    parts, tree, found = min((in_parts(game) for _ in range(repeats)), key=lambda run: sum(run[0]))
    whole, result = min((certified(game) for _ in range(repeats)), key=lambda run: run[0])
    treeplexes = [tree.treeplex(player) for player in (0, 1)]
    pairs = list(zip(treeplexes, found.behaviours, strict=True))
    rows = [np.bincount(treeplex.infoset_of[1:], shares[1:], treeplex.infosets) for treeplex, shares in pairs]
    return {
        "parts": parts,
        "plain": min(plain(game) for _ in range(repeats)),
        "certified": whole,
        "infosets": [treeplex.infosets for treeplex in treeplexes],
        "least": float(min(shares[1:].min() for shares in found.behaviours)),
        "uneven": float(max(np.abs(row - 1).max() for row in rows)),
        "exploitability": exploitability(tree, *found.behaviours).exploitability,
        "value": result.value if result.exact else None,
    }


def cfr(game: str, seconds: float, repeats: int, same: int) -> Answer:
    """Return milliseconds per iteration of CFR+ on the whole game, and on its presolved form."""
    from fogspiel.solving.methods.cfr import TreeRegrets
    from fogspiel.solving.policies.best_response import exploitability
    from fogspiel.solving.reduce import presolve_tree
    from fogspiel.solving.tree import sequence_form

    tree, best = tree_named(game), []
    form = sequence_form(tree)
    regrets = TreeRegrets(form, "cfr+")
    regrets.advance(same)
    reached = exploitability(tree, *regrets.average).exploitability
    for minimiser in (regrets, TreeRegrets(presolve_tree(tree).form, "cfr+")):
        began = cpu()
        minimiser.advance(same)
        count, goes = max(same, int(same * seconds / (cpu() - began))), []
        for _ in range(repeats):
            began = cpu()
            minimiser.advance(count)
            goes.append((cpu() - began) / count)
        best.append(1000 * min(goes))
    infosets = [treeplex.infosets for treeplex in form.treeplexes]
    return {"ms": best[0], "reduced": best[1], "infosets": infosets, "exploitability": reached}


def minimised(game: str, method: str, target: float, limit: float) -> Answer:
    """Return CPU seconds from the rules to an exploitability with all evaluations; stop before the limit is passed."""
    from fogspiel.solving.methods import NO_STATE
    from fogspiel.solving.methods.tree import by_regrets
    from fogspiel.solving.policies.best_response import exploitability
    from fogspiel.solving.reduce import presolve_tree

    began = cpu()
    tree = tree_named(game)
    work = by_regrets((method,), 2 * target)(presolve_tree(tree), NO_STATE)
    while True:
        try:
            progress: Any = next(work)
        except StopIteration as end:
            spent = cpu() - began
            reached = exploitability(tree, *end.value.behaviours).exploitability
            return {"seconds": spent, "reached": True, "exploitability": reached}
        spent = cpu() - began
        if 2 * spent > limit:  # the next evaluation comes after twice as many iterations
            return {"seconds": spent, "reached": False, "exploitability": (progress.upper - progress.lower) / 2}


def reach(game: str, targets: list[float], limit: float, repeats: int, quick: float) -> Answer:
    """Return CPU seconds to each target by every method, and to the exact value by linear programming."""
    from fogspiel.solving.methods.cfr import METHODS

    table: Answer = {}
    for method in METHODS:
        minimised(game, method, 1e9, limit)
        table[method] = []
        for target in targets:
            runs = [minimised(game, method, target, limit)]
            while len(runs) < repeats and runs[0]["seconds"] < quick:
                runs.append(minimised(game, method, target, limit))
            table[method].append(min(runs, key=lambda run: run["seconds"]))
    answer = lp(game, repeats)
    floats = {"seconds": sum(answer["parts"]), "exploitability": answer["exploitability"]}
    table["lp"] = [{**floats, "reached": answer["exploitability"] <= target} for target in targets]
    exact = {"seconds": answer["certified"], "reached": answer["value"] is not None, "exploitability": 0.0}
    return {"table": table, "exact": exact}


def resistance(players: list[int]) -> Answer:
    """Return CPU seconds to the exact solution of each set-up, in sequence in this process, and its peak memory."""
    certified("resistance5")
    runs = [certified(f"resistance{count}") for count in players]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    values = [result.value if result.exact else None for _, result in runs]
    return {"seconds": [seconds for seconds, _ in runs], "values": values, "megabytes": peak / 1e6}


def versions() -> Answer:
    return {name: version(name) for name in ("fogspiel", "numba", "highspy")}


JOBS: dict[str, Callable[..., Answer]] = {job.__name__: job for job in (lp, cfr, reach, resistance, versions)}


# The table: one process for each measurement, ours and the peers' in turn


KEPT: list[dict[str, Any]] = []
"""Every result, for --output."""


class Side(NamedTuple):
    """A measured side: an interpreter and a script that runs jobs; without an interpreter it is skipped."""

    python: str | None
    script: Path
    option: str | None = None

    def answer(self, job: str, **details: Any) -> Answer:
        """Return the result of a job, or {"error": reason}; errors on our side are raised."""
        if self.python is None:
            return {"error": ABSENT}
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
        words = [self.python, str(self.script), self.option, json.dumps({"job": job, **details})]
        ran = subprocess.run([w for w in words if w], capture_output=True, text=True, env=os.environ | one)
        if ran.returncode == 0:
            found: Answer = json.loads(ran.stdout.splitlines()[-1])
            KEPT.append({"script": self.script.name, "job": job, **details, "answer": found})
            return found
        if self.option:
            raise RuntimeError(ran.stderr)
        return {"error": (ran.stderr.strip().splitlines() or [f"exit status {ran.returncode}"])[-1]}


def print_table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    heads = list(heads)
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads), flush=True)
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
    print()


def cell(answer: Answer, key: str, form: str = ".2g", unit: float = 1.0) -> str:
    if "error" in answer:
        return MISSING if answer["error"] == ABSENT else "failed"
    return format(answer[key] * unit, form)


def ratio(answer: Answer, key: str, own: float) -> float:
    """Return the peer's time over ours; NaN where it has no figure."""
    return answer.get(key, nan) / own


def times(factor: float) -> str:
    return MISSING if isnan(factor) else f"x{factor:,.1f}" if factor < 10 else f"x{factor:,.0f}"


def verdict(*factors_and_goals: tuple[float, float]) -> str:
    known = [factor >= goal for factor, goal in factors_and_goals if not isnan(factor)]
    return MISSING if not known else "yes" if all(known) else "no"


def counted(own: Answer, *peers: Answer) -> str:
    """Return the infosets of both players, and whether the peers have as many."""
    counts = "+".join(f"{count:,}" for count in own["infosets"])
    known = [peer["infosets"] == own["infosets"] for peer in peers if "error" not in peer]
    return counts if not known else f"{counts}, same" if all(known) else f"{counts}, theirs differ"


def print_lp(sides: dict[str, Side], chosen: argparse.Namespace) -> None:
    sound, failures = [], []

    def row(game: str) -> Iterable[str]:
        own = sides[OURS].answer("lp", game=game, repeats=chosen.repeats)
        memory = {"memory": MEMORY_LIMIT} if game == LARGE else {}
        peer = sides[PEERS[0]].answer("lp", game=OPENSPIEL[game], repeats=chosen.repeats, **memory)
        if peer.get("error", ABSENT) != ABSENT:
            failures.append(
                f"OpenSpiel on {game}{f' within {MEMORY_LIMIT} GiB' if memory else ''}: {peer['error']}\n\n"
            )
        whole, exact = sum(own["parts"]), own["value"] is not None
        value = "not exact" if not exact else own["value"] if len(own["value"]) < 12 else "a long fraction"
        sound.append([game, value, *(cell(answer, key) for answer in (own, peer) for key in SOUND)])
        factors = [ratio(peer, "seconds", spent) for spent in (whole, own["certified"])]
        goal = (factors[0], LP_GOAL) if game in LEDUC else (exact if game == LARGE else nan, 1)
        figures = (f"{1000 * figure:,.1f}" for figure in [*own["parts"], whole, own["certified"], own["plain"]])
        theirs = cell(peer, "seconds", ",.0f", 1000)
        return game, counted(own, peer), *figures, theirs, *map(times, factors), verdict(goal)

    print(f"Linear programming, CPU ms; the goals: Leduc x{LP_GOAL}, {LARGE} solved\n")
    heads = ("game", "infosets", "build", "presolve", "LP", "in all", "certified", "plain LP", "OpenSpiel LP")
    print_table([*heads, "ratio", "ratio, certified", "goal met"], map(row, chosen.games or OPENSPIEL))
    print("".join(failures), end="")
    print("The strategies in floats; OpenSpiel's are cleaned before their exploitability is computed\n")
    titles = (f"{who}: {words}" for who in ("ours", "OpenSpiel") for words in SOUND.values())
    print_table(["game", "exact value", *titles], sound)


def print_cfr(sides: dict[str, Side], chosen: argparse.Namespace) -> None:
    def row(game: str) -> Iterable[str]:
        details = {"seconds": chosen.seconds, "repeats": chosen.repeats, "same": SAME}
        own = sides[OURS].answer("cfr", game=game, **details)
        peers = [sides[name].answer("cfr", game=OPENSPIEL[game], peer=name, **details) for name in PEERS]
        factors = [ratio(peer, "ms", own["ms"]) for peer in peers]
        goals = zip(factors, (OPENSPIEL_GOAL, LITEEFG_GOAL), strict=True) if game in LEDUC else ()
        reached = " / ".join(cell(answer, "exploitability", ".1e") for answer in (own, *peers))
        theirs = (cell(peer, "ms", ".2f") for peer in peers)
        figures = (cell(own, "ms", ".4f"), *theirs, *map(times, factors), verdict(*goals))
        return game, counted(own, *peers), *figures, cell(own, "reduced", ".4f"), reached

    print(f"CFR+, CPU ms for an iteration; the goals on Leduc: OpenSpiel x{OPENSPIEL_GOAL}, LiteEFG x{LITEEFG_GOAL}\n")
    heads = ("game", "infosets", "ours", "OpenSpiel", "LiteEFG", "ratio, OpenSpiel", "ratio, LiteEFG", "goal met")
    print_table([*heads, "ours, presolved", f"exploitability after {SAME}, all three"], map(row, MINIMISED))


def print_reach(sides: dict[str, Side], chosen: argparse.Namespace) -> None:
    def shown(answer: Answer) -> str:
        if "error" in answer or answer["reached"]:
            return cell(answer, "seconds", ".3f")
        return f"not reached ({answer['exploitability']:.1g} after {answer['seconds']:.0f} s)"

    def rows() -> Iterable[Iterable[str]]:
        details = {"limit": LIMIT, "repeats": chosen.repeats, "quick": QUICK}
        for game in REACHED:
            own = sides[OURS].answer("reach", game=game, targets=TARGETS, **details)
            for method, answers in own["table"].items():
                yield game, method, *map(shown, answers), shown(own["exact"]) if method == "lp" else MISSING
            for name in PEERS:
                peer = sides[name].answer("reach", game=OPENSPIEL[game], peer=name, target=TARGETS[0], **details)
                yield game, f"{name} CFR+", shown(peer), MISSING, MISSING

    print("CPU seconds from the rules to an exploitability (the mean over both players)\n")
    print_table(["game", "method", *(f"{target:.0e}" for target in TARGETS), "exact, certified"], rows())


def print_resistance(sides: dict[str, Side], chosen: argparse.Namespace) -> None:
    runs = [sides[OURS].answer("resistance", players=list(PLAYERS)) for _ in range(chosen.repeats)]
    quickest = min(runs, key=lambda run: sum(run["seconds"]))
    whole, peak = sum(quickest["seconds"]), max(run["megabytes"] for run in runs)
    rows: list[list[str]] = []
    for count, spent, value in zip(PLAYERS, quickest["seconds"], quickest["values"], strict=True):
        paper = [f"{figure:,}" for figure in PAPER[count]] if count in PAPER else [MISSING, MISSING]
        rows.append([str(count), value or "not exact", f"{spent:.2f}", *paper])
    print("The Resistance, exact and certified, one process; the paper's figures are on 8 cores\n")
    print_table(["players", "value", "CPU s", "paper, s", "paper, MB"], rows)
    met = verdict((RESISTANCE_SECONDS, whole), (RESISTANCE_MEMORY, peak), (None not in quickest["values"], 1))
    print(
        f"In all {whole:.2f} CPU s and {peak:.0f} MB; goal ({RESISTANCE_SECONDS} and {RESISTANCE_MEMORY}) met: {met}\n"
    )


PARTS = {"lp": print_lp, "cfr": print_cfr, "reach": print_reach, "resistance": print_resistance}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--peers", help="the Python of an environment with open_spiel, cvxpy and ecos")
    options.add_argument("--lite", help="the Python of an environment with LiteEFG")
    options.add_argument("--games", nargs="+", choices=OPENSPIEL, help="only these games of the part `lp`")
    options.add_argument("--repeats", type=int, default=5, help="of which the best counts")
    options.add_argument("--seconds", type=float, default=0.5, help="CPU seconds for each repeat of CFR+")
    options.add_argument("--output", type=Path, metavar="FILE", help="keep the results as JSON, with the commit")
    options.add_argument("--measure", help=argparse.SUPPRESS)
    options.add_argument("parts", nargs="*", metavar="part", help=f"only these of {', '.join(PARTS)}")
    chosen = options.parse_args()
    if chosen.measure:
        job = json.loads(chosen.measure)
        print(json.dumps(JOBS[job.pop("job")](**job)))
        return
    for part in chosen.parts:
        if part not in PARTS:
            options.error(f"there is no part {part!r}: it is {', '.join(PARTS)}")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # child processes inherit the affinity
    here = Path(__file__).resolve()
    sides = {OURS: Side(sys.executable, here, "--measure")}
    for name, python, module in zip(PEERS, (chosen.peers, chosen.lite), ("pyspiel", "LiteEFG"), strict=True):
        if python and not which(python):
            options.error(f"{python} cannot be run: give the Python of an environment that has {name}")
        python = python or (sys.executable if find_spec(module) else None)
        sides[name] = Side(python, here.with_name("_peer_solvers.py"))
    found = dict(pair for side in sides.values() for pair in side.answer("versions").items() if pair[0] != "error")
    print(", ".join(f"{name} {number}" for name, number in found.items()))
    if None in (sides[name].python for name in PEERS):
        print("Peers are missing: pip install 'fogspiel[peers]', or name their environments with --peers and --lite")
    print()
    for part in chosen.parts or PARTS:
        PARTS[part](sides, chosen)
    if chosen.output:
        _results.write(chosen.output, KEPT)


if __name__ == "__main__":
    main()
