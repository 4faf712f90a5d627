"""Imports point one way: rules, then simulation, then method, then store, then command line."""

import ast
from pathlib import Path

import fogspiel

PACKAGE = Path(fogspiel.__file__).parent

LAYERS = [
    {"sources"},
    {"kernel"},
    {"rng", "workers"},
    {"chess"},
    {"game"},
    {"games", "contender"},
    {"simulate", "verify"},
    {"race", "spread", "nash", "players"},
    {"referee", "sitting", "ranking", "exploiter", "learning"},
    {"arena", "measure", "exact"},
    {"optimise", "resistance", "interop", "phantom", "kriegspiel"},
    {"truth"},
    {"problem", "memory", "explain", "pictures", "terminal"},
    {"proofs"},
    {"locks"},
    {"store"},
    {"chain"},
    {"runs"},
    {"tuning", "solving", "bounding"},
    {"entrants"},
    {"screen", "report", "page_players"},
    {"checkup", "matches", "experiments", "parlour"},
    {"tour", "diagnosis", "web"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
STORE = {"locks", "store", "chain", "runs", "screen"}


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


def test_every_module_has_a_layer_and_imports_only_from_lower_ones():
    for path in PACKAGE.rglob("*.py"):
        top = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if top == "__init__":
            continue
        assert top in LEVEL, f"{path.name} has no layer: add it to LAYERS"
        for name in imports_of(path):
            if name not in ("__version__", top) and not (top == "game" and name == "games"):
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
    for name in STORE:
        path = PACKAGE / f"{name}.py"
        if path.exists():
            assert "numpy" not in path.read_text(), f"{name}.py must stay light"
