"""A store that somebody else has made, with good checksums: odd runs are set aside, and nothing is written outside."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fogspiel.runs.kinds.solve import task_of
from fogspiel.runs.requests import SolveRequest
from fogspiel.runs.store import Store, StoreError, canonical
from fogspiel.runs.store.faults import seal
from fogspiel.runs.store.rows import link

VICTIM = "../../../victim"
KUHN = task_of(SolveRequest("kuhn")).ask


def forge(path: Path, **columns: object) -> None:
    """Replace columns of the second run's catalogue entry, with checksums and first row to match."""
    Path(f"{path}-lock").unlink()  # whoever forges a store brings no marks
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.text_factory = bytes
        entry = list(raw.execute("SELECT * FROM runs WHERE id = 2").fetchone())
        names = [column[1].decode() for column in raw.execute("PRAGMA table_info(runs)")]
        entry = [
            value.decode() if isinstance(value, bytes) and names[k] != "head" else value
            for k, value in enumerate(entry[:-1])
        ]
        found = dict(zip(names, entry, strict=False)) | columns
        if found["length"] == 1 and not columns.keys() & {"length", "head"}:
            found["head"] = link(b"", found["name"], 0, "ask", found["ask"])
            raw.execute("UPDATE rows SET body = ?, digest = ? WHERE run = 2", (found["ask"], found["head"]))
        raw.execute("UPDATE rows SET run = ? WHERE run = 2", (found["id"],))
        raw.execute("DELETE FROM runs WHERE id = 2")
        raw.execute(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*found.values(), seal("runs", *found.values()))
        )


@pytest.fixture
def store(tmp_path):
    """Three interrupted runs; the second one is for the forger."""
    path = tmp_path / "a" / "b" / "c" / "runs.db"
    with Store.open(path, write=True) as runs:
        for game in ("kuhn", "pig", "kuhn"):
            runs.create({**KUHN, "game": game}).close()
    return path


def test_no_path_is_made_from_the_name_of_a_run(tmp_path, store, fogspiel, refused):
    forge(store, name=VICTIM, ask=canonical(KUHN))
    victim = tmp_path / "victim.json"
    victim.write_text("precious")
    outcome = fogspiel("resume", "--all", "--store", store)
    assert outcome.returncode == 0 and "run number 2: its name '../../../victim' cannot be part" in outcome.stderr
    assert victim.read_text() == "precious"
    assert sorted(path.stem for path in tmp_path.rglob("*.json")) == ["kuhn-1", "kuhn-2", "victim"]
    for command in (("resume", VICTIM), ("export", VICTIM), ("runs", "delete", VICTIM), ("explain", f"{VICTIM}-1")):
        refused(*command, "--store", store)


NAMES = [
    VICTIM,
    "/etc/passwd",
    "..",
    ".",
    "",
    "a/b-1",
    "a\\b-1",
    "C:x-1",
    "-1",
    "--all",
    "a b-1",
    "a\n-1",
    "é-1",
    "x" * 201,
    b"kuhn-2",
    None,
]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_a_run_of_an_odd_name_is_set_aside_and_the_others_are_listed(name, store, fogspiel, answer):
    forge(store, name=name)
    outcome = fogspiel("runs", "--store", store)
    assert outcome.returncode == 0 and outcome.stderr.count("\n") == 1 and "set aside" in outcome.stderr
    assert outcome.stderr[:-1].isprintable()
    assert [run["name"] for run in answer("runs", "--store", store)["runs"]] == ["kuhn-1", "kuhn-2"]
    with Store.open(store, write=False) as runs:
        (problem,) = runs.faults()
        assert "cannot be part of a file's name" in problem.sentence and "doctor --repair" in problem.hint


ODD = [{"id": 0}, {"id": -5}, {"id": 2**62}, {"created": "x"}, {"created": float("inf")}, {"created": -1.0},
       {"created": None}, {"length": None}, {"length": 0}, {"length": "x"}, {"head": "x"}, {"head": None},
       {"sessions": -1}, {"sessions": 2.5}, {"ask": b"{}"}, {"ask": None}]  # fmt: skip


