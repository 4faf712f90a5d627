"""Words and numbers that are refused while they are read: before a command imports what takes longer than the refusal.

The rules are those of the rooms that use them later; these functions only ask sooner.
"""

import typer


def check_game(words: str | None) -> str | None:
    """Words for a game."""
    from ..core.game_names import check_game_spec

    if words is not None:
        check_game_spec(words)
    return words


def check_engine(words: str | None) -> str | None:
    """The name of a Kriegspiel engine, perhaps with its effort."""
    from ..kriegspiel import engine

    if words is not None:
        engine.check_engine(words)
    return words


def check_engine_option(ctx: typer.Context, words: str | None) -> str | None:
    """The same in an option, unless a shell completes it."""
    return words if ctx.resilient_parsing else check_engine(words)


def check_method(name: str) -> str:
    """The name of a tuning method."""
    from ..tuning.methods import find_tune_method

    find_tune_method(name)
    return name


def check_route(name: str) -> str:
    """The name of a route to a solution."""
    from ..solving.methods import AUTO, find_solve_method

    return name if name == AUTO else find_solve_method(name).name


def check_paper(name: str) -> str:
    """The name of a part of a paper."""
    from ..papers.catalogue import find_part

    return find_part(name).name


def check_seed(seed: int | None) -> int | None:
    """A seed."""
    from ..runs import checks

    if seed is not None:
        checks.check_seed(seed)
    return seed
