"""Lookup of a game by the user's text, in every command, call and form.

The text is the name of a game, `FILE.py` or `FILE.py:NAME`, a file of a tree (`FILE.efg`, `.nfg`, `.game`, `.txt`), or
`openspiel:NAME(parameters)`. A Python file is run, so only the user's own input may come here. Names in a store, a
certificate or a web request are looked up by `known_game`, which also finds loaded games. Importing this module imports
no game and no compiler, so that invalid texts are rejected at once.
"""

import ast
import hashlib
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import accumulate, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import NotFound
from .plugins import Source, collect, extras, has_plug_ins, sources
from .untrusted_input import SHOWN, check_file, read_bytes, shorten
from .user_code import code_content, load_user_module

if TYPE_CHECKING:
    from .game import Game

MAX_BYTES = 1 << 29
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")  # runs are named after games and are part of web addresses


# Syntax of the texts that name a game, and early rejection of those that cannot.


def unknown(what: str, name: str, known: Collection[str]) -> NotFound:
    near = get_close_matches(name[:SHOWN], known, n=3)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return NotFound(f"there is no {what} {shorten(name)}: {meant}there are {', '.join(known)}")


OPENSPIEL = "openspiel:"
# Suffix of an OpenSpiel game: gives players perfect recall where OpenSpiel does not.
REMEMBER = "+remember"
TREES = (".efg", ".nfg", ".game", ".txt")  # the suffixes of the package's own readers
GAME_FILE = "the game file"


def is_code(words: str) -> bool:
    return not words.startswith(OPENSPIEL) and file_and_name(words)[0].endswith(".py")


def tree_mark(words: str) -> str:
    """Return the prefix or suffix by which a text names a game that is read as a tree; empty for others."""
    if words.startswith(OPENSPIEL):
        return OPENSPIEL
    if is_code(words):
        return ""
    # Plug-ins that add readers are imported only for texts that may have such a mark.
    likely = ("." in words or ":" in words) and has_plug_ins("interop")
    marks = (*TREES, *(extras("interop", "READERS") if likely else ()))
    ends, begins = words.endswith, words.startswith
    return next((mark for mark in marks if (ends if mark.startswith(".") else begins)(mark)), "")


def is_tree(words: str) -> bool:
    """True if a text names a game that is read as a tree: a file or a prefix that a reader has registered."""
    return bool(tree_mark(words))


def is_tree_file(words: str) -> bool:
    return words.endswith(tree_mark(words) or "\n")


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
        from .game import known_game

        known_game(words)


def no_game(name: str, known: "Mapping[str, Game]") -> NotFound:
    inside = [other for other in known if len(name) > 2 and name in other]
    titled = [other for other, game in known.items() if len(name) > 2 and slug(game.title).startswith(slug(name))]
    if titled and not inside:
        games = ", ".join(f"{other} is {known[other].title}" for other in titled[:4])
        return NotFound(f"there is no game {shorten(name)}: {games}; `fogspiel games` lists all {len(known)}")
    near = get_close_matches(name[:SHOWN], known, n=4) or inside[:4]
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return NotFound(f"there is no game {shorten(name)}: {meant}`fogspiel games` lists all {len(known)}")


def slug(title: str) -> str:
    """Return a title in the form of a game's name."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def likely_modules(name: str) -> Iterator[Source]:
    """Yield the modules whose name begins a game's name, then those whose files contain the name, or it up to a number.

    The latter may make games by number: "dark-hex" stands for dark-hex-3x5.
    """
    found, quoted = sources("games"), {f'"{name}"', f'"{re.split(r"-[0-9]", name)[0]}"'}
    begin = [module for module in found if name.replace("-", "_").startswith(module)]
    yield from (found[module] for module in begin)
    for module, source in found.items():
        if module not in begin:
            files = source.path.glob("*.py") if source.path.is_dir() else [source.path.with_suffix(".py")]
            texts = (file.read_text(encoding="utf-8", errors="replace") for file in files)
            if any(text in content for content in texts for text in quoted):
                yield source


# Loading


class GameSpec(NamedTuple):
    """The user's text for a game from outside the package."""

    typed: str
    absolute: str  # the same with an absolute path, for processes in another folder


