"""Stores that are moved, backed up, pruned and watched: what they held is never lost unsaid, and they stay small."""

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fogspiel.runs import store
from fogspiel.runs.store import Row, Store, StoreBusy, StoreError, StoreMoved
from fogspiel.runs.store import file as sqlite_file

ASK = {"game": "war", "method": "naive", "seed": 7}


def step(number: int, parameters: int = 4) -> dict[str, Any]:
    return {"number": number, "theta": [number + k / 7 for k in range(parameters)]}


def fill(path: Path) -> dict[str, list[Row]]:
    with Store.open(path, write=True) as runs:
        for game in ("war", "nim", "war"):
            with runs.create({**ASK, "game": game}) as run:
                for number in range(5):
                    run.append("step", step(number))
                run.save_partial({"wins": 3})
    return contents(path)


def contents(path: Path) -> dict[str, list[Row]]:
    with Store.open(path, write=False) as runs:
        return {name: runs.read(name).rows for name in runs.names()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


# ---- a store that loses its name -------------------------------------------------------------------------------------


def move(path: Path) -> None:
    path.rename(path.parent / "elsewhere.db")


def delete_all(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-lock"):
        Path(f"{path}{ending}").unlink()


def replace(path: Path) -> None:
    fill(path.parent / "other.db")
    os.replace(path.parent / "other.db", path)


def make_anew(path: Path) -> None:
    path.unlink()
    Store.open(path, write=True).close()


@pytest.mark.parametrize("lose", [move, Path.unlink, delete_all, replace, make_anew])
def test_a_store_that_loses_its_name_is_noticed_and_all_that_it_held_is_kept(
    path: Path, lose: Callable[[Path], None]
) -> None:
    with Store.open(path, write=True) as runs, runs.create(ASK) as run:
        for number in range(5):
            run.append("step", step(number))
        lose(path)
        with pytest.raises(StoreMoved, match=r"moved, deleted or replaced .* all that it held is in") as found:
            run.append("step", step(5))
        with pytest.raises(StoreMoved):
            run.save_partial({"wins": 1})
    copy = Path(f"{path}.rescued-1")
    assert found.value.copy == copy and not Path(f"{path}.rescued-2").exists()
    assert [row.body for row in contents(copy)["war-1"]] == [ASK, *(step(number) for number in range(6))]
    with Store.open(copy, write=True) as runs:
        assert runs.faults() == []
        runs.acquire("war-1").append("result", {"score": 1})
    if lose is make_anew:  # whose log was not tidied away by the process that still held the old one
        assert contents(path) == {}
        assert len(fill(path)) == 3


def test_a_folder_that_is_moved_keeps_its_store_whole(tmp_path: Path) -> None:
    folder, moved = tmp_path / "here", tmp_path / "there"
    with Store.open(folder / "runs.db", write=True) as runs, runs.create(ASK) as run:
        folder.rename(moved)
        with pytest.raises(StoreMoved, match="put it back where it was"):
            run.append("step", step(0))
    assert len(contents(moved / "runs.db")["war-1"]) == 2


# ---- what a killed process leaves ------------------------------------------------------------------------------------


def test_what_a_killed_repair_left_behind_goes_when_the_store_is_next_opened(path: Path) -> None:
    rows = fill(path)
    Path(f"{path}-repair").mkdir()
    for left in (path.with_name("runs.db-repair") / "old", Path(f"{path}-draft"), Path(f"{path}-draft-wal")):
        left.write_bytes(b"half")
    assert contents(path) == rows
    with Store.open(path, write=True):
        assert {file.name for file in path.parent.iterdir()} <= {
            "runs.db",
            "runs.db-lock",
            "runs.db-wal",
            "runs.db-shm",
        }
    assert contents(path) == rows


# ---- backups ---------------------------------------------------------------------------------------------------------


def test_a_store_is_backed_up_while_a_run_is_at_work(path: Path, tmp_path: Path) -> None:
    fill(path)
    copy = tmp_path / "copy.db"
    with Store.open(path, write=True) as runs, runs.acquire("war-1") as run:
        run.append("step", step(5))
        with Store.open(path, write=False) as reader:
            assert reader.backup(copy) == 3
        run.append("step", step(6))
    rows = contents(path)
    assert contents(copy) == {**rows, "war-1": rows["war-1"][:-1]}
    assert {file.name for file in tmp_path.iterdir()} == {"runs.db", "runs.db-lock", "copy.db"}
    with Store.open(copy, write=True) as runs:
        assert runs.faults() == [] and runs.acquire("war-1").partial() is None


def test_a_backup_replaces_nothing_and_a_damaged_store_is_not_backed_up(path: Path, tmp_path: Path) -> None:
    fill(path)
    (tmp_path / "taken.db").write_text("mine")
    with Store.open(path, write=False) as runs, pytest.raises(StoreError, match="a backup replaces nothing"):
        runs.backup(tmp_path / "taken.db")
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE rows SET body = '{}' WHERE run = 2 AND number = 3")
    raw.close()
    with Store.open(path, write=False) as runs, pytest.raises(StoreError, match=r"run nim-1, row 3: .*doctor --repair"):
        runs.backup(tmp_path / "copy.db")
    assert (tmp_path / "taken.db").read_text() == "mine"
    assert {file.name for file in tmp_path.iterdir()} == {"runs.db", "runs.db-lock", "taken.db"}


# ---- deleting --------------------------------------------------------------------------------------------------------


def test_deleted_runs_are_gone_and_every_check_goes_on(path: Path) -> None:
    rows = fill(path)
    with Store.open(path, write=True) as runs:
        runs.delete(["war-2", "nim-1"])
        assert runs.names() == ["war-1"] and runs.faults() == []
        with runs.create(ASK) as run:  # takes the name and the number of the one that is gone
            assert run.name == "war-2" and run.partial() is None
            run.append("step", {"number": 9})
    assert contents(path) == {"war-1": rows["war-1"], "war-2": [Row(0, "ask", ASK), Row(1, "step", {"number": 9})]}
    with sqlite3.connect(path) as raw:
        raw.execute("DELETE FROM rows WHERE run = 1 AND number = 5")
        raw.execute("DELETE FROM runs WHERE id = 2")
    raw.close()
    with Store.open(path, write=False) as runs:
        assert [problem.sentence for problem in runs.faults()] == [
            "the catalogue has 1 runs, which is not what was written",
            "run war-1, row 5: the row is missing (6 were written)",
        ]


def test_marks_outlive_a_deletion(path: Path) -> None:
    fill(path)
    older = path.read_bytes()
    with Store.open(path, write=True) as runs:
        runs.delete(["nim-1"])
        runs.acquire("war-1").append("step", step(5))
    newer = path.read_bytes()
    path.write_bytes(older)  # another store by its identity: what is known of the newer one does not speak of it
    assert len(contents(path)) == 3
    path.write_bytes(newer)
    with sqlite3.connect(path) as raw:
        raw.execute("DELETE FROM runs WHERE id = 3")
    raw.close()
    with Store.open(path, write=False) as runs, pytest.raises(StoreError, match="not what was written"):
        runs.names()


def test_all_named_runs_are_deleted_or_none(path: Path) -> None:
    rows = fill(path)
    with Store.open(path, write=True) as runs:
        with pytest.raises(StoreError, match="there is no run named war-9"):
            runs.delete(["war-1", "war-9"])
        with runs.acquire("nim-1"), pytest.raises(StoreBusy, match="run nim-1 is being worked on"):
            runs.delete(["war-1", "nim-1"])
        assert runs.names() == list(rows)
        runs.delete(["war-1", "nim-1"])


def test_a_page_that_followed_a_deleted_run_follows_the_new_one_of_its_name(path: Path) -> None:
    from fogspiel.web.run_reader import RunReader

    reader = RunReader(path)
    for seed, steps in ((7, 5), (8, 6)):
        with Store.open(path, write=True) as runs, runs.create({"game": "war", "method": "own", "seed": seed}) as run:
            for number in range(steps):
                run.append("step", step(number + seed))
            assert len(reader.follow("war-1", at_once=True).points) == steps
            run.close()
            runs.delete(["war-1"])


# ---- sizes -----------------------------------------------------------------------------------------------------------


def test_a_long_run_holds_few_rows_in_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_ROWS", 4)
    with Store.open(path, write=True) as runs, runs.create(ASK) as run:
        for number in range(10):
            run.append("step", step(number))
            assert len(run.steps) == number + 1 and len(run._rows) <= 4
        run.append("result", {"z": 1, "a": 2})
    assert run.steps == [step(number) for number in range(10)] and run.result == {"z": 1, "a": 2}
    assert json.dumps(run.rows[-1].body) == '{"z": 1, "a": 2}'
    assert run.rows == contents(path)["war-1"]


@pytest.mark.thorough
def test_the_log_stays_short_while_readers_poll(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = 150_000
    monkeypatch.setattr(sqlite_file, "LOG_LIMIT", limit)
    done, looks, trouble = threading.Event(), [], []

    def look() -> None:
        while not done.is_set():
            try:
                looks.append(len(contents(path)["war-1"]))
            except Exception as error:
                trouble.append(error)

    with Store.open(path, write=True) as runs, runs.create(ASK) as run:
        readers = [threading.Thread(target=look) for _ in range(2)]
        for reader in readers:
            reader.start()
        longest = 0
        for number in range(120):
            run.append("step", step(number, 300))
            longest = max(longest, os.stat(f"{path}-wal").st_size)
        done.set()
        for reader in readers:
            reader.join()
    assert trouble == [] and len(looks) > 2
    assert limit < longest < 4 * limit
    assert len(contents(path)["war-1"]) == 121


def test_a_reader_that_does_not_end_holds_up_a_writer_only_now_and_then(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "LOG_LIMIT", 100_000)
    monkeypatch.setattr(sqlite_file, "READERS_PATIENCE", 0.01)
    folds = []
    fold = sqlite_file.StoreFile.fold
    monkeypatch.setattr(sqlite_file.StoreFile, "fold", lambda *given: (folds.append(1), fold(*given)))
    with Store.open(path, write=True) as runs, runs.create(ASK) as run:
        with sqlite3.connect(path) as stuck:
            stuck.execute("BEGIN")
            stuck.execute("SELECT count(*) FROM rows").fetchone()
            for number in range(60):
                run.append("step", step(number, 300))
            assert os.stat(f"{path}-wal").st_size > 400_000 and 3 < len(folds) < 50
        stuck.close()
        for number in range(60, 70):
            run.append("step", step(number, 300))
        assert os.stat(f"{path}-wal").st_size < 400_000
    assert len(contents(path)["war-1"]) == 71


def test_a_copy_of_an_open_store_after_its_log_was_folded_is_whole(path: Path, tmp_path: Path) -> None:
    with Store.open(path, write=True) as runs, runs.create(ASK) as run:
        run.append("step", step(0))
        runs._file.fold()
        shutil.copy(path, tmp_path / "copy.db")
        assert contents(tmp_path / "copy.db") == contents(path) == {"war-1": run.rows}


def test_a_store_copied_with_its_log_alone_is_read_and_left_as_it_is(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copies" / "runs.db"
    copy.parent.mkdir()
    with Store.open(path, write=True) as runs, runs.create(ASK) as run:
        run.append("step", step(0))
        for ending in ("", "-wal"):
            shutil.copy(f"{path}{ending}", f"{copy}{ending}")
        before = {file.name: file.read_bytes() for file in copy.parent.iterdir()}
        assert contents(copy) == {"war-1": run.rows}
    assert {file.name: file.read_bytes() for file in copy.parent.iterdir()} == before


@pytest.mark.parametrize("code", [10, 266, 522])  # an error of input and output, of reading, of a short read
def test_a_disk_that_cannot_be_read_is_no_disorder_of_the_store(code: int) -> None:
    class Connection:
        def execute(self, question: str) -> "Connection":
            return self

        def fetchone(self) -> tuple[str]:
            return (f"*** in database main ***\nTree 2 page 3: unable to get the page. error code={code}",)

    with pytest.raises(OSError, match="Input/output"):
        sqlite_file.disorder(Connection())  # type: ignore[arg-type]


def test_a_store_that_is_open_elsewhere_is_not_repaired(path: Path) -> None:
    fill(path)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE rows SET body = '{}' WHERE run = 2 AND number = 3")
    raw.close()
    with Store.open(path, write=True) as runs:
        with Store.open(path, write=True), pytest.raises(StoreBusy, match="in use"):
            runs.repair()
        assert "run nim-1 is cut back from 6 rows to 3" in runs.repair()


def test_nothing_is_written_into_a_store_whose_pages_are_in_disorder(path: Path) -> None:
    fill(path)
    content = bytearray(path.read_bytes())
    content[36:40] = (5).to_bytes(4, "big")  # the number of free pages, of which there are none
    path.write_bytes(content)
    with Store.open(path, write=True) as runs:
        with pytest.raises(StoreError, match="in disorder"):
            runs.create(ASK)
        with pytest.raises(StoreError, match="in disorder"):
            runs.acquire("war-1")
    assert path.read_bytes() == content


def test_a_log_grows_to_its_limit_and_waits_for_readers_at_three_times_that(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = 100_000
    assert limit < sqlite_file.LOG_LIMIT
    monkeypatch.setattr(sqlite_file, "LOG_LIMIT", limit)
    folds = []

    def fold(file: object, patience: float) -> None:
        folds.append((os.stat(f"{path}-wal").st_size, patience))

    with Store.open(path, write=True) as runs, runs.create(ASK) as run:
        monkeypatch.setattr(sqlite_file.StoreFile, "fold", fold)
        for number in range(60):
            run.append("step", step(number, 300))
        monkeypatch.undo()
    assert len(folds) > 5
    for size, patience in folds:
        assert patience == (sqlite_file.READERS_PATIENCE if size > 3 * limit else sqlite_file.WRITERS_PATIENCE)
    assert folds[-1][0] > 3 * limit > limit + 3 and any(limit + 3 < size <= 3 * limit for size, _ in folds)


def test_a_short_log_is_not_folded(path: Path) -> None:
    with Store.open(path, write=True) as runs, runs.create(ASK) as run:
        sizes = []
        for number in range(4):
            run.append("step", step(number))
            sizes.append(os.stat(f"{path}-wal").st_size)
    assert sizes == sorted(set(sizes))
