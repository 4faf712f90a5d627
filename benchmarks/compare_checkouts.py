"""Two checkouts side by side: `python benchmarks/compare_checkouts.py OLD NEW [part ..]`; a ratio above 1 is slower.

Every measurement is made by the checkout's own script (`speed.py --json`, `solvers.py --measure`, `kriegspiel_speed.py
--json`), in a separate process that imports that checkout only, bound to one core, old and new in turn. Each checkout
has its own cache of compiled kernels, filled by a first run that does not count. Times are CPU seconds per unit of
work. The best of all repeats is compared; the lowest and highest ratio of a single repeat show the uncertainty. Peers
that a script measures as well (python-chess, ..) are the same on both sides: their ratio shows the noise.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import _results

GAMES = (
    "war", "batawaf", "guesswho24", "guesswho96", "morra", "pig", "nim", "flip", "battleship", "permutation-ttt",
    "permutation-four", "cheat", "four-in-a-row", "leduc", "phantom-ttt", "resistance5",
)  # fmt: skip
SOLVED = ("leduc", "leduc-labelled", "goofspiel-4", "goofspiel-5", "liars-dice-4")
RESISTANCE = (5, 6, 7, 8)
ITERATIONS = 100  # of CFR+ before its speed is measured, as in solvers.py
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")

LABELS = {"games_per_second": "a game", "uniform_per_second": "a game of uniform players"}

Times = dict[str, float]


class Checkout(NamedTuple):
    root: Path
    cache: Path

    def answer(self, script: str, *words: str) -> Any:
        """Run one of its benchmarks and return the JSON of the last line printed."""
        self.cache.mkdir(parents=True, exist_ok=True)
        own = {"PYTHONPATH": str(self.root), "FOGSPIEL_CACHE": str(self.cache)}
        command = [sys.executable, str(self.root / "benchmarks" / script), *words]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=self.root, env=os.environ | ONE_THREAD | own)
        if ran.returncode:
            reason = (ran.stderr.strip().splitlines() or [f"exit status {ran.returncode}"])[-1]
            raise ValueError(f"{script} {' '.join(words)} failed in {self.root}: {reason}")
        return json.loads(ran.stdout.splitlines()[-1])


class Measurement(NamedTuple):
    """A benchmark's arguments, and the conversion of its output to seconds by line."""

    title: str
    script: str
    words: list[str]
    read: Callable[[Any], Times]


def rates(found: dict[str, Any]) -> Times:
    """Convert rates to seconds per unit of work; omit peers that are not installed."""
    return {name: 1 / rate for name, rate in found.items() if rate}


def job(title: str, read: Callable[[Any], Times], **details: Any) -> Measurement:
    return Measurement(title, "solvers.py", ["--measure", json.dumps(details)], read)


def speed(chosen: argparse.Namespace) -> Iterator[Measurement]:
    def read(answer: Any) -> Times:
        (line,) = answer
        return rates({LABELS.get(name, name): rate for name, rate in line.items() if name not in ("game", "target")})

    for game in chosen.games or GAMES:
        yield Measurement(f"play {game}", "speed.py", ["--json", "--seconds", str(chosen.seconds), game], read)


def solvers(chosen: argparse.Namespace) -> Iterator[Measurement]:
    def lp(answer: Any) -> Times:
        parts = dict(zip(("build", "presolve", "LP"), answer["parts"], strict=True))
        return {**parts, "certified": answer["certified"], "plain LP": answer["plain"]}

    def cfr(answer: Any) -> Times:
        return {"an iteration": answer["ms"] / 1000, "an iteration, presolved": answer["reduced"] / 1000}

    for game in chosen.games or SOLVED:
        yield job(f"solve {game}", lp, job="lp", game=game, repeats=3)
        yield job(f"CFR+ on {game}", cfr, job="cfr", game=game, seconds=chosen.seconds, repeats=3, same=ITERATIONS)
    if not chosen.games:
        yield job(
            "solve resistance",
            lambda answer: {str(count): spent for count, spent in zip(RESISTANCE, answer["seconds"], strict=True)},
            job="resistance",
            players=RESISTANCE,
        )


