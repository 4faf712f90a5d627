"""Declaration, compilation on first use, and caching of kernels; the only module that imports Numba.

Numba's own cache is not used. It does not notice an edit in a function that a kernel calls from another file, nor
damage. It has the path and the module of a kernel in its names, and its index of signatures is not safe for two
writers. Here is a file per kernel and signature, named by the key of all that its code depends on (`key`) and checked
before it is used (`cache`). So outdated code is never found, and the same kernel is found wherever its source lies.
"""

import hashlib
import io
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import config, njit, types
from numba.core import event, sigutils
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps
from numba.core.typing.templates import Signature
from numba.experimental import function_type
from numba.extending import lower_builtin, lower_cast, type_callable

from . import Hooks, cache_root
from . import cache as kernel_files

Kernel = Callable[..., Any]  # a compiled function; its types are those of its arguments at the first call

CACHE = kernel_files.usable_root()
COMPILED = not getattr(config, "DISABLE_JIT")  # noqa: B009 (Numba sets it at run time)
if not COMPILED:
    np.seterr(over="ignore")  # the generator wraps around on purpose

# Numba's settings that change machine code; the processor is described by its code generator.
SETTINGS = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "DISABLE_INTEL_SVML", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE")
HOME = __package__.partition(".")[0]  # the module that compiled code names as its own


def _is_plain(given: Any) -> bool:
    """True if values of this type have no reference count."""
    if isinstance(given, types.BaseTuple):
        return all(_is_plain(part) for part in given.types)  # type: ignore[attr-defined]
    return isinstance(given, types.Number | types.Boolean | types.NoneType)


def _describe_type(given: Any) -> object:
    """Return a description of an argument's type; Numba prints named tuples with different fields alike."""
    if isinstance(given, types.Dispatcher):
        raise kernel_files.KeylessError("a kernel as an argument that is not declared as one")
    if isinstance(given, types.FunctionType):
        return [_describe_type(part) for part in (given.signature.return_type, *given.signature.args)]
    if isinstance(given, types.BaseTuple):
        made = getattr(given, "instance_class", tuple)
        return kernel_files.describe_class(made), [_describe_type(part) for part in given.types]  # type: ignore[attr-defined]
    return str(given)


class KernelCache(NullCache):
    """Cache of one kernel's compiled code, a file per signature; unusable code is compiled again."""

    def __init__(self, declared: Any) -> None:
        self.function, self.options = declared.py_func, kernel_files.describe_options(declared)
        self.codegen = declared.targetctx.codegen
        self.in_place = not declared.targetoptions["_nrt"]

    @cached_property
    def folder(self) -> Path | None:
        """The folder of the kernel in its present version; None if it cannot be cached."""
        if CACHE is None:
            return None
        versions = numba.__version__, llvmlite.__version__, np.__version__, sys.implementation.cache_tag
        settings = [str(getattr(config, name, None)) for name in SETTINGS]
        depends = versions, settings, self.codegen().magic_tuple(), _describe_hooks(), self.options
        try:
            digest = hashlib.blake2b(repr(depends).encode() + kernel_files.describe(self.function), digest_size=16)
        except kernel_files.KeylessError as error:
            self._warn_of(str(error))
            return None
        return CACHE / f"{self.function.__name__.strip('<>')}-{digest.hexdigest()}"

    def _warn_of(self, what: str) -> None:
        kernel_files.warn_once(
            f"{self.function.__name__} compiles at every start, as it uses {what}: give it as an argument"
        )

    def file(self, arguments: Sequence[Any], result: Any) -> Path | None:
        """Return the file for the types of the arguments and of a declared result; None if it cannot be cached."""
        if self.folder is None:
            return None
        try:
            named = repr([_describe_type(one) for one in (*arguments, result)])
        except kernel_files.KeylessError as error:
            self._warn_of(str(error))
            return None
        return self.folder / (hashlib.blake2b(named.encode(), digest_size=16).hexdigest() + kernel_files.SUFFIX)

    def load_overload(self, of: Any, target: Any) -> Any:
        target.refresh()
        file = self.file(*sigutils.normalize_signature(of))
        if file is None:
            return None
        try:
            content = io.BytesIO(kernel_files.read_kernel(file))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (kernel_files.DamageError, OSError):
            kernel_files.warn_once(
                f"the kernel cache {CACHE} has a damaged file, so it is compiled again: `fogspiel doctor` checks all"
            )
            kernel_files.remove(file)
            return None
        try:
            if pickle.load(content) != (_symbol(file), of):  # another file's content, or another class of that name
                return None
            found = CompileResult._rebuild(target, *pickle.load(content))
        except Exception:  # the file names a class of a module that cannot be imported here
            return None
        kernel_files.mark_used(file.parent)
        return found

    def save_overload(self, of: Any, found: Any) -> None:
        if self.in_place and not _is_plain(found.signature.return_type):
            raise TypeError(f"{self.function.__name__} works in place, so it must give back numbers, not an array")
        file = self.file(*sigutils.normalize_signature(of))
        if found.library.has_dynamic_globals:
            self._warn_of("a large global array")
        elif file is not None:
            bare = found._replace(type_annotation="")  # without source text and path for debuggers
            try:
                kernel_files.write_kernel(file, dumps((_symbol(file), of)) + dumps(bare._reduce()))
                kernel_files.drop_old_kernels(file.parent.parent)
            except OSError as error:
                kernel_files.warn_of_unwritable(cache_root(), error.strerror or str(error))


