"""A chess engine that speaks UCI in a process of its own."""

from collections.abc import Sequence

from ...core.process_guard import Guard
from ...core.program_process import ProgramProcess


class UciEngine(ProgramProcess):
    """A chess engine in a process of its own, which has said who it is and what options it has."""

    what, language = "chess engine", "UCI"

    def __init__(self, command: str | Sequence[str], patience: float = 10.0, guard: Guard | None = None):
        super().__init__(command, patience, guard)
        self.say("uci")
        # The lines in which it says who it is and what options it has.
        self.handshake = [line for line in self.answer("uci", "uciok") if line.startswith(("id ", "option "))]

    def ready(self) -> None:
        """Wait until the engine has done what it was told."""
        self.say("isready")
        for _ in self.answer("isready", "readyok"):
            pass
