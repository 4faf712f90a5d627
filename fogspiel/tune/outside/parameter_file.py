"""Parameter files: TOML, or JSON where the name ends so; whatever is wrong with one is a sentence."""

import tomllib
from pathlib import Path
from typing import Any

from ...core.foreign_data import parse_json, read_bytes
from .parameters import Parameters

MOST_BYTES = 1_000_000


def read_parameters(path: str | Path) -> Parameters:
    """The parameters that a file describes, or a ValueError that names the file and what would be right."""
    path = Path(path)
    content = read_bytes(path, "the parameter file", MOST_BYTES, "it needs a table of some lines each")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"the parameter file {path} is not text: it must be TOML or JSON in UTF-8") from None
    if not text.strip():
        raise ValueError(
            f"the parameter file {path} is empty: give a table for each parameter, as in [margin] with start = 5"
        )
    is_json = path.suffix.lower() == ".json"
    return Parameters.of(_json(text, path) if is_json else _toml(text, path), str(path))


def _toml(text: str, path: Path) -> Any:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a whole number that is too long is no TOMLDecodeError
        raise ValueError(f"the parameter file {path} is not TOML: {error}") from None


def _json(text: str, path: Path) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise ValueError(f"the parameter file {path} is of no use: {error}") from None
