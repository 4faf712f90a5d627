"""What Cauwet & Teytaud (2018) print in Tables II and III, and what of it our games can be compared with."""

from dataclasses import dataclass
from typing import NamedTuple

CAUWET = "Cauwet & Teytaud 2018"
"""The paper, in lists."""
SEEDS, APPROXIMATE, ITERATIVE, NAIVE, REAL = (
    "seeds", "approximate-coevolution", "iterative", "naive", "real-coevolution",
)  # fmt: skip
METHODS = (SEEDS, APPROXIMATE, ITERATIVE, NAIVE, REAL)
"""The methods of Table II, in its order; its "Coevol" is approximate coevolution."""
CROSSED = (NAIVE, ITERATIVE, APPROXIMATE, REAL)
"""The methods of Table III, in its order."""

Rows = tuple[tuple[float, ...], ...]


class Cell(NamedTuple):
    """A score of Table II and the deviation printed after it, which is that of the evaluation alone."""

    score: float
    deviation: float | None


@dataclass(frozen=True)
class Line:
    """One game of the two tables."""

    title: str
    game: str
    scores: dict[str, Cell]
    crossed: Rows | None = None
    comparable: bool = False
    """Whether our strategy is the paper's; elsewhere features or rules are our reconstruction."""


def _cells(**scores: tuple[float, float | None]) -> dict[str, Cell]:
    short = {"seed": SEEDS, "coevol": APPROXIMATE, "iterative": ITERATIVE, "naive": NAIVE, "real": REAL}
    return {short[name]: Cell(*cell) for name, cell in scores.items()}


