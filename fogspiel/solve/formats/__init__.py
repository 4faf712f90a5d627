"""Games from and for other programs: Gambit's .efg and .nfg files, and the games of OpenSpiel."""

from .efg import efg_text, from_efg, read_efg
from .nfg import from_nfg, nfg_text, read_nfg
from .openspiel import from_openspiel
from .openspiel_policy import tabular_policy
from .tree_labels import LabelledTree, Labels, describe

__all__ = [
    "LabelledTree",
    "Labels",
    "describe",
    "efg_text",
    "from_efg",
    "from_nfg",
    "from_openspiel",
    "nfg_text",
    "read_efg",
    "read_nfg",
    "tabular_policy",
]
