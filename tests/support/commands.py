"""The command line as a process of its own, and what is documented of its answers."""

import signal
import sys
from pathlib import Path

COMMAND = [sys.executable, "-m", "fogspiel.cli"]
DOCUMENTED = (Path(__file__).parents[2] / "docs" / "json.md").read_text()


def heed_interruption():
    """Restore the default handler of SIGINT, as `preexec_fn` of a process: a suite in the background ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
