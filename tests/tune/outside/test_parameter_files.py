"""Parameter files: what they mean to methods and to programs, and a sentence for each mistake."""

import json
import re
from collections import Counter

import numpy as np
import pytest

from fogspiel.tuning.programs.parameters import FARTHEST, MAX_BYTES, Parameters, read_parameters

GOOD = """
[margin]
start = 5
low = 0
high = 20
scale = 2

[depth]
start = 3
low = 1
high = 9
whole = true

[style]
start = "b"
choices = ["a", "b", "c", true, 4]
"""


def written(tmp_path, text, name="p.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_the_null_vector_is_the_start_in_the_users_own_values(tmp_path):
    found = read_parameters(written(tmp_path, GOOD))
    assert found.values(found.start) == {"margin": 5.0, "depth": 3, "style": "b"}
    assert isinstance(found.values(found.start)["depth"], int)
    assert found.parameters == ("margin", "depth", "style") and found.unordered == ("style",) and not found.per_seat


def test_numbers_are_scaled_rounded_and_kept_within_their_limits(tmp_path):
    found = read_parameters(written(tmp_path, GOOD))
    assert found.values([1.5, 0.4, 0.0]) == {"margin": 8.0, "depth": 3, "style": "b"}
    assert found.values([1e9, -1e9, 0.0]) == {"margin": 20.0, "depth": 1, "style": "b"}
    assert found.clip(np.array([1e9, -1e9, 0.0])).tolist() == [7.5, -2.0, 0.0]


def test_clipping_never_changes_what_a_vector_stands_for(tmp_path):
    found, random = read_parameters(written(tmp_path, GOOD)), np.random.default_rng(1)
    for theta in random.normal(scale=4, size=(500, 3)):
        assert found.values(found.clip(theta)) == found.values(theta)


@pytest.mark.parametrize("many", [2, 3, 4, 7])
def test_gaussian_numbers_choose_uniformly_and_zero_is_the_start(many):
    choices = list(range(many))
    for start in choices:
        found = Parameters.of({"x": {"start": start, "choices": choices}})
        assert found.values([0.0]) == found.values([1e-9]) == found.values([-1e-9]) == {"x": start}
    drawn = Counter(found.values([z])["x"] for z in np.random.default_rng(2).standard_normal(20_000))
    assert all(abs(drawn[choice] - 20_000 / many) < 5 * (20_000 / many) ** 0.5 for choice in choices)


def test_scales_that_are_not_given_follow_from_the_limits_or_the_start():
    tables = {
        "limits": {"start": 5, "low": 0, "high": 50},
        "start": {"start": -8},
        "zero": {"start": 0, "low": 0},
        "whole": {"start": 1, "low": 0, "high": 3, "whole": True},
    }
    assert [member.scale for member in Parameters.of(tables).members] == [5.0, 2.0, 1.0, 1.0]


def test_a_parameter_without_limits_stays_finite():
    found = Parameters.of({"x": {"start": 3, "scale": 2}})
    assert found.values([float("inf")]) == {"x": 3 + 2 * FARTHEST}


def test_json_says_the_same_and_what_is_stored_reads_back(tmp_path):
    found = read_parameters(written(tmp_path, GOOD))
    again = Parameters.from_json(json.loads(json.dumps(found.to_json(), sort_keys=True)))  # as a store keeps them
    assert again == found


MISTAKES = {
    "[a]\nlow = 1\nhigh = 2": "a .*has no start",
    "[a]\nstart = 1\nlo = 0": "a .*unknown key 'lo': the keys are start, low, high, scale, whole",
    "[a]\nstart = 1\nchoices = [1, 2]\nscale = 3": "a .*unknown key 'scale': .*start, choices",
    "[a]\nstart = 1\nlow = 3\nhigh = 0": "a .*low = 3 and high = 0: low must be below high",
    "[a]\nstart = 1\nlow = 1\nhigh = 1": "low must be below high",
    "[a]\nstart = 7\nlow = 1\nhigh = 3": "a .*starts at 7: start must be within its limits 1 .. 3",
    "[a]\nstart = 7\nhigh = 3": "within its limits any number .. 3",
    "[a]\nstart = 'x'": "a .*start = 'x': it must be a number",
    "[a]\nstart = true": "a .*start = True: it must be a number",
    "[a]\nstart = nan": "a .*start = nan: it must be a number",
    "[a]\nstart = 1\nhigh = inf": "a .*high = inf: it must be a number",
    "[a]\nstart = 1\nscale = 0": "a .*scale = 0: it must be above 0",
    "[a]\nstart = 1\nscale = -2": "it must be above 0",
    "[a]\nstart = 1e9\nscale = 1e-9": "too small to change its start",
    "[a]\nstart = 1\nwhole = 1": "a .*whole = 1: it must be true or false",
    "[a]\nstart = 1.5\nwhole = true": "a .*start = 1.5: of a whole parameter it must be a whole number",
    "[a]\nstart = 1\nlow = 0.5\nwhole = true": "low = 0.5: of a whole parameter",
    "[a]\nstart = 1\nchoices = [1]": "a .*a list of two values or more",
    "[a]\nstart = 1\nchoices = 3": "a list of two values or more",
    "[a]\nstart = 3\nchoices = [1, 2]": "a .*start must be one of its choices",
    "[a]\nstart = 1\nchoices = [1, 2, 1]": "the choice 1 twice",
    "[a]\nstart = 1\nchoices = [1, [2]]": "the choice \\[2\\]: it must be a text, a number, true or false",
    "[a]\nstart = 1\nchoices = [1, nan]": "must be finite",
    "a = 3": "a .*is 3: it must be a table",
    "[a]\nstart = 1\n[a]\nstart = 2": "is not TOML: .*twice",
    "[a\nstart = 1": "is not TOML",
    "": "is empty: give a table",
    "# nothing": "has no parameters: give a table",
}


@pytest.mark.parametrize(("text", "sentence"), MISTAKES.items())
def test_every_mistake_is_a_sentence_that_names_the_file(tmp_path, text, sentence):
    path = written(tmp_path, text)
    with pytest.raises(ValueError, match=sentence) as caught:
        read_parameters(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    {
        '{"a": {"start": 1}, "a": {"start": 2}}': "has 'a' twice",
        '{"a": {"start": 1, "start": 2}}': "has 'start' twice",
        '{"a": {"start": NaN}}': "it has NaN, but a number must be finite",
        '{"a": {"start": ' + "9" * 200 + "}}": "at most 1e",
        "[1, 2]": "a table for each parameter",
        "{": "is not JSON",
        '{"": {"start": 1}}': "a name has 1 to",
        "[" * 100_000: "nested too deeply",
    }.items(),
)
def test_every_mistake_of_json_is_a_sentence(tmp_path, text, sentence):
    path = written(tmp_path, text, "p.json")
    with pytest.raises(ValueError, match=sentence) as caught:
        read_parameters(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_files_that_are_missing_too_large_or_not_text_are_refused(tmp_path):
    large = written(tmp_path, "#" * (MAX_BYTES + 1))
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, sentence in (
        (tmp_path / "none.toml", "cannot be read: No such file"),
        (tmp_path, "cannot be read: Is a directory"),
        (large, f"larger than {MAX_BYTES:,} bytes"),
        (binary, "is not text"),
    ):
        with pytest.raises(ValueError, match=re.escape(str(path)) + ".*" + sentence):
            read_parameters(path)
