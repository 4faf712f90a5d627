"""The store loses nothing: not by kill -9, flipped bits, full disks, crowds of writers or wrong files."""

import json
import math
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from platformdirs.macos import MacOS

from fogspiel.runs import store
from fogspiel.runs.store import Damaged, Row, Store, StoreBusy, StoreError, canonical, default_path

ROOT = Path(__file__).parents[2]
ASK = {"game": "war", "method": "naive", "seed": 7, "budget": 1000, "rules": 1, "options": {}, "package": "0.1.0"}
ENDINGS = ("", "-wal", "-shm", "-lock")


def step(number: int, parameters: int = 4) -> dict[str, Any]:
    theta = [math.sin(number + k) for k in range(parameters)]
    return {"games": 100 * number, "score": 0.5 + number / 1e3, "interval": [0.4, 0.6], "theta": theta}


def fill(path: Path, steps: int = 12) -> dict[str, list[Row]]:
    """Three runs, one finished, one with large rows; what they say by name."""
    with Store.open(path, write=True) as store:
        for game, parameters in (("war", 4), ("nim", 120), ("war", 4)):
            with store.create({**ASK, "game": game}) as run:
                for number in range(steps):
                    run.append("step", step(number, parameters))
                if game == "nim":
                    run.append("result", {"games": 7, "score": 1.0, "interval": [0.9, 1.0]})
                else:
                    run.save_partial({"wins": 3})
    return contents(path)


def contents(path: Path) -> dict[str, list[Row]]:
    with Store.open(path, write=False) as store:
        return {name: store.read(name).rows for name in store.names()}


