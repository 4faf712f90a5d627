"""The web interface under load: `python benchmarks/web_load.py [--seconds 60]`, with Debian's `wrk` installed.

Fifty connections read as fast as they can; then a background run is timed alone and with a page that polls it.
"""

import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

CONNECTIONS = 50
POLLS = 10
"""Polls of the run per second: ten times as many as a page makes."""
TUNING = ["tune", "batawaf", "--games", "2000000", "--threads", "1"]
MEETING = ["round-robin", "pig", "hold20", "hold25", "uniform", "--games", "2000"]
REPETITIONS = 3


def started(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """Start a server with a separate store; return it and its address."""
    words = [
        sys.executable,
        "-m",
        "fogspiel.cli",
        "web",
        "--no-open",
        "--port",
        "0",
        "--store",
        str(folder / "runs.db"),
    ]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert server.stdout
    found = re.search(r"http://[^/\s]+", server.stdout.readline())
    if not found:
        raise SystemExit("the server does not say where it is")
    return server, found[0]


def answer(address: str, body: object = None) -> dict:
    content = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address, content, {"content-type": "application/json"})) as said:
        return json.load(said)


def memory_of(server: subprocess.Popen[str]) -> float:
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def loaded(server: subprocess.Popen[str], address: str, path: str, seconds: int) -> None:
    before = memory_of(server)
    words = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", address + path]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    rate, slowest = re.search(r"Requests/sec:\s+(\S+)", said), re.search(r"99%\s+(\S+)", said)
    faults = re.findall(r"(Socket errors: .*|Non-2xx.*)", said)
    print(
        f"{path.split('?')[0][:24]:26} {rate[1] if rate else '?':>9}/s  p99 {slowest[1] if slowest else '?':>9}  "
        f"{'; '.join(faults) or 'no errors'}  memory {before:.0f} -> {memory_of(server):.0f} MB",
        flush=True,
    )


def tuned(folder: Path, number: int) -> float:
    """Return the wall-clock seconds of a CPU-bound run."""
    words = [sys.executable, "-m", "fogspiel.cli", *TUNING, "--seed", str(number), "--store", str(folder / "runs.db")]
    start = time.perf_counter()
    subprocess.run(words, check=True, capture_output=True)
    return time.perf_counter() - start


def met(folder: Path) -> None:
    words = [sys.executable, "-m", "fogspiel.cli", *MEETING, "--store", str(folder / "runs.db")]
    subprocess.run(words, check=True, capture_output=True, cwd=folder)


def polled(address: str, stop: threading.Event) -> None:
    while not stop.wait(1 / POLLS):
        runs = answer(f"{address}/api/runs")["runs"]
        if runs:
            answer(f"{address}/api/runs/{runs[0]['name']}/steps?after=0")


def slowed(folder: Path, address: str) -> tuple[float, float]:
    """Return seconds of a run alone and while it is polled, the medians of a few of each in turn."""
    alone, watched = [], []
    for seed in range(REPETITIONS):
        alone.append(tuned(folder, seed))
        stop = threading.Event()
        watcher = threading.Thread(target=polled, args=(address, stop))
        watcher.start()
        watched.append(tuned(folder, seed))
        stop.set()
        watcher.join()
    return statistics.median(alone), statistics.median(watched)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    asked = parser.parse_args()
    if not shutil.which("wrk"):
        raise SystemExit("wrk is not installed: apt-get install wrk")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tuned(folder, 1)
        met(folder)
        server, address = started(folder)
        try:
            print(f"{os.cpu_count()} cores, {CONNECTIONS} connections, {asked.seconds} s for each address")
            key = answer(f"{address}/api/play", {"game": "phantom-ttt", "against": "uniform", "side": 0})["key"]
            shared = ("/", "/api/games", "/runs", "/runs/batawaf-1", "/api/runs/batawaf-1", "/results/pig-1")
            for path in (*shared, f"/api/play/{key}", f"/play/{key}"):
                loaded(server, address, path, asked.seconds)
            alone, watched = slowed(folder, address)
            print(
                f"a run of {TUNING[3]} games: {alone:.2f} s alone, {watched:.2f} s while it is polled {POLLS} times a "
                f"second ({100 * (watched / alone - 1):+.1f} %)"
            )
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)


if __name__ == "__main__":
    main()
