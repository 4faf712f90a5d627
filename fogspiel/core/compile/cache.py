"""Files of the kernel cache: each starts with a digest of the rest, so damaged files are never used.

They hold machine code, in which a single flipped bit may give wrong results. A file is written under another name and
then renamed: a reader finds all of it or nothing, however many processes write.
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
KEPT_DAYS = 7  # age at which an unused kernel is removed
UNFINISHED_SECONDS = 3600  # an older unfinished file belongs to a process that was killed
DIGEST_SIZE = 32


class DamageError(Exception):
    """File that does not hold what was written."""


def cache_root() -> Path:
    """Return the cache folder, which has a folder for every kernel in every version."""
    return Path(os.environ.get("FOGSPIEL_CACHE") or user_cache_path("fogspiel", appauthor=False))


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
