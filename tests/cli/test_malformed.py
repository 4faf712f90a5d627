"""Whatever is typed, the answer is a sentence and an exit code: never a traceback."""

import io
import signal
import sys

import pytest
import typer
from support.malformed import malformed

from fogspiel import cli
from fogspiel.cli.app import app

SEED = 18
SECONDS = 20
"""No wrong command line may keep anybody waiting for longer."""


class Endless(BaseException):
    """A command does not end."""


def ring(number, frame):
    raise Endless


def faults(lines, monkeypatch, capsys, tmp_path):
    """The command lines that ended in another way than with an exit code and at most a short sentence."""
    monkeypatch.chdir(tmp_path)
    cli.load_commands([])
    built = typer.main.get_command(app)  # once, for it takes most of the time of a wrong command
    monkeypatch.setattr(typer.main, "get_command", lambda asked: built)
    monkeypatch.setattr(cli, "_take_signals", lambda: signal.signal(signal.SIGALRM, ring))
    monkeypatch.setattr("socket.socket.listen", lambda *given: (_ for _ in ()).throw(OSError("no page is served")))
    found, before = [], signal.getsignal(signal.SIGALRM)
    try:
        for line in lines:
            monkeypatch.setattr(sys, "argv", ["fogspiel", *line])
            monkeypatch.setattr(sys, "stdin", io.StringIO())
            signal.alarm(SECONDS)
            try:
                cli.main()
            except SystemExit as end:
                told = capsys.readouterr()
                if end.code not in (0, 1, 2, 130) or "Traceback" in told.err or len(told.err) > 10_000:
                    found.append((line, end.code, told.err[-300:]))
            except BaseException as error:
                found.append((line, repr(error)[:300]))
            finally:
                signal.alarm(0)
    finally:
        signal.signal(signal.SIGALRM, before)
    return found


def test_a_hundred_wrong_command_lines_are_answered_in_a_sentence(monkeypatch, capsys, tmp_path):
    assert faults(malformed(SEED, 100), monkeypatch, capsys, tmp_path) == []


@pytest.mark.slow
def test_ten_thousand_wrong_command_lines_are_answered_in_a_sentence(monkeypatch, capsys, tmp_path):
    assert faults(malformed(SEED + 1, 10_000), monkeypatch, capsys, tmp_path) == []