def _symbol(file: Path) -> str:
    return f"{file.parent.name.rpartition('-')[2]}{file.stem}"


def _compile_by_key(declared: Any, files: KernelCache, arguments: Sequence[Any], result: Any) -> Any:
    """Compile a kernel under a name derived from its content.

    Numba names machine code by a function's module and name, the types of its arguments and a counter of the process.
    So of two kernels with one name that different processes cached, as those made for several sizes, a third process
    might run the wrong one. To load code, it also imports the module of that name, which may have moved.
    """
    function, compiler = declared.py_func, declared._compiler
    before = function.__module__, function.__qualname__
    if (file := files.file(arguments, result)) is not None:
        function.__module__, function.__qualname__ = HOME, f"{_symbol(file)}.{function.__name__}"
    try:
        with Hooks.around():
            return type(compiler).compile(compiler, arguments, result)
    finally:
        function.__module__, function.__qualname__ = before


def _plain_type(given: Any) -> Any:
    """Return the type as which a kernel takes an argument from another one: no literals, no nested arrays.

    Otherwise Numba would compile a kernel again for every constant that it is given.
    """
    if isinstance(given, types.NestedArray):
        return types.Array(given.dtype, given.ndim, "C")
    return types.unliteral(given)


def _plain_template(template: Callable[..., Any], args: Any, kws: Any) -> Any:
    return template(tuple(map(_plain_type, args)), {name: _plain_type(given) for name, given in kws.items()})


