"""Monte Carlo regret minimisation straight on the rules, for trees too large to be built; bounds by best responses."""

from ..methods import SolveMethod, lazy_function

ROUTES = tuple(
    SolveMethod(name, lazy_function("solve.sampling.solution", f"solve_by_{name.replace('-', '_')}"), samples=True)
    for name in ("external-sampling", "outcome-sampling")
)