LINES = (
    Line(
        "Batawaf",
        "batawaf",
        _cells(
            seed=(0.627, 0.004), coevol=(0.626912, 0.005), iterative=(0.626671, 0.004), naive=(0.628467, 0.004),
            real=(0.443975, 0.003),
        ),
        ((0.5, 0.49, 0.501, 0.701), (0.51, 0.5, 0.497, 0.698), (0.499, 0.503, 0.5, 0.693), (0.299, 0.302, 0.307, 0.5)),
        comparable=True,
    ),
    Line(
        "Batawaf4",
        "batawaf4",
        _cells(
            seed=(0.606, 0.004), coevol=(0.626, 0.005), iterative=(0.626, 0.004), naive=(0.620, 0.004),
            real=(0.544, 0.003),
        ),
        (
            (0.5, 0.311, 0.301, 0.385), (0.689, 0.5, 0.507, 0.562), (0.699, 0.493, 0.5, 0.573),
            (0.615, 0.438, 0.427, 0.5),
        ),
        comparable=True,
    ),
    Line(
        "War",
        "war",
        _cells(
            seed=(0.632, 0.003), coevol=(0.517, 0.00666), iterative=(0.653, 0.012), naive=(0.632, 0.018),
            real=(0.487, 0.005),
        ),
        (
            (0.5, 0.453, 0.495, 0.508), (0.547, 0.5, 0.563, 0.708), (0.505, 0.437, 0.5, 0.492),
            (0.492, 0.292, 0.508, 0.5),
        ),
        comparable=True,
    ),
    Line(
        "War4",
        "war4",
        _cells(
            seed=(0.623, 0.017), coevol=(0.623288, 0.016), iterative=(0.669, 0.05), naive=(0.605, 0.018),
            real=(0.553, 0.010),
        ),
        ((0.5, 0.489, 0.495, 0.493), (0.511, 0.5, 0.424, 0.47), (0.505, 0.576, 0.5, 0.576), (0.507, 0.53, 0.424, 0.5)),
        comparable=True,
    ),
    Line(
        "Guess who-deter",
        "guesswho128",
        _cells(coevol=(0.785714, 0.113804), naive=(0.613484, 0.000513042), real=(0.597514, 0.00160714)),
        ((0.5, 0.8, 0.489, 0.498), (0.2, 0.5, 0.208, 0.14), (0.511, 0.792, 0.5, 0.502), (0.502, 0.86, 0.498, 0.5)),
        comparable=True,
    ),
    Line(
        "Guess who",
        "guesswho128-stochastic",
        _cells(coevol=(0.679, 0.130), iterative=(0.771, 0.0876), naive=(1.0, 0.0), real=(0.615, 0.00158)),
        ((0.5, 0.276, 0.159, 0.34), (0.724, 0.5, 0.424, 0.583), (0.841, 0.576, 0.5, 0.563), (0.66, 0.417, 0.437, 0.5)),
        comparable=True,
    ),
    Line(
        "Morra",
        "morra",
        _cells(
            seed=(0.519, 0.0013), coevol=(0.526, 0.0012), iterative=(0.527, 0.0016), naive=(0.523, 0.001),
            real=(0.518, 0.001),
        ),
        (
            (0.5, 0.472, 0.472, 0.477), (0.528, 0.5, 0.475, 0.483), (0.528, 0.525, 0.5, 0.482),
            (0.523, 0.517, 0.518, 0.5),
        ),
        comparable=True,
    ),
    Line(
        "Nim",
        "nim",
        _cells(seed=(0.74, 0.0003), coevol=(0.500, 0.0007), iterative=(0.589, 0.002), real=(0.669, 0.002)),
        ((0.5, 0.5, 0.0, 0.5), (0.5, 0.5, 0.0, 0.0), (1.0, 1.0, 0.5, 0.0), (0.5, 1.0, 1.0, 0.5)),
        comparable=True,
    ),
    Line(
        "Phantom-4-in-a-row",
        "permutation-four",
        _cells(seed=(0.69, 0.003), coevol=(0.549, 0.00096), iterative=(0.657, 0.004), real=(0.598, 0.003)),
        ((0.5, 0.5, 1.0, 0.75), (0.5, 0.5, 1.0, 0.0), (0.0, 0.0, 0.5, 0.5), (0.25, 1.0, 0.5, 0.5)),
        comparable=True,
    ),
    Line(
        "Phantom-tic-tac-toe",
        "permutation-ttt",
        _cells(
            seed=(0.75, 0.0012), coevol=(0.445, 0.000497), iterative=(0.595, 0.00138), naive=(0.445, 0.000497),
            real=(0.696, 0.0011),
        ),
        ((0.5, 0.75, 0.5, 0.5), (0.25, 0.5, 0.0, 0.5), (0.5, 1.0, 0.5, 0.0), (0.5, 0.5, 1.0, 0.5)),
        comparable=True,
    ),
    Line(
        "Pig",
        "pig",
        _cells(
            seed=(0.505, 0.003), coevol=(0.507889, 0.0012), iterative=(0.522151, 0.002), naive=(0.512262, 0.0016),
            real=(0.508092, 0.0016),
        ),
        (
            (0.5, 0.496, 0.502, 0.505), (0.504, 0.5, 0.506, 0.498), (0.498, 0.494, 0.5, 0.502),
            (0.495, 0.502, 0.498, 0.5),
        ),
    ),
    Line(
        "Cheat",
        "cheat",
        _cells(
            seed=(0.845, 0.003), coevol=(0.783318, 0.006), iterative=(0.817416, 0.029), naive=(0.802905, 0.011),
            real=(0.810882, 0.007),
        ),
        (
            (0.5, 0.0269, 0.017, 0.977), (0.973, 0.5, 0.5, 0.502), (0.983, 0.5, 0.5, 0.671),
            (0.0235, 0.498, 0.329, 0.5),
        ),
    ),
    Line(
        "Cheat-Special",
        "cheat-special",
        _cells(
            seed=(0.6405, 0.02), coevol=(0.64, 0.016), iterative=(0.58, 0.01), naive=(0.65, 0.027), real=(0.62, 0.027)
        ),
        ((0.5, 0.497, 0.499, 0.5), (0.503, 0.5, 0.658, 0.5), (0.501, 0.342, 0.5, 0.5), (0.5, 0.5, 0.5, 0.5)),
    ),
    Line(
        "Flip",
        "flip",
        _cells(
            seed=(0.554, 0.04), coevol=(0.597727, 0.017), iterative=(0.588, 0.022), naive=(0.593143, 0.017),
            real=(0.591314, 0.016),
        ),
        (
            (0.5, 0.428, 0.439, 0.439), (0.572, 0.5, 0.437, 0.432), (0.561, 0.563, 0.5, 0.437),
            (0.561, 0.568, 0.563, 0.5),
        ),
    ),
    Line(
        "4-in-a-row",
        "four-in-a-row",
        _cells(seed=(0.63, 0.03), iterative=(1.0, 0.0), naive=(0.75, 0.19), real=(0.442308, 0.10)),
        (
            (0.5, 0.427, 0.494, 0.503), (0.573, 0.5, 0.494, 0.57), (0.506, 0.506, 0.5, 0.604),
            (0.497, 0.43, 0.396, 0.5),
        ),
    ),
    Line("Battleship", "battleship", _cells(seed=(0.77, None))),
)  # fmt: skip
