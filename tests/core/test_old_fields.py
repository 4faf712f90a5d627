"""Game files in the old words: keywords are accepted silently, attributes with a warning."""

import textwrap
import warnings
from dataclasses import replace

import numpy as np
import pytest

import fogspiel
from fogspiel.core.agents import find_policy
from fogspiel.core.session import Session
from fogspiel.runs.kind import Kind
from fogspiel.tuning.arena import Step

FILE = """
    from fogspiel import Game, Rules, Sizes, Strategy, load_game
    from fogspiel.core.game import any_action, nothing_to_prepare

    nim = load_game("nim")
    family = Strategy(
        "old", (), plan=1, prepare=nothing_to_prepare, choose=any_action, hashed=(), halves=False, words=lambda t: "x"
    )
    GAMES = [
        Game("old-words", nim.rules, nim.sizes, kind="Sticks", named={"any": family}, about={"any": "whatever"})
    ]
"""


def test_a_game_file_in_the_old_words_is_played(tmp_path):
    file = tmp_path / "old_words.py"
    file.write_text(textwrap.dedent(FILE))
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        game = fogspiel.load_game(f"{file}:old-words")
        assert fogspiel.match(game, "any", "uniform", games=10).games == 10
    assert (game.category, list(game.policies), game.policy_notes) == ("Sticks", ["any"], {"any": "whatever"})
    assert game.policies["any"].plan_size == 1 and game.policies["any"].describe(np.zeros(0)) == "x"


def test_old_fields_work_and_warn():
    game = fogspiel.load_game("nim")
    for old, new in {"named": "policies", "kind": "category", "about": "policy_notes", "top": "max_score"}.items():
        with pytest.warns(DeprecationWarning, match=f"Game.{old} is deprecated: use {new}"):
            assert getattr(game, old) == getattr(game, new)
    policy, session = find_policy(game, "uniform"), Session(game)
    with pytest.warns(DeprecationWarning, match="use selection"):
        assert policy.how == policy.selection
    with pytest.warns(DeprecationWarning, match="use payoff_index"):
        assert session.score is None
    assert replace(game, named={}).policies == {} and replace(game, policies={}).policies == {}


def test_results_and_policies_have_their_old_names_too():
    score = fogspiel.match("kuhn", "uniform", "uniform", games=10)
    with pytest.warns(DeprecationWarning, match="as_json is deprecated: use to_json"):
        assert score.as_json() == score.to_json()
    step = Step(np.zeros(1), True, 1.0, reason="because")
    for old, new in {"answer": "recommendation", "why": "reason"}.items():
        with pytest.warns(DeprecationWarning, match=f"Step.{old} is deprecated: use {new}"):
            assert getattr(step, old) == getattr(step, new)


def test_a_kind_in_the_old_words_is_accepted():
    class Old(Kind):
        def made(self, method):
            return method == "old"

        def lines(self, run, delivered):
            yield "line"

    assert Old().handles("old") and list(Old().terminal_lines(None, None)) == ["line"]
