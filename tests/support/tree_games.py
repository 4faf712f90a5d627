"""Games on trees, with everything that a file may hold: weighted chance, equal and missing names, uneven payoffs."""

from fogspiel.interop import from_efg
from fogspiel.runs.kinds.solve import SolveTask
from fogspiel.runs.requests import SolveRequest
from fogspiel.solving.methods import find_solve_method
from fogspiel.solving.sources import KernelSource
from fogspiel.solving.tree.game import game_of_tree

COLOURS = {"red": "1/3", "black": "1/2", "blue": "1/6"}
PAYOFFS = {
    "red": ("0", "1/2", "-1", "3", "1", "-1", "2"),
    "black": ("1/3", "-1", "1", "0", "2", "-3", "1"),
    "blue": ("-1", "1", "1/2", "-1", "-1/3", "3", "-1"),
}


def _leaf(colour: str, number: int) -> str:
    pay = PAYOFFS[colour][number]
    other = pay[1:] if pay.startswith("-") else f"-{pay}"
    return f't "" {1 + 7 * list(COLOURS).index(colour) + number} "" {{ {pay}, {other} }}'


def _branch(number: int, colour: str) -> str:
    """Ann sees a colour, and stays or goes in two ways; Bob sees that she goes, and does not see how."""
    lines = [f'p "" 1 {number} "{colour}" {{ "stay" "go" "go" }} 0', _leaf(colour, 0)]
    for way in (1, 4):
        lines += ['p "" 2 1 "" { "left" "" } 0', _leaf(colour, way)]
        lines += ['c "" 2 "" { "x" 1/4 "y" 3/4 } 0', _leaf(colour, way + 1), _leaf(colour, way + 2)]
    return "\n".join(lines)


URNS_TEXT = "\n".join(
    [
        'EFG 2 R "Urns" { "Ann" "Bob" }',
        'c "" 1 "" {{ {} }} 0'.format(" ".join(f'"{colour}" {chance}' for colour, chance in COLOURS.items())),
        *(_branch(number, colour) for number, colour in enumerate(COLOURS, 1)),
    ]
)
URNS_TREE = from_efg(URNS_TEXT)
URNS = game_of_tree(URNS_TREE, "urns")
GAMES = (URNS,)


def solve_problem(problem):
    """The exact solution of a problem that has no name in the catalogue."""
    request = SolveRequest(problem.name, exact=True, refine="none")
    return SolveTask(request, problem, find_solve_method("lp")).solve(lambda stage: None)


def solve_exactly(game):
    """The exact solution of a game that has no name in the catalogue."""
    return solve_problem(KernelSource(game, game.name))
