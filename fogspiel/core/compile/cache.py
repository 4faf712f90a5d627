"""Kernel cache: its files, the keys of compiled kernels, and digests of source files with their imports.

Each file starts with a digest of the rest, so damaged files are never used: they hold machine code, in which
a single flipped bit may give wrong results. A file is written under another name and then renamed: a reader finds all
of it or nothing, however many processes write.
"""

import ast
import enum
import hashlib
import os
import re
import secrets
import shutil
import sys
import time
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from dis import hasconst, opmap
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..plugins import ROOT, folders
from . import cache_root

SUFFIX, UNFINISHED = ".kernel", ".unfinished"
KEPT_DAYS = 7  # age at which an unused kernel is removed
UNFINISHED_SECONDS = 3600  # an older unfinished file belongs to a process that was killed
DIGEST_SIZE = 32


class DamageError(Exception):
    """File that does not hold what was written."""


def usable_root() -> Path | None:
    """Return the root of the cache; None where it is not writable, so that kernels compile every time."""
    root = cache_root()
    with suppress(OSError):
        root.mkdir(parents=True, exist_ok=True)
    return root if os.access(root, os.W_OK) else None


def mark_used(folder: Path) -> None:
    with suppress(OSError):
        os.utime(folder)


@cache
def drop_old_kernels(root: Path) -> None:
    """Remove kernels unused for KEPT_DAYS, once per process that compiles: edits leave old ones behind."""
    limit = time.time() - KEPT_DAYS * 86400
    for path in root.iterdir():
        with suppress(FileNotFoundError):  # another process drops it at the same time
            if path.is_dir() and path.stat().st_mtime < limit:
                shutil.rmtree(path, ignore_errors=True)


def _digest(content: bytes | memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST_SIZE).digest()


def read_kernel(path: Path) -> memoryview:
    """Return the content of a file; raise DamageError if it has changed since it was written."""
    whole = memoryview(path.read_bytes())
    if whole[:DIGEST_SIZE] != _digest(whole[DIGEST_SIZE:]):
        raise DamageError(path)
    return whole[DIGEST_SIZE:]


def write_kernel(path: Path, content: bytes) -> None:
    """Write a file with its digest, in place of whatever is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(8)}{UNFINISHED}")
    try:
        unfinished.write_bytes(_digest(content) + content)
        os.replace(unfinished, path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise


def remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)


def paths_below(root: Path, suffix: str) -> list[Path]:
    """List the paths below a folder with a suffix; folders that another process removes meanwhile are left out."""
    return sorted(
        Path(folder, name)
        for folder, folders, files in os.walk(root)
        for name in (*folders, *files)  # a folder in a file's place is damage too
        if name.endswith(suffix)
    )


def remove_damaged(root: Path) -> Iterator[Path]:
    """Remove damaged and unfinished files, and yield their paths."""
    for path in paths_below(root, SUFFIX):
        try:
            read_kernel(path)
        except FileNotFoundError:
            continue
        except (DamageError, OSError):
            remove(path)
            yield path
    for path in paths_below(root, UNFINISHED):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > UNFINISHED_SECONDS:
                remove(path)
                yield path


def warn(sentence: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(f"fogspiel: {sentence}", file=sys.stderr, flush=True)


@cache
def warn_once(sentence: str) -> None:
    warn(sentence)


def warn_of_unwritable(root: Path, reason: str) -> None:
    warn_once(
        f"the kernel cache {root} cannot be written ({reason}), so kernels compile at every start: "
        "make room there, or set FOGSPIEL_CACHE to another folder"
    )


# Digests of source files.

PACKAGE = Path(__file__).parents[2]
# A relative import at the top level of a file; kernels cannot use what functions import later.
IMPORT = re.compile(r"^from (\.+)([\w.]*) import (\([^)]*\)|[^(\n]+)", re.MULTILINE)

COMMENT = re.compile(r"#.*")


def _module_files(folder: Path, names: list[str]) -> Iterator[Path]:
    for here in (folder, *(folder / name for name in names)):
        yield from (here.with_suffix(".py"), here / "__init__.py")


@cache
def imports_of(path: Path) -> frozenset[Path]:
    """Return the files of the package that a file imports when it is loaded."""
    found = set[Path]()
    for dots, module, names in IMPORT.findall(COMMENT.sub("", path.read_text(encoding="utf-8"))):
        folder = path.parents[len(dots) - 1].joinpath(*filter(None, module.split(".")))
        found.update(_module_files(folder, re.findall(r"\w+", names)))
    return frozenset(file for file in found if file.is_file())


def _statements(path: Path) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield the imports of any Python file: dots, the parts of the module's name, and the imported names."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            yield node.level, node.module.split(".") if node.module else [], [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((0, alias.name.split("."), []) for alias in node.names)


@cache
def imports_of_stranger(path: Path, package: Path) -> frozenset[Path]:
    """Return the files that a file outside of the package imports: of the package, its plug-in folder or its own."""
    over = next((folder for folder in folders() if folder in path.parents), path.parent)
    found = set[Path]()
    for dots, module, names in _statements(path):
        if not dots and module[0] != ROOT:
            found.update(_module_files(path.parent.joinpath(*module), names))
            continue
        place = (*path.relative_to(over).parts[:-dots], *module) if dots else module[1:]
        for folder in (package, over):
            found.update(_module_files(folder.joinpath(*place), names))
        if not place:  # the public names: all their kernels are in the core
            found.update((package / "core").glob("*.py"))
    return frozenset(file for file in found if file.is_file())


def reachable_files(path: Path, package: Path = PACKAGE) -> set[Path]:
    """Return a file and every file whose code it can use."""
    found, waiting = set[Path](), [path]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += imports_of(file) if package in file.parents else imports_of_stranger(file, package)
    return found


@cache
def _content(path: Path) -> bytes:
    return hashlib.blake2b(path.read_bytes()).digest()


@cache
def digest_of(path: Path, package: Path = PACKAGE) -> str:
    digest = hashlib.blake2b(digest_size=10)
    for file in sorted(reachable_files(path, package)):
        name = file.relative_to(package).as_posix() if package in file.parents else file.name
        digest.update(name.encode() + b"\0" + _content(file))
    return digest.hexdigest()


@cache
def _definitions(path: Path) -> frozenset[bytes]:
    """Return the digests of a file's top-level statements without imports, docstrings, comments and layout."""
    return frozenset(
        hashlib.blake2b(repr(_structure(node)).encode()).digest()
        for node in ast.parse(path.read_bytes()).body
        if not isinstance(node, ast.Import | ast.ImportFrom) and not _is_text(node)
    )


