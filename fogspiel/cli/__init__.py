"""Command line. Heavy modules are imported only when a command needs them, so `--help` is fast.

Signal handlers are installed before any of these imports: Ctrl-C in the first moments ends the program as it does
later.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import NoReturn

from ..core import plugins

INTERRUPTED = 130
MOMENT = 0.005  # seconds until an interruption is retried
DEAFNESS = 10.0  # seconds after which a process is ended whose compiled code does not hear an interruption
# Modules that Numba's C code calls when a kernel is called: it mistakes an exception there for a result.
DEAF = ("numba.", "fogspiel.core.compile.kernel.")
COMPILING = "numba.core.compiler_lock."  # around the long work of Numba, which should not delay an interruption
# Signals that end the work, where the system has them; the alarm is our own retry.
POLITE = ("SIGTERM", "SIGINT", "SIGALRM", "SIGHUP", "SIGBREAK")
MAX_SHOWN = 4000  # characters of an error message; a longer one quotes user input

OPTION = "--plugins"
COMPLETION = "_FOGSPIEL_COMPLETE"  # environment variable by which a shell requests completions
_interrupted = threading.Event()  # set once the work was interrupted


def load_commands(words: list[str]) -> None:
    """Load the named command, or all if there is none of that name; use the plug-in folders named before it."""
    before, command = iter(words), ""
    for word in before:
        option, equals, folder = word.partition("=")
        if option == OPTION:
            plugins.use(Path(folder if equals else next(before, "")))
        elif not word.startswith("-"):
            command = word
            break
    from .app import FORMER_COMMANDS, arrange_help, has_command

    command = FORMER_COMMANDS.get(command, command)
    for source in _likely_modules(command, next(before, "")):
        plugins.load(source)
    if not has_command(command):
        for _ in plugins.modules("cli.commands"):
            pass
    arrange_help()


def _likely_modules(command: str, below: str) -> Iterator[plugins.Source]:
    """Yield the modules whose files contain a command's name, and for a group those of its subcommand."""
    texts = {}
    for source in plugins.sources("cli.commands").values():
        files = [source.path.with_suffix(".py"), source.path / "__init__.py"]
        texts[source] = "".join(path.read_text(encoding="utf-8", errors="replace") for path in files if path.is_file())
    for source, text in texts.items():
        if f'"{command}"' in text or f'command("{command} ' in text:  # the latter is for one game of a slice
            yield source
            if f'name="{command}"' in text:  # a group, whose commands may be in other files of its package
                package = source.module.rpartition(".")[0]
                for other, inside in texts.items():
                    if other.module.rpartition(".")[0] == package and (
                        f'"{below}"' in inside or below[:1] in ("", "-")
                    ):
                        yield other


def _complain(sentence: str) -> NoReturn:
    """Report an error to people and to programs, and exit with 2."""
    if COMPLETION in os.environ:  # a shell requests names: nobody reads the message
        raise SystemExit(2)
    half = MAX_SHOWN // 2
    told = sentence if len(sentence) <= MAX_SHOWN else f"{sentence[:half]} .. {sentence[-half:]}"
    told = "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in told)
    if "--json" in sys.argv[1:]:
        import json

        try:
            sys.stdout.write(json.dumps({"error": told}) + "\n")
            sys.stdout.flush()
        except OSError:
            _give_up_stdout()
    warn(f"fogspiel: {told}")
    raise SystemExit(2)


# The three standard streams, in any state: closed, full, or with a narrow encoding.


def _prepare_streams() -> bool:
    """Make all three streams usable, and return whether there was a stdout.

    A closed descriptor goes to the null device. Otherwise the next file that is opened, such as a store, would get its
    number, and output for stderr would be written there. Characters that a stream cannot encode are escaped.
    """
    shown = sys.stdout is not None
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
    return shown


