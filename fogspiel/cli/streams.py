"""The three standard streams, whatever the shell made of them: closed, full, or of a narrow encoding."""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper

NAMES = ("stdin", "stdout", "stderr")


def prepare() -> bool:
    """Make all three streams usable, and tell whether there was a stdout.

    A descriptor that is closed goes to the null device, for else the next file that is opened would get it, a store for
    example, and what is meant for stderr would be written there. Letters that a stream cannot show are spelled out.
    """
    shown = sys.stdout is not None
    for number, name in enumerate(NAMES):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free, which is this one
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
    return shown


def give_up_stdout() -> None:
    """Let what is still to be printed go nowhere, so that Python does not try again and complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_if_possible(line: str) -> None:
    """Write a line to stdout and give it up if that is not possible."""
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except OSError:
        give_up_stdout()


def warn(sentence: str) -> None:
    """Write a line to stderr, if that is possible."""
    with suppress(OSError):
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
