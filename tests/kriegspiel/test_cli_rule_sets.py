"""--rules on the command line: matches, records, the protocol, and wrong names."""

import pytest

from fogspiel.kriegspiel.pgn import read_pgn

SHORT = ("--nodes", 1, "--max-plies", 30, "--processes", 1, "--games", 2)


@pytest.mark.thorough
@pytest.mark.parametrize(("rules", "title"), [("berkeley-any", "Berkeley + Any"), ("rand", "RAND")])
def test_a_match_is_played_by_a_rule_set_which_is_kept(rules, title, answer, fogspiel, tmp_path):
    words = ("kriegspiel", "match", "greedy", "random", *SHORT, "--rules", rules)
    found = answer(*words)
    assert found["switches"]["rules"] == rules
    shown = fogspiel(*words)
    assert "found finished in the store" in shown.stderr and f"{title} rules" in shown.stdout
    text = fogspiel("kriegspiel", "export", found["run"]).stdout
    assert [game.switches.rules for game in read_pgn(text)] == [rules, rules] and f'[Rules "{title}"]' in text


def test_other_rules_are_other_games_and_icc_is_stored_as_ever(answer):
    words = ("kriegspiel", "match", "greedy", "random", *SHORT)
    runs = [answer(*words, *more) for more in ((), ("--rules", "cincinnati"), ("--rules", "icc"))]
    assert [run["run"] for run in runs] == ["kriegspiel-1", "kriegspiel-2", "kriegspiel-1"]
    assert "rules" not in runs[0]["switches"] and runs[1]["switches"]["rules"] == "cincinnati"


def test_the_usual_switches_of_a_rule_set_can_be_changed(answer):
    words = ("kriegspiel", "match", "greedy", "random", *SHORT, "--rules", "berkeley")
    assert not answer(*words)["switches"]["fifty"] and answer(*words, "--fifty")["switches"]["fifty"]


@pytest.mark.parametrize("command", [("match", "greedy", "random"), ("round-robin", "greedy", "random"), ("play",)])
def test_a_wrong_name_is_one_sentence(command, fogspiel):
    outcome = fogspiel("kriegspiel", *command, "--rules", "berkly")
    assert outcome.returncode == 2 and outcome.stdout == ""
    assert outcome.stderr.count("\n") == 1 and "did you mean berkeley" in outcome.stderr
