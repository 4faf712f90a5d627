"""The kernel cache: kept between processes and places, never stale."""

import ast
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fogspiel
from fogspiel.core.compile.cache import (
    COMMENT,
    IMPORT,
    KeylessError,
    _content,
    describe,
    digest_of,
    imports_of,
    read_kernel,
)
from fogspiel.core.compile.kernel import config, inlined, is_cold, kernel, need_no_compiler
from fogspiel.process.heartbeat import BEGUN, GOES_ON, beat, run_job

PACKAGE = Path(fogspiel.__file__).parent

PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from fogspiel.core.compile.kernel import watch_compilation
compiled = []
with watch_compilation(lambda: compiled.append(1)):
    {call}
print(found, len(compiled))
"""
SPLIT = "from fogspiel.core.rng import split; found = int(split(np.uint64(1), 2))"


def begin(folder, cache, call=SPLIT):
    """A process that imports the package, or what is beside it, from `folder`."""
    environment = os.environ | {"FOGSPIEL_CACHE": str(cache)}
    command = [sys.executable, "-c", PROBE.format(call=call), str(folder)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def answer(folder, cache, call=SPLIT):
    """What a process finds, and how many kernels it has compiled."""
    told, _ = begin(folder, cache, call).communicate(timeout=120)
    return tuple(map(int, told.split()))


@pytest.fixture
def copy(tmp_path):
    """A copy of the package in which `split` calls a kernel, `mixed`, of another file."""
    core = tmp_path / "first" / "fogspiel" / "core"
    shutil.copytree(PACKAGE, core.parent, ignore=shutil.ignore_patterns("__pycache__"))
    text = (core / "rng.py").read_text()
    start = text.index("@inlined\ndef mixed(z):")
    end = text.index("@inlined\ndef split(")
    constants = text[text.index("GOLDEN =") : start]
    (core / "finaliser.py").write_text(
        f"import numpy as np\nfrom .compile.kernel import inlined\n{constants}\n{text[start:end]}"
    )
    (core / "rng.py").write_text(text[:start] + "from .finaliser import mixed\n\n\n" + text[end:])
    return core


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("before", "after"),
    [("return z ^ (z >> S31)", "return z ^ (z >> S30)"), ("MIX_2 = np.uint64(0x9", "MIX_2 = np.uint64(0x8")],
)
def test_an_edit_of_a_kernel_or_a_constant_in_another_file_is_noticed(copy, tmp_path, before, after):
    found, compiled = answer(copy.parents[1], tmp_path / "cache")
    assert compiled and answer(copy.parents[1], tmp_path / "cache") == (found, 0)
    edited = (copy / "finaliser.py").read_text().replace(before, after)
    assert after in edited
    (copy / "finaliser.py").write_text(edited)
    other, compiled_again = answer(copy.parents[1], tmp_path / "cache")
    assert other != found and compiled_again == compiled


def test_another_path_comments_docstrings_and_shell_code_compile_nothing_again(copy, tmp_path):
    found, compiled = answer(copy.parents[1], tmp_path / "cache")
    assert compiled
    other = tmp_path / "second" / "fogspiel"
    shutil.copytree(copy.parent, other)
    for file in (other / "core").rglob("*.py"):
        file.write_text(f"# A comment.\n{file.read_text()}\nOWN = 1\n")
    finaliser = other / "core" / "finaliser.py"
    finaliser.write_text(
        re.sub('def mixed.*\n    """[^"]*"""', 'def mixed(z):\n    """Other words."""', finaliser.read_text())
    )
    assert "Other words" in finaliser.read_text()
    assert answer(other.parent, tmp_path / "cache") == (found, 0)


@pytest.mark.thorough
def test_two_processes_may_compile_the_same_at_the_same_time(tmp_path):
    processes = [begin(PACKAGE.parent, tmp_path) for _ in range(3)]
    found = {process.communicate(timeout=120)[0].split()[0] for process in processes}
    assert len(found) == 1 and answer(PACKAGE.parent, tmp_path) == (int(found.pop()), 0)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files and all(read_kernel(file) for file in files)


MOVED = """
from typing import NamedTuple
from fogspiel.core.compile.kernel import kernel

class Pair(NamedTuple):
    {fields}

@kernel
def one_more(number):
    return number + 1

@kernel
def low_of(pair):
    return pair.low

@kernel
def turned(pair):
    return Pair(one_more(pair.low), pair.high)
"""
FIELDS = "low: int", "high: int"


