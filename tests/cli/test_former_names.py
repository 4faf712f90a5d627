"""Options, commands and JSON keys of before 1.0: they work as they did, and options and commands warn."""

import json
import os
import re
import subprocess
import sys

import pytest

from fogspiel.cli.app import FORMER_COMMANDS, FORMER_OPTIONS
from fogspiel.cli.console import NEW_KEYS, with_new_keys

OPTIONS = {
    "--alone": ("tune --kriegspiel C --single --games 2", "not for --kriegspiel"),
    "--all": ("exploit kuhn uniform --decisions costly.jsonl", "kuhn"),
    "--as": ("states kuhn --seat third", "--seat is 'third'"),
    "--game": ("verify kuhn --source nosuch.py", "nosuch.py"),
    "--longest": ("kriegspiel match C fog --max-plies 0", "--max-plies is 0"),
    "--range": ("tune --kriegspiel C --score-range 0 1 --games 2", "not for --kriegspiel"),
    "--remember": ("solve kuhn --perfect-recall", "openspiel:goofspiel"),
    "--save": ("exploit kuhn uniform --save-response reply", "kuhn"),
    "--size": ("verify kuhn --max-mib 0", "--max-mib is 0"),
    "--stop": ("kriegspiel match C nosuch --stop-early", "nosuch"),
    "--time": ("verify kuhn --seconds 0", "--seconds is 0.0"),
    "--time-2": ("kriegspiel match C fog --move-seconds-2 -1", "--move-seconds-2 is -1.0"),
}
SECOND_MEANINGS = {
    "--game": ("kriegspiel analyse nosuch.pgn --number 0", "--number"),
    "--time": ("kriegspiel match C fog --move-seconds -1", "the time of an engine is -1.0"),
}
COMMANDS = {
    "questions": "states kuhn --output states.jsonl --json",
    "tournament": "round-robin rps-half uniform uniform",
    "warm": "compile nosuch",
}


def of_old(line, old, news):
    return " ".join(old if word in news.split() else word for word in line.split())


def test_every_former_name_is_tried():
    assert OPTIONS.keys() == FORMER_OPTIONS.keys() and COMMANDS.keys() == FORMER_COMMANDS.keys()


@pytest.mark.parametrize(
    ("old", "line", "part"), [(old, *tried) for table in (OPTIONS, SECOND_MEANINGS) for old, tried in table.items()]
)
def test_a_former_option_does_what_the_new_one_does_and_warns(old, line, part, fogspiel, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    new = fogspiel(*line.split())
    former = fogspiel(*of_old(line, old, FORMER_OPTIONS[old]).split())
    warning, _, rest = former.stderr.partition("\n")
    told = [re.sub(r"[\d.]+ CPU s", "", outcome.stdout) for outcome in (new, former)]
    assert warning.startswith(f"fogspiel: {old} is deprecated: use --")
    assert part in new.stdout + new.stderr and told[0] == told[1] and rest == new.stderr
    assert former.returncode == new.returncode


def test_a_former_option_may_have_its_value_behind_an_equals_sign_and_no_argument_is_taken_for_one(fogspiel):
    assert "--seconds is 0.0" in fogspiel("verify", "kuhn", "--time=0").stderr
    assert "deprecated" not in fogspiel("verify", "--", "--time").stderr
    assert "No such option" in fogspiel("tune", "batawaf", "--time", 1).stderr


@pytest.mark.parametrize(("old", "line"), COMMANDS.items())
def test_a_former_command_does_what_the_new_one_does_and_warns(old, line, fogspiel, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    new, former = fogspiel(*line.split()), fogspiel(old, *line.split()[1:])
    assert former.stderr == f"fogspiel: {old} is deprecated: use {FORMER_COMMANDS[old]}\n" + new.stderr
    assert (former.returncode, former.stdout) == (new.returncode, new.stdout)
    assert f" {old} " not in fogspiel("--help").stdout


VALUES = {
    "proof": {"proved": True},
    "observed": [1, 2],
    "pairs": [1, 2],
    "claims": [[0.5]],
    "circle": ["a"],
    "seen": 1.5,
}


@pytest.mark.parametrize("old", NEW_KEYS)
def test_a_former_key_is_printed_with_the_new_one(old):
    value = VALUES.get(old, "words")
    body = {"runs": [{old: value}]}
    assert with_new_keys(body) == {"runs": [{old: value, NEW_KEYS[old][0]: value}]}


def test_the_new_keys_come_in_the_same_order_in_every_process():
    """Sets of texts are ordered by the hash seed of the process."""
    code = (
        "from fogspiel.cli.console import NEW_KEYS, with_new_keys; print(*with_new_keys(dict.fromkeys(NEW_KEYS, [1])))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True
        ).stdout
        for seed in "1234"
    }
    assert len(found) == 1


def test_keys_of_other_meanings_and_those_of_stored_rows_gain_nothing():
    for body in (
        {"change": 0.5, "seen": "a king", "claims": 3, "pairs": [[1], [2]], "proof": "by games", "rules": "Kuhn 1950"},
        {"ask": {"against": "x"}, "result": {"why": "y"}, "steps": [{"sort": "z"}]},
    ):
        assert with_new_keys(body) == body
    assert with_new_keys({"how": "a", "ending": "b"}) == {"how": "a", "ending": "b"}


@pytest.mark.parametrize(
    ("rules", "new"), [(3, "rules_version"), ("sha256 0a", "rules_version"), ("berkeley-any", "rule_set")]
)
def test_rules_are_a_version_or_a_rule_set(rules, new):
    assert with_new_keys({"rules": rules}) == {"rules": rules, new: rules}


def test_runs_are_listed_with_their_kind_and_the_new_keys(answer, fogspiel, tmp_path):
    store = ("--store", tmp_path / "runs.db")
    played = answer("match", "rps-half", "uniform", "uniform", "--games", 10, *store)
    assert played["rules_version"] == played["rules"]
    answer("solve", "rps-half", *store)
    (listed,) = answer("runs", *store)["runs"]
    assert listed["kind"] == listed["method"] == "solve" and listed["last_seen"] == listed["seen"]
    exported = json.loads(fogspiel("export", listed["name"], *store).stdout)
    assert not {"kind", "rules_version", "pair_counts"} & (exported.keys() | exported["ask"].keys())
