"""Shared parts: games, agents, sessions, plug-ins, and the errors that a caller may catch."""


class FogspielError(ValueError):
    """A call that cannot be answered: one sentence that says what is wrong and what would be right."""


class NotFound(FogspielError):
    """There is no game, agent, method, file or run of this name."""


class BadInput(FogspielError):
    """An argument, a file or a combination of options is wrong."""


class TooLarge(FogspielError):
    """A game does not fit into the memory that it was given."""


class Damaged(FogspielError):
    """A file or a store is not what was written."""
