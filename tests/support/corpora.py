"""Every .efg and .nfg file of another project's checkout: read, solved, verified, and compared with pygambit's value.

python -m support.corpora FOLDER ..    # in tests; prints how many are solved, equal, and refused, and why
"""

import re
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from fogspiel.runs.kinds.solve import solve_unstored
from fogspiel.runs.requests import SolveRequest
from fogspiel.solving.proofs import verify

REASONS = {
    "other than two players": r"only games of two players|names \d+ players?|payoffs, but there are two players",
    "not constant-sum": "the sum must be the same everywhere",
    "imperfect recall": "only games with perfect recall",
    "not by the format": "line |no Gambit|UTF-8",
}
UNSOLVED = "unsolved"


class Outcome(NamedTuple):
    value: Fraction | None = None
    gambit: Fraction | None = None
    refusal: str = ""  # the sentence

    @property
    def reason(self) -> str:
        return next((reason for reason, words in REASONS.items() if re.search(words, self.refusal)), UNSOLVED)


def files_of(folder: Path) -> list[Path]:
    return sorted(path for ending in ("efg", "nfg") for path in folder.rglob(f"*.{ending}"))


def outcome_of(path: Path) -> Outcome:
    """Return the value that we prove, or our refusal; and pygambit's value."""
    try:
        found = solve_unstored(SolveRequest(str(path), exact=True))
    except ValueError as error:
        return Outcome(None, gambit_value(path), str(error))
    if not found.exact or found.certificate is None:
        return Outcome(None, gambit_value(path), f"not exact: {found.words}")
    value = Fraction(found.value)
    assert verify(found.certificate, str(path)) == (value, value)
    return Outcome(value, gambit_value(path))


def gambit_value(path: Path) -> Fraction | None:
    """Return the first player's payoff in Gambit's rational linear program; None where it refuses or is not there."""
    try:
        import pygambit
    except ImportError:
        return None
    try:
        game = (pygambit.read_efg if path.suffix == ".efg" else pygambit.read_nfg)(str(path))
        if len(game.players) != 2 or not (game.is_const_sum and game.is_perfect_recall):
            return None
        profile = pygambit.nash.lp_solve(game, rational=True).equilibria[0]
        return Fraction(str(profile.payoff(next(iter(game.players)))))
    except (RuntimeError, ValueError, IndexError):
        return None


def main() -> None:
    for folder in map(Path, sys.argv[1:]):
        outcomes = {path: outcome_of(path) for path in files_of(folder)}
        solved = {path: found for path, found in outcomes.items() if found.value is not None}
        equal = sum(found.value == found.gambit for found in solved.values())
        known = sum(found.gambit is not None for found in outcomes.values())
        print(
            f"{folder}: {len(outcomes)} files, {len(solved)} solved and verified; {equal} of pygambit's {known} equal"
        )
        for path, found in outcomes.items():
            if found.value != found.gambit:
                print(f"  {path.relative_to(folder)}: {found.refusal or found.value}, pygambit's {found.gambit}")
        reasons = Counter(found.reason for found in outcomes.values() if found.refusal)
        for reason, count in reasons.most_common():
            print(f"  {count} refused: {reason}")


if __name__ == "__main__":
    main()