def turn(folder, name, fields):
    """Call a kernel of a module that takes and makes named tuples."""
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)  # it cannot tell files of one second and size apart
    (folder / f"{name}.py").write_text(MOVED.format(fields="; ".join(fields)))
    make = f"from {name} import Pair, low_of, one_more, turned; pair = Pair(low=3, high=5); made = turned(pair); "
    number = "1000 * low_of(pair) + one_more(99) + 10 * made.low + made.high"
    return answer(folder, folder / "cache", f"{make}assert type(made) is Pair; found = {number}")


@pytest.mark.thorough
def test_a_module_may_be_renamed_and_its_named_tuples_get_other_fields(tmp_path):
    """Numba prints tuples alike whose fields have other names; what makes one imports its class, by its module."""
    assert turn(tmp_path, "earlier", FIELDS) == (3145, 3)
    assert turn(tmp_path, "earlier", FIELDS) == (3145, 0)
    (tmp_path / "earlier.py").unlink()
    assert turn(tmp_path, "later", FIELDS) == (3145, 2)
    assert turn(tmp_path, "later", FIELDS[::-1]) == (3154, 2)
    assert turn(tmp_path, "later", FIELDS) == (3145, 0)


def function(text, **names):
    """The function f of a text, with these globals."""
    exec(text, names)
    return names["f"]


SHARED = type(sys)("shared")
SHARED.step, SHARED.OTHER = function("def f(x): return x + 1"), 1
ALIKE = [
    ("def f(x): return x + A", {"A": 1}, "\n# A comment.\ndef f(x):\n    return x + A", {"A": 1, "B": 2}),
    ("def f(x):\n    'A'\n    return x", {}, "def f(x):\n    'B'\n    return x", {}),
    ("def f(x): return A[x]", {"A": np.arange(3)}, "def f(x): return A[x]", {"A": np.arange(3)}),
    ("def f(x): return A.step(x)", {"A": SHARED}, "def f(x): return A.step(x)", {"A": SHARED}),
    ("def f(x): return f(x - 1) if x else 0", {}, "def f(x): return f(x - 1) if x else 0", {"B": 1}),
]
UNLIKE = [
    ("def f(x): return x + 1", {}, "def f(x): return x + 2", {}),
    ("def f(x): return x + 1", {}, "def f(x): return x + 1.0", {}),
    ("def f(x): return x + 1", {}, "def f(x): return x + True", {}),
    ("def f(x): return x + 0.0", {}, "def f(x): return x + -0.0", {}),
    ("def f(x, y=1): return x + y", {}, "def f(x, y=2): return x + y", {}),
    ("def f(x):\n    'A'\n    return 'A'", {}, "def f(x):\n    'B'\n    return 'B'", {}),
    ("def f(x): return x + A", {"A": 1}, "def f(x): return x + A", {"A": 2}),
    ("def f(x): return x + A", {"A": np.int64(1)}, "def f(x): return x + A", {"A": np.int32(1)}),
    ("def f(x): return A[x]", {"A": np.arange(4)}, "def f(x): return A[x]", {"A": np.arange(4)[::-1]}),
    ("def f(x): return A[x]", {"A": np.arange(4)}, "def f(x): return A[x]", {"A": np.arange(4).reshape(2, 2)}),
    ("def f(x): return A[x]", {"A": np.zeros(4, np.int64)}, "def f(x): return A[x]", {"A": np.zeros(4)}),
    ("def f(x): return A[x]", {"A": (1, (2, 3))}, "def f(x): return A[x]", {"A": (1, (2, 4))}),
    ("def f(x): return A.OTHER", {"A": SHARED}, "def f(x): return A.step", {"A": SHARED}),
    ("def f(x): return A.sqrt(x)", {"A": np}, "def f(x): return A.cbrt(x)", {"A": np}),
    ("def f(x): return A(x)", {"A": kernel(SHARED.step)}, "def f(x): return A(x)", {"A": SHARED.step}),
    ("def f(x): return A(x)", {"A": function("def f(x): return x")}, "def f(x): return A(x)", {"A": SHARED.step}),
    ("def f(x): return [A for _ in range(x)]", {"A": 1}, "def f(x): return [A for _ in range(x)]", {"A": 2}),
    ("def f(x): return abs(x)", {}, "def f(x): return abs(x)", {"abs": SHARED.step}),
]


@pytest.mark.parametrize(("one", "its", "other", "others"), ALIKE)
def test_what_compiles_to_the_same_has_the_same_key(one, its, other, others):
    assert describe(function(one, **its)) == describe(function(other, **others))


@pytest.mark.parametrize(("one", "its", "other", "others"), UNLIKE)
def test_what_compiles_to_something_else_has_another_key(one, its, other, others):
    assert describe(function(one, **its)) != describe(function(other, **others))


