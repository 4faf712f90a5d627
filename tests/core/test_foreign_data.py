"""What others wrote is refused in a short sentence before it costs anything."""

import ast
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from support.levels import default_cases

import fogspiel
from fogspiel.core.untrusted_input import MAX_DEPTH, MAX_DIGITS, parse_fraction, parse_json, read_bytes, shorten

REFUSED = {
    '{"a": 1, "a": 2}': "'a' twice",
    "{" + ", ".join(f'"{name}": 0' for name in [*range(200_000), 199_999]) + "}": "'199999' twice",
    "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1): "nested too deeply",
    "[" * 1_000_000: "nested too deeply",
    '{"a":' * 1_000_000: "nested too deeply",
    "[NaN]": "NaN, but a number must be finite",
    "[-Infinity]": "-Infinity, but a number must be finite",
    "[1e999]": "must be finite",
    "9" * 1_000_000: "digits",
    "[-" + "9" * 1_000_000 + "]": "digits",
    '{"a": 0.' + "3" * 1_000_000 + "}": "digits",
    '["' + "x" * 1_000_000: "not JSON",
    b"\xff\xfe": "not UTF-8",
    "": "not JSON",
}


@pytest.mark.parametrize(("text", "because"), REFUSED.items(), ids=[text[:12] for text in REFUSED])
def test_json_of_others_is_refused_in_a_short_sentence(text, because):
    with pytest.raises(ValueError, match=because) as caught:
        parse_json(text)
    assert len(str(caught.value)) < 200


def test_ordinary_json_is_read_as_it_is():
    deep = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert parse_json('{"a": [1, -2.5, "1/3", true, null]}') == {"a": [1, -2.5, "1/3", True, None]}
    assert parse_json(b'\xef\xbb\xbf{"a": 1}') == {"a": 1} and parse_json(deep) is not None
    assert parse_json("9" * MAX_DIGITS) == 10**MAX_DIGITS - 1
    assert parse_json('["' + "9" * 5000 + '"]') == ["9" * 5000], "a long fraction is text"
    assert parse_json("[1, 2.5]", floats=True) == [1.0, 2.5]


@pytest.mark.parametrize("text", ["1e999999999", "9" * 1_000_000, "1/0.5", "nan", "inf", "0x10", "", "1/", "1__0"])
def test_a_number_in_words_is_looked_at_before_it_is_built(text):
    with pytest.raises(ValueError, match="is not a number") as caught:
        parse_fraction(text)
    assert len(str(caught.value)) < 100


def test_numbers_in_words_are_exact():
    assert [parse_fraction(text) for text in ("1/3", " 0.25 ", "-2", ".5", "1e-2")] == [
        Fraction(1, 3), Fraction(1, 4), Fraction(-2), Fraction(1, 2), Fraction(1, 100),
    ]  # fmt: skip


def test_only_files_of_a_fair_size_are_read(tmp_path):
    pipe, large = tmp_path / "pipe", tmp_path / "large"
    large.write_bytes(b"x" * 11)
    with pytest.raises(ValueError, match=r"the book .*large is larger than 10 bytes: give less"):
        read_bytes(large, "the book", 10, "give less")
    assert read_bytes(large, "the book", 11, "") == b"x" * 11
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(ValueError, match="cannot be read"):
            read_bytes(path, "the book", 10, "")
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
        with pytest.raises(ValueError, match="pipe or a device"):
            read_bytes(pipe, "the book", 10, "")


def test_what_is_quoted_is_short():
    assert shorten("abc") == "'abc'" and len(shorten("x" * 10**7)) <= 60
    assert shorten([1] * 1000).endswith("..")


# ---- no other way in -------------------------------------------------------------------------------------------------

