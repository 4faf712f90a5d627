"""Numba's only home: how kernels are declared, compiled on first use, and cached.

Numba's own cache does not notice an edit in a function that a kernel calls from another file. So every file has a cache
folder named by a digest of all source files that it can reach by imports: an edit gives a fresh folder to the files
that depend on it, the others keep theirs, and stale code cannot run. What Numba keeps also names the module, which for
a file outside of the package depends on who loads it: such a file has a folder for each of its names.

Nor does Numba notice damage, and its index of a function's signatures is not made for two writers. So there is a file
per signature, named by all that its code depends on and checked before it is used.
"""

import hashlib
import io
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import config, njit, types
from numba.core import event
from numba.core.caching import Cache, NullCache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps
from numba.core.typing.templates import Signature
from numba.experimental import function_type
from numba.extending import lower_builtin, lower_cast, type_callable

from .cache import (
    SUFFIX,
    DamageError,
    cache_root,
    read_kernel,
    remove,
    usable_root,
    warn_of_unwritable,
    warn_once,
    write_kernel,
)
from .key import PACKAGE, digest_of

Kernel = Callable[..., Any]
"""A function that is compiled; its types are those of its arguments when it is called first."""

CACHE = usable_root()
COMPILED = not getattr(config, "DISABLE_JIT")  # noqa: B009 (Numba sets it at run time)
if not COMPILED:
    np.seterr(over="ignore")  # the generator wraps around on purpose


def _folder_name(file: Path, module: str) -> str:
    """The digest of all that a file can use, and outside of the package of the name it is loaded by."""
    if PACKAGE in file.parents:
        return digest_of(file)
    return f"{digest_of(file)}-{hashlib.blake2b(module.encode(), digest_size=5).hexdigest()}"


@cache
def _folder_of(file: Path, module: str) -> Path | None:
    """The cache folder of the kernels of a file in its present state; None for what was typed in, not saved."""
    if CACHE is None or not file.is_file():
        return None
    folder = CACHE / _folder_name(file, module)
    with suppress(OSError):  # there is none before the first kernel is kept
        os.utime(folder)
    return folder


def _is_plain(given: Any) -> bool:
    """Whether nobody counts references to what has this type."""
    if isinstance(given, types.BaseTuple):
        return all(_is_plain(part) for part in given.types)  # type: ignore[attr-defined]
    return isinstance(given, types.Number | types.Boolean | types.NoneType)


class KernelCache(NullCache):
    """Keeps the compiled code of one kernel, a file per signature; what cannot be kept or used is compiled again."""

    def __init__(self, function: Kernel, folder: Path, in_place: bool) -> None:
        self._py_func = function  # as Numba's `_index_key` calls it
        self.folder, self.in_place = folder, in_place

    @property
    def cache_path(self) -> str:
        return str(self.folder)

    def _key(self, of: Any, codegen: Any) -> tuple[Any, ...]:
        """All that the code depends on besides the sources, to be compared for equality."""
        return (numba.__version__, sys.implementation.cache_tag, *Cache._index_key(self, of, codegen))  # type: ignore[arg-type]

    def _file(self, key: tuple[Any, ...]) -> Path:
        code = self._py_func.__code__
        named = f"{code.co_filename} {self._py_func.__qualname__} {code.co_firstlineno} {key}"
        digest = hashlib.blake2b(named.encode(), digest_size=16).hexdigest()
        return self.folder / f"{code.co_name.strip('<>')}-{digest}{SUFFIX}"

    def holds(self, of: Any, target: Any) -> bool:
        """Whether there is a file for a signature."""
        return self._file(self._key(of, target.codegen())).exists()

    def load_overload(self, of: Any, target: Any) -> Any:
        """The code for a signature, or None."""
        target.refresh()
        key = self._key(of, target.codegen())
        file = self._file(key)
        try:
            content = io.BytesIO(read_kernel(file))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (DamageError, OSError):
            warn_once(
                f"the kernel cache {CACHE} has a damaged file, so it is compiled again: `fogspiel doctor` checks all"
            )
            remove(file)
            return None
        try:
            same = pickle.load(content) == key  # unlike types that only print alike
            return CompileResult._rebuild(target, *pickle.load(content)) if same else None
        except Exception:  # what is kept names a module that cannot be imported here
            return None

    def save_overload(self, of: Any, found: Any) -> None:
        """Keep the code for a signature, if there is room."""
        if self.in_place and not _is_plain(found.signature.return_type):
            raise TypeError(f"{self._py_func.__name__} works in place, so it must give back numbers, not an array")
        if found.library.has_dynamic_globals:
            name = self._py_func.__name__
            warn_once(f"{name} compiles at every start, as it uses a large global array: give it as an argument")
            return
        key = self._key(of, found.codegen)
        try:
            write_kernel(self._file(key), dumps(key) + dumps(found._reduce()))
        except OSError as error:
            warn_of_unwritable(cache_root(), error.strerror or str(error))


