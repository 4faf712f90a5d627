"""Python files of the user, loaded and digested together with the files that they import from their own folder.

An import finds the installed packages first for names of the standard library and of fogspiel, and the folder first for
any other name, as if Python had been started with the file.
"""

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from traceback import extract_tb
from types import CodeType, ModuleType
from typing import Any

from .untrusted_input import read_bytes

MAX_BYTES = 1 << 24
MAX_FILES = 1000  # of one package in the folder
_loaded: dict[str, str] = {}  # digests of the loaded neighbours, by the name of the module


def code_content(path: Path, what: str) -> bytes:
    """Return the content of a Python file, followed by name and digest of each file that it imports from its folder.

    A file without such imports has its own content, so its digest is that of the file.
    """
    content = _read(path, what)
    for file in sorted(file for files in _neighbours(path, content).values() for file in files):
        name = file.relative_to(path.absolute().parent).as_posix()
        content += f"\0{name}\0{hashlib.sha256(_read(file, what)).hexdigest()}".encode()
    return content


def load_user_module(path: Path, name: str, what: str, text: str | None = None) -> ModuleType:
    """Execute a Python file that the user has named, as a module of this name; `what` begins the error message.

    With `text`, that text is executed in the file's place. Neighbours that have changed since
    they were loaded are executed again.
    """
    content = _read(path, what)
    neighbours = _neighbours(path, content)
    for module, files in neighbours.items():
        digest = hashlib.sha256(b"".join(str(file).encode() + _read(file, what) for file in files)).hexdigest()
        if _loaded.get(module) != digest:
            for stale in [known for known in sys.modules if known == module or known.startswith(f"{module}.")]:
                del sys.modules[stale]
            _loaded[module] = digest
    spec = _spec(name, path.absolute())
    module_object = importlib.util.module_from_spec(spec)
    sys.modules[name] = module_object
    finder = _NeighbourFinder({module: files[0] for module, files in neighbours.items()})
    sys.meta_path.insert(0, finder)
    try:
        exec(compile(content if text is None else text, str(path.absolute()), "exec"), module_object.__dict__)
    except (Exception, SystemExit) as error:  # any failure of a user's file becomes one error message
        del sys.modules[name]
        raise ValueError(
            f"{what} {path} cannot be loaded: {type(error).__name__}: {error}{line_of(error, path)}"
        ) from error
    finally:
        sys.meta_path.remove(finder)
    return module_object


class _SourceLoader(SourceFileLoader):
    """Loader without bytecode files, which do not notice a change within a second."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _spec(name: str, file: Path) -> ModuleSpec:
    spec = importlib.util.spec_from_file_location(name, file, loader=_SourceLoader(name, str(file)))
    assert spec is not None
    return spec


class _NeighbourFinder:
    """Import hook for the modules and packages of one folder."""

    def __init__(self, files: dict[str, Path]) -> None:
        self.files = files

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        top, _, _ = name.partition(".")
        if top not in self.files:
            return None
        inner = Path(self.files[top].parent, *name.split(".")[1:])
        places = [self.files[top]] if name == top else [inner / "__init__.py", inner.with_suffix(".py")]
        return next((_spec(name, file) for file in places if file.is_file()), None)


def _read(path: Path, what: str) -> bytes:
    return read_bytes(path, what, MAX_BYTES, "that is no source of Python")


def _neighbours(path: Path, content: bytes) -> dict[str, list[Path]]:
    """Return the files of each module or package in the folder that a file imports, directly or not; its own first."""
    found: dict[str, list[Path]] = {}
    queue = [content]
    while queue:
        for name in _imported(queue.pop()):
            if name in found or name in sys.stdlib_module_names or name == __package__.partition(".")[0]:
                continue
            folder = path.absolute().parent
            package = folder / name / "__init__.py"
            if package.is_file():
                inner = sorted(package.parent.rglob("*.py"))[:MAX_FILES]
                found[name] = [package, *(file for file in inner if file != package)]
            elif (module := folder / f"{name}.py").is_file():
                found[name] = [module]
            else:
                continue
            queue.extend(_read(file, "the Python file") for file in found[name])
    return found


def _imported(content: bytes) -> Iterator[str]:
    """Yield the top-level names that a source imports anywhere."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # reported when the file is executed
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.partition(".")[0]


def line_of(error: BaseException, path: Path) -> str:
    """Return the last line of the file at which an error arose, in parentheses; empty if it has none."""
    if isinstance(error, SyntaxError):
        return ""  # says it
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(path.absolute())]
    return f" ({path.name}, line {lines[-1]})" if lines else ""


def place_of(error: BaseException) -> str | None:
    """Return the file and line of the user's at which an error arose, there itself or in its compilation; else None."""
    place = getattr(error, "loc", None)  # as Numba calls it
    frame = extract_tb(error.__traceback__)[-1:]
    file, line = (place.filename, place.line) if place else (frame[0].filename, frame[0].lineno) if frame else ("", 0)
    loaders = (getattr(module, "__loader__", None) for module in list(sys.modules.values()))
    loaded = {loader.path for loader in loaders if isinstance(loader, _SourceLoader)}
    return f"{Path(file).name}, line {line}" if file in loaded else None
