"""What is done to a store while something fails, and what must be true of the store when nothing fails any more."""

import math
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from fogspiel.runs.store import Row, Store, canonical

ASK = {"game": "war", "method": "naive", "seed": 7}
GAMES = ("war", "nim", "war")
STEPS, MORE = 6, 8
Say = Callable[[str], None]


def step(number: int) -> dict[str, Any]:
    return {"games": 100 * number, "theta": [math.sin(number + k) for k in range(60)]}


def fill(path: Path) -> None:
    """Three runs without a result."""
    with Store.open(path, write=True) as store:
        for game in GAMES:
            with store.create({**ASK, "game": game}) as run:
                for number in range(STEPS):
                    run.append("step", step(number))
                run.save_partial({"wins": 3})


def contents(path: Path) -> dict[str, list[Row]]:
    with Store.open(path, write=False) as store:
        return {name: store.read(name).rows for name in store.names()}


def mend(path: Path) -> bool:
    """Repair the store if that is needed; says whether it was."""
    with Store.open(path, write=True) as store:
        needed = bool(store.repair())
        assert store.faults() == []
    return needed


# ---- states before ---------------------------------------------------------------------------------------------------


def nothing(path: Path) -> None:
    """No store."""


def killed(path: Path) -> None:
    """A store whose last process was killed, with its log."""
    if (child := os.fork()) == 0:
        store = Store.open(path, write=True)
        fill(path)
        run = store.acquire("war-1")
        run.append("step", step(STEPS))
        os._exit(0)
    os.waitpid(child, 0)


def damaged(path: Path) -> None:
    """A store in which a row of the second run has changed."""
    fill(path)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE rows SET body = '{}' WHERE run = 2 AND number = 4")
    raw.close()


# ---- what is done ----------------------------------------------------------------------------------------------------


def create(path: Path, say: Say) -> None:
    with Store.open(path, write=True) as store, store.create(ASK) as run:
        say(f"{run.name} 1")


def append(path: Path, say: Say) -> None:
    with Store.open(path, write=True) as store, store.acquire("war-1") as run:
        while len(run.rows) <= STEPS + MORE:
            run.save_partial({"wins": len(run.rows)})
            run.append("step", step(len(run.rows) - 1))
            say(f"war-1 {len(run.rows)}")
        run.append("result", {"score": 0.5})
        say(f"war-1 {len(run.rows)}")


def repair(path: Path, say: Say) -> None:
    with Store.open(path, write=True) as store:
        store.repair()
        say("repaired 0")


def back_up(path: Path, say: Say) -> None:
    with Store.open(path, write=False) as store:
        store.backup(path.parent / "copy.db")
        say("copied 0")


def delete(path: Path, say: Say) -> None:
    with Store.open(path, write=True) as store:
        store.delete(["war-1", "nim-1"])
        say("deleted 0")


def read(path: Path, say: Say) -> None:
    contents(path)


# ---- what must be true then ------------------------------------------------------------------------------------------


def check_created(path: Path, said: dict[str, int]) -> None:
    found = contents(path)
    assert set(said) <= set(found)
    with Store.open(path, write=True) as store:
        assert len(store.create(ASK).rows) == 1


def check_appended(path: Path, said: dict[str, int]) -> None:
    """No committed row is lost, and the run goes on to the rows of an undisturbed one."""
    rows = contents(path)["war-1"]
    assert len(rows) >= said.get("war-1", STEPS + 1)
    if rows[-1].kind != "result":
        append(path, lambda text: None)
    whole = contents(path)
    expected = [ASK, *(step(number) for number in range(STEPS + MORE)), {"score": 0.5}]
    assert [canonical(row.body) for row in whole["war-1"]] == [canonical(body) for body in expected]
    assert [len(whole[name]) for name in ("nim-1", "war-2")] == [STEPS + 1] * 2


def check_repaired(path: Path, said: dict[str, int]) -> None:
    found = contents(path)
    assert [len(found[name]) for name in ("war-1", "nim-1", "war-2")] == [STEPS + 1, 4, STEPS + 1]
    left = {file.name.removeprefix(path.name) for file in path.parent.iterdir()}
    assert {name for name in left if not name.startswith(".backup-")} <= {"", "-lock"}, left


def check_copied(path: Path, said: dict[str, int]) -> None:
    """The copy is whole or not there; the next one is not in the way of what was left."""
    copy, found = path.parent / "copy.db", contents(path)
    assert len(found) == 3 and ("copied" not in said or copy.exists())
    if not copy.exists():
        back_up(path, lambda text: None)
    assert contents(copy) == found and mend(copy) is False


def check_deleted(path: Path, said: dict[str, int]) -> None:
    """All or nothing."""
    found = set(contents(path))
    assert found == {"war-2"} or ("deleted" not in said and found == {"war-1", "nim-1", "war-2"})
    assert len(contents(path)["war-2"]) == STEPS + 1


def check_read(path: Path, said: dict[str, int]) -> None:
    assert len(contents(path)) == 3


class Operation(NamedTuple):
    """Something that is done to a store in some state."""

    before: Callable[[Path], None]
    work: Callable[[Path, Say], None]
    check: Callable[[Path, dict[str, int]], None]


OPERATIONS = {
    "create": Operation(nothing, create, check_created),
    "append": Operation(fill, append, check_appended),
    "resume": Operation(killed, append, check_appended),
    "repair": Operation(damaged, repair, check_repaired),
    "backup": Operation(fill, back_up, check_copied),
    "backup of a log": Operation(killed, back_up, check_copied),
    "delete": Operation(fill, delete, check_deleted),
    "read": Operation(killed, read, check_read),
}


def lay(before: Path, folder: Path) -> Path:
    """A fresh copy of a state in a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(before, folder)
    return folder / "runs.db"
