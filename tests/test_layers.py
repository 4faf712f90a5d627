"""Imports point one way: rules, then simulation, then method, then store, then command line."""

import ast
import re
from pathlib import Path

import fogspiel

PACKAGE = Path(fogspiel.__file__).parent
ARCHITECTURE = Path(__file__).parents[1] / "docs" / "architecture.md"
DOCUMENTED = re.search(r"^```layers\n(.*?)^```$", ARCHITECTURE.read_text(), re.MULTILINE | re.DOTALL)

LAYERS = [line.split() for line in DOCUMENTED.group(1).splitlines()][::-1]
"""From the lowest; rooms of one layer do not use each other, but for what ACROSS allows."""
ACROSS = {("phantom", "solve"), ("process", "core")}
MOST_LAYERS, MOST_ENTRIES = 8, 18
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
STORE = [*(PACKAGE / "runs" / "store").glob("*.py"), PACKAGE / "runs" / "formatting.py"]


def imports_of(path):
    """The modules of the package that a file imports when it is loaded or later, by their top name."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = parts[: len(parts) - node.level]
            if node.module:
                yield (*base, *node.module.split("."))[0]
            else:
                for alias in node.names:
                    yield (*base, alias.name)[0]


def test_the_package_has_few_rooms_in_few_layers():
    entries = [path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"]
    assert len(entries) <= MOST_ENTRIES and len(LAYERS) <= MOST_LAYERS
    assert {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()} == set(LEVEL)


def test_every_module_has_a_layer_and_imports_only_from_lower_ones():
    for path in PACKAGE.rglob("*.py"):
        top = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if top in ("__init__", "__main__", "api"):  # the front door is above all
            continue
        assert top in LEVEL, f"{path.name} has no layer: add it to LAYERS"
        for name in imports_of(path):
            if name not in ("__version__", top) and (top, name) not in ACROSS:
                assert LEVEL[name] < LEVEL[top], f"{path.relative_to(PACKAGE)} imports {name}, which is not below it"


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
