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
ACROSS = {("phantom", "solve")}
MOST_LAYERS, MOST_ENTRIES = 8, 14
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
STORE = [PACKAGE / "runs" / f"{name}.py" for name in ("locks", "sqlite_file", "hash_chain", "store", "formatting")]


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
        if top == "__init__":
            continue
        assert top in LEVEL, f"{path.name} has no layer: add it to LAYERS"
        for name in imports_of(path):
            if name not in ("__version__", top) and (top, name) not in ACROSS:
                assert LEVEL[name] < LEVEL[top], f"{path.relative_to(PACKAGE)} imports {name}, which is not below it"


def test_only_kernel_imports_numba():
    for path in PACKAGE.rglob("*.py"):
        if path.name != "kernel.py":
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
