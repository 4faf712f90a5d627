"""What is found by discovery, for the help of commands: read from the files, not imported, and only if asked for."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from ..core.plugins import folders

PACKAGE = Path(__file__).parent.parent


def listing(title: str, room: str, attribute: str) -> str | None:
    """The names that the files of a room list under this attribute, each with the first line of its docstring."""
    if "--help" not in sys.argv[1:]:
        return None
    places = [folder.joinpath(*room.split(".")) for folder in (PACKAGE, *folders())]
    files = [file for place in places for file in sorted(place.glob("*.py"))]
    return "\n\n".join([title, *(f"{name}: {words}" for file in files for name, words in _read_names(file, attribute))])


def _read_names(file: Path, attribute: str) -> Iterator[tuple[str, str]]:
    """The strings that the value of a module's attribute names, with the docstrings of their functions or the file."""
    module = ast.parse(file.read_text(encoding="utf-8"))
    own = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == attribute for target in targets):
            for name, value in _names(getattr(node, "value", None)):
                found = own.get(value.id) if isinstance(value, ast.Name) else None
                words = ast.get_docstring(found or module) or ast.get_docstring(module) or ""
                yield name, words.partition("\n")[0]


def _names(value: ast.AST | None) -> Iterator[tuple[str, ast.AST | None]]:
    """The names of a dictionary's keys, or of things that are made by calls whose first argument is their name."""
    if isinstance(value, ast.Dict):
        for key, thing in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant):
                yield str(key.value), thing
    elif isinstance(value, ast.Tuple | ast.List):
        for thing in value.elts:
            if isinstance(thing, ast.Call) and thing.args and isinstance(thing.args[0], ast.Constant):
                yield str(thing.args[0].value), None