# Numba types a field of a record as a nested array, and has no conversion of it into the array that a kernel takes.
@lower_cast(types.NestedArray, types.Array)  # type: ignore[untyped-decorator]
def _same_array(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    return value


_declared_compilation = threading.Lock()


def _compile_for_all(declared: Any, signatures: Sequence[Signature], *given: Any) -> Any:
    """Compile a kernel at its first call, for its declared signatures only; return its entry point."""
    with _declared_compilation:  # threads that call it at the same time
        if declared._can_compile:
            for one in signatures:
                declared.compile(one)
            declared.disable_compile(True)
    return declared.overloads[signatures[-1].args].entry_point


def _declare(function: Kernel, *signatures: Signature, **options: Any) -> Kernel:
    counting = {"_nrt": True} | options  # set for every kernel; otherwise it would depend on the first caller
    found: Any = njit(nogil=True, error_model="numpy", **counting)(function)
    if COMPILED:
        # Numba's cache identifies a kernel by its path, regardless of the functions that it calls.
        found._cache = KernelCache(found)
        # Numba's names of machine code are unique within one process only.
        found._compiler.compile = partial(_compile_by_key, found, found._cache)
        # Numba compiles a kernel again for every constant that another kernel calls it with.
        found.get_call_template = partial(_plain_template, found.get_call_template)
        if signatures:
            # Numba compiles for the arguments of a call, where each kernel argument has a separate type.
            found._compile_for_args = partial(_compile_for_all, found, signatures)
    declared: Kernel = found
    return declared


def kernel(function: Kernel) -> Kernel:
    """Declare a kernel: arithmetic on arrays, compiled when first used, free of the interpreter lock."""
    return _declare(function)


def in_place(function: Kernel) -> Kernel:
    """Declare a kernel that creates no array and returns only numbers: it works on the arrays that it is given.

    The caller holds those arrays, so their references need not be counted. Each count is an atomic addition, which
    costs more than many a small kernel.
    """
    return _declare(function, _nrt=False)


def inlined(function: Kernel) -> Kernel:
    """Declare a small kernel that is always inlined into its callers."""
    return _declare(function, inline="never", forceinline=True)


def variant(*_: object) -> Callable[[Kernel], Kernel]:
    """Declare a kernel that is made once for each of some values; an old form of `kernel` for game files."""
    return kernel


CELLS = types.Array(types.int64, 1, "C")
REALS = types.Array(types.float64, 1, "C")
ROWS = types.Array(types.float64, 2, "C")
TABLE = types.Array(types.int64, 2, "C")
TABLE32 = types.Array(types.int32, 2, "C")
TABLE8 = types.Array(types.int8, 2, "C")
BLOCK16 = types.Array(types.int16, 3, "C")
STREAM = types.Array(types.uint64, 1, "C")
NOTHING = types.void
NUMBER = types.int64
REAL = types.float64
SEED = types.uint64


def signature(result: Any, *arguments: Any) -> Signature:
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
    """Return `function`, compiled (or loaded from the cache) for one signature, to be passed to another kernel."""
    if COMPILED and not interprets() and of not in function.nopython_signatures:  # type: ignore[attr-defined]
        function.compile(of)  # type: ignore[attr-defined]
    return function


class _Mode(threading.local):
    """Interpreter mode of a thread: True if Python runs its kernels, always or until an event is set."""

    interpreted = False
    until: threading.Event | None = None


_mode = _Mode()
NEVER = threading.Event()  # an event that is never set
_mode_changes = threading.Lock()
CALL = "__call__"
COMPILED_CALL: Any = Dispatcher.__call__
_interpreters = 0  # number of threads that interpret kernels


def is_cold(*kernels: Kernel) -> bool:
    """True if one of these kernels, in its present version, was never compiled on this machine for any signature."""
    folders = (one._cache.folder for one in kernels if COMPILED)  # type: ignore[attr-defined]
    return any(folder is None or not folder.is_dir() for folder in folders)


# Work for which nothing is compiled, in CPU seconds of the interpreter: a solver takes ten to compile.
INTERPRETED_SECONDS = 4.0


def need_no_compiler(seconds: float, *kernels: Kernel) -> bool:
    """True if interpreting some work takes less time than compiling its kernels; the only place that decides this.

    `seconds` estimates the work without the compiler. If all `kernels` that dominate it are compiled, they are used;
    without `kernels`, the work is too short to load them.
    """
    return COMPILED and seconds < INTERPRETED_SECONDS and (not kernels or is_cold(*kernels))


def interprets() -> bool:
    return _mode.interpreted or (_mode.until is not None and not _mode.until.is_set())


def _call(declared: Any, *given: Any, **named: Any) -> Any:
    """Call a kernel while some thread interprets kernels: Numba can switch its compiler off in all threads only."""
    if _mode.interpreted:
        return declared.py_func(*given, **named)
    if not interprets():
        return COMPILED_CALL(declared, *given, **named)
    _mode.interpreted = True  # one call is never half compiled, even if the event is set meanwhile
    try:
        return declared.py_func(*given, **named)
    finally:
        _mode.interpreted = False


def _count_interpreters(change: int) -> None:
    """Count interpreting threads; with none, no Python code stands between calls and compiled kernels."""
    global _interpreters
    with _mode_changes:
        before, _interpreters = _interpreters, _interpreters + change
        if not before:
            setattr(Dispatcher, CALL, _call)
        elif not _interpreters:
            delattr(Dispatcher, CALL)


@contextmanager
def interpreted_until(ready: threading.Event) -> Iterator[None]:
    """Let Python run the kernels that this thread calls until an event is set."""
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
    """Let Python run all kernels that this thread calls: much slower, but nothing is compiled or loaded."""
    return interpreted_until(NEVER)


class _Watcher(event.Listener):
    """Listener that calls a function before a kernel is compiled, in the thread that compiles."""

    def __init__(self, tell: Callable[[], None]):
        self.tell = tell

    def on_start(self, _: event.Event) -> None:
        self.tell()

    def on_end(self, _: event.Event) -> None:
        pass


def tell_compilation(tell: Callable[[], None]) -> None:
    """Call `tell` once, before the first compilation of a kernel that is not in the cache."""
    event.register("numba:compile", _Watcher(cache(tell)))


@contextmanager
def watch_compilation(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` before each compilation of a kernel that is not in the cache."""
    watcher = _Watcher(tell)
    event.register("numba:compile", watcher)
    try:
        yield
    finally:
        event.unregister("numba:compile", watcher)


def _remember_addresses(question: str) -> None:
    """Let Numba look up the addresses of kernels passed to other kernels once, not at every call.

    Its lookup for every argument of every call takes longer than a hundred games; compiled code never moves.
    """
    ask: Callable[..., int] | None = getattr(function_type, question, None)
    if ask is None:  # another version of Numba, which may not need it
        return
    answers: dict[tuple[int, int], tuple[Any, Any, int]] = {}

    def remember(function: Any, of: Signature) -> int:
        key = id(function), id(of)
        if key not in answers:
            answers[key] = function, of, ask(function, of)  # kept alive, so that their ids are not reused
        return answers[key][2]

    setattr(function_type, question, remember)


for _question in ("_get_wrapper_address", "_get_jit_address"):
    _remember_addresses(_question)


WORD = 2**64 - 1


def ones(word: int) -> int:
    return (int(word) & WORD).bit_count()


def trailing_zeros(word: int) -> int:
    """Return the index of the lowest set bit of a 64-bit number; 64 if there is none."""
    bits = int(word) & WORD
    return (bits & -bits).bit_length() - 1 if bits else 64


def leading_zeros(word: int) -> int:
    """Return the number of zeros above the highest set bit of a 64-bit number."""
    return 64 - (int(word) & WORD).bit_length()


def _compile_to(name: str, function: Callable[[int], int], *, defined_at_zero: bool) -> None:
    """Let compiled code use a machine instruction for a function on the bits of a 64-bit number."""

    def emit(context: Any, builder: Any, signature: Any, words: Any) -> Any:
        flags = (context.get_constant(types.boolean, 0),) if defined_at_zero else ()
        return getattr(builder, name)(words[0], *flags)

    type_callable(function)(lambda context: lambda word: types.int64(types.int64))
    lower_builtin(function, types.int64)(emit)


# Names in LLVM; the flag states whether the instruction has an argument for its value at zero.
INSTRUCTIONS = {"ctpop": (ones, False), "cttz": (trailing_zeros, True), "ctlz": (leading_zeros, True)}
for _name, (_function, _flag) in INSTRUCTIONS.items():
    _compile_to(_name, _function, defined_at_zero=_flag)


@cache
def _describe_hooks() -> object:
    """Describe the additions of this file to the compiler."""
    added = [(name, function.__name__, flag) for name, (function, flag) in INSTRUCTIONS.items()]
    return added, [kernel_files.describe(hook) for hook in (_plain_type, _plain_template, _same_array, _compile_to)]
