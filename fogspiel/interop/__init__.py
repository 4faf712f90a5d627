"""Import and export of games: Gambit's .efg and .nfg files, other trees as text, and the games of OpenSpiel."""

from pathlib import Path
from typing import Any

from ..core.agents import Agent
from ..core.find import OPENSPIEL, REMEMBER, digest_of_file, slug
from ..core.game import Game
from ..solving.sources import TreeSource
from ..solving.tree.builder import LabelledTree, Labels, describe
from .gambit import from_efg, from_nfg, read_efg, read_nfg, to_efg, to_nfg, to_svg
from .openspiel_import import from_openspiel, to_openspiel_policy
from .text_trees import from_game, from_zerosum, read_text_tree

__all__ = [
    "LabelledTree",
    "Labels",
    "describe",
    "from_efg",
    "from_game",
    "from_nfg",
    "from_openspiel",
    "from_zerosum",
    "read_efg",
    "read_nfg",
    "read_text_tree",
    "to_efg",
    "to_nfg",
    "to_openspiel_policy",
    "to_svg",
]


def openspiel_source(words: str) -> TreeSource:
    name = words.removeprefix(OPENSPIEL)
    plain, remember = name.removesuffix(REMEMBER), name.endswith(REMEMBER)
    return TreeSource(
        slug(words) or "game",
        f"OpenSpiel {name}",
        words,
        lambda most, watch: from_openspiel(plain, most, remember=remember, watch=watch),
    )


FILE_READERS = {".efg": read_efg, ".nfg": read_nfg, ".game": read_text_tree, ".txt": read_text_tree}


def file_source(words: str) -> TreeSource:
    file, read = Path(words), FILE_READERS[Path(words).suffix]
    return TreeSource(slug(file.stem) or "game", digest_of_file(file), words, lambda most, _: read(file, most))


def openspiel_agent(game: Game, policy: Any) -> Agent | None:
    if not (hasattr(policy, "action_probabilities") or hasattr(policy, "get_state_policy")):
        return None
    from .openspiel_export import from_openspiel_policy

    return from_openspiel_policy(game, policy)


READERS = {OPENSPIEL: openspiel_source, **dict.fromkeys(FILE_READERS, file_source)}
"""Readers of trees by the beginning or ending of the words that name one."""
POLICY_READERS = {"openspiel": openspiel_agent}
"""Makers of agents from objects of other programs."""
