"""Is everything in order: versions, the kernel cache, the store, each with a hint where it is not."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from .. import __version__
from ..runs.sqlite_file import StoreError
from ..runs.store import Store

NEEDED = ("numpy", "numba", "typer", "rich")


class Check(NamedTuple):
    """One thing that was looked at."""

    what: str
    ok: bool
    detail: str
    hint: str = ""


def checks(store: Path) -> list[Check]:
    """Everything that is looked at, in the order of how much depends on it."""
    return [*_versions(), _cache(), _kernels(), *_store(store)]


def _versions() -> list[Check]:
    found = [Check("fogspiel", True, f"{__version__}, Python {platform.python_version()}, {os.cpu_count()} cores")]
    for name in NEEDED:
        try:
            found.append(Check(name, True, version(name)))
        except PackageNotFoundError:
            found.append(Check(name, False, "missing", f"install it: python -m pip install {name}"))
    return found


def _cache() -> Check:
    from ..core.kernel import CACHE
    from ..core.kernel_files import cache_root

    if CACHE is None:
        hint = "make that folder writable, or set FOGSPIEL_CACHE to one that is"
        return Check("kernel cache", False, f"{cache_root()} cannot be written: kernels compile at every start", hint)
    size = sum(path.stat().st_size for path in CACHE.rglob("*") if path.is_file())
    return Check("kernel cache", True, f"{CACHE}, {size / 1e6:.1f} MB")


def _kernels() -> Check:
    from ..core.agents import find_policy
    from ..core.game import games
    from ..core.simulate import Match

    game = next(iter(games().values()))
    player = find_policy(game, "uniform")
    score = Match(game, player, player).scores(1, 0, 2).tolist()
    return Check("kernels", True, f"{len(games())} games; two games of {game.name} played: {score}")


def _store(path: Path) -> list[Check]:
    try:
        with Store.open(path, write=False) as store:
            problems, runs = store.problems(), len(store.names())
    except StoreError as error:
        return [Check("store", False, str(error), "name another file with --store, or restore a backup")]
    if not problems:
        return [Check("store", True, f"{path}, {runs} runs" if path.exists() else f"{path} (not made yet)")]
    return [Check("store", False, problem.what, problem.hint) for problem in problems]
