"""The words for a game as they are typed: what sort of words they are, and which ones surely stand for no game.

Nothing is imported of any game, so what is refused here is refused at once.
"""

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from pathlib import Path

from . import NotFound
from .plugins import Source, extras, has_plug_ins, sources
from .untrusted_input import SHOWN, check_file, shorten


def unknown(what: str, name: str, known: Collection[str]) -> NotFound:
    """Make the error for an unknown name, with similar names."""
    near = get_close_matches(name[:SHOWN], known, n=3)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return NotFound(f"there is no {what} {shorten(name)}: {meant}there are {', '.join(known)}")


OPENSPIEL = "openspiel:"
# Behind the name of an OpenSpiel game: players keep their own moves in mind where OpenSpiel lets them forget.
REMEMBER = "+remember"
TREES = (".efg", ".nfg")  # the endings that the package's own readers know
GAME_FILE = "the game file"


def is_code(words: str) -> bool:
    """True if words name a Python file."""
    return not words.startswith(OPENSPIEL) and file_and_name(words)[0].endswith(".py")


def tree_mark(words: str) -> str:
    """Return the beginning or ending by which words name a game that is read as a tree; nothing for others."""
    if words.startswith(OPENSPIEL):
        return OPENSPIEL
    if is_code(words):
        return ""
    return next((mark for mark in (*TREES, *_marks_of_plug_ins(words)) if _bears(words, mark)), "")


def is_tree(words: str) -> bool:
    """True if words name a game that is read as a tree: a file or a prefix that a reader has registered."""
    return bool(tree_mark(words))


def is_tree_file(words: str) -> bool:
    """True if words name the file of a tree."""
    return words.endswith(tree_mark(words) or "\n")


def _bears(words: str, mark: str) -> bool:
    return words.endswith(mark) if mark.startswith(".") else words.startswith(mark)


def _marks_of_plug_ins(words: str) -> list[str]:
    """Return the marks of readers that plug-ins add; they are imported only for words that may bear one."""
    likely = "." in words or ":" in words
    return list(extras("interop", "READERS")) if likely and has_plug_ins("interop") else []


def file_and_name(words: str) -> tuple[str, str]:
    """The two sides of the last colon, unless the words end with the name of a file."""
    if words.endswith(".py"):
        return words, ""
    file, _, name = words.rpartition(":")
    return file, name


def check_game_spec(words: str) -> None:
    """Refuse words that surely stand for no game: a file that is not there, or a name that nothing can have."""
    if is_code(words):
        check_file(Path(file_and_name(words)[0]), GAME_FILE)
    elif is_tree(words):
        if is_tree_file(words):
            check_file(Path(words), GAME_FILE)
    elif not any(any(likely_modules(name)) for name in (words, words.partition("-")[2]) if name):
        # where there is one, it may make other games than it lists, and some are solved in versions (lone-resistance5)
        from .game import list_games

        if words not in list_games():
            raise no_game(words, list_games())


def no_game(name: str, known: Collection[str]) -> NotFound:
    """Make the error for a name that no game has."""
    near = (
        get_close_matches(name[:SHOWN], known, n=4) or [other for other in known if len(name) > 2 and name in other][:4]
    )
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return NotFound(f"there is no game {shorten(name)}: {meant}`fogspiel games` lists all {len(known)}")


def likely_modules(name: str) -> Iterator[Source]:
    """Yield the modules whose name begins a game's name, then those in whose files the name stands."""
    found = sources("games")
    begin = [module for module in found if name.replace("-", "_").startswith(module)]
    yield from (found[module] for module in begin)
    for module, source in found.items():
        if module not in begin:
            files = source.path.glob("*.py") if source.path.is_dir() else [source.path.with_suffix(".py")]
            if any(f'"{name}"' in file.read_text(encoding="utf-8", errors="replace") for file in files):
                yield source