_words: dict[str, GameSpec] = {}  # of the loaded games, by name
_files: dict[tuple[Path, str], "Sequence[Game]"] = {}  # the games of the files that were run, by path and digest


def load_game(words: str | Path) -> "Game":
    """Return the game that the user's text names, or raise a ValueError that lists the possibilities.

    A Python file is run once for each content that it has. The game is then found by its name; it replaces a loaded
    game of the same name.
    """
    from .game import USER_GAMES, known_game

    words = str(words)
    if is_code(words):
        file, name = file_and_name(words)
        path = Path(file)
        key = path.resolve(), digest_of_code(path)
        if key not in _files:
            _files[key] = _run(path, key[1])
        game = replace(_choose(path, _files[key], name), version=key[1])
        absolute = f"{path.absolute()}:{game.name}"
    elif is_tree(words):
        game = read_tree(words).as_game()
        absolute = str(Path(words).absolute()) if is_tree_file(words) else words
    else:
        return known_game(words)
    name = game.name
    if not NAME.fullmatch(name):
        raise ValueError(f"the game of {words} is called {name!r}: a name has small letters, digits and single hyphens")
    if name in collect("games", "GAMES"):
        raise ValueError(f"the game of {words} is called {name}, as a game of the catalogue is: rename it in the file")
    USER_GAMES[name] = game
    _words[name] = GameSpec(words, absolute)
    return game


MAX_VARIANTS = 10_000
BRACES = re.compile(r"\{([a-z0-9,-]*)\}")  # in the name of a catalogue's game: values of a free part


def free_constants(words: str) -> "tuple[Game, dict[str, list[Any]]]":
    """Return the game of a text with the values of its free constants: FREE of a file, or `{4,5}` in a name.

    FREE maps names of constants, which the file assigns once, to their values: `FREE = {"BONUS": range(4)}`.
    """
    found: dict[str, list[Any]]
    if BRACES.search(words):
        found = {f"part {number}": part.split(",") for number, part in enumerate(BRACES.findall(words), 1)}
        base = load_variant(words, {name: values[0] for name, values in found.items()})
    else:
        base, free = load_game(words), None
        if is_code(words):
            path = Path(file_and_name(words)[0])
            free = getattr(sys.modules[_module_name(path, str(base.version))], "FREE", None)
        if not isinstance(free, Mapping) or not free:
            raise ValueError(f"{words} has no free constants: write FREE = {{name: values, ..}} into its file")
        found = {str(name): list(values) for name, values in free.items()}
        with_constants(read_bytes(path, GAME_FILE, MAX_BYTES, "that is no game").decode(), found)
    many = prod(map(len, found.values()))
    if not 0 < many <= MAX_VARIANTS or not all(_is_plain(value) for values in found.values() for value in values):
        raise ValueError(
            f"{words} has {many:,} variants: there must be 1 to {MAX_VARIANTS:,}, of numbers, text and tuples of these"
        )
    if BRACES.search(words):
        for values in product(*found.values()):
            load_variant(words, dict(zip(found, values, strict=True)))
    return base, found


def _is_plain(value: object) -> bool:
    return all(map(_is_plain, value)) if isinstance(value, tuple) else isinstance(value, int | float | str)


def with_constants(text: str, values: Mapping[str, Any]) -> str:
    """Return the text of a game file with other values of constants, each of which it assigns once."""
    whole, places = text.encode(), dict[str, tuple[int, int]]()
    starts = [0, *accumulate(map(len, whole.splitlines(keepends=True)))]
    for node in ast.parse(text).body:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(node, ast.Assign) and isinstance(target, ast.Name) and target.id in values:
                if target.id in places:
                    raise ValueError(f"the free constant {target.id} is assigned twice: assign it once")
                value = node.value
                ends = (value.lineno, value.col_offset), (value.end_lineno or 1, value.end_col_offset or 0)
                begin, end = (starts[line - 1] + column for line, column in ends)
                places[target.id] = begin, end
    if missing := values.keys() - places.keys():
        raise ValueError(f"the free constant {min(missing)} is not assigned in the file: write {min(missing)} = VALUE")
    for name, (begin, end) in sorted(places.items(), key=lambda place: -place[1][0]):
        whole = whole[:begin] + repr(values[name]).encode() + whole[end:]
    return whole.decode()


