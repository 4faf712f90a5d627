"""fogspiel: a workbench for games in which players cannot see everything."""

import _signal  # the module `signal` takes too long to import for what follows
import sys

_PROGRAM = ("fogspiel", "fogspiel.exe", "fogspiel-script.py")
if sys.argv[:1] and sys.argv[0].endswith(_PROGRAM) and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    # Until the command line takes signals, Ctrl-C ends the program at once, without a traceback out of an import.
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from importlib import import_module  # noqa: E402
from typing import TYPE_CHECKING  # noqa: E402

from .core import plugins as _plugins  # noqa: E402, F401  (from now on plug-in files can be imported by name)

if TYPE_CHECKING:
    from .core.agents import find_policy, mixture_policy, vector_policy
    from .core.compile.kernel import inlined as inlined
    from .core.compile.kernel import kernel
    from .core.compile.kernel import variant as variant
    from .core.exact_scores import exact_score
    from .core.find import load_game as find_game
    from .core.game import CHANCE, OVER, Game, Rules, Sizes, Strategy, list_games
    from .core.game import DRAW as DRAW
    from .core.game import LOSS as LOSS
    from .core.game import WIN as WIN
    from .core.rng import random_below as random_below
    from .core.rng import random_unit as random_unit
    from .core.session import Session
    from .core.simulate import PolicyMatch
    from .interop.openspiel_export import to_openspiel
    from .interop.pettingzoo_env import to_pettingzoo
    from .runs.agent_parser import exploitability
    from .runs.kinds.solve import solve_game
    from .runs.store import Store
    from .runs.tune_function import tune_function
    from .solving.contract.check import check_game
    from .solving.proofs.certificate_files import verify
    from .stats.evaluate import evaluate
    from .stats.race import Race
    from .tuning.tune import tune_strategy

__version__ = "1.0.0rc1"

__all__ = [
    "CHANCE",
    "OVER",
    "Game",
    "PolicyMatch",
    "Race",
    "Rules",
    "Session",
    "Sizes",
    "Store",
    "Strategy",
    "check_game",
    "evaluate",
    "exact_score",
    "exploitability",
    "find_game",
    "find_policy",
    "kernel",
    "list_games",
    "mixture_policy",
    "solve_game",
    "to_openspiel",
    "to_pettingzoo",
    "tune_function",
    "tune_strategy",
    "vector_policy",
    "verify",
]  # fmt: skip

_NAMES = {
    "core.agents": "find_policy mixture_policy vector_policy",
    "core.compile.kernel": "kernel inlined variant",
    "core.exact_scores": "exact_score",
    "core.find": "load_game load_game:find_game",
    "core.game": "CHANCE OVER WIN DRAW LOSS Game Rules Sizes Strategy list_games",
    "core.rng": "random_below random_unit random_below:below random_unit:unit",
    "core.session": "Session",
    "core.simulate": "PolicyMatch PolicyMatch:Match",
    "interop.openspiel_export": "to_openspiel to_openspiel:openspiel_game",
    "interop.pettingzoo_env": "to_pettingzoo to_pettingzoo:pettingzoo_env",
    "runs.kinds.solve": "solve_game",
    "runs.store": "Store",
    "runs.tune_function": "tune_function",
    "solving.contract.check": "check_game",
    "runs.agent_parser": "exploitability",
    "solving.proofs.certificate_files": "verify",
    "stats.evaluate": "evaluate",
    "stats.race": "Race",
    "tuning.tune": "tune_strategy",
}  # the public names of each module (`name:public_name` where they differ), which is imported when one is first used
_HOMES = {
    word.rpartition(":")[2]: (module, word.partition(":")[0])
    for module, words in _NAMES.items()
    for word in words.split()
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"fogspiel has no {name!r}: it has {', '.join(__all__)}")
    module, there = _HOMES[name]
    return getattr(import_module(f".{module}", __name__), there)


def __dir__() -> list[str]:
    return __all__
