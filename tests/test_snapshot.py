"""What the command line answers and writes is what it answered and wrote before."""

from math import inf
from pathlib import Path

import pytest
from support.snapshot import GROUPS, GROWING, VOLATILE, differences, read_record, record, shorten, steady

from fogspiel.runs import kind, store

FOLDER = Path(__file__).parent / "golden" / "snapshot"
MARKED = [
    pytest.param(name, marks=pytest.mark.slow if group.slow else pytest.mark.thorough if group.thorough else ())
    for name, group in GROUPS.items()
]


@pytest.mark.parametrize("name", MARKED)
def test_commands_answer_as_recorded(name, monkeypatch):
    monkeypatch.setattr(store, "KEEP_SECONDS", inf)  # a slow machine stores no more runs than a fast one
    monkeypatch.setattr(kind, "KEEP_SECONDS", inf)
    found = differences(read_record(name, FOLDER), shorten(record(name)))
    assert not found, "\n".join(found)


def test_every_record_belongs_to_a_group_and_is_small():
    files = {path.stem: path.stat().st_size for path in FOLDER.iterdir()}
    assert files.keys() == GROUPS.keys() and sum(files.values()) < 200_000


def test_a_difference_is_told_by_its_place():
    old = {"match": {"exit": 0, "json": {"score": 0.5, "pairs": [1, 2]}}}
    new = {"match": {"exit": 0, "json": {"score": 0.25, "pairs": [1, 3]}}, "tune": {"exit": 2}}
    assert differences(old, old) == []
    assert [line.split("\n")[0] for line in differences(old, new)] == [
        "match > json > score",
        "match > json > pairs[1]",
        "tune",
    ]


def test_a_new_game_is_no_difference_but_a_changed_or_missing_one_is():
    def catalogue(**games):
        return {"commands": {"games --json": {"exit": 0, "json": {"games": games}}}}

    assert differences(catalogue(war="a"), catalogue(war="a", snap="b")) == []
    for now in ({"war": "c"}, {"snap": "b"}):
        (line,) = differences(catalogue(war="a"), catalogue(**now))
        assert line.startswith(f"commands > {GROWING} > war")


def test_what_depends_on_the_machine_is_left_out_and_long_parts_are_kept_as_digests():
    answer = {"cpu_seconds": 1.5, "seconds": None, "runs": [{"created": 5.0, "score": 0.5}]}
    assert steady(answer) == {"cpu_seconds": VOLATILE, "seconds": None, "runs": [{"created": VOLATILE, "score": 0.5}]}
    assert shorten({"lines": ["x"] * 500})["lines"].keys() == {"list", "length", "sha256"}
    assert shorten("y" * 500) != shorten("y" * 499 + "z")
