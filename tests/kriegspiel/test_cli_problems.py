"""Kriegspiel problems at the command line."""

import pytest

pytestmark = pytest.mark.thorough

WORDS = ("kriegspiel", "problem", "--white", "Kc6,Rh1")


def test_problems_are_listed_shown_and_solved(answer):
    listed = answer("kriegspiel", "problems")["problems"]
    assert [problem["number"] for problem in listed] == list(range(1, 13))
    assert "tree" not in answer("kriegspiel", "problems", 1)
    assert answer("kriegspiel", "problems", 1, "--solution")["moves"] == listed[0]["mate_in"]
    found = answer(*WORDS, "--kings", "a8,b8", "--mate-in", 2)
    assert found["keys"] == ["c6c7"] and found["tree"]["attempt"] == "c6c7"


@pytest.mark.parametrize(
    "words",
    [("kriegspiel", "problems", 99), ("kriegspiel", "problems", "--play"), (*WORDS, "--kings", "z9"), WORDS,
     ("kriegspiel", "problem", "nowhere.json")],
)  # fmt: skip
def test_wrong_input_gets_a_sentence(words, fogspiel):
    outcome = fogspiel(*words)
    assert outcome.returncode == 2 and len(outcome.stderr.strip().splitlines()) == 1
