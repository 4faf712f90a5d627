"""Plug-in files: a game, a method, an engine or a command is one file, of the package or of a folder of the user's.

A slice of the package holds the files of one system: `kriegspiel/commands`, `resistance/pages.py`. A plug-in folder is
layered over the package: `<folder>/games/x.py` is the module `fogspiel.games.x`, and `<folder>/own/commands/y.py` is
the module `fogspiel.own.commands.y` of a slice. It may import as the files of the package do, and every command finds
it. Only folders that the user names are read, by the environment variable FOGSPIEL_PLUGINS or by `use` (the option
--plugins), never the current folder automatically. Installed packages provide everything that ROOMS lists by entry
points.
"""

import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

VARIABLE = "FOGSPIEL_PLUGINS"
ROOT = __name__.partition(".")[0]


class Room(NamedTuple):
    """A folder of plug-in files: its counterpart in a slice, the group of entry points, and its names before 1.0."""

    in_slice: str
    group: str
    former: str = ""
    former_attribute: str = ""
    listed: bool = False  # the package's own items are listed by the folder itself, not by its files


ROOMS = {
    "games": Room("game", "fogspiel.games"),
    "tuning.methods": Room("tune_methods", "fogspiel.methods", "tune.methods"),
    "solving.methods": Room("solve_methods", "fogspiel.solve_methods", "solve.routes", "ROUTES", listed=True),
    "solving.proofs.checkers": Room("checkers", "fogspiel.checkers", "solve.checkers"),
    "kriegspiel.engines": Room("engines", "fogspiel.engines"),
    "interop": Room("readers", "fogspiel.readers", listed=True),
    "runs.kinds": Room("kinds", "fogspiel.kinds"),
    "runs.agents": Room("agents", "fogspiel.agents"),
    "cli.commands": Room("commands", "fogspiel.commands"),
    "web.pages": Room("pages", "fogspiel.pages"),
    "papers": Room("papers", "fogspiel.papers"),
}


class Source(NamedTuple):
    """A module that may list something, and its plug-in folder; None for the package."""

    module: str
    folder: Path | None = None

    @property
    def path(self) -> Path:
        return (self.folder or PACKAGE).joinpath(*self.module.split(".")[1:])


PACKAGE = Path(__file__).parents[1]


def use(folder: Path) -> None:
    """Add a plug-in folder, in this process and in those that it starts."""
    known = [str(path) for path in _named()]
    os.environ[VARIABLE] = os.pathsep.join(dict.fromkeys([*known, str(folder.absolute())]))
    folders()


def _named() -> list[Path]:
    return [Path(words).absolute() for words in os.environ.get(VARIABLE, "").split(os.pathsep) if words]


def folders() -> list[Path]:
    """Return the plug-in folders that the user has named, or raise a ValueError if one does not exist."""
    for folder in _named():
        if not folder.is_dir():
            raise ValueError(f"there is no plug-in folder {folder}: name an existing one with --plugins or {VARIABLE}")
    return _named()


def sources(room: str) -> dict[str, Source]:
    """Return the modules of a package (such as "games" or "tuning.methods") by name, without importing them.

    The package's own come first, then those of its slices, which are named `slice.module`, then the user's. A name that
    begins with an underscore is private.
    """
    found: dict[str, Source] = {}
    for folder in (None, *folders()):
        for name, module in _modules_in(folder or PACKAGE, room, folder is None):
            if name in found:
                raise ValueError(
                    f"two files are called {room.replace('.', '/')}/{name}, in {found[name].folder or PACKAGE} and "
                    f"{folder}: rename one"
                )
            found[name] = Source(f"{ROOT}.{module}", folder)
    return found


def _modules_in(place: Path, room: str, own: bool) -> Iterator[tuple[str, str]]:
    """Yield names and modules below the package or a plug-in folder: its own, then those of slices."""
    known = ROOMS[room]
    if own and known.listed:
        yield "", room
    else:
        for folder in filter(None, (room, "" if own else known.former)):
            yield from ((name, f"{room}.{name}") for name in _public(place.joinpath(*folder.split("."))))
    for part in _parts(place):
        name = ".".join(part.relative_to(place).parts)
        inside = f"{name}.{known.in_slice}"
        if inside == room or part == Path(__file__).parent:  # the loader's own package is not a slice
            continue
        is_package = (part / known.in_slice / "__init__.py").is_file()
        # One file has all items of this sort, or one game its variants.
        if (part / f"{known.in_slice}.py").is_file() or (room == "games" and is_package):
            yield name, inside
        else:
            yield from ((f"{name}.{file}", f"{inside}.{file}") for file in _public(part / known.in_slice))