@pytest.mark.parametrize("columns", ODD, ids=str)
def test_an_entry_of_odd_values_is_set_aside(columns, store, fogspiel, answer):
    forge(store, **columns)
    assert [run["name"] for run in answer("runs", "--store", store)["runs"]] == ["kuhn-1", "kuhn-2"]
    with Store.open(store, write=True) as runs:
        assert len(runs.set_aside()) == 1 and runs.faults()
        assert runs.create({**KUHN, "game": "war"}).name == "war-1"
        runs.delete(["kuhn-1"])
        assert runs.names() == ["kuhn-2", "war-1"]
        with pytest.raises(StoreError, match="set aside"):
            runs.read("pig-1")


def test_repair_removes_what_is_set_aside_and_keeps_a_copy(store, fogspiel, answer):
    forge(store, name=VICTIM)
    assert "run number 2: its name" in (checks := fogspiel("doctor", "--store", store)).stdout
    assert checks.returncode == 2
    found = answer("doctor", "--repair", "--store", store)
    assert found["ok"] and any("run number 2 is lost" in line for line in found["repaired"])
    assert [run["name"] for run in answer("runs", "--store", store)["runs"]] == ["kuhn-1", "kuhn-2"]
    assert Path(f"{store}.backup-1").exists()


def test_a_run_is_not_created_under_a_name_that_could_not_be_read_again(store):
    with Store.open(store, write=True) as runs, pytest.raises(ValueError, match="cannot be part of a file's name"):
        runs.create({**KUHN, "game": "../kuhn"})


DEEP = "[" * 200_000
BARE = {"game": "kuhn", "method": "solve"}
REQUESTS = {
    "5": "not a JSON object", "null": "not a JSON object", "[]": "not a JSON object", "": "not JSON", "{": "not JSON",
    '{"method":"solve"}': "its game None", '{"game":"kuhn"}': "its method is None",
    '{"game":"kuhn","method":["x"]}': "its method is ['x']", '{"game":["kuhn"],"method":"solve"}': "its game ['kuhn']",
    '{"game":"../kuhn","method":"solve"}': "its game '../kuhn'", '{"game":"kuhn","method":"a\\u001b[2J"}': "its method",
    '{"game":"kuhn","game":"pig","method":"solve"}': "twice", '{"game":"kuhn","method":"solve","gap":NaN}': "finite",
    DEEP: "nested too deeply", '{"game":"kuhn","method":"solve","gap":' + DEEP + "}": "nested too deeply",
}  # fmt: skip


@pytest.mark.parametrize("request_text", REQUESTS, ids=lambda text: text[:40])
def test_a_run_whose_first_row_is_no_request_is_set_aside(request_text, store, fogspiel, answer, refused):
    forge(store, ask=request_text)
    outcome = fogspiel("runs", "--store", store)
    assert outcome.returncode == 0 and outcome.stderr.count("\n") == 1 and outcome.stderr[:-1].isprintable()
    assert f"run pig-1: its first row is not a request: {REQUESTS[request_text]}"[:-5] in outcome.stderr or (
        REQUESTS[request_text] in outcome.stderr
    )
    assert [run["name"] for run in answer("runs", "--store", store)["runs"]] == ["kuhn-1", "kuhn-2"]
    for command in ("export", "resume"):
        refused(command, "pig-1", "--store", store, because="set aside")
    with Store.open(store, write=True) as runs:
        assert "run number 2 is lost: it cannot be read as a run of fogspiel" in runs.repair()
        assert runs.names() == ["kuhn-1", "kuhn-2"] and runs.faults() == []


def test_a_request_without_its_details_does_not_keep_the_others_from_being_resumed(store, answer):
    forge(store, ask=canonical(BARE), name="kuhn-9")
    found = answer("resume", "--all", "--store", store)
    assert [one["run"] for one in found["resumed"]] == ["kuhn-1", "kuhn-2"]
    reason = "the request of run kuhn-9 cannot be read: `rules` is missing; delete the run"
    assert found["skipped"] == [{"run": "kuhn-9", "why": reason, "reason": reason}]