PACKAGE = Path(fogspiel.__file__).parent
READERS = {
    "open",
    "fdopen",
    "read_text",
    "read_bytes",
    "load",
    "loadtxt",
    "genfromtxt",
    "fromfile",
    "memmap",
    "ZipFile",
}
"""Calls that read a file; `load` counts where it is NumPy's, JSON's or pickle's."""
LIBRARIES = {"np", "numpy", "json", "pickle", "tomllib"}
PACKAGED, CACHED, CHILD = "files of the package and its plug-ins", "files in the user's own cache", "of a child process"
ALLOWED = {
    "read_head": "the one way in",
    "likely_modules": PACKAGED, "_likely_modules": PACKAGED, "shipped_problems": PACKAGED, "ratings": PACKAGED,
    "_content": PACKAGED, "_statements": PACKAGED,
    "_definitions": PACKAGED, "imports_of": PACKAGED, "_index": PACKAGED, "own_book": PACKAGED, "digest": PACKAGED,
    "load_overload": CACHED, "read_kernel": CACHED, "_remembered": CACHED,
    "look": CHILD, "worker": CHILD, "main": CHILD, "serve": CHILD, "_run": CHILD,
    "_prepare_streams": "the standard streams",
    "peak_megabytes": "/proc/self/status", "limit_memory": "/proc/self/status",
    "marked_processes": "/proc/PID/environ", "waiting_seconds": "/proc/PID/schedstat", "write_template": PACKAGED,
    "frames": PACKAGED, "certificate": PACKAGED,
    "digest_of_command": "a program that the user names, digested block by block",
    "_read_lines": "a regular file, line by line up to the limit",
    "program_text": "a temporary file that HiGHS has written",
    "examine": "the first 100 bytes of a store, which is a regular file",
    "renew_definitions": "copies in a folder that repair has made",
}  # fmt: skip
"""Functions that read what no stranger has written, or a regular file within limits, and why that is so."""


def reads(call):
    """True if a call opens a file for reading."""
    function, method = call.func, isinstance(call.func, ast.Attribute)
    name, owner = (function.attr, ast.unparse(function.value)) if method else (getattr(function, "id", ""), "")
    first = call.args[0] if call.args else None
    if name not in READERS or (name == "load" and owner not in LIBRARIES) or "BytesIO" in ast.unparse(call):
        return False
    if name in ("read_text", "read_bytes"):
        return method and owner != "untrusted_input"
    if method and name == "open" and not (first is None or isinstance(first, ast.Constant)):
        return False  # a store, a program or a descriptor
    places = [*call.args[:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    modes = [place.value for place in places if isinstance(place, ast.Constant)]
    return not any(isinstance(mode, str) and set(mode) & set("wax") and len(mode) < 4 for mode in modes)


def readers(path):
    """Yield the innermost function of each call that reads."""

    def walk(node, function):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call) and reads(child):
                yield function
            inner = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else function
            yield from walk(child, inner)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), path.name)


@pytest.mark.slice("kriegspiel")
@pytest.mark.slice("papers")
def test_files_of_users_are_read_in_one_place():
    found = {function for path in PACKAGE.rglob("*.py") for function in readers(path)}
    assert not found - ALLOWED.keys(), "read what a user names by core/untrusted_input.py"
    assert not ALLOWED.keys() - found, "the list is no longer than it must be"


UNPICKLE = {
    f"{library}.{name}" for library in ("pickle", "cloudpickle", "dill", "marshal") for name in ("load", "loads")
}


def test_only_jobs_and_compiled_kernels_are_unpickled():
    """Bytes of the command's own pipe and of the kernel cache; arrays of files are read without pickles."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in UNPICKLE:
                found.add(path.stem)
            words = {keyword.arg: ast.unparse(keyword.value) for keyword in getattr(node, "keywords", [])}
            assert words.get("allow_pickle", "False") == "False", path
    assert found == {"heartbeat", "kernel"}


KRIEGSPIEL = [("kriegspiel", word) for word in ("check-pgn", "analyse", "problem")]
OTHERS = [("verify",), ("check",), ("solve",), ("exploit", "kuhn"), ("match", "war", "random")]
NAMES = {"check": "x.py", "solve": "x.efg", "exploit": "x.csv", "match": "x.csv"}


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs devices")
@pytest.mark.parametrize("command", default_cases(KRIEGSPIEL[:1], [*KRIEGSPIEL, *OTHERS]))
def test_neither_a_pipe_nor_a_device_is_read(command, tmp_path):
    import resource

    pipe, device = (tmp_path / f"{ending}-{NAMES.get(command[0], 'x.json')}" for ending in ("pipe", "device"))
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        outcome = subprocess.run(
            [sys.executable, "-m", "fogspiel", *command, path],
            capture_output=True,
            text=True,
            timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
        )
        assert outcome.returncode == 2 and outcome.stderr.count("\n") == 1, outcome.stderr[-400:]