def _is_text(node: object) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _structure(node: object) -> object:
    """Return a syntax tree as nested tuples, without empty fields, since each version of Python adds some."""
    if isinstance(node, list):
        return tuple(_structure(part) for part in node if not _is_text(part))
    if not isinstance(node, ast.AST):
        return node
    parts = ((name, part) for name, part in ast.iter_fields(node) if part not in (None, []))
    return type(node).__name__, *((name, _structure(part)) for name, part in parts if name != "ctx")


@cache
def code_digest(path: Path) -> str:
    """Return the digest of the code that a file can use; moving a file or editing its prose does not change it."""
    found = frozenset[bytes]().union(*map(_definitions, reachable_files(path)))
    return hashlib.blake2b(b"".join(sorted(found)), digest_size=10).hexdigest()


# The key of a compiled kernel: a digest of exactly what its machine code depends on.
#
# Machine code follows from the bytecode and the constants of a kernel, from those of the kernels and constants that it
# names, and so on, from the types of its arguments, the options, the compiler and the processor. So a comment, a
# moved line, another folder, or an edit in code that no kernel uses never causes a new compilation:
#
#     key(play) = digest of environment, options, types, and [play, below, mixed, ..] with their constants by value
#
# Functions are numbered in the order in which they are reached, so kernels may call each other recursively.

Function = Callable[..., Any]
# Types whose values print differently if they differ.
PLAIN = (int, float, complex, bool, str, bytes, type(None), type(...))
# Packages that are known by their versions, which are part of every key.
LIBRARIES = {"builtins", "cmath", "math", "numba", "numpy", "operator"}
LOAD_GLOBAL, EXTENDED = opmap["LOAD_GLOBAL"], opmap["EXTENDED_ARG"]
ATTRIBUTES = {opmap[name] for name in ("LOAD_ATTR", "LOAD_METHOD") if name in opmap}
# From Python 3.12 on, the lowest bit of the argument of LOAD_ATTR marks a method; before, LOAD_METHOD did.
FLAG_BIT = int(sys.version_info >= (3, 12))


class KeylessError(Exception):
    """Object in a kernel that no key can describe across processes."""


def _is_library(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] in LIBRARIES


def _instructions(code: types.CodeType) -> Iterator[tuple[int, int]]:
    """Yield operations with their arguments as `dis` lists them, which is twenty times slower."""
    extended = 0
    for operation, argument in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument |= extended
        extended = argument << 8 if operation == EXTENDED else 0
        if operation and operation != EXTENDED:  # 0 is cache space of the interpreter
            yield operation, argument


