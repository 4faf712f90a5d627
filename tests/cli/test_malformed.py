"""Whatever is typed, the answer is a sentence and an exit code: never a traceback."""

import io
import signal
import sys

import pytest
import typer
from support.malformed import malformed

from fogspiel import cli, list_games
from fogspiel.cli.app import app
from fogspiel.core import plugins

SEED = 18
SECONDS = 10
"""What works for longer is interrupted, which must end as quietly."""
FILES = {
    "x.json": '{"game": "kuhn", "rows": [{"id": 3}]}',
    "x.csv": "player,state,action,probability\n3,x,y,z\n",
    "x.jsonl": "{}\n[",
    "x.efg": 'EFG 2 R "x" { "a" "b" }\np ""',
    "x.nfg": "NFG 1 R",
    "x.py": "GAMES = 3\n",
}


def ring(number, frame):
    raise KeyboardInterrupt


def faults(lines, monkeypatch, capsys, tmp_path):
    """The command lines that ended in another way than with an exit code and at most a short sentence."""
    monkeypatch.chdir(tmp_path)
    list_games()  # an import that is interrupted cannot be repeated in the same process
    cli.load_commands([])
    built = typer.main.get_command(app)  # once, for it takes most of the time of a wrong command
    monkeypatch.setattr(typer.main, "get_command", lambda asked: built)
    monkeypatch.setattr(cli, "_take_signals", lambda: signal.signal(signal.SIGALRM, ring))
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr("socket.socket.listen", lambda *given: (_ for _ in ()).throw(OSError("no page is served")))
    found, before = [], signal.getsignal(signal.SIGALRM)
    try:
        for line in lines:
            monkeypatch.delenv(plugins.VARIABLE, raising=False)  # a folder stays in use for all that a process starts
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


def test_sixty_wrong_command_lines_are_answered_in_a_sentence(monkeypatch, capsys, tmp_path):
    assert faults(malformed(SEED, 60), monkeypatch, capsys, tmp_path) == []


@pytest.mark.slow
def test_ten_thousand_wrong_command_lines_are_answered_in_a_sentence(monkeypatch, capsys, tmp_path):
    assert faults(malformed(SEED + 1, 10_000), monkeypatch, capsys, tmp_path) == []
