"""The solution of any game by its whole tree: presolve, a search for an equilibrium, then exact bounds and a proof."""

from dataclasses import replace
from fractions import Fraction

from .best_response import exact_exploitability, exploitability
from .certificate import certificate
from .fractions import round_strategy
from .game_sources import Problem
from .large_certificate import large_certificate
from .presolve.pipeline import Reduced, presolve_tree
from .progress import Options, Progress, Saved, Work
from .solution import Solution
from .tree import Tree, sequence_form
from .tree_routes import Find, Found

# Nodes of a tree up to which its strategies are judged in fractions; those of a larger one are certified in units.
EASY_TO_CHECK = 1_000_000
# Nodes of a tree and its infosets up to which there is a certificate that is checked within ten minutes.
MOST_CHECKED, MOST_LINES = 12_000_000, 500_000
QUICKLY_EXACT = 20_000  # nodes up to which the exact value is looked for without being asked
FINE = 10**9  # the largest denominator of a probability in the certificate of strategies that are not exact


def solve_tree(problem: Problem, options: Options, find: Find, saved: Saved) -> Work:
    """Solve a game by its whole tree."""
    tree = problem.tree(options.memory)
    yield Progress("presolve")
    reduced = presolve_tree(tree)
    found = yield from find(reduced, saved)
    yield Progress("exact bounds")
    found = replace(found, sizes={"nodes": tree.nodes, **sequence_form(tree).sizes, **found.sizes})
    if tree.nodes > EASY_TO_CHECK:
        if tree.nodes <= MOST_CHECKED and len(tree.owner) <= MOST_LINES and not options.exact:
            known = problem.knowledge(tree)
            large = large_certificate(problem.name, problem.version, tree, known, found.behaviours)
            return Solution.proved(found.solver, found.sizes, large)
        return _without_certificate(tree, found, options.exact)
    behaviours = _in_fractions(tree, reduced, found, options.exact)
    judged = exact_exploitability(tree, *behaviours)
    bounds = (judged.lower, judged.upper)
    proof = certificate(problem.name, problem.version, tree, problem.knowledge(tree), behaviours, bounds)
    return Solution.proved(found.solver, found.sizes, proof)


def _in_fractions(tree: Tree, reduced: Reduced, found: Found, insist: bool) -> tuple[list[Fraction], list[Fraction]]:
    """The strategies in fractions: exact where there is a vertex to start from, else close to the floats."""
    if found.exactly is not None and (insist or tree.nodes <= QUICKLY_EXACT):
        return reduced.lift(*found.exactly().behaviours)
    first, second = (round_strategy(tree.treeplex(player), found.behaviours[player], FINE) for player in (0, 1))
    return first, second


def _without_certificate(tree: Tree, found: Found, insist: bool) -> Solution:
    """The solution of a tree that is too large to be judged in fractions.

    The exact bounds are those of the reduced game, which has the same value; in the whole game they are only checked
    in floats.
    """
    judged = exploitability(tree, *found.behaviours)
    solution = Solution.bounded(found.solver, found.sizes, judged.lower, judged.upper)
    if insist and found.exactly is not None and (exact := found.exactly()).proved:
        text = str(exact.value)
        return replace(solution, value=text, lower=text, upper=text, exact=True, score=float(exact.value))
    return solution
