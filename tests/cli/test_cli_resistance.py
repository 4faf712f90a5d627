"""Variants of The Resistance and their balance on the command line."""

import json

import lone_spies
import pytest
from support.certificates import reseal
from support.commands import DOCUMENTED

from fogspiel.resistance.checkers.lone_spies import setup_of

KEYS = "by_program by_rules cpu_seconds game nearest official players run sizes space spies state tables ties too_far"
ROW = "certificate game missions sabotages_needed value wins"
VARIANT = "resistance5-2-2-3-3x2-3-2spies"


def test_a_variant_is_solved_verified_and_explained(answer, fogspiel, tmp_path):
    proof = tmp_path / "proof.json"
    assert answer("solve", VARIANT, "--exact", "--certificate", str(proof))["value"] == "0"
    found = answer("verify", str(proof))
    assert (found["game"], found["lower"]) == (VARIANT, "0")
    assert any("The rule: let missions" in line for line in answer("explain", str(proof))["lines"])
    told = fogspiel("solve", VARIANT).stdout
    assert "fogspiel match" not in told and f"fogspiel explain {VARIANT}-" in told


def test_the_rules_of_both_teams_are_explained(fogspiel):
    told = fogspiel("explain", "resistance7").stdout
    assert "let missions 1 and 4 pass, sabotage the others whenever possible" in told
    assert "the teams are A B C, A D E and A B D F" in told


def test_the_fairest_tables_are_listed_with_documented_keys(answer, fogspiel, tmp_path):
    found = answer("balance", "resistance", "--players", "5", "--nearest", "2", "--certificates", str(tmp_path))
    assert " ".join(sorted(found)) == KEYS
    for row in found["nearest"]:
        assert " ".join(sorted(row)) == ROW
        assert answer("verify", row["certificate"])["lower"] == row["value"] == "0"
    assert all(f"`{key}`" in DOCUMENTED for key in f"{KEYS} {ROW}".split())
    told = fogspiel("balance", "resistance", "--players", "5").stdout
    assert "looked through all 64 tables" in told and "with the missions of resistance5: 3/10 (30.0%)" in told


@pytest.mark.thorough
def test_options_say_the_same_as_the_name_of_a_variant(answer, fogspiel):
    numbers = ("--missions", "2,2,3,3,3", "--spies", "2", "--fails", "1,1,1,2,1")
    assert answer("solve", "resistance5", *numbers)["game"] == VARIANT
    assert answer("explain", "resistance5", *numbers) == answer("explain", VARIANT)
    assert answer("solve", "resistance7", "--fails", "1,1,1,1,1")["game"] == "resistance7-2-3-3-4-4-3spies"
    assert answer("solve", "resistance5", "--missions", "2,3,2,3,3")["game"] == "resistance5"
    assert answer("solve", "resistance4", "--missions", "2,1,2", "--spies", "1")["game"] == "resistance4-2-1-2-1spies"


def test_only_a_true_certificate_of_lone_spies_is_verified_and_explained(tmp_path, answer, refused):
    proof = tmp_path / "proof.json"
    body = lone_spies.solve(lone_spies.lone_game(setup_of("lone-resistance4-2-2-2-2spies")))
    proof.write_text(json.dumps(body), encoding="utf-8")
    assert answer("verify", str(proof))["lower"] == body["value"]
    found = answer("explain", str(proof))
    assert found["game"] == "lone-resistance4-2-2-2-2spies" and "who do not know each other" in found["lines"][0]
    proof.write_text(json.dumps(reseal(body | {"resistance": []})), encoding="utf-8")
    refused("explain", str(proof), because="the certificate is not valid")
    refused("solve", "lone-resistance5", because="benchmarks/lone_spies.py")


def test_a_sweep_is_a_run_that_is_found_again(answer):
    words = ("balance", "resistance", "--players", "6", "--largest", "3", "--fails", "1,1,1,1,1")
    found = answer(*words)
    assert found["space"].endswith("that take 1, 1, 1, 1, 1 sabotages") and found["tables"] == 32
    again = answer(*words)
    assert again["nearest"] == found["nearest"] and again["run"] == found["run"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("balance", "leduc", "--players", "5"), "No such option: --players"),
        (("balance", "resistance", "--players", "20"), "of 14 at most"),
        (("balance", "resistance", "--players", "7", "--smallest", "5"), "the larger number comes last"),
        (("balance", "resistance", "--players", "7", "--spies", "-1"), "it must be from 1"),
        (("balance", "resistance", "--players", "7", "--fails", "1,1,1,2"), "it must be 3, 5 or 7"),
        (("solve", "resistance7-2-3-3-4-3spies"), "it must be 3, 5 or 7"),
        (("solve", "resistance7", "--missions", "2,3,3,4"), "it must be 3, 5 or 7"),
        (("solve", "resistance7", "--missions", "2;3"), "whole numbers with commas"),
        (("solve", "resistance7", "--fails", "1,1,1"), "it must be 1 or more for each of 5"),
        (("solve", "resistance7", "--spies", "0"), "it must be from 1 to all but one"),
        (("solve", "resistance14", "--missions", "2,3,3,4,4"), "say its --missions and its --spies"),
        (("explain", "leduc", "--spies", "2"), "are for resistance5 and such"),
        (("solve", "resistance7-2-3-3-4-5-3spies", "--method", "lp", "--memory", "0.05"), "raise --memory"),
        (("explain", "resistance7-2-3-3-4-9-3spies"), "it must be from 1 to 7"),
    ],
)
def test_wrong_numbers_are_refused_in_a_sentence(refused, words, why):
    refused(*words, because=why)