def kriegspiel(chosen: argparse.Namespace) -> Iterator[Measurement]:
    words = ["--json", "--seconds", str(chosen.seconds), "--engines", *chosen.engines]
    yield Measurement("kriegspiel", "kriegspiel_speed.py", words, rates)


PARTS = {"speed": speed, "solvers": solvers, "kriegspiel": kriegspiel}


class Line(NamedTuple):
    """One figure in both checkouts, in seconds."""

    name: str
    old: list[float]
    new: list[float]

    @property
    def ratio(self) -> float:
        return min(self.new) / min(self.old)

    @property
    def spread(self) -> tuple[float, float]:
        single = [new / old for old, new in zip(self.old, self.new, strict=True)]
        return min(single), max(single)


def compare(measurement: Measurement, old: Checkout, new: Checkout, repeats: int) -> list[Line]:
    """Measure both in turn, the order swapped at every repeat, after a run of each that compiles."""
    sides: tuple[list[Times], list[Times]] = ([], [])
    for repeat in range(-1, repeats):
        for which in (0, 1) if repeat % 2 else (1, 0):
            answer = measurement.read((old, new)[which].answer(measurement.script, *measurement.words))
            if repeat >= 0:
                sides[which].append(answer)
    names = [name for name in sides[0][0] if name in sides[1][0]]
    return [Line(f"{measurement.title}: {name}", *([run[name] for run in side] for side in sides)) for name in names]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("old", type=Path)
    options.add_argument("new", type=Path)
    options.add_argument("parts", nargs="*", metavar="part", help=f"only these of {', '.join(PARTS)}")
    options.add_argument("--repeats", type=int, default=5, help="of which the best counts")
    options.add_argument("--seconds", type=float, default=1.0, help="CPU seconds for each rate")
    options.add_argument("--games", nargs="*", default=[], help="only these games, in the parts speed and solvers")
    options.add_argument("--engines", nargs="*", default=["C", "minimax"], help="Kriegspiel engines")
    options.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "fogspiel-checkouts")
    options.add_argument("--json", type=Path, metavar="FILE", help="write all times to this file")
    chosen = options.parse_args()
    for part in chosen.parts:
        if part not in PARTS:
            options.error(f"there is no part {part!r}: it is {', '.join(PARTS)}")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # child processes inherit the affinity
    roots = [path.resolve() for path in (chosen.old, chosen.new)]
    for root in roots:
        if not (root / "benchmarks" / "speed.py").is_file():
            options.error(f"{root} is not a checkout of fogspiel: it has no benchmarks/speed.py")
    caches = [chosen.cache / hashlib.sha256(str(root).encode()).hexdigest()[:12] for root in roots]
    old, new = (Checkout(root, cache) for root, cache in zip(roots, caches, strict=True))
    print(f"old {_results.commit(old.root)} in {old.root}\nnew {_results.commit(new.root)} in {new.root}\n")
    print(f"{'':<46}{'old':>11}{'new':>11}{'new/old':>9}  single repeats")
    lines, failures = [], []
    for part in chosen.parts or PARTS:
        for measurement in PARTS[part](chosen):
            try:
                found = compare(measurement, old, new, chosen.repeats)
            except ValueError as error:
                failures.append(str(error))
                print(error, flush=True)
                continue
            for line in found:
                low, high = line.spread
                times = f"{min(line.old):>11.3g}{min(line.new):>11.3g}{line.ratio:>9.3f}"
                print(f"{line.name:<46}{times}  {low:.3f} to {high:.3f}", flush=True)
            lines += found
    if chosen.json:
        sides = {name: {"commit": _results.commit(side.root)} for name, side in (("old", old), ("new", new))}
        body = {**sides, "lines": [{**line._asdict(), "ratio": line.ratio} for line in lines], "failures": failures}
        chosen.json.write_text(json.dumps(body, indent=1) + "\n")
    raise SystemExit(bool(failures))


if __name__ == "__main__":
    main()