def snapshot(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def lay(files: dict[str, bytes], path: Path) -> None:
    """Put a store and its companions, by ending, at `path`."""
    for ending in ENDINGS:
        Path(f"{path}{ending}").unlink(missing_ok=True)
    for ending, content in files.items():
        Path(f"{path}{ending}").write_bytes(content)


def picked_up(path: Path) -> dict[str, bytes]:
    return {ending: Path(f"{path}{ending}").read_bytes() for ending in ENDINGS if Path(f"{path}{ending}").exists()}


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Another process, talking line by line."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


HOLD = """
import sys
from fogspiel.runs.store import Store
with Store.open(sys.argv[1], write=True) as store:
    run = store.work_on(sys.argv[2])
    print("holding", flush=True)
    sys.stdin.readline()
"""

APPEND = """
import sys
from fogspiel.runs.store import Store
with Store.open(sys.argv[1], write=True) as store:
    run = store.work_on(sys.argv[2])
    print("ready", flush=True)
    while True:
        run.keep_partial({"race": len(run.rows)})
        run.append("step", {"number": len(run.rows), "theta": [0.1] * 40})
        print(len(run.rows), flush=True)
"""

CROWD = """
import sys
from fogspiel.runs.store import Store
with Store.open(sys.argv[1], write=True) as store:
    run = store.create({"game": "war", "method": "naive"})
    for number in range(int(sys.argv[2])):
        run.append("step", {"number": number, "theta": [0.25] * 8})
    run.append("result", {"score": 0.5})
    print(run.name)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


# ---- what a run is ---------------------------------------------------------------------------------------------------


def test_a_missing_store_reads_as_a_store_without_runs_and_stays_missing(path: Path) -> None:
    with Store.open(path, write=False) as store:
        assert store.names() == [] and store.summaries() == [] and store.faults() == []
        with pytest.raises(StoreError, match="there is no run named war-1"):
            store.read("war-1")
    assert list(path.parent.iterdir()) == []


def test_a_run_is_what_was_asked_then_its_steps_then_its_result(path: Path) -> None:
    with Store.open(path / "deep" / "er.db", write=True) as store:
        run = store.create(ASK)
        assert (run.name, run.state, run.finished, run.result) == ("war-1", "running", False, None)
        run.append("step", step(1))
        run.append("result", {"score": 0.6})
        assert (run.state, run.finished, run.result) == ("finished", True, {"score": 0.6})
        with pytest.raises(StoreError, match="war-1 is finished"):
            run.append("step", step(2))
        with pytest.raises(ValueError, match="a step or the result"):
            store.create(ASK).append("ask", ASK)
        assert store.read("war-1").rows == run.rows
        assert store.read("war-1").request == ASK and store.read("war-1").steps == [step(1)]
        run.close()
        again = store.acquire("war-1")
        assert again.finished and again.result == {"score": 0.6}


def test_runs_are_numbered_by_game(path: Path) -> None:
    with Store.open(path, write=True) as store:
        games = ["war", "pig", "war", "guesswho24-stochastic", "guesswho24", "guesswho24-stochastic"]
        names = [store.create({"game": game, "method": "naive"}).name for game in games]
    assert names[:3] == ["war-1", "pig-1", "war-2"]
    assert names[3:] == ["guesswho24-stochastic-1", "guesswho24-1", "guesswho24-stochastic-2"]


def test_two_runs_with_the_same_request_have_byte_equal_rows(path: Path) -> None:
    for name in ("war-1", "war-2"):
        with Store.open(path, write=True) as store, store.create(ASK) as run:
            assert run.name == name
            run.append("step", {"b": 0.1 + 0.2, "a": [1, -0.0, 1e-300]})
            run.append("result", {"score": 1 / 3})
    with sqlite3.connect(path) as raw:
        question = "SELECT number, kind, body FROM rows WHERE run = ? ORDER BY number"
        first, second = (raw.execute(question, (run,)).fetchall() for run in (1, 2))
    raw.close()
    assert first == second and first[1][2] == '{"a":[1,-0.0,1e-300],"b":0.30000000000000004}'


def test_a_partial_outlives_its_process_and_ends_with_its_step(path: Path) -> None:
    with Store.open(path, write=True) as store, store.create(ASK) as run:
        assert run.partial() is None
        run.save_partial({"wins": 10})
        run.save_partial({"wins": 20})
    with Store.open(path, write=True) as store, store.acquire("war-1") as run:
        assert run.partial() == {"wins": 20}
        run.append("step", step(1))
        assert run.partial() is None


def test_a_damaged_partial_counts_as_absent(path: Path) -> None:
    rows = fill(path)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE partials SET body = ?", ('{"wins":4}',))
    raw.close()
    with Store.open(path, write=True) as store, store.acquire("war-1") as run:
        assert run.partial() is None and run.rows == rows["war-1"]


def test_the_list_of_runs_tells_state_score_and_times(path: Path) -> None:
    fill(path)
    with Store.open(path, write=True) as store:
        working = store.acquire("war-2")
        first, second, third = Store.open(path, write=False).summaries()
        working.close()
    assert (first.name, first.game, first.method) == ("war-1", "war", "naive")
    assert (first.state, first.steps) == ("interrupted", 12)
    assert (first.games, first.score, first.interval) == (1100, 0.511, [0.4, 0.6])
    assert (second.state, second.steps, second.score, third.state) == ("finished", 12, 1.0, "running")
    assert first.seen is not None and first.seconds is not None
    assert time.time() - 60 < first.created < first.seen < time.time() and 0 < first.seconds < 60


def test_numbers_that_json_cannot_hold_are_refused_before_anything_is_written(path: Path) -> None:
    with Store.open(path, write=True) as store, store.create(ASK) as run:
        for bad in (math.nan, math.inf, -math.inf):
            with pytest.raises(ValueError, match="JSON"):
                run.append("step", {"score": bad})
            with pytest.raises(ValueError, match="JSON"):
                store.create({**ASK, "seed": bad})
        assert len(store.read("war-1").rows) == 1 and store.names() == ["war-1"]


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
trees = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@pytest.fixture(scope="module")
def growing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Any]]:
    with Store.open(tmp_path_factory.mktemp("growing") / "runs.db", write=True) as store:
        yield store, store.create(ASK)


@pytest.mark.thorough
@settings(max_examples=40, deadline=None)
@given(body=st.dictionaries(st.text(), trees))
def test_any_json_body_comes_back_as_it_was(growing: tuple[Store, Any], body: dict[str, Any]) -> None:
    store, run = growing
    run.append("step", body)
    back = store.read(run.name).rows[-1].body
    assert back == run.rows[-1].body == body
    assert canonical(back) == canonical(body) == json.dumps(body, sort_keys=True, separators=(",", ":"))


def test_the_default_store_is_in_the_users_data_folder_unless_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOGSPIEL_STORE", "/somewhere/else.db")
    assert default_path() == Path("/somewhere/else.db")
    monkeypatch.delenv("FOGSPIEL_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_path() == Path("/data/fogspiel/runs.db")


def test_the_data_folder_of_a_mac_is_where_it_always_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOGSPIEL_STORE")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(store, "user_data_path", lambda *names, **more: MacOS(*names, **more).user_data_path)
    assert default_path().parts[-4:] == ("Library", "Application Support", "fogspiel", "runs.db")


def test_the_list_of_runs_needs_neither_numpy_nor_numba() -> None:
    slow = "{'numpy', 'numba', 'fogspiel.core.compile.kernel'}"
    code = f"import sys, fogspiel.runs.store; print(sorted({slow} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).strip() == "[]"


# ---- files that are no store -----------------------------------------------------------------------------------------


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE runs (id)")
    raw.close()


def patched(offset: int, content: bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        fill(path)
        Path(f"{path}-lock").unlink()
        whole = bytearray(path.read_bytes())
        whole[offset : offset + len(content)] = content
        path.write_bytes(whole)

    return make


def shortened(size: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        fill(path)
        Path(f"{path}-lock").unlink()
        os.truncate(path, size)

    return make


REFUSED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "directory": (Path.mkdir, "is a directory"),
    "pipe": (os.mkfifo, "is not an ordinary file"),
    "empty": (Path.touch, "is empty"),
    "text": (lambda path: path.write_text("war, naive, 7\n" * 500), "is not a fogspiel store"),
    "a few bytes": (lambda path: path.write_bytes(b"SQL"), "is truncated"),
    "foreign": (foreign, "of another program"),
    "newer": (patched(60, b"\0\0\0\7"), r"newer fogspiel \(format 7"),
    "odd page size": (patched(16, b"\x20\0"), "damaged header"),
    "half": (shortened(5 * 4096 + 11), "is truncated"),
    "header only": (shortened(100), "is truncated"),
}


@pytest.mark.parametrize("write", [False, True], ids=["reading", "writing"])
@pytest.mark.parametrize("kind", REFUSED)
def test_a_file_that_is_no_store_is_refused_at_once_and_left_alone(path: Path, kind: str, write: bool) -> None:
    make, message = REFUSED[kind]
    make(path)
    before, start = snapshot(path.parent), time.monotonic()
    with pytest.raises(StoreError, match=message) as refusal:
        Store.open(path, write=write)
    assert time.monotonic() - start < 1 and str(path) in str(refusal.value)
    assert snapshot(path.parent) == before and len(list(path.parent.iterdir())) == 1


def test_a_read_only_file_is_refused_for_writing_and_can_be_read(path: Path) -> None:
    rows = fill(path)
    path.chmod(0o444)
    before = snapshot(path.parent)
    with pytest.raises(StoreError, match="is read-only"):
        Store.open(path, write=True)
    assert contents(path) == rows and snapshot(path.parent) == before


@pytest.mark.parametrize("where", ["runs.db", "new.db", "new/folder/new.db"])
def test_a_read_only_folder_is_refused_for_writing_and_can_be_read(path: Path, where: str) -> None:
    rows = fill(path)
    path.parent.chmod(0o555)
    try:
        before = snapshot(path.parent)
        with pytest.raises(StoreError, match="is read-only"):
            Store.open(path.parent / where, write=True)
        assert contents(path) == rows and snapshot(path.parent) == before
    finally:
        path.parent.chmod(0o755)


def test_a_store_copied_with_its_log_is_read_without_a_trace(path: Path, tmp_path: Path) -> None:
    with Store.open(path, write=True) as store, store.create(ASK) as run:
        run.append("step", step(1))
        live = picked_up(path)
        folder = tmp_path / "copy"
        folder.mkdir()
        lay({"": live[""], "-wal": live["-wal"]}, folder / "runs.db")
        folder.chmod(0o555)
        before = snapshot(folder)
        assert contents(folder / "runs.db") == {"war-1": run.rows} and snapshot(folder) == before
        folder.chmod(0o755)


def test_a_stale_log_is_not_replayed_into_a_new_store(path: Path) -> None:
    with Store.open(path, write=True) as store, store.create(ASK) as run:
        run.append("step", step(1))
        live = picked_up(path)
    lay({"-wal": live["-wal"], "-shm": live["-shm"], "-lock": live["-lock"]}, path)
    with Store.open(path, write=True) as store:
        assert store.names() == [] and store.faults() == []
        assert len(store.create(ASK).rows) == 1
    assert len(contents(path)["war-1"]) == 1


def test_reading_leaves_nothing_behind(path: Path) -> None:
    rows = fill(path)
    before = snapshot(path.parent)
    assert contents(path) == rows and snapshot(path.parent) == before
    assert set(before) == {"runs.db", "runs.db-lock"}


# ---- damage ----------------------------------------------------------------------------------------------------------


def read_or_refused(path: Path, rows: dict[str, list[Row]]) -> bool:
    """Whether anything was noticed; everything that is read must be exactly what was written."""
    noticed = False
    try:
        store = Store.open(path, write=False)
    except StoreError:
        return True
    for name, expected in rows.items():
        try:
            assert store.read(name).rows == expected
        except StoreError:
            noticed = True
    try:
        assert store.names() == list(rows)
        scores = [(summary.score, summary.state) for summary in store.summaries() if summary.state != "damaged"]
        noticed |= len(scores) < len(rows)
        assert noticed or scores == [(0.511, "interrupted"), (1.0, "finished"), (0.511, "interrupted")]
    except StoreError:
        noticed = True
    assert not noticed or store.faults()
    return noticed


@pytest.mark.slow
def test_of_1000_flipped_bits_each_is_noticed_or_harmless(path: Path, tmp_path: Path) -> None:
    rows = fill(path)
    files = picked_up(path)
    rng = random.Random(1)
    bad = tmp_path / "bad.db"
    noticed = 0
    for _ in range(1000):
        lay({**files, "": flipped(files[""], rng.randrange(8 * len(files[""])))}, bad)
        noticed += read_or_refused(bad, rows)
    assert noticed > 300


@pytest.mark.parametrize("name, number", [("war-1", 0), ("war-1", 12), ("nim-1", 5), ("nim-1", 13), ("war-2", 3)])
def test_a_flipped_bit_in_a_row_is_reported_with_run_and_row(path: Path, name: str, number: int) -> None:
    rows = fill(path)
    whole = path.read_bytes()
    with sqlite3.connect(path) as raw:
        where = "SELECT digest FROM rows JOIN runs ON run = id WHERE name = ? AND number = ?"
        ((digest,),) = raw.execute(where, (name, number))
    raw.close()
    at = whole.rindex(digest)  # right behind the body; a copy in the catalogue would come earlier
    rng = random.Random(number)
    for back in [0, 1, 9, *rng.sample(range(2, 40), 20)]:
        path.write_bytes(flipped(whole, 8 * (at - back) + rng.randrange(8)))
        with pytest.raises(Damaged, match=f"run {name}, row {number}: ") as found:
            Store.open(path, write=False).read(name)
        assert (found.value.run, found.value.row) == (name, number)
        for other in rows.keys() - {name}:
            assert Store.open(path, write=False).read(other).rows == rows[other]


@pytest.mark.thorough
@pytest.mark.parametrize("ending", ["-wal", "-lock"])
def test_flipped_bits_beside_a_live_store_are_noticed_or_harmless(path: Path, tmp_path: Path, ending: str) -> None:
    with Store.open(path, write=True) as held_open:
        assert held_open.names() == []
        rows = fill(path)
        files = picked_up(path)
    rng = random.Random(2)
    bad = tmp_path / "bad.db"
    for trial in range(60):
        kept = {**files, ending: flipped(files[ending], rng.randrange(8 * len(files[ending])))}
        if trial % 2:
            del kept["-shm"]
        lay(kept, bad)
        noticed = read_or_refused(bad, rows)
        assert not (noticed and ending == "-lock")


def test_rows_and_runs_that_disappear_are_missed(path: Path) -> None:
    fill(path)
    whole = path.read_bytes()
    losses = {
        "DELETE FROM rows WHERE run = 1 AND number = 12": ("war-1", 12),
        "DELETE FROM rows WHERE run = 1 AND number = 4": ("war-1", 4),
        "DELETE FROM rows WHERE run = 1": ("war-1", 0),
        "DELETE FROM runs WHERE id = 3": (None, None),
        "DELETE FROM meta": (None, None),
    }
    for loss, place in losses.items():
        path.write_bytes(whole)
        with sqlite3.connect(path) as raw:
            raw.execute(loss)
        raw.close()
        with pytest.raises(Damaged) as found, Store.open(path, write=False) as store:
            store.names()
            store.read("war-1")
        assert (found.value.run, found.value.row) == place, loss


def test_an_older_copy_in_the_place_of_the_store_is_noticed(path: Path) -> None:
    with Store.open(path, write=True) as store:
        store.create(ASK)
    older = path.read_bytes()
    with Store.open(path, write=True) as store:
        store.acquire("war-1").append("step", step(1))
    path.write_bytes(older)
    with pytest.raises(Damaged, match="run war-1, row 1: the row is missing"):
        Store.open(path, write=False).read("war-1")


def test_repair_keeps_the_good_rows_and_the_run_goes_on(path: Path) -> None:
    rows = fill(path)
    whole = path.read_bytes()
    bad = flipped(whole, 8 * (whole.index(canonical(rows["war-1"][7].body).encode()) + 20))
    path.write_bytes(bad)
    with Store.open(path, write=True) as store:
        (problem,) = store.faults()
        assert (problem.run, problem.row) == ("war-1", 7) and "doctor --repair" in problem.hint
        with pytest.raises(Damaged):
            store.acquire("war-1")
        said = store.repair()
        assert "run war-1 is cut back from 13 rows to 7" in said
        assert store.faults() == [] and store.repair() == []
        with store.acquire("war-1") as run:
            assert run.rows == rows["war-1"][:7]
            for row in rows["war-1"][7:]:
                run.append(row.kind, row.body)
        assert store.acquire("war-2").partial() == {"wins": 3}
    assert contents(path) == rows
    assert Path(f"{path}.backup-1").read_bytes() == bad
    assert {file.name for file in path.parent.iterdir()} == {"runs.db", "runs.db-lock", "runs.db.backup-1"}


@pytest.mark.parametrize("what", ["CREATE TABLE rows", '{"budget"', "war-1"])
def test_what_the_store_says_twice_is_repaired_without_loss(path: Path, what: str) -> None:
    rows = fill(path)
    whole = path.read_bytes()
    places = [at for at in range(len(whole)) if whole.startswith(what.encode(), at)]
    for at in places:
        path.write_bytes(flipped(whole, 8 * at + 9))
        with Store.open(path, write=True) as store:
            assert store.faults()
            store.repair()
            assert store.faults() == []
        assert contents(path) == rows


def test_repair_saves_what_it_can_from_a_torn_file(path: Path) -> None:
    rows = fill(path, steps=40)
    whole = path.read_bytes()
    rng = random.Random(3)
    for trial in range(20):
        torn = bytearray(whole)
        at = 4096 * rng.randrange(1, len(whole) // 4096)
        torn[at : at + 4096] = rng.randbytes(4096) if trial % 2 else bytes(4096)
        path.write_bytes(torn)
        with Store.open(path, write=True) as store:
            store.repair()
            assert store.faults() == []
        for name, kept in contents(path).items():
            assert kept == rows[name][: len(kept)]


def test_repair_waits_until_nobody_works_there(path: Path) -> None:
    fill(path)
    holder = child(HOLD, path, "war-1")
    assert line(holder) == "holding"
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE rows SET body = '{}' WHERE run = 2 AND number = 3")
    raw.close()
    with Store.open(path, write=True) as store, pytest.raises(StoreBusy, match="stop every run"):
        store.repair()
    holder.communicate("\n")
    with Store.open(path, write=True) as store:
        assert "run nim-1 is cut back from 14 rows to 3" in store.repair()


# ---- many processes --------------------------------------------------------------------------------------------------


def test_a_run_under_work_is_refused_by_name_and_process(path: Path) -> None:
    fill(path)
    holder = child(HOLD, path, "war-1")
    assert line(holder) == "holding"
    with Store.open(path, write=True) as store:
        start = time.monotonic()
        with pytest.raises(StoreBusy, match=f"run war-1 is being worked on by process {holder.pid} on .* since 20"):
            store.acquire("war-1")
        assert time.monotonic() - start < 1
        assert store.read("war-1").state == "running"
        with store.acquire("war-2") as run:
            run.append("step", step(99))
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        assert store.read("war-1").state == "interrupted"
        store.acquire("war-1").append("step", step(99))


def test_one_process_cannot_work_on_a_run_twice(path: Path) -> None:
    fill(path)
    with Store.open(path, write=True) as one, Store.open(path, write=True) as two:
        run = one.acquire("war-1")
        for store in (one, two):
            with pytest.raises(StoreBusy, match=f"process {os.getpid()} "):
                store.acquire("war-1")
        run.close()
        two.acquire("war-1").append("step", step(99))


@pytest.mark.thorough
def test_looking_at_a_store_does_not_drop_the_locks_of_the_same_process(path: Path) -> None:
    fill(path)
    with Store.open(path, write=True) as store:
        run = store.acquire("war-1")
        for _ in range(3):
            with Store.open(path, write=False) as viewer, Store.open(path, write=True) as other:
                assert viewer.read("war-1").state == other.read("war-1").state == "running"
            visitor = child(HOLD, path, "war-2")  # on closing it would tidy the log away if it thought itself alone
            assert line(visitor) == "holding"
            visitor.communicate("\n")
            run.append("step", step(1))
            assert len(Store.open(path, write=False).read("war-1").rows) == len(run.rows)
        intruder = child(HOLD.replace("run = ", "").replace("holding", "inside"), path, "war-1")
        assert line(intruder) == "" and intruder.wait() != 0
    assert len(contents(path)["war-1"]) == 13 + 3


def killed_at_random(path: Path, times: int) -> None:
    rng = random.Random(times)
    with Store.open(path, write=True) as store:
        store.create(ASK)
    committed = 1
    for _ in range(times):
        process = child(APPEND, path, "war-1")
        assert line(process) == "ready"
        time.sleep(rng.random() * 0.15)
        os.kill(process.pid, signal.SIGKILL)
        assert process.stdout is not None
        told = process.stdout.read()  # not communicate(), which would miss what was read ahead with the first line
        process.wait()
        committed = max([committed, *(int(number) for number in told.split("\n")[:-1])])
        with Store.open(path, write=True) as store, store.acquire("war-1") as run:
            assert committed <= len(run.rows) <= committed + 1
            assert [row.body["number"] for row in run.rows[1:]] == list(range(1, len(run.rows)))
            assert run.partial() in (None, {"race": len(run.rows)})
            committed = len(run.rows)
    assert committed > times
    with Store.open(path, write=False) as store:
        assert store.faults() == [] and store.summaries()[0].seconds is not None


@pytest.mark.thorough
def test_25_processes_killed_at_random_lose_no_committed_row(path: Path) -> None:
    killed_at_random(path, 25)


@pytest.mark.slow
def test_100_processes_killed_at_random_lose_no_committed_row(path: Path) -> None:
    killed_at_random(path, 100)


@pytest.mark.thorough
def test_four_processes_write_1500_rows_each_while_a_viewer_watches(path: Path) -> None:
    crowd = [child(CROWD, path, 1500) for _ in range(4)]  # all four want to make the file
    looks, trouble, done = 0, [], threading.Event()

    def watch() -> None:
        nonlocal looks
        while not done.wait(0.02):
            try:
                with Store.open(path, write=False) as store:
                    for summary in store.summaries():
                        store.read(summary.name)
                looks += 1
            except Exception as error:
                trouble.append(error)

    viewer = threading.Thread(target=watch)
    viewer.start()
    names = sorted(process.communicate()[0].strip() for process in crowd)
    done.set()
    viewer.join()
    assert [process.returncode for process in crowd] == [0, 0, 0, 0]
    assert names == ["war-1", "war-2", "war-3", "war-4"]
    assert trouble == [] and looks > 10
    assert [len(rows) for rows in contents(path).values()] == [1502] * 4


def test_a_viewer_in_the_middle_of_a_question_does_not_hold_up_a_writer(path: Path) -> None:
    fill(path)
    with Store.open(path, write=True) as store, store.acquire("war-1") as run:
        run.append("step", step(1))
        viewer = Store.open(path, write=False)

        def slow(connection: sqlite3.Connection, committed: object) -> int:
            before = connection.execute("SELECT count(*) FROM rows").fetchone()
            start = time.monotonic()
            for number in range(50):
                run.append("step", step(number))
            assert time.monotonic() - start < 5
            assert connection.execute("SELECT count(*) FROM rows").fetchone() == before
            return 1

        assert viewer._file.read(slow) == 1
        assert len(viewer.read("war-1").rows) == 64


def test_a_forked_child_does_not_think_it_holds_the_lock(path: Path) -> None:
    fill(path)
    with Store.open(path, write=True) as store:
        store.acquire("war-1")
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                with Store.open(path, write=True) as mine:
                    mine.acquire("war-1")
            except StoreBusy:
                os.write(writing, b"busy")
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        assert os.read(reading, 10) == b"busy"
        assert store.read("war-1").state == "running"


# ---- full disk -------------------------------------------------------------------------------------------------------


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "tiny"
    folder.mkdir()
    mounted = os.geteuid() == 0 and shutil.which("mount") is not None
    mounted = mounted and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", folder]).returncode == 0
    if not mounted:
        pytest.skip("a small file system can only be mounted by root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_stops_the_run_and_a_freed_one_lets_it_go_on(tiny: Path) -> None:
    path = tiny / "runs.db"
    ballast = tiny / "ballast"
    ballast.write_bytes(bytes(200_000))
    with Store.open(path, write=True) as store, store.create(ASK) as run:
        with pytest.raises(StoreError, match="is full: nothing committed is lost; free some space and resume"):
            while True:
                run.append("step", step(len(run.rows), 383))
        committed = run.rows[:]
        assert len(committed) > 3
        with pytest.raises(StoreError, match="is full"):
            run.append("step", step(len(run.rows), 5000))
        assert contents(path) == {"war-1": committed}
        ballast.unlink()
        run.append("step", step(len(run.rows), 383))
    assert contents(path) == {"war-1": run.rows} and run.rows[:-1] == committed


def test_a_full_disk_refuses_a_new_store_and_then_takes_it(tiny: Path) -> None:
    ballast = tiny / "ballast"
    with pytest.raises(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1000))
    with pytest.raises(StoreError, match="is full"), Store.open(tiny / "runs.db", write=True) as store:
        store.create(ASK)
    ballast.unlink()
    with Store.open(tiny / "runs.db", write=True) as store:
        store.create(ASK)
    assert list(contents(tiny / "runs.db")) == ["war-1"]


def test_a_write_that_the_system_refuses_loses_nothing(path: Path) -> None:
    code = """
import resource, sys
from fogspiel.runs.store import Store, StoreError
with Store.open(sys.argv[1], write=True) as store:
    run = store.create({"game": "war", "method": "naive"})
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    try:
        while True:
            run.append("step", {"theta": [0.5] * 300})
    except StoreError as error:
        print(len(run.rows), error, flush=True)
"""
    process = child(code, path)
    told = process.communicate()[0]
    assert process.returncode == 0 and "nothing committed is lost" in told
    assert len(contents(path)["war-1"]) == int(told.split()[0]) > 3
    with Store.open(path, write=True) as store:
        store.acquire("war-1").append("result", {"score": 1})


def test_a_file_that_may_not_be_read_is_refused_with_a_sentence(path: Path) -> None:
    fill(path)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read everything")
    with pytest.raises(StoreError, match="may not be opened"):
        Store.open(path, write=False)
