"""Source files that a file can use: itself and its imports of this package, direct or not."""

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ..plugins import ROOT, folders

PACKAGE = Path(__file__).parents[2]
# A relative import at the top level of a file; what functions import later no kernel can use.
IMPORT = re.compile(r"^from (\.+)([\w.]*) import (\([^)]*\)|[^(\n]+)", re.MULTILINE)

COMMENT = re.compile(r"#.*")


def _module_files(folder: Path, names: list[str]) -> Iterator[Path]:
    """The files that may hold a module, or the modules of these names in it."""
    for here in (folder, *(folder / name for name in names)):
        yield from (here.with_suffix(".py"), here / "__init__.py")


@cache
def imports_of(path: Path) -> frozenset[Path]:
    """The files that a file of the package imports when it is loaded."""
    found = set[Path]()
    for dots, module, names in IMPORT.findall(COMMENT.sub("", path.read_text(encoding="utf-8"))):
        folder = path.parents[len(dots) - 1].joinpath(*filter(None, module.split(".")))
        found.update(_module_files(folder, re.findall(r"\w+", names)))
    return frozenset(file for file in found if file.is_file())


def _statements(path: Path) -> Iterator[tuple[int, list[str], list[str]]]:
    """The imports of any Python file: dots, the parts of the module's name, and the names taken from it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            yield node.level, node.module.split(".") if node.module else [], [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((0, alias.name.split("."), []) for alias in node.names)


@cache
def imports_of_stranger(path: Path, package: Path) -> frozenset[Path]:
    """The files that a file outside of the package imports: of the package, of its plug-in folder, or beside it."""
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
    """A file and every file whose code it can use."""
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
    """The digest of all that a file can use, by names and contents."""
    digest = hashlib.blake2b(digest_size=10)
    for file in sorted(reachable_files(path, package)):
        name = file.relative_to(package).as_posix() if package in file.parents else file.name
        digest.update(name.encode() + b"\0" + _content(file))
    return digest.hexdigest()


@cache
def _definitions(path: Path) -> frozenset[bytes]:
    """The digests of a file's top-level statements; imports, docstrings, comments and layout do not count."""
    return frozenset(
        hashlib.blake2b(repr(_structure(node)).encode()).digest()
        for node in ast.parse(path.read_bytes()).body
        if not isinstance(node, ast.Import | ast.ImportFrom) and not _is_text(node)
    )


def _is_text(node: object) -> bool:
    """True if a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _structure(node: object) -> object:
    """Nested tuples of a syntax tree; fields that are empty are left out, since each version of Python adds some."""
    if isinstance(node, list):
        return tuple(_structure(part) for part in node if not _is_text(part))
    if not isinstance(node, ast.AST):
        return node
    parts = ((name, part) for name, part in ast.iter_fields(node) if part not in (None, []))
    return type(node).__name__, *((name, _structure(part)) for name, part in parts if name != "ctx")


@cache
def code_digest(path: Path) -> str:
    """The digest of the code that a file can use; moving a file or editing its prose does not change it."""
    found = frozenset[bytes]().union(*map(_definitions, reachable_files(path)))
    return hashlib.blake2b(b"".join(sorted(found)), digest_size=10).hexdigest()
