"""The certificate of a large tree, in the form that `checkers.large_tree_certificate` checks."""

from fractions import Fraction
from math import ceil, floor

import numpy as np

from .best_response import exploitability
from .certificate import Knowledge
from .checkers.large_tree_certificate import FORMAT, LargeTreeCertificate
from .checkers.primitives import digest_of
from .tree import Tree

UNITS = 10**9  # the common denominator of all probabilities
SPARE = 1e-9  # what the bounds leave for rounding errors of the floats that they are computed with


def whole_shares(tree: Tree, player: int, behaviour: np.ndarray) -> np.ndarray:
    """The probabilities of a player in units, rounded down; the likeliest action gets what is left."""
    shares: np.ndarray = np.floor(behaviour * UNITS).astype(np.int64)
    for infoset in tree.numbers(player).tolist():
        own = slice(int(tree.first[infoset]), int(tree.first[infoset] + tree.count[infoset]))
        row = shares[own]
        row[int(row.argmax())] += UNITS - int(row.sum())
    return shares


def lines_of(tree: Tree, player: int, shares: np.ndarray, known: Knowledge) -> list[str]:
    """The lines of a strategy: one for each infoset that the player can reach by it."""
    lines: list[str] = []
    decisions = {0: ""}  # behind each sequence in use: a line and an action
    for infoset in tree.numbers(player).tolist():
        before, first, count = int(tree.before[infoset]), int(tree.first[infoset]), int(tree.count[infoset])
        if before not in decisions:
            continue
        view, actions = known(infoset)
        row = shares[first : first + count].tolist()
        decisions |= {first + slot: f"{len(lines)} {actions[slot]}" for slot in range(count) if row[slot]}
        lines.append("|".join((decisions[before], *(" ".join(map(str, part)) for part in (view, actions, row)))))
    return lines


def large_certificate(
    name: str, version: int | str, tree: Tree, known: Knowledge, behaviours: tuple[np.ndarray, np.ndarray]
) -> LargeTreeCertificate:
    """The certificate of an interval by strategies in floats, which are rounded first."""
    shares = [whole_shares(tree, player, behaviours[player]) for player in (0, 1)]
    judged = exploitability(tree, *(np.concatenate(([1.0], row[1:] / UNITS)) for row in shares))
    lower = Fraction(floor((judged.lower - SPARE) * UNITS), UNITS)
    upper = Fraction(ceil((judged.upper + SPARE) * UNITS), UNITS)
    body: LargeTreeCertificate = {
        "format": FORMAT,
        "game": name,
        "rules": version,
        "value": str((lower + upper) / 2),
        "lower": str(lower),
        "upper": str(upper),
        "denominator": UNITS,
        "strategies": [lines_of(tree, player, shares[player], known) for player in (0, 1)],
        "digest": "",
    }
    body["digest"] = digest_of(body)
    return body
