"""Numba's only home: how kernels are declared, compiled on first use, and cached.

Numba's own cache does not notice an edit in a function that a kernel calls from another file. So every file has a cache
folder named by a digest of all source files that it can reach by imports: an edit gives a fresh folder to the files
that depend on it, the others keep theirs, and stale code cannot run. What Numba keeps also names the module, which for
a file outside of the package depends on who loads it: such a file has a folder for each of its names.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from .source_digest import PACKAGE, digest_of

KEPT_DAYS = 7
"""How long a cache folder is kept that is not used."""

Kernel = Callable[..., Any]
"""A function that is compiled; its types are those of its arguments when it is called first."""


def cache_root() -> Path:
    """The folder that holds a compiled cache for every state of every source file."""
    return Path(os.environ.get("FOGSPIEL_CACHE") or user_cache_path("fogspiel", appauthor=False))


def _drop_old_caches(root: Path) -> None:
    """Remove what has not been used for long, so that a developer's disk does not fill up with a folder per edit."""
    limit = time.time() - KEPT_DAYS * 86400
    for path in root.iterdir():
        if path.stat().st_mtime < limit:
            shutil.rmtree(path, ignore_errors=True)


def _usable_root() -> Path | None:
    """The root of the caches, or None where it cannot be written: kernels then compile every time."""
    root = cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        _drop_old_caches(root)
    except OSError:
        return None
    return root if os.access(root, os.W_OK) else None


CACHE = _usable_root()
if CACHE is not None:
    os.environ["NUMBA_CACHE_DIR"] = str(CACHE)
FIRST_TIME = CACHE is not None and not (CACHE / digest_of(PACKAGE / "core" / "simulate.py")).is_dir()
"""Whether the loop that plays games has not been compiled yet."""

from numba import config, njit, types  # noqa: E402  (the cache folder must be set before Numba is imported)
from numba.core.typing.templates import Signature  # noqa: E402
from numba.experimental import function_type  # noqa: E402
from numba.extending import intrinsic  # noqa: E402

COMPILED = not getattr(config, "DISABLE_JIT")  # noqa: B009 (Numba sets it at run time)
if not COMPILED:
    np.seterr(over="ignore")  # the generator wraps around on purpose


def _folder_name(file: Path, module: str) -> str:
    """The digest of all that a file can use, and outside of the package of the name it is loaded by."""
    if PACKAGE in file.parents:
        return digest_of(file)
    return f"{digest_of(file)}-{hashlib.blake2b(module.encode(), digest_size=5).hexdigest()}"


def _folder_of(function: Kernel) -> Path | None:
    """The cache folder of a kernel: that of its file in its present state; None for what was typed in, not saved."""
    file = Path(function.__code__.co_filename)
    if CACHE is None or not file.is_file():
        return None
    folder = CACHE / _folder_name(file, function.__module__)
    folder.mkdir(exist_ok=True)
    os.utime(folder)
    return folder


def _declare(function: Kernel, *signatures: Signature, **options: Any) -> Kernel:
    """A kernel whose compiled code is kept in the folder of its file."""
    folder = _folder_of(function)
    if folder is not None:
        setattr(config, "CACHE_DIR", str(folder))  # noqa: B010 (Numba asks for it now and never again)
    declare: Callable[..., Callable[[Kernel], Kernel]] = njit
    return declare(*signatures, cache=folder is not None, nogil=True, error_model="numpy", **options)(function)


def kernel(function: Kernel) -> Kernel:
    """Declare a kernel: arithmetic on arrays, compiled when first used, free of the interpreter lock."""
    return _declare(function)


def inlined(function: Kernel) -> Kernel:
    """Declare a small kernel that is always folded into its callers."""
    return _declare(function, inline="never", forceinline=True)


def variant(*values: object) -> Callable[[Kernel], Kernel]:
    """Declare a kernel that is made several times in one place, once for each of the `values` it closes over.

    Numba tells compiled functions apart by their names and a number that it counts anew in every process: of two
    kernels with one name that were cached by different processes, a third process may run one in place of the other.
    """

    def declare(function: Kernel) -> Kernel:
        function.__qualname__ += "".join(f"_{value}" for value in values)
        return kernel(function)

    return declare


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
    found: Signature = result(*arguments)
    return found


def kernel_of(result: Any, *arguments: Any) -> Callable[[Kernel], Kernel]:
    """Declare a kernel that takes other kernels (typed by `signature`): one compiled loop serves every game."""
    typed = [types.FunctionType(a) if isinstance(a, Signature) else a for a in arguments]
    return lambda function: _declare(function, result(*typed))


def compiled(function: Kernel, of: Signature) -> Kernel:
    """`function`, compiled (or loaded from the cache) for one signature, so that it can be passed to another kernel."""
    if COMPILED and of not in function.nopython_signatures:  # type: ignore[attr-defined]
        function.compile(of)  # type: ignore[attr-defined]
    return function


def _remember_addresses(question: str) -> None:
    """Let Numba look up the addresses of kernels that are passed to other kernels once, not at every call.

    It asks anew for every argument of every call, which takes longer than a hundred games; compiled code never moves.
    """
    ask: Callable[..., int] | None = getattr(function_type, question, None)
    if ask is None:  # another version of Numba, which may be in no need of it
        return
    answers: dict[tuple[int, int], tuple[Any, Any, int]] = {}

    def remember(function: Any, of: Signature) -> int:
        key = id(function), id(of)
        if key not in answers:
            answers[key] = function, of, ask(function, of)  # kept alive, so that no others get their numbers
        return answers[key][2]

    setattr(function_type, question, remember)


for _question in ("_get_wrapper_address", "_get_jit_address"):
    _remember_addresses(_question)


def _instruction(name: str, *, defined_at_zero: bool = False) -> Any:
    """A machine instruction on the bits of a 64-bit number."""

    @intrinsic
    def operation(_: Any, word: Any) -> tuple[Any, Any]:
        def emit(context: Any, builder: Any, signature: Any, words: Any) -> Any:
            flags = (context.get_constant(types.boolean, 0),) if defined_at_zero else ()
            return getattr(builder, name)(words[0], *flags)

        return types.int64(types.int64), emit

    return operation


if COMPILED:
    ones, trailing_zeros, leading_zeros = (
        _instruction("ctpop"),
        _instruction("cttz", defined_at_zero=True),
        _instruction("ctlz", defined_at_zero=True),
    )
else:
    WORD = 2**64 - 1

    def ones(word: int) -> int:
        """How many bits of a 64-bit number are set."""
        return (int(word) & WORD).bit_count()

    def trailing_zeros(word: int) -> int:
        """The place of the lowest set bit of a 64-bit number; 64 if there is none."""
        bits = int(word) & WORD
        return (bits & -bits).bit_length() - 1 if bits else 64

    def leading_zeros(word: int) -> int:
        """The number of zeros above the highest set bit of a 64-bit number."""
        return 64 - (int(word) & WORD).bit_length()
