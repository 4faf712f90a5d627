"""The command line as a process of its own, and what is documented of its answers."""

import sys
from pathlib import Path

COMMAND = [sys.executable, "-m", "fogspiel.cli"]
DOCUMENTED = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
