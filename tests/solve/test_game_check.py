"""`fogspiel check`: sound games pass, and whatever is wrong with a game is one sentence that says where."""

import json

import pytest
from support.levels import default_cases

from fogspiel import match
from fogspiel.cli.commands.games import _facts
from fogspiel.core.find import write_template
from fogspiel.core.game import known_game
from fogspiel.solving import contract
from fogspiel.solving.contract import check_game, compiler_words

LEGAL = "    out[0] = 0\n    out[1] = 1\n    return 2\n"
LAST = "    out[REPLY] = state[REPLY]\n"

BROKEN = {
    "wrong signature": (
        ("def legal(state, out):", "def legal(state):"),
        ("legal", "legal takes (state)", "legal(state, out)", "@kernel"),
    ),
    "no kernel": (("@kernel\ndef score", "def score"), ("score", "score is not a kernel", "@kernel", "def score")),
    "state written in view": (
        (LAST, LAST + "    state[REPLY] = 5\n"),
        ("view", "view changes the state: cell 2 is 5 instead of -1", "only start and apply", "state[REPLY] = 5"),
    ),
    "legal depends on hidden cells": (
        (LEGAL, LEGAL.replace("return 2", "return 1 if state[BET] == 1 and state[CARD] == 0 else 2")),
        ("legal", "player 2 sees the same here and after", "nothing that the view", None),
    ),
    "endless play": (
        ("state[BET] == 1 and state[REPLY] < 0 else OVER", "state[REPLY] < 0 else 0"),
        ("mover", "a game of bold against uniform is not over after 5,000 actions", "return OVER at last", None),
    ),
    "payoff index out of range": (
        ("        return 3\n", "        return 5\n"),
        ("score", "score returns 5, but the payoffs are numbered 0 to 4", "an index into `payoffs`", None),
    ),
    "float state": (
        ("state[BET] = action", "state[BET] = action / 2"),
        ("apply", "apply writes 0.0 into a cell", "divide by //", "action / 2"),
    ),
    "empty legal": (
        (LEGAL, LEGAL.replace("return 2", "return 0 if state[BET] == 1 else 2")),
        ("legal", "lists no action although player 2 is to move", "OVER", None),
    ),
    "view larger than its size": (
        (LAST, LAST + "    out[3] = 1\n"),
        ("view", "view uses cell 3 of a view, which has 3", "raise sizes.view to 4", "out[3] = 1"),
    ),
    "more actions than sizes.actions": (
        (LEGAL, "    for action in range(3):\n        out[action] = action\n    return 3\n"),
        ("legal", "uses cell 2 of the list of actions, which has 2", "sizes.actions to 3", "out[action] = action"),
    ),
    "random rules": (
        ("        state[REPLY] = action\n", "        state[REPLY] = np.random.randint(0, 2)\n"),
        ("apply", "apply does not do the same when it is called twice", "let mover return CHANCE", None),
    ),
    "view that leaves a cell": (
        (LAST, ""),
        ("view", "view leaves cell 2 of the view of player 1 as it was", "write every cell", None),
    ),
    "start that leaves a cell": (
        ("for cell in range(3)", "for cell in range(2)"),
        ("start", "start leaves cell 2 of the state as it was", "write every cell", None),
    ),
    "an action twice": ((LEGAL, LEGAL.replace("= 1", "= 0")), ("legal", "lists action 0 twice", "once", None)),
    "a rule without an end": (
        ("    stake = 2", "    while state[CARD] == 0:\n        pass\n    stake = 2"),
        ("score", "score does not end within 5 s", "every loop", ""),
    ),
    "a strategy that invents actions": (
        ("    if seen[BET] == 1:\n", "    if seen[BET] < 0:\n        return 7\n    if seen[BET] == 1:\n"),
        ("strategy bold", "chooses 7, which is not among [0, 1]", "one of `actions`", None),
    ),
    "resample that gives a secret away": (
        (
            "        policies=",
            "        resample=lambda state, player, stream: state * 0 + (1, 1, 0),\n        policies=",
        ),
        ("resample", "after resample player 1 sees", "hidden", None),
    ),
    "two actions of one name": (('("no", "yes")[action]', '"go"'), ("label", "are called 'go'", "name", None)),
    "a function that is no kernel": (
        (LEGAL, "    return fill(out)\n\n\ndef fill(out):\n    out[0] = 0\n    out[1] = 1\n    return 2\n"),
        ("legal", "cannot be compiled: `fill` is something that compiled code cannot use", "@kernel", "return fill("),
    ),
    "what cannot be compiled": (
        ("    stake = 2", "    names = {}\n    names['a'] = state\n    names[1] = 2\n    stake = 2"),
        ("score", "score cannot be compiled", "", "names["),
    ),
}  # fmt: skip


def game_file(tmp_path, old, new):
    path = tmp_path / "mine.py"
    write_template(path)
    text = path.read_text().replace("import math\n", "import math\n\nimport numpy as np\n")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    return path


LONGER = {
    "endless play", "a rule without an end", "what cannot be compiled", "empty legal", "start that leaves a cell",
    "more actions than sizes.actions", "an action twice", "two actions of one name", "a strategy that invents actions",
    "view that leaves a cell", "payoff index out of range", "random rules",
}  # fmt: skip


