"""Closed and full streams, and interruptions from the first moment on, end in a sentence or in silence."""

import os
import signal
import subprocess
import sys
import time

import pytest
from rich.console import Console
from support.commands import COMMAND, heed_interruption

from fogspiel import cli
from fogspiel.cli import console

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the shell of POSIX systems")
FULL = "/dev/full"


@pytest.mark.skipif(not os.path.exists(FULL), reason="no device that is always full")
@pytest.mark.parametrize(
    "words", [("games",), ("games", "--json"), ("nothing", "--json"), ("--help",), ("show", "rps")]
)
def test_a_full_stdout_is_a_sentence(monkeypatch, capsys, words):
    handlers = {name: signal.getsignal(getattr(signal, name)) for name in cli.POLITE if hasattr(signal, name)}
    monkeypatch.setattr(console, "out", Console())  # one that could not write keeps what it could not
    with open(FULL, "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        monkeypatch.setattr(sys, "argv", ["fogspiel", *words])
        with pytest.raises(SystemExit) as end:
            cli.main()
    for name, handler in handlers.items():
        signal.signal(getattr(signal, name), handler)
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("compiling the rules")]
    assert end.value.code == 2 and len(lines) == 1 and lines[0].startswith("fogspiel: ")


def test_closed_streams_are_a_sentence_or_silence():
    line = " ".join(COMMAND)
    shells = {
        ">&-": (2, "stdout is closed"),
        ">&- 2>&-": (2, ""),
        "2>&-": (0, ""),
        "<&-": (0, ""),
    }
    started = {
        way: subprocess.Popen(
            ["sh", "-c", f"exec {line} values kuhn {way}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for way in shells
    }
    for way, process in started.items():
        _, err = process.communicate(timeout=120)
        code, sentence = shells[way]
        assert process.returncode == code and "Traceback" not in err, (way, err)
        assert sentence in err and len(err.splitlines()) == bool(sentence), (way, err)


PROGRAM = "import sys; sys.argv = ['fogspiel', 'games']; from fogspiel.cli import main; print(flush=True); main()"
BEFORE_US = 'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\nKeyboardInterrupt\n'
"""Where a busy machine has not come to our code yet."""
EARLIEST = "interrupted before anything was begun\n"
EARLY = "import sys; sys.argv = ['fogspiel']; print(flush=True); import fogspiel.cli; import time; time.sleep(60)"


@pytest.mark.parametrize("program", [PROGRAM, EARLY], ids=["commands", "package"])
def test_an_interruption_in_the_first_moments_leaves_no_traceback(program):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heed_interruption,
        )
        for _ in range(3)
    ]
    for number, process in enumerate(processes):
        process.stdout.readline()
        time.sleep(0.03 + 0.05 * number)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode in (130, -signal.SIGINT) and err in ("", BEFORE_US, EARLIEST), err


def test_a_closed_terminal_is_a_polite_kill(monkeypatch):
    heard = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        cli._stop(signal.SIGHUP, None)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]


def test_a_closed_terminal_stays_ignored_where_it_is():
    program = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); from fogspiel import cli; cli._take_signals(); "
        "assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN and signal.getsignal(signal.SIGTERM) == cli._stop"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_an_interruption_is_tried_again_where_there_is_no_timer(monkeypatch):
    monkeypatch.delattr(signal, "setitimer")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            cli._try_again()
            for _ in range(1000):
                time.sleep(0.005)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_long_sentence_and_what_a_terminal_would_obey_are_not_echoed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["fogspiel", "x"])
    with pytest.raises(SystemExit):
        cli._complain("\x1b[2J" + "x" * 10**6)
    told = capsys.readouterr().err
    assert len(told) < 5000 and "\x1b" not in told and told.startswith("fogspiel: ?[2J")
