"""Syntax of the texts that name a game, and early rejection of those that cannot.

No game is imported, so rejections are immediate.
"""

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from pathlib import Path

from . import NotFound
from .plugins import Source, extras, has_plug_ins, sources
from .untrusted_input import SHOWN, check_file, shorten


def unknown(what: str, name: str, known: Collection[str]) -> NotFound:
    near = get_close_matches(name[:SHOWN], known, n=3)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return NotFound(f"there is no {what} {shorten(name)}: {meant}there are {', '.join(known)}")


OPENSPIEL = "openspiel:"
# Suffix of an OpenSpiel game: gives players perfect recall where OpenSpiel does not.
REMEMBER = "+remember"
TREES = (".efg", ".nfg")  # the suffixes of the package's own readers
GAME_FILE = "the game file"


def is_code(words: str) -> bool:
    return not words.startswith(OPENSPIEL) and file_and_name(words)[0].endswith(".py")


def tree_mark(words: str) -> str:
    """Return the prefix or suffix by which a text names a game that is read as a tree; empty for others."""
    if words.startswith(OPENSPIEL):
        return OPENSPIEL
    if is_code(words):
        return ""
    return next((mark for mark in (*TREES, *_marks_of_plug_ins(words)) if _bears(words, mark)), "")


def is_tree(words: str) -> bool:
    """True if a text names a game that is read as a tree: a file or a prefix that a reader has registered."""
    return bool(tree_mark(words))


def is_tree_file(words: str) -> bool:
    return words.endswith(tree_mark(words) or "\n")


def _bears(words: str, mark: str) -> bool:
    return words.endswith(mark) if mark.startswith(".") else words.startswith(mark)


def _marks_of_plug_ins(words: str) -> list[str]:
    """Return the marks of readers that plug-ins add; these are imported only for texts that may have one."""
    likely = "." in words or ":" in words
    return list(extras("interop", "READERS")) if likely and has_plug_ins("interop") else []


def file_and_name(words: str) -> tuple[str, str]:
    """Return both sides of the last colon, unless the text ends with the name of a file."""
    if words.endswith(".py"):
        return words, ""
    file, _, name = words.rpartition(":")
    return file, name


def check_game_spec(words: str) -> None:
    """Raise a ValueError for a text that cannot name a game: a missing file, or a name that no game can have."""
    if is_code(words):
        check_file(Path(file_and_name(words)[0]), GAME_FILE)
    elif is_tree(words):
        if is_tree_file(words):
            check_file(Path(words), GAME_FILE)
    elif not any(any(likely_modules(name)) for name in (words, words.partition("-")[2]) if name):
        # otherwise a module may create unlisted games, and some are solved in versions (lone-resistance5)
        from .game import list_games

        if words not in list_games():
            raise no_game(words, list_games())


def no_game(name: str, known: Collection[str]) -> NotFound:
    near = (
        get_close_matches(name[:SHOWN], known, n=4) or [other for other in known if len(name) > 2 and name in other][:4]
    )
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return NotFound(f"there is no game {shorten(name)}: {meant}`fogspiel games` lists all {len(known)}")


def likely_modules(name: str) -> Iterator[Source]:
    """Yield the modules whose name begins a game's name, then those whose files contain the name."""
    found = sources("games")
    begin = [module for module in found if name.replace("-", "_").startswith(module)]
    yield from (found[module] for module in begin)
    for module, source in found.items():
        if module not in begin:
            files = source.path.glob("*.py") if source.path.is_dir() else [source.path.with_suffix(".py")]
            if any(f'"{name}"' in file.read_text(encoding="utf-8", errors="replace") for file in files):
                yield source
