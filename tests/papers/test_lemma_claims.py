"""What the paper says beside its proofs, and Lemma 2 as a command."""

from fractions import Fraction

import pytest

from fogspiel.papers import teytaud2011 as claims
from fogspiel.papers.claims import ERROR, Verdict
from fogspiel.papers.teytaud2011 import cells, matrix_node
from fogspiel.runs.requests import BoundsRequest
from fogspiel.solving.bounds import TO_THE_END, Schedule, informed_bounds
from fogspiel.solving.bounds.lemma_two import InformedGame, Turns, informed_board
from fogspiel.solving.methods import run_to_end
from fogspiel.solving.proofs import verify


@pytest.mark.thorough
def test_table_one_is_a_diagonal():
    """Each strategy gets nothing against the family that it is not made for, so that the value is the paper's 1/3."""
    *entries, value = claims.table_claims()
    assert [claim.found(ERROR) for claim in entries] == ["1/2", "0", "0", "1"]
    assert value.found(ERROR) == "1/3" and {claim.verdict(ERROR) for claim in entries} == {Verdict.HOLDS, Verdict.NEW}
    families = [claims.family_of(world) for world in matrix_node()[1].tolist()]
    assert families.count(claims.FAMILIES[1]) == 2
    assert claims.family_of(cells("C4", "D1")) == claims.FAMILIES[1]
    assert claims.family_of(cells("C4", "A1")) == claims.FAMILIES[0]


def test_lemma_four_is_tight_and_one_cell_is_lost():
    assert claims.tightness_claim().verdict(ERROR) == Verdict.HOLDS
    assert claims.solve_exactly(claims.guessing_game(5)).value == Fraction(4, 5)
    assert claims.one_cell_claim().found(ERROR) == "White"


@pytest.mark.parametrize(
    "game, words, value",
    [
        ("phantom-ponnuki-2x2", "T:all", "0"),
        ("phantom-ponnuki-2x2", "T:none", "1/2"),
        ("phantom-ponnuki-2x3", "T:all", "0"),
        ("phantom-ponnuki-2x3", "T:3", "1/2"),
        pytest.param("phantom-ttt", "T:all", "1/2", marks=pytest.mark.thorough),
    ],
)
def test_lemma_two_literally_depends_on_the_set_t(game, words, value):
    assert InformedGame(informed_board(game), Turns.parse(words)).value() == Fraction(value)


def test_the_words_of_a_schedule():
    assert Schedule.parse("every") == (1, 1) and Schedule.parse("every:3") == (3, 3)
    assert Schedule.parse("once") == (1, TO_THE_END) and Schedule.parse("once:2") == (2, TO_THE_END)
    assert Schedule.parse("never") == (TO_THE_END, TO_THE_END)
    for words in ("", "often", "every:0", "every:", "never:2", "once:100"):
        with pytest.raises(ValueError, match="must be every, every:K, once, once:K or never"):
            Schedule.parse(words)


@pytest.mark.parametrize(
    "name, words, bounds",
    [
        ("2x2", "every", "1/2 1/2"),
        ("2x2", "never", "1/2 1/2"),
        pytest.param("3x3", "once", "1 1", marks=pytest.mark.slow),
    ],
)
def test_informed_bounds_are_proved(name, words, bounds):
    proof = run_to_end(informed_bounds(f"phantom-ponnuki-{name}", Schedule.parse(words)))
    assert f"{proof['lower']} {proof['upper']}" == bounds
    assert verify(proof) == (Fraction(proof["lower"]), Fraction(proof["upper"]))


def test_an_informed_run_is_asked_for_and_kept():
    request = BoundsRequest("phantom-ponnuki-2x2", informed="once:2")
    assert BoundsRequest.from_json(request.to_json()) == request
    assert "informed" not in BoundsRequest("phantom-ponnuki-2x2").to_json()
    with pytest.raises(ValueError, match="too large for an informed opponent"):
        BoundsRequest("phantom-ponnuki-5x5", informed="every")


def test_informed_work_goes_on_from_what_was_saved():
    whole = run_to_end(informed_bounds("phantom-ponnuki-2x2", Schedule.parse("every")))
    steps = informed_bounds("phantom-ponnuki-2x2", Schedule.parse("every"))
    saved = next(steps).saved
    steps.close()
    assert run_to_end(informed_bounds("phantom-ponnuki-2x2", Schedule.parse("every"), saved=saved)) == whole


@pytest.mark.slow
def test_bandits_stay_below_their_proven_means():
    assert [claim.verdict(ERROR) for claim in claims.bandit_claims()] == [Verdict.HOLDS] * 2
