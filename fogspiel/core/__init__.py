"""Shared parts: games, agents, sessions, plug-ins, and the errors that a caller may catch."""


class FogspielError(ValueError):
    """Base class of the errors that callers may catch; the message has the form `problem: remedy`."""


class NotFound(FogspielError):
    """Unknown name of a game, agent, method, file or run."""


class BadInput(FogspielError):
    """Invalid argument, file or combination of options."""


class TooLarge(FogspielError):
    """Game that exceeds its memory limit."""


class Damaged(FogspielError):
    """File or store whose content has changed since it was written."""
