"""fogspiel: a workbench for imperfect-information games."""

import _signal  # the module `signal` takes too long to import for what follows
import os
import sys

_PROGRAM = ("fogspiel", "fogspiel.exe", "fogspiel-script.py")
if sys.argv[:1] and sys.argv[0].endswith(_PROGRAM):
    # Until the command line handles signals, they end the program at once, by a sentence instead of a traceback.
    def _end(number: int, frame: object) -> None:
        os.write(2, b"interrupted before anything was begun\n")
        os._exit(130)

    for _number, _usual in ((_signal.SIGINT, _signal.default_int_handler), (_signal.SIGTERM, _signal.SIG_DFL)):
        if _signal.getsignal(_number) is _usual:
            _signal.signal(_number, _end)

import warnings  # noqa: E402
from importlib import import_module  # noqa: E402
from typing import TYPE_CHECKING  # noqa: E402

from .core import plugins as _plugins  # noqa: E402, F401  (from now on plug-in files can be imported by name)

if TYPE_CHECKING:
    from .api import (
        balance,
        bounds,
        check,
        compete,
        exact_score,
        exploit,
        find_policy,
        load_game,
        match,
        mixture_policy,
        open_store,
        play,
        report,
        sequence_form,
        solve,
        to_efg,
        to_nfg,
        tune,
        tune_function,
        vector_policy,
        verify,
    )
    from .core import BadInput, Damaged, FogspielError, NotFound, TooLarge
    from .core.compile.kernel import inlined as inlined
    from .core.compile.kernel import kernel
    from .core.compile.kernel import variant as variant
    from .core.game import CHANCE, DRAW, LOSS, OVER, WIN, Game, Rules, Sizes, Strategy, list_games
    from .core.rng import random_below, random_unit
    from .core.session import Session
    from .games.boards.board import DRAWS, GOES_ON, ILLEGAL, LOSES, WINS, Board
    from .games.phantom.look import phantom
    from .games.phantom_of import phantom_of
    from .interop.export import to_pettingzoo
    from .interop.openspiel_export import from_openspiel_policy, to_openspiel
    from .interop.openspiel_import import from_openspiel, to_openspiel_policy
    from .stats.race import Race
    from .tuning.arena import Arena, Step
    from .tuning.ask_tell import AskTell, method_of

__version__ = "1.0.0rc1"

__all__ = [
    "CHANCE", "DRAW", "DRAWS", "GOES_ON", "ILLEGAL", "LOSES", "LOSS", "OVER", "WIN", "WINS", "Arena", "AskTell",
    "BadInput", "Board", "Damaged", "FogspielError", "Game", "NotFound", "Race", "Rules", "Session", "Sizes", "Step",
    "Strategy", "TooLarge", "balance", "bounds", "check", "compete", "exact_score", "exploit", "find_policy",
    "from_openspiel", "from_openspiel_policy", "kernel", "list_games", "load_game", "match", "method_of",
    "mixture_policy", "open_store", "phantom", "phantom_of", "play", "random_below", "random_unit", "report",
    "sequence_form", "solve", "to_efg", "to_nfg", "to_openspiel", "to_openspiel_policy", "to_pettingzoo", "tune",
    "tune_function", "vector_policy", "verify",
]  # fmt: skip

# The public names of each module, which is imported when one of them is first used.
_NAMES = {
    "api": "play match tune solve bounds exploit verify check load_game open_store find_policy vector_policy "
    "mixture_policy exact_score tune_function to_efg to_nfg sequence_form report balance compete",
    "core": "FogspielError NotFound BadInput TooLarge Damaged",
    "core.compile.kernel": "kernel inlined variant",
    "core.game": "CHANCE OVER WIN DRAW LOSS Game Rules Sizes Strategy list_games",
    "core.rng": "random_below random_unit",
    "core.session": "Session",
    "games.boards.board": "Board DRAWS GOES_ON ILLEGAL LOSES WINS",
    "games.phantom.look": "phantom",
    "games.phantom_of": "phantom_of",
    "interop.openspiel_export": "to_openspiel from_openspiel_policy",
    "interop.openspiel_import": "from_openspiel to_openspiel_policy",
    "interop.export": "to_pettingzoo",
    "stats.race": "Race",
    "tuning.arena": "Arena Step",
    "tuning.ask_tell": "AskTell method_of",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}
# Deprecated names of before 1.0: the present place of the object, and the name to use instead.
_FORMER = {
    "Match": ("core.simulate.PolicyMatch", "match"),
    "PolicyMatch": ("core.simulate.PolicyMatch", "match"),
    "Store": ("runs.store.Store", "open_store"),
    "below": ("core.rng.random_below", "random_below"),
    "check_game": ("solving.contract.check_game", "check"),
    "evaluate": ("stats.evaluate.evaluate", "match"),
    "exploitability": ("runs.agent_parser.exploitability", "exploit"),
    "find_game": ("core.find.load_game", "load_game"),
    "openspiel_game": ("interop.openspiel_export.to_openspiel", "to_openspiel"),
    "openspiel_policy": ("interop.openspiel_import.to_openspiel_policy", "to_openspiel_policy"),
    "pettingzoo_env": ("interop.export.to_pettingzoo", "to_pettingzoo"),
    "policy_from_openspiel": ("interop.openspiel_export.from_openspiel_policy", "from_openspiel_policy"),
    "solve_game": ("runs.kinds.solve.solve_game", "solve"),
    "tune_strategy": ("tuning.tune.tune_strategy", "tune"),
    "unit": ("core.rng.random_unit", "random_unit"),
}


def __getattr__(name: str) -> object:
    if name in _FORMER:
        place, new = _FORMER[name]
        module, _, there = place.rpartition(".")
        warnings.warn(f"fogspiel.{name} is deprecated: use fogspiel.{new}", DeprecationWarning, stacklevel=2)
        return getattr(import_module(f".{module}", __name__), there)
    if name not in _HOMES:
        raise AttributeError(f"fogspiel has no {name!r}: it has {', '.join(__all__)}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
