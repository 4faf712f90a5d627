"""JSON records under fixed keys, and limits for untrusted files, JSON texts and numbers.

Untrusted input is rejected before it costs time or memory.
"""

import json
import re
import stat
from collections.abc import Mapping
from dataclasses import Field, fields
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Self

from . import NotFound

MAX_DEPTH = 60  # nesting of lists and objects; files of fogspiel have fewer than ten levels
MAX_DIGITS = 1000  # of a number in JSON; exact fractions are text there
# Characters of a fraction as text, and of the exponent of a decimal one.
LONGEST_FRACTION, LONGEST_EXPONENT = 20_000, 3
LONG_NUMBER = re.compile(rf"(?:^|[\[,:\s])-?[0-9][0-9.]{{{MAX_DIGITS}}}")
FRACTION = re.compile(
    rf"\s*[+-]?(?:[0-9]+(?:/[0-9]+)?|(?:[0-9]+\.[0-9]*|\.?[0-9]+)(?:[eE][+-]?[0-9]{{1,{LONGEST_EXPONENT}}})?)\s*"
)
SHOWN = 60


class JsonRecord:
    """A dataclass with a literal key for each field, in their order: renaming a field changes no stored data."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    KEYS: ClassVar[tuple[str, ...]]

    def to_json(self) -> dict[str, Any]:
        """Return the values under their keys; nested records become objects, too."""
        named = zip(self.KEYS, fields(self), strict=True)
        return {key: _plain(getattr(self, field.name)) for key, field in named}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Return the record of a JSON object; keys may be absent where the field has a default."""
        names = {key: field.name for key, field in zip(cls.KEYS, fields(cls), strict=True)}
        return cls(**{names.get(key, key): value for key, value in body.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, JsonRecord):
        return value.to_json()
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    return value


def shorten(value: object, most: int = SHOWN) -> str:
    """Return a value as text for a message; only part of a long text is read."""
    shown = repr(value[: most + 1] if isinstance(value, str) else value)
    return shown if len(shown) <= most else shown[: most - 3] + ".."


def check_file(path: Path, what: str) -> None:
    """Raise a ValueError that starts with `what` and the path if a file is missing or is a pipe or a device."""
    try:
        kind = path.stat().st_mode
    except OSError as error:
        raise _unreadable(path, what, error) from None
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):  # opening a pipe may block for ever, a device never ends
        raise ValueError(f"{what} {path} is a pipe or a device: give a file")


def _unreadable(path: Path, what: str, error: OSError) -> ValueError:
    sort = NotFound if isinstance(error, FileNotFoundError) else ValueError
    return sort(f"{what} {path} cannot be read: {error.strerror or error}")


def read_head(path: Path, what: str, size: int) -> bytes:
    """Return the first `size` bytes of a regular file, or raise a ValueError that begins with `what` and the path."""
    check_file(path, what)
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise _unreadable(path, what, error) from None


def read_bytes(path: Path, what: str, most: int, advice: str) -> bytes:
    """Return the content of a regular file of at most `most` bytes, or raise a ValueError as `read_head` does."""
    content = read_head(path, what, most + 1)
    if len(content) > most:
        raise ValueError(f"{what} {path} is larger than {most:,} bytes: {advice}")
    return content


def read_text(path: Path, what: str, most: int, advice: str) -> str:
    """Return the text of a regular UTF-8 file of at most `most` bytes, or raise a ValueError as `read_bytes` does."""
    try:
        return read_bytes(path, what, most, advice).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{what} {path} is not text in UTF-8 (byte {error.start + 1}): save it as such") from None


def parse_json(text: str | bytes, *, floats: bool = False) -> Any:
    """Return the value of a JSON text, or raise a ValueError that describes the problem.

    Duplicate names, numbers that are infinite or too long, and deep nesting are rejected. With `floats`, integers
    become floats too.
    """
    try:
        plain = text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not JSON (byte {error.start + 1} is not UTF-8)") from None
    if not floats and LONG_NUMBER.search(plain):
        raise ValueError(f"it has a number of more than {MAX_DIGITS} digits")
    try:
        value = json.loads(
            plain,
            object_pairs_hook=_unique,
            parse_constant=refuse_number,
            parse_float=_finite,
            parse_int=_finite if floats else None,
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON ({error})") from None
    except RecursionError:
        raise ValueError(f"its JSON is nested too deeply (more than {MAX_DEPTH} levels)") from None
    _check_depth(value)
    return value


def parse_fraction(text: str) -> Fraction:
    if len(text) > LONGEST_FRACTION or not FRACTION.fullmatch(text):
        raise ValueError(f"{shorten(text)} is not a number")
    return Fraction(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"it has {shorten(twice)} twice: a name may be there once")
    return found


def refuse_number(word: str) -> None:
    raise ValueError(f"it has {word}, but a number must be finite")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(f"it has {shorten(digits)}, but a number must be finite")
    return number


def _check_depth(value: Any) -> None:
    """Reject nesting that could exhaust the stack of recursive code."""
    layer = [value]
    for _ in range(MAX_DEPTH):
        parents = [part for part in layer if isinstance(part, dict | list)]
        if not parents:
            return
        layer = [child for part in parents for child in (part.values() if isinstance(part, dict) else part)]
    if any(isinstance(part, dict | list) for part in layer):
        raise ValueError(f"its JSON is nested too deeply (more than {MAX_DEPTH} levels)")
