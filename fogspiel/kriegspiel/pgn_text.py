"""The text of a PGN file."""

from pathlib import Path


def read_text(file: Path) -> str:
    """The text of a file, or a ValueError that says why it cannot be read."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{file} is not text in UTF-8: save it as such") from None
