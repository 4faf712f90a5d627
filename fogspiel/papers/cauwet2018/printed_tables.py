"""Printed values of Tables II and III of Cauwet & Teytaud (2018)."""

from dataclasses import dataclass
from typing import NamedTuple

SEEDS, APPROXIMATE, ITERATIVE, NAIVE, REAL = (
    "seeds", "approximate-coevolution", "iterative", "naive", "real-coevolution",
)  # fmt: skip
# The methods of Table II, in its order; its "Coevol" is approximate coevolution.
METHODS = (SEEDS, APPROXIMATE, ITERATIVE, NAIVE, REAL)
CROSSED = (NAIVE, ITERATIVE, APPROXIMATE, REAL)  # the methods of Table III, in its order
EVEN = 0.5  # score of a method against itself
TABLE_2 = """
batawaf                0.627~0.004  0.626912~0.005    0.626671~0.004 0.628467~0.004       0.443975~0.003
batawaf4               0.606~0.004  0.626~0.005       0.626~0.004    0.620~0.004          0.544~0.003
war                    0.632~0.003  0.517~0.00666     0.653~0.012    0.632~0.018          0.487~0.005
war4                   0.623~0.017  0.623288~0.016    0.669~0.05     0.605~0.018          0.553~0.010
guesswho128            -            0.785714~0.113804 -              0.613484~0.000513042 0.597514~0.00160714
guesswho128-stochastic -            0.679~0.130       0.771~0.0876   1.0~0.0              0.615~0.00158
morra                  0.519~0.0013 0.526~0.0012      0.527~0.0016   0.523~0.001          0.518~0.001
nim                    0.74~0.0003  0.500~0.0007      0.589~0.002    -                    0.669~0.002
permutation-four       0.69~0.003   0.549~0.00096     0.657~0.004    -                    0.598~0.003
permutation-ttt        0.75~0.0012  0.445~0.000497    0.595~0.00138  0.445~0.000497       0.696~0.0011
pig                    0.505~0.003  0.507889~0.0012   0.522151~0.002 0.512262~0.0016      0.508092~0.0016
cheat                  0.845~0.003  0.783318~0.006    0.817416~0.029 0.802905~0.011       0.810882~0.007
cheat-special          0.6405~0.02  0.64~0.016        0.58~0.01      0.65~0.027           0.62~0.027
flip                   0.554~0.04   0.597727~0.017    0.588~0.022    0.593143~0.017       0.591314~0.016
four-in-a-row          0.63~0.03    -                 1.0~0.0        0.75~0.19            0.442308~0.10
battleship             0.77         -                 -              -                    -
"""  # for each of our games the scores of METHODS, each with the deviation that is printed after it
TABLE_3 = """
Batawaf             | 0.49   0.501  0.701  | 0.51   0.497  0.698  | 0.499  0.503  0.693  | 0.299  0.302  0.307
Batawaf4            | 0.311  0.301  0.385  | 0.689  0.507  0.562  | 0.699  0.493  0.573  | 0.615  0.438  0.427
War                 | 0.453  0.495  0.508  | 0.547  0.563  0.708  | 0.505  0.437  0.492  | 0.492  0.292  0.508
War4                | 0.489  0.495  0.493  | 0.511  0.424  0.47   | 0.505  0.576  0.576  | 0.507  0.53   0.424
Guess who-deter     | 0.8    0.489  0.498  | 0.2    0.208  0.14   | 0.511  0.792  0.502  | 0.502  0.86   0.498
Guess who           | 0.276  0.159  0.34   | 0.724  0.424  0.583  | 0.841  0.576  0.563  | 0.66   0.417  0.437
Morra               | 0.472  0.472  0.477  | 0.528  0.475  0.483  | 0.528  0.525  0.482  | 0.523  0.517  0.518
Nim                 | 0.5    0.0    0.5    | 0.5    0.0    0.0    | 1.0    1.0    0.0    | 0.5    1.0    1.0
Phantom-4-in-a-row  | 0.5    1.0    0.75   | 0.5    1.0    0.0    | 0.0    0.0    0.5    | 0.25   1.0    0.5
Phantom-tic-tac-toe | 0.75   0.5    0.5    | 0.25   0.0    0.5    | 0.5    1.0    0.0    | 0.5    0.5    1.0
Pig                 | 0.496  0.502  0.505  | 0.504  0.506  0.498  | 0.498  0.494  0.502  | 0.495  0.502  0.498
Cheat               | 0.0269 0.017  0.977  | 0.973  0.5    0.502  | 0.983  0.5    0.671  | 0.0235 0.498  0.329
Cheat-Special       | 0.497  0.499  0.5    | 0.503  0.658  0.5    | 0.501  0.342  0.5    | 0.5    0.5    0.5
Flip                | 0.428  0.439  0.439  | 0.572  0.437  0.432  | 0.561  0.563  0.437  | 0.561  0.568  0.563
4-in-a-row          | 0.427  0.494  0.503  | 0.573  0.494  0.57   | 0.506  0.506  0.604  | 0.497  0.43   0.396
Battleship
"""  # in the same order the title and for each of CROSSED its scores against the others; Battleship has none
# Games whose features or rules are our reconstruction: the facts that would make the figures comparable. Elsewhere our
# strategy is the paper's.
RECONSTRUCTED = {
    "pig": "needs the meaning of the one parameter and the target of the game, which the paper does not print",
    "cheat": "needs the 28 features of the quadratic value function and its random perturbation",
    "cheat-special": "needs the 28 features, and the generator that the 29th parameter feeds",
    "flip": "needs the 420 features and the deck; the speed game of footnote 3 needs its rule for simultaneous moves",
    "four-in-a-row": "needs the 14 parameters of the Monte-Carlo player and its number of simulations",
    "battleship": "needs the 33 parameters, the number of simulations, and more than the paper's 54 games",
}

Rows = tuple[tuple[float, ...], ...]


class PrintedScore(NamedTuple):
    """A score of Table II and the deviation printed after it, which is that of the evaluation alone."""

    score: float
    deviation: float | None


@dataclass(frozen=True)
class Line:
    title: str
    game: str
    scores: dict[str, PrintedScore]
    crossed: Rows | None = None
    comparable: bool = False  # true if our strategy is the paper's


def _printed_line(scores: str, crossed: str) -> Line:
    game, *cells = scores.split()
    title, *parts = crossed.split("|")
    against = [[float(score) for score in part.split()] for part in parts]
    rows = tuple((*row[:place], EVEN, *row[place:]) for place, row in enumerate(against))
    printed = {}
    for method, cell in zip(METHODS, cells, strict=True):
        score, _, deviation = cell.partition("~")
        if score != "-":
            printed[method] = PrintedScore(float(score), float(deviation) if deviation else None)
    return Line(title.strip(), game, printed, rows or None, game not in RECONSTRUCTED)


LINES = tuple(map(_printed_line, TABLE_2.strip().splitlines(), TABLE_3.strip().splitlines()))