def load_variant(words: str, values: Mapping[str, Any]) -> "Game":
    """Return the game of a text with these constants, which does not replace the loaded one."""
    if BRACES.search(words):
        from .game import known_game

        chosen = iter(values.values())
        return known_game(BRACES.sub(lambda part: str(next(chosen)), words))
    file, name = file_and_name(words)
    path, text = Path(file), variant_text(words, values)
    version = f"sha256 {hashlib.sha256(text.encode()).hexdigest()}"
    key = path.resolve(), version
    if key not in _files:
        _files[key] = _run(path, version, text)
    return replace(_choose(path, _files[key], name), version=version)


def variant_text(words: str, values: Mapping[str, Any]) -> str:
    """Return the file of a game with other constants; by it the variant is a game of its own."""
    path = Path(file_and_name(words)[0])
    return with_constants(read_bytes(path, GAME_FILE, MAX_BYTES, "that is no game").decode(), values)


def read_tree(words: str) -> Any:
    """Return the tree that a text names, by the reader for its prefix or suffix; its file is not read yet."""
    return extras("interop", "READERS")[tree_mark(words)](words)


def spec_of(name: str) -> GameSpec | None:
    """Return the user's text for a game loaded into this process; None for any other one."""
    return _words.get(name)


def absolute_spec(name: str) -> str | None:
    """Return the text by which another process finds a game that was loaded here; None for any other game."""
    return _words[name].absolute if name in _words else None


def command_spec(name: str) -> str:
    return _words[name].typed if name in _words else name


def forget_games() -> None:
    from .game import USER_GAMES

    USER_GAMES.clear()
    _words.clear()
    _files.clear()


def digest_of_file(path: Path) -> str:
    """Return the version of the rules in a tree file: any change makes another game."""
    return f"sha256 {hashlib.sha256(read_bytes(path, GAME_FILE, MAX_BYTES, 'that is no game')).hexdigest()}"


def digest_of_code(path: Path) -> str:
    """Return the version of the rules in a Python file and in the files that it imports from its folder."""
    return f"sha256 {hashlib.sha256(code_content(path, GAME_FILE)).hexdigest()}"


def _choose(path: Path, games: "Sequence[Game]", name: str) -> "Game":
    by_name = {game.name: game for game in games}
    if name in by_name or (not name and len(games) == 1):
        return by_name[name or games[0].name]
    raise ValueError(f"{path} has the games {', '.join(by_name)}: say which one, as in {path}:{games[0].name}")


def _module_name(path: Path, digest: str) -> str:
    return f"fogspiel_game_{re.sub(r'[^a-zA-Z0-9_]', '_', path.stem)}_{digest[-16:]}"


def _run(path: Path, digest: str, text: str | None = None) -> "Sequence[Game]":
    """Run a Python file, or other text in its place, as a module whose name depends on its content.

    Numba identifies kernels by module and name, even those that other processes have compiled.
    """
    from .game import Game

    games: Any = getattr(load_user_module(path, _module_name(path, digest), GAME_FILE, text), "GAMES", None)
    if not isinstance(games, list | tuple) or not games or not all(isinstance(game, Game) for game in games):
        raise ValueError(f"{GAME_FILE} {path} has no GAMES: it must list at least one fogspiel.core.game.Game")
    return games


# A small working game for a user to start from.

PLACEHOLDER = "NAME"
TEMPLATE = Path(__file__).with_name("new_game.txt")


def write_template(file: Path) -> str:
    """Write the template to a new file; return the name of the game, which is that of the file."""
    from .game import list_games

    if file.suffix != ".py":
        raise ValueError(f"{file} is no name for a game: it must end with .py")
    name = slug(file.stem) or "game"
    name = f"my-{name}" if name in list_games() else name
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(TEMPLATE.read_text(encoding="utf-8").replace(f'"{PLACEHOLDER}"', f'"{name}"'))
    except FileExistsError:
        raise ValueError(f"{file} exists already: choose another name, for it is not overwritten") from None
    except OSError as error:
        raise ValueError(f"{file} cannot be written: {error.strerror or error}") from None
    return name
