"""Cut the power at random moments of a store's life: FOLDER CUTS SEED.

All that one process does to its files is recorded. A cut keeps what was synced before it, and of what was not any part
of the writes to each file, the last of them perhaps torn; names are kept in order, as file systems with a journal do,
up to any of those that were not synced. What is left must be a store, at most the last second of its rows lost.

Prints one line of JSON: how many cuts, how often the store had to be repaired, the most rows that were lost, and
everything that should not have been.
"""

import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import shim
from operations import ASK, contents, mend, step
from shim import Act, Fault

from fogspiel.runs.store import Store
from fogspiel.runs.store import file as sqlite_file

TICKS = 100  # commits in a second
ROWS = 260
SECTOR = 512
EDGE = 150  # acts at either end, where a store is made, deleted from and backed up: half of the cuts are there


class Clock:
    """Time that passes only by commits, so that every machine syncs at the same rows."""

    ticks = 0

    def monotonic(self) -> float:
        return 1000.0 + self.ticks / TICKS  # exact where a second is full: a sum of hundredths is not


def live(path: Path, remark: Callable[..., None], clock: Clock) -> None:
    """Make a store, append to two runs, close it, open it again, delete one of them, back it up."""
    with Store.open(path, write=True) as store:
        runs = [store.create({**ASK, "game": game}) for game in ("war", "nim")]
        for number in range(ROWS):
            run = runs[number % 5 == 0]
            run.append("step", step(number))
            clock.ticks += 1
            remark(run=run.name, rows=len(run.rows))
    with Store.open(path, write=True) as store, store.acquire("war-1") as run:
        for number in range(ROWS // 2):
            run.save_partial({"wins": number})
            run.append("step", step(number))
            clock.ticks += 1
            remark(run=run.name, rows=len(run.rows))
        remark(deleting="nim-1")
        store.delete(["nim-1"])
        remark(deleted="nim-1")
        store.backup(path.parent / "copy.db")
        remark(copied=True)
        run.append("step", step(0))
        clock.ticks += 1
        remark(run=run.name, rows=len(run.rows))


def record_life(folder: Path) -> list[Act]:
    """All that was done to the files of a store, with remarks."""
    folder.mkdir()
    journal = folder.parent / "journal"
    if (child := os.fork()) == 0:
        clock = Clock()
        sqlite_file.time = clock  # type: ignore[assignment]
        sqlite_file.LOG_LIMIT = (
            6_000_000  # two seconds of rows: folding syncs as well, and must not hide a missing sync
        )
        descriptor = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

        def remark(**told: Any) -> None:
            shim.remark(descriptor, json.dumps({"time": clock.monotonic(), **told}))

        shim.record(folder, descriptor)
        live(folder / "runs.db", remark, clock)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    return list(shim.acts(journal.read_bytes()))


# ---- the disk --------------------------------------------------------------------------------------------------------


def perform(act: Act, content: bytearray) -> None:
    """Write to a file, or cut it."""
    end = act.at + len(act.content)
    content.extend(bytes(max(0, (end if act.kind == "W" else act.at) - len(content))))
    if act.kind == "W":
        content[act.at : end] = act.content
    else:
        del content[act.at :]


class Disk:
    """What is on the disk for certain, and what may be."""

    def __init__(self) -> None:
        self.files: list[tuple[bytearray, list[Act]]] = []
        self.by_number: dict[int, int] = {}
        self.names: dict[str, int] = {}
        self.pending: list[tuple[str, str, int]] = []

    def do(self, act: Act) -> None:
        """Take notice of what was done."""
        if act.kind == "O":
            self.by_number[act.file] = len(self.files)
            self.files.append((bytearray(), []))
            self.pending.append(("O", act.path, self.by_number[act.file]))
        elif act.kind in "RU":
            self.pending.append(
                (act.kind, act.path, 0) if act.kind == "U" else ("R", f"{act.path}\0{act.content.decode()}", 0)
            )
        elif act.kind == "S" and act.file in self.by_number:
            content, writes = self.files[self.by_number[act.file]]
            for write in writes:
                perform(write, content)
            writes.clear()
        elif act.kind == "S":  # a folder
            self.names = self.names_after(len(self.pending))
            self.pending.clear()
        elif act.kind in "WT":
            self.files[self.by_number[act.file]][1].append(act)

    def names_after(self, many: int) -> dict[str, int]:
        """The names after some of the changes that are not synced."""
        names = dict(self.names)
        for kind, path, number in self.pending[:many]:
            if kind == "O":
                names[path] = number
            elif kind == "U":
                names.pop(path, None)
            else:
                old, new = path.split("\0")
                names[new] = names.pop(old)
        return names

    def cut(self, rng: random.Random) -> dict[str, bytes]:
        """What is found after a power cut."""
        found = {}
        for path, number in self.names_after(rng.randint(0, len(self.pending))).items():
            content, writes = bytearray(self.files[number][0]), self.files[number][1]
            share = rng.choice((0.0, 0.5, 0.9, 1.0))
            kept = [write for write in writes if rng.random() < share]
            for write in kept:
                torn = write is kept[-1] and rng.random() < 0.5
                length = rng.randrange(0, len(write.content) + 1, SECTOR) if torn else len(write.content)
                perform(write._replace(content=write.content[:length]), content)
            found[path] = bytes(content)
        return found


# ---- what must be true -----------------------------------------------------------------------------------------------


def check(path: Path, remarks: Sequence[dict[str, Any]]) -> tuple[bool, int]:
    """Whether the store had to be repaired, and how many rows were lost; an AssertionError if that is too much."""
    copied = any("copied" in told for told in remarks)
    assert not copied or list(contents(path.parent / "copy.db")) == ["war-1"]
    if not path.exists():
        assert not remarks
    repaired = mend(path)
    found, lost = contents(path), 0
    if (path.parent / "copy.db").exists():
        assert list(contents(path.parent / "copy.db")) == ["war-1"]
    for name in ("war-1", "nim-1"):
        said = [told for told in remarks if told.get("run") == name]
        if name == "nim-1" and any("deleting" in told for told in remarks):
            assert name not in found or not any("deleted" in told for told in remarks)
            continue
        old = [
            told["rows"]
            for told in said
            if told["time"] <= remarks[-1]["time"] - sqlite_file.SYNC_SECONDS + 0.5 / TICKS
        ]
        rows = len(found.get(name, ()))
        assert rows >= max(old, default=0), f"{name} has {rows} rows, {max(old)} were older than a second"
        lost = max([lost, *(told["rows"] - rows for told in said)])
    return repaired, lost


def main(folder: Path, cuts: int, seed: int) -> None:
    """Cut the power so many times."""
    life = record_life(folder / "life")
    shim.arm(folder, Fault.NONE, 0)
    rng, wrong, repaired, most = random.Random(seed), [], 0, 0
    ends = [*range(1, EDGE), *range(len(life) - EDGE, len(life) + 1)]
    moments = sorted(rng.choices(range(1, len(life) + 1), k=cuts - cuts // 2) + rng.choices(ends, k=cuts // 2))
    disk, remarks, done = Disk(), [], 0
    for number, moment in enumerate(moments):
        for act in life[done:moment]:
            if act.kind == "M":
                remarks.append(json.loads(act.content))
            elif not act.path.endswith("-shm"):
                disk.do(act)
        done = moment
        place = folder / "cut"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for name, content in disk.cut(rng).items():
            (place / Path(name).name).write_bytes(content)
        try:
            mended, lost = check(place / "runs.db", remarks)
            repaired, most = repaired + mended, max(most, lost)
        except Exception as error:
            wrong.append(f"cut {number} after {moment} acts: {type(error).__name__}: {error}")
    told = {"acts": len(life), "cuts": len(moments), "repaired": repaired, "most_rows_lost": most}
    print(json.dumps(told | {"rows_per_second": TICKS, "wrong": wrong}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
