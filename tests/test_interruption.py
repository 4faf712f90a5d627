"""An interruption is never lost, wherever it strikes."""

import signal
import sys
import time

import pytest

from fogspiel import cli


def struck(module, name):
    """A frame that looks like one of that module and function."""
    scope = {"__name__": module, "frame": sys._getframe}
    exec(f"def {name}():\n    return frame()", scope)
    return scope[name]()


def test_an_interruption_stops_the_work_at_once():
    with pytest.raises(KeyboardInterrupt):
        cli._stop(signal.SIGINT, struck("fogspiel.arena", "race"))


@pytest.mark.parametrize(("module", "name"), sorted(cli.DEAF))
def test_an_interruption_where_numba_would_swallow_it_comes_a_moment_later(module, name):
    before = signal.signal(signal.SIGALRM, cli._stop)
    try:
        cli._stop(signal.SIGINT, struck(module, name))
        with pytest.raises(KeyboardInterrupt):
            time.sleep(1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
