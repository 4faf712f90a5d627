"""What the doctor looks at besides the store."""

import os
import re
import sqlite3
import tempfile
from importlib.metadata import requires

import pytest

from fogspiel.cli.commands import maintenance
from fogspiel.core.compile.cache import write_kernel


@pytest.fixture
def found(answer, fogspiel):
    """The checks of a doctor that is content, by what they look at."""
    return lambda: {check["what"]: check for check in answer("doctor")["checks"]}


def test_every_dependency_of_the_package_is_looked_at(found):
    needed = [
        re.match(r"[\w.-]+", requirement)[0] for requirement in requires("fogspiel") if "extra ==" not in requirement
    ]
    checks = found()
    assert len(needed) > 8 and set(needed) <= checks.keys()
    assert "dask" in checks["extra cluster"]["detail"] and "pytest" in checks["extra test"]["detail"]


def test_a_missing_dependency_is_a_problem_and_a_missing_extra_is_not(monkeypatch):
    monkeypatch.setattr(maintenance, "requires", lambda name: ["no-such-thing>=1", "nor-this; extra == 'more'"])
    missing, extra = list(maintenance._versions())[1:]
    assert (missing.what, missing.ok, missing.detail) == ("no-such-thing", False, "missing")
    assert (extra.what, extra.ok, extra.detail) == (
        "extra more",
        True,
        "nor-this missing",
    ) and "fogspiel[more]" in extra.hint


@pytest.mark.parametrize(("version", "told"), [((3, 51, 2), True), ((3, 51, 3), False), ((3, 53, 0), False)])
def test_an_old_sqlite_is_told_with_what_protects_the_store(monkeypatch, version, told):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    check = maintenance._sqlite()
    assert check.ok and bool(check.hint) == told
    assert not told or "lock of its own" in check.hint


def test_what_is_not_compiled_yet_is_named_with_the_command_that_does_it(monkeypatch, found):
    monkeypatch.setattr("fogspiel.core.compile.kernel.is_cold", lambda kernel: "solving" in kernel.__module__)
    check = found()["kernels"]
    assert check["ok"] and check["detail"].endswith("not compiled yet: solvers") and "fogspiel compile" in check["hint"]


def test_damaged_kernel_files_are_counted_and_removed(tmp_path, monkeypatch, fogspiel, found):
    cache = tmp_path / "cache"
    for name in "abc":
        write_kernel(cache / "folder" / f"{name}.kernel", b"code")
    for name in "ab":
        (cache / "folder" / f"{name}.kernel").write_bytes(b"")
    monkeypatch.setattr("fogspiel.core.compile.kernel.CACHE", cache)
    outcome = fogspiel("doctor", "--json")
    assert outcome.returncode == 2 and "damaged files removed: 2" in outcome.stdout
    assert "1 files" in found()["kernel cache"]["detail"]


def test_folders_that_were_left_behind_are_named(tmp_path, monkeypatch, found):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, used = tmp_path / "fogspiel-left", tmp_path / "fogspiel-used"
    for folder in (left, used):
        folder.mkdir()
    os.utime(left, (0, 0))
    check = found()["temporary folders"]
    assert check["detail"].startswith("1 unused") and str(left) in check["hint"] and str(used) not in check["hint"]