def _parts(place: Path) -> list[Path]:
    """Return the packages and slices below the package or a plug-in folder; every paper is a slice in `papers`."""
    papers = place / "papers"
    inner = papers.iterdir() if papers.is_dir() else ()
    return sorted(path for path in (*place.iterdir(), *inner) if path.is_dir() and path.name != "__pycache__")


def slice_folders(name: str) -> list[Path]:
    """Return the folders of that name in packages and slices, such as "templates"; the web interface's comes first."""
    found = [part / name for place in (PACKAGE, *folders()) for part in _parts(place) if (part / name).is_dir()]
    return sorted(found, key=lambda path: path.parent.name != "web")


def _public(place: Path) -> list[str]:
    return [module.name for module in iter_modules([str(place)]) if not module.name.startswith("_")]


def has_plug_ins(room: str) -> bool:
    """True if slices, plug-in folders or installed packages add something; nothing is imported."""
    return len(sources(room)) > 1 or any(_entry_points(room))


def load(source: Source) -> ModuleType:
    """Import the module of a source; any error in a plug-in file becomes a ValueError."""
    if source.folder is None:
        return import_module(source.module)
    known = sys.modules.get(source.module)
    if known is not None and source.folder not in Path(known.__file__ or "").parents:
        del sys.modules[source.module]  # of a folder that is no longer used
    try:
        return import_module(source.module)
    except Exception as error:
        spec = _Finder.find_spec(source.module)
        file = source.path if spec is None else spec.origin
        raise ValueError(f"the plug-in {file} cannot be loaded: {type(error).__name__}: {error}") from error


def modules(room: str) -> Iterator[ModuleType]:
    """Yield the package's own modules by name, then those of slices, plug-in folders and entry points."""
    for source in sources(room).values():
        yield load(source)
    for point in _entry_points(room):
        yield _loaded(point)


def collect(room: str, attribute: str) -> dict[str, Any]:
    """Collect the items that modules list under this attribute: a mapping by name, or named items.

    A module of the package may list nothing, a plug-in may not; two items of one name are a ValueError. Those of
    installed packages come last.
    """
    return dict(_collect(room, attribute, tuple(folders())))


