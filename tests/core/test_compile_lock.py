"""Compiling in turn: what is in the cache is not waited for, and who waits says for whom."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from fogspiel import cli
from fogspiel.core.byte_locks import lock_bytes
from fogspiel.core.compile import lock

PROGRAM = """
import sys
from fogspiel.core import compile_lock
compile_lock.SILENT_SECONDS = 0.1
compile_lock.compile_in_turn()
sys.path.insert(0, sys.argv[1])
from doubling import double
print(double(21))
"""
SOURCE = "from fogspiel.core.compile.kernel import kernel\n\n@kernel\ndef double(number):\n    return 2 * number\n"


def begin(folder):
    """A process that needs a kernel."""
    (folder / "doubling.py").write_text(SOURCE)
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)],
        env=os.environ | {"FOGSPIEL_CACHE": str(folder / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def locked(folder, text):
    """Compile for ever, as this process."""
    (folder / "cache").mkdir(exist_ok=True)
    descriptor = os.open(folder / "cache" / "compiling.lock", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    os.write(descriptor, text.encode())
    try:
        assert lock_bytes(descriptor, 0, 1 << 21)
        yield
    finally:
        os.close(descriptor)


def test_who_waits_says_for_whom_and_what_is_cached_is_not_waited_for(tmp_path):
    with locked(tmp_path, "4711 4711"):
        waiting = begin(tmp_path)
        assert waiting.stderr.readline() == "fogspiel: waiting for process 4711, which is compiling kernels\n"
        assert waiting.poll() is None
    assert waiting.communicate(timeout=60) == ("42\n", "")
    with locked(tmp_path, "4711 4711"):
        assert begin(tmp_path).communicate(timeout=60) == ("42\n", "")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("4711 4711", "fogspiel: waiting for process 4711, which is compiling kernels\n"),
        ("", "fogspiel: waiting for another fogspiel process, which is compiling kernels\n"),
        ("4711 4710", ""),
    ],
)
def test_workers_of_one_command_wait_for_each_other_without_a_word(tmp_path, monkeypatch, capsys, text, told):
    answers = [False, False, False, True]
    monkeypatch.setattr(lock, "lock_bytes", lambda descriptor, place: answers.pop(0))
    monkeypatch.setattr(lock, "SILENT_SECONDS", -1)
    (tmp_path / "lock").write_text(text)
    with lock.alone(tmp_path / "lock", 4710):
        assert capsys.readouterr().err == told
        assert (tmp_path / "lock").read_text() == f"{os.getpid()} 4710"


def test_a_lock_that_cannot_be_had_because_of_the_disk_is_done_without(tmp_path):
    with lock.alone(tmp_path, 1):
        pass


def test_waiting_can_be_interrupted():
    """The frame of whoever waits, asked for by Numba."""
    scope = {"__name__": "fogspiel.core.compile.lock", "frame": sys._getframe}
    exec("def wait():\n    return frame()", scope)
    asking = {"__name__": "numba.core.dispatcher", "wait": scope["wait"], "stop": cli._stop, "number": signal.SIGINT}
    exec("def compile():\n    stop(number, wait())", asking)
    with pytest.raises(KeyboardInterrupt):
        asking["compile"]()
