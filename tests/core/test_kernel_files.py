"""A damaged kernel cache: never a wrong result, never a crash, never silence."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from fogspiel.core.compile import cache
from fogspiel.core.compile.cache import DamageError, read_kernel, remove_damaged, write_kernel

BENCH = Path(__file__).parents[1] / "support" / "cache_bench.py"


def outcomes(folder, *harms):
    """How often processes ended in each way, by the harm done before and what they said."""
    environment = os.environ | {"FOGSPIEL_CACHE": str(folder / "cache")}
    bench = subprocess.run([sys.executable, str(BENCH), *harms], env=environment, capture_output=True, text=True)
    found = json.loads(bench.stdout)
    assert found[0] == found[-1] == ["", "right", ""], bench.stderr
    return Counter((harm, end, told.replace(str(folder), "").strip()) for harm, end, told in found[1:-1])


NOTICED = "fogspiel: the kernel cache /cache has a damaged file, so it is compiled again: `fogspiel doctor` checks all"


FULL = (
    "fogspiel: the kernel cache /cache cannot be written (File too large), so kernels compile at every start: "
    "make room there, or set FOGSPIEL_CACHE to another folder"
)
EVERY = {"flip": 200, "empty": 5, "truncate": 20, "zero": 5, "trap": 5, "folder": 5, "exchange": 5, "full": 5}


@pytest.mark.parametrize(
    "harms",
    [
        pytest.param({"flip": 1, "empty": 1, "full": 1}, marks=pytest.mark.thorough),
        pytest.param(EVERY, marks=pytest.mark.slow),
    ],
)
def test_damaged_files_are_noticed_and_compiled_again(tmp_path, harms):
    """Files that have changed places are whole, so they are compiled again without a word."""
    told = {"exchange": "", "full": FULL}
    expected = {(harm, "right", told.get(harm, NOTICED)): count for harm, count in harms.items()}
    assert outcomes(tmp_path, *(f"{harm}={count}" for harm, count in harms.items())) == expected


def test_what_is_read_is_what_was_written_or_damaged(tmp_path):
    file = tmp_path / "deep" / "a.kernel"
    write_kernel(file, b"code")
    assert bytes(read_kernel(file)) == b"code"
    whole = file.read_bytes()
    for bit in range(8 * len(whole)):
        harmed = bytearray(whole)
        harmed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(harmed)
        with pytest.raises(DamageError):
            read_kernel(file)
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with pytest.raises(DamageError):
            read_kernel(file)


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    file = tmp_path / "a.kernel"
    write_kernel(file, b"old")

    def refuse(*paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        write_kernel(file, b"new")
    assert bytes(read_kernel(file)) == b"old" and list(tmp_path.iterdir()) == [file]


def test_damaged_and_unfinished_files_are_removed_and_others_kept(tmp_path):
    whole, damaged, folder = (tmp_path / "one" / f"{name}.kernel" for name in ("whole", "damaged", "folder"))
    write_kernel(whole, b"code")
    damaged.write_bytes(b"code")
    folder.mkdir()
    old, young = (tmp_path / f"a.kernel.{number}{cache.UNFINISHED}" for number in (1, 2))
    for file in (old, young):
        file.touch()
    os.utime(old, (0, time.time() - 2 * cache.UNFINISHED_SECONDS))
    assert set(remove_damaged(tmp_path)) == {damaged, folder, old}
    assert {path for path in tmp_path.rglob("*") if path.parent != tmp_path or path.is_file()} == {whole, young}


def test_nothing_is_said_where_there_is_no_stderr(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", None)
    cache.warn("this must not reach stdout")
    assert capsys.readouterr().out == ""