@cache
def _collect(room: str, attribute: str, used: tuple[Path, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def add(items: Iterable[tuple[str, Any]], remedy: str) -> None:
        for key, thing in items:
            if key in found:
                raise ValueError(f"two {attribute.lower()} are called {key}{remedy}")
            found[key] = thing

    for source in sources(room).values():
        add(_listed(load(source), attribute, ROOMS[room].former_attribute, source.folder is not None), ": rename one")
    for point in _entry_points(room):
        add(_offered(point, attribute), f", one of them of {_distribution(point)}: rename it there")
    return found


def extras(room: str, attribute: str) -> dict[str, Any]:
    """Collect further lists of modules by name; any of them may be absent."""
    return dict(_extras(room, attribute, tuple(folders())))


@cache
def _extras(room: str, attribute: str, used: tuple[Path, ...]) -> dict[str, Any]:
    return {name: thing for module in modules(room) for name, thing in getattr(module, attribute, {}).items()}


def _listed(module: ModuleType, attribute: str, former: str, required: bool) -> Iterable[tuple[str, Any]]:
    things = getattr(module, attribute, None) or getattr(module, former or attribute, ())
    if required and not things:
        raise ValueError(f"the plug-in {module.__file__} has no {attribute}: it must list at least one")
    return _by_name(things, f"{attribute} of {module.__file__}")


def _by_name(things: Any, what: str) -> Iterable[tuple[str, Any]]:
    try:
        return things.items() if isinstance(things, Mapping) else [(thing.name, thing) for thing in things]
    except (AttributeError, TypeError):
        raise ValueError(f"{what} is neither a dictionary nor a list of named things") from None


def _entry_points(room: str) -> "Iterable[EntryPoint]":
    from importlib.metadata import entry_points  # takes longer than many a command

    return entry_points(group=ROOMS[room].group)


def _offered(point: "EntryPoint", attribute: str) -> Iterable[tuple[str, Any]]:
    """List the items of an entry point of an installed package; any error becomes a ValueError."""
    offered, what = _loaded(point), _offer(point)
    things = getattr(offered, attribute, ()) if isinstance(offered, ModuleType) else offered
    if not things:
        raise ValueError(f"{what} has no {attribute}: it must be a module that lists some, or a list of them")
    return _by_name(things, what)


def _loaded(point: "EntryPoint") -> Any:
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise ValueError(f"{_offer(point)} cannot be loaded: {type(error).__name__}: {error}") from error


def _offer(point: "EntryPoint") -> str:
    return f"{point.value}, which {_distribution(point)} offers as {point.group},"


def _distribution(point: "EntryPoint") -> str:
    return f"the installed package {point.dist.name}" if point.dist else "an installed package"


def help_of(described: ModuleType | Callable[..., object]) -> str:
    """The first line of the docstring."""
    return (described.__doc__ or "").strip().partition("\n")[0]


Class = TypeVar("Class", bound=type)


def former_names(**names: str) -> Callable[[Class], Class]:
    """Accept former names of a class until 2.0: keywords silently, attributes with a DeprecationWarning."""

    def reader(old: str, new: str) -> Callable[[object], Any]:
        def read(self: object) -> Any:
            warnings.warn(f"{type(self).__name__}.{old} is deprecated: use {new}", DeprecationWarning, stacklevel=2)
            return getattr(self, new)

        return read

    def decorate(cls: Class) -> Class:
        make = cls.__init__  # type: ignore[misc]

        @functools.wraps(make)
        def __init__(self: object, *given: Any, **options: Any) -> None:
            for old in names.keys() & options.keys():
                options[names[old]] = options.pop(old)
            make(self, *given, **options)

        cls.__init__ = __init__  # type: ignore[misc]
        for old, new in names.items():
            setattr(cls, old, property(reader(old, new)))
        return cls

    return decorate


# Modules of before 1.0 that others may import, for one release: the old package and the new one, then the modules.
_FORMER_MODULES = """
web web: site=app
cli cli: completion=app listing=app command_help=app work=execute
cli cli.commands: programs=tune tour=maintenance
cli.commands cli.commands: explain=solve exploit=match
web.pages web.pages: games=home
cli : streams=cli
runs runs: agent_texts=agent_parser answers=tuning_run checks=request cluster_door=programs curve=report
  engine_programs=programs execute=kind formatting=request jobs=kind proof=tuning_run repetitions=kind trail=report
  work=kind
runs runs.kinds: tune_function=program value=solve
runs.kinds runs.kinds: sampled_exploit=exploit tune_seeds=tune
runs.report runs.report: figures=html_page page=html_page
runs.report runs: parts=report text=report
core runs.store: byte_locks=faults
core core: choice_law=behaviour_policy exact=agents foreign_data=untrusted_input game_names=find own_games=find
  person_session=session state_policy=behaviour_policy
core core.compile: kernel
core.compile core.compile: key=cache
stats stats: highs=linear_programs matrix_game=linear_programs elo=evaluate median_interval=evaluate
core interop: openspiel_adapter=openspiel_export pettingzoo_adapter=export
kriegspiel.endings kriegspiel: player=endings
kriegspiel.beliefs kriegspiel.engines: board_belief=fog
kriegspiel.engines kriegspiel.engines: simple=sampling
phantom solving: bounds informed_opponent=bounds
phantom solving.bounds: alpha_vectors=windows and_or_search beliefs bounds_certificate=certificate
  bounds_words=certificate information_relaxation point_based
  treeplex_builder=information_relaxation turn_fields=and_or_search
  vector_proof=point_based window_demands=windows window_kernels=and_or_search window_regrets windows
phantom solving.methods: exact_solution=phantom regret_matching=phantom solution_certificate=phantom solver=phantom
  words=phantom
phantom solving.methods.phantom: bilinear_form histories=private_histories merged_exploitability=policies
  merged_histories play=policies policies policy_weights=merged_histories questions=policies
solve solving.methods: bandits=normal_form cfr double_oracle lemke_howson=normal_form lp row_generation=double_oracle
  large_certificate=tree sampling=mccfr sequence_lp=lp tree_routes=tree tree_solution=tree
solve solving.policies: best_response coach exploit=exploitability questions=state_sheets
solve solving: certificate=proofs certificates=proofs policy_files=policies
solve solving.proofs: checkers
solve solving: game_check=contract
solve solving.contract: checked_cells=examiner rules_check=examiner
solve solving.reduce: colour_refinement
solve : formats=interop
solve.formats interop: efg=gambit gambit nfg=gambit openspiel=openspiel_import
  openspiel_policy=openspiel_import
solve.formats solving.tree: tree_builder=builder tree_labels=builder
solve solving: exact_basis=exact fractions=exact game_sources=sources progress=methods solution=methods
  small_trees=sources tree tree_size=sources values=known_values
solve solving.tree: sequence_form tree_game=game
papers papers: catalogue=kinds
tune tuning: arena ascent=population best_response_search=best_response contest=arena exploitability=best_response
  final=tune methods outside=programs step=arena tuning=tune
tune tuning.methods: mixture_response=psro
tune.methods tuning.methods: duel=evolution halving=auto portfolio=psro reply=auto spsa=evolution
tuning tuning: contest=arena steps=arena
tune.outside tuning.programs: adjudication=uci_match function=contest function_worker openings=uci_worker
  parameter_file=parameters parameters program=contest uci_game=uci_match uci_limits=uci_match uci_options=uci_match
  uci_player=uci_match uci_worker
"""
_FORMER_PACKAGES = ("phantom", "solve", "tune")


@cache
def _former_modules() -> dict[str, str]:
    """Return the present names of modules by their former ones."""
    found = {}
    for line in _FORMER_MODULES.strip().replace("\n  ", " ").splitlines():
        packages, _, names = line.partition(":")
        old, _, new = packages.partition(" ")
        for name in names.split():
            before, _, now = name.partition("=")
            found[f"{ROOT}.{old}.{before}"] = ".".join(filter(None, (ROOT, new, now or before)))
    return found


def _new_name(name: str) -> str | None:
    package, _, module = name.rpartition(".")
    known = _former_modules()
    return known.get(name) or (f"{known[package]}.{module}" if package in known else None)


class _FormerFinder:
    """Import hook for the former names of modules."""

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        known = name.startswith(f"{ROOT}.") and _new_name(name)
        if known and name.partition(".")[2].rpartition(".")[0] in ROOMS and _Finder.find_spec(name):
            return None  # a plug-in has this name now
        return ModuleSpec(name, cls) if known else None  # type: ignore[arg-type]  # as the import system takes it

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Leave it to Python to make a module, which is not kept."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        name, new = module.__name__, _new_name(module.__name__)
        warnings.warn(f"{name} is deprecated: it is now {new}", DeprecationWarning, stacklevel=2)
        sys.modules[name] = import_module(str(new))


class _Finder:
    """Import hook for plug-in modules: used by other plug-ins, and by worker processes that unpickle them."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        root, *room = name.split(".")[:-1] or [name]
        if root != ROOT:
            return None
        former = ROOMS.get(".".join(room), Room("", "")).former.split(".")
        places = [folder.joinpath(*parts) for folder in _named() for parts in (room, former) if parts != [""]]
        return PathFinder.find_spec(name, [str(place) for place in places])


sys.meta_path.append(_Finder)  # last, so that a plug-in cannot replace a module of the package
sys.meta_path.insert(0, _FormerFinder)  # first, for a package of a new name has modules of old ones
for _package in _FORMER_PACKAGES:
    # As if imported: Python binds only what it imports itself, so `fogspiel.solve` and `fogspiel.tune` stay functions.
    sys.modules[f"{ROOT}.{_package}"] = ModuleType(f"{ROOT}.{_package}", "A package of before 1.0.")
    sys.modules[f"{ROOT}.{_package}"].__path__ = []