def _globals_of(code: types.CodeType, scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the globals that bytecode loads, by name; for a module of kernels, the names used from it."""
    place: types.ModuleType | None = None
    for operation, argument in _instructions(code):
        found: Any = None
        if place is not None:
            if operation not in ATTRIBUTES:
                raise KeylessError(f"the module {place.__name__}, not only names in it")
            name = code.co_names[argument >> FLAG_BIT]
            yield name, (found := vars(place).get(name))
        elif operation == LOAD_GLOBAL and (name := code.co_names[argument >> 1]) in scope:  # else it is a builtin
            yield name, (found := scope[name])
        place = found if isinstance(found, types.ModuleType) and not _is_library(found.__name__) else None
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals_of(constant, scope)


def _has_docstring(code: types.CodeType, text: str | None) -> bool:
    """True if the first constant is the docstring and serves for nothing else."""
    used = ((operation, argument) for operation, argument in _instructions(code) if not argument)
    return text is not None and code.co_consts[:1] == (text,) and not any(one in hasconst for one, _ in used)


def describe_class(given: type) -> object:
    """Return a class's name and its fields or members: compiled code that makes an instance imports it by name."""
    members = [(one.name, repr(one.value)) for one in given] if issubclass(given, enum.Enum) else ()
    return "class", given.__module__, given.__qualname__, getattr(given, "_fields", ()), members


class _Description:
    """A function's bytecode and constants, and in `named` the functions that it refers to."""

    def __init__(self, function: types.FunctionType) -> None:
        self.named = list[types.FunctionType]()
        cells = [self._value(_stable_content(cell)) for cell in function.__closure__ or ()]
        found = [(name, self._value(value)) for name, value in _globals_of(function.__code__, function.__globals__)]
        defaults = self._value(function.__defaults__), self._value(tuple((function.__kwdefaults__ or {}).items()))
        code = self._code(function.__code__, function.__doc__)
        self.text = repr((code, cells, found, defaults)).encode()

    def _code(self, code: types.CodeType, text: str | None = None) -> object:
        constants = [self._value(value) for value in code.co_consts[_has_docstring(code, text) :]]
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
        return code.co_code, code.co_exceptiontable, constants, names, counts

    def _value(self, value: Any) -> object:
        """Return a constant by its value, a function by its number in `named`."""
        if type(value) in PLAIN:
            return value
        if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
            order = value.flags.c_contiguous, value.flags.f_contiguous, value.flags.aligned
            return repr(value.dtype), value.shape, order, hashlib.blake2b(value.tobytes()).digest()
        if isinstance(value, np.dtype):
            return "dtype", repr(value), value.alignment
        if isinstance(value, tuple | frozenset):
            parts = map(self._value, value)
            return describe_class(type(value)), sorted(map(repr, parts)) if isinstance(value, frozenset) else [*parts]
        if isinstance(value, enum.Enum):
            return describe_class(type(value)), value.name
        if isinstance(value, types.CodeType):
            return self._code(value)
        return self._named(value)

    def _named(self, value: Any) -> object:
        if isinstance(value, types.ModuleType):
            return "module", value.__name__ if _is_library(value.__name__) else ""
        if isinstance(value, np.ufunc):
            return "ufunc", value.__name__
        if _is_library(getattr(value, "__module__", None)) and hasattr(value, "__qualname__"):
            return "library", value.__module__, value.__qualname__
        if isinstance(value, type):
            return describe_class(value)
        function = getattr(value, "py_func", value)  # of a kernel
        if not isinstance(function, types.FunctionType):
            raise KeylessError(f"a {type(value).__name__}")
        self.named.append(function)
        return "function", describe_options(value)


def _stable_content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return "nothing yet"


def describe_options(declared: Any) -> str:
    return repr(sorted(getattr(declared, "targetoptions", {}).items()))


_known = WeakKeyDictionary[types.FunctionType, _Description]()


def describe(function: Any) -> bytes:
    """Return a digest of a function and all that it names, or raise a KeylessError."""
    digest, reached = hashlib.blake2b(), {function: 0}
    waiting = [function]
    for one in waiting:
        known = _known.get(one)
        if known is None:
            known = _known[one] = _Description(one)
        digest.update(known.text)
        for other in known.named:
            if other not in reached:
                reached[other] = len(reached)
                waiting.append(other)
            digest.update(reached[other].to_bytes(4, "big"))
    return digest.digest()
