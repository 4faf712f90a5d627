"""Hooks of every session: an unexpected skip fails where CI is set, and no garbage is sought among collected tests.

`tests/conftest.py` loads this plug-in; `.ci/run` sets CI. A module that is skipped whole fails the collection.
"""

import gc
import os

import pytest

ALLOWED = {
    "stockfish is not installed": "a package of the distribution, which has no mirror on some machines",
    "gnuchess is not installed": "likewise",
    "nevergrad is not installed": "a peer of the extra `peers`, with many packages of its own",
    "names no checkout": "files of other projects, which are not committed here",
    "a small file system can only be mounted by root": "containers without that privilege",
    "root may read everything": "containers in which everybody is root",
}
"""The skips that do not fail: the end of their sentence, and the reason."""


def refuse_unexpected(report):
    """Let a report of an unexpected skip fail."""
    if not report.skipped or hasattr(report, "wasxfail") or not os.environ.get("CI"):
        return
    *_, sentence = report.longrepr
    if not sentence.endswith(tuple(ALLOWED)):
        report.outcome = "failed"
        report.longrepr = f"{sentence}\nunexpected in CI: make it run, or allow the skip in tests/support/skips.py"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    refuse_unexpected(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    report = yield
    refuse_unexpected(report)
    return report


def pytest_collection():
    gc.disable()


def pytest_collection_finish():
    """Freeze the collected tests, which every full garbage collection would visit again."""
    gc.freeze()
    gc.enable()
