"""The command line. Nothing heavy is imported before a command needs it, so `--help` answers at once."""

import os
import signal
import sys
from pathlib import Path
from traceback import walk_stack
from types import FrameType
from typing import NoReturn

import typer

from ..core import plugins
from .app import INTERRUPTED, app, print_json

MOMENT = 0.005
"""Seconds until an interruption is tried again."""
DEAF = ("numba.", "fogspiel.core.kernel.")
"""What Numba's C code asks when a kernel is called: it takes an exception there for an answer."""
COMPILING = "numba.core.compiler_lock."
"""Around the long work of Numba, which should not hold up an interruption."""
WAITING = "fogspiel.core.compile_lock."
"""Where a process waits for another one that compiles, as long as it is asked for nothing else."""


OPTION = "--plugins"


def load_commands(words: list[str]) -> None:
    """Load all commands, those of the plug-in folders too that are named before the command."""
    before = iter(words)
    for word in before:
        option, equals, folder = word.partition("=")
        if option == OPTION:
            plugins.use(Path(folder if equals else next(before, "")))
        elif not word.startswith("-"):
            break
    for _ in plugins.modules("cli.commands"):
        pass


def _complain(sentence: str) -> NoReturn:
    """Say what was wrong, to people and to programs, and exit with 2."""
    if "--json" in sys.argv[1:]:
        print_json({"error": sentence})
    sys.stderr.write(f"fogspiel: {sentence}\n")
    raise SystemExit(2)


def _stop(number: int, frame: FrameType | None) -> None:
    """Interrupt the work, or try again in a moment if the exception would be lost."""
    modules = [f"{asking.f_globals.get('__name__')}." for asking, _ in walk_stack(frame)]
    if COMPILING not in modules and modules[0] != WAITING and any(module.startswith(DEAF) for module in modules):
        signal.setitimer(signal.ITIMER_REAL, MOMENT)
        return
    raise KeyboardInterrupt


def _lost(what: "sys.UnraisableHookArgs") -> None:
    """Try an interruption again that struck where it cannot be caught: a destructor, or a callback of an import."""
    if issubclass(what.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, MOMENT)
    else:
        sys.__unraisablehook__(what)


def _take_signals() -> None:
    """Let Ctrl-C and a polite kill end the work in the same way; an ignored Ctrl-C stays ignored."""
    sys.unraisablehook = _lost
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGINT):
        if number != signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)


def main() -> None:
    """Run the command line; bad input gets one sentence and exit code 2."""
    from ..runs.sqlite_file import StoreError

    _take_signals()
    try:
        load_commands(sys.argv[1:])
        code = typer.main.get_command(app)(standalone_mode=False)
        sys.stdout.flush()
    except (ValueError, StoreError) as error:
        _complain(str(error))
    except (KeyboardInterrupt, typer.Abort):
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except Exception as error:
        if hasattr(error, "format_message"):
            _complain(error.format_message())
        raise
    raise SystemExit(code if isinstance(code, int) else 0)
