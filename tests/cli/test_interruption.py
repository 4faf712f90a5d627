"""An interruption is never lost, wherever it strikes."""

import signal
import subprocess
import sys
import time

import pytest
from support.commands import heed_interruption

from fogspiel import cli


def struck(module, name):
    """A frame that looks like one of that module and function."""
    scope = {"__name__": module, "frame": sys._getframe}
    exec(f"def {name}():\n    return frame()", scope)
    return scope[name]()


def test_an_interruption_stops_the_work_at_once():
    with pytest.raises(KeyboardInterrupt):
        cli._stop(signal.SIGINT, struck("fogspiel.tuning.arena", "race"))


def test_compilation_can_be_interrupted():
    with pytest.raises(KeyboardInterrupt):
        cli._stop(signal.SIGINT, struck("numba.core.compiler_lock", "_acquire_compile_lock"))


@pytest.mark.parametrize("module", ["fogspiel.core.compile.kernel", "numba.core.dispatcher", "numba.core.serialize"])
def test_an_interruption_where_numba_would_swallow_it_comes_a_moment_later(module):
    before = signal.signal(signal.SIGALRM, cli._stop)
    try:
        cli._stop(signal.SIGINT, struck(module, "asked"))
        with pytest.raises(KeyboardInterrupt):
            time.sleep(1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Doomed:
    """Is interrupted while it is thrown away."""

    def __del__(self):
        cli._stop(signal.SIGINT, sys._getframe())


def test_an_interruption_in_a_destructor_comes_a_moment_later(monkeypatch):
    before = signal.signal(signal.SIGALRM, cli._stop)
    monkeypatch.setattr(sys, "unraisablehook", cli._lost)
    try:
        Doomed()
        with pytest.raises(KeyboardInterrupt):
            time.sleep(1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(program):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, preexec_fn=heed_interruption
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_first_moments_ends_the_program_with_a_sentence(number):
    program = "import os, sys, time; sys.argv[0] = 'fogspiel'; import fogspiel; os.kill(os.getpid(), %d); time.sleep(9)"
    ended = run(program % number)
    assert (ended.returncode, ended.stderr) == (cli.INTERRUPTED, "interrupted before anything was begun\n")


ENDLESS = "hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"  # C code that hears no signal, as a compiled loop
PROGRAM = """
import hashlib, os, threading, time
from fogspiel import cli
cli.DEAFNESS = 0.05
cli._run = lambda: {work}
threading.Timer(0.05, os.kill, (os.getpid(), {number})).start()
cli.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("work", "told"), [(ENDLESS, "ended in compiled code that did not return"), ("time.sleep(9)", "")]
)
def test_a_signal_ends_work_that_never_returns_to_the_interpreter(number, work, told):
    program = PROGRAM.format(work=work, number=int(number))
    ended = run(program)
    assert ended.returncode == cli.INTERRUPTED
    assert told in ended.stderr and bool(told) == bool(ended.stderr)
