"""Imports point one way: rules, then simulation, then method, then store, then slices, then the two ways in."""

import ast
import re
from functools import cache, lru_cache
from pathlib import Path

import fogspiel

PACKAGE = Path(fogspiel.__file__).parent
ARCHITECTURE = Path(__file__).parents[1] / "docs" / "architecture.md"
DOCUMENTED = re.search(r"^```layers\n(.*?)^```$", ARCHITECTURE.read_text(), re.MULTILINE | re.DOTALL)

LAYERS = [line.split() for line in DOCUMENTED.group(1).splitlines()][::-1]
"""From the lowest; rooms of one layer do not use each other, but for what ACROSS allows."""
ACROSS = {("process", "core"), ("games", "stats")}
MAX_LAYERS, MAX_ENTRIES = 9, 20
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
SLICES = ("kriegspiel", "resistance", "papers")
EXCEPTIONS = {
    ("core/plugins.py", "*"): "ROOMS are the folders that the loader looks into",
    ("web/run_processes.py", "cli"): "a run of a page is a process of the command line",
    ("process/preparation.py", "cli"): "kernels are compiled by a process of the command line",
}
"""Imports by string that point upwards, by file and room, with the reason."""
MODULE = re.compile(r"(?:fogspiel)?\.(?P<room>[a-z]+)(?:\.[a-z_0-9]+)*|(?P<plain>[a-z]+)(?:\.[a-z_0-9]+)+")
LOADER = ("collect", "extras", "modules", "sources")
NAME_OF_SLICE = re.compile(r"""KRIEGSPIEL|RESISTANCE|"kriegspiel"|"resistance|"guesswho""")
NAMES_LEFT: dict[str, str] = {}
"""Files of general rooms that still name or import a slice: none may be added."""
STORE = [*(PACKAGE / "runs" / "store").glob("*.py"), PACKAGE / "runs" / "request.py"]


@lru_cache(maxsize=1)  # the syntax trees of all files are large
def nodes_of(path):
    return list(ast.walk(ast.parse(path.read_text())))


def imports_of(path):
    """Yield the rooms of the package that a file imports, when it is loaded or later."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = parts[: len(parts) - node.level]
            if node.module:
                yield (*base, *node.module.split("."))[0]
            else:
                for alias in node.names:
                    yield (*base, alias.name)[0]
        elif isinstance(node, ast.ImportFrom | ast.Import):
            for name in [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]:
                if name.partition(".")[0] == "fogspiel":
                    yield name.split(".")[1]


def imports_by_string_of(path):
    """Yield the rooms whose modules a file names in strings; a room that the loader is asked for is not imported."""
    calls = [node for node in nodes_of(path) if isinstance(node, ast.Call) and node.args]
    asked = {id(call.args[0]) for call in calls if getattr(call.func, "id", "") in LOADER}
    for node in nodes_of(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in asked:
            found = MODULE.fullmatch(node.value)
            room = found and (found["room"] or found["plain"])
            if room in LEVEL:
                yield room


@cache
def rooms_of(path):
    """Return the rooms that a file imports by statements and by strings."""
    return {*imports_of(path)}, {*imports_by_string_of(path)}


def may_import(path, name):
    """True if a file may import a room: one below its own, or the command line for commands of a slice."""
    file = path.relative_to(PACKAGE)
    top = file.parts[0]
    if name in ("__version__", top) or (top, name) in ACROSS or LEVEL[name] < LEVEL[top]:
        return True
    return name == "cli" and top in SLICES and file.with_suffix("").parts[1] == "commands"


def test_the_package_has_few_rooms_in_few_layers():
    entries = [path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"]
    assert len(entries) <= MAX_ENTRIES and len(LAYERS) <= MAX_LAYERS
    assert {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()} == set(LEVEL)


def modules_in_layers():
    """Return all files of the package that stand in a room."""
    return [path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE]


def test_every_module_has_a_layer_and_imports_only_from_lower_ones():
    for path in modules_in_layers():
        assert path.relative_to(PACKAGE).parts[0] in LEVEL, f"{path} has no layer: add it to docs/architecture.md"
        for name in rooms_of(path)[0]:
            assert may_import(path, name), f"{path.relative_to(PACKAGE)} imports {name}, which is not below it"


def test_imports_by_string_point_downwards_too_but_for_the_loader_and_processes():
    upwards = set()
    for path in modules_in_layers():
        file = path.relative_to(PACKAGE).as_posix()
        any_room = (file, "*") in EXCEPTIONS
        upwards |= {(file, "*" if any_room else name) for name in rooms_of(path)[1] if not may_import(path, name)}
    assert upwards == set(EXCEPTIONS)


def test_strings_of_modules_are_seen(tmp_path):
    file = tmp_path / "made.py"
    lines = ('import_module(f"{ROOT}.solving.sources")', 'lazy_function("runs.kinds", "x")', '"fogspiel.cli"')
    file.write_text("\n".join([*lines, 'collect("web.pages", "PAGES")']))
    assert sorted(imports_by_string_of(file)) == ["cli", "runs", "solving"]


def test_general_rooms_neither_name_nor_import_slices_but_for_those_that_are_listed():
    naming = set()
    for path in modules_in_layers():
        file = path.relative_to(PACKAGE)
        if file.parts[0] in ("web", "cli", "runs"):
            imported = set(SLICES) & set.union(*rooms_of(path))
            if imported or NAME_OF_SLICE.search(path.read_text()):
                naming.add(file.as_posix())
    assert naming == set(NAMES_LEFT)


def test_templates_scripts_and_styles_of_the_web_interface_name_no_slice():
    files = [path for sort in ("templates", "static") for path in (PACKAGE / "web" / sort).iterdir()]
    assert not [path.name for path in files if re.search(r"(?i)kriegspiel|resistance|guesswho", path.read_text())]


def test_only_kernel_imports_numba():
    for path in PACKAGE.rglob("*.py"):
        if path.name != "kernel.py" and "numba" in path.read_text():
            names = {
                name.split(".")[0]
                for node in ast.walk(ast.parse(path.read_text()))
                for name in (
                    [alias.name for alias in node.names]
                    if isinstance(node, ast.Import)
                    else [node.module or ""]
                    if isinstance(node, ast.ImportFrom) and not node.level
                    else []
                )
            }
            assert "numba" not in names, f"{path.name} imports numba"


def test_the_store_needs_neither_numpy_nor_numba():
    for path in STORE:
        assert "numpy" not in path.read_text(), f"{path.name} must stay light"


def reads_method(node):
    """Whether an expression reads the method of a request."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value == "method"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        return bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value == "method"
    return False


def test_only_kinds_of_run_compare_the_method_of_a_request():
    for path in PACKAGE.rglob("*.py"):
        if path.parent != PACKAGE / "runs" / "kinds" and "papers" not in path.parts:  # whose rows have methods too
            if "method" not in path.read_text():
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                compared = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
                asks = any(reads_method(side) for side in compared) and "scope" not in ast.unparse(node)  # of HTTP
                assert not asks, f"{path.relative_to(PACKAGE)}:{node.lineno} tells kinds of run apart by hand"
