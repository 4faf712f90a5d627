"""Which source files a file of this package can use: itself and whatever it imports, directly or not."""

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent
IMPORT = re.compile(r"^from (\.+)([\w.]*) import (\([^)]*\)|[^(\n]+)", re.MULTILINE)
"""A relative import at the top level of a file; what functions import later no kernel can use."""

COMMENT = re.compile(r"#.*")


@cache
def imports_of(path: Path) -> frozenset[Path]:
    """The files that a file imports when it is loaded."""
    found = set()
    for dots, module, names in IMPORT.findall(COMMENT.sub("", path.read_text())):
        folder = path.parents[len(dots) - 1].joinpath(*filter(None, module.split(".")))
        for here in (folder, *(folder / name for name in re.findall(r"\w+", names))):
            found |= {here.with_suffix(".py"), here / "__init__.py"}
    return frozenset(file for file in found if file.is_file())


def reachable_files(path: Path) -> set[Path]:
    """A file and every file whose code it can use."""
    found, waiting = set[Path](), [path]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += imports_of(file)
    return found


@cache
def _content(path: Path) -> bytes:
    return hashlib.blake2b(path.read_bytes()).digest()


def _digest(files: Iterable[Path], package: Path) -> str:
    digest = hashlib.blake2b(digest_size=10)
    for file in sorted(files):
        digest.update(file.relative_to(package).as_posix().encode() + b"\0" + _content(file))
    return digest.hexdigest()


@cache
def digest_of(path: Path, package: Path = PACKAGE) -> str:
    """The digest of all that a file can use, by names and contents; of the whole package for a file outside of it."""
    return _digest(reachable_files(path) if package in path.parents else package.rglob("*.py"), package)
