"""The command line. Nothing heavy is imported before a command needs it, so `--help` answers at once."""

import os
import signal
import sys
from typing import NoReturn

import typer

from . import (  # noqa: F401 (each adds its commands to the application)
    bounds,
    catalogue,
    diagnose,
    explain,
    kriegspiel,
    kriegspiel_games,
    match,
    paper,
    runs,
    solve,
    tournament,
    upkeep,
)
from .app import INTERRUPTED, app, print_json


def _complain(sentence: str) -> NoReturn:
    """Say what was wrong, to people and to programs, and exit with 2."""
    if "--json" in sys.argv[1:]:
        print_json({"error": sentence})
    sys.stderr.write(f"fogspiel: {sentence}\n")
    raise SystemExit(2)


def _stop(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; bad input gets one sentence and exit code 2."""
    from ..store import StoreError

    signal.signal(signal.SIGTERM, _stop)
    try:
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
