"""The solution of The Resistance with spies who do not know each other: a double oracle, then fractions.

The game that the double oracle ends with is small. It is solved in fractions, and best replies in the whole game, in
fractions too, say whether both strategies are optimal there.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from ...games.resistance.setups import VERSION, name_of
from ..checkers.lone_spies import FORMAT, PREFIX, LoneCertificate
from ..checkers.primitives import digest_of
from ..double_oracle import Side, double_oracle, restricted_game
from ..fractions import Exact, exact_from, exact_of
from ..lp import Simplex, planner_of
from ..progress import Record
from ..row_generation import TOLERANCE, Growth
from ..sequence_form import Treeplex, exact_plan_of
from ..sequence_lp import program_of
from .lone_spies import LoneGame

Behaviour = list[Fraction]  # the probability of each sequence of a player, given its infoset


def rounds(game: LoneGame, stored: Sequence[Record]) -> Iterator[Growth]:
    """Grow the sequences of both teams until neither has a better reply; only new rounds are yielded.

    The last round of a finished search is played again, but has its record already.
    """
    return (growth for growth in double_oracle(game.form, records=stored) if growth.number > len(stored))


def exact_solution(game: LoneGame, records: Sequence[Record]) -> Exact:
    """Both strategies in fractions, from the sequences that all rounds have generated."""
    form = game.form
    sides = Side(form, 0, TOLERANCE), Side(form, 1, TOLERANCE)
    for record in records:
        for side in sides:
            side.add(record["added"][side.player])
    small = restricted_game(form, sides)
    planner = planner_of(small)
    simplex = Simplex(program_of(small, planner))
    found = exact_of(small, planner, simplex.optimum())
    plans = [
        exact_plan_of(side.treeplex, _whole(side, behaviour))
        for side, behaviour in zip(sides, found.behaviours, strict=True)
    ]
    return exact_from(form, *plans)


def _whole(side: Side, behaviour: Behaviour) -> Behaviour:
    """Behaviour in the whole game: the default where nothing was generated."""
    whole = [Fraction(int(allowed)) for allowed in side.allowed]
    for sequence, share in zip(np.flatnonzero(side.generated).tolist(), behaviour, strict=True):
        whole[sequence] = share
    return whole


def certificate(game: LoneGame, solution: Exact) -> LoneCertificate:
    """The solution as JSON can store it; the checker explains the keys."""
    resistance, spies = game.form.treeplexes
    lower, upper = 2 * solution.lower - 1, 2 * solution.upper - 1
    body: LoneCertificate = {
        "format": FORMAT,
        "game": PREFIX + name_of(game.setup),
        "rules": VERSION,
        "value": str((lower + upper) / 2),
        "lower": str(lower),
        "upper": str(upper),
        "resistance": _table(resistance, solution.behaviours[0], game.histories, game.missions),
        "spies": _table(spies, solution.behaviours[1], game.situations, game.orders),
        "digest": "",
    }
    body["digest"] = digest_of(body)
    return body


def _table(
    treeplex: Treeplex, behaviour: Behaviour, names: list[str], options: list[list[str]]
) -> dict[str, dict[str, str]]:
    """The strategy wherever it can come: names of infosets, and the probabilities of options that are chosen there."""
    reach = exact_plan_of(treeplex, behaviour)
    found = {}
    infosets = zip(names, options, treeplex.parent.tolist(), treeplex.first.tolist(), strict=True)
    for name, words, parent, first in infosets:
        if reach[parent]:
            shares = zip(words, behaviour[first : first + len(words)], strict=True)
            found[name] = {word: str(share) for word, share in shares if share}
    return found