def _plain_type(given: Any) -> Any:
    """The type as which a kernel takes an argument from another one: any number for a certain one, and an array for
    one that is a field of a record. Else Numba would compile a kernel anew for every constant that it is given."""
    if isinstance(given, types.NestedArray):
        return types.Array(given.dtype, given.ndim, "C")
    return types.unliteral(given)


def _plain_template(template: Callable[..., Any], args: Any, kws: Any) -> Any:
    """What Numba asks a kernel when another one calls it."""
    return template(tuple(map(_plain_type, args)), {name: _plain_type(given) for name, given in kws.items()})


@lower_cast(types.NestedArray, types.Array)  # type: ignore[untyped-decorator]
def _same_array(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    """A field of a record is passed as an array is."""
    return value


_declared_compilation = threading.Lock()


def _compile_for_all(declared: Any, signatures: Sequence[Signature], *given: Any) -> Any:
    """Compile a kernel, when it is called first, for its declared signatures and for no others: its entry point."""
    with _declared_compilation:  # threads that call it at the same time
        if declared._can_compile:
            for one in signatures:
                declared.compile(one)
            declared.disable_compile(True)
    return declared.overloads[signatures[-1].args].entry_point


def _declare(function: Kernel, *signatures: Signature, **options: Any) -> Kernel:
    """A kernel whose compiled code is kept in the folder of its file."""
    counting = {"_nrt": True} | options  # said of every kernel, as otherwise it would be like whoever calls it first
    found: Any = njit(nogil=True, error_model="numpy", **counting)(function)
    if COMPILED:
        folder = _folder_of(Path(function.__code__.co_filename), function.__module__)
        if folder is not None:
            found._cache = KernelCache(function, folder, in_place=not counting["_nrt"])
        found.get_call_template = partial(_plain_template, found.get_call_template)
        if signatures:
            found._compile_for_args = partial(_compile_for_all, found, signatures)
    declared: Kernel = found
    return declared


def kernel(function: Kernel) -> Kernel:
    """Declare a kernel: arithmetic on arrays, compiled when first used, free of the interpreter lock."""
    return _declare(function)


def in_place(function: Kernel) -> Kernel:
    """Declare a kernel that makes no array and gives back numbers only: it works on the arrays that it is given.

    Whoever calls it holds those arrays, so it need not count references to them. Each count is an atomic addition,
    which costs more than many a small kernel.
    """
    return _declare(function, _nrt=False)


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
REAL = types.float64
SEED = types.uint64


def signature(result: Any, *arguments: Any) -> Signature:
    """The type of a kernel that is passed to another kernel."""
    found: Signature = result(*arguments)
    return found


def record_of(kind: type[tuple[Any, ...]], *fields: Any) -> Any:
    """Return the type of a NamedTuple of arrays and numbers, as an argument of `kernel_of`.

    Kernels that are typed by `signature` cannot be fields of an argument: Numba does not convert them there. A kernel
    that takes them one by one may put them into a NamedTuple for those that it calls.
    """
    return types.BaseTuple.from_types(fields, kind)


def kernel_of(result: Any, *arguments: Any) -> Callable[[Kernel], Kernel]:
    """Declare a kernel that takes other kernels (typed by `signature`): one compiled loop serves every game."""
    typed = [types.FunctionType(a) if isinstance(a, Signature) else a for a in arguments]
    return lambda function: _declare(function, result(*typed))


def compiled(function: Kernel, of: Signature) -> Kernel:
    """`function`, compiled (or loaded from the cache) for one signature, so that it can be passed to another kernel."""
    if COMPILED and not interprets() and of not in function.nopython_signatures:  # type: ignore[attr-defined]
        function.compile(of)  # type: ignore[attr-defined]
    return function


class _Mode(threading.local):
    """Whether Python itself runs the kernels that this thread calls, always or until something has happened."""

    interpreted = False
    until: threading.Event | None = None


_mode = _Mode()
NEVER = threading.Event()
"""What is never set."""
_mode_changes = threading.Lock()
CALL = "__call__"
COMPILED_CALL: Any = Dispatcher.__call__
_interpreters = 0
"""How many threads interpret kernels."""


def is_cold(file: str) -> bool:
    """Whether no kernel of a file of the package, in its present state, has been compiled on this machine."""
    return COMPILED and (CACHE is None or not (CACHE / digest_of(PACKAGE / file)).is_dir())


def interprets() -> bool:
    """Whether this thread interprets the kernels that it calls now."""
    return _mode.interpreted or (_mode.until is not None and not _mode.until.is_set())


def _call(declared: Any, *given: Any, **named: Any) -> Any:
    """A call of a kernel while some thread interprets them."""
    if _mode.interpreted:
        return declared.py_func(*given, **named)
    if not interprets():
        return COMPILED_CALL(declared, *given, **named)
    _mode.interpreted = True  # whatever happens meanwhile, one call is not half compiled
    try:
        return declared.py_func(*given, **named)
    finally:
        _mode.interpreted = False


def _count_interpreters(change: int) -> None:
    """Calls are as fast as ever while nobody interprets kernels: then no Python code is between."""
    global _interpreters
    with _mode_changes:
        before, _interpreters = _interpreters, _interpreters + change
        if not before:
            setattr(Dispatcher, CALL, _call)
        elif not _interpreters:
            delattr(Dispatcher, CALL)


@contextmanager
def interpreted_until(ready: threading.Event) -> Iterator[None]:
    """Let Python itself run the kernels that this thread calls, as long as something is not ready."""
    if not COMPILED or _mode.interpreted or ready.is_set():
        yield
        return
    _count_interpreters(1)
    before, _mode.until = _mode.until, ready
    try:
        with np.errstate(over="ignore"):  # the generator wraps around on purpose
            yield
    finally:
        _mode.until = before
        _count_interpreters(-1)


def interpreted() -> AbstractContextManager[None]:
    """Let Python itself run all kernels that this thread calls: slower by far, but nothing is compiled or loaded."""
    return interpreted_until(NEVER)


class _Watcher(event.Listener):
    """Calls a function whenever a kernel is about to be compiled, in the thread that compiles."""

    def __init__(self, tell: Callable[[], None]):
        self.tell = tell

    def on_start(self, _: event.Event) -> None:
        self.tell()

    def on_end(self, _: event.Event) -> None:
        pass


@contextmanager
def watch_compilation(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` whenever a thread compiles a kernel that was not found in the cache."""
    watcher = _Watcher(tell)
    event.register("numba:compile", watcher)
    try:
        yield
    finally:
        event.unregister("numba:compile", watcher)


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


def _compile_to(name: str, function: Callable[[int], int], *, defined_at_zero: bool = False) -> None:
    """Let compiled code use a machine instruction for a function on the bits of a 64-bit number."""

    def emit(context: Any, builder: Any, signature: Any, words: Any) -> Any:
        flags = (context.get_constant(types.boolean, 0),) if defined_at_zero else ()
        return getattr(builder, name)(words[0], *flags)

    type_callable(function)(lambda context: lambda word: types.int64(types.int64))
    lower_builtin(function, types.int64)(emit)


_compile_to("ctpop", ones)
_compile_to("cttz", trailing_zeros, defined_at_zero=True)
_compile_to("ctlz", leading_zeros, defined_at_zero=True)
