"""The files of the kernel cache: each begins with a digest of the rest, so nothing of a damaged one is ever used.

They hold machine code, of which a single flipped bit may give wrong results. A file is written under another name and
then renamed: whoever reads finds all of it or none, however many processes write.
"""

import hashlib
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

SUFFIX, UNFINISHED = ".kernel", ".unfinished"
KEPT_DAYS = 7  # how long a kernel is kept that is not used
UNFINISHED_SECONDS = 3600  # a file that has been written for longer belongs to a process that died
DIGEST_SIZE = 32


class DamageError(Exception):
    """A file does not hold what was written."""


def cache_root() -> Path:
    """The folder that has a folder for every kernel in every state."""
    return Path(os.environ.get("FOGSPIEL_CACHE") or user_cache_path("fogspiel", appauthor=False))


def usable_root() -> Path | None:
    """The root of the cache, or None where it cannot be written: kernels then compile every time."""
    root = cache_root()
    with suppress(OSError):
        root.mkdir(parents=True, exist_ok=True)
    return root if os.access(root, os.W_OK) else None


def mark_used(folder: Path) -> None:
    """Let the kernel of a folder be kept."""
    with suppress(OSError):
        os.utime(folder)


@cache
def drop_old_kernels(root: Path) -> None:
    """Remove, once per process that compiles, what has not been used for long: an edit leaves old kernels behind."""
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
    """Remove a file, or whatever is in its place, if that can be done."""
    with suppress(OSError):
        path.unlink(missing_ok=True)
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)


def paths_below(root: Path, suffix: str) -> list[Path]:
    """List what is below a folder with a suffix; a folder that another process removes meanwhile is left out."""
    return sorted(
        Path(folder, name)
        for folder, folders, files in os.walk(root)
        for name in (*folders, *files)  # a folder in a file's place is damage too
        if name.endswith(suffix)
    )


def remove_damaged(root: Path) -> Iterator[Path]:
    """Remove every file that cannot be used, whether damaged or never finished, and name it."""
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
    """Say on stderr, where there is one, what goes on without harm but should be known."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(f"fogspiel: {sentence}", file=sys.stderr, flush=True)


@cache
def warn_once(sentence: str) -> None:
    """Say it the first time only."""
    warn(sentence)


def warn_of_unwritable(root: Path, reason: str) -> None:
    """Say that nothing can be kept."""
    warn_once(
        f"the kernel cache {root} cannot be written ({reason}), so kernels compile at every start: "
        "make room there, or set FOGSPIEL_CACHE to another folder"
    )