def test_a_callee_is_part_of_the_key_at_any_depth_and_in_circles():
    def chain(text):
        last = function(text)
        return function("def f(x): return A(x)", A=function("def f(x): return A(x) + f(0)", A=kernel(last)))

    assert describe(chain("def f(x): return x + 1")) == describe(chain("def f(x): return x + 1"))
    assert describe(chain("def f(x): return x + 1")) != describe(chain("def f(x): return x + 2"))


@pytest.mark.parametrize("value", [object(), {}, SHARED])
def test_what_no_key_can_describe_is_not_kept(value):
    with pytest.raises(KeylessError):
        describe(function("def f(x):\n    a = A\n    return a", A=value))


def adder(step):
    @kernel
    def add(number):
        return number + step

    return add


def test_kernels_made_in_one_place_are_told_apart_by_what_they_close_over():
    one, other, again = adder(1), adder(2), adder(1)
    assert (one(5), other(5), again(5)) == (6, 7, 6)
    assert one._cache.folder == again._cache.folder != other._cache.folder


def test_options_and_settings_of_the_compiler_are_part_of_the_key(monkeypatch):
    before, step = adder(1)._cache.folder, adder(1).py_func
    assert kernel(step)._cache.folder == before != inlined(step)._cache.folder
    monkeypatch.setattr(config, "BOUNDSCHECK", 1)
    assert kernel(step)._cache.folder != before


def test_compilation_is_told_once(tmp_path):
    told = "from fogspiel.core.compile import kernel; told = []; kernel.tell_compilation(lambda: told.append(1)); "
    found, compiled = answer(PACKAGE.parent, tmp_path, f"{told}{SPLIT}; found = len(told)")
    assert found == 1 and compiled > 1


def compile_two():
    """Beat, and call a kernel that calls another one, neither of which is in the cache."""
    inner = adder(987654321)

    @kernel
    def outer(number):
        return inner(number) + inner(number)

    for one in (inner, outer):
        shutil.rmtree(one._cache.folder, ignore_errors=True)
    beat()
    return outer(0)


def test_a_worker_claims_patience_until_all_that_a_kernel_needs_is_compiled():
    signs = []
    assert run_job(pickle.dumps(compile_two), signs.append) == 2 * 987654321
    assert signs == [BEGUN, GOES_ON, BEGUN, GOES_ON]


def test_work_is_compiled_for_if_it_is_long_or_was_compiled_before():
    add = adder(123456789)
    shutil.rmtree(add._cache.folder, ignore_errors=True)
    assert is_cold(add) and need_no_compiler(0.1, add) and not need_no_compiler(60, add) and need_no_compiler(0.1)
    assert add(1) and not is_cold(add) and not need_no_compiler(0.1, add)


def test_the_digest_covers_what_a_file_can_use_and_nothing_else(tmp_path):
    def digests():
        digest_of.cache_clear(), imports_of.cache_clear(), _content.cache_clear()
        return digest_of(tmp_path / "games" / "a.py", tmp_path), digest_of(tmp_path / "b.py", tmp_path)

    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "a.py").write_text("from ..b import (\n    B,\n)\n\ndef f():\n    from ..c import C\n")
    (tmp_path / "b.py").write_text("from . import d as e\nB = 1\n")
    (tmp_path / "c.py").write_text("C = 1\n")
    (tmp_path / "d.py").write_text("D = 1\n")
    before = digests()
    (tmp_path / "c.py").write_text("C = 2\n")
    assert digests() == before
    (tmp_path / "d.py").write_text("D = 2\n")
    after = digests()
    assert after[0] != before[0] and after[1] != before[1]
    (tmp_path / "games" / "a.py").write_text("from ..b import B\n")
    assert digests()[0] != after[0] and digests()[1] == after[1]


@pytest.mark.thorough
def test_regular_imports_are_all_found():
    """The digest reads imports by a pattern; Python's own parser must see the same."""
    for path in PACKAGE.rglob("*.py"):
        found = {
            (node.level, node.module or "", alias.name)
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.ImportFrom) and node.level
            for alias in node.names
        }
        seen = {
            (len(dots), module, name)
            for dots, module, names in IMPORT.findall(COMMENT.sub("", path.read_text()))
            for name in re.findall(r"(\w+)(?: as \w+)?", names)
        }
        assert found == seen, path


@pytest.mark.thorough
def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert answer(PACKAGE.parent, blocked / "cache") == answer(PACKAGE.parent, tmp_path / "cache")
