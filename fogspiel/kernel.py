"""Numba's only home: how kernels are declared, compiled on first use, and cached.

Numba's own cache does not notice an edit in a function that a kernel calls from another file, so the cache folder is
named by a digest of every source file that a kernel can reach: an edit gives a fresh folder, and stale code cannot run.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

KEPT_CACHES = 4
SHELL = {
    "arena",
    "bounding",
    "chain",
    "checkup",
    "cli",
    "diagnosis",
    "entrants",
    "experiments",
    "explain",
    "exploiter",
    "interop",
    "learning",
    "locks",
    "matches",
    "measure",
    "memory",
    "nash",
    "optimise",
    "problem",
    "proofs",
    "ranking",
    "report",
    "runs",
    "screen",
    "solving",
    "spread",
    "store",
    "tour",
    "tuning",
    "web",
    "workers",
}
"""Modules that no kernel can reach (a test makes sure): editing them keeps the cache."""


def source_digest(package: Path) -> str:
    """The digest that names the cache folder: the sources below `package` but for the shell, by name and content."""
    digest = hashlib.blake2b(digest_size=10)
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package)
        if name.parts[0].removesuffix(".py") not in SHELL:
            digest.update(name.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def cache_root() -> Path:
    """The folder that holds one compiled cache per state of the sources."""
    chosen = os.environ.get("FOGSPIEL_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "fogspiel"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fogspiel"


def _drop_old_caches(root: Path, current: Path) -> None:
    """Keep the newest few caches, so that a developer's disk does not fill up with one per edit."""
    others = sorted((p for p in root.iterdir() if p != current), key=lambda p: p.stat().st_mtime, reverse=True)
    for path in others[KEPT_CACHES - 1 :]:
        shutil.rmtree(path, ignore_errors=True)


def _cache_folder() -> Path | None:
    """The cache folder for these sources, or None where no folder can be written: kernels then compile every time."""
    root = cache_root()
    folder = root / source_digest(Path(__file__).parent)
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            _drop_old_caches(root, folder)
        os.utime(folder)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


CACHE = _cache_folder()
FIRST_TIME = CACHE is not None and not any(CACHE.iterdir())
"""Whether nothing has been compiled yet from these sources."""
if CACHE is not None:
    os.environ["NUMBA_CACHE_DIR"] = str(CACHE)

from numba import config, njit, types  # noqa: E402  (the cache folder must be set before Numba is imported)
from numba.core.typing.templates import Signature  # noqa: E402
from numba.experimental import function_type  # noqa: E402

COMPILED = not getattr(config, "DISABLE_JIT")  # noqa: B009 (Numba sets it at run time)
if not COMPILED:
    np.seterr(over="ignore")  # the generator wraps around on purpose

kernel = njit(cache=CACHE is not None, nogil=True, error_model="numpy")
"""Declare a kernel: arithmetic on arrays, compiled when first used, free of the interpreter lock."""

inlined = njit(cache=CACHE is not None, nogil=True, error_model="numpy", inline="never", forceinline=True)
"""Declare a small kernel that is always folded into its callers."""


def variant(*values: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a kernel that is made several times in one place, once for each of the `values` it closes over.

    Numba tells compiled functions apart by their names and a number that it counts anew in every process: of two
    kernels with one name that were cached by different processes, a third process may run one in place of the other.
    """

    def declared(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__qualname__ += "".join(f"_{value}" for value in values)
        return kernel(function)

    return declared


CELLS = types.Array(types.int64, 1, "C")
REALS = types.Array(types.float64, 1, "C")
ROWS = types.Array(types.float64, 2, "C")
TABLE = types.Array(types.int64, 2, "C")
TABLE32 = types.Array(types.int32, 2, "C")
STREAM = types.Array(types.uint64, 1, "C")
NOTHING = types.void
NUMBER = types.int64
SEED = types.uint64


def signature(result: Any, *arguments: Any) -> Signature:
    """The type of a kernel that is passed to another kernel."""
    return result(*arguments)


def kernel_of(result: Any, *arguments: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a kernel that takes other kernels (typed by `signature`): one compiled loop serves every game."""
    typed = [types.FunctionType(a) if isinstance(a, Signature) else a for a in arguments]
    return njit(result(*typed), cache=CACHE is not None, nogil=True, error_model="numpy")


def compiled(function: Callable[..., Any], of: Signature) -> Callable[..., Any]:
    """`function`, compiled (or loaded from the cache) for one signature, so that it can be passed to another kernel."""
    if COMPILED and of not in function.nopython_signatures:  # type: ignore[attr-defined]
        function.compile(of)  # type: ignore[attr-defined]
    return function


def _remember_addresses(question: str) -> None:
    """Let Numba look up the addresses of kernels that are passed to other kernels once, not at every call.

    It asks anew for every argument of every call, which takes longer than a hundred games; compiled code never moves.
    """
    asked: Callable[..., int] | None = getattr(function_type, question, None)
    if asked is None:  # another version of Numba, which may be in no need of it
        return
    answers: dict[tuple[int, int], tuple[Any, Any, int]] = {}

    def remembered(function: Any, of: Signature) -> int:
        key = id(function), id(of)
        if key not in answers:
            answers[key] = function, of, asked(function, of)  # kept alive, so that nobody else gets their numbers
        return answers[key][2]

    setattr(function_type, question, remembered)


for _question in ("_get_wrapper_address", "_get_jit_address"):
    _remember_addresses(_question)
