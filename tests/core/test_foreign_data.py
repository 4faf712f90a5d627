"""What others wrote is refused in a short sentence before it costs anything."""

import os
from fractions import Fraction

import pytest

from fogspiel.core.untrusted_input import MOST_DEPTH, MOST_DIGITS, parse_fraction, parse_json, read_bytes, shorten

REFUSED = {
    '{"a": 1, "a": 2}': "'a' twice",
    "{" + ", ".join(f'"{name}": 0' for name in [*range(200_000), 199_999]) + "}": "'199999' twice",
    "[" * (MOST_DEPTH + 1) + "]" * (MOST_DEPTH + 1): "levels deep",
    "[" * 1_000_000: "levels deep",
    '{"a":' * 1_000_000: "levels deep",
    "[NaN]": "NaN, but a number must be finite",
    "[-Infinity]": "-Infinity, but a number must be finite",
    "[1e999]": "must be finite",
    "9" * 1_000_000: "digits",
    "[-" + "9" * 1_000_000 + "]": "digits",
    '{"a": 0.' + "3" * 1_000_000 + "}": "digits",
    '["' + "x" * 1_000_000: "not JSON",
    b"\xff\xfe": "not UTF-8",
    "": "not JSON",
}


@pytest.mark.parametrize(("text", "because"), REFUSED.items(), ids=[text[:12] for text in REFUSED])
def test_json_of_others_is_refused_in_a_short_sentence(text, because):
    with pytest.raises(ValueError, match=because) as caught:
        parse_json(text)
    assert len(str(caught.value)) < 200


def test_ordinary_json_is_read_as_it_is():
    deep = "[" * MOST_DEPTH + "]" * MOST_DEPTH
    assert parse_json('{"a": [1, -2.5, "1/3", true, null]}') == {"a": [1, -2.5, "1/3", True, None]}
    assert parse_json(b'\xef\xbb\xbf{"a": 1}') == {"a": 1} and parse_json(deep) is not None
    assert parse_json("9" * MOST_DIGITS) == 10**MOST_DIGITS - 1
    assert parse_json('["' + "9" * 5000 + '"]') == ["9" * 5000], "a long fraction is text"
    assert parse_json("[1, 2.5]", floats=True) == [1.0, 2.5]


@pytest.mark.parametrize("text", ["1e999999999", "9" * 1_000_000, "1/0.5", "nan", "inf", "0x10", "", "1/", "1__0"])
def test_a_number_in_words_is_looked_at_before_it_is_built(text):
    with pytest.raises(ValueError, match="is not a number") as caught:
        parse_fraction(text)
    assert len(str(caught.value)) < 100


def test_numbers_in_words_are_exact():
    assert [parse_fraction(text) for text in ("1/3", " 0.25 ", "-2", ".5", "1e-2")] == [
        Fraction(1, 3), Fraction(1, 4), Fraction(-2), Fraction(1, 2), Fraction(1, 100),
    ]  # fmt: skip


def test_only_files_of_a_fair_size_are_read(tmp_path):
    pipe, large = tmp_path / "pipe", tmp_path / "large"
    large.write_bytes(b"x" * 11)
    with pytest.raises(ValueError, match=r"the book .*large is larger than 10 bytes: give less"):
        read_bytes(large, "the book", 10, "give less")
    assert read_bytes(large, "the book", 11, "") == b"x" * 11
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(ValueError, match="cannot be read"):
            read_bytes(path, "the book", 10, "")
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
        with pytest.raises(ValueError, match="pipe or a device"):
            read_bytes(pipe, "the book", 10, "")


def test_what_is_quoted_is_short():
    assert shorten("abc") == "'abc'" and len(shorten("x" * 10**7)) <= 60
    assert shorten([1] * 1000).endswith("..")
