"""Benchmark results as JSON files, with commit, machine and versions."""

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "numba", "highspy", "open_spiel", "nevergrad", "chess", "kriegspiel")
ROOT = Path(__file__).resolve().parents[1]


def commit(root: Path = ROOT) -> str:
    """Return the commit of a checkout, marked if files differ from it."""
    words = ["git", "-C", str(root), "describe", "--always", "--dirty=, changed", "--exclude=*"]
    return subprocess.run(words, capture_output=True, text=True).stdout.strip() or "no commit"


def write(path: Path, results: object) -> None:
    body = {
        "commit": commit(),
        "measured": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "machine": {"cpu": _cpu(), "cores": os.cpu_count(), "system": platform.system()},
        "versions": {"python": platform.python_version()}
        | {name: found for name in PACKAGES if (found := _version(name))},
        "results": results,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body, indent=1) + "\n")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"
