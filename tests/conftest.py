"""Every test keeps away from the user's own store; commands run in the process of the tests, which is faster."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from support.pages import ANSWERS

from fogspiel import cli
from fogspiel.core.compile import kernel
from fogspiel.core.find import forget_games
from fogspiel.core.plugins import PACKAGE

pytest_plugins = ["support.skips"]

# The tests start hundreds of processes, which would all compile the same modules.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

kernel.tell_compilation = lambda tell: None  # it depends on the cache, and is told in the midst of any test


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("FOGSPIEL_STORE", str(tmp_path / "runs.db"))


@pytest.fixture(autouse=True)
def _python_runs_small_kernels(request):
    """Keep the compiler off where a test is marked so; its thorough and slow cases compile."""
    small = request.node.get_closest_marker("interpreted") and not (
        request.node.get_closest_marker("thorough") or request.node.get_closest_marker("slow")
    )
    with kernel.interpreted() if small else nullcontext():
        yield


@pytest.fixture(autouse=True)
def _no_game_of_another_test():
    yield
    forget_games()


@pytest.fixture
def checkout():
    """The folder of another project's checkout, which the environment variable FOGSPIEL_CHECKOUT_NAME names."""

    def folder(name):
        path = os.environ.get(f"FOGSPIEL_CHECKOUT_{name}")
        if path is None:
            pytest.skip(f"FOGSPIEL_CHECKOUT_{name} names no checkout")
        return Path(path)

    return folder


@pytest.fixture
def fogspiel(monkeypatch, capsys):
    """Run the command line as `fogspiel WORDS` would, but for a process of its own."""

    def outcome(*words):
        monkeypatch.setattr(sys, "argv", ["fogspiel", *map(str, words)])
        capsys.readouterr()
        forget_games()
        taken = [getattr(signal, name) for name in cli.POLITE if hasattr(signal, name)]
        handlers, digits = [signal.getsignal(number) for number in taken], sys.get_int_max_str_digits()
        try:
            with pytest.raises(SystemExit) as end:
                cli.main()
        finally:
            for number, handler in zip(taken, handlers, strict=True):
                signal.signal(number, handler)
            sys.set_int_max_str_digits(digits)
        told = capsys.readouterr()
        return subprocess.CompletedProcess(words, end.value.code, told.out, told.err)

    return outcome


@pytest.fixture
def console():
    """Run the installed console script, whose path has neither the current folder nor the tests."""

    def outcome(*words):
        script = Path(sys.executable).with_name("fogspiel")
        return subprocess.run([script, *map(str, words)], input=ANSWERS, capture_output=True, text=True)

    return outcome


@pytest.fixture
def answer(fogspiel):
    """The JSON object a command prints, which must be all of its stdout."""

    def answered(*words):
        outcome = fogspiel(*words, "--json")
        assert outcome.returncode == 0, outcome.stderr
        assert outcome.stdout.count("\n") == 1
        return json.loads(outcome.stdout)

    return answered


@pytest.fixture
def refused(fogspiel):
    """A command that must be refused: one sentence on stderr with all these parts in it, exit code 2."""

    def refuse(*words, because=()):
        outcome = fogspiel(*words)
        assert outcome.returncode == 2, outcome.stderr
        assert "Traceback" not in outcome.stderr
        lines = outcome.stderr.strip().splitlines()
        assert len(lines) == 1 and len(lines[0]) < 600, lines
        for part in (because,) if isinstance(because, str) else because:
            assert part in lines[0]
        return outcome

    return refuse


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave slow tests out of a thorough run, also those of a file that is thorough as a whole."""
    wanted = config.option.markexpr
    if "thorough" in wanted and "not thorough" not in wanted and "slow" not in wanted:
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in set(slow)]


def pytest_ignore_collect(collection_path, config):
    """Leave out files of a level that is not asked for, as to import them takes longer than many tests do, and of a
    slice that the package does not have."""
    if collection_path.suffix != ".py":
        return None
    if missing_slices(collection_path.read_text("utf-8")):
        return True
    if "not thorough" not in config.option.markexpr:
        return None
    level = re.search(r"^pytestmark = pytest\.mark\.(slow|thorough)$", collection_path.read_text("utf-8"), re.MULTILINE)
    return True if level else None


def missing_slices(text):
    """Return the slices that a test file or its support files import when they are loaded and the package lacks."""
    found = {name for name in re.findall(r"^from fogspiel\.(\w+)[.\w]* import", text, re.MULTILINE) if is_missing(name)}
    for support in re.findall(r"^from support\.(\w+) import", text, re.MULTILINE):
        found |= missing_slices((Path(__file__).parent / "support" / f"{support}.py").read_text("utf-8"))
    return found


def is_missing(name):
    return not (PACKAGE / name).is_dir() and not (PACKAGE / f"{name}.py").is_file()


def pytest_runtest_setup(item):
    """Skip a test of a slice that the package does not have, and nothing else."""
    for mark in item.iter_markers("slice"):
        if is_missing(mark.args[0]):
            pytest.skip(f"the package has no {mark.args[0]}")
