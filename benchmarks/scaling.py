"""Growth of cost with size: `python benchmarks/scaling.py [section ..] [--output docs/results/scaling.json]`.

The sections are `trees`, `resistance`, `boards`, `belief`, `store` and `throughput`. Named sections are measured again;
the others stay as in the output file. Then the tables of `docs/results/scaling.md` and its figures are made from all of
them. Every measurement has a separate process, bound to one thread: CPU seconds after a first run that compiles, and
the growth of its peak memory. Only `throughput` is measured in wall-clock time, which other work on the machine
disturbs. No section takes more than five CPU minutes on a processor of 2020.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import _results
import _scaling_measures
import _scaling_report
from _scaling_measures import CARDS, FACES, Row

OUTPUT = _results.ROOT / "docs" / "results" / "scaling.json"
METHODS = ("lp", "cfr+", "exact", "checker")
LIMIT = 60.0
"""CPU seconds after which a size is the last one of its family that is measured."""
PLAYERS = range(5, 14)
PARTICLES = (100, 400, 1_600, 6_400)
ROWS = (100, 1_000, 10_000, 50_000)
WORKERS = (1, 2, 4)


def trees() -> list[Row]:
    """Measure both families, from the smallest game on, until a method takes too long."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for family, sizes in (("kuhn", CARDS), ("liars-dice", FACES)):
            for method in METHODS:
                for size in sizes:
                    proof = Path(folder) / f"{family}-{size}.json"
                    if method == "checker" and not proof.exists():
                        break
                    row = in_process("measure_tree", family, size, method, proof)
                    if method == METHODS[0]:
                        built = {"cpu_seconds": row["build_seconds"], "megabytes": 0.0, "nodes": row["nodes"]}
                        rows.append({"family": family, "size": size, "method": "build"} | built)
                    rows.append(tell({"family": family, "size": size, "method": method} | row))
                    if row["cpu_seconds"] > LIMIT:
                        break
    return rows


def resistance() -> list[Row]:
    return [tell({"players": players} | in_process("measure_resistance", players)) for players in PLAYERS]


def boards() -> list[Row]:
    found = [tell({"game": f"ponnuki {n}x{n}", "kind": "search"} | in_process("measure_search", n)) for n in (2, 3, 4)]
    found += [
        tell({"game": f"ponnuki {n}x{n}", "kind": "playouts"} | in_process("measure_playouts", n)) for n in range(2, 10)
    ]
    for height, width in ((2, 2), (2, 3), (3, 3)):
        row = in_process("measure_hex", height, width)
        found.append(tell({"game": f"dark hex {height}x{width}", "kind": "hex"} | row))
    return found


def belief() -> list[Row]:
    return [tell({"asked": boards} | in_process("measure_belief", boards)) for boards in PARTICLES]


def store() -> list[Row]:
    return [tell({"rows": rows} | in_process("measure_store", rows)) for rows in ROWS]


def throughput() -> list[Row]:
    return [
        tell({"kind": kind, "workers": count} | in_process("measure_throughput", kind, count))
        for kind in ("threads", "processes", "cluster")
        for count in WORKERS
    ]


def tell(row: Row) -> Row:
    print(json.dumps(row), file=sys.stderr, flush=True)
    return row


def in_process(function: str, *given: object) -> Row:
    """Return the result of a measurement in a separate process, with one thread for libraries."""
    words = [sys.executable, __file__, "--measure", function, *map(str, given)]
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    answer = subprocess.run(words, env=os.environ | one, stdout=subprocess.PIPE, text=True, check=True).stdout
    row: Row = json.loads(answer.splitlines()[-1])
    return row


SECTIONS: dict[str, Callable[[], list[Row]]] = {
    "trees": trees,
    "resistance": resistance,
    "boards": boards,
    "belief": belief,
    "store": store,
    "throughput": throughput,
}


SECTIONS: dict[str, Callable[[], list[Row]]] = {
    "trees": trees,
    "resistance": resistance,
    "boards": boards,
    "belief": belief,
    "store": store,
    "throughput": throughput,
}


def work(sections: Iterable[str], output: Path) -> None:
    results: dict[str, list[Row]] = json.loads(output.read_text(encoding="utf-8"))["results"] if output.exists() else {}
    for section in sections:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        results[section] = SECTIONS[section]()
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        print(f"{section}: {spent:.0f} CPU s", file=sys.stderr)
        _results.write(output, results)
    _scaling_report.write(results, output.with_suffix(".md"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--output", type=Path, default=OUTPUT)
    asked = parser.parse_args()
    unknown = set(asked.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"there is no section {', '.join(unknown)}: the sections are {', '.join(SECTIONS)}")
    work(asked.sections, asked.output)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(getattr(_scaling_measures, sys.argv[2])(*sys.argv[3:])))
    else:
        main()
