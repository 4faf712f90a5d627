"""Games from and for other programs: Gambit's .efg and .nfg files, and the games of OpenSpiel."""

from ..solving.tree.builder import LabelledTree, Labels, describe
from .gambit_efg import from_efg, read_efg, to_efg
from .gambit_nfg import from_nfg, read_nfg, to_nfg
from .openspiel_import import from_openspiel
from .openspiel_policy import to_openspiel_policy

__all__ = [
    "LabelledTree",
    "Labels",
    "describe",
    "from_efg",
    "from_nfg",
    "from_openspiel",
    "read_efg",
    "read_nfg",
    "to_efg",
    "to_nfg",
    "to_openspiel_policy",
]
