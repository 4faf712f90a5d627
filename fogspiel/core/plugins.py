"""Plug-in files: a game, a method, an engine or a command is one file, of the package or of a folder of the user's.

A plug-in folder lies over the package: `<folder>/games/x.py` is the module `fogspiel.games.x`; it may import as the
files of the package do, and every command finds it. Only folders that the user names are looked into, by the
environment variable FOGSPIEL_PLUGINS or by `use` (the option --plugins): never the current folder by itself.
Installed packages offer games, methods and engines by entry points.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

VARIABLE = "FOGSPIEL_PLUGINS"
ROOT = __name__.partition(".")[0]
GROUPS = {"games": "fogspiel.games", "tune.methods": "fogspiel.methods", "kriegspiel.engines": "fogspiel.engines"}
"""The entry points by which installed packages add to a room; each names a module or a list."""


def use(folder: Path) -> None:
    """Look into one more plug-in folder, in this process and in those that it starts."""
    known = [str(path) for path in _named()]
    os.environ[VARIABLE] = os.pathsep.join(dict.fromkeys([*known, str(folder.absolute())]))
    folders()


def _named() -> list[Path]:
    return [Path(words).absolute() for words in os.environ.get(VARIABLE, "").split(os.pathsep) if words]


def folders() -> list[Path]:
    """The plug-in folders that the user has named, or a ValueError if there is no such folder."""
    for folder in _named():
        if not folder.is_dir():
            raise ValueError(f"there is no plug-in folder {folder}: name an existing one with --plugins or {VARIABLE}")
    return _named()


def sources(room: str) -> dict[str, Path | None]:
    """The names of the modules of a room (such as "games" or "tune.methods"), and the plug-in folders of some of them.

    The package's own come first; a name that begins with an underscore is private to the others. Nothing is imported
    but the room itself.
    """
    package = import_module(f"{ROOT}.{room}")
    found: dict[str, Path | None] = dict.fromkeys(_public(package.__path__))
    for folder in folders():
        for name in _public([str(folder.joinpath(*room.split(".")))]):
            if name in found:
                other = found[name] or Path(package.__path__[0]).parents[room.count(".") + 1]
                raise ValueError(
                    f"two files are called {room.replace('.', '/')}/{name}, in {other} and {folder}: rename one"
                )
            found[name] = folder
    return found


def rooms(sort: str) -> list[str]:
    """The rooms of a sort, such as "pages": of the package and of its slices; nothing is imported."""
    top = Path(__file__).parents[1]
    inits = [*top.glob(f"*/{sort}/__init__.py"), *top.glob(f"*/*/{sort}/__init__.py")]
    return sorted(".".join(init.parent.relative_to(top).parts) for init in inits)


def _public(places: Sequence[str]) -> list[str]:
    return [module.name for module in iter_modules(places) if not module.name.startswith("_")]


def load(room: str, name: str, folder: Path | None = None) -> ModuleType:
    """A module of a room, imported at its first use; whatever is wrong in a plug-in file is a ValueError."""
    full = f"{ROOT}.{room}.{name}"
    if folder is None:
        return import_module(full)
    known = sys.modules.get(full)
    if known is not None and folder not in Path(known.__file__ or "").parents:
        del sys.modules[full]  # of a folder that is not used any more
    try:
        return import_module(full)
    except Exception as error:
        place = folder.joinpath(*room.split("."), name)
        file = place if place.is_dir() else place.with_suffix(".py")
        raise ValueError(f"the plug-in {file} cannot be loaded: {type(error).__name__}: {error}") from error


def modules(room: str) -> Iterator[ModuleType]:
    """All modules of a room: the package's own by name, then those of the plug-in folders."""
    for name, folder in sources(room).items():
        yield load(room, name, folder)


def collect(room: str, attribute: str) -> dict[str, Any]:
    """What the modules of a room list under this attribute: a mapping by name, or things that have a name.

    A module of the package may list nothing, a plug-in may not; two things of one name are a ValueError. What
    installed packages offer comes last.
    """
    return dict(_collect(room, attribute, tuple(folders())))


@cache
def _collect(room: str, attribute: str, used: tuple[Path, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, folder in sources(room).items():
        for key, thing in _listed(load(room, name, folder), attribute, folder is not None):
            if key in found:
                raise ValueError(f"two {attribute.lower()} are called {key}: rename one")
            found[key] = thing
    for point in _entry_points(room):
        for key, thing in _offered(point, attribute):
            if key in found:
                raise ValueError(
                    f"two {attribute.lower()} are called {key}, one of them of {_distribution(point)}: rename it there"
                )
            found[key] = thing
    return found


def _listed(module: ModuleType, attribute: str, required: bool) -> Iterable[tuple[str, Any]]:
    things = getattr(module, attribute, ())
    if required and not things:
        raise ValueError(f"the plug-in {module.__file__} has no {attribute}: it must list at least one")
    return _by_name(things, f"{attribute} of {module.__file__}")


def _by_name(things: Any, what: str) -> Iterable[tuple[str, Any]]:
    try:
        return things.items() if isinstance(things, Mapping) else [(thing.name, thing) for thing in things]
    except (AttributeError, TypeError):
        raise ValueError(f"{what} is neither a dictionary nor a list of named things") from None


def _entry_points(room: str) -> "Iterable[EntryPoint]":
    """What installed packages add to a room."""
    from importlib.metadata import entry_points  # takes longer than many a command

    return entry_points(group=GROUPS[room]) if room in GROUPS else ()


def takes_more(room: str) -> bool:
    """Whether plug-in folders or installed packages may add to a room of the package."""
    return any(folder.joinpath(*room.split(".")).is_dir() for folder in folders()) or any(_entry_points(room))


def package_modules(room: str) -> list[str]:
    """The names of the package's own modules of a room; nothing is imported."""
    return _public([str(Path(__file__).parents[1].joinpath(*room.split(".")))])


def _offered(point: "EntryPoint", attribute: str) -> Iterable[tuple[str, Any]]:
    """What an entry point of an installed package lists; whatever is wrong with it is a ValueError."""
    what = f"{point.value}, which {_distribution(point)} offers as {point.group},"
    try:
        offered = point.load()
    except (Exception, SystemExit) as error:
        raise ValueError(f"{what} cannot be loaded: {type(error).__name__}: {error}") from error
    things = getattr(offered, attribute, ()) if isinstance(offered, ModuleType) else offered
    if not things:
        raise ValueError(f"{what} has no {attribute}: it must be a module that lists some, or a list of them")
    return _by_name(things, what)


def _distribution(point: "EntryPoint") -> str:
    return f"the installed package {point.dist.name}" if point.dist else "an installed package"


def help_of(described: ModuleType | Callable[..., object]) -> str:
    """The first line of the docstring."""
    return (described.__doc__ or "").strip().partition("\n")[0]


class _Finder:
    """Lets Python import plug-in modules by name: from each other, and in worker processes that unpickle them."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        root, *room = name.split(".")[:-1] or [name]
        if root != ROOT:
            return None
        return PathFinder.find_spec(name, [str(folder.joinpath(*room)) for folder in _named()])


sys.meta_path.append(_Finder)  # last, so that a plug-in cannot take the place of a module of the package