def _give_up_stdout() -> None:
    """Discard the remaining output, so that Python does not try again and complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(sentence: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()


# Signals.


def _stop(number: int, frame: FrameType | None) -> None:
    """Interrupt the work, or retry in a moment if the exception would be lost."""
    if number == getattr(signal, "SIGHUP", None):
        signal.raise_signal(signal.SIGTERM)  # handlers with another shutdown, such as the web server's, use it
        return
    modules = []
    asking = frame
    while asking is not None:
        modules.append(f"{asking.f_globals.get('__name__')}.")
        asking = asking.f_back
    deaf = any(module.startswith(DEAF) for module in modules)
    if deaf and COMPILING not in modules:
        _try_again()
        return
    _interrupted.set()
    raise KeyboardInterrupt


def _try_again() -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, MOMENT)
    else:
        again = threading.Timer(MOMENT, signal.raise_signal, (signal.SIGINT,))
        again.daemon = True
        again.start()


def _lost(what: "sys.UnraisableHookArgs") -> None:
    """Retry an interruption that struck where it cannot be caught: a destructor, or a callback of an import.

    Objects that an interruption left unfinished may fail again when destroyed; those errors are not reported.
    """
    if issubclass(what.exc_type, KeyboardInterrupt):
        _try_again()
    elif not _interrupted.is_set():
        sys.__unraisablehook__(what)


def _end_endless_work(signals: int) -> None:
    """Read the numbers of arriving signals; end the process if one that interrupts it has no effect.

    Python runs `_stop` between its own instructions only, so never while a rule of the user's loops for ever.
    """
    while arrived := os.read(signals, 1):
        if signal.getsignal(arrived[0]) is _stop and not _interrupted.wait(DEAFNESS):
            warn(
                f"fogspiel: ended in compiled code that did not return for {DEAFNESS:g} s: `fogspiel check` finds loops"
                " of a game that do not end"
            )
            os._exit(INTERRUPTED)


@cache
def _watch_signals() -> None:
    """Start the thread that hears of every signal; one of a process."""
    signals, arrival = os.pipe()
    os.set_blocking(arrival, False)
    signal.set_wakeup_fd(arrival, warn_on_full_buffer=False)
    threading.Thread(target=_end_endless_work, args=(signals,), daemon=True).start()


def _take_signals() -> None:
    """Let Ctrl-C, SIGTERM and a closed terminal end the work in the same manner; ignored signals stay ignored."""
    sys.unraisablehook = _lost
    if hasattr(signal, "setitimer"):  # other systems tell the arrival of signals to sockets only
        _watch_signals()
    for name in POLITE:
        number = getattr(signal, name, None)
        if number is not None and (signal.getsignal(number) != signal.SIG_IGN or name in ("SIGTERM", "SIGALRM")):
            signal.signal(number, _stop)


def main() -> None:
    """Run the command line; invalid input gets one error message and exit code 2."""
    try:
        _take_signals()
        code = _run()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    raise SystemExit(code)


def _run() -> int:
    if not _prepare_streams():
        _complain("stdout is closed, so there is nowhere to write the answer to: leave it open, or use /dev/null")
    import typer

    from ..runs.store import StoreError
    from .app import app

    try:
        load_commands(sys.argv[1:])
        code = typer.main.get_command(app)(standalone_mode=False)
        sys.stdout.flush()
    except (ValueError, StoreError) as error:
        _complain(str(error))
    except typer.Abort:
        raise KeyboardInterrupt from None
    except BrokenPipeError:
        _give_up_stdout()
        return 1
    except OSError as error:
        _give_up_stdout()
        what = f"{error.filename} cannot be used" if error.filename else "the answer cannot be written"
        _complain(f"{what}: {error.strerror or error}")
    except Exception as error:
        _complain_of_user_code(error)
        if not hasattr(error, "format_message"):
            raise
        if wrong := error.format_message():
            _complain(wrong)  # else a command without arguments has printed its usage
        code = 0
    return code if isinstance(code, int) else 0


def _complain_of_user_code(error: Exception) -> None:
    """Report an error that arose in a file of the user's, or in its compilation; return for any other."""
    from ..core.user_code import place_of

    if place := place_of(error):
        told, change = f"{type(error).__name__}: {error}", "correct this line"
        if hasattr(error, "loc"):
            from ..solving.contract import compiler_words

            _, told, change = compiler_words(error)
        _complain(f"{place}: {told}: {change}")
