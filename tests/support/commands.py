"""The command line as a process of its own, and what is documented of its answers."""

import re
import signal
import sys
from pathlib import Path

COMMAND = [sys.executable, "-m", "fogspiel.cli"]
DOCUMENTED = (Path(__file__).parents[2] / "docs" / "json.md").read_text()


def heed_interruption():
    """Restore the default handler of SIGINT, as `preexec_fn` of a process: a suite in the background ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def documented_keys(command):
    """The words in code marks of the section of a command in docs/json.md, and those of renamed keys."""
    sections = (part for part in DOCUMENTED.split("\n### ") if part.startswith(f"`{command}"))
    renamed = DOCUMENTED.partition("Keys that were renamed")[2].partition("\n\n")[0]
    return set(re.findall(r"`(\w+)`", next(sections) + renamed))
