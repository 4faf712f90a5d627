"""The preloaded shim as Python sees it: built with the C compiler, armed with a fault, or recording what is written."""

import ctypes
import enum
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
HEAD = struct.Struct("5q")


class Fault(enum.IntEnum):
    """What the n-th call of its sort meets, in the order of shim.c."""

    NONE = 0
    ERROR = 1
    """EIO, once, for any call but reading."""
    DEAD = 2
    """EIO from there on."""
    FULL = 3
    """ENOSPC from there on for whatever needs room."""
    TEAR = 4
    """Half of a write, then EIO."""
    SYNC = 5
    """EIO for a sync."""
    READ = 6
    """EIO for reading."""
    KILL = 7
    """The process is killed before the call."""
    TORN_KILL = 8
    """The process is killed in the middle of a write."""


class Act(NamedTuple):
    """One thing that was done: O made a file, W wrote, T cut, S synced, R renamed, U removed, M is a remark."""

    kind: str
    file: int
    at: int
    path: str
    content: bytes


def compiler() -> str | None:
    """The C compiler of this machine, if the shim can be used here."""
    return shutil.which("cc") if sys.platform == "linux" else None


def build(folder: Path) -> Path:
    """The shim, compiled into a folder."""
    cc, library = compiler(), folder / "shim.so"
    assert cc is not None
    subprocess.run([cc, "-shared", "-fPIC", "-O1", "-o", library, HERE / "shim.c", "-ldl"], check=True)
    return library


def run_preloaded(library: Path, script: str, *words: object) -> str:
    """What a script of this folder prints with the shim preloaded."""
    environment = os.environ | {"LD_PRELOAD": str(library)}
    command = [sys.executable, str(HERE / script), *map(str, words)]
    return subprocess.run(
        command, env=environment, cwd=HERE.parents[1], check=True, capture_output=True, text=True
    ).stdout


def arm(folder: Path, fault: Fault, number: int) -> None:
    """Let the n-th call below a folder meet a fault, in this process."""
    ctypes.CDLL(None).fault_arm(os.fsencode(folder), int(fault), ctypes.c_long(number))


def calls() -> int:
    """How many calls were counted since the shim was armed."""
    count = ctypes.CDLL(None).fault_count
    count.restype = ctypes.c_long
    return int(count())


def record(folder: Path, descriptor: int) -> None:
    """Write down all that is done to files below a folder, in this process."""
    ctypes.CDLL(None).fault_record(os.fsencode(folder), descriptor)


def remark(descriptor: int, text: str) -> None:
    """Put a remark between the acts that are recorded."""
    content = text.encode()
    os.write(descriptor, HEAD.pack(ord("M"), 0, 0, 0, len(content)) + content)


def acts(journal: bytes) -> Iterator[Act]:
    """What was recorded, in order."""
    at = 0
    while at < len(journal):
        kind, file, place, path, length = HEAD.unpack_from(journal, at)
        at += HEAD.size
        name, content = journal[at : at + path], journal[at + path : at + path + length]
        at += path + length
        yield Act(chr(kind), file, place, os.fsdecode(name), content)