ROWS = [("step", "5"), ("step", "null"), ("step", DEEP), ("ask", "{}"), ("x", "{}"), ("step", b"{}")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row)[:20])
def test_a_row_that_no_fogspiel_writes_is_damage_that_repair_cuts_off(row, store, fogspiel, answer):
    with Store.open(store, write=True) as runs:
        runs.create({**KUHN, "game": "pig"}).append("step", {"games": 1})
    with closing(sqlite3.connect(store)) as raw, raw:
        (name, before) = raw.execute(
            "SELECT name, digest FROM runs JOIN rows ON run = id WHERE id = 4 AND number = 0"
        ).fetchone()
        head = link(before, name, 1, *row)
        raw.execute("UPDATE rows SET kind = ?, body = ?, digest = ? WHERE run = 4 AND number = 1", (*row, head))
        entry = [*raw.execute("SELECT * FROM runs WHERE id = 4").fetchone()[:-1]]
        entry[5] = head
        raw.execute("REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*entry, seal("runs", *entry)))
    assert answer("runs", "--store", store)["runs"][3]["state"] == "damaged"
    assert fogspiel("export", name, "--store", store).returncode == 2
    with Store.open(store, write=True) as runs:
        assert len(runs.faults()) == 1 and runs.repair() and runs.faults() == []
    assert answer("runs", "--store", store)["runs"][3]["steps"] == 0


@pytest.mark.parametrize("interval", [[None, "x"], [0.1], [0.1, 0.2, 0.3]])
def test_the_figures_of_a_list_are_figures(store, answer, fogspiel, interval):
    with Store.open(store, write=True) as runs:
        runs.create(KUHN).append("result", {"games": ["x"], "score": {"a": 1}, "interval": interval})
    assert fogspiel("runs", "--store", store).returncode == 0
    line = answer("runs", "--store", store)["runs"][3]
    assert (line["games"], line["score"], line["interval"]) == (None, None, None)


def test_the_page_lists_the_runs_that_are_not_set_aside(store):
    from fogspiel.web.run_reader import RunReader

    forge(store, ask="5")
    reader = RunReader(store)
    assert [line.name for line in reader.summaries()] == ["kuhn-2", "kuhn-1"]
    with pytest.raises(StoreError, match="set aside"):
        reader.follow("pig-1")


def three_rows(path):
    """A run of three rows beside those of the forger's store."""
    with Store.open(path, write=True) as runs:
        run = runs.create(KUHN)
        for number in range(2):
            run.append("step", {"number": number})
        run.close()
        return run.name


def raw_change(path, question, *values):
    Path(f"{path}-lock").unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(question, values)


def test_another_last_row_with_a_digest_that_fits_is_noticed(store):
    """The chain of the rows is whole; only the head in the catalogue tells that the last row is another."""
    name = three_rows(store)
    with closing(sqlite3.connect(store)) as raw:
        run, before = raw.execute("SELECT run, digest FROM rows WHERE number = 1").fetchone()
    body = canonical({"number": 7})
    question = "UPDATE rows SET body = ?, digest = ? WHERE run = ? AND number = 2"
    raw_change(store, question, body, link(before, name, 2, "step", body), run)
    with Store.open(store, write=False) as runs, pytest.raises(StoreError, match="not the one that was written last"):
        _ = runs.read(name).rows


def test_repair_reads_rows_in_their_order_and_keeps_the_last_by_the_head(store):
    """Rows lie backwards in the file, and the digest of the last is lost: the head of the catalogue proves it."""
    name = three_rows(store)
    with closing(sqlite3.connect(store)) as raw, raw:
        rows = raw.execute("SELECT * FROM rows ORDER BY run DESC, number DESC").fetchall()
        raw.execute("DELETE FROM rows")
        raw.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", rows)
    raw_change(store, "UPDATE rows SET digest = ? WHERE number = 2", b"0" * 16)
    with Store.open(store, write=True) as runs:
        runs.repair()
    with Store.open(store, write=False) as runs:
        assert [row.body for row in runs.read(name).rows[1:]] == [{"number": 0}, {"number": 1}]


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_no_row_holds_what_json_has_no_number_for(number):
    with pytest.raises(ValueError, match="JSON"):
        canonical({"score": number})


def test_a_run_without_a_session_yet_is_listed(store):
    forge(store, sessions=0)
    with Store.open(store, write=False) as runs:
        assert runs.names() == ["kuhn-1", "pig-1", "kuhn-2"]
        assert runs.summaries()[1].seen is None


@pytest.mark.parametrize("body", [b"bytes", None, 5], ids=repr)
def test_repair_cuts_a_run_before_a_row_that_holds_no_text(store, body):
    name = three_rows(store)
    raw_change(store, "UPDATE rows SET body = ? WHERE number = 2", body)
    with Store.open(store, write=True) as runs:
        assert any(f"{name} is cut back from 3 rows to 2" in line for line in runs.repair())
        assert runs.faults() == [] and len(runs.read(name).rows) == 2