@pytest.mark.parametrize("name", default_cases(BROKEN.keys() - LONGER, BROKEN))
def test_a_broken_game_gets_one_clear_sentence(tmp_path, monkeypatch, name):
    monkeypatch.setattr(contract, "MAX_ACTIONS", 5000)
    (old, new), (rule, sentence, change, place) = BROKEN[name]
    path = game_file(tmp_path, old, new)
    found = check_game(str(path))
    assert not found.sound and len(found.findings) == 1, found.findings
    one = found.findings[0]
    assert one.rule == rule and sentence in one.sentence and change in one.change
    assert "\n" not in one.sentence and len(one.sentence) < 300
    if place is not None:
        file, _, line = one.place.partition(", line ")
        assert file == "mine.py" and place in path.read_text().splitlines()[int(line) - 1]


@pytest.mark.parametrize("payoffs", ["(-2, -1, 0, 1, 3)", "(2, 1, 0, -1, -2)"])
def test_matches_need_payoffs_that_rise_in_even_steps_and_check_says_so(tmp_path, payoffs):
    path = game_file(tmp_path, "(-2, -1, 0, 1, 2)", payoffs)
    with pytest.raises(ValueError, match=r"do not rise in even steps: list all steps between them, too"):
        match(path, "bold", "timid", games=2)
    assert [found.rule for found in check_game(str(path)).findings] == ["payoffs"]


def test_the_record_is_the_shortest(tmp_path):
    found = check_game(str(game_file(tmp_path, "        return 3\n", "        return 5\n")))
    assert found.findings[0].record == [0, 1, 0]
    assert found.findings[0].rule == "score"


def test_a_sound_game_is_measured(tmp_path, answer):
    write_template(tmp_path / "mine.py")
    found = answer("check", tmp_path / "mine.py")
    assert found["sound"] and found["findings"] == [] and found["game"] == "mine"
    assert found["longest"] == 3 and found["positions"] == 11 and found["games_per_second"] > 0
    assert found["tree"] == {"nodes": 11, "infosets": [2, 1]} and found["perfect_recall"]


def test_the_speed_is_that_of_cpu_time_after_the_kernels_are_compiled(monkeypatch):
    spent = [0.0]

    class SlowMatch:
        """Kernels that compile for 40 CPU seconds, then take a tenth of a second for a pair of games."""

        def __init__(self, *players):
            self.compiled = False

        def scores(self, seed, first, count):
            spent[0] += 0.1 * count if self.compiled else 40
            self.compiled = True

    monkeypatch.setattr(contract, "PolicyMatch", SlowMatch)
    monkeypatch.setattr(contract.time, "process_time", lambda: spent[0])
    monkeypatch.setattr(contract.time, "perf_counter", iter(range(0, 10**6, 1000)).__next__)  # a busy machine
    assert contract._speed(known_game("kuhn")) == 20.0


def test_a_game_that_takes_seconds_is_not_reported_as_no_games():
    facts = {"positions": 1, "mean_length": None, "games_per_second": 0.4, "tree": None, "powers": []}
    assert "2.5 s for a game" in _facts(contract.GameCheck("x", [], facts))
    assert "40 games per second" in _facts(contract.GameCheck("x", [], facts | {"games_per_second": 40.0}))


SLOWER = [pytest.param(name, marks=pytest.mark.slow) for name in ("pig", "guesswho24")]


@pytest.mark.parametrize("name", ["kuhn", pytest.param("rps-half", marks=pytest.mark.thorough), *SLOWER])
def test_games_of_the_catalogue_are_sound(name):
    assert check_game(name).findings == []


@pytest.mark.thorough
def test_the_exit_code_says_what_was_found(tmp_path, fogspiel, refused):
    path = game_file(tmp_path, "        return 3\n", "        return 5\n")
    outcome = fogspiel("check", path)
    assert outcome.returncode == 1
    assert outcome.stdout.splitlines() == [
        "score returns 5, but the payoffs are numbered 0 to 4",
        "    after the actions: 0 1 0",
        "    to do: return an index into `payoffs`, not a payoff, or list more payoffs",
    ]
    outcome = fogspiel("check", path, "--json")
    assert outcome.returncode == 1 and json.loads(outcome.stdout)["findings"][0]["record"] == [0, 1, 0]
    path.write_text("GAMES = [\n")
    refused("check", path, because=("SyntaxError", "mine.py, line 1"))
    path.write_text("import math\n")
    refused("check", path, because="has no GAMES")
    path.write_text("import math\nx = unknown\n")
    refused("check", path, because=("NameError: name 'unknown' is not defined", "mine.py, line 2"))
    refused("check", tmp_path / "missing.py", because="cannot be read")
    refused("check", "khun", because="kuhn")


def test_a_complaint_of_the_compiler_without_a_known_form_is_shortened():
    text = 'Failed in nopython mode pipeline (step: x)\nsomething odd\n\nFile "a/mine.py", line 7:\n<source elided>\n'
    assert compiler_words(ValueError(text))[:2] == ("mine.py, line 7", "something odd")


def test_a_game_that_another_process_cannot_find_is_refused():
    from dataclasses import replace

    from fogspiel.core.game import known_game

    with pytest.raises(ValueError, match="give check_game its file"):
        check_game(replace(known_game("kuhn"), title="another"))


def test_new_does_not_overwrite(tmp_path, answer, refused):
    path = tmp_path / "my_game.py"
    assert answer("new", path) == {"file": str(path), "game": "my-game"}
    path.write_text("precious\n")
    refused("new", path, because="exists already")
    assert path.read_text() == "precious\n"
    refused("new", tmp_path / "game.txt", because="end with .py")
    refused("new", tmp_path / "missing" / "game.py", because="cannot be written")
    assert answer("new", tmp_path / "kuhn.py")["game"] == "my-kuhn"
