"""Which cases of a test everybody runs, where all would take long: the others are left to thorough or slow tests."""

import pytest

from fogspiel.core.game import list_games


def default_cases(kept, cases, others="thorough"):
    """All cases of a test; those that are not kept have the mark of the others."""
    kept = list(kept)
    assert all(case in cases for case in kept), "a case that is kept is none of the test"
    return [case if case in kept else pytest.param(case, marks=getattr(pytest.mark, others)) for case in cases]


def one_of_each_family(cases, others="thorough"):
    """Games or their names, of which only the first of a family, the plainest one, is kept."""
    known = list_games() | {case.name: case for case in cases if not isinstance(case, str)}
    named = {case if isinstance(case, str) else case.name: case for case in cases}
    first = {known[name].family: name for name in reversed(known) if name in named}
    return default_cases([named[name] for name in first.values()], cases, others)
