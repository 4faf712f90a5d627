"""The claims of Teytaud and Teytaud (2011) about phantom tic-tac-toe and phantom ponnuki, checked by machine."""

from collections.abc import Iterator

from ...runs.report import Table
from ...solving.methods.phantom.solver import opening_values, solution
from ..catalogue import Computation, Computed, Options, Say
from .lemma_claims import lemma_claims
from .ponnuki_claims import ponnuki_claims
from .tictactoe_claims import Claim, slips, tictactoe_claims


def value_claims() -> Iterator[Claim]:
    """The value of phantom tic-tac-toe, which the paper could only bound, and that of each opening."""
    found = solution("phantom-ttt")
    bounds = "between 3/4 and 767/768"
    yield Claim("the value of phantom tic-tac-toe", bounds, f"{found.lower} (exact)", "right, and settled")
    for cell, value in opening_values("phantom-ttt").items():
        yield Claim(
            f"the value if Black opens at {cell} or a cell symmetric to it, drawn in secret", "-", str(value), "new"
        )


def claims() -> Iterator[Claim]:
    """Everything, in the order of the paper."""
    yield from tictactoe_claims()
    yield from value_claims()
    yield from ponnuki_claims()
    yield from lemma_claims()
    yield from slips()


def compute(options: Options, say: Say) -> Computed:
    """Every claim with its verdict."""
    found = []
    for claim in claims():
        say(claim.claim)
        found.append(claim)
    title = "Teytaud & Teytaud 2011, checked (classical phantom games; scores of Black, a draw counts 1/2)"
    facts = {"paper": "phantom", "variant": "classical", "claims": [claim.to_json() for claim in found]}
    return Computed(facts, [Table("claims", title, ("claim", "paper", "ours", "verdict"), found)])


EXPERIMENTS = (Computation("phantom", "Teytaud & Teytaud 2011", compute, place=8),)
