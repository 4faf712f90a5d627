"""The index of known values: certificates, documents and outside formulas say the same."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path

import pytest
import yaml
from support.known_value import PAGE, new_entry, page_row, payoffs_text, table_rows, with_entry, with_table
from support.levels import default_cases

from fogspiel import __version__
from fogspiel.core.game import WIN_DRAW_LOSS, known_game
from fogspiel.resistance.game import SETUPS
from fogspiel.solving import known_values as values
from fogspiel.solving.known_values import COLUMNS, POINTS, SIGNS, KnownValue, known_value, known_values, verify_shipped

ROOT = Path(__file__).parents[2]
KNOWN = known_values()
SHIPPED = [game for game, known in KNOWN.items() if known.shipped]
LONG = {
    *("resistance10", "resistance11", "resistance12", "resistance13", "phantom-ponnuki-4x4"),
    *("phantom-ttt-abrupt", "phantom-ttt-numturns"),
}
"""Their checkers take more than a few seconds."""
QUICK = {"kuhn", "dark-hex-3x3", "dark-hex-4x3", "permutation-ttt", "phantom-ponnuki-3x3", "resistance5"}
"""One of each format that is checked in less than a few seconds."""
LARGEST = 2_500_000
WORDS = {"draw": Fraction(1, 2), "the second player wins": Fraction(0)}
NUMBER = re.compile(r"-?\d+(?:/\d+|\.\d+)?")


# The index


@pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN)
def test_every_entry_is_of_a_game_of_the_catalogue_in_its_payoffs(known):
    payoffs = known_game(known.game).payoffs
    assert payoffs[0] <= known.lower <= known.upper <= payoffs[-1]
    assert (known.payoffs == POINTS) == (payoffs == WIN_DRAW_LOSS)
    assert (known.payoffs == SIGNS) == (set(payoffs) <= {-1, 0, 1})
    assert known.published and known.ours


def test_payoffs_with_a_loss_of_minus_one():
    assert KNOWN["phantom-ttt"].signed == (Fraction(2, 3), Fraction(2, 3))
    assert KNOWN["resistance5"].signed == (Fraction(-2, 5), Fraction(-2, 5))
    assert KNOWN["kuhn"].signed is None


def test_a_proof_of_bounds_is_no_solution_to_play():
    games = [game for game in SHIPPED if values.shipped_solution(game) is None]
    assert games == ["phantom-ponnuki-3x3", "phantom-ponnuki-4x4", "phantom-ponnuki-5x5"]
    formats = [json.loads(KNOWN[game].shipped.read_text())["format"] for game in games]
    assert ["bounds" in formats[0], "bounds" in formats[1], "refutation" in formats[2]] == [True] * 3
    assert values.shipped_solution("phantom-ttt") and values.shipped_solution("kriegspiel") is None


def test_exact_values_only():
    assert known_value("kuhn") == Fraction(-1, 18)
    assert known_value("phantom-ponnuki-4x4") is None and known_value("kriegspiel") is None


@pytest.mark.parametrize("change", [{"lower": "1/0"}, {"upper": "much"}, {"certificate": {"digest": ""}}])
def test_a_damaged_entry_is_refused_in_a_sentence(change):
    entry = json.loads(values.INDEX.read_text())["values"][0]
    with pytest.raises(ValueError, match="known values is damaged"):
        KnownValue.from_json(entry | change)


# Certificates


def test_every_certificate_of_the_folder_is_listed_and_small():
    names = {path.name for path in values.FOLDER.glob("*.json")} - {values.INDEX.name}
    assert names == {KNOWN[game].certificate.file for game in SHIPPED}
    for known in KNOWN.values():
        if known.certificate:
            assert (known.certificate.bytes < LARGEST) == (known.certificate.file is not None)
            assert known.make.endswith(f"--certificate {known.game}.json")
            assert known.check == f"fogspiel verify {known.game}.json"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=pytest.mark.slow if game in LONG else () if game in QUICK else pytest.mark.thorough)
        for game in SHIPPED
    ],
)
def test_a_shipped_certificate_proves_what_the_index_says(game):
    assert verify_shipped(KNOWN[game]) == (KNOWN[game].lower, KNOWN[game].upper)


def test_a_certificate_that_was_changed_or_proves_something_else_is_refused(tmp_path, monkeypatch):
    for file in ("kuhn.json", "rps.json"):
        shutil.copy(values.FOLDER / file, tmp_path)
    monkeypatch.setattr(values, "FOLDER", tmp_path)
    kuhn = KNOWN["kuhn"]
    shifted = replace(kuhn, lower=Fraction(-1, 17), upper=Fraction(-1, 17))
    with pytest.raises(ValueError, match="proves -1/18, but the index of known values says -1/17"):
        verify_shipped(shifted)
    shutil.copy(tmp_path / "rps.json", tmp_path / "kuhn.json")
    with pytest.raises(ValueError, match="not the one that the index of known values lists"):
        verify_shipped(kuhn)


def test_a_certificate_that_is_not_shipped_is_made_by_its_command():
    kuhn = KNOWN["kuhn"]
    elsewhere = replace(kuhn, certificate=replace(kuhn.certificate, file=None))
    assert elsewhere.shipped is None and elsewhere.row()[3] == "2.3 kB, not shipped"
    with pytest.raises(ValueError, match="make it with `fogspiel solve kuhn --exact --refine uniform --cert"):
        verify_shipped(elsewhere)


# Outside formulas


def best_coverage(players: int, spies: int, sizes: list[int]) -> Fraction:
    """The largest share of the spy sets that at least one of three teams avoids, over all overlaps of the teams."""
    a, b, c = sizes
    best = 0
    for both in range(min(a, b) + 1):
        for all_three in range(both + 1):
            for a_and_c in range(a - both + 1):
                for b_and_c in range(b - both + 1):
                    ab, ac, bc = a + b - both, a + c - all_three - a_and_c, b + c - all_three - b_and_c
                    union = ab + c - all_three - a_and_c - b_and_c
                    if all_three + a_and_c + b_and_c <= c and union <= players:
                        avoided = [comb(players - team, spies) for team in (a, b, c, ab, ac, bc, union)]
                        best = max(best, sum(avoided[:3]) - sum(avoided[3:6]) + avoided[6])
    return Fraction(best, comb(players, spies))


@pytest.mark.parametrize("players", SETUPS)
def test_the_resistance_is_worth_what_the_closed_form_says(players):
    """Christiano 2018: only the three largest missions that one sabotage stops count."""
    setup = SETUPS[players]
    sizes = [size for size, needed in zip(setup.sizes, setup.needed, strict=True) if needed == 1]
    wins = best_coverage(players, setup.spies, sorted(sizes)[-3:])
    assert known_value(f"resistance{players}") == 2 * wins - 1


def test_guess_who_is_worth_what_the_plain_recursion_says():
    @cache
    def wins(own, other):
        """The mover's probability; who is down to one character has won."""
        return max(then(own, other, c) + then(own, other, own - c) for c in range(1, own // 2 + 1))

    def then(own, other, left):
        """The mover's share of winning by an answer that leaves it so many characters."""
        return Fraction(left, own) * (1 - wins(other, left) if left > 1 else 1)

    assert known_value("guesswho24") == known_value("guesswho24-stochastic") == wins(24, 24)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "game",
    default_cases(
        ["nim", "guesswho96"],
        ["nim", "guesswho96", "guesswho128", "four-in-a-row-4x4", "four-in-a-row-4x5", "four-in-a-row-4x6"],
    ),
)
def test_the_python_command_of_an_entry_prints_its_value(game):
    known = KNOWN[game]
    assert known.certificate is None and known.make.startswith('python -c "') and known.make.endswith('"')
    code = known.make.removeprefix('python -c "').removesuffix('"')
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert Fraction(printed.strip()) == known.value


# Documents


def rows_of(page: Path):
    """The rows of a page's tables, each as cells by column."""
    header = None
    for line in page.read_text().splitlines():
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip(" *") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if header is None:
            header = cells
        elif not set(line) <= set("|-: "):
            yield dict(zip(header, cells, strict=False))


def stated_values():
    """Every value that a table of the documentation gives next to the name of a game, with the page."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for row in rows_of(page):
            value = row.get("exact value", row.get("value"))
            first, *_ = row.values()
            named = f"resistance{first}" if "players" in row else re.sub(r"`|\(.*\)", "", first)
            for game in map(str.strip, named.split(",")):
                if value is not None and game in KNOWN:
                    yield page.name, game, value


STATED = list(stated_values())


def agrees(text: str, known: KnownValue) -> bool:
    """Whether a text gives the value or the bounds of an entry, to the digits that it has."""
    text = text.replace("*", "")
    if text in WORDS:
        return WORDS[text] == known.value
    first = NUMBER.findall(text)
    wanted = [known.lower] if known.value is not None else [known.lower, known.upper]
    close = [abs(Fraction(a) - b) <= Fraction(1, 10 ** len(a.partition(".")[2])) if "." in a else Fraction(a) == b
             for a, b in zip(first, wanted, strict=False)]  # fmt: skip
    return len(close) == len(wanted) and all(close)


def test_values_are_found_in_the_documentation():
    assert {"phantom.md", "games.md", "resistance.md", "solving.md", "values.md"} <= {page for page, _, _ in STATED}


@pytest.mark.parametrize(("page", "game", "value"), STATED)
def test_a_value_in_the_documentation_is_that_of_the_index(page, game, value):
    assert value == "a long fraction" or agrees(value, KNOWN[game])


def test_the_table_of_the_page_is_that_of_the_command():
    """Games that came after the last release may be missing."""
    page = PAGE.read_text()
    assert page_row(COLUMNS) in page
    listed = [line for line in page.splitlines() if line.startswith("| `")]
    rows = [row for row in table_rows() if row in listed]
    assert listed and listed == rows
    unreleased = "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text()
    assert unreleased or rows == table_rows(), "run `python -m support.known_value --page` in tests"
    assert [line for line in with_table(page).splitlines() if line in listed or not line.startswith("| `")] == (
        page.splitlines()
    )


def test_an_entry_of_the_index_is_made_by_the_command(tmp_path):
    kuhn = new_entry("kuhn", "Kuhn 1950", "a certificate", tmp_path)
    was, index = KNOWN["kuhn"], values.INDEX.read_text()
    entry = KnownValue.from_json(kuhn)
    assert (entry.lower, entry.upper, entry.make, entry.check) == (was.lower, was.upper, was.make, was.check)
    assert entry.certificate.bytes == (tmp_path / "kuhn.json").stat().st_size
    assert [payoffs_text(name) for name in ("phantom-ttt", "rps")] == [POINTS, SIGNS]
    listed = json.loads(index)["values"]
    assert with_entry(index, listed[3]) == index
    assert json.loads(with_entry(index, kuhn | {"game": "x"}))["values"] == [*listed, kuhn | {"game": "x"}]


@pytest.mark.parametrize(
    ("page", "game"),
    [
        ("README.md", "phantom-ttt"),
        ("docs/phantom.md", "permutation-ttt"),
        ("docs/games.md", "permutation-ttt"),
        ("docs/results/solving.md", "leduc"),
    ],
)
def test_a_value_in_a_sentence_is_that_of_the_index(page, game):
    assert str(KNOWN[game].value) in (ROOT / page).read_text()


def test_the_openings_of_phantom_games_are_those_of_their_page():
    page = (ROOT / "docs" / "phantom.md").read_text()
    assert list(map(str, KNOWN["phantom-ttt"].openings.values())) == ["5/6", "35/44", "5671/7576"]
    assert "opening in a corner, the centre, on an edge (drawn in secret) | 5/6, 35/44, 5671/7576 |" in page
    assert list(map(str, KNOWN["dark-hex-3x3"].openings.values())) == ["1", "7/10", "1/2", "1/2", "1/2"]
    assert "openings C1 1, A2 7/10, A1, B1, B2 1/2 |" in page


def test_the_citation_file_has_what_the_format_demands():
    """Citation File Format 1.2.0: these keys are required."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0" and citation["message"] and citation["title"] and citation["authors"]
    assert citation["version"] == __version__
    assert citation["license"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license"]
