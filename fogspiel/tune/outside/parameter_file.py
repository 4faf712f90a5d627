"""Parameter files: TOML, or JSON where the name ends so; whatever is wrong with one is a sentence."""

import json
import tomllib
from pathlib import Path
from typing import Any

from .parameters import Parameters, shown

MOST_BYTES = 1_000_000


def read_parameters(path: str | Path) -> Parameters:
    """The parameters that a file describes, or a ValueError that names the file and what would be right."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        raise ValueError(
            f"the parameter file {path} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    if len(content) > MOST_BYTES:
        raise ValueError(
            f"the parameter file {path} is larger than {MOST_BYTES:,} bytes: it needs a table of some lines each"
        )
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
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"the parameter file {path} is not TOML: {error}") from None


def _json(text: str, path: Path) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise _Twice(f"the parameter file {path} has {shown(name)} twice: a name may be there once")
            found[name] = value
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except _Twice as error:
        raise ValueError(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the parameter file {path} is not JSON: {error}") from None


class _Twice(Exception):
    """A name is there more than once."""
